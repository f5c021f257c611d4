//! The stiff workloads: six small problems of the literature, the medical Akzo Nobel problem, competing species and
//! Brusselators on grids. Each is a rule table and is held against values of other programs.

use std::sync::Arc;

use serde_json::Value;
use situ_engine::Method;
use situ_engine::ids::RealId;
use situ_engine::model::Model;
use situ_engine::sim::{EventConfig, EventRun};
use situ_rules::{Choices, load_as, standalone};

use crate::models::POLLU;

/// Relative tolerances of the table of work against precision. At 1e-4 errors are some 1e-5 already, those of other
/// programs some 1e-4.
pub const TOLERANCES: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// Methods that are measured.
pub const METHODS: [Method; 4] = [Method::Rodas5p, Method::Bdf, Method::Radau, Method::Auto];

/// Reals from which on methods that do not keep their factors take seconds...
const MANY: usize = 1500;

/// ...and from which on all do at tight tolerances.
const LARGE: usize = 5000;

const COMPETING_SPECIES: &str = include_str!("../../scenarios/competing_species/table.ron");

/// A workload.
#[derive(Clone, Debug)]
pub struct Stiff {
    /// Its name.
    pub name: &'static str,
    /// Its rule table.
    pub model: Arc<Model>,
    text: &'static str,
    set: Vec<String>,
    stop: f64,
    /// Absolute tolerance per relative tolerance.
    atol: f64,
    /// Size of values below which an error is not relative.
    floor: f64,
    /// Reals and their values at the end.
    end: Vec<(RealId, f64)>,
}

/// Result of a run of a workload.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// The largest relative error of a value at the end.
    pub error: f64,
    /// Steps.
    pub steps: u64,
    /// Evaluations of the rates.
    pub rates: u64,
    /// Factorisations of a matrix.
    pub factorisations: u64,
}

/// All workloads.
///
/// # Panics
/// If a table of this crate has a mistake.
pub fn all() -> Vec<Stiff> {
    let ends = json(include_str!("../tables/stiff/ends.json"));
    let in_the_end = |name| end(&ends, name);
    let small = |name: &'static str, text, stop, [atol, floor]: [f64; 2]| {
        workload(name, text, &[], stop, [atol, floor], in_the_end(name))
    };
    let species = |name, side: usize, stop, end: Vec<(String, f64)>| {
        let size = [format!("J={side}"), format!("K={side}")];
        workload(name, COMPETING_SPECIES, &size, stop, [1e-6, 1e-9], end)
    };
    let plate = |side, [first, second]: [&str; 2]| -> Vec<String> {
        let points = (1..=side).flat_map(|k| (1..=side).map(move |j| (j, k)));
        points
            .flat_map(|(j, k)| [format!("{first}[{j},{k}]"), format!("{second}[{j},{k}]")])
            .collect()
    };
    let on_the_way = json(include_str!(
        "../../tests/data/exact/lotka_volterra_800.json"
    ));
    let line = json(include_str!(
        "../../tests/data/exact/brusselator_1d_500.json"
    ));
    let square = json(include_str!(
        "../../tests/data/exact/brusselator_2d_32.json"
    ));
    let cells = (1..=500).flat_map(|j| [format!("u[{j}]"), format!("v[{j}]")]);
    vec![
        small(
            "ROBER",
            include_str!("../tables/stiff/rober.ron"),
            1e11,
            [1e-8, 1e-16],
        ),
        small(
            "HIRES",
            include_str!("../tables/stiff/hires.ron"),
            321.8122,
            [1e-4, 1e-16],
        ),
        small(
            "OREGO",
            include_str!("../tables/stiff/orego.ron"),
            360.0,
            [1e-2, 1e-16],
        ),
        small("POLLU", POLLU, 60.0, [1e-6, 1e-16]),
        small(
            "VDPOL",
            include_str!("../tables/stiff/vdpol.ron"),
            2.0,
            [1.0, 1e-16],
        ),
        small(
            "ETHANE",
            include_str!("../tables/stiff/ethane.ron"),
            20.0,
            [1e-12, 1e-22],
        ),
        workload(
            "MEDAKZO",
            include_str!("../../scenarios/medakzo/table.ron"),
            &["N=200".to_owned()],
            20.0,
            [1e-2, 1e-6],
            in_the_end("MEDAKZO"),
        ),
        species("BROWN50", 5, 3.0, in_the_end("BROWN50")),
        species(
            "BROWN800 to 0.01",
            20,
            0.01,
            at(&on_the_way, 3, plate(20, ["c1", "c2"])),
        ),
        species("BROWN1800", 30, 3.0, in_the_end("BROWN1800")),
        species("BROWN20000", 100, 3.0, in_the_end("BROWN20000")),
        workload(
            "BRUSSELATOR500",
            include_str!("../../tests/data/families/brusselator_1d.ron"),
            &[],
            10.0,
            [1.0, 1e-9],
            at(&line, 3, cells.collect()),
        ),
        workload(
            "BRUSSELATOR32x32",
            include_str!("../../tests/data/families/brusselator_2d.ron"),
            &["N=32".to_owned()],
            2.0,
            [1.0, 1e-9],
            at(&square, 2, plate(32, ["u", "v"])),
        ),
    ]
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the file has no mistakes")
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().expect("the file holds numbers")
}

