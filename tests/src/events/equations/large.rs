//! Many unknowns that are solved for at once and of which each equation reads few, against closed forms and balances.

use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, EventState, TickConfig, TickRun};

use super::implicit::{near, run};
use crate::tables::Table;

/// A loaded string whose load grows with the time; it is `u j (n + 1 - j) / 2` at its point j.
fn string(n: usize, rest: &str) -> Table {
    Table::from_text(&format!(
        r#"(format: 1, name: "string", constants: {{"n": {n}}}, counters: {{"j": "1 .. n"}},
            reals: {{"u": 0.5, "v[0 .. n + 1]": 0, "seen": 0}},
            relations: ["u = integral(1)", "solve v[j]: v[j - 1] - 2 * v[j] + v[j + 1] = -u", "seen = integral(1) when late"],
            {rest})"#
    ))
}

fn height(n: usize, j: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let product = (j * (n + 1 - j)) as f64;
    0.5 * product
}

#[test]
fn a_string_hangs_as_its_closed_form_says_and_its_events_are_found() {
    // Dense, sparse and enclosed, sparse and larger than what is enclosed.
    for n in [12, 120, 400] {
        let (middle, bound) = (n / 2, 1.25);
        let limit = bound * height(n, middle);
        let table = string(n, &format!(r#"ranges: ["late: v[{middle}] >= {limit}"]"#));
        for method in [Method::Auto, Method::Tsit5, Method::Bdf] {
            let rows = run(&table, method, 1e-8, &[0.0, 1.0]);
            for (row, u) in rows.iter().zip([0.5, 1.5]) {
                for j in 1..=n {
                    let found = row[table.real(&format!("v[{j}]")).index()];
                    near(
                        &format!("{n} {method:?} v[{j}]"),
                        found,
                        u * height(n, j),
                        1e-10,
                    );
                }
            }
            let seen = rows[1][table.real("seen").index()];
            near(&format!("{n} {method:?} seen"), seen, 1.5 - bound, 1e-9);
        }
    }
}

/// A plate of resistors with a diode from each node to ground, fed at a corner.
fn plate(n: usize) -> Table {
    fed_plate(n, "-100 * u")
}

/// The same with these rates of the voltage that feeds it.
fn fed_plate(n: usize, rates: &str) -> Table {
    Table::from_text(&format!(
        r#"(format: 1, name: "plate", clock: (step: 1e-5),
            constants: {{"n": {n}, "r": 100, "I0": 1e-9, "Ut": 0.025, "down[j]": "max(j - 1, 1)", "up[j]": "min(j + 1, n)",
                "feed[j, k]": "max(3 - j - k, 0)"}},
            counters: {{"j": "1 .. n", "k": "1 .. n"}}, reals: {{"u": 5, "v[j, k]": 0}},
            relations: [
                "solve v[j, k]: (v[down[j], k] + v[up[j], k] + v[j, down[k]] + v[j, up[k]] - 4 * v[j, k] + feed[j, k] * (u - v[j, k])) / r = I0 * (exp(v[j, k] / Ut) - 1)",
                "u = integral({rates})",
            ])"#
    ))
}

/// What flows in at the corner flows out through the diodes.
fn balance(table: &Table, n: usize, real: impl Fn(usize) -> f64) {
    let value = |name: &str| real(table.real(name).index());
    let diodes = (1..=n).flat_map(|j| (1..=n).map(move |k| (j, k)));
    let out = diodes.map(|(j, k)| 1e-9 * (value(&format!("v[{j},{k}]")) / 0.025).exp_m1());
    let fed = (value("u") - value("v[1,1]")) / 100.0;
    near("current", out.sum::<f64>(), fed, 1e-10);
}

#[test]
fn currents_through_a_plate_of_diodes_balance() {
    let n = 12;
    let table = plate(n);
    for method in [Method::Auto, Method::Bdf] {
        for row in run(&table, method, 1e-6, &[0.0, 1e-3, 2e-3]) {
            balance(&table, n, |at| row[at]);
        }
    }
    let clock = Clock {
        stop: Some(1e-4),
        ..table.model.clock.clone()
    };
    let mut ticks =
        TickRun::new(table.model.clone(), TickConfig::from_clock(&clock).unwrap()).unwrap();
    ticks.run_to(1e-4, &mut ()).unwrap();
    // The row reads u as it was before the tick moved it.
    let before = ticks.row().reals[table.real("u").index()] / (1.0 - 100.0 * 1e-5);
    let u = table.real("u").index();
    balance(&table, n, |at| match at == u {
        true => before,
        false => ticks.row().reals[at],
    });
}

/// Steps of a run with this method.
fn steps(table: &Table, method: Method) -> u64 {
    let clock = Clock {
        method: Some(method),
        stop: Some(2e-3),
        ..Clock::default()
    };
    let config = EventConfig::from_clock(&clock).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run_to(2e-3, &mut ()).unwrap();
    run.stats().method.steps
}

#[test]
fn auto_takes_the_formulas_that_many_unknowns_belong_to() {
    let loaded = "2000 * cos(1500 * time) - 1000 * (u - v[1, 1])";
    let large = fed_plate(5, loaded);
    assert_eq!(steps(&large, Method::Auto), steps(&large, Method::Bdf));
    // Few are solved for in every evaluation, which any method can do.
    let small = fed_plate(3, loaded);
    assert_ne!(steps(&small, Method::Auto), steps(&small, Method::Bdf));
}

/// What a plate does between jumps of the voltage that feeds it, by `bdf`, which takes the voltages of all nodes into its own
/// system, and by `radau`, which solves for them in every evaluation.
#[test]
fn a_plate_is_the_same_whether_its_nodes_belong_to_the_method_or_not() {
    let mut text = r#"(format: 1, name: "plate",
        constants: {"n": 5, "r": 100, "I0": 1e-9, "Ut": 0.025, "down[j]": "max(j - 1, 1)", "up[j]": "min(j + 1, n)",
            "feed[j, k]": "max(3 - j - k, 0)"},
        counters: {"j": "1 .. n", "k": "1 .. n"}, reals: {"u": 5, "v[j, k]": 0, "jumps": 0, "passed": 0, "charge": 0},
        ranges: ["low: u <= -1"], situations: ["event lift: low"],
        relations: [
            "solve v[j, k]: (v[down[j], k] + v[up[j], k] + v[j, down[k]] + v[j, up[k]] - 4 * v[j, k] + feed[j, k] * (u - v[j, k])) / r = I0 * (exp(v[j, k] / Ut) - 1)",
            "passed = u - v[1, 1]",
            "charge = integral(passed)",
            "u = integral(2000 * cos(1500 * time) - 1000 * (u - v[1, 1]) - 500)",
            "jumps := jumps + 1 when lift", "u := 2 when lift",
        ])"#
    .to_owned();
    let times: Vec<f64> = (0..=20).map(|k| 1e-3 * f64::from(k)).collect();
    let table = Table::from_text(&text);
    let known = run(&table, Method::Radau, 1e-11, &times);
    assert!(known[20][table.real("jumps").index()] >= 2.0);
    for (rtol, tolerance) in [(1e-4, 1e-2), (1e-6, 3e-4), (1e-8, 3e-6)] {
        let found = run(&table, Method::Bdf, rtol, &times);
        for (row, known) in found.iter().zip(&known) {
            for name in [
                "u", "v[1,1]", "v[3,2]", "v[5,5]", "passed", "charge", "jumps",
            ] {
                let at = table.real(name).index();
                let size = if name == "charge" { 1e-2 } else { 1.0 };
                let error = (row[at] - known[at]).abs();
                assert!(
                    error <= tolerance * size,
                    "{name} at {rtol}: {} is not {}",
                    row[at],
                    known[at]
                );
            }
        }
    }
    // Where a border reads a node they are solved for to all digits.
    text = text.replace("low: u <= -1", "low: v[1, 1] <= -1");
    let table = Table::from_text(&text);
    let ends = [(Method::Radau, 1e-11), (Method::Bdf, 1e-8)];
    let [known, found] =
        ends.map(|(method, rtol)| run(&table, method, rtol, &times).pop().unwrap());
    for name in ["u", "v[5,5]", "jumps"] {
        let at = table.real(name).index();
        near(name, found[at], known[at], 1e-5);
    }
}

