//! The log: `--log FILTER` or RUST_LOG, on stderr; costs nothing when off.

use std::io;

use anstream::{AutoStream, ColorChoice};
use situ_words::say;
use tracing_subscriber::EnvFilter;

use crate::command::{Failure, Outcome};

/// Starts the log if a filter is given.
pub(in crate::command) fn start(filter: Option<&str>) -> Outcome {
    let Some(filter) = filter.filter(|filter| !filter.trim().is_empty()) else {
        return Ok(());
    };
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Failure::Wrong(say!(
            "cli-start.log-filter-cannot",
            filter,
            error = error.to_string()
        ))
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never)
        .without_time()
        .init();
    Ok(())
}
