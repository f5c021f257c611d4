//! Start in an equilibrium: reals that ask for it begin where their rates are 0, with all that follows from them.
//!
//! The booleans at the guess give a mode; its equilibrium is found (`situ_solve::equilibrium`), and the booleans there
//! must give the same mode: if they do not, the search goes on in theirs. Where this leads in a circle, or there is no
//! equilibrium in a mode, the motion is followed through the modes with the time standing still. What delays read is the
//! present: at rest it always was. Events that are due at the start happen after it.

use std::sync::Arc;

use situ_solve::equilibrium::{self, Field, Outcome, Search};
use situ_solve::{Derivatives, Pattern, Refusal, System};

use crate::ids::{RangeId, RealId, SituationId, SwitchId};
use crate::lower::border::Side;
use crate::model::{Boolean, Clock, Input, Literal, Model, StartValues};
use crate::sim::events::iteration::row_programs::first_value;
use crate::sim::events::run::EventRun;
use crate::sim::{EventConfig, RunFault, SetupError};

/// A point counts as an equilibrium if the first correction is at most this part of the sizes.
const AT_REST: f64 = 1e-9;

/// Modes through which Newton's method goes, and through which the motion is followed.
const MODES: usize = 12;
const MODES_FOLLOWED: usize = 100;

/// Loops are solved so much more tightly than this [part of their values].
const RTOL: f64 = 1e-9;

/// Start values with the equilibrium of the reals that ask for it, and with the values of all that follows from it.
///
/// Shapes: `given`: inputs in place of what the model says; a real among them is not looked for.
///
/// # Errors
///
/// [`RunFault::NoEquilibrium`]; a fault at the guess.
pub(in crate::sim) fn find(
    model: &Arc<Model>,
    given: &[(Input, f64)],
    mut start: StartValues,
) -> Result<StartValues, SetupError> {
    let is_given = |id: RealId| given.iter().any(|(input, _)| *input == Input::Real(id));
    let all = (0..model.reals.len()).map(RealId::new);
    let asked: Vec<RealId> = all
        .filter(|&id| model.reals[id.index()].steady && !is_given(id))
        .collect();
    if asked.is_empty() {
        return Ok(start);
    }
    let guess = start.reals.clone();
    let mut begun = Rest::begin(model, given, &asked, &start)?;
    let mut modes: Vec<Vec<Literal>> = Vec::new();
    for _ in 0..MODES {
        let mode = begun.literals();
        let Ok(first) = begun.correct(&guess) else {
            break;
        };
        if first <= AT_REST {
            return Ok(begun.values());
        }
        if modes.contains(&mode) && modes.last() != Some(&mode) {
            break;
        }
        modes.push(mode);
        start = begun.values();
        match Rest::begin(model, given, &asked, &start) {
            Ok(next) => begun = next,
            Err(_) => break,
        }
    }
    start.reals.clone_from(&guess);
    begun = Rest::begin(model, given, &asked, &start)?;
    let mut last = begun.literals();
    let mut turned = Vec::new();
    for _ in 0..MODES_FOLLOWED {
        match begun.follow(&guess) {
            Outcome::Lost => return Err(begun.fault(Vec::new()).into()),
            Outcome::Found | Outcome::Left => {}
        }
        start = begun.values();
        begun = Rest::begin(model, given, &asked, &start)?;
        if begun.correct(&guess).is_ok_and(|first| first <= AT_REST) {
            return Ok(begun.values());
        }
        begun = Rest::begin(model, given, &asked, &start)?;
        let literals = begun.literals();
        turned = changed(&last, &literals);
        last = literals;
    }
    Err(begun.fault(turned).into())
}

/// What is true in one of two modes only.
fn changed(one: &[Literal], other: &[Literal]) -> Vec<Boolean> {
    let pairs = one.iter().zip(other);
    pairs
        .filter(|(one, other)| one.negated != other.negated)
        .map(|(one, _)| one.what)
        .collect()
}

/// A run that has not begun, as a system of the states that are looked for, and behind them of what delays took in.
struct Rest {
    run: EventRun,
    start: StartValues,
    /// Positions among the states of those that are looked for.
    places: Vec<usize>,
    /// All states.
    states: Vec<f64>,
    rates: Vec<f64>,
    /// Delays that read what was always so.
    delays: Vec<usize>,
    /// The pattern of the whole Jacobian, if all states are looked for.
    pattern: Option<Arc<Pattern>>,
    sizes: Vec<f64>,
}

