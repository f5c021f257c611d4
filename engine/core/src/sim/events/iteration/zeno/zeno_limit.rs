//! Limits of infinitely many events in a finite time (Zeno), and the rest on a border after them.

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::model::{Boolean, Guard};
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::next_step::TOGETHER;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::iteration::microstep::add;
use crate::sim::events::iteration::zeno::jumps::{Jump, add_jumps};
use crate::sim::events::iteration::zeno::limit::Changing;
use crate::sim::events::iteration::zeno::{Limit, RecentInstant, Unseen};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::motion::contact_groups::ContactGroups;

use crate::sim::events::modes::evaluation::jacobian::Gradient;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::place;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use crate::sim::{Finding, RunFault};
use crate::trace::What;
use situ_solve::slices::write;

/// So many instants without progress of the time make up all rounds that are compared.
const AT_ONCE: u32 = 3;

/// A jump that moves a margin by a smaller part of what it adds to its rate turns the rate and not the place.
pub(super) const TURNS: f64 = 1e-9;

impl EventIteration {
    /// Limit of the instants, if they accumulate (Zeno).
    pub(crate) fn gathers(
        &self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        reason: &EventCause,
    ) -> Option<Limit> {
        if !reason.due.is_empty() {
            state.zeno.clear();
            return None;
        }
        let seen = state.zeno.next(state.t, &reason.borders);
        let sides = reason.borders.iter();
        seen.sides
            .extend(sides.map(|border| state.discrete.sides[border.index()]));
        seen.borders.extend_from_slice(&reason.borders);
        seen.bound.clear();
        seen.bound.extend(dynamics.bound.borders());
        seen.reals.resize(state.reals.len(), 0.0);
        write(&mut seen.reals, &state.reals);
        seen.jump.clear();
        // What rests was put onto its borders before the rows acted, which is no jump.
        let before = match dynamics.bound.rest.is_empty() {
            true => &self.before_jump,
            false => &self.before_rows,
        };
        for &real in &dynamics.motion.states {
            let jump = state.reals[real.index()] - before[real.index()];
            if jump != 0.0 {
                seen.jump.push((real, jump));
            }
        }
        seen.rows.clear();
        for deed in &state.shown.deeds.written {
            if seen.rows.last() != Some(&deed.relation) {
                seen.rows.push(deed.relation);
            }
        }
        let plan = &self.plan;
        let rtol = plan.config.settings.rtol;
        let tolerance = |real: RealId, value: f64| plan.atol_of(real) + rtol * value.abs();
        state.zeno.leave_stall();
        let rounds = state.zeno.steady_rounds();
        let foreseen = state.zeno.is_pending();
        // A kink that turns in the same instant has no flights.
        let is_read = |border: &&BorderId| {
            let ranges = dynamics.views.ranges_by_border.get(border.index());
            ranges.is_some_and(|ranges| !ranges.is_empty())
        };
        let border = match !rounds.is_empty() || state.zeno.is_foreseen() {
            true => reason.borders.iter().find(is_read).copied(),
            false => None,
        };
        let unseen = Unseen {
            tick: rtol * state.t.abs(),
            blur: border.map_or(0.0, |border| dynamics.blur(state, border)),
            hidden: border.map_or(0.0, |border| dynamics.hidden(state, border, tolerance)),
        };
        let flight = state.zeno.last_flight().unwrap_or_default();
        // Without a bound of the flights nothing is known to hide them.
        let blur = Some(unseen.blur).filter(|blur| blur.is_finite());
        let is_resolved = flight > blur.unwrap_or_default().max(TOGETHER * state.t.abs());
        let changing = Changing {
            states: &dynamics.motion.states,
            model: &plan.model,
        };
        let jumps = |seen: &RecentInstant, jumps: &mut Vec<Jump>| {
            add_jumps(seen, &self.plan, &dynamics.views, jumps);
        };
        let limit = (state.zeno).take(changing, &rounds, unseen, tolerance, jumps);
        let limit = limit.map(|limit| limit.of_hidden_flights(state.t, changing));
        // Instants that follow each other in no time from the first on tell of errors only: see `quiet`.
        let limit =
            limit.filter(|limit| foreseen || limit.blurred || state.progress.stalled < AT_ONCE);
        let mut limit = match limit {
            None if self.iteration.absorbed || reason.contradicted => {
                // A jump at rates that lead the other way is one into the border.
                let back = usize::from(reason.contradicted);
                let mut last = Vec::new();
                jumps(state.zeno.instant(back)?, &mut last);
                Limit::now(state.t, last)
            }
            None => Limit::now(state.t, self.died_down(state, dynamics)?),
            limit => limit?,
        };
        limit.is_resolved &= is_resolved;
        if limit.supposed {
            return self.may_rest(state, dynamics, &limit).then_some(limit);
        }
        let states = &dynamics.motion.states;
        let is_state = |(real, _): &&(RealId, f64)| states.binary_search(real).is_ok();
        let mut left = limit.reals.iter().filter(is_state);
        let hidden = limit.blurred || !left.any(|&(real, value)| self.shows(real, value, state));
        hidden.then_some(limit)
    }

