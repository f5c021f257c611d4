//! What came of the expectations of a table, in words and as data.

use serde::Serialize;
use situ_rules::resolve::Outcome;

use crate::text::number::{exact, rounded};

/// An expectation and what came of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OutcomeSummary {
    /// As it is written.
    pub expectation: String,
    /// True if the run met it.
    pub met: bool,
    /// What was measured; of a condition the first time at which it did not hold [units of `time`].
    pub found: Option<f64>,
    #[serde(skip)]
    throughout: bool,
}

impl From<Outcome> for OutcomeSummary {
    fn from(outcome: Outcome) -> Self {
        let Outcome {
            text,
            met,
            found,
            throughout,
        } = outcome;
        Self {
            expectation: text,
            met,
            found,
            throughout,
        }
    }
}

impl OutcomeSummary {
    /// In one line without an end.
    pub fn line(&self) -> String {
        let Self {
            expectation,
            met,
            found,
            throughout,
        } = self;
        let what = match (met, throughout, found) {
            (true, true, _) => "met".to_owned(),
            (true, false, Some(found)) => format!("met ({})", rounded(*found)),
            (true, false, None) => "met".to_owned(),
            (false, true, Some(time)) => format!("NOT met at t = {}", exact(*time)),
            (false, false, Some(found)) => format!("NOT met, it is {}", exact(*found)),
            (false, _, None) => "NOT met, there is no such value".to_owned(),
        };
        format!("{expectation}: {what}")
    }
}
