//! Event-accurate runs against closed forms.

use std::ops::ControlFlow;

mod allocation;
mod crossings;
mod decisions;
mod locate;
mod marks;
mod memory;
mod order;
mod rest;
mod slides;
mod sparse;

use super::*;
use crate::ids::RealId;
use crate::model::{
    Boolean, CompareOp, Comparison, Expr, Literal, Model, ModelBuilder, Order, Term, Watch,
    WatchLiteral,
};
use crate::sim::{EndReason, EventConfig, RunFault, SetupError};
use crate::trace::{Measure, Recorder, Row};
use situ_solve::{Locate, Method, Settings};

fn config(stop: f64) -> EventConfig {
    EventConfig {
        stop,
        every: Some(stop),
        grid_only: false,
        locate: Locate::default(),
        step_formula: None,
        order: Order::default(),
        budget: crate::sim::Budget::default(),
        settings: Settings {
            method: Method::Tsit5,
            rtol: 1e-10,
            ..Settings::default()
        },
        atol: 1e-10,
        gates_from: usize::MAX,
    }
}

/// Keeps the times at which a situation fired or came to hold.
struct Rises<'m> {
    model: &'m Model,
    what: Boolean,
    held: bool,
    times: Vec<f64>,
}

impl Recorder for Rises<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let holds = row.boolean(self.model, self.what);
        if holds && !self.held {
            self.times.push(row.time);
        }
        self.held = holds;
        ControlFlow::Continue(())
    }
}

fn rises(model: &Model, what: Literal, stop: f64) -> (Vec<f64>, EventRun) {
    let mut run = EventRun::new(model.clone(), config(stop)).unwrap();
    let mut rises = Rises {
        model,
        what: what.what,
        held: false,
        times: Vec::new(),
    };
    rises.held = run.holds(what);
    run.run(&mut rises).unwrap();
    (rises.times, run)
}

#[track_caller]
fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 2e-9, "{got} is not {expected}");
}

fn less(left: impl Into<Term>, right: impl Into<Term>) -> (Term, CompareOp, Term) {
    (left.into(), CompareOp::Less, right.into())
}

fn at_least(left: impl Into<Term>, right: impl Into<Term>) -> (Term, CompareOp, Term) {
    (left.into(), CompareOp::GreaterEqual, right.into())
}

#[test]
fn a_bouncing_ball_keeps_its_energy() {
    let mut table = ModelBuilder::new("ball");
    let g = table.constant("g", 9.81);
    let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let down = table.range("down", [less(v, 0.0)]);
    let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [floor.into(), down.into()]);
    table.relation(v, "integral", [-Term::from(g)]);
    table.relation(h, "integral", [v]);
    table
        .relation(v, "proportional", [v])
        .coef(-1.0)
        .when([hit.into()])
        .once();
    let model = table.build().unwrap();
    let (times, run) = rises(&model, hit.into(), 100.0);
    let first = (2.0_f64 / 9.81).sqrt();
    assert_eq!(times.len(), 111);
    for (index, &time) in times.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        close(time, first * (1.0 + 2.0 * index as f64));
    }
    close(run.real(h) * 9.81 + run.real(v).powi(2) / 2.0, 9.81);
}

#[test]
fn the_thermostat_switches_on_time() {
    let mut table = ModelBuilder::new("thermostat");
    let t = table.real("T", 18.0);
    let heat = table.real("heat", 0.0);
    let heater = table.switch("heater", true);
    let cold = table.range("cold", [less(t, 19.0)]);
    let warm = table.range("warm", [at_least(t, 21.0)]);
    table.assign([cold.into()], [(heater, true)]);
    table.assign([warm.into()], [(heater, false)]);
    table
        .relation(heat, "assignment", [2.0])
        .when([heater.into()]);
    table.relation(heat, "assignment", [0.0]).otherwise();
    table.relation(
        t,
        "integral",
        [Term::from(heat) - (Term::from(t) - 10.0) * 0.1],
    );
    let model = table.build().unwrap();
    let (times, _) = rises(&model, heater.into(), 17.0);
    assert_eq!(times.len(), 4, "{times:?}");
    for (time, expected) in times.iter().zip([
        4.883_527_679_139_321,
        8.896_941_588_382_344,
        12.910_355_497_625_368,
    ]) {
        close(*time, expected);
    }
}

