//! The range of values along an axis.

/// A range of finite values, never empty and never so narrow or wide that scaling it fails.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extent {
    /// Least value.
    pub low: f64,
    /// Greatest value, above `low`.
    pub high: f64,
}

/// So that the difference of two such numbers is a number.
const GREATEST: f64 = f64::MAX / 4.0;
/// Below this a difference cannot be told from rounding noise.
const NARROWEST: f64 = 1e-12;

impl Extent {
    /// From the least to the greatest finite value; a value that stands still gets room around it.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = bounds(values).unwrap_or((0.0, 0.0));
        Self::between(low, high)
    }

    /// The range between two values, widened if they are the same up to rounding.
    pub fn between(low: f64, high: f64) -> Self {
        let (low, high) = (
            low.clamp(-GREATEST, GREATEST),
            high.clamp(-GREATEST, GREATEST),
        );
        let size = low.abs().max(high.abs());
        if high - low > NARROWEST * size && high - low > f64::MIN_POSITIVE {
            return Self { low, high };
        }
        let room = if size > f64::MIN_POSITIVE {
            0.1 * size
        } else {
            1.0
        };
        Self {
            low: (low - room).max(-GREATEST),
            high: (high + room).min(GREATEST),
        }
    }

    /// `high - low`
    pub fn span(&self) -> f64 {
        self.high - self.low
    }

    /// With room on both sides, a fraction of the span each.
    pub fn padded(&self, fraction: f64) -> Self {
        let room = fraction * self.span();
        Self::between(self.low - room, self.high + room)
    }

    /// The same middle, another span.
    pub fn stretched(&self, factor: f64) -> Self {
        self.padded((factor - 1.0) / 2.0)
    }

    /// Position of a value: 0 at `low`, 1 at `high`; finite for every finite value.
    pub fn position(&self, value: f64) -> f64 {
        // Halves, so that no difference overflows.
        (value / 2.0 - self.low / 2.0) / (self.span() / 2.0)
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self::between(0.0, 0.0)
    }
}

/// Least and greatest finite value.
pub(super) fn bounds(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |bounds, value| match bounds {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_values_give_a_range_that_can_be_divided_by() {
        for values in [
            &[][..],
            &[0.0],
            &[f64::NAN, f64::INFINITY],
            &[5.0, 5.0],
            &[1e300, -1e300],
            &[f64::MAX, -f64::MAX],
            &[f64::MAX],
            &[f64::MAX, 0.0],
            &[5e-324, 0.0],
            &[9.81, 9.81 + 1e-15],
            &[-3.0, 7.0, f64::NAN],
        ] {
            let extent = Extent::of(values.iter().copied()).padded(0.05);
            assert!(
                extent.span() > 0.0 && extent.span().is_finite(),
                "{values:?}: {extent:?}"
            );
            for value in values.iter().filter(|value| value.is_finite()) {
                let position = extent.position(*value);
                let inside = value.abs() > GREATEST || (0.0..=1.0).contains(&position);
                assert!(
                    inside && position.is_finite(),
                    "{values:?}: {value} at {position}"
                );
            }
        }
        assert_eq!(
            Extent::of([-3.0, 7.0, f64::NAN]),
            Extent {
                low: -3.0,
                high: 7.0
            }
        );
    }
}
