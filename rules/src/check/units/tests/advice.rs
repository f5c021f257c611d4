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

/// What is proportional to a temperature needs it from the absolute zero on.
#[test]
fn products_take_absolute_temperatures() {
    let of = |row: &str| {
        let text = format!(
            r#"(format: 1, clock: (stop: 1, unit: s),
            constants: {{"R": (start: 8.314, unit: "J/(mol K)"), "n": (start: 1, unit: "mol"), "V": (start: 1, unit: "m^3"),
                "A": (start: 5e4, unit: "J/mol"), "c": (start: 4200, unit: "J/K"), "k": (start: 1, unit: "1/s"),
                "R0": (start: 100, unit: "Ohm"), "a": (start: 4e-3, unit: "1/K"), "b": (start: 1, unit: "Pa/degC"),
                "s": (start: 5.67e-8, unit: "W/(m^2 K^4)"), "m": (start: 2, unit: "J/(mol K)")}},
            reals: {{"TC": (start: 20, unit: "degC"), "TF": (start: 60, unit: "degF"), "TK": (start: 280, unit: "K"),
                "Ta": (start: 10, unit: "degC"), "dT": (start: 0, unit: "degC"), "p": (start: 0, unit: "Pa"),
                "Q": (start: 0, unit: "J"), "q": (start: 0, unit: "W/m^2"), "Rt": (start: 0, unit: "Ohm"), "x": 0,
                "w": (start: 0, unit: "degC/s"), "f": (start: 0, unit: "degF/s"), "u": (start: 0, unit: "degC/s")}},
            relations: ["dT = TC - Ta", "{row}"])"#
        );
        found(&text)
    };
    for (row, name, unit, helps) in [
        (
            "p = n * R * TF / V",
            "TF",
            "degF",
            "((TF - 32) * 5 / 9 + 273.15)",
        ),
        ("p = n * R * TC / V", "TC", "degC", "(TC + 273.15)"),
        ("p = -TC * (n * R / V)", "TC", "degC", "(TC + 273.15)"),
        ("Q = c * TC", "TC", "degC", "(TC + 273.15)"),
        ("x = exp(-A / (R * TC))", "TC", "degC", "(TC + 273.15)"),
        ("q = s * TC^4", "TC", "degC", "(TC + 273.15)"),
        ("x = TC / Ta", "TC", "degC", "(TC + 273.15)"),
        ("u = k * TF", "TF", "degF", "((TF - 32) * 5 / 9 + 273.15)"),
        ("x = TC / (TC - Ta)", "TC", "degC", "(TC + 273.15)"),
        ("x = (TC - Ta) / TC", "TC", "degC", "(TC + 273.15)"),
        ("Q = c * max(TC, 0)", "TC", "degC", "(TC + 273.15)"),
        ("Q = c * abs(min(TC, 50))", "TC", "degC", "(TC + 273.15)"),
        ("Q = c * (TC - TK)", "TC", "degC", "(TC + 273.15)"),
        ("q = s * (TC^4 - TK^4)", "TC", "degC", "(TC + 273.15)"),
        ("q = s * (TK^4 - TC^4)", "TC", "degC", "(TC + 273.15)"),
        ("q = s * (TC^4 - Ta^4)", "TC", "degC", "(TC + 273.15)"),
    ] {
        let found = of(row);
        let [one] = &found[..] else {
            panic!("{row}: {found:?}");
        };
        let message =
            format!("a value is proportional to `{name}`, but 0 {unit} is not the absolute zero");
        assert_eq!((one.code, &*one.message), ("C061", &*message), "{row}");
        assert!(
            help(one).starts_with(&format!("write `{helps}`")),
            "{row}: {}",
            help(one)
        );
    }
    for row in [
        "p = n * R * TK / V",
        "p = n * R * (TC + 273.15) / V",
        "p = n * R * ((TF - 32) * 5 / 9 + 273.15) / V",
        "Q = c * (TC - Ta)",
        "Q = c * dT",
        "Rt = R0 * (1 + a * TC)",
        "Rt = R0 + R0 * a * TC",
        "x = 17.6 * TC / (243.12 + TC)",
        "p = b * TC",
        "w = k * TC",
        "f = k * TF",
        "x = exp(a * TC)",
        "x = dT / (TC - Ta)",
        "x = 17.6 * TC / (TC - -243.12)",
        "Q = c * max(TC - Ta, 0)",
        "Q = c * (max(TC, Ta) - Ta)",
        "x = (TC - Ta) / (TC - Ta)",
    ] {
        assert_eq!(of(row), [], "{row}");
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

#[test]
fn a_number_beside_a_quantity_in_another_unit_than_the_time_is_told_of() {
    let of = |condition: &str, unit: &str| {
        let found = found(&format!(
            r#"(format: 1, clock: (step: 1{unit}), constants: {{"t0": (start: 1, unit: "min")}}, reals: {{"y": 0}},
            ranges: ["late: {condition}"], relations: ["y = y + 1 when late"])"#
        ));
        found.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    let seconds = r#", unit: "s""#;
    assert_eq!(
        of("time > t0 / 60", seconds),
        ["`time` is in s, `t0 / 60` in min"]
    );
    assert_eq!(
        of("t0 / 60 < time", seconds),
        ["`t0 / 60` is in min, `time` in s"]
    );
    for condition in ["time > 60 * t0", "time > 20"] {
        assert!(of(condition, seconds).is_empty(), "{condition}");
    }
    assert!(of("time > t0 / 60", "").is_empty());
}

/// A difference of temperatures whose scales have different zeros is none; a temperature less a difference in Kelvin is a
/// temperature.
#[test]
fn differences_are_of_one_scale() {
    let of = |row: &str| {
        let text = format!(
            r#"(format: 1, clock: (stop: 1, unit: s), constants: {{"G": (start: 1, unit: "W/K"), "C": (start: 10, unit: "J/K"),
                "band": (start: 2, unit: "K"), "k": (start: 1, unit: "1/s")}},
            reals: {{"T": (start: 80, unit: "degC"), "TF": (start: 80, unit: "degF"), "Ta": (start: 293, unit: "K"),
                "d": (start: 0, unit: "K"), "low": (start: 0, unit: "degC"), "Tk": (start: 290, unit: "K")}},
            relations: ["{row}"])"#
        );
        found(&text)
    };
    for (row, converted) in [
        ("T = integral(G * (Ta - T) / C)", "T + 273.15"),
        ("T = integral(k * (Ta - T))", "T + 273.15"),
        ("d = Ta - T", "T + 273.15"),
        ("d = T - Ta", "T + 273.15"),
        ("d = Ta - TF", "(TF - 32) * 5 / 9 + 273.15"),
    ] {
        let found = of(row);
        let [one] = &found[..] else {
            panic!("{row}: {found:?}");
        };
        assert_eq!(one.code, "C061", "{row}");
        assert!(help(one).contains(converted), "{row}: {}", help(one));
    }
    for row in [
        "low = T - band",
        "low = T + band",
        "d = Ta - Tk",
        "T = integral(G * (low - T) / C)",
        "Tk = integral(G * (Ta - Tk) / C)",
        "T = integral(k * band)",
    ] {
        assert!(of(row).is_empty(), "{row}: {:?}", of(row));
    }
}

