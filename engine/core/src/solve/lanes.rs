//! Explicit methods with step control in lanes: many runs of one system, each with its own time and step.
//!
//! [`LaneStepper::attempt`] does one trial in every lane: stages, error test, and what follows for the
//! next step, with the operations of [`Stepper`](super::Stepper) in its order, so that every lane has the
//! bits of a run of its own. It ends no run: a step that would reach the end is told before it is taken,
//! and so is one that needs more than a shorter trial; the caller goes on from [`LaneStepper::save`].

use super::control::{Law, Memory};
use super::dop853::{self, Dop853};
use super::engine::Formula;
use super::tsit5::{self, Tsit5};
use super::{Method, Progress, Settings, Snapshot};
use crate::backend::lanes::{LANES, Mask, Wide, lanes_in, mask_of};

/// A system in lanes.
pub(crate) trait LaneSystem {
    /// Whether the rates depend on the time.
    fn reads_time(&self) -> bool;

    /// Where a component of the state is to be put for [`LaneSystem::rates`].
    fn state(&mut self, component: usize) -> &mut Wide;

    /// Writes the rates of all components.
    fn rates(&mut self, t: &Wide, rates: &mut [Wide]);
}

/// A method that works in lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Explicit {
    Tsit5,
    Dop853,
    /// Tsit5 as long as the problem is not stiff.
    Auto,
}

/// The steps of many runs.
#[derive(Clone, Debug)]
pub(crate) struct LaneStepper {
    method: Explicit,
    n: usize,
    rtol: f64,
    atol: Vec<f64>,
    hmin: f64,
    hmax: f64,
    /// Committed times and states.
    t: Wide,
    y: Vec<Wide>,
    /// Stages, component by component; the first is the derivative at the committed point.
    k: Vec<Wide>,
    /// Proposed length of the next step.
    h: Wide,
    /// What the step control remembers.
    log_error: Wide,
    last_h: Wide,
    /// Length of the next trial where one was rejected.
    shorter: Wide,
    rejected: Mask,
    /// Per lane the rest of its progress.
    progress: Vec<Progress>,
    /// States at the ends of trials.
    y1: Vec<Wide>,
    /// Arguments of the last stage but one, for the measure of stiffness.
    u: Vec<Wide>,
}

