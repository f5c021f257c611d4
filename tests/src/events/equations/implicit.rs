//! Rows that are solved, against numbers of `tests/data/implicit` (integration with 113 bits on the equations as they
//! stand, closed forms), and against the same motion written otherwise.

use serde_json::Value;
use situ_engine::Method;
use situ_engine::model::{Clock, IntegralRule};
use situ_engine::sim::{EventConfig, EventRun, RunFault, SetupError, TickConfig, TickRun};
use situ_engine::trace::{Trace, TraceRecorder};

use crate::events::{list, number};
use crate::tables::{Table, column, root};

pub(crate) fn known(name: &str) -> Value {
    let path = root().join(format!("tests/data/implicit/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn table(reals: &str, rest: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"implicit\", reals: {{{reals}}}, {rest} relations: [{relations}])"
    ))
}

/// An event-accurate run with rows at some times.
#[track_caller]
pub(crate) fn run(table: &Table, method: Method, rtol: f64, times: &[f64]) -> Vec<Vec<f64>> {
    let model = &table.model;
    let clock = Clock {
        stop: times.last().copied(),
        method: Some(method),
        rtol: Some(rtol),
        atol: Some(rtol.min(1e-9) * 1e-3),
        ..Clock::default()
    };
    let mut run = EventRun::new(model.clone(), EventConfig::from_clock(&clock).unwrap()).unwrap();
    let rows = times.iter().map(|&time| {
        let ended = run.run_to(time, &mut TraceRecorder::new(model));
        assert!(ended.is_ok(), "{method:?} at {time}: {ended:?}");
        run.row().reals.to_vec()
    });
    rows.collect()
}

#[track_caller]
pub(crate) fn near(what: &str, found: f64, known: f64, tolerance: f64) {
    let most = tolerance * known.abs().max(1e-3);
    assert!(
        (found - known).abs() <= most,
        "{what}: {found} is not {known}, by {:e}",
        found - known
    );
}

/// Compares reals of a table with the columns of a file.
#[track_caller]
fn compare(
    name: &str,
    table: &Table,
    columns: &[&str],
    methods: &[(Method, f64, f64)],
    until: f64,
) {
    let file = known(name);
    let times: Vec<f64> = list(&file["times"])
        .iter()
        .map(number)
        .filter(|t| *t <= until)
        .collect();
    for &(method, rtol, tolerance) in methods {
        let rows = run(table, method, rtol, &times);
        for ((time, row), known) in times.iter().zip(&rows).zip(list(&file["y"])) {
            for (column, known) in columns.iter().zip(list(known)) {
                let found = row[table.real(column).index()];
                near(
                    &format!("{method:?} {rtol:e} {column}({time})"),
                    found,
                    number(known),
                    tolerance,
                );
            }
        }
    }
}

const PAIR: &str = "\"x\": 2, \"y\": -1";

#[test]
fn two_rates_in_two_cubics() {
    let rate = table(
        PAIR,
        "",
        "\"solve rate(x), rate(y): rate(x) + 0.1 * rate(x)^3 + 0.5 * rate(y) + x = 0, \
         rate(y) + 0.1 * rate(y)^3 - 0.5 * rate(x) + x * y + y = sin(time)\"",
    );
    let methods = [
        (Method::Dop853, 1e-12, 1e-10),
        (Method::Tsit5, 1e-11, 1e-8),
        (Method::Taylor, 1e-12, 1e-10),
        (Method::Rodas5p, 1e-10, 1e-7),
        (Method::Radau, 1e-11, 1e-8),
        (Method::Bdf, 1e-9, 1e-4),
        (Method::Auto, 1e-10, 1e-7),
        (Method::Auto, 1e-6, 1e-3),
    ];
    compare(
        "implicit_pair",
        &rate,
        &["x", "y", "rate(x)", "rate(y)"],
        &methods,
        f64::INFINITY,
    );
}

