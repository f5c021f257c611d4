//! Times known in advance: computed, not summed, and when two of them are one instant.
//!
//! Beats of schedules, the stop, output times and breaking points of delays are sums of a few terms. Two of
//! them that a person would call equal (`3 * 0.1` and `0.3`) differ by rounding only, so that they are one
//! instant if they differ by at most [`UNITS`] units in the last place of the largest term in them.

/// Units in the last place of the largest term by which two times may differ and be one instant.
pub(crate) const UNITS: f64 = 8.0;

/// Up to here every whole number is a double.
const MOST_COUNTED: f64 = 9_007_199_254_740_992.0;

/// A time known in advance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Known {
    /// The time [units of `time`].
    pub(crate) value: f64,
    /// The size of the largest term that it is the sum of [units of `time`].
    pub(crate) size: f64,
}

impl Known {
    /// A time that is given as a number.
    pub(crate) fn given(value: f64) -> Self {
        let size = value.abs();
        Self { value, size }
    }

    /// The sum of two terms.
    pub(crate) fn sum(from: f64, rest: f64) -> Self {
        let size = from.abs().max(rest.abs());
        Self {
            value: from + rest,
            size,
        }
    }

    /// The beat of a schedule after so many others. Without an offset, which is a first beat after one
    /// period, it is a multiple of the period.
    pub(crate) fn beat(first: f64, period: f64, count: f64) -> Self {
        if first == period {
            Self::given((count + 1.0) * period)
        } else {
            Self::sum(first, count * period)
        }
    }

    /// True if two times are one instant.
    pub(crate) fn is(self, other: Self) -> bool {
        let distance = (self.value - other.value).abs();
        distance <= UNITS * unit_in_last_place(self.size.max(other.size))
    }

    /// True if it has been reached at another time.
    pub(crate) fn is_reached_at(self, now: Self) -> bool {
        self.value <= now.value || self.is(now)
    }
}

/// The earliest and the latest time that are one instant with a time that is known, as ticks see it.
pub(crate) fn around(time: f64) -> [f64; 2] {
    let width = time.abs() * (UNITS * f64::EPSILON);
    [time - width, time + width]
}

/// The distance of a size from the next larger number.
fn unit_in_last_place(size: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    let power = f64::from_bits(size.to_bits() & EXPONENT);
    (power * f64::EPSILON).max(f64::from_bits(1))
}

/// If a beat of a schedule has been reached of which the last tick knew nothing: how many beats are over
/// with it. Several beats within one tick are one.
///
/// `over`: how many beats were over before.
pub(crate) fn due(period: f64, first: f64, over: f64, now: Known) -> Option<f64> {
    let is_over = |count: f64| Known::beat(first, period, count).is_reached_at(now);
    if !is_over(over) {
        return None;
    }
    let passed = ((now.value - first) / period).floor() + 1.0;
    let next = passed.min(MOST_COUNTED).max(over + 1.0);
    // The quotient may be rounded down across a whole number.
    Some(if is_over(next) { next + 1.0 } else { next })
}

/// The beats of a schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Beats {
    /// The time between two of them [units of `time`].
    pub period: f64,
    /// The time of the first [units of `time`].
    pub first: f64,
}

impl Beats {
    /// Number of beats that have been reached at a time [units of `time`].
    pub fn reached(self, time: f64) -> f64 {
        due(self.period, self.first, 0.0, Known::given(time)).unwrap_or(0.0)
    }

    /// The time of the beat after so many others [units of `time`].
    pub fn time(self, count: f64) -> f64 {
        Known::beat(self.first, self.period, count).value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_rounding_is_one_time() {
        let tenths = Known::beat(0.1, 0.1, 2.0);
        assert_ne!(tenths.value, 0.3);
        assert!(tenths.is(Known::given(0.3)));
        assert!(!tenths.is(Known::given(0.300_000_000_000_001)));
        // What is left of two large terms is as blurred as they are.
        let far = Known::sum(-1e6, 1e6 + 0.1);
        assert!(far.is(Known::sum(-1e6, 1e6 + 0.1 + 4e-10)));
        assert!(!Known::given(far.value).is(Known::given(far.value + 4e-10)));
        assert!(Known::given(0.0).is(Known::given(0.0)));
        assert_eq!(unit_in_last_place(1.0), f64::EPSILON);
        assert_eq!(unit_in_last_place(1.9), f64::EPSILON);
        assert_eq!(unit_in_last_place(0.0), f64::from_bits(1));
    }

    /// Ticks, of 100 ticks of a tenth, in which a schedule is due, with the count after each.
    fn beats(period: f64, first: f64, step: f64) -> Vec<(u32, f64)> {
        let mut over = 0.0;
        let mut beats = Vec::new();
        for tick in 0..100 {
            if let Some(count) = due(period, first, over, Known::sum(0.0, f64::from(tick) * step)) {
                over = count;
                beats.push((tick, count));
            }
        }
        beats
    }

    #[test]
    fn a_beat_is_due_in_the_first_tick_that_has_reached_it() {
        let every_third: Vec<(u32, f64)> = (1..34).map(|k| (3 * k, f64::from(k))).collect();
        assert_eq!(beats(0.3, 0.3, 0.1), every_third);
        // Between two ticks: in the one that has it behind itself.
        assert_eq!(beats(7.0, 0.25, 0.1)[..2], [(3, 1.0), (73, 2.0)]);
        assert_eq!(beats(1.0, 0.0, 0.5)[..3], [(0, 1.0), (2, 2.0), (4, 3.0)]);
    }

    #[test]
    fn beats_that_one_tick_passes_over_are_one() {
        let dense = beats(0.025, 0.025, 0.1);
        assert_eq!(dense.len(), 99, "every tick but the first");
        assert_eq!(dense[..3], [(1, 4.0), (2, 8.0), (3, 12.0)]);
        for period in [1e-12, 1e-301] {
            assert_eq!(beats(period, period, 0.1).len(), 99, "{period:e}");
        }
    }
}
