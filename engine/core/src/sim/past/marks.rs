//! Times at which what a delay takes in is not smooth, and the two between which it is read.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Times closer than this many units in the last place are one.
pub(in crate::sim) const SAME: f64 = 16.0 * f64::EPSILON;

/// A time, and the order of the derivative that jumps there; 0 for the value.
pub(in crate::sim) type Mark = (f64, u32);

/// The marks of a delay that varies.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(in crate::sim) struct Marks {
    /// Ascending.
    all: Vec<Mark>,
    /// How far before the start they are known [units of `time`].
    known: f64,
    /// The number of marks at or before the time that is read, while a step is tried.
    below: Option<usize>,
}

impl Marks {
    /// Adds one.
    pub(in crate::sim) fn add(&mut self, (time, level): Mark) {
        let near = |mark: &&mut Mark| (mark.0 - time).abs() <= SAME * time.abs();
        if let Some(known) = self.all.iter_mut().rfind(near) {
            known.1 = known.1.min(level);
            return;
        }
        let position = self.all.partition_point(|mark| mark.0 < time);
        self.all.insert(position, (time, level));
    }

    pub(in crate::sim) fn all(&self) -> &[Mark] {
        &self.all
    }

    /// Takes in those of the past before the start up to twice as far back as is read, if they are not known.
    pub(in crate::sim) fn extend(&mut self, at: f64, kinks: impl FnOnce(f64, f64) -> Vec<Mark>) {
        if at >= -self.known {
            return;
        }
        let from = 2.0 * at;
        let mut found = kinks(from, -self.known);
        if let Some(below) = &mut self.below {
            *below += found.len();
        }
        found.append(&mut self.all);
        (self.all, self.known) = (found, -from);
    }

    /// Nothing is known of the time that is read: values and lengths may jump.
    pub(in crate::sim) fn release(&mut self) {
        self.below = None;
    }

    /// Takes up the two marks between which a time lies. True if one of those that were taken up before is reached.
    pub(in crate::sim) fn watch(&mut self, at: f64, slack: f64) -> bool {
        match self.below {
            None => {
                self.below = Some(self.all.partition_point(|mark| mark.0 <= at + slack));
                false
            }
            Some(_) => {
                let [low, high] = self.bounds();
                at >= high - slack || at < low - 2.0 * slack
            }
        }
    }

    /// The levels of the marks that a time has passed since it was watched.
    pub(in crate::sim) fn pass(&mut self, at: f64, slack: f64) -> SmallVec<[u32; 2]> {
        let mut passed = SmallVec::new();
        let Some(mut below) = self.below else {
            return passed;
        };
        while let Some(mark) = self.all.get(below).filter(|mark| mark.0 <= at + slack) {
            passed.push(mark.1);
            below += 1;
        }
        while below > 0 && at < self.all[below - 1].0 - slack {
            below -= 1;
            passed.push(self.all[below].1);
        }
        self.below = Some(below);
        passed
    }

    /// The times between which is read; infinite where there is none.
    pub(in crate::sim) fn bounds(&self) -> [f64; 2] {
        let Some(below) = self.below else {
            return [f64::NEG_INFINITY, f64::INFINITY];
        };
        let before = below.checked_sub(1).and_then(|at| self.all.get(at));
        let behind = self.all.get(below);
        [
            before.map_or(f64::NEG_INFINITY, |mark| mark.0),
            behind.map_or(f64::INFINITY, |mark| mark.0),
        ]
    }

    /// True if they can be those of a run.
    pub(in crate::sim) fn is_sound(&self) -> bool {
        self.all.iter().all(|mark| mark.0.is_finite())
            && self.all.is_sorted_by_key(|mark| mark.0)
            && self.known.is_finite()
            && self.below.is_none_or(|below| below <= self.all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_watched_between_two_marks() {
        let mut marks = Marks::default();
        for mark in [(0.0, 1), (2.0, 0), (2.0, 3), (1.0, 2)] {
            marks.add(mark);
        }
        assert_eq!(marks.all(), [(0.0, 1), (1.0, 2), (2.0, 0)]);
        assert!(!marks.watch(0.5, 1e-9));
        assert_eq!(marks.bounds(), [0.0, 1.0]);
        assert!(!marks.watch(0.9, 1e-9));
        assert!(marks.watch(1.0, 1e-9));
        assert_eq!(marks.pass(1.0, 1e-9)[..], [2]);
        assert_eq!(marks.bounds(), [1.0, 2.0]);
        assert!(marks.watch(0.9, 1e-9), "it turns back");
        assert_eq!(marks.pass(0.9, 1e-9)[..], [2]);
        marks.release();
        assert!(!marks.watch(7.0, 1e-9));
        assert_eq!(marks.bounds(), [2.0, f64::INFINITY]);
        marks.extend(-3.0, |from, to| {
            assert_eq!([from, to], [-6.0, 0.0]);
            vec![(-5.0, 1)]
        });
        assert_eq!(marks.bounds(), [2.0, f64::INFINITY]);
    }
}
