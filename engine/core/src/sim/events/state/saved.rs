//! A run put aside for another process, and taken up there.

use crate::sim::events::state::plan::Plan;
use serde::{Deserialize, Serialize};

use crate::sim::StateError;
use crate::sim::events::detect::next_step::is_same_time;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::EventState;

/// More rows than this have no numbers of their own.
const MOST_ROWS: f64 = 9_007_199_254_740_992.0;

/// The state of an event-accurate run for another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedEventRun(EventState);

impl EventRun {
    /// The state for another process.
    pub fn saved(&self) -> SavedEventRun {
        SavedEventRun(self.state())
    }

    /// Goes on from what another process has put aside: a run of the same model with the same
    /// settings, measures and `stop_when`. Only the stop may be another, and the distance of rows. Measures, coverage
    /// and the log begin where it goes on; `stop_when`, if it holds there, ends the run when it comes true again.
    ///
    /// # Errors
    ///
    /// [`StateError`], where the state is not one of this model and these settings.
    pub fn load(&mut self, saved: &SavedEventRun) -> Result<(), StateError> {
        self.validate(&saved.0)?;
        self.restore(&saved.0)?;
        self.observe.begin_again(&self.state, &self.dynamics);
        self.state.progress.rows = self.plan.rows_up_to(&saved.0);
        self.begin_measures();
        Ok(())
    }

    /// The condition of `stop_when` ends the run no more, but that of a measure, if one is given.
    pub fn ignore_stop_when(&mut self, instead: Option<usize>) {
        self.observe.watching.ignore_stop_when(instead);
    }
}

impl Plan {
    /// Rows of the grid up to where a state stands; that of its instant is one of them.
    fn rows_up_to(&self, EventState { hybrid, .. }: &EventState) -> u64 {
        let t = hybrid.t;
        let rows = self.rows_before(t);
        let next = self.config.every.map(|every| (rows + 1) as f64 * every);
        let at_instant = hybrid.progress.instants > 0 && hybrid.progress.last_instant == t;
        let is_here = |row: f64| row == t || at_instant && is_same_time(row, t, row);
        rows + u64::from(next.is_some_and(is_here))
    }

    /// Rows of the grid before a time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and beyond 2^53 rows there is none that a number could tell from the next"
    )]
    pub(crate) fn rows_before(&self, t: f64) -> u64 {
        let Some(every) = self.config.every else {
            return 0;
        };
        let mut rows = (t / every).min(MOST_ROWS) as u64;
        while rows < MOST_ROWS as u64 && (rows + 1) as f64 * every < t {
            rows += 1;
        }
        while rows > 0 && rows as f64 * every >= t {
            rows -= 1;
        }
        rows
    }
}
