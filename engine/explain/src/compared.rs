//! Two histories side by side.

use std::ops::ControlFlow;

use crate::history::History;
use crate::segments::Segments;
use crate::stepper::Stepper;
use crate::{Interrupted, ProgressSink, STRETCH, look};

/// Two histories side by side.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The end of the time that both have [units of `time`].
    pub end: f64,
    /// The first time at which a real differs.
    pub parts: Option<f64>,
    /// Per real that both have, how far apart it is.
    pub rows: Vec<ComparedReal>,
}

/// One real of both.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedReal {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its values at the end of that time.
    pub ends: (f64, f64),
    /// The greatest distance.
    pub greatest: f64,
    /// When that was [units of `time`].
    pub at: f64,
}

impl<T> Segments<T> {
    /// Two histories over the time that both have.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn compared(
        &mut self,
        a: &History,
        b: &History,
        progress: &mut dyn ProgressSink,
    ) -> Result<Compared, Interrupted> {
        let mut now = |history: &History| {
            let (segment, step) = history.place();
            let run = self.at(segment, step);
            (run.time(), run.model().clone())
        };
        let ((end_a, model_a), (end_b, model_b)) = (now(a), now(b));
        let end = end_a.min(end_b);
        let both: Vec<(usize, usize)> = model_a
            .reals
            .iter()
            .enumerate()
            .filter_map(|(index, real)| {
                let other = model_b
                    .reals
                    .iter()
                    .position(|other| other.name == real.name)?;
                Some((index, other))
            })
            .collect();
        let mut rows: Vec<ComparedReal> = both
            .iter()
            .map(|(index, _)| ComparedReal {
                name: model_a.reals[*index].name.clone(),
                unit: model_a.reals[*index].unit.clone(),
                ends: (f64::NAN, f64::NAN),
                greatest: 0.0,
                at: f64::NAN,
            })
            .collect();
        let mut parts = None;
        // Stretch by stretch, so that going to and fro between two segments costs little.
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        let mut walk_a = Walk::new(a, &names);
        let mut walk_b = Walk::new(b, &names);
        let (mut left, mut right) = (walk_a.next(self), walk_b.next(self));
        let mut done = 0_u64;
        while let (Some(row_a), Some(row_b)) = (&left, &right) {
            let slack = 1e-9 * row_a.0.abs().max(1e-300);
            if row_a.0 > end + slack || row_b.0 > end + slack {
                break;
            }
            if row_a.0 < row_b.0 - slack {
                left = walk_a.next(self);
                continue;
            }
            if row_b.0 < row_a.0 - slack {
                right = walk_b.next(self);
                continue;
            }
            for (row, (x, y)) in rows.iter_mut().zip(row_a.1.iter().zip(&row_b.1)) {
                row.ends = (*x, *y);
                let distance = (x - y).abs();
                if distance > row.greatest {
                    row.greatest = distance;
                    row.at = row_a.0;
                }
                if x.to_bits() != y.to_bits() && parts.is_none() {
                    parts = Some(row_a.0);
                }
            }
            left = walk_a.next(self);
            right = walk_b.next(self);
            done += 1;
            if done.is_multiple_of(STRETCH) {
                look(progress, done, a.steps_before())?;
            }
        }
        Ok(Compared { end, parts, rows })
    }
}

/// Goes along a history and gives values by name.
struct Walk<'n> {
    history: History,
    names: &'n [String],
    begun: u64,
    buffer: std::collections::VecDeque<(f64, Vec<f64>)>,
}

impl<'n> Walk<'n> {
    fn new(history: &History, names: &'n [String]) -> Self {
        Self {
            history: history.clone(),
            names,
            begun: 0,
            buffer: std::collections::VecDeque::new(),
        }
    }

    fn next<T>(&mut self, segments: &mut Segments<T>) -> Option<(f64, Vec<f64>)> {
        let to = self.history.steps_before();
        if self.buffer.is_empty() && self.begun <= to {
            let end = (self.begun + STRETCH).min(to);
            let (buffer, names) = (&mut self.buffer, self.names);
            segments.walk(&self.history, self.begun, end, &mut |_, _, run| {
                let values = names
                    .iter()
                    .map(|name| real_named(run, name).unwrap_or(f64::NAN));
                buffer.push_back((run.time(), values.collect()));
                ControlFlow::Continue(())
            });
            self.begun = end + 1;
        }
        self.buffer.pop_front()
    }
}

fn real_named(run: &Stepper, name: &str) -> Option<f64> {
    let mut reals = run.model().reals.iter();
    let index = reals.position(|real| real.name == name)?;
    Some(run.row().reals[index])
}
