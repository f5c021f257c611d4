//! Margins that only touch their border, or cross it by a hair: events where the computed path crosses, none
//! where it does not, and a remark where the tolerances cannot tell.

use std::ops::ControlFlow;

use situ_engine::Method;
use situ_engine::sim::EventRun;
use situ_engine::trace::{Instant, Place, Recorder, Row, What};

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// Times of crossings, and places of remarks.
#[derive(Default, Debug)]
struct Seen {
    crossings: Vec<f64>,
    remarks: Vec<[f64; 2]>,
    /// Crossings of the border that is reached right after the touch.
    after: Vec<f64>,
}

/// When that is: in the step of the touch.
const AFTER: f64 = 1.03;

impl Recorder for Seen {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        for event in &instant.events {
            match &event.what {
                What::Reached {
                    border: Place::Range(range),
                    ..
                } if range.index() == 1 => self.after.push(instant.time),
                What::Reached { .. } => self.crossings.push(instant.time),
                What::Marginal { between, .. } => self.remarks.push(*between),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

/// A path with its lowest point at 1, so high over the border.
fn run(height: f64, margin: &str, method: Method, rtol: f64) -> Seen {
    let text = format!(
        r#"(format: 1, name: "touch", clock: (stepping: events, stop: 2.3),
        reals: {{"y": {}, "v": -1, "n": 0, "x": 0}},
        ranges: ["low: {margin} <= 0", "past: x * x >= {AFTER} * {AFTER}"], situations: ["event hit: low"],
        relations: ["y = integral(v)", "v = integral(1)", "n := n + 1 when hit", "x = integral(1)"])"#,
        0.5 + height
    );
    let mut exact = Exact::new(Table::from_text(&text), 2.3, Accuracy::Tight);
    exact.config.settings.method = method;
    exact.config.settings.h0 = Some(0.09);
    exact.config.settings.rtol = rtol;
    exact.config.atol = 1e-3 * rtol;
    let mut seen = Seen::default();
    let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
    run.run(&mut seen).unwrap();
    let [after] = seen.after[..] else {
        panic!("{} {height} {margin}: {seen:?}", method.name());
    };
    assert!((after - AFTER).abs() < 1e-13, "{} {after}", method.name());
    seen
}

const METHODS: [Method; 6] = [
    Method::Rk4,
    Method::Tsit5,
    Method::Dop853,
    Method::Gauss,
    Method::Rodas5p,
    Method::Auto,
];

const MARGINS: [&str; 3] = ["y", "(1 + y) * (1 + y) - 1", "-sin(-y)"];

#[test]
fn a_path_that_crosses_makes_two_events_and_one_that_does_not_none() {
    for method in METHODS {
        for margin in MARGINS {
            for depth in [1e-12, 1e-9, 1e-6] {
                let what = format!("{} {margin} {depth}", method.name());
                let above = run(depth, margin, method, 1e-11);
                assert!(above.crossings.is_empty(), "{what}: {above:?}");
                assert!(above.remarks.is_empty(), "{what}: {above:?}");
                let below = run(-depth, margin, method, 1e-11);
                let [down, up] = below.crossings[..] else {
                    panic!("{what}: {below:?}");
                };
                // Where the path is 0, with what its own error of some roundings makes of that.
                let half = (2.0 * depth).sqrt();
                let allowed = 1e-14 / half + 1e-13;
                let off = (1.0 - half - down).abs().max((1.0 + half - up).abs());
                assert!(off < allowed.max(1e-2 * half), "{what}: {below:?}");
            }
        }
    }
}

/// Whatever rounding makes of a touch, something is said about it.
#[test]
fn a_touch_is_never_passed_over_in_silence() {
    let mut remarked = 0;
    for method in METHODS {
        for margin in MARGINS {
            for rtol in [1e-11, 1e-8, 1e-6] {
                for height in [0.0, 1e-16, -1e-16, 2e-15, -2e-15] {
                    let what = format!("{} {margin} {height} {rtol}", method.name());
                    let seen = run(height, margin, method, rtol);
                    let crosses = seen.crossings.len();
                    assert!(crosses.is_multiple_of(2), "{what}: {seen:?}");
                    assert!(crosses > 0 || seen.remarks.len() == 1, "{what}: {seen:?}");
                    let near = |time: f64| (time - 1.0).abs() < 1e-3;
                    assert!(seen.crossings.iter().all(|&time| near(time)), "{what}");
                    let places = seen.remarks.iter().flatten();
                    assert!(places.copied().all(near), "{what}: {seen:?}");
                    remarked += seen.remarks.len();
                }
            }
        }
    }
    assert!(remarked > 50, "{remarked}");
}
