//! Delays whose lengths change: with the time, with the state, down to nothing.

use situ_engine::model::{Clock, IntegralRule};
use situ_engine::sim::{EventConfig, EventRun, RunFault};
use situ_engine::{Locate, Method, Steps};

use crate::events::delays::pasts::{METHODS, meets, tight};
use crate::events::delays::read_back::{BOTH, at, run};
use crate::events::silent::clock;
use crate::events::{Accuracy, Exact};
use crate::tables::{Table, column};

/// x' = x(t) x(ln x(t)) / t from t = 1, which is time 0 here. What is read passes 1, e and e^2.
const BY_STATE: &str = r#"(format: 1, name: "by_state", reals: {"late": 1, "x": 1},
    relations: ["late = delay(x, time + 1 - ln(x))", "x = integral(x * late / (time + 1))"])"#;

#[test]
fn by_the_state() {
    meets(
        "state_dependent_delay",
        BY_STATE,
        0.5,
        [1e-8, 1e-8, 1e-6],
        &["x"],
    );
}

/// The times between steps at which something may have happened.
fn instants(run: &crate::events::History) -> Vec<f64> {
    let pairs = run.trace.time.windows(2).filter(|pair| pair[0] == pair[1]);
    pairs.map(|pair| pair[0]).collect()
}

/// Breaking points are where ln x is 1, and is what the first of them is.
#[test]
fn breaking_points_follow_the_state() {
    use std::f64::consts::E;
    let run = tight(BY_STATE, Method::Dop853, 5.0, 9.0);
    let found = instants(&run);
    for known in [E - 1.0, E * E - 1.0] {
        let near = found.iter().any(|time| (time - known).abs() < 1e-8);
        assert!(near, "{known}: {found:?}");
    }
}

/// x' = -x(t / 2): a delay that begins with nothing. The solution is the sum of (-t)^k / (k! 2^(k(k-1)/2)).
#[test]
fn from_nothing_on() {
    let text = r#"(format: 1, name: "pantograph", reals: {"late": 1, "x": 1},
        relations: ["late = delay(x, time / 2)", "x = integral(-late)"])"#;
    let exact = |t: f64| {
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..40_i32 {
            term *= -t / (f64::from(k) * 2.0_f64.powi(k - 1));
            sum += term;
        }
        sum
    };
    for (method, most) in METHODS.into_iter().zip([1e-7, 1e-7, 1e-5]) {
        let run = tight(text, method, 1.0, 4.0);
        for t in [1.0, 2.0, 4.0] {
            let error = run.at_row(run.row_at(t), "x") - exact(t);
            assert!(error.abs() < most, "{} at {t}: {error:e}", method.name());
        }
    }
}

/// x' = -x(t - max(0, 1 - t)), x = 1 before: the delay is over at 1, and the present is read from there on. Up to 1
/// what is read is x(2t - 1), which is 1 up to t = 1/2.
#[test]
fn down_to_nothing() {
    let text = r#"(format: 1, name: "fading", reals: {"late": 1, "x": 1},
        relations: ["late = delay(x, max(0, 1 - time))", "x = integral(-late)"])"#;
    // No closed form: the value at 1 is that of short ticks.
    let run = tight(text, Method::Dop853, 0.5, 2.0);
    assert!((run.at_row(run.row_at(0.5), "x") - 0.5).abs() < 1e-9);
    let (one, two) = (
        run.at_row(run.row_at(1.0), "x"),
        run.at_row(run.row_at(2.0), "x"),
    );
    assert!((two / one - (-1.0_f64).exp()).abs() < 1e-8, "{one} {two}");
    let ticks = Table::from_text(text).ticks(1e-4, 10_000, 10_000, IntegralRule::default());
    let coarse = *column(&ticks.table.model, &ticks.trace(), "x")
        .unwrap()
        .last()
        .unwrap();
    assert!((coarse - one).abs() < 1e-3, "{coarse} {one}");
}

