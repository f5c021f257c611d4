//! The mode that the run would be in if some borders were on other sides and all else were as it is.

use crate::ids::{RangeId, SituationId};
use crate::lower::border::{BorderId, RangeViews, Side, View};
use crate::lower::scan::{Reader, Readers};
use crate::model::{Boolean, Mark};
use crate::sim::RunFault;
use crate::sim::events::iteration::worklist::Worklist;
use crate::sim::events::run::Hybrid;

/// What was changed for a supposition, to be taken back; the last one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supposed {
    undo: Vec<Undo>,
    rows: Worklist,
}

impl Supposed {
    /// Marks the rows of situations among those who name a boolean.
    fn mark(&mut self, readers: &Readers) {
        for reader in &readers.all {
            if let Reader::SituationRow(at) = *reader {
                self.rows.insert(at as usize);
            }
        }
    }
}

/// One change. Booleans are turned again.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Side(usize, Side),
    Range(usize),
    Row(usize),
    Situation(usize),
}

impl Hybrid {
    /// The mode with some borders on other sides and all else as it is.
    pub(crate) fn mode_on(&mut self, sides: &[(BorderId, Side)]) -> Result<usize, RunFault> {
        let mut supposed = std::mem::take(&mut self.events.supposed);
        supposed.rows.grow(self.plan.model.situation_rows.len());
        for &(border, side) in sides {
            let index = border.index();
            let held = std::mem::replace(&mut self.state.discrete.sides[index], side);
            if held == side {
                continue;
            }
            supposed.undo.push(Undo::Side(index, held));
            let ranges = self.dynamics.views.ranges_by_border.get(index).cloned();
            for range in ranges.into_iter().flatten() {
                let views = std::mem::take(&mut self.dynamics.views.ranges[range as usize]);
                self.suppose_range(&mut supposed, range as usize, &views);
                self.dynamics.views.ranges[range as usize] = views;
            }
        }
        self.suppose_situations(&mut supposed);
        let mut found = self.mode_of_present();
        if self.plan.flow.views_vary {
            found = self.as_seen_there(found, &mut supposed);
        }
        self.undo(&mut supposed);
        self.events.supposed = supposed;
        found
    }

    fn suppose_range(&mut self, supposed: &mut Supposed, range: usize, views: &[View]) {
        if self.plan.model.ranges[range].mark == Some(Mark::NoEvent) {
            return;
        }
        let holds = self
            .state
            .discrete
            .range_by_sides(&self.plan.model, views, range);
        if holds == self.state.discrete.ranges.get(range) {
            return;
        }
        self.state.discrete.ranges.set(range, holds);
        supposed.undo.push(Undo::Range(range));
        let readers = self.plan.scan.of(Boolean::Range(RangeId::new(range)));
        supposed.mark(readers);
    }

    /// Levels follow; no event fires.
    fn suppose_situations(&mut self, supposed: &mut Supposed) {
        while let Some(at) = supposed.rows.take_from(0) {
            let situation = self.plan.model.situation_rows[at].situation.index();
            if self.plan.model.situations[situation].event {
                continue;
            }
            let holds = self
                .state
                .discrete
                .row_holds(&self.plan.model, &self.plan.scan, at);
            if !self.state.discrete.set_held(at, holds) {
                continue;
            }
            supposed.undo.push(Undo::Row(at));
            let now = self
                .state
                .discrete
                .any_row_held(&self.plan.scan.rows_of[situation]);
            if now != self.state.discrete.situations.get(situation) {
                self.state.discrete.situations.set(situation, now);
                supposed.undo.push(Undo::Situation(situation));
            }
            let readers = self
                .plan
                .scan
                .of(Boolean::Situation(SituationId::new(situation)));
            supposed.mark(readers);
        }
    }

    fn undo(&mut self, supposed: &mut Supposed) {
        let discrete = &mut self.state.discrete;
        while let Some(undo) = supposed.undo.pop() {
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

    /// The mode of the present booleans; borders met for the first time take the side on which the state is.
    fn mode_of_present(&mut self) -> Result<usize, RunFault> {
        let kinked = &self.state.borders.kinked;
        match self
            .dynamics
            .modes
            .met(&self.plan.flow, kinked, &self.state.discrete)
        {
            Some(met) => Ok(met),
            None => self.make_mode(),
        }
    }

    /// The mode whose own way of looking at borders gives it, beginning with one found by that of the
    /// present mode.
    fn as_seen_there(
        &mut self,
        found: Result<usize, RunFault>,
        supposed: &mut Supposed,
    ) -> Result<usize, RunFault> {
        let mut mode = found?;
        let mut views = vec![RangeViews::new(); self.dynamics.views.ranges.len()];
        for _ in 0..=self.dynamics.views.ranges.len() {
            crate::sim::events::modes::mode_entry::take_views(
                &self.dynamics.modes.at(mode).mode,
                &mut views,
            );
            for (range, views) in views.iter().enumerate() {
                self.suppose_range(supposed, range, views);
            }
            self.suppose_situations(supposed);
            let seen = self.mode_of_present()?;
            if seen == mode {
                break;
            }
            mode = seen;
        }
        Ok(mode)
    }
}
