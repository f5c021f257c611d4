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

mod activity;
mod arguments;
mod assignments;
mod begins;
mod budget;
mod clock;
mod conserved;
mod constraints;
mod dependencies;
mod index;
mod logic;
mod machines;
mod redundant;
mod text;
mod units;
mod unreachable;
mod unused;
mod writers;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use situ_engine::ids::{ExprId, Origin, RealId, RelationId};
use situ_engine::model::{Literal, Model, Relation, Scan, StartValues};
use situ_engine::procedure::Effect;

pub use begins::begins;
pub use budget::Budget;
pub(crate) use units::unit_factors;
pub use units::unit_mismatches;

use crate::diag::{Diagnostic, Severity, once_for_each_place};
use crate::resolve::{Expectation, Lab, Reading};
use crate::source::Origins;
use budget::{OverBudget, Work};
use dependencies::{consequence, lag, loops, order};
use index::Index;
use logic::conditions::Conditions;
use logic::state::State;
use situ_words::{Phrase, say};
use writers::{accumulate, conflicts, shadowed, stale};

/// Code of the note on what the budget did not allow.
pub const LEFT_OPEN: &str = "C090";

/// So many findings of one code are reported; the last of them says how many more there are.
const MAX_PER_CODE: usize = 20;
/// So many rows are labelled in one finding.
const MAX_LABELS: usize = 5;

/// Checks a model.
///
/// `origins` says where rows were written; a model built from Rust has none. The findings come in
/// the order of the table, warnings and notes mixed; none of them is an error. The last may be a note
/// with the code [`LEFT_OPEN`].
///
/// ```
/// use situ_rules::check::{Budget, check};
/// let text = r#"(format: 1,
///     reals: {"v": 0, "h": 4},
///     ranges: ["down: v < 0", "up: v > 0"],
///     relations: ["v = integral(-9.81)", "h = integral(v) when down & up"],
/// )"#;
/// let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
/// let model = loaded.model.expect("the table has no mistakes");
/// let found = check(&model, &loaded.origins, Budget::default());
/// assert_eq!(found[0].message, "row `2` never acts");
/// assert_eq!(found[0].notes, ["`down` and `up` exclude each other"]);
/// ```
pub fn check(model: &Model, origins: &Origins, budget: Budget) -> Vec<Diagnostic> {
    check_with(model, origins, Watchers::default(), budget)
}

/// What a table says of its runs, which changes nothing in them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Watchers<'a> {
    /// What runs must come to.
    pub expectations: &'a [Expectation],
    /// The exercise.
    pub lab: Option<&'a Lab>,
    /// Measures that were asked for besides.
    pub readings: &'a [Reading<'a>],
}

/// Checks a model and what its table says of runs; else as [`check`].
pub fn check_with(
    model: &Model,
    origins: &Origins,
    watchers: Watchers<'_>,
    budget: Budget,
) -> Vec<Diagnostic> {
    let n_rows = model.ranges.len()
        + model.situation_rows.len()
        + model.assignments.len()
        + model.relations.len();
    if n_rows > budget.rows {
        let message = say!("check-check", n_rows);
        let limit = say!("check-check.most-brief-check", rows = budget.rows);
        return vec![Diagnostic::new(LEFT_OPEN, Severity::Note, message).with_note(limit)];
    }
    let start = model.start_values().ok();
    let index = Index::new(model, start.as_ref(), watchers.expectations);
    let mut work = Work::new(budget);
    let conditions = Conditions::new(model, start.as_ref(), &index, &mut work);
    let mut context = Context {
        model,
        start: start.as_ref(),
        index: &index,
        conditions: &conditions,
        origins,
        watchers,
        work,
        scan: model.clock.scan.unwrap_or_default(),
        rows: Vec::new(),
        found: Vec::new(),
        counts: BTreeMap::new(),
        left_open: BTreeMap::new(),
    };
    context.rows = model
        .relations
        .iter()
        .map(|relation| RowKind::of(relation, &conditions))
        .collect();
    unused::check(&mut context);
    clock::check(&mut context);
    conserved::check(&mut context);
    constraints::check(&mut context);
    machines::check(&mut context);
    arguments::check(&mut context);
    units::check(&mut context);
    unreachable::check(&mut context);
    redundant::check(&mut context);
    assignments::check(&mut context);
    // Rows of which the worst is said already.
    let mut settled = vec![false; model.relations.len()];
    for real in (0..model.reals.len()).map(RealId::new) {
        shadowed::check(&mut context, real, &mut settled);
        accumulate::check(&mut context, real, &mut settled);
        conflicts::check(&mut context, real, &settled);
        stale::check(&mut context, real);
    }
    let reading = loops::check(&mut context);
    let told = order::check(&mut context, &reading);
    lag::check(&mut context, &reading, &told);
    consequence::check(&mut context);
    context.finish()
}

/// The value of an expression of numbers and constants.
fn constant_value(model: &Model, start: Option<&StartValues>, root: ExprId) -> Option<f64> {
    let start = start.filter(|_| model.exprs.is_constant(root))?;
    let value = model.evaluate(root, start);
    value.is_finite().then_some(value)
}

