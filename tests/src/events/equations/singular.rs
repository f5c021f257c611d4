//! Rates that enter with a singular matrix: against numbers of `tests/data/implicit`, closed forms, and in ticks.

use situ_engine::Method;
use situ_engine::model::{Clock, IntegralRule, Scan};
use situ_engine::sim::{TickConfig, TickRun};

use crate::events::equations::implicit::{known, near, run, table};
use crate::events::{list, number};
use crate::tables::Table;

/// The transistor amplifier of the test set for initial value problems: eight voltages, a matrix of rank five.
fn amplifier() -> Table {
    table(
        "\"U1\": 0, \"U2\": 3, \"U3\": 3, \"U4\": 6, \"U5\": 3, \"U6\": 3, \"U7\": 6, \"U8\": 0, \
         \"Ue\": 0, \"g23\": 0, \"g56\": 0",
        "constants: {\"Ub\": 6, \"UF\": 0.026, \"alpha\": 0.99, \"beta\": 1e-6, \"R0\": 1000, \"R\": 9000, \
         \"C1\": 1e-6, \"C2\": 2e-6, \"C3\": 3e-6, \"C4\": 4e-6, \"C5\": 5e-6, \"a\": 0.1, \"f\": 100},",
        "\"Ue = a * sin(2 * pi * f * time)\", \"g23 = beta * (exp((U2 - U3) / UF) - 1)\", \
         \"g56 = beta * (exp((U5 - U6) / UF) - 1)\", \
         \"solve rate(U1), rate(U2), rate(U3), rate(U4), rate(U5), rate(U6), rate(U7), rate(U8): \
         -C1 * (rate(U1) - rate(U2)) = (U1 - Ue) / R0, \
         C1 * (rate(U1) - rate(U2)) = (2 * U2 - Ub) / R + (1 - alpha) * g23, \
         -C2 * rate(U3) = U3 / R - g23, \
         -C3 * (rate(U4) - rate(U5)) = (U4 - Ub) / R + alpha * g23, \
         C3 * (rate(U4) - rate(U5)) = (2 * U5 - Ub) / R + (1 - alpha) * g56, \
         -C4 * rate(U6) = U6 / R - g56, \
         -C5 * (rate(U7) - rate(U8)) = (U7 - Ub) / R + alpha * g56, \
         C5 * (rate(U7) - rate(U8)) = U8 / R\"",
    )
}

#[test]
fn a_transistor_amplifier_as_it_stands() {
    let (table, file) = (amplifier(), known("transistor_amplifier"));
    assert_eq!(table.model.constraints.len(), 3);
    let times: Vec<f64> = list(&file["times"]).iter().map(number).collect();
    let methods = [
        (Method::Radau, 1e-11, 1e-8),
        (Method::Rodas5p, 1e-10, 1e-7),
        (Method::Dop853, 1e-11, 1e-8),
        (Method::Auto, 1e-6, 1e-3),
    ];
    for (method, rtol, tolerance) in methods {
        let rows = run(&table, method, rtol, &times);
        for ((time, row), known) in times.iter().zip(&rows).zip(list(&file["y"])) {
            for (at, known) in list(known).iter().enumerate() {
                let error = (row[at] - number(known)).abs() / number(known).abs().max(1.0);
                assert!(
                    error < tolerance,
                    "{method:?} U{}({time}): {error:e}",
                    at + 1
                );
            }
        }
    }
}

fn ticks(table: &Table, step: f64) -> TickRun {
    let clock = Clock {
        step: Some(step),
        stop: Some(1e3),
        integral: Some(IntegralRule::Rectangle),
        scan: Some(Scan::Sequential),
        ..Clock::default()
    };
    TickRun::new(table.model.clone(), TickConfig::from_clock(&clock).unwrap()).unwrap()
}

/// A capacitor between two nodes, a resistor from the first one to a source and from the second one to the ground:
/// the current is that of one loop.
fn two_nodes() -> Table {
    table(
        "\"u\": 0, \"w\": 0",
        "constants: {\"C\": 0.5, \"R1\": 1, \"R2\": 3, \"U\": 4},",
        "\"solve rate(u), rate(w): C * (rate(u) - rate(w)) = (U - u) / R1, C * (rate(w) - rate(u)) = -w / R2\"",
    )
}