/// What a delay takes in need not be as smooth as the motion: the past is kept as accurately all the same.
#[test]
fn what_does_not_move_the_steps_is_kept_as_well() {
    for tau in ["6", "6 + 0.1 * x"] {
        let text = format!(
            r#"(format: 1, name: "fast", reals: {{"tone": (start: 0, before: "sin(20 * time)"), "x": 0, "late": 0}},
            relations: ["x = integral(1)", "tone = sin(20 * time)", "late = delay(tone, {tau})"])"#
        );
        let run = Exact::new(Table::from_text(&text), 20.0, Accuracy::Default)
            .every(0.5)
            .run();
        let slope = if tau == "6" { 1.0 } else { 0.9 };
        for t in [3.0, 7.5, 13.0, 20.0] {
            let exact = f64::sin(20.0 * (slope * t - 6.0));
            let late = run.at_row(run.row_at(t), "late");
            assert!((late - exact).abs() < 1e-5, "{tau} at {t}: {late} {exact}");
        }
    }
}

/// A delay of no length is what stands, whatever jumps.
#[test]
fn no_length_is_the_present() {
    let text = r#"(format: 1, name: "present", clock: (step: 0.1, stop: 1), constants: {"tau": 0},
        reals: {"n": 1, "same": 0, "also": 0, "x": 0}, situations: ["event kick: x >= 0.45"],
        relations: ["n := n + 2 when kick", "same = delay(2 * n, tau)", "also = delay(2 * n, tau * x)",
            "x = integral(1)"])"#;
    let run = Exact::new(Table::from_text(text), 1.0, Accuracy::Default)
        .every(0.1)
        .run();
    let ticks = Table::from_text(text).ticks(0.1, 10, 1, IntegralRule::default());
    let ticks = [
        column(&ticks.table.model, &ticks.trace(), "same"),
        column(&ticks.table.model, &ticks.trace(), "also"),
    ];
    let n = run.column("n");
    for name in ["same", "also"] {
        let found = run.column(name);
        assert!(
            found.iter().zip(&n).all(|(late, n)| *late == 2.0 * n),
            "{name}: {found:?} {n:?}"
        );
    }
    for found in ticks {
        assert_eq!(
            found.unwrap()[1..],
            [2.0, 2.0, 2.0, 2.0, 2.0, 6.0, 6.0, 6.0, 6.0, 6.0]
        );
    }
}

/// A delay far shorter than the steps: these are tried again with what they gave, and are no shorter for it.
#[test]
fn steps_are_longer_than_a_short_delay() {
    let text = r#"(format: 1, name: "short", constants: {"k": 1}, reals: {"late": 1, "x": 1},
        relations: ["late = delay(x, 1e-4 * (1 + 0 * x))", "x = integral(-k * late)"])"#;
    let run = tight(text, Method::Dop853, 1.0, 1.0);
    // x' = -x(t - a) has the solution exp(-r t) with r = exp(r a), but for the first 1e-4.
    let r = 1.0_f64 + 1e-4 + 1.5e-8;
    let x = run.at_row(run.row_at(1.0), "x");
    assert!((x - (-r).exp()).abs() < 2e-8, "{x} {}", (-r).exp());
    assert!(run.stats.method.steps < 200, "{:?}", run.stats);
}

/// A length made of sources changes with them: it is no constant.
#[test]
fn sources_change_a_length() {
    for (length, known) in [
        ("0.5 + step(1)", [(0.75, 0.25), (1.75, 0.25), (2.75, 1.25)]),
        ("0.5 + ramp(1)", [(0.75, 0.25), (1.75, 0.5), (2.75, 0.5)]),
        (
            "1.5 - pulse(2, 1)",
            [(0.75, 0.25), (1.75, 0.25), (2.75, 2.25)],
        ),
    ] {
        let text = format!(
            r#"(format: 1, reals: {{"x": (start: 0, before: "time"), "late": 0}},
            relations: ["x = integral(1)", "late = delay(x, {length})"])"#
        );
        for stepping in BOTH {
            let (table, trace, ended) = run(&text, stepping, 3.0);
            ended.unwrap();
            for (time, value) in known {
                let found = at(&table, &trace, "late", time);
                let what = format!("{length} {stepping:?} at {time}");
                assert!(
                    (found - value).abs() <= 0.021,
                    "{what}: {found}, not {value}"
                );
            }
        }
    }
}

