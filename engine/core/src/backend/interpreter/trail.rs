//! The past of a delay where ticks have no common length: values with their times.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Times nearer than this part of a tick are one.
const SAME: f64 = 1e-9;

/// Past values of a delay's argument at the ends of ticks; linear in between.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct DelayBuffer {
    /// The delay [units of `time`].
    tau: f64,
    /// Times [units of `time`] and values, at least one.
    points: VecDeque<(f64, f64)>,
    /// Start and end of the present tick [units of `time`]; there is none if they are equal.
    from: f64,
    to: f64,
}

/// Written out, because `clone_from` must not allocate.
impl Clone for DelayBuffer {
    fn clone(&self) -> Self {
        Self {
            points: self.points.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.points.clone_from(&source.points);
        (self.tau, self.from, self.to) = (source.tau, source.from, source.to);
    }
}

impl DelayBuffer {
    /// A past in which there was one value only, up to a time.
    pub(crate) fn new(tau: f64, time: f64, value: f64) -> Self {
        Self::through(tau, time, [(time, value)].into())
    }

    /// A past up to a time; `points`: times and values in order, at least one.
    pub(crate) fn through(tau: f64, time: f64, points: VecDeque<(f64, f64)>) -> Self {
        Self {
            tau,
            points,
            from: time,
            to: time,
        }
    }

    /// The delay [units of `time`].
    pub(crate) fn tau(&self) -> f64 {
        self.tau
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
        while self.points.len() > 1 && self.points[1].0 <= from - self.tau - self.slack() {
            self.points.pop_front();
        }
    }

    /// No time is going to pass in what follows.
    pub(crate) fn hold(&mut self) {
        self.to = self.from;
    }

    /// Takes a value in, and gives the one that comes out. Where no time passes nothing is taken in.
    pub(super) fn push(&mut self, value: f64) -> f64 {
        if self.to > self.from {
            self.points.push_back((self.to, value));
        } else if self.tau == 0.0 {
            return value;
        }
        self.at(self.to - self.tau)
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
        if next == 0 || t <= time + slack {
            return value;
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
        let mut trail = DelayBuffer::new(0.3, 0.0, 7.0);
        let mut out = Vec::new();
        for tick in 1..=6_u32 {
            let time = |tick: u32| f64::from(tick) * 0.1;
            trail.begin(time(tick - 1), time(tick));
            out.push(trail.push(f64::from(tick)));
            trail.end(1.0, time(tick));
        }
        assert_eq!(out, [7.0, 7.0, 7.0, 1.0, 2.0, 3.0]);
        assert_eq!(trail.points.len(), 6, "what is older is dropped");
    }

    #[test]
    fn a_tick_that_ends_early_leaves_its_share() {
        let mut trail = DelayBuffer::new(0.5, 0.0, 0.0);
        trail.begin(0.0, 1.0);
        assert_eq!(trail.push(8.0), 4.0, "half a tick ago");
        trail.end(0.25, 0.25);
        assert_eq!(trail.at(0.125), 1.0);
        let before = trail.clone();
        trail.begin(0.25, 1.25);
        trail.push(3.0);
        trail.undo();
        assert_eq!(trail, before);
        trail.begin(0.25, 1.25);
        trail.hold();
        assert_eq!(trail.push(99.0), 0.0);
        assert_eq!(trail.at(0.25), 2.0, "nothing was taken in");
    }
}
