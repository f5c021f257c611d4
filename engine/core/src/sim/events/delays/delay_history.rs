//! History of delays: their arguments as polynomials on every step, with both limits at a jump.
//!
//! A jump or kink of the argument comes back a delay later. These times are kept as breaking points, on which
//! steps must end, so that no step spans one, and at which something may happen (an instant); what
//! they reach in turn is found in [`super::breaking_points`].

use crate::sim::state::validate::{StateError, must};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Coefficients kept per step: dense outputs have at most degree 8.
pub(crate) const WIDTH: usize = 9;

/// Breaks are followed until they are in a derivative that no method sees.
const MAX_LEVEL: u32 = 7;

/// Times closer than this many units in the last place are one.
pub(super) const SAME: f64 = 16.0 * f64::EPSILON;

/// The pasts of all delays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DelayHistory {
    lines: Vec<Line>,
    breaks: Vec<Break>,
    /// Start of the step that is being tried: there delays have their right limits, behind it their
    /// left ones.
    from: f64,
}

/// The past of a delay.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    tau: f64,
    /// The value before the oldest piece.
    first: f64,
    pieces: VecDeque<Piece>,
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

/// A time at which a delayed value is not smooth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Break {
    pub(super) time: f64,
    pub(super) delay: usize,
    /// Order of the derivative that jumps; 0 for the value.
    pub(super) level: u32,
}

impl DelayHistory {
    /// Shapes: `lines`: for each delay its length [units of `time`] and its value before the start.
    pub(crate) fn new(lines: impl Iterator<Item = (f64, f64)>) -> Self {
        let lines = lines.map(|(tau, first)| Line {
            tau,
            first,
            pieces: VecDeque::new(),
        });
        Self {
            lines: lines.collect(),
            ..Self::default()
        }
    }

