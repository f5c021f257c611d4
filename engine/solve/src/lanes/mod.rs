//! Explicit methods with step control in lanes: many runs of one system, each with its own time and step.
//!
//! [`LaneStepper::attempt`] does one trial in every lane: stages, error test, the length of the next trial
//! where one fails. The caller looks at the steps that pass and
//! says which are taken ([`LaneStepper::take`]); [`LaneStepper::states_at`] are states inside of them. All is done with the operations of
//! [`Stepper`](super::Stepper) in its order, so that every lane has the bits of a run of its own, which can go
//! on from [`LaneStepper::save`] at any time.

mod series;
#[cfg(test)]
mod tests;
pub mod wide;

use self::series::LaneSeries;
use super::auto::{self, Watch};
use super::control::{Law, LawKind, Memory};
use super::dense::hermite_with_bow_at;
use super::dop853::{self, Dop853};
use super::engine::Formula;
use super::step::scale_of;
use super::taylor::{self, Taylor};
use super::tsit5::{self, Tsit5};
use super::{Method, Progress, Settings, Snapshot};
use crate::lanes::wide::{LANES, Mask, Wide, lanes_in, mask_of};

/// A system in lanes.
pub trait LaneSystem {
    /// Whether the rates depend on the time.
    fn reads_time(&self) -> bool;

    /// Where a component of the state is to be put for [`LaneSystem::rates`].
    fn state(&mut self, component: usize) -> &mut Wide;

    /// Writes the rates of all components.
    fn rates(&mut self, t: &Wide, rates: &mut [Wide]);

    /// Writes what an order's coefficients of the Taylor series are multiples of, from those of the order
    /// before; only for systems that know their series.
    fn next_order(&self, order: usize, before: &[Wide], next: &mut [Wide]);
}

/// A method that works in lanes.
#[derive(Clone, Debug)]
enum Explicit {
    Tsit5,
    Dop853,
    Series(Box<LaneSeries>),
}

impl Explicit {
    /// Number of stages of a trial, the derivative at its end included.
    fn stages(&self) -> usize {
        match self {
            Self::Tsit5 => 7,
            Self::Dop853 => 13,
            Self::Series(_) => 2,
        }
    }

    /// The degree of the dense output.
    fn degree(&self) -> usize {
        match self {
            Self::Tsit5 => tsit5::ABOUT.dense_degree,
            Self::Dop853 => dop853::ABOUT.dense_degree,
            Self::Series(_) => taylor::ABOUT.dense_degree,
        }
    }

    fn law(&self) -> Option<Law> {
        match self {
            Self::Tsit5 => Tsit5::LAW,
            Self::Dop853 => Dop853::LAW,
            Self::Series(_) => Taylor::LAW,
        }
    }
}

/// What errors are tolerated.
#[derive(Clone, Debug)]
struct Tolerances {
    atol: Vec<f64>,
    rtol: f64,
}

impl Tolerances {
    /// Sizes of errors in a component that are just tolerated, from its values at the starts of steps.
    #[inline(always)]
    fn scale(&self, component: usize, y: &Wide) -> Wide {
        let (atol, rtol) = (self.atol[component], self.rtol);
        Wide::from([y], |[y]| scale_of(atol, rtol, y))
    }

    /// One over that.
    #[inline(always)]
    fn weight(&self, component: usize, y: &Wide) -> Wide {
        let (atol, rtol) = (self.atol[component], self.rtol);
        Wide::from([y], |[y]| 1.0 / scale_of(atol, rtol, y))
    }
}

