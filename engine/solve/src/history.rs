//! Points before the committed one, which multistep methods read.

use serde::{Deserialize, Serialize};

/// Times at which steps began, and the rates there, the last one first. Empty after a start or a restart, and always
/// for one-step methods.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct History {
    times: Vec<f64>,
    /// In rows of one entry per component.
    rates: Vec<f64>,
}

impl History {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing is known of the past.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Time and rates of a point, 0 being the last one.
    pub fn point(&self, number: usize) -> Option<(f64, &[f64])> {
        let n = self.rates.len() / self.times.len().max(1);
        let time = *self.times.get(number)?;
        Some((time, &self.rates[number * n..][..n]))
    }

    /// Makes room for points, so that nothing is allocated later.
    pub(crate) fn reserve(&mut self, most: usize, n: usize) {
        self.clear();
        self.times.reserve(most);
        self.rates.reserve(most * n);
    }

    /// A step from this point has been taken; at most `most` points are kept.
    pub(crate) fn remember(&mut self, most: usize, t: f64, rates: &[f64]) {
        let n = rates.len();
        if self.times.len() < most {
            self.times.push(t);
            self.rates.extend_from_slice(rates);
        }
        self.times.rotate_right(1);
        self.rates.rotate_right(n);
        self.times[0] = t;
        self.rates[..n].copy_from_slice(rates);
    }

    /// The committed point is no end of a step.
    pub(crate) fn clear(&mut self) {
        self.times.clear();
        self.rates.clear();
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
