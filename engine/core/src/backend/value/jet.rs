//! Taylor series: the derivatives of every operation of the op table, on numbers, on intervals and on operations that
//! are recorded.
//!
//! Source: A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 13.

mod spline;

use super::Value;
use crate::tape::Code;
use situ_solve::interval::Interval;
use situ_solve::lookup;

/// Coefficient of a series: a number, or an interval that holds it.
pub(crate) trait Scalar: Copy {
    /// A number.
    fn number(value: f64) -> Self;
    /// Anything at all: the slope at a kink.
    fn unknown() -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    /// `code(a, b)`; `old` is what updates read.
    fn of(code: Code, old: Self, a: Self, b: Self) -> Self;
    /// The number, if it is one and exactly so.
    fn exactly(self) -> Option<f64>;

    /// The slope of a code that has kinks, where its operands change by `slopes`: 0 if they do not
    /// change.
    fn slope_at_kinks(slopes: impl Iterator<Item = Self>) -> Self {
        let mut slopes = slopes;
        if slopes.all(|slope| slope.exactly() == Some(0.0)) {
            Self::number(0.0)
        } else {
            Self::unknown()
        }
    }
}

impl Scalar for f64 {
    fn number(value: f64) -> Self {
        value
    }

    fn unknown() -> Self {
        f64::NAN
    }

    fn plus(self, other: f64) -> f64 {
        self + other
    }

    fn minus(self, other: f64) -> f64 {
        self - other
    }

    fn times(self, other: f64) -> f64 {
        self * other
    }

    fn over(self, other: f64) -> f64 {
        self / other
    }

    fn of(code: Code, old: f64, a: f64, b: f64) -> f64 {
        Value::apply(code, old, a, b)
    }

    fn exactly(self) -> Option<f64> {
        Some(self)
    }
}

impl Scalar for Interval {
    fn number(value: f64) -> Self {
        Interval::point(value)
    }

    fn unknown() -> Self {
        Interval::ENTIRE
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn over(self, other: Self) -> Self {
        self / other
    }

    fn of(code: Code, old: Self, a: Self, b: Self) -> Self {
        match code {
            Code::Copy => a,
            Code::Neg => -a,
            Code::Abs => a.abs(),
            Code::Sign => a.sign(),
            Code::Sqrt => a.sqrt(),
            Code::Floor => a.floor(),
            Code::Exp => a.exp(),
            Code::Ln => a.ln(),
            Code::Sin => a.sin(),
            Code::Cos => a.cos(),
            Code::Tan => a.tan(),
            Code::Asin => a.asin(),
            Code::Acos => a.acos(),
            Code::Atan => a.atan(),
            Code::SinDeg => a.sin_deg(),
            Code::CosDeg => a.cos_deg(),
            Code::TanDeg => a.tan_deg(),
            Code::Add => a + b,
            Code::Sub => a - b,
            Code::Mul => a * b,
            Code::Div => a / b,
            Code::Min => a.min(b),
            Code::Max => a.max(b),
            Code::Pow => a.pow(b),
            Code::PowerBase => match b.exactly() {
                Some(n) if n.fract() == 0.0 => Self::number(1.0),
                _ if b.lo().floor() == b.hi().floor() && b.lo().fract() != 0.0 => a,
                _ => a.hull(Self::number(1.0)),
            },
            Code::Mod => a.modulo(b),
            Code::Atan2 => a.atan2(b),
            Code::Angle => a.angle(b),
            Code::Lookup => lookup::lookup_bounds(a, b),
            Code::Entry => lookup::entry_bounds(a, b),
            Code::Spline => lookup::spline_bounds(a, b),
            Code::Gate if a.exactly() == Some(0.0) => a,
            Code::Gate => a * b,
            Code::AddMul => old + a * b,
            Code::Approach => old + (a - old) * b,
            Code::AtLeast => Interval::UNIT,
            Code::LowerAt | Code::RaiseAt => old.hull(Interval::UNIT),
            Code::Less
            | Code::LessEqual
            | Code::Greater
            | Code::GreaterEqual
            | Code::AndLess
            | Code::AndLessEqual
            | Code::AndGreater
            | Code::AndGreaterEqual
            | Code::Test
            | Code::OrTest
            | Code::Rise
            | Code::SetBit
            | Code::ClearBit
            | Code::SkipUnless
            | Code::Push
            | Code::Solve
            | Code::Due => old,
        }
    }

    fn exactly(self) -> Option<f64> {
        (self.lo() == self.hi()).then_some(self.lo())
    }
}

/// The first `N` Taylor coefficients of a quantity: value, first derivative, half the second, ...
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Jet<const N: usize, S = f64>(pub(crate) [S; N]);

impl<const N: usize, S: Scalar> Jet<N, S> {
    pub(super) fn zip(self, other: Self, f: impl Fn(S, S) -> S) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    fn neg(self) -> Self {
        Self(self.0.map(|c| S::of(Code::Neg, c, c, c)))
    }

