//! Stick and slip on a belt, friction falling with the speed: the mass sticks (a slide), is carried along at the
//! belt's speed until the spring is as strong as the friction, and slips.

use std::ops::ControlFlow;

use situ_engine::Method;
use situ_engine::sim::EventRun;
use situ_engine::trace::{Instant, Recorder, Row, What};

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

const TEXT: &str = r#"(format: 1, name: "belt", clock: (stepping: events, stop: 40),
    constants: {"k": 2, "d": 0.05, "belt": 0.3, "N": 9.81, "mus": 0.4, "muk": 0.2, "vs": 0.1},
    reals: {"x": 0, "v": 0, "rel": 0, "mu": 0, "F": 0},
    relations: [
        "rel = belt - v",
        "mu = muk + (mus - muk) * exp(-abs(rel) / vs)",
        "F = N * mu * sign(rel)",
        "v = integral(F - k * x - d * v)",
        "x = integral(v)",
    ])"#;

/// Times at which it begins to stick and to slip, and the places at the latter.
#[derive(Default)]
struct Seen {
    sticks: Vec<f64>,
    slips: Vec<(f64, f64)>,
    place: f64,
}

impl Recorder for Seen {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.place = row.reals[0];
        ControlFlow::Continue(())
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        for event in &instant.events {
            match event.what {
                What::SlideEntered { .. } => self.sticks.push(instant.time),
                What::SlideLeft { .. } => self.slips.push((instant.time, self.place)),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_mass_slips_where_the_spring_has_become_as_strong_as_the_friction() {
    for (method, rtol) in [
        (Method::Tsit5, 1e-8),
        (Method::Dop853, 1e-8),
        (Method::Tsit5, 1e-6),
    ] {
        let mut exact = Exact::new(Table::from_text(TEXT), 40.0, Accuracy::Tight);
        exact.config.settings.method = method;
        exact.config.settings.rtol = rtol;
        exact.config.atol = 1e-3 * rtol;
        let mut seen = Seen::default();
        let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
        run.run(&mut seen).unwrap();
        assert_eq!((seen.sticks.len(), seen.slips.len()), (5, 4));
        // N mus = k x + d belt
        let place = (9.81 * 0.4 - 0.05 * 0.3) / 2.0;
        for &(_, x) in &seen.slips {
            assert!((x - place).abs() < 10.0 * rtol, "{method:?}: {x}");
        }
        // The same cycle each time, and that of a run at a hundredth of the tolerance.
        // Times from a run of dop853 at 1e-12, which tsit5 confirms to 1e-9.
        assert!((seen.slips[0].0 - 6.581_067_187_2).abs() < 10.0 * rtol);
        assert!((seen.slips[2].0 - 24.969_785_429_6).abs() < 1000.0 * rtol);
    }
}
