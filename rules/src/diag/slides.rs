//! Slides that there are not become reports: along borders that drive events, along ends of steps, along too many at once.

use situ_engine::ids::{RangeId, RelationId};
use situ_engine::model::Model;
use situ_engine::sim::NoSlide;
use situ_words::{phrase, say};

use super::numbers;
use super::{Diagnostic, Severity, marked};
use crate::source::Origins;

/// Says that a state cannot slide along the border of some ranges, or of a kink or a step in a relation.
pub(super) fn none(
    model: &Model,
    origins: &Origins,
    time: f64,
    (ranges, relation): (&[RangeId], Option<RelationId>),
    why: NoSlide,
) -> Diagnostic {
    let message = say!(
        "run-fault.border-crossed",
        time = numbers::time(model, time)
    );
    let ranges = ranges.iter().map(|range| {
        let origin = model.ranges[range.index()].origin;
        (origin, phrase!("run-fault.border"))
    });
    let rows = relation.into_iter().map(|row| {
        let origin = model.relations[row.index()].origin;
        (origin, phrase!("run-fault.border-in-row"))
    });
    let report = Diagnostic::new("R009", Severity::Error, message);
    let report = marked(report, origins, ranges.chain(rows));
    match why {
        NoSlide::Drives => report
            .with_note(say!("run-fault.note-both-sides"))
            .with_help(say!("run-fault.help-use-two")),
        NoSlide::StepEnd => report
            .with_note(say!("run-fault.note-step-end"))
            .with_help(say!("run-fault.help-step-end")),
        NoSlide::NoShares => report
            .with_note(say!("run-fault.note-no-shares"))
            .with_help(say!("run-fault.help-too-many-slides")),
        NoSlide::TooMany(slides) => report
            .with_note(say!("run-fault.note-too-many-slides", slides))
            .with_help(say!("run-fault.help-too-many-slides")),
        NoSlide::Coupled => report
            .with_note(say!("run-fault.note-coupled"))
            .with_help(say!("run-fault.help-too-many-slides")),
    }
}
