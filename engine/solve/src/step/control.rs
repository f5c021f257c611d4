//! Step size control: error norm, control laws, first step.
//!
//! The norm is the largest component, not the mean square: a state that has nothing to do with the
//! rest, added to a table, then changes no step, and the component that limits the step is known.

use super::{Counted, Start};
use crate::system::{Refusal, System};
use serde::{Deserialize, Serialize};

/// The largest error in units of its tolerance, and where it is. NaN if any is not a number.
#[inline]
pub(crate) fn norm(error: &[f64], start: &Start<'_>, y1: &[f64]) -> (f64, usize) {
    let n = error.len();
    let (y0, y1, atol, rtol) = (&start.y[..n], &y1[..n], &start.atol[..n], start.rtol);
    let (mut largest, mut component) = (0.0, 0);
    for i in 0..n {
        let scale = atol[i] + rtol * y0[i].abs().max(y1[i].abs());
        let ratio = error[i].abs() / scale;
        // NaN is taken and kept; 0 / 0 (no error where nothing is tolerated) is not an error.
        if !(ratio <= largest) && error[i] != 0.0 {
            (largest, component) = (ratio, i);
            if ratio.is_nan() {
                break;
            }
        }
    }
    (largest, component)
}

/// Step size controller: from error estimates to step lengths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StepController {
    /// The local error estimate shrinks like h to this power.
    pub(crate) power: f64,
    pub(crate) kind: ControllerKind,
    pub(crate) safety: f64,
    /// Largest growth of a step.
    pub(crate) grow: f64,
    /// Smallest factor after a step too long.
    pub(crate) shrink: f64,
    /// Ratio of `(h w)^power` to the tolerance in the first step of a motion that turns w times faster
    /// with each derivative: a tenth of what oscillators of speed 7 and 9 show to be tolerated.
    pub(crate) first: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ControllerKind {
    /// Proportional-integral: `h *= safety * e^-alpha * e_last^beta` (Hairer, Nørsett, Wanner,
    /// II.4).
    Pi {
        /// Exponent of this error.
        alpha: f64,
        /// Exponent of the last one.
        beta: f64,
    },
    /// Predictive (Gustafsson 1994; Hairer and Wanner, IV.8): extrapolates the error coefficient.
    Predictive,
    /// The next step is planned at its start; this is how much longer it may be at most.
    Planned,
}

/// Memory of the step size controller: the last accepted step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ControllerState {
    /// Binary logarithm of its error in units of the tolerance.
    pub log_error: f64,
    /// Its length; 0 if there is none.
    pub h: f64,
}

impl ControllerState {
    /// Nothing is known.
    pub const EMPTY: Self = Self {
        log_error: LEAST_PI,
        h: 0.0,
    };
}

/// Errors below 2^-13.3 (a ten-thousandth) count as this, so that one lucky step does not decide
/// the next ones.
const LEAST_PI: f64 = -13.3;
/// The same for the predictive law: a hundredth.
const LEAST_PREDICTIVE: f64 = -6.65;
/// No error at all counts as this.
const LEAST: f64 = -33.0;

impl StepController {
    /// Length of the step after an accepted one of length `h`.
    #[inline(always)]
    pub(crate) fn accepted(
        &self,
        memory: &ControllerState,
        error: f64,
        h: f64,
    ) -> (f64, ControllerState) {
        match self.kind {
            ControllerKind::Pi { alpha, beta } => self.damped([alpha, beta], memory, error, h),
            ControllerKind::Predictive => {
                let log_error = log_of(error);
                let factor = if memory.h > 0.0 {
                    let per_power = 1.0 / self.power;
                    let trend = exp2((memory.log_error - 2.0 * log_error) * per_power);
                    exp2(-log_error * per_power).min(h / memory.h * trend)
                } else {
                    exp2(-log_error / self.power)
                };
                (
                    self.next(factor, h),
                    ControllerState {
                        log_error: log_error.max(LEAST_PREDICTIVE),
                        h,
                    },
                )
            }
            ControllerKind::Planned => (h * self.grow, *memory),
        }
    }

