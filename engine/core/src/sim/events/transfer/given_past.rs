//! Pasts of delays that begin or grow longer in the middle of a run, in either stepping: spans of a history -> lines.

use crate::ids::RelationId;
use crate::model::Model;
use crate::sim::events::delays::intake::{CHECKED, MOST_HALVINGS};
use crate::sim::events::detect::crossing_search::chebyshev_roots;
use crate::sim::past::Break;
use crate::sim::past::line::{Line, Piece, WIDTH};
use crate::sim::state::keys::delay_key;
use crate::sim::state::named::{NamedState, present_values};

/// What is handed on reaches far enough if less than this part of a delay is missing.
const SLACK: f64 = 1e-9;

/// A value jumps between two spans where it changes by more than this part of its size.
const JUMP: f64 = 1e-9;

/// Polynomials agree with what they follow up to this part of its largest value.
const ALLOWED: f64 = 1e-10;

/// A delay row that reads further back than what a run hands on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WantedPast {
    /// The row.
    pub row: RelationId,
    /// The first time of which its argument is wanted; minus infinity if its length changes [units of `time`].
    pub from: f64,
}

/// What the argument of a delay was between two times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PastSpan(Piece);

impl PastSpan {
    /// Straight between the values at two times [units of `time`].
    pub fn straight(from: (f64, f64), to: (f64, f64)) -> Self {
        let mut coefficients = [0.0; WIDTH];
        [coefficients[0], coefficients[1]] = [from.1, to.1 - from.1];
        Self::new((from.0, to.0), coefficients)
    }

    /// Polynomials through the values that a function has between two times, on so many parts that they agree with it;
    /// `None` if it has no value somewhere.
    pub fn following(
        (from, to): (f64, f64),
        mut value: impl FnMut(f64) -> Option<f64>,
    ) -> Option<Vec<Self>> {
        let mut spans = Vec::new();
        let mut open = vec![(from, to, 0)];
        while let Some((from, to, halvings)) = open.pop() {
            let place = |part: f64| from + (to - from) * part;
            let mut values = [0.0; WIDTH];
            for (node, into) in values.iter_mut().enumerate() {
                *into = value(place(chebyshev_roots::place(node)))?;
            }
            let span = Self::new((from, to), chebyshev_roots::interpolate(&values));
            let size = values
                .iter()
                .fold(0.0_f64, |most, value| most.max(value.abs()));
            let mut is_close = true;
            for part in CHECKED {
                let off = span.at(place(part)) - value(place(part))?;
                is_close &= off.abs() <= ALLOWED * size;
            }
            if is_close || halvings == MOST_HALVINGS {
                spans.push(span);
            } else {
                let middle = place(0.5);
                open.push((middle, to, halvings + 1));
                open.push((from, middle, halvings + 1));
            }
        }
        Some(spans)
    }

    /// The value at a time between them [units of `time`].
    pub fn at(&self, time: f64) -> f64 {
        self.0.at(time)
    }

    fn new((begin, end): (f64, f64), coefficients: [f64; WIDTH]) -> Self {
        let (t0, h) = (begin, end - begin);
        Self(Piece {
            begin,
            end,
            t0,
            h,
            coefficients,
        })
    }
}

impl NamedState {
    /// The delay rows of a model that read further back than what is handed on, or than `begin`, where a history begins
    /// [units of `time`].
    pub fn wanted_pasts(&self, model: &Model, begin: f64) -> Vec<WantedPast> {
        let rows = (0..model.relations.len()).map(RelationId::new);
        let delays = rows.filter_map(|row| Some((row, model.relations[row.index()].delay()?)));
        let delays: Vec<_> = delays.collect();
        if delays.is_empty() {
            return Vec::new();
        }
        let Ok(values) = present_values(model, self) else {
            return Vec::new();
        };
        let wanted = delays.into_iter().filter_map(|(row, length)| {
            let tau = match model.has_constant_delay(row) {
                true => model.evaluate(length, &values),
                false => f64::INFINITY,
            };
            let from = self.time - tau;
            let missing = self.kept_since(model, row) - from.max(begin);
            (missing > SLACK * tau.min(self.time - begin)).then_some(WantedPast { row, from })
        });
        wanted.collect()
    }

    /// The first time of which the argument of a delay row is handed on [units of `time`].
    fn kept_since(&self, model: &Model, row: RelationId) -> f64 {
        let key = delay_key(model, row);
        let exact = self.memory.as_ref().and_then(|memory| memory.past(&key));
        if let Some(line) = exact {
            return match line.tau {
                Some(tau) => self.time - tau,
                None => line.begin(self.time),
            };
        }
        let trail = self.trails.iter().find(|(known, _)| *known == key);
        if let Some((_, trail)) = trail {
            return trail.front().map_or(self.time, |(time, _)| *time);
        }
        let past = self.pasts.iter().find(|(known, _)| *known == key);
        match (past, self.ticks) {
            #[expect(clippy::cast_precision_loss, reason = "lines have at most 1e8 values")]
            (Some((_, past)), Some(ticks)) => self.time - (past.len() - 1) as f64 * ticks.step,
            _ => self.time,
        }
    }

    /// The argument of a delay row was this along a history, up to the present.
    ///
    /// Shapes: `spans`: in order, without gaps; before the first of them it had the value at its beginning.
    pub fn give_past(&mut self, model: &Model, row: RelationId, spans: &[PastSpan]) {
        let Some(PastSpan(first)) = spans.first() else {
            return;
        };
        let line = Line {
            pieces: spans.iter().map(|PastSpan(piece)| *piece).collect(),
            ..Line::still(first.at(first.begin))
        };
        let jumps = spans.windows(2).filter_map(|two| {
            let [before, after] = [&two[0].0, &two[1].0];
            let [left, right] = [before.at(before.end), after.at(after.begin)];
            let jumps = (left - right).abs() > JUMP * left.abs().max(right.abs());
            jumps.then_some(Break {
                time: after.begin,
                delay: 0,
                level: 0,
            })
        });
        let breaks = jumps.collect();
        self.given.push((delay_key(model, row), line, breaks));
    }
}
