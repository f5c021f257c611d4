//! Arithmetic: assignment, proportional, sum, product, quotient, power.

use super::{Body, CoefRole, Procedure, once, real};
use crate::tape::Code;

pub(super) static ASSIGNMENT: Procedure = Procedure {
    name: "assignment",
    about: "the argument itself",
    help: "Written as a plain name, number or expression in parentheses: `y = x`. At an event, \
           several reals can be assigned at once: `v1, v2 := e1, e2` evaluates all right sides \
           before it stores the first.",
    coef: CoefRole::Unused,
    params: &[real("a", "value")],
    examples: &[once("y = 3", &[], 3.0), once("y = x", &[("x", 2.5)], 2.5)],
    body: Body::Value(|_, args| args[0]),
};

pub(super) static PROPORTIONAL: Procedure = Procedure {
    name: "proportional",
    about: "coefficient times the argument, c*a",
    help: "The coefficient is a number or a constant, with a sign: `F = K * def`, `F = -kc * V`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value")],
    examples: &[
        once("y = 8000 * x", &[("x", 0.5)], 4000.0),
        once("y = -2 * x", &[("x", 3.0)], -6.0),
    ],
    body: Body::Value(|_, args| args[0]),
};

pub(super) static SUM: Procedure = Procedure {
    name: "sum",
    about: "c*a1 + d*a2",
    help: "Each argument has a coefficient of its own. `a - b` is a sum with the second \
           coefficient -1; `2 * a - 3 * b` has the coefficients 2 and -3.",
    coef: CoefRole::ScalesBoth,
    params: &[real("a1", "first summand"), real("a2", "second summand")],
    examples: &[
        once("y = a + b", &[("a", 2.0), ("b", 3.0)], 5.0),
        once("y = 2 * a - 3 * b", &[("a", 2.0), ("b", 3.0)], -5.0),
    ],
    body: Body::Value(|asm, args| asm.op(Code::Add, args[0], args[1])),
};

pub(super) static PRODUCT: Procedure = Procedure {
    name: "product",
    about: "(c*a1)*a2",
    help: "`P = -m * g` with two constants is a product with the coefficient -1.",
    coef: CoefRole::ScalesFirst,
    params: &[real("a1", "first factor"), real("a2", "second factor")],
    examples: &[
        once("y = a * b", &[("a", 2.0), ("b", 3.0)], 6.0),
        once("y = -0.5 * a * b", &[("a", 2.0), ("b", 3.0)], -3.0),
    ],
    body: Body::Value(|asm, args| asm.op(Code::Mul, args[0], args[1])),
};

pub(super) static QUOTIENT: Procedure = Procedure {
    name: "quotient",
    about: "(c*a1)/a2",
    help: "A division by zero gives a value that is not finite and ends the run with a report.",
    coef: CoefRole::ScalesFirst,
    params: &[real("a1", "dividend"), real("a2", "divisor")],
    examples: &[
        once("y = a / b", &[("a", 3.0), ("b", 2.0)], 1.5),
        once("y = 4 * a / b", &[("a", 3.0), ("b", 2.0)], 6.0),
    ],
    body: Body::Value(|asm, args| asm.op(Code::Div, args[0], args[1])),
};

pub(super) static POWER: Procedure = Procedure {
    name: "power",
    about: "c * a^n",
    help: "`a^2` is a power. Whole exponents from -2 to 4 are products of `a`; a negative base \
           with any other exponent that is not whole gives no number.",
    coef: CoefRole::ScalesResult,
    params: &[
        real("a", "base").within(0.0, f64::INFINITY),
        real("n", "exponent"),
    ],
    examples: &[
        once("y = a^2", &[("a", 3.0)], 9.0),
        once("y = 2 * a^0.5", &[("a", 9.0)], 6.0),
    ],
    body: Body::Value(|asm, args| asm.op(Code::Pow, args[0], args[1])),
};

/// What is not negative where a power has a value whose exponent changes at events only. No table calls it.
pub(super) static POWER_BASE: Procedure = Procedure {
    name: "power_base",
    about: "a, or 1 if n is whole",
    help: "It is not negative where `a ^ n` has a value.",
    coef: CoefRole::Unused,
    params: &[real("a", "base"), real("n", "exponent")],
    examples: &[],
    body: Body::Value(|asm, args| asm.op(Code::PowerBase, args[0], args[1])),
};