#[test]
fn two_fields_that_meet_slide_along_the_border() {
    let mut table = ModelBuilder::new("slide");
    let [x, y] = [("x", -1.0), ("y", 0.0)].map(|(name, start)| table.real(name, start));
    let left = table.range("left", [less(x, 0.0)]);
    table.relation(x, "integral", [1.0]).when([left.into()]);
    table.relation(x, "integral", [-2.0]).when([!left]);
    table.relation(y, "integral", [3.0]).when([left.into()]);
    let model = table.build().unwrap();
    let mut run = EventRun::new(model, config(4.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(run.real(x), 0.0);
    close(run.real(y), 9.0);
}

#[test]
fn a_chain_of_switches_settles_at_one_time() {
    let mut table = ModelBuilder::new("chain");
    let x = table.real("x", 0.0);
    let [q1, q2, q3] = ["q1", "q2", "q3"].map(|name| table.switch(name, false));
    let reached = table.range("reached", [at_least(x, 1.0)]);
    table.assign([q2.into()], [(q3, true)]);
    table.assign([q1.into()], [(q2, true)]);
    table.assign([reached.into()], [(q1, true)]);
    table.relation(x, "integral", [1.0]);
    let model = table.build().unwrap();
    for switch in [q1, q2, q3] {
        let (times, _) = rises(&model, switch.into(), 2.0);
        assert_eq!(times.len(), 1);
        close(times[0], 1.0);
    }
}

#[test]
fn assignments_that_go_round_are_named() {
    let mut table = ModelBuilder::new("dead");
    let q = table.switch("q", true);
    table.assign([q.into()], [(q, false)]);
    table.assign([!q], [(q, true)]);
    let fault = EventRun::new(table.build().unwrap(), config(1.0)).unwrap_err();
    let SetupError::Fault(fault) = fault else {
        panic!("{fault}");
    };
    assert!(matches!(*fault, RunFault::Cycle { .. }), "{fault}");
}

#[test]
fn an_event_true_at_the_start_fires_when_it_comes_again() {
    let mut table = ModelBuilder::new("cosine");
    let c = table.real("c", 1.0);
    table.relation(c, "cos", [Term::Time]);
    let high = table.range("high", [at_least(c, 0.5)]);
    let up = table.event("up", [high.into()]);
    let model = table.build().unwrap();
    let (times, _) = rises(&model, up.into(), 18.0);
    assert_eq!(times.len(), 3, "{times:?}");
    for (time, expected) in times.iter().zip([
        5.235_987_755_982_989,
        11.519_173_063_162_576,
        17.802_358_370_342_162,
    ]) {
        close(*time, expected);
    }
}

#[test]
fn close_crossings_in_one_long_step_are_all_found() {
    let mut table = ModelBuilder::new("cubic");
    let x = table.real("x", -8.0);
    let y = table.real("y", -120.0);
    let t = || Term::from(x);
    table.relation(x, "integral", [1.0]);
    table.relation(y, "integral", [t() * t() * 3.0 + t() * 12.0 - 4.0]);
    let up = table.range("up", [at_least(y, 0.0)]);
    let model = table.build().unwrap();
    let (times, _) = rises(&model, up.into(), 12.0);
    assert_eq!(times.len(), 2, "{times:?}");
    close(times[0], 2.0);
    close(times[1], 10.0);
}

#[test]
fn kinks_and_stairs_are_borders() {
    // The integral of |sin t| + floor(t/2) over [0, 7].
    let mut table = ModelBuilder::new("kinks");
    let y = table.real("y", 0.0);
    let sine = Term::Call("sin", vec![Term::Time]);
    let stairs = Term::Call("floor", vec![Term::Time / 2.0]);
    table.relation(y, "integral", [Term::Call("abs", vec![sine]) + stairs]);
    let mut run = EventRun::new(table.build().unwrap(), config(7.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(
        run.real(y),
        4.0 + (1.0 - (7.0 - std::f64::consts::TAU).cos()) + 2.0 + 4.0 + 3.0,
    );
}

#[test]
fn a_comparison_with_a_kink_is_one_border_in_all_branches() {
    // x = cos t: |x| > 0.5 but for t in [pi/3, 2 pi/3], [4 pi/3, 5 pi/3], whose middles are kinks;
    // max(x, -x/2) < 0.25 the same where x < 0, and where x > 0 from 0.25 down to there.
    let mut table = ModelBuilder::new("kinks");
    let x = table.real("x", 1.0);
    table.relation(x, "cos", [Term::Time]);
    let size = Term::Call("abs", vec![x.into()]);
    let large = table.range("large", [(size, CompareOp::Greater, 0.5.into())]);
    let most = Term::Call("max", vec![x.into(), Term::from(x) * -0.5]);
    let small = table.range("small", [less(most, 0.25)]);
    let model = table.build().unwrap();
    let pi = std::f64::consts::PI;
    let quarter = 0.25_f64.acos();
    let turns = [2.0 / 3.0, 5.0 / 3.0].map(|part| part * pi);
    let (times, _) = rises(&model, large.into(), 6.0);
    assert_eq!(times.len(), 2, "{times:?}");
    times
        .iter()
        .zip(turns)
        .for_each(|(&t, known)| close(t, known));
    let (times, _) = rises(&model, small.into(), 6.0);
    assert_eq!(times.len(), 2, "{times:?}");
    let known = [quarter, 4.0 / 3.0 * pi];
    times
        .iter()
        .zip(known)
        .for_each(|(&t, known)| close(t, known));
}

#[test]
fn a_loop_is_solved_with_its_exact_slope() {
    // z = 1 - x*z is z = 1/(1+x); x' = z has x = sqrt(1+2t) - 1.
    let mut table = ModelBuilder::new("loop");
    let x = table.real("x", 0.0);
    let z = table.real("z", 0.0);
    let product = table.real("xz", 0.0);
    table.relation(product, "product", [x, z]);
    table
        .relation(z, "sum", [Term::Number(1.0), product.into()])
        .coef2(-1.0);
    table.relation(x, "integral", [z]);
    let model = table.build().unwrap();
    for method in [Method::Tsit5, Method::Rodas5p] {
        let mut config = config(4.0);
        config.settings.method = method;
        let mut run = EventRun::new(model.clone(), config).unwrap();
        run.run(&mut ()).unwrap();
        close(run.real(x), 2.0);
        close(run.real(z), 1.0 / 3.0);
    }
}

#[test]
fn borders_on_what_a_loop_computes_are_crossed_on_time() {
    // z = 1/(1+x) as a loop, x' = z: z falls to 1/2 at x = 1, t = 3/2. Twice, so that two loops
    // follow each other.
    let mut table = ModelBuilder::new("loop");
    let x = table.real("x", 0.0);
    let [z, xz, w, xw] = ["z", "xz", "w", "xw"].map(|name| table.real(name, 0.0));
    table.relation(xz, "product", [x, z]);
    table
        .relation(z, "sum", [Term::Number(1.0), xz.into()])
        .coef2(-1.0);
    // w = z - x*w.
    table.relation(xw, "product", [x, w]);
    table.relation(w, "sum", [z, xw]).coef2(-1.0);
    table.relation(x, "integral", [z]);
    let half = table.range("half", [less(z, 0.5)]);
    let quarter = table.range("quarter", [less(w, 0.125)]);
    let model = table.build().unwrap();
    // x = 2^(3/2) - 1 where w = 1/(1+x)^2 = 1/8.
    for (what, time) in [(half, 1.5), (quarter, 3.5)] {
        let (times, _) = rises(&model, what.into(), 5.0);
        assert_eq!(times.len(), 1, "{times:?}");
        close(times[0], time);
    }
}

#[test]
fn schedules_and_counters_keep_time() {
    let mut table = ModelBuilder::new("beats");
    let n: RealId = table.real("n", 0.0);
    let clock = table.real("clock", 0.0);
    let tenth = table.every(0.1);
    let beat = table.event("beat", [tenth.into()]);
    table.relation(n, "counter", [Literal::from(beat)]);
    let late = table.range("late", [at_least(Term::Time, 0.5)]);
    table.relation(clock, "timer", [Literal::from(late)]);
    let mut run = EventRun::new(table.build().unwrap(), config(1.0)).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!(run.real(n), 10.0);
    close(run.real(clock), 0.5);
}

/// A ball that keeps 0.9 of its speed, dropped from 1 m; `h`, `v`, the event `hit`.
fn bouncing() -> (Model, RealId, RealId, Boolean) {
    let mut table = ModelBuilder::new("bounce");
    let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let down = table.range("down", [less(v, 0.0)]);
    let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [floor.into(), down.into()]);
    table.relation(v, "integral", [-9.81]);
    table.relation(h, "integral", [v]);
    table
        .relation(v, "proportional", [v])
        .coef(-0.9)
        .when([hit.into()])
        .once();
    (table.build().unwrap(), h, v, Literal::from(hit).what)
}

fn bits(row: &Row<'_>) -> Vec<u64> {
    let reals = row.reals.iter().map(|value| value.to_bits());
    std::iter::once(row.time.to_bits()).chain(reals).collect()
}

#[test]
fn stopping_saving_and_going_on_leave_no_trace() {
    let (model, ..) = bouncing();
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
        let mut settings = config(3.0);
        settings.every = None;
        settings.settings.method = method;
        let mut whole = EventRun::new(model.clone(), settings.clone()).unwrap();
        whole.run(&mut ()).unwrap();
        let mut run = EventRun::new(model.clone(), settings.clone()).unwrap();
        for stop in [0.1, 0.45152, 0.7, 1.3, 2.0, 2.0001, 3.0] {
            run.run_to(stop, &mut ()).unwrap();
            assert!((run.time() - stop).abs() < 1e-14);
            let state = run.state();
            // Another run of the same model, which has been elsewhere, goes on from here.
            let mut other = EventRun::new(model.clone(), settings.clone()).unwrap();
            other.run_to(2.5, &mut ()).unwrap();
            other.restore(&state).unwrap();
            assert_eq!(bits(&other.row()), bits(&run.row()), "{method:?} at {stop}");
            assert_eq!(other.state(), state, "{method:?} at {stop}");
            run = other;
        }
        assert_eq!(bits(&run.row()), bits(&whole.row()), "{method:?}");
        assert_eq!(run.state(), whole.state(), "{method:?}");
    }
}

#[test]
fn a_condition_ends_the_run_where_it_comes_true() {
    let (mut model, h, ..) = bouncing();
    let [left, right] = [Expr::Real(h), Expr::Number(0.3)].map(|node| model.exprs.push(node));
    let below = Comparison {
        left,
        op: CompareOp::Less,
        right,
    };
    let mut direct = EventRun::new(model.clone(), config(3.0)).unwrap();
    direct.run(&mut ()).unwrap();
    model.clock.stop_when = Some([WatchLiteral::Comparison(below)].into_iter().collect());
    let mut run = EventRun::new(model, config(3.0)).unwrap();
    assert_eq!(run.run(&mut ()).unwrap(), EndReason::Condition);
    close(run.time(), (2.0 * 0.7 / 9.81_f64).sqrt());
    close(run.real(h), 0.3);
    // The condition is looked at again after every step and comes true on the second way down too.
    while run.time() < 3.0 {
        run.advance(3.0, &mut ()).unwrap();
    }
    assert_eq!(
        bits(&run.row()),
        bits(&direct.row()),
        "watching leaves no trace"
    );
}

#[test]
fn measures_are_those_of_the_continuous_motion() {
    let (mut model, h, v, hit) = bouncing();
    let [height, speed, zero] =
        [Expr::Real(h), Expr::Real(v), Expr::Number(0.5)].map(|node| model.exprs.push(node));
    let comparison = Comparison {
        left: height,
        op: CompareOp::GreaterEqual,
        right: zero,
    };
    let high: Watch = [WatchLiteral::Comparison(comparison)].into_iter().collect();
    let hits: Watch = [WatchLiteral::Boolean(Literal {
        what: hit,
        negated: false,
    })]
    .into_iter()
    .collect();
    let measures = [
        Measure::Max(height),
        Measure::Min(speed),
        Measure::At(height, 1.0),
        Measure::First(hits.clone()),
        Measure::Count(hits.clone()),
        Measure::Period(hits),
        Measure::Duration(high),
        Measure::Final(height),
        Measure::Max(speed),
    ];
    let mut run = EventRun::with_measures(model, config(1.9), &measures).unwrap();
    run.run(&mut ()).unwrap();
    let measured: Vec<f64> = run.measured().into_iter().flatten().collect();
    let g = 9.81_f64;
    let fall = (2.0 / g).sqrt();
    let impact = g * fall;
    let height_at = |t: f64| {
        let s = t - fall;
        0.9 * impact * s - 0.5 * g * s * s
    };
    // Hits at fall, fall + 2 * 0.9 * fall; the third at 4.42 * fall, beyond the end.
    let second = fall * 2.8;
    let since = 1.9 - second;
    let last = 0.81 * impact * since - 0.5 * g * since * since;
    // Above 0.5: at first until (2 * 0.5 / g)^0.5, then twice around the tops 0.81 and 0.6561.
    let above = |top: f64| 2.0 * (2.0 * (top - 0.5) / g).sqrt();
    let top_at = second + 0.81 * fall;
    let third = above(0.6561_f64) / 2.0 + (1.9 - top_at).min(above(0.6561) / 2.0);
    let expected = [
        1.0,
        -impact,
        height_at(1.0),
        fall,
        2.0,
        second - fall,
        (2.0 * 0.5 / g).sqrt() + above(0.81) + third,
        last,
        0.9 * impact,
    ];
    assert_eq!(measured.len(), expected.len());
    for (got, expected) in measured.into_iter().zip(expected) {
        close(got, expected);
    }
}

#[test]
fn coverage_counts_time_and_firings() {
    let (model, ..) = bouncing();
    let mut run = EventRun::new(model, config(1.9)).unwrap();
    run.run(&mut ()).unwrap();
    let covered = run.covered();
    close(covered.visits.iter().map(|visit| visit.time).sum(), 1.9);
    assert_eq!(covered.fired, [2]);
    assert!(covered.relations.iter().all(|acted| acted.ever));
    close(covered.relations[0].time, 1.9);
}

#[test]
fn a_row_that_does_not_act_at_the_start_leaves_no_trace_there() {
    let mut table = ModelBuilder::new("held");
    let [a, b, x] =
        [("a", 5.0), ("b", 7.0), ("x", 1.0)].map(|(name, start)| table.real(name, start));
    let high = table.range("high", [(x.into(), CompareOp::Greater, 0.0.into())]);
    let low = table.range("low", [less(x, 0.5)]);
    table.relation(a, "assignment", [1.0]).when([!high]);
    table.relation(b, "assignment", [1.0]).when([low.into()]);
    table.relation(x, "integral", [1.0]);
    let mut run = EventRun::new(table.build().unwrap(), config(1.0)).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!([run.real(a), run.real(b)], [5.0, 7.0]);
}
