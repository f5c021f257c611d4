//! Texts read off the rows of a run: values of expressions and truths of conditions.
//!
//! ```text
//! "mean(u[j] for j)" --bound to a copy of the model--> rows behind its own --row of the run--> value
//! ```
//!
//! The run knows nothing of them: its steps are the same whatever is read.

use std::borrow::Cow;
use std::sync::Arc;

use situ_engine::ids::{ExprId, RealId};
use situ_engine::model::{
    Argument, Boolean, Guard, Literal, Model, Quantity, WatchLiteral, watch_holds,
};
use situ_engine::trace::Row;
use situ_rules::source::Origins;
use situ_rules::{Diagnostic, SourceMap, resolve};

/// Expressions that are columns of a run.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The model of the run.
    own: Arc<Model>,
    /// The same with a real for each text behind it.
    model: Arc<Model>,
    ids: Vec<RealId>,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.quantities().eq(other.quantities())
    }
}

impl Texts {
    /// Binds texts to a copy of a model.
    ///
    /// Shapes: `shown_as`, the name under which a text is shown in reports.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the texts.
    pub fn new<'t>(
        own: &Arc<Model>,
        origins: &Origins,
        sources: &mut SourceMap,
        shown_as: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut model, mut origins) = ((**own).clone(), origins.clone());
        let (mut ids, mut wrong) = (Vec::new(), Vec::new());
        for text in texts {
            match resolve::column(&mut model, &mut origins, sources, shown_as, text) {
                Ok(id) => ids.push(id),
                Err(reports) => wrong.extend(reports),
            }
        }
        match wrong.is_empty() {
            true => Ok(Self {
                own: Arc::clone(own),
                model: Arc::new(model),
                ids,
            }),
            false => Err(wrong),
        }
    }

    /// The texts as quantities.
    pub fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.ids.iter().map(|id| &self.model.reals[id.index()])
    }

    /// Their values in a row.
    pub(super) fn values(&self, row: &Row<'_>) -> Vec<f64> {
        let values = Values::of(&self.own, &self.model, *row);
        self.ids.iter().map(|id| values.reals[id.index()]).collect()
    }
}

/// What texts come to in a row.
#[derive(Debug)]
pub struct Values<'r> {
    /// The model of the run.
    own: &'r Model,
    /// The same with what texts have added behind it.
    model: &'r Model,
    row: Row<'r>,
    /// The reals of both.
    reals: Cow<'r, [f64]>,
    /// Per schedule of both whether it is due, as far as that is known.
    due: Vec<bool>,
}

impl<'r> Values<'r> {
    /// Computes the rows that texts have added.
    ///
    /// Shapes: `model` is `own` with rows behind those of `own`; `row`, a row of a run of `own`.
    pub fn of(own: &'r Model, model: &'r Model, row: Row<'r>) -> Self {
        let reals = Cow::Borrowed(row.reals);
        let mut values = Self {
            own,
            model,
            row,
            reals,
            due: Vec::new(),
        };
        let mut given = Vec::new();
        // Also those that texts have added to the model of the run, which it computes for its measures only.
        for relation in &model.relations[own.first_observed()..] {
            let target = relation.targets[0];
            let is_active = match &relation.guard {
                Guard::Always => true,
                Guard::When(all) => all.iter().all(|literal| values.literal(*literal)),
                Guard::Otherwise => !given.contains(&target),
            };
            if let (true, Argument::Real(expr)) = (is_active, &relation.args[0]) {
                let value = values.value(*expr);
                let reals = values.reals.to_mut();
                reals.resize(model.reals.len(), 0.0);
                reals[target.index()] = value;
                given.push(target);
            }
        }
        values
    }

    /// The same where schedules are due.
    pub fn with_due(self, due: Vec<bool>) -> Self {
        Self { due, ..self }
    }

    /// The value of an expression.
    pub fn value(&self, expr: ExprId) -> f64 {
        let (reals, constants) = (&self.reals, self.row.constants);
        self.model.value_at(expr, reals, constants, self.row.time)
    }

    /// True if a condition holds.
    pub fn holds(&self, watch: &[WatchLiteral]) -> bool {
        watch_holds(watch, &|literal| self.literal(literal), &|expr| {
            self.value(expr)
        })
    }

    fn literal(&self, literal: Literal) -> bool {
        let holds = match literal.what {
            Boolean::Range(id) if self.model.ranges[id.index()].anonymous => {
                let mut all = self.model.ranges[id.index()].all.iter();
                all.all(|one| one.op.holds(self.value(one.left), self.value(one.right)))
            }
            Boolean::Situation(id) if self.model.situations[id.index()].observed => {
                let mut rows = self.model.situation_rows.iter();
                rows.any(|row| {
                    row.situation == id && row.all.iter().all(|literal| self.literal(*literal))
                })
            }
            Boolean::Schedule(id) => self.due.get(id.index()).is_some_and(|due| *due),
            what => self.row.boolean(self.own, what),
        };
        holds != literal.negated
    }
}
