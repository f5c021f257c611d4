//! Tables of any size in which one range turns at a time: what an instant costs must not depend on how many there are.

use std::sync::Arc;

use situ_engine::Method;
use situ_engine::model::{Clock, CompareOp, ModelBuilder, Stepping, Term};
use situ_engine::sim::{EventConfig, EventRun};

/// When the runs end: at 100 instants.
const STOP: f64 = 100.0;

/// What the ranges look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One quantity that grows past many thresholds.
    Thresholds,
    /// Many quantities, each with a threshold of its own.
    Quantities,
}

impl Kind {
    /// By its name.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "thresholds" => Some(Self::Thresholds),
            "quantities" => Some(Self::Quantities),
            _ => None,
        }
    }

    /// A run of a table with so many ranges, events and rows that act at one.
    ///
    /// # Panics
    /// If it cannot start.
    pub fn start(self, n: u32, method: Method, tolerance: f64) -> EventRun {
        let clock = Clock {
            stop: Some(STOP),
            stepping: Some(Stepping::Events),
            ..Clock::default()
        };
        let mut table = ModelBuilder::new("crossings");
        table.clock(clock.clone());
        let count = table.real("count", 0.0);
        let one = (self == Self::Thresholds).then(|| table.real("x", 0.0));
        let grown: Vec<_> = (0..n)
            .map(|k| {
                let at = f64::from(k) + 0.5;
                match one {
                    Some(x) => (x, at),
                    None => (table.real(&format!("x_{k}"), -at), 0.0),
                }
            })
            .collect();
        let events: Vec<_> = (0..)
            .zip(&grown)
            .map(|(k, &(x, at))| {
                let reached = (x.into(), CompareOp::GreaterEqual, at.into());
                let reached = table.range(&format!("reached_{k}"), [reached]);
                table.event(&format!("arrives_{k}"), [reached.into()])
            })
            .collect();
        let moving = if one.is_some() { 1 } else { grown.len() };
        for &(x, _) in &grown[..moving] {
            table.relation(x, "integral", [1.0]);
        }
        for event in events {
            let more = Term::from(count) + 1.0;
            table
                .relation(count, "assignment", [more])
                .when([event.into()])
                .once();
        }
        let mut config = EventConfig::from_clock(&clock).expect("a clock is given");
        config.settings.method = method;
        config.settings.rtol = tolerance;
        config.atol = tolerance;
        let model = table.build().expect("the table has no mistakes");
        EventRun::new(Arc::new(model), config).expect("starts")
    }
}