    pub(super) fn add(self, other: Self) -> Self {
        self.zip(other, S::plus)
    }

    fn sub(self, other: Self) -> Self {
        self.zip(other, S::minus)
    }

    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| {
            sum((0..=k).map(|i| self.0[i].times(other.0[k - i])))
        }))
    }

    /// The product with what need not be defined where it is shut out.
    fn gate(self, other: Self) -> Self {
        let part = |share, of| S::of(Code::Gate, share, share, of);
        Self(std::array::from_fn(|k| {
            sum((0..=k).map(|i| part(self.0[i], other.0[k - i])))
        }))
    }

    fn div(self, other: Self) -> Self {
        self.solved(|c, k| {
            let known = sum((0..k).map(|i| c[i].times(other.0[k - i])));
            self.0[k].minus(known).over(other.0[0])
        })
    }

    fn sqrt(self) -> Self {
        self.solved(|c, k| match k {
            0 => unary(Code::Sqrt, self.0[0]),
            _ => {
                let known = sum((1..k).map(|i| c[i].times(c[k - i])));
                self.0[k].minus(known).over(S::number(2.0).times(c[0]))
            }
        })
    }

    fn exp(self) -> Self {
        self.solved(|c, k| match k {
            0 => unary(Code::Exp, self.0[0]),
            _ => {
                sum((1..=k).map(|i| order::<S>(i).times(self.0[i]).times(c[k - i]))).over(order(k))
            }
        })
    }

    fn ln(self) -> Self {
        self.solved(|c, k| match k {
            0 => unary(Code::Ln, self.0[0]),
            _ => {
                let known = sum((1..k).map(|i| order::<S>(i).times(c[i]).times(self.0[k - i])));
                self.0[k].minus(known.over(order(k))).over(self.0[0])
            }
        })
    }

    fn sin_cos(self) -> (Self, Self) {
        let (mut s, mut c) = ([S::number(0.0); N], [S::number(0.0); N]);
        (s[0], c[0]) = (unary(Code::Sin, self.0[0]), unary(Code::Cos, self.0[0]));
        for k in 1..N {
            let with = |other: &[S; N]| {
                sum((1..=k).map(|i| order::<S>(i).times(self.0[i]).times(other[k - i])))
                    .over(order(k))
            };
            let (sine, cosine) = (with(&c), S::number(0.0).minus(with(&s)));
            (s[k], c[k]) = (sine, cosine);
        }
        (Self(s), Self(c))
    }

    /// The integral of `self' / speed` that starts at `first`.
    fn integral_over(self, speed: Self, first: S) -> Self {
        self.solved(|c, k| match k {
            0 => first,
            _ => {
                let known = sum((1..k).map(|i| order::<S>(i).times(c[i]).times(speed.0[k - i])));
                let rise = order::<S>(k).times(self.0[k]).minus(known);
                rise.over(order::<S>(k).times(speed.0[0]))
            }
        })
    }

    fn angle(self, code: Code, x: Self) -> Self {
        let y = self;
        let square = x.mul(x).add(y.mul(y));
        // x*y' - y*x', one order lower.
        let turn = Self(std::array::from_fn(|k| {
            sum((0..=k).filter(|i| i + 1 < N).map(|i| {
                let (rise, run) = (x.0[k - i].times(y.0[i + 1]), y.0[k - i].times(x.0[i + 1]));
                order::<S>(i + 1).times(rise.minus(run))
            }))
        }));
        let speed = turn.div(square);
        Self(std::array::from_fn(|k| match k {
            0 => S::of(code, y.0[0], y.0[0], x.0[0]),
            _ => speed.0[k - 1].over(order(k)),
        }))
    }

    fn pow(self, exponent: Self) -> Self {
        if let Some(factors) = exponent.multiplied() {
            let mut power = Self::constant(1.0);
            for _ in 0..factors {
                power = power.mul(self);
            }
            let value = S::of(Code::Pow, self.0[0], self.0[0], exponent.0[0]);
            return power.with_value(value);
        }
        let Some(n) = exponent.fixed() else {
            return exponent.mul(self.ln()).exp();
        };
        self.solved(|c, k| match k {
            0 => S::of(Code::Pow, self.0[0], self.0[0], exponent.0[0]),
            _ => sum((1..=k).map(|i| {
                let weight = S::number(n).times(order(i)).minus(order(k - i));
                weight.times(self.0[i]).times(c[k - i])
            }))
            .over(order::<S>(k).times(self.0[0])),
        })
    }

    /// The number, if it does not vary.
    fn fixed(self) -> Option<f64> {
        let rest_is_zero = self.0[1..].iter().all(|c| c.exactly() == Some(0.0));
        self.0[0].exactly().filter(|_| rest_is_zero)
    }

    /// Number of factors of a power with this exponent that is computed as a product.
    pub(super) fn multiplied(self) -> Option<usize> {
        let is_count = |n: &f64| (0.0..=16.0).contains(n) && n.fract() == 0.0;
        self.fixed().filter(is_count).map(count)
    }

    /// The quantity or its opposite, whichever is positive.
    pub(super) fn upright(self) -> Self {
        let sign = unary(Code::Sign, self.0[0]);
        Self(self.0.map(|c| c.times(sign)))
    }

    /// The series whose coefficients follow from those before.
    fn solved(self, next: impl Fn(&[S; N], usize) -> S) -> Self {
        let mut c = [S::number(0.0); N];
        for k in 0..N {
            c[k] = next(&c, k);
        }
        Self(c)
    }

    pub(super) fn with_value(mut self, value: S) -> Self {
        self.0[0] = value;
        self
    }

    fn scaled(self, factor: f64) -> Self {
        Self(self.0.map(|c| c.times(S::number(factor))))
    }
}

