//! Limits: min, max, clamp, mod.

use super::{Body, CoefRole, Procedure, once, real};
use crate::tape::Code;

/// An argument, with the others that limit it: position of each, and whether it is the upper limit.
pub(crate) type Limit = (usize, &'static [(usize, bool)]);

impl Procedure {
    /// Which arguments it limits by which others.
    pub(crate) fn limits(&self) -> &'static [Limit] {
        match self.name {
            "min" => &[(0, &[(1, true)]), (1, &[(0, true)])],
            "max" => &[(0, &[(1, false)]), (1, &[(0, false)])],
            "clamp" => &[(0, &[(1, false), (2, true)])],
            _ => &[],
        }
    }
}

pub(super) static MIN: Procedure = Procedure {
    name: "min",
    about: "c * smaller of two arguments",
    help: "No number if one of them is none.",
    coef: CoefRole::ScalesResult,
    params: &[real("a1", "first value"), real("a2", "second value")],
    examples: &[once("y = min(a, b)", &[("a", 2.0), ("b", -1.0)], -1.0)],
    body: Body::Value(|asm, args| asm.op(Code::Min, args[0], args[1])),
};

pub(super) static MAX: Procedure = Procedure {
    name: "max",
    about: "c * larger of two arguments",
    help: "No number if one of them is none.",
    coef: CoefRole::ScalesResult,
    params: &[real("a1", "first value"), real("a2", "second value")],
    examples: &[once("y = max(a, b)", &[("a", 2.0), ("b", -1.0)], 2.0)],
    body: Body::Value(|asm, args| asm.op(Code::Max, args[0], args[1])),
};

pub(super) static CLAMP: Procedure = Procedure {
    name: "clamp",
    about: "c * argument limited to an interval",
    help: "If the borders stand the wrong way round the upper one holds.",
    coef: CoefRole::ScalesResult,
    params: &[
        real("a", "value"),
        real("low", "lower border"),
        real("high", "upper border"),
    ],
    examples: &[
        once("y = clamp(x, 0, 1)", &[("x", 1.5)], 1.0),
        once("y = clamp(x, 0, 1)", &[("x", 0.25)], 0.25),
    ],
    body: Body::Value(|asm, args| {
        let raised = asm.op(Code::Max, args[0], args[1]);
        asm.op(Code::Min, raised, args[2])
    }),
};

pub(super) static MOD: Procedure = Procedure {
    name: "mod",
    about: "c * remainder of a1 / a2, with the sign of a2",
    help: "`mod(a, b)` lies between 0 and b, also for a negative `a`: a - b * floor(a / b), \
           without its rounding.",
    coef: CoefRole::ScalesResult,
    params: &[real("a1", "dividend"), real("a2", "divisor")],
    examples: &[
        once("y = mod(x, 360)", &[("x", 370.0)], 10.0),
        once("y = mod(x, 360)", &[("x", -10.0)], 350.0),
    ],
    body: Body::Value(|asm, args| asm.op(Code::Mod, args[0], args[1])),
};
