//! Where somebody wants to know of every rule that acts, each instant is gone through rule by rule; else it may
//! go as one before it went. Both come to the same states, rows and coverage, to the last bit.

use std::ops::ControlFlow;

use situ_engine::model::Model;
use situ_engine::sim::{EventConfig, Hybrid};
use situ_engine::solve::Method;
use situ_engine::trace::{Instant, Recorder, Row};

use crate::tables::{Table, files, scenario_folders};

/// All rows, in bits.
#[derive(Default)]
struct Rows {
    wants_instants: bool,
    rows: Vec<u64>,
}

impl Recorder for Rows {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let reals = row.reals.iter().map(|x| x.to_bits());
        self.rows.push(row.time.to_bits());
        self.rows.extend(reals);
        self.rows.extend(row.words.iter().chain(row.fired));
        ControlFlow::Continue(())
    }

    fn wants_instants(&self) -> bool {
        self.wants_instants
    }

    fn instant(&mut self, _: &Instant) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Runs a model both ways. Result: the instants.
pub(crate) fn agree(model: &Model, config: &EventConfig) -> u64 {
    let Ok(mut run) = Hybrid::new(model.clone(), config.clone()) else {
        return 0;
    };
    let mut each = run.clone();
    let [mut some, mut all] = [false, true].map(|wants_instants| Rows {
        wants_instants,
        ..Rows::default()
    });
    let ends = [run.run(&mut some), each.run(&mut all)].map(|end| format!("{end:?}"));
    assert_eq!(ends[0], ends[1]);
    let apart = some.rows.iter().zip(&all.rows).position(|(a, b)| a != b);
    assert_eq!((apart, some.rows.len()), (None, all.rows.len()));
    // What is not a number is not equal to itself.
    let states = [run.state(), each.state()].map(|state| format!("{state:?}"));
    assert_eq!(states[0], states[1]);
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
    assert!(instants > 5000, "{instants}");
}
