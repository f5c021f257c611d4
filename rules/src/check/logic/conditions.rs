//! Booleans: what each is about, whether it is for an instant, whether it can be true and false.

use biodivine_lib_bdd::BddVariableSet;
use situ_engine::ids::{RangeId, ScheduleId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Literal, Model, StartValues};
use smallvec::SmallVec;

use super::borders::{Borders, QuantityId, Test};
use super::scope::{MAX_ATOMS, Scope, View};
use crate::check::budget::{OverBudget, Work};
use crate::check::index::{Index, Lists};

/// Truth values that a boolean can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::check) enum Truth {
    /// Never true.
    Never,
    /// Never false.
    Always,
    /// Both, as far as is known.
    Varies,
}

/// Something that two booleans may both depend on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Topic {
    Quantity(QuantityId),
    Switch(SwitchId),
    Event(SituationId),
    Schedule(ScheduleId),
    Start,
    /// The values of constants.
    Constants,
}

/// Topics on which a boolean depends.
type Topics = SmallVec<[Topic; 2]>;

/// A boolean about more topics than this is not analysed without a decision diagram.
const MAX_TOPICS: usize = 12;

/// Everything known about the booleans of a model.
#[derive(Debug)]
pub(in crate::check) struct Conditions<'a> {
    pub(in crate::check) model: &'a Model,
    pub(in crate::check) start: Option<&'a StartValues>,
    pub(super) borders: Borders,
    /// The variables of every scope.
    pub(super) variables: BddVariableSet,
    /// For each situation its rows, in written order.
    pub(in crate::check) rows: Lists<usize>,
    /// For each situation its last row: an order in which every situation stands below those it names.
    pub(super) last_row: Vec<usize>,
    /// For each situation whether it holds for an instant only.
    instant: Vec<bool>,
    ranges: Vec<Truth>,
    situations: Vec<Truth>,
    range_topics: Vec<Option<Topics>>,
    situation_topics: Vec<Option<Topics>>,
    /// Names whose truth was not found out.
    pub(in crate::check) undecided: Vec<Boolean>,
    /// Assignments that write a switch.
    assigned: Vec<SmallVec<[usize; 2]>>,
}

impl<'a> Conditions<'a> {
    pub(in crate::check) fn new(
        model: &'a Model,
        start: Option<&'a StartValues>,
        index: &Index,
        work: &mut Work,
    ) -> Self {
        let pairs: Vec<(usize, usize)> = model
            .situation_rows
            .iter()
            .enumerate()
            .map(|(number, row)| (row.situation.index(), number))
            .collect();
        let rows = Lists::new(model.situations.len(), &pairs);
        let last_row = (0..model.situations.len())
            .map(|situation| rows.of(situation).last().copied().unwrap_or_default())
            .collect();
        let assigned = (0..model.switches.len())
            .map(|switch| {
                let mut all: SmallVec<[usize; 2]> = index
                    .assignments
                    .of(switch)
                    .iter()
                    .map(|&(row, _)| row)
                    .collect();
                all.dedup();
                all
            })
            .collect();
        let mut conditions = Self {
            model,
            start,
            borders: Borders::new(model, start),
            variables: BddVariableSet::new_anonymous(MAX_ATOMS),
            rows,
            last_row,
            instant: vec![false; model.situations.len()],
            ranges: Vec::with_capacity(model.ranges.len()),
            situations: vec![Truth::Varies; model.situations.len()],
            range_topics: Vec::with_capacity(model.ranges.len()),
            situation_topics: vec![None; model.situations.len()],
            undecided: Vec::new(),
            assigned,
        };
        for range in 0..model.ranges.len() {
            conditions.add_range(RangeId::new(range), work);
        }
        let mut order: Vec<usize> = (0..model.situations.len()).collect();
        order.sort_by_key(|&situation| conditions.last_row[situation]);
        for situation in order {
            conditions.add_situation(SituationId::new(situation), work);
        }
        conditions
    }

    /// Truth values that the boolean can have.
    pub(in crate::check) fn truth(&self, what: Boolean) -> Truth {
        match what {
            Boolean::Range(id) => self.ranges[id.index()],
            Boolean::Situation(id) => self.situations[id.index()],
            Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => Truth::Varies,
        }
    }

    /// Truth values that the literal can have.
    pub(in crate::check) fn truth_of(&self, literal: Literal) -> Truth {
        match (self.truth(literal.what), literal.negated) {
            (Truth::Never, true) => Truth::Always,
            (Truth::Always, true) => Truth::Never,
            (truth, _) => truth,
        }
    }

