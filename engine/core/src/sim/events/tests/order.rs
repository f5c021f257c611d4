//! Simultaneous events, in written and in reverse order, in both steppings.

use super::*;
use crate::model::{Clock, Stepping};
use crate::sim::{Run, RunConfig};

/// The reals after one unit of time and a little, in ticks and events, written and reversed.
fn ends(model: &Model) -> [[Vec<f64>; 2]; 2] {
    [Stepping::Tick, Stepping::Events].map(|stepping| {
        let clock = Clock {
            stepping: Some(stepping),
            step: Some(1.0 / 1024.0),
            stop: Some(1.25),
            ..Clock::default()
        };
        [Order::Written, Order::Reversed].map(|order| {
            let config = RunConfig::from_clock(&clock).unwrap().in_order(order);
            let mut run = Run::new(model.clone(), config, &[]).unwrap();
            run.run_to(1.25, &mut ()).unwrap();
            run.row().reals.to_vec()
        })
    })
}

#[test]
fn rows_of_one_event_that_touch_the_same_real_depend_on_their_order() {
    let mut table = ModelBuilder::new("rows");
    let [x, y] = [("x", 1.0), ("y", 0.0)].map(|(name, start)| table.real(name, start));
    let each = table.every(1.0);
    let beat = table.event("beat", [each.into()]);
    let plus_one = [Term::from(x), Term::Number(1.0)];
    table
        .relation(x, "sum", plus_one)
        .when([beat.into()])
        .once();
    table
        .relation(x, "proportional", [x])
        .coef(2.0)
        .when([beat.into()])
        .once();
    table
        .relation(y, "assignment", [x])
        .when([beat.into()])
        .once();
    for [written, reversed] in ends(&table.build().unwrap()) {
        assert_eq!(written, [4.0, 4.0]);
        assert_eq!(reversed, [3.0, 1.0]);
    }
}

#[test]
fn assignments_that_contradict_each_other_depend_on_their_order() {
    let mut table = ModelBuilder::new("switches");
    let [n, on] = ["n", "on"].map(|name| table.real(name, 0.0));
    let switch = table.switch("switch", false);
    let each = table.every(1.0);
    let beat = table.event("beat", [each.into()]);
    let first = table.range("first", [less(n, 1.0)]);
    table.assign([beat.into(), first.into()], [(switch, true)]);
    table.assign([beat.into(), switch.into()], [(switch, false)]);
    let plus_one = [Term::from(n), Term::Number(1.0)];
    table
        .relation(n, "sum", plus_one)
        .when([beat.into()])
        .once();
    table
        .relation(on, "assignment", [1.0])
        .when([switch.into()]);
    let clock = Clock {
        stepping: Some(Stepping::Tick),
        step: Some(0.125),
        stop: Some(1.25),
        ..Clock::default()
    };
    let held = [Order::Written, Order::Reversed].map(|order| {
        let config = RunConfig::from_clock(&clock).unwrap().in_order(order);
        let mut run = Run::new(table.clone().build().unwrap(), config, &[]).unwrap();
        run.run_to(1.25, &mut ()).unwrap();
        run.row().reals.to_vec()
    });
    assert_eq!(held, [vec![1.0, 0.0], vec![1.0, 1.0]]);
}

#[test]
fn independent_rows_and_crossings_do_not_depend_on_their_order() {
    let mut table = ModelBuilder::new("independent");
    let [a, b, n, m, both] = [
        ("a", 0.0),
        ("b", 0.0),
        ("n", 0.0),
        ("m", 0.0),
        ("both", 0.0),
    ]
    .map(|(name, start)| table.real(name, start));
    let far_a = table.range("far_a", [at_least(a, 1.0)]);
    let far_b = table.range("far_b", [at_least(b, 2.0)]);
    let hit_a = table.event("hit_a", [far_a.into()]);
    let hit_b = table.event("hit_b", [far_b.into()]);
    let corner = table.event("corner", [far_a.into(), far_b.into()]);
    table.relation(a, "integral", [1.0]);
    table.relation(b, "integral", [2.0]);
    for (counter, event) in [(n, hit_a), (m, hit_b), (both, corner)] {
        let plus_one = [Term::from(counter), Term::Number(1.0)];
        table
            .relation(counter, "sum", plus_one)
            .when([event.into()])
            .once();
    }
    for [written, reversed] in ends(&table.build().unwrap()) {
        assert_eq!(written, reversed);
        assert_eq!(written[2..], [1.0; 3]);
    }
}

#[test]
fn crossings_that_exclude_each_other_depend_on_their_order() {
    // Both borders are reached at 1; each event keeps its own row from acting again only.
    let mut table = ModelBuilder::new("first");
    let [a, b, n] = ["a", "b", "n"].map(|name| table.real(name, 0.0));
    let won = table.switch("won", false);
    let far_a = table.range("far_a", [at_least(a, 1.0)]);
    let far_b = table.range("far_b", [at_least(b, 1.0)]);
    let hit_a = table.event("hit_a", [far_a.into(), !won]);
    let hit_b = table.event("hit_b", [far_b.into(), !won]);
    table.assign([far_a.into()], [(won, true)]);
    table.assign([far_b.into()], [(won, true)]);
    for real in [a, b] {
        table.relation(real, "integral", [1.0]);
    }
    table
        .relation(n, "assignment", [1.0])
        .when([hit_a.into()])
        .once();
    table
        .relation(n, "sum", [Term::from(n), Term::Number(10.0)])
        .when([hit_b.into()])
        .once();
    let [_, [written, reversed]] = ends(&table.build().unwrap());
    assert_eq!([written[2], reversed[2]], [11.0, 10.0]);
}
