//! Sweeps of models with events: runs whose steps are done in lanes and whose instants are done alone.

use std::path::Path;

use situ_engine::ids::{ConstantId, ExprId, RealId};
use situ_engine::model::{Expr, Input, Model, Stepping};
use situ_engine::sim::{EventConfig, RunConfig, Template};
use situ_engine::solve::Method;
use situ_engine::trace::Measure;
use situ_sweep::{Done, Keep, Slice};

/// The methods that are measured, each with its relative tolerance.
pub const METHODS: [(Method, f64); 3] = [
    (Method::Tsit5, 1e-6),
    (Method::Auto, 1e-6),
    (Method::Dop853, 1e-9),
];

/// A sweep.
#[derive(Clone, Debug)]
pub struct Flights {
    /// The table, and what varies.
    pub name: String,
    model: Model,
    input: Input,
    ends: [f64; 2],
    /// What is measured of every real.
    measure: fn(ExprId) -> Measure,
}

/// Tables of this repository, what varies in them, and from where to where.
const SWEEPS: [(&str, &str, [f64; 2]); 9] = [
    ("benches/tables/h1.ron", "e", [0.5, 0.85]),
    ("benches/tables/h1.ron", "h", [1.0, 20.0]),
    ("scenarios/hoop/table.ron", "m", [0.5, 2.0]),
    ("scenarios/hoop/table.ron", "h", [200.0, 600.0]),
    ("scenarios/thermostat/table.ron", "T", [10.0, 18.0]),
    (
        "scenarios/obstacle_pendulum/table.ron",
        "angle",
        [-1.2, -0.5],
    ),
    ("benches/tables/pendulum_ranges.ron", "a", [0.2, 2.0]),
    ("benches/tables/pendulum_ranges.ron", "l", [0.5, 2.0]),
    ("benches/tables/h5.ron", "v1", [1.0, 2.0]),
];

/// All of them.
///
/// # Panics
/// If a table is missing or has a mistake.
pub fn all() -> Vec<Flights> {
    let sweeps = SWEEPS.map(|(path, name, ends)| sweep(path, name, ends));
    let mut all = Vec::from(sweeps);
    for sweep in [all[3].clone(), all[6].clone()] {
        all.push(Flights {
            name: format!("{}, largest values", sweep.name),
            measure: Measure::Max,
            ..sweep
        });
    }
    all
}

fn sweep(path: &str, name: &str, ends: [f64; 2]) -> Flights {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(path)).expect("the table is there");
    let loaded = situ_rules::load(path, &text, &mut situ_rules::standalone);
    let mut model = loaded.model.expect("the tables here have no mistakes");
    // What is timed stops with the last instants of most runs.
    if path.ends_with("h1.ron") {
        model.clock.stop = Some(12.0);
    }
    let constants = model.constants.iter().map(|constant| &constant.name);
    let constants = constants
        .enumerate()
        .map(|(i, name)| (name, Input::Constant(ConstantId::new(i))));
    let reals = model.reals.iter().map(|real| &real.name);
    let reals = reals
        .enumerate()
        .map(|(i, name)| (name, Input::Real(RealId::new(i))));
    let (_, input) = constants
        .chain(reals)
        .find(|(known, _)| *known == name)
        .expect("the table has it");
    Flights {
        name: format!("{}, {name}", model.name),
        input,
        ends,
        model,
        measure: Measure::Final,
    }
}

impl Flights {
    /// So many runs.
    ///
    /// # Panics
    /// If the table has no clock.
    pub fn slice(&self, runs: u32, method: Method, rtol: f64) -> Slice {
        let mut model = self.model.clone();
        (model.clock.stepping, model.clock.method) = (Some(Stepping::Events), Some(method));
        model.clock.rtol = Some(rtol);
        let mut config = EventConfig::from_clock(&model.clock).expect("a clock is given");
        config.every = None;
        let reals = (0..model.reals.len()).map(RealId::new);
        let measures: Vec<Measure> = reals
            .map(|real| (self.measure)(model.exprs.push(Expr::Real(real))))
            .collect();
        let template = Template::new(model, RunConfig::Events(config), &measures);
        let [first, last] = self.ends;
        let rows = (0..runs).map(|run| {
            let share = f64::from(run) / f64::from(runs.max(2) - 1);
            vec![first + (last - first) * share]
        });
        Slice {
            template: template.expect("start values are given"),
            inputs: vec![self.input],
            first: 0,
            rows: rows.collect(),
            keep: Keep::Measures,
        }
    }
}

/// The same runs, one after the other.
pub fn alone(slice: &Slice) -> Vec<Done> {
    let rows = (0..).zip(&slice.rows);
    let one = |(first, row): (u64, &Vec<f64>)| Slice {
        first: slice.first + first,
        rows: vec![row.clone()],
        inputs: slice.inputs.clone(),
        template: slice.template.clone(),
        keep: slice.keep,
    };
    rows.flat_map(|row| one(row).run(&|| false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_the_same_bits_in_lanes() {
        for sweep in all() {
            for (method, _) in METHODS {
                let slice = sweep.slice(40, method, 1e-6);
                assert!(slice.template.lanes().is_some());
                assert_eq!(slice.run(&|| false), alone(&slice), "{}", sweep.name);
            }
        }
    }
}