    /// The same by [`ControllerKind::Pi`]. There are no branches: in lanes this is done for many runs at once.
    #[inline(always)]
    pub(crate) fn damped(
        &self,
        [alpha, beta]: [f64; 2],
        memory: &ControllerState,
        error: f64,
        h: f64,
    ) -> (f64, ControllerState) {
        let log_error = log_of(error);
        let damped = beta * memory.log_error - alpha * log_error;
        let exponent = if memory.h > 0.0 {
            damped
        } else {
            // There is no trend to be damped yet.
            -log_error / self.power
        };
        (
            self.next(exp2(exponent), h),
            ControllerState {
                log_error: log_error.max(LEAST_PI),
                h,
            },
        )
    }

    #[inline(always)]
    fn next(&self, factor: f64, h: f64) -> f64 {
        h * within([self.shrink, self.grow], self.safety * factor)
    }

    /// Length of the next trial after one whose error was `error` > 1.
    #[inline(always)]
    pub(crate) fn rejected(&self, error: f64, h: f64) -> f64 {
        h * (self.safety * power(error, -1.0 / self.power)).max(self.shrink)
    }
}

/// First step, not longer than `hmax`, from three derivatives of the state: the second one by an Euler step of
/// 1 % of the state's size (Hairer, Nørsett, Wanner, II.4), the third one by what a way of that size along
/// the second does to the rates.
///
/// The third derivative is the first one times -w^2 in an oscillation of speed w, in whatever phase and
/// whatever units, times w^2 in growth or decay, and 0 in free fall, where nothing limits the step. So w is the
/// root of the ratio of their norms, and the error of a step is taken for that of an oscillator. For the
/// same error H2 takes 0.85 (tsit5) and 0.84 (dop853) of the evaluations that it takes with the estimate
/// of Hairer, Nørsett and Wanner, which knows no third derivative; most problems take as many.
///
/// # Errors
///
/// [`Refusal::Stop`] only; where the trial point is refused the trial is shortened.
/// Cost: two evaluations, more only after a refusal.
///
/// The first step of a state that leaves 0 at rate 0 (a cart that a vanishing force takes off its stop) stays
/// as short as the state's size: in a long one the dense output's own error decides on which side it leaves, and
/// events without end follow. Ten times the last step, where no third derivative is seen, was tried: after instants,
/// which cut steps, the steps of a ball grew tenfold until the dense output had no digits left for the flight.
pub(crate) fn first_step<S: System>(
    system: &mut Counted<'_, S>,
    t: f64,
    (y, f): (&[f64], &[f64]),
    (atol, rtol): (&[f64], f64),
    law: &StepController,
    (hmax, care): (f64, Care),
    (trial, derivative, second): (&mut [f64], &mut [f64], &mut [f64]),
) -> Result<f64, Refusal> {
    let n = y.len();
    let (atol, f, second) = (&atol[..n], &f[..n], &mut second[..n]);
    let scale = |i: usize, reach: f64| atol[i] + rtol * y[i].abs().max(reach);
    let size = |value: &[f64]| largest(n, |i| value[i].abs() / scale(i, 0.0));
    let (d0, d1) = (size(y), size(f));
    let mut h0 = by_size([d0, d1])
        .min(hmax)
        .max(4.0 * f64::EPSILON * t.abs());
    let mut trials = TRIALS_OUTSIDE;
    loop {
        for ((trial, y), f) in trial.iter_mut().zip(y).zip(f) {
            *trial = y + h0 * f;
        }
        match system.rhs(t + h0, trial, derivative) {
            Ok(()) => break,
            Err(Refusal::Stop) => return Err(Refusal::Stop),
            Err(Refusal::Outside) if trials > 1 => {
                (trials, h0) = (trials - 1, h0 * 0.1);
            }
            Err(Refusal::Outside) => return Ok(h0 * 0.1),
        }
    }
    for i in 0..n {
        second[i] = (derivative[i] - f[i]) / h0;
    }
    let d2 = size(second);
    if hmax.is_finite() && hmax * (d1 + hmax * d2) <= STILL {
        // At rest there is nothing to go by but the steps before.
        return Ok(hmax);
    }
    // Before the first step of a run, and near where the system ends, there is nothing but the state's size.
    let longest = if hmax.is_finite() && trials == TRIALS_OUTSIDE && care == Care::Usual {
        hmax
    } else {
        hmax.min(100.0 * h0)
    };
    if d2 == 0.0 {
        return Ok(longest);
    }
    let way = 0.01 * d0.max(1.0) / d2;
    for ((trial, y), second) in trial.iter_mut().zip(y).zip(&*second) {
        *trial = y + way * second;
    }
    let speed = match system.rhs(t, trial, derivative) {
        Ok(()) => {
            let d3 = largest(n, |i| (derivative[i] - f[i]).abs() / scale(i, 0.0)) / way;
            // Where the rates are about to be 0 the second ratio is the better one.
            (d3 / d1).sqrt().min(d3 / d2)
        }
        Err(Refusal::Outside) => d2 / d1,
        Err(Refusal::Stop) => return Err(Refusal::Stop),
    };
    // Beside the end of a domain, with rates of 0, it is infinite.
    if !(speed > 0.0 && speed.is_finite()) {
        return Ok(longest);
    }
    let swing = |i: usize| (f[i].abs() / speed).max(second[i].abs() / (speed * speed));
    // By the tolerances of components that are about to become as large as they will swing.
    let swing = largest(n, |i| swing(i) / scale(i, swing(i)));
    Ok((power(law.first / swing, 1.0 / law.power) / speed).min(longest))
}

