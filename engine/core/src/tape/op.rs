//! The op table: every operation of a tape with its exact meaning.
//!
//! The table is the law: the interpreter executes it, every other way of running a tape must give
//! the same bits. Reals are `f64` without contraction; NaN counts as one value. `min` and `max` of
//! a NaN and a number are NaN; of zeros of both signs `min` is -0 and `max` is +0.
//!
//! A new operation on reals is one line in [`with_real_ops`]; one that decides something is a code
//! of its own and an arm in the interpreter.

use super::facts::{
    ALL, BOTH, FIRST, Facts, LEAST, MOST, NAMES, NONE, Pieces, REACHED, Root, SIGN, SIZE, TURN,
};

/// A place in the array of reals of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

impl Slot {
    /// The slot at `index`.
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a tape has fewer than 2^32 slots"))
    }

    /// Its position in the array.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation. What its three numbers index depends on the code's [`Shape`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Op {
    /// Instruction.
    pub code: Code,
    /// Result: a slot, a bit, or the op to go to.
    pub out: u32,
    /// First operand: a slot, a bit or a test.
    pub a: u32,
    /// Second operand: a slot, a bit or a table index.
    pub b: u32,
}

/// The function of an operation on reals, for compiled code.
#[derive(Clone, Copy, Debug)]
pub enum TableFunction {
    /// Of one operand.
    Unary(extern "C" fn(f64) -> f64),
    /// Of two operands.
    Binary(extern "C" fn(f64, f64) -> f64),
    /// Of the old value and two operands.
    Update(extern "C" fn(f64, f64, f64) -> f64),
}

/// Hands the table of operations on reals to the macro named.
///
/// Each line: code, name in print, operands, value, facts. The operands of an `update` are the old value
/// of the result and two others.
macro_rules! with_real_ops {
    ($callback:ident) => {
        $callback! {
            unary {
                Copy "copy" |x| x, FIRST;
                Neg "neg" |x| -x, FIRST;
                Abs "abs" |x| x.abs(), FIRST.pieces(SIZE);
                Sign "sign" |x| situ_solve::elementary::sign(x), NONE.pieces(SIGN);
                Sqrt "sqrt" |x| x.sqrt(), FIRST.root(Root::Zero);
                Floor "floor" |x| x.floor(), FIRST.pieces(Pieces::Whole);
                Exp "exp" |x| situ_solve::elementary::exp(x), NONE;
                Ln "ln" |x| situ_solve::elementary::ln(x), FIRST;
                Sin "sin" |x| situ_solve::elementary::sin(x), FIRST;
                Cos "cos" |x| situ_solve::elementary::cos(x), FIRST;
                Tan "tan" |x| situ_solve::elementary::tan(x), FIRST;
                Asin "asin" |x| situ_solve::elementary::asin(x), FIRST.root(Root::One);
                Acos "acos" |x| situ_solve::elementary::acos(x), FIRST.root(Root::One);
                Atan "atan" |x| situ_solve::elementary::atan(x), NONE;
                SinDeg "sind" |x| situ_solve::elementary::sin_deg(x), FIRST;
                CosDeg "cosd" |x| situ_solve::elementary::cos_deg(x), FIRST;
                TanDeg "tand" |x| situ_solve::elementary::tan_deg(x), FIRST;
            }
            binary {
                Add "add" |a, b| a + b, BOTH;
                Sub "sub" |a, b| a - b, BOTH;
                Mul "mul" |a, b| a * b, BOTH;
                Div "div" |a, b| a / b, FIRST;
                Min "min" |a, b| situ_solve::elementary::min(a, b), NONE.pieces(LEAST);
                Max "max" |a, b| situ_solve::elementary::max(a, b), NONE.pieces(MOST);
                Pow "pow" |a, b| situ_solve::elementary::pow(a, b), NONE.root(Root::Zero);
                PowerBase "power_base" |a, b| if b.fract() == 0.0 { 1.0 } else { a }, NONE;
                Mod "mod" |a, b| situ_solve::elementary::modulo(a, b), FIRST.pieces(Pieces::Remainder);
                Atan2 "atan2" |a, b| situ_solve::elementary::atan2(a, b), NONE.pieces(TURN);
                Angle "angle" |a, b| situ_solve::elementary::angle(a, b), NONE;
                AtLeast "at_least" |a, b| if a >= b { 1.0 } else { 0.0 }, NONE.pieces(REACHED);
                Lookup "lookup" |a, b| situ_solve::lookup::lookup(a, b), NAMES.pieces(Pieces::Knots);
                Entry "entry" |a, b| situ_solve::lookup::entry(a, b), NAMES;
                Spline "spline" |a, b| situ_solve::lookup::spline(a, b), NAMES;
                Gate "gate" |a, b| if a == 0.0 { 0.0 } else { a * b }, NONE;
            }
            update {
                AddMul "add_mul" |y, a, b| y + a * b, ALL;
                Approach "approach" |y, a, b| y + (a - y) * b, ALL;
                LowerAt "lower_at" |y, a, b| if a <= b { 0.0 } else { y }, NONE;
                RaiseAt "raise_at" |y, a, b| if a >= b { 1.0 } else { y }, NONE;
            }
        }
    };
}
pub(crate) use with_real_ops;

