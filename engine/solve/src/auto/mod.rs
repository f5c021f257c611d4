//! The automatic method: while the problem is not stiff its Taylor series where that is known, else Tsit5;
//! while it is, Rodas5P for few unknowns, Radau IIA of order 9 where their tolerances are tight, and backward
//! differentiation formulas for many, whose matrices cost more than short steps, and for algebraic components.
//!
//! Stiffness is measured, not guessed: on an explicit step from two stages at the same time or the
//! last coefficients of the series, on an implicit one from the Jacobian. Several steps in a row have to
//! agree before the method changes. An explicit method without an implicit one beside it then bounds its steps
//! instead: at the border of stability what should have died down goes on at the size of the tolerance, and is taken
//! for events.

use super::about::{About, Steps};
use super::explicit::taylor;
use super::implicit::bdf::Bdf;
use super::implicit::radau::Radau9;
use super::implicit::rodas5p::Rodas5p;
use super::integration_method::IntegrationMethod;
use super::linear::FEW;
use super::step::control::power;
use super::step::history::History;
use super::system::System;
use serde::{Deserialize, Serialize};

pub(super) static ABOUT: About = About {
    name: "auto",
    about: "taylor where the rates are affine, else tsit5; where the problem is measured to be stiff rodas5p, radau at tight tolerances, bdf with many unknowns",
    order: 5,
    dense_order: 4,
    dense_degree: taylor::ABOUT.dense_degree,
    steps: Steps::Adaptive,
    stiff: true,
    source: "stiffness test: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 1996, IV.2",
    others: &["lsoda", "cvode"],
};

/// Relative tolerances below this are met in stiff problems by Radau IIA of order 9: with errors of 1e-9 small problems of
/// the test sets (ROBER, HIRES, POLLU) take a third to a half of the time of Rodas5P, with 1e-11 an eighth to a quarter.
const TIGHT: f64 = 3e-7;

/// Parts of a step that is stable for Tsit5, of which one is short enough for it to follow backward differentiation formulas:
/// what keeps their steps short keeps its own short as well. (MEDAKZO at 1e-8 took four times as long without.)
const PARTS: f64 = 4.0;

/// The implicit method is tried once explicit steps are longer than [`STIFF`] / `LEAD` of the stable length: errors of
/// stiff unknowns keep explicit steps short already below the border of stability...
const LEAD: f64 = 4.0;
/// ...and below this tolerance the shorter, the tighter it is. (At 1e-10 the pyrolysis of ethane takes explicit steps for
/// sixty times as long as implicit ones, at a tenth of the stable length and less.)
const LEAD_TO: f64 = 1e-6;
/// What is left of the lead after a trial that did not pay, and after how many there is none.
const LESS_LEAD: f64 = 0.25;
const LAST_FAILURE: u32 = 2;
/// Explicit steps after which one such trial no longer counts: what is smooth at first may be stiff later.
const FORGOTTEN: u32 = 2000;

/// Explicit steps without a trial after which backward differentiation formulas are tried, whatever stages show. With tight
/// tolerances what rings at the border of stability is so small that between two stages the differences of what is smooth
/// hide it. (At 1e-10 the medical Akzo Nobel problem is bounded by stability where its stages show a 200th to a 30th of that.)
const UNTRIED: u32 = 2000;
/// The part of the stable length that explicit steps have by the first Jacobian of such a trial, or it ends there.
const HIDDEN: f64 = 0.4;
/// Each trial that does not pay doubles the number of steps before the next such one, at most so often: where the factors of
/// a grid take as long as thousands of steps, all trials of a run take as long as a few. (On grids of 200 to 10 000 unknowns one
/// takes as long as up to a hundred explicit steps.)
const MOST_DOUBLINGS: u32 = 16;

/// Steps of a trial of backward differentiation formulas. Where it paid that was seen after 30 to 43 of them (medical Akzo
/// Nobel problem, competing species, Brusselator on a line, tolerances from 1e-3 to 1e-10).
const BDF_STEPS: u32 = 60;

