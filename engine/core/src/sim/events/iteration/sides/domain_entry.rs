//! Entry into the domain of a comparison: the border takes the side of the value that its margin has there.

use crate::lower::border::{BorderId, Side, View, truth};
use crate::model::Comparison;
use crate::sim::RunFault;
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::sides::after_reset::NESTED_KINKS;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use smallvec::SmallVec;
use std::sync::Arc;

impl EventIteration {
    /// The motion has crossed borders at which domains of comparisons may begin ([`crate::lower::domains`]): what had no value
    /// up to there is as it is just beyond.
    pub(crate) fn enter_domains(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        crossed: &[BorderId],
    ) -> Result<(), RunFault> {
        let begun = self.begun_in_domains(state, dynamics, crossed);
        if begun.is_empty() || !dynamics.bound.is_free() {
            return Ok(());
        }
        let mode = self.mode_on(state, dynamics, observe, &[])?;
        let (t, reals) = (state.t, state.reals.clone());
        if !dynamics.go_ahead(state, mode) {
            return Ok(());
        }
        let found = self.sides_in_domains(state, dynamics, observe, &begun);
        (state.t, state.reals) = (t, reals);
        found
    }

    /// The comparisons whose domains a crossed border bounds, and what else says where they have values.
    fn begun_in_domains(
        &self,
        state: &HybridState,
        dynamics: &Dynamics,
        crossed: &[BorderId],
    ) -> SmallVec<[BorderId; 4]> {
        let mut begun = SmallVec::new();
        let is_crossed = |view: &View| crossed.contains(&view.border);
        let mut begin = |written: &[View], domain: &[View]| {
            if domain.iter().any(is_crossed) {
                let others = domain.iter().filter(|view| !is_crossed(view));
                let all = written.iter().chain(others).map(|view| view.border);
                all.for_each(|border| begun.push(border));
            }
        };
        let watched = &dynamics.views.watched;
        for (own, domain) in &self.plan.watched_limits {
            if state.borders.only_watched[watched[*own].border.index()] {
                begin(&watched[*own..=*own], &watched[domain.clone()]);
            }
        }
        if !self.plan.limited.is_empty() {
            for range in crossed
                .iter()
                .flat_map(|border| dynamics.ranges_on(*border))
            {
                if let Some(n_written) = self.plan.limited.n_written(range) {
                    let (written, domain) =
                        dynamics.views.ranges[range.index()].split_at(n_written);
                    begin(written, domain);
                }
            }
        }
        begun
    }

    /// Kinks and comparisons take the sides of their values where the state has been put.
    fn sides_in_domains(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        begun: &[BorderId],
    ) -> Result<(), RunFault> {
        let mut mode = self.mode_on(state, dynamics, observe, &[])?;
        for _ in 0..NESTED_KINKS {
            if !self.find_branches(state, dynamics, observe, mode)? {
                break;
            }
            self.iteration.reshaped = true;
            mode = self.mode_on(state, dynamics, observe, &[])?;
        }
        for &border in begun {
            if dynamics.modes.at(mode).mode.margin(border).is_none() {
                continue;
            }
            let [z, _] = dynamics.z_in(state, mode, border)?;
            if !z.is_nan() {
                let side = Side::of(z);
                state.discrete.flags.set(border.index(), side == Side::On);
                self.set_side(state, dynamics, border, side);
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
}

impl Dynamics {
    /// Borders whose margins have no value ahead are left only once the motion has come to the edges of their domains.
    pub(super) fn stay_outside_domains(
        &mut self,
        state: &HybridState,
        into: &mut Departures,
    ) -> Result<(), RunFault> {
        // What is out of its domain as far as the run has come, whatever rounding says; at the edge it has a value yet.
        let mut outside: SmallVec<[BorderId; 4]> = SmallVec::new();
        for (range, n_written) in self.plan.limited.iter() {
            let all = &self.plan.model.ranges[range.index()].all;
            let views = &self.views.ranges[range.index()];
            let mut limits = all.iter().zip(views).skip(n_written);
            let holds = |(comparison, view): (&Comparison, &View)| {
                truth(
                    comparison.op,
                    view.side(state.discrete.sides[view.border.index()]),
                )
            };
            if !limits.all(holds) {
                outside.extend(views[..n_written].iter().map(|view| view.border));
            }
        }
        let evaluator = self.margins_now(state)?;
        let mode = Arc::clone(&evaluator.mode);
        let margins = mode.margins.iter().map(|margin| margin.border);
        let known = margins.filter(|border| !state.borders.only_watched[border.index()]);
        let known: SmallVec<[(BorderId, bool); 8]> = known
            .filter_map(|border| Some((border, evaluator.z(border)?.is_nan())))
            .collect();
        for (border, is_unknown) in known {
            let stays = match (outside.contains(&border), is_unknown) {
                (true, true) => true,
                (false, false) => false,
                // Rounding may have left the state just before the edge.
                _ => !self.begins_here(state, border),
            };
            if stays {
                into.set(border, Departure::Stays);
            }
        }
        Ok(())
    }
}