macro_rules! declare_codes {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        /// Operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code {
            $(#[doc = concat!("`out = ", stringify!($uvalue), "`")] $unary,)*
            $(#[doc = concat!("`out = ", stringify!($bvalue), "`")] $binary,)*
            $(#[doc = concat!("`out = ", stringify!($wvalue), "`, with y the old value of `out`")] $update,)*
            /// `bit out = a < b`
            Less,
            /// `bit out = a <= b`
            LessEqual,
            /// `bit out = a > b`
            Greater,
            /// `bit out = a >= b`
            GreaterEqual,
            /// `bit out = bit out and a < b`
            AndLess,
            /// `bit out = bit out and a <= b`
            AndLessEqual,
            /// `bit out = bit out and a > b`
            AndGreater,
            /// `bit out = bit out and a >= b`
            AndGreaterEqual,
            /// `bit out = test a`
            Test,
            /// `bit out = bit out or test a`
            OrTest,
            /// The test a has just arisen: `bit out = bit out or (test a and not bit b)`, then
            /// `bit b = test a`.
            Rise,
            /// `bit out = true`
            SetBit,
            /// `bit out = false`
            ClearBit,
            /// Goes on at op `out` unless test a holds.
            SkipUnless,
            /// The delay line b takes in the value a and gives out the one of so many ticks ago as it is long.
            Push,
            /// Unknowns of equations b, of which slot out is the first, take the values that solve them.
            Solve,
            /// `bit out =` schedule b is due in this tick; a holds how many of its instants are over.
            Due,
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[
                $(Code::$unary,)* $(Code::$binary,)* $(Code::$update,)*
                Code::Less, Code::LessEqual, Code::Greater, Code::GreaterEqual,
                Code::AndLess, Code::AndLessEqual, Code::AndGreater, Code::AndGreaterEqual,
                Code::Test, Code::OrTest, Code::Rise, Code::SetBit, Code::ClearBit,
                Code::SkipUnless, Code::Push, Code::Solve, Code::Due,
            ];

            /// Its name in a printed tape.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$unary => $uname,)*
                    $(Code::$binary => $bname,)*
                    $(Code::$update => $wname,)*
                    Code::Less => "less",
                    Code::LessEqual => "less_equal",
                    Code::Greater => "greater",
                    Code::GreaterEqual => "greater_equal",
                    Code::AndLess => "and_less",
                    Code::AndLessEqual => "and_less_equal",
                    Code::AndGreater => "and_greater",
                    Code::AndGreaterEqual => "and_greater_equal",
                    Code::Test => "test",
                    Code::OrTest => "or_test",
                    Code::Rise => "rise",
                    Code::SetBit => "set",
                    Code::ClearBit => "clear",
                    Code::SkipUnless => "skip_unless",
                    Code::Push => "push",
                    Code::Solve => "solve",
                    Code::Due => "due",
                }
            }

            /// Function of the table for it; `None` if it is no operation on reals.
            pub fn function(self) -> Option<TableFunction> {
                match self {
                    $(Code::$unary => {
                        extern "C" fn value($x: f64) -> f64 {
                            $uvalue
                        }
                        Some(TableFunction::Unary(value))
                    })*
                    $(Code::$binary => {
                        extern "C" fn value($a: f64, $b: f64) -> f64 {
                            $bvalue
                        }
                        Some(TableFunction::Binary(value))
                    })*
                    $(Code::$update => {
                        extern "C" fn value($y: f64, $wa: f64, $wb: f64) -> f64 {
                            $wvalue
                        }
                        Some(TableFunction::Update(value))
                    })*
                    _ => None,
                }
            }

            /// What else is known of it; `None` if it is no operation on reals.
            pub const fn facts(self) -> Option<Facts> {
                match self {
                    $(Code::$unary => Some($ufacts),)*
                    $(Code::$binary => Some($bfacts),)*
                    $(Code::$update => Some($wfacts),)*
                    _ => None,
                }
            }

            /// Its pieces, if it is an operation on reals that has several.
            pub fn pieces(self) -> Option<Pieces> {
                self.facts()?.pieces
            }

            /// Where its slope has no bound.
            pub fn root(self) -> Option<Root> {
                self.facts()?.root
            }

            /// True if b is no quantity but the number of an interned lookup.
            pub fn names_lookup(self) -> bool {
                self.facts().is_some_and(|facts| facts.names_lookup)
            }

            /// Kinds of its operands.
            pub fn shape(self) -> Shape {
                match self {
                    $(Code::$unary => Shape::Unary,)*
                    $(Code::$binary => Shape::Binary,)*
                    $(Code::$update => Shape::Update,)*
                    Code::Less | Code::LessEqual | Code::Greater | Code::GreaterEqual
                    | Code::AndLess | Code::AndLessEqual | Code::AndGreater
                    | Code::AndGreaterEqual => Shape::Compare,
                    Code::Test | Code::OrTest => Shape::Test,
                    Code::Rise => Shape::Rise,
                    Code::SetBit | Code::ClearBit => Shape::Bit,
                    Code::SkipUnless => Shape::Jump,
                    Code::Push | Code::Solve => Shape::Push,
                    Code::Due => Shape::Due,
                }
            }
        }
    };
}
with_real_ops!(declare_codes);

/// Meaning of an operation's indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Slot from slot a.
    Unary,
    /// Slot from slots a and b.
    Binary,
    /// Slot from itself and slots a and b.
    Update,
    /// Bit from slots a and b.
    Compare,
    /// Bit from test a.
    Test,
    /// Bit from test a and bit b.
    Rise,
    /// Bit alone.
    Bit,
    /// Op index and test a.
    Jump,
    /// Slot from slot a and delay line b, or from slot a and equations b.
    Push,
    /// Bit from slot a and schedule b.
    Due,
}
