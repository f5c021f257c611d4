//! Notes of an event-accurate run where the model leaves something open.

use super::rest::Instants;
use super::*;
use crate::trace::{Direction, What};

fn noted(model: Model, stop: f64) -> (EventRun, Instants) {
    let mut run = EventRun::new(model, config(stop)).unwrap();
    let mut instants = Instants::default();
    run.run(&mut instants).unwrap();
    (run, instants)
}

#[test]
fn fields_that_part_keep_the_side_and_say_so() {
    // At 1 the state is put onto the border from which both fields lead away.
    for (start, ends, kept) in [(2.0, 1.0, Direction::Up), (-2.0, -1.0, Direction::Down)] {
        let mut table = ModelBuilder::new("part");
        let x = table.real("x", start);
        let up = table.range("up", [(x.into(), CompareOp::Greater, 0.0.into())]);
        table.relation(x, "integral", [1.0]).when([up.into()]);
        table.relation(x, "integral", [-1.0]).when([!up]);
        let each = table.every(1.0);
        let beat = table.event("beat", [each.into()]);
        table
            .relation(x, "assignment", [0.0])
            .when([beat.into()])
            .once();
        let (run, instants) = noted(table.build().unwrap(), 1.999);
        assert!((run.real(x) - ends * 0.999).abs() < 1e-9, "{}", run.real(x));
        let times = instants
            .times(|what| matches!(what, What::NotUnique { kept: side, .. } if *side == kept));
        assert_eq!(times, [1.0]);
    }
}
