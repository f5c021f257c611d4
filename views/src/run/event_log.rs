//! Event logs: what happened at the instants of an event-accurate run, as CSV, one line per thing
//! that happened.

use std::collections::HashMap;
use std::io;

use situ_engine::ids::RelationId;
use situ_engine::model::{Boolean, Model};
use situ_engine::trace::{Direction, Instant, Place, What};

use situ_rules::print::ModelText;
use situ_words::say;

use crate::columns::csv::io_error;
use crate::text::number::exact;

/// The columns of an event log.
///
/// `margin` is what the range compares, left minus right, where the crossing was located; `rate` how
/// fast it moves there; `sensitivity` how far the time of the event moves when the margin is moved by
/// 1. `rule` is the id of the row, of a relation without its list.
pub const COLUMNS: [&str; 11] = [
    "time",
    "instant",
    "microstep",
    "event",
    "name",
    "to",
    "rule",
    "margin",
    "rate",
    "sensitivity",
    "remark",
];

/// Writes an event log.
#[derive(Debug)]
pub struct EventLog<'m, W: io::Write> {
    words: ModelText<'m>,
    /// Lines of the rows that have acted, which act again and again.
    acted: HashMap<RelationId, Line>,
    writer: ::csv::Writer<W>,
}

/// One line, apart from its time: see [`COLUMNS`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// Kind of what happened.
    pub event: &'static str,
    /// Name of the boolean, the border or the reals that it happened to.
    pub name: String,
    /// Side or truth value that it came to; may be empty.
    pub to: &'static str,
    /// Id of the row; may be empty.
    pub rule: String,
    /// Margin, rate and sensitivity.
    pub numbers: [Option<f64>; 3],
    /// Remark for people; may be empty.
    pub remark: String,
}

impl<'m, W: io::Write> EventLog<'m, W> {
    /// A log of a model's run, with the names of its columns.
    ///
    /// # Errors
    ///
    /// Of the writer.
    pub fn new(model: &'m Model, writer: W) -> io::Result<Self> {
        let mut writer = ::csv::Writer::from_writer(writer);
        writer.write_record(COLUMNS).map_err(io_error)?;
        Ok(Self {
            words: ModelText::of(model),
            acted: HashMap::new(),
            writer,
        })
    }

    /// Adds what happened at an instant.
    ///
    /// # Errors
    ///
    /// Of the writer.
    pub fn instant(&mut self, instant: &Instant) -> io::Result<()> {
        let (time, number) = (exact(instant.time), instant.number.to_string());
        for event in &instant.events {
            let microstep = match event.microstep {
                0 => String::new(),
                microstep => microstep.to_string(),
            };
            let made;
            let lines = match &event.what {
                What::Acted(id) => {
                    let line = self.acted.entry(*id);
                    std::slice::from_ref(line.or_insert_with(|| acted(*id, &self.words)))
                }
                what => {
                    made = lines(what, &self.words);
                    &made
                }
            };
            for line in lines {
                let [margin, rate, sensitivity] = line
                    .numbers
                    .map(|number| number.map(exact).unwrap_or_default());
                let written = self.writer.write_record([
                    &*time,
                    &number,
                    &microstep,
                    line.event,
                    &line.name,
                    line.to,
                    &line.rule,
                    &margin,
                    &rate,
                    &sensitivity,
                    &line.remark,
                ]);
                written.map_err(io_error)?;
            }
        }
        Ok(())
    }

    /// Hands on what is still held back, and gives the writer back.
    ///
    /// # Errors
    ///
    /// Of the writer.
    pub fn finish(self) -> io::Result<W> {
        let writer = self.writer.into_inner();
        writer.map_err(::csv::IntoInnerError::into_error)
    }
}

