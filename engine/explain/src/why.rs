//! Why a boolean stands as it does: down to ranges, numbers and the assignments of switches.

use std::collections::BTreeSet;
use std::sync::Arc;

use situ_engine::ids::{RangeId, SituationId};
use situ_engine::model::{Boolean, Conjunction, Literal};

use crate::moment::{Asker, Moment};
use crate::reason::{Arising, Fact, Reason};
use crate::same_row::same_boolean;
use crate::{Past, STRETCH};

/// Most situations that are taken apart one inside the other.
const DEEPEST: usize = 128;

/// Of situations with more rows those alone are told that make it hold, if it does.
const FEW_ROWS: usize = 3;

/// Booleans that an explanation has explained already: each is taken apart once.
#[derive(Debug, Default)]
pub(crate) struct Explained {
    known: BTreeSet<(u8, usize)>,
    depth: usize,
}

impl Explained {
    /// Whether it has not been said before; notes that it is now.
    fn is_new(&mut self, what: Boolean) -> bool {
        self.known.insert(match what {
            Boolean::Switch(id) => (0, id.index()),
            Boolean::Range(id) => (1, id.index()),
            Boolean::Situation(id) => (2, id.index()),
            Boolean::Schedule(id) => (3, id.index()),
            Boolean::Start => (4, 0),
        })
    }
}

pub(crate) fn positive(what: Boolean) -> Literal {
    Literal {
        what,
        negated: false,
    }
}