#[test]
fn a_floating_capacitor_is_charged_as_in_one_loop() {
    // At the start the capacitor is empty: u = w, and (U - u) / R1 = w / R2.
    let start = 3.0;
    let table = table(
        &format!("\"u\": {start}, \"w\": {start}"),
        "constants: {\"C\": 0.5, \"R1\": 1, \"R2\": 3, \"U\": 4},",
        "\"solve rate(u), rate(w): C * (rate(u) - rate(w)) = (U - u) / R1, C * (rate(w) - rate(u)) = -w / R2\"",
    );
    let exact = |t: f64| {
        let current = (-t / 2.0_f64).exp();
        [4.0 - current, 3.0 * current]
    };
    let times = [0.5, 2.0, 5.0];
    for method in [Method::Tsit5, Method::Radau, Method::Bdf] {
        for (&time, row) in times.iter().zip(run(&table, method, 1e-10, &times)) {
            let tolerance = if method == Method::Bdf { 1e-7 } else { 1e-8 };
            near(
                &format!("{method:?} u({time})"),
                row[0],
                exact(time)[0],
                tolerance,
            );
            near(
                &format!("{method:?} w({time})"),
                row[1],
                exact(time)[1],
                tolerance,
            );
        }
    }
    // A tick is a step of the implicit Euler method: the current falls by 1 / (1 + dt / 2).
    let mut run = ticks(&table, 0.1);
    run.advance(10).unwrap();
    let current = 1.05_f64.powi(-10);
    near("u in ticks", run.row().reals[0], 4.0 - current, 1e-12);
    near("w in ticks", run.row().reals[1], 3.0 * current, 1e-12);
    // However long it is.
    let mut run = ticks(&table, 100.0);
    run.advance(3).unwrap();
    near(
        "u in long ticks",
        run.row().reals[0],
        4.0 - 51.0_f64.powi(-3),
        1e-12,
    );
}

#[test]
fn ticks_of_the_amplifier_tend_to_it() {
    let (table, file) = (amplifier(), known("transistor_amplifier"));
    let first: Vec<f64> = list(&list(&file["y"])[0]).iter().map(number).collect();
    let errors = [1e-4, 1e-5].map(|step| {
        let mut run = ticks(&table, step);
        run.advance((0.025 / step).round() as u64).unwrap();
        let row = run.row();
        let errors = first
            .iter()
            .enumerate()
            .map(|(at, known)| (row.reals[at] - known).abs());
        errors.fold(0.0, f64::max)
    });
    assert!(
        errors[1] < 5e-2 && errors[1] < 0.3 * errors[0],
        "{errors:?}"
    );
}

#[test]
fn a_start_off_the_balance_without_rates_is_refused() {
    let table = two_nodes();
    let clock = Clock {
        stop: Some(1.0),
        ..Clock::default()
    };
    let config = situ_engine::sim::EventConfig::from_clock(&clock).unwrap();
    let refused = situ_engine::sim::EventRun::new(table.model.clone(), config);
    assert!(refused.is_err());
}

/// Rates whose coefficients depend on the state, and not on each other, are refused; what the report says to write instead
/// is the same motion as that of the voltage between the nodes.
#[test]
fn rates_that_varying_coefficients_do_not_tell_apart_have_a_row_instead() {
    let nodes = |second: &str| {
        table(
            "\"u\": 3, \"w\": 3, \"C\": 1",
            "constants: {\"R1\": 1, \"R2\": 3, \"U\": 4},",
            &format!(
                "\"C = 0.5 / (1 + (u - w)^2)\", \
                 \"solve rate(u), rate(w): C * (rate(u) - rate(w)) = (U - u) / R1, {second}\""
            ),
        )
    };
    let mut refused = nodes("C * (rate(w) - rate(u)) = -w / R2").model;
    let row = situ_engine::ids::RelationId::new(1);
    let found = refused.dependent_rates(row).unwrap();
    assert_eq!(found.enter, [[1.0, -1.0]]);
    assert_eq!(found.weights, [1.0, 1.0]);
    assert!(found.derivative.is_some());
    let repaired = nodes("-(-rate(u) / R1) = -rate(w) / R2");
    assert_eq!(repaired.model.clone().dependent_rates(row), None);
    let between = table(
        "\"d\": 0, \"u\": 3",
        "",
        "\"u = (d + 12) / 4\", \"d = integral((4 - u) / (0.5 / (1 + d^2)))\"",
    );
    let times = [0.5, 1.0, 5.0];
    let [rows, known] =
        [&repaired, &between].map(|table| run(table, Method::Dop853, 1e-10, &times));
    for (row, known) in rows.iter().zip(&known) {
        let [u, w] = ["u", "w"].map(|name| row[repaired.real(name).index()]);
        near("u", u, known[between.real("u").index()], 1e-8);
        near("balance", 1.0 + (4.0 - u) - w / 3.0, 1.0, 1e-8);
    }
}

