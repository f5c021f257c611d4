//! What came of the expectations of a table, in words and as data.

use serde::Serialize;
use situ_rules::resolve::Outcome;
use situ_words::say;

use crate::text::number::{self, exact, in_unit, rounded};

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
    #[serde(skip)]
    time_unit: &'static str,
}

impl OutcomeSummary {
    /// Of a run in which times have a unit, which may be empty.
    pub fn of(outcome: Outcome, time_unit: &'static str) -> Self {
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
            time_unit,
        }
    }

    /// In one line without an end.
    pub fn line(&self) -> String {
        let (expectation, detail) = (&self.expectation, self.detail());
        let what = match (self.met, detail.is_empty(), self.throughout) {
            (true, true, _) => say!("summary-met"),
            (true, false, _) => say!("summary-met.with", detail),
            (false, _, true) if self.found.is_some() => say!("summary-met.not-at", detail),
            (false, _, _) => say!("summary-met.not", detail),
        };
        format!("{expectation}: {what}")
    }

    /// What was found, in words; empty if that it is met says all.
    pub fn detail(&self) -> String {
        match (self.met, self.throughout, self.found) {
            (true, false, Some(found)) => rounded(found),
            (true, _, _) => String::new(),
            (false, true, Some(time)) => {
                say!(
                    "summary-met.time",
                    time = in_unit(number::time(time), self.time_unit)
                )
            }
            (false, false, Some(found)) => say!("summary-met.found", value = exact(found)),
            (false, _, None) => say!("summary-met.no-value"),
        }
    }
}
