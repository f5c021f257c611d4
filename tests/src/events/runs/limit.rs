//! Event-accurate runs are the limit of tick runs: the smaller the tick, the nearer.

use situ_engine::model::IntegralRule;

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// Table, case, a time away from events, the reals compared, and a tick.
type Scenario = (
    &'static str,
    &'static str,
    f64,
    &'static [&'static str],
    f64,
);

const SCENARIOS: [Scenario; 10] = [
    ("thermostat/table.ron", "main", 16.0, &["T"], 8e-3),
    (
        "reactor/table.ron",
        "filled_start",
        9.0,
        &["A", "B", "C", "T"],
        8e-3,
    ),
    (
        "sticky_balls/table.ron",
        "travin_guard_ptolemy_data",
        14.0,
        &["x1", "x2", "v1", "v2", "s"],
        4e-3,
    ),
    (
        "sticky_balls/table.ron",
        "unequal_masses",
        12.0,
        &["x1", "x2", "v1", "v2", "s"],
        4e-3,
    ),
    (
        "breaking_pendulum/table.ron",
        "main",
        1.4,
        &["x", "y", "vx", "vy"],
        2e-3,
    ),
    ("saddle/table.ron", "main", 9.0, &["x1", "x2"], 2e-3),
    ("sliding_pair/table.ron", "main", 1.0, &["x", "y"], 2e-3),
    ("hoop/table.ron", "main", 2.0, &["h", "Vy"], 8e-4),
    (
        "hoop_rotation/table.ron",
        "mu_0.15",
        2.0,
        &["h", "Vx", "om"],
        4e-4,
    ),
    (
        "cart_stops/table.ron",
        "both_stops",
        1.0,
        &["ang", "XC"],
        2e-3,
    ),
];

#[test]
fn ticks_tend_to_the_event_accurate_run() {
    for (path, case, stop, reals, tick) in SCENARIOS {
        let mut table = Table::at(path).case(case);
        table.model.clock.every = None;
        let exact = Exact::new(table.clone(), stop, Accuracy::Tight).run();
        let error = |step: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some ten thousand"
            )]
            let ticks = (stop / step).round() as u64;
            let run = table
                .clone()
                .ticks(step, ticks, ticks, IntegralRule::Rectangle);
            let mut simulation = run.simulation();
            simulation.advance(ticks).unwrap();
            let off = reals.iter().map(|name| {
                let known = exact.last(name);
                (simulation.real(table.real(name)) - known).abs() / known.abs().max(1.0)
            });
            off.fold(0.0, f64::max)
        };
        // An event falls anywhere in its tick, so that errors do not shrink evenly.
        let [coarse, fine] = [tick, tick / 16.0].map(error);
        assert!(
            fine < coarse / 4.0 && coarse < 0.3,
            "{path} {case}: {coarse:e} with ticks of {tick}, {fine:e} with a sixteenth of it"
        );
    }
}