/// A condition on a value whose delay varies is met when it is: x = t, late = t - (1 + t/2) = t/2 - 1 at 3 is 1/2.
#[test]
fn conditions_and_families() {
    let text = r#"(format: 1, name: "row", counters: {"j": "1..2"}, reals: {"x": (start: 0, before: "time"), "late[j]": 0, "y": 0},
        ranges: ["high: late[1] >= 0.5"],
        relations: ["late[j] = delay(x, 1 + time * j / 2)", "x = integral(1)", "y = integral(1) when high"])"#;
    let run = tight(text, Method::Dop853, 1.0, 4.0);
    let row = run.rises("high")[0];
    assert!((run.trace.time[row] - 3.0).abs() < 1e-10);
    assert!((run.at_row(run.row_at(4.0), "y") - 1.0).abs() < 1e-9);
    assert!((run.at_row(run.row_at(4.0), "late[2]") + 1.0).abs() < 1e-9);
}

/// In ticks a length that changes is read at the place of its row, between ticks on a straight line.
#[test]
fn in_ticks() {
    let text = r#"(format: 1, name: "ticks", clock: (step: 0.5, stop: 2),
        reals: {"x": (start: 0, before: "10 * time"), "late": 0, "tau": 0},
        relations: ["x = integral(1)", "tau = x / 2 + 0.5 when x < 1.2", "tau = 5 otherwise", "late = delay(x, tau)"])"#;
    let run = Table::from_text(text).ticks(0.5, 4, 1, IntegralRule::default());
    let late = column(&run.table.model, &run.trace(), "late").unwrap();
    // x is 0.5, 1, 1.5, 2 and read at 0.5 - 0.75, 1 - 1, 1.5 - 1.25, 2 - 5: the range is that of the tick before.
    assert_eq!(late, [0.0, -2.5, 0.0, 0.25, -30.0]);
}

/// What happens at the time at which a jump comes out of a delay happens, though the step ends at the jump; and however
/// short the pieces of the past around it are.
#[test]
fn jumps_come_out_where_others_happen() {
    let pulses = r#"(format: 1, name: "pulses", reals: {"p": 0, "d": 0, "tau": 0.66, "y": 0, "m": 0, "T": 0},
        ranges: ["on: m < 0.33"],
        relations: ["p = pulse(1.32, 0.33, 0.31)", "m = pulse(0.66, 0.33, 0.31)", "d = delay(p, tau)", "y = integral(d)",
            "T = integral(1) when on"])"#;
    for method in [Method::Auto, Method::Tsit5, Method::Dop853, Method::Radau] {
        let run = tight(pulses, method, 6.0, 6.0);
        // Four pulses have come out, at 0.97 + 1.32 k; on for 0.33 in each 0.66.
        let (y, on) = (run.last("y"), run.last("T"));
        assert!((y - 4.0 * 0.33).abs() < 1e-9, "{method:?}: {y}");
        assert!(
            (on - (0.31 + 8.0 * 0.33 + 0.08)).abs() < 1e-9,
            "{method:?}: {on}"
        );
        for [period, growth, first] in [
            [0.4, 0.1, 0.1],
            [1.0, 0.1, 0.1],
            [0.4, 0.5, 0.7],
            [0.7, 0.2, 0.4],
        ] {
            let text = format!(
                r#"(format: 1, name: "saw", reals: {{"x": 0, "n": 0, "d": 0, "e": 0, "w": 0, "tau": 0, "m": 0, "T": 0, "M": 0}},
                ranges: ["hi: d > {level}", "on: m > {half}"],
                relations: ["w = integral({growth})", "x = integral(1)", "x := 0 when every({period})",
                    "n := n + 1 when every({period})", "tau = {first} + w", "d = delay(x, tau)", "e = delay(n, tau)",
                    "m = mod(time, {period})", "T = integral(1) when hi", "M = integral(1) when on"])"#,
                level = 0.45 * period,
                half = 0.5 * period
            );
            let stop = 6.0013;
            let run = tight(&text, method, stop, stop);
            let above = |reach: f64, level: f64| {
                let rest = reach.rem_euclid(period);
                ((reach - rest) / period).round() * (1.0 - level) * period
                    + (rest - level * period).max(0.0)
            };
            let speed = 1.0 - growth;
            let known = [above(speed * stop - first, 0.45) / speed, above(stop, 0.5)];
            for (name, known) in ["T", "M"].into_iter().zip(known) {
                let found = run.last(name);
                assert!(
                    (found - known).abs() < 1e-8,
                    "{method:?}, {period}: {name} {found}, not {known}"
                );
            }
        }
    }
}

