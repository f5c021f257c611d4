//! One model, run many times from other start values.

use std::sync::Arc;

use super::compiled::{CompileError, Compiler, Pending, TickCode};
use super::events::{SharedModes, SmoothBatch};
use super::lanes::{LaneProgram, RUNS_OF_TICKS, Runs, SmoothLanes, run_ticks};
use super::shared_code::SharedCode;
use super::tick::initial_state::Beginning;
use super::{EventRun, Run, RunConfig, SetupError, TickRun};
use crate::model::{Input, Model};
use crate::trace::Measure;
use situ_solve::lanes::wide::LANES;

/// A model made ready once, from which runs begin.
///
/// Every run is the one that [`Run::new`] gives for the same model with these start values, to the bit.
///
/// ```
/// use situ_engine::model::{Clock, Input, ModelBuilder};
/// use situ_engine::sim::{PreparedModel, RunConfig};
/// use situ_engine::trace::Measure;
///
/// let mut table = ModelBuilder::new("decay");
/// let rate = table.constant("rate", 1.0);
/// let x = table.real("x", 1.0);
/// table.relation(x, "integral", [-(situ_engine::model::Term::from(rate) * x)]);
/// let end = table.expr(x);
/// let clock = Clock { step: Some(0.001), stop: Some(1.0), ..Clock::default() };
/// let config = RunConfig::from_clock(&clock)?;
///
/// let template = PreparedModel::new(table.build()?, config, &[Measure::Final(end)])?;
/// for value in [0.5, 1.0, 2.0] {
///     let mut run = template.run(&[(Input::Constant(rate), value)])?;
///     run.run(&mut ())?;
///     let end = run.measured()[0].expect("a run has an end");
///     assert!((end - (-value).exp()).abs() < 1e-3);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PreparedModel {
    model: Arc<Model>,
    config: RunConfig,
    measures: Vec<Measure>,
    /// The tick run from the model's own start values, whose code the others share.
    ticks: Option<Box<TickRun>>,
    /// Its code for lanes.
    lanes: Option<Arc<LaneProgram>>,
    /// What lanes need in event stepping, where the model is smooth.
    smooth: Option<Arc<SmoothLanes>>,
    /// Modes that event-accurate runs share.
    modes: SharedModes,
    /// Compiled code for ticks.
    code: Option<Pending<dyn TickCode>>,
    /// Compiler for event-accurate runs.
    compiler: Option<Arc<SharedCode>>,
}

impl PreparedModel {
    /// Makes a model ready.
    ///
    /// # Errors
    ///
    /// [`SetupError`] of a run from the model's own start values.
    pub fn new(
        model: impl Into<Arc<Model>>,
        config: RunConfig,
        measures: &[Measure],
    ) -> Result<Self, SetupError> {
        let model = model.into();
        let ticks = match &config {
            RunConfig::Ticks(config) => {
                let model = Arc::clone(&model);
                let run = TickRun::with_measures(model, config.clone(), measures)?;
                Some(Box::new(run))
            }
            RunConfig::Events(_) => None,
        };
        let lanes = ticks
            .as_ref()
            .filter(|run| !run.is_uneven())
            .and_then(|run| LaneProgram::new(run.program(), run.watched()));
        let first = match &config {
            RunConfig::Ticks(_) => None,
            RunConfig::Events(config) => {
                let model = Arc::clone(&model);
                // Other start values may make a run where the model's own make none.
                EventRun::with_measures(model, config.clone(), measures).ok()
            }
        };
        let smooth = first.as_ref().and_then(SmoothBatch::of);
        let smooth = smooth.and_then(SmoothLanes::new);
        Ok(Self {
            model,
            config,
            measures: measures.to_vec(),
            smooth: smooth.map(Arc::new),
            ticks,
            lanes: lanes.map(Arc::new),
            modes: SharedModes::default(),
            code: None,
            compiler: None,
        })
    }

    /// From here on runs that are not done in lanes have compiled what is worth it. Their bits stay what they are.
    ///
    /// # Errors
    ///
    /// [`CompileError`].
    pub fn compile_with(&mut self, compiler: Arc<dyn Compiler>) -> Result<(), CompileError> {
        if let Some(run) = self.ticks.as_ref().filter(|run| !run.is_uneven()) {
            self.code = compiler.ticks(run.tick_job(), u64::MAX)?;
        }
        self.compiler = Some(Arc::new(SharedCode::new(compiler)));
        Ok(())
    }

