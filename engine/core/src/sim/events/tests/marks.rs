//! Effects of marks of ranges and of nominal sizes of reals on an event-accurate run.

use super::*;
use crate::model::Mark;

/// `x` rises by 1 in a unit of time; beyond 0.55 `y` rises with it.
fn ramp(mark: Option<Mark>) -> (Model, Literal) {
    let mut table = ModelBuilder::new("ramp");
    let [x, y] = ["x", "y"].map(|name| table.real(name, 0.0));
    let high = table.range("high", [(x.into(), CompareOp::Greater, 0.55.into())]);
    if let Some(mark) = mark {
        table.mark(high, mark);
    }
    table.relation(x, "integral", [1.0]);
    table.relation(y, "integral", [1.0]).when([high.into()]);
    (table.build().unwrap(), high.into())
}

fn fixed(h: f64, stop: f64) -> EventConfig {
    let mut config = config(stop);
    config.settings = Settings {
        method: Method::Rk4,
        h0: Some(h),
        ..Settings::default()
    };
    config
}

#[test]
fn a_range_without_borders_turns_at_the_end_of_the_step() {
    let (model, high) = ramp(Some(Mark::NoEvent));
    let y = RealId::new(1);
    let mut run = EventRun::new(model.clone(), fixed(0.25, 2.0)).unwrap();
    run.run(&mut ()).unwrap();
    assert!(run.holds(high));
    // Steps end at 0.25, 0.5, 0.75; there it is seen.
    close(run.real(y), 1.25);
    assert_eq!(run.stats().instants, 1);

    let (model, _) = ramp(None);
    let mut run = EventRun::new(model, fixed(0.25, 2.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(run.real(y), 1.45);
}

#[test]
fn a_range_without_borders_follows_a_jump_at_once() {
    let mut table = ModelBuilder::new("jump");
    let [x, y] = ["x", "y"].map(|name| table.real(name, 0.0));
    let beat = table.every(1.0);
    let high = table.range("high", [(x.into(), CompareOp::Greater, 2.5.into())]);
    table.mark(high, Mark::NoEvent);
    let up = table.event("up", [high.into()]);
    table
        .relation(x, "sum", [Term::from(x), 1.0.into()])
        .when([beat.into()])
        .once();
    table
        .relation(y, "assignment", [Term::Time])
        .when([up.into()]);
    let mut run = EventRun::new(table.build().unwrap(), config(3.5)).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!([x, y].map(|real| run.real(real)), [3.0, 3.0]);
}

#[test]
fn crossing_a_smooth_border_does_not_begin_the_step_anew() {
    // Beyond x = 1 the rate of y is (x - 1)^2, whose value and slope begin at 0.
    let run = |mark: Option<Mark>| {
        let mut table = ModelBuilder::new("smooth");
        let [x, y] = ["x", "y"].map(|name| table.real(name, 0.0));
        let high = table.range("high", [(x.into(), CompareOp::Greater, 1.0.into())]);
        if let Some(mark) = mark {
            table.mark(high, mark);
        }
        let excess = Term::from(x) - 1.0;
        table.relation(x, "integral", [1.0]);
        table
            .relation(y, "integral", [excess.clone() * excess])
            .when([high.into()]);
        let model = table.build().unwrap();
        let (times, run) = rises(&model, high.into(), 3.0);
        assert_eq!(times.len(), 1);
        close(times[0], 1.0);
        close(run.real(y), 8.0 / 3.0);
        run.stats().method
    };
    let (marked, plain) = (run(Some(Mark::Smooth)), run(None));
    assert_eq!((marked.restarts, plain.restarts), (1, 2));
    assert!(marked.rhs < plain.rhs);
}

#[test]
fn a_nominal_size_scales_the_absolute_tolerance() {
    // A swing of 1e-9 about 0, with tolerances meant for values near 1.
    let error = |nominal: Option<f64>| {
        let mut table = ModelBuilder::new("swing");
        let [x, v] = [("x", 1e-9), ("v", 0.0)].map(|(name, start)| table.real(name, start));
        for real in [x, v] {
            if let Some(size) = nominal {
                table.nominal(real, size);
            }
        }
        table.relation(v, "integral", [-Term::from(x)]);
        table.relation(x, "integral", [v]);
        let mut config = config(20.0);
        (config.atol, config.settings.rtol) = (1e-6, 1e-6);
        let mut run = EventRun::new(table.build().unwrap(), config).unwrap();
        run.run(&mut ()).unwrap();
        (run.real(x) / 1e-9 - 20.0_f64.cos()).abs()
    };
    assert!(error(Some(1e-9)) < 1e-3, "{}", error(Some(1e-9)));
    assert!(error(None) > 1.0, "{}", error(None));
}
