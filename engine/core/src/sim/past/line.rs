//! The past of one delay: polynomials on every step since the start, before it a function of the time.

use std::collections::VecDeque;

use super::marks::{Mark, Marks, SAME};
use crate::backend::history::Before;
use serde::{Deserialize, Serialize};
use situ_solve::interval::Interval;

/// Coefficients kept per step: dense outputs have at most degree 8.
pub(crate) const WIDTH: usize = 9;

/// A polynomial is followed so far beyond its step [part of its length]: one of degree 8 grows by less than 2e4 on this way.
const REACH: f64 = 0.5;

/// A history function jumps where it changes by more than this part of its size.
const JUMP: f64 = 1e-9;

/// The past of a delay.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Its length [units of `time`], if that is constant.
    pub(in crate::sim) tau: Option<f64>,
    /// The value before the oldest piece.
    pub(in crate::sim) first: f64,
    pub(in crate::sim) pieces: VecDeque<Piece>,
    /// What it took in before the start, if that is not `first`.
    #[serde(skip)]
    pub(in crate::sim) before: Before,
    /// Of a delay that varies.
    pub(in crate::sim) marks: Marks,
}

/// A polynomial in `(t - t0) / h`, valid between two times.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) begin: f64,
    pub(crate) end: f64,
    pub(crate) t0: f64,
    pub(crate) h: f64,
    pub(crate) coefficients: [f64; WIDTH],
}

impl Piece {
    /// The first Taylor coefficients at a time.
    pub(in crate::sim) fn series<const N: usize>(&self, at: f64) -> [f64; N] {
        let mut series = [0.0; N];
        let mut shifted = self.coefficients;
        let theta = (at - self.t0) / self.h;
        let mut scale = 1.0;
        for (order, c) in series.iter_mut().enumerate() {
            // Synthetic division by (x - theta), once per order.
            for k in (order..WIDTH - 1).rev() {
                shifted[k] += theta * shifted[k + 1];
            }
            *c = shifted.get(order).copied().unwrap_or_default() * scale;
            scale /= self.h;
        }
        series
    }

    /// Bounds of the value over a span of time.
    fn enclose(&self, t: Interval) -> Interval {
        let theta = (t - Interval::point(self.t0)) / Interval::point(self.h);
        let terms = self.coefficients.iter().rev();
        terms.fold(Interval::ZERO, |sum, &c| sum * theta + Interval::point(c))
    }

    /// The value at a time.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let theta = (t - self.t0) / self.h;
        let terms = self.coefficients.iter().rev();
        terms.fold(0.0, |sum, c| sum * theta + c)
    }
}

impl Line {
    /// Shapes: `tau` [units of `time`]: none if it varies; `first`: the value up to the start, `before` that before it, if it
    /// is another.
    pub(crate) fn new(tau: Option<f64>, first: f64, before: Before) -> Self {
        Self {
            tau,
            first,
            pieces: VecDeque::new(),
            before,
            marks: Marks::default(),
        }
    }

    /// A past in which there was one value only.
    pub(in crate::sim) fn still(value: f64) -> Self {
        Self::new(Some(0.0), value, Before::default())
    }

    /// Takes in a committed piece of a step; drops what lies further back than is read at the time `earliest` and later.
    pub(in crate::sim) fn push(&mut self, piece: Piece, earliest: f64) {
        if let Some(tau) = self.tau {
            while self.pieces.len() > 1 && self.pieces[1].end < earliest - tau {
                self.pieces.pop_front();
                self.first = self.pieces[0].at(self.pieces[0].begin);
            }
        }
        // One of no length tells on neither side of a mark.
        if piece.end > piece.begin {
            self.pieces.push_back(piece);
        }
    }

    /// The last value that it has taken in.
    pub(in crate::sim) fn newest(&self) -> f64 {
        match (self.pieces.back(), self.before.function()) {
            (Some(piece), _) => piece.at(piece.end),
            (None, Some(before)) => before.series::<1>(0.0, false)[0],
            (None, None) => self.first,
        }
    }

    /// The first time of which something was taken in, `now` if nothing was.
    pub(crate) fn begin(&self, now: f64) -> f64 {
        self.pieces.front().map_or(now, |piece| piece.begin)
    }

    /// The times in a span before the start at which it was not smooth, each with the order of the derivative that
    /// jumps, at most 1.
    pub(in crate::sim) fn kinks(&self, from: f64, to: f64) -> Vec<Mark> {
        let Some(before) = self.before.function() else {
            return Vec::new();
        };
        let level = |time: f64| {
            let [left, right] = [false, true].map(|right| before.series::<1>(time, right)[0]);
            let jumps = (left - right).abs() > JUMP * left.abs().max(right.abs());
            (time, u32::from(!jumps))
        };
        before.kinks(from, to).into_iter().map(level).collect()
    }

