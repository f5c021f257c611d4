//! Entry into sliding: where both sides lead back onto a border, the weights with which Filippov's mixture begins.

use crate::lower::border::{BorderId, Side};
use crate::model::{Boolean, Literal};
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::after_reset::asked;
use crate::sim::events::iteration::sides::bound_departures::MotionAhead;
use crate::sim::events::modes::unbranched_values::loop_around;
use crate::sim::events::motion::{Dynamics, filippov_weights};
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::place;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use crate::sim::{Finding, NoSlide, RunFault};
use crate::trace::What;
use std::sync::Arc;

/// A mixture keeps a margin at 0 if its rate there is less than this part of those beside the border.
const KEEPS: f64 = 1e-6;

impl EventIteration {
    /// True if a margin still jumps across its border: the value on either side asks for the other. If not, the side that
    /// agrees with its value is taken, the present one if both do (FORMALISM 10.4).
    pub(super) fn stays_through(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let [below, above] = [Side::Minus, Side::Plus];
        let mut motion_below = self.motion_beside(state, dynamics, observe, (border, below))?;
        let mut motion_above = self.motion_beside(state, dynamics, observe, (border, above))?;
        let [z_below, rate_below] = dynamics.z_along(state, &mut motion_below, border)?;
        let [z_above, rate_above] = dynamics.z_along(state, &mut motion_above, border)?;
        let agrees_below = asked(z_below, rate_below) != above;
        let agrees_above = asked(z_above, rate_above) != below;
        let held = state.discrete.sides[border.index()];
        let (side, z) = match (agrees_above, agrees_below) {
            (false, false) => return Ok(true),
            (true, true) if held == below => (below, z_below),
            (true, _) => (above, z_above),
            (false, true) => (below, z_below),
        };
        // Off the border its value tells, and not its rate.
        state.discrete.flags.set(border.index(), z == 0.0);
        self.set_side(state, dynamics, border, side);
        Ok(false)
    }

    /// Begins to slide along a border that has joined the others; whether the shares are the only ones. Where no mixture
    /// keeps the state on all of them, the slide goes on along the new border, and one of the others is left.
    ///
    /// # Errors
    ///
    /// Neither is possible.
    pub(super) fn begin_slide(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let fault = match self.first_shares(state, dynamics, observe) {
            Err(fault @ RunFault::Chattering { .. }) => fault,
            shares => return shares,
        };
        let others = dynamics.bound.slides.clone();
        let through = dynamics.bound.through.clone();
        let may_end = |other: &BorderId| *other != border && !through.contains(other);
        for other in others.into_iter().filter(may_end) {
            for side in [Side::Minus, Side::Plus] {
                let shares = self.shares_beside(state, dynamics, observe, border, (other, side))?;
                if let Some((lambda, unique)) = shares {
                    self.set_side_with_twins(state, dynamics, other, side);
                    self.unbind(state, dynamics, observe, other, side);
                    state.leaving.clear();
                    dynamics.bound.lambda = lambda;
                    return Ok(unique);
                }
            }
        }
        Err(fault)
    }

    /// The shares with which a slide along a border begins that leaves another one to a side, and whether they are the
    /// only ones; `None` if it does not begin, or leads back.
    fn shares_beside(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        (left, side): (BorderId, Side),
    ) -> Result<Option<(Vec<f64>, bool)>, RunFault> {
        let bound = dynamics.bound.clone();
        dynamics.bound.end_slide(left);
        let unique = self.supposing_side(state, dynamics, (left, side), |this, state, dynamics| {
            this.slides_away(state, dynamics, observe, border, (left, side))
        });
        let tried = std::mem::replace(&mut dynamics.bound, bound);
        Ok(unique?.map(|unique| (tried.lambda, unique)))
    }

    fn slides_away(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        (left, side): (BorderId, Side),
    ) -> Result<Option<bool>, RunFault> {
        let [minus, plus] = self.leans(state, dynamics, observe, border)?;
        if plus.sign >= 0 || minus.sign <= 0 {
            return Ok(None);
        }
        let Ok(unique) = self.first_shares(state, dynamics, observe) else {
            return Ok(None);
        };
        let mut motion = self.assemble_bound(state, dynamics, observe)?;
        let mut ahead = MotionAhead::default();
        let lean = dynamics.lean_along(state, &mut motion, &mut ahead, left, None)?;
        let leaves = Side::of(f64::from(lean.sign)) == side;
        Ok(leaves.then_some(unique))
    }

