//! Elementary functions of one argument.

use super::{Body, CoefRole, Procedure, once, real};
use crate::tape::Code;

pub(super) static SQRT: Procedure = Procedure {
    name: "sqrt",
    about: "c * square root of the argument",
    help: "A negative argument gives no number and ends the run with a report.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, not negative").within(0.0, f64::INFINITY)],
    examples: &[
        once("y = sqrt(x)", &[("x", 9.0)], 3.0),
        once("y = 2 * sqrt(x)", &[("x", 9.0)], 6.0),
    ],
    body: Body::Value(|asm, args| asm.unary(Code::Sqrt, args[0])),
};

pub(super) static EXP: Procedure = Procedure {
    name: "exp",
    about: "c * e to the power of the argument",
    help: "Overflows above 709.78.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "exponent")],
    examples: &[once("y = exp(x)", &[("x", 0.0)], 1.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Exp, args[0])),
};

pub(super) static LN: Procedure = Procedure {
    name: "ln",
    about: "c * natural logarithm of the argument",
    help: "An argument that is not positive gives no finite number and ends the run with a report.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, positive").within(0.0, f64::INFINITY)],
    examples: &[once("y = ln(x)", &[("x", 1.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Ln, args[0])),
};

pub(super) static ABS: Procedure = Procedure {
    name: "abs",
    about: "c * absolute value of the argument",
    help: "Has a kink at 0.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value")],
    examples: &[once("y = abs(x)", &[("x", -3.0)], 3.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Abs, args[0])),
};

pub(super) static SIGN: Procedure = Procedure {
    name: "sign",
    about: "c * sign of the argument: -1, 0 or 1",
    help: "The sign of 0 is 0.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value")],
    examples: &[
        once("y = sign(x)", &[("x", -3.0)], -1.0),
        once("y = sign(x)", &[("x", 0.0)], 0.0),
        once("y = -0.5 * sign(x)", &[("x", 7.0)], -0.5),
    ],
    body: Body::Value(|asm, args| asm.unary(Code::Sign, args[0])),
};

pub(super) static FLOOR: Procedure = Procedure {
    name: "floor",
    about: "c * largest whole number not above the argument",
    help: "Jumps at every whole number.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value")],
    examples: &[
        once("y = floor(x)", &[("x", 2.7)], 2.0),
        once("y = floor(x)", &[("x", -0.5)], -1.0),
    ],
    body: Body::Value(|asm, args| asm.unary(Code::Floor, args[0])),
};
