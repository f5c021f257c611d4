//! `--measure`: single numbers taken from a run.

use std::sync::Arc;

use situ_engine::trace::Measure;
use situ_rules::resolve::{self, MeasureError};

use crate::command::table::{self, Opened};
use crate::command::{Failure, Streams};

const SHOWN_AS: &str = "<--measure>";

/// Reads the measures.
///
/// # Errors
///
/// Those that cannot be read have been shown.
pub(in crate::command) fn read(
    texts: &[String],
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Vec<Measure>, Failure> {
    let mut measures = Vec::new();
    let mut wrong = Vec::new();
    for text in texts {
        let Opened {
            model,
            origins,
            sources,
            ..
        } = opened;
        match resolve::measure(Arc::make_mut(model), origins, sources, SHOWN_AS, text) {
            Ok(measure) => measures.push(measure),
            Err(MeasureError::Inside(reports)) => wrong.extend(reports),
            Err(error) => return Err(Failure::Wrong(error.to_string())),
        }
    }
    if wrong.is_empty() {
        Ok(measures)
    } else {
        Err(table::refuse(&wrong, &opened.sources, streams))
    }
}
