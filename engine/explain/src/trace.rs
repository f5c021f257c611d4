//! Spans of the past: of a real by the rows that wrote it, of a boolean by its truth.

use std::collections::HashMap;
use std::ops::ControlFlow;

use situ_engine::ids::RealId;
use situ_engine::model::{Model, Named};

use crate::inside;
use crate::stepper::Stepper;
use crate::{At, Interrupted, Past, ProgressSink, STRETCH, SegmentId, look};

/// A real that changes by a smaller part of its span's values at the end of a step does not jump there.
const NEAR: f64 = 1e-6;

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
    /// A value over a time.
    fn of(what: Stood, (from, to): (f64, f64), value: f64) -> Self {
        Self {
            from,
            to,
            what,
            held: false,
            goes_on: false,
            first: value,
            last: value,
            least: value,
            most: value,
        }
    }

    /// Takes in values that a real has inside a step, up to its end. `behind`: the value behind that, if the span ends there.
    fn take_inside(&mut self, step: &Inside, end: f64, behind: Option<f64>) {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut run = step.begin.clone();
        for at in inside::points(run.time(), end) {
            if run.advance_to(at).unwrap_or(false) {
                points.push((at, run.row().real(step.real)));
            }
        }
        let peaks = points.windows(3).filter_map(|three| {
            let [before, peak, after] = [three[0], three[1], three[2]];
            let is_new = peak.1 <= self.least || peak.1 >= self.most;
            let at = inside::vertex([before, peak, after]).filter(|_| is_new)?;
            let mut run = step.begin.clone();
            let stands = run.advance_to(at).unwrap_or(false);
            stands.then(|| run.row().real(step.real))
        });
        let peaks: Vec<f64> = peaks.collect();
        let values = points.iter().map(|(_, value)| *value);
        for value in values.chain(peaks) {
            self.least = self.least.min(value);
            self.most = self.most.max(value);
        }
        if let (Some((_, last)), Some(behind)) = (points.last(), behind) {
            let goes_over = (behind - last).abs() <= NEAR * (self.most - self.least);
            self.take(end, if goes_over { behind } else { *last });
        }
    }

    /// Lasts up to a time with its value.
    fn take(&mut self, at: f64, value: f64) {
        self.to = at;
        self.last = value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }
}