/// Terms on which the implicit method is tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Terms {
    /// How much earlier than at the border of stability; 1 if only there.
    pub(super) lead: f64,
    /// It begins after so many steps that speak for it...
    pub(super) hints: u32,
    /// ...of which one at the border of stability counts for so many.
    pub(super) at_border: u32,
    /// True if it also begins after [`UNTRIED`] steps, whatever they show.
    pub(super) is_tried_anyway: bool,
    /// It stays if within so many of its steps...
    pub(super) steps: u32,
    /// ...one is as long as so many explicit ones, about what it costs; where the solution alone keeps steps short, it is
    /// shorter.
    pub(super) pays: f64,
}

impl Terms {
    /// The implicit method is only taken where stability bounds the steps of the explicit one.
    pub(super) const NO_TRIAL: Self = Self {
        lead: 1.0,
        hints: HINTS_STIFF,
        at_border: 1,
        is_tried_anyway: false,
        steps: 0,
        pays: 0.0,
    };
}

/// The implicit method of `auto`.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a run has one, and it is not moved"
)]
pub(super) enum Implicit {
    /// For few unknowns.
    Rodas5p(Rodas5p),
    /// For these at tight tolerances.
    Radau(Radau9),
    /// For many.
    Bdf(Bdf),
}

/// Calls `$body` with the method as `$formula`.
macro_rules! with_implicit {
    ($method:expr, $formula:ident => $body:expr) => {
        match $method {
            Implicit::Rodas5p($formula) => $body,
            Implicit::Radau($formula) => $body,
            Implicit::Bdf($formula) => $body,
        }
    };
}

impl Implicit {
    /// For so many unknowns, and so many algebraic ones among them, which only one method takes.
    pub(super) fn new(rtol: f64, [n, n_algebraic]: [usize; 2]) -> Self {
        match (n > FEW || n_algebraic > 0, rtol < TIGHT) {
            (true, _) => Self::Bdf(Bdf::default()),
            (false, true) => Self::Radau(Radau9::default()),
            (false, false) => Self::Rodas5p(Rodas5p::default()),
        }
    }

    /// Makes room for a system; of another size it may be another method.
    pub(super) fn resize<S: System>(&mut self, system: &mut S, rtol: f64) {
        let fitting = Self::new(rtol, [system.dim(), system.n_algebraic()]);
        if std::mem::discriminant(self) != std::mem::discriminant(&fitting) {
            *self = fitting;
        }
        with_implicit!(self, formula => formula.resize(system));
    }

    /// True if the system's Jacobian has room.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        with_implicit!(self, formula => formula.has_room())
    }

    pub(super) fn reserve(&self, history: &mut History, n: usize) {
        with_implicit!(self, formula => formula.reserve(history, n));
    }

    #[inline]
    pub(super) fn accepted(&mut self, start: (f64, &[f64], &[f64]), history: &mut History) {
        with_implicit!(self, formula => formula.accepted(start, history));
    }

    #[inline]
    pub(super) fn restarted(&mut self) {
        with_implicit!(self, formula => formula.restarted());
    }

    pub(super) fn corrected(&mut self) {
        with_implicit!(self, formula => formula.corrected());
    }

    /// Terms on which this method is tried.
    pub(super) fn terms(&self, rtol: f64) -> Terms {
        let tighter = (LEAD_TO / rtol).clamp(1.0, 1e6);
        let lead = LEAD * power(tighter, 1.0 / f64::from(ABOUT.order));
        let few = Terms {
            lead,
            hints: HINTS_STIFF,
            // Four: short runs consist of the steps before (the pyrolysis of ethane takes 8 after them).
            at_border: 3,
            is_tried_anyway: false,
            steps: 20,
            pays: 4.0,
        };
        match self {
            Self::Rodas5p(_) => few,
            Self::Radau(_) => Terms { pays: 10.0, ..few },
            // It begins with its lowest order. A trial that does not pay takes longer than as many explicit steps, by the
            // factors of many unknowns, and is not begun before these have been taken (of which the Brusselator in a square
            // needs 38 in all).
            Self::Bdf(_) => Terms {
                hints: BDF_STEPS,
                at_border: BDF_STEPS / HINTS_STIFF,
                is_tried_anyway: true,
                steps: BDF_STEPS,
                pays: 2.0,
                ..few
            },
        }
    }

    /// The Jacobian's spectral radius in the last trial, estimated, times the parts of a stable explicit step that are short
    /// enough for it to follow; `None` if it is that of an earlier step.
    pub(super) fn spectral_radius(&mut self, scale: impl Fn(usize) -> f64) -> Option<f64> {
        match self {
            Self::Rodas5p(rodas) => Some(rodas.spectral_radius(scale)),
            Self::Radau(radau) => Some(radau.spectral_radius(scale)),
            Self::Bdf(bdf) => bdf.new_spectral_radius(scale).map(|radius| PARTS * radius),
        }
    }
}