/// The time in which a state changes by 1 % of its size, both it and its rate in units of the tolerances.
#[inline]
fn by_size([state, rate]: [f64; 2]) -> f64 {
    if state < 1e-5 || rate < 1e-5 {
        1e-6
    } else {
        0.01 * state / rate
    }
}

/// First step of a planned length, not longer than `hmax`: not longer either than the state takes to become
/// another one, where nothing else says what is long, or with care.
#[inline]
pub(crate) fn first_planned_step(plan: f64, start: &Start<'_>, (hmax, care): (f64, Care)) -> f64 {
    let known = plan.min(hmax);
    if known.is_finite() && care == Care::Usual {
        return known;
    }
    let n = start.y.len();
    let size = |value: &[f64]| largest(n, |i| value[i].abs() / start.scale(i));
    known.min(100.0 * by_size([size(start.y), size(start.f)]))
}

/// The largest of some ratios that is finite: without tolerance at 0 a ratio is infinite or 0 / 0, and
/// says nothing about scale.
fn largest(n: usize, ratio: impl Fn(usize) -> f64) -> f64 {
    let ratios = (0..n).map(ratio);
    ratios.filter(|ratio| ratio.is_finite()).fold(0.0, f64::max)
}

/// Limit of a first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Care {
    /// As the estimate says.
    Usual,
    /// Not longer than the state would take to become another one, counting what is 0 as small: something
    /// that grows like a power of time has to be seen on the dense output.
    Close,
}

/// A change below this part of the tolerances, in the longest step, is none.
const STILL: f64 = 1e-2;

/// After so many refused trials the first step itself has to find out.
const TRIALS_OUTSIDE: usize = 4;

/// x^p for x >= 0 to four digits, which is plenty for a step length.
#[inline(always)]
pub(crate) fn power(x: f64, p: f64) -> f64 {
    exp2(p * log2(within([1e-300, 1e300], x)))
}

/// A number, or the end of a range beyond which it lies: two instructions, as `max` and `min` are not, which look
/// for NaN, and `clamp`, which looks at the range.
#[inline(always)]
fn within([least, most]: [f64; 2], x: f64) -> f64 {
    let x = if x < least { least } else { x };
    if x > most { most } else { x }
}

/// The logarithm of an error as the laws take it.
#[inline(always)]
fn log_of(error: f64) -> f64 {
    if error > 1e-10 { log2(error) } else { LEAST }
}

