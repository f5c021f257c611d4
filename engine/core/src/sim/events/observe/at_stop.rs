//! Comparisons that are watched, where a run stops at the end of a step: they compare the numbers there.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::detect::next_step::is_same_time;
use crate::sim::events::run::EventRun;
use smallvec::SmallVec;

impl EventRun {
    /// An instant crosses borders. If the run stops there, comparisons that are watched and have these borders in common with
    /// the model compare the numbers until it goes on.
    pub(crate) fn land_at_stop(&mut self, time: f64, crossed: &[BorderId]) -> Result<(), RunFault> {
        if !is_same_time(time, self.stop_requested, time) {
            return Ok(());
        }
        for &border in crossed {
            let is_own = self.state.borders.only_watched[border.index()];
            if !is_own
                && self.dynamics.is_watched(border)
                && Side::of(self.dynamics.z_now(&self.state, border)?) == Side::On
            {
                self.observe.watching.land(border, Side::On);
            }
        }
        Ok(())
    }

    /// The run stands where a step ends. If it stops there, comparisons that are watched and have their borders alone compare
    /// the numbers until it goes on.
    pub(crate) fn compare_at_stop(&mut self) {
        let t = self.state.t;
        if !self.observe.watching.stopped && !is_same_time(t, self.stop_requested, t) {
            return;
        }
        let watched = self.dynamics.views.watched.iter().map(|view| view.border);
        let own = watched.filter(|border| self.state.borders.only_watched[border.index()]);
        let own: SmallVec<[BorderId; 8]> = own.collect();
        for border in own {
            // What has no value here is not compared.
            let evaluator = self.dynamics.margins_now(&self.state).ok();
            if evaluator.and_then(|evaluator| evaluator.z(border)) != Some(0.0) {
                continue;
            }
            self.state.discrete.sides[border.index()] = Side::On;
            self.state.discrete.flags.set(border.index(), true);
        }
    }
}