/// Stiffness detection: evidence from the steps so far.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StiffnessDetector {
    /// True if the implicit method is in use, or if stability bounds the steps of an explicit one that has none beside it.
    #[serde(alias = "implicit")]
    pub stiff: bool,
    /// Steps that spoke for the other method.
    pub hints: u32,
    /// Steps in a row that spoke against it since.
    pub doubts: u32,
    /// Steps of the implicit method whose stiffness need not be measured.
    #[serde(default)]
    pub unmeasured: u32,
    /// The implicit method on trial, before stability bounds the steps of the explicit one.
    #[serde(default)]
    pub trial: Trial,
}

/// A trial of the implicit method.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// Length of the explicit step after which it began; 0 if there is none at present.
    pub explicit_h: f64,
    /// Its steps so far; explicit steps since the last one, if there is none at present and they matter.
    pub steps: u32,
    /// Trials that did not pay and are not forgotten.
    pub failed: u32,
    /// Trials that did not pay since the last one that did.
    #[serde(default)]
    pub in_vain: u32,
    /// True if it began without a sign in the stages.
    #[serde(default)]
    pub is_unprompted: bool,
}

/// Explicit steps at the border of stability before the implicit method takes over.
const HINTS_STIFF: u32 = 12;
/// Implicit steps short enough for the explicit method before it takes over.
const HINTS_CALM: u32 = 6;
/// Implicit steps between two whose stiffness is measured, while none speaks for the explicit method: the products with the
/// Jacobian take as long as a fifth of a step of few unknowns.
const UNMEASURED: u32 = 3;
/// Steps in a row against the hints that make them void.
const DOUBTS: u32 = 3;
/// Steps above this part of the explicit method's stable length are limited by stability. On
/// y' = -1000 (y - cos t) the step control of tsit5 settles at 0.84 of it...
pub(super) const STIFF: f64 = 0.75;
/// ...and those below this part would not be.
const CALM: f64 = 0.6;
/// The part of the stable length up to which steps go that stability bounds: there every explicit method damps...
const BOUND: f64 = 0.6;
/// ...and steps below this part of it are short for other reasons.
const UNBOUND: f64 = 0.45;

impl StiffnessDetector {
    /// Nothing has been met.
    pub(super) const FRESH: Self = Self {
        stiff: false,
        hints: 0,
        doubts: 0,
        unmeasured: 0,
        trial: Trial {
            explicit_h: 0.0,
            steps: 0,
            failed: 0,
            in_vain: 0,
            is_unprompted: false,
        },
    };

    /// The implicit method is in use.
    pub(super) const STIFF: Self = Self {
        stiff: true,
        ..Self::FRESH
    };

    /// True if nothing so far speaks for the other method, and steps that do not either are not counted.
    #[inline]
    pub(super) fn is_calm(self) -> bool {
        self.hints == 0 && self.trial.failed == 0
    }

    /// True if stiffness is to be measured after a step of `auto`.
    #[inline]
    pub(super) fn is_measured(self) -> bool {
        !self.stiff || self.unmeasured == 0
    }

    /// After a step with `stiffness`, h times the largest eigenvalue's absolute value, as a part of the
    /// explicit method's stable length.
    #[inline]
    pub(super) fn after(self, stiffness: f64) -> Self {
        self.after_step(stiffness, CALM)
    }

