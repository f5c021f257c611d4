//! The check: what a table says without its author meaning it.
//!
//! [`check`] turns a [`Model`] into warnings and notes, each with a state of the model that shows
//! it. One file per kind of finding; `logic` is what conditions say of each other, `index` who
//! reads and writes what. Nothing here changes the model or stops a run.
//!
//! A finding is made only where it can be shown: rows *can* act together or leave a gap if a state
//! with numbers was found for it, a condition *cannot* hold if no state at all allows it. Questions
//! that would take more than their share of the [`Budget`] are left open, and one note says which.
//! Everything else takes time in proportion to the table.

mod accumulate;
mod assignments;
mod budget;
mod conflicts;
mod index;
mod logic;
mod loops;
mod order;
mod redundant;
mod shadowed;
mod stale;
mod text;
mod unreachable;
mod unused;

#[cfg(test)]
mod tests;

use situ_engine::ids::{Origin, RealId, RelationId};
use situ_engine::model::{Boolean, Guard, Literal, Model, Relation, Scan, StartValues};

pub use budget::Budget;

use crate::diag::{Diagnostic, Severity};
use crate::source::Span;
use budget::{OverBudget, Work};
use index::Index;
use logic::conditions::Conditions;

/// So many findings of one code are reported; the last of them says how many more there are.
const MAX_PER_CODE: usize = 20;
/// So many rows are labelled in one finding.
const MAX_LABELS: usize = 5;

/// Checks a model.
///
/// `place` says where a row was written. The findings come in the order of the table, warnings and
/// notes mixed; none of them is an error.
pub fn check(
    model: &Model,
    place: &dyn Fn(Origin) -> Option<Span>,
    budget: Budget,
) -> Vec<Diagnostic> {
    let start = model.start_values().ok();
    let index = Index::new(model, start.as_ref());
    let mut work = Work::new(budget);
    let conditions = Conditions::new(model, start.as_ref(), &index, &mut work);
    let mut context = Context {
        model,
        start: start.as_ref(),
        index: &index,
        conditions: &conditions,
        place,
        work,
        scan: model.clock.scan.unwrap_or_default(),
        found: Vec::new(),
        left_open: Vec::new(),
    };
    unused::check(&mut context);
    unreachable::check(&mut context);
    redundant::check(&mut context);
    assignments::check(&mut context);
    let mut settled = vec![false; model.relations.len()];
    for real in (0..model.reals.len()).map(RealId::new) {
        shadowed::check(&mut context, real, &mut settled);
        conflicts::check(&mut context, real, &settled);
        accumulate::check(&mut context, real);
        stale::check(&mut context, real);
    }
    let in_loop = loops::check(&mut context);
    order::check(&mut context, &in_loop);
    context.finish()
}

/// What all checks share.
struct Context<'a> {
    model: &'a Model,
    start: Option<&'a StartValues>,
    index: &'a Index,
    conditions: &'a Conditions<'a>,
    place: &'a dyn Fn(Origin) -> Option<Span>,
    work: Work,
    scan: Scan,
    found: Vec<Diagnostic>,
    /// Questions that were given up: what was asked, and about what.
    left_open: Vec<(&'static str, String)>,
}

