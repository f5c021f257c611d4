//! The hybrid workloads H1 to H5: a bouncing ball, a hoop that sticks, a ball in a box, a pendulum,
//! sticking masses. Each is a rule table and is held against a closed form of forty digits and more.

use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::Method;
use situ_engine::ids::RealId;
use situ_engine::model::{Model, Situation};
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Instant, Recorder, Row, What};
/// Tolerances of the work-precision table, relative and absolute.
pub const TOLERANCES: [f64; 7] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// Methods that are measured.
pub const METHODS: [Method; 4] = [Method::Tsit5, Method::Dop853, Method::Taylor, Method::Auto];

/// A workload.
#[derive(Clone, Debug)]
pub struct Hybrids {
    /// Its name.
    pub name: &'static str,
    /// Its rule table.
    pub model: Arc<Model>,
    judge: Judge,
}

/// Reference for a run.
#[derive(Clone, Copy, Debug)]
enum Judge {
    /// These reals at the end, largest difference; and how many events there are.
    End(&'static [(&'static str, f64)], u64),
    /// Height at the end and time of sticking, largest relative difference; instants.
    Sticks(f64, f64, u64),
    /// Energy at the end, relative difference; bounces.
    Energy(u64),
}

/// Result of a run of a workload.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The error, as the workload defines it.
    pub error: f64,
    /// Events found, and how many there are.
    pub events: [u64; 2],
    /// Bounces that were right to a thousandth of a second, before the first that was not; only of
    /// the ball in the box, whose motion is chaotic.
    pub follows: Option<usize>,
    /// Steps and evaluations.
    pub steps: u64,
    /// Evaluations of the rates.
    pub rates: u64,
}

/// Times of the first bounces of H3 (in seconds), computed with 1700 digits.
const BOUNCES: &str = include_str!("../tables/h3_bounces.txt");

/// All workloads.
///
/// # Panics
/// If a table of this crate has a mistake.
pub fn all() -> [Hybrids; 5] {
    let load = |name, text, judge| {
        let loaded = situ_rules::load(name, text, &mut situ_rules::standalone);
        let model = loaded.model.expect("the tables here have no mistakes");
        Hybrids {
            name,
            model: Arc::new(model),
            judge,
        }
    };
    [
        load(
            "H1",
            include_str!("../tables/h1.ron"),
            Judge::End(
                &[
                    ("h", 0.000_122_312_979_858_886_76),
                    ("v", 0.020_011_979_118_961_295),
                ],
                25,
            ),
        ),
        load(
            "H2",
            include_str!("../tables/h2.ron"),
            Judge::Sticks(15.361_606_741_608_398, 6.285_028_913_133_398, 15),
        ),
        load("H3", include_str!("../tables/h3.ron"), Judge::Energy(2361)),
        load(
            "H4",
            include_str!("../tables/h4.ron"),
            Judge::End(
                &[
                    ("angle", -1.307_672_346_370_374),
                    ("rate", -0.158_425_087_154_242_58),
                ],
                0,
            ),
        ),
        load(
            "H5",
            include_str!("../tables/h5.ron"),
            Judge::End(
                &[
                    ("p1", 1.099_768_059_946_245_6),
                    ("v1", 0.652_835_666_402_016_4),
                    ("p2", 2.228_668_183_905_337_5),
                    ("v2", 0.552_490_449_255_336_1),
                    ("s", 3.171_050_106_958_629_4e-5),
                ],
                8,
            ),
        ),
    ]
}

impl Hybrids {
    /// The settings of a run; rows only where a step or instant ends.
    ///
    /// # Panics
    /// If the table has no clock.
    pub fn config(&self, method: Method, tolerance: f64) -> EventConfig {
        let mut config = EventConfig::from_clock(&self.model.clock).expect("a clock is given");
        config.every = None;
        config.settings.method = method;
        config.settings.rtol = tolerance;
        config.atol = tolerance;
        config
    }

    /// A run at its start.
    ///
    /// # Panics
    /// If it cannot start.
    pub fn start(&self, config: EventConfig) -> EventRun {
        EventRun::new(Arc::clone(&self.model), config).expect("starts")
    }

    /// Runs and compares.
    ///
    /// # Panics
    /// If the run fails.
    pub fn outcome(&self, config: &EventConfig) -> Outcome {
        let mut run = self.start(config.clone());
        let mut notes = Notes {
            model: &self.model,
            bounces: Vec::new(),
            last_instant: 0.0,
        };
        run.run(&mut notes).expect("runs");
        let stats = run.stats();
        let real = |name: &str| {
            let at = self.model.reals.iter().position(|real| real.name == name);
            run.real(RealId::new(at.expect("the table has it")))
        };
        let fired = notes.bounces.len() as u64;
        let mut follows = None;
        let (error, events) = match self.judge {
            Judge::End(reals, events) => {
                let errors = reals.iter().map(|(name, value)| (real(name) - value).abs());
                (errors.fold(0.0, f64::max), [fired, events])
            }
            Judge::Sticks(height, time, events) => {
                let errors = [real("h") / height - 1.0, notes.last_instant / time - 1.0];
                let error = errors.map(f64::abs).into_iter().fold(0.0, f64::max);
                (error, [stats.instants, events])
            }
            Judge::Energy(events) => {
                let exact = BOUNCES.lines().map(|line| line.parse().unwrap_or(f64::NAN));
                let right = |(mine, exact): &(&f64, f64)| (*mine - exact).abs() < 1e-3;
                follows = Some(notes.bounces.iter().zip(exact).take_while(right).count());
                let [y, u, v] = ["y", "u", "v"].map(real);
                let start = 0.5 * 9.0 + 9.81 * 2.0;
                let energy = 0.5 * (u * u + v * v) + 9.81 * y;
                ((energy / start - 1.0).abs(), [fired, events])
            }
        };
        Outcome {
            error,
            events,
            follows,
            steps: stats.method.steps,
            rates: stats.method.rhs,
        }
    }
}

/// Notes when something happened.
struct Notes<'a> {
    model: &'a Model,
    bounces: Vec<f64>,
    last_instant: f64,
}

impl Recorder for Notes<'_> {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        if instant.microsteps > 0 && instant.number > 0 {
            self.last_instant = instant.time;
        }
        let situations: &[Situation] = &self.model.situations;
        for event in &instant.events {
            if let What::Fired(id) = event.what
                && situations[id.index()].event
            {
                self.bounces.push(instant.time);
            }
        }
        ControlFlow::Continue(())
    }
}
