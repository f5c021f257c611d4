//! Reachable combinations of switches: those that the assignments can bring about.
//!
//! From the start values of the table and its cases, tick by tick: every assignment whose condition
//! may hold is executed or not, in written order. Conditions count as far as they name switches,
//! directly or through situations; ranges, events and settings may be either way. So the result
//! holds every combination that a run can reach, and few others: phases that are left as the next
//! is entered exclude each other.

use std::collections::BTreeSet;

use situ_engine::ids::SwitchId;
use situ_engine::model::{Boolean, Literal, Scan, Setting};

use super::conditions::{Conditions, Truth};
use crate::check::budget::{OverBudget, Work};

/// With more switches that depend on each other than this, all combinations are allowed.
const MAX_SWITCHES: usize = 64;
/// With more combinations than this, at the end of ticks, all are allowed.
const MAX_COMBINATIONS: usize = 512;
/// With more combinations than this within one tick, all are allowed.
const MAX_WITHIN: usize = 128;
/// Situations that name situations are followed so deep.
const MAX_DEPTH: usize = 4;
/// Situations with more rows than this are taken to be possible.
const MAX_ROWS: usize = 16;

/// The combinations of the switches listed, each as one truth value per switch; `None` if all are
/// taken to be possible. Switches that no rule assigns must not be among them.
pub(super) fn combinations(
    conditions: &Conditions<'_>,
    of: &[SwitchId],
    work: &mut Work,
) -> Result<Option<BTreeSet<Vec<bool>>>, OverBudget> {
    let Some(reach) = Reach::new(conditions, of, work)? else {
        return Ok(None);
    };
    let mut reached: BTreeSet<u64> = BTreeSet::new();
    let mut open = reach.starts(work)?;
    while let Some(start) = open.pop() {
        if !reached.insert(start) {
            continue;
        }
        match reach.tick(start, work)? {
            Some(ends) if reached.len() <= MAX_COMBINATIONS => open.extend(ends),
            _ => return Ok(None),
        }
    }
    // The switches asked for come first.
    let truths = |bits: u64| (0..of.len()).map(|bit| bits & (1 << bit) != 0).collect();
    Ok(Some(reached.into_iter().map(truths).collect()))
}

struct Reach<'a, 'c> {
    conditions: &'c Conditions<'a>,
    /// The switches asked for and those that the assignments of them depend on; the place in this
    /// list is the place of the bit.
    switches: Vec<SwitchId>,
    /// Assignments that write one of them, in written order.
    rows: BTreeSet<usize>,
}

/// Switches within a tick, and the machines that have changed their state in it, as bits.
type Within = (u64, u64);

impl<'a, 'c> Reach<'a, 'c> {
    fn new(
        conditions: &'c Conditions<'a>,
        of: &[SwitchId],
        work: &mut Work,
    ) -> Result<Option<Self>, OverBudget> {
        let mut reach = Self {
            conditions,
            switches: of.to_vec(),
            rows: BTreeSet::new(),
        };
        let mut at = 0;
        while let Some(&switch) = reach.switches.get(at) {
            at += 1;
            let rows = conditions.assignments_of(switch);
            work.spend(rows.len())?;
            for &row in rows {
                if reach.rows.insert(row) {
                    reach.add_named(&conditions.model.assignments[row].when, 0, work)?;
                }
                if reach.switches.len() > MAX_SWITCHES {
                    return Ok(None);
                }
            }
        }
        Ok(Some(reach))
    }