    /// True if a value differs by what shows from the present one of a real, with some room for rounding.
    fn shows(&self, real: RealId, value: f64, state: &HybridState) -> bool {
        let (plan, now) = (&self.plan, state.reals[real.index()]);
        let tolerance = plan.atol_of(real) + plan.config.settings.rtol * now.abs();
        (value - now).abs() > 1e4 * tolerance
    }

    /// Takes the rest of the instants together: the state rests on their borders from their limit on.
    pub(crate) fn go_to_zeno_limit(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        limit: &Limit,
    ) -> Result<(), RunFault> {
        let gathered = state.zeno.clone();
        state.zeno.clear();
        let mut situations = self.taken.situations.list.clone();
        if situations.is_empty() {
            // The last instant of a round need not be the one in which events fire.
            for row in limit.jumps.iter().flat_map(|jump| &jump.rows) {
                let Guard::When(literals) = &self.plan.model.relations[row.index()].guard else {
                    continue;
                };
                for literal in literals {
                    if let Boolean::Situation(id) = literal.what {
                        add(&mut situations, id);
                    }
                }
            }
        }
        let tell = |observe: &mut Observation| {
            observe.log.find(Finding::Gathering {
                situations: situations.clone(),
                limit: limit.time,
                fired: None,
            });
            let (limit, situations) = (limit.time, situations.clone());
            observe.log.note(|| What::Zeno { limit, situations });
        };
        let no_rest = RunFault::Zeno {
            time: state.t,
            limit: limit.time,
            situations: situations.clone(),
        };
        let before = dynamics.bound.rest.len();
        let stood = (state.clone(), dynamics.bound.clone());
        let strengths = match self.rest_at(state, dynamics, observe, limit) {
            Ok(strengths) => strengths,
            Err(fault) => {
                (*state, dynamics.bound) = stood;
                self.todo.clear();
                self.enter(state, dynamics, observe)?;
                if limit.supposed || fault.is_none() && dynamics.stands_on(state, limit)? {
                    return Ok(());
                }
                if fault.is_none() && dynamics.suppress_bends(state, &limit.borders)? {
                    return Ok(());
                }
                if limit.is_resolved && fault.is_none() {
                    // They may end before their limit.
                    state.zeno.go_on(gathered, limit, state.t);
                    return Ok(());
                }
                tell(observe);
                return Err(fault.unwrap_or(no_rest));
            }
        };
        tell(observe);
        let bound = &dynamics.bound.rest;
        for (push, strength) in bound.iter().zip(strengths).skip(before) {
            if let Some(border) = place(&state.borders, push.border) {
                observe.log.note(|| What::RestEntered {
                    border,
                    push: strength,
                });
            }
        }
        self.begin_iteration(state, dynamics)?;
        self.land_at_rest(state, dynamics)?;
        self.mark_all();
        self.iterate(state, dynamics, detect, observe)
    }

    /// Comparisons whose margins have come to 0, up to rounding, as that of the speed of a ball that lies: the side of the
    /// last flight tells nothing, and strictness decides as at the start.
    fn land_at_rest(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), RunFault> {
        dynamics.bound_margins(state)?;
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        let margins = evaluator.mode.margins.iter().map(|margin| margin.border);
        let has_come = |border: &BorderId| {
            let is_on = evaluator.z_first(*border).is_some_and(|[z, _]| z == 0.0);
            is_on && !dynamics.motion.bound_to(*border) && !state.borders.kinked.get(border.index())
        };
        let all: Vec<BorderId> = margins.filter(has_come).collect();
        for border in all {
            let z = dynamics.z_now(state, border)?;
            let begun = &mut self.iteration.borders.begun_on;
            begun.retain(|(other, _)| *other != border);
            begun.push((border, z));
            state.discrete.flags.set(border.index(), true);
            self.set_side(state, dynamics, border, Side::On);
        }
        Ok(())
    }

