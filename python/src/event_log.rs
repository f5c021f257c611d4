//! What happened at the instants of an event-accurate run, as columns.

use situ_engine::trace::Instant;
use situ_rules::print::ModelText;
use situ_views::run::event_log;

use crate::frame::{About, Column, FrameData, Values};
use crate::setup::Ready;

/// A row for each thing that happened.
pub(crate) fn events(ready: &Ready, instants: &[Instant]) -> FrameData {
    let words = ModelText::of(&ready.model);
    let (mut time, mut number, mut microstep) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for instant in instants {
        for event in &instant.events {
            for line in event_log::lines(&event.what, &words) {
                time.push(instant.time);
                number.push(instant.number.cast_signed());
                microstep.push(i64::from(event.microstep));
                lines.push(line);
            }
        }
    }
    let numbers = |index: usize| -> Values {
        let numbers = lines
            .iter()
            .map(|line| line.numbers[index].unwrap_or(f64::NAN));
        Values::Gaps(numbers.collect())
    };
    let columns = [
        ("time", Values::Reals(time)),
        ("instant", Values::Integers(number)),
        ("microstep", Values::Integers(microstep)),
        ("what", Values::texts(lines.iter().map(|line| line.event))),
        ("name", Values::texts(lines.iter().map(|line| &line.name))),
        ("direction", Values::texts(lines.iter().map(|line| line.to))),
        ("rule", Values::texts(lines.iter().map(|line| &line.rule))),
        ("margin", numbers(0)),
        ("rate", numbers(1)),
        ("sensitivity", numbers(2)),
        (
            "remark",
            Values::texts(lines.iter().map(|line| &line.remark)),
        ),
    ];
    let columns = columns.into_iter().map(|(name, values)| Column {
        about: About {
            name: name.to_owned(),
            kind: "log".to_owned(),
            ..About::default()
        },
        values,
    });
    FrameData::new(&ready.model.name, columns.collect())
}
