//! Trigonometric functions and their inverses, in radians and (names ending in `d`) in degrees.

use super::{Body, CoefRole, Procedure, once, real};
use crate::tape::{Assembler, Code, Slot};

/// `value * 180 / pi`.
fn to_degrees(asm: &mut Assembler, value: Slot) -> Slot {
    let factor = asm.number(180.0 / std::f64::consts::PI);
    asm.op(Code::Mul, value, factor)
}

pub(super) static SIN: Procedure = Procedure {
    name: "sin",
    about: "c * sine of an angle in radians",
    help: "For degrees use `sind`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, radians")],
    examples: &[once("y = sin(x)", &[("x", 0.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Sin, args[0])),
};

pub(super) static COS: Procedure = Procedure {
    name: "cos",
    about: "c * cosine of an angle in radians",
    help: "For degrees use `cosd`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, radians")],
    examples: &[once("y = cos(x)", &[("x", 0.0)], 1.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Cos, args[0])),
};

pub(super) static TAN: Procedure = Procedure {
    name: "tan",
    about: "c * tangent of an angle in radians",
    help: "For degrees use `tand`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, radians")],
    examples: &[once("y = tan(x)", &[("x", 0.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Tan, args[0])),
};

pub(super) static ASIN: Procedure = Procedure {
    name: "asin",
    about: "c * arc sine in radians",
    help: "For degrees use `asind`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, from -1 to 1").within(-1.0, 1.0)],
    examples: &[once("y = asin(x)", &[("x", 0.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Asin, args[0])),
};

pub(super) static ACOS: Procedure = Procedure {
    name: "acos",
    about: "c * arc cosine in radians",
    help: "For degrees use `acosd`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, from -1 to 1").within(-1.0, 1.0)],
    examples: &[once("y = acos(x)", &[("x", 1.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Acos, args[0])),
};

pub(super) static ATAN: Procedure = Procedure {
    name: "atan",
    about: "c * arc tangent in radians",
    help: "For degrees use `atand`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, any")],
    examples: &[once("y = atan(x)", &[("x", 0.0)], 0.0)],
    body: Body::Value(|asm, args| asm.unary(Code::Atan, args[0])),
};

pub(super) static ATAN2: Procedure = Procedure {
    name: "atan2",
    about: "c * angle of the point (x, y) in radians, from -pi to pi",
    help: "The first argument is y, the second x. For degrees use `atan2d`.",
    coef: CoefRole::ScalesResult,
    params: &[real("y", "ordinate"), real("x", "abscissa")],
    examples: &[once("y = atan2(a, b)", &[("a", 0.0), ("b", 1.0)], 0.0)],
    body: Body::Value(|asm, args| asm.op(Code::Atan2, args[0], args[1])),
};

pub(super) static SIND: Procedure = Procedure {
    name: "sind",
    about: "c * sine of an angle in degrees",
    help: "Exact at the multiples of 90 degrees.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, degrees")],
    examples: &[once("y = sind(x)", &[("x", 30.0)], 0.5)],
    body: Body::Value(|asm, args| asm.unary(Code::SinDeg, args[0])),
};

pub(super) static COSD: Procedure = Procedure {
    name: "cosd",
    about: "c * cosine of an angle in degrees",
    help: "Exact at the multiples of 90 degrees.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, degrees")],
    examples: &[once("y = cosd(x)", &[("x", 60.0)], 0.5)],
    body: Body::Value(|asm, args| asm.unary(Code::CosDeg, args[0])),
};

pub(super) static TAND: Procedure = Procedure {
    name: "tand",
    about: "c * tangent of an angle in degrees",
    help: "Exact at the multiples of 90 degrees.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "angle, degrees")],
    examples: &[once("y = tand(x)", &[("x", 45.0)], 1.0)],
    body: Body::Value(|asm, args| asm.unary(Code::TanDeg, args[0])),
};

pub(super) static ASIND: Procedure = Procedure {
    name: "asind",
    about: "c * arc sine in degrees",
    help: "For radians use `asin`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, from -1 to 1").within(-1.0, 1.0)],
    examples: &[once("y = asind(x)", &[("x", 1.0)], 90.0)],
    body: Body::Value(|asm, args| {
        let radians = asm.unary(Code::Asin, args[0]);
        to_degrees(asm, radians)
    }),
};

pub(super) static ACOSD: Procedure = Procedure {
    name: "acosd",
    about: "c * arc cosine in degrees",
    help: "For radians use `acos`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, from -1 to 1").within(-1.0, 1.0)],
    examples: &[once("y = acosd(x)", &[("x", 0.0)], 90.0)],
    body: Body::Value(|asm, args| {
        let radians = asm.unary(Code::Acos, args[0]);
        to_degrees(asm, radians)
    }),
};

pub(super) static ATAND: Procedure = Procedure {
    name: "atand",
    about: "c * arc tangent in degrees",
    help: "For radians use `atan`.",
    coef: CoefRole::ScalesResult,
    params: &[real("a", "value, any")],
    examples: &[once("y = atand(x)", &[("x", 1.0)], 45.0)],
    body: Body::Value(|asm, args| {
        let radians = asm.unary(Code::Atan, args[0]);
        to_degrees(asm, radians)
    }),
};

pub(super) static ATAN2D: Procedure = Procedure {
    name: "atan2d",
    about: "c * angle of the point (x, y) in degrees, from -180 to 180",
    help: "The first argument is y, the second x.",
    coef: CoefRole::ScalesResult,
    params: &[real("y", "ordinate"), real("x", "abscissa")],
    examples: &[once("y = atan2d(a, b)", &[("a", 1.0), ("b", 0.0)], 90.0)],
    body: Body::Value(|asm, args| {
        let radians = asm.op(Code::Atan2, args[0], args[1]);
        to_degrees(asm, radians)
    }),
};