#[test]
fn one_rate_in_a_cubic_and_the_event_behind_it() {
    let file = known("implicit");
    let scalar = &file["scalar"];
    let table = table(
        "\"x\": 2",
        "constants: {\"c\": 0.1}, ranges: [\"low: x <= 0.5\"],",
        "(solve: [\"rate(x)\"], equations: [\"rate(x) + c * rate(x)^3 + x = 0\"])",
    );
    let event = &scalar["threshold_event"];
    for method in [Method::Dop853, Method::Taylor, Method::Radau] {
        for sample in list(&scalar["samples"]) {
            let row = &run(&table, method, 1e-12, &[number(&sample["t"])])[0];
            near("x", row[0], number(&sample["x"]), 1e-9);
            near(
                "rate",
                row[table.real("rate(x)").index()],
                number(&sample["xdot"]),
                1e-9,
            );
        }
        let clock = Clock {
            stop: Some(2.0),
            every: Some(2.0),
            method: Some(method),
            rtol: Some(1e-12),
            atol: Some(1e-13),
            ..Clock::default()
        };
        let mut recorder = TraceRecorder::new(&table.model);
        let config = EventConfig::from_clock(&clock).unwrap();
        EventRun::new(table.model.clone(), config)
            .unwrap()
            .run(&mut recorder)
            .unwrap();
        let low = column(&table.model, &recorder.trace, "low").unwrap();
        let at = low.iter().position(|low| *low == 1.0).unwrap();
        near(
            "time of the event",
            recorder.trace.time[at],
            number(&event["t"]),
            1e-9,
        );
    }
}

#[test]
fn robertson_with_a_balance_in_place_of_a_rate() {
    let table = table(
        "\"y1\": 1, \"y2\": 0, \"y3\": 0",
        "constants: {\"k1\": 0.04, \"k2\": 3e7, \"k3\": 1e4},",
        "\"solve y3: y1 + y2 + y3 = 1\", \"y1 = integral(-k1 * y1 + k3 * y2 * y3)\", \
         \"y2 = integral(k1 * y1 - k3 * y2 * y3 - k2 * y2^2)\"",
    );
    let file = known("robertson_dae");
    let times: Vec<f64> = list(&file["times"])
        .iter()
        .map(number)
        .filter(|t| *t <= 4e5)
        .collect();
    let methods = [
        (Method::Radau, 1e-9, 1e-6),
        (Method::Rodas5p, 1e-9, 1e-6),
        (Method::Auto, 1e-8, 1e-4),
    ];
    for (method, rtol, tolerance) in methods {
        let rows = run(&table, method, rtol, &times);
        for ((time, row), known) in times.iter().zip(&rows).zip(list(&file["y"])) {
            for (at, known) in list(known).iter().enumerate() {
                let error = (row[at] / number(known) - 1.0).abs();
                assert!(
                    error < tolerance,
                    "{method:?} y{}({time}): {error:e}",
                    at + 1
                );
            }
        }
    }
}

#[test]
fn the_force_in_a_rod_by_hand() {
    let table = table(
        "\"x\": 1, \"y\": 0, \"vx\": 0, \"vy\": 0, \"lam\": 0",
        "constants: {\"g\": 9.81},",
        "\"solve lam: vx^2 + vy^2 = lam * (x^2 + y^2) + g * y\", \"x = integral(vx)\", \"y = integral(vy)\", \
         \"vx = integral(-lam * x)\", \"vy = integral(-lam * y - g)\"",
    );
    let methods = [
        (Method::Dop853, 1e-12, 1e-8),
        (Method::Taylor, 1e-12, 1e-8),
        (Method::Radau, 1e-11, 1e-7),
        (Method::Auto, 1e-9, 1e-4),
    ];
    compare(
        "pendulum_index1",
        &table,
        &["x", "y", "vx", "vy", "lam"],
        &methods,
        f64::INFINITY,
    );
}