impl<T> Past<'_, T> {
    /// Why a boolean stands as it does.
    pub fn why_boolean(&mut self, what: Boolean) -> Reason {
        if let Boolean::Switch(id) = what {
            // The last tick found it as it was before its assignments.
            let run = self.run();
            let held = run.row().boolean(run.model(), what);
            let model = Arc::clone(run.model());
            let name = model.switches[id.index()].name.clone();
            return Reason {
                under: vec![self.why_switch(&name)],
                ..Reason::of_literal(&model, positive(what), held)
            };
        }
        let mut moment = self.moment();
        let Some(what) = self.at_moment(&moment, what) else {
            return self.new_boolean(what);
        };
        if let Boolean::Situation(id) = what
            && moment.model.situations[id.index()].event
            && moment.holds(what)
        {
            // What it arose from may have turned within the instant.
            moment = moment.at_last(|decided| decided.found.situations[id.index()]);
        }
        let mut explained = Explained::default();
        self.reason(&moment, positive(what), Asker::Situation, &mut explained)
    }

    /// What a boolean of the present model is in that of a moment, which an edit may have left.
    pub(crate) fn at_moment(&mut self, moment: &Moment, what: Boolean) -> Option<Boolean> {
        same_boolean((self.run().model(), what), &moment.model)
    }

    /// Why a boolean that did not exist when the last step was done stands as it does.
    pub(crate) fn new_boolean(&mut self, what: Boolean) -> Reason {
        let run = self.run();
        let fact = match what {
            Boolean::Range(_) => {
                let moment = Moment::standing(run);
                let mut explained = Explained::default();
                return self.reason(&moment, positive(what), Asker::Situation, &mut explained);
            }
            Boolean::Switch(_) => Fact::New,
            _ => Fact::NewlyFound,
        };
        let model = run.model();
        Reason {
            under: vec![Reason::new(model, fact)],
            ..Reason::of_literal(model, positive(what), run.holds(what))
        }
    }

    /// A literal with what it follows from, as the asker found it.
    pub(crate) fn reason(
        &mut self,
        moment: &Moment,
        literal: Literal,
        asker: Asker,
        explained: &mut Explained,
    ) -> Reason {
        let model = &moment.model;
        let held = moment.held_for(literal.what, asker);
        let mut reason = Reason::of_literal(model, literal, held != literal.negated);
        if explained.depth == DEEPEST || !explained.is_new(literal.what) {
            let is_simple = matches!(literal.what, Boolean::Schedule(_) | Boolean::Start);
            reason.fact = Fact::Literal {
                literal,
                see_above: !is_simple,
                turn: None,
            };
            return reason;
        }
        match literal.what {
            Boolean::Range(id) => reason.under = range(moment, id, held),
            Boolean::Situation(id) => {
                reason.under = self.situation(moment, id, held, explained);
            }
            Boolean::Switch(id) => {
                if moment.held_for(literal.what, Asker::Relation) != held {
                    let turned = Reason::new(model, Fact::TurnedByAssignments);
                    reason.under.push(turned);
                }
                let name = &model.switches[id.index()].name;
                reason.under.push(self.when_switched(name));
            }
            Boolean::Schedule(_) | Boolean::Start => {}
        }
        reason
    }

    /// The literals of a condition, as the asker found them.
    pub(crate) fn conjunction(
        &mut self,
        moment: &Moment,
        all: &Conjunction,
        asker: Asker,
        explained: &mut Explained,
    ) -> Vec<Reason> {
        let literals = all.iter();
        literals
            .map(|literal| self.reason(moment, *literal, asker, explained))
            .collect()
    }

    /// The rows of a situation.
    fn situation(
        &mut self,
        moment: &Moment,
        id: SituationId,
        held: bool,
        explained: &mut Explained,
    ) -> Vec<Reason> {
        let model = &moment.model;
        let event = model.situations[id.index()].event;
        let rows = model.situation_rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.situation == id);
        let n_rows = rows.clone().count();
        let is_only = n_rows == 1;
        let mut reasons = Vec::new();
        for (index, row) in rows {
            let holds = |literal: &Literal| moment.holds(literal.what) != literal.negated;
            if held && n_rows > FEW_ROWS && !row.all.iter().all(holds) {
                continue;
            }
            explained.depth += 1;
            let under = self.conjunction(moment, &row.all, Asker::Situation, explained);
            explained.depth -= 1;
            let now = under.iter().all(|reason| reason.holds == Some(true));
            let remembered = moment.decided.found.remembered[index];
            let (arising, now) = if event && !moment.begun && !held {
                (Some(Arising::NotAtStart), false)
            } else if event && moment.decided.stands {
                match (held, now) {
                    (true, true) => (Some(Arising::Arose), true),
                    (true, false) => (Some(Arising::TurnedSince), is_only),
                    (false, _) => (None, false),
                }
            } else {
                match (now, remembered) {
                    (true, Some(true)) => (Some(Arising::HeldBefore), false),
                    (true, Some(false)) => (Some(Arising::DidNotHoldBefore), true),
                    _ => (None, now),
                }
            };
            let fact = Fact::SituationRow {
                row: index,
                arising,
            };
            reasons.push(Reason {
                under,
                ..Reason::of_truth(model, fact, now)
            });
        }
        reasons
    }

    /// The assignment that gave a switch its value, its time, and what it followed from then.
    fn why_switch(&mut self, name: &str) -> Reason {
        let Some((step, index, mut reason)) = self.last_set(name) else {
            return self.never_set();
        };
        let there = self.history.at_step(step);
        let instant = self.moment_before_change(&there);
        let moment = instant.unwrap_or_else(|| self.moment_of(&there));
        let moment = moment.at_last(|decided| decided.found.executed[index]);
        if !moment.decided.stands {
            let all = moment.model.assignments[index].when.clone();
            let asker = Asker::Assignment(index);
            reason.under = self.conjunction(&moment, &all, asker, &mut Explained::default());
        }
        reason
    }

    /// The assignment that gave a switch its value, and its time, in a line.
    fn when_switched(&mut self, name: &str) -> Reason {
        match self.last_set(name) {
            Some((.., reason)) => reason,
            None => self.never_set(),
        }
    }

    fn never_set(&mut self) -> Reason {
        Reason::new(self.run().model(), Fact::NeverSet)
    }

    /// The last assignment of a switch: the step, its position, a reason that says so.
    fn last_set(&mut self, name: &str) -> Option<(u64, usize, Reason)> {
        let mut end = self.history.steps_before();
        loop {
            // What is executed at the start stands before the first step.
            let begin = (end + 1).saturating_sub(STRETCH);
            let mut found: Option<(u64, usize, Reason)> = None;
            self.each_decided((begin, end), &mut |step, model, run| {
                let switch = model.switches.iter().position(|one| one.name == name);
                for (index, row) in model.assignments.iter().enumerate() {
                    let sets = row.set.iter().any(|(one, _)| Some(one.index()) == switch);
                    if sets && run.is_executed(index) {
                        let fact = Fact::SetLast {
                            time: run.time(),
                            assignment: index,
                        };
                        found = Some((step, index, Reason::new(model, fact)));
                    }
                }
            });
            if found.is_some() || begin == 0 {
                return found;
            }
            end = begin - 1;
        }
    }
}

/// The comparisons of a range, and what binds the state to its border.
fn range(moment: &Moment, id: RangeId, held: bool) -> Vec<Reason> {
    let model = &moment.model;
    let range = &model.ranges[id.index()];
    let standing = moment.before.events().filter(|_| moment.decided.stands);
    let bound = standing.and_then(|run| {
        let slides = run.slides_on(id).then_some(Fact::SlidesAlong);
        slides.or_else(|| run.rests_on(id).then_some(Fact::RestsOn))
    });
    let mut reasons: Vec<Reason> = bound
        .map(|fact| Reason::of_truth(model, fact, held))
        .into_iter()
        .collect();
    for comparison in &range.all {
        let left = moment.value(comparison.left);
        let right = moment.value(comparison.right);
        let by_numbers = comparison.op.holds(left, right);
        // On a border the side counts and not the numbers.
        let holds = if range.all.len() == 1 {
            held
        } else {
            by_numbers
        };
        let fact = Fact::Compared {
            comparison: *comparison,
            left,
            right,
            on_border: holds != by_numbers,
        };
        reasons.push(Reason {
            margin: Some(comparison.margin(|expr| moment.value(expr))),
            ..Reason::of_truth(model, fact, holds)
        });
    }
    reasons
}
