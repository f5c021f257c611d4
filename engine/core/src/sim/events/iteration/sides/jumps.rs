//! Margins that jump over their borders, at poles or otherwise: on which sides they go on.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::iteration::sides::departures::sign;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use situ_solve::roots::falls;
use smallvec::SmallVec;

/// Parts of a short time after which a margin is looked at: the first is short, as behind a pole it may come back at once.
const PARTS: [f64; 2] = [1e-3, 3e-2];

impl EventIteration {
    /// Margins jump over their borders: each is on the side on which it goes on beyond, in the mode there.
    pub(crate) fn jump_over(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        borders: &[BorderId],
    ) -> Result<(), RunFault> {
        if borders.is_empty() {
            return Ok(());
        }
        let beyond = self.mode_on(state, dynamics, observe, &[])?;
        for &border in borders {
            let sign = dynamics.sign_ahead(state, beyond, border);
            let side = match Side::of(f64::from(sign)) {
                Side::On => state.discrete.sides[border.index()].flipped(),
                side => side,
            };
            state.discrete.flags.set(border.index(), false);
            self.set_side(state, dynamics, border, side);
        }
        Ok(())
    }
}

impl Dynamics {
    /// The z of borders that are about to be crossed, where delays have their left limits still: at a breaking point the
    /// motion may go on elsewhere.
    pub(crate) fn margins_on_arrival(
        &mut self,
        state: &HybridState,
        borders: &[BorderId],
    ) -> Result<SmallVec<[(BorderId, f64); 4]>, RunFault> {
        let mut arrived = SmallVec::new();
        if state.past.is_empty() || borders.is_empty() {
            return Ok(arrived);
        }
        let evaluator = self.margins_now(state)?;
        let with_z = |&border: &BorderId| Some((border, evaluator.z(border)?));
        arrived.extend(borders.iter().filter_map(with_z));
        Ok(arrived)
    }

    /// Borders on which margins arrive, up to rounding, and which they would cross, where a jump that comes out of a delay leads
    /// them elsewhere: the search of the step ends there, so that it leaves them undecided.
    pub(crate) fn reached_at_jump(
        &mut self,
        state: &mut HybridState,
        cause: &EventCause,
    ) -> SmallVec<[BorderId; 4]> {
        let mut reached = SmallVec::new();
        if !state.past.jumps_at(state.t) || self.bound_margins(state).is_err() {
            return reached;
        }
        let evaluator = self.modes.at(self.motion.mode);
        for margin in evaluator.mode.margins.iter().filter(|one| one.opaque) {
            let (border, index) = (margin.border, margin.border.index());
            let is_known = state.discrete.flags.get(index)
                || state.borders.only_watched[index]
                || cause.borders.contains(&border)
                || self.motion.bound_to(border);
            let [z, rate] = evaluator.z_first(border).unwrap_or([1.0; 2]);
            let beyond = Side::of(rate);
            let crosses = z == 0.0 && state.discrete.sides[index] == beyond.flipped();
            if crosses && beyond != Side::On && !is_known {
                reached.push(border);
            }
        }
        if !reached.is_empty() {
            let begun = state.past.step_from(state.t);
            reached.retain(|border| !self.is_on(state, self.motion.mode, *border));
            state.past.step_from(begun);
        }
        reached
    }

    /// Sign of a border's z just ahead along the motion of a mode; 0 if it is not known.
    pub(super) fn sign_ahead(&mut self, state: &HybridState, mode: usize, border: BorderId) -> i8 {
        let [z, _] = self.z_ahead(state, mode, border).unwrap_or_default();
        sign(z)
    }

    /// The side on which a border's margin is that falls from a pole on which the state is, up to rounding; `here`: its
    /// z as it was computed there. What is linear does not fall twice.
    pub(crate) fn side_behind_pole(
        &mut self,
        state: &HybridState,
        border: BorderId,
        here: f64,
    ) -> Option<Side> {
        let mode = &self.modes.at(self.motion.mode).mode;
        if mode.margin(border)?.form.is_some() {
            return None;
        }
        let ahead = self.z_ahead(state, self.motion.mode, border)?;
        (falls([here, ahead[0]]) && falls(ahead)).then(|| Side::of(ahead[0]))
    }

    /// True if the margin of a border has values just ahead.
    pub(super) fn begins_here(&mut self, state: &HybridState, border: BorderId) -> bool {
        let ahead = self.z_ahead(state, self.motion.mode, border);
        ahead.is_some_and(|ahead| ahead.into_iter().all(|z| !z.is_nan()))
    }

    /// A border's z at two places just ahead along the motion of a mode, if they are known.
    fn z_ahead(&mut self, state: &HybridState, mode: usize, border: BorderId) -> Option<[f64; 2]> {
        let (y, rates, short) = self.way_ahead(state, mode)?;
        let evaluator = self.modes.get(mode);
        let mut ahead = [0.0; 2];
        for (ahead, part) in ahead.iter_mut().zip(PARTS) {
            let way = part * short;
            let there = y.iter().zip(&rates).map(|(y, rate)| y + way * rate);
            let there: Vec<f64> = there.collect();
            let t = state.t + way;
            evaluator.evaluate_margins(&state.past, t, &there).ok()?;
            *ahead = evaluator.z(border)?;
        }
        Some(ahead)
    }

    /// Where the motion of a mode stands, its rates there, and a short time, if they are known.
    fn way_ahead(&mut self, state: &HybridState, mode: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(t, &state.reals, &state.discrete.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        let y = self.y.clone();
        let mut rates = vec![0.0; y.len()];
        evaluator.rates(&state.past, t, &y, &mut rates).ok()?;
        let states = evaluator.mode.states.clone();
        let short = self.short_time(t, &states, &y, &rates);
        Some((y, rates, short))
    }

    /// Puts the state just ahead along the motion of a mode; false if the way is not known.
    pub(super) fn go_ahead(&mut self, state: &mut HybridState, mode: usize) -> bool {
        let Some((y, rates, short)) = self.way_ahead(state, mode) else {
            return false;
        };
        let way = PARTS[0] * short;
        let states = self.modes.at(mode).mode.states.clone();
        for (real, (y, rate)) in states.iter().zip(y.iter().zip(&rates)) {
            state.reals[real.index()] = y + way * rate;
        }
        state.t += way;
        true
    }
}
