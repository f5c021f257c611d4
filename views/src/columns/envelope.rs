//! Envelope of curves: of each column of pixels of a picture the least and the greatest value, and when truths turn.
//!
//! Rows come in the order of time and are not kept: memory is that of the picture, and no peak is lost.

/// Curves over a span of time, in so many parts of equal length.
#[derive(Clone, Debug)]
pub struct Envelope {
    from: f64,
    to: f64,
    n_parts: usize,
    /// Rows that all stay, as long as there are few: time and values.
    few: Vec<f64>,
    n_rows: usize,
    /// First and last time of each part that has rows.
    times: Vec<[f64; 2]>,
    /// Extremes of the reals in these parts, part by part.
    extremes: Vec<Extremes>,
    /// Number of the part being filled, and where it ends.
    part: usize,
    end: f64,
    n_reals: usize,
    turns: Vec<Turns>,
}

/// The least and the greatest of some values; NaN only if there is nothing else.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    least: f64,
    greatest: f64,
    /// True if the least came before the greatest.
    rises: bool,
}

/// Times at which a truth turns; a pulse turns twice.
#[derive(Clone, Debug, Default)]
struct Turns {
    first: Option<bool>,
    last: bool,
    times: Vec<f64>,
}

impl Envelope {
    /// Of so many reals and so many truths from a time to a time.
    pub fn new(
        (n_reals, n_truths): (usize, usize),
        (from, to): (f64, f64),
        n_parts: usize,
    ) -> Self {
        let mut new = Self {
            from,
            to,
            n_parts: n_parts.max(1),
            few: Vec::new(),
            n_rows: 0,
            times: Vec::new(),
            extremes: Vec::new(),
            part: 0,
            end: to,
            n_reals,
            turns: vec![Turns::default(); n_truths],
        };
        new.end = new.border(1);
        new
    }

    /// Adds a row.
    ///
    /// Shapes: `reals`, `truths`: as many as were promised.
    pub fn push(
        &mut self,
        time: f64,
        reals: impl IntoIterator<Item = f64>,
        truths: impl IntoIterator<Item = bool>,
    ) {
        let most_turns = 16 * self.n_parts;
        for (turns, value) in self.turns.iter_mut().zip(truths) {
            turns.push(time, value);
            if turns.times.len() > most_turns {
                let times = std::mem::take(&mut turns.times);
                turns.times = thinned(times, (self.from, self.to), self.n_parts);
            }
        }
        self.n_rows += 1;
        let begin = self.few.len();
        self.few.push(time);
        self.few.extend(reals);
        debug_assert_eq!(self.few.len() - begin, 1 + self.n_reals);
        if self.n_rows == 2 * self.n_parts + 1 {
            let rows = std::mem::take(&mut self.few);
            for row in rows.chunks_exact(1 + self.n_reals) {
                self.take(row);
            }
        } else if self.n_rows > 2 * self.n_parts {
            let row = std::mem::take(&mut self.few);
            self.take(&row);
            self.few = row;
            self.few.clear();
        }
    }

    fn take(&mut self, row: &[f64]) {
        let (time, values) = (row[0], &row[1..]);
        if time >= self.end || self.times.is_empty() {
            while time >= self.end && self.part + 1 < self.n_parts {
                self.part += 1;
                self.end = self.border(self.part + 1);
            }
            if self.part + 1 == self.n_parts {
                self.end = f64::INFINITY;
            }
            self.times.push([time, time]);
            self.extremes
                .extend(values.iter().map(|value| Extremes::of(*value)));
            return;
        }
        if let Some(times) = self.times.last_mut() {
            times[1] = time;
        }
        let begin = self.extremes.len() - self.n_reals;
        for (extremes, value) in self.extremes[begin..].iter_mut().zip(values) {
            extremes.take(*value);
        }
    }

    /// Where a part begins.
    fn border(&self, part: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let share = part as f64 / self.n_parts as f64;
        self.from + (self.to - self.from) * share
    }

    /// Times of the curves: of all rows if they are few, else the first and the last of each part.
    pub fn times(&self) -> Vec<f64> {
        match self.times.is_empty() {
            true => self.few.iter().step_by(1 + self.n_reals).copied().collect(),
            false => self.times.as_flattened().to_vec(),
        }
    }

    /// Values of a real at these times: of each part the least and the greatest, the earlier one first.
    pub fn values(&self, real: usize) -> Vec<f64> {
        if self.times.is_empty() {
            let values = self.few.iter().skip(1 + real);
            return values.step_by(1 + self.n_reals).copied().collect();
        }
        let extremes = self.extremes.iter().skip(real).step_by(self.n_reals);
        extremes.flat_map(Extremes::in_order).collect()
    }

    /// Whether a truth holds at the beginning.
    pub fn begins(&self, truth: usize) -> bool {
        self.turns[truth].first == Some(true)
    }

