//! A proof, in all lanes at once, that a margin keeps its sign in a step.
//!
//! A margin that is affine in what moves is a polynomial along the dense output of a step. If all its
//! Bernstein coefficients have the sign of the side that the run holds, it has no zero there, and the
//! search of a single run (`solve::roots`), which begins with the same look, finds none. The bound for
//! rounding errors here is the wider one: what is not proved is looked at by the run itself.
//!
//! A zero at the start is divided out, so that the first step after an instant is done in a lane, too.

use crate::backend::lanes::{Mask, Wide, mask_of};
use crate::sim::hybrid::{FlightMargin, MOST_ZEROS};
use crate::solve::lanes::{LaneStepper, POWERS};

/// Rounding errors of a Bernstein coefficient, in units of the sizes of the terms that it is made of.
const ROUNDING: f64 = 1024.0 * f64::EPSILON;

/// A margin in all lanes.
pub(super) struct LaneMargin {
    constant: Wide,
    size: Wide,
    per_time: Wide,
    /// Whether some lane had a weight for the time.
    timed: bool,
    /// States on which it depends, and their weights.
    terms: Vec<(usize, Wide)>,
    sign: Wide,
    /// The lanes in which it vanishes once at least, twice at least, at the start of the first step.
    zeros: [Mask; MOST_ZEROS],
}

impl LaneMargin {
    /// A margin that depends on some states.
    pub(super) fn new(states: &[usize]) -> Self {
        let zero = Wide::splat(0.0);
        Self {
            constant: zero,
            size: zero,
            per_time: zero,
            timed: false,
            terms: states.iter().map(|&state| (state, zero)).collect(),
            sign: Wide::splat(1.0),
            zeros: [0; MOST_ZEROS],
        }
    }

    /// Takes over the numbers of a run.
    pub(super) fn load(&mut self, lane: usize, own: &FlightMargin) {
        self.constant.set(lane, own.constant);
        self.size.set(lane, own.size);
        self.per_time.set(lane, own.per_time);
        self.timed |= own.per_time != 0.0;
        for ((_, wide), &weight) in self.terms.iter_mut().zip(&own.weights) {
            wide.set(lane, weight);
        }
        self.sign.set(lane, own.sign);
        for (zeros, lanes) in self.zeros.iter_mut().enumerate() {
            let vanishes = own.zeros > zeros;
            *lanes = *lanes & !mask_of(lane) | if vanishes { mask_of(lane) } else { 0 };
        }
    }

    /// The lanes in which it keeps its sign in the trial. `fresh`: those whose step is the first one.
    #[inline(always)]
    pub(super) fn stays(&self, steps: &LaneStepper, fresh: Mask) -> Mask {
        let n_powers = steps.degree() + 1;
        let mut sums = [Wide::splat(0.0); POWERS];
        let mut size = self.size;
        sums[0] = self.constant;
        if self.timed {
            let (t, h) = steps.spans();
            let weight = &self.per_time;
            sums[0].update([weight, t], |sum, [weight, t]| sum + weight * t);
            sums[1].update([weight, h], |_, [weight, h]| weight * h);
            size.update([weight, t, h], |size, [weight, t, h]| {
                size + weight.abs() * (t.abs() + h)
            });
        }
        let mut powers = [Wide::splat(0.0); POWERS];
        for (state, weight) in &self.terms {
            steps.powers(*state, &mut powers);
            for (sum, power) in sums.iter_mut().zip(&powers[..n_powers]) {
                sum.update([weight, power], |sum, [weight, power]| sum + weight * power);
                size.update([weight, power], |size, [weight, power]| {
                    size + (weight * power).abs()
                });
            }
        }
        for vanishes in self.zeros {
            // What vanishes at the start is divided by theta.
            let vanishes = vanishes & fresh;
            if vanishes != 0 {
                for power in 1..n_powers {
                    let next = sums[power];
                    sums[power - 1].update_in(vanishes, [&next], |_, [next]| next);
                }
                sums[n_powers - 1].update_in(vanishes, [], |_, []| 0.0);
            }
        }
        let least = match n_powers {
            5 => least(&sums, &self.sign, &FOUR),
            8 => least(&sums, &self.sign, &SEVEN),
            _ => least(&sums, &self.sign, &TWELVE),
        };
        least.compare(&size, |least, size| least > ROUNDING * size)
    }
}

/// What turns powers into Bernstein coefficients: `C(i, j) / C(d, j)` for all j up to i.
const fn bernstein<const N: usize>() -> [[f64; N]; N] {
    let mut rows = [[0.0; N]; N];
    let mut i = 0;
    while i < N {
        let (mut above, mut below) = (1.0, 1.0);
        let mut j = 0;
        while j <= i {
            rows[i][j] = above / below;
            above *= (i - j) as f64;
            below *= (N - 1 - j) as f64;
            j += 1;
        }
        i += 1;
    }
    rows
}

static FOUR: [[f64; 5]; 5] = bernstein();
static SEVEN: [[f64; 8]; 8] = bernstein();
static TWELVE: [[f64; POWERS]; POWERS] = bernstein();

/// The least Bernstein coefficients of polynomials times their signs.
#[inline(always)]
fn least<const N: usize>(sums: &[Wide; POWERS], signs: &Wide, rows: &[[f64; N]; N]) -> Wide {
    let signs = signs.values();
    Wide::of(|lane| {
        let powers: [f64; N] = std::array::from_fn(|power| sums[power].values()[lane]);
        let mut least = f64::INFINITY;
        for (i, row) in rows.iter().enumerate() {
            let mut sum = powers[0];
            for j in 1..=i {
                sum += row[j] * powers[j];
            }
            let value = signs[lane] * sum;
            // No number is less than any.
            least = if value >= least { least } else { value };
        }
        least
    })
}