    /// Adds the switches that a condition names.
    fn add_named(
        &mut self,
        all: &[Literal],
        depth: usize,
        work: &mut Work,
    ) -> Result<(), OverBudget> {
        work.spend(all.len())?;
        for literal in all {
            match literal.what {
                Boolean::Switch(id) => {
                    let new = self.conditions.is_assigned(id) && self.bit(id).is_none();
                    if new && self.switches.len() <= MAX_SWITCHES {
                        self.switches.push(id);
                    }
                }
                Boolean::Situation(id) if depth < MAX_DEPTH && !literal.negated => {
                    for &row in self.conditions.rows.of(id.index()).iter().take(MAX_ROWS) {
                        let all = &self.conditions.model.situation_rows[row].all;
                        self.add_named(all, depth + 1, work)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn bit(&self, id: SwitchId) -> Option<usize> {
        self.switches.iter().position(|switch| *switch == id)
    }

    /// The combinations from which a run can start.
    fn starts(&self, work: &mut Work) -> Result<Vec<u64>, OverBudget> {
        let model = self.conditions.model;
        let mut table = 0;
        for (bit, id) in self.switches.iter().enumerate() {
            table |= u64::from(model.switches[id.index()].start) << bit;
        }
        let mut starts = vec![table];
        for case in &model.cases {
            work.spend(case.set.len())?;
            let mut start = table;
            for setting in &case.set {
                if let Setting::Switch(id, value) = setting
                    && let Some(bit) = self.bit(*id)
                {
                    start = (start & !(1 << bit)) | (u64::from(*value) << bit);
                    // A machine begins in the state that is set true.
                    let left = model.other_states(*id).filter(|other| {
                        *value && !case.set.contains(&Setting::Switch(*other, true))
                    });
                    for bit in left.filter_map(|other| self.bit(other)) {
                        start &= !(1 << bit);
                    }
                }
            }
            starts.push(start);
        }
        Ok(starts)
    }

    /// The combinations at the end of a tick that begins with this one; `None` if there are many.
    fn tick(&self, start: u64, work: &mut Work) -> Result<Option<Vec<u64>>, OverBudget> {
        let model = self.conditions.model;
        let sequential = model.clock.scan.unwrap_or_default() == Scan::Sequential;
        let mut within: Vec<Within> = vec![(start, 0)];
        for &row in &self.rows {
            let assignment = &model.assignments[row];
            let machine = self.machine_of(row);
            let (mut written, mut values) = (0, 0);
            for &(id, value) in &assignment.set {
                if let Some(bit) = self.bit(id) {
                    written |= 1 << bit;
                    values = (values & !(1 << bit)) | (u64::from(value) << bit);
                }
            }
            for at in 0..within.len() {
                let (present, moved) = within[at];
                let now = if sequential { present } else { start };
                let next = ((present & !written) | values, moved | machine);
                // A machine does one transition in a tick.
                if moved & machine == 0
                    && !within.contains(&next)
                    && self.may_hold(&assignment.when, now, start, 0, work)?
                {
                    within.push(next);
                }
            }
            if within.len() > MAX_WITHIN {
                return Ok(None);
            }
        }
        Ok(Some(within.into_iter().map(|(bits, _)| bits).collect()))
    }

    /// The machine, as a bit, of which an assignment is a transition; 0 for others.
    fn machine_of(&self, row: usize) -> u64 {
        let model = self.conditions.model;
        let [
            Literal {
                what: Boolean::Situation(event),
                negated: false,
            },
        ] = model.assignments[row].when[..]
        else {
            return 0;
        };
        let mut machines = model.structure.machines.iter();
        let machine = machines.position(|machine| {
            let mut transitions = machine.transitions.iter();
            transitions.any(|transition| transition.event == event)
        });
        machine.filter(|at| *at < 64).map_or(0, |at| 1 << at)
    }

    /// True if the conjunction may hold, with the switches as they are now; situations read them as
    /// they were at the start of the tick.
    fn may_hold(
        &self,
        all: &[Literal],
        now: u64,
        start: u64,
        depth: usize,
        work: &mut Work,
    ) -> Result<bool, OverBudget> {
        work.spend(all.len())?;
        for literal in all {
            let may = match literal.what {
                Boolean::Switch(id) => self
                    .bit(id)
                    .is_none_or(|bit| (now & (1 << bit) != 0) != literal.negated),
                Boolean::Situation(id) if !literal.negated && depth < MAX_DEPTH => {
                    let rows = self.conditions.rows.of(id.index());
                    let mut any = rows.len() > MAX_ROWS;
                    for &row in rows.iter().take(MAX_ROWS) {
                        let all = &self.conditions.model.situation_rows[row].all;
                        any = any || self.may_hold(all, start, start, depth + 1, work)?;
                    }
                    any
                }
                _ => true,
            };
            if !may || self.conditions.truth_of(*literal) == Truth::Never {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
