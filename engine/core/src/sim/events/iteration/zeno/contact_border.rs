//! A jump of instants that accumulate -> the border against which it pushes.
//!
//! A body that falls onto another one is about to touch it when its speed turns: the jump comes from the border of the
//! speed, and pushes against that of the distance, at which the state already is.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::zeno::jumps::{Jump, add_jumps, rows_that_depend};
use crate::sim::events::iteration::zeno::zeno_limit::TURNS;
use crate::sim::events::iteration::zeno::{Limit, RecentInstant};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// The jump from its own border, if it turns the rate of that border's margin; else from the first border the state is
    /// on, of those on which the jump's rows depend, for which it does.
    pub(super) fn against_border(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        jump: &Jump,
    ) -> Result<Option<Jump>, RunFault> {
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        evaluator.states(&state.reals, &mut dynamics.y);
        let states = &evaluator.mode.states;
        let mut direction = vec![0.0; states.len()];
        for &(real, part) in &jump.by {
            if let Ok(at) = states.binary_search(&real) {
                direction[at] = part;
            }
        }
        evaluator
            .evaluate_rates(&state.past, state.t, &dynamics.y)
            .and_then(|()| evaluator.evaluate(&state.past, state.t, &dynamics.y))
            .and_then(|()| evaluator.margin_rates())
            .and_then(|()| evaluator.displace(&dynamics.y, |index| direction[index], 0.0))
            .map_err(|fault| value_fault(state.t, fault))?;
        let side_pushed_to = |border: BorderId| {
            let (across, bend) = evaluator.z_displaced(border)?;
            let turns = bend != 0.0 && across.abs() <= TURNS * bend.abs();
            turns.then_some(if bend > 0.0 { Side::Plus } else { Side::Minus })
        };
        if let Some(side) = side_pushed_to(jump.border) {
            let jump = jump.clone();
            return Ok(Some(Jump { side, ..jump }));
        }
        let turned = (0..state.borders.len()).map(BorderId::new);
        let turned: Vec<_> = turned
            .filter_map(|border| Some((border, side_pushed_to(border)?)))
            .collect();
        for (border, side) in turned {
            let depending = rows_that_depend(border, &self.plan, &dynamics.views);
            let z = dynamics.z_now(state, border)?;
            if jump.rows.iter().any(|row| depending.contains(row))
                && !dynamics.is_off(state, border, z)?
            {
                let jump = jump.clone();
                return Ok(Some(Jump {
                    border,
                    side,
                    ..jump
                }));
            }
        }
        Ok(None)
    }

    /// The last jumps by the rows of an instant that follows another one in no time, where these have come to change ever
    /// less and leave the margins of their borders, and the rates of these, at 0: errors of the method make of a last blow
    /// one that is lost in rounding, and its event would not end.
    pub(super) fn died_down(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
    ) -> Option<Vec<Jump>> {
        let last = state.zeno.instant(0)?;
        if state.progress.stalled == 0 || last.jump.is_empty() || !dynamics.motion.is_free() {
            return None;
        }
        let back = (0..).map_while(|back| state.zeno.instant(back));
        let mut alike = back.filter(|seen| seen.rows == last.rows);
        let [now, before, first] = [alike.next()?, alike.next()?, alike.next()?];
        let size = |seen: &RecentInstant| {
            let parts = seen.jump.iter().map(|(_, part)| part.abs());
            parts.fold(0.0, f64::max)
        };
        if !(size(now) < size(before) && size(before) < size(first)) {
            return None;
        }
        let mut jumps = Vec::new();
        add_jumps(before, &self.plan, &dynamics.views, &mut jumps);
        dynamics.bound_margins(state).ok()?;
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        let mut borders = jumps.iter().map(|jump| jump.border);
        let stands = borders.all(|border| evaluator.z_first(border) == Some([0.0; 2]));
        stands.then_some(jumps)
    }

    /// True if each jump of a limit pushes against a border, and the motion presses onto it.
    pub(super) fn may_rest(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        limit: &Limit,
    ) -> bool {
        let mut jumps = limit.jumps.iter();
        !limit.jumps.is_empty()
            && jumps.all(|jump| match self.against_border(state, dynamics, jump) {
                Ok(Some(against)) => dynamics.presses(state, &against) == Ok(true),
                Ok(None) | Err(_) => false,
            })
    }
}

impl Dynamics {
    /// True if the motion from here, held by other borders, bends the margin of a jump's border back against the jump.
    fn presses(&mut self, state: &HybridState, jump: &Jump) -> Result<bool, RunFault> {
        let states = self.motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let mut rates = vec![0.0; y.len()];
        let known = (self.motion).rates(&mut self.modes, &state.past, state.t, &y, &mut rates);
        if known.is_err() {
            return Ok(false);
        }
        let evaluator = self.modes.get(self.motion.mode);
        evaluator
            .evaluate_rates(&state.past, state.t, &y)
            .and_then(|()| evaluator.evaluate(&state.past, state.t, &y))
            .and_then(|()| evaluator.margin_rates())
            .and_then(|()| evaluator.displace(&y, |index| rates[index], 1.0))
            .map_err(|fault| value_fault(state.t, fault))?;
        let (_, bend) = evaluator.z_displaced(jump.border).unwrap_or_default();
        Ok(match jump.side {
            Side::Plus => bend < 0.0,
            Side::Minus => bend > 0.0,
            Side::On => false,
        })
    }
}
