//! Flows that are a root of a distance: their slope is infinite where it is 0, and beyond they are not defined.

use situ_engine::Method;
use situ_engine::sim::EventRun;

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// `y' = 1 - sqrt(y - from)` from `y = from` on: with `s = sqrt(y - from)` the time is `-2 s - 2 ln(1 - s)`.
fn filling(from: f64) -> Table {
    Table::from_text(&format!(
        r#"(format: 1, name: "filling", clock: (stepping: events),
            reals: {{"y": {from}}}, relations: ["y = integral(1 - sqrt(y - {from}))"])"#
    ))
}

#[test]
fn a_flow_may_begin_with_an_infinite_slope() {
    let stop = -1.0 - 2.0 * 0.5_f64.ln();
    // The last of these steps do not lead away from the start, as far as rounding shows.
    for (from, h0) in [
        (0.0, None),
        (0.0, Some(1e-15)),
        (1e3, None),
        (1e3, Some(1e-15)),
    ] {
        for method in [Method::Auto, Method::Tsit5, Method::Dop853, Method::Rodas5p] {
            let case = format!("{method:?} {from} {h0:?}");
            let mut exact = Exact::new(filling(from), stop, Accuracy::Default);
            exact.config.settings.method = method;
            exact.config.settings.rtol = 1e-9;
            exact.config.settings.h0 = h0;
            exact.config.atol = 1e-12;
            let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
            run.run(&mut ())
                .unwrap_or_else(|fault| panic!("{case}: {fault:?}"));
            let error = run.row().reals[0] - from - 0.25;
            let allowed = 1e-6 + 1e-7 * from;
            assert!(error.abs() < allowed, "{case}: {error:e}");
            let steps = run.stats().method.steps;
            assert!(steps < 500, "{case}: {steps}");
        }
    }
}

#[test]
fn a_relief_valve_closes_where_its_flow_ends() {
    // What flows in falls to 0 at 1 and turns. Up to there `p - pset = (1 - t)^2`: the distance to the border ends
    // with a double zero, in which the slope of the flow is infinite; then `p - pset = -3 (t - 1)^2`. The
    // larger `pset`, the earlier rounding hides how near the border is.
    for pset in [0.0, 10.0, 1000.0] {
        let start = pset + 1.0;
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "valve", clock: (stepping: events),
                reals: {{"p": {start}, "q": 0, "flow": 0}}, ranges: ["open: p > {pset}"],
                relations: ["q = 0.75 * (1 - time)", "flow = sqrt(p - {pset}) when open",
                            "flow = 0 otherwise", "p = integral(8 * (q - flow))"])"#
        ));
        for method in [
            Method::Auto,
            Method::Tsit5,
            Method::Dop853,
            Method::Rodas5p,
            Method::Taylor,
        ] {
            let case = format!("{method:?} {pset}");
            let mut exact = Exact::new(table.clone(), 2.0, Accuracy::Default);
            exact.config.settings.method = method;
            exact.config.settings.rtol = 1e-9;
            exact.config.atol = 1e-12;
            let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
            run.run(&mut ())
                .unwrap_or_else(|fault| panic!("{case}: {fault:?}"));
            let error = run.row().reals[0] - pset + 3.0;
            assert!(error.abs() < 1e-3, "{case}: {error:e}");
            let stats = run.stats();
            assert!(stats.instants < 10, "{case}: {}", stats.instants);
            // Explicit methods are stiff there.
            assert!(stats.method.steps < 100_000, "{case}: {:?}", stats.method);
        }
    }
}

/// The distance is no sum of states and of the time: where its sign turns, rounding leaves it on the old side.
#[test]
fn a_flow_turns_with_a_distance_that_is_no_sum() {
    let (root, border) = (8.5_f64.sqrt(), 0.5_f64.sqrt());
    let before = std::f64::consts::PI / 8.0;
    let behind = 1.5 * root - 0.25 * (3.0 + root).ln() + 0.25 * border.ln();
    for distance in [
        "time^2 - 0.5",
        "x * x - 0.5",
        "x * time - 0.5",
        "exp(2 * ln(x + 1e-9)) - 0.5",
    ] {
        for (flow, expected) in [
            ("sqrt(abs(d))", before + behind),
            ("sign(d) * sqrt(abs(d))", behind - before),
        ] {
            for rows in [
                format!(r#""I = integral({flow})""#),
                format!(r#""q = {flow}", "I = integral(q)""#),
            ] {
                let table = Table::from_text(&format!(
                    r#"(format: 1, name: "turning flow", clock: (stepping: events),
                        reals: {{"I": 0, "d": 0, "q": 0, "x": 0}},
                        relations: ["x = integral(1)", "d = {distance}", {rows}])"#
                ));
                for method in [
                    Method::Auto,
                    Method::Tsit5,
                    Method::Dop853,
                    Method::Taylor,
                    Method::Radau,
                    Method::Rodas5p,
                    Method::Bdf,
                    Method::Mk21,
                ] {
                    let case = format!("{method:?} {distance} {rows}");
                    let mut exact = Exact::new(table.clone(), 3.0, Accuracy::Default);
                    exact.config.settings.method = method;
                    exact.config.settings.rtol = 1e-8;
                    let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
                    run.run(&mut ())
                        .unwrap_or_else(|fault| panic!("{case}: {fault:?}"));
                    let error = run.row().reals[0] - expected;
                    assert!(error.abs() < 1e-5, "{case}: {error:e}");
                }
            }
        }
    }
}

/// A basin behind an orifice follows the tide: the flow turns where the levels meet, wherever rounding puts the turn, and the
/// series of it there holds for no time at all. Reference: DOP853 of SciPy in steps of 0.01.
#[test]
fn a_basin_follows_the_tide() {
    let table = Table::from_text(
        r#"(format: 1, name: "tide", clock: (stepping: events), reals: {"sea": 0, "h": 0.2, "q": 0},
            relations: ["sea = sin(0.5 * time)", "q = 0.4 * sign(sea - h) * sqrt(abs(sea - h))", "h = integral(q)"])"#,
    );
    let methods = [
        Method::Auto,
        Method::Tsit5,
        Method::Dop853,
        Method::Taylor,
        Method::Radau,
        Method::Rodas5p,
        Method::Bdf,
        Method::Mk21,
    ];
    for method in methods {
        let mut exact = Exact::new(table.clone(), 50.0, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.settings.rtol = 1e-8;
        let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
        run.run(&mut ())
            .unwrap_or_else(|fault| panic!("{method:?}: {fault:?}"));
        let level = run.model().real("h").unwrap();
        let error = run.row().real(level) + 0.523_378_36;
        assert!(error.abs() < 5e-6, "{method:?}: {error:e}");
    }
}
