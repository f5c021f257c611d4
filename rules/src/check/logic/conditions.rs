//! Booleans: what each is about, whether it is for an instant, whether it can be true and false.

use biodivine_lib_bdd::BddVariableSet;
use situ_engine::ids::{RangeId, ScheduleId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Literal, Model, StartValues};
use smallvec::SmallVec;

use super::borders::{Borders, QuantityId, Test};
use crate::check::index::Lists;

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
pub(super) type Topics = SmallVec<[Topic; 2]>;

/// A boolean about more topics than this is not analysed without a decision diagram.
pub(super) const MAX_TOPICS: usize = 12;

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
    pub(super) instant: Vec<bool>,
    pub(super) ranges: Vec<Truth>,
    pub(super) situations: Vec<Truth>,
    pub(super) range_topics: Vec<Option<Topics>>,
    pub(super) situation_topics: Vec<Option<Topics>>,
    /// Names whose truth was not found out.
    pub(in crate::check) undecided: Vec<Boolean>,
    /// Assignments that write a switch.
    pub(super) assigned: Vec<SmallVec<[usize; 2]>>,
}

impl<'a> Conditions<'a> {
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

    pub(super) fn topics(&self, what: Boolean) -> Option<Topics> {
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
}
