//! Equations that are solved, and delays: Robertson's reactions with a balance, a pendulum on a rod, a transistor
//! amplifier, a plate of diodes, two delays of the literature; and ticks with one row that is solved.

use situ_engine::Method;
use situ_engine::model::Model;
use situ_engine::sim::{TickConfig, TickRun};
use situ_jit::{Jit, Options};
use situ_rules::{load, standalone};

use crate::stiff::{Stiff, end, json, workload};

/// Methods for stiff equations.
const EQUATIONS: [Method; 4] = [Method::Rodas5p, Method::Bdf, Method::Radau, Method::Auto];

/// Methods for the motion of a pendulum.
const MOTION: [Method; 5] = [
    Method::Rodas5p,
    Method::Bdf,
    Method::Radau,
    Method::Dop853,
    Method::Auto,
];

/// Methods for delays.
const DELAYS: [Method; 4] = [Method::Tsit5, Method::Dop853, Method::Radau, Method::Auto];

/// Names of the workloads.
pub const NAMES: [&str; 10] = [
    "ROBER_DAE",
    "ROBER_ODE",
    "PEND1",
    "PEND3",
    "AMPLIFIER",
    "MACKEY_GLASS",
    "WHELDON",
    "DIODES10",
    "DIODES20",
    "DIODES",
];

/// A workload and the methods that are measured.
///
/// # Panics
/// If it has no such name, or its table has a mistake.
pub fn named(name: &'static str) -> (Stiff, &'static [Method]) {
    let (text, stop, [atol, floor]) = match name {
        "ROBER_DAE" => (
            include_str!("../tables/implicit/robertson_balance.ron"),
            4e5,
            [1e-8, 1e-16],
        ),
        "ROBER_ODE" => (
            include_str!("../tables/implicit/robertson.ron"),
            4e5,
            [1e-8, 1e-16],
        ),
        "PEND1" => (
            include_str!("../tables/implicit/pendulum_force.ron"),
            10.0,
            [1.0, 1.0],
        ),
        "PEND3" => (
            include_str!("../tables/implicit/pendulum_rod.ron"),
            10.0,
            [1.0, 1.0],
        ),
        "AMPLIFIER" => (
            include_str!("../../scenarios/amplifier/table.ron"),
            0.2,
            [1.0, 1.0],
        ),
        "MACKEY_GLASS" => (
            include_str!("../tables/implicit/mackey_glass.ron"),
            510.0,
            [1.0, 1e-16],
        ),
        "WHELDON" => (
            include_str!("../tables/implicit/wheldon.ron"),
            100.0,
            [1.0, 1e-16],
        ),
        _ => (
            include_str!("../tables/implicit/diodes.ron"),
            0.02,
            [1.0, 1.0],
        ),
    };
    let set: &[String] = match name {
        "DIODES10" => &["N=10".to_owned()],
        "DIODES20" => &["N=20".to_owned()],
        _ => &[],
    };
    // Other ways to write the same motion.
    let like = match name {
        "ROBER_ODE" => "ROBER_DAE",
        "PEND3" => "PEND1",
        _ => name,
    };
    let ends = json(include_str!("../tables/implicit/ends.json"));
    let workload = workload(name, text, set, stop, [atol, floor], end(&ends, like));
    let methods: &[Method] = match name {
        "MACKEY_GLASS" | "WHELDON" => &DELAYS,
        "PEND1" | "PEND3" => &MOTION,
        _ => &EQUATIONS,
    };
    (workload, methods)
}

/// A table whose tick has one row that is solved.
#[derive(Clone, Debug)]
pub struct SolvedRow {
    /// Its name.
    pub name: &'static str,
    /// Its table.
    pub model: Model,
}

/// All of them.
///
/// # Panics
/// If a table of this crate has a mistake.
pub fn rows() -> [SolvedRow; 2] {
    let rows = [
        (
            "ROW_LINEAR",
            include_str!("../tables/implicit/row_linear.ron"),
        ),
        (
            "ROW_DIODE",
            include_str!("../tables/implicit/row_diode.ron"),
        ),
    ];
    rows.map(|(name, text)| {
        let model = load(name, text, &mut standalone).model;
        let model = model.expect("the tables here have no mistakes");
        SolvedRow { name, model }
    })
}

impl SolvedRow {
    /// Ticks that have not begun.
    ///
    /// # Panics
    /// If they cannot start.
    pub fn interpreted(&self) -> TickRun {
        let config = TickConfig::from_clock(&self.model.clock).expect("a clock is given");
        TickRun::new(self.model.clone(), config).expect("starts")
    }

    /// The same in native code; `None` if there is none.
    pub fn native(&self) -> Option<TickRun> {
        let mut run = self.interpreted();
        run.compile_with(&Jit::at_once(Options::default())).ok()?;
        Some(run)
    }
}