/// The lines of one thing that happened; where a state slides along several borders there are several.
pub fn lines(what: &What, words: &ModelText<'_>) -> Vec<Line> {
    let model = words.model();
    let boolean = |event, what: Boolean, holds: bool| Line {
        event,
        name: model.boolean_name(what),
        to: if holds { "true" } else { "false" },
        ..Line::default()
    };
    let at = |event, place: Place| {
        let (name, rule) = named(place, model);
        Line {
            event,
            name,
            rule,
            ..Line::default()
        }
    };
    let line = match what {
        What::Reached {
            border,
            direction,
            margin,
            rate,
            sensitivity,
        } => Line {
            to: side(*direction),
            numbers: [Some(*margin), Some(*rate), Some(*sensitivity)],
            ..at("reached", *border)
        },
        What::Turned { border, direction } => Line {
            to: side(*direction),
            ..at("turned", *border)
        },
        What::Due(id) => Line {
            event: "due",
            name: model.boolean_name(Boolean::Schedule(*id)),
            ..Line::default()
        },
        What::Fired(id) => Line {
            to: "",
            ..boolean("fired", Boolean::Situation(*id), true)
        },
        What::Situation(id, holds) => boolean("situation", Boolean::Situation(*id), *holds),
        What::Range(id, holds) => boolean("range", Boolean::Range(*id), *holds),
        What::Switch(id, holds) => boolean("switch", Boolean::Switch(*id), *holds),
        What::Assigned(index) => Line {
            event: "assigned",
            rule: format!("assignments.{}", model.assignments[*index].id),
            remark: words.assignment(*index),
            ..Line::default()
        },
        What::Acted(id) => acted(*id, words),
        What::Marginal {
            border,
            between: [from, to],
            touch,
        } => Line {
            remark: {
                let (from, to) = (exact(*from), exact(*to));
                match *touch {
                    true => say!("log-marginal", from, to),
                    false => say!("log-marginal.unknown", from, to),
                }
            },
            ..at("marginal", *border)
        },
        What::NotUnique { border, kept } => Line {
            to: side(*kept),
            remark: say!("log-not-unique"),
            ..at("not unique", *border)
        },
        What::SlideEntered { borders, unique } => {
            return shares("slide begins", borders, *unique, model);
        }
        What::SlideLeft { border, share } => {
            return shares("slide ends", &[(*border, *share)], true, model);
        }
        What::Zeno { limit, situations } => Line {
            event: "zeno",
            name: situations
                .iter()
                .map(|id| model.situations[id.index()].name.as_str())
                .collect::<Vec<_>>()
                .join(" & "),
            remark: say!("log-zeno", limit = exact(*limit)),
            ..Line::default()
        },
        What::RestEntered { border, push } => Line {
            remark: say!("log-push", push = exact(*push)),
            ..at("rest begins", *border)
        },
        What::RestLeft { border } => at("rest ends", *border),
        What::Branch { rows } => Line {
            event: "branch",
            rule: rows
                .iter()
                .map(|id| model.relations[id.index()].id.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            remark: say!("log-branch"),
            ..Line::default()
        },
        What::SeveralSolutions { rows } => Line {
            event: "branch",
            rule: rows
                .iter()
                .map(|id| model.relations[id.index()].id.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            remark: say!("log-branch.several"),
            ..Line::default()
        },
        What::Echo { relation, real } => Line {
            event: "echo",
            name: model.reals[real.index()].name.clone(),
            rule: model.relations[relation.index()].id.clone(),
            remark: say!("log-echo"),
            ..Line::default()
        },
    };
    vec![line]
}

/// The line of a row that acts.
fn acted(id: RelationId, words: &ModelText<'_>) -> Line {
    let relation = &words.model().relations[id.index()];
    Line {
        event: "acted",
        name: words.targets(relation),
        rule: relation.id.clone(),
        remark: words.relation(id),
        ..Line::default()
    }
}

fn shares(event: &'static str, borders: &[(Place, f64)], unique: bool, model: &Model) -> Vec<Line> {
    let line = |&(place, share): &(Place, f64)| {
        let (name, rule) = named(place, model);
        let share = exact(share);
        let remark = match unique {
            true => say!("log-share", share),
            false => say!("log-share.several", share),
        };
        Line {
            event,
            name,
            rule,
            remark,
            ..Line::default()
        }
    };
    borders.iter().map(line).collect()
}

/// Name of a border, and the id of its row.
fn named(place: Place, model: &Model) -> (String, String) {
    match place {
        Place::Range(id) => {
            let range = &model.ranges[id.index()];
            let rule = match &*range.id {
                "" => String::new(),
                id => format!("ranges.{id}"),
            };
            (range.name.clone(), rule)
        }
        Place::Relation(id) => {
            let row = &model.relations[id.index()];
            let names = row
                .targets
                .iter()
                .map(|real| model.reals[real.index()].name.as_str());
            (names.collect::<Vec<_>>().join(", "), row.id.clone())
        }
    }
}

fn side(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::ids::{RangeId, RelationId, SituationId};
    use situ_engine::model::{CompareOp, ModelBuilder};
    use situ_engine::trace::Event;
    use situ_words::Language;

    use super::*;

    #[test]
    fn an_instant_is_a_line_per_event() {
        let mut table = ModelBuilder::new("ball");
        let [h, v] = ["h", "v"].map(|name| table.real(name, 1.0));
        let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
        let hit = table.event("hit", [floor.into()]);
        table
            .relation(v, "proportional", [v])
            .coef(-0.5)
            .when([hit.into()])
            .once();
        let model = table.build().unwrap();
        let border = Place::Range(RangeId(0));
        let instant = Instant {
            time: 0.5,
            number: 3,
            microsteps: 2,
            events: [
                (
                    0,
                    What::Reached {
                        border,
                        direction: Direction::Down,
                        margin: -1e-17,
                        rate: -4.0,
                        sensitivity: -0.25,
                    },
                ),
                (1, What::Range(RangeId(0), true)),
                (1, What::Fired(SituationId(0))),
                (1, What::Acted(RelationId(0))),
                (
                    2,
                    What::NotUnique {
                        border,
                        kept: Direction::Up,
                    },
                ),
                (
                    2,
                    What::SlideEntered {
                        borders: vec![(border, 0.25)],
                        unique: false,
                    },
                ),
            ]
            .map(|(microstep, what)| Event { microstep, what })
            .into(),
        };
        let log = || {
            let mut text = Vec::new();
            let mut log = EventLog::new(&model, &mut text).unwrap();
            log.instant(&instant).unwrap();
            log.finish().unwrap();
            String::from_utf8(text).unwrap()
        };
        insta::assert_snapshot!(log());
        let russian = Language::Russian.within(log);
        let last: Vec<&str> = russian.lines().rev().take(2).collect();
        insta::assert_debug_snapshot!(last, @r#"
        [
            "0.5,3,2,slide begins,floor,,ranges.1,,,,\"доля верхней стороны 0.25, одна из нескольких возможных\"",
            "0.5,3,2,not unique,floor,up,ranges.1,,,,обе стороны уводят от границы; остаётся нынешняя",
        ]
        "#);
    }
}
