//! A run put aside for another process, and taken up there.

use serde::{Deserialize, Serialize};

use super::driver::Hybrid;
use super::state::EventState;
use crate::sim::StateError;

/// The state of an event-accurate run for another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedEvents(EventState);

impl Hybrid {
    /// The state for another process.
    pub fn saved(&self) -> SavedEvents {
        SavedEvents(self.state())
    }

    /// Goes on from what another process has put aside: a run of the same model with the same
    /// settings, measures and `stop_when`. Only the stop may be another, and the distance of rows.
    ///
    /// Errors: [`StateError`], where the state is not one of this model and these settings.
    pub fn load(&mut self, saved: &SavedEvents) -> Result<(), StateError> {
        self.validate(&saved.0)?;
        self.restore(&saved.0)?;
        self.rows = self.rows_before(saved.0.t);
        Ok(())
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
        if rows >= 1 << 53 {
            // Such rows are not told apart; the budget ends the run.
            return 1 << 53;
        }
        while (rows + 1) as f64 * every <= t {
            rows += 1;
        }
        while rows > 0 && rows as f64 * every > t {
            rows -= 1;
        }
        rows
    }
}
