//! Changes: what happened in a run, a line each, as reports show it.
//!
//! Of an event-accurate run it is what its event log says; of a tick run the rows in which a boolean is another
//! than in the row before.

use situ_engine::model::{Boolean, Model};
use situ_engine::trace::{Instant, Row};
use situ_rules::print::ModelText;
use situ_words::say;

use crate::columns::Columns;
use crate::run::event_log::lines;
use crate::text::number;

/// So many lines are kept; the rest is counted.
const MOST_LINES: usize = 2000;

/// What happened in a run.
#[derive(Clone, Debug)]
pub struct ChangeLog<'m> {
    words: ModelText<'m>,
    /// Time, what, name, to, row, remark.
    lines: Vec<[String; 6]>,
    n_lines: u64,
    /// Booleans of a tick run, and what they were in the row before.
    columns: Columns,
    before: Option<Vec<bool>>,
}

impl<'m> ChangeLog<'m> {
    /// Of a run of a model that is about to begin.
    pub fn new(model: &'m Model) -> Self {
        let columns = Columns {
            reals: Vec::new(),
            ..Columns::standard(model)
        };
        Self {
            words: ModelText::of(model),
            lines: Vec::new(),
            n_lines: 0,
            columns,
            before: None,
        }
    }

    /// Takes down what happened at an instant of an event-accurate run.
    pub fn instant(&mut self, instant: &Instant) {
        let time = number::time(instant.time);
        for event in &instant.events {
            for line in lines(&event.what, &self.words) {
                let what = said(line.event);
                let to = say!("log-to", to = line.to);
                self.push([time.clone(), what, line.name, to, line.rule, line.remark]);
            }
        }
    }

    /// Takes down what is another in a row of a tick run than in the one before.
    pub fn row(&mut self, row: &Row<'_>) {
        let model = self.words.model();
        let now: Vec<bool> = self.columns.truths(model, row).collect();
        let before = self.before.replace(now.clone());
        let Some(before) = before else { return };
        for (index, (holds, held)) in now.iter().zip(&before).enumerate() {
            let what = self.columns.booleans[index];
            let is_event = model.is_event(what);
            if holds == held && !(is_event && *holds) {
                continue;
            }
            let (kind, to) = match (what, is_event, *holds) {
                (_, true, false) => continue,
                (_, true, true) => ("fired", ""),
                (Boolean::Switch(_), _, holds) => ("switch", word(holds)),
                (Boolean::Range(_), _, holds) => ("range", word(holds)),
                (_, _, holds) => ("situation", word(holds)),
            };
            let (kind, to) = (said(kind), to.to_owned());
            let (time, name) = (number::time(row.time), model.boolean_name(what));
            self.push([time, kind, name, to, String::new(), String::new()]);
        }
    }

    fn push(&mut self, line: [String; 6]) {
        self.n_lines += 1;
        if self.lines.len() < MOST_LINES {
            self.lines.push(line);
        }
    }

    /// True if nothing happened.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Number of lines that were too many to keep.
    pub fn left_out(&self) -> u64 {
        self.n_lines - self.lines.len() as u64
    }

    /// The lines as JSON, a list of six texts each.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(&self.lines).expect("texts are JSON")
    }
}

/// The name of an event in the language of the reader.
fn said(event: &str) -> String {
    say!("log-event", event, key = event.replace(' ', "-"))
}

fn word(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}
