//! Names that are unknown, look alike or come from elsewhere.

use insta::assert_snapshot;

use super::{model, reports, table};
use crate::diag::{Style, render};
use crate::load::{load, standalone};

#[test]
fn names_are_reported_once_with_the_nearest_known_one() {
    assert_snapshot!(reports(&table(&[
        "x = integral(xx) when lo",
        "y = xx * K_brak",
        "v = -M * g when lo",
        "`pos x` = 3 when hitt",
        "u = integral(y)",
        "u = pos + m * sin",
    ])), @r#"
        error[N001]: unknown name `xx`
         --> table.ron:8:23
          |
        8 |         "x = integral(xx) when lo",
          |                       ^^ used as a number here
          |
          = note: used in 2 places
        help: did you mean `x`?
          |
        8 -         "x = integral(xx) when lo",
        8 +         "x = integral(x) when lo",
          |

        error[N001]: unknown name `lo`
         --> table.ron:8:32
          |
        8 |         "x = integral(xx) when lo",
          |                                ^^ used as a condition here
          |
          = note: used in 2 places
        help: did you mean `low`?
          |
        8 |         "x = integral(xx) when low",
          |                                  +

        error[N001]: unknown name `K_brak`
         --> table.ron:9:19
          |
        9 |         "y = xx * K_brak",
          |                   ^^^^^^ used as a number here
          |
        help: declare it in `constants`
          |
        2 |     constants: {"m": 2, "g": 9.81, "K": 8000, "K_brak": 0},
          |                                             +++++++++++++

        error[N001]: unknown name `M`
          --> table.ron:10:15
           |
        10 |         "v = -M * g when lo",
           |               ^ used as a number here
           |
        help: did you mean `m`?
           |
        10 -         "v = -M * g when lo",
        10 +         "v = -m * g when lo",
           |

        error[N005]: `pos x` is written, but the table has no real of that name
          --> table.ron:11:10
           |
        11 |         "`pos x` = 3 when hitt",
           |          ^^^^^^^ written here
           |
        help: declare it in `reals`
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "`pos x`": 0},
           |                                           ++++++++++++++

        error[N001]: unknown name `hitt`
          --> table.ron:11:27
           |
        11 |         "`pos x` = 3 when hitt",
           |                           ^^^^ used as a condition here
           |
        help: did you mean `hit`?
           |
        11 -         "`pos x` = 3 when hitt",
        11 +         "`pos x` = 3 when hit",
           |

        error[N005]: `u` is written, but the table has no real of that name
          --> table.ron:12:10
           |
        12 |         "u = integral(y)",
           |          ^ written here
           |
           = note: used in 2 places
        help: declare it in `reals`
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "u": 0},
           |                                           ++++++++

        error[N001]: unknown name `pos`
          --> table.ron:13:14
           |
        13 |         "u = pos + m * sin",
           |              ^^^ used as a number here
           |
        help: declare it in `constants`
           |
         2 |     constants: {"m": 2, "g": 9.81, "K": 8000, "pos": 0},
           |                                             ++++++++++

        error[N001]: unknown name `sin`
          --> table.ron:13:24
           |
        13 |         "u = pos + m * sin",
           |                        ^^^ used as a number here
           |
           = help: `sin` is a procedure: write `sin(a)`
        "#);
}

#[test]
fn names_that_look_alike() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"с": 1, "рост": 2},
    reals: {"c": 0, "Fс": 1, "Fтр": 2},
    relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
)"#), @r#"
        warning[N003]: two names look like `c`
         --> table.ron:3:14
          |
        2 |     constants: {"с": 1, "рост": 2},
          |                  - all letters are Cyrillic
        3 |     reals: {"c": 0, "Fс": 1, "Fтр": 2},
          |              ^ all letters are Latin
          |
          = help: give one of them another name, or write both with the same letters

        warning[N004]: `Fс` mixes Latin and Cyrillic letters that look alike
         --> table.ron:3:22
          |
        3 |     reals: {"c": 0, "Fс": 1, "Fтр": 2},
          |                      ^^ Cyrillic: с
          |
          = help: write the word with letters of one alphabet

        error[N001]: unknown name `рoст`
         --> table.ron:4:22
          |
        4 |     relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
          |                      ^^^^ used as a number here
          |
        help: did you mean `рост`? It looks the same, but has Cyrillic letters where this has Latin ones
          |
        4 -     relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
        4 +     relations: ["c = рост * Fс", "Fс = Fтр", "Fтр = -с"],
          |
        "#);
}

