//! The mode that the run would be in if some borders were on other sides and all else were as it is.

use crate::ids::{RangeId, SituationId};
use crate::lower::border::{BorderId, RangeViews, Side, View};
use crate::lower::scan::{Reader, Readers};
use crate::model::{Boolean, Mark};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::worklist::Worklist;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;

/// Changes made for a supposition, to be taken back; the last one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrialMode {
    undo: Vec<Undo>,
    rows: Worklist,
}

impl TrialMode {
    /// Marks the rows of situations among those who name a boolean.
    fn mark(&mut self, readers: &Readers) {
        for reader in &readers.all {
            if let Reader::SituationRow(at) = *reader {
                self.rows.insert(at as usize);
            }
        }
    }
}

/// One change. Booleans are set back.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Side(usize, Side),
    Range(usize),
    Row(usize),
    Situation(usize),
}

impl EventIteration {
    /// The mode with some borders on other sides and all else as it is.
    pub(crate) fn mode_on(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        sides: &[(BorderId, Side)],
    ) -> Result<usize, RunFault> {
        let mut supposed = std::mem::take(&mut self.supposed);
        let earlier = supposed.undo.len();
        supposed.rows.grow(self.plan.model.situation_rows.len());
        for &(border, side) in sides {
            let index = border.index();
            let held = std::mem::replace(&mut state.discrete.sides[index], side);
            if held == side {
                continue;
            }
            supposed.undo.push(Undo::Side(index, held));
            let views = &dynamics.views;
            for &range in views.ranges_by_border.get(index).into_iter().flatten() {
                let range = range as usize;
                state.suppose_range(&self.plan, &mut supposed, range, &views.ranges[range]);
            }
        }
        state.suppose_situations(&self.plan, &mut supposed);
        let mut found = self.mode_of_present(state, dynamics, observe);
        if self.plan.flow.views_vary {
            found = self.as_seen_there(state, dynamics, observe, found, &mut supposed);
        }
        state.undo(&mut supposed, earlier);
        self.supposed = supposed;
        found
    }

    /// Supposes that ranges whose borders have turned have turned with them, and the levels of situations that follow; to be
    /// taken back by [`Self::forget_supposed`], which is told how many changes were supposed before.
    pub(crate) fn suppose_turned_ranges(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
    ) -> usize {
        let supposed = &mut self.supposed;
        let earlier = supposed.undo.len();
        supposed.rows.grow(self.plan.model.situation_rows.len());
        let mut from = 0;
        while let Some(range) = self.todo.ranges.next_from(from) {
            from = range + 1;
            state.suppose_range(&self.plan, supposed, range, &dynamics.views.ranges[range]);
        }
        state.suppose_situations(&self.plan, supposed);
        earlier
    }

    /// Takes back what was supposed, but for so many earlier changes.
    pub(crate) fn forget_supposed(&mut self, state: &mut HybridState, earlier: usize) {
        state.undo(&mut self.supposed, earlier);
    }

    /// The mode of the present booleans; borders met for the first time take the side on which the state is.
    fn mode_of_present(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<usize, RunFault> {
        let kinked = &state.borders.kinked;
        match dynamics.modes.met(&self.plan.flow, kinked, &state.discrete) {
            Some(met) => Ok(met),
            None => self.make_mode(state, dynamics, observe),
        }
    }

    /// The mode whose own way of looking at borders gives it, beginning with one found by that of the
    /// present mode.
    fn as_seen_there(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        found: Result<usize, RunFault>,
        supposed: &mut TrialMode,
    ) -> Result<usize, RunFault> {
        let mut mode = found?;
        let mut views = vec![RangeViews::new(); dynamics.views.ranges.len()];
        for _ in 0..=dynamics.views.ranges.len() {
            crate::sim::events::modes::mode_entry::take_views(
                &dynamics.modes.at(mode).mode,
                &mut views,
            );
            for (range, views) in views.iter().enumerate() {
                state.suppose_range(&self.plan, supposed, range, views);
            }
            state.suppose_situations(&self.plan, supposed);
            let seen = self.mode_of_present(state, dynamics, observe)?;
            if seen == mode {
                break;
            }
            mode = seen;
        }
        Ok(mode)
    }
}

impl HybridState {
    fn suppose_range(
        &mut self,
        plan: &Plan,
        supposed: &mut TrialMode,
        range: usize,
        views: &[View],
    ) {
        if plan.model.ranges[range].mark == Some(Mark::NoEvent) {
            return;
        }
        let holds = self.discrete.range_by_sides(&plan.model, views, range);
        if holds == self.discrete.ranges.get(range) {
            return;
        }
        self.discrete.ranges.set(range, holds);
        supposed.undo.push(Undo::Range(range));
        let readers = plan.scan.of(Boolean::Range(RangeId::new(range)));
        supposed.mark(readers);
    }

    /// Levels follow; no event fires.
    fn suppose_situations(&mut self, plan: &Plan, supposed: &mut TrialMode) {
        while let Some(at) = supposed.rows.take_from(0) {
            let situation = plan.model.situation_rows[at].situation.index();
            if plan.model.situations[situation].event {
                continue;
            }
            let holds = self.discrete.row_holds(&plan.model, &plan.scan, at);
            if !self.discrete.set_held(at, holds) {
                continue;
            }
            supposed.undo.push(Undo::Row(at));
            let now = self.discrete.any_row_held(&plan.scan.rows_of[situation]);
            if now != self.discrete.situations.get(situation) {
                self.discrete.situations.set(situation, now);
                supposed.undo.push(Undo::Situation(situation));
            }
            let readers = plan
                .scan
                .of(Boolean::Situation(SituationId::new(situation)));
            supposed.mark(readers);
        }
    }

    fn undo(&mut self, supposed: &mut TrialMode, earlier: usize) {
        let discrete = &mut self.discrete;
        for undo in supposed.undo.drain(earlier..).rev() {
            match undo {
                Undo::Side(index, side) => discrete.sides[index] = side,
                Undo::Range(index) => {
                    let holds = discrete.ranges.get(index);
                    discrete.ranges.set(index, !holds);
                }
                Undo::Row(index) => {
                    let holds = discrete.held(index);
                    discrete.set_held(index, !holds);
                }
                Undo::Situation(index) => {
                    let holds = discrete.situations.get(index);
                    discrete.situations.set(index, !holds);
                }
            }
        }
    }
}
