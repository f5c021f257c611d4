//! Free motion, as lanes see it: what of a mode is the same in all runs ([`FreeMode`]), what a run has for
//! itself ([`Flight`]), and how a run is given away and taken back.
//!
//! Between two instants a run that is bound to no border does steps that change nothing but the state, its
//! time and what the step control remembers. Somebody else may do them ([`Hybrid::give`]), as long as it is
//! proved of each step that no margin changes its sign in it; the first step for which it is not is done
//! here, from its beginning ([`Hybrid::take_back`]).

use smallvec::SmallVec;

use super::driver::Hybrid;
use super::linear::Linear;
use super::pass::unflag;
use super::search::Departure;
use super::watching::Watching;
use crate::ids::{ExprId, RealId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::{Mode, Readings, Segment};
use crate::model::Model;
use crate::sim::{Ended, RunFault};
use crate::solve::{Locate, Method, Snapshot};
use crate::tape::{Op, Slot};
use crate::trace::Extreme;

/// Most zeros that a margin may have at the start of a step.
pub(in crate::sim) const MOST_ZEROS: usize = 2;

/// A mode in which lanes can do steps: all that its runs have in common.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::sim) struct FreeMode {
    /// What the rates need, and everything.
    pub(in crate::sim) flow: Vec<Op>,
    pub(in crate::sim) all: Vec<Op>,
    pub(in crate::sim) n_slots: usize,
    /// The slot of the time.
    pub(in crate::sim) time: Slot,
    /// The slots of the states, and those of their rates.
    pub(in crate::sim) states: Vec<(Slot, Slot)>,
    /// The slots of what follows from others: what must be finite at the end of each step.
    pub(in crate::sim) algebraic: Vec<Slot>,
    /// The rates as a matrix, if they are one.
    pub(in crate::sim) matrix: Option<MatrixShape>,
    /// The margins that move: the states on which each depends.
    pub(in crate::sim) margins: Vec<Vec<usize>>,
    /// Absolute tolerances of the states.
    pub(in crate::sim) atol: Vec<f64>,
    /// The expressions whose extremes are measured, and what is measured of each.
    pub(in crate::sim) readings: Readings,
    pub(in crate::sim) extremes: Vec<Extreme>,
}

/// Which weights a matrix of rates has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::sim) struct MatrixShape {
    /// Per state the number of its terms.
    pub(in crate::sim) counts: Vec<u32>,
    /// Terms, state by state: position among the states.
    pub(in crate::sim) terms: Vec<u32>,
    /// Whether the time has weights.
    pub(in crate::sim) timed: bool,
}

impl FreeMode {
    /// `None` if lanes cannot do steps in the mode.
    pub(super) fn new(
        model: &Model,
        mode: &Mode,
        (linear, method): (Option<&Linear>, Method),
        atol: Vec<f64>,
        watching: &Watching,
    ) -> Option<Self> {
        if linear.is_none() && method == Method::Taylor {
            // Lanes know the series of matrices only.
            return None;
        }
        let plain = mode.weights.is_empty() && mode.delays.is_empty();
        let mut margins = mode.margins.iter().filter(|margin| margin.is_searched());
        if !plain || margins.any(|margin| margin.form.is_none()) {
            return None;
        }
        let moving = |terms: &[(usize, f64)]| terms.iter().map(|(at, _)| *at).collect();
        let margins = mode.margins.iter().filter(|margin| margin.is_searched());
        let matrix = linear.map(|linear| MatrixShape {
            counts: (0..mode.states.len())
                .map(|row| linear.row(row).len() as u32)
                .collect(),
            terms: linear.terms.iter().map(|term| term.column).collect(),
            timed: !linear.per_time.is_empty(),
        });
        let states = mode.states.iter().map(|real| Slot::new(real.index()));
        let exprs: Vec<ExprId> = watching.extremes().map(|(_, expr, ..)| expr).collect();
        let readings = Readings::new(model, mode, &exprs)?;
        Some(Self {
            flow: straight(&mode.flow)?,
            all: straight(&mode.all)?,
            n_slots: readings.n_slots,
            time: mode.time,
            states: states.zip(mode.rates.iter().copied()).collect(),
            algebraic: mode.algebraic.iter().map(|(_, slot)| *slot).collect(),
            matrix,
            margins: margins.map(|margin| moving(&margin.moving)).collect(),
            atol,
            readings,
            extremes: watching.extremes().map(|(_, _, what, _)| what).collect(),
        })
    }
}