/// Factors that save work follow from the point from which the unknowns are sought: a run that was saved anywhere, and one
/// that writes no rows on the way, go on with the same bits.
#[test]
fn saved_runs_of_a_plate_go_on_with_the_same_bits() {
    let table = plate(6);
    for method in [Method::Bdf, Method::Rodas5p, Method::Tsit5] {
        let clock = Clock {
            stop: Some(2e-3),
            every: Some(1e-4),
            method: Some(method),
            ..Clock::default()
        };
        let begun = || {
            let config = EventConfig::from_clock(&clock).unwrap();
            EventRun::new(table.model.clone(), config).unwrap()
        };
        let mut whole = begun();
        whole.run_to(2e-3, &mut ()).unwrap();
        for saved_at in [0.0, 3e-4, 1.25e-3] {
            let mut first = begun();
            first.run_to(saved_at, &mut ()).unwrap();
            let text = serde_json::to_string(&first.state()).unwrap();
            let state: EventState = serde_json::from_str(&text).unwrap();
            let mut second = begun();
            second.restore(&state).unwrap();
            second.run_to(2e-3, &mut ()).unwrap();
            let reals = [&whole, &second].map(|run| run.row().reals.to_vec());
            assert_eq!(reals[0], reals[1], "{method:?} saved at {saved_at}");
        }
    }
}

/// A string that is let go every unit of time: behind an event it is solved from what stands there.
#[test]
fn saved_runs_go_on_behind_an_event_with_the_same_bits() {
    let table = Table::from_text(
        r#"(format: 1, name: "let go", constants: {"n": 25}, counters: {"j": "1 .. n"},
            reals: {"u": 1, "v[0 .. n + 1]": 0},
            relations: ["v[0] = u", "v[n + 1] = 0", "solve v[j]: v[j - 1] - 2 * v[j] + v[j + 1] = 0.1 * (exp(v[j]) - 1)",
                "u = integral(-u + 0.3 * v[1] - 0.1 * v[2])", "u := 1 when every(1)"])"#,
    );
    for method in [Method::Tsit5, Method::Rodas5p, Method::Radau, Method::Bdf] {
        let clock = Clock {
            stop: Some(3.0),
            method: Some(method),
            ..Clock::default()
        };
        let begin = || {
            let config = EventConfig::from_clock(&clock).unwrap();
            EventRun::new(table.model.clone(), config).unwrap()
        };
        let mut whole = begin();
        whole.run_to(2.0, &mut ()).unwrap();
        let mut rest = begin();
        rest.load(&whole.saved()).unwrap();
        for run in [&mut whole, &mut rest] {
            run.run_to(2.5, &mut ()).unwrap();
        }
        assert_eq!(whole.row().reals, rest.row().reals, "{method:?}");
    }
}
