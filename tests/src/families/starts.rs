//! What single elements are given: start values, settings of cases, expectations.

use situ_engine::model::{Boolean, Clock, Input, IntegralRule, Named};
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::TraceRecorder;
use situ_rules::diag::{Style, render};
use situ_rules::{Choices, Loaded, load_as, standalone};

use crate::tables::Table;

/// A family `u` over 0 .. 4 whose reals, cases and other lists are these.
fn rod(reals: &str, more: &str) -> String {
    format!(
        r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"N": 4}}, counters: {{"j": "1 .. N", "k": "2 .. 3"}},
            reals: {{{reals}}}, relations: ["u[j] = integral(1)", "u[0] = 0"], {more})"#
    )
}

fn read(text: &str, choices: &Choices) -> Loaded {
    load_as("rod.ron", text, &mut standalone, choices)
}

/// The start values of the reals, and what is said of the table.
fn starts(text: &str, choices: &Choices) -> (Vec<f64>, String) {
    let loaded = read(text, choices);
    let said = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    let mut model = loaded.model.unwrap_or_else(|| panic!("{said}"));
    if let Some(name) = &choices.case {
        let case = model.cases.iter().position(|case| case.name == *name);
        model.apply_case(case.unwrap());
    }
    (model.start_values().unwrap().reals, said)
}

#[test]
fn the_narrowest_entry_gives_the_start() {
    let orders = [
        r#""u[0 .. N]": -1, "u[3]": 7, "u[j]": "j""#,
        r#""u[3]": 7, "u[j]": "j", "u[0 .. N]": -1"#,
        r#""u[N - 1]": 7, "u[0 .. N]": -1, "u[j]": "j""#,
    ];
    for reals in orders {
        let (values, said) = starts(&rod(reals, ""), &Choices::default());
        assert_eq!(values, [-1.0, 1.0, 2.0, 7.0, 4.0], "{reals}");
        assert_eq!(said, "");
    }
    let cases = r#"cases: {"c": (set: {"u[2]": 5, "u[j]": "10 * j"})}"#;
    let chosen = Choices {
        case: Some("c".to_owned()),
        ..Choices::default()
    };
    let (values, _) = starts(&rod(r#""u[0 .. N]": -1"#, cases), &chosen);
    assert_eq!(values, [-1.0, 10.0, 5.0, 30.0, 40.0]);
}

/// Values that decide the shape, too: `left` leads from cell to cell.
#[test]
fn the_narrowest_entry_leads_in_a_network() {
    for left in [
        r#""left[j]": "j - 1", "left[1]": "N""#,
        r#""left[M]": "N", "left[j]": "j - 1""#,
    ] {
        let text = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"N": 4, "M": 1, {left}}}, counters: {{"j": "1 .. N"}},
                reals: {{"x[j]": "10 * j", "y[j]": "x[left[j]]"}}, relations: ["x[j] = integral(0)", "y[j] = x[left[j]]"])"#
        );
        let (values, _) = starts(&text, &Choices::default());
        assert_eq!(values[4..], [40.0, 10.0, 20.0, 30.0], "{left}");
    }
}