/// A diode in series with a resistor at 5 V, and its current by W, Lambert's function, by hand: found by halving.
fn diode_current(voltage: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle: f64 = 0.5 * (low + high);
        let residual = 100.0 * middle + 0.025 * (1.0 + middle / 1e-12).ln() - voltage;
        if residual > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

const DIODE: &str = "constants: {\"R\": 100, \"Ut\": 0.025, \"I0\": 1e-12},";

#[test]
fn a_diode_between_bounds_in_both_steppings() {
    let table = table(
        "\"U\": 0, \"i\": 0",
        DIODE,
        "\"U = 5 * time\", \"solve i from 0 to 10: U = R * i + Ut * ln(1 + i / I0)\"",
    );
    let times = [0.01, 0.1, 0.5, 1.0];
    for row in times.iter().zip(run(&table, Method::Tsit5, 1e-8, &times)) {
        let (time, row) = row;
        near("i", row[1], diode_current(5.0 * time), 1e-12);
    }
    let mut ticks = ticks(&table, 0.01);
    ticks.advance(101).unwrap();
    near(
        "i in ticks",
        ticks.row().reals[1],
        diode_current(5.0),
        1e-12,
    );
}

fn ticks(table: &Table, step: f64) -> TickRun {
    let clock = Clock {
        step: Some(step),
        stop: Some(1e3),
        integral: Some(IntegralRule::Rectangle),
        ..Clock::default()
    };
    TickRun::new(table.model.clone(), TickConfig::from_clock(&clock).unwrap()).unwrap()
}

/// What dies down does so through the numbers below the least normal one, whose rounding is no part of them.
#[test]
fn what_dies_down_is_solved_for_to_its_end() {
    let rows = [
        "\"solve p: p + 0.1 * p + x = 0\"",
        "\"solve p: p + 0.1 * p ^ 3 + x = 0\"",
        "\"solve p, q: p + q + x = 0, p - 3 * q ^ 3 - q = 0\"",
        "\"p = -0.1 * p - x\"",
    ];
    for (at, row) in rows.into_iter().enumerate() {
        let table = table(
            "\"x\": 1, \"p\": 0, \"q\": 0",
            "",
            &format!("{row}, \"x = integral(p)\""),
        );
        let mut ticks = ticks(&table, 0.5);
        // A loop goes round once a tick.
        ticks.advance(if at < 3 { 1900 } else { 1000 }).unwrap();
        for method in [Method::Tsit5, Method::Bdf] {
            for [x, ..] in run(&table, method, 1e-6, &[800.0, 1900.0])
                .iter()
                .map(|row| [row[0], row[1]])
            {
                assert!(x.abs() < 1e-9, "{row} by {method:?}: {x:e}");
            }
        }
    }
}

#[test]
fn a_tick_solves_at_the_place_of_the_row_and_moves_by_the_rate() {
    let table = table(
        "\"a\": 0, \"b\": 0, \"x\": 1, \"seen\": 0",
        "",
        "\"seen = a\", \"solve a, b: a + b = x, a - 2 * b = 1\", \"solve rate(x): 2 * rate(x) + x = 0\"",
    );
    let mut run = ticks(&table, 0.5);
    run.advance(1).unwrap();
    let real = |run: &TickRun, name: &str| run.row().reals[table.real(name).index()];
    assert_eq!(real(&run, "seen"), 0.0);
    near("a", real(&run, "a"), 1.0, 1e-15);
    near("b", real(&run, "b"), 0.0, 1e-15);
    assert_eq!(real(&run, "rate(x)"), -0.5);
    assert_eq!(real(&run, "x"), 0.75);
    run.advance(1).unwrap();
    near("seen", real(&run, "seen"), 1.0, 1e-15);
    near("a", real(&run, "a"), (2.0 * 0.75 + 1.0) / 3.0, 1e-15);
}

/// Kinks of the unknown, in ticks and in exact time: from below each kink to beyond it.
#[test]
fn kinks_of_what_is_solved_for() {
    for (equation, solution) in [
        ("a = x + 0.2 * abs(a - 0.1)", [0.11 / 1.2, 0.88 / 0.8]),
        (
            "a = x - 0.4 * clamp(a, -0.2, 0.3)",
            [0.09 / 1.4, 0.9 - 0.12],
        ),
        ("2 * a + max(a, 0.2) = 3 * x", [0.035, 0.9]),
        ("a + min(a, 0.5) = x + 0.2", [0.145, 0.6]),
        (
            "a + 0.5 * sign(a) * a^2 = x",
            [1.18_f64.sqrt() - 1.0, 2.8_f64.sqrt() - 1.0],
        ),
    ] {
        for (x, known) in [0.09, 0.9].into_iter().zip(solution) {
            let table = table(
                &format!("\"a\": 0.05, \"x\": {x}"),
                "",
                &format!("\"solve a: {equation}\""),
            );
            let mut run = ticks(&table, 0.5);
            run.advance(2).unwrap();
            let a = table.real("a").index();
            near(equation, run.row().reals[a], known, 1e-12);
            let ended = self::run(&table, Method::Auto, 1e-9, &[1.0]);
            near(equation, ended[0][a], known, 1e-9);
        }
    }
}

/// The start value of a rate is the guess with which its search begins: it chooses among solutions.
#[test]
fn a_guess_of_a_rate_chooses_its_solution() {
    for (guess, known) in [
        ("1", 2.0),
        ("-1", -2.0),
        ("(start: -3, output: true)", -2.0),
    ] {
        let table = table(
            &format!("\"x\": 0, \"rate(x)\": {guess}"),
            "",
            "\"solve rate(x): rate(x)^2 = 4\"",
        );
        let ended = run(&table, Method::Auto, 1e-9, &[1.5]);
        near("x", ended[0][table.real("x").index()], 1.5 * known, 1e-8);
        let mut run = ticks(&table, 0.5);
        run.advance(3).unwrap();
        near(
            "x",
            run.row().reals[table.real("x").index()],
            1.5 * known,
            1e-12,
        );
    }
}

#[test]
fn rows_in_a_circle_with_a_solved_one_are_one_system() {
    let table = table(
        "\"u\": 0, \"i\": 0.01, \"w\": 0, \"q\": 0",
        DIODE,
        "\"u = R * i\", \"w = u + Ut * ln(1 + i / I0)\", \"solve i from 0 to 1: w = 5\", \"q = integral(i)\"",
    );
    let row = &run(&table, Method::Auto, 1e-10, &[2.0])[0];
    near("i", row[1], diode_current(5.0), 1e-12);
    near("u", row[0], 100.0 * diode_current(5.0), 1e-12);
    near("q", row[3], 2.0 * diode_current(5.0), 1e-9);
}

#[test]
fn three_equations_are_no_equation_with_bounds() {
    // A bridge of two diodes: both drops and the current.
    let table = table(
        "\"u\": 0, \"w\": 0, \"i\": 0",
        DIODE,
        "\"solve u, w, i: u + w + R * i = 5, i = I0 * (exp(u / Ut) - 1), 3 * i = I0 * (exp(w / Ut) - 1)\"",
    );
    let drop = |current: f64| 0.025 * (1.0 + current / 1e-12).ln();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle: f64 = 0.5 * (low + high);
        let sum = 100.0 * middle + drop(middle) + drop(3.0 * middle);
        (low, high) = if sum > 5.0 {
            (low, middle)
        } else {
            (middle, high)
        };
    }
    let row = &run(&table, Method::Tsit5, 1e-8, &[1.0])[0];
    near("i", row[2], low, 1e-12);
    near("u", row[0], drop(low), 1e-12);
    let mut ticks = ticks(&table, 0.1);
    ticks.advance(1).unwrap();
    near("i in ticks", ticks.row().reals[2], low, 1e-12);
}

