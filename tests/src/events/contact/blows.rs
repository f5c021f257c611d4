//! What happens to a body while it lies: it is lifted, thrown, its floor moves; and rest on constraints.

use situ_engine::Method;
use situ_engine::sim::{EventConfig, EventRun};

use crate::events::silent::{clock, last};
use crate::tables::Table;

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Tsit5,
    Method::Rodas5p,
    Method::Bdf,
    Method::Radau,
];

fn ends(text: &str, method: Method) -> Vec<f64> {
    let table = Table::from_text(text);
    let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
    config.settings.method = method;
    let mut run = EventRun::new(table.model, config).unwrap();
    run.run(&mut ()).unwrap();
    run.row().reals.to_vec()
}

fn ball(lift: &str, stop: f64) -> String {
    format!(
        r#"(format: 1, name: "lifted", clock: (stepping: events, stop: {stop}),
            reals: {{"gap": 0, "h": 1, "v": 0, "f": 0}},
            ranges: ["low: gap <= 0"], situations: ["event hit: low", "event lift: every(3)"],
            relations: ["v = integral(-10)", "h = integral(v)", "gap = h - f", "v := -0.5 * v when hit",
                "{lift} when lift"])"#
    )
}

/// A body that is put somewhere else, or loses its floor, while it lies, falls from there.
#[test]
fn a_lifted_body_falls_again() {
    for method in METHODS {
        // 0.2 s later it has come down by 0.2.
        let cases = [
            ("h := 0.5", 0.3, -2.0),
            ("f := -1", -0.2, -2.0),
            ("h, v := 0.5, 1", 0.5, -1.0),
        ];
        for (lift, height, speed) in cases {
            let ends = ends(&ball(lift, 3.2), method);
            let error = (ends[1] - height).abs().max((ends[2] - speed).abs());
            assert!(error < 1e-5, "{lift} {method:?}: {ends:?}");
        }
        for lift in ["h := 0.5", "h := h + 1e-9", "h, v := 0.5, 1", "v := 1"] {
            let ends = ends(&ball(lift, 5.9), method);
            let error = ends[1].abs().max(ends[2].abs());
            assert!(error < 1e-6, "{lift} {method:?}: {ends:?}");
        }
    }
}

/// How strong a throw is, is told by the nominal sizes of what it throws.
#[test]
fn a_throw_is_as_strong_as_the_body_is_small() {
    let table = |stop: f64| {
        format!(
            r#"(format: 1, name: "small", clock: (stepping: events, stop: {stop}),
            reals: {{"h": (start: 1e-6, nominal: 1e-6), "v": (start: 0, nominal: 1e-6)}},
            ranges: ["low: h <= 0"], situations: ["event hit: low", "event kick: every(3)"],
            relations: ["v = integral(-10e-6)", "h = integral(v)", "v := -0.5 * v when hit", "v := 2e-7 when kick"])"#
        )
    };
    for method in METHODS {
        let flies = ends(&table(3.02), method);
        assert!((flies[0] - 2e-9).abs() < 1e-12, "{method:?}: {flies:?}");
        let lies = ends(&table(4.5), method);
        assert!(lies[0].abs() < 1e-12, "{method:?}: {lies:?}");
    }
}