/// Numbers from here to the next power of two have no digits behind the point: the last bits are those of an
/// integer.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// Binary logarithm of a positive normal number with an error below 1e-5.
///
/// This and [`exp2`] are additions, multiplications and one division, without branches: the same bits on every
/// machine and in lanes, and a tenth of the cost of two exact powers, which were a third of a step of the
/// pendulum.
#[inline(always)]
fn log2(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mantissa = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    let exponent = f64::from_bits((bits >> 52) | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let (mantissa, exponent) = if mantissa > std::f64::consts::SQRT_2 {
        (mantissa * 0.5, exponent + 1.0)
    } else {
        (mantissa, exponent)
    };
    // ln m = 2 artanh z
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let s = z * z;
    let artanh = z * (1.0 + s * (1.0 / 3.0 + s * 0.2));
    exponent + artanh * (2.0 * std::f64::consts::LOG2_E)
}

/// 2^x with a relative error below 5e-5.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    let x = within([-1000.0, 1000.0], x);
    let shifted = x + 1.5 * WHOLE;
    let u = (x - (shifted - 1.5 * WHOLE)) * std::f64::consts::LN_2;
    let series = 1.0 + u * (1.0 + u * (0.5 + u * (1.0 / 6.0 + u * (1.0 / 24.0))));
    series * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Stats;
    use crate::step::history::History;
    use crate::system::Refusal;

    #[test]
    fn power_has_four_digits() {
        for &x in &[1e-300, 1e-10, 3e-5, 0.07, 0.999, 1.0, 1.5, 2.0, 33.0, 1e20] {
            for &p in &[-0.25, -0.2, -0.14, 0.0, 0.04, 0.125, 0.5, 1.0] {
                let (got, exact) = (power(x, p), libm::pow(x, p));
                assert!(
                    (got / exact - 1.0).abs() < 1e-4,
                    "{x} ^ {p}: {got} for {exact}"
                );
            }
        }
    }

    #[test]
    fn norm_names_the_worst_component() {
        fn check(error: &[f64], y: &[f64]) -> (f64, usize) {
            let start = Start {
                t: 0.0,
                y,
                f: y,
                atol: &vec![0.0; y.len()],
                history: &History::default(),
                rtol: 1e-6,
            };
            norm(error, &start, y)
        }
        let (largest, component) = check(&[1e-6, -4e-6, 2e-6], &[1.0, 2.0, 4.0]);
        assert!((largest - 2.0).abs() < 1e-12);
        assert_eq!(component, 1);
        assert!(check(&[1e-6, f64::NAN, 9.0], &[1.0, 2.0, 4.0]).0.is_nan());
        assert_eq!(check(&[0.0], &[0.0]).0, 0.0);
        assert_eq!(check(&[1e-9], &[0.0]).0, f64::INFINITY);
    }

    struct Decay(f64);

    impl System for Decay {
        fn dim(&self) -> usize {
            1
        }

        fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
            dy[0] = -y[0];
            if y[0] < self.0 {
                Err(Refusal::Outside)
            } else {
                Ok(())
            }
        }
    }

    fn first_step_of(least: f64) -> f64 {
        let mut system = Decay(least);
        let mut counted = Counted {
            system: &mut system,
            stats: &mut Stats::default(),
        };
        let (mut a, mut b, mut c) = ([0.0], [0.0], [0.0]);
        let law = StepController {
            power: 6.0,
            kind: ControllerKind::Predictive,
            safety: 0.9,
            grow: 6.0,
            shrink: 0.2,
            first: 100.0,
        };
        first_step(
            &mut counted,
            0.0,
            (&[1.0], &[-1.0]),
            (&[1e-6], 1e-6),
            &law,
            (10.0, Care::Usual),
            (&mut a, &mut b, &mut c),
        )
        .unwrap()
    }

    #[test]
    fn first_step_is_near_the_step_that_meets_the_tolerance() {
        let h = first_step_of(f64::NEG_INFINITY);
        assert!(h > 0.01 && h < 0.3, "{h}");
    }

    #[test]
    fn first_step_shrinks_where_the_trial_is_refused() {
        let h = first_step_of(0.9999);
        assert!(h > 0.0 && h < 0.05, "{h}");
    }
}
