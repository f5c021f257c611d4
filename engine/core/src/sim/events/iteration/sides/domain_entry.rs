//! Entry into the domain of a comparison: the border takes the side of the value that its margin has there.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// The motion crosses a border at which domains of comparisons may begin or end ([`crate::lower::domains`]).
    pub(super) fn enter_domains(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        crossed: BorderId,
    ) -> Result<(), RunFault> {
        for at in 0..self.plan.watched_limits.len() {
            let (own, domain) = self.plan.watched_limits[at].clone();
            let watched = &dynamics.views.watched;
            let border = watched[own].border;
            let mut edges = watched[domain].iter();
            if edges.any(|edge| edge.border == crossed)
                && state.borders.only_watched[border.index()]
            {
                self.take_side_in_domain(state, dynamics, border)?;
            }
        }
        if self.plan.limited.is_empty() {
            return Ok(());
        }
        for range in dynamics.ranges_on(crossed) {
            let Some(n_written) = self.plan.limited.n_written(range) else {
                continue;
            };
            for comparison in 0..n_written {
                let border = dynamics.views.ranges[range.index()][comparison].border;
                if border != crossed && !dynamics.motion.bound_to(border) {
                    self.take_side_in_domain(state, dynamics, border)?;
                }
            }
        }
        Ok(())
    }

    /// A border takes the side of its margin, at an edge of whose domain the state is.
    fn take_side_in_domain(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
    ) -> Result<(), RunFault> {
        let z = match self.standing.z(border, state.t, &state.reals) {
            Some([z, _]) => z,
            None => dynamics.z_now(state, border)?,
        };
        // Rounding may have left the state just before the edge, and at the edge slopes are infinite.
        let lean = match z.is_nan() || z == 0.0 {
            true => {
                dynamics
                    .lean_ahead(state, dynamics.motion.mode, border)
                    .sign
            }
            false => 0,
        };
        let side = match lean {
            1 => Side::Plus,
            -1 => Side::Minus,
            _ if z.is_nan() => return Ok(()),
            _ => Side::of(z),
        };
        state.discrete.flags.set(border.index(), side == Side::On);
        self.set_side(state, dynamics, border, side);
        self.iteration.borders.entered.push(border);
        Ok(())
    }
}