    /// True if the conjunction holds for an instant only: one of its literals is an event, or a
    /// situation all of whose rows name one.
    pub(in crate::check) fn is_instant(&self, all: &[Literal]) -> bool {
        all.iter().any(|literal| {
            !literal.negated
                && match literal.what {
                    Boolean::Situation(id) => self.instant[id.index()],
                    other => self.model.is_event(other),
                }
        })
    }

    /// True if rules assign the switch.
    pub(in crate::check) fn is_assigned(&self, switch: SwitchId) -> bool {
        !self.assigned[switch.index()].is_empty()
    }

    /// The assignments that write the switch.
    pub(super) fn assignments_of(&self, switch: SwitchId) -> &[usize] {
        &self.assigned[switch.index()]
    }

    /// Tests of borders that a range stands for, in an order of its own; `None` if it names no quantity.
    pub(in crate::check) fn tests(&self, range: RangeId) -> Option<Vec<Test>> {
        let mut tests = self.borders.ranges[range.index()].to_vec();
        tests.sort_unstable();
        tests.dedup();
        let sides = |test: &Test| matches!(test, Test::Sides { .. });
        tests.iter().all(sides).then_some(tests)
    }

    /// True if two conjunctions depend on something in common.
    pub(in crate::check) fn related(&self, one: &[Literal], other: &[Literal]) -> bool {
        let topics = |all: &[Literal]| -> Option<Vec<Topic>> {
            let mut found = Vec::new();
            for literal in all {
                found.extend(self.topics(literal.what)?);
                if found.len() > 4 * MAX_TOPICS {
                    return None;
                }
            }
            Some(found)
        };
        match (topics(one), topics(other)) {
            (Some(one), Some(other)) => one.iter().any(|topic| other.contains(topic)),
            _ => true,
        }
    }

    /// True if it is plain that the conjunction can hold and can fail: its literals vary, each
    /// independently of the others.
    pub(in crate::check) fn plainly_varies(&self, all: &[Literal]) -> bool {
        let mut seen = Topics::new();
        for literal in all {
            let Some(topics) = self.topics(literal.what) else {
                return false;
            };
            let fresh = topics.iter().all(|topic| !seen.contains(topic));
            if self.truth(literal.what) != Truth::Varies || !fresh || seen.len() > MAX_TOPICS {
                return false;
            }
            seen.extend(topics);
        }
        !all.is_empty()
    }

    fn topics(&self, what: Boolean) -> Option<Topics> {
        let one = |topic| Some(SmallVec::from_elem(topic, 1));
        match what {
            Boolean::Switch(id) => one(Topic::Switch(id)),
            Boolean::Schedule(id) => one(Topic::Schedule(id)),
            Boolean::Start => one(Topic::Start),
            Boolean::Range(id) => self.range_topics[id.index()].clone(),
            Boolean::Situation(id) => {
                let mut topics = self.situation_topics[id.index()].clone()?;
                if self.model.situations[id.index()].event {
                    topics.push(Topic::Event(id));
                }
                Some(topics)
            }
        }
    }

    fn add_range(&mut self, id: RangeId, work: &mut Work) {
        let tests = &self.borders.ranges[id.index()];
        let mut topics = Topics::new();
        for test in tests {
            match test {
                Test::Known(_) => {}
                Test::Parameter(_) => push_new(&mut topics, Topic::Constants),
                Test::Sides { all, .. } => {
                    for &(side, _) in all {
                        let quantity = self.borders.side(side).quantity;
                        push_new(&mut topics, Topic::Quantity(quantity));
                    }
                }
            }
            if topics.len() > MAX_TOPICS {
                break;
            }
        }
        let truth = match self.truth_by_intervals(tests) {
            Some(truth) => truth,
            None => {
                self.ranges.push(Truth::Varies);
                self.range_topics.push(None);
                let literal = Literal {
                    what: Boolean::Range(id),
                    negated: false,
                };
                let truth = self.decide(&[&[literal]], work);
                self.ranges.pop();
                self.range_topics.pop();
                self.known_or_undecided(truth, Boolean::Range(id))
            }
        };
        self.ranges.push(truth);
        let narrow = topics.len() <= MAX_TOPICS;
        self.range_topics.push(narrow.then_some(topics));
    }

