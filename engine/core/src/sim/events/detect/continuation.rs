//! Solutions of solved rows along a step: each is followed from the start of the step to its end, so that none is left for
//! another one (FORMALISM 10.8).
//!
//! Where a solution at the end and in the middle agrees with its rates along the dense output at both ends, Newton's method
//! has found at the end the solution of the start. Elsewhere smaller and smaller parts of the step are looked at: those in which it agrees tell a solution that
//! only bends; where no part is small enough, two solutions meet, and the step is cut there.

use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::next_step::Stop;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::guess::{Look, Solutions};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;

/// A change agrees with the rates at both ends if it differs from what these make of it by less than this part.
const BENT: f64 = 0.25;

/// The value in the middle may differ from that of a cubic through both ends by this part of that: of a jump that by chance
/// is as large as the rates make the change, it tells a quarter at least.
const BEND_INSIDE: f64 = 0.4;

/// The smallest part of a step that is looked at, a power of two.
const FINEST: i32 = -40;

/// A solution that ends before this part of a step ends at its start.
const AT_START: f64 = 1e-9;

/// Parts that are looked at in one step.
const MOST_PARTS: u32 = 1000;

/// End of a solution in a step: the place, and why it is not found behind it, if it is not.
struct SolutionEnd {
    theta: f64,
    why: Option<ValueFault>,
}

impl Detection {
    /// Follows the solutions up to where the step is going to be cut: that is the place before it at which one of
    /// them ends, if one does.
    ///
    /// # Errors
    ///
    /// One ends where the step begins.
    pub(super) fn follow_solutions(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        stop: &mut Option<Stop>,
    ) -> Result<(), RunFault> {
        self.followed.clear();
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        if !(dynamics.motion.is_free() && evaluator.follows_solutions()) {
            return Ok(());
        }
        let end = stop.as_ref().map_or(1.0, |stop| stop.theta.min(1.0));
        let Some(SolutionEnd { theta, why }) = self.end_of_solutions(state, dynamics, end) else {
            return Ok(());
        };
        if theta < AT_START {
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let why = why.unwrap_or_else(|| ValueFault::Loop {
                rows: evaluator.followed_rows(),
                singular: true,
                at_bounds: None,
            });
            return Err(value_fault(self.dense.time(theta), why));
        }
        *stop = Some(Stop {
            theta,
            before: theta,
            reason: EventCause::default(),
        });
        Ok(())
    }

    /// Where in a part of the step solutions end, or the method has gone on with others; `None` if they do not.
    fn end_of_solutions(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        end: f64,
    ) -> Option<SolutionEnd> {
        let start = self.solutions_at(state, dynamics, 0.0).ok()?;
        let found = self.solutions_at(state, dynamics, end).ok();
        let goes_on = found
            .as_ref()
            .is_some_and(|found| self.agree(state, dynamics, (0.0, &start), (end, found)));
        if goes_on {
            return None;
        }
        let mode = dynamics.motion.mode;
        let sought_from = dynamics.modes.get(mode).seek_from(&start.values);
        let followed = self.follow(state, dynamics, start, end);
        dynamics.modes.get(mode).seek_from(&sought_from);
        match followed {
            Ok(last) => {
                let is_found = found.is_some_and(|found| self.change(&last, &found) <= 1.0);
                if is_found {
                    self.followed.clear();
                    return None;
                }
                Some(SolutionEnd {
                    theta: 0.5 * end,
                    why: None,
                })
            }
            Err(ended) => Some(ended),
        }
    }

