//! Explicit methods with step control in lanes: many runs of one system, each with its own time and step.
//!
//! [`LaneStepper::attempt`] does one trial in every lane: stages, error test, the length of the next trial
//! where one fails. The caller looks at the steps that pass and says which are taken ([`LaneStepper::take`]);
//! [`LaneStepper::states_at`] are states inside of them. All is done with the operations of
//! [`Stepper`](super::Stepper) in its order, so that every lane has the bits of a run of its own, which can go
//! on from [`LaneStepper::save`] at any time. What a tableau becomes in lanes stands in `rows`.

mod control;
mod rows;
mod series;
mod stiffness;
#[cfg(test)]
mod tests;
pub mod wide;

use self::control::LaneControl;
use self::series::LaneSeries;
use self::stiffness::LaneStiffness;
use super::explicit::taylor::{self, Taylor};
use super::explicit::{Tableau, match_tableau, with_tableau};
use super::integration_method::IntegrationMethod;
use super::step::control::{ControllerState, StepController};
use super::step::scale_of;
use super::{Method, Progress, Settings, Snapshot};
use crate::lanes::wide::{LANES, LaneVec, Mask, lanes_in, mask_of};

/// A system in lanes.
pub trait LaneSystem {
    /// True if the rates depend on the time.
    fn reads_time(&self) -> bool;

    /// Place of a component of the state, to be written before [`LaneSystem::rates`].
    fn state(&mut self, component: usize) -> &mut LaneVec;

    /// Writes the rates of all components.
    fn rates(&mut self, t: &LaneVec, rates: &mut [LaneVec]);

    /// Writes what an order's coefficients of the Taylor series are multiples of, from those of the order
    /// before; only for systems that know their series.
    fn next_order(&self, order: usize, before: &[LaneVec], next: &mut [LaneVec]);
}

/// A method that works in lanes.
#[derive(Clone, Debug)]
enum LaneMethod {
    /// An explicit Runge-Kutta method with step control.
    Explicit(Method),
    Series(Box<LaneSeries>),
}

/// Evaluates an expression with the tableau of a [`LaneMethod`] as a type, or one for the series.
macro_rules! in_lanes {
    ($method:expr, $tableau:ident => $body:expr, $series:pat => $other:expr) => {
        match $method {
            LaneMethod::Explicit(method) => {
                with_tableau!(*method, $tableau => $body, unreachable!("only methods with a tableau"))
            }
            LaneMethod::Series($series) => $other,
        }
    };
}
use in_lanes;

impl LaneMethod {
    /// Number of stages of a trial, the derivative at its end included.
    fn stages(&self) -> usize {
        in_lanes!(self, M => M::STAGES + 1, _ => 2)
    }

    /// The degree of the dense output.
    fn degree(&self) -> usize {
        in_lanes!(self, M => M::ABOUT.dense_degree, _ => taylor::ABOUT.dense_degree)
    }

    /// Stages and levels that only the dense output needs.
    fn more(&self) -> [usize; 2] {
        in_lanes!(self, M => [M::MORE_STAGES, M::LEVELS], _ => [0; 2])
    }

    fn law(&self) -> Option<StepController> {
        in_lanes!(self, M => M::CONTROLLER, _ => Taylor::CONTROLLER)
    }
}

/// Tolerances of the errors.
#[derive(Clone, Debug)]
struct Tolerances {
    atol: Vec<f64>,
    rtol: f64,
}

impl Tolerances {
    /// Sizes of errors in a component that are just tolerated, from its values at the starts of steps.
    #[inline(always)]
    fn scale(&self, component: usize, y: &LaneVec) -> LaneVec {
        let (atol, rtol) = (self.atol[component], self.rtol);
        LaneVec::from([y], |[y]| scale_of(atol, rtol, y))
    }

    /// One over that.
    #[inline(always)]
    fn weight(&self, component: usize, y: &LaneVec) -> LaneVec {
        let (atol, rtol) = (self.atol[component], self.rtol);
        LaneVec::from([y], |[y]| 1.0 / scale_of(atol, rtol, y))
    }
}

/// The steps of many runs.
#[derive(Clone, Debug)]
pub struct LaneStepper {
    method: LaneMethod,
    n: usize,
    tolerances: Tolerances,
    hmin: f64,
    hmax: f64,
    /// Committed times and states.
    t: LaneVec,
    y: Vec<LaneVec>,
    /// Stages, component by component; the first is the derivative at the committed point. Behind them those that
    /// only the dense output needs.
    k: Vec<LaneVec>,
    control: LaneControl,
    tried: Tried,
    /// Per lane the rest of its progress.
    progress: Vec<Progress>,
    stiffness: LaneStiffness,
    /// Arguments of the last stage but one, for the measure of stiffness.
    u: Vec<LaneVec>,
    /// What the dense output needs besides both ends, in rows of one per component.
    levels: Vec<LaneVec>,
}