/// Computations that go straight on; `None` if some go in circles.
pub(super) fn straight(segments: &[Segment]) -> Option<Vec<Op>> {
    let mut all = Vec::new();
    for segment in segments {
        match segment {
            Segment::Ops(ops) => all.extend_from_slice(ops),
            Segment::Loop(_) => return None,
        }
    }
    Some(all)
}

/// What a run has for itself in a mode.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Own<'a> {
    pub(in crate::sim) reals: &'a [f64],
    /// The slots of the mode, those that follow from constants and held values up to date.
    pub(in crate::sim) slots: &'a [f64],
    /// The rates as a matrix.
    pub(in crate::sim) matrix: Option<&'a Linear>,
}

/// Numbers of a free motion that are a run's own.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Flight {
    /// A time which no step may reach [units of `time`].
    pub(in crate::sim) limit: f64,
    /// The margins that move.
    pub(in crate::sim) margins: Vec<FlightMargin>,
    /// Borders that are left in the first step, and to which side.
    pub(in crate::sim) leaves: SmallVec<[(BorderId, Side); 4]>,
    /// For each extreme that is measured the first value, and what was found so far.
    pub(in crate::sim) extremes: SmallVec<[[f64; 2]; 2]>,
}

/// A margin during a free motion: an affine form of time and states.
#[derive(Clone, Debug)]
pub(in crate::sim) struct FlightMargin {
    pub(in crate::sim) constant: f64,
    pub(in crate::sim) per_time: f64,
    /// By state, in the order of [`FreeMode::margins`].
    pub(in crate::sim) weights: SmallVec<[f64; 4]>,
    /// The sign that it keeps, 1 or -1.
    pub(in crate::sim) sign: f64,
    /// How often it vanishes at the start of the first step; at most [`MOST_ZEROS`].
    pub(in crate::sim) zeros: usize,
    /// The size of the terms that do not move, for rounding errors.
    pub(in crate::sim) size: f64,
}

/// What became of a run that goes on by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sim) enum Gone {
    /// It moves freely, between two steps.
    Free,
    /// It is over.
    Over(Ended),
    /// It was broken off.
    Broken,
}

/// After so many steps it is asked whether to break off.
const POLL_STEPS: u32 = 1024;

impl Hybrid {
    /// Whether runs of the model with these settings and measures may be given away, if their modes allow
    /// it.
    pub(in crate::sim) fn may_be_given(&self) -> bool {
        let config = &self.config;
        let shows_rows = config.every.is_some_and(|every| every < config.stop);
        config.locate == Locate::Root
            && config.step_formula.is_none()
            && !shows_rows
            && !self.counts_beyond
            && self.past.is_empty()
            && self.unbordered.is_empty()
    }

    /// The mode in which the run moves freely, if it does, and stands between two steps.
    pub(in crate::sim) fn free_in(&self) -> Option<usize> {
        let stands = self.step.is_none() && self.fault.is_none() && !self.watching.stopped;
        let explicit = !self.stepper.save().progress.watch.implicit;
        let free = stands && explicit && self.motion.is_free();
        free.then_some(self.motion.mode)
    }

    /// What the present mode has in common with that of other runs.
    pub(in crate::sim) fn free_mode(&self) -> Option<FreeMode> {
        let evaluator = self.modes.at(self.motion.mode);
        let (mode, linear) = (&evaluator.mode, evaluator.linear());
        let rates = (linear, self.config.settings.method);
        FreeMode::new(&self.model, mode, rates, self.atol.clone(), &self.watching)
    }

