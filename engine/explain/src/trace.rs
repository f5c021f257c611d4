//! Spans of the past: of a real by the rows that wrote it, of a boolean by its truth.

use std::ops::ControlFlow;

use situ_engine::model::Named;

use crate::stepper::Stepper;
use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// How a value stood over a span.
#[derive(Clone, PartialEq, Debug)]
pub enum Stood {
    /// Rows with these ids wrote it; none: it was held.
    WrittenBy(Vec<String>),
    /// A constant had this value.
    Constant(f64),
    /// A boolean held or not.
    Truth(bool),
}

impl Stood {
    fn is_held(&self) -> bool {
        matches!(self, Self::WrittenBy(rows) if rows.is_empty())
    }
}

/// A span in which one row wrote a value, or a boolean stood.
#[derive(Clone, PartialEq, Debug)]
pub struct Span {
    /// Its begin [units of `time`].
    pub from: f64,
    /// Its end [units of `time`].
    pub to: f64,
    /// How the value stood.
    pub what: Stood,
    /// Nothing has written it since.
    held: bool,
    /// A row goes on writing it, up to where the next step ends.
    goes_on: bool,
    /// The value at its begin; of a boolean 0 or 1.
    pub first: f64,
    /// The value at its end.
    pub last: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

impl Span {
    /// Lasts up to a time with its value.
    fn take(&mut self, at: f64, value: f64) {
        self.to = at;
        self.last = value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }
}

impl<T> Past<'_, T> {
    /// Spans of a value's past: of a real by the row that wrote it, of a boolean by its truth.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn trace(
        &mut self,
        name: &str,
        progress: &mut dyn ProgressSink,
    ) -> Result<Vec<Span>, Interrupted> {
        let history = self.history.clone();
        let to = history.steps_before();
        let mut spans: Vec<Span> = Vec::new();
        let mut begin = 0;
        while begin <= to {
            let end = (begin + STRETCH).min(to);
            self.segments.walk(&history, begin, end, &mut |_, run| {
                let Some((what, value)) = standing_of(run, name) else {
                    return ControlFlow::Continue(());
                };
                let (at, jumped) = (run.time(), was_written_at_an_instant(run, name));
                let holds_still =
                    |span: &Span| what.is_held() && span.last.to_bits() == value.to_bits();
                let goes_on = goes_on(run, name);
                match spans.last_mut() {
                    Some(span)
                        if !jumped && (span.what == what && !span.held || holds_still(span)) =>
                    {
                        (span.held, span.goes_on) = (holds_still(span), goes_on);
                        span.take(at, value);
                    }
                    last => {
                        // What a row has left stands where the row ends.
                        if let Some(span) = last.filter(|span| span.goes_on)
                            && what.is_held()
                            && !jumped
                        {
                            span.take(at, value);
                        }
                        spans.push(Span {
                            from: at,
                            to: at,
                            what,
                            held: false,
                            goes_on,
                            first: value,
                            last: value,
                            least: value,
                            most: value,
                        });
                    }
                }
                ControlFlow::Continue(())
            });
            begin = end + 1;
            look(progress, begin, to)?;
        }
        Ok(spans)
    }
}

/// True if an event row wrote the real in the last step of an event-accurate run.
fn was_written_at_an_instant(run: &Stepper, name: &str) -> bool {
    let reals = &run.model().reals;
    let deeds = run.events().into_iter().flat_map(|run| run.step_effects());
    deeds
        .into_iter()
        .any(|deed| reals[deed.real.index()].name == name)
}

/// True if a row writes the real along the motion of an event-accurate run.
fn goes_on(run: &Stepper, name: &str) -> bool {
    let (Some(events), Some(Named::Real(id))) = (run.events(), run.model().find(name)) else {
        return false;
    };
    let mut writers = run.model().writers(id);
    writers.any(|writer| events.share(writer) > 0.0)
}

/// How what a name stands for stands, and its value; a truth is 0 or 1.
fn standing_of(run: &Stepper, name: &str) -> Option<(Stood, f64)> {
    let (model, row) = (run.model(), run.row());
    Some(match model.find(name)? {
        Named::Real(id) => {
            let writers = model.writers(id).filter(|id| run.is_active(*id));
            let ids = writers.map(|id| model.relations[id.index()].id.clone());
            (Stood::WrittenBy(ids.collect()), row.real(id))
        }
        Named::Constant(id) => {
            let value = row.constants[id.index()];
            (Stood::Constant(value), value)
        }
        Named::Boolean(what) => {
            let held = row.boolean(model, what);
            (Stood::Truth(held), f64::from(u8::from(held)))
        }
    })
}
