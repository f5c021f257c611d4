//! Instants that go as others went come to what they would have come to, rule by rule.

use super::rest::Instants;
use super::*;

/// The state at the end with courses followed and without, which must be the same; how many were followed.
fn followed(model: Model, stop: f64) -> u64 {
    let mut run = Hybrid::new(model, config(stop)).unwrap();
    // Whoever wants to know each rule that acts has every instant gone through.
    let mut slow = run.clone();
    let ends = [run.run(&mut ()), slow.run(&mut Instants::default())];
    assert_eq!(ends[0], ends[1]);
    assert_eq!(run.state(), slow.state());
    assert_eq!(run.covered(), slow.covered());
    assert_eq!(slow.courses.followed, 0);
    run.courses.followed
}

#[test]
fn bounces_follow_an_earlier_one() {
    let mut table = ModelBuilder::new("ball");
    let [h, v] = [("h", 10.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let below = table.range("below", [(h.into(), CompareOp::Less, 0.0.into())]);
    let bounce = table.event("bounce", [below.into()]);
    let back = [v.into(), Term::from(-0.9)];
    table
        .relation(h, "assignment", [0.0])
        .when([bounce.into()])
        .once();
    table
        .relation(v, "product", back)
        .when([bounce.into()])
        .once();
    table.relation(h, "integral", [v]);
    table.relation(v, "integral", [-9.81]);
    let model = table.build().unwrap();
    let mut run = Hybrid::new(model.clone(), config(20.0)).unwrap();
    run.run(&mut ()).unwrap();
    let (count, instants) = (followed(model, 20.0), run.stats().instants);
    assert!(
        count + 4 >= instants && instants > 8,
        "{count} of {instants}"
    );
}

#[test]
fn an_answer_that_falls_otherwise_is_heeded() {
    // Every second the sign of x decides about a side, and x turns with each third beat: the setting is the
    // same, the side is not.
    let mut table = ModelBuilder::new("turns");
    let [x, n] = [("x", 1.0), ("n", 0.0)].map(|(name, start)| table.real(name, start));
    let y = table.real("y", 0.0);
    let above = table.range("above", [(x.into(), CompareOp::Greater, 0.0.into())]);
    table.relation(y, "integral", [1.0]).when([above.into()]);
    let beat = table.every(1.0);
    let beats = table.event("beats", [beat.into()]);
    table
        .relation(n, "sum", [n.into(), Term::from(2.1)])
        .when([beats.into()])
        .once();
    table.relation(x, "sin", [n]).when([beats.into()]).once();
    let model = table.build().unwrap();
    let count = followed(model, 60.0);
    assert!((5..58).contains(&count), "{count} were followed");
}
