//! A state that rests on some borders and comes to rest on a further one -> it rests on all of them.

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

/// A state is put on several borders in turn so often at most: with equal masses what is left halves each time.
const SETTLINGS: u32 = 100;

impl EventIteration {
    /// Puts a state that has come to a further border on those on which it rests already as well: to put it on one may take it
    /// off another.
    pub(super) fn settle_together(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        rest: &mut [ContactReaction],
    ) -> Result<(), Option<RunFault>> {
        for _ in 0..SETTLINGS {
            let before = state.reals.clone();
            match self.settle_on(state, dynamics, observe, rest) {
                Err(None) => {
                    state.reals = before;
                    break;
                }
                settled => settled?,
            }
            if state.reals == before {
                break;
            }
        }
        Ok(())
    }
}

impl Dynamics {
    /// Moves the state by the little that it is off borders, straight towards each of them. The ways do not touch each
    /// other's borders.
    pub(super) fn put_on(
        &mut self,
        state: &mut HybridState,
        borders: impl Iterator<Item = BorderId>,
        mode: usize,
    ) -> Result<(), RunFault> {
        let mut moves = Vec::new();
        for border in borders {
            let gradient = self.gradient(state, border, mode)?;
            let evaluator = self.modes.get(mode);
            let z = evaluator.z(border).unwrap_or_default();
            let square: f64 = gradient.iter().map(|(_, g)| g * g).sum();
            if square > 0.0 {
                let states = &evaluator.mode.states;
                moves.extend(gradient.iter().map(|(at, g)| (states[*at], z * g / square)));
            }
        }
        for (real, way) in moves {
            state.reals[real.index()] -= way;
        }
        Ok(())
    }
}
