//! The past of a delay that varies, or where ticks have no common length: values with their times.

use std::collections::VecDeque;

use crate::backend::history::Before;
use serde::{Deserialize, Serialize};

/// Times nearer than this part of a tick are one.
const SAME: f64 = 1e-9;

/// Past values of a delay's argument at the ends of ticks; linear in between.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct DelayBuffer {
    /// The delay [units of `time`], if it is constant: what lies further back is dropped.
    tau: Option<f64>,
    /// Times [units of `time`] and values, at least one.
    points: VecDeque<(f64, f64)>,
    /// What was before the first point, if that is not its value.
    #[serde(skip)]
    before: Before,
    /// Start and end of the present tick [units of `time`]; there is none if they are equal.
    from: f64,
    to: f64,
}

/// Written out, because `clone_from` must not allocate, and a past that was read from a file has no function.
impl Clone for DelayBuffer {
    fn clone(&self) -> Self {
        Self {
            points: self.points.clone(),
            before: self.before.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.points.clone_from(&source.points);
        if source.before.function().is_some() {
            self.before.clone_from(&source.before);
        }
        (self.tau, self.from, self.to) = (source.tau, source.from, source.to);
    }
}

impl DelayBuffer {
    /// A past in which there was one value only, up to a time, or one that a function gives.
    pub(crate) fn new(tau: Option<f64>, time: f64, value: f64, before: Before) -> Self {
        let value = before.taken_in_at(time).unwrap_or(value);
        Self {
            tau,
            points: [(time, value)].into(),
            before,
            from: time,
            to: time,
        }
    }

    /// Takes over a past up to a time; `points`: times and values in order, at least one.
    pub(crate) fn take_over(&mut self, time: f64, points: VecDeque<(f64, f64)>) {
        self.points = points;
        (self.from, self.to) = (time, time);
    }

    /// The delay [units of `time`], if it is constant.
    pub(crate) fn tau(&self) -> Option<f64> {
        self.tau
    }

    /// How far back it is kept [units of `time`].
    pub(crate) fn span(&self) -> f64 {
        let first = self.points.front().map_or(self.to, |&(time, _)| time);
        self.tau.unwrap_or(self.to - first)
    }

    /// True if times and values are such as ticks leave.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = |&(time, value): &(f64, f64)| time.is_finite() && value.is_finite();
        let times = self.points.iter().map(|&(time, _)| time);
        !self.points.is_empty()
            && self.points.iter().all(finite)
            && times.is_sorted()
            && self.from.is_finite()
            && self.to == self.from
    }

    /// Times and values, the oldest first.
    pub(crate) fn points(&self) -> impl DoubleEndedIterator<Item = (f64, f64)> + Clone {
        self.points.iter().copied()
    }

    pub(super) fn size(&self) -> usize {
        2 * self.points.len()
    }

    /// A tick is going to be done.
    pub(crate) fn begin(&mut self, from: f64, to: f64) {
        (self.from, self.to) = (from, to);
        if let Some(tau) = self.tau {
            while self.points.len() > 1 && self.points[1].0 <= from - tau - self.slack() {
                self.points.pop_front();
            }
        }
    }

    /// No time is going to pass in what follows.
    pub(crate) fn hold(&mut self) {
        self.to = self.from;
    }

    /// Takes a value in, and gives the one that was taken in so long ago; NaN for the future. Where no time passes
    /// nothing is taken in.
    pub(super) fn push(&mut self, value: f64, tau: f64) -> f64 {
        if self.to > self.from {
            self.points.push_back((self.to, value));
        }
        match tau {
            0.0 => value,
            _ if tau > 0.0 => self.at(self.to - tau),
            _ => f64::NAN,
        }
    }

    /// The tick in hand, in which a value was taken in, is not done after all.
    pub(crate) fn undo(&mut self) {
        self.points.pop_back();
        self.to = self.from;
    }

    /// The tick in hand has come to this part of its length, and to a time.
    pub(crate) fn end(&mut self, part: f64, time: f64) {
        if part < 1.0
            && let Some((_, value)) = self.points.pop_back()
        {
            let before = self.points.back().map_or(value, |&(_, before)| before);
            self.points
                .push_back((time, before + part * (value - before)));
        }
        (self.from, self.to) = (time, time);
    }

    /// The value that stood at a time.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let slack = self.slack();
        let next = self.points.partition_point(|&(t, _)| t < time - slack);
        let Some(&(t, value)) = self.points.get(next) else {
            return self.points.back().map_or(f64::NAN, |&(_, value)| value);
        };
        if t <= time + slack {
            return value;
        }
        if next == 0 {
            return self.before.taken_in_at(time).unwrap_or(value);
        }
        let (before, old) = self.points[next - 1];
        old + (time - before) / (t - before) * (value - old)
    }

    fn slack(&self) -> f64 {
        SAME * (self.to - self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_times_delays_as_one_of_ticks() {
        let mut trail = DelayBuffer::new(Some(0.3), 0.0, 7.0, Before::default());
        let mut out = Vec::new();
        for tick in 1..=6_u32 {
            let time = |tick: u32| f64::from(tick) * 0.1;
            trail.begin(time(tick - 1), time(tick));
            out.push(trail.push(f64::from(tick), 0.3));
            trail.end(1.0, time(tick));
        }
        assert_eq!(out, [7.0, 7.0, 7.0, 1.0, 2.0, 3.0]);
        assert_eq!(trail.points.len(), 6, "what is older is dropped");
    }

    #[test]
    fn a_tick_that_ends_early_leaves_its_share() {
        let mut trail = DelayBuffer::new(Some(0.5), 0.0, 0.0, Before::default());
        trail.begin(0.0, 1.0);
        assert_eq!(trail.push(8.0, 0.5), 4.0, "half a tick ago");
        trail.end(0.25, 0.25);
        assert_eq!(trail.at(0.125), 1.0);
        let before = trail.clone();
        trail.begin(0.25, 1.25);
        trail.push(3.0, 0.5);
        trail.undo();
        assert_eq!(trail, before);
        trail.begin(0.25, 1.25);
        trail.hold();
        assert_eq!(trail.push(99.0, 0.5), 0.0);
        assert_eq!(trail.at(0.25), 2.0, "nothing was taken in");
    }

    #[test]
    fn a_delay_that_varies_is_read_between_ticks() {
        let mut trail = DelayBuffer::new(None, 0.0, 1.0, Before::default());
        let mut out = Vec::new();
        for (tick, tau) in (1..=4_u32).zip([0.0, 0.5, 2.5, -1.0]) {
            let to = f64::from(tick);
            trail.begin(to - 1.0, to);
            out.push(trail.push(to * to, tau));
            trail.end(1.0, to);
        }
        assert_eq!(out[..3], [1.0, 2.5, 1.0]);
        assert!(out[3].is_nan(), "the future");
        assert_eq!(trail.span(), 4.0);
    }
}
