//! A side of a border from which one that the state slides along is crossed, not slid along: how the motion goes on there.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::side_selection::DepartureSign;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// Sign with which z leaves a border under the motion that a side gives, where `other` has been crossed to a side.
    pub(super) fn departure_beyond(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        (border, side): (BorderId, Side),
        (other, to): (BorderId, Side),
        bound: &ActiveConstraints,
    ) -> Result<DepartureSign, RunFault> {
        let mut bound = bound.clone();
        bound.end_slide(other);
        self.supposing_side(state, dynamics, (other, to), |this, state, dynamics| {
            this.departure_sign(state, dynamics, observe, border, side, &bound)
        })
    }
}

impl Dynamics {
    /// The side to which a motion that slides along one border crosses it: where both sides lead to the same. A margin that
    /// jumps across its border is at 0 whatever its rates on the two sides.
    pub(super) fn crosses_slide(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
    ) -> Option<(BorderId, Side)> {
        let slide = motion.slide.as_ref()?;
        let (&[border], false) = (&slide.borders[..], slide.has_through()) else {
            return None;
        };
        let states = motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let corners = motion.corner_rates(&mut self.modes, &state.past, state.t, &y);
        match corners.ok()?[..] {
            [minus, plus] if minus > 0.0 && plus > 0.0 => Some((border, Side::Plus)),
            [minus, plus] if minus < 0.0 && plus < 0.0 => Some((border, Side::Minus)),
            _ => None,
        }
    }
}