/// Near the equilibrium rates are rounding errors of what the voltages move by in a tick: the solution is one up to these.
#[test]
fn ticks_come_to_rest_at_the_equilibrium() {
    let table = table(
        "\"u\": 3, \"w\": 3",
        "constants: {\"C\": 0.5, \"R1\": 1, \"R2\": 3, \"U\": 4},",
        "\"solve rate(u), rate(w): C * (rate(u) - rate(w)) = (U - u) / R1, C * (rate(w) - rate(u)) = -w / R2\"",
    );
    for (step, ticks_before, rounding) in [
        (0.001, 20_000, 1e-11),
        (0.01, 2_000, 1e-12),
        (0.1, 200, 1e-13),
    ] {
        let mut run = ticks(&table, step);
        run.advance(ticks_before).unwrap();
        let current = (1.0 + 0.5 * step).powi(-i32::try_from(ticks_before).unwrap());
        let [u, w] = [run.row().reals[0], run.row().reals[1]];
        near("u on the way", u, 4.0 - current, rounding);
        assert!((w - 3.0 * current).abs() < 10.0 * rounding, "{w}");
        run.advance(4 * ticks_before).unwrap();
        let [u, w] = [run.row().reals[0], run.row().reals[1]];
        assert!((u - 4.0).abs() < rounding, "{step}: {:e}", u - 4.0);
        assert!(w.abs() < rounding, "{step}: {w:e}");
    }
}

/// Voltages over the nodes follow a source of the time: `C * (U - 4 i)' = i`, i being the current of the loop.
#[test]
fn sources_that_are_smooth_or_ramps_drive_the_nodes() {
    let wave = |speed: f64| {
        move |t: f64| {
            let part = speed / 4.0 / (2.0 * speed * speed + 0.5);
            let forced = part * ((speed * t).cos() + 2.0 * speed * (speed * t).sin());
            let current = forced + (1.0 - part) * (-t / 2.0).exp();
            [4.0 + (speed * t).sin(), current]
        }
    };
    let ramp = |t: f64| {
        let since = (t - 1.0).max(0.0);
        let free = (-t.min(1.0) / 2.0).exp();
        let current = 0.35 + (free - 0.35) * (-since / 2.0).exp();
        [4.0 + 0.7 * since, if t < 1.0 { free } else { current }]
    };
    type Exact = Box<dyn Fn(f64) -> [f64; 2]>;
    let half = std::f64::consts::FRAC_PI_2;
    let sources: [(&str, Exact); 4] = [
        ("sine_wave(0.5)", Box::new(wave(2.0 * half))),
        ("sine_wave(0.25, 0.5 * time)", Box::new(wave(half + 0.5))),
        (
            "sine_wave(0.5 * time / (time + 1e-9), 0)",
            Box::new(wave(2.0 * half)),
        ),
        ("0.7 * ramp(1)", Box::new(ramp)),
    ];
    for (source, exact) in sources {
        let table = table(
            "\"U\": 4, \"u\": 3, \"w\": 3",
            "",
            &format!(
                "\"U = 4 + {source}\", \"solve rate(u), rate(w): \
                 0.5 * (rate(u) - rate(w)) = U - u, 0.5 * (rate(w) - rate(u)) = -w / 3\""
            ),
        );
        assert_eq!(table.model.constraints.len(), 1, "{source}");
        let times = [0.5, 1.5, 3.0];
        for method in [Method::Tsit5, Method::Radau, Method::Bdf] {
            for (&time, row) in times.iter().zip(run(&table, method, 1e-10, &times)) {
                let [voltage, current] = exact(time);
                for (name, known) in [("u", voltage - current), ("w", 3.0 * current)] {
                    let found = row[table.real(name).index()];
                    near(
                        &format!("{source} {method:?} {name}({time})"),
                        found,
                        known,
                        1e-7,
                    );
                }
            }
        }
        let mut run = ticks(&table, 1e-3);
        run.advance(3000).unwrap();
        let [voltage, current] = exact(3.0);
        let found = run.row().reals[table.real("u").index()];
        near(source, found, voltage - current, 3e-3);
    }
}

/// Unknowns that enter in fewer combinations than there are equations: the report says in which, and what is left.
#[test]
fn unknowns_that_equations_do_not_tell_apart_are_named() {
    let rows = |rows: &[u32], text: &str| {
        let mut model = table("\"x\": 1, \"y\": 1, \"z\": 0", "", text).model;
        let rows: Vec<_> = (rows.iter())
            .map(|&row| situ_engine::ids::RelationId(row))
            .collect();
        model.dependent_unknowns(&rows)
    };
    let clock = "\"z = integral(1)\"";
    let one = format!("{clock}, \"solve x, y: x + y = 2 + z, 2 * x + 2 * y = 5 + z\"");
    let found = rows(&[1], &one).unwrap();
    assert_eq!(found.enter, [[1.0, 1.0]]);
    assert_eq!(found.weights, [1.0, -0.5]);
    assert!(found.sum.is_some());
    let two = format!("{clock}, \"solve x: x + z * y = 2\", \"solve y: 2 * x + 2 * z * y = 4\"");
    assert_eq!(rows(&[1, 2], &two).unwrap().weights, [1.0, -0.5]);
    let apart = format!("{clock}, \"solve x, y: x + y = 2 + z, x - y = z\"");
    assert_eq!(rows(&[1], &apart), None);
    // y is in what another row gives.
    let hidden = format!("{clock}, \"solve x: x + z = 2\", \"y = x\"");
    assert_eq!(rows(&[1, 2], &hidden), None);
}
