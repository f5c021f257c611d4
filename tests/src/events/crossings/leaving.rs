//! Borders that are left so slowly that the dense output may stray to their other side first. The numbers come
//! from programs of fixed steps that halve each step with an event in it.

use situ_engine::{Locate, Method};

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

fn run(text: &str, stop: f64, method: Method) -> History {
    run_at(1e-8, text, stop, method)
}

fn run_at(rtol: f64, text: &str, stop: f64, method: Method) -> History {
    let mut exact = Exact::new(Table::from_text(text), stop, Accuracy::Default);
    exact.config.settings.method = method;
    exact.config.settings.rtol = rtol;
    exact.config.atol = 1e-3 * rtol;
    exact.run()
}

#[track_caller]
fn near(found: f64, known: f64, tolerance: f64) {
    assert!((found - known).abs() < tolerance, "{found} {known}");
}

/// A wheel under an anti-lock brake: it is locked in some modes, and let go again.
const ANTI_LOCK: &str = r#"(format: 1, name: "anti_lock",
    constants: {"m": 400, "g": 9.81, "R": 0.3, "B": 10, "C": 1.9},
    reals: {"v": 30, "w": "v / R", "slip": 0, "F": 0, "brake": 0, "rest": 0, "way": 0, "cycles": 0},
    switches: {"release": false},
    ranges: [
        "low: slip < 0.08", "high: slip > 0.18", "turning: w > 0", "empty: brake <= 0", "full: brake >= 2500",
    ],
    situations: ["event cycle: high & !release"],
    assignments: ["when high: release", "when low: !release"],
    relations: [
        "slip = (v - R * w) / v",
        "F = m * g * sin(C * atan(B * slip))",
        "brake = integral(8000) when !release & !full",
        "brake = integral(-16000) when release & !empty",
        "rest = F * R - brake when turning",
        "rest = max(0, F * R - brake) when !turning",
        "w = integral(rest)",
        "v = integral(-F / m)",
        "way = integral(v)",
        "cycles := cycles + 1 when cycle",
    ])"#;

/// A wheel under an anti-lock brake locks in each of 18 cycles, and is let go where the rest of its torque
/// passes zero: its speed is zero there with its rate, of which the dense output of `rodas5p` knows only up to
/// its error.
#[test]
fn a_locked_wheel_is_let_go() {
    let stop = 5.064_291_496_627;
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
        let history = run(ANTI_LOCK, stop, method);
        near(history.at(stop, "v"), 1.0, 1e-5);
        near(history.at(stop, "way"), 74.858_570_805_493, 1e-5);
        near(history.at(stop, "cycles"), 18.0, 0.5);
    }
}

