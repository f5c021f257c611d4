//! Entry into the domain of a comparison: the border takes the side of the value that its margin has there.

use crate::lower::border::{BorderId, Side, View, truth};
use crate::model::Comparison;
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

    /// True if a motion that stays on a border is to count as on it, and not on a side: where that is outside of the domain of
    /// a comparison, which has its value on the edge, as that of `sqrt(h)` in a tank that has run dry is 0, and no other
    /// comparison tells the two apart.
    pub(super) fn stays_on_edge(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        border: BorderId,
        side: Side,
    ) -> bool {
        let domains_end = !(self.plan.limited.is_empty() && self.plan.watched_limits.is_empty());
        if !domains_end || state.borders.kinked.get(border.index()) {
            return false;
        }
        // Of a comparison on the border whether it holds on the side, and on the border itself.
        let truths = |comparison: &Comparison, view: &View| {
            [side, Side::On].map(|side| truth(comparison.op, view.side(side)))
        };
        let (mut is_outside, mut differs) = (false, false);
        for (_, domain) in &self.plan.watched_limits {
            for at in domain.clone() {
                let view = &dynamics.views.watched[at];
                is_outside |=
                    view.border == border && truths(&self.plan.watched[at], view) == [false, true];
            }
        }
        for range in dynamics.ranges_on(border) {
            let all = self.plan.model.ranges[range.index()].all.iter();
            let n_written = self.plan.limited.n_written(range).unwrap_or(usize::MAX);
            let views = dynamics.views.ranges[range.index()].iter();
            for (at, (comparison, view)) in all.zip(views).enumerate() {
                if view.border == border {
                    let [beside, on] = truths(comparison, view);
                    match at < n_written {
                        true => differs |= beside != on,
                        false => is_outside |= !beside && on,
                    }
                }
            }
        }
        is_outside && !differs
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