    /// Follows solutions from the start of the step in parts, and notes them.
    ///
    /// # Errors
    ///
    /// Where they end.
    fn follow(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        start: Solutions,
        end: f64,
    ) -> Result<Solutions, SolutionEnd> {
        let (mut at, mut last, mut power) = (0.0, start, -1);
        for _ in 0..MOST_PARTS {
            let evaluator = dynamics.modes.get(dynamics.motion.mode);
            evaluator.seek_from(&last.values);
            let next = f64::min(at + end * 2.0_f64.powi(power), end);
            let found = self.solutions_at(state, dynamics, next);
            let goes_on = found
                .as_ref()
                .is_ok_and(|found| self.agree(state, dynamics, (at, &last), (next, found)));
            match found {
                Ok(found) if goes_on => {
                    self.followed.push((next, found.values.clone()));
                    if next >= end {
                        return Ok(found);
                    }
                    (at, last, power) = (next, found, (power + 1).min(-1));
                }
                found if power == FINEST => {
                    let why = found.err();
                    return Err(SolutionEnd { theta: at, why });
                }
                _ => power -= 1,
            }
        }
        let why = None;
        Err(SolutionEnd { theta: at, why })
    }

    /// Seeks solutions from those that were followed to a place of the step, if they bend on the way; the values from which
    /// they were sought before.
    pub(super) fn seek_followed(&self, dynamics: &mut Dynamics, theta: f64) -> Option<Vec<f64>> {
        let mut before = self.followed.iter().rev();
        let (_, values) = before.find(|(at, _)| *at <= theta)?;
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        Some(evaluator.seek_from(values))
    }

    fn solutions_at(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        theta: f64,
    ) -> Result<Solutions, ValueFault> {
        dynamics.y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut dynamics.y);
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let t = self.dense.time(theta);
        let components = 0..self.dense.dim();
        let slopes =
            components.map(|component| self.dense.slope(component, theta) / self.dense.h());
        let slopes: Vec<f64> = slopes.collect();
        evaluator.find_solutions(&state.past, t, (&dynamics.y, &slopes))
    }

    /// True if solutions at both ends of a part of the step, and in its middle, agree with the rates at both ends.
    fn agree(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        (from, start): (f64, &Solutions),
        (to, end): (f64, &Solutions),
    ) -> bool {
        let way = 0.5 * (to - from) * self.dense.h();
        let all = start.values.iter().zip(&end.values);
        let all = all.zip(start.rates.iter().zip(&end.rates));
        let middles = all.map(|((from, to), (begin, end))| {
            let size = BENT * way * (begin.abs() + end.abs()) + self.tolerance(*to);
            let bent = (to - from - way * (begin + end)).abs();
            let middle = 0.5 * (from + to) + 0.25 * way * (begin - end);
            (bent <= size).then_some((middle, BEND_INSIDE * size))
        });
        let Some(middles) = middles.collect::<Option<Vec<_>>>() else {
            return false;
        };
        let found = self.solutions_at(state, dynamics, 0.5 * (from + to));
        found.is_ok_and(|found| {
            let mut pairs = found.values.iter().zip(middles);
            pairs.all(|(value, (middle, size))| (value - middle).abs() <= size)
        })
    }

    /// The largest difference of two solutions, in units of what is tolerated.
    fn change(&self, one: &Solutions, other: &Solutions) -> f64 {
        let pairs = one.values.iter().zip(&other.values);
        let parts = pairs.map(|(one, other)| (one - other).abs() / self.tolerance(*other));
        parts.fold(0.0, f64::max)
    }

    /// What is tolerated of a value.
    fn tolerance(&self, value: f64) -> f64 {
        let config = &self.plan.config;
        config.atol + config.settings.rtol * value.abs()
    }
}

impl Dynamics {
    /// Checks that no equation has a second solution between its bounds at the present point.
    ///
    /// # Errors
    ///
    /// One has.
    pub(super) fn check_bounds(&mut self, state: &HybridState, look: Look) -> Result<(), RunFault> {
        let evaluator = self.modes.get(self.motion.mode);
        if !(self.motion.is_free() && evaluator.has_bounds()) {
            return Ok(());
        }
        evaluator.states(&state.reals, &mut self.y);
        let found = evaluator.evaluate(&state.past, state.t, &self.y);
        let held = (&state.discrete.sides[..], &state.steps[..]);
        match found
            .ok()
            .and_then(|()| evaluator.second_between_bounds(&state.past, state.t, look, held))
        {
            None => Ok(()),
            Some(rows) => Err(RunFault::Loop {
                time: state.t,
                rows,
                singular: true,
                at_bounds: None,
            }),
        }
    }
}