    /// The first Taylor coefficients, in time, of what it took in at a time, at a seam behind it if `right`.
    pub(in crate::sim) fn series<const N: usize>(
        &self,
        at: f64,
        right: bool,
        size: f64,
    ) -> [f64; N] {
        let Some(piece) = self.piece(at, right, size) else {
            return match self.before.function() {
                Some(before) if at <= SAME * size => before.series(at, right),
                _ => {
                    let mut series = [0.0; N];
                    series[0] = self.first;
                    series
                }
            };
        };
        piece.series(at)
    }

    /// The first Taylor coefficients of what a delay that varies took in at a time, without the marks beyond those
    /// between which it is read, and whether that is too far from a polynomial to follow it; `None` if it has taken in nothing
    /// there yet.
    pub(in crate::sim) fn between_marks<const N: usize>(
        &self,
        at: f64,
        size: f64,
    ) -> Option<([f64; N], bool)> {
        let near = SAME * size;
        let [low, high] = self.marks.bounds();
        let still = |value: f64| {
            let mut series = [0.0; N];
            series[0] = value;
            series
        };
        if high <= near || at < -near && low < -near {
            let Some(before) = self.before.function() else {
                return Some((still(self.first), false));
            };
            let place = at.clamp(low, high.min(0.0).max(low));
            // Where no marks are watched, at an instant, what comes out of the delay has its right limit.
            let right = place <= low || [low, high] == [f64::NEG_INFINITY, f64::INFINITY];
            return Some((before.series_aside(place, right, at - place), false));
        }
        // A mark lies at the seam that is nearest; a piece may be shorter than rounding.
        let is_before = |piece: &Piece, mark: f64| piece.end - mark <= mark - piece.begin;
        let first = self.pieces.partition_point(|piece| is_before(piece, low));
        let behind = self.pieces.partition_point(|piece| is_before(piece, high));
        let last = behind.checked_sub(1).filter(|last| *last >= first)?;
        let is_known_to = self.pieces[last].end + near;
        if at > is_known_to && high > is_known_to {
            return None;
        }
        if at < self.pieces[0].begin - near {
            return Some((still(self.first), false));
        }
        let index = self.pieces.partition_point(|piece| piece.end <= at + near);
        let piece = &self.pieces[index.clamp(first, last)];
        let reach = REACH * (piece.end - piece.begin);
        let place = at.clamp(piece.begin - reach, piece.end + reach);
        Some(match place == at {
            true => (piece.series(at), false),
            false => (still(piece.at(place)), true),
        })
    }

    /// A past given at equal distances, the newest value at `now`; straight between them.
    ///
    /// Shapes: `newest_first`: at least one value.
    pub(crate) fn through(newest_first: &[f64], now: f64, step: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "lines have at most 1e8 values")]
        let time = |age: usize| now - age as f64 * step;
        let ages = (1..newest_first.len()).rev();
        let pieces = ages.map(|age| {
            let (from, to) = (newest_first[age], newest_first[age - 1]);
            let mut coefficients = [0.0; WIDTH];
            [coefficients[0], coefficients[1]] = [from, to - from];
            Piece {
                begin: time(age),
                end: time(age - 1),
                t0: time(age),
                h: step,
                coefficients,
            }
        });
        Self {
            pieces: pieces.collect(),
            ..Self::still(newest_first[newest_first.len() - 1])
        }
    }

    /// The value at a time.
    pub(crate) fn at(&self, t: f64) -> f64 {
        self.series::<1>(t, false, t.abs())[0]
    }

    /// Bounds of what it took in over a span of time.
    ///
    /// Shapes: `size`: of the largest term in the time.
    pub(in crate::sim) fn enclose(&self, at: Interval, size: f64) -> Interval {
        let near = 2.0 * SAME * size;
        let begin = self.begin(f64::INFINITY);
        let is_before = at.lo() <= begin + near;
        if is_before && self.before.function().is_some() {
            return Interval::ENTIRE;
        }
        let mut bounds = if is_before {
            Interval::point(self.first)
        } else {
            Interval::EMPTY
        };
        let first = self
            .pieces
            .partition_point(|piece| piece.end < at.lo() - near);
        let last = self.pieces.len().saturating_sub(1);
        for (number, piece) in self.pieces.iter().enumerate().skip(first.min(last)) {
            if number > first && piece.begin > at.hi() + near {
                break;
            }
            let lo = at.lo().max(piece.begin - near);
            // The last one is followed beyond its end.
            let hi = if number == last {
                at.hi()
            } else {
                at.hi().min(piece.end + near)
            };
            if lo <= hi {
                bounds = bounds.hull(piece.enclose(Interval::new(lo, hi)));
            }
        }
        bounds
    }

    /// The piece in which a time lies; at a seam the one behind it if `right`.
    fn piece(&self, at: f64, right: bool, size: f64) -> Option<&Piece> {
        let near = SAME * size;
        let index = if right {
            self.pieces.partition_point(|piece| piece.end <= at + near)
        } else {
            self.pieces.partition_point(|piece| piece.end < at - near)
        };
        let piece = self.pieces.get(index).or(self.pieces.back())?;
        let before = if right {
            at < piece.begin - near
        } else {
            at <= piece.begin + near
        };
        (!before || index > 0).then_some(piece)
    }
}
