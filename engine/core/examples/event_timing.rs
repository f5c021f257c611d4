//! Time per event of small models in event stepping: `cargo run --release --example event_timing`.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::time::Instant;

use situ_engine::model::{Clock, CompareOp, Model, ModelBuilder, Stepping, Term};
use situ_engine::sim::{EventConfig, Hybrid};
use situ_engine::solve::Method;

/// A ball that bounces for ever: two instants a round, of which one jumps.
fn ball() -> Model {
    let mut table = ModelBuilder::new("ball");
    let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let down = table.range("down", [(v.into(), CompareOp::Less, 0.0.into())]);
    let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [floor.into(), down.into()]);
    table.relation(v, "integral", [-9.81]);
    table.relation(h, "integral", [v]);
    table
        .relation(v, "proportional", [v])
        .coef(-1.0)
        .when([hit.into()])
        .once();
    table.build().expect("the table is complete")
}

/// A thermostat: two modes, one switch.
fn thermostat() -> Model {
    let mut table = ModelBuilder::new("thermostat");
    let t = table.real("T", 18.0);
    let heat = table.real("heat", 0.0);
    let heater = table.switch("heater", true);
    let cold = table.range("cold", [(t.into(), CompareOp::Less, 19.0.into())]);
    let warm = table.range("warm", [(t.into(), CompareOp::GreaterEqual, 21.0.into())]);
    table.assign([cold.into()], [(heater, true)]);
    table.assign([warm.into()], [(heater, false)]);
    table
        .relation(heat, "assignment", [2.0])
        .when([heater.into()]);
    table.relation(heat, "assignment", [0.0]).otherwise();
    let rate = Term::from(heat) - (Term::from(t) - 10.0) * 0.1;
    table.relation(t, "integral", [rate]);
    table.build().expect("the table is complete")
}

fn main() {
    for (name, model, stop) in [("ball", ball(), 5e4), ("thermostat", thermostat(), 1e5)] {
        let clock = Clock {
            stop: Some(stop),
            every: Some(stop),
            stepping: Some(Stepping::Events),
            method: Some(Method::Tsit5),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).expect("a stop and a method are enough");
        let mut run = Hybrid::new(model, config).expect("the model runs");
        let begun = Instant::now();
        run.run(&mut ()).expect("the model runs");
        let seconds = begun.elapsed().as_secs_f64();
        let stats = run.stats();
        println!(
            "{name}: {} instants, {} steps, {} rates: {:.2} us per instant",
            stats.instants,
            stats.method.steps,
            stats.method.rhs,
            1e6 * seconds / stats.instants as f64
        );
    }
}
