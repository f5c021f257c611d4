//! The ensembles of the peers' harness: a pendulum over amplitude and length, the step response of a circuit
//! over resistance and capacity, each a square grid of runs to an accuracy.

use situ_engine::Method;
use situ_engine::ids::RealId;
use situ_engine::model::{Clock, Expr, Input, Model, ModelBuilder, Stepping, Term};
use situ_engine::sim::{EventConfig, PreparedModel, RunConfig};
use situ_engine::trace::Measure;
use situ_sweep::{Done, Keep, Slice};

/// An ensemble.
#[derive(Clone, Debug)]
pub struct Ensemble {
    /// Its name.
    pub name: &'static str,
    model: Model,
    inputs: [Input; 2],
    /// The real that is compared.
    shown: RealId,
    stop: f64,
    /// First and last value of each input.
    ends: [[f64; 2]; 2],
    /// The two values of a run -> what the real is at the end.
    exact: fn([f64; 2]) -> f64,
    /// Unit of an error.
    scale: f64,
}

/// The methods that are measured.
pub const METHODS: [Method; 3] = [Method::Dop853, Method::Tsit5, Method::Auto];

/// The tolerances, relative and absolute.
pub const TOLERANCES: [f64; 2] = [1e-6, 1e-9];

/// Gravity [m/s^2].
const G: f64 = 9.81;

/// All of them.
pub fn all() -> [Ensemble; 2] {
    [pendulum(), circuit()]
}

fn finish(table: ModelBuilder) -> Model {
    table.build().expect("the ensembles are valid models")
}

fn pendulum() -> Ensemble {
    let mut table = ModelBuilder::new("pendulum");
    let length = table.constant("l", 1.0);
    let [angle, rate, pull] = ["a", "w", "pull"].map(|name| table.real(name, 0.0));
    table.relation(pull, "sin", [angle]);
    let per_length = Term::Number(-G) / length;
    table.relation(rate, "integral", [per_length * pull]);
    table.relation(angle, "integral", [rate]);
    Ensemble {
        name: "pendulum",
        model: finish(table),
        inputs: [Input::Real(angle), Input::Constant(length)],
        shown: angle,
        stop: 10.0,
        ends: [[5.0_f64.to_radians(), 150.0_f64.to_radians()], [0.5, 2.0]],
        exact: |[amplitude, length]| {
            let k = (0.5 * amplitude).sin();
            let quarter = std::f64::consts::FRAC_PI_2 / mean(1.0, (1.0 - k * k).sqrt());
            2.0 * (k * sn(quarter - (G / length).sqrt() * 10.0, k)).asin()
        },
        scale: 1.0,
    }
}

fn circuit() -> Ensemble {
    let mut table = ModelBuilder::new("RLC");
    let [r, c] = [("R", 1.0), ("C", 1e-6)].map(|(name, value)| table.constant(name, value));
    let [i, u] = ["I", "U"].map(|name| table.real(name, 0.0));
    let voltage = Term::Number(1.0) - Term::from(i) * r - u;
    table.relation(i, "integral", [voltage * 1e3]);
    table.relation(u, "integral", [Term::from(i) / c]);
    Ensemble {
        name: "RLC",
        model: finish(table),
        inputs: [Input::Constant(r), Input::Constant(c)],
        shown: i,
        stop: 1e-3,
        ends: [[1.0, 10.0], [0.5e-6, 2e-6]],
        exact: |[r, c]| {
            let (l, t) = (1e-3, 1e-3);
            let decay = 0.5 * r / l;
            let turn = (1.0 / (l * c) - decay * decay).sqrt();
            (-decay * t).exp() * (turn * t).sin() / (turn * l)
        },
        scale: 0.03,
    }
}

/// The arithmetic-geometric mean.
fn mean(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Jacobi's elliptic sine of modulus k, by the descending scale of means.
fn sn(u: f64, k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    let (mut scale, mut ratios) = (1.0, Vec::new());
    while (a - b).abs() > 1e-15 * a {
        let next = 0.5 * (a + b);
        ratios.push(0.5 * (a - b) / next);
        (a, b, scale) = (next, (a * b).sqrt(), 2.0 * scale);
    }
    let mut angle: f64 = scale * a * u;
    for ratio in ratios.iter().rev() {
        angle = 0.5 * (angle + (ratio * angle.sin()).asin());
    }
    angle.sin()
}

impl Ensemble {
    /// So many runs on a square grid.
    pub fn slice(&self, runs: u32, method: Method, tolerance: f64) -> Slice {
        let mut model = self.model.clone();
        let measure = Measure::Final(model.exprs.push(Expr::Real(self.shown)));
        let clock = Clock {
            stop: Some(self.stop),
            stepping: Some(Stepping::Events),
            method: Some(method),
            rtol: Some(tolerance),
            ..Clock::default()
        };
        let mut config = EventConfig::from_clock(&clock).expect("a clock is given");
        (config.atol, config.every) = (tolerance, None);
        let template = PreparedModel::new(model, RunConfig::Events(config), &[measure]);
        let side = f64::from(runs).sqrt().round().max(2.0);
        let rows = (0..runs).map(|run| {
            let place = f64::from(run);
            let across = (place % side) / (side - 1.0);
            let down = (place / side).floor() / ((f64::from(runs) / side).ceil() - 1.0).max(1.0);
            let [first, second] = &self.ends;
            let at = |ends: &[f64; 2], share: f64| ends[0] + (ends[1] - ends[0]) * share;
            vec![at(first, across), at(second, down)]
        });
        Slice {
            template: template.expect("start values are given"),
            inputs: self.inputs.to_vec(),
            first: 0,
            rows: rows.collect(),
            keep: Keep::Measures,
        }
    }

    /// The largest error of 25 of some runs.
    pub fn error(&self, done: &[Done]) -> f64 {
        let last = done.len().saturating_sub(1);
        let some = (0..25).map(|part| &done[last * part / 24]);
        let errors = some.map(|run| {
            let exact = (self.exact)([run.values[0], run.values[1]]);
            (run.measured[0].unwrap_or(f64::NAN) - exact).abs() / self.scale
        });
        errors.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_they_must() {
        for ensemble in all() {
            for method in METHODS {
                let done = ensemble.slice(100, method, 1e-10).run(&|| false);
                let error = ensemble.error(&done);
                assert!(
                    error < 1e-6,
                    "{} {}: {error:e}",
                    ensemble.name,
                    method.name()
                );
            }
        }
    }
}