/// A jump of the past before the start comes out with its right limit, also in the first stage of a step behind it.
#[test]
fn a_jump_before_the_start_comes_out() {
    let text = r#"(format: 1, name: "before", lookups: {"pv": (x: [-5, -1], y: [1, -1], kind: "previous", outside: "hold")},
        reals: {"x": (start: 0, before: "pv"), "d": 0, "I": 0, "tau": 1.5},
        relations: ["x = 0", "tau = 1.5", "d = delay(x, tau)", "I = integral(d)"])"#;
    for method in [Method::Auto, Method::Rk4, Method::Radau] {
        let mut exact = Exact::new(Table::from_text(text), 2.0, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.settings.h0 = Some(0.1);
        // 1 up to 0.5, -1 up to 1.5.
        let end = exact.run().last("I");
        assert!((end + 0.5).abs() < 1e-9, "{method:?}: {end}");
    }
}

/// Saved in the middle of a step, and taken up by another run, it gives the same bits.
#[test]
fn a_run_is_split() {
    let table = Table::from_text(BY_STATE);
    let config = |stop| EventConfig {
        stop,
        ..Accuracy::Tight.config(9.0)
    };
    let mut whole = EventRun::new(table.model.clone(), config(9.0)).unwrap();
    whole.run(&mut ()).unwrap();
    for at in [0.3, 1.9, 6.5] {
        let mut first = EventRun::new(table.model.clone(), config(9.0)).unwrap();
        first.run_to(at, &mut ()).unwrap();
        let saved = serde_json::to_string(&first.state()).unwrap();
        let mut second = EventRun::new(table.model.clone(), config(9.0)).unwrap();
        second
            .restore(&serde_json::from_str(&saved).unwrap())
            .unwrap();
        second.run(&mut ()).unwrap();
        let bits = |run: &EventRun| {
            let reals = ["late", "x"].map(|name| run.real(table.real(name)));
            reals.map(f64::to_bits)
        };
        assert_eq!(bits(&second), bits(&whole), "{at}");
    }
}

/// A length that follows from what the delay gives is found wherever rows are recorded, though rounding decides what the
/// higher derivatives of a straight line are.
#[test]
fn a_length_that_follows_from_what_the_delay_gives() {
    let straight = r#"(format: 1, name: "straight", reals: {"y": (start: 1, before: "1"), "l": 1},
        relations: ["y = integral(-0.2)", "l = delay(y, 0.5 * l)"])"#;
    let wave = r#"(format: 1, name: "wave", reals: {"y": (start: 0, before: "sin(time)"), "l": 1, "tau": 0.5},
        relations: ["y = sin(time)", "l = delay(y, tau)", "tau = 1 + 0.3 * l"])"#;
    let solved = r#"(format: 1, name: "solved", constants: {"c": 3},
        reals: {"x": 1, "y": (start: 1, before: "1"), "l": 1, "tau": 0.66, "S": 0},
        relations: ["x = 1 + 0.5 * sin(time)", "y = integral(-0.3 * l + 0.2)", "l = delay(y, tau)",
            "solve tau: c * tau = x + l", "S = integral(tau)"])"#;
    for every in [0.001, 0.005, 0.7] {
        let run = |text| {
            let exact = Exact::new(Table::from_text(text), 5.0, Accuracy::Default);
            exact.every(every).run()
        };
        // 1 - 0.2 (t - l / 2) = l.
        let l = run(straight).last("l");
        assert!((l - (1.0 - 0.2 * 5.0) / 0.9).abs() < 1e-9, "{every}: {l}");
        let l = run(wave).last("l");
        assert!((l - (4.0 - 0.3 * l).sin()).abs() < 1e-5, "{every}: {l}");
        let run = run(solved);
        let (x, l, tau) = (run.last("x"), run.last("l"), run.last("tau"));
        assert!((3.0 * tau - x - l).abs() < 1e-9, "{every}: {tau}");
    }
}