/// On constraints a body comes to rest in the direction in which they let it move.
#[test]
fn bodies_rest_on_constraints() {
    let bead = r#"(format: 1, name: "bead", clock: (stepping: events, stop: 6),
        reals: {"N": 0, "x": 1, "y": 0.5, "vx": 0, "vy": 0}, situations: ["event hit: x <= 0"],
        relations: ["vx, vy := -0.6 * vx, -0.6 * vy when hit", "solve N: y = 0.5 * x",
            "vx = integral(-0.5 * N)", "vy = integral(N - 9.81 + 20 * step(5))",
            "x = integral(vx)", "y = integral(vy)"])"#;
    let gear = r#"(format: 1, name: "gear", clock: (stepping: events, stop: 6),
        reals: {"F": 0, "v": 0, "w": 0, "x": 1}, situations: ["event hit: x <= 0"],
        relations: ["v, w := -0.6 * v, -0.6 * w when hit", "solve F: v = 2 * w", "v = integral(-9.81 + F)",
            "w = integral(-2 * F)", "x = integral(v)"])"#;
    let pendulum = r#"(format: 1, name: "pendulum", clock: (stepping: events, stop: 12),
        reals: {"lam": 0, "x": 0.8, "y": -0.6, "vx": 0, "vy": 0}, situations: ["event hit: x <= 0.2"],
        relations: ["vx, vy := -0.5 * vx, -0.5 * vy when hit", "solve lam: x^2 + y^2 = 1",
            "vx = integral(-lam * x)", "vy = integral(-lam * y - 9.81)",
            "x = integral(vx)", "y = integral(vy)"])"#;
    for method in METHODS {
        // From 5 on it is pulled off with 20 - 9.81 upwards: x'' is 2 / 5 of that.
        let x = 0.5 * 0.4 * (20.0 - 9.81);
        let off = ends(bead, method);
        assert!((off[1] - x).abs() < 1e-5, "{method:?}: {off:?}");
        let still = ends(gear, method);
        let error = still[1..]
            .iter()
            .fold(0.0, |all: f64, value| all.max(value.abs()));
        assert!(error < 1e-9, "{method:?}: {still:?}");
        let leans = ends(pendulum, method);
        let error = (leans[1] - 0.2).abs().max(leans[3].abs());
        assert!(error < 1e-8, "{method:?}: {leans:?}");
    }
}

/// A bead that lies and is pulled off by a force that jumps does not touch again.
#[test]
fn a_pull_that_begins_with_a_jump_is_no_blow() {
    let bead = r#"(format: 1, name: "bead", clock: (stepping: events, stop: 6),
        reals: {"n": 0, "N": 0, "x": 1, "y": 0.5, "vx": 0, "vy": 0},
        ranges: ["low: x <= 0", "late: time > 4"], situations: ["event hit: low", "event again: low & late"],
        relations: ["vx, vy := -0.6 * vx, -0.6 * vy when hit", "n := n + 1 when again", "solve N: y = 0.5 * x",
            "vx = integral(-0.5 * N)", "vy = integral(N - 9.81 + 20 * step(5))",
            "x = integral(vx)", "y = integral(vy)"])"#;
    for method in METHODS {
        assert_eq!(ends(bead, method)[0], 0.0, "{method:?}");
    }
}