/// The steps of many runs.
#[derive(Clone, Debug)]
pub struct LaneStepper {
    method: Explicit,
    /// Whether another method takes over where the problem is stiff.
    watches_stiffness: bool,
    n: usize,
    tolerances: Tolerances,
    hmin: f64,
    hmax: f64,
    /// Committed times and states.
    t: Wide,
    y: Vec<Wide>,
    /// Stages, component by component; the first is the derivative at the committed point. Behind them those that
    /// only the dense output needs.
    k: Vec<Wide>,
    /// Proposed length of the next step.
    h: Wide,
    /// What the step control remembers.
    log_error: Wide,
    last_h: Wide,
    /// Length of the next trial where one was rejected.
    shorter: Wide,
    rejected: Mask,
    /// The trials: lengths, ends, errors in units of the tolerance, and where they were too large.
    tried: Wide,
    t1: Wide,
    error: Wide,
    failed: Mask,
    /// Per lane the rest of its progress.
    progress: Vec<Progress>,
    /// Stiffness as the trials show it, in the lanes in which it may change what is known of it.
    watches: Vec<Watch>,
    watched: Mask,
    /// Lanes in which something speaks for the implicit method.
    hinted: Mask,
    /// States at the ends of trials.
    y1: Vec<Wide>,
    /// Arguments of the last stage but one, for the measure of stiffness.
    u: Vec<Wide>,
    /// Weighted sums of stages for the dense output of Dop853, four per component.
    levels: Vec<Wide>,
}

/// What trials have come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trial {
    /// Lanes in which the step may be taken.
    pub passed: Mask,
    /// Lanes in which the next trial is shorter.
    pub again: Mask,
}

/// Where the square of the stiffness is at most this no rounding makes it speak for the implicit method...
const CLEARLY_CALM: f64 = 0.9 * auto::STIFF * auto::STIFF;
/// ...if nothing has been lost in squaring what it is divided by.
const EXACT_SQUARES: [f64; 2] = [1e-280, 1e280];

/// Room for the powers of a polynomial of the dense output.
const POWERS: usize = taylor::ORDER + 1;

/// `y + h * sum of weights times stages`.
#[inline(always)]
fn advance<const M: usize>(y: &Wide, h: &Wide, weights: &[f64; M], k: [&Wide; M]) -> Wide {
    let (y, h, k) = (y.values(), h.values(), k.map(Wide::values));
    Wide::of(|lane| y[lane] + h[lane] * sum(weights, k, lane))
}

#[inline(always)]
fn sum<const M: usize>(weights: &[f64; M], k: [&[f64; LANES]; M], lane: usize) -> f64 {
    let mut sum = 0.0;
    for j in 0..M {
        sum += weights[j] * k[j][lane];
    }
    sum
}

impl LaneStepper {
    /// Room for runs of a system; `None` if the method does not work in lanes.
    ///
    /// `has_series`: whether the system knows its Taylor series.
    pub fn new(settings: &Settings, atol: &[f64], has_series: bool) -> Option<Self> {
        let n = atol.len();
        let method = match settings.method {
            Method::Taylor | Method::Auto if has_series => {
                Explicit::Series(LaneSeries::new(n).into())
            }
            Method::Tsit5 | Method::Auto => Explicit::Tsit5,
            Method::Dop853 | Method::Taylor => Explicit::Dop853,
            _ => return None,
        };
        let (zero, zeros) = (Wide::splat(0.0), vec![Wide::splat(0.0); n]);
        let (more, levels) = match method {
            Explicit::Dop853 => (3, 4),
            Explicit::Tsit5 | Explicit::Series(_) => (0, 0),
        };
        Some(Self {
            watches_stiffness: settings.method == Method::Auto,
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
            h: Wide::splat(1.0),
            log_error: zero,
            last_h: zero,
            shorter: zero,
            rejected: 0,
            tried: Wide::splat(1.0),
            t1: zero,
            error: zero,
            failed: 0,
            progress: vec![Progress::FRESH; LANES],
            watches: vec![Progress::FRESH.watch; LANES],
            watched: 0,
            hinted: 0,
            u: zeros.clone(),
            y1: zeros,
            levels: vec![zero; levels * n],
        })
    }

    /// Puts a run into a lane.
    pub fn load(&mut self, lane: usize, from: &Snapshot) {
        let Snapshot { t, y, dy, progress } = from;
        self.t.set(lane, *t);
        for (component, (y, dy)) in y.iter().zip(dy).enumerate() {
            self.y[component].set(lane, *y);
            self.k[component].set(lane, *dy);
        }
        self.h.set(lane, progress.h);
        self.log_error.set(lane, progress.memory.log_error);
        self.last_h.set(lane, progress.memory.h);
        self.progress[lane] = *progress;
        self.rejected &= !mask_of(lane);
        self.note_hints(lane);
    }

