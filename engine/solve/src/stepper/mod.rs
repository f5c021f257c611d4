//! The loop around one step: trials, error test, step lengths, commitment.

mod attempt;
mod enter;
mod error;
mod state;

use crate::dense::{Dense, hermite};
use crate::implementation::MethodImpl;
use crate::method::Method;
use crate::settings::{Settings, SettingsError};
use crate::step::history::History;
use crate::step::{Counted, Failure, Rejection, Start, Stats, StepResult};
use crate::system::{Refusal, System};
pub use error::{EnterError, StepError};
pub use state::{Candidate, Progress, Snapshot};

/// Moves the state of a system in time, step by step.
///
/// A step is first a candidate ([`Stepper::attempt`]): it has passed the error test and can be
/// looked at ([`Stepper::y_end`], [`Stepper::dense`]), but nothing has happened yet. Then the
/// caller takes it whole ([`Stepper::accept`]), or goes on from a point inside it with another
/// state ([`Stepper::restart`], after an event), or asks for another candidate, for example a
/// shorter one.
///
/// All that the next candidate depends on is in [`Snapshot`]: a run that is saved and resumed
/// continues with the same bits. Nothing allocates between two calls of [`Stepper::enter`].
///
/// ```
/// use situ_solve::{Method, Refusal, Settings, Stepper, System};
///
/// struct Decay;
///
/// impl System for Decay {
///     fn dim(&self) -> usize {
///         1
///     }
///
///     fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
///         dy[0] = -y[0];
///         Ok(())
///     }
/// }
///
/// let settings = Settings { method: Method::Tsit5, rtol: 1e-8, ..Settings::default() };
/// let mut stepper = Stepper::new(settings)?;
/// stepper.enter(&mut Decay, 0.0, &[1.0], &[1e-8])?;
/// while stepper.t() < 2.0 {
///     stepper.attempt(&mut Decay, 2.0)?;
///     stepper.accept();
/// }
/// assert!((stepper.y()[0] - (-2.0_f64).exp()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper {
    settings: Settings,
    atol: Vec<f64>,
    method: MethodImpl,
    state: Snapshot,
    out: StepResult,
    candidate: Option<(Candidate, Progress)>,
    /// Method of the candidate, if the method is `auto`.
    candidate_implicit: bool,
    dense: Dense,
    dense_is_ready: bool,
    stats: Stats,
    /// For each component how often it limited a step.
    limiting: Vec<u64>,
    /// Some have.
    limited: bool,
    /// Number of steps in a row near the shortest length, and why the last trial among them that had no result had none.
    short_steps: (u32, Option<Rejection>),
}

