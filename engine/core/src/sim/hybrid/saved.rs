//! A run put aside for another process, and taken up there.

use serde::{Deserialize, Serialize};

use super::driver::Hybrid;
use super::modes::Modes;
use super::state::EventState;
use crate::lower::border::Borders;
use crate::sim::RunFault;

/// The state of an event-accurate run with the borders that it counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedEvents {
    borders: Borders,
    state: EventState,
}

impl Hybrid {
    /// The state for another process.
    pub fn saved(&self) -> SavedEvents {
        let mut state = self.state();
        // Modes are counted by each process for itself.
        (state.mode, state.n_modes) = (0, 0);
        SavedEvents {
            borders: self.borders.clone(),
            state,
        }
    }

    /// Goes on from what another process has put aside: a run of the same model with the same
    /// settings, measures and `stop_when`. Only the stop may be another, and the distance of rows.
    ///
    /// Errors: [`RunFault`], where the state is not one of this model and these settings.
    pub fn load(&mut self, saved: &SavedEvents) -> Result<(), RunFault> {
        let mut state = saved.state.clone();
        self.modes = Modes::default();
        self.borders.clone_from(&saved.borders);
        self.truths.clone_from(&state.truths);
        self.steps.clone_from(&state.steps);
        self.find_mode()?;
        let mode = &self.modes.get(self.mode).mode;
        for views in &mut self.views {
            views.clear();
        }
        for &(range, _, view) in &mode.comparisons {
            self.views[range.index()].push(view);
        }
        self.watch_views.clone_from(&mode.watched);
        (state.mode, state.n_modes) = (self.mode, self.modes.len());
        state.rows = self.rows_before(state.t);
        self.restore(&state)
    }

    /// Rows of the grid up to a time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "rows are fewer than 2^53"
    )]
    fn rows_before(&self, t: f64) -> u64 {
        let Some(every) = self.config.every else {
            return 0;
        };
        let mut rows = (t / every) as u64;
        while (rows + 1) as f64 * every <= t {
            rows += 1;
        }
        while rows > 0 && rows as f64 * every > t {
            rows -= 1;
        }
        rows
    }
}
