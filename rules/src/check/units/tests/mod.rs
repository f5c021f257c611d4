//! What the check says of units.

mod advice;
mod fix;

use situ_engine::model::Clock;

use crate::check::{Budget, check_with, unit_mismatches};
use crate::diag::Diagnostic;
use crate::load::Loaded;
use crate::resolve::{Obtained, Reading, measure};

/// The reports on units of a table with these constants, reals and relations, a line each.
fn found(constants: &str, reals: &str, relations: &str) -> Vec<String> {
    let text = format!(
        "(format: 1, constants: {{{constants}}}, reals: {{{reals}}}, relations: [{relations}])"
    );
    let found = reports(&crate::load("t.ron", &text, &mut crate::standalone));
    let lines = found.iter();
    lines
        .map(|one| format!("{} {}", one.code, one.message))
        .collect()
}

/// The reports on units of a table.
fn reports(loaded: &Loaded) -> Vec<Diagnostic> {
    let model = loaded
        .model
        .as_ref()
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let mut found = check_with(model, &loaded.origins, loaded.watchers(), Budget::default());
    found.retain(|one| one.code.starts_with("C06"));
    found
}

#[test]
fn rows_that_agree_are_not_remarked_upon() {
    for (constants, reals, relations) in [
        // The time takes the unit that the rows need.
        (
            r#""k": (start: 0.1, unit: "1/h"), "P": (start: 4, unit: "K/h")"#,
            r#""T": (start: 15, unit: "°C"), "Q": (start: 0, unit: "K/h")"#,
            r#""Q = P - k * T", "T = integral(Q)""#,
        ),
        // A constant without a unit takes what its rows need.
        (
            r#""K": 8000, "m": (start: 1, unit: "kg")"#,
            r#""x": (start: 1, unit: "m"), "v": (start: 0, unit: "m/s"), "F": (start: 0, unit: "N")"#,
            r#""F = -K * x", "v = integral(F / m)", "x = integral(v)""#,
        ),
        // One quantity with a unit beside numbers says nothing.
        (
            "",
            r#""v": (start: 0, unit: "m/s")"#,
            r#""v = integral(-9.81)""#,
        ),
        // Angles.
        (
            r#""l": (start: 1, unit: "m"), "g": (start: 9.81, unit: "m/s^2")"#,
            r#""a": (start: 1, unit: "rad"), "w": (start: 0, unit: "1/s"), "d": (start: 0, unit: "deg"), "h": (start: 0, unit: "m")"#,
            r#""w = integral(-g / l * sin(a))", "a = integral(w)", "d = a * 180 / pi", "h = l * cosd(d) - l * cos(d * pi / 180)""#,
        ),
        // Powers that are constants, roots.
        (
            r#""n": 0.5, "S": (start: 0.1, unit: "m^2"), "g": (start: 9.81, unit: "m/s^2")"#,
            r#""h": (start: 1, unit: "m"), "q": (start: 0, unit: "m^3/s"), "p": (start: 0, unit: "m^3/s")"#,
            r#""q = S * sqrt(2 * g * h)", "p = S * (2 * g * h) ^ n""#,
        ),
        // A number that is the factor between two units converts.
        (
            r#""d": (start: 5, unit: "cm")"#,
            r#""h": (start: 1, unit: "m"), "r": (start: 1, unit: "m")"#,
            r#""h = 0.01 * d", "r = h + d * 0.01 / 2""#,
        ),
        // Equations agree in themselves, bounds with what is between them.
        (
            r#""R": (start: 1, unit: "V/A"), "I0": (start: 1e-9, unit: "A"), "Ut": (start: 0.026, unit: "V")"#,
            r#""U": (start: 5, unit: "V"), "i": (start: 0, unit: "A")"#,
            r#""solve i from I0 to 10: U = R * i + Ut * ln(1 + i / I0)""#,
        ),
        // A zero without a unit fits everything, as does the offset of degrees Celsius.
        (
            r#""zero": 0"#,
            r#""x": (start: 1, unit: "m"), "y": (start: 1, unit: "s"), "T": (start: 20, unit: "degC"), "K": (start: 0, unit: "K")"#,
            r#""x = zero", "y = zero", "K = T + 273.15""#,
        ),
    ] {
        assert_eq!(found(constants, reals, relations), Vec::<String>::new());
    }
}

