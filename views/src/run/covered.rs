//! Coverage of a run: which rows fired, which combinations of booleans were visited, for how long.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;
use situ_engine::ids::RelationId;
use situ_engine::model::Model;
use situ_engine::sim::{self, Run};
use situ_rules::print::ModelText;
use situ_words::say;

use super::steps::Steps;
use super::summary::{
    NamedBoolean, RowSummary, SHOWN, assignment_row, booleans, push_listing, relation_row, share,
};
use crate::text::listing::{Align, Listing};
use crate::text::number::{in_unit, time as time_text};

/// Coverage: rules that fired, combinations of situations that were visited, and for how long.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Covered {
    /// Name of the model.
    pub model: String,
    /// Time at the end [units of `time`].
    pub time: f64,
    /// Unit of `time`; empty if the clock states none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub time_unit: &'static str,
    /// Work that was done.
    #[serde(flatten)]
    pub work: Steps,
    /// Rows of the lists of assignments and relations.
    pub rows: Vec<RowCovered>,
    /// Combinations of booleans, those that lasted longest first.
    pub combinations: Vec<Combination>,
    /// Time in combinations that were too many to keep apart [units of `time`].
    pub elsewhere: f64,
}

/// A row and for how long it was active.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowCovered {
    /// The row.
    #[serde(flatten)]
    pub row: RowSummary,
    /// True if it ever did something.
    pub fired: bool,
    /// Time for which it was active [units of `time`]; unknown for assignments, `None` for rows that
    /// act at events only.
    pub time: Option<f64>,
}

/// A combination of booleans.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Combination {
    /// Names of those that hold.
    pub holds: Vec<String>,
    /// Time for which it lasted [units of `time`].
    pub time: f64,
    /// Time at which it was first seen [units of `time`].
    pub first: f64,
}

impl Covered {
    /// Of a run that has ended.
    pub fn of(run: &Run) -> Self {
        let (model, covered) = (run.model(), run.covered());
        let words = ModelText::of(model);
        let assignments = covered.assignments.iter().enumerate();
        let assignments = assignments.map(|(index, &fired)| RowCovered {
            row: assignment_row(&words, index),
            fired,
            time: None,
        });
        let relations = covered.relations.iter().enumerate();
        let written = |(index, _): &(usize, _)| !model.scheme.is_auxiliary(RelationId::new(*index));
        let relations = relations.filter(written).map(|(index, acted)| RowCovered {
            row: relation_row(&words, RelationId::new(index)),
            fired: acted.ever,
            time: Some(acted.time).filter(|&time| time > 0.0),
        });
        Self {
            model: model.name.clone(),
            time: run.time(),
            time_unit: model.clock.time_unit(),
            work: Steps::of(run),
            rows: assignments.chain(relations).collect(),
            combinations: combinations(model, &covered),
            elsewhere: covered.elsewhere,
        }
    }

    /// For people; wrapped at a width, if one is given.
    pub fn text(&self, width: Option<u16>) -> String {
        let n_fired = self.rows.iter().filter(|row| row.fired).count();
        let fired = say!("coverage-rules-fired", fired = n_fired, n = self.rows.len());
        let work = self.work.text(self.time_unit);
        let mut text = format!(
            "{}: {}\n",
            self.model,
            say!("coverage-fired-in", fired, work)
        );
        let mut rows = Listing::new([
            (String::new(), Align::Left),
            ("id".to_owned(), Align::Left),
            (say!("coverage-column-rule"), Align::Left),
            (say!("coverage-column-active"), Align::Right),
        ]);
        for RowCovered { row, fired, time } in &self.rows {
            let mark = match fired {
                true => String::new(),
                false => say!("coverage-never"),
            };
            let active = time
                .filter(|_| *fired)
                .map(|time| share(time, self.time))
                .unwrap_or_default();
            rows.row([mark, row.id.clone(), row.line.clone(), active]);
        }
        push_listing(&mut text, &rows, self.rows.len(), width);
        let mut combinations = Listing::new([
            (say!("coverage-column-combination"), Align::Left),
            (say!("coverage-column-lasted"), Align::Right),
            (say!("coverage-column-share"), Align::Right),
            (say!("coverage-column-first-at"), Align::Right),
        ]);
        for Combination { holds, time, first } in self.combinations.iter().take(2 * SHOWN) {
            let holds = joined(holds);
            combinations.row([
                holds,
                in_unit(time_text(*time), self.time_unit),
                share(*time, self.time),
                in_unit(time_text(*first), self.time_unit),
            ]);
        }
        push_listing(&mut text, &combinations, self.combinations.len(), width);
        if self.elsewhere > 0.0 {
            let elsewhere = share(self.elsewhere, self.time);
            let _ = writeln!(text, "{}", say!("coverage-elsewhere", share = elsewhere));
        }
        text
    }
}

/// The visits of a run, those that differ only in what has no name taken together.
fn combinations(model: &Model, covered: &sim::Covered) -> Vec<Combination> {
    let named: Vec<NamedBoolean<'_>> = booleans(model).collect();
    let mut places: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut combinations: Vec<Combination> = Vec::new();
    for visit in &covered.visits {
        let values: Vec<bool> = named.iter().map(|boolean| visit.bit(boolean.bit)).collect();
        let holding = named.iter().zip(&values).filter(|(_, holds)| **holds);
        let holds: Vec<String> = holding.map(|(named, _)| named.name.to_owned()).collect();
        let place = *places.entry(values).or_insert(combinations.len());
        if place == combinations.len() {
            combinations.push(Combination {
                holds,
                time: 0.0,
                first: visit.first,
            });
        }
        combinations[place].time += visit.time;
    }
    combinations.retain(|combination| combination.time > 0.0);
    combinations.sort_by(|a, b| b.time.total_cmp(&a.time));
    combinations
}

/// `a & b`, of many names the first few.
fn joined(names: &[String]) -> String {
    const FEW: usize = 8;
    match (names, names.len().saturating_sub(FEW)) {
        ([], _) => format!("({})", say!("coverage-nothing")),
        (_, 0) => names.join(" & "),
        (_, rest) => format!(
            "{} & {}",
            names[..FEW].join(" & "),
            say!("coverage-more", n = rest)
        ),
    }
}