    /// No runs are done in lanes from here on.
    pub fn one_by_one(&mut self) {
        (self.lanes, self.smooth) = (None, None);
    }

    /// How many runs can be done at once in lanes; `None` if they cannot: in event stepping, if the model is not
    /// smooth (it has ranges, situations, delays, kinks or algebraic loops), if more than final values is measured,
    /// or if the method is not an explicit one with step control (or `auto`); in ticks, if these have not all the
    /// same length.
    pub fn lanes(&self) -> Option<usize> {
        match &self.lanes {
            Some(_) => Some(RUNS_OF_TICKS),
            None => self.smooth.as_ref().map(|_| LANES),
        }
    }

    /// Does runs in lanes until there are no more, or it is broken off. Each has the bits of a single
    /// run. There must be [`PreparedModel::lanes`].
    ///
    /// # Panics
    ///
    /// If there are no lanes.
    pub fn run_in_lanes(&self, runs: &mut dyn Runs) {
        if let Some(smooth) = &self.smooth {
            return smooth.run(runs);
        }
        let (first, code) = (self.ticks.as_deref(), self.lanes.as_deref());
        let (first, code) = first.zip(code).expect("the caller has asked for lanes");
        run_ticks(&self.model, first, code, runs);
    }

    /// The settings of runs.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A run with some start values given.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn run(&self, given: &[(Input, f64)]) -> Result<Run, SetupError> {
        Ok(match (&self.config, &self.ticks) {
            (RunConfig::Events(config), _) => {
                let (model, config) = (Arc::clone(&self.model), config.clone());
                let (measures, shared) = (&self.measures, Some(&self.modes));
                let mut run = EventRun::with_inputs(model, config, measures, given, shared)?;
                if let Some(compiler) = &self.compiler {
                    compiler.enter();
                    run.compile_with(Arc::clone(compiler) as Arc<dyn Compiler>);
                }
                Run::Events(Box::new(run))
            }
            (RunConfig::Ticks(_), Some(first)) => {
                let beginning = Beginning::given(&self.model, given)?;
                let mut run = first.again(&self.measures, &beginning)?;
                run.take_code(self.code.clone());
                Run::Ticks(Box::new(run))
            }
            (RunConfig::Ticks(_), None) => unreachable!("made with the template"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clock, CompareOp, ModelBuilder, Stepping, Term};

    #[test]
    fn a_run_is_that_of_a_model_with_these_start_values() {
        let table = |length: f64, armed: bool| {
            let mut table = ModelBuilder::new("pendulum");
            let l = table.constant("l", length);
            let [a, w] = ["a", "w"].map(|name| table.real(name, 0.5));
            let on = table.switch("on", armed);
            let down = table.range("down", [(a.into(), CompareOp::Less, 0.0.into())]);
            table.assign([down.into()], [(on, false)]);
            let pull = Term::from(a) * 9.81 / l;
            table.relation(w, "integral", [-pull]).when([on.into()]);
            table.relation(a, "integral", [w]);
            let measure = Measure::Max(table.expr(w));
            (table.build().unwrap(), measure, l, on)
        };
        for stepping in [Stepping::Tick, Stepping::Events] {
            let clock = Clock {
                step: Some(0.001),
                stop: Some(3.0),
                stepping: Some(stepping),
                ..Clock::default()
            };
            let config = RunConfig::from_clock(&clock).unwrap();
            let (model, measure, l, on) = table(1.0, false);
            let template =
                PreparedModel::new(model, config.clone(), std::slice::from_ref(&measure)).unwrap();
            for (length, armed) in [(0.3, true), (2.0, false), (1.7, true)] {
                let switch = f64::from(u8::from(armed));
                let given = [(Input::Constant(l), length), (Input::Switch(on), switch)];
                let mut run = template.run(&given).unwrap();
                run.run(&mut ()).unwrap();
                let (model, measure, ..) = table(length, armed);
                let mut other = Run::new(model, config.clone(), &[measure]).unwrap();
                other.run(&mut ()).unwrap();
                assert_eq!(run.row().reals, other.row().reals);
                assert_eq!(run.measured(), other.measured());
            }
        }
    }
}
