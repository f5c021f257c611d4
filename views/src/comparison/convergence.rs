//! Runs of one model with ever smaller steps or tolerances: how fast they approach each other, and
//! what that says of the error that is left.

use serde::Serialize;
use situ_engine::Steps;
use situ_engine::model::Model;
use situ_engine::sim::{EventConfig, RunConfig};
use situ_rules::diag::InWords;
use situ_words::say;

use crate::comparison::observed::Observed;
use crate::comparison::pairing::outside;
use crate::comparison::starts_anew;
use crate::text::listing::{Align, Listing};
use crate::text::number::rounded;

/// How the runs of a study are made finer, one after the other: a step that is halved, a tolerance that is divided by 10.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Refinement {
    /// Setting that is made smaller: `step` or `rtol`.
    pub setting: &'static str,
    /// By which factor each time.
    pub factor: f64,
    /// True if the runs see events at the ends of ticks only.
    pub rounds_events: bool,
}

impl Refinement {
    /// Of runs made so.
    pub fn of(config: &RunConfig) -> Self {
        let (setting, factor) = match config {
            RunConfig::Ticks(_) => ("step", 2.0),
            RunConfig::Events(config) if is_fixed(config) => ("step", 2.0),
            RunConfig::Events(_) => ("rtol", 10.0),
        };
        Self {
            setting,
            factor,
            rounds_events: matches!(config, RunConfig::Ticks(config) if !config.is_uneven()),
        }
    }

    /// The settings of the run with this number, and the value of what is made smaller.
    ///
    /// # Errors
    ///
    /// A tolerance is too small, in words.
    pub fn config(&self, config: &RunConfig, run: u8) -> Result<(f64, RunConfig), String> {
        let factor = self.factor.powi(i32::from(run));
        Ok(match config.clone() {
            RunConfig::Ticks(mut config) => {
                config.step /= factor;
                // A power of 2 below 2^20, so that ticks are counted exactly.
                let times = factor as u64;
                (config.ticks, config.every) = (config.ticks * times, config.every * times);
                (config.step, RunConfig::Ticks(config))
            }
            RunConfig::Events(mut config) if is_fixed(&config) => {
                let step = config.settings.h0.unwrap_or_default() / factor;
                config.settings.h0 = Some(step);
                (step, RunConfig::Events(config))
            }
            RunConfig::Events(mut config) => {
                config.settings.rtol /= factor;
                config.atol /= factor;
                let checked = config.settings.check(&[config.atol]);
                checked.map_err(|error| say!("converge-too-small", error = error.in_words()))?;
                (config.settings.rtol, RunConfig::Events(config))
            }
        })
    }
}

fn is_fixed(config: &EventConfig) -> bool {
    config.settings.method.about().steps == Steps::Fixed
}

/// Runs that approach each other.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Convergence {
    /// Name of the model.
    pub model: String,
    /// Setting that was made smaller: `step` or `rtol`.
    pub setting: &'static str,
    /// By which factor each time.
    pub factor: f64,
    /// Its values, the largest first.
    pub values: Vec<f64>,
    /// Reals.
    pub reals: Vec<RealConverging>,
    /// Changes of booleans and firings of events in each run.
    pub changes: Vec<usize>,
    /// True if the runs see events at the ends of ticks only.
    #[serde(skip)]
    pub rounds_events: bool,
    /// In words.
    pub verdict: String,
}

/// Convergence of one real.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RealConverging {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Largest difference from each run to the next, at common times [its unit]; those between the
    /// two times of a change that both runs have are left out.
    pub changes: Vec<f64>,
    /// Measured order: how many powers of the factor a change is smaller than the one before it, from
    /// the last two. `None` if one of them is rounding only.
    pub order: Option<f64>,
    /// Estimate of the largest error of the last run [its unit]. `None` if nothing converges, or nothing tells how fast.
    pub error: Option<f64>,
}

/// A change of this part of the largest value is rounding, which many steps and events add up.
const ROUNDING: f64 = 1e-12;

/// Below this order nothing converges.
const LOWEST: f64 = 0.3;