    /// What the run has for itself in the present mode.
    pub(in crate::sim) fn own(&self) -> Own<'_> {
        let evaluator = self.modes.at(self.motion.mode);
        Own {
            reals: &self.reals,
            slots: evaluator.slots(),
            matrix: evaluator.linear(),
        }
    }

    /// Where the steps of the run begin.
    pub(in crate::sim) fn standing(&self) -> &Snapshot {
        self.stepper.save()
    }

    /// Gives the motion away, from [`Hybrid::standing`]; false if something has to be looked at in each step.
    ///
    /// Errors: [`RunFault`], as going on would give it.
    pub(in crate::sim) fn give(&mut self, into: &mut Flight) -> Result<bool, RunFault> {
        if self.rest_from > 0.0 {
            return Ok(false);
        }
        let mut departures = std::mem::take(&mut self.room);
        let given = self.give_from(&mut departures, into);
        self.room = departures;
        given
    }

    fn give_from(
        &mut self,
        departures: &mut Vec<Departure>,
        into: &mut Flight,
    ) -> Result<bool, RunFault> {
        let flags = self.discrete.flags.clone();
        self.departures(departures)?;
        if self.discrete.flags != flags {
            self.discrete.flags = flags;
            return Ok(false);
        }
        into.limit = self.config.stop.min(self.next_due());
        for time in self.watching.times(self.t, self.config.stop) {
            into.limit = into.limit.min(time);
        }
        into.extremes.clear();
        (into.extremes).extend(self.watching.extremes().map(|(_, _, _, values)| values));
        into.margins.clear();
        into.leaves.clear();
        let leaves = |(index, departure): (usize, &Departure)| match *departure {
            Departure::Leaves(side, _) => Some((BorderId::new(index), side)),
            _ => None,
        };
        (into.leaves).extend(departures.iter().enumerate().filter_map(leaves));
        let mode = &self.modes.at(self.motion.mode).mode;
        for margin in mode.margins.iter() {
            let Some(form) = margin.form.as_ref().filter(|_| !margin.edge) else {
                return Ok(false);
            };
            let (mut constant, mut size) = (form.constant, form.constant.abs());
            for &(real, weight) in &margin.held {
                let term = weight * self.reals[real.index()];
                size += term.abs();
                constant += term;
            }
            if !margin.is_searched() {
                // A border that nothing depends on is in no schedule.
                let time = -constant / form.per_time;
                if time > self.t {
                    into.limit = into.limit.min(time);
                }
                continue;
            }
            let (side, zeros) = match departures[margin.border.index()] {
                Departure::Off(side) => (side, 0),
                Departure::Leaves(side, zeros) => (side, zeros),
                Departure::Stays => return Ok(false),
            };
            let sign = match (side, margin.upright) {
                (Side::On, _) => return Ok(false),
                (Side::Plus, true) | (Side::Minus, false) => 1.0,
                _ => -1.0,
            };
            if zeros > MOST_ZEROS {
                return Ok(false);
            }
            into.margins.push(FlightMargin {
                constant,
                per_time: form.per_time,
                weights: margin.moving.iter().map(|(_, weight)| *weight).collect(),
                sign,
                zeros,
                size,
            });
        }
        Ok(true)
    }

    /// Takes the motion back after some steps, none of which met anything.
    ///
    /// Errors: [`RunFault`], as going on would give it.
    pub(in crate::sim) fn take_back(
        &mut self,
        standing: &Snapshot,
        flight: &Flight,
        steps: u64,
    ) -> Result<(), RunFault> {
        if steps == 0 {
            return Ok(());
        }
        self.stepper.take_over(standing);
        self.place(standing.t, &standing.y)?;
        self.commit();
        let found = flight.extremes.iter().map(|[_, found]| *found);
        self.watching.take_over(found, standing.t);
        self.before.known = true;
        let evaluator = self.modes.at(self.motion.mode);
        for &(border, side) in &flight.leaves {
            unflag(&mut self.discrete.flags, evaluator, border, side);
        }
        self.leaving.clear();
        let (since, count) = &mut self.work;
        if (self.t - *since).abs() >= 1.0 {
            (*since, *count) = (self.t, 0);
        } else {
            *count += steps;
        }
        Ok(())
    }

    /// Goes on by so many steps, at least, and until it moves freely.
    ///
    /// Errors: [`RunFault`].
    pub(in crate::sim) fn go_free(
        &mut self,
        at_least: u32,
        broken: &mut dyn FnMut() -> bool,
    ) -> Result<Gone, RunFault> {
        let until = self.config.stop;
        self.log.wanted = false;
        self.log.instant.events.clear();
        self.asked = until.max(self.t);
        let mut steps = 0_u32;
        loop {
            if self.watching.stopped {
                return Ok(Gone::Over(Ended::Condition));
            }
            if self.t >= until {
                return Ok(Gone::Over(Ended::Stop));
            }
            if steps >= at_least && self.free_in().is_some() {
                return Ok(Gone::Free);
            }
            self.go_on(until, &mut ())?;
            steps = steps.saturating_add(1);
            if steps.is_multiple_of(POLL_STEPS) && broken() {
                return Ok(Gone::Broken);
            }
        }
    }

    /// Instants so far.
    pub(in crate::sim) fn instants(&self) -> u64 {
        self.instants
    }

    /// Absolute tolerances of some reals.
    pub(super) fn tolerances(&self, reals: &[RealId]) -> Vec<f64> {
        reals.iter().map(|&real| self.atol_of(real)).collect()
    }
}
