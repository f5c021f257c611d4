//! Bounces that accumulate: each body comes to rest on its own border, whatever bounces, or is only looked at, beside it.

use situ_engine::Method;

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Tsit5,
    Method::Rodas5p,
    Method::Radau,
    Method::Bdf,
];

/// Runs a table by a method, to a tolerance.
fn run(text: &str, stop: f64, method: Method, rtol: f64) -> History {
    let exact = Exact::new(Table::from_text(text), stop, Accuracy::Default);
    let mut exact = exact.method(method).every(0.01);
    exact.config.settings.rtol = rtol;
    exact.config.atol = rtol;
    exact.run()
}

/// The bounces warm the ball by 0.32 v^2 each: geometric, by 0.36. Resting, it stays as warm as it is.
#[test]
fn heat_of_bounces_ends_with_them() {
    let text = r#"(format: 1, name: "heat", reals: {"h": 1, "v": 0, "T": 20}, situations: ["event hit: h <= 0"],
        relations: ["T := T + 0.32 * v^2 when hit", "v := -0.6 * v when hit", "v = integral(-9.81)",
                    "h = integral(v)", "T = integral(0)"])"#;
    let known = 20.0 + 0.32 * 2.0 * 9.81 / (1.0 - 0.36);
    for method in METHODS {
        for rtol in [1e-4, 1e-6, 1e-9] {
            let found = run(text, 6.0, method, rtol).last("T");
            assert!(
                (found - known).abs() < 1e3 * rtol,
                "{method:?} {rtol}: {found} {known}"
            );
        }
    }
}

/// Each bounce leaves four fifths of the speed along the floor; after infinitely many nothing is left.
#[test]
fn a_speed_along_the_floor_is_lost_with_the_bounces() {
    let text = r#"(format: 1, name: "tang", reals: {"h": 1, "v": 0, "s": 0, "u": 1}, situations: ["event hit: h <= 0"],
        relations: ["v, u := -0.6 * v, 0.8 * u when hit", "v = integral(-9.81)", "h = integral(v)", "u = integral(0)",
                    "s = integral(u)"])"#;
    // The first flight from the height of 1, then 0.8 of the speed for 0.6 of the time up and down, and so on.
    let fall = (2.0_f64 / 9.81).sqrt();
    let known = fall + 2.0 * fall * (0.48 / (1.0 - 0.48));
    for method in METHODS {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let history = run(text, 6.0, method, rtol);
            let (u, s) = (history.last("u"), history.last("s"));
            assert!(u.abs() < 1e3 * rtol, "{method:?} {rtol}: {u}");
            assert!(
                (s - known).abs() < 5e3 * rtol,
                "{method:?} {rtol}: {s} {known}"
            );
        }
    }
}

/// A clock that each bounce resets begins to run where the last one is over.
#[test]
fn a_clock_that_bounces_reset_runs_from_the_last() {
    let text = r#"(format: 1, name: "since", reals: {"h": 1, "v": 0, "tm": 0}, situations: ["event hit: h <= 0"],
        relations: ["v, tm := -0.6 * v, 0 when hit", "v = integral(-9.81)", "h = integral(v)", "tm = integral(1)"])"#;
    let limit = (2.0_f64 / 9.81).sqrt() * (1.0 + 2.0 * 0.6 / 0.4);
    for method in METHODS {
        let found = run(text, 6.0, method, 1e-6).last("tm");
        assert!(
            (found - (6.0 - limit)).abs() < 2e-2,
            "{method:?}: {found} {}",
            6.0 - limit
        );
    }
}

/// Two balls that fall side by side: each rests on its own.
fn pair(more: &str, gravity: &str) -> String {
    format!(
        r#"(format: 1, name: "pair", reals: {{"a": 1, "va": 0, "b": 1, "vb": 0, "low": 0}},
        situations: ["event hita: a <= 0", "event hitb: b <= 0"],
        relations: ["va := -0.6 * va when hita", "vb := -0.6 * vb when hitb", {more}
         "va = integral(-9.81)", "a = integral(va)", "vb = integral({gravity})", "b = integral(vb)", "low = min(a, b)"])"#
    )
}

#[test]
fn bodies_that_bounce_together_rest_apart() {
    for method in METHODS {
        let heavier = run(&pair("", "-9.81 - 9.81 * step(3)"), 6.0, method, 1e-6);
        for name in ["a", "b"] {
            let low = heavier.column(name).into_iter().fold(0.0, f64::min);
            assert!(low > -1e-5, "{method:?} {name}: {low}");
        }
        let thrown = run(
            &pair(r#""vb := 1 when every(10, 3)","#, "-9.81"),
            6.0,
            method,
            1e-6,
        );
        assert!(thrown.last("a").abs() < 1e-5, "{method:?}");
        let top = thrown.column("b");
        let top = (top.iter().zip(&thrown.trace.time))
            .filter(|(_, time)| **time > 2.5)
            .fold(0.0, |most: f64, (b, _)| most.max(*b));
        assert!((top - 0.5 / 9.81).abs() < 1e-3, "{method:?}: {top}");
        assert!(
            thrown.last("b").abs() < 1e-5,
            "{method:?}: {}",
            thrown.last("b")
        );
    }
}

/// What only looks at the balls changes nothing.
#[test]
fn the_least_of_bodies_that_bounce_does_not_rest_for_them() {
    let text = |look: &str| {
        format!(
            r#"(format: 1, name: "obs", constants: {{"N": 5}}, counters: {{"i": "1 .. N"}},
            reals: {{"h[i]": "0.5 + 0.05 * i", "v[i]": 0, "lo": 0}}, situations: ["event hit[i]: h[i] <= 0"],
            relations: ["v[i] = integral(-9.81)", "h[i] = integral(v[i])",
                        "v[i] := -(0.3 + 0.02 * i) * v[i] when hit[i]" {look}])"#
        )
    };
    for method in METHODS {
        for look in ["", r#", "lo = min(h[i] for i)""#] {
            let history = run(&text(look), 3.0, method, 1e-6);
            for i in 1..=5 {
                let end = history.last(&format!("h[{i}]"));
                assert!(end.abs() < 1e-5, "{method:?} {look} {i}: {end}");
            }
        }
    }
}