    /// The run in a lane as it stands, before the trial that was not taken.
    pub fn save(&self, lane: usize, into: &mut Snapshot) {
        let Snapshot { t, y, dy, progress } = into;
        *t = self.t.get(lane);
        y.clear();
        y.extend(self.y.iter().map(|values| values.get(lane)));
        dy.clear();
        dy.extend(self.k[..self.n].iter().map(|values| values.get(lane)));
        *progress = Progress {
            h: self.h.get(lane),
            memory: Memory {
                log_error: self.log_error.get(lane),
                h: self.last_h.get(lane),
            },
            ..self.progress[lane]
        };
    }

    /// One trial in each of some lanes, the others being of no interest. Lanes that neither pass nor go on
    /// with a shorter trial are not dealt with here.
    #[inline(always)]
    pub fn attempt(&mut self, system: &mut impl LaneSystem, live: Mask) -> Trial {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let shortest = Wide::from([&self.t], |[t]| hmin.max(4.0 * f64::EPSILON * t.abs()));
        let plan = self.plan(system);
        let mut h = Wide::from([&self.h, &plan, &shortest], |[h, plan, shortest]| {
            h.min(hmax).min(plan).max(shortest)
        });
        if self.rejected != 0 {
            h.update_in(self.rejected, [&self.shorter], |_, [shorter]| shorter);
        }
        let t1 = Wide::from([&self.t, &h], |[t, h]| t + h);
        self.evaluate(system, &h, &t1);
        let error = match &self.method {
            Explicit::Tsit5 => self.errors_of_tsit5(&h),
            Explicit::Dop853 => self.errors_of_dop853(&h),
            Explicit::Series(series) => self.errors_of_series(series, &h),
        };
        (self.tried, self.t1, self.error) = (h, t1, error);
        let mut spoilt = error;
        for values in self.y1.iter().chain(self.end_rates()) {
            spoilt.update([values], |sum, [x]| sum + x * 0.0);
        }
        let finite = spoilt.compare(&error, |spoilt, error| spoilt == error);
        let passed = error.compare(&error, |error, _| error <= 1.0) & finite & live;
        self.failed = live & finite & !passed;
        let again = match self.failed {
            0 => 0,
            failed => self.reject(&shortest, failed),
        };
        Trial { passed, again }
    }

    /// The longest steps that meet the tolerances, where that is known before the trial.
    #[inline(always)]
    fn plan(&mut self, system: &impl LaneSystem) -> Wide {
        let Explicit::Series(series) = &mut self.method else {
            return Wide::splat(f64::INFINITY);
        };
        series.expand(system, &self.y, &self.k[..self.n]);
        series.plan(&self.tolerances)
    }

    /// The lanes whose trial ends at a time or behind it.
    #[inline(always)]
    pub fn ends_at(&self, time: f64) -> Mask {
        let time = Wide::splat(time);
        self.t1.compare(&time, |t1, time| t1 >= time)
    }

    /// Takes the steps of lanes that passed.
    #[inline(always)]
    pub fn take(&mut self, taken: Mask) {
        self.propose(taken);
        let last = (self.method.stages() - 1) * self.n;
        self.t.update_in(taken, [&self.t1], |_, [t1]| t1);
        for component in 0..self.n {
            self.y[component].update_in(taken, [&self.y1[component]], |_, [y1]| y1);
            let end = self.k[last + component];
            self.k[component].update_in(taken, [&end], |_, [end]| end);
        }
        for lane in lanes_in(taken & self.watched) {
            self.progress[lane].watch = self.watches[lane];
            self.note_hints(lane);
        }
        // Where a step has passed and is not taken it comes once more.
        self.rejected = self.failed | self.rejected & !taken;
    }

    /// Computes what [`LaneStepper::states_at`] needs besides the stages of the trials.
    #[inline(always)]
    pub fn look_inside(&mut self, system: &mut impl LaneSystem) {
        if let Explicit::Dop853 = self.method {
            self.evaluate_more(system);
        }
    }