impl Convergence {
    /// Of runs of a model, at least three, with the values of what was made smaller.
    pub fn of(model: &Model, refinement: &Refinement, runs: &[(f64, Observed)]) -> Self {
        let Refinement {
            setting,
            factor,
            rounds_events,
        } = *refinement;
        let shown = model
            .reals
            .iter()
            .enumerate()
            .filter(|(_, real)| real.output);
        let settled: Vec<Vec<usize>> = runs
            .windows(2)
            .map(|pair| settled(&pair[0].1, &pair[1].1))
            .collect();
        // Where a tick gives a real its value anew, from the first one on.
        let first_steps = |pair: &[(f64, Observed)], samples: &Vec<usize>| {
            let behind = pair[0].1.from_first_step(samples);
            pair[1].1.from_first_step(&behind)
        };
        let computed: Vec<Vec<usize>> = match rounds_events {
            true => (runs.windows(2).zip(&settled))
                .map(|(pair, samples)| first_steps(pair, samples))
                .collect(),
            false => settled.clone(),
        };
        let reals: Vec<RealConverging> = shown
            .map(|(index, real)| {
                let columns: Vec<&[f64]> = runs.iter().map(|(_, run)| &*run.reals[index]).collect();
                let samples = match starts_anew(model, index) {
                    true => &computed,
                    false => &settled,
                };
                let samples: Vec<Vec<usize>> = (runs.windows(2).zip(samples))
                    .map(|(pair, samples)| pair[0].1.clear_of_jumps(&pair[1].1, index, samples))
                    .collect();
                converging((&real.name, &real.unit), factor, &columns, &samples)
            })
            .collect();
        let mut convergence = Self {
            model: model.name.clone(),
            setting,
            factor,
            values: runs.iter().map(|(value, _)| *value).collect(),
            reals,
            changes: runs.iter().map(|(_, run)| run.n_changes()).collect(),
            rounds_events,
            verdict: String::new(),
        };
        convergence.verdict = convergence.judge();
        convergence
    }

    fn judge(&self) -> String {
        let mut sentences = Vec::new();
        // Without an order one change is rounding; the runs part if that is the first of them.
        let order = |real: &RealConverging| match (real.order, &real.changes[..]) {
            (None, [.., before, last]) if last > before && real.error.is_none() => {
                Some(f64::NEG_INFINITY)
            }
            (order, _) => order,
        };
        let orders = self
            .reals
            .iter()
            .filter_map(|real| Some((order(real)?, real)));
        let slowest = orders.min_by(|a, b| a.0.total_cmp(&b.0));
        let by = rounded(self.factor);
        let setting = self.setting;
        match slowest {
            None => sentences.push(say!("converge-nothing")),
            Some((order, RealConverging { name, .. })) if order < LOWEST => {
                sentences.push(say!("converge-not", name, setting, by));
                if self.rounds_events && self.changes.iter().any(|count| *count > 0) {
                    sentences.push(say!("converge-not.rounded"));
                }
            }
            Some((order, RealConverging { name, .. })) => {
                let divided = format!("{:.1}", self.factor.powf(order));
                sentences.push(say!("converge-all", name, setting, by, divided));
            }
        }
        if self.changes.windows(2).any(|pair| pair[0] != pair[1]) {
            let counts: Vec<String> = self.changes.iter().map(usize::to_string).collect();
            sentences.push(say!("converge-events", counts = counts.join(", ")));
        }
        sentences.join(" ")
    }

    /// For people; wrapped at a width, if one is given.
    pub fn text(&self, width: Option<u16>) -> String {
        let values: Vec<String> = self.values.iter().map(|value| rounded(*value)).collect();
        let mut text = match self.model.as_str() {
            "" => String::new(),
            model => format!("{model}: "),
        };
        text.push_str(&format!("{} = {}\n\n", self.setting, values.join(", ")));
        let mut listing = Listing::new([
            (say!("summary-reals.real"), Align::Left),
            (say!("converge-column-changes"), Align::Right),
            (say!("converge-column-order"), Align::Right),
            (say!("converge-column-error"), Align::Right),
            (say!("summary-reals.unit"), Align::Left),
        ]);
        for real in &self.reals {
            let changes: Vec<String> = real
                .changes
                .iter()
                .map(|change| format!("{:>7}", format!("{change:.2e}")))
                .collect();
            listing.row([
                real.name.clone(),
                changes.join("  "),
                real.order
                    .map(|order| format!("{order:.2}"))
                    .unwrap_or_default(),
                real.error
                    .map(|error| format!("{error:.1e}"))
                    .unwrap_or_default(),
                real.unit.clone(),
            ]);
        }
        text.push_str(&listing.plain(width));
        text + "\n" + &self.verdict + "\n"
    }
}

