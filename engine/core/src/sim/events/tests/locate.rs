//! Ways of locating events: the teaching stand, and no evaluation beyond a border.

use super::rest::Instants;
use super::*;
use crate::trace::What;

/// The stand: a ball that is thrown from 5 m and leaves the floor with 0.6^n of its first speed.
fn stand() -> Model {
    let mut table = ModelBuilder::new("stand");
    let [x, y, vy, n] = [("x", 0.0), ("y", 5.0), ("vy", 0.0), ("n", 0.0)]
        .map(|(name, start)| table.real(name, start));
    let floor = table.range("floor", [(y.into(), CompareOp::LessEqual, 0.0.into())]);
    let hit = table.event("hit", [floor.into()]);
    // Rows in the order of the euler scheme: places move with the old speed.
    table.relation(x, "integral", [1.0]);
    table.relation(y, "integral", [vy]);
    table.relation(vy, "integral", [-9.81]);
    table
        .relation(n, "sum", [Term::from(n), 1.0.into()])
        .when([hit.into()])
        .once();
    let speed = (2.0_f64 * 9.81 * 5.0).sqrt();
    let share = Term::Call("power", vec![0.6.into(), n.into()]);
    table
        .relation(vy, "assignment", [share * speed])
        .when([hit.into()])
        .once();
    table.build().unwrap()
}

fn hits(model: Model, locate: Locate, settings: Settings, stop: f64) -> (Vec<f64>, EventRun) {
    let config = EventConfig {
        locate,
        settings,
        ..config(stop)
    };
    let mut run = EventRun::new(model, config).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    (instants.times(|what| matches!(what, What::Fired(_))), run)
}

#[test]
fn the_stand_sees_its_events_as_the_ways_do() {
    use Locate::{Linear, None, Quadratic, Root};
    use Method::{Euler, Rk4};
    let analytic = [
        1.009_637_555,
        2.221_202_620,
        2.948_141_660,
        3.384_305_083,
        3.646_003_138,
    ];
    for (method, locate, expected) in [
        (Rk4, Root, analytic),
        (Rk4, None, [1.05, 1.1, 1.8, 2.25, 2.3]),
        (
            Rk4,
            Linear,
            [
                1.009_447_801,
                2.220_653_944,
                2.946_733_802,
                3.381_688_106,
                3.641_832_032,
            ],
        ),
        (Rk4, Quadratic, analytic),
        (Euler, None, [1.05, 2.3, 3.1, 3.15, 3.45]),
        (
            Euler,
            Linear,
            [
                1.034_683_996,
                2.295_904_067,
                3.072_039_496,
                3.557_124_139,
                3.867_497_760,
            ],
        ),
        (
            Euler,
            Quadratic,
            [
                1.034_947_024,
                2.296_512_090,
                3.073_451_129,
                3.559_614_553,
                3.871_312_607,
            ],
        ),
    ] {
        let settings = Settings {
            method,
            h0: Some(0.05),
            ..Settings::default()
        };
        let (times, _) = hits(stand(), locate, settings, 3.88);
        assert!(times.len() >= 5, "{method:?} {locate:?} {times:?}");
        for (time, expected) in times.iter().zip(expected) {
            assert!(
                (time - expected).abs() < 1e-9,
                "{method:?} {locate:?} {times:?}"
            );
        }
    }
}

/// x falls to 0 where its rate, which has a root of x, ends; there it is set back to 1.
fn root_of_what_is_left() -> Model {
    let mut table = ModelBuilder::new("root");
    let [x, n] = [("x", 1.0), ("n", 0.0)].map(|(name, start)| table.real(name, start));
    let low = table.range("low", [less(x, 1e-4)]);
    let empty = table.event("empty", [low.into()]);
    let root = Term::Call("sqrt", vec![Term::from(x) - 0.5e-4]);
    table.relation(x, "integral", [root * -1.0 - 0.1]);
    table
        .relation(x, "assignment", [1.0])
        .when([empty.into()])
        .once();
    table.relation(n, "counter", [Literal::from(empty)]);
    table.build().unwrap()
}

