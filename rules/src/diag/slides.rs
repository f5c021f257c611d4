//! Slides that there are not become reports: along borders that drive events, or along too many at once.

use situ_engine::ids::RangeId;
use situ_engine::model::Model;
use situ_words::{phrase, say};

use super::numbers;
use super::{Diagnostic, Severity, marked};
use crate::source::Origins;

/// Says that a state cannot slide along the border of some ranges. `slides`: along how many it would at once, if these are
/// too many.
pub(super) fn none(
    model: &Model,
    origins: &Origins,
    time: f64,
    ranges: &[RangeId],
    slides: Option<usize>,
) -> Diagnostic {
    let message = say!(
        "run-fault.border-crossed",
        time = numbers::time(model, time)
    );
    let rows = ranges.iter().map(|range| {
        let origin = model.ranges[range.index()].origin;
        (origin, phrase!("run-fault.border"))
    });
    let report = Diagnostic::new("R009", Severity::Error, message);
    let report = marked(report, origins, rows);
    match slides {
        Some(slides) => report
            .with_note(say!("run-fault.note-too-many-slides", slides))
            .with_help(say!("run-fault.help-too-many-slides")),
        None => report
            .with_note(say!("run-fault.note-both-sides"))
            .with_help(say!("run-fault.help-use-two")),
    }
}
