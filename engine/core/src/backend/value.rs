//! Kinds of numbers a tape can be evaluated on, besides the interpreter's reals: Taylor series
//! ([`Jet`]) and values with a bound of their rounding error ([`Bounded`]).
//!
//! The op table says what a code means; here stands what follows from it for each kind of number.

use crate::tape::{Code, Op, elementary, with_real_ops};

/// A kind of number.
pub(crate) trait Value: Copy {
    /// A number that does not vary.
    fn constant(value: f64) -> Self;

    /// `code(a, b)`; `old` is what the result's slot held, which only updates read. Codes that work
    /// on bits do not occur.
    fn apply(code: Code, old: Self, a: Self, b: Self) -> Self;
}

/// Executes ops on reals.
pub(crate) fn run<V: Value>(ops: &[Op], slots: &mut [V]) {
    for op in ops {
        let (old, a, b) = (
            slots[op.out as usize],
            slots[op.a as usize],
            slots[op.b as usize],
        );
        slots[op.out as usize] = V::apply(op.code, old, a, b);
    }
}

macro_rules! real_value {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr;)* }
    ) => {
        impl Value for f64 {
            #[inline]
            fn constant(value: f64) -> Self {
                value
            }

            #[inline]
            fn apply(code: Code, old: f64, a: f64, b: f64) -> f64 {
                match code {
                    $(Code::$unary => {
                        let $x = a;
                        $uvalue
                    })*
                    $(Code::$binary => {
                        let ($a, $b) = (a, b);
                        $bvalue
                    })*
                    $(Code::$update => {
                        let ($y, $wa, $wb) = (old, a, b);
                        $wvalue
                    })*
                    Code::Less | Code::LessEqual | Code::Greater | Code::GreaterEqual
                    | Code::AndLess | Code::AndLessEqual | Code::AndGreater
                    | Code::AndGreaterEqual | Code::Test | Code::OrTest | Code::Rise
                    | Code::SetBit | Code::ClearBit | Code::SkipUnless | Code::Push | Code::Due => old,
                }
            }
        }
    };
}
with_real_ops!(real_value);

/// The first `N` Taylor coefficients of a quantity: value, first derivative, half the second, ...
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Jet<const N: usize>(pub(crate) [f64; N]);

impl<const N: usize> Jet<N> {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self(self.0.map(f))
    }

    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| {
            (0..=k).map(|i| self.0[i] * other.0[k - i]).sum()
        }))
    }

    fn div(self, other: Self) -> Self {
        let mut c = [0.0; N];
        for k in 0..N {
            let known: f64 = (0..k).map(|i| c[i] * other.0[k - i]).sum();
            c[k] = (self.0[k] - known) / other.0[0];
        }
        Self(c)
    }

    fn sqrt(self) -> Self {
        let mut c = [0.0; N];
        c[0] = self.0[0].sqrt();
        for k in 1..N {
            let known: f64 = (1..k).map(|i| c[i] * c[k - i]).sum();
            c[k] = (self.0[k] - known) / (2.0 * c[0]);
        }
        Self(c)
    }

    fn exp(self) -> Self {
        let mut c = [0.0; N];
        c[0] = libm::exp(self.0[0]);
        for k in 1..N {
            let sum: f64 = (1..=k).map(|i| order(i) * self.0[i] * c[k - i]).sum();
            c[k] = sum / order(k);
        }
        Self(c)
    }

    fn ln(self) -> Self {
        let mut c = [0.0; N];
        c[0] = libm::log(self.0[0]);
        for k in 1..N {
            let known: f64 = (1..k).map(|i| order(i) * c[i] * self.0[k - i]).sum();
            c[k] = (self.0[k] - known / order(k)) / self.0[0];
        }
        Self(c)
    }

    fn sin_cos(self) -> (Self, Self) {
        let (mut s, mut c) = ([0.0; N], [0.0; N]);
        (s[0], c[0]) = (elementary::sin(self.0[0]), elementary::cos(self.0[0]));
        for k in 1..N {
            let sines: f64 = (1..=k).map(|i| order(i) * self.0[i] * c[k - i]).sum();
            let cosines: f64 = (1..=k).map(|i| order(i) * self.0[i] * s[k - i]).sum();
            s[k] = sines / order(k);
            c[k] = -cosines / order(k);
        }
        (Self(s), Self(c))
    }

    /// The integral of `self' / speed` that starts at `first`.
    fn integral_over(self, speed: Self, first: f64) -> Self {
        let mut c = [0.0; N];
        c[0] = first;
        for k in 1..N {
            let known: f64 = (1..k).map(|i| order(i) * c[i] * speed.0[k - i]).sum();
            c[k] = (order(k) * self.0[k] - known) / (order(k) * speed.0[0]);
        }
        Self(c)
    }

    fn atan2(self, x: Self) -> Self {
        let y = self;
        let square = x.mul(x).add(y.mul(y));
        // x*y' - y*x', one order lower.
        let turn = Self(std::array::from_fn(|k| {
            (0..=k)
                .filter(|i| i + 1 < N)
                .map(|i| order(i + 1) * (x.0[k - i] * y.0[i + 1] - y.0[k - i] * x.0[i + 1]))
                .sum()
        }));
        let speed = turn.div(square);
        Self(std::array::from_fn(|k| match k {
            0 => libm::atan2(y.0[0], x.0[0]),
            _ => speed.0[k - 1] / order(k),
        }))
    }

    fn pow(self, exponent: Self) -> Self {
        let n = exponent.0[0];
        if exponent.0[1..].iter().any(|&c| c != 0.0) {
            return exponent.mul(self.ln()).exp();
        }
        if (0.0..=16.0).contains(&n) && n.fract() == 0.0 {
            let mut power = Self::constant(1.0);
            for _ in 0..count(n) {
                power = power.mul(self);
            }
            return power;
        }
        let mut c = [0.0; N];
        c[0] = f64::apply(Code::Pow, 0.0, self.0[0], n);
        for k in 1..N {
            let sum: f64 = (1..=k)
                .map(|i| (n * order(i) - order(k - i)) * self.0[i] * c[k - i])
                .sum();
            c[k] = sum / (order(k) * self.0[0]);
        }
        Self(c)
    }

    fn with_value(mut self, value: f64) -> Self {
        self.0[0] = value;
        self
    }

    fn scaled(self, factor: f64) -> Self {
        self.map(|c| c * factor)
    }
}

