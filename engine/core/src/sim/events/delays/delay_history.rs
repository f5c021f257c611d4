//! History of delays: their arguments as polynomials on every step, with both limits at a jump.
//!
//! A jump or kink of the argument comes back a delay later. These times are kept as breaking points, on which
//! steps must end, so that no step spans one, and at which something may happen (an instant); what
//! they reach in turn is found in [`super::breaking_points`].

use crate::sim::events::delays::LOCATED;
use crate::sim::events::delays::ahead::{Ahead, piece_at};
use crate::sim::past::Break;
use crate::sim::past::line::{Line, Piece};
use crate::sim::past::marks::{Mark, SAME};
use crate::sim::state::defect::{StateDefect, StateError, must};
use serde::{Deserialize, Serialize};
use situ_solve::interval::Interval;
use smallvec::SmallVec;

/// Breaks are followed until they are in a derivative that no method sees.
const MAX_LEVEL: u32 = 7;

/// What a delay takes in goes on smoothly if it changes by less than this part of its size.
const CONTINUOUS: f64 = 1e-6;

/// After so many steps that were shorter for it, a delay of constant length bounds no more of them.
const MOST_BOUNDED: u32 = 2000;

/// Trials of a step differ by no more than this part of what is tolerated when they count as one.
const TRIALS_APART: f64 = 1e-2;

/// They are compared at so many points and at the start.
const CHECKS: u32 = 4;

/// The pasts of all delays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DelayHistory {
    lines: Vec<Line>,
    breaks: Vec<Break>,
    /// Start of the step that is being tried: there delays have their right limits, behind it their
    /// left ones.
    from: f64,
    /// So many steps would be longer but for a delay of constant length, at most [`MOST_BOUNDED`]; states of an earlier
    /// program know of none.
    #[serde(default)]
    n_bounded: u32,
    #[serde(skip)]
    ahead: Ahead,
}

impl DelayHistory {
    pub(crate) fn new(lines: Vec<Line>) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// What delays took in before the start follows from the model, and is not saved.
    pub(crate) fn take_functions(&mut self, own: &Self) {
        for (line, own) in self.lines.iter_mut().zip(&own.lines) {
            line.before.clone_from(&own.before);
        }
    }

    ///
    /// # Errors
    ///
    /// It is no past of the delays that another one has.
    pub(crate) fn check(&self, own: &Self) -> Result<(), StateError> {
        must(self.lines.len() == own.lines.len(), StateDefect::Delays)?;
        let mut pairs = self.lines.iter().zip(&own.lines);
        let is_line = |(line, own): (&Line, &Line)| {
            let numbers = |piece: &Piece| {
                let Piece {
                    begin, end, t0, h, ..
                } = *piece;
                [begin, end, t0, h].iter().all(|number| number.is_finite()) && h > 0.0
            };
            line.tau.map(f64::to_bits) == own.tau.map(f64::to_bits)
                && line.marks.is_sound()
                && line.pieces.iter().all(numbers)
                && line.pieces.iter().is_sorted_by_key(|piece| piece.end)
        };
        must(pairs.all(is_line), StateDefect::Past)?;
        let known = |one: &Break| one.delay < self.lines.len() && one.time.is_finite();
        must(
            self.breaks.iter().all(known)
                && self.breaks.iter().is_sorted_by_key(|one| one.time)
                && self.from.is_finite(),
            StateDefect::Breaks,
        )
    }

    /// True if what a delay took in before the start is a function of the time.
    pub(crate) fn has_function(&self, delay: usize) -> bool {
        self.lines[delay].before.function().is_some()
    }

