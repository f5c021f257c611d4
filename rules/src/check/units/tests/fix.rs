//! Factors that are written into rows, and the reports that offer them.

use super::reports;
use crate::load::Loaded;

const QUANTITIES: &str = r#"
    constants: {
        "d": (start: 50, unit: "cm"), "e": (start: 5, unit: "cm"), "v": (start: 5, unit: "cm/s"), "lim": (start: 20, unit: "cm"),
        "p": (start: 5, unit: "%"), "m": (start: 3, unit: "kg"), "E": (start: 3, unit: "J"),
        "tau": (start: 5, unit: "s"), "late": (start: 1, unit: "min"), "U": (start: 1, unit: "V"),
        "F": (start: 50, unit: "degF"), "Tc": (start: 20, unit: "degC"), "gap": (start: 2, unit: "K"), "a0": (start: 5, unit: "deg"),
        "mm": (start: 3, unit: "mm"), "cc": (start: 3, unit: "cm^2"), "kE": (start: 2, unit: "kJ"), "n": (start: 60, unit: "rpm"), "f": (start: 2, unit: "1/s"), "fm": (start: 2, unit: "1/min"), "M": (start: 2, unit: "N*m"),
    },
    counters: {"j": "1 .. 3"},
    reals: {
        "y": (start: 0, unit: "m"), "x": (start: 0, unit: "m"), "z[j]": (start: 0, unit: "m"),
        "W": (start: 0, unit: "kg"), "Q": (start: 0, unit: "J"), "r": 0, "ms": (start: 0, unit: "ms"),
        "T": (start: 0, unit: "degC"), "K": (start: 0, unit: "K"), "G": (start: 0, unit: "degF"),
        "w": (start: 0, unit: "rad/s"), "nn": (start: 0, unit: "rpm"), "a": (start: 0, unit: "deg"),
        "phi": (start: 0, unit: "rad"), "P": (start: 0, unit: "W"),
        "S": (start: 0, unit: "m^2"), "ac": (start: 0, unit: "m/s^2"), "vm": (start: 0, unit: "m/s"), "mr": (start: 0, unit: "mm"), "pr": (start: 0, unit: "%"),
    },
    switches: {"on": true},
    situations: ["event beat: every(0.5)"],
"#;

/// A table with this row behind its quantities.
fn table(row: &str) -> String {
    format!(
        r#"(format: 1, clock: (step: 0.1, stop: 1, unit: "s"), {QUANTITIES} relations: ["{row}"])"#
    )
}

/// The row with its factors, and its table.
fn fixed(row: &str) -> (String, Loaded) {
    let text = table(row);
    let loaded = crate::load("t.ron", &text, &mut crate::standalone);
    let text = loaded.with_unit_factors().unwrap_or(text);
    let (before, behind) = table("|")
        .split_once('|')
        .map(|(a, b)| (a.len(), b.len()))
        .expect("one");
    let row = text[before..text.len() - behind].to_owned();
    (row, crate::load("t.ron", &text, &mut crate::standalone))
}