    /// The times at which a truth turns; of many those that make the same picture.
    pub fn turns(&self, truth: usize) -> Vec<f64> {
        let times = self.turns[truth].times.clone();
        thinned(times, (self.from, self.to), self.n_parts)
    }
}

impl Extremes {
    fn of(value: f64) -> Self {
        Self {
            least: value,
            greatest: value,
            rises: true,
        }
    }

    fn take(&mut self, value: f64) {
        if value < self.least {
            self.least = value;
            self.rises = false;
        }
        if value > self.greatest {
            self.greatest = value;
            self.rises = true;
        }
        if self.least.is_nan() {
            *self = Self::of(value);
        }
    }

    fn in_order(&self) -> [f64; 2] {
        match self.rises {
            true => [self.least, self.greatest],
            false => [self.greatest, self.least],
        }
    }
}

impl Turns {
    fn push(&mut self, time: f64, value: bool) {
        if self.first.is_none() {
            self.first = Some(value);
        } else if value != self.last {
            self.times.push(time);
        }
        self.last = value;
    }
}

/// Of turns that fall into one part of a picture the first and the last ones, so that it is the same afterwards.
fn thinned(turns: Vec<f64>, (from, to): (f64, f64), n_parts: usize) -> Vec<f64> {
    if turns.len() <= 4 * n_parts {
        return turns;
    }
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let width = (to - from) / n_parts as f64;
    let parts = turns.chunk_by(|a, b| ((a - from) / width).floor() == ((b - from) / width).floor());
    let kept = parts.flat_map(|part| match part {
        [first, second, .., last] if part.len() % 2 == 1 => vec![*first, *second, *last],
        [first, .., last] => vec![*first, *last],
        few => few.to_vec(),
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_turns_become_few_that_lead_to_the_same() {
        let turns: Vec<f64> = (0..10_001).map(|n| f64::from(n) * 1e-3).collect();
        let few = thinned(turns.clone(), (0.0, 10.0), 20);
        assert!(
            few.len() <= 63 && few.len() % 2 == turns.len() % 2,
            "{}",
            few.len()
        );
        assert!(few.is_sorted() && few.iter().all(|one| turns.contains(one)));
        assert_eq!((few[0], few[few.len() - 1]), (0.0, turns[10_000]));
        assert_eq!(thinned(turns.clone(), (0.0, 10.0), 4000), turns);
        // Thinned on the way, as a long run is, they are the same.
        let mut envelope = Envelope::new((0, 1), (0.0, 10.0), 20);
        envelope.push(-1.0, [], [false]);
        for (n, turn) in turns.iter().enumerate() {
            envelope.push(*turn, [], [n % 2 == 0]);
        }
        assert_eq!(envelope.turns(0), few);
        assert!(!envelope.begins(0));
    }

    #[test]
    fn of_some_values_the_extremes_are_in_order() {
        let of = |values: &[f64]| {
            let mut extremes = Extremes::of(values[0]);
            for value in &values[1..] {
                extremes.take(*value);
            }
            extremes.in_order()
        };
        assert_eq!(of(&[1.0, 5.0, -2.0, 3.0]), [5.0, -2.0]);
        assert_eq!(of(&[f64::NAN, 4.0, f64::NAN]), [4.0, 4.0]);
        assert!(of(&[f64::NAN])[0].is_nan());
    }

    /// Against the least and the greatest of all rows of a part, searched for after the run.
    #[test]
    fn each_part_has_its_least_and_greatest_whatever_the_number_of_rows() {
        for (n_rows, n_parts) in [(1, 4), (9, 4), (10, 5), (11, 5), (1000, 7), (4001, 435)] {
            let rows: Vec<(f64, f64)> = (0..n_rows)
                .map(|n| f64::from(n) * 0.01)
                .map(|time| (time, (37.0 * time).sin() * time))
                .collect();
            let (from, to) = (0.0, rows[rows.len() - 1].0);
            let mut envelope = Envelope::new((2, 0), (from, to), n_parts);
            for (time, value) in &rows {
                envelope.push(*time, [*value, -value], []);
            }
            let (times, values) = (envelope.times(), envelope.values(1));
            assert_eq!(times.len(), values.len());
            if rows.len() <= 2 * n_parts {
                assert_eq!(values, rows.iter().map(|row| -row.1).collect::<Vec<_>>());
                continue;
            }
            assert!(times.len() <= 2 * n_parts);
            for (part, pair) in times.chunks(2).zip(values.chunks(2)) {
                let within = rows
                    .iter()
                    .filter(|row| part[0] <= row.0 && row.0 <= part[1]);
                let within = within.map(|row| -row.1);
                let least = within.clone().fold(f64::INFINITY, f64::min);
                let most = within.fold(f64::NEG_INFINITY, f64::max);
                assert_eq!((pair[0].min(pair[1]), pair[0].max(pair[1])), (least, most));
            }
        }
    }
}