/// What a trial has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Trial {
    /// Lanes in which the step reaches the end; it was not taken.
    pub(crate) ends: Mask,
    /// Lanes in which something came that is not dealt with here.
    pub(crate) odd: Mask,
    /// Lanes in which the step was taken.
    pub(crate) taken: Mask,
}

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
    pub(crate) fn new(settings: &Settings, atol: &[f64]) -> Option<Self> {
        let (method, stages) = match settings.method {
            Method::Tsit5 => (Explicit::Tsit5, 7),
            Method::Dop853 => (Explicit::Dop853, 13),
            Method::Auto => (Explicit::Auto, 7),
            _ => return None,
        };
        let n = atol.len();
        let (zero, zeros) = (Wide::splat(0.0), vec![Wide::splat(0.0); n]);
        Some(Self {
            method,
            n,
            rtol: settings.rtol,
            atol: atol.to_vec(),
            hmin: settings.hmin,
            hmax: settings.hmax,
            t: zero,
            y: zeros.clone(),
            k: vec![zero; stages * n],
            h: Wide::splat(1.0),
            log_error: zero,
            last_h: zero,
            shorter: zero,
            rejected: 0,
            progress: vec![Progress::FRESH; LANES],
            u: zeros.clone(),
            y1: zeros,
        })
    }

    /// Puts a run into a lane.
    pub(crate) fn load(&mut self, lane: usize, from: &Snapshot) {
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
    }

    /// The run in a lane as it stands, before the trial that was not taken.
    pub(crate) fn save(&self, lane: usize, into: &mut Snapshot) {
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

    /// One trial in each of some lanes, the others being of no interest. Where the error passes, the step
    /// is taken, unless it reaches `until`; elsewhere the next trial is shorter.
    #[inline(always)]
    pub(crate) fn attempt(
        &mut self,
        system: &mut impl LaneSystem,
        until: f64,
        live: Mask,
    ) -> Trial {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let shortest = Wide::from([&self.t], |[t]| hmin.max(4.0 * f64::EPSILON * t.abs()));
        let mut h = Wide::from([&self.h, &shortest], |[h, shortest]| {
            h.min(hmax).max(shortest)
        });
        if self.rejected != 0 {
            h.update_in(self.rejected, [&self.shorter], |_, [shorter]| shorter);
        }
        let t1 = Wide::from([&self.t, &h], |[t, h]| t + h);
        self.stages(system, &h, &t1);
        let (error, law) = match self.method {
            Explicit::Tsit5 | Explicit::Auto => (self.errors_of_tsit5(&h), Tsit5::LAW),
            Explicit::Dop853 => (self.errors_of_dop853(&h), Dop853::LAW),
        };
        let Some(law) = law else {
            return Trial::default();
        };
        let mut spoilt = error;
        for values in self.y1.iter().chain(self.end_rates()) {
            spoilt.update([values], |sum, [x]| sum + x * 0.0);
        }
        let zero = Wide::splat(0.0);
        let finite = spoilt.compare(&error, |spoilt, error| spoilt == error);
        let passed = error.compare(&zero, |error, _| error <= 1.0) & finite & live;
        let ends = passed & t1.compare(&zero, |t1, _| t1 >= until);
        let mut trial = Trial {
            ends,
            odd: live & !finite,
            taken: passed & !ends,
        };
        self.propose(&law, &error, &h, trial.taken);
        let failed = live & finite & !passed;
        if failed != 0 {
            trial.odd |= self.reject(&law, &error, &h, &shortest, failed);
        }
        if self.method == Explicit::Auto {
            trial.odd |= self.look_for_stiffness(&h, trial.taken);
        }
        trial.taken &= !trial.odd;
        self.take(&t1, trial.taken);
        self.rejected = failed;
        trial
    }

    /// What follows from trials that are taken for the next steps.
    #[inline(always)]
    fn propose(&mut self, law: &Law, error: &Wide, h: &Wide, taken: Mask) {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let (mut next, mut logs) = (Wide::splat(0.0), Wide::splat(0.0));
        let (log_errors, last_h) = (self.log_error.values(), self.last_h.values());
        let (errors, lengths) = (error.values(), h.values());
        let results = next.values_mut().iter_mut().zip(logs.values_mut());
        for (lane, (next, log)) in results.enumerate() {
            let memory = Memory {
                log_error: log_errors[lane],
                h: last_h[lane],
            };
            let (length, memory) = law.accepted(&memory, errors[lane], lengths[lane]);
            (*next, *log) = (length, memory.log_error);
        }
        if self.rejected & taken != 0 {
            next.update_in(self.rejected, [h], |next, [h]| next.min(h));
        }
        self.h
            .update_in(taken, [&next], |_, [next]| next.clamp(hmin, hmax));
        self.log_error.update_in(taken, [&logs], |_, [log]| log);
        self.last_h.update_in(taken, [h], |_, [h]| h);
    }

    /// Shorter trials where the error was too large. The lanes in which there is none.
    #[inline(always)]
    fn reject(&mut self, law: &Law, error: &Wide, h: &Wide, shortest: &Wide, failed: Mask) -> Mask {
        let shorter = Wide::from([error, h], |[error, h]| law.rejected(error, h));
        let none = h.compare(shortest, |h, shortest| h <= shortest);
        let too_short = shorter.compare(h, |shorter, _| shorter < f64::MIN_POSITIVE);
        self.shorter
            .update_in(failed, [&shorter, shortest], |_, [shorter, shortest]| {
                shorter.max(shortest)
            });
        failed & (none | too_short)
    }

    /// Steps are committed.
    #[inline(always)]
    fn take(&mut self, t1: &Wide, taken: Mask) {
        let last = self.k.len() - self.n;
        self.t.update_in(taken, [t1], |_, [t1]| t1);
        for component in 0..self.n {
            self.y[component].update_in(taken, [&self.y1[component]], |_, [y1]| y1);
            let end = self.k[last + component];
            self.k[component].update_in(taken, [&end], |_, [end]| end);
        }
    }

    /// The lanes in which the implicit method would take over.
    #[inline(always)]
    fn look_for_stiffness(&mut self, h: &Wide, taken: Mask) -> Mask {
        let (mut change, mut distance) = (Wide::splat(0.0), Wide::splat(0.0));
        let n = self.n;
        for component in 0..n {
            let (atol, rtol) = (self.atol[component], self.rtol);
            let (y, y1) = (&self.y[component], &self.y1[component]);
            let (f5, f6) = (&self.k[5 * n + component], &self.k[6 * n + component]);
            let u = &self.u[component];
            let scale = Wide::from([y], |[y]| {
                (atol + rtol * y.abs()).max(f64::MIN_POSITIVE.sqrt())
            });
            change.update([f6, f5, &scale], |sum, [f6, f5, scale]| {
                let df = (f6 - f5) / scale;
                sum + df * df
            });
            distance.update([y1, u, &scale], |sum, [y1, u, scale]| {
                let dy = (y1 - u) / scale;
                sum + dy * dy
            });
        }
        let stiffness = Wide::from([h, &change, &distance], |[h, change, distance]| {
            if distance > 0.0 {
                h * (change / distance).sqrt()
            } else {
                0.0
            }
        });
        let mut changes = 0;
        for lane in lanes_in(taken) {
            let watch = &mut self.progress[lane].watch;
            *watch = watch.after(stiffness.get(lane));
            if watch.implicit {
                changes |= mask_of(lane);
            }
        }
        changes
    }

    fn end_rates(&self) -> &[Wide] {
        &self.k[self.k.len() - self.n..]
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
    fn stages(&mut self, system: &mut impl LaneSystem, h: &Wide, t1: &Wide) {
        let n = self.n;
        let (t, timed) = (self.t, system.reads_time());
        let last = self.k.len() / n.max(1);
        for stage in 2..=last {
            let fraction = match self.method {
                Explicit::Dop853 => self.put_dop853(system, h, stage),
                Explicit::Tsit5 | Explicit::Auto => self.put_tsit5(system, h, stage),
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

    /// The largest error in units of its tolerance in each lane, from the errors of a component.
    #[inline(always)]
    fn norm(&self, mut error: impl FnMut(usize) -> Wide) -> Wide {
        let mut largest = Wide::splat(0.0);
        for component in 0..self.n {
            let (atol, rtol) = (self.atol[component], self.rtol);
            let (y0, y1) = (&self.y[component], &self.y1[component]);
            let error = error(component);
            largest.update([&error, y0, y1], |largest, [error, y0, y1]| {
                let scale = atol + rtol * y0.abs().max(y1.abs());
                let ratio = error.abs() / scale;
                let is_larger = !(ratio <= largest) & (error != 0.0) & !largest.is_nan();
                if is_larger { ratio } else { largest }
            });
        }
        largest
    }

    /// The errors of a trial of Tsit5.
    #[inline(always)]
    fn errors_of_tsit5(&self, h: &Wide) -> Wide {
        use tsit5::tableau::E;
        self.norm(|component| {
            let k = [1, 2, 3, 4, 5, 6, 7]
                .map(|stage| self.k[(stage - 1) * self.n + component].values());
            let h = h.values();
            Wide::of(|lane| h[lane] * sum(&E, k, lane))
        })
    }

    /// The errors of a trial of Dop853.
    #[inline(always)]
    fn errors_of_dop853(&self, h: &Wide) -> Wide {
        use dop853::tableau::{E3, E5};
        self.norm(|component| {
            let k = [1, 6, 7, 8, 9, 10, 11, 12];
            let k = k.map(|stage| self.k[(stage - 1) * self.n + component].values());
            let h = h.values();
            Wide::of(|lane| {
                let (e5, e3) = (sum(&E5, k, lane), sum(&E3, k, lane));
                let size = (e5 * e5 + 0.01 * e3 * e3).sqrt();
                if size > 0.0 {
                    h[lane] * e5 * e5 / size
                } else {
                    h[lane] * size
                }
            })
        })
    }
}