impl Rest {
    /// The mode of these values, before anything happens in it.
    fn begin(
        model: &Arc<Model>,
        given: &[(Input, f64)],
        asked: &[RealId],
        start: &StartValues,
    ) -> Result<Self, SetupError> {
        let clock = Clock {
            stop: Some(1.0),
            rtol: Some(RTOL),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).expect("a sound clock");
        let mut run = EventRun::prepared(Arc::clone(model), config, &[], start.clone())?;
        for (id, value) in model.switches_given(given).map_err(SetupError::Start)? {
            run.state.discrete.switches.set(id.index(), value);
        }
        run.settle_at_start(|_| Ok(()))?;
        let motion = &run.dynamics.motion;
        let places: Vec<usize> = asked
            .iter()
            .filter_map(|real| motion.states.binary_search(real).ok())
            .collect();
        let delays: Vec<usize> = (0..run.plan.flow.delays.len())
            .filter(|&delay| !run.state.past.has_function(delay))
            .collect();
        let size = |real: RealId| model.reals[real.index()].nominal.unwrap_or(1.0);
        let mut sizes: Vec<f64> = places.iter().map(|&at| size(motion.states[at])).collect();
        sizes.resize(places.len() + delays.len(), 1.0);
        let states = motion.states.iter();
        let states: Vec<f64> = states.map(|real| run.state.reals[real.index()]).collect();
        let is_whole = motion.is_free() && places.len() == states.len() && delays.is_empty();
        let mode = motion.mode;
        let pattern =
            is_whole.then(|| Arc::clone(&run.dynamics.modes.get(mode).sparsity().pattern));
        Ok(Self {
            start: StartValues {
                constants: start.constants.clone(),
                reals: run.state.reals.clone(),
            },
            rates: vec![0.0; states.len()],
            run,
            places,
            states,
            delays,
            pattern,
            sizes,
        })
    }

    /// Every boolean that is not a situation of a moment, as it stands.
    fn literals(&self) -> Vec<Literal> {
        let model = &self.run.plan.model;
        let switches = (0..model.switches.len()).map(|at| Boolean::Switch(SwitchId::new(at)));
        let ranges = (0..model.ranges.len()).map(|at| Boolean::Range(RangeId::new(at)));
        let levels = (0..model.situations.len()).filter(|&at| !model.situations[at].event);
        let levels = levels.map(|at| Boolean::Situation(SituationId::new(at)));
        let all = switches.chain(ranges).chain(levels);
        all.map(|what| Literal {
            what,
            negated: !self.run.state.discrete.is(what),
        })
        .collect()
    }

    /// The unknowns as they stand.
    fn point(&self) -> Vec<f64> {
        let states = self.places.iter().map(|&at| self.states[at]);
        let past = self
            .delays
            .iter()
            .map(|&delay| self.run.state.past.newest(delay));
        states.chain(past).collect()
    }

    /// What the motion keeps is that of the guess.
    fn kept(&self, guess: &[f64]) -> Vec<f64> {
        let states = &self.run.dynamics.motion.states;
        let kept = self.places.iter().map(|&at| guess[states[at].index()]);
        let past = self
            .delays
            .iter()
            .map(|&delay| self.run.state.past.newest(delay));
        kept.chain(past).collect()
    }

    /// Newton's method in this mode. Result: the first correction [part of the sizes].
    fn correct(&mut self, guess: &[f64]) -> Result<f64, equilibrium::Lost> {
        let (mut y, kept, sizes) = (self.point(), self.kept(guess), self.sizes.clone());
        let search = Search {
            t: 0.0,
            sizes: &sizes,
            kept: &kept,
        };
        let first = equilibrium::newton(self, &search, &mut y)?;
        self.place(&y);
        Ok(first)
    }

    /// Follows the motion to its rest or out of this mode.
    fn follow(&mut self, guess: &[f64]) -> Outcome {
        let (mut y, kept, sizes) = (self.point(), self.kept(guess), self.sizes.clone());
        let search = Search {
            t: 0.0,
            sizes: &sizes,
            kept: &kept,
        };
        let outcome = equilibrium::continuation(self, &search, &mut y);
        self.place(&y);
        outcome
    }

    /// Gives the unknowns values.
    fn place(&mut self, y: &[f64]) {
        for (&at, &value) in self.places.iter().zip(y) {
            self.states[at] = value;
        }
        for (&delay, &value) in self.delays.iter().zip(&y[self.places.len()..]) {
            self.run.state.past.always(delay, value);
        }
    }

