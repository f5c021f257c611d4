//! `--measure`: single numbers taken from a run.

use std::sync::Arc;

use situ_engine::trace::Measure;
use situ_rules::check::unit_mismatches;
use situ_rules::resolve::{self, MeasureError, Obtained, Reading};

use crate::command::table::{self, Opened};
use crate::command::{Failure, Streams};

const SHOWN_AS: &str = "<--measure>";

/// Reads the measures; units in them that do not agree are added to what is said of the table.
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
    let mut places = Vec::new();
    let mut wrong = Vec::new();
    for text in texts {
        let Opened {
            model,
            origins,
            sources,
            ..
        } = opened;
        match resolve::measure(Arc::make_mut(model), origins, sources, SHOWN_AS, text) {
            Ok(measure) => {
                places.extend(sources.last());
                measures.push(measure);
            }
            Err(MeasureError::Inside(reports)) => wrong.extend(reports),
            Err(error) => return Err(Failure::Wrong(error.to_string())),
        }
    }
    if !wrong.is_empty() {
        return Err(table::refuse(&wrong, &opened.sources, streams));
    }
    let obtained = measures.iter().cloned().map(Obtained::Measured);
    let obtained: Vec<Obtained> = obtained.collect();
    let texts = texts.iter().zip(places).zip(&obtained);
    let readings = texts.map(|((text, span), of)| Reading {
        text,
        span,
        unit: "",
        of,
    });
    let readings: Vec<Reading<'_>> = readings.collect();
    let found = unit_mismatches(&opened.model, &opened.origins, &readings);
    opened.diagnostics.extend(found);
    Ok(measures)
}