#[test]
fn entries_that_are_equally_narrow_are_reported() {
    for (reals, element) in [
        (r#""u[0 .. N]": -1, "u[j]": 1, "u[k]": 2"#, "u[2]"),
        (r#""u[0 .. N]": -1, "u[4]": 1, "u[N]": 2"#, "u[4]"),
    ] {
        let (values, said) = starts(&rod(reals, ""), &Choices::default());
        assert!(said.contains("F013") && said.contains(element), "{said}");
        assert!(values.contains(&2.0), "the later one holds");
    }
}

#[test]
fn a_table_that_extends_another_keeps_its_single_elements() {
    let base = rod(r#""u[0 .. N]": -1, "u[3]": 7"#, "");
    let own = r#"(format: 1, extends: "base.ron", reals: {"u[j]": "j"})"#;
    let mut bases = |_: &str, _: &str| {
        Ok(situ_rules::TableText {
            name: "base.ron".to_owned(),
            text: base.clone(),
        })
    };
    let table = Table::of(situ_rules::load("own.ron", own, &mut bases));
    let values = table.model.start_values().unwrap().reals;
    assert_eq!(values, [-1.0, 1.0, 2.0, 7.0, 4.0]);
}

#[test]
fn a_case_of_another_size_names_elements_of_that_size() {
    let cases =
        r#"cases: {"big": (set: {"N": 6, "u[6]": 9}), "wrong": (set: {"N": 7, "u[8]": 9})}"#;
    let text = rod(r#""u[0 .. N]": 1"#, cases);
    let (values, said) = starts(&text, &Choices::default());
    assert_eq!((values.len(), &*said), (5, ""));
    let of_case = |name: &str| Choices {
        case: Some(name.to_owned()),
        ..Choices::default()
    };
    let (values, _) = starts(&text, &of_case("big"));
    assert_eq!(values, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0]);
    let loaded = read(&text, &of_case("wrong"));
    assert!(loaded.diagnostics.iter().any(|found| found.code == "F004"));
}

#[test]
fn expectations_go_over_elements() {
    let expect = r#"expect: ["all(u[j] < 9 for j)", "!any(u[j] > 1.05 for j)", "final(sum(u[j] for j)) = 4 +- 0.01",
        "first(any(u[j] > 0.45 for j)) = 0.5 +- 0.11", "max(u[N]) <= 1.01"]"#;
    let loaded = read(&rod(r#""u[0 .. N]": 0"#, expect), &Choices::default());
    let said = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    let model = loaded.model.unwrap_or_else(|| panic!("{said}"));
    let measures: Vec<_> = (loaded.expectations.iter())
        .flat_map(|expectation| expectation.measures())
        .collect();
    let config = situ_engine::sim::RunConfig::from_clock(&model.clock).unwrap();
    let mut run = situ_engine::sim::Run::new(model.clone(), config, &measures).unwrap();
    run.run(&mut ()).unwrap();
    let outcomes = situ_rules::resolve::outcomes(&loaded.expectations, &model, &run.measured());
    assert_eq!(outcomes.len(), 5);
    for outcome in outcomes {
        assert!(outcome.met, "{}: {:?}", outcome.text, outcome.found);
    }
    let beyond = read(
        &rod(
            r#""u[0 .. N]": 0"#,
            r#"expect: ["all(u[j + 1] < 9 for j)"]"#,
        ),
        &Choices::default(),
    );
    assert!(beyond.diagnostics.iter().any(|found| found.code == "F004"));
}

/// `E[i, i]` is the diagonal: of constants, reals and in cases.
#[test]
fn one_counter_for_both_indices_names_the_diagonal() {
    let text = r#"(format: 1, clock: (step: 1, stop: 1), constants: {"N": 2, "E[i, i]": "10 * i", "E[i, j]": 1},
        counters: {"i": "1 .. N", "j": "1 .. N"}, reals: {"t": "sum(E[i, j] for i, j)", "u[i, j]": -1, "u[i, i]": "i"},
        relations: ["u[i, j] = integral(1)"], cases: {"c": (set: {"u[i, i]": 5})})"#;
    let (values, said) = starts(text, &Choices::default());
    assert_eq!(values, [32.0, 1.0, -1.0, -1.0, 2.0]);
    assert!(!said.contains("error"), "{said}");
    let chosen = Choices {
        case: Some("c".to_owned()),
        ..Choices::default()
    };
    let (values, _) = starts(text, &chosen);
    assert_eq!(values, [32.0, 5.0, -1.0, -1.0, 5.0]);
}

/// An element of a network that is set leads elsewhere.
#[test]
fn a_network_is_set_from_outside() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"N": 2, "to[i]": "i"}, counters: {"i": "1 .. N"},
        reals: {"u[i]": "i", "y[i]": "u[to[i]]"}, relations: ["u[i] = integral(1)", "y[i] = u[to[i]]"],
        cases: {"a": (set: {"to[2]": 1})})"#;
    let case = Some("a".to_owned());
    let set = vec!["to[2]=1".to_owned()];
    for choices in [Choices { case, set: vec![] }, Choices { case: None, set }] {
        let loaded = read(text, &choices);
        let mut sources = loaded.sources;
        let tables = situ_rules::chosen(&loaded.tables, &mut sources, &choices).unwrap();
        let resolved = situ_rules::resolve::resolve(&tables, &sources, &loaded.data);
        let model = resolved.model.unwrap();
        assert_eq!(model.start_values().unwrap().reals, [1.0, 2.0, 1.0, 1.0]);
    }
}