/// A step of the method, at its beginning, and a real that a row writes along it.
struct Inside {
    begin: Stepper,
    real: RealId,
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
        let edited = self.edited(name);
        let mut segment = None;
        let mut spans: Vec<Span> = Vec::new();
        let mut step: Option<Inside> = None;
        let mut begin = 0;
        while begin <= to {
            let end = (begin + STRETCH).min(to);
            self.segments
                .walk_with_instants(&history, begin, end, &mut |here, model, run| {
                    let enters = segment.replace(here) != Some(here);
                    let Some(named) = model.find(name) else {
                        return ControlFlow::Continue(());
                    };
                    let edited = edited.get(&here).filter(|_| enters);
                    let (mut what, value) = standing_of(run, named);
                    // A tick run that begins anew has not written anything yet.
                    if let (Stood::WrittenBy(rows), Some(span)) = (&mut what, spans.last())
                        && (enters && run.ticks().is_some())
                    {
                        *rows = match &span.what {
                            Stood::WrittenBy(before) if !span.held => before.clone(),
                            _ => Vec::new(),
                        };
                    }
                    let at = run.time();
                    let fires = is_event(model, named) && what == Stood::Truth(true);
                    let jumped = fires || edited.is_some() || was_written_at_an_instant(run, named);
                    let holds_still =
                        |span: &Span| what.is_held() && span.last.to_bits() == value.to_bits();
                    let along = written_along(run, named);
                    let goes_on = !along.is_empty();
                    let before = step.take();
                    if let (true, Named::Real(real)) = (goes_on, named) {
                        let begin = run.clone();
                        step = Some(Inside { begin, real });
                    }
                    match spans.last_mut() {
                        Some(span)
                            if !jumped
                                && (span.what == what && !span.held || holds_still(span)) =>
                        {
                            if let Some(before) = before {
                                span.take_inside(&before, at, None);
                            }
                            (span.held, span.goes_on) = (holds_still(span), goes_on);
                            span.take(at, value);
                        }
                        last => {
                            let mut from = at;
                            if let Some(span) = last {
                                if let Some(before) = before {
                                    span.take_inside(&before, at, Some(value));
                                }
                                // What a row has left stands where the row ends.
                                if span.goes_on && what.is_held() && !jumped {
                                    span.take(at, value);
                                }
                                // What is held stands until it is written.
                                if span.what.is_held() && run.events().is_some() {
                                    span.to = at;
                                }
                                if let Some(until) = edited {
                                    span.take(at, *until);
                                }
                                // In an event-accurate run a boolean lasts up to where it turns; an event has no
                                // length.
                                let lasts =
                                    run.events().is_some() && matches!(what, Stood::Truth(_));
                                if lasts
                                    && is_event(model, named)
                                    && span.what == Stood::Truth(true)
                                {
                                    from = span.to;
                                } else if lasts {
                                    span.to = at;
                                }
                            }
                            if fires && from < at {
                                spans.push(Span::of(Stood::Truth(false), (from, at), 0.0));
                                from = at;
                            }
                            // What event rows have given stands in its instant only, if others go on from there.
                            if let Stood::WrittenBy(rows) = &mut what
                                && goes_on
                                && was_written_at_an_instant(run, named)
                            {
                                rows.retain(|id| !along.contains(id));
                                spans.push(Span::of(what, (from, at), value));
                                what = Stood::WrittenBy(along);
                            }
                            let span = Span::of(what, (from, at), value);
                            spans.push(Span { goes_on, ..span });
                        }
                    }
                    ControlFlow::Continue(())
                });
            begin = end + 1;
            look(progress, begin, to)?;
        }
        Ok(spans)
    }

    /// Per segment that began with an edit of a value the value before it.
    fn edited(&mut self, name: &str) -> HashMap<SegmentId, f64> {
        let history = self.history.clone();
        let mut edited = HashMap::new();
        for piece in 1..=history.piece() {
            let [before, after] = [piece - 1, piece].map(|piece| history.pieces()[piece]);
            let ends = [
                (piece - 1, before.segment, before.end),
                (piece, after.segment, At::default()),
            ];
            let [before, now] = ends.map(|(piece, segment, at)| {
                let model = self.segments.named(&history, (piece, history.piece()));
                let named = model.find(name)?;
                Some(standing_of(self.segments.at(segment, at), named).1)
            });
            if let (Some(before), Some(now)) = (before, now)
                && before.to_bits() != now.to_bits()
            {
                edited.insert(after.segment, before);
            }
        }
        edited
    }
}

/// True if an event row wrote the real in the last step of an event-accurate run.
fn was_written_at_an_instant(run: &Stepper, what: Named) -> bool {
    let mut deeds = run.events().into_iter().flat_map(|run| run.step_effects());
    deeds.any(|deed| what == Named::Real(deed.real))
}

/// The rows that write a real along the motion of an event-accurate run.
fn written_along(run: &Stepper, what: Named) -> Vec<String> {
    let (Some(events), Named::Real(id)) = (run.events(), what) else {
        return Vec::new();
    };
    let model = run.model();
    let along = model
        .writers(id)
        .filter(|writer| events.share(*writer) > 0.0);
    along
        .map(|id| model.relations[id.index()].id.clone())
        .collect()
}

/// True if a name is that of an event.
fn is_event(model: &Model, what: Named) -> bool {
    matches!(what, Named::Boolean(what) if model.is_event(what))
}

/// How what a name stands for stands, and its value; a truth is 0 or 1.
fn standing_of(run: &Stepper, what: Named) -> (Stood, f64) {
    let (model, row) = (run.model(), run.row());
    match what {
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
    }
}
