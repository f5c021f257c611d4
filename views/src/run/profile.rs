//! Profile of a run: where its time goes, as tables of rules, modes, events, and reals that keep steps short.

use std::fmt::Write;

use serde::Serialize;

use crate::run::summary::share;
use crate::text::listing::{Align, Listing};
use crate::text::number::{counted, rounded};

/// Measurements of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Profile {
    /// Time of the whole run (in seconds).
    pub seconds: f64,
    /// Time that passed in the model [units of `time`].
    pub model_time: f64,
    /// Who did the ticks or steps, see [`crate::run::manifest::engine_used`].
    pub engine: &'static str,
    /// Ticks, or steps of the method.
    pub steps: u64,
    /// `tick` or `step`.
    pub step_name: &'static str,
    /// Evaluations of the rates.
    pub evaluations: u64,
    /// Rules, the costly ones first.
    pub rules: Vec<RuleCost>,
    /// Modes of an event-accurate run, the costly ones first.
    pub modes: Vec<ModeCost>,
    /// Costs of its instants, the costly ones first.
    pub instants: Vec<InstantCost>,
    /// Reals that limited steps, the most limiting ones first.
    pub limits: Vec<LimitCost>,
}

/// Cost of a rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleCost {
    /// The row, with its id.
    pub rule: String,
    /// Number of times that it was executed.
    pub executions: u64,
    /// Time of one execution by itself, interpreted (in seconds); `None` if it was not measured.
    pub each: Option<f64>,
    /// Time of all of them (in seconds).
    pub seconds: f64,
}

/// Cost of a mode.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ModeCost {
    /// Booleans that hold in it.
    pub holds: String,
    /// Steps of the method.
    pub steps: u64,
    /// Trials that were rejected.
    pub rejected: u64,
    /// Evaluations of the rates.
    pub evaluations: u64,
    /// Time of its steps, the search for events in them included (in seconds).
    pub seconds: f64,
}

/// Cost of the instants of one kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct InstantCost {
    /// Events that fired, or booleans that changed.
    pub what: String,
    /// Number of times.
    pub count: u64,
    /// Time of all of them (in seconds).
    pub seconds: f64,
}

/// Number of times that a real limited the step.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LimitCost {
    /// Its name.
    pub real: String,
    /// Steps whose largest error was its.
    pub steps: u64,
    /// Trials rejected for its error.
    pub rejections: u64,
}

impl Profile {
    /// Puts the costly ones first.
    pub fn sort(&mut self) {
        let later = |a: f64, b: f64| b.total_cmp(&a);
        self.rules.sort_by(|a, b| later(a.seconds, b.seconds));
        self.modes.sort_by(|a, b| later(a.seconds, b.seconds));
        self.instants.sort_by(|a, b| later(a.seconds, b.seconds));
        self.limits
            .sort_by_key(|one| std::cmp::Reverse((one.rejections, one.steps)));
    }

    /// For the terminal.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut text = format!(
            "{} in {}",
            counted(self.steps, self.step_name),
            seconds(self.seconds)
        );
        if self.evaluations > 0 {
            let _ = write!(
                text,
                ", {} of the rates",
                counted(self.evaluations, "evaluation")
            );
        }
        if self.engine == "native" {
            text.push_str(", in native code");
        }
        if self.seconds > 0.0 && self.model_time > 0.0 {
            // If the model's time is in seconds, by how much it is faster than what it describes.
            let pace = rounded(self.model_time / self.seconds);
            let _ = write!(text, "; a second of work takes `time` on by {pace}");
        }
        text.push('\n');
        let mut modes = Listing::new([
            ("mode: what holds", Align::Left),
            ("steps", Align::Right),
            ("rejected", Align::Right),
            ("evaluations", Align::Right),
            ("time", Align::Right),
            ("share", Align::Right),
        ]);
        for mode in &self.modes {
            modes.row([
                mode.holds.clone(),
                mode.steps.to_string(),
                mode.rejected.to_string(),
                mode.evaluations.to_string(),
                seconds(mode.seconds),
                share(mode.seconds, self.seconds),
            ]);
        }
        let mut instants = Listing::new([
            ("at an instant", Align::Left),
            ("times", Align::Right),
            ("time", Align::Right),
            ("each", Align::Right),
            ("share", Align::Right),
        ]);
        for instant in &self.instants {
            instants.row([
                instant.what.clone(),
                instant.count.to_string(),
                seconds(instant.seconds),
                seconds(instant.seconds / instant.count as f64),
                share(instant.seconds, self.seconds),
            ]);
        }
        let mut limits = Listing::new([
            ("real with the largest error", Align::Left),
            ("in steps", Align::Right),
            ("in rejected trials", Align::Right),
        ]);
        for limit in &self.limits {
            limits.row([
                limit.real.clone(),
                limit.steps.to_string(),
                limit.rejections.to_string(),
            ]);
        }
        let mut rules = Listing::new([
            ("rule", Align::Left),
            ("executed", Align::Right),
            ("each", Align::Right),
            ("time", Align::Right),
            ("share", Align::Right),
        ]);
        let all: f64 = self.rules.iter().map(|rule| rule.seconds).sum();
        for rule in &self.rules {
            rules.row([
                rule.rule.clone(),
                rule.executions.to_string(),
                rule.each.map_or_else(String::new, seconds),
                seconds(rule.seconds),
                share(rule.seconds, all),
            ]);
        }
        for listing in [modes, instants, limits, rules] {
            if !listing.is_empty() {
                text.push('\n');
                text.push_str(&listing.plain(width));
            }
        }
        text
    }
}

/// A time in its unit.
fn seconds(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1.0 => (value, "s"),
        value if value >= 1e-3 => (value * 1e3, "ms"),
        value if value >= 1e-6 => (value * 1e6, "us"),
        value => (value * 1e9, "ns"),
    };
    let digits = if value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {unit}")
}