#[test]
fn systems_stand_in_the_order_in_which_they_are_solved() {
    let table = table(
        "\"a\": 0, \"b\": 0, \"c\": 0, \"d\": 0, \"e\": 0, \"f\": 0, \"x\": 0",
        "",
        "\"e = 0.5 * f + d\", \"f = 0.5 * e\", \"solve c, d: c + d = b, c - d = 1\", \"b = 2 * a\", \
         \"solve a: a^3 + a = time\", \"x = integral(e)\"",
    );
    let systems = table.model.systems();
    let rows: Vec<Vec<u32>> = (systems.iter())
        .map(|system| system.rows.iter().map(|row| row.0).collect())
        .collect();
    assert_eq!(rows, [vec![4], vec![2], vec![0, 1]]);
    let after: Vec<&[usize]> = systems.iter().map(|system| &system.after[..]).collect();
    assert_eq!(after, [&[][..], &[0], &[1]]);
    assert_eq!(systems[1].unknowns, ["c", "d"].map(|name| table.real(name)));
}

#[test]
fn a_solved_row_holds_its_value_while_another_law_acts() {
    let table = table(
        "\"x\": 0, \"p\": 0, \"r\": 0",
        "ranges: [\"late: x > 1\"],",
        "\"x = integral(1)\", \"solve p: p^3 + p = 2 * x when !late\", \"r = integral(p)\"",
    );
    let rows = run(&table, Method::Dop853, 1e-12, &[0.5, 1.0, 3.0]);
    near("p", rows[0][1].powi(3) + rows[0][1], 1.0, 1e-12);
    near("p held", rows[2][1], 1.0, 1e-10);
    near("r", rows[2][2] - rows[1][2], 2.0, 1e-9);
}