    ///
    /// # Errors
    ///
    /// It is no past of the delays that another one has.
    pub(crate) fn check(&self, own: &Self) -> Result<(), StateError> {
        must(
            self.lines.len() == own.lines.len(),
            "it has another number of delays",
        )?;
        let mut pairs = self.lines.iter().zip(&own.lines);
        let is_line = |(line, own): (&Line, &Line)| {
            let numbers = |piece: &Piece| {
                let Piece {
                    begin, end, t0, h, ..
                } = *piece;
                [begin, end, t0, h].iter().all(|number| number.is_finite()) && h > 0.0
            };
            line.tau.to_bits() == own.tau.to_bits()
                && line.pieces.iter().all(numbers)
                && line.pieces.iter().is_sorted_by_key(|piece| piece.end)
        };
        must(pairs.all(is_line), "the past of a delay cannot be")?;
        let known = |one: &Break| one.delay < self.lines.len() && one.time.is_finite();
        must(
            self.breaks.iter().all(known)
                && self.breaks.iter().is_sorted_by_key(|one| one.time)
                && self.from.is_finite(),
            "the breaks of a delay cannot be",
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The shortest delay [units of `time`].
    pub(crate) fn shortest(&self) -> f64 {
        let all = self.lines.iter().map(|line| line.tau);
        all.fold(f64::INFINITY, f64::min)
    }

    /// A step from here is going to be tried.
    pub(crate) fn step_from(&mut self, t: f64) {
        self.from = t;
    }

    /// The first Taylor coefficients, in time, of a delayed value.
    pub(crate) fn series<const N: usize>(&self, delay: usize, t: f64) -> [f64; N] {
        let line = &self.lines[delay];
        let at = t - line.tau;
        let mut series = [0.0; N];
        let Some(piece) = line.piece(at, t <= self.from, t.abs().max(line.tau)) else {
            series[0] = line.first;
            return series;
        };
        let mut shifted = piece.coefficients;
        let theta = (at - piece.t0) / piece.h;
        let mut scale = 1.0;
        for (order, c) in series.iter_mut().enumerate() {
            // Synthetic division by (x - theta), once per order.
            for k in (order..WIDTH - 1).rev() {
                shifted[k] += theta * shifted[k + 1];
            }
            *c = shifted.get(order).copied().unwrap_or_default() * scale;
            scale /= piece.h;
        }
        series
    }

    /// Takes in a committed piece of a step.
    pub(crate) fn push(&mut self, delay: usize, piece: Piece) {
        let line = &mut self.lines[delay];
        let needed = piece.end - line.tau;
        while line.pieces.len() > 1 && line.pieces[1].end < needed {
            line.pieces.pop_front();
            line.first = line.pieces[0].at(line.pieces[0].begin);
        }
        line.pieces.push_back(piece);
    }

    /// A delay's argument is not smooth at `t`: its value jumps (`level` 0) or a derivative does.
    pub(super) fn break_at(&mut self, delay: usize, t: f64, level: u32) {
        if level > MAX_LEVEL {
            return;
        }
        let time = t + self.lines[delay].tau;
        let near = |other: &Break| (other.time - time).abs() <= SAME * time.abs();
        let known = self
            .breaks
            .iter_mut()
            .find(|other| other.delay == delay && near(other));
        if let Some(known) = known {
            known.level = known.level.min(level);
            return;
        }
        let position = self.breaks.partition_point(|other| other.time <= time);
        self.breaks.insert(position, Break { time, delay, level });
    }

    /// Times in a span at which a delayed value passes from one piece to the next.
    pub(crate) fn seams(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        let all = self.lines.iter().flat_map(|line| {
            let ends = line.pieces.iter().map(|piece| piece.end + line.tau);
            ends.filter(move |&seam| from < seam && seam < to)
        });
        let mut all: Vec<f64> = all.collect();
        all.sort_by(f64::total_cmp);
        all.into_iter()
    }

    /// The past of a delay, and where it is not smooth.
    pub(crate) fn line(&self, delay: usize) -> (Line, Vec<Break>) {
        let breaks = self.breaks.iter().filter(|one| one.delay == delay);
        (self.lines[delay].clone(), breaks.copied().collect())
    }

    /// A delay has the past of another, from `now` back; its length is its own.
    pub(crate) fn take_over(&mut self, delay: usize, from: &Line, breaks: &[Break], now: f64) {
        let line = &mut self.lines[delay];
        let longer = line.tau - from.tau;
        line.pieces.clone_from(&from.pieces);
        line.first = from.first;
        for one in breaks {
            let time = one.time + longer;
            if time > now {
                self.break_at(delay, one.time - from.tau, one.level);
            }
        }
    }

    /// The next break [units of `time`].
    pub(crate) fn next_break(&self) -> f64 {
        self.breaks
            .first()
            .map_or(f64::INFINITY, |first| first.time)
    }

    /// Takes out the breaks up to and at `t`.
    pub(super) fn take_breaks(&mut self, t: f64) -> Vec<Break> {
        let over = self
            .breaks
            .partition_point(|other| other.time <= t + SAME * t.abs());
        self.breaks.drain(..over).collect()
    }

    /// The last value that a delay has taken in.
    pub(super) fn newest(&self, delay: usize) -> f64 {
        let line = &self.lines[delay];
        let newest = line.pieces.back();
        newest.map_or(line.first, |piece| piece.at(piece.end))
    }
}

impl Piece {
    /// The value at a time.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let theta = (t - self.t0) / self.h;
        let terms = self.coefficients.iter().rev();
        terms.fold(0.0, |sum, c| sum * theta + c)
    }
}

impl Line {
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
            tau: 0.0,
            first: newest_first[newest_first.len() - 1],
            pieces: pieces.collect(),
        }
    }

    /// The value at a time.
    pub(crate) fn at(&self, t: f64) -> f64 {
        match self.piece(t, false, t.abs()) {
            Some(piece) => piece.at(t),
            None => self.first,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The parabola t^2 on [0, 1], then 5 on [1, 3].
    fn parabola_then_five() -> DelayHistory {
        let mut past = DelayHistory::new([(1.0, -2.0)].into_iter());
        let mut coefficients = [0.0; WIDTH];
        coefficients[2] = 1.0;
        past.push(
            0,
            Piece {
                begin: 0.0,
                end: 1.0,
                t0: 0.0,
                h: 1.0,
                coefficients,
            },
        );
        coefficients = [0.0; WIDTH];
        coefficients[0] = 5.0;
        past.push(
            0,
            Piece {
                begin: 1.0,
                end: 3.0,
                t0: 1.0,
                h: 2.0,
                coefficients,
            },
        );
        past
    }

    #[test]
    fn both_limits_are_kept() {
        let mut past = parabola_then_five();
        past.step_from(0.5);
        assert_eq!(past.series(0, 0.5), [-2.0, 0.0]);
        assert_eq!(past.series(0, 1.0), [-2.0]);
        past.step_from(1.0);
        assert_eq!(past.series(0, 1.0), [0.0, 0.0, 1.0]);
        assert_eq!(past.series(0, 1.5), [0.25, 1.0, 1.0, 0.0]);
        assert_eq!(past.series(0, 2.0), [1.0, 2.0]);
        past.step_from(2.0);
        assert_eq!(past.series(0, 2.0), [5.0, 0.0]);
    }

    #[test]
    fn breaks_are_taken_out_when_they_are_over() {
        let mut past = parabola_then_five();
        past.break_at(0, 0.5, 1);
        past.break_at(0, 0.0, 3);
        past.break_at(0, 0.0, 0);
        past.break_at(0, 0.0, MAX_LEVEL + 1);
        assert_eq!(past.next_break(), 1.0);
        assert_eq!(past.take_breaks(0.9), []);
        let first = Break {
            time: 1.0,
            delay: 0,
            level: 0,
        };
        assert_eq!(past.take_breaks(1.0), [first]);
        assert_eq!(past.next_break(), 1.5);
        assert_eq!(past.newest(0), 5.0);
    }
}