/// Plug flow: what leaves a pipe of volume 1 entered it when that volume had yet to pass. The length of the delay is what
/// is solved for.
#[test]
fn by_an_equation_for_the_length() {
    let text = r#"(format: 1, name: "plug", reals: {"q": 1, "s": (start: 0, before: "time"),
            "warm": (start: 20, before: "20"), "tau": 1, "l": 0, "out": 20},
        relations: ["q = 1 + 0.5 * sin(time)", "s = integral(q)", "warm = 20 + 5 * sin(2 * time)",
            "l = delay(s, tau)", "solve tau: s - l = 1", "out = delay(warm, tau)"])"#;
    let passed = |t: f64| {
        if t > 0.0 {
            t + 0.5 * (1.0 - t.cos())
        } else {
            t
        }
    };
    let entered = |t: f64| {
        let (mut early, mut late) = (t - 3.0, t);
        for _ in 0..200 {
            let middle = 0.5 * (early + late);
            match passed(t) - passed(middle) < 1.0 {
                true => late = middle,
                false => early = middle,
            }
        }
        early
    };
    for bounds in ["", " from 0 to 5", " from 0 to 100"] {
        let text = text.replace("solve tau", &format!("solve tau{bounds}"));
        for (method, most) in METHODS.into_iter().zip([1e-7, 1e-7, 1e-5]) {
            let run = tight(&text, method, 2.5, 10.0);
            for t in [2.5, 5.0, 7.5, 10.0] {
                let row = run.row_at(t);
                let at = entered(t);
                let known = [t - at, 20.0 + 5.0 * (2.0 * at).sin()];
                for (name, known) in ["tau", "out"].into_iter().zip(known) {
                    let error = run.at_row(row, name) - known;
                    assert!(error.abs() < most, "{method:?} {name} {t}: {error:e}");
                }
            }
        }
    }
}

/// Two times at which an argument is not smooth lie closer together than a step is long: nothing is read so far beyond the
/// polynomial between them that its last coefficients decide. `x` is `sin(t)`, so that `y` is a sum of integrals of
/// `sin(max(0, t - 0.5 - 0.3 sin(2 t)))` from `asin(0.3)` to `pi - asin(0.3)`, found by a quadrature.
#[test]
fn short_pieces_are_not_followed_far() {
    let chained = r#"(format: 1, name: "chained", reals: {"x": 1, "u": 0, "w": 0},
        relations: ["u = delay(x, 0.7)", "w = delay(u + x, 0.5 + 0.3 * sin(time))", "x = integral(-0.5 * x - w)"])"#;
    let swinging = r#"(format: 1, name: "swinging", reals: {"v": 1, "x": 0, "u": 0, "y": 0}, ranges: ["high: x > 0.3"],
        relations: ["v = integral(-x)", "x = integral(v)", "u = delay(x, 0.5 + 0.3 * sin(2 * time))", "y = integral(u) when high"])"#;
    let at_end = |text, method, locate, real: &str| {
        let mut exact = Exact::new(Table::from_text(text), 6.0, Accuracy::Default).every(6.0);
        exact.config.settings.method = method;
        exact.config.settings.h0 = (method.about().steps == Steps::Fixed).then_some(0.05);
        exact.config.locate = locate;
        let run = exact.run();
        run.at_row(run.row_at(6.0), real)
    };
    let exact = {
        let run = tight(chained, Method::Dop853, 6.0, 6.0);
        run.at_row(run.row_at(6.0), "x")
    };
    for method in [Method::Rk4, Method::Gauss, Method::Tsit5, Method::Dop853] {
        for locate in [Locate::Root, Locate::OneSided] {
            let x = at_end(chained, method, locate, "x");
            assert!((x - exact).abs() < 2e-6, "{method:?} {locate:?} {x}");
            let y = at_end(swinging, method, locate, "y");
            let error = (y - 1.432_015_693_207_81).abs();
            assert!(error < 2e-6, "{method:?} {locate:?} {y}");
        }
    }
}

