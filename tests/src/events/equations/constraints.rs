//! Constraints, which are differentiated before they are solved: against numbers of `tests/data/implicit`, against the same
//! motion in coordinates that need no constraint, and against what they say.

use situ_engine::model::{Clock, IntegralRule, Scan};
use situ_engine::sim::{EventConfig, EventRun, RunFault, SetupError, TickConfig, TickRun};
use situ_engine::trace::{Measure, TraceRecorder};
use situ_engine::{Method, Steps};

use crate::events::equations::implicit::{known, near, run, table};
use crate::events::{list, number};
use crate::tables::{Table, column};

/// A mass on a rod, released at the horizontal.
fn pendulum() -> Table {
    table(
        "\"x\": 1, \"y\": 0, \"vx\": 0, \"vy\": 0, \"lam\": 0",
        "constants: {\"L\": 1, \"g\": 9.81},",
        "\"solve lam: x^2 + y^2 = L^2\", \"vx = integral(-lam * x)\", \"vy = integral(-lam * y - g)\", \
         \"x = integral(vx)\", \"y = integral(vy)\"",
    )
}

/// How far the mass is from the end of its rod, and its speed along the rod.
fn off(table: &Table, row: &[f64]) -> [f64; 2] {
    let [x, y, vx, vy] = ["x", "y", "vx", "vy"].map(|name| row[table.real(name).index()]);
    [(x.hypot(y) - 1.0).abs(), (x * vx + y * vy).abs()]
}

#[test]
fn a_pendulum_of_index_three_by_every_adaptive_method_of_order_four_and_above() {
    let (table, file) = (pendulum(), known("pendulum_index1"));
    assert_eq!(table.model.constraints[0].levels.len(), 2);
    let times: Vec<f64> = list(&file["times"]).iter().map(number).collect();
    let mut tried = 0;
    for method in Method::ALL {
        let about = method.about();
        if about.steps == Steps::Fixed || about.order < 4 {
            continue;
        }
        tried += 1;
        // Backward differences are off by 7e-7 with the force by hand, without any constraint.
        let most = if method == Method::Bdf { 1e-6 } else { 1e-8 };
        let rows = run(&table, method, 1e-10, &times);
        for ((time, row), known) in times.iter().zip(&rows).zip(list(&file["y"])) {
            for (name, known) in ["x", "y", "vx", "vy", "lam"].iter().zip(list(known)) {
                let (found, known) = (row[table.real(name).index()], number(known));
                let error = (found - known).abs() / known.abs().max(1.0);
                assert!(
                    error < most,
                    "{method:?} {name}({time}): {found}, {error:e}"
                );
            }
            assert!(
                off(&table, row).iter().all(|off| *off < 1e-12),
                "{method:?} {time}"
            );
        }
    }
    assert!(tried >= 6, "{tried} methods");
}

fn event_rows(table: &Table, clock: Clock) -> (TraceRecorder<'_>, Result<(), RunFault>) {
    let mut recorder = TraceRecorder::new(&table.model);
    let config = EventConfig::from_clock(&clock).unwrap();
    let ended = EventRun::new(table.model.clone(), config)
        .unwrap()
        .run(&mut recorder);
    (recorder, ended.map(|_| ()))
}