#[test]
fn what_other_languages_allow_is_answered_in_kind() {
    let reports = reports(&table(&["x = max(1,2,3)", "y = 2 when EverTrue"]));
    for help in [
        "write `max(max(a1, a2), a3)`",
        "a row without `when` always holds",
    ] {
        assert!(reports.contains(help), "{reports}");
    }
}

#[test]
fn what_could_not_be_read_causes_no_further_reports() {
    let codes = |text: &str| {
        let loaded = load("table.ron", text, &mut standalone);
        assert!(loaded.model.is_none());
        let codes: Vec<_> = loaded
            .diagnostics
            .iter()
            .map(|report| report.code)
            .collect();
        let found = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        (codes.join(" "), found)
    };
    let check = |fields: &str, expected: &str| {
        let (codes, found) = codes(&format!("(format: 1, {fields})"));
        assert_eq!(codes, expected, "{fields}\n{found}");
    };
    let rows = r#"relations: ["x = integral(k) when low & on", "y = 2 otherwise"]"#;
    let reals = r#"reals: {"x": 0, "y": 0}, constants: {"k": 1}, switches: {"on": true}"#;
    let low = r#"ranges: ["low: x < 1"]"#;
    let y =
        r#"relations: ["x = integral(k) when low & on", "y = 2 otherwise", "y = 3 + when low"]"#;
    // A list of the wrong type, entries without a name, unknown fields.
    check(
        &format!(
            r#"reals: ["x", "y"], constants: {{"k": 1}}, switches: {{"on": true}}, {low}, {y}"#
        ),
        "P005 P011",
    );
    check(
        &format!(
            r#"constants: {{"k": 1}}, variables: {{"x": 0, "y": 0}}, switches: {{"on": true}}, {low}, {y}"#
        ),
        "P003 P011",
    );
    check(
        &format!(r#"{reals}, ranges: [(name: "low")], {y}"#),
        "P006 P011",
    );
    check(
        &format!(r#"{reals}, ranges: (low: "x < 1"), {y}"#),
        "P005 P011",
    );
    check(
        &format!(r#"{reals}, ranges: [("low", "x < 1")], {y}"#),
        "P005 P011",
    );
    // The row that `otherwise` differs from, a condition, a value.
    check(
        &format!(
            r#"{reals}, {low}, relations: ["x = integral(k) when on", "y = 2 otherwise", (real: "y", args: [1], when: ["low"])]"#
        ),
        "P006",
    );
    check(
        &format!(
            r#"{reals}, {low}, relations: [(real: "x", procedure: "assignment", once: true, args: [1], when: [3])]"#
        ),
        "P005",
    );
    check(
        &format!(r#"{reals}, {low}, relations: ["x := 3 when low &"]"#),
        "P011",
    );
    check(
        r#"constants: {"k": (start: [])}, reals: {"x": "k"}"#,
        "P005",
    );
    check(
        r#"switches: {"on": true}, cases: {"a": (set: {"on": []})}"#,
        "P005",
    );
    // Reals and values that do not match.
    check(
        &format!(
            r#"{reals}, relations: [(real: ["x", "y"], procedure: "assignment", args: ["y", "x"])]"#
        ),
        "P019",
    );
    check(&format!(r#"{reals}, relations: ["x, y = y"]"#), "P019");
    check(
        &format!(r#"{reals}, relations: ["x, y := y when every(1)"]"#),
        "P019",
    );
    // What has nothing to do with it is reported as ever.
    check(
        &format!(
            r#"{reals}, ranges: [(name: "low")], relations: ["x = integral(q) when low & of"]"#
        ),
        "P006 N001 N001",
    );
    check(&format!(r#"{reals}, {low}, {rows}"#), "N019");
}

/// Such a name has no words; it was taken for one that an unreadable row may declare.
/// Whatever reads it above, and however near another name is.
#[test]
fn a_name_that_is_written_is_marked_where_it_is() {
    let text = r#"(format: 1, reals: {"x0": 1, "g": (start: "x1 - x0")},
    relations: ["x1 = integral(x0)", "g = x1 - x0"])"#;
    assert_snapshot!(reports(text), @r#"
    error[N005]: `x1` is written, but the table has no real of that name
     --> table.ron:2:18
      |
    2 |     relations: ["x1 = integral(x0)", "g = x1 - x0"])
      |                  ^^ written here
      |
      = note: used in 3 places
    help: declare it in `reals`
      |
    1 | (format: 1, reals: {"x0": 1, "g": (start: "x1 - x0"), "x1": 0},
      |                                                     +++++++++
    "#);
}

#[test]
fn a_name_of_signs_alone_is_unknown_like_any_other() {
    let reports = reports(&table(&["x = m * `+`"]));
    assert!(reports.contains("`+`"), "{reports}");
}

/// What other languages compute is said as a formula, and nothing is offered that computes something else.
#[test]
fn functions_of_other_languages_are_formulas() {
    for (row, help) in [
        ("x = lg(y)", "write `ln(a) / ln(10)`"),
        ("x = ld(y)", "write `ln(a) / ln(2)`"),
        (
            "x = log(y)",
            "write `ln(a)`, or `ln(a) / ln(10)` for the logarithm to base 10",
        ),
        ("x = tanh(y)", "write `1 - 2 / (exp(2 * a) + 1)`"),
        ("x = sinh(y)", "write `(exp(a) - exp(-a)) / 2`"),
        ("x = cosh(y)", "write `(exp(a) + exp(-a)) / 2`"),
        ("x = asinh(y)", "write `ln(a + sqrt(a^2 + 1))`"),
        ("x = cot(y)", "write `1 / tan(a)`"),
        ("x = acot(y)", "write `pi / 2 - atan(a)`"),
        ("x = sqr(y)", "write `a^2`"),
        ("x = fmod(y, z)", "write `sign(a) * mod(abs(a), abs(b))`"),
        ("x = sinc(y)", "write `sin(a) / a`"),
        (
            "v = dx/dt",
            "the rate of a real has a row of its own: `v = derivative(x)`",
        ),
        ("v = sum(1,2,3)", "write `sum(a1, a2)`"),
    ] {
        let found = load("table.ron", &table(&[row]), &mut standalone).diagnostics;
        let error = &found[0];
        assert_eq!(error.help.as_deref(), Some(help), "{row}: {found:?}");
        assert_eq!(error.edit, None, "{row}");
    }
}

/// The formulas themselves are right.
#[test]
fn formulas_compute_what_they_stand_for() {
    for (formula, a, b, expected) in [
        ("1 - 2 / (exp(2 * a) + 1)", 0.7_f64, 1.0, 0.7_f64.tanh()),
        ("1 + 2 / (exp(2 * a) - 1)", 0.7, 1.0, 1.0 / 0.7_f64.tanh()),
        ("ln(a + sqrt(a^2 + 1))", 0.7, 1.0, 0.7_f64.asinh()),
        ("ln(a + sqrt(a^2 - 1))", 1.7, 1.0, 1.7_f64.acosh()),
        ("ln((1 + a) / (1 - a)) / 2", 0.7, 1.0, 0.7_f64.atanh()),
        ("sign(a) * mod(abs(a), abs(b))", -7.5, 2.0, -1.5),
        ("sign(a) * abs(a)^(1 / 3)", -8.0, 1.0, -2.0),
        ("-floor(-a)", 1.2, 1.0, 2.0),
    ] {
        let text = format!(
            r#"(format: 1, constants: {{"a": {a}, "b": {b}, "y": "{formula}"}}, reals: {{"x": 0}}, relations: ["x = y"])"#
        );
        let start = model(&text).start_values().expect(formula);
        assert!((start.constants[2] - expected).abs() < 1e-12, "{formula}");
    }
}

#[test]
fn names_of_very_many_letters_have_no_nearest() {
    let names = [100, 200, 201, 100_000].map(|n| "a".repeat(n));
    let found = names.map(|name| {
        let mistyped = format!("{}b", &name[1..]);
        crate::diag::nearest(&mistyped, [&*name]).map(str::len)
    });
    assert_eq!(found, [Some(100), Some(200), None, None]);
}