pub(super) fn unary<S: Scalar>(code: Code, a: S) -> S {
    S::of(code, a, a, a)
}

fn sum<S: Scalar>(terms: impl Iterator<Item = S>) -> S {
    terms.reduce(S::plus).unwrap_or(S::number(0.0))
}

#[expect(clippy::cast_precision_loss, reason = "orders are small")]
fn order<S: Scalar>(k: usize) -> S {
    S::number(k as f64)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 16"
)]
fn count(n: f64) -> usize {
    n as usize
}

const RADIANS: f64 = std::f64::consts::PI / 180.0;

impl<const N: usize, S: Scalar> Value for Jet<N, S> {
    fn constant(value: f64) -> Self {
        Self([S::number(0.0); N]).with_value(S::number(value))
    }

    fn number(self) -> Option<f64> {
        self.0[0].exactly()
    }

    fn apply(code: Code, old: Self, a: Self, b: Self) -> Self {
        let at = |code| S::of(code, old.0[0], a.0[0], b.0[0]);
        match code {
            Code::Copy => a,
            Code::Neg => a.neg(),
            Code::Add => a.add(b),
            Code::Sub => a.sub(b),
            Code::Mul => a.mul(b),
            Code::Div => a.div(b),
            Code::AddMul => old.add(a.mul(b)),
            Code::Approach => old.add(a.sub(old).mul(b)),
            Code::Sqrt => a.sqrt(),
            Code::Exp => a.exp(),
            Code::Ln => a.ln(),
            Code::Sin => a.sin_cos().0,
            Code::Cos => a.sin_cos().1,
            Code::Tan => {
                let (sine, cosine) = a.sin_cos();
                sine.div(cosine).with_value(at(code))
            }
            Code::SinDeg => a.scaled(RADIANS).sin_cos().0.with_value(at(code)),
            Code::CosDeg => a.scaled(RADIANS).sin_cos().1.with_value(at(code)),
            Code::TanDeg => {
                let (sine, cosine) = a.scaled(RADIANS).sin_cos();
                sine.div(cosine).with_value(at(code))
            }
            Code::Asin | Code::Acos => {
                let speed = Self::constant(1.0).sub(a.mul(a)).sqrt();
                let asin = a.integral_over(speed, at(code));
                if code == Code::Asin {
                    asin
                } else {
                    asin.neg().with_value(at(code))
                }
            }
            Code::Atan => a.integral_over(Self::constant(1.0).add(a.mul(a)), at(code)),
            Code::Atan2 | Code::Angle => a.angle(code, b),
            Code::Pow => a.pow(b),
            Code::PowerBase => {
                // 0 where the exponent is whole, else 1.
                let is_whole = S::of(code, b.0[0], S::number(0.0), b.0[0]);
                let part = S::number(1.0).minus(is_whole);
                Self(a.0.map(|c| c.times(part))).with_value(at(code))
            }
            Code::Spline => a.spline(b),
            Code::Gate => a.gate(b),
            // A mode has no kinks; what remains of them does not vary.
            Code::Abs
            | Code::Sign
            | Code::Floor
            | Code::Min
            | Code::Max
            | Code::Mod
            | Code::AtLeast
            | Code::Lookup
            | Code::Entry
            | Code::LowerAt
            | Code::RaiseAt => {
                let slopes = a.0.into_iter().skip(1).chain(b.0.into_iter().skip(1));
                Self([S::slope_at_kinks(slopes); N]).with_value(at(code))
            }
            Code::Less
            | Code::LessEqual
            | Code::Greater
            | Code::GreaterEqual
            | Code::AndLess
            | Code::AndLessEqual
            | Code::AndGreater
            | Code::AndGreaterEqual
            | Code::Test
            | Code::OrTest
            | Code::Rise
            | Code::SetBit
            | Code::ClearBit
            | Code::SkipUnless
            | Code::Push
            | Code::Solve
            | Code::Due => old,
        }
    }
}

