//! Slides along one border, along several, and through one that z jumps across.

use super::rest::Instants;
use super::*;
use crate::sim::RunFault;
use crate::trace::{Place, What};

#[test]
fn the_pair_of_the_public_case_slides() {
    // x' = -2 if x > y else 2; y' = 1.5 if x >= y else -3.
    let mut table = ModelBuilder::new("pair");
    let [x, y] = [("x", 1.5), ("y", 1.0)].map(|(name, start)| table.real(name, start));
    let above = table.range("above", [(x.into(), CompareOp::Greater, y.into())]);
    let not_below = table.range("not_below", [at_least(x, y)]);
    table.relation(x, "integral", [-2.0]).when([above.into()]);
    table.relation(x, "integral", [2.0]).when([!above]);
    table
        .relation(y, "integral", [1.5])
        .when([not_below.into()]);
    table.relation(y, "integral", [-3.0]).when([!not_below]);
    let mut run = EventRun::new(table.build().unwrap(), config(1.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let entered = instants.times(|what| matches!(what, What::SlideEntered { .. }));
    assert_eq!(entered.len(), 1);
    close(entered[0], 0.142_857_142_857_142_85);
    let share = instants.0.iter().flat_map(|instant| &instant.events);
    let share = share
        .filter_map(|event| match &event.what {
            What::SlideEntered { borders, unique } => Some((borders[0].1, *unique)),
            _ => None,
        })
        .next();
    let (share, unique) = share.unwrap();
    close(1.0 - share, 0.411_764_705_882_352_9);
    assert!(unique);
    close(run.real(x), 0.911_764_705_882_353);
    close(run.real(y), 0.911_764_705_882_353);
}

#[test]
fn a_slide_ends_where_one_field_turns() {
    // z = x: x' = 1 below, x' = t - 2 above: leaves upwards at t = 2.
    let mut table = ModelBuilder::new("leave");
    let x = table.real("x", -1.0);
    let below = table.range("below", [less(x, 0.0)]);
    table.relation(x, "integral", [1.0]).when([below.into()]);
    table
        .relation(x, "integral", [Term::Time - 2.0])
        .when([!below]);
    let mut run = EventRun::new(table.build().unwrap(), config(4.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let left = instants.times(|what| matches!(what, What::SlideLeft { .. }));
    assert_eq!(left.len(), 1);
    close(left[0], 2.0);
    close(run.real(x), 2.0);
}

#[test]
fn a_block_sticks_and_breaks_loose() {
    // v' = 2 sin(t) - sign(v): slips where |2 sin t| > 1, sticks when v comes back to 0.
    let mut table = ModelBuilder::new("stick");
    let v = table.real("v", 0.0);
    let x = table.real("x", 0.0);
    let friction = Term::Call("sign", vec![v.into()]);
    let force = Term::Call("sin", vec![Term::Time]) * 2.0;
    table.relation(v, "integral", [force - friction]);
    table.relation(x, "integral", [v]);
    let mut run = EventRun::new(table.build().unwrap(), config(3.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let left = instants.times(|what| matches!(what, What::SlideLeft { .. }));
    assert_eq!(left.len(), 1, "{:?}", instants.0);
    close(left[0], std::f64::consts::FRAC_PI_6);
    let (from, to) = (std::f64::consts::FRAC_PI_6, 3.0_f64);
    close(run.real(v), 2.0 * (from.cos() - to.cos()) - (to - from));
}

#[test]
fn two_independent_slides_at_once() {
    let mut table = ModelBuilder::new("two");
    let [x, y, s] =
        [("x", -1.0), ("y", 1.0), ("s", 0.0)].map(|(name, start)| table.real(name, start));
    let left = table.range("left", [less(x, 0.0)]);
    let low = table.range("low", [less(y, 0.0)]);
    table.relation(x, "integral", [1.0]).when([left.into()]);
    table.relation(x, "integral", [-2.0]).when([!left]);
    table.relation(y, "integral", [3.0]).when([low.into()]);
    table.relation(y, "integral", [-1.0]).when([!low]);
    table.relation(s, "integral", [1.0]).when([left.into()]);
    table
        .relation(s, "integral", [10.0])
        .when([low.into(), left.into()]);
    let mut run = EventRun::new(table.build().unwrap(), config(3.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(run.real(x), 0.0);
    close(run.real(y), 0.0);
    // To 1 alone on the left; then two thirds of the time left, a quarter of it low.
    close(
        run.real(s),
        1.0 + 2.0 * (2.0 / 3.0 + 10.0 * 2.0 / 3.0 * 0.25),
    );
}

#[test]
fn a_second_border_is_met_while_sliding_along_the_first() {
    let mut table = ModelBuilder::new("corner");
    let [x, y] = [("x", -0.5), ("y", -2.0)].map(|(name, start)| table.real(name, start));
    let left = table.range("left", [less(x, 0.0)]);
    let low = table.range("low", [less(y, 0.0)]);
    table.relation(x, "integral", [1.0]).when([left.into()]);
    table.relation(x, "integral", [-1.0]).when([!left]);
    table.relation(y, "integral", [1.0]).when([low.into()]);
    table.relation(y, "integral", [-2.0]).when([!low]);
    let mut run = EventRun::new(table.build().unwrap(), config(5.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let entered = instants.times(|what| matches!(what, What::SlideEntered { .. }));
    assert_eq!(entered.len(), 2);
    close(entered[0], 0.5);
    close(entered[1], 2.0);
    close(run.real(x), 0.0);
    close(run.real(y), 0.0);
}

#[test]
fn of_two_borders_the_one_that_is_left_is_named() {
    // What holds y on its border from above ends at 4; x stays on its own.
    let mut table = ModelBuilder::new("corner");
    let starts = [("x", -0.5), ("y", -2.0), ("r", 0.0)];
    let [x, y, r] = starts.map(|(name, start)| table.real(name, start));
    let left = table.range("left", [less(x, 0.0)]);
    let low = table.range("low", [less(y, 0.0)]);
    table.relation(x, "integral", [1.0]).when([left.into()]);
    table.relation(x, "integral", [-1.0]).when([!left]);
    table.relation(y, "integral", [1.0]).when([low.into()]);
    table.relation(y, "integral", [-4.0]).when([!low]);
    table.relation(y, "integral", [r]).when([!low]);
    table.relation(r, "integral", [1.0]);
    let mut run = EventRun::new(table.build().unwrap(), config(5.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let left_at = instants.times(|what| matches!(what, What::SlideLeft { .. }));
    assert_eq!(left_at.len(), 1);
    close(left_at[0], 4.0);
    let named = |what: &What| match what {
        What::SlideLeft { border, .. } => Some(*border),
        _ => None,
    };
    let all = instants.0.iter().flat_map(|instant| &instant.events);
    let named: Vec<Place> = all.filter_map(|event| named(&event.what)).collect();
    assert_eq!(named, [Place::Range(low)]);
    close(run.real(x), 0.0);
    close(run.real(y), 0.5);
}

#[test]
fn what_follows_from_others_is_solved_with_the_share() {
    // e is 1 or -1; q = e * e + x is no mixture of its values on both sides.
    let mut table = ModelBuilder::new("mixture");
    let [x, e, q] = [("x", 1.0), ("e", 0.0), ("q", 0.0)].map(|(n, start)| table.real(n, start));
    table.relation(e, "sign", [x]);
    table.relation(q, "assignment", [Term::from(e) * e]);
    table.relation(x, "integral", [Term::Number(0.5) - e]);
    let mut run = EventRun::new(table.build().unwrap(), config(4.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(run.real(x), 0.0);
    close(run.real(e), 0.5);
    close(run.real(q), 0.25);
}

#[test]
fn a_margin_that_jumps_across_its_border_is_held_at_zero() {
    // e = x - sign(e): no side agrees with itself for |x| < 1, and the share follows from e = 0.
    let mut table = ModelBuilder::new("relay");
    let [x, e, u] = [("x", -2.0), ("e", 0.0), ("u", 0.0)].map(|(n, start)| table.real(n, start));
    let high = table.range("high", [(e.into(), CompareOp::Greater, 0.0.into())]);
    table.relation(u, "assignment", [1.0]).when([high.into()]);
    table.relation(u, "assignment", [-1.0]).otherwise();
    table.relation(e, "sum", [x, u]).coef2(-1.0);
    table.relation(x, "integral", [1.0]);
    let model = table.build().unwrap();
    let mut run = EventRun::new(model.clone(), config(2.25)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    close(run.real(e), 0.0);
    close(run.real(u), 0.25);
    let mut run = EventRun::new(model, config(4.0)).unwrap();
    run.run(&mut instants).unwrap();
    close(run.real(e), 1.0);
    let left = instants.times(|what| matches!(what, What::SlideLeft { .. }));
    close(left[0], 3.0);
}

#[test]
fn a_border_that_drives_an_event_is_not_slid_along() {
    let mut table = ModelBuilder::new("chatter");
    let x = table.real("x", -1.0);
    let n = table.real("n", 0.0);
    let below = table.range("below", [less(x, 0.0)]);
    let up = table.event("up", [!below]);
    table.relation(x, "integral", [1.0]).when([below.into()]);
    table.relation(x, "integral", [-2.0]).when([!below]);
    table
        .relation(n, "sum", [Term::from(n), 1.0.into()])
        .when([up.into()])
        .once();
    let mut run = EventRun::new(table.build().unwrap(), config(4.0)).unwrap();
    let fault = run.run(&mut ()).unwrap_err();
    let RunFault::Chattering { time, ranges, .. } = fault else {
        panic!("{fault}");
    };
    close(time, 1.0);
    assert_eq!(ranges, [below]);
}

#[test]
fn events_that_undo_each_other_are_named() {
    let mut table = ModelBuilder::new("circle");
    let [x, k] = [("x", -1.0), ("k", 0.0)].map(|(name, start)| table.real(name, start));
    let reached = table.range("reached", [at_least(x, 0.0)]);
    let on = table.range("on", [at_least(k, 0.5)]);
    let set = table.event("set", [reached.into(), !on]);
    let reset = table.event("reset", [reached.into(), on.into()]);
    table.relation(x, "integral", [1.0]);
    table
        .relation(k, "assignment", [1.0])
        .when([set.into()])
        .once();
    table
        .relation(k, "assignment", [0.0])
        .when([reset.into()])
        .once();
    let mut run = EventRun::new(table.build().unwrap(), config(4.0)).unwrap();
    let fault = run.run(&mut ()).unwrap_err();
    let RunFault::RuleCycle {
        time,
        situations,
        relations,
        ..
    } = fault
    else {
        panic!("{fault}");
    };
    close(time, 1.0);
    assert_eq!(situations, [set, reset]);
    assert_eq!(relations.len(), 2);
}
