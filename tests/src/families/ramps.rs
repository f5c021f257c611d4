//! Texts about runs over elements that rise along lines, `v[j] = 1 + j t`: a row after a tick has the same truths in every
//! text, and they are known.

use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Measure, TraceRecorder};
use situ_rules::resolve::{Flat, outcomes};
use situ_rules::{TableText, print, resolve, standalone};

use crate::tables::Table;

const CLOCKS: [&str; 3] = [
    "step: 0.1",
    "step: 0.1, scan: simultaneous",
    "stepping: events",
];

fn ramps(clock: &str, rest: &str) -> String {
    format!(
        r#"(format: 1, clock: ({clock}), constants: {{"N": 3}}, counters: {{"j": "1 .. N"}}, reals: {{"v[j]": 1}},
            relations: ["v[j] = integral(j)"], {rest})"#
    )
}

/// The time at which a run ends, and what was measured.
fn run(table: &Table, measures: &[Measure]) -> (f64, Vec<Option<f64>>) {
    let config = RunConfig::from_clock(&table.model.clock).unwrap();
    let mut run = Run::new(table.model.clone(), config, measures).unwrap();
    let mut recorder = TraceRecorder::new(&table.model);
    run.run(&mut recorder).unwrap();
    (*recorder.trace.time.last().unwrap(), run.measured())
}

fn written_out(text: &str) -> String {
    let loaded = situ_rules::load("table.ron", text, &mut standalone);
    let Flat { table, .. } = resolve::flat(&loaded.tables).expect("it has families");
    print::table(&table)
}

/// `v[3]` passes 3 at 2/3: in ticks of 0.1 the first row behind it is that at 0.7.
#[test]
fn a_run_stops_in_the_row_in_which_a_condition_over_elements_holds() {
    let conditions = [
        "v[3] > 3",
        "any(v[j] > 3 for j)",
        "!all(v[j] <= 3 for j)",
        "!all(v[j] <= 3 for j) & v[N] > v[1]",
        "number(v[j] > 3 for j) > 0.5",
        "sum(1 for j when v[j] > 3) > 0.5",
        "number(any(v[i] > 3 + 0 * v[j] for i in 1 .. 3) for j) > 2.5",
        "max(v[j] for j) > 3",
    ];
    for clock in CLOCKS {
        let expected = match clock.contains("events") {
            true => 2.0 / 3.0,
            false => 0.7,
        };
        for condition in conditions {
            let settings = format!("{clock}, stop: 2, stop_when: \"{condition}\"");
            let text = ramps(&settings, "");
            for text in [&text, &written_out(&text)] {
                let (end, _) = run(&Table::from_text(text), &[]);
                assert!((end - expected).abs() < 1e-9, "{end}: {text}");
            }
        }
    }
}

