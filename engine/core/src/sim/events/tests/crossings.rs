//! What an instant goes through is what its crossings reach, however large the table is.

use super::*;

/// So many ranges of one quantity that grows, or of as many quantities, each with an event that is counted.
fn table(n: u32, one: bool) -> Model {
    let mut table = ModelBuilder::new("crossings");
    let count = table.real("count", 0.0);
    let mut grown = Vec::new();
    for k in 0..n {
        let at = f64::from(k) + 0.5;
        let x = match grown.first() {
            Some(&(x, _)) if one => x,
            _ => {
                let x = table.real(&format!("x_{k}"), 0.0);
                table.relation(x, "integral", [1.0]);
                x
            }
        };
        grown.push((x, at));
    }
    for (k, (x, at)) in grown.into_iter().enumerate() {
        let reached = table.range(&format!("reached_{k}"), [at_least(x, at)]);
        let arrives = table.event(&format!("arrives_{k}"), [reached.into()]);
        let more = Term::from(count) + 1.0;
        let row = table.relation(count, "assignment", [more]);
        row.when([arrives.into()]).once();
    }
    table.build().unwrap()
}

#[test]
fn instants_go_through_what_their_crossings_reach() {
    for one in [true, false] {
        let per_instant = [20, 200].map(|n| {
            let mut run = EventRun::new(table(n, one), config(10.0)).unwrap();
            let before = run.stats().gone_through;
            run.run(&mut ()).unwrap();
            assert_eq!(run.real(RealId::new(0)), 10.0);
            assert_eq!(run.stats().instants, 10);
            run.stats().gone_through - before
        });
        assert_eq!(per_instant[0], per_instant[1], "one: {one}");
        assert!(per_instant[0] <= 10 * 8, "{per_instant:?}");
    }
}
