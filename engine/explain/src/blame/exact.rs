//! Sums that lose nothing.

/// A sum that keeps what rounding takes away.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exact {
    sum: f64,
    rest: f64,
}

impl Exact {
    /// Knuth's exact sum of two numbers; what is lost goes to the rest.
    pub(super) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let back = sum - self.sum;
        self.rest += (self.sum - (sum - back)) + (value - back);
        self.sum = sum;
    }

    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }
}

impl FromIterator<f64> for Exact {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}