/// A dumbbell that lies on the floor with one end and turns there, as a rod between masses and as a rigid body with an angle:
/// the reaction turns with it.
#[test]
fn a_dumbbell_turns_on_the_floor() {
    let rod = r#"(format: 1, name: "rod", clock: (stepping: events, stop: 2, rtol: 1e-9),
        constants: {"g": 9.81, "e": 0.2, "d": 0.3},
        reals: {"lam": 0, "x1": 0, "y1": 1, "x2": "d * cos(0.5)", "y2": "1 + d * sin(0.5)", "u1": 0, "v1": 0, "u2": 0,
            "v2": 0, "J": 0, "K": 0},
        ranges: ["low: y1 < 0", "down: v1 < 0"], situations: ["event hit: low & down"],
        relations: ["solve lam: (x1 - x2)^2 + (y1 - y2)^2 = d^2",
            "u1 = integral(-lam * (x1 - x2))", "v1 = integral(-lam * (y1 - y2) - g)",
            "u2 = integral(lam * (x1 - x2))", "v2 = integral(lam * (y1 - y2) - g)",
            "x1 = integral(u1)", "y1 = integral(v1)", "x2 = integral(u2)", "y2 = integral(v2)",
            "solve J, K: v1 + J - K * (y1 - y2) = -e * v1, (x1 - x2) * (u1 - u2 - 2 * K * (x1 - x2)) + (y1 - y2) * (v1 + J - v2 - 2 * K * (y1 - y2)) = 0 when hit",
            "u1, v1, u2, v2 := u1 - K * (x1 - x2), v1 + J - K * (y1 - y2), u2 + K * (x1 - x2), v2 + K * (y1 - y2) when hit"])"#;
    let rigid = r#"(format: 1, name: "rigid", clock: (stepping: events, stop: 2, rtol: 1e-9),
        constants: {"g": 9.81, "e": 0.2, "d": 0.3},
        reals: {"y": "1 + d / 2 * sin(0.5)", "th": 0.5, "v": 0, "w": 0, "h": 1, "p": 0, "J": 0},
        ranges: ["low: h < 0", "down: p < 0"], situations: ["event hit: low & down"],
        relations: ["v = integral(-g)", "w = integral(0)", "y = integral(v)", "th = integral(w)",
            "h = y - d / 2 * sin(th)", "p = v - d / 2 * cos(th) * w",
            "J := -(1 + e) * p / (1 / 2 + cos(th)^2 / 2) when hit", "v := v + J / 2 when hit",
            "w := w - J * cos(th) / d when hit"])"#;
    for method in METHODS {
        let rod = ends(rod, method);
        let rigid = ends(rigid, method);
        let upper = rigid[0] + 0.15 * rigid[1].sin();
        assert!(rod[2].abs() < 1e-8, "{method:?}: {rod:?}");
        let (found, exact) = (rod[4], -0.283_585_962_9);
        assert!(
            (found - exact).abs() < 3e-5 && (upper - exact).abs() < 3e-5,
            "{method:?}: {found} {upper}"
        );
    }
}

/// A ball at rest on a trapdoor falls once the rule of its bounces does not act any more, whatever says so.
#[test]
fn a_rest_lasts_as_long_as_its_rule() {
    let table = |event: &str, when: &str, more: &str| {
        format!(
            r#"(format: 1, name: "trap", clock: (stepping: events, stop: 10), reals: {{"v": 0, "h": 2}}, {more}
            ranges: ["below: h <= 0", "down: v < 0", "late: time > 8"], situations: ["event bounce: below & down{event}"],
            relations: ["v = integral(-9.81)", "v := -0.8 * v when bounce{when}", "h = integral(v)"])"#
        )
    };
    let latch = r#"switches: {"open": false}, assignments: ["when late: open"],"#;
    let fallen = -0.5 * 9.81 * 4.0;
    for (event, when, more) in [
        (" & !late", "", ""),
        ("", " & !late", ""),
        ("", " & !open", latch),
    ] {
        for method in METHODS {
            let [_, h] = ends(&table(event, when, more), method)[..] else {
                panic!("two reals");
            };
            assert!((h - fallen).abs() < 1e-5, "{event}{when} {method:?}: {h}");
        }
    }
}

/// Where another rule acts from then on it does: a floor that throws the ball up.
#[test]
fn a_rest_gives_way_to_another_rule() {
    let text = r#"(format: 1, name: "pad", clock: (stepping: events, stop: 10), reals: {"v": 0, "h": 2, "n": 0},
        ranges: ["below: h <= 0", "down: v < 0", "on: time > 8"], situations: ["event bounce: below & down"],
        relations: ["v = integral(-9.81)", "v := -0.8 * v when bounce & !on", "v := 3 when bounce & on",
            "n := n + 1 when bounce & on", "h = integral(v)"])"#;
    // Flights of 6 / g; the fourth is under way at 10.
    let flight = 2.0 - 3.0 * 6.0 / 9.81;
    let height = 3.0 * flight - 0.5 * 9.81 * flight * flight;
    for method in METHODS {
        let end = ends(text, method);
        assert_eq!(end[2], 4.0, "{method:?}");
        assert!((end[1] - height).abs() < 1e-5, "{method:?}: {end:?}");
    }
}