/// Positions of the common times of two runs that lie beyond a change in both or in neither.
fn settled(a: &Observed, b: &Observed) -> Vec<usize> {
    let common = [a, b].map(|run| run.reals.first().map_or(0, Vec::len));
    outside(
        &a.times[..common[0].min(common[1])],
        a.spans(b, Some, f64::INFINITY),
    )
}

/// `settled`: per pair of runs the positions that count.
fn converging(
    (name, unit): (&str, &str),
    factor: f64,
    columns: &[&[f64]],
    settled: &[Vec<usize>],
) -> RealConverging {
    let changes: Vec<f64> = columns
        .windows(2)
        .zip(settled)
        .map(|(pair, settled)| {
            let differences = settled.iter().map(|&at| (pair[0][at] - pair[1][at]).abs());
            differences.fold(0.0, f64::max)
        })
        .collect();
    let size = columns
        .iter()
        .copied()
        .flatten()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let [.., before, last] = changes[..] else {
        unreachable!("there are at least three runs");
    };
    let rounding = ROUNDING * size;
    let (order, error) = if before.max(last) <= rounding {
        (None, Some(last.max(f64::EPSILON * size)))
    } else if before.min(last) <= rounding {
        (None, None)
    } else {
        let order = (before / last).ln() / factor.ln();
        let left = last / (factor.powf(order) - 1.0);
        (Some(order), Some(left).filter(|_| order >= LOWEST))
    };
    RealConverging {
        name: name.to_owned(),
        unit: unit.to_owned(),
        changes,
        order,
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_error_are_those_of_a_power_series() {
        // x(h) = 1 + 3 h^2: the error of the last run is 3 h^2.
        let columns: Vec<Vec<f64>> = [0.1, 0.05, 0.025, 0.0125]
            .map(|h: f64| vec![0.0, 1.0 + 3.0 * h * h])
            .into();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let all = vec![vec![0, 1]; 3];
        let real = converging(("x", ""), 2.0, &columns, &all);
        assert!((real.order.unwrap() - 2.0).abs() < 1e-9);
        assert!((real.error.unwrap() - 3.0 * 0.0125 * 0.0125).abs() < 1e-12);
        let constant = converging(("x", ""), 2.0, &[&[1.0][..]; 3], &[vec![0], vec![0]]);
        assert_eq!((constant.order, constant.error), (None, Some(f64::EPSILON)));
        // What is 0 or rounding is no measure of an order.
        let of = |values: [f64; 4]| {
            let columns = values.map(|value| vec![value]);
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let real = converging(("x", ""), 2.0, &columns, &vec![vec![0]; 3]);
            (real.order, real.error)
        };
        for values in [
            [0.0, 0.0, 1.0, 1.0],
            [1.0, 0.5, 1.0, 1.0 + 3e-16],
            [1.0, 1.0, 1.0, 0.0],
        ] {
            assert_eq!(of(values), (None, None), "{values:?}");
        }
    }

    #[test]
    fn a_start_value_that_no_tick_keeps_is_no_error_of_the_method() {
        use situ_engine::model::{Clock, ModelBuilder};
        use situ_engine::sim::Run;

        let mut table = ModelBuilder::new("line");
        let [x, y] = [("x", 0.0), ("y", 1.0)].map(|(name, start)| table.real(name, start));
        table.relation(x, "integral", [1.0]);
        table.relation(y, "sum", [x, x]);
        let model = table.build().unwrap();
        let clock = Clock {
            step: Some(0.01),
            stop: Some(3.0),
            ..Clock::default()
        };
        let config = RunConfig::from_clock(&clock).unwrap();
        let refinement = Refinement::of(&config);
        let runs: Vec<(f64, Observed)> = (0..4)
            .map(|index| {
                let mut observed = Observed::new(&model, 3.0);
                let (value, config) = refinement.config(&config, index).unwrap();
                let config = config.with_rows(observed.distance());
                let mut run = Run::new(model.clone(), config, &[]).unwrap();
                run.run(&mut observed.recorder(&model, &mut ())).unwrap();
                (value, observed)
            })
            .collect();
        let convergence = Convergence::of(&model, &refinement, &runs);
        let changes = &convergence.reals[1].changes;
        assert!(changes.iter().all(|change| *change < 1e-9), "{changes:?}");
    }
}