    /// The truth of a conjunction of simple comparisons from the interval that each quantity is
    /// left; `None` if that does not settle it.
    fn truth_by_intervals(&self, tests: &[Test]) -> Option<Truth> {
        let mut bounds: SmallVec<[(QuantityId, Interval); 2]> = SmallVec::new();
        let mut varies = false;
        let mut parameter = false;
        for test in tests {
            let (all, negated) = match test {
                Test::Known(true) => continue,
                Test::Known(false) => return Some(Truth::Never),
                Test::Parameter(_) => {
                    if parameter {
                        return None;
                    }
                    parameter = true;
                    varies = true;
                    continue;
                }
                Test::Sides { all, negated } => (all, *negated),
            };
            if negated && all.len() > 1 {
                return None;
            }
            varies = true;
            for &(side, truth) in all {
                let side = self.borders.side(side);
                if self.borders.is_never_negative(side.quantity) {
                    return None;
                }
                let at = match bounds.iter().position(|(id, _)| *id == side.quantity) {
                    Some(at) => at,
                    None if bounds.len() > MAX_TOPICS => return None,
                    None => {
                        bounds.push((side.quantity, Interval::default()));
                        bounds.len() - 1
                    }
                };
                bounds[at]
                    .1
                    .narrow(side.threshold, side.inclusive, truth != negated);
            }
        }
        if bounds.iter().any(|(_, interval)| interval.is_empty()) {
            return Some(Truth::Never);
        }
        Some(if varies { Truth::Varies } else { Truth::Always })
    }

    fn add_situation(&mut self, id: SituationId, work: &mut Work) {
        let model = self.model;
        let situation = &model.situations[id.index()];
        let rows: SmallVec<[&[Literal]; 4]> = self
            .rows
            .of(id.index())
            .iter()
            .map(|&row| &model.situation_rows[row].all[..])
            .collect();
        self.instant[id.index()] = situation.event || rows.iter().all(|row| self.is_instant(row));
        let mut topics = Some(Topics::new());
        for literal in rows.iter().copied().flatten() {
            topics = match (topics, self.topics(literal.what)) {
                (Some(mut known), Some(new)) => {
                    new.into_iter()
                        .for_each(|topic| push_new(&mut known, topic));
                    (known.len() <= MAX_TOPICS).then_some(known)
                }
                _ => None,
            };
        }
        let plain = match rows[..] {
            [row] => self.plainly_varies(row),
            _ => false,
        };
        let truth = if plain {
            Truth::Varies
        } else {
            let truth = self.decide(&rows, work);
            self.known_or_undecided(truth, Boolean::Situation(id))
        };
        self.situations[id.index()] = match truth {
            // An event is not true before its conjunction arises.
            Truth::Always if situation.event => Truth::Varies,
            truth => truth,
        };
        self.situation_topics[id.index()] = topics;
    }

    fn known_or_undecided(&mut self, truth: Result<Truth, OverBudget>, of: Boolean) -> Truth {
        truth.unwrap_or_else(|OverBudget| {
            self.undecided.push(of);
            Truth::Varies
        })
    }

    /// Decides which truth values the disjunction of the conjunctions can have.
    fn decide(&self, rows: &[&[Literal]], work: &mut Work) -> Result<Truth, OverBudget> {
        work.begin();
        let booleans = rows.iter().copied().flatten().map(|literal| literal.what);
        let mut scope = Scope::new(self, View::Loose, booleans, work)?;
        let mut holds = scope.never();
        for row in rows {
            let row = scope.before(row)?;
            holds = scope.or(&holds, &row)?;
        }
        Ok(if !scope.is_possible(&holds)? {
            Truth::Never
        } else if !scope.can_fail(&holds)? {
            Truth::Always
        } else {
            Truth::Varies
        })
    }
}

fn push_new(topics: &mut Topics, topic: Topic) {
    if !topics.contains(&topic) {
        topics.push(topic);
    }
}

/// Interval of the values left to a quantity.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Interval {
    low: f64,
    low_open: bool,
    high: f64,
    high_open: bool,
}

impl Default for Interval {
    fn default() -> Self {
        Self {
            low: f64::NEG_INFINITY,
            low_open: true,
            high: f64::INFINITY,
            high_open: true,
        }
    }
}

impl Interval {
    fn narrow(&mut self, threshold: f64, inclusive: bool, below: bool) {
        if below {
            let tighter = threshold < self.high || (threshold == self.high && !inclusive);
            if tighter {
                (self.high, self.high_open) = (threshold, !inclusive);
            }
        } else {
            let tighter = threshold > self.low || (threshold == self.low && inclusive);
            if tighter {
                (self.low, self.low_open) = (threshold, inclusive);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.low > self.high || (self.low == self.high && (self.low_open || self.high_open))
    }
}