#[expect(clippy::cast_precision_loss, reason = "orders are small")]
fn order(k: usize) -> f64 {
    k as f64
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

impl<const N: usize> Value for Jet<N> {
    fn constant(value: f64) -> Self {
        Self([0.0; N]).with_value(value)
    }

    fn apply(code: Code, old: Self, a: Self, b: Self) -> Self {
        let at = |code| f64::apply(code, old.0[0], a.0[0], b.0[0]);
        match code {
            Code::Copy => a,
            Code::Neg => a.map(|c| -c),
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
                    asin.map(|c| -c).with_value(at(code))
                }
            }
            Code::Atan => a.integral_over(Self::constant(1.0).add(a.mul(a)), at(code)),
            Code::Atan2 => a.atan2(b),
            Code::Pow => a.pow(b),
            Code::Abs => {
                if a.0[0] < 0.0 {
                    a.map(|c| -c)
                } else {
                    a
                }
            }
            Code::Min => {
                if a.0[0] <= b.0[0] {
                    a
                } else {
                    b
                }
            }
            Code::Max => {
                if a.0[0] >= b.0[0] {
                    a
                } else {
                    b
                }
            }
            Code::Mod => {
                let turns = (a.0[0] / b.0[0]).floor();
                a.sub(b.scaled(turns)).with_value(at(code))
            }
            Code::Sign | Code::Floor | Code::AtLeast | Code::LowerAt | Code::RaiseAt => {
                Self::constant(at(code))
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
            | Code::Due => old,
        }
    }
}

/// A series with a bound of the rounding error of each coefficient, to first order.
///
/// Source: running error analysis, N. Higham, Accuracy and Stability of Numerical Algorithms, 3.3;
/// the share that operands contribute is found by moving them by their bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounded<const N: usize> {
    pub(crate) series: Jet<N>,
    pub(crate) bound: [f64; N],
}

impl<const N: usize> Bounded<N> {
    /// A series known up to the rounding of its coefficients.
    pub(crate) fn rounded(series: Jet<N>) -> Self {
        Self {
            series,
            bound: series.0.map(|c| c.abs() * f64::EPSILON),
        }
    }

    fn moved(self) -> Jet<N> {
        Jet(std::array::from_fn(|k| self.series.0[k] + self.bound[k]))
    }
}

impl<const N: usize> Value for Bounded<N> {
    fn constant(value: f64) -> Self {
        Self::rounded(Jet::constant(value))
    }

    fn apply(code: Code, old: Self, a: Self, b: Self) -> Self {
        let series = Jet::apply(code, old.series, a.series, b.series);
        let moved = [
            Jet::apply(code, old.moved(), a.series, b.series),
            Jet::apply(code, old.series, a.moved(), b.series),
            Jet::apply(code, old.series, a.series, b.moved()),
        ];
        let bound = std::array::from_fn(|k| {
            let carried: f64 = moved.iter().map(|jet| (jet.0[k] - series.0[k]).abs()).sum();
            carried + series.0[k].abs() * f64::EPSILON
        });
        Self { series, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of `f` at `x`, by differences of a fine polynomial fit, are too rough; instead the
    /// series is evaluated and compared with the function itself.
    fn agrees(code: Code, a: [f64; 4], b: [f64; 4]) {
        let series = Jet::<4>::apply(code, Jet::constant(0.0), Jet(a), Jet(b)).0;
        let at = |c: [f64; 4], s: f64| c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        for s in [1e-3, -1e-3] {
            let exact = f64::apply(code, 0.0, at(a, s), at(b, s));
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
            if matches!(
                code.shape(),
                crate::tape::Shape::Unary | crate::tape::Shape::Binary
            ) {
                agrees(code, a, b);
                let (a, b) = ([0.9, -0.2, 0.5, -0.4], [2.0, 0.0, 0.0, 0.0]);
                agrees(code, a, b);
            }
        }
        agrees(Code::Pow, a, [-1.5, 0.0, 0.0, 0.0]);
        agrees(Code::Atan2, [-0.4, 0.7, -0.3, 0.2], [-1.3, -0.5, 0.4, 0.1]);
    }
}