#[test]
fn nothing_is_evaluated_beyond_a_border_from_one_side() {
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p] {
        let settings = Settings {
            method,
            rtol: 1e-9,
            ..Settings::default()
        };
        let (found, run) = hits(
            root_of_what_is_left(),
            Locate::OneSided,
            settings.clone(),
            10.0,
        );
        assert_eq!(run.stats().method.rejected_not_finite, 0, "{method:?}");
        // With u the root: dt = -2 u du / (u + 0.1).
        let end = |u: f64| 2.0 * (u - 0.1 * (u + 0.1).ln());
        let round = end((1.0 - 0.5e-4_f64).sqrt()) - end(0.5e-4_f64.sqrt());
        assert!(found.len() >= 5, "{found:?}");
        for (number, time) in found.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let expected = round * (number as f64 + 1.0);
            assert!(
                (time - expected).abs() < 1e-6,
                "{method:?} {time} {expected}"
            );
        }
    }
}

#[test]
fn one_sided_location_finds_what_roots_do() {
    let settings = Settings {
        method: Method::Tsit5,
        rtol: 1e-10,
        ..Settings::default()
    };
    let [one_sided, roots] = [Locate::OneSided, Locate::Root]
        .map(|locate| hits(stand(), locate, settings.clone(), 3.8).0);
    assert_eq!(one_sided.len(), roots.len());
    for (a, b) in one_sided.iter().zip(&roots) {
        close(*a, *b);
    }
}

/// A hysteresis latches where its border is met, also by a real that another row computes.
#[test]
fn a_hysteresis_latches_by_what_follows() {
    let model = |by_name: bool| {
        let mut table = ModelBuilder::new("relay");
        let [e, u, v, x] = [("e", 0.0), ("u", 0.0), ("v", 0.0), ("x", 0.0)]
            .map(|(name, start)| table.real(name, start));
        let error = Term::from(1.1) - x;
        table.relation(e, "assignment", [error.clone()]);
        let read = if by_name { Term::from(e) } else { error };
        table.relation(u, "hysteresis", [read, 0.3.into(), 0.9.into()]);
        table.relation(v, "integral", [Term::from(u) * 2.0 - 1.0 - v]);
        table.relation(x, "integral", [v]);
        let off = table.range("off", [less(u, 0.5)]);
        table.event("turns", [off.into()]);
        table.build().unwrap()
    };
    for method in [Method::Dop853, Method::Tsit5, Method::Rodas5p] {
        let settings = Settings {
            method,
            ..Settings::default()
        };
        let [named, written] = [true, false]
            .map(|by_name| hits(model(by_name), Locate::OneSided, settings.clone(), 20.0).0);
        let roots = hits(model(true), Locate::Root, settings, 20.0).0;
        assert_eq!(named.len(), 5, "{method:?}: {named:?}");
        assert_eq!((written.len(), roots.len()), (5, 5), "{method:?}");
        for (a, b) in named.iter().zip(&roots) {
            assert!((a - b).abs() < 1e-3, "{method:?}: {a} {b}");
        }
    }
}

#[test]
fn a_formula_gives_the_steps() {
    // x' = 1: steps of a quarter of what is left up to 3, or of -x, which is no step.
    let mut table = ModelBuilder::new("steps");
    let x = table.real("x", 0.0);
    table.relation(x, "integral", [1.0]);
    let mut model = table.build().unwrap();
    let [x, three, four] = [
        crate::model::Expr::Real(x),
        crate::model::Expr::Number(3.0),
        crate::model::Expr::Number(4.0),
    ]
    .map(|expr| model.exprs.push(expr));
    let left = model.exprs.push(crate::model::Expr::Sub(three, x));
    let quarter = model.exprs.push(crate::model::Expr::Div(left, four));
    let backwards = model.exprs.push(crate::model::Expr::Neg(x));
    let run = |formula| {
        let config = EventConfig {
            every: None,
            settings: Settings {
                method: Method::Rk4,
                h0: Some(1.0),
                ..Settings::default()
            },
            step_formula: Some(formula),
            ..config(2.5)
        };
        let mut recorder = crate::trace::TraceRecorder::new(&model);
        let ended = EventRun::new(model.clone(), config)
            .unwrap()
            .run(&mut recorder);
        (recorder.trace.time, ended)
    };
    let (times, ended) = run(quarter);
    ended.unwrap();
    let mut known = 0.0;
    for &time in &times {
        close(time, known);
        known = (known + (3.0 - known) / 4.0_f64).min(2.5);
    }
    assert_eq!(times.last(), Some(&2.5));
    assert!(run(backwards).1.is_err());
}
