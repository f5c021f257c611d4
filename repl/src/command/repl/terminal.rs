//! The prompt in a terminal: line editing, completion, hints, colours, history.

use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};

use super::super::{Failure, Outcome, Streams};
use super::Session;

/// Reads lines until the end.
pub(super) fn run(session: &mut Session, no_history: bool, streams: &mut Streams) -> Outcome {
    let _ = no_history;
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<(), DefaultHistory> =
        Editor::with_config(config).map_err(|error| Failure::Run(error.to_string()))?;
    loop {
        session.look(streams);
        let prompt = session.console.prompt().to_string();
        match editor.readline(&prompt) {
            Ok(line) => {
                if session.answer(&line, streams)?.quit {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(Failure::Run(error.to_string())),
        }
    }
}
