//! Which rows are told of, where, and what helps.

use super::reports;
use crate::diag::Diagnostic;
use crate::load::TableText;

fn found(text: &str) -> Vec<Diagnostic> {
    reports(&crate::load("t.ron", text, &mut crate::standalone))
}

fn help(report: &Diagnostic) -> &str {
    report.help.as_deref().unwrap_or_default()
}

#[test]
fn lookups_of_temperatures_are_converted() {
    let lookups = r#""f": (x: [270, 300], y: [1, 2], units: ["K", "Ohm"]),
        "g": (x: [1, 2], y: [0, 40], units: ["Ohm", "degC"])"#;
    let of = |row: &str| {
        found(&format!(
            r#"(format: 1, lookups: {{{lookups}}},
            reals: {{"T": (start: 280, unit: "K"), "C": (start: 20, unit: "degC"), "F": (start: 60, unit: "degF"),
                "R": (start: 1, unit: "Ohm")}}, relations: ["{row}"])"#
        ))
    };
    for (row, message, helps) in [
        (
            "R = f(C)",
            "`C` is in degC, the points in K",
            "`C + 273.15`",
        ),
        (
            "R = f(F)",
            "`F` is in degF, the points in K",
            "`(F - 32) * 5 / 9 + 273.15`",
        ),
        ("T = g(R)", "`T` is in K, `g(R)` in °C", "`g(R) + 273.15`"),
        (
            "F = g(R)",
            "`F` is in degF, `g(R)` in °C",
            "`g(R) * 9 / 5 + 32`",
        ),
    ] {
        let found = of(row);
        let [one] = &found[..] else {
            panic!("{row}: {found:?}");
        };
        assert_eq!((one.code, &*one.message), ("C061", message));
        assert!(help(one).ends_with(helps), "{row}: {}", help(one));
    }
    for row in [
        "R = f(T)",
        "C = g(R)",
        "R = f(C + 273.15)",
        "T = g(R) + 273.15",
    ] {
        assert!(of(row).is_empty(), "{row}");
    }
}

#[test]
fn each_target_of_a_row_is_told_of() {
    let reals =
        r#""x": (start: 0, unit: "kg"), "v": (start: 0, unit: "s"), "y": (start: 0, unit: "m")"#;
    for row in [
        "x, v, y = L, 2 * L, 3 * L",
        "x, v, y := L, 2 * L, 3 * L when hit",
    ] {
        let found = found(&format!(
            r#"(format: 1, constants: {{"L": (start: 1, unit: "m")}}, reals: {{{reals}}},
            situations: ["event hit: time > 1"], relations: ["{row}"])"#
        ));
        let [one] = &found[..] else {
            panic!("{row}: {found:?}");
        };
        assert_eq!(one.message, "`x` is in kg, `L` in m");
        assert_eq!(one.notes, ["`v` is in s, `2 * L` in m"], "{row}");
    }
}

#[test]
fn stages_are_told_what_helps() {
    let of = |constants: &str, species: &str, reaction: &str| {
        found(&format!(
            r#"(format: 1, clock: (unit: "s", step: 0.1, stop: 1), constants: {{{constants}}}, species: {{{species}}},
            reactions: ["{reaction}"])"#
        ))
    };
    let moles = r#""A": (start: 1, unit: "mol/l"), "B": (start: 0, unit: "mol/l")"#;
    let mixed = r#""A": (start: 1, unit: "mol/l"), "B": (start: 0, unit: "mmol/l")"#;
    let found = of(r#""k": (start: 1, unit: "1/s")"#, mixed, "A -> B : k");
    assert_eq!(found.len(), 1);
    assert!(
        help(&found[0]).ends_with("give both the same unit"),
        "{found:?}"
    );
    let found = of(r#""k": (start: 1, unit: "1/min")"#, moles, "A -> B : k");
    assert!(
        help(&found[0]).starts_with("multiply `k` by 1 / 60"),
        "{found:?}"
    );
    let found = of(
        r#""V": (start: 1, unit: "mol/l/s"), "K": (start: 1, unit: "s")"#,
        moles,
        "A -> B at V * A / (K + A)",
    );
    let told: Vec<&str> = found.iter().map(|one| &*one.message).collect();
    assert_eq!(told, ["`K` is in s, `A` in mol/l"]);
}

#[test]
fn what_is_set_of_a_part_is_told_where_it_is_set() {
    let tank = r#"(format: 1, constants: {"h0": (start: 1, unit: "m")}, reals: {"h": (start: "h0", unit: "m")},
        relations: ["h = integral(0)"])"#;
    let text = r#"(format: 1, constants: {"T0": (start: 5, unit: "s")},
        parts: {"v": (file: "tank.ron", set: {"h0": "2 * T0"})})"#;
    let mut files = |_: &str, _: &str| {
        Ok(TableText {
            name: "tank.ron".to_owned(),
            text: tank.to_owned(),
        })
    };
    let loaded = crate::load("t.ron", text, &mut files);
    let found = reports(&loaded);
    let [one] = &found[..] else {
        panic!("{found:?}");
    };
    let place = one.primary.as_ref().expect("it has a place").span;
    assert!(loaded.sources.text(place).contains("2 * T0"));
    let declared = loaded.sources.text(one.secondary[0].span);
    assert!(declared.contains("h0"), "{declared}");
}
