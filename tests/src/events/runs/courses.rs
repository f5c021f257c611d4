//! A run with somebody who wants to know of every rule that acts, and one without, come to the same states, rows and
//! coverage, to the last bit.

use std::fmt::Debug;
use std::ops::ControlFlow;

use situ_engine::Method;
use situ_engine::model::Model;
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Instant, Recorder, Row, TraceRecorder};

use crate::tables::{Table, files, scenario_folders};

/// Rows after which a run is broken off.
const MOST_ROWS: usize = 300;

/// Keeps the first rows.
struct Kept<'m> {
    rows: TraceRecorder<'m>,
    /// True if instants are wanted.
    logged: bool,
}

impl Recorder for Kept<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.rows.row(row)?;
        match self.rows.trace.time.len() {
            ..MOST_ROWS => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn wants_instants(&self) -> bool {
        self.logged
    }

    fn instant(&mut self, _: &Instant) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// True if two are the same, NaN being like itself.
fn same<T: PartialEq + Debug>(a: &T, b: &T) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

/// Runs a model both ways. Result: the instants.
pub(crate) fn agree(model: &Model, config: &EventConfig) -> u64 {
    let Ok(mut run) = EventRun::new(model.clone(), config.clone()) else {
        return 0;
    };
    let mut each = run.clone();
    let [mut some, mut all] = [false, true].map(|logged| Kept {
        rows: TraceRecorder::new(model),
        logged,
    });
    let ends = (run.run(&mut some), each.run(&mut all));
    assert!(same(&ends.0, &ends.1), "{ends:?}");
    assert!(same(&some.rows.trace, &all.rows.trace));
    assert!(same(&run.state(), &each.state()));
    assert_eq!(run.covered(), each.covered());
    run.stats().instants
}

#[test]
fn every_scenario_comes_to_the_same_with_and_without_a_log() {
    let mut instants = 0;
    for path in scenario_folders()
        .iter()
        .flat_map(|folder| files(folder, "ron"))
    {
        let table = Table::at(&path);
        for method in [Method::Auto, Method::Dop853, Method::Rodas5p] {
            let Ok(mut config) = EventConfig::from_clock(&table.model.clock) else {
                continue;
            };
            config.settings.method = method;
            config.every = None;
            config.stop = config.stop.min(50.0);
            instants += agree(&table.model, &config);
        }
    }
    assert!(instants > 1000, "{instants}");
}