/// Coefficients that are themselves known with their change in a small displacement.
impl<S: Scalar> Scalar for Jet<2, S> {
    fn number(value: f64) -> Self {
        Self([S::number(value), S::number(0.0)])
    }

    fn unknown() -> Self {
        Self([S::unknown(); 2])
    }

    fn plus(self, other: Self) -> Self {
        self.add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.sub(other)
    }

    fn times(self, other: Self) -> Self {
        self.mul(other)
    }

    fn over(self, other: Self) -> Self {
        self.div(other)
    }

    fn of(code: Code, old: Self, a: Self, b: Self) -> Self {
        Value::apply(code, old, a, b)
    }

    fn exactly(self) -> Option<f64> {
        match self.0[1].exactly() {
            Some(0.0) => self.0[0].exactly(),
            _ => None,
        }
    }

    fn slope_at_kinks(slopes: impl Iterator<Item = Self>) -> Self {
        Self([S::slope_at_kinks(slopes.flat_map(|slope| slope.0)); 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Shape;

    /// Coefficients of `f` at `x`, by differences of a fine polynomial fit, are too rough; instead the
    /// series is evaluated and compared with the function itself.
    fn agrees(code: Code, a: [f64; 4], b: [f64; 4]) {
        let series = Jet::<4>::apply(code, Jet::constant(0.0), Jet(a), Jet(b)).0;
        let at = |c: [f64; 4], s: f64| c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        for s in [1e-3, -1e-3] {
            let exact = <f64 as Value>::apply(code, 0.0, at(a, s), at(b, s));
            let error = (at(series, s) - exact).abs();
            assert!(
                error < 3e-10 * (1.0 + exact.abs()),
                "{code:?} {s} {error:e}"
            );
        }
    }

    #[test]
    fn series_agree_with_the_functions() {
        let (a, b) = ([0.4, 0.7, -0.3, 0.2], [1.3, -0.5, 0.4, 0.1]);
        for &code in Code::ALL {
            let plain = code.pieces().is_none() && !code.names_lookup();
            if plain && matches!(code.shape(), Shape::Unary | Shape::Binary) {
                agrees(code, a, b);
                let (a, b) = ([0.9, -0.2, 0.5, -0.4], [2.0, 0.0, 0.0, 0.0]);
                agrees(code, a, b);
            }
        }
        agrees(Code::Pow, a, [-1.5, 0.0, 0.0, 0.0]);
        for code in [Code::Atan2, Code::Angle] {
            agrees(code, [-0.4, 0.7, -0.3, 0.2], [-1.3, -0.5, 0.4, 0.1]);
        }
    }

    #[test]
    fn intervals_hold_the_series() {
        let (a, b) = ([0.4, 0.7, -0.3], [1.3, -0.5, 0.4]);
        for &code in Code::ALL {
            if !matches!(code.shape(), Shape::Unary | Shape::Binary | Shape::Update) {
                continue;
            }
            let points = |c: [f64; 3]| Jet::<3, Interval>(c.map(Interval::point));
            let held = Jet::apply(code, points(b), points(a), points(b)).0;
            let series = Jet::<3>::apply(code, Jet(b), Jet(a), Jet(b)).0;
            for (held, c) in held.iter().zip(series) {
                let widened = held.widened(4);
                assert!(c.is_nan() || widened.contains(c), "{code:?} {c} {held:?}");
            }
        }
    }
}