    /// Finds the shares with which a slide begins; whether they are the only ones.
    pub(crate) fn first_shares(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        let mut motion = self.assemble_bound(state, dynamics, observe)?;
        let m = dynamics.bound.slides.len();
        let t = state.t;
        let y: Vec<f64> = motion
            .states
            .iter()
            .map(|real| state.reals[real.index()])
            .collect();
        let corners = motion.corner_rates(&mut dynamics.modes, &state.past, t, &y);
        let no_shares =
            |at: usize| dynamics.no_slide(state, dynamics.bound.slides[at], NoSlide::NoShares);
        let corners = corners.map_err(|_| no_shares(m - 1))?;
        let groups = motion.slide.as_ref().map(|slide| Arc::clone(&slide.groups));
        let groups = groups.unwrap_or_default();
        let mut shares = vec![0.5; m];
        let mut unique = true;
        for members in groups.members() {
            // Where margins jump across their borders, values tell the shares, and not rates.
            let bound = &dynamics.bound;
            if members.iter().any(|&at| bound.is_through(bound.slides[at])) {
                continue;
            }
            if let [at] = members[..] {
                let [minus, plus] = [corners[at], corners[m + at]];
                shares[at] = if minus > 0.0 && plus < 0.0 {
                    minus / (minus - plus)
                } else {
                    let border = dynamics.bound.slides[at];
                    self.share_of_next_derivatives(state, dynamics, observe, border)?
                };
                continue;
            }
            let rates = (0..1_usize << members.len())
                .flat_map(|corner| members.iter().map(move |at| corner * m + at));
            let rates: Vec<f64> = rates.map(|at| corners[at]).collect();
            let all = filippov_weights::all(&rates, members.len());
            let far =
                |lambda: &Vec<f64>| lambda.iter().map(|l| (l - 0.5).abs()).fold(0.0, f64::max);
            let nearest = all.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            let Some(nearest) = nearest else {
                let last = members.last().copied().unwrap_or_default();
                return Err(dynamics.no_slide(
                    state,
                    dynamics.bound.slides[last],
                    NoSlide::NoShares,
                ));
            };
            for (&at, &share) in members.iter().zip(nearest) {
                shares[at] = share;
            }
            unique &= all.len() == 1;
        }
        dynamics.bound.lambda = shares;
        Ok(unique)
    }

    /// The share of the upper side where both rates vanish: by the next derivatives that do not.
    pub(super) fn share_of_next_derivatives(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
    ) -> Result<f64, RunFault> {
        let mut series = [[0.0; crate::sim::events::modes::evaluation::evaluator::ORDERS]; 2];
        for (series, side) in series.iter_mut().zip([Side::Minus, Side::Plus]) {
            let (mode, _) = self.mode_beside(state, dynamics, observe, &[(border, side)], false)?;
            let t = state.t;
            let evaluator = dynamics.modes.get(mode);
            evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
            evaluator.states(&state.reals, &mut dynamics.y);
            evaluator
                .taylor(&state.past, t, &dynamics.y, &[])
                .map_err(|fault| value_fault(t, fault))?;
            *series = evaluator.z_series(border).unwrap_or_default();
        }
        let [minus, plus] = series;
        let pairs = minus.iter().zip(&plus).skip(1);
        let first = pairs
            .into_iter()
            .find(|(minus, plus)| **minus != 0.0 || **plus != 0.0);
        // At the edge of a root derivatives are infinite; where they say nothing no side counts more than the other.
        let share = first.map_or(0.5, |(minus, plus)| match [minus, plus] {
            [minus, plus] if minus.is_infinite() && plus.is_finite() => 1.0,
            [minus, plus] => minus / (minus - plus),
        });
        Ok(match share.is_nan() {
            true => 0.5,
            false => share.clamp(0.0, 1.0),
        })
    }

    /// A slide begins, and its shares are known.
    pub(crate) fn note_slide(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        unique: bool,
    ) {
        self.find_slide(state, dynamics, observe, false);
        self.note_shares(state, dynamics, observe, unique);
    }

    /// A summary tells that the state slides, along the borders that margins jump across or along the others.
    pub(super) fn find_slide(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        through: bool,
    ) {
        let bound = &dynamics.bound;
        let slides = bound.slides.iter();
        let slides = slides.filter(|border| bound.is_through(**border) == through);
        let places = slides.filter_map(|&border| place(&state.borders, border));
        let places: Vec<_> = places.collect();
        if !places.is_empty() {
            observe.log.find(Finding::Sliding {
                places,
                from: state.t,
                by_itself: through,
                rests: None,
            });
        }
    }

    fn note_shares(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        unique: bool,
    ) {
        let bound = &dynamics.bound;
        let borders = bound
            .slides
            .iter()
            .zip(&bound.lambda)
            .filter_map(|(&border, &share)| Some((place(&state.borders, border)?, share)))
            .collect();
        observe.log.note(|| What::SlideEntered { borders, unique });
    }

