//! Ending of a run as a command reports it: its reason and the last message.

use situ_engine::sim::{EndReason, Run, RunFault};
use situ_rules::Diagnostic;
use situ_rules::diag::{fault, is_unsupported};
use situ_views::columns::Columns;
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::table::{self, Opened};
use crate::command::{Failure, Outcome, Streams};

/// Why a run ended.
#[derive(Debug)]
pub(in crate::command) enum End {
    /// Its time is over.
    Stop,
    /// The condition to stop came true.
    Condition,
    /// The user broke it off.
    Interrupted,
    /// It could not go on.
    Fault(RunFault),
    /// Its rows could not be written.
    Output(Failure),
}

impl End {
    /// As the run says, whose recorder breaks off for nothing but Ctrl-C.
    pub(in crate::command) fn of(result: Result<EndReason, RunFault>) -> Self {
        match result {
            Ok(EndReason::Stop) => Self::Stop,
            Ok(EndReason::Condition) => Self::Condition,
            Ok(EndReason::Recorder) => Self::Interrupted,
            Err(fault) => Self::Fault(fault),
        }
    }

    /// In one word, for summaries.
    pub(in crate::command) fn word(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Condition => "condition",
            Self::Interrupted => "interrupted",
            Self::Fault(_) => "fault",
            Self::Output(_) => "output",
        }
    }

    /// Report of a fault.
    pub(in crate::command) fn report(&self, run: &Run, opened: &Opened) -> Option<Diagnostic> {
        let Self::Fault(why) = self else { return None };
        let report = fault(why, &opened.model, &opened.origins);
        Some(match standing(run) {
            Some(note) => report.with_note(note),
            None => report,
        })
    }

    /// Says what went wrong, if anything did.
    pub(in crate::command) fn conclude(
        self,
        run: &Run,
        opened: &Opened,
        streams: &mut Streams,
    ) -> Outcome {
        if let Some(report) = self.report(run, opened) {
            let status = match is_unsupported(std::slice::from_ref(&report)) {
                true => Status::Unsupported,
                false => Status::Failed,
            };
            table::show(&[report], &opened.sources, streams);
            return Err(Failure::Said(status));
        }
        match self {
            Self::Interrupted => Err(Failure::Interrupted),
            Self::Output(failure) => Err(failure),
            Self::Stop | Self::Condition | Self::Fault(_) => Ok(()),
        }
    }
}

/// The booleans that stood before the failing tick.
fn standing(run: &Run) -> Option<String> {
    let (model, row) = (run.model(), run.row());
    let columns = Columns {
        reals: Vec::new(),
        ..Columns::standard(model)
    };
    let names = columns.names(model).zip(columns.truths(model, &row));
    let standing: Vec<String> = names
        .filter(|(_, holds)| *holds)
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    (!standing.is_empty()).then(|| {
        say!(
            "cli-standing.what-held-before",
            standing = standing.join(", ")
        )
    })
}