/// A length that falls below 0 ends the run there, whoever reads the delay and wherever the next row is: at
/// pi + asin(1 / 1.05) for the first, below for less than a hundredth after 4.7 for the second.
#[test]
fn lengths_below_zero_end_a_run_between_rows() {
    use std::f64::consts::PI;
    let readers = [
        "",
        r#", "n = counter(high)""#,
        r#", "s = integral(late)""#,
        r#", "later = delay(late, 0.3 + 0.1 * sin(time))""#,
    ];
    for (length, known) in [
        ("1 + 1.05 * sin(time)", PI + (1.0 / 1.05_f64).asin()),
        ("1 + 1.00001 * sin(time)", PI + (1.0 / 1.00001_f64).asin()),
        ("1 - 1.05 * y", PI + (1.0 / 1.05_f64).asin()),
        (
            "1 + 1.05 * sin(time) + 0 * late",
            PI + (1.0 / 1.05_f64).asin(),
        ),
    ] {
        for (reader, every) in readers
            .into_iter()
            .flat_map(|reader| [0.01, 3.0, 9.0].map(|every| (reader, every)))
        {
            let text = format!(
                r#"(format: 1, reals: {{"x": 2, "late": 2, "later": 2, "n": 0, "s": 0, "y": 0, "z": -1}}, ranges: ["high: late > 2.5"],
                relations: ["x = 2 + sin(time)", "late = delay(x, {length})", "y = integral(z)",
                    "z = integral(-y)"{reader}])"#
            );
            let table = Table::from_text(&text);
            for method in METHODS {
                let clock = Clock {
                    every: Some(every),
                    ..clock(9.0, method, 1e-9)
                };
                let config = EventConfig::from_clock(&clock).unwrap();
                let mut run = EventRun::new(table.model.clone(), config).unwrap();
                match run.run(&mut ()) {
                    Err(RunFault::NegativeDelay { time, .. }) => {
                        let off = (time - known).abs();
                        assert!(
                            off < 1e-5,
                            "{method:?} {length} {reader} {every}: {time}, not {known}"
                        );
                    }
                    other => panic!("{method:?} {length} {reader} {every}: {other:?}"),
                }
            }
        }
    }
}

/// Lengths that come to 0 and do not fall below.
#[test]
fn lengths_that_touch_zero_go_on() {
    for rows in [
        r#""late = delay(x, max(0, 1 + 1.05 * sin(time)))""#,
        r#""late = delay(x, abs(1 + 1.05 * sin(time)))""#,
        r#""late = delay(x, 4 - time) when early", "late = 2 otherwise""#,
        r#""late = delay(x, 4 - time) when early", "late = delay(x, time - 4) otherwise""#,
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 2, "late": 2}}, ranges: ["early: time < 4"],
            relations: ["x = 2 + sin(time)", {rows}])"#
        ));
        for method in METHODS {
            let clock = clock(9.0, method, 1e-9);
            let config = EventConfig::from_clock(&clock).unwrap();
            let ended = EventRun::new(table.model.clone(), config)
                .unwrap()
                .run(&mut ());
            assert!(ended.is_ok(), "{method:?} {rows}: {ended:?}");
        }
    }
}