    /// Brings all reals up to date with the unknowns.
    fn write(&mut self) -> Result<(), Refusal> {
        let (motion, modes) = (&mut self.run.dynamics.motion, &mut self.run.dynamics.modes);
        let (past, reals) = (&self.run.state.past, &mut self.start.reals);
        motion.write(modes, past, 0.0, &self.states, reals)
    }

    /// The start values at this point.
    fn values(&mut self) -> StartValues {
        // A point that was found has all values; at another one those of before serve.
        let _ = self.write();
        self.start.clone()
    }

    /// No equilibrium was found; the booleans take turns, if there are any.
    fn fault(&mut self, turned: Vec<Boolean>) -> RunFault {
        let y = self.point();
        let mut dy = vec![0.0; y.len()];
        let told = self.rhs(0.0, &y, &mut dy).is_ok();
        let part = |&at: &usize| {
            let part = dy[at].abs() / y[at].abs().max(self.sizes[at]);
            if told && !part.is_nan() { part } else { 0.0 }
        };
        let farthest = (0..self.places.len()).max_by(|a, b| part(a).total_cmp(&part(b)));
        let at = farthest.unwrap_or_default();
        let state = self.places.get(at);
        RunFault::NoEquilibrium {
            real: state.map(|&state| self.run.dynamics.motion.states[state]),
            value: y.get(at).copied().unwrap_or_default(),
            rate: dy.get(at).copied().unwrap_or_default(),
            turned,
        }
    }
}

impl System for Rest {
    fn dim(&self) -> usize {
        self.places.len() + self.delays.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.place(y);
        let (motion, modes) = (&mut self.run.dynamics.motion, &mut self.run.dynamics.modes);
        motion.rates(
            modes,
            &self.run.state.past,
            t,
            &self.states,
            &mut self.rates,
        )?;
        for (dy, &at) in dy.iter_mut().zip(&self.places) {
            *dy = self.rates[at];
        }
        if self.delays.is_empty() {
            return Ok(());
        }
        self.write()?;
        let plan = &self.run.plan;
        for (index, &delay) in self.delays.iter().enumerate() {
            let row = plan.flow.rows[plan.flow.delays[delay]].relation;
            let relation = &plan.model.relations[row.index()];
            let at = self.places.len() + index;
            dy[at] = first_value(&plan.model, relation, &self.start) - y[at];
        }
        Ok(())
    }

    fn pattern(&mut self) -> Option<Arc<Pattern>> {
        self.pattern.clone()
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        let motion = &self.run.dynamics.motion;
        if !motion.is_free() || !self.delays.is_empty() {
            return Ok(Derivatives::Unknown);
        }
        let mode = motion.mode;
        self.place(y);
        let evaluator = self.run.dynamics.modes.get(mode);
        let past = &self.run.state.past;
        if self.pattern.is_some() {
            evaluator.linearise(past, t, &self.states, jacobian, df_dt)?;
            return Ok(Derivatives::Exact);
        }
        let pattern = Arc::clone(&evaluator.sparsity().pattern);
        let mut whole = vec![0.0; pattern.len()];
        evaluator.linearise(past, t, &self.states, &mut whole, &mut self.rates)?;
        let n = self.places.len();
        jacobian.fill(0.0);
        for (row, &state) in self.places.iter().enumerate() {
            for (entry, column) in pattern.row(state) {
                if let Ok(column) = self.places.binary_search(&column) {
                    jacobian[row * n + column] = whole[entry];
                }
            }
        }
        Ok(Derivatives::Exact)
    }
}

impl Field for Rest {
    fn settle(&mut self, y: &mut [f64]) -> Result<(), Refusal> {
        self.place(y);
        let mut states = self.states.clone();
        let moved = (self.run.dynamics).put_on_constraints(&self.run.state, 0.0, &mut states);
        if moved.map_err(|_| Refusal::Outside)? {
            for (y, &at) in y.iter_mut().zip(&self.places) {
                *y = states[at];
            }
        }
        Ok(())
    }

    fn stays(&mut self, y: &[f64]) -> bool {
        self.place(y);
        if !self.run.dynamics.motion.is_free() {
            return true;
        }
        let evaluator = self.run.dynamics.modes.get(self.run.dynamics.motion.mode);
        let past = &self.run.state.past;
        if evaluator.evaluate_margins(past, 0.0, &self.states).is_err() {
            return false;
        }
        let sides = &self.run.state.discrete.sides;
        evaluator.mode.margins.iter().all(|margin| {
            let z = evaluator.z(margin.border).unwrap_or_default();
            let side = sides[margin.border.index()];
            z == 0.0 || side == Side::On || Side::of(z) == side
        })
    }
}
