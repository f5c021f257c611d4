//! Taylor series of motions that are not affine, against what is known in closed form.

use situ_engine::sim::EventRun;
use situ_engine::{Method, Stats};

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// A run by the series: what a real is in the end, and what was spent.
fn by_series(text: &str, real: &str, stop: f64, rtol: f64) -> (f64, Stats) {
    let table = Table::from_text(text);
    let id = table.real(real);
    let mut exact = Exact::new(table, stop, Accuracy::Tight);
    exact.config.settings.method = Method::Taylor;
    exact.config.settings.rtol = rtol;
    exact.config.atol = rtol;
    let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
    run.run(&mut ()).unwrap();
    (run.real(id), run.stats().method)
}

/// A table of one real whose rate is an expression.
fn flow(start: f64, rate: &str) -> String {
    format!(
        r#"(format: 1, name: "flow", clock: (stepping: events, stop: 1), reals: {{"x": {start:?}}},
            relations: ["x = integral({rate})"])"#
    )
}

#[test]
fn solutions_in_closed_form_are_met() {
    let e = std::f64::consts::E;
    for (start, rate, stop, exact) in [
        (
            0.1,
            "x * (1 - x)",
            10.0,
            1.0 / (1.0 + 9.0 * f64::exp(-10.0)),
        ),
        (0.0, "1 + x * x", 1.4, f64::tan(1.4)),
        (0.0, "1 + x ^ 2", 1.4, f64::tan(1.4)),
        (1.0, "-x ^ 1.5", 8.0, 1.0 / 25.0),
        (0.0, "exp(-x)", e - 1.0, 1.0),
        (0.0, "1 / (1 + time * time)", 3.0, f64::atan(3.0)),
        (1.0, "-x * sin(time)", 5.0, f64::exp(f64::cos(5.0) - 1.0)),
        (
            0.0,
            "atan(time)",
            2.0,
            2.0 * f64::atan(2.0) - 0.5 * f64::ln(5.0),
        ),
        (0.0, "ln(1 + time)", 3.0, 4.0 * f64::ln(4.0) - 3.0),
        (
            0.0,
            "asin(time / 2)",
            1.0,
            2.0 * (0.5 * f64::asin(0.5) + f64::sqrt(0.75) - 1.0),
        ),
        (
            2.0,
            "1 / sqrt(x)",
            6.0,
            f64::powf(9.0 + f64::powf(2.0, 1.5), 2.0 / 3.0),
        ),
        (
            0.0,
            "atan2(time, 2)",
            2.0,
            f64::atan(1.0) * 2.0 - f64::ln(2.0),
        ),
        (0.0, "sind(90 * time)", 1.0, 2.0 / std::f64::consts::PI),
        (0.0, "tan(time)", 1.0, -f64::ln(f64::cos(1.0))),
    ] {
        let (found, stats) = by_series(&flow(start, rate), "x", stop, 1e-12);
        let error = (found - exact).abs();
        assert!(error < 1e-10 * exact.abs().max(1.0), "{rate}: {error:e}");
        assert!(stats.steps < 80, "{rate}: {stats:?}");
    }
}

#[test]
fn a_series_whose_terms_vanish_at_the_start_is_not_taken_for_the_solution() {
    // The first twenty terms are 0.
    let (found, stats) = by_series(&flow(0.0, "time ^ 20"), "x", 2.0, 1e-10);
    let exact = f64::powf(2.0, 21.0) / 21.0;
    assert!((found / exact - 1.0).abs() < 1e-8, "{found}");
    assert!(stats.rejected_error > 0, "{stats:?}");
}

#[test]
fn where_there_is_no_series_the_other_method_steps() {
    let (found, _) = by_series(&flow(0.0, "sqrt(time)"), "x", 1.0, 1e-10);
    assert!((found - 2.0 / 3.0).abs() < 1e-8, "{found}");
}

#[test]
fn a_planet_comes_back() {
    let text = r#"(format: 1, name: "planet", clock: (stepping: events, stop: 1),
        reals: {"x": 0.4, "y": 0, "u": 0, "v": 2, "r": 1},
        relations: [
            "r = sqrt(x * x + y * y)",
            "x = integral(u)", "y = integral(v)",
            "u = integral(-x / r ^ 3)", "v = integral(-y / r ^ 3)",
        ])"#;
    let year = 2.0 * std::f64::consts::PI;
    let (x, series) = by_series(text, "x", 10.0 * year, 1e-12);
    let (y, _) = by_series(text, "y", 10.0 * year, 1e-12);
    assert!((x - 0.4).abs() < 1e-9 && y.abs() < 1e-8, "{x} {y}");
    assert!(series.rejected() * 20 < series.steps, "{series:?}");
}

#[test]
fn borders_are_met_on_the_series() {
    // A pendulum from 75 degrees passes its lowest point after a quarter of its period.
    let text = r#"(format: 1, name: "pendulum", clock: (stepping: events, stop: 10),
        constants: {"g": 9.81}, reals: {"angle": "75 * pi / 180", "rate": 0},
        ranges: ["passes: angle < 0"],
        relations: ["angle = integral(rate)", "rate = integral(-g * sin(angle))"],
        )"#;
    let table = Table::from_text(text);
    let mut exact = Exact::new(table, 3.0, Accuracy::Tight);
    exact.config.settings.method = Method::Taylor;
    let history = exact.run();
    let first = history.rises("passes")[0];
    // K(k) / sqrt(g) by the arithmetic-geometric mean.
    let k = f64::sin(75.0 * std::f64::consts::PI / 360.0);
    let (mut a, mut b) = (1.0_f64, f64::sqrt(1.0 - k * k));
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let quarter = std::f64::consts::PI / (2.0 * a) / 9.81_f64.sqrt();
    let time = history.times(&[first])[0];
    assert!((time - quarter).abs() < 1e-12, "{time} {quarter}");
}
