//! What methods carry on from step to step.

use serde::{Deserialize, Serialize};

/// Points before the committed one, and what a method has found out on the way. Empty after a start or a restart, and
/// always for one-step methods that keep nothing.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// Times of the points, in the order of the rows.
    times: Vec<f64>,
    /// What the method keeps of each point, one entry per component; a ring.
    rows: Vec<f64>,
    /// The row of the last point.
    #[serde(default)]
    last: usize,
    /// How the next step is taken.
    #[serde(default)]
    pub(crate) course: Course,
    /// Where the Jacobian in use was evaluated.
    #[serde(default)]
    pub(crate) linearised: LinearisedAt,
    /// The spectral radius of the Jacobian.
    #[serde(default)]
    pub(crate) spectrum: Spectrum,
    /// True if the committed point is not where the last step ended, but off it by less than the errors.
    #[serde(default)]
    pub(crate) is_put_back: bool,
}

/// An estimate of the spectral radius of the Jacobian; the direction that belongs to it is the last point.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spectrum {
    /// At least as large, but for what the system has changed by since.
    pub(crate) radius: f64,
    /// Steps taken with it; 0 if there is none.
    pub(crate) age: u32,
}

/// How a method of variable order goes on.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Course {
    /// Order of the next step; 0 at a start.
    pub(crate) order: u32,
    /// Steps taken with this order and length.
    pub(crate) equal: u32,
    /// True once the order has been chosen by errors: at a start it rises from step to step.
    pub(crate) is_chosen: bool,
    /// Factor by which an iteration of Newton's method reduces the error.
    pub(crate) contraction: f64,
    /// Part of its last correction that is left of the error; 0 if that is not known.
    #[serde(default)]
    pub(crate) rest: f64,
}

/// The point of a Jacobian that is kept, and the matrix whose factors are.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinearisedAt {
    pub(crate) t: f64,
    /// The state; empty if there is no Jacobian.
    pub(crate) y: Vec<f64>,
    /// The rates.
    pub(crate) f: Vec<f64>,
    /// What is added to the diagonal of the negative Jacobian.
    pub(crate) shift: f64,
    /// Steps taken with this Jacobian.
    pub(crate) age: u32,
    /// Steps taken with these factors.
    pub(crate) factors_age: u32,
}

impl LinearisedAt {
    /// Whether there is a Jacobian.
    pub(crate) fn is_known(&self) -> bool {
        !self.y.is_empty()
    }

    /// Takes over another one, in the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let (mut y, mut f) = (std::mem::take(&mut self.y), std::mem::take(&mut self.f));
        y.clone_from(&other.y);
        f.clone_from(&other.f);
        *self = Self { y, f, ..*other };
    }

    /// No Jacobian is known.
    pub(crate) fn clear(&mut self) {
        let (mut y, mut f) = (std::mem::take(&mut self.y), std::mem::take(&mut self.f));
        y.clear();
        f.clear();
        *self = Self {
            y,
            f,
            ..Self::default()
        };
    }
}

impl History {
    /// True if there are points before the committed one.
    pub(crate) fn has_points(&self) -> bool {
        !self.times.is_empty()
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing is known of the past.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty() && !self.linearised.is_known()
    }

    /// Time of a point, 0 being the last one, and what is kept of it.
    pub fn point(&self, number: usize) -> Option<(f64, &[f64])> {
        let points = self.times.len();
        if number >= points {
            return None;
        }
        let n = self.rows.len() / points;
        let row = (self.last + points - number) % points;
        Some((self.times[row], &self.rows[row * n..][..n]))
    }

    /// Makes room for points, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, most: usize, n: usize) {
        self.clear();
        self.times.reserve(most);
        self.rows.reserve(most * n);
        self.linearised.y.reserve(n);
        self.linearised.f.reserve(n);
    }

    /// A step from this point has been taken; at most `most` points are kept.
    pub(crate) fn remember(&mut self, most: usize, t: f64, row: &[f64]) {
        let n = row.len();
        if self.times.len() < most {
            // As long as there are fewer the last one stands at the end.
            self.last = self.times.len();
            self.times.push(t);
            self.rows.extend_from_slice(row);
            return;
        }
        self.last = (self.last + 1) % most;
        self.times[self.last] = t;
        self.rows[self.last * n..][..n].copy_from_slice(row);
    }

    /// The committed point is no end of a step.
    pub(crate) fn clear(&mut self) {
        self.times.clear();
        self.rows.clear();
        self.last = 0;
        self.course = Course::default();
        self.linearised.clear();
        self.spectrum = Spectrum::default();
        self.is_put_back = false;
    }
}

#[cfg(test)]
mod tests {
    use super::History;

    #[test]
    fn the_last_points_are_kept_last_one_first() {
        let mut history = History::default();
        assert_eq!(history.point(0), None);
        for t in [0.0, 1.0, 2.0] {
            history.remember(2, t, &[t, 10.0 * t]);
        }
        assert_eq!(history.len(), 2);
        assert_eq!(history.point(0), Some((2.0, &[2.0, 20.0][..])));
        assert_eq!(history.point(1), Some((1.0, &[1.0, 10.0][..])));
        assert_eq!(history.point(2), None);
        history.clear();
        assert!(history.is_empty());
    }
}