    /// Puts the state on the borders of a limit, bound to them: the strengths of all contact reactions.
    /// `None` as an error: nothing rests there.
    fn rest_at(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        limit: &Limit,
    ) -> Result<Vec<f64>, Option<RunFault>> {
        if limit.jumps.is_empty() {
            return Err(None);
        }
        state.t = limit.time.max(state.t);
        for &(real, value) in &limit.reals {
            state.reals[real.index()] = value;
        }
        let mut rest: Vec<ContactReaction> = Vec::new();
        for jump in &limit.jumps {
            let against = self.against_border(state, dynamics, jump)?;
            let jump = against.as_ref().unwrap_or(jump);
            if rest.iter().any(|push| push.border == jump.border) {
                continue;
            }
            let size = jump.size();
            let along = jump.by.iter().map(|&(real, part)| (real, part / size));
            self.set_side(state, dynamics, jump.border, jump.side);
            let mut push = ContactReaction::new(jump.border, jump.side, along.collect());
            push.rows = jump.rows.to_vec();
            push.made_by = jump.rows.to_vec();
            rest.push(push);
        }
        let before = state.reals.clone();
        let mode = self.mode_of_rest(state, dynamics, observe)?;
        dynamics.forget_straight(state, &mut rest, mode)?;
        self.settle_on(state, dynamics, observe, &mut rest)?;
        for push in &rest {
            state.discrete.flags.set(push.border.index(), true);
        }
        let known = dynamics.bound.rest.len();
        if known > 0 {
            let mut all = dynamics.bound.rest.clone();
            all.extend_from_slice(&rest);
            self.settle_together(state, dynamics, observe, &mut all)?;
        }
        // A blow that is left is none of the last ones.
        let mut states = dynamics.motion.states.iter();
        if limit.supposed && states.any(|&real| self.shows(real, before[real.index()], state)) {
            return Err(None);
        }
        dynamics.bound.rest.extend(rest);
        self.enter(state, dynamics, observe)?;
        let strengths = dynamics.strengths(state)?;
        if !strengths.iter().all(|&strength| strength >= 0.0) {
            return Err(None);
        }
        for at in known..dynamics.bound.rest.len() {
            let rows = dynamics.bound.rest[at].made_by.clone();
            dynamics.bound.rest[at].conditions = dynamics.rest_conditions(state, &rows)?;
        }
        dynamics.catch_up(state, state.t - limit.time, |_| true)?;
        let is_ahead = |real| limit.reals.iter().any(|(other, _)| *other == real);
        dynamics.catch_up(state, -limit.ahead, is_ahead)?;
        if limit.ahead != 0.0 {
            self.settle_at_instant(state, dynamics, observe)?;
        }
        Ok(strengths)
    }

    /// The mode in which the state rests, entered.
    fn mode_of_rest(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<usize, RunFault> {
        let mode = if dynamics.bound.slides.is_empty() {
            self.find_mode(state, dynamics, observe)?;
            dynamics.mode
        } else {
            self.enter(state, dynamics, observe)?;
            dynamics.motion.mode
        };
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &state.discrete.relays, &state.steps);
        Ok(mode)
    }

    /// Puts the state on the borders, without speed across them, along the directions of the jumps.
    /// `None` as an error: these directions do not lead there.
    pub(crate) fn settle_on(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        rest: &mut [ContactReaction],
    ) -> Result<(), Option<RunFault>> {
        let mode = self.mode_of_rest(state, dynamics, observe).map_err(Some)?;
        let t = state.t;
        dynamics.turn_pushes(state, rest, mode).map_err(Some)?;
        let evaluator = dynamics.modes.get(mode);
        let groups = ContactGroups::of(evaluator, rest);
        let states = evaluator.mode.states.clone();
        for push in rest.iter_mut() {
            push.direction = push.by_state(&states);
        }
        let mut direction = Vec::new();
        for place in 0..groups.longest() {
            groups.direction(rest, place, states.len(), &mut direction);
            let evaluator = dynamics.modes.get(mode);
            evaluator.states(&state.reals, &mut dynamics.y);
            let run = evaluator
                .evaluate_rates(&state.past, t, &dynamics.y)
                .and_then(|()| evaluator.evaluate(&state.past, t, &dynamics.y))
                .and_then(|()| evaluator.margin_rates())
                .and_then(|()| evaluator.displace(&dynamics.y, |index| direction[index], 0.0));
            run.map_err(|fault| Some(value_fault(t, fault)))?;
            evaluator.write_rates(&mut dynamics.y);
            for push in groups.at(place).map(|number| &rest[number]) {
                let rate = evaluator.z_rate(push.border, &dynamics.y).ok_or(None)?;
                let (across, bend) = evaluator.z_displaced(push.border).ok_or(None)?;
                // The jump must turn the speed and not the place.
                if bend == 0.0 || bend.is_nan() || across.abs() > TURNS * bend.abs() {
                    return Err(None);
                }
                // The push leads away from the border, to the side on which the state is.
                if (bend > 0.0) != (push.side == Side::Plus) {
                    return Err(None);
                }
                for &(real, part) in &push.along {
                    state.reals[real.index()] -= rate / bend * part;
                }
            }
            let borders = groups.at(place).map(|number| rest[number].border);
            dynamics.put_on(state, borders, mode).map_err(Some)?;
        }
        for push in rest.iter_mut() {
            push.direction.clear();
        }
        Ok(())
    }