/// Context that all checks share.
struct Context<'a> {
    model: &'a Model,
    start: Option<&'a StartValues>,
    index: &'a Index,
    conditions: &'a Conditions<'a>,
    origins: &'a Origins,
    /// What the table says of runs.
    watchers: Watchers<'a>,
    work: Work,
    scan: Scan,
    /// Facts about relations that are needed again and again, one entry each.
    rows: Vec<RowKind>,
    found: Vec<Diagnostic>,
    /// Findings by code, those that are not kept included.
    counts: BTreeMap<&'static str, usize>,
    /// Questions that were given up: how often, and about what the first times.
    left_open: BTreeMap<Phrase, (usize, Vec<String>)>,
}

/// Kind of row that a relation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RowKind {
    effect: Effect,
    /// Active in every tick, by its form.
    always: bool,
    /// Acts for an instant only.
    instant: bool,
}

impl RowKind {
    fn of(relation: &Relation, conditions: &Conditions<'_>) -> Self {
        let condition = index::condition(relation);
        Self {
            effect: relation.procedure.get().effect(),
            always: condition.is_some_and(<[Literal]>::is_empty),
            instant: relation.once || condition.is_some_and(|all| conditions.is_instant(all)),
        }
    }

    /// Computes its value afresh from what it reads, as long as it is active.
    fn is_computed(self) -> bool {
        self.effect == Effect::Assigns && !self.instant
    }
}

impl<'a> Context<'a> {
    fn relation(&self, id: RelationId) -> &'a Relation {
        &self.model.relations[id.index()]
    }

    fn real_name(&self, id: RealId) -> &'a str {
        &self.model.reals[id.index()].name
    }

    /// Id of a relation, as messages give it.
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
        say!("check-rows", n = ids.len(), names = text::names(&names))
    }

    fn kind(&self, id: RelationId) -> RowKind {
        self.rows[id.index()]
    }

    /// Remembers that a question was given up.
    fn leave_open(&mut self, question: Phrase, about: impl FnOnce() -> String) {
        let (count, names) = self.left_open.entry(question).or_default();
        *count += 1;
        if names.len() < text::MAX_NAMES {
            names.push(about());
        }
    }

    /// Answers a question, or remembers that it was given up.
    fn ask<T>(
        &mut self,
        question: Phrase,
        about: impl FnOnce() -> String,
        answer: impl FnOnce(&mut Self) -> Result<T, OverBudget>,
    ) -> Option<T> {
        let answer = if self.work.begin() {
            answer(self)
        } else {
            Err(OverBudget)
        };
        if answer.is_err() {
            self.leave_open(question, about);
        }
        answer.ok()
    }

    /// Keeps a finding, unless there are enough of its code.
    fn report(&mut self, code: &'static str, finding: impl FnOnce(&Self) -> Diagnostic) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= MAX_PER_CODE {
            let finding = finding(self);
            debug_assert_eq!(finding.code, code);
            self.found.push(finding);
        }
    }

    /// Puts the primary label on a row, if it has a place.
    fn at(&self, diagnostic: Diagnostic, origin: Origin, text: impl Into<String>) -> Diagnostic {
        match self.origins.get(origin) {
            Some(span) => diagnostic.at(span, text),
            None => diagnostic,
        }
    }

    /// Puts another label on a row, if it has a place and there are not too many.
    fn also(&self, diagnostic: Diagnostic, origin: Origin, text: impl Into<String>) -> Diagnostic {
        match self.origins.get(origin) {
            Some(span) if diagnostic.secondary.len() < MAX_LABELS => diagnostic.also(span, text),
            _ => diagnostic,
        }
    }

    /// Adds a state that shows the finding, unless any state does.
    fn shown(&self, diagnostic: Diagnostic, state: &State) -> Diagnostic {
        let shown = state.describe(self.model);
        if shown.is_empty() {
            diagnostic
        } else {
            diagnostic.with_note(say!("check-shown.note", shown))
        }
    }

    /// The findings in the order of the table, and what was left open.
    fn finish(mut self) -> Vec<Diagnostic> {
        let shared = self.origins.shared();
        once_for_each_place(&mut self.found, |span| shared.contains(&span));
        self.found.sort_by_key(|diagnostic| {
            let label = diagnostic.primary.as_ref();
            label.map(|label| (label.span.source, label.span.start))
        });
        for (code, count) in self.counts {
            let more = count.saturating_sub(MAX_PER_CODE);
            let last = self
                .found
                .iter_mut()
                .rev()
                .find(|finding| finding.code == code);
            if let (Some(last), 1..) = (last, more) {
                last.notes.push(say!("report-more", n = more));
            }
        }
        self.found.extend(not_analysed(&self.left_open));
        self.found
    }
}

/// The note on questions that were given up, if there are any.
fn not_analysed(left_open: &BTreeMap<Phrase, (usize, Vec<String>)>) -> Option<Diagnostic> {
    let count: usize = left_open.values().map(|(count, _)| count).sum();
    if count == 0 {
        return None;
    }
    let message = say!("check-not-analysed", n = count);
    let mut note = Diagnostic::new(LEFT_OPEN, Severity::Note, message);
    for (question, (count, names)) in left_open {
        note = note.with_note(format!("{question}: {}", text::some_names(names, *count)));
    }
    Some(note)
}
