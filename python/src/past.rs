//! The past of a run that is over: it is run again, step by step, and asked why.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use situ_engine::model::{Expr, Input, Model, Named, Setting};
use situ_explain::{At, History, Past as Asked, ProgressSink, Segments};
use situ_rules::diag::setup_error;
use situ_views::explanation;

use crate::error::{Refusal, Reports, working};
use crate::interrupt::Watch;
use crate::setup::Ready;

/// Ticks that are done between two looks at Ctrl-C.
const STRETCH: u64 = 4096;

/// A run with its past.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Past(Mutex<Line>);

#[derive(Debug)]
struct Line {
    segments: Segments,
    history: History,
    names: std::sync::Arc<Model>,
}

impl Past {
    /// Runs again until a time.
    ///
    /// # Errors
    ///
    /// It cannot begin; Ctrl-C.
    pub(crate) fn of(ready: &Ready, given: &[(Input, f64)], until: f64) -> Result<Self, Refusal> {
        let mut model = (*ready.model).clone();
        for &(input, value) in given {
            let number = model.exprs.push(Expr::Number(value));
            let setting = match input {
                Input::Constant(id) => Setting::Constant(id, number),
                Input::Real(id) => Setting::Real(id, number),
                Input::Switch(id) => Setting::Switch(id, value != 0.0),
            };
            model.apply(&[setting]);
        }
        let model = std::sync::Arc::new(model);
        let mut segments = Segments::default();
        let begun = segments.begin(&model, ready.template.config(), (), "the start values");
        let mut history = begun.map_err(|error| {
            let report = setup_error(&error, &model, &ready.origins);
            Refusal::Run(Reports::new(&[report], &ready.sources))
        })?;
        let mut watch = Watch::begin();
        loop {
            let place = history.place();
            let run = segments.at(place.0, place.1);
            let (time, is_ticking) = (run.time(), run.tick_length());
            if time >= until || run.stopped() {
                break;
            }
            let (at, outcome) = match is_ticking {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of ticks above zero; the cast saturates"
                )]
                Some(length) => {
                    let ticks = ((until - time) / length).ceil().max(1.0) as u64;
                    segments.advance(place, ticks.min(STRETCH))
                }
                // What lies behind the end of the run is nobody's affair, and may take for ever.
                None => segments.advance_to(place, until),
            };
            history.forward_to(at);
            if at == place.1 || outcome.is_err() {
                break;
            }
            if watch.poll(0, 0).is_break() {
                let stopped = || Refusal::Value("interrupted".to_owned());
                return Err(watch.raised.take().map_or_else(stopped, Refusal::Python));
            }
        }
        let mut line = Line {
            segments,
            history,
            names: model,
        };
        line.history = line.seen_from(until);
        Ok(Self(Mutex::new(line)))
    }
}

impl Line {
    /// The place of a time.
    fn seen_from(&mut self, time: f64) -> History {
        let piece = self.history.pieces()[0];
        let begin = self.segments.start_time(piece.segment);
        let length = self.segments.tick_length(piece.segment);
        let at = match length {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number that is not negative; the cast saturates"
            )]
            Some(length) => {
                let ticks = ((time - begin) / length + 1e-6).floor().max(0.0) as u64;
                At::step(ticks.min(piece.end.step))
            }
            None => self.segments.find(piece.segment, piece.end, time),
        };
        self.history.at_place(0, at)
    }
}

#[pymethods]
impl Past {
    /// Why a value is what it is, or why a boolean does not hold, at a time: a text and JSON.
    fn why(
        &self,
        py: Python<'_>,
        name: &str,
        at: f64,
        negated: bool,
    ) -> PyResult<(String, String)> {
        let answer = working(py, || {
            let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let model = std::sync::Arc::clone(&line.names);
            let subject = model.find(name).ok_or_else(|| {
                let names = model.named_booleans().map(|(name, _)| name);
                let names = names.chain(model.reals.iter().map(|real| &*real.name));
                let near = situ_rules::diag::nearest(name, names);
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                Refusal::Name(format!("the model has no `{name}`{near}"))
            })?;
            let history = line.seen_from(at);
            let mut watch = Watch::begin();
            let mut past = Asked::new(&mut line.segments, &history);
            let reason = match subject {
                Named::Boolean(what) if negated => past.why_not(what, &mut watch),
                Named::Boolean(what) => Ok(past.why_boolean(what)),
                Named::Real(_) | Named::Constant(_) if negated => {
                    return Err(Refusal::Value(format!("`{name}` is no boolean")));
                }
                Named::Real(id) => past.why_real(id, &mut watch),
                Named::Constant(_) => {
                    return Err(Refusal::Value(format!("`{name}` is a constant")));
                }
            };
            if let Some((_, fault)) = line.segments.take_failure() {
                return Err(Refusal::Value(fault.to_string()));
            }
            match (reason, watch.raised) {
                (_, Some(raised)) => Err(Refusal::Python(raised)),
                (Ok(reason), None) => Ok((
                    explanation::text(&reason),
                    explanation::data(&reason).to_string(),
                )),
                (Err(stopped), None) => Err(Refusal::Value(stopped.to_string())),
            }
        });
        Ok(answer??)
    }
}
