//! Kinds of numbers a tape can be evaluated on, besides the interpreter's reals: Taylor series
//! ([`Jet`]) and values with a bound of their rounding error ([`RunningError`]).
//!
//! The op table says what a code means; here stands what follows from it for each kind of number.

mod bounded;
mod jet;
mod pieces;

pub(crate) use self::bounded::{RunningError, run_bounded};
pub(crate) use self::jet::{Jet, Scalar};
pub(crate) use self::pieces::{Stairs, height, margin, piece};
use crate::tape::{Code, Op, with_real_ops};

/// A kind of number.
pub(crate) trait Value: Copy {
    /// A number that does not vary.
    fn constant(value: f64) -> Self;

    /// Its value, if that is one number.
    fn number(self) -> Option<f64>;

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

macro_rules! define_run_reals {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        /// Executes ops on plain reals as [`run`] does, each reading only the operands that it has.
        pub(crate) fn run_reals(ops: &[Op], slots: &mut [f64]) {
            for op in ops {
                let (a, b, out) = (op.a as usize, op.b as usize, op.out as usize);
                slots[out] = match op.code {
                    $(Code::$unary => {
                        let $x = slots[a];
                        $uvalue
                    })*
                    $(Code::$binary => {
                        let ($a, $b) = (slots[a], slots[b]);
                        $bvalue
                    })*
                    $(Code::$update => {
                        let ($y, $wa, $wb) = (slots[out], slots[a], slots[b]);
                        $wvalue
                    })*
                    Code::Less | Code::LessEqual | Code::Greater | Code::GreaterEqual
                    | Code::AndLess | Code::AndLessEqual | Code::AndGreater
                    | Code::AndGreaterEqual | Code::Test | Code::OrTest | Code::Rise
                    | Code::SetBit | Code::ClearBit | Code::SkipUnless | Code::Push | Code::Solve | Code::Due => {
                        continue;
                    }
                };
            }
        }
    };
}
with_real_ops!(define_run_reals);

macro_rules! real_value {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        impl Value for f64 {
            #[inline]
            fn constant(value: f64) -> Self {
                value
            }

            #[inline]
            fn number(self) -> Option<f64> {
                Some(self)
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
                    | Code::SetBit | Code::ClearBit | Code::SkipUnless | Code::Push | Code::Solve | Code::Due => old,
                }
            }
        }
    };
}
with_real_ops!(real_value);