    /// A delay has always taken in a value, before the start as well.
    pub(crate) fn always(&mut self, delay: usize, value: f64) {
        self.lines[delay].first = value;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The shortest delay of constant length [units of `time`].
    fn shortest(&self) -> f64 {
        let all = self.lines.iter().filter_map(|line| line.tau);
        all.fold(f64::INFINITY, f64::min)
    }

    /// The latest end of the step from here [units of `time`]: what delays of constant length read in it is committed, as long
    /// as they bound steps. A delay that the time cannot tell from none leaves no room for one.
    pub(crate) fn latest_end(&self) -> f64 {
        let end = self.from + self.shortest();
        match self.is_outrun() && end > self.from {
            true => f64::INFINITY,
            false => end,
        }
    }

    /// A delay of constant length that the time cannot tell from none, and its length [units of `time`].
    pub(crate) fn unresolved(&self) -> Option<(usize, f64)> {
        let taus = self.lines.iter().enumerate();
        let mut taus = taus.filter_map(|(delay, line)| Some((delay, line.tau?)));
        taus.find(|(_, tau)| self.from + tau <= self.from)
    }

    /// A step is taken for which the method proposed a length.
    pub(crate) fn count_bounded(&mut self, proposed: f64) {
        if self.n_bounded < MOST_BOUNDED && proposed > self.shortest() {
            self.n_bounded += 1;
        }
    }

    /// True if steps may be longer than delays of constant length, which then read what the step is going to give.
    fn is_outrun(&self) -> bool {
        self.n_bounded >= MOST_BOUNDED
    }

    /// A step from here is going to be tried; where the one before began.
    pub(crate) fn step_from(&mut self, t: f64) -> f64 {
        std::mem::replace(&mut self.from, t)
    }

    /// The first Taylor coefficients, in time, of a value that a delay of constant length gives.
    pub(crate) fn series<const N: usize>(&self, delay: usize, t: f64) -> [f64; N] {
        let line = &self.lines[delay];
        let tau = line.tau.unwrap_or_default();
        let size = t.abs().max(tau);
        // A break that was passed where the step begins may lie some rounding errors behind it.
        let right = t <= self.from + 2.0 * SAME * size;
        let at = t - tau;
        let end = line.pieces.back().map_or(0.0, |piece| piece.end);
        match at > end + SAME * size && self.is_outrun() {
            true => self.read_ahead(delay, at),
            false => line.series(at, right, size),
        }
    }

    /// Bounds of the value that a delay of constant length gives over a span of time.
    pub(crate) fn enclose(&self, delay: usize, time: Interval) -> Interval {
        let line = &self.lines[delay];
        match line.tau {
            Some(tau) if !self.is_outrun() => {
                let size = time.hi().abs().max(time.lo().abs()).max(tau);
                line.enclose(time - Interval::point(tau), size)
            }
            _ => Interval::ENTIRE,
        }
    }

    /// The first Taylor coefficients of what a delay that varies took in at a time before the present.
    ///
    /// Shapes: `size`: of the largest term in the time.
    pub(crate) fn read<const N: usize>(&self, delay: usize, at: f64, size: f64) -> [f64; N] {
        let line = &self.lines[delay];
        if let Some((known, is_far)) = line.between_marks(at, size) {
            if is_far {
                self.ahead.read_far();
            }
            return known;
        }
        self.read_ahead(delay, at)
    }

    /// The first Taylor coefficients of what a delay takes in within the step that is being tried.
    fn read_ahead<const N: usize>(&self, delay: usize, at: f64) -> [f64; N] {
        let line = &self.lines[delay];
        // The first trial of a step goes on with what the step before gave.
        match self.ahead.read(delay, at).or(line.pieces.back()) {
            Some(piece) => piece.series(at),
            None => {
                let mut series = [0.0; N];
                series[0] = line.newest();
                series
            }
        }
    }

    /// The first Taylor coefficients of what a delay takes in now: the value, and where that goes on from the past its slopes.
    pub(crate) fn present<const N: usize>(&self, delay: usize, value: f64) -> [f64; N] {
        let newest = self.lines[delay].pieces.back();
        let mut series = newest.map_or([0.0; N], |piece| piece.series(piece.end));
        let jumps = (series[0] - value).abs() > CONTINUOUS * value.abs().max(series[0].abs());
        if jumps {
            series = [0.0; N];
        }
        series[0] = value;
        series
    }

    /// True if a delay has a length that changes.
    pub(crate) fn varies(&self, delay: usize) -> bool {
        self.lines[delay].tau.is_none()
    }

    /// Values and lengths of delays may jump from here on.
    pub(crate) fn release(&mut self) {
        for line in &mut self.lines {
            line.marks.release();
        }
    }

    /// Watches the marks around the time that a delay reads at `t`. True if it has reached one.
    pub(super) fn watch(&mut self, delay: usize, t: f64, at: f64) -> bool {
        let line = &mut self.lines[delay];
        let mut marks = std::mem::take(&mut line.marks);
        marks.extend(at, |from, to| line.kinks(from, to));
        let reached = marks.watch(at, slack(t, at));
        line.marks = marks;
        reached
    }

    /// By how much the time that a delay reads lies beyond the marks that are watched: the first one below 0 or none.
    pub(super) fn beyond(&self, delay: usize, t: f64, at: f64) -> f64 {
        let [low, high] = self.lines[delay].marks.bounds();
        (at - high).max(low - 2.0 * slack(t, at) - at)
    }

    /// The levels of the marks that the time which a delay reads has passed.
    pub(super) fn pass(&mut self, delay: usize, t: f64, at: f64) -> SmallVec<[u32; 2]> {
        self.lines[delay].marks.pass(at, slack(t, at))
    }

    /// A step is tried for the first time.
    pub(crate) fn forget_ahead(&mut self) {
        self.ahead = Ahead::default();
    }

    /// True if the last trial of a step has read nothing but what is committed.
    pub(crate) fn is_behind(&self) -> bool {
        !self.ahead.was_read()
    }

    /// True if a trial of the step has read so far beyond a mark that what is there was not followed.
    pub(crate) fn was_read_far(&self) -> bool {
        self.ahead.was_read_far()
    }

    /// What the last trial of a step gave is read in the next one. True if it gave what it had read.
    ///
    /// Shapes: `pieces`: per delay those of the parts of the step.
    pub(crate) fn set_ahead(&mut self, pieces: Vec<Vec<Piece>>, [rtol, atol]: [f64; 2]) -> bool {
        let close = |one: &Piece, others: &[Piece]| {
            (0..=CHECKS).all(|check| {
                let part = f64::from(check) / f64::from(CHECKS);
                let t = one.begin + part * (one.end - one.begin);
                let a = one.at(t);
                let b = piece_at(others, t).map_or(f64::NAN, |other| other.at(t));
                (a - b).abs() <= TRIALS_APART * (rtol * a.abs() + atol) + SAME * a.abs()
            })
        };
        let before = &self.ahead.pieces;
        let is_settled = before.len() == pieces.len()
            && (pieces.iter().zip(before))
                .all(|(some, others)| some.iter().all(|one| close(one, others)));
        if !is_settled {
            self.ahead.set(pieces);
        }
        is_settled
    }

    /// Takes in a committed piece of a step. Delays are read at the time `earliest` and later.
    pub(crate) fn push(&mut self, delay: usize, piece: Piece, earliest: f64) {
        let line = &mut self.lines[delay];
        line.push(piece, earliest);
    }

    /// A delay's argument is not smooth at `t`: its value jumps (`level` 0) or a derivative does.
    pub(super) fn break_at(&mut self, delay: usize, t: f64, level: u32) {
        if level > MAX_LEVEL {
            return;
        }
        let line = &mut self.lines[delay];
        let Some(tau) = line.tau else {
            line.marks.add((t, level));
            return;
        };
        let time = t + tau;
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

    /// What a delay took in before the start was not smooth at some times.
    pub(super) fn break_before(&mut self, delay: usize) {
        let line = &self.lines[delay];
        for (time, level) in line.tau.map_or(Vec::new(), |tau| line.kinks(-tau, 0.0)) {
            self.break_at(delay, time, level);
        }
    }

    /// Times in a span at which a delayed value passes from one piece to the next.
    pub(crate) fn seams(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        let all = self.lines.iter().flat_map(|line| {
            let pieces = line
                .tau
                .map(|tau| line.pieces.iter().map(move |piece| piece.end + tau));
            pieces
                .into_iter()
                .flatten()
                .filter(move |&seam| from < seam && seam < to)
        });
        let mut all: Vec<f64> = all.collect();
        all.sort_by(f64::total_cmp);
        // Delays of one length have their seams together.
        all.dedup();
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
        line.pieces.clone_from(&from.pieces);
        line.first = from.first;
        let marks: Vec<Mark> = match from.tau {
            Some(tau) => breaks
                .iter()
                .map(|one| (one.time - tau, one.level))
                .collect(),
            None => from.marks.all().to_vec(),
        };
        let own = line.tau;
        for (time, level) in marks {
            if own.is_none_or(|tau| time + tau > now) {
                self.break_at(delay, time, level);
            }
        }
    }

    /// The next break [units of `time`].
    pub(crate) fn next_break(&self) -> f64 {
        self.breaks
            .first()
            .map_or(f64::INFINITY, |first| first.time)
    }

    /// True if the next break is at `t`, but for rounding.
    pub(crate) fn breaks_at(&self, t: f64) -> bool {
        self.next_break() <= t + SAME * t.abs()
    }

    /// True if a delayed value jumps at `t` or has jumped before.
    pub(crate) fn jumps_at(&self, t: f64) -> bool {
        let mut over = (self.breaks.iter()).take_while(|one| one.time <= t + SAME * t.abs());
        over.any(|one| one.level == 0)
    }

    /// Takes out the breaks up to and at `t`.
    pub(super) fn take_breaks(&mut self, t: f64) -> Vec<Break> {
        let over = self
            .breaks
            .partition_point(|other| other.time <= t + SAME * t.abs());
        self.breaks.drain(..over).collect()
    }

    /// The last value that a delay has taken in.
    pub(crate) fn newest(&self, delay: usize) -> f64 {
        self.lines[delay].newest()
    }
}

/// Within so much of each other are the time that a delay reads and a mark one.
fn slack(t: f64, at: f64) -> f64 {
    LOCATED * t.abs().max((t - at).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::history::Before;
    use crate::sim::past::line::WIDTH;

    /// The parabola t^2 on [0, 1], then 5 on [1, 3].
    fn parabola_then_five() -> DelayHistory {
        let mut past = DelayHistory::new(vec![Line::new(Some(1.0), -2.0, Before::default())]);
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
            1.0,
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
            1.0,
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
    fn what_is_still_read_is_kept() {
        let mut past = parabola_then_five();
        let step = |begin: f64, end| Piece {
            begin,
            end,
            t0: begin,
            h: end - begin,
            coefficients: [0.0; WIDTH],
        };
        past.push(0, step(3.0, 4.0), 1.5);
        assert_eq!(past.series(0, 1.5), [0.25, 1.0]);
        past.push(0, step(4.0, 6.0), 6.0);
        assert_eq!(past.series(0, 1.5), [0.0]);
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