#[test]
fn an_impact_is_solved_at_the_instant() {
    // Two balls, momentum and restitution: both speeds at once.
    let table = table(
        "\"x1\": 0, \"x2\": 1, \"v1\": 1, \"v2\": 0, \"w1\": 0, \"w2\": 0",
        "constants: {\"m1\": 1, \"m2\": 3, \"e\": 0.5}, ranges: [\"touch: x1 >= x2\"], \
         situations: [\"event hit: touch\"],",
        "\"x1 = integral(v1)\", \"x2 = integral(v2)\", \
         \"solve w1, w2: m1 * w1 + m2 * w2 = m1 * v1 + m2 * v2, w2 - w1 = e * (v1 - v2) when hit\", \
         \"v1, v2 := w1, w2 when hit\"",
    );
    let row = &run(&table, Method::Tsit5, 1e-9, &[2.0])[0];
    near("v1", row[2], -0.125, 1e-12);
    near("v2", row[3], 0.375, 1e-12);
}

#[test]
fn where_two_solutions_meet_the_run_ends_and_says_so() {
    let table = table(
        "\"x\": 1, \"y\": 1",
        "",
        "\"x = integral(-1)\", \"solve y: y^2 = x\"",
    );
    for method in [Method::Tsit5, Method::Dop853, Method::Radau, Method::Auto] {
        let clock = Clock {
            stop: Some(3.0),
            method: Some(method),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let mut recorder = TraceRecorder::new(&table.model);
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        let fault = run.run(&mut recorder).unwrap_err();
        assert!(
            !matches!(fault, RunFault::NotFinite { .. }),
            "{method:?}: {fault}"
        );
        let Trace { time, .. } = recorder.trace;
        assert!(
            time.last().is_some_and(|time| *time <= 1.0 + 1e-6),
            "{method:?}: {time:?}"
        );
    }
    let mut ticks = ticks(&table, 0.1);
    assert!(ticks.advance(30).is_err());
}

#[test]
fn bounds_without_a_solution_between_them_are_refused_at_the_start() {
    let table = table(
        "\"x\": 1, \"y\": 1",
        "",
        "\"solve y from 2 to 3: y^2 = x\", \"x = integral(1)\"",
    );
    let clock = Clock {
        stop: Some(1.0),
        ..Clock::default()
    };
    let config = EventConfig::from_clock(&clock).unwrap();
    let refused = EventRun::new(table.model.clone(), config).err();
    assert!(matches!(refused, Some(SetupError::Fault(_))), "{refused:?}");
}