/// What a factor multiplies keeps its brackets.
#[test]
fn expressions_are_told_as_they_are_written() {
    let found = found(
        r#"(format: 1, clock: (stop: 1, unit: s), constants: {"D": (start: 1, unit: "m"), "L": (start: 1, unit: "cm")},
        reals: {"u": (start: 0, unit: "cm")}, relations: ["u = integral(D * (1 - u / L))"])"#,
    );
    assert_eq!(
        found[0].message,
        "`u` is in cm, `integral(D * (1 - u / L))` in m*s"
    );
}

/// The messages, notes and helps of a table whose clock states no unit.
fn without_clock(constants: &str, reals: &str, rows: [&str; 2]) -> Vec<String> {
    let [first, second] = rows;
    let found = found(&format!(
        r#"(format: 1, constants: {{{constants}}}, reals: {{{reals}}}, relations: ["{first}", "{second}"])"#
    ));
    let said = found.into_iter();
    said.map(|one| {
        [vec![one.message], one.notes, one.help.into_iter().collect()]
            .concat()
            .join("; ")
    })
    .collect()
}

/// A unit of the time is one that people use, whatever the order of the rows is.
#[test]
fn the_time_is_in_a_unit_that_there_is() {
    let constants = r#""v": (start: 3, unit: "km/h"), "w": (start: 2, unit: "m/s"), "q": (start: 3, unit: "l/min"),
        "A": (start: 500, unit: "cm^2"), "P": (start: 2, unit: "kW"), "C": (start: 84, unit: "kJ/K"),
        "slow": (start: 1, unit: "cm/min"), "f": (start: 2, unit: "l/min"), "tau": (start: 1, unit: "h")"#;
    let reals = r#""a": (start: 0, unit: "m"), "b": (start: 0, unit: "m"), "T": (start: 20, unit: "degC"), "V": (start: 0, unit: "l"),
        "x": (start: 0, unit: "m")"#;
    let whole = "or state the quantities in units of one size";
    let told = |rows: [&str; 2], by: usize, message: &str, help: &str| {
        let row = |at: usize| format!("{message}; the time is in s by row `{at}`; {help}, {whole}");
        assert_eq!(without_clock(constants, reals, rows), [row(by)], "{rows:?}");
        let [first, second] = rows;
        let turned = [second, first];
        assert_eq!(
            without_clock(constants, reals, turned),
            [row(3 - by)],
            "{turned:?}"
        );
    };
    // 1 km/h is 5 / 18 m/s.
    let speed = "`a` is in m, `integral(v)` in 0.2777777778*m";
    told(
        ["a = integral(v)", "b = integral(3.6 * w)"],
        2,
        speed,
        "multiply `v` by 5 / 18",
    );
    told(
        ["a = integral(v)", "b = integral(w)"],
        2,
        speed,
        "multiply `v` by 5 / 18",
    );
    // 1 l/min through 1 cm^2 is 10 m/min, 1 / 6 m/s.
    told(
        ["a = integral(q / A)", "T = integral(P / C)"],
        2,
        "`a` is in m, `integral(q / A)` in 0.1666666667*m",
        "multiply `q / A` by 1 / 6",
    );
    // A factor in a row counts, also as the one between minutes and seconds.
    for [first, second] in [
        ["b = integral(w)", "a = integral(5 / 18 * v)"],
        ["b = integral(w)", "V = integral(f / 60)"],
        ["a = integral(0.01 * slow)", "V = integral(f)"],
        ["a = integral(0.02 * slow)", "b = integral(0.01 * slow)"],
        ["V = integral(2 * f)", "V = V"],
        ["V = integral(f / 60)", "V = V"],
        ["x = delay(a, tau)", "a = integral(1)"],
    ] {
        for rows in [[first, second], [second, first]] {
            let said = without_clock(constants, reals, rows);
            assert_eq!(said, Vec::<String>::new(), "{rows:?}");
        }
    }
    let assumed = "no row tells the unit of the time: seconds are assumed";
    let alone = without_clock(constants, reals, ["a = integral(v)", "b = b"]);
    assert_eq!(
        alone,
        [format!(
            "{speed}; {assumed}; multiply `v` by 5 / 18, {whole}"
        )]
    );
}

/// Of two units of the time the one that more rows ask for counts.
#[test]
fn most_rows_decide_on_the_time() {
    let of = |rows: &str| {
        let found = found(&format!(
            r#"(format: 1, constants: {{"q": (start: 1, unit: "l/h"), "w": (start: 2, unit: "m/s")}}, counters: {{"j": "1 .. 2"}},
            reals: {{"V[j]": (start: 0, unit: "l"), "x[j]": (start: 0, unit: "m")}}, relations: [{rows}])"#
        ));
        let said = found.into_iter().map(|one| one.message);
        said.collect::<Vec<_>>()
    };
    let slow = "`x[1]` is in m, `integral(w)` in 3600*m";
    assert_eq!(of(r#""x[1] = integral(w)", "V[j] = integral(q)""#), [slow]);
    assert_eq!(of(r#""V[j] = integral(q)", "x[1] = integral(w)""#), [slow]);
    // As many of either: seconds.
    let fast = ["`V[1]` is in l, `integral(q)` in 0.0000002777777778*m^3"];
    assert_eq!(of(r#""V[1] = integral(q)", "x[1] = integral(w)""#), fast);
}