    /// Notes that the state slides along borders that their margins jump across, if that is new; the shares are what the
    /// motion that has been entered makes of them.
    pub(crate) fn note_slide_through(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) {
        if std::mem::take(&mut self.iteration.slides_through).is_empty() {
            return;
        }
        if let Some(slide) = &dynamics.motion.slide {
            let shares = slide.lambda.iter().map(|share| share.clamp(0.0, 1.0));
            dynamics.bound.lambda = shares.collect();
            self.note_shares(state, dynamics, observe, true);
        }
    }
}

impl Dynamics {
    /// Checks that the mixture keeps the state on the kink of a loop along which it begins to slide. Where the kink bends
    /// what the loop solves for, it does not: no solution goes on from there, on neither branch.
    ///
    /// # Errors
    ///
    /// It does not.
    pub(super) fn check_kinked_loop(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let unbranched = self.modes.at(self.mode).mode.unbranched.clone();
        let Some(rows) = unbranched.and_then(|unbranched| loop_around(&unbranched, border)) else {
            return Ok(());
        };
        let t = state.t;
        let states = self.motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let corners = self
            .motion
            .corner_rates(&mut self.modes, &state.past, t, &y);
        let corners = corners.unwrap_or_default();
        let size = corners
            .iter()
            .fold(0.0_f64, |most, rate| most.max(rate.abs()));
        let evaluator = self.modes.get(self.motion.mode);
        let run = evaluator.evaluate(&state.past, t, &y);
        run.and_then(|()| evaluator.margin_rates())
            .map_err(|fault| value_fault(t, fault))?;
        let mut rates = vec![0.0; y.len()];
        evaluator.write_rates(&mut rates);
        let rate = evaluator.z_rate(border, &rates).unwrap_or_default();
        match rate.abs() <= KEEPS * size {
            true => Ok(()),
            false => Err(RunFault::Loop {
                time: t,
                rows,
                singular: false,
                at_bounds: None,
            }),
        }
    }

    /// A slide must not drive events or assignments, unless the state stays on one side all along.
    pub(in crate::sim::events::iteration) fn check_slides(
        &self,
        state: &HybridState,
    ) -> Result<(), RunFault> {
        let stays = |border: BorderId| {
            let side = state.discrete.sides[border.index()];
            let mut lifts = self.bound.lifts.iter();
            lifts.any(|lift| lift.border == border && lift.keeps(side))
        };
        let mut slides = self.bound.slides.iter().copied();
        let driving = slides.find(|&border| !stays(border) && self.drives_events(state, border));
        match driving {
            Some(border) => Err(self.no_slide(state, border, NoSlide::Drives)),
            None => Ok(()),
        }
    }

    pub(crate) fn no_slide(&self, state: &HybridState, border: BorderId, why: NoSlide) -> RunFault {
        RunFault::Chattering {
            time: state.t,
            ranges: self.ranges_on(border),
            relation: state.borders.owners[border.index()].relation(),
            why,
        }
    }

    /// True if a range on the border has a part in an event or an assignment that happens while the range holds, as the other
    /// conditions are now. (What holds for a moment may do so at any time.)
    pub(super) fn drives_events(&self, state: &HybridState, border: BorderId) -> bool {
        let model = &self.plan.model;
        let twins = self.twins(border, Side::Plus);
        let is_it =
            |other: BorderId| other == border || twins.iter().any(|(twin, _)| *twin == other);
        let on_border = |index: usize| {
            self.views.ranges[index]
                .iter()
                .any(|view| is_it(view.border))
        };
        let mut touched = vec![false; model.situations.len()];
        let touches = |all: &[Literal], touched: &[bool]| {
            let is_on_border = |literal: &Literal| match literal.what {
                Boolean::Range(id) => on_border(id.index()),
                Boolean::Situation(id) => touched[id.index()],
                Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => false,
            };
            let may_hold =
                |literal: &Literal| model.is_event(literal.what) || state.discrete.holds(*literal);
            all.iter().any(is_on_border)
                && (all.iter()).all(|literal| is_on_border(literal) || may_hold(literal))
        };
        for row in &model.situation_rows {
            if touches(&row.all, &touched) {
                touched[row.situation.index()] = true;
            }
        }
        let events = model
            .situations
            .iter()
            .zip(&touched)
            .any(|(s, touched)| s.event && *touched);
        let counts = self.plan.flow.events.iter().filter_map(|row| row.counts);
        events
            || model
                .assignments
                .iter()
                .any(|assignment| touches(&assignment.when, &touched))
            || counts.into_iter().any(|what| touches(&[what], &touched))
    }
}