/// A case has a clock of its own, and a later table overrides what it extends.
#[test]
fn the_condition_of_a_case_is_over_the_row() {
    let stop = r#"stop_when: "any(v[j] > 3 for j)""#;
    let case = format!(r#"cases: {{"c": (set: {{}}, clock: ({stop}))}}"#);
    let table = Table::from_text(&ramps(
        r#"step: 0.1, stop: 2, stop_when: "v[1] > 1.15""#,
        &case,
    ));
    assert!((run(&table, &[]).0 - 0.2).abs() < 1e-9);
    let mut chosen = table;
    let own = chosen.model.cases[0].clock.clone();
    chosen.model.clock = chosen.model.clock.overridden_by(&own);
    assert!((run(&chosen, &[]).0 - 0.7).abs() < 1e-9);

    let extending = format!("(format: 1, extends: \"base.ron\", clock: ({stop}))");
    let base = ramps(
        r#"step: 0.1, stop: 2, stop_when: "any(v[j] > 1.35 for j)""#,
        "",
    );
    let mut files = |_: &str, _: &str| {
        Ok::<_, String>(TableText {
            name: "base.ron".to_owned(),
            text: base.clone(),
        })
    };
    let loaded = situ_rules::load("own.ron", &extending, &mut files);
    let model = loaded.model.expect("it has no mistakes");
    assert_eq!(
        model.clock.stop_when.as_ref().map(|watch| watch.len()),
        Some(1)
    );
    let config = RunConfig::from_clock(&model.clock).unwrap();
    let mut stopped = Run::new(model, config, &[]).unwrap();
    stopped.run(&mut ()).unwrap();
    assert!((stopped.time() - 0.7).abs() < 1e-9);
}

#[test]
fn measures_count_what_holds_in_the_row() {
    // At t = 2 the elements are 3, 5, 7; at 0.4 they are 1.4, 1.8, 2.2.
    let texts = [
        ("final(number(v[j] > 2.95 for j))", 3.0),
        ("final(sum(v[j] for j when v[j] > 2.95))", 15.0),
        ("final(mean(v[j] for j when v[j] > 2.95))", 5.0),
        ("final(min(v[j] for j when v[j] > 2.95))", 3.0),
        ("at(number(v[j] > 2 for j), 0.4)", 1.0),
        ("first(number(v[j] > 2.05 for j) >= 1)", 0.4),
        ("final(number(time > 1.95 + 0 * v[j] for j))", 3.0),
        ("final(number(any(v[i] > 6.95 for i in 1 .. 3) for j))", 3.0),
    ];
    for clock in CLOCKS {
        let mut table = Table::from_text(&ramps(&format!("{clock}, stop: 2"), ""));
        let measures: Vec<Measure> = texts
            .iter()
            .map(|(text, _)| {
                let (model, origins, sources) =
                    (&mut table.model, &mut table.origins, &mut table.sources);
                resolve::measure(model, origins, sources, "<measure>", text)
                    .unwrap_or_else(|error| panic!("{text}: {error}"))
            })
            .collect();
        let (_, measured) = run(&table, &measures);
        for ((text, mut expected), measured) in texts.into_iter().zip(measured) {
            if text.starts_with("first") && clock.contains("events") {
                expected = 0.35;
            }
            let measured = measured.unwrap();
            assert!(
                (measured - expected).abs() < 1e-9,
                "{clock}: {text}: {measured}"
            );
        }
    }
}

/// `v[3]` ends at 7: of 6.95 all of these say the same.
#[test]
fn expectations_over_elements_say_the_same() {
    let expect = [
        "v[3] <= 6.95",
        "all(v[j] <= 6.95 for j)",
        "!any(v[j] > 6.95 for j)",
        "number(v[j] > 6.95 for j) < 0.5",
        "max(number(v[j] > 6.95 for j)) = 0",
        "max(v[j] for j) < 6.95",
        "max(max(v[j] for j)) < 6.95",
        "min(0 - v[j] for j) > -6.95",
    ];
    for (limit, met) in [("6.95", false), ("7.05", true)] {
        let list = expect.map(|text| format!("\"{}\"", text.replace("6.95", limit)));
        for clock in CLOCKS {
            let text = ramps(
                &format!("{clock}, stop: 2"),
                &format!("expect: [{}]", list.join(", ")),
            );
            for text in [&text, &written_out(&text)] {
                let loaded = situ_rules::load("table.ron", text, &mut standalone);
                let model = loaded.model.unwrap_or_else(|| panic!("{text}"));
                let measures: Vec<Measure> = loaded
                    .expectations
                    .iter()
                    .flat_map(resolve::Expectation::measures)
                    .collect();
                let config = RunConfig::from_clock(&model.clock).unwrap();
                let mut checked = Run::new(model.clone(), config, &measures).unwrap();
                checked.run(&mut ()).unwrap();
                let all = outcomes(&loaded.expectations, &model, &checked.measured());
                for outcome in all {
                    assert_eq!(outcome.met, met, "{clock}: {}", outcome.text);
                }
            }
        }
    }
}
