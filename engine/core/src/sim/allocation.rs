//! Nothing allocates in a tick, once every combination of booleans has been seen.

use crate::model::{Clock, CompareOp, Expr, Model, ModelBuilder, Term, WatchLiteral};
use crate::sim::{TickConfig, TickRun};
use crate::trace::Measure;

/// A wheel that turns once in 64 ticks, everything in it a whole number, so that its combinations of
/// booleans come again: with an event, a schedule, a switch, a delay, a counter and a timer, and as
/// many more sectors and columns as asked for.
fn wheel(n_sectors: u32, n_columns: u32) -> Model {
    let mut table = ModelBuilder::new("wheel");
    let [angle, late, count, held] = ["angle", "late", "count", "held"].map(|n| table.real(n, 0.0));
    let one = Term::Number(1.0);
    let turned = Term::Call(
        "mod",
        vec![Term::from(angle) + one.clone(), Term::Number(64.0)],
    );
    let low = table.range("low", [(angle.into(), CompareOp::Less, 32.0.into())]);
    for sector in 0..n_sectors {
        let border = f64::from(sector % 64);
        table.range(
            &format!("sector{sector}"),
            [(angle.into(), CompareOp::Greater, border.into())],
        );
    }
    let beat = table.every(8.0);
    let event = table.event("enters", [low.into()]);
    let switch = table.switch("high", false);
    table.assign([event.into()], [(switch, false)]);
    table.assign([!low], [(switch, true)]);
    table.relation(angle, "assignment", [turned]);
    table.relation(late, "delay", [Term::from(angle), Term::Number(5.0)]);
    table.relation(
        count,
        "counter",
        [switch.into()] as [crate::model::Literal; 1],
    );
    table.relation(held, "timer", [low.into()] as [crate::model::Literal; 1]);
    table
        .relation(late, "integral", [one])
        .when([beat.into(), switch.into()]);
    for column in 0..n_columns {
        let real = table.real(&format!("column{column}"), 0.0);
        table.relation(real, "sin", [angle]).when([switch.into()]);
    }
    table.build().unwrap()
}

fn allocations(model: Model, measures: &[Measure]) -> u64 {
    let clock = Clock {
        step: Some(1.0),
        stop: Some(1e6),
        ..Clock::default()
    };
    let config = TickConfig::from_clock(&clock).unwrap();
    let mut run = TickRun::with_measures(model, config, measures).unwrap();
    // The snapshots and the first two turns.
    run.advance(2100).unwrap();
    let n_visits = run.covered().visits.len();
    let counted = allocation_counter::measure(|| {
        run.advance(3000).unwrap();
        for _ in 0..200 {
            run.advance(1).unwrap();
        }
    });
    assert_eq!(run.covered().visits.len(), n_visits);
    assert!(n_visits >= 3, "{n_visits}");
    counted.count_total
}

#[test]
fn ticks_do_not_allocate() {
    // In one word; in several words; with more slots than the small array holds.
    for (n_sectors, n_columns) in [(0, 0), (100, 0), (100, 300)] {
        let model = wheel(n_sectors, n_columns);
        assert_eq!(allocations(model, &[]), 0, "{n_sectors} {n_columns}");
    }
}

#[test]
fn measures_do_not_allocate() {
    let mut model = wheel(0, 0);
    let angle = model.exprs.push(Expr::Real(crate::ids::RealId(0)));
    let border = model.exprs.push(Expr::Number(1000.0));
    let comparison = crate::model::Comparison {
        left: angle,
        op: CompareOp::Less,
        right: border,
    };
    let watch = vec![WatchLiteral::Comparison(comparison)];
    let measures = [
        Measure::Max(angle),
        Measure::At(angle, 10.0),
        Measure::Count(watch.clone().into()),
        Measure::Duration(watch.into()),
    ];
    assert_eq!(allocations(model, &measures), 0);
}