impl Stepper {
    /// A stepper that has to [`Stepper::enter`] a system.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        settings.check(&[])?;
        Ok(Self {
            method: MethodImpl::new(settings.method, settings.rtol),
            settings,
            atol: Vec::new(),
            state: Snapshot {
                t: 0.0,
                y: Vec::new(),
                dy: Vec::new(),
                progress: Progress::FRESH,
                history: History::default(),
            },
            out: StepResult::default(),
            candidate: None,
            candidate_implicit: false,
            dense: Dense::default(),
            dense_is_ready: false,
            stats: Stats::default(),
            limiting: Vec::new(),
            limited: false,
            short_steps: (0, None),
        })
    }

    /// True if steps are taken by an implicit method for stiff systems.
    #[inline]
    pub fn is_implicit(&self) -> bool {
        let chosen = self.settings.method == Method::Auto && self.state.progress.watch.stiff;
        chosen || (self.settings.method.about().stiff && self.settings.method != Method::Auto)
    }

    /// The highest derivative that the dense output of the next step tells: of a multistep method less than its order where
    /// it starts.
    pub fn dense_order(&self) -> usize {
        let order = self.state.history.course.order;
        let order = match self.method.is_bdf(self.state.progress.watch.stiff) {
            // The first step has a cubic.
            true => order.max(2),
            false => self.settings.method.about().dense_order,
        };
        order as usize
    }

    /// All that the rest of the run depends on. A candidate is not part of it: the resumed run
    /// finds the same one.
    #[inline]
    pub fn save(&self) -> &Snapshot {
        &self.state
    }

    /// The longest step that meets the tolerances, if the method knows it before the trial.
    #[inline]
    fn plan<S: System>(&mut self, system: &mut S) -> Option<f64> {
        let start = start_from(&self.state, &self.atol, &self.settings);
        let mut counted = Counted {
            system,
            stats: &mut self.stats,
        };
        let implicit = self.state.progress.watch.stiff;
        self.method.plan(implicit, &mut counted, &start)
    }

    /// The dense output of the candidate; made when first asked for.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if a point that the dense output needs is refused, or has rates that are not
    ///         finite (only `dop853` and `merson` need further points). A shorter candidate may have one.
    /// Cost:   `dop853` three evaluations, `merson` one, the others none; no allocation.
    ///
    /// # Panics
    /// If there is no candidate.
    pub fn dense<S: System>(&mut self, system: &mut S) -> Result<&Dense, Refusal> {
        let (candidate, _) = self.candidate.as_ref().expect("a candidate has been found");
        if !self.dense_is_ready {
            let span = candidate.span();
            let start = start_from(&self.state, &self.atol, &self.settings);
            let mut counted = Counted {
                system,
                stats: &mut self.stats,
            };
            let implicit = self.candidate_implicit;
            self.method
                .dense(
                    implicit,
                    &mut counted,
                    &span,
                    &start,
                    &self.out,
                    &mut self.dense,
                )
                .map_err(|failure| match failure {
                    Failure::Retry(_) => Refusal::Outside,
                    Failure::Stop => Refusal::Stop,
                })?;
            self.dense_is_ready = true;
        }
        Ok(&self.dense)
    }

    /// The dense output of the candidate, made as by [`Stepper::dense`] and put into `into`; what was
    /// there serves as memory for the next one.
    ///
    /// Errors, cost: as there.
    pub fn take_dense<S: System>(
        &mut self,
        system: &mut S,
        into: &mut Dense,
    ) -> Result<(), Refusal> {
        self.dense(system)?;
        std::mem::swap(&mut self.dense, into);
        self.dense_is_ready = false;
        Ok(())
    }

    /// The cubics through both ends of the candidate, which need no further points, put into `into`.
    ///
    /// # Panics
    /// If there is no candidate.
    pub fn take_cubic(&self, into: &mut Dense) {
        let (candidate, _) = self.candidate.as_ref().expect("a candidate has been found");
        let span = candidate.span();
        let (Snapshot { y, dy, .. }, out) = (&self.state, &self.out);
        hermite(into, &span, [y, dy, &out.y, &out.f]);
    }

    /// Takes the candidate whole.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn accept(&mut self) {
        let (candidate, after) = self.candidate.take().expect("a candidate has been found");
        self.stats.steps += 1;
        let Snapshot {
            t, y, dy, history, ..
        } = &mut self.state;
        self.method
            .accepted(self.candidate_implicit, (*t, y, dy), history);
        history.is_put_back = false;
        if after.watch.stiff != self.candidate_implicit && !self.method.is_explicit() {
            history.clear();
            self.method.restarted();
            self.stats.switches += 1;
        }
        self.state.t = candidate.t1;
        self.state.progress = after;
        std::mem::swap(&mut self.state.y, &mut self.out.y);
        std::mem::swap(&mut self.state.dy, &mut self.out.f);
    }

    /// Counts the candidate as a step of which only a part is taken: the system is entered anew where it is cut.
    #[inline]
    pub fn cut(&mut self) {
        self.stats.steps += 1;
    }

    /// The committed time.
    #[inline]
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// The length proposed for the next step.
    #[inline]
    pub fn proposed(&self) -> f64 {
        self.state.progress.h.min(self.settings.hmax)
    }

    /// The committed state.
    #[inline]
    pub fn y(&self) -> &[f64] {
        &self.state.y
    }

    /// The derivative at the committed state.
    #[inline]
    pub fn dy(&self) -> &[f64] {
        &self.state.dy
    }

    /// The state at the end of the candidate.
    #[inline]
    pub fn y_end(&self) -> &[f64] {
        &self.out.y
    }

    /// The derivative at the end of the candidate.
    #[inline]
    pub fn dy_end(&self) -> &[f64] {
        &self.out.f
    }

    /// The settings.
    #[inline]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Statistics of the work done so far.
    #[inline]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// For each component how many trials failed on its error, since the system was entered or this was
    /// asked: tells each one that has, with the number, and forgets it.
    pub fn take_limiting(&mut self, mut each: impl FnMut(usize, u64)) {
        if !std::mem::take(&mut self.limited) {
            return;
        }
        for (component, times) in self.limiting.iter_mut().enumerate() {
            let times = std::mem::take(times);
            if times > 0 {
                each(component, times);
            }
        }
    }
}

/// The committed point, as the methods see it.
#[inline]
fn start_from<'a>(state: &'a Snapshot, atol: &'a [f64], settings: &Settings) -> Start<'a> {
    Start {
        t: state.t,
        y: &state.y,
        f: &state.dy,
        history: &state.history,
        atol,
        rtol: settings.rtol,
    }
}

fn first_not_finite(values: &[f64]) -> Option<usize> {
    values.iter().position(|value| !value.is_finite())
}
