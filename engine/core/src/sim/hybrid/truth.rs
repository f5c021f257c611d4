//! The booleans of an event-accurate run: sides become ranges, ranges situations, situations
//! switches.

use crate::bits::Bits;
use crate::lower::border::{Borders, Side, View, truth};
use crate::model::{Boolean, Literal, Mark, Model, Order};
use crate::slices::copy;
use serde::{Deserialize, Serialize};

/// Scans of the assignments at one time before they count as endless.
const MAX_SCANS: usize = 10_000;

/// All booleans, and what they remember.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Truths {
    /// Side of each border.
    pub(super) sides: Vec<Side>,
    /// Whether the state is on the border, up to rounding.
    pub(super) flags: Bits,
    pub(super) switches: Bits,
    pub(super) ranges: Bits,
    /// Levels, and events that fire in this microstep.
    pub(super) situations: Bits,
    /// Schedules due in this microstep.
    pub(super) due: Bits,
    /// First microstep of the run.
    pub(super) start: bool,
    /// Latched values of hysteresis rows.
    pub(super) relays: Vec<f64>,
    /// Per situation row, for rows of events: whether its conjunction held in the last microstep.
    held: Bits,
    /// Per event row of the flow, for counters: whether what they count held.
    pub(super) counted: Bits,
}

impl Clone for Truths {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory that it has.
    fn clone_from(&mut self, other: &Self) {
        copy(&mut self.sides, &other.sides);
        self.flags.clone_from(&other.flags);
        self.switches.clone_from(&other.switches);
        self.ranges.clone_from(&other.ranges);
        self.situations.clone_from(&other.situations);
        self.due.clone_from(&other.due);
        self.start = other.start;
        copy(&mut self.relays, &other.relays);
        self.held.clone_from(&other.held);
        self.counted.clone_from(&other.counted);
    }
}

/// Assignments that contradict each other for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cycle {
    /// Positions of the assignments that were executed in the last scan.
    pub(super) assignments: Vec<usize>,
}

impl Truths {
    /// Shapes: `relays`: the start value of every hysteresis row's target.
    pub(super) fn new(model: &Model, relays: Vec<f64>, n_events: usize) -> Self {
        Self {
            sides: Vec::new(),
            flags: Bits::default(),
            switches: model.switches.iter().map(|switch| switch.start).collect(),
            ranges: Bits::new(model.ranges.len()),
            situations: Bits::new(model.situations.len()),
            due: Bits::new(model.schedules.len()),
            start: false,
            relays,
            held: Bits::new(model.situation_rows.len()),
            counted: Bits::new(n_events),
        }
    }

    /// About how much memory it takes (in bytes).
    pub(super) fn bytes(&self) -> usize {
        let borders = self.sides.len() + self.flags.len();
        let names = self.switches.len() + self.ranges.len() + self.situations.len();
        let remembered = self.due.len() + self.relays.len() + self.held.len() + self.counted.len();
        size_of::<Self>() + borders + names + remembered
    }

    /// How many rows of situations are remembered.
    pub(super) fn n_held(&self) -> usize {
        self.held.len()
    }

    /// Whether a literal holds.
    pub(super) fn holds(&self, literal: Literal) -> bool {
        self.is(literal.what) != literal.negated
    }

    /// Whether a boolean is true.
    pub(super) fn is(&self, what: Boolean) -> bool {
        match what {
            Boolean::Switch(id) => self.switches.get(id.index()),
            Boolean::Range(id) => self.ranges.get(id.index()),
            Boolean::Situation(id) => self.situations.get(id.index()),
            Boolean::Schedule(id) => self.due.get(id.index()),
            Boolean::Start => self.start,
        }
    }

    /// Writes into words all that the next microstep follows from, but for schedules, latched values and what
    /// is read by value.
    pub(super) fn write_memory(&self, into: &mut Vec<u64>) {
        let mut word = 1;
        for side in &self.sides {
            if word >> 62 != 0 {
                into.push(word);
                word = 1;
            }
            word = word << 2 | *side as u64;
        }
        into.push(word);
        for bits in [
            &self.flags,
            &self.switches,
            &self.ranges,
            &self.held,
            &self.counted,
        ] {
            bits.push_words(into);
        }
    }

