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

/// Delays of constant length that are far shorter than the steps would be do not bound them for long.
#[test]
fn steps_outrun_delays_of_next_to_no_length() {
    let decay = r#""late = delay(x, TAU)", "x = integral(-late)""#;
    let sine = r#""late = delay(sin(time), TAU)", "x = integral(late)""#;
    let rise = r#""late = delay(step(1), TAU)", "x = integral(late)""#;
    let known = [(-2.0_f64).exp(), 2.0 - 2.0_f64.cos(), 2.0];
    let explicit = [Method::Tsit5, Method::Dop853];
    let implicit = [Method::Radau, Method::Rodas5p, Method::Bdf];
    let all = explicit.into_iter().chain(implicit);
    let first = all.map(|method| ("1e-9", method));
    for (tau, method) in first.chain([("1e-6", Method::Auto)]) {
        for (relations, known) in [decay, sine, rise].into_iter().zip(known) {
            let relations = relations.replace("TAU", tau);
            let text = format!(
                r#"(format: 1, name: "outrun", reals: {{"late": 0, "x": 1}}, relations: [{relations}])"#
            );
            let run = Exact::new(Table::from_text(&text), 2.0, Accuracy::Default)
                .method(method)
                .run();
            let error = run.last("x") - known;
            let what = format!("{method:?} {relations}");
            assert!(error.abs() < 2e-5, "{what}: {error:e}");
            let steps = run.stats.method.steps;
            assert!(steps < 3000, "{what}: {steps} steps");
        }
    }
}

/// Breaking points of a delay that steps outrun are hit: each switch of a sawtooth comes out of it a delay later.
#[test]
fn breaking_points_of_delays_that_are_outrun_are_hit() {
    let text = r#"(format: 1, name: "sawtooth", reals: {"x": 0, "late": 0, "area": 0},
        relations: ["x = integral(1)", "x := 0 when every(1)", "late = delay(x, 1e-4)", "area = integral(late ^ 2)"])"#;
    let run = Exact::new(Table::from_text(text), 20.0, Accuracy::Default).run();
    let steps = run.stats.method.steps;
    assert!(steps < 4000, "{steps} steps");
    // The last tooth lacks its last ten-thousandth, whose square is almost 1.
    let known = 19.0 / 3.0 + (1.0 - 1e-4_f64).powi(3) / 3.0;
    let error = run.last("area") - known;
    assert!(error.abs() < 1e-9, "{error:e}");
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
