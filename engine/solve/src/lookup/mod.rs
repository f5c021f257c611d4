//! Lookups: functions given by measured points, as piecewise polynomials.
//!
//! Points become [`Pieces`] (straight lines or steps, whose breaks are borders of a hybrid run) or a [`Spline`]
//! (cubic pieces that join smoothly, so that nothing happens at its knots). Both are *interned*: kept once for the
//! life of the process under a number that follows from their content alone ([`Handle`]). An operation on numbers can
//! name them by that number, whatever evaluates it, and a saved run means the same lookup in another process.
//!
//! What an argument outside of the points gives is decided before: [`Beyond`] says so for pieces; an argument of a
//! spline is limited or wrapped by its caller.

mod interned;
mod pieces;
mod spline;

pub use interned::{entry, entry_bounds, lookup, lookup_bounds, spline, spline_bounds};
pub use pieces::{Beyond, Columns, Form, Pieces};
pub use spline::Spline;

/// The number of an interned lookup or column; a whole number that `f64` holds exactly.
pub type Handle = f64;

/// A margin that is never reached stands for an end that a first or last piece does not have.
pub const NO_END: f64 = 1e300;

/// So many pieces are bounded one by one; more take the bounds of all.
const ONE_BY_ONE: usize = 32;

/// Where a piece is found at once: breaks by equal parts of what they span.
///
/// Source: indexed search ("guide table"), L. Devroye, Non-Uniform Random Variate Generation (1986), II.2.4.
#[derive(Clone, PartialEq, Debug)]
struct Guide {
    origin: f64,
    per_part: f64,
    /// Number of breaks below the beginning of each part, and all.
    first: Box<[u32]>,
}

impl Guide {
    fn of(breaks: &[f64]) -> Self {
        let (origin, end) = match breaks {
            [first, .., last] => (*first, *last),
            _ => (0.0, 0.0),
        };
        let parts = breaks.len().max(1);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 breaks")]
        let per_part = parts as f64 / (end - origin);
        let per_part = if per_part.is_finite() { per_part } else { 0.0 };
        let mut guide = Self {
            origin,
            per_part,
            first: Box::default(),
        };
        let mut first = vec![0_u32; parts + 1];
        for &place in breaks {
            first[guide.part(place, parts) + 1] += 1;
        }
        for part in 0..parts {
            first[part + 1] += first[part];
        }
        guide.first = first.into();
        guide
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates"
    )]
    #[inline]
    fn part(&self, x: f64, parts: usize) -> usize {
        (((x - self.origin) * self.per_part) as usize).min(parts - 1)
    }

    /// Number of breaks not above a number.
    #[inline]
    fn count(&self, breaks: &[f64], x: f64) -> usize {
        let part = self.part(x, self.first.len() - 1);
        let (from, to) = (self.first[part] as usize, self.first[part + 1] as usize);
        let mut at = if to - from > 8 {
            from + breaks[from..to].partition_point(|&place| place <= x)
        } else {
            from
        };
        while at < breaks.len() && breaks[at] <= x {
            at += 1;
        }
        while at > 0 && breaks[at - 1] > x {
            at -= 1;
        }
        at
    }
}

#[cfg(test)]
mod tests;