    /// Whether the conjunction of an event's row held in the last microstep, by its position.
    pub(super) fn held(&self, row: usize) -> bool {
        self.held.get(row)
    }

    /// Whether a conjunction holds.
    pub(super) fn all_hold(&self, all: &[Literal]) -> bool {
        all.iter().all(|&literal| self.holds(literal))
    }

    /// Ranges follow their comparisons' sides, those without borders stay as they are. `views`: per
    /// range the views of its comparisons.
    pub(super) fn scan_ranges(&mut self, model: &Model, views: &[Vec<View>]) {
        for (index, (range, views)) in model.ranges.iter().zip(views).enumerate() {
            if range.mark == Some(Mark::NoEvent) {
                continue;
            }
            let holds = range.all.iter().zip(views).all(|(comparison, view)| {
                truth(comparison.op, view.side(self.sides[view.border.index()]))
            });
            self.ranges.set(index, holds);
        }
    }

    /// Ranges follow the values of their comparisons, as long as there are no sides.
    pub(super) fn ranges_by_value(
        &mut self,
        model: &Model,
        reals: &[f64],
        constants: &[f64],
        t: f64,
    ) {
        let value = |expr| model.value_at(expr, reals, constants, t);
        for (index, range) in model.ranges.iter().enumerate() {
            let holds = range.all.iter().all(|comparison| {
                let margin = value(comparison.left) - value(comparison.right);
                truth(comparison.op, Side::of(margin))
            });
            self.ranges.set(index, holds);
        }
    }

    /// Situations follow their rows; rows of events fire if they have just come to hold and `fire`.
    pub(super) fn scan_situations(&mut self, model: &Model, fire: bool) {
        self.situations.clear();
        for (index, row) in model.situation_rows.iter().enumerate() {
            let holds = self.all_hold(&row.all);
            let situation = row.situation.index();
            if !model.situations[situation].event {
                if holds {
                    self.situations.set(situation, true);
                }
                continue;
            }
            let instantaneous = row
                .all
                .iter()
                .any(|literal| !literal.negated && model.is_event(literal.what));
            let arises = holds && (instantaneous || !self.held.get(index));
            self.held.set(index, holds);
            if arises && fire {
                self.situations.set(situation, true);
            }
        }
    }

    /// Executes the assignments until a scan writes nothing new. `executed` hears of each, and
    /// whether it changed something.
    ///
    /// Errors: [`Cycle`] if a scan begins where one before it began, or ends where it began although
    /// it wrote something on the way.
    pub(super) fn assign(
        &mut self,
        model: &Model,
        order: Order,
        mut executed: impl FnMut(usize, bool),
    ) -> Result<(), Cycle> {
        if !model.assignments.iter().any(|row| self.all_hold(&row.when)) {
            return Ok(());
        }
        let mut begun: Vec<Bits> = Vec::new();
        let mut all = Vec::new();
        loop {
            let before = self.switches.clone();
            let mut wrote = Vec::new();
            for position in 0..model.assignments.len() {
                let index = match order {
                    Order::Written => position,
                    Order::Reversed => model.assignments.len() - 1 - position,
                };
                let assignment = &model.assignments[index];
                if !self.all_hold(&assignment.when) {
                    continue;
                }
                let mut changed = false;
                for &(switch, value) in &assignment.set {
                    changed |= self.switches.get(switch.index()) != value;
                    self.switches.set(switch.index(), value);
                }
                executed(index, changed);
                if changed {
                    wrote.push(index);
                }
            }
            if wrote.is_empty() {
                return Ok(());
            }
            all.extend(wrote);
            let again = begun.contains(&self.switches) || self.switches == before;
            if again || begun.len() > MAX_SCANS {
                all.sort_unstable();
                all.dedup();
                return Err(Cycle { assignments: all });
            }
            begun.push(before);
        }
    }

    /// Makes room for borders met since; they start unknown.
    pub(super) fn grow(&mut self, borders: &Borders) {
        self.sides.resize(borders.len(), Side::Plus);
        self.flags.resize(borders.len());
    }
}