/// Where the speed of a body at rest is given from then on, nothing has to keep it there.
#[test]
fn a_rest_ends_where_its_speed_is_given() {
    let text = r#"(format: 1, name: "held", clock: (stepping: events, stop: 10), reals: {"v": 0, "h": 2},
        ranges: ["below: h <= 0", "down: v < 0", "off: time > 8"], situations: ["event bounce: below & down"],
        relations: ["v = integral(-9.81) when !off", "v = 0.5 when off", "v := -0.8 * v when bounce",
            "h = integral(v)"])"#;
    for method in METHODS {
        let end = ends(text, method);
        assert!((end[1] - 1.0).abs() < 1e-6, "{method:?}: {end:?}");
    }
}

/// A ball that rests on one that rests on the floor stays there with it, whatever else happens.
#[test]
fn a_stack_rests_on_the_floor() {
    let stack = |height: f64, more: &str| {
        format!(
            r#"(format: 1, name: "stack", clock: (stepping: events, stop: 4),
            reals: {{"h1": 1, "v1": 0, "h2": {height}, "v2": 0, "n": 0}},
            ranges: ["late: time >= 3"],
            situations: ["event hit: h1 <= 0", "event col: h2 - h1 <= 0", "event beat: every(100, 3)"],
            relations: ["v1 := -0.5 * v1 when hit", "v1, v2 := 0.25 * v1 + 0.75 * v2, 0.75 * v1 + 0.25 * v2 when col",
                "v1 = integral(-9.81)", "v2 = integral(-9.81)", "h1 = integral(v1)", "h2 = integral(v2)"{more}])"#
        )
    };
    for more in [
        "",
        r#", "n := n + 1 when beat""#,
        r#", "n = integral(1) when late""#,
    ] {
        for height in [1.7, 2.5] {
            for method in METHODS {
                let found = ends(&stack(height, more), method);
                let off = found[..4]
                    .iter()
                    .fold(0.0, |all: f64, value| all.max(value.abs()));
                assert!(off < 1e-9, "{height}{more} {method:?}: {found:?}");
            }
        }
    }
}

/// A floor that rises through a body whose reset does not know of its speed: once it has caught the body on its way up, the
/// reset at the top, where the speed is 0, is without effect, and the body falls.
#[test]
fn a_floor_rises_through_a_body() {
    const G: f64 = 9.81;
    const RISE: f64 = 0.05;
    let stop = 3.7;
    for e in [0.3_f64, 0.6, 0.8] {
        let (mut t, mut y, mut w) = (0.0, 1.0, 0.0);
        loop {
            let (over, away) = (y - RISE * t, w - RISE);
            let flight = (away + (away * away + 2.0 * G * over).sqrt()) / G;
            if w - G * flight >= 0.0 {
                break;
            }
            (t, y) = (t + flight, y + w * flight - 0.5 * G * flight * flight);
            w = -e * (w - G * flight);
            if w <= RISE {
                break;
            }
        }
        let falls = stop - t;
        let known = y + w * falls - 0.5 * G * falls * falls;
        let table = Table::from_text(&format!(
            r#"(format: 1, constants: {{"e": {e}}}, reals: {{"y": 1, "w": 0, "way": 0, "floor": 0}},
            ranges: ["low: y <= floor", "down: w < 0"], situations: ["event hit: low & down"],
            relations: ["floor = {RISE} * time", "w := -e * w when hit", "w = integral(-{G})", "y = integral(w)",
                "way = integral(abs(w))"])"#
        ));
        for method in [Method::Auto, Method::Dop853, Method::Radau, Method::Bdf] {
            let found = last(&table, &clock(stop, method, 1e-8), "y");
            let off = (found - known).abs();
            assert!(off < 1e-5, "{method:?} {e}: {found}, not {known}");
        }
    }
}
