//! What is known of every boolean: the ranges of a table, then its situations in an order in which each stands below
//! those it names; by intervals where that is enough, else by a decision diagram over what is known so far.

use biodivine_lib_bdd::BddVariableSet;
use situ_engine::ids::{RangeId, SituationId};
use situ_engine::model::{Boolean, Literal, Model, StartValues};
use smallvec::SmallVec;

use super::atoms::{MAX_ATOMS, View};
use super::borders::{Borders, QuantityId, Test};
use super::conditions::{Conditions, MAX_TOPICS, Topic, Topics, Truth};
use super::scope::Scope;
use crate::check::budget::{OverBudget, Work};
use crate::check::index::{Index, Lists};

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