/// The end values of a workload in a file of all of them.
pub(crate) fn end(ends: &Value, name: &str) -> Vec<(String, f64)> {
    let end = ends[name]["end"].as_object();
    let end = end.expect("the workload has its end").iter();
    end.map(|(real, value)| (real.clone(), number(value)))
        .collect()
}

/// The values of a file of references at one of its times.
fn at(file: &Value, time: usize, names: Vec<String>) -> Vec<(String, f64)> {
    let values = file["y"][time].as_array();
    let values = values.expect("the file has the time").iter().map(number);
    names.into_iter().zip(values).collect()
}

/// A workload from its table.
pub(crate) fn workload(
    name: &'static str,
    text: &'static str,
    set: &[String],
    stop: f64,
    [atol, floor]: [f64; 2],
    end: impl IntoIterator<Item = (String, f64)>,
) -> Stiff {
    let model = read(name, text, set);
    let end = end.into_iter().map(|(real, value)| {
        let id = model.real(&real).expect("the table has it");
        (id, value)
    });
    Stiff {
        name,
        text,
        set: set.to_vec(),
        stop,
        atol,
        floor,
        end: end.collect(),
        model: Arc::new(model),
    }
}

fn read(name: &str, text: &str, set: &[String]) -> Model {
    let choices = Choices {
        set: set.to_vec(),
        ..Choices::default()
    };
    let loaded = load_as(name, text, &mut standalone, &choices);
    loaded.model.expect("the tables here have no mistakes")
}

impl Stiff {
    /// The model, read anew from its text.
    ///
    /// # Panics
    /// Never: it was read before.
    pub fn read(&self) -> Arc<Model> {
        Arc::new(read(self.name, self.text, &self.set))
    }

    /// The settings of a run; rows only where a step ends.
    ///
    /// # Panics
    /// If the table has no clock.
    pub fn config(&self, method: Method, tolerance: f64) -> EventConfig {
        let mut config = EventConfig::from_clock(&self.model.clock).expect("a clock is given");
        config.stop = self.stop;
        config.every = None;
        config.settings.method = method;
        config.settings.rtol = tolerance;
        config.atol = tolerance * self.atol;
        config
    }

    /// True if a method is measured at a tolerance: large systems by those that are meant for them, down to 1e-6.
    pub fn takes(&self, method: Method, tolerance: f64) -> bool {
        let n = self.model.reals.len();
        let is_for_large = matches!(method, Method::Bdf | Method::Auto);
        (n < MANY || is_for_large) && (n < LARGE || tolerance > 3e-7)
    }

    /// Runs and compares; `None` if the run fails.
    ///
    /// # Panics
    /// If the run cannot start.
    pub fn outcome(&self, config: &EventConfig) -> Option<Outcome> {
        let mut run = EventRun::new(Arc::clone(&self.model), config.clone()).expect("starts");
        run.run(&mut ()).ok()?;
        let stats = run.stats().method;
        let relative =
            |(id, end): &(RealId, f64)| (run.real(*id) - end).abs() / (end.abs() + self.floor);
        Some(Outcome {
            error: self.end.iter().map(relative).fold(0.0, f64::max),
            steps: stats.steps,
            rates: stats.rhs,
            factorisations: stats.factorisations,
        })
    }
}