/// Balls in a row between springs, the first of which is pushed: the wave reaches the last ones with
/// derivatives of an order that no step can tell from zero. Balls that come too near to each other change speeds.
#[test]
fn a_wave_reaches_balls_at_rest() {
    const BALLS: usize = 5;
    let (mut reals, mut events, mut rows) = (String::new(), String::new(), String::new());
    for ball in 0..BALLS {
        let speed = if ball == 0 { 5 } else { 0 };
        reals += &format!(r#""x{ball}": {ball}, "v{ball}": {speed}, "#);
        let left = match ball {
            0 => "-x0".to_owned(),
            _ => format!("x{} - x{ball} + 1", ball - 1),
        };
        let right = match ball + 1 {
            BALLS => format!("{ball} - x{ball}"),
            next => format!("x{next} - x{ball} - 1"),
        };
        rows += &format!(
            r#""v{ball} = integral(100 * ({left}) + 100 * ({right}) - 0.05 * v{ball})", "#
        );
    }
    for ball in 0..BALLS {
        rows += &format!(r#""x{ball} = integral(v{ball})", "#);
    }
    for (ball, next) in (0..BALLS).zip(1..BALLS) {
        events += &format!(r#""event hit{ball}: x{next} - x{ball} < 0.8 & v{ball} > v{next}", "#);
        rows += &format!(r#""v{ball}, v{next} := v{next}, v{ball} when hit{ball}", "#);
    }
    let text = format!(
        r#"(format: 1, name: "row", reals: {{{reals}}}, situations: [{events}], relations: [{rows}])"#
    );
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p] {
        let history = run(&text, 3.0, method);
        near(history.at(3.0, "x0"), -0.049_121_333, 1e-6);
        near(history.at(3.0, "x4"), 3.694_907_608, 1e-6);
        let hits: usize = (0..BALLS - 1)
            .map(|ball| history.fired(&format!("hit{ball}")).len())
            .sum();
        assert_eq!(hits, 19);
    }
}

/// Newton's cradle: one ball swings out, on either side, and the others hang at rest side by side, where their
/// speeds are what rounding has left of them. Taken for crossings these followed each other without end.
#[test]
fn the_balls_of_a_cradle_hang_at_rest() {
    let (stop, speed, om2) = (9.0, 2.0_f64, 9.81_f64);
    let phase = om2.sqrt() * stop;
    let swing = speed / om2.sqrt() * phase.sin() - phase.cos();
    for balls in 3..=7 {
        let (mut reals, mut events, mut rows) = (String::new(), String::new(), String::new());
        for ball in 0..balls {
            let (place, speed) = if ball == 0 {
                (-1.0, speed)
            } else {
                (f64::from(ball), 0.0)
            };
            reals += &format!(r#""x{ball}": {place}, "v{ball}": {speed}, "#);
            rows += &format!(
                r#""x{ball} = integral(v{ball})", "v{ball} = integral(-{om2} * x{ball} + {om2} * {ball})", "#
            );
        }
        for (ball, next) in (0..balls).zip(1..balls) {
            events +=
                &format!(r#""event hit{ball}: x{next} - x{ball} <= 1 & v{ball} > v{next}", "#);
            rows += &format!(r#""v{ball}, v{next} := v{next}, v{ball} when hit{ball}", "#);
        }
        let text = format!(
            r#"(format: 1, name: "cradle", reals: {{{reals}}}, situations: [{events}], relations: [{rows}])"#
        );
        let last = balls - 1;
        for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
            for rtol in [1e-4, 1e-6, 1e-8, 1e-10] {
                let history = run_at(rtol, &text, stop, method);
                near(history.at(stop, "x0"), swing.min(0.0), 100.0 * rtol);
                let outermost = f64::from(last) + swing.max(0.0);
                near(
                    history.at(stop, &format!("x{last}")),
                    outermost,
                    100.0 * rtol,
                );
            }
        }
    }
}

/// Ways of location that see only the ends of steps put a state before the border or beyond it, where it may be
/// held from then on, and do not see where in a step it leaves the border and comes back.
#[test]
fn crude_ways_get_past_a_border() {
    let satellite = r#"(format: 1, name: "satellite",
        reals: {"th": 0.3, "w": 0, "s": 0, "u": 0}, switches: {"plus": false, "minus": false},
        ranges: ["too_high: s > 0.025", "back_down: s < 0.015", "too_low: s < -0.025", "back_up: s > -0.015"],
        assignments: ["when too_high: minus", "when back_down: !minus", "when too_low: plus", "when back_up: !plus"],
        relations: ["s = th + 4 * w", "u = 1 when plus", "u = -1 when minus", "u = 0 otherwise",
            "w = integral((u + 0.02) / 50)", "th = integral(w)"])"#;
    for locate in [Locate::Linear, Locate::Quadratic] {
        for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
            let run = |text: &str, stop: f64| {
                let mut exact = Exact::new(Table::from_text(text), stop, Accuracy::Default);
                exact.config.settings.method = method;
                exact.config.locate = locate;
                exact.run()
            };
            let brake = run(ANTI_LOCK, 5.0);
            near(brake.at(5.0, "cycles"), 18.0, 1.5);
            near(run(satellite, 45.0).at(45.0, "s"), 0.0, 0.2);
        }
    }
}

/// A relief valve closes where its flow, the root of a difference, is not defined beyond. No stage of a step may
/// lie there, so that steps end before the border, and the last of them by less than times can tell.
#[test]
fn what_is_not_defined_beyond_a_border_is_followed_up_to_it() {
    let text = r#"(format: 1, name: "relief", reals: {"x": 1}, ranges: ["open: x > 0"],
        relations: ["x = integral(-1 - sqrt(x)) when open", "x = integral(-1) otherwise"])"#;
    let closes = 2.0 - 2.0 * 2.0_f64.ln();
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
        let history = run(text, 1.0, method);
        near(history.at(1.0, "x"), closes - 1.0, 1e-6);
    }
}

/// The last of a chain of integrals behind a step moves with the first one, however long the chain is: its derivatives below
/// that order are 0 there.
#[test]
fn the_end_of_a_chain_moves_with_its_beginning() {
    const METHODS: [Method; 6] = [
        Method::Auto,
        Method::Tsit5,
        Method::Dop853,
        Method::Taylor,
        Method::Rodas5p,
        Method::Radau,
    ];
    let rates: [fn(&str, &str) -> String; 5] = [
        |before, own| format!("{before} + {before}^2 - {own}^2"),
        |before, _| before.to_owned(),
        |before, own| format!("{before} - {own}"),
        |before, own| format!("sin({before}) - {own}"),
        |before, own| format!("exp({before}) - exp({own})"),
    ];
    // Errors of the squares are larger than what the end of a long chain is at first.
    for (length, rates) in [
        (3, &rates[..]),
        (4, &rates[..]),
        (5, &rates[..]),
        (8, &rates[1..]),
        (12, &rates[1..]),
    ] {
        for rate in rates {
            let (mut reals, mut rows) = (String::new(), String::new());
            for place in 0..length {
                let before = match place {
                    0 => "u".to_owned(),
                    _ => format!("x{}", place - 1),
                };
                let own = format!("x{place}");
                reals += &format!(r#""{own}": 0, "#);
                rows += &format!(r#""{own} = integral({})", "#, rate(&before, &own));
            }
            let text = format!(
                r#"(format: 1, name: "chain", reals: {{{reals} "u": 0, "moved": 0, "times": 0}},
                    ranges: ["z: x{} > 0"],
                    relations: ["u = step(1)", {rows} "moved = integral(1) when z", "times = counter(z)"])"#,
                length - 1
            );
            for method in METHODS {
                let history = run(&text, 3.0, method);
                near(history.at(3.0, "moved"), 2.0, 1e-12);
                near(history.at(3.0, "times"), 1.0, 0.5);
            }
        }
    }
}

/// A body that is pressed against a stop leaves it in the third order once the force turns. The dense output of a method of low
/// order, or of a multistep method that starts again, does not tell that order.
#[test]
fn a_stop_is_left_in_the_third_order_by_methods_of_low_order() {
    let text = r#"(format: 1, name: "stop", reals: {"F": -1, "v": 0, "x": 0, "n": 0, "left": 0},
        ranges: ["at_stop: x <= 0", "pushed: F < 0"],
        situations: ["resting: at_stop & pushed", "event off: !at_stop", "event on: at_stop"],
        relations: ["F = time - 1", "v = integral(F)", "v = 0 when resting", "x = integral(v)",
            "n := n + 1 when off", "n := n + 1 when on", "left := time when off"])"#;
    for method in [
        Method::Auto,
        Method::Tsit5,
        Method::Rodas5p,
        Method::Bdf,
        Method::Mk21,
        Method::Rock,
    ] {
        let history = run(text, 3.0, method);
        near(history.at(3.0, "n"), 1.0, 0.5);
        near(history.at(3.0, "left"), 1.0, 1e-9);
    }
}

/// Where a power may have an infinite slope, the motion is followed a short way to see how it leaves a border: once for
/// all the elements that rest on theirs. For one after the other this would take minutes.
#[test]
fn a_large_family_that_rests_on_its_borders_holds_nothing_up() {
    let text = r#"(format: 1, name: "family", counters: {"j": "1 .. 1500"},
        reals: {"x[j]": 0, "z": 1, "n": 0}, ranges: ["up[j]: x[j] > 0"], situations: ["event beat: every(0.1)"],
        relations: ["x[j] = integral(sin(x[j]) - x[j]^2)", "z = integral(-z^3)", "n := n + 1 when beat"])"#;
    let history = run(text, 5.0, Method::Auto);
    near(history.last("z"), 11.0_f64.sqrt().recip(), 1e-7);
    near(history.last("n"), 50.0, 1e-9);
    near(history.last("x[700]"), 0.0, 1e-12);
}
