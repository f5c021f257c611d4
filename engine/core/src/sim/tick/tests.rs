//! Tick runs: the hoop against its reference, faults, snapshots, events, measures.

use super::*;
use crate::model::{Clock, CompareOp, Expr, ModelBuilder, Term};
use crate::sim::RunFault;
use crate::trace::TraceRecorder;

fn config(step: f64, stop: f64) -> TickConfig {
    let clock = Clock {
        step: Some(step),
        stop: Some(stop),
        ..Clock::default()
    };
    TickConfig::from_clock(&clock).unwrap()
}

/// The paper's hoop (Fig. 1) with the reaction reset out of contact, if `reset`.
fn hoop(reset: bool) -> (Model, RealId, RealId) {
    let mut table = ModelBuilder::new("hoop");
    let radius = table.constant("R", 30.0);
    let m = table.constant("m", 1.0);
    let g = table.constant("g", 981.0);
    let [p, fel, fres, ay] = ["P", "Fel", "Fres", "Ay"].map(|name| table.real(name, 0.0));
    let vy = table.real("Vy", 0.0);
    let h = table.real("h", 400.0);
    let def = table.real("def", Term::from(radius) - h);
    let less = CompareOp::Less;
    let contact = table.range("contact", [(h.into(), less, radius.into())]);
    let down = table.range("V_neg", [(vy.into(), less, 0.0.into())]);
    let up = table.range("V_pos", [(vy.into(), CompareOp::Greater, 0.0.into())]);
    let braking = table.situation("braking", [contact.into(), down.into()]);
    let accelerating = table.situation("accelerating", [contact.into(), up.into()]);
    let free_fall = table.situation("free_fall", [!contact]);
    table.relation(p, "product", [m, g]).coef(-1.0);
    let spring = "proportional";
    table
        .relation(fel, spring, [def])
        .coef(8000.0)
        .when([braking.into()]);
    table
        .relation(fel, spring, [def])
        .coef(4900.0)
        .when([accelerating.into()]);
    if reset {
        table
            .relation(fel, spring, [def])
            .coef(0.0)
            .when([free_fall.into()]);
    }
    table.relation(fres, "sum", [fel, p]);
    table.relation(ay, "quotient", [Term::from(fres), m.into()]);
    table.relation(vy, "integral", [ay]);
    table.relation(h, "integral", [vy]);
    table
        .relation(def, "sum", [Term::from(radius), h.into()])
        .coef2(-1.0);
    (table.build().unwrap(), h, vy)
}

#[test]
fn the_hoop_follows_the_reference() {
    let (model, h, vy) = hoop(true);
    let mut run = TickRun::new(model, config(0.001, 3.0)).unwrap();
    for (tick, height, speed) in [
        (500, 277.1297500000005, -490.4999999999977),
        (880, 21.565056510474175, -450.7142079608805),
        (3000, 148.50725779072081, -174.63617715891527),
    ] {
        run.advance(tick - run.tick()).unwrap();
        assert!((run.real(h) - height).abs() < 1e-8 * height.abs(), "{tick}");
        assert!((run.real(vy) - speed).abs() < 1e-8 * speed.abs(), "{tick}");
    }
    let (model, h, _) = hoop(false);
    let mut run = TickRun::new(model, config(0.001, 2.0)).unwrap();
    run.advance(2000).unwrap();
    assert!((run.real(h) - 2027.411320266521).abs() < 1e-5);
}

#[test]
fn a_value_that_is_not_finite_stops_the_run_and_names_the_row() {
    let mut table = ModelBuilder::new("root");
    let x = table.real("x", 1.0);
    let y = table.real("y", 1.0);
    let a = table.constant("a", -1.0);
    table.relation(x, "integral", [a]);
    table.relation(y, "sqrt", [x]).coef(2.0);
    let model = table.build().unwrap();
    let mut recorder = TraceRecorder::new(&model);
    let mut run = TickRun::new(model.clone(), config(0.3, 3000.0)).unwrap();
    let fault = run.run(&mut recorder).unwrap_err();
    let RunFault::NotFinite {
        tick,
        relation,
        real,
        value,
        reals,
        ..
    } = &fault
    else {
        panic!("{fault}");
    };
    assert_eq!((*tick, relation.0, *real), (Some(4), 1, y));
    assert!(value.is_nan());
    assert_eq!(reals.len(), 1);
    assert!((reals[0].1 + 0.2).abs() < 1e-12, "{reals:?}");
    assert_eq!((run.tick(), recorder.trace.time.len()), (3, 4));
}

#[test]
fn a_restored_state_goes_on_with_the_same_bits() {
    let (model, ..) = hoop(true);
    let mut run = TickRun::new(model, config(0.001, 3.0)).unwrap();
    run.advance(1000).unwrap();
    let saved = run.state().clone();
    run.advance(1700).unwrap();
    let direct = run.state().clone();
    run.restore(&saved);
    for _ in 0..1700 {
        run.advance(1).unwrap();
    }
    assert_eq!(*run.state(), direct);
}

#[test]
fn an_event_fires_when_it_arises_and_a_schedule_on_time() {
    let mut table = ModelBuilder::new("clock");
    let n = table.real("n", 0.0);
    let beats = table.real("beats", 0.0);
    let c = table.real("c", 1.0);
    table.relation(c, "cos", [Term::Time]);
    let high = table.range("high", [(c.into(), CompareOp::GreaterEqual, 0.5.into())]);
    let up = table.event("up", [high.into()]);
    let tenth = table.every(0.1);
    let beat = table.event("beat", [tenth.into()]);
    let one = Term::Number(1.0);
    table
        .relation(n, "sum", [Term::from(n), one.clone()])
        .when([up.into()]);
    table
        .relation(beats, "sum", [Term::from(beats), one])
        .when([beat.into()]);
    let mut run = TickRun::new(table.build().unwrap(), config(0.001, 20.0)).unwrap();
    run.advance(20_000).unwrap();
    assert_eq!(run.real(n), 3.0, "the start does not fire");
    assert_eq!(run.real(beats), 199.0, "0.1, 0.2, ... 19.9");
}

#[test]
fn a_measure_of_a_bare_real_is_taken() {
    let mut table = ModelBuilder::new("growth");
    let x = table.real("x", 0.0);
    table.relation(x, "integral", [Term::Number(2.0)]);
    let mut model = table.build().unwrap();
    let value = model.exprs.push(Expr::Real(x));
    let measures = [Measure::At(value, 0.25), Measure::Final(value)];
    let mut run = TickRun::with_measures(model, config(0.5, 1.0), &measures).unwrap();
    assert_eq!(run.measured(), [None, Some(0.0)]);
    run.advance(2).unwrap();
    assert_eq!(run.measured(), [Some(0.5), Some(2.0)]);
}
