//! Infinitely many events, and rest on what they end at.

use super::*;
use crate::sim::RunFault;
use crate::trace::{Instant, What};

/// Keeps all instants.
#[derive(Default)]
pub(super) struct Instants(pub(super) Vec<Instant>);

impl Recorder for Instants {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        self.0.push(instant.clone());
        ControlFlow::Continue(())
    }
}

impl Instants {
    pub(super) fn times(&self, what: impl Fn(&What) -> bool) -> Vec<f64> {
        let holds = |instant: &&Instant| instant.events.iter().any(|event| what(&event.what));
        self.0
            .iter()
            .filter(holds)
            .map(|instant| instant.time)
            .collect()
    }
}

/// A ball on a slope of which the normal and the tangent are given: it bounces off with a part of its
/// normal speed.
fn ball(part: f64, slope: f64) -> (Model, [RealId; 4]) {
    let mut table = ModelBuilder::new("ball");
    let [x, y] = [("x", 0.0), ("y", 1.0)].map(|(name, start)| table.real(name, start));
    let [vx, vy] = ["vx", "vy"].map(|name| table.real(name, 0.0));
    // Height over the plane y = -slope * x, up to a factor.
    let height = || Term::from(y) + Term::from(x) * slope;
    let speed = || Term::from(vy) + Term::from(vx) * slope;
    let down = table.range("down", [less(speed(), 0.0)]);
    let touches = table.range("touches", [(height(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [touches.into(), down.into()]);
    table.relation(vx, "integral", [0.0]);
    table.relation(vy, "integral", [-9.81]);
    table.relation(x, "integral", [vx]);
    table.relation(y, "integral", [vy]);
    let change = table.real("change", 0.0);
    let mut at_hit = |real, value: Term| {
        table
            .relation(real, "assignment", [value])
            .when([hit.into()])
            .once();
    };
    at_hit(change, speed() * (-(1.0 + part) / (1.0 + slope * slope)));
    at_hit(vx, Term::from(vx) + Term::from(change) * slope);
    at_hit(vy, Term::from(vy) + change);
    (table.build().unwrap(), [x, y, vx, vy])
}

#[test]
fn a_ball_comes_to_rest_where_its_bounces_gather() {
    for (part, limit) in [
        (0.7, 2.558_633_965_585_807_7),
        (0.5, (2.0_f64 / 9.81).sqrt() * 3.0),
    ] {
        let (model, [_, y, _, vy]) = ball(part, 0.0);
        let mut run = EventRun::new(model, config(6.0)).unwrap();
        let mut instants = Instants::default();
        run.run(&mut instants).unwrap();
        let gathers = instants.times(|what| matches!(what, What::Zeno { .. }));
        assert_eq!(gathers.len(), 1);
        close(gathers[0], limit);
        assert!(run.real(y).abs() < 1e-12 && run.real(vy).abs() < 1e-12);
        close(run.time(), 6.0);
    }
}

#[test]
fn impacts_are_where_the_series_says() {
    let (model, _) = ball(0.7, 0.0);
    let mut run = EventRun::new(model, config(6.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let hits = instants.times(|what| matches!(what, What::Fired(_)));
    for (hit, expected) in hits.iter().zip([
        0.451_523_640_985_730_9,
        1.083_656_738_365_754,
        1.526_149_906_531_770_3,
        1.835_895_124_247_981_7,
        2.052_716_776_649_329_5,
        2.204_491_933_330_273,
        2.310_734_543_006_933_7,
        2.385_104_369_780_596,
    ]) {
        close(*hit, expected);
    }
}

#[test]
fn a_ball_slides_down_a_slope_when_it_has_come_to_rest_on_it() {
    // Along the slope the speed grows with g sin(angle) all the time, bounce or not.
    let slope = 0.75;
    let (model, [x, y, vx, vy]) = ball(0.6, slope);
    let mut run = EventRun::new(model, config(5.0)).unwrap();
    run.run(&mut ()).unwrap();
    let (sin, cos) = (0.6, 0.8);
    let along = run.real(vx) * cos - run.real(vy) * sin;
    close(along, 9.81 * sin * 5.0);
    close(run.real(y) + slope * run.real(x), 0.0);
    close(run.real(vy) + slope * run.real(vx), 0.0);
    close(
        run.real(x) * cos - (run.real(y) - 1.0) * sin,
        9.81 * sin * 12.5,
    );
}

#[test]
fn rest_ends_where_nothing_pushes_any_more() {
    // The weight is turned round slowly: cos(t / 4) < 0 from t = 2 pi on.
    let mut table = ModelBuilder::new("lift");
    let [h, v] = [("h", 0.5), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let down = table.range("down", [less(v, 0.0)]);
    let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [floor.into(), down.into()]);
    let weight = Term::Call("cos", vec![Term::Time / 4.0]) * -9.81;
    table.relation(v, "integral", [weight]);
    table.relation(h, "integral", [v]);
    table
        .relation(v, "proportional", [v])
        .coef(-0.5)
        .when([hit.into()])
        .once();
    let mut run = EventRun::new(table.build().unwrap(), config(10.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let left = instants.times(|what| matches!(what, What::RestLeft { .. }));
    assert_eq!(left.len(), 1, "{:?}", instants.0.last());
    close(left[0], std::f64::consts::TAU);
    // v = -4 g (sin(t/4) - 1), h its integral.
    let t = 10.0 - std::f64::consts::TAU;
    let v = -4.0 * 9.81 * ((10.0_f64 / 4.0).sin() - 1.0);
    close(run.real(v_of(&run)), v);
    let h = 16.0 * 9.81 * (10.0_f64 / 4.0).cos() + 4.0 * 9.81 * t;
    close(run.real(h_of(&run)), h);
}

fn h_of(_: &EventRun) -> RealId {
    RealId(0)
}

fn v_of(_: &EventRun) -> RealId {
    RealId(1)
}

#[test]
fn events_that_gather_where_nothing_rests_are_reported() {
    // Switching faster and faster without a jump: two tanks of which one is filled, and never enough.
    let mut table = ModelBuilder::new("tanks");
    let [a, b] = [("a", 1.0), ("b", 1.0)].map(|(name, start)| table.real(name, start));
    let left = table.switch("left", true);
    let [a_low, b_low] = [a, b].map(|tank| {
        table.range(
            if tank == a { "a_low" } else { "b_low" },
            [(tank.into(), CompareOp::LessEqual, 0.0.into())],
        )
    });
    table.assign([a_low.into()], [(left, true)]);
    table.assign([b_low.into()], [(left, false)]);
    table.relation(a, "integral", [-2.0]);
    table.relation(b, "integral", [-2.0]);
    table.relation(a, "integral", [3.0]).when([left.into()]);
    table
        .relation(b, "integral", [3.0])
        .when([!Literal::from(left)]);
    let mut run = EventRun::new(table.build().unwrap(), config(10.0)).unwrap();
    let fault = run.run(&mut ()).unwrap_err();
    let RunFault::Zeno { limit, .. } = fault else {
        panic!("{fault}");
    };
    close(limit, 2.0);
}

/// Balls that keep a part of their speed, each with its height and part.
fn balls(table: &mut ModelBuilder, parts: &[(f64, f64)]) -> Vec<[RealId; 2]> {
    let mut all = Vec::new();
    for (index, &(height, part)) in parts.iter().enumerate() {
        let [h, v] = [("h", height), ("v", 0.0)]
            .map(|(name, start)| table.real(&format!("{name}{index}"), start));
        let down = table.range(&format!("down{index}"), [less(v, 0.0)]);
        let touches = table.range(
            &format!("touches{index}"),
            [(h.into(), CompareOp::LessEqual, 0.0.into())],
        );
        let hit = table.event(&format!("hit{index}"), [touches.into(), down.into()]);
        table.relation(v, "integral", [-9.81]);
        table.relation(h, "integral", [v]);
        table
            .relation(v, "proportional", [v])
            .coef(-part)
            .when([hit.into()])
            .once();
        all.push([h, v]);
    }
    all
}

#[test]
fn a_ball_comes_to_rest_while_another_rests_already() {
    let mut table = ModelBuilder::new("two");
    let reals = balls(&mut table, &[(1.0, 0.5), (3.0, 0.6), (2.0, 0.7)]);
    let mut run = EventRun::new(table.build().unwrap(), config(8.0)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    let rests = instants.times(|what| matches!(what, What::RestEntered { .. }));
    let gathers =
        |height: f64, part: f64| (2.0 * height / 9.81).sqrt() * (1.0 + part) / (1.0 - part);
    let known = [gathers(1.0, 0.5), gathers(3.0, 0.6), gathers(2.0, 0.7)];
    assert_eq!(rests.len(), 3, "{rests:?}");
    for (found, known) in rests.iter().zip(known) {
        assert!((found - known).abs() < 1e-7, "{found} is not {known}");
    }
    for [h, v] in reals {
        close(run.real(h), 0.0);
        close(run.real(v), 0.0);
    }
}

#[test]
fn a_ball_comes_to_rest_while_it_sticks_sideways() {
    let mut table = ModelBuilder::new("friction");
    let reals = balls(&mut table, &[(1.0, 0.7)]);
    let [x, u] = [("x", 0.0), ("u", 1.0)].map(|(name, start)| table.real(name, start));
    let pull = Term::Call("sign", vec![u.into()]) * -2.0;
    table.relation(u, "integral", [pull]);
    table.relation(x, "integral", [u]);
    let mut run = EventRun::new(table.build().unwrap(), config(8.0)).unwrap();
    run.run(&mut ()).unwrap();
    let [h, v] = reals[0];
    for (real, known) in [(h, 0.0), (v, 0.0), (x, 0.25), (u, 0.0)] {
        close(run.real(real), known);
    }
}
