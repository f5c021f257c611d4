//! What delays cost: steps that read themselves, and breaking points of many delays.

use situ_engine::Method;

use crate::events::delays::pasts::tight;
use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

/// A step that is tried again with what it gave is the step that it was: the order and the length of the next ones grow.
#[test]
fn steps_that_read_themselves_grow() {
    let text = r#"(format: 1, name: "pantograph", reals: {"late": 1, "x": 1},
        relations: ["late = delay(x, time / 2)", "x = integral(-late)"])"#;
    let exact = |t: f64| {
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..60_i32 {
            term *= -t / (f64::from(k) * 2.0_f64.powi(k - 1));
            sum += term;
        }
        sum
    };
    for (method, most) in [
        (Method::Bdf, 400),
        (Method::Radau, 100),
        (Method::Tsit5, 100),
    ] {
        let run = Exact::new(Table::from_text(text), 10.0, Accuracy::Default)
            .method(method)
            .run();
        let error = run.last("x") - exact(10.0);
        assert!(error.abs() < 1e-4, "{method:?}: {error:e}");
        let steps = run.stats.method.steps;
        assert!(steps < most, "{method:?}: {steps} steps");
    }
    let run = tight(text, Method::Bdf, 1.0, 4.0);
    let steps = run.stats.method.steps;
    assert!(steps < 4000, "{steps} steps");
}

/// Thermostats that hear of their rooms late, each by itself.
fn rooms(first: u32, last: u32, method: Method, rtol: f64) -> History {
    let text = format!(
        r#"(format: 1, name: "rooms", counters: {{"j": "{first} .. {last}"}},
        reals: {{"T[j]": "19 + 0.05 * j", "d[j]": "T[j]"}}, switches: {{"on[j]": true}},
        ranges: ["cold[j]: d[j] <= 18", "hot[j]: d[j] >= 22"],
        assignments: ["when cold[j]: on[j]", "when hot[j]: !on[j]"],
        relations: ["d[j] = delay(T[j], 0.1 + 0.01 * j)", "T[j] = integral(3 - 0.1 * T[j]) when on[j]",
                    "T[j] = integral(-0.1 * T[j]) when !on[j]"])"#
    );
    let mut exact = Exact::new(Table::from_text(&text), 30.0, Accuracy::Default).method(method);
    exact.config.settings.rtol = rtol;
    exact.run()
}

/// What one room does is a breaking point of its own delay only, and each goes as if it was alone.
#[test]
fn breaking_points_are_those_of_what_moves() {
    for (method, rtol, most) in [
        (Method::Tsit5, 1e-6, 1e-6),
        (Method::Rodas5p, 1e-6, 1e-6),
        (Method::Bdf, 1e-8, 2e-3),
    ] {
        let all = rooms(1, 20, method, rtol);
        let mut alone = 0;
        for room in 1..=20 {
            let one = rooms(room, room, method, rtol);
            alone += one.stats.instants;
            let name = format!("T[{room}]");
            let (found, known) = (all.last(&name), one.last(&name));
            assert!(
                (found - known).abs() < most,
                "{method:?} {name}: {found} {known}"
            );
        }
        let instants = all.stats.instants;
        assert!(instants <= alone, "{method:?}: {instants} of {alone}");
    }
}