/// The trials, per lane.
#[derive(Clone, Debug)]
struct Tried {
    /// Their lengths.
    h: LaneVec,
    /// Their ends.
    t1: LaneVec,
    /// States at their ends.
    y: Vec<LaneVec>,
    /// Errors in units of the tolerance, and where they were too large.
    error: LaneVec,
    failed: Mask,
}

/// Outcome of a trial, per lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trial {
    /// Lanes in which the step may be taken.
    pub passed: Mask,
    /// Lanes in which the next trial is shorter.
    pub again: Mask,
}

/// Room for the powers of a polynomial of the dense output.
const POWERS: usize = taylor::ORDER + 1;

impl LaneStepper {
    /// Room for runs of a system; `None` if the method does not work in lanes.
    ///
    /// `has_series`: whether the system knows its Taylor series.
    pub fn new(settings: &Settings, atol: &[f64], has_series: bool) -> Option<Self> {
        let n = atol.len();
        let method = match settings.method {
            Method::Taylor | Method::Auto if has_series => {
                LaneMethod::Series(LaneSeries::new(n).into())
            }
            method => LaneMethod::Explicit(method.explicit()?),
        };
        method.law()?;
        let (zero, zeros) = (LaneVec::splat(0.0), vec![LaneVec::splat(0.0); n]);
        let [more, levels] = method.more();
        Some(Self {
            n,
            tolerances: Tolerances {
                atol: atol.to_vec(),
                rtol: settings.rtol,
            },
            hmin: settings.hmin,
            hmax: settings.hmax,
            t: zero,
            y: zeros.clone(),
            k: vec![zero; (method.stages() + more) * n],
            method,
            control: LaneControl::new(),
            tried: Tried {
                h: LaneVec::splat(1.0),
                t1: zero,
                y: zeros.clone(),
                error: zero,
                failed: 0,
            },
            progress: vec![Progress::FRESH; LANES],
            stiffness: LaneStiffness::new(settings, n, has_series),
            u: zeros,
            levels: vec![zero; levels * n],
        })
    }

    /// Puts a run into a lane.
    pub fn load(&mut self, lane: usize, from: &Snapshot) {
        let Snapshot {
            t, y, dy, progress, ..
        } = from;
        self.t.set(lane, *t);
        for (component, (y, dy)) in y.iter().zip(dy).enumerate() {
            self.y[component].set(lane, *y);
            self.k[component].set(lane, *dy);
        }
        self.control.h.set(lane, progress.h);
        self.control.log_error.set(lane, progress.memory.log_error);
        self.control.last_h.set(lane, progress.memory.h);
        self.progress[lane] = *progress;
        self.control.rejected &= !mask_of(lane);
        self.note_hints(lane);
    }

    /// The run in a lane as it stands, before the trial that was not taken.
    pub fn save(&self, lane: usize, into: &mut Snapshot) {
        let Snapshot {
            t, y, dy, progress, ..
        } = into;
        *t = self.t.get(lane);
        y.clear();
        y.extend(self.y.iter().map(|values| values.get(lane)));
        dy.clear();
        dy.extend(self.k[..self.n].iter().map(|values| values.get(lane)));
        *progress = Progress {
            h: self.control.h.get(lane),
            memory: ControllerState {
                log_error: self.control.log_error.get(lane),
                h: self.control.last_h.get(lane),
            },
            ..self.progress[lane]
        };
    }

    /// One trial in each of some lanes, the others being of no interest. Lanes that neither pass nor go on
    /// with a shorter trial are not dealt with here.
    #[inline(always)]
    pub fn attempt(&mut self, system: &mut impl LaneSystem, live: Mask) -> Trial {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let shortest = LaneVec::from([&self.t], |[t]| hmin.max(4.0 * f64::EPSILON * t.abs()));
        let plan = self.plan(system);
        let mut h = LaneVec::from(
            [&self.control.h, &plan, &shortest],
            |[h, plan, shortest]| h.min(hmax).min(plan).max(shortest),
        );
        if self.control.rejected != 0 {
            h.update_in(
                self.control.rejected,
                [&self.control.shorter],
                |_, [shorter]| shorter,
            );
        }
        let t1 = LaneVec::from([&self.t, &h], |[t, h]| t + h);
        self.evaluate(system, &h, &t1);
        let error = in_lanes!(
            &self.method,
            M => self.errors::<M>(&h),
            series => self.errors_of_series(series, &h)
        );
        (self.tried.h, self.tried.t1, self.tried.error) = (h, t1, error);
        let mut spoilt = error;
        for values in self.tried.y.iter().chain(self.end_rates()) {
            spoilt.update([values], |sum, [x]| sum + x * 0.0);
        }
        let finite = spoilt.compare(&error, |spoilt, error| spoilt == error);
        let passed = error.compare(&error, |error, _| error <= 1.0) & finite & live;
        self.tried.failed = live & finite & !passed;
        let again = match self.tried.failed {
            0 => 0,
            failed => self.reject(&shortest, failed),
        };
        Trial { passed, again }
    }

