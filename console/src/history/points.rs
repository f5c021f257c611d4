//! Points of a line of history: rows along it, so dense that curves through them are smooth.

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::trace::Row;
use situ_explain::{At, Cut, History, SegmentId};
use situ_views::columns::downsample::Downsampler;
use situ_words::say;

use crate::names::{Named, find};
use crate::reply::CommandError;
use crate::{Console, ProgressSink};

/// Points in all, besides the steps, where nothing else is asked for.
const POINTS: f64 = 600.0;

/// Place in a step just before its end.
const JUST_BEFORE: f64 = 1.0 - 1e-9;

/// Steps between two looks at the progress.
const STRETCH: u64 = 4096;

/// A part of a line of history.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The line, seen from where the part begins.
    pub(crate) from: History,
    /// The line, seen from where the part ends.
    pub(crate) to: History,
    /// Points in all, besides the steps.
    pub(crate) points: f64,
}

impl Line {
    /// From the beginning to the place from which a line is seen.
    pub(crate) fn whole(to: History) -> Self {
        Self {
            from: to.at_step(0),
            to,
            points: POINTS,
        }
    }
}

impl Console {
    /// Rows along a part of a line: the time, then the values of these names, truth as 0 and 1; a name that a piece
    /// of the line does not have is NaN there.
    ///
    /// # Errors
    ///
    /// The work was stopped.
    pub(crate) fn sampled(
        &mut self,
        line: &Line,
        names: &[&str],
        progress: &mut dyn ProgressSink,
    ) -> Result<Downsampler, CommandError> {
        let mut rows = Downsampler::new(1 + names.len());
        self.each_row(line, names, progress, &mut |time, values| {
            rows.push(std::iter::once(time).chain(values.iter().copied()));
        })?;
        Ok(rows)
    }

    /// Calls `each` for each of these rows, with the time and the values of the names.
    ///
    /// # Errors
    ///
    /// The work was stopped.
    pub(crate) fn each_row(
        &mut self,
        line: &Line,
        names: &[&str],
        progress: &mut dyn ProgressSink,
        each: &mut dyn FnMut(f64, &[f64]),
    ) -> Result<(), CommandError> {
        // Per name where it stands in the segment that was seen last.
        let mut known: (Option<SegmentId>, Vec<Option<Named>>) = (None, Vec::new());
        let mut values = Vec::with_capacity(names.len());
        self.each_point(line, progress, &mut |segment, model, row| {
            if known.0 != Some(segment) {
                let found = names.iter().map(|name| find(model, name)).collect();
                known = (Some(segment), found);
            }
            values.clear();
            values.extend(known.1.iter().map(|what| match *what {
                None => f64::NAN,
                Some(Named::Real(id)) => row.real(id),
                Some(Named::Constant(id)) => row.constants[id.index()],
                Some(Named::Boolean(what)) => f64::from(u8::from(row.boolean(model, what))),
            }));
            each(row.time, &values);
        })
    }

    /// The times at which a part of a line begins and ends [units of `time`].
    pub(crate) fn ends(&mut self, line: &Line) -> (f64, f64) {
        let ((first, from), (last, to)) = (line.from.place(), line.to.place());
        let begin = self.segments.at(first, from).time();
        (begin, self.segments.at(last, to).time())
    }

    /// Calls `each` for so many points of a part of a line that curves are smooth: also inside the steps of a
    /// method, and on both sides of what happens at their ends. The model has the names of
    /// the part's end.
    pub(crate) fn each_point(
        &mut self,
        line: &Line,
        progress: &mut dyn ProgressSink,
        each: &mut dyn FnMut(SegmentId, &Model, &Row<'_>),
    ) -> Result<(), CommandError> {
        let end = &line.to;
        let mut seen = line.from.clone();
        let (start, stop) = self.ends(line);
        let distance = (stop - start) / line.points;
        let before = seen.steps_before();
        let steps = end.steps_before().saturating_sub(before);
        let mut polled = before;
        let mut known: Option<(usize, Arc<Model>)> = None;
        loop {
            let (segment, at) = seen.place();
            let pieces = (seen.piece(), end.piece());
            let (_, model) = match known.take() {
                Some(found) if found.0 == pieces.0 => known.insert(found),
                _ => known.insert((pieces.0, self.segments.named(end, pieces))),
            };
            let model = &**model;
            let run = self.segments.at(segment, at);
            each(segment, model, &run.row());
            if seen.place() == end.place() && seen.piece() == end.piece() {
                return Ok(());
            }
            let (from, in_ticks) = (run.time(), run.ticks().is_some());
            let mut next = seen.next().1;
            if seen.piece() == end.piece() && end.place().1.step == next.step {
                next = end.place().1;
            }
            if in_ticks {
                // All but the last of them, which is seen from the place that follows it.
                let last = match seen.piece() == end.piece() {
                    true => end.place().1,
                    false => seen.pieces()[seen.piece()].end,
                };
                let to = last.whole().min(at.whole() + STRETCH);
                if to > next.step {
                    self.segments.each_tick((segment, at), to - 1, &mut |row| {
                        each(segment, model, row);
                    });
                    next = At::step(to);
                }
            } else {
                let to = self.segments.at(segment, next).time();
                let last = from + (to - from) * JUST_BEFORE;
                let inside = (1..).map(|number| from + f64::from(number) * distance);
                let inside = inside.take_while(|point| *point < last && distance > 0.0);
                let inside = inside.chain([last]);
                for cut in inside.filter(|cut| from < *cut && *cut < to) {
                    let place = At {
                        step: next.step,
                        cut: Some(Cut::Time(cut)),
                    };
                    each(segment, model, &self.segments.at(segment, place).row());
                }
            }
            seen.forward_to(next);
            let now = seen.steps_before();
            if now - polled >= STRETCH {
                polled = now;
                if progress.poll(now - before, steps).is_break() {
                    return Err(CommandError::new(say!("console-interrupted")));
                }
            }
        }
    }
}
