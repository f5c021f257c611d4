//! Pages of the check's reports on units.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C060",
        title: "units do not agree",
        what: "Two sides of a row measure different things: a sum of metres and seconds, an integral \
               whose target is not in the unit of its argument times that of the time, a sine of \
               kilograms. A quantity without a unit takes what its rows need; the notes say which \
               row decided.",
        why: "A value that is compared with or added to one of another kind is a slip in the formula \
              or in the unit. A number beside a quantity is in the unit of that, as a factor it has none, \
              unless it is the step between two units (`h = 0.01 * d`); 0 fits everything.",
        bad: r#"(
    format: 1,
    reals: {"h": (start: 4.0, unit: "m"), "v": (start: 0.0, unit: "m/s"), "w": (start: 0.0, unit: "m")},
    relations: ["v = integral(-9.81)", "h = integral(v)", "w = h + v"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"T": (start: 0.5, unit: "s")},
    reals: {"h": (start: 4.0, unit: "m"), "v": (start: 0.0, unit: "m/s"), "w": (start: 0.0, unit: "m")},
    relations: ["v = integral(-9.81)", "h = integral(v)", "w = h + v * T"],
)"#,
        base: None,
    },
    CodePage {
        code: "C061",
        title: "units differ by a factor",
        what: "Two sides of a row measure the same in steps of another size: centimetres and metres, \
               degrees and radians, minutes and seconds. The report has the factor.",
        why: "situ computes with the numbers as they stand; a unit is a label. A sine takes radians \
              (`sind` takes degrees), and an integral over seconds of a rate per minute is 60 times \
              too large.",
        bad: r#"(
    format: 1,
    constants: {"gap": (start: 5.0, unit: "cm")},
    reals: {"x": (start: 1.0, unit: "m"), "d": (start: 0.0, unit: "m")},
    relations: ["x = integral(0.1)", "d = x - gap"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"gap": (start: 0.05, unit: "m")},
    reals: {"x": (start: 1.0, unit: "m"), "d": (start: 0.0, unit: "m")},
    relations: ["x = integral(0.1)", "d = x - gap"],
)"#,
        base: None,
    },
    CodePage {
        code: "C062",
        title: "unknown unit",
        what: "A symbol in a unit is not one of the SI, of everyday engineering, or of these in \
               Russian. It is taken for a unit of its own that agrees with itself only.",
        why: "A mistyped unit would otherwise hide what the check of units is for. What counts \
              things has no unit; say in `about` what it counts.",
        bad: r#"(
    format: 1,
    reals: {"h": (start: 4.0, unit: "metre")},
    relations: ["h = integral(-1)"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"h": (start: 4.0, unit: "m")},
    relations: ["h = integral(-1)"],
)"#,
        base: None,
    },
    CodePage {
        code: "C063",
        title: "not quite the factor between two units",
        what: "A constant whose unit says that it converts one unit into another, such as `deg/rad`, \
               is near the exact factor but not equal to it.",
        why: "A rounded or mistyped factor makes every result wrong by as much, and nothing else \
              shows it.",
        bad: r#"(
    format: 1,
    constants: {"c": (start: 57.24, unit: "deg/rad")},
    reals: {"a": (start: 1.0, unit: "rad"), "b": (start: 0.0, unit: "deg")},
    relations: ["a = integral(1)", "b = c * a"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"c": (start: "180 / pi", unit: "deg/rad")},
    reals: {"a": (start: 1.0, unit: "rad"), "b": (start: 0.0, unit: "deg")},
    relations: ["a = integral(1)", "b = c * a"],
)"#,
        base: None,
    },
];