    /// The same after a step of length `h` of a method whose implicit one is tried on these terms.
    ///
    /// Shapes: `stiffness`: none where it is that of an earlier step.
    pub(super) fn after_auto(self, h: f64, stiffness: Option<f64>, terms: Terms) -> Self {
        if !self.stiff {
            let Some(stiffness) = stiffness else {
                return self;
            };
            return self.after_explicit_beside(h, stiffness, terms);
        }
        let mut next = match stiffness {
            Some(stiffness) => self.after(stiffness),
            None => self,
        };
        next.unmeasured = match stiffness {
            Some(_) if next.stiff && next.hints == 0 => UNMEASURED,
            _ => self.unmeasured.saturating_sub(1),
        };
        let mut trial = self.trial;
        if trial.explicit_h > 0.0 {
            trial.steps += 1;
            let of_explicit = stiffness.map(|part| part / PARTS * (trial.explicit_h / h));
            if h >= terms.pays * trial.explicit_h {
                (trial.explicit_h, trial.in_vain) = (0.0, 0);
            } else if trial.steps >= terms.steps {
                next = Self::FRESH;
                trial.failed = trial.failed.saturating_add(1);
            } else if trial.is_unprompted && of_explicit.is_some_and(|part| part < HIDDEN) {
                next = Self::FRESH;
            }
        }
        if !next.stiff {
            if trial.explicit_h > 0.0 {
                trial.in_vain = trial.in_vain.saturating_add(1);
            }
            (trial.explicit_h, trial.steps) = (0.0, 0);
        }
        next.trial = trial;
        next
    }

    /// After an explicit step beside an implicit method.
    fn after_explicit_beside(self, h: f64, stiffness: f64, terms: Terms) -> Self {
        let Trial {
            failed, in_vain, ..
        } = self.trial;
        let lead = terms.lead * LESS_LEAD.powi(failed.min(LAST_FAILURE) as i32);
        let hint = match stiffness {
            stiffness if stiffness > STIFF => terms.at_border,
            stiffness => u32::from(lead * stiffness > STIFF),
        };
        let mut next = self.counted(hint, terms.hints);
        let trial = &mut next.trial;
        if failed > 0 || terms.is_tried_anyway {
            trial.steps += 1;
        }
        if failed > 0 && trial.steps.is_multiple_of(FORGOTTEN) {
            trial.failed -= 1;
        }
        let wait = UNTRIED << in_vain.min(MOST_DOUBLINGS);
        trial.is_unprompted = !next.stiff && terms.is_tried_anyway && trial.steps >= wait;
        next.stiff |= trial.is_unprompted;
        if next.stiff {
            let is_trial = stiffness < STIFF;
            trial.explicit_h = if is_trial { h } else { 0.0 };
            (trial.steps, next.hints, next.doubts) = (0, 0, 0);
        }
        next
    }

    /// The same for an explicit method without an implicit one beside it.
    #[inline]
    pub(super) fn after_explicit(self, stiffness: f64) -> Self {
        self.after_step(stiffness, UNBOUND)
    }

    /// The longest step that an explicit method takes after one of this length and stiffness.
    #[inline]
    pub(super) fn bound(self, h: f64, stiffness: f64) -> f64 {
        match self.stiff {
            true => h * (BOUND / stiffness),
            false => f64::INFINITY,
        }
    }

    #[inline]
    fn after_step(self, stiffness: f64, calm: f64) -> Self {
        match self.stiff {
            true => self.counted(u32::from(stiffness < calm), HINTS_CALM),
            false => self.counted(u32::from(stiffness > STIFF), HINTS_STIFF),
        }
    }

    /// After a step that counts for so many hints, of which so many are needed.
    #[inline]
    fn counted(mut self, hint: u32, needed: u32) -> Self {
        if hint > 0 {
            self.hints += hint;
            self.doubts = 0;
        } else if self.hints > 0 {
            self.doubts += 1;
            if self.doubts >= DOUBTS {
                (self.hints, self.doubts) = (0, 0);
            }
        }
        if self.hints >= needed {
            self = Self {
                stiff: !self.stiff,
                hints: 0,
                doubts: 0,
                unmeasured: 0,
                trial: self.trial,
            };
        }
        self
    }
}

#[cfg(test)]
mod tests;