#[test]
fn the_length_of_a_rod_stays_in_every_row() {
    let table = pendulum();
    for method in [
        Method::Tsit5,
        Method::Dop853,
        Method::Radau,
        Method::Bdf,
        Method::Auto,
    ] {
        let clock = Clock {
            stop: Some(20.0),
            every: Some(0.01),
            method: Some(method),
            ..Clock::default()
        };
        let (recorder, ended) = event_rows(&table, clock);
        ended.unwrap();
        let [x, y, vx, vy] =
            ["x", "y", "vx", "vy"].map(|name| column(&table.model, &recorder.trace, name).unwrap());
        assert!(x.len() > 2000);
        for at in 0..x.len() {
            let length = (x[at].hypot(y[at]) - 1.0).abs();
            let speed = (x[at] * vx[at] + y[at] * vy[at]).abs();
            assert!(
                length < 1e-12 && speed < 1e-12,
                "{method:?} {at}: {length:e} {speed:e}"
            );
        }
        // Nor is it off between the rows.
        let mut asks = pendulum();
        let wanted = ["sqrt(x^2 + y^2) - L", "x * vx + y * vy"]
            .map(|text| asks.expr(text))
            .into_iter()
            .flat_map(|value| [Measure::Min(value), Measure::Max(value)]);
        let clock = Clock {
            stop: Some(5.0),
            method: Some(method),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let wanted: Vec<Measure> = wanted.collect();
        let mut run = EventRun::with_measures(asks.model.clone(), config, &wanted).unwrap();
        run.run(&mut ()).unwrap();
        let found: Vec<f64> = run.measured().into_iter().map(Option::unwrap).collect();
        assert!(
            found.iter().all(|off| off.abs() < 1e-12),
            "{method:?}: {found:?}"
        );
    }
}

fn ticks(table: &Table, step: f64, scan: Scan) -> Result<TickRun, SetupError> {
    let clock = Clock {
        step: Some(step),
        stop: Some(1e4),
        integral: Some(IntegralRule::Rectangle),
        scan: Some(scan),
        ..Clock::default()
    };
    TickRun::new(table.model.clone(), TickConfig::from_clock(&clock).unwrap())
}

#[test]
fn ticks_keep_the_length_and_tend_to_the_motion() {
    let (table, file) = (pendulum(), known("pendulum_index1"));
    for scan in [Scan::Sequential, Scan::Simultaneous] {
        let mut run = ticks(&table, 1e-3, scan).unwrap();
        for tick in 0..2000 {
            run.advance(1).unwrap();
            let reals = run.row().reals;
            let speed = reals[2].hypot(reals[3]).max(1.0);
            let [length, along] = off(&table, reals);
            assert!(
                length < 1e-12 && along < 1e-12 * speed,
                "{scan:?} {tick}: {length:e} {along:e}"
            );
        }
    }
    let known: Vec<f64> = list(&list(&file["y"])[0]).iter().map(number).collect();
    let errors = [1e-3, 1e-4].map(|step| {
        let mut run = ticks(&table, step, Scan::Sequential).unwrap();
        run.advance((1.0 / step).round() as u64).unwrap();
        let row = run.row();
        (row.reals[0] - known[0]).hypot(row.reals[1] - known[1])
    });
    assert!(
        errors[1] < 1e-3 && errors[1] < 0.2 * errors[0],
        "{errors:?}"
    );
}

/// Two masses on two rods, the second hung on the first, with the places of both as states.
const DOUBLE: &str = "\"vx1 = integral((-lam1 * x1 + lam2 * (x2 - x1)) / m1)\", \
     \"vy1 = integral((-lam1 * y1 + lam2 * (y2 - y1)) / m1 - g)\", \
     \"vx2 = integral(-lam2 * (x2 - x1) / m2)\", \"vy2 = integral(-lam2 * (y2 - y1) / m2 - g)\", \
     \"x1 = integral(vx1)\", \"y1 = integral(vy1)\", \"x2 = integral(vx2)\", \"y2 = integral(vy2)\"";

const DOUBLE_REALS: &str = "\"x1\": \"L1 * sin(1)\", \"y1\": \"-L1 * cos(1)\", \
     \"x2\": \"L1 * sin(1) + L2 * sin(2)\", \"y2\": \"-L1 * cos(1) - L2 * cos(2)\", \
     \"vx1\": 0, \"vy1\": 0, \"vx2\": 0, \"vy2\": 0, \"lam1\": 0, \"lam2\": 0";

const DOUBLE_CONSTANTS: &str =
    "constants: {\"g\": 9.81, \"L1\": 1, \"L2\": 0.7, \"m1\": 1, \"m2\": 2},";

fn double_in_angles() -> Table {
    table(
        "\"a\": 1, \"b\": 2, \"u\": 0, \"w\": 0, \"d\": 0, \"M\": 0, \"au\": 0, \"aw\": 0",
        DOUBLE_CONSTANTS,
        "\"d = a - b\", \"M = m1 + m2 * sin(d)^2\", \
         \"au = (-sin(d) * (m2 * L1 * u^2 * cos(d) + m2 * L2 * w^2) \
         - g * ((m1 + m2) * sin(a) - m2 * sin(b) * cos(d))) / (L1 * M)\", \
         \"aw = (sin(d) * ((m1 + m2) * L1 * u^2 + m2 * L2 * w^2 * cos(d)) \
         + (m1 + m2) * g * (sin(a) * cos(d) - sin(b))) / (L2 * M)\", \
         \"u = integral(au)\", \"w = integral(aw)\", \"a = integral(u)\", \"b = integral(w)\"",
    )
}

#[test]
fn a_double_pendulum_with_two_constraints_is_the_one_in_angles() {
    let together = "\"solve lam1, lam2: x1^2 + y1^2 = L1^2, (x2 - x1)^2 + (y2 - y1)^2 = L2^2\"";
    let apart =
        "\"solve lam1: x1^2 + y1^2 = L1^2\", \"solve lam2: (x2 - x1)^2 + (y2 - y1)^2 = L2^2\"";
    let angles = double_in_angles();
    let times = [0.5, 1.0, 1.5, 2.0];
    let known = run(&angles, Method::Dop853, 1e-13, &times);
    for solved in [together, apart] {
        let table = table(
            DOUBLE_REALS,
            DOUBLE_CONSTANTS,
            &format!("{solved}, {DOUBLE}"),
        );
        assert_eq!(table.model.constraints.len(), 2);
        for method in [Method::Dop853, Method::Radau] {
            let rows = run(&table, method, 1e-11, &times);
            for ((time, row), known) in times.iter().zip(&rows).zip(&known) {
                let real = |name: &str| row[table.real(name).index()];
                let [a, b] = ["a", "b"].map(|name| known[angles.real(name).index()]);
                let places = [
                    a.sin(),
                    -a.cos(),
                    a.sin() + 0.7 * b.sin(),
                    -a.cos() - 0.7 * b.cos(),
                ];
                for (name, place) in ["x1", "y1", "x2", "y2"].iter().zip(places) {
                    let error = (real(name) - place).abs();
                    assert!(
                        error < 1e-8,
                        "{solved} {method:?} {name}({time}): {error:e}"
                    );
                }
                let rods = [
                    real("x1").hypot(real("y1")) - 1.0,
                    (real("x2") - real("x1")).hypot(real("y2") - real("y1")) - 0.7,
                ];
                assert!(rods.iter().all(|off| off.abs() < 1e-12), "{rods:?}");
            }
        }
    }
    // A group is solved at once in ticks, too, and both rods keep their lengths.
    let table = table(
        DOUBLE_REALS,
        DOUBLE_CONSTANTS,
        &format!("{together}, {DOUBLE}"),
    );
    let mut run = ticks(&table, 1e-4, Scan::Sequential).unwrap();
    run.advance(10_000).unwrap();
    let real = |name: &str| run.row().reals[table.real(name).index()];
    let [a, b] = ["a", "b"].map(|name| known[1][angles.real(name).index()]);
    near("x1 in ticks", real("x1"), a.sin(), 5e-3);
    near("x2 in ticks", real("x2"), a.sin() + 0.7 * b.sin(), 5e-3);
    near(
        "rod in ticks",
        (real("x2") - real("x1")).hypot(real("y2") - real("y1")),
        0.7,
        1e-12,
    );
}

#[test]
fn a_slider_crank_moves_as_with_one_coordinate() {
    let constants = "constants: {\"r\": 0.3, \"L\": 1, \"J\": 0.2, \"m\": 1.5, \"M\": 2},";
    let crank = table(
        "\"phi\": 0.4, \"w\": 0, \"v\": 0, \"lam\": 0, \"x\": \"r * cos(phi) + sqrt(L^2 - (r * sin(phi))^2)\"",
        constants,
        "\"solve lam: (x - r * cos(phi))^2 + (r * sin(phi))^2 = L^2\", \
         \"w = integral((M - lam * x * r * sin(phi)) / J)\", \
         \"v = integral(-lam * (x - r * cos(phi)) / m)\", \"phi = integral(w)\", \"x = integral(v)\"",
    );
    let reduced = table(
        "\"phi\": 0.4, \"w\": 0, \"s\": 0, \"c\": 0, \"q\": 0, \"xp\": 0, \"xpp\": 0, \"x\": 0",
        constants,
        "\"s = sin(phi)\", \"c = cos(phi)\", \"q = sqrt(L^2 - r^2 * s^2)\", \"x = r * c + q\", \
         \"xp = -r * s - r^2 * s * c / q\", \
         \"xpp = -r * c - r^2 * (c^2 - s^2) / q - (r^2 * s * c)^2 / q^3\", \
         \"w = integral((M - m * xp * xpp * w^2) / (J + m * xp^2))\", \"phi = integral(w)\"",
    );
    let times = [0.5, 1.0, 2.0, 3.0];
    let known = run(&reduced, Method::Dop853, 1e-13, &times);
    for method in [Method::Dop853, Method::Rodas5p] {
        let rows = run(&crank, method, 1e-10, &times);
        for (row, known) in rows.iter().zip(&known) {
            for name in ["phi", "w", "x"] {
                let (found, expected) = (
                    row[crank.real(name).index()],
                    known[reduced.real(name).index()],
                );
                near(&format!("{method:?} {name}"), found, expected, 1e-7);
            }
        }
    }
}

#[test]
fn a_constraint_on_speeds_is_differentiated_once_and_follows_the_time() {
    let table = table(
        "\"v\": 1, \"F\": 0, \"s\": 0",
        "constants: {\"m\": 2},",
        "\"solve F: v = 1 + sin(time)\", \"v = integral(F / m)\", \"s = integral(v)\"",
    );
    assert_eq!(table.model.constraints[0].levels.len(), 1);
    for (time, row) in [0.5_f64, 2.0]
        .iter()
        .zip(run(&table, Method::Tsit5, 1e-9, &[0.5, 2.0]))
    {
        near("v", row[0], 1.0 + time.sin(), 1e-14);
        near("F", row[1], 2.0 * time.cos(), 1e-12);
        near("s", row[2], time + 1.0 - time.cos(), 1e-8);
    }
    let mut run = ticks(&table, 0.01, Scan::Sequential).unwrap();
    run.advance(100).unwrap();
    near("v in ticks", run.row().reals[0], 1.0 + 1.0_f64.sin(), 1e-13);
}

#[test]
fn start_values_near_a_constraint_are_put_onto_it_and_others_refused() {
    let with = |x: &str, y: &str| {
        table(
            &format!("\"x\": {x}, \"y\": {y}, \"vx\": 0, \"vy\": 0, \"lam\": 0"),
            "constants: {\"L\": 1, \"g\": 9.81},",
            "\"solve lam: x^2 + y^2 = L^2\", \"vx = integral(-lam * x)\", \
             \"vy = integral(-lam * y - g)\", \"x = integral(vx)\", \"y = integral(vy)\"",
        )
    };
    let config = || {
        EventConfig::from_clock(&Clock {
            stop: Some(1.0),
            ..Clock::default()
        })
        .unwrap()
    };
    let close = with("0.6", "-0.8000001");
    let begun = EventRun::new(close.model.clone(), config()).unwrap();
    assert!(off(&close, begun.row().reals)[0] < 1e-15);
    let far = with("0.6", "-0.7");
    let refused = EventRun::new(far.model.clone(), config()).err();
    let in_ticks = ticks(&far, 0.01, Scan::Sequential).err();
    for refused in [refused, in_ticks] {
        let Some(SetupError::Fault(fault)) = refused else {
            panic!("{refused:?}");
        };
        let RunFault::OffConstraint {
            residuals, moves, ..
        } = *fault
        else {
            panic!("{fault}");
        };
        near("residual", residuals[0].2[0], 0.36 + 0.49 - 1.0, 1e-12);
        assert_eq!(moves.len(), 2);
    }
}

#[test]
fn a_jump_off_a_constraint_is_refused_and_an_impulse_keeps_it() {
    let with = |jump: &str| {
        table(
            "\"x\": 1, \"y\": 0, \"vx\": 0, \"vy\": 0, \"lam\": 0, \"J\": 0",
            "constants: {\"L\": 1, \"g\": 9.81}, ranges: [\"low: x < 0.5\"], \
             situations: [\"event hit: low\"],",
            &format!(
                "\"solve lam: x^2 + y^2 = L^2\", \"vx = integral(-lam * x)\", \
                 \"vy = integral(-lam * y - g)\", \"x = integral(vx)\", \"y = integral(vy)\", {jump}"
            ),
        )
    };
    let clock = || Clock {
        stop: Some(1.0),
        ..Clock::default()
    };
    // A blow to the left, which the rod does not take up.
    let (_, ended) = event_rows(&with("\"vx := vx - 1 when hit\""), clock());
    let Err(RunFault::OffConstraint {
        time, residuals, ..
    }) = ended
    else {
        panic!("{ended:?}");
    };
    assert!(time > 0.4 && time < 0.6, "{time}");
    assert!(residuals[0].2[0].abs() < 1e-12);
    near("residual", residuals[0].2[1], -1.0, 1e-6);
    // The rod answers with an impulse along itself.
    let table = with(
        "\"solve J: x * (vx - 1 - J * x) + y * (vy - J * y) = 0 when hit\", \
         \"vx, vy := vx - 1 - J * x, vy - J * y when hit\"",
    );
    let (recorder, ended) = event_rows(&table, clock());
    ended.unwrap();
    let [x, y, vx, vy] =
        ["x", "y", "vx", "vy"].map(|name| column(&table.model, &recorder.trace, name).unwrap());
    let time = &recorder.trace.time;
    let at = (1..time.len())
        .find(|&at| time[at] == time[at - 1])
        .unwrap();
    // Across the rod the blow counts in full.
    let across = |at: usize| x[at] * vy[at] - y[at] * vx[at];
    near("across", across(at) - across(at - 1), y[at], 1e-9);
}

/// A mass on a thread, thrown so slowly that it leaves the circle, falls, and is caught by the thread again.
fn thread() -> Table {
    table(
        "\"x\": 0, \"y\": -1, \"vx\": 5.5, \"vy\": 0, \"T\": 0, \"gap\": 0",
        "constants: {\"L\": 1, \"g\": 9.81}, switches: {\"taut\": true}, \
         ranges: [\"loose: T < 0\", \"long: gap < -1e-9\"], \
         situations: [\"event slackens: taut & loose\", \"event tightens: !taut & long\"], \
         assignments: [\"when slackens: !taut\", \"when tightens: taut\"],",
        "\"solve T: x^2 + y^2 = L^2 when taut\", \"T = 0 when !taut\", \
         \"gap = L - sqrt(x^2 + y^2) when !taut\", \"gap = 1 when taut\", \
         \"x, y := x * L / sqrt(x^2 + y^2), y * L / sqrt(x^2 + y^2) when tightens\", \
         \"vx, vy := vx - x * (x * vx + y * vy) / L^2, vy - y * (x * vx + y * vy) / L^2 when tightens\", \
         \"vx = integral(-T * x)\", \"vy = integral(-T * y - g)\", \"x = integral(vx)\", \"y = integral(vy)\"",
    )
}

#[test]
fn a_thread_goes_slack_and_tight_again() {
    let table = thread();
    for method in [Method::Dop853, Method::Radau] {
        let clock = Clock {
            stop: Some(2.0),
            every: Some(0.01),
            method: Some(method),
            rtol: Some(1e-11),
            atol: Some(1e-13),
            ..Clock::default()
        };
        let (recorder, ended) = event_rows(&table, clock);
        ended.unwrap();
        let trace = &recorder.trace;
        let of = |name: &str| column(&table.model, trace, name).unwrap();
        let [x, y, vx, vy, taut] = ["x", "y", "vx", "vy", "taut"].map(of);
        let slack = taut.iter().position(|taut| *taut == 0.0).unwrap();
        // On the circle v^2 = v0^2 - 2 g (y + 1), and the thread pulls with v^2 + g y: 0 at 3 g y = 2 g - v0^2.
        let height = (5.5 * 5.5 - 2.0 * 9.81) / (3.0 * 9.81);
        near("height", y[slack], height, 1e-9);
        let speed = (9.81 * height).sqrt();
        near("speed", vx[slack].hypot(vy[slack]), speed, 1e-9);
        // A parabola from there to the circle: its time is a root of a polynomial of degree four.
        let tight = (slack..taut.len()).find(|&at| taut[at] == 1.0).unwrap();
        let t = trace.time[tight] - trace.time[slack];
        let [px, py] = [
            x[slack] + vx[slack] * t,
            y[slack] + vy[slack] * t - 0.5 * 9.81 * t * t,
        ];
        near("caught at", px.hypot(py), 1.0, 2e-9);
        assert!(t > 0.1, "{t}");
        near("x", x[tight], px, 1e-8);
        near(
            "along",
            x[tight] * vx[tight] + y[tight] * vy[tight],
            0.0,
            1e-9,
        );
        for at in tight..taut.len() {
            if taut[at] == 1.0 {
                assert!((x[at].hypot(y[at]) - 1.0).abs() < 1e-12, "{at}");
            }
        }
    }
}

/// The length of a rod over 1000 s, in which it swings some 600 times.
#[test]
#[ignore = "takes long; `cargo soak` runs it"]
fn length_soak() {
    let table = pendulum();
    for method in [Method::Tsit5, Method::Dop853, Method::Radau, Method::Bdf] {
        let clock = Clock {
            stop: Some(1000.0),
            every: Some(0.05),
            method: Some(method),
            ..Clock::default()
        };
        let (recorder, ended) = event_rows(&table, clock);
        ended.unwrap();
        let [x, y] = ["x", "y"].map(|name| column(&table.model, &recorder.trace, name).unwrap());
        let lengths = x.iter().zip(&y).map(|(x, y)| (x.hypot(*y) - 1.0).abs());
        let most = lengths.fold(0.0, f64::max);
        println!("{method:?}: {} rows, off by {most:e} at most", x.len());
        assert!(x.len() > 20_000 && most < 1e-12, "{method:?}: {most:e}");
    }
    // In a simultaneous scan a tick is a step of Euler's explicit method, which gives a swing ever more energy: within 100 s
    // the mass whirls round.
    for (scan, n_ticks) in [(Scan::Sequential, 1_000_000), (Scan::Simultaneous, 50_000)] {
        let mut run = ticks(&table, 1e-3, scan).unwrap();
        let mut most = 0.0_f64;
        for _ in 0..n_ticks {
            run.advance(1).unwrap();
            most = most.max(off(&table, run.row().reals)[0]);
        }
        println!("{scan:?}: off by {most:e} at most");
        assert!(most < 1e-12, "{scan:?}: {most:e}");
    }
}

/// Rates that rows of their own say are known, in another row and in the same one.
#[test]
fn speeds_may_be_written_as_equations() {
    let rest = "constants: {\"m\": 2, \"g\": 9.81},";
    let reals = "\"x\": 1, \"y\": 0, \"u\": 0, \"v\": 0, \"lam\": 0";
    let forces = "m * rate(u) = -lam * x, m * rate(v) = -lam * y - m * g";
    let apart = format!(
        "\"solve rate(u), rate(v), lam: {forces}, x^2 + y^2 = 1\", \"solve rate(x), rate(y): rate(x) = u, rate(y) = v\""
    );
    let together = format!(
        "\"solve rate(u), rate(v), rate(x), rate(y), lam: {forces}, rate(x) = u, rate(y) = v, x^2 + y^2 = 1\""
    );
    let plain = "\"solve lam: x^2 + y^2 = 1\", \"u = integral(-lam * x / m)\", \"v = integral(-lam * y / m - g)\", \
         \"x = integral(u)\", \"y = integral(v)\"";
    let times = [0.5, 1.0, 2.0];
    let known = table(reals, rest, plain);
    let rows = run(&known, Method::Dop853, 1e-10, &times);
    for text in [apart, together] {
        let other = table(reals, rest, &text);
        let found = run(&other, Method::Dop853, 1e-10, &times);
        for (found, known_row) in found.iter().zip(&rows) {
            for name in ["x", "y", "u", "v", "lam"] {
                let [found, known] = [
                    found[other.real(name).index()],
                    known_row[known.real(name).index()],
                ];
                near(name, found, known, 1e-6);
            }
        }
    }
}

/// A mass at a rod, turned by its weight and stopped by friction that is larger: behind the stop speeds are rounding errors
/// of each other, and the place is that of the balance of energy.
#[test]
fn a_mass_that_friction_has_stopped_stays_on_its_rod() {
    let table = table(
        "\"lam\": 0, \"w\": 0, \"x\": 0.6, \"y\": -0.8, \"vx\": 0.4, \"vy\": 0.3",
        "",
        "\"solve lam: x^2 + y^2 = 1\", \"w = sign(x * vy - y * vx)\", \
         \"vx = integral(-lam * x + 8 * w * y)\", \"vy = integral(-lam * y - 9.81 - 8 * w * x)\", \
         \"x = integral(vx)\", \"y = integral(vy)\"",
    );
    let from = (-0.8_f64).atan2(0.6);
    let energy = |angle: f64| 0.125 - 9.81 * (angle.sin() - from.sin()) - 8.0 * (angle - from);
    let (mut low, mut high) = (from, from + 0.1);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match energy(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    let known = [
        ("x", low.cos()),
        ("y", low.sin()),
        ("w", -9.81 * low.cos() / 8.0),
        ("lam", -9.81 * low.sin()),
    ];
    for method in [
        Method::Tsit5,
        Method::Dop853,
        Method::Rodas5p,
        Method::Radau,
        Method::Bdf,
        Method::Auto,
    ] {
        for rtol in [1e-4, 1e-5, 1e-6, 1e-7, 1e-9] {
            let rows = run(&table, method, rtol, &[50.0]);
            for (name, known) in known {
                let found = rows[0][table.real(name).index()];
                near(&format!("{method:?} {name}"), found, known, 10.0 * rtol);
            }
            for name in ["vx", "vy"] {
                let speed = rows[0][table.real(name).index()];
                assert!(speed.abs() < 1e-11, "{method:?} {name}: {speed:e}");
            }
        }
    }
}

/// After a blow that leaves the mass on its rod the order of backward differences rises again: as many steps as the tolerance
/// asks for. The motion is that of the angle.
#[test]
fn backward_differences_rise_in_order_behind_a_blow() {
    let wall = "ranges: [\"wall: x <= -0.3\"], situations: [\"event hit: wall\"],";
    let rod = table(
        "\"lam\": 0, \"x\": 1, \"y\": 0, \"vx\": 0, \"vy\": 0",
        wall,
        "\"solve lam: x^2 + y^2 = 1\", \"vx = integral(-lam * x)\", \"vy = integral(-lam * y - 9.81)\", \
         \"x = integral(vx)\", \"y = integral(vy)\", \"vx, vy := -vx, -vy when hit\"",
    );
    let turning = table(
        "\"x\": 1, \"angle\": 0, \"speed\": 0",
        wall,
        "\"angle = integral(speed)\", \"speed = integral(-9.81 * cos(angle))\", \"x = cos(angle)\", \
         \"speed := -speed when hit\"",
    );
    let known = run(&turning, Method::Dop853, 1e-11, &[20.0]);
    let known = known[0][turning.real("x").index()];
    for (rtol, most, tolerance) in [(1e-7, 5000, 1e-3), (1e-9, 10_000, 1e-5)] {
        let clock = Clock {
            stop: Some(20.0),
            method: Some(Method::Bdf),
            rtol: Some(rtol),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let mut run = EventRun::new(rod.model.clone(), config).unwrap();
        run.run_to(20.0, &mut TraceRecorder::new(&rod.model))
            .unwrap();
        let steps = run.stats().method.steps;
        assert!(steps < most, "{rtol:e}: {steps} steps");
        near(
            "x",
            run.row().reals[rod.real("x").index()],
            known,
            tolerance,
        );
    }
}