#[test]
fn rows_that_do_not_agree_are_found() {
    let state = r#""x": (start: 1, unit: "m"), "v": (start: 0, unit: "m/s"), "y": (start: 1, unit: "cm"), "a": (start: 1, unit: "deg"), "m": (start: 1, unit: "kg")"#;
    for (relations, expected) in [
        (r#""x = x + v""#, "C060 `x` is in m, `v` in m/s"),
        (r#""x = y""#, "C061 `x` is in m, `y` in cm"),
        (r#""x = 2 * y""#, "C061 `x` is in m, `y` in cm"),
        (r#""m = a + m""#, "C060 `m` is in kg, `a` in deg"),
        (
            r#""v = sin(a)""#,
            "C061 `a` is in deg, a number without a unit",
        ),
        (r#""x = m""#, "C060 `x` is in m, `m` in kg"),
        (r#""x = max(x, m)""#, "C060 `x` is in m, `m` in kg"),
        (
            r#""x, v := v, x when every(1)""#,
            "C060 `x` is in m, `v` in m/s",
        ),
        (
            r#""solve x: x + 1 = v""#,
            "C060 `x + 1` is in m, `v` in m/s",
        ),
        (
            r#""solve x from -m to m: x * x = 2""#,
            "C060 `x` is in m, `-m` in kg",
        ),
    ] {
        assert_eq!(
            found("", state, relations).first().map(String::as_str),
            Some(expected),
            "{relations}"
        );
    }
}

#[test]
fn a_wrong_conclusion_names_the_row_that_made_it() {
    let text = r#"(
        format: 1,
        constants: {"k": 2},
        reals: {"x": (start: 1, unit: "m"), "F": (start: 0, unit: "N"), "M": (start: 0, unit: "N*m")},
        relations: ["F = k * x", "M = k * x"],
    )"#;
    let loaded = crate::load("t.ron", text, &mut crate::standalone);
    let model = loaded.model.as_ref().expect("the table has no mistakes");
    let found = check_with(model, &loaded.origins, loaded.watchers(), Budget::default());
    let one = found.iter().find(|one| one.code == "C060").expect("found");
    assert_eq!(one.notes, ["`k` is in kg/s^2 by row `1`"]);
}

#[test]
fn factors_and_symbols_are_looked_at() {
    let wrong = found(
        r#""c": (start: 57.24, unit: "deg/rad")"#,
        r#""x": 1"#,
        r#""x = c * x""#,
    );
    assert!(
        wrong[0].starts_with("C063 `c` is 57.24 deg/rad"),
        "{wrong:?}"
    );
    let exact = found(
        r#""c": (start: "180 / pi", unit: "deg/rad")"#,
        r#""x": (start: 1, unit: "rad"), "y": (start: 1, unit: "deg")"#,
        r#""y = c * x""#,
    );
    assert_eq!(exact, Vec::<String>::new());
    let unknown = found(
        "",
        r#""x": (start: 1, unit: "blah/s")"#,
        r#""x = integral(1)""#,
    );
    assert_eq!(unknown, ["C062 `blah` in the unit of `x` is not known"]);
}

/// The reports on a table of a tank whose clock has this unit, and whose flow is in that.
fn of_tank(clock: &str, flow: &str, relation: &str) -> Vec<String> {
    let text = format!(
        r#"(format: 1, clock: ({clock}), constants: {{"q": (start: 1, unit: "{flow}"), "tau": (start: 1, unit: "min")}},
        reals: {{"V": (start: 0, unit: "m^3")}}, situations: ["event beat: every(tau)"], relations: ["{relation}"])"#
    );
    let found = reports(&crate::load("t.ron", &text, &mut crate::standalone));
    let units = found.iter();
    units
        .map(|one| {
            format!(
                "{} {}",
                one.message,
                one.help.as_deref().unwrap_or_default()
            )
        })
        .collect()
}

#[test]
fn the_unit_of_the_clock_is_that_of_the_time() {
    let whole = "state the quantities in units of one size";
    for (clock, flow, factor) in [
        ("unit: h", "m^3/s", "3600"),
        (r#"unit: "ч""#, "m^3/s", "3600"),
        ("unit: d", "m^3/h", "24"),
        ("unit: s", "m^3/ms", "1000"),
    ] {
        let found = of_tank(clock, flow, "V = integral(q)");
        let expected = format!("multiply `q` by {factor}, or {whole}");
        assert!(
            found.iter().any(|one| one.ends_with(&expected)),
            "{found:?}"
        );
        let right = of_tank(clock, flow, &format!("V = integral({factor} * q)"));
        assert!(!right.iter().any(|one| one.contains("`V`")), "{right:?}");
    }
    // The period of the schedule is in minutes.
    assert_eq!(
        of_tank("unit: min", "m^3/min", "V = integral(q)"),
        Vec::<String>::new()
    );
    let beat = of_tank("unit: s", "m^3/s", "V = integral(q)");
    let expected = format!("`tau` is in min, the time in s multiply `tau` by 60, or {whole}");
    assert_eq!(beat, [expected]);
    // Without a unit the time takes what the rows need: here minutes, by the schedule.
    let taken = of_tank("", "m^3/min", "V = integral(q)");
    assert_eq!(taken, Vec::<String>::new());
}

#[test]
fn every_unit_of_the_clock_is_a_time() {
    let unit = Clock::setting("unit").expect("a setting");
    for (word, _) in unit.kind.words() {
        let read = super::unit::read(word).expect(word);
        let second = super::unit::read("s").expect("a unit").unit;
        assert_eq!(read.unit.powers, second.powers, "{word}");
        assert!(read.unknown.is_empty());
    }
    let [latin, cyrillic] = ["h", "ч"].map(|word| super::unit::read(word).expect("a unit"));
    assert_eq!(latin, cyrillic);
}

/// What only watches a run is looked at too: where it stops, what should not change, what is expected.
#[test]
fn what_watches_a_run_is_looked_at() {
    let table = |watching: &str| {
        let text = format!(
            r#"(
                format: 1,
                clock: (stop: 1, unit: "s", {watching}
                constants: {{"g": (start: 9.81, unit: "m/s^2"), "h0": (start: 4, unit: "m"), "d": (start: 5, unit: "cm")}},
                reals: {{"h": (start: "h0", unit: "m"), "v": (start: 0, unit: "m/s")}},
                relations: ["v = integral(-g)", "h = integral(v)"],
            )"#
        );
        let found = reports(&crate::load("t.ron", &text, &mut crate::standalone));
        let said = found
            .into_iter()
            .map(|one| [vec![one.message], one.notes].concat().join("; "));
        said.collect::<Vec<_>>()
    };
    for watching in [
        r#"stop_when: "h < 0.5 * h0 & v < 0"),"#,
        r#"), invariants: {"E": "g * h + v^2 / 2"},"#,
        r#"), expect: ["max(h) = h0 +- 1e-6", "first(h < 1) < 2", "count(v < -1) = 1", "drift(h) > 0 * d", "h >= -1"],"#,
    ] {
        assert_eq!(table(watching), Vec::<String>::new(), "{watching}");
    }
    for (watching, said) in [
        (
            r#"stop_when: "h < v"),"#,
            "`h` is in m, `v` in m/s; in `stop_when`",
        ),
        (
            r#"), invariants: {"E": "g * h + v"},"#,
            "`g * h` is in m^2/s^2, `v` in m/s",
        ),
        (r#"), expect: ["h > v"],"#, "`h` is in m, `v` in m/s"),
        (r#"), expect: ["max(h) = d"],"#, "`h` is in m, `d` in cm"),
        (
            r#"), expect: ["max(h) = h0 +- d"],"#,
            "`h` is in m, `d` in cm",
        ),
        (
            r#"), expect: ["first(h < d) < 1"],"#,
            "`h` is in m, `d` in cm",
        ),
        (
            r#"), expect: ["duration(h < 1) < h0"],"#,
            "duration(h < 1) is in s, `h0` in m",
        ),
        (
            r#"), expect: ["count(h < 1) = h0"],"#,
            "count(h < 1) is without a unit, `h0` in m",
        ),
    ] {
        let told = table(watching);
        assert_eq!(told.len(), 1, "{watching}: {told:?}");
        assert!(told[0].starts_with(said), "{watching}: {}", told[0]);
    }
}

#[test]
fn what_is_read_off_a_run_is_looked_at() {
    let table = |fields: &str| {
        let text = format!(
            r#"(format: 1, clock: (unit: "s"), constants: {{"m": (start: 2, unit: "kg")}},
                reals: {{"h": (start: 1, unit: "m"), "v": (start: 0, unit: "m/s")}},
                ranges: ["low: h <= 0"], relations: ["h = integral(v)"], lab: (predict: {{{fields}}}))"#
        );
        crate::load("t.ron", &text, &mut crate::standalone)
    };
    for (field, said) in [
        (r#""top": (measure: "max(h)", unit: "m")"#, ""),
        (
            r#""top": (measure: "max(h)", unit: "cm")"#,
            "`h` is in m, what is to be predicted in 0.01*m",
        ),
        (
            r#""top": (measure: "max(h)", unit: "s")"#,
            "`h` is in m, what is to be predicted in s",
        ),
        (r#""end": (measure: "first(low)", unit: "s")"#, ""),
        (
            r#""end": (measure: "first(low)", unit: "m")"#,
            "`end` is in s, what is to be predicted in m",
        ),
        (
            r#""end": (measure: "first(h <= 3 * m)")"#,
            "`h` is in m, `3 * m` in kg",
        ),
        (
            r#""place": (value: "v", at: "low", unit: "m")"#,
            "`v` is in m/s, what is to be predicted in m",
        ),
    ] {
        let loaded = table(field);
        let model = loaded.model.as_ref().expect("it has no mistakes");
        let found = check_with(model, &loaded.origins, loaded.watchers(), Budget::default());
        let mut units = found.iter().filter(|one| one.code.starts_with("C06"));
        let message = units.next().map_or("", |one| &one.message);
        assert_eq!(message, said, "{field}");
    }
    let loaded = table("");
    let model = loaded.model.as_ref().expect("it has no mistakes");
    let mut sources = loaded.sources.clone();
    let (mut bound, mut origins) = (model.clone(), loaded.origins.clone());
    let text = "first(h <= 3 * m)";
    let measure = measure(&mut bound, &mut origins, &mut sources, "<measure>", text).unwrap();
    let reading = Reading {
        text,
        span: sources.last().unwrap(),
        unit: "",
        of: &Obtained::Measured(measure),
    };
    let found = unit_mismatches(&bound, &origins, &[reading]);
    let messages: Vec<&str> = found.iter().map(|one| &*one.message).collect();
    assert_eq!(messages, ["`h` is in m, `3 * m` in kg"]);
}