    /// The longest steps that meet the tolerances, where that is known before the trial.
    #[inline(always)]
    fn plan(&mut self, system: &impl LaneSystem) -> LaneVec {
        let LaneMethod::Series(series) = &mut self.method else {
            return LaneVec::splat(f64::INFINITY);
        };
        series.expand(system, &self.y, &self.k[..self.n]);
        series.plan(&self.tolerances)
    }

    /// The lanes whose trial ends at a time or behind it.
    #[inline(always)]
    pub fn ends_at(&self, time: f64) -> Mask {
        let time = LaneVec::splat(time);
        self.tried.t1.compare(&time, |t1, time| t1 >= time)
    }

    /// Takes the steps of lanes that passed.
    #[inline(always)]
    pub fn take(&mut self, taken: Mask) {
        self.propose(taken);
        let last = (self.method.stages() - 1) * self.n;
        self.t.update_in(taken, [&self.tried.t1], |_, [t1]| t1);
        for component in 0..self.n {
            self.y[component].update_in(taken, [&self.tried.y[component]], |_, [y1]| y1);
            let end = self.k[last + component];
            self.k[component].update_in(taken, [&end], |_, [end]| end);
        }
        for lane in lanes_in(taken & self.stiffness.watched) {
            self.progress[lane].watch = self.stiffness.detectors[lane];
            self.note_hints(lane);
        }
        // Where a step has passed and is not taken it comes once more.
        self.control.rejected = self.tried.failed | self.control.rejected & !taken;
    }

    /// End of the trial of a lane, and its length.
    pub fn trial(&self, lane: usize) -> (f64, f64) {
        (self.tried.t1.get(lane), self.tried.h.get(lane))
    }

    /// The dense output of a component in powers of theta, those that the method does not have left as they
    /// are.
    #[inline(always)]
    fn powers(&self, component: usize, into: &mut [LaneVec; POWERS]) {
        in_lanes!(
            &self.method,
            M => self.powers_of::<M>(component, into),
            series => series.powers(&self.tried.h, component, into)
        );
    }

    /// The components of the states at a time inside of the trials; [`LaneStepper::look_inside`] comes before.
    #[inline(always)]
    pub fn states_at(&self, time: f64, into: &mut [LaneVec]) {
        let theta = LaneVec::from([&self.t, &self.tried.h], |[t, h]| (time - t) / h);
        let mut powers = [LaneVec::splat(0.0); POWERS];
        for (component, into) in into.iter_mut().enumerate() {
            self.powers(component, &mut powers);
            *into = LaneVec::splat(0.0);
            for power in powers[..=self.method.degree()].iter().rev() {
                into.update([&theta, power], |sum, [theta, c]| sum * theta + c);
            }
        }
    }

    fn end_rates(&self) -> &[LaneVec] {
        &self.k[(self.method.stages() - 1) * self.n..][..self.n]
    }

    /// All stages of a trial; the argument of the last one is the state at the end.
    #[inline(always)]
    fn evaluate(&mut self, system: &mut impl LaneSystem, h: &LaneVec, t1: &LaneVec) {
        let n = self.n;
        let (t, timed) = (self.t, system.reads_time());
        let last = self.method.stages();
        for stage in 2..=last {
            let fraction = in_lanes!(
                &self.method,
                M => self.put::<M>(system, h, stage),
                series => {
                    for component in 0..n {
                        *system.state(component) = series.after(h, component);
                    }
                    None
                }
            );
            let kept = if stage == last {
                &mut self.tried.y
            } else {
                &mut self.u
            };
            if stage + 1 >= last {
                for (component, kept) in kept.iter_mut().enumerate() {
                    *kept = *system.state(component);
                }
            }
            let at = match fraction {
                Some(fraction) if timed => LaneVec::from([&t, h], |[t, h]| t + fraction * h),
                _ => *t1,
            };
            system.rates(&at, &mut self.k[(stage - 1) * n..][..n]);
        }
    }

    /// Takes the errors of a component, in units of their tolerances, into the largest in each lane.
    #[inline(always)]
    fn take_error(&self, component: usize, error: &LaneVec, largest: &mut LaneVec) {
        let Tolerances { atol, rtol } = &self.tolerances;
        let (atol, rtol) = (atol[component], *rtol);
        let (y0, y1) = (&self.y[component], &self.tried.y[component]);
        largest.update([error, y0, y1], |largest, [error, y0, y1]| {
            let scale = atol + rtol * y0.abs().max(y1.abs());
            let ratio = error.abs() / scale;
            let is_larger = !(ratio <= largest) & (error != 0.0) & !largest.is_nan();
            if is_larger { ratio } else { largest }
        });
    }

    /// The errors of a trial of the series.
    #[inline(always)]
    fn errors_of_series(&self, series: &LaneSeries, h: &LaneVec) -> LaneVec {
        let mut largest = LaneVec::splat(0.0);
        for component in 0..self.n {
            self.take_error(component, &series.error(h, component), &mut largest);
        }
        largest
    }
}
