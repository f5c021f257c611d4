//! Condensing: a run of any length is kept for drawing in bounded memory.
//!
//! Rows are kept whole, so that phase plots stay true. As long as there are few, all of them; then
//! neighbouring rows are taken together, and of each bundle only the rows stay in which some column
//! has its least or greatest finite value, and the first and last. A peak of a single row is never lost.

/// Rows of numbers, the first of each being time.
#[derive(Clone, Debug)]
pub struct Downsampler {
    n_columns: usize,
    /// Values of the rows that are kept, row by row.
    values: Vec<f64>,
    /// End of each finished bundle in `values`.
    ends: Vec<usize>,
    /// Rows that a bundle stands for.
    bundle: u64,
    /// Rows that the bundle being filled stands for by now.
    filled: u64,
    /// Scratch: rows of a bundle that stay.
    stays: Vec<usize>,
    /// More finished bundles are taken together in pairs.
    most_bundles: usize,
}

/// Bundles for a picture, which has fewer columns than half of it.
const MOST_BUNDLES: usize = 8192;

impl Downsampler {
    /// For rows of so many numbers.
    pub fn new(n_columns: usize) -> Self {
        Self::of_bundles(n_columns, MOST_BUNDLES)
    }

    /// For rows of so many numbers, of which fewer bundles are kept.
    pub fn of_bundles(n_columns: usize, most_bundles: usize) -> Self {
        let (values, ends, stays) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            n_columns: n_columns.max(1),
            values,
            ends,
            bundle: 1,
            filled: 0,
            stays,
            most_bundles,
        }
    }

    /// Adds a row.
    ///
    /// Cost: a copy, and seldom a look at all that is kept; amortised constant per row.
    pub fn push(&mut self, row: impl IntoIterator<Item = f64>) {
        let before = self.values.len();
        self.values.extend(row);
        debug_assert_eq!(
            self.values.len(),
            before + self.n_columns,
            "rows have the same columns"
        );
        self.filled += 1;
        let begin = self.ends.last().copied().unwrap_or(0);
        let n_rows = (self.values.len() - begin) / self.n_columns;
        if self.filled == self.bundle {
            self.thin_tail(begin);
            self.ends.push(self.values.len());
            self.filled = 0;
            if self.ends.len() >= self.most_bundles {
                self.pair_up();
            }
        } else if n_rows > 4 * self.most_rows() {
            self.thin_tail(begin);
        }
    }

    /// Number of rows kept.
    pub fn len(&self) -> usize {
        self.values.len() / self.n_columns
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values of one column, in order.
    pub fn column(&self, index: usize) -> impl Iterator<Item = f64> {
        self.values
            .iter()
            .skip(index)
            .step_by(self.n_columns)
            .copied()
    }

    /// Rows that stay of a bundle at most.
    fn most_rows(&self) -> usize {
        2 * self.n_columns
    }

    fn thin_tail(&mut self, begin: usize) {
        let end = self.values.len();
        let length = self.thin(begin, end, begin);
        self.values.truncate(begin + length);
    }

    /// Takes bundles together in pairs.
    fn pair_up(&mut self) {
        let ends = std::mem::take(&mut self.ends);
        let mut from = 0;
        let mut to = 0;
        for pair in ends.chunks(2) {
            let end = pair[pair.len() - 1];
            to += self.thin(from, end, to);
            self.ends.push(to);
            from = end;
        }
        self.values.truncate(to);
        self.bundle *= 2;
    }

    /// Of the rows at `begin..end` moves those that stay to `to`, which is not behind them; the
    /// result is their length.
    fn thin(&mut self, begin: usize, end: usize, to: usize) -> usize {
        let n_columns = self.n_columns;
        let n_rows = (end - begin) / n_columns;
        if n_rows <= self.most_rows() {
            self.values.copy_within(begin..end, to);
            return end - begin;
        }
        let rows = &self.values[begin..end];
        self.stays.clear();
        self.stays.extend([0, n_rows - 1]);
        // Time is in order: its extremes are the first and last row.
        for column in 1..n_columns {
            let value = |row: usize| rows[row * n_columns + column];
            let (mut least, mut most) = (None, None);
            for row in (0..n_rows).filter(|&row| value(row).is_finite()) {
                if least.is_none_or(|least| value(row) < value(least)) {
                    least = Some(row);
                }
                if most.is_none_or(|most| value(row) > value(most)) {
                    most = Some(row);
                }
            }
            self.stays.extend(least.into_iter().chain(most));
        }
        self.stays.sort_unstable();
        self.stays.dedup();
        for (place, row) in self.stays.iter().enumerate() {
            let from = begin + row * n_columns;
            self.values
                .copy_within(from..from + n_columns, to + place * n_columns);
        }
        self.stays.len() * n_columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_kept_as_they_are() {
        let mut kept = Downsampler::new(2);
        for i in 0..10_000 {
            kept.push([f64::from(i), f64::from(i % 7)]);
        }
        assert_eq!(kept.len(), 10_000);
        assert!(
            kept.column(1)
                .enumerate()
                .all(|(i, value)| value == (i % 7) as f64)
        );
    }

    #[test]
    fn peaks_behind_what_is_no_number_stay() {
        for before in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut kept = Downsampler::new(2);
            for row in 0..300_000 {
                let value = match row {
                    200_005 => 3.0,
                    200_007 => -3.0,
                    200_001.. => 1.0,
                    _ => before,
                };
                kept.push([f64::from(row), value]);
            }
            assert!(kept.len() < 100_000);
            for peak in [3.0, -3.0] {
                assert!(kept.column(1).any(|value| value == peak), "{before} {peak}");
            }
        }
    }

    #[test]
    fn peaks_and_ends_of_long_runs_stay() {
        let n = 3_000_001;
        let spikes = [12_345, 1_500_000, n - 2];
        let mut kept = Downsampler::new(4);
        let mut most = 0;
        for i in 0..n {
            let time = f64::from(i);
            let spike = f64::from(u8::from(spikes.contains(&i)));
            kept.push([time, (time * 1e-3).sin(), -spike, time * 0.5]);
            most = most.max(kept.values.len());
        }
        assert!(most <= (MOST_BUNDLES + 8) * kept.most_rows() * 4, "{most}");
        assert!(kept.bundle > 100);
        let time: Vec<f64> = kept.column(0).collect();
        assert!(time.is_sorted() && time[0] == 0.0 && time.last() == Some(&f64::from(n - 1)));
        let found: Vec<f64> = kept
            .column(0)
            .zip(kept.column(2))
            .filter(|(_, v)| *v < 0.0)
            .map(|(t, _)| t)
            .collect();
        assert_eq!(found, spikes.map(f64::from));
        assert!(
            kept.column(0)
                .zip(kept.column(3))
                .all(|(time, half)| half == 0.5 * time),
            "rows stay whole"
        );
        // Even at its coarsest, a picture has points everywhere.
        let widest = time
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .fold(0.0, f64::max);
        assert!(widest < f64::from(n) / 2000.0, "{widest}");
    }
}