impl<'a> Context<'a> {
    fn relation(&self, id: RelationId) -> &'a Relation {
        &self.model.relations[id.index()]
    }

    fn real_name(&self, id: RealId) -> &'a str {
        &self.model.reals[id.index()].name
    }

    /// How a relation is called in messages: its id.
    fn row_id(&self, id: RelationId) -> String {
        let row = &self.relation(id).id;
        if row.is_empty() {
            (id.index() + 1).to_string()
        } else {
            row.clone()
        }
    }

    /// "row `3`", "rows `3` and `4`".
    fn rows(&self, ids: &[RelationId]) -> String {
        let names: Vec<String> = ids.iter().map(|id| self.row_id(*id)).collect();
        let rows = if ids.len() == 1 { "row" } else { "rows" };
        format!("{rows} {}", text::names(&names))
    }

    /// The relations of the real that have a `when`.
    fn conditional(&self, real: RealId) -> impl Iterator<Item = RelationId> + use<'a> {
        let model = self.model;
        self.index
            .writers
            .of(real.index())
            .iter()
            .copied()
            .filter(move |id| matches!(model.relations[id.index()].guard, Guard::When(_)))
    }

    /// The literals that decide when a relation is active: its own, or for `otherwise` those of
    /// the other relations of its real.
    fn deciding(&self, id: RelationId) -> Vec<&'a [Literal]> {
        let relation = self.relation(id);
        match index::condition(relation) {
            Some(literals) => vec![literals],
            None => self
                .conditional(relation.targets[0])
                .filter_map(|other| index::condition(self.relation(other)))
                .collect(),
        }
    }

    /// Every boolean that the conditions of the relations name.
    fn booleans(&self, ids: &[RelationId]) -> Vec<Boolean> {
        let deciding = ids.iter().flat_map(|id| self.deciding(*id));
        deciding.flatten().map(|literal| literal.what).collect()
    }

    /// Whether the relation acts for an instant only.
    fn is_instant(&self, id: RelationId) -> bool {
        let relation = self.relation(id);
        relation.once
            || index::condition(relation).is_some_and(|all| self.conditions.is_instant(all))
    }

    /// Remembers that a question was given up.
    fn leave_open(&mut self, question: &'static str, about: impl Into<String>) {
        self.left_open.push((question, about.into()));
    }

    /// Answers a question, or remembers that it was given up.
    fn ask<T>(
        &mut self,
        question: &'static str,
        about: impl FnOnce() -> String,
        answer: impl FnOnce(&mut Self) -> Result<T, OverBudget>,
    ) -> Option<T> {
        self.work.begin();
        match answer(self) {
            Ok(answer) => Some(answer),
            Err(OverBudget) => {
                self.leave_open(question, about());
                None
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Puts the primary label on a row, if it has a place.
    fn at(&self, diagnostic: Diagnostic, origin: Origin, text: impl Into<String>) -> Diagnostic {
        match (self.place)(origin) {
            Some(span) => diagnostic.at(span, text),
            None => diagnostic,
        }
    }

    /// Puts another label on a row, if it has a place and there are not too many.
    fn also(&self, diagnostic: Diagnostic, origin: Origin, text: impl Into<String>) -> Diagnostic {
        match (self.place)(origin) {
            Some(span) if diagnostic.secondary.len() < MAX_LABELS => diagnostic.also(span, text),
            _ => diagnostic,
        }
    }

    /// The findings in the order of the table, not too many of one code, and what was left open.
    fn finish(mut self) -> Vec<Diagnostic> {
        let place = |diagnostic: &Diagnostic| {
            diagnostic
                .primary
                .as_ref()
                .map(|label| (label.span.source, label.span.start))
        };
        self.found.sort_by_key(place);
        let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        let mut shown: Vec<Diagnostic> = Vec::new();
        let mut last: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        for diagnostic in self.found {
            let count = counts.entry(diagnostic.code).or_default();
            *count += 1;
            if *count <= MAX_PER_CODE {
                last.insert(diagnostic.code, shown.len());
                shown.push(diagnostic);
            }
        }
        for (code, at) in last {
            let more = counts[code].saturating_sub(MAX_PER_CODE);
            if more > 0 {
                shown[at]
                    .notes
                    .push(format!("{more} more findings of this kind"));
            }
        }
        if !self.left_open.is_empty() {
            shown.push(not_analysed(self.left_open));
        }
        shown
    }
}

/// The note on questions that were given up.
fn not_analysed(mut left_open: Vec<(&'static str, String)>) -> Diagnostic {
    left_open.sort_by_key(|(question, _)| *question);
    let questions = if left_open.len() == 1 {
        "question"
    } else {
        "questions"
    };
    let mut note = Diagnostic::new(
        "C090",
        Severity::Note,
        format!(
            "the check left {} {questions} open that would have taken long",
            left_open.len()
        ),
    );
    for group in left_open.chunk_by(|a, b| a.0 == b.0) {
        let about: Vec<&str> = group.iter().map(|(_, about)| about.as_str()).collect();
        note = note.with_note(format!("{}: {}", group[0].0, text::names(&about)));
    }
    note
}