    /// The three stages of Dop853 that only its dense output needs, and what it needs of all stages.
    #[inline(always)]
    fn evaluate_more(&mut self, system: &mut impl LaneSystem) {
        use dop853::tableau::{A14, A15, A16, C_DENSE, DENSE};
        let (n, t, h) = (self.n, self.t, self.tried);
        for (more, fraction) in C_DENSE.into_iter().enumerate() {
            match more {
                0 => self.put(system, &h, &A14, [1, 7, 8, 9, 10, 11, 12, 13]),
                1 => self.put(system, &h, &A15, [1, 6, 7, 8, 11, 12, 13, 14]),
                _ => self.put(system, &h, &A16, [1, 6, 7, 8, 9, 13, 14, 15]),
            }
            let at = Wide::from([&t, &h], |[t, h]| t + fraction * h);
            system.rates(&at, &mut self.k[(13 + more) * n..][..n]);
        }
        for component in 0..n {
            let k = [1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
            let k = k.map(|stage: usize| self.k[(stage - 1) * n + component].values());
            let h = h.values();
            for (level, weights) in DENSE.iter().enumerate() {
                self.levels[4 * component + level] =
                    Wide::of(|lane| h[lane] * sum(weights, k, lane));
            }
        }
    }

    /// Where the trial of a lane ends, and its length.
    pub fn trial(&self, lane: usize) -> (f64, f64) {
        (self.t1.get(lane), self.tried.get(lane))
    }

    /// The dense output of a component in powers of theta, those that the method does not have left as they
    /// are.
    #[inline(always)]
    fn powers(&self, component: usize, into: &mut [Wide; POWERS]) {
        let (n, h) = (self.n, self.tried.values());
        let k = |stage: usize| self.k[(stage - 1) * n + component].values();
        let (y0, y1) = (self.y[component].values(), self.y1[component].values());
        let (first, end) = (k(1), k(self.method.stages()));
        match &self.method {
            Explicit::Series(series) => series.powers(&self.tried, component, into),
            Explicit::Dop853 => {
                let levels = |level: usize| self.levels[4 * component + level].values();
                let levels = [0, 1, 2, 3].map(levels);
                for lane in 0..LANES {
                    let more = levels.map(|level| level[lane]);
                    let ends = [y0, y1].map(|y| y[lane]);
                    let rates = [first, end].map(|rates| rates[lane]);
                    let powers = dop853::powers(h[lane], ends, rates, more);
                    for (into, power) in into.iter_mut().zip(powers) {
                        into.values_mut()[lane] = power;
                    }
                }
            }
            Explicit::Tsit5 => {
                let stages = [2, 3, 4, 5, 6].map(k);
                for lane in 0..LANES {
                    let stages = stages.map(|stage| stage[lane]);
                    let bow = tsit5::bow_of(h[lane], first[lane], stages, end[lane]);
                    let ends = [y0[lane], first[lane], y1[lane], end[lane]];
                    let powers = hermite_with_bow_at(h[lane], ends, bow);
                    for (into, power) in into.iter_mut().zip(powers) {
                        into.values_mut()[lane] = power;
                    }
                }
            }
        }
    }

    /// The components of the states at a time inside of the trials; [`LaneStepper::look_inside`] comes before.
    #[inline(always)]
    pub fn states_at(&self, time: f64, into: &mut [Wide]) {
        let theta = Wide::from([&self.t, &self.tried], |[t, h]| (time - t) / h);
        let mut powers = [Wide::splat(0.0); POWERS];
        for (component, into) in into.iter_mut().enumerate() {
            self.powers(component, &mut powers);
            *into = Wide::splat(0.0);
            for power in powers[..=self.method.degree()].iter().rev() {
                into.update([&theta, power], |sum, [theta, c]| sum * theta + c);
            }
        }
    }

    /// What follows from steps that are taken for the next ones.
    #[inline(always)]
    fn propose(&mut self, taken: Mask) {
        let Some(law) = self.method.law() else { return };
        // A loop for each kind, in which nothing is asked.
        match law.kind {
            LawKind::Pi { alpha, beta } => self.propose_by(taken, |memory, error, h| {
                law.damped([alpha, beta], memory, error, h)
            }),
            _ => self.propose_by(taken, |memory, error, h| law.accepted(memory, error, h)),
        }
    }

    #[inline(always)]
    fn propose_by(&mut self, taken: Mask, law: impl Fn(&Memory, f64, f64) -> (f64, Memory)) {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let [mut next, mut logs, mut lasts] = [Wide::splat(0.0); 3];
        let (log_errors, last_h) = (self.log_error.values(), self.last_h.values());
        let (errors, lengths) = (self.error.values(), self.tried.values());
        let results = next.values_mut().iter_mut().zip(logs.values_mut());
        let results = results.zip(lasts.values_mut());
        for (lane, ((next, log), last)) in results.enumerate() {
            let memory = Memory {
                log_error: log_errors[lane],
                h: last_h[lane],
            };
            let (length, memory) = law(&memory, errors[lane], lengths[lane]);
            (*next, *log, *last) = (length, memory.log_error, memory.h);
        }
        let h = &self.tried;
        if self.rejected & taken != 0 {
            next.update_in(self.rejected, [h], |next, [h]| next.min(h));
        }
        self.h
            .update_in(taken, [&next], |_, [next]| next.clamp(hmin, hmax));
        self.log_error.update_in(taken, [&logs], |_, [log]| log);
        self.last_h.update_in(taken, [&lasts], |_, [last]| last);
    }

    /// Shorter trials where the error was too large. The lanes in which there is one.
    #[inline(always)]
    fn reject(&mut self, shortest: &Wide, failed: Mask) -> Mask {
        let Some(law) = self.method.law() else {
            return 0;
        };
        let h = &self.tried;
        let mut shorter = *h;
        // A closure of this size would be a function of its own, without vectors.
        for (h, error) in shorter.values_mut().iter_mut().zip(self.error.values()) {
            *h = law.rejected(*error, *h);
        }
        let none = h.compare(shortest, |h, shortest| h <= shortest);
        let too_short = shorter.compare(h, |shorter, _| shorter < f64::MIN_POSITIVE);
        self.shorter
            .update_in(failed, [&shorter, shortest], |_, [shorter, shortest]| {
                shorter.max(shortest)
            });
        failed & !(none | too_short)
    }

    fn note_hints(&mut self, lane: usize) {
        if self.progress[lane].watch.is_calm() {
            self.hinted &= !mask_of(lane);
        } else {
            self.hinted |= mask_of(lane);
        }
    }

    /// The lanes in which a step that has passed leaves the method in use; only `auto` has another one.
    #[inline(always)]
    pub fn not_stiff(&mut self, passed: Mask) -> Mask {
        if !self.watches_stiffness {
            return passed;
        }
        self.watched = (self.may_be_stiff() | self.hinted) & passed;
        if self.watched == 0 {
            passed
        } else {
            passed & !self.look_for_stiffness()
        }
    }

    /// All lanes in which a step speaks for the implicit method, and others that are not far from it.
    #[inline(always)]
    fn may_be_stiff(&self) -> Mask {
        let (change, distance) = match &self.method {
            Explicit::Series(series) => series.squared_stiffness(&self.tried, &self.tolerances),
            _ => self.squared_stiffness_of_tsit5(),
        };
        let [least, most] = EXACT_SQUARES;
        change.compare(&distance, |change, distance| {
            let is_exact = (distance >= least) & (distance <= most);
            !((change <= CLEARLY_CALM * distance) & is_exact)
        })
    }

    /// The lanes of those that are watched in which the implicit method would take over.
    #[inline(always)]
    fn look_for_stiffness(&mut self) -> Mask {
        let stiffness = match &self.method {
            Explicit::Series(series) => series.stiffness(&self.tried, &self.tolerances),
            _ => self.stiffness_of_tsit5(),
        };
        let mut changes = 0;
        for lane in lanes_in(self.watched) {
            let watch = self.progress[lane].watch.after(stiffness.get(lane));
            self.watches[lane] = watch;
            if watch.implicit {
                changes |= mask_of(lane);
            }
        }
        changes
    }

    /// How stiff steps of Tsit5 show their motions to be, as a part of what it can do.
    #[inline(always)]
    fn stiffness_of_tsit5(&self) -> Wide {
        let (mut change, mut distance) = (Wide::splat(0.0), Wide::splat(0.0));
        for component in 0..self.n {
            let [f5, f6, u, y1] = self.at_end_of_tsit5(component);
            let scale = self.tolerances.scale(component, &self.y[component]);
            change.update([f6, f5, &scale], |sum, [f6, f5, scale]| {
                let df = (f6 - f5) / scale;
                sum + df * df
            });
            distance.update([y1, u, &scale], |sum, [y1, u, scale]| {
                let dy = (y1 - u) / scale;
                sum + dy * dy
            });
        }
        Wide::from(
            [&self.tried, &change, &distance],
            |[h, change, distance]| {
                let stiffness = if distance > 0.0 {
                    h * (change / distance).sqrt()
                } else {
                    0.0
                };
                stiffness / tsit5::STABLE
            },
        )
    }

    /// Two numbers whose quotient is the square of [`LaneStepper::stiffness_of_tsit5`] but for rounding, with a
    /// division per component.
    #[inline(always)]
    fn squared_stiffness_of_tsit5(&self) -> (Wide, Wide) {
        let (mut change, mut distance) = (Wide::splat(0.0), Wide::splat(0.0));
        for component in 0..self.n {
            let [f5, f6, u, y1] = self.at_end_of_tsit5(component);
            let weight = self.tolerances.weight(component, &self.y[component]);
            change.update(
                [f6, f5, &weight, &self.tried],
                |sum, [f6, f5, weight, h]| {
                    let df = h * (f6 - f5) * weight;
                    sum + df * df
                },
            );
            distance.update([y1, u, &weight], |sum, [y1, u, weight]| {
                let dy = tsit5::STABLE * (y1 - u) * weight;
                sum + dy * dy
            });
        }
        (change, distance)
    }

    /// Two points of Tsit5 at the ends of trials, their rates first.
    #[inline(always)]
    fn at_end_of_tsit5(&self, component: usize) -> [&Wide; 4] {
        let n = self.n;
        let (f5, f6) = (&self.k[5 * n + component], &self.k[6 * n + component]);
        [f5, f6, &self.u[component], &self.y1[component]]
    }

    fn end_rates(&self) -> &[Wide] {
        &self.k[(self.method.stages() - 1) * self.n..][..self.n]
    }

    /// The argument of a stage: the state at the start plus a sum of stages.
    #[inline(always)]
    fn put<const M: usize>(
        &self,
        system: &mut impl LaneSystem,
        h: &Wide,
        weights: &[f64; M],
        stages: [usize; M],
    ) {
        for component in 0..self.n {
            let k = stages.map(|stage| &self.k[(stage - 1) * self.n + component]);
            *system.state(component) = advance(&self.y[component], h, weights, k);
        }
    }

    /// All stages of a trial; the argument of the last one is the state at the end.
    #[inline(always)]
    fn evaluate(&mut self, system: &mut impl LaneSystem, h: &Wide, t1: &Wide) {
        let n = self.n;
        let (t, timed) = (self.t, system.reads_time());
        let last = self.method.stages();
        for stage in 2..=last {
            let fraction = match &self.method {
                Explicit::Dop853 => self.put_dop853(system, h, stage),
                Explicit::Tsit5 => self.put_tsit5(system, h, stage),
                Explicit::Series(series) => {
                    for component in 0..n {
                        *system.state(component) = series.after(h, component);
                    }
                    None
                }
            };
            let kept = if stage == last {
                &mut self.y1
            } else {
                &mut self.u
            };
            if stage + 1 >= last {
                for (component, kept) in kept.iter_mut().enumerate() {
                    *kept = *system.state(component);
                }
            }
            let at = match fraction {
                Some(fraction) if timed => Wide::from([&t, h], |[t, h]| t + fraction * h),
                _ => *t1,
            };
            system.rates(&at, &mut self.k[(stage - 1) * n..][..n]);
        }
    }

    /// The argument of a stage of Tsit5, and at which part of the step it stands; `None` at its end.
    #[inline(always)]
    fn put_tsit5(&self, system: &mut impl LaneSystem, h: &Wide, stage: usize) -> Option<f64> {
        use tsit5::tableau::{A2, A3, A4, A5, A6, B, C};
        match stage {
            2 => self.put(system, h, &A2, [1]),
            3 => self.put(system, h, &A3, [1, 2]),
            4 => self.put(system, h, &A4, [1, 2, 3]),
            5 => self.put(system, h, &A5, [1, 2, 3, 4]),
            6 => self.put(system, h, &A6, [1, 2, 3, 4, 5]),
            _ => self.put(system, h, &B, [1, 2, 3, 4, 5, 6]),
        }
        C.get(stage - 2).copied()
    }

    /// The same for Dop853.
    #[inline(always)]
    fn put_dop853(&self, system: &mut impl LaneSystem, h: &Wide, stage: usize) -> Option<f64> {
        use dop853::tableau::{A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, B, C};
        match stage {
            2 => self.put(system, h, &A2, [1]),
            3 => self.put(system, h, &A3, [1, 2]),
            4 => self.put(system, h, &A4, [1, 3]),
            5 => self.put(system, h, &A5, [1, 3, 4]),
            6 => self.put(system, h, &A6, [1, 4, 5]),
            7 => self.put(system, h, &A7, [1, 4, 5, 6]),
            8 => self.put(system, h, &A8, [1, 4, 5, 6, 7]),
            9 => self.put(system, h, &A9, [1, 4, 5, 6, 7, 8]),
            10 => self.put(system, h, &A10, [1, 4, 5, 6, 7, 8, 9]),
            11 => self.put(system, h, &A11, [1, 4, 5, 6, 7, 8, 9, 10]),
            12 => self.put(system, h, &A12, [1, 4, 5, 6, 7, 8, 9, 10, 11]),
            _ => self.put(system, h, &B, [1, 6, 7, 8, 9, 10, 11, 12]),
        }
        C.get(stage - 2).copied().filter(|_| stage < 12)
    }

    /// Takes the errors of a component, in units of their tolerances, into the largest in each lane.
    #[inline(always)]
    fn take_error(&self, component: usize, error: &Wide, largest: &mut Wide) {
        let Tolerances { atol, rtol } = &self.tolerances;
        let (atol, rtol) = (atol[component], *rtol);
        let (y0, y1) = (&self.y[component], &self.y1[component]);
        largest.update([error, y0, y1], |largest, [error, y0, y1]| {
            let scale = atol + rtol * y0.abs().max(y1.abs());
            let ratio = error.abs() / scale;
            let is_larger = !(ratio <= largest) & (error != 0.0) & !largest.is_nan();
            if is_larger { ratio } else { largest }
        });
    }

    /// The errors of a trial of the series.
    #[inline(always)]
    fn errors_of_series(&self, series: &LaneSeries, h: &Wide) -> Wide {
        let mut largest = Wide::splat(0.0);
        for component in 0..self.n {
            self.take_error(component, &series.error(h, component), &mut largest);
        }
        largest
    }

    /// The errors of a trial of Tsit5.
    #[inline(always)]
    fn errors_of_tsit5(&self, h: &Wide) -> Wide {
        use tsit5::tableau::E;
        let mut largest = Wide::splat(0.0);
        for component in 0..self.n {
            let k = [1, 2, 3, 4, 5, 6, 7]
                .map(|stage| self.k[(stage - 1) * self.n + component].values());
            let h = h.values();
            let error = Wide::of(|lane| h[lane] * sum(&E, k, lane));
            self.take_error(component, &error, &mut largest);
        }
        largest
    }

    /// The errors of a trial of Dop853.
    #[inline(always)]
    fn errors_of_dop853(&self, h: &Wide) -> Wide {
        use dop853::tableau::{E3, E5};
        let [mut five, mut three] = [Wide::splat(0.0); 2];
        for component in 0..self.n {
            let k = [1, 6, 7, 8, 9, 10, 11, 12];
            let k = k.map(|stage| self.k[(stage - 1) * self.n + component].values());
            for (weights, largest) in [(&E5, &mut five), (&E3, &mut three)] {
                let error = Wide::of(|lane| sum(weights, k, lane));
                self.take_error(component, &error, largest);
            }
        }
        Wide::from([h, &five, &three], |[h, five, three]| {
            dop853::error_of(h, five, three)
        })
    }
}