    /// Puts a state of the motion back onto the borders on which it rests, without speed across them;
    /// true if it was not there.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        y: &mut Vec<f64>,
    ) -> Result<bool, RunFault> {
        match dynamics.bound.rest.is_empty() {
            true => Ok(false),
            false => self.settle_at_rest(state, dynamics, observe, y),
        }
    }

    #[inline(never)]
    fn settle_at_rest(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        y: &mut Vec<f64>,
    ) -> Result<bool, RunFault> {
        // Values of loops as well: those of the last row that was written would be guesses that depend on it.
        dynamics.place(state, state.t, y)?;
        let mut rest = dynamics.bound.rest.clone();
        match self.settle_on(state, dynamics, observe, &mut rest) {
            Ok(()) => {}
            Err(Some(fault)) => return Err(fault),
            Err(None) => return Ok(false),
        }
        for (push, moving) in rest.iter().zip(&mut dynamics.motion.rest) {
            moving.along.clone_from(&push.along);
        }
        dynamics.bound.rest = rest;
        let mut moved = false;
        for (real, value) in dynamics.motion.states.iter().zip(y) {
            let settled = state.reals[real.index()];
            moved |= settled != *value;
            *value = settled;
        }
        Ok(moved)
    }

    /// Puts a state that rests onto its borders before the rows of an instant act: what is off by the method's error would
    /// be a blow.
    pub(crate) fn settle_at_instant(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.rest.is_empty() {
            return Ok(());
        }
        let states = dynamics.motion.states.iter();
        let mut y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        self.settle(state, dynamics, observe, &mut y)?;
        dynamics.write_reals(state)
    }
}

impl Dynamics {
    /// True if the motion stays on a border of the limit without a push: what happened at the last instant has ended the
    /// rounds, as a rule for rest does that holds a body where it is.
    fn stands_on(&mut self, state: &HybridState, limit: &Limit) -> Result<bool, RunFault> {
        for jump in &limit.jumps {
            if self.lean_of_motion(state, jump.border)?.sign == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes along the present motion with some of the states, for a time so short that a line will do.
    fn catch_up(
        &mut self,
        state: &mut HybridState,
        time: f64,
        goes: impl Fn(RealId) -> bool,
    ) -> Result<(), RunFault> {
        if time == 0.0 {
            return Ok(());
        }
        let rates = self.rates_now(state)?;
        let all = self.motion.states.iter().zip(rates);
        for (real, [rate, _]) in all.filter(|(real, _)| goes(**real)) {
            state.reals[real.index()] += time * rate;
        }
        self.write_reals(state)
    }

    /// Strengths of the present contact reactions.
    pub(super) fn strengths(&mut self, state: &HybridState) -> Result<Vec<f64>, RunFault> {
        self.rates_now(state)?;
        let strengths = self.motion.rest.iter().map(|push| push.strength);
        Ok(strengths.collect())
    }

    /// The derivatives of a margin by the states of a mode, which is evaluated at the present point: positions of states,
    /// each with the derivative by it.
    pub(crate) fn gradient(
        &mut self,
        state: &HybridState,
        border: BorderId,
        mode: usize,
    ) -> Result<Gradient, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let run = evaluator.evaluate(&state.past, t, &self.y);
        run.map_err(|fault| value_fault(t, fault))?;
        let gradient = evaluator.gradient_of_z(&state.past, (t, &self.y), border);
        gradient.map_err(|fault| value_fault(t, fault))
    }
}