/// A reduction with a condition begins with what it is at the start: no event fires for what holds from the start, a delay
/// has taken it in before, and no derivative sees it come.
#[test]
fn conditional_reductions_begin_with_their_values() {
    let rows = [
        "late = delay({of}, 0.5)",
        "late = derivative({of})",
        "late = counter({of} >= 2)",
        "late := 1 when e",
    ];
    let pairs = [
        ("sum(u[j] for j when f[j])", "sum(u[j] for j)", 6.0),
        ("max(u[j] for j when f[j])", "max(u[j] for j)", 3.0),
        (
            "min(u[j] for j when u[j] > 1)",
            "min(u[j] for j in 2 .. 3)",
            2.0,
        ),
        (
            "mean(u[j] for j when big[j])",
            "mean(u[j] for j in 2 .. 3)",
            2.5,
        ),
        ("number(f[j] for j)", "3 * u[1]", 3.0),
        ("number(big[j] for j)", "u[2]", 2.0),
        ("sum(u[j] for j when both[j])", "u[2] + u[3]", 5.0),
    ];
    for (conditional, plain, value) in pairs {
        for row in rows {
            let ends = [conditional, plain].map(|of| {
                let row = row.replace("{of}", of);
                let text = format!(
                    r#"(format: 1, counters: {{"j": "1 .. 3"}}, reals: {{"u[j]": "j", "x": 0, "late": 0}},
                        switches: {{"f[j]": true}}, ranges: ["big[j]: u[j] > 1"],
                        situations: ["both[j]: big[j] & f[j]", "event e: {of} >= 2"],
                        relations: ["{row}", "x = integral(late)"])"#
                );
                let table = Table::from_text(&text);
                let ticks = {
                    let run = table.clone().ticks(0.25, 4, 1, IntegralRule::Rectangle);
                    let mut trace = TraceRecorder::new(&run.table.model);
                    run.simulation().run(&mut trace).unwrap();
                    trace.trace.reals[table.real("x").index()].clone()
                };
                let config = Clock { stop: Some(1.0), ..Clock::default() };
                let mut run = EventRun::new(table.model.clone(), EventConfig::from_clock(&config).unwrap()).unwrap();
                run.run(&mut ()).unwrap();
                (ticks, run.real(table.real("x")))
            });
            assert_eq!(ends[0].0, ends[1].0, "{conditional}: {row}");
            assert!(
                (ends[0].1 - ends[1].1).abs() < 1e-12,
                "{conditional}: {row}"
            );
            if row.contains("delay") {
                assert!((ends[0].1 - value).abs() < 1e-12, "{conditional}: {row}");
            }
        }
    }
    // The rows written out say the same.
    let text = r#"(format: 1, counters: {"j": "1 .. 3"}, reals: {"u[j]": "j", "late": 0}, switches: {"f[j]": true},
        relations: ["late = sum(u[j] for j when f[j])"])"#;
    let (values, said) = starts(text, &Choices::default());
    assert_eq!((&values[..4], &*said), (&[1.0, 2.0, 3.0, 0.0][..], ""));
    assert_eq!(values[4..], [1.0, 2.0, 3.0]);
}

/// What counts while a condition holds is known where other starts need it, also over others and through ranges, and
/// follows what is given from outside.
#[test]
fn starts_need_conditional_reductions() {
    let text = r#"(format: 1, clock: (stop: 1), counters: {"j": "1 .. 4"},
        constants: {"K": "10 + number(on[j] for j)", "c[j]": "K * j"},
        reals: {"n": "number(u[j] > 2.5 for j)", "s": "sum(u[j] for j when u[j] > 2.5)", "o": "number(on[j] for j)",
            "t": "sum(u[j] for j when on[j])", "m": "mean(u[j] for j when hot[j])", "y": "n + 1", "z": "max(c[j] for j when big[j])",
            "u[j]": "j"},
        switches: {"on[j]": true, "on[4]": false}, ranges: ["hot[j]: u[j] > y - 0.5", "big[j]: c[j] < 13 + 10 * y"],
        relations: ["u[j] = integral(0)", "y = integral(1)"])"#;
    let (values, said) = starts(text, &Choices::default());
    assert_eq!(values[..7], [2.0, 7.0, 3.0, 6.0, 3.5, 3.0, 39.0]);
    assert!(!said.contains("error"), "{said}");
    let model = read(text, &Choices::default()).model.unwrap();
    let input = |name: &str| match model.find(name) {
        Some(Named::Real(id)) => (Input::Real(id), 0.0),
        Some(Named::Boolean(Boolean::Switch(id))) => (Input::Switch(id), 0.0),
        other => panic!("{name}: {other:?}"),
    };
    let values = model.start_values_given(&["on[1]", "n", "u[3]"].map(input));
    let values = values.unwrap().reals;
    assert_eq!(values[..7], [0.0, 4.0, 2.0, 2.0, 7.0 / 3.0, 1.0, 12.0]);
}

#[test]
fn a_start_does_not_need_itself_through_a_condition() {
    let text = r#"(format: 1, clock: (stop: 1), counters: {"j": "1 .. 2"}, reals: {"u[j]": "j + 0 * v", "v": "number(u[j] > 1 for j)"},
        relations: ["u[j] = integral(1)", "v = integral(1)"])"#;
    let loaded = read(text, &Choices::default());
    let said = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    assert!(
        said.contains("error[N025]: the start value of `u[2]` needs itself"),
        "{said}"
    );
    assert!(said.contains("the circle: u[2] -> v -> u[2]"), "{said}");
}

/// A case that nobody asks for may set elements that another size does not have.
#[test]
fn another_case_does_not_ask_for_its_elements() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"N": 3}, counters: {"j": "1 .. N"}, reals: {"x[j]": 0},
        relations: ["x[j] = integral(1)"], cases: {"own": (set: {"x[3]": 2}), "other": (set: {"x[1]": 1})})"#;
    let chosen = |case: Option<&str>| Choices {
        case: case.map(str::to_owned),
        set: vec!["N=2".to_owned()],
    };
    let (values, said) = starts(text, &chosen(Some("other")));
    assert_eq!((&values[..], &*said), (&[1.0, 0.0][..], ""));
    let loaded = read(text, &chosen(Some("own")));
    assert!(loaded.diagnostics.iter().any(|found| found.code == "F004"));
}