/// Every row with its factors can be read, is right, and is not remarked upon again.
#[test]
fn a_row_with_its_factors_is_right() {
    for (row, right) in [
        // An edit belongs to what was judged.
        ("y = d when lim < 2 * d", "y = 0.01 * d when lim < 2 * d"),
        (
            "y := d when beat & lim < d",
            "y := 0.01 * d when beat & lim < d",
        ),
        ("y = d when x > d", "y = 0.01 * d when x > 0.01 * d"),
        (
            "y = d when x > d & on",
            "y = 0.01 * d when x > 0.01 * d & on",
        ),
        ("y = x + d when x > e", "y = x + 0.01 * d when x > 0.01 * e"),
        ("y = 2*d", "y = 0.01 * 2*d"),
        ("y = d + e", "y = 0.01 * d + 0.01 * e"),
        // A number is in the unit of the sum that it stands in.
        ("y = d + 3", "y = 0.01 * (d + 3)"),
        ("y = (d + 3)", "y = 0.01 * (d + 3)"),
        ("y = 3 - 2 * d", "y = 0.01 * (3 - 2 * d)"),
        (
            "y = d + 3 when x > e",
            "y = 0.01 * (d + 3) when x > 0.01 * e",
        ),
        ("y = d - e - 3", "y = 0.01 * (d - e - 3)"),
        ("y = d + 3 + x", "y = 0.01 * (d + 3) + x"),
        ("z[j] = d", "z[j] = 0.01 * d"),
        ("z[j] = max(x, d)", "z[j] = max(x, 0.01 * d)"),
        ("y = integral(v)", "y = integral(0.01 * v)"),
        ("y = smoothing(d, tau)", "y = smoothing(0.01 * d, tau)"),
        ("y = (d)", "y = 0.01 * (d)"),
        ("y = x * (x / d)", "y = 100 * x * (x / d)"),
        // Parts of a whole.
        ("W = m * (1 + p)", "W = m * (1 + 0.01 * p)"),
        ("W = m * (1 - p)", "W = m * (1 - 0.01 * p)"),
        ("W = m / (1 + p)", "W = m / (1 + 0.01 * p)"),
        ("Q = E * (1 + p)^2", "Q = E * (1 + 0.01 * p)^2"),
        ("W = m * p", "W = 0.01 * m * p"),
        // 1 is a number, also where the scale of the quotient is just the one that another factor lacks.
        ("mr = d * (1 + mm / e)", "mr = 10 * d * (1 + 0.1 * mm / e)"),
        ("y = x * (1 - mm / e)", "y = x * (1 - 0.1 * mm / e)"),
        ("r = 1 + mm / e", "r = 1 + 0.1 * mm / e"),
        ("r = 1 - mm * x / (e * d)", "r = 1 - 10 * mm * x / (e * d)"),
        (
            "y = x / (1 + (mm / e)^2)",
            "y = x / (1 + 0.01 * (mm / e)^2)",
        ),
        // Powers.
        ("S = d^2", "S = 0.0001 * d^2"),
        ("S = (2 * d)^2", "S = 0.0001 * (2 * d)^2"),
        ("y = sqrt(2 * cc)", "y = 0.01 * sqrt(2 * cc)"),
        ("S = pi / 4 * d^2", "S = 0.0001 * pi / 4 * d^2"),
        ("r = 2^p", "r = 2^(0.01 * p)"),
        ("r = sin(a0)", "r = sin(pi / 180 * a0)"),
        ("w = n", "w = pi / 30 * n"),
        ("y = x when ms < late", "y = x when ms < 60000 * late"),
        ("r = exp(-time / late)", "r = exp(1 / 60 * (-time / late))"),
        ("y = x when time > late", "y = x when time > 60 * late"),
        ("ms = time", "ms = 1000 * time"),
    ] {
        let before = reports(&crate::load("t.ron", &table(row), &mut crate::standalone));
        assert!(
            before.iter().any(|one| one.code == "C061"),
            "{row}: {before:?}"
        );
        let (written, loaded) = fixed(row);
        assert_eq!(written, right, "{row}");
        let again = reports(&loaded);
        let again: Vec<&str> = again.iter().map(|one| &*one.message).collect();
        assert_eq!(again, Vec::<&str>::new(), "{right}");
    }
}

