//! Ending of a command: the exit status and the messages on stderr.

use std::io::{self, Write};

use situ_rules::Diagnostic;
use situ_rules::diag::is_unsupported;
use situ_views::text::plain;
use situ_words::say;

use super::files::ClaimError;
use crate::command::{Streams, refused};
use crate::engine::EngineError;

/// Outcome of a command.
pub(in crate::command) type Outcome = Result<(), Failure>;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(in crate::command) enum Failure {
    /// clap's help, version, or complaint.
    CommandLine(clap::Error),
    /// The run failed, a file could not be written; status 1.
    Run(String),
    /// The command line or the table is wrong; status 2.
    Wrong(String),
    /// The program does not do what was asked for; status 3.
    Unsupported(String),
    /// The user broke off; status 130.
    Interrupted,
    /// All has been said; the status is left.
    Said(Status),
    /// Whoever read the output has closed it; that is no mistake.
    ClosedPipe,
}

/// Exit status of a command that did not do what it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::command) enum Status {
    /// The run failed, or `fmt --check` found something.
    Failed = 1,
    /// The command line or the table is wrong.
    Wrong = 2,
    /// The program does not do what was asked for.
    Unsupported = 3,
    /// A run did not come to what is expected of it.
    Unmet = 4,
}

impl Status {
    /// Of a table that cannot be taken as it is.
    pub(in crate::command) fn of(diagnostics: &[Diagnostic]) -> Self {
        match is_unsupported(diagnostics) {
            true => Self::Unsupported,
            false => Self::Wrong,
        }
    }
}

impl Failure {
    /// A file or standard output that could not be written.
    pub(in crate::command) fn writing(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::Run(say!("cli-writing.cannot-write", name, error = plain(error)))
    }

    /// Failure for a part that the program has been built without, by leaving out a feature.
    #[cfg(not(all(feature = "parquet", feature = "png", feature = "native")))]
    pub(in crate::command) fn without(feature: &str) -> Self {
        Self::Unsupported(crate::without(feature))
    }

    /// A file that could not be read.
    pub(in crate::command) fn reading(name: &str, error: &io::Error) -> Self {
        Self::Wrong(say!("cli-reading.cannot-read", name, error = plain(error)))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Wrong(message) => Self::Wrong(message),
            #[cfg(not(feature = "native"))]
            EngineError::Without(message) => Self::Unsupported(message),
        }
    }
}

impl From<ClaimError> for Failure {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Taken(message) => Self::Wrong(message),
            ClaimError::Unwritable(message) => Self::Run(message),
        }
    }
}

/// Says what is to be said and gives the exit status.
pub(in crate::command) fn report(outcome: Outcome, streams: &mut Streams) -> u8 {
    let (message, status) = match outcome {
        Ok(()) | Err(Failure::ClosedPipe) => return 0,
        Err(Failure::CommandLine(error)) if error.use_stderr() => {
            streams.complain(&refused::told(&error));
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
        Err(Failure::CommandLine(error)) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return match printed {
                Ok(()) => u8::try_from(error.exit_code()).unwrap_or(2),
                Err(error) => {
                    let name = say!("cli-to-standard-output");
                    report(Err(Failure::writing(&name, &error)), streams)
                }
            };
        }
        Err(Failure::Said(status)) => return status as u8,
        Err(Failure::Run(message)) => (message, 1),
        Err(Failure::Wrong(message)) => (message, 2),
        Err(Failure::Unsupported(message)) => (message, 3),
        Err(Failure::Interrupted) => (say!("cli-interrupted"), 130),
    };
    streams.complain(&message);
    status
}
