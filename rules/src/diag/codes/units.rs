//! Pages of the check's reports on units.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C060",
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