/// Rows that are not quite right, but for which no factor is known, stay as they stand.
#[test]
fn a_row_without_a_factor_is_left_alone() {
    for (row, help) in [
        (
            "w = n * 0.1",
            "a number of another size stands there; between these units lies a factor of pi / 30",
        ),
        // A part of a turn is left out.
        (
            "w = 2 * pi * n",
            "a number of another size stands there; between these units lies a factor of pi / 30",
        ),
        (
            "phi = pi * a",
            "a number of another size stands there; between these units lies a factor of pi / 180",
        ),
        (
            "y = 30 * d",
            "a number of another size stands there; between these units lies a factor of 0.01",
        ),
        (
            "S = (30 * d)^2",
            "a number of another size stands there; between these units lies a factor of 0.0001",
        ),
        (
            "T = F",
            "the scales of temperature have different zeros: write `(F - 32) * 5 / 9`",
        ),
        (
            "G = Tc",
            "the scales of temperature have different zeros: write `Tc * 9 / 5 + 32`",
        ),
        (
            "K = Tc",
            "the scales of temperature have different zeros: write `Tc + 273.15`",
        ),
        (
            "K = F",
            "the scales of temperature have different zeros: write `(F - 32) * 5 / 9 + 273.15`",
        ),
        (
            "y = x when K < Tc",
            "the scales of temperature have different zeros: write `Tc + 273.15`",
        ),
        ("T = F + 1", "state the quantities in units of one size"),
        (
            "y = smoothing(x, late)",
            "state the quantities in units of one size",
        ),
        (
            "ms = timer(on)",
            "state the quantities in units of one size",
        ),
    ] {
        let (written, loaded) = fixed(row);
        assert_eq!(written, row);
        let found = reports(&loaded);
        assert_eq!(found.len(), 1, "{row}: {found:?}");
        assert_eq!(
            (found[0].code, found[0].help.as_deref()),
            ("C061", Some(help)),
            "{row}"
        );
    }
}

/// What was converted by hand is not remarked upon.
#[test]
fn a_row_that_converts_is_left_alone() {
    for row in [
        "W = m * (1 + p / 100)",
        "W = m * (1 - p / 100)",
        "W = m * (1 + 0.01 * p)",
        "W = m / (1 + p / 100)",
        "W = m * p / 100",
        "W = m * (100 - p) / 100",
        "pr = 1 + 2 * p",
        "pr = 1 + p * d / e",
        "mr = d * (10 + mm / e)",
        "y = x * (1 + 0.1 * mm / e)",
        "y = x * (1 + mm / e / 10)",
        "y = x * (1 + d / e)",
        "r = mm / e - 0.5",
        "Q = E * (1 + p / 100)^2",
        "Q = E * (p / 100)^2",
        "r = 2^(p / 100)",
        "w = n * 0.10472",
        "w = n * pi / 30",
        "nn = 60 * f",
        "nn = f * 60",
        "a = integral(360 * f)",
        "P = M * n * pi / 30",
        "phi = integral(2 * pi / 60 * n)",
        "phi = integral(pi / 30 * n)",
        "phi = integral(2 * pi / 60 * fm)",
        "y = smoothing(x, tau)",
        "y = 0.01 * d + 0.01 * e",
        "y = 0.01 * d + x",
        "r = sin(a0 * pi / 180 + phi)",
        "T = (F - 32) * 5 / 9",
        "K = (F - 32) * 5 / 9 + 273.15",
        "K = Tc + 273.15",
        "T = Tc + 5",
        "T = Tc - gap",
        "y = x when T < Tc - gap",
        "x = integral(1)",
        "ms = integral(1)",
        "y = x when time > 60 * late",
        // Numbers within powers and roots, and within sums of them.
        "S = (0.01 * d)^2",
        "y = (d^3 / 1e6)^(1 / 3)",
        "S = pi / 4 * (d / 100)^2 - (-0.01 * d)^2",
        "S = 4 / 3 * pi * (d / 100)^3 / x",
        "y = (3 / 4 / pi * d^3 / 1e6)^(1 / 3)",
        "S = 0.0001 * pi * d^2",
        "ac = x * (pi / 30 * n)^2",
        "vm = sqrt(2 * 1000 * kE / m)",
        "vm = sqrt(-2000 * kE / m)",
        "y = sqrt((0.01 * d)^2 + x^2)",
        "y = sqrt((0.01 * d)^2 + (0.001 * mm)^2)",
        "y = abs(0.01 * d) + max(0.01 * d, 0.001 * mm)",
        "y = clamp(0.001 * mm, 0.01 * d, 0.01 * e)",
    ] {
        let (written, loaded) = fixed(row);
        assert_eq!(written, row);
        let found = reports(&loaded);
        let found: Vec<&str> = found.iter().map(|one| &*one.message).collect();
        assert_eq!(found, Vec::<&str>::new(), "{row}");
    }
}
