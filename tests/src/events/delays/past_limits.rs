//! Breaking points that accumulate as the events did that made them, and schedules that end before their limit.

use situ_engine::Method;
use situ_engine::sim::RunFault;

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

const METHODS: [Method; 6] = [
    Method::Auto,
    Method::Tsit5,
    Method::Rodas5p,
    Method::Radau,
    Method::Bdf,
    Method::Taylor,
];

fn exact(text: &str, stop: f64, method: Method) -> Exact {
    Exact::new(Table::from_text(text), stop, Accuracy::Default).method(method)
}

fn run(text: &str, stop: f64, method: Method) -> History {
    exact(text, stop, method).run()
}

/// The bounces of a ball come out of a delay, with their limit: heights, and speeds that jump.
#[test]
fn bounces_pass_through_a_delay() {
    let text = r#"(format: 1, name: "late", reals: {"h": 1, "v": 0, "d": 1, "q": 0, "dv": 0, "way": 0, "up": 0},
        ranges: ["rises: dv > 0"], situations: ["event hit: h <= 0"],
        relations: ["v := -0.5 * v when hit", "v = integral(-9.81)", "h = integral(v)", "d = delay(h, 0.3)",
                    "q = integral(d)", "dv = delay(v, 0.3)", "way = integral(abs(dv))", "up = integral(1) when rises"])"#;
    let fall = (2.0_f64 / 9.81).sqrt();
    let sum = |ratio: f64| ratio / (1.0 - ratio);
    // Flights last 2 e^n falls and reach e^2n: two thirds of the height on average.
    let q = 0.3 + fall * (2.0 + 4.0 * sum(0.125)) / 3.0;
    let way = 1.0 + 2.0 * sum(0.25);
    let up = fall * sum(0.5);
    for method in METHODS {
        let run = run(text, 4.0, method);
        for (name, known) in [("q", q), ("way", way), ("up", up)] {
            let found = run.last(name);
            // The last bounces are below the errors of this method.
            let most = if method == Method::Bdf { 2e-4 } else { 2e-5 };
            assert!(
                (found - known).abs() < most,
                "{method:?} {name}: {found} {known}"
            );
        }
    }
}

/// A delay of which the length is a part of the time, behind the same limit.
#[test]
fn bounces_pass_through_a_delay_that_varies() {
    let text = r#"(format: 1, name: "late", reals: {"h": 1, "v": 0, "d": 1, "q": 0}, situations: ["event hit: h <= 0"],
        relations: ["v := -0.5 * v when hit", "v = integral(-9.81)", "h = integral(v)", "d = delay(h, time / 2)",
                    "q = integral(d)"])"#;
    let fall = (2.0_f64 / 9.81).sqrt();
    let q = 2.0 * fall * (2.0 + 4.0 / 7.0) / 3.0;
    for method in METHODS {
        let found = run(text, 4.0, method).last("q");
        assert!((found - q).abs() < 1e-4, "{method:?}: {found} {q}");
    }
}

/// Crossings that rounding brings about near the start come out of the delay close together.
#[test]
fn breaking_points_close_together_are_no_limit() {
    let text = r#"(format: 1, name: "near", reals: {"h": 100, "v": 0, "m": 0, "d": 100, "q": 0},
        relations: ["v = integral(-9.81)", "h = integral(v)", "m = smoothing(h, 0.2)", "d = delay(h, 0.3)",
                    "q = integral(abs(d - h))"])"#;
    let known = 9.81 * (0.027 / 6.0 + 0.15 * (16.0 - 0.09) - 0.045 * 3.7);
    for method in METHODS {
        let found = run(text, 4.0, method).last("q");
        assert!((found - known).abs() < 1e-4, "{method:?}: {found} {known}");
    }
}

fn halving(beats: u32) -> String {
    format!(
        r#"(format: 1, name: "halving", reals: {{"T": 1, "dt": 0.5, "k": 0, "x": 0}},
        situations: ["event due: time >= T & k < {beats}"],
        relations: ["T := T + dt when due", "dt := dt / 2 when due", "k := k + 1 when due", "x = integral(k)"])"#
    )
}

/// Times between beats that halve 25 times and then no more: the state after them is known.
#[test]
fn a_schedule_may_end_before_its_limit() {
    for method in METHODS {
        for beats in [25_u32, 38] {
            let history = run(&halving(beats), 4.0, method);
            let k = f64::from(beats);
            let ends = 2.0 - 2.0_f64.powf(1.0 - k);
            // The n-th beat is at 2 - 2^(1-n).
            let known = k * (4.0 - ends)
                + (1..beats)
                    .map(|n| f64::from(n) * 2.0_f64.powf(-f64::from(n)))
                    .sum::<f64>();
            assert_eq!(history.last("k"), k, "{method:?}");
            let found = history.last("x");
            assert!((found - known).abs() < 1e-4, "{method:?}: {found} {known}");
        }
    }
}

/// Without an end the limit is told when the times between beats are as short as rounding errors of the time.
#[test]
fn a_schedule_without_an_end_is_told_at_its_limit() {
    let (history, fault) = exact(&halving(100_000), 4.0, Method::Auto).outcome();
    let Some(RunFault::Zeno { limit, .. }) = fault else {
        panic!("{fault:?}");
    };
    assert!((limit - 2.0).abs() < 1e-12, "{limit}");
    let last = history.trace.time.last().unwrap();
    assert!((last - 2.0).abs() < 1e-12, "{last}");
    assert!(history.last("k") > 40.0);
}
