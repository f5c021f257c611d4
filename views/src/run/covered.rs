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
    NamedBoolean, RowSummary, SHOWN, are_elements_of_one, assignment_row, booleans, push_listing,
    relation_row, share,
};
use crate::text::listing::{Align, Listing, shortened};
use crate::text::number::{in_unit, time as time_text};

/// Characters of a rule that are shown: a mean over a family has as many terms as that has elements.
const LONGEST_RULE: usize = 240;

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

    /// The line of a row, or of many rows that are elements of one: how many of them never fired, the first one, and from
    /// how long to how long they were active.
    fn line(&self, rows: &[RowCovered]) -> [String; 4] {
        let (first, last) = (&rows[0].row, &rows[rows.len() - 1].row);
        let n_never = rows.iter().filter(|row| !row.fired).count();
        let mark = match n_never {
            0 => String::new(),
            n if n == rows.len() => say!("coverage-never"),
            n => say!("coverage-some-never", n),
        };
        let id = match rows {
            [_] => first.id.clone(),
            _ => format!("{} .. {}", first.id, last.id),
        };
        let times = rows.iter().filter(|row| row.fired);
        let times = times.filter_map(|row| row.time);
        let least = times.clone().reduce(f64::min);
        let active = least.zip(times.reduce(f64::max)).map(|ends| {
            match [ends.0, ends.1].map(|time| share(time, self.time)) {
                [from, to] if from == to => from,
                [from, to] => say!("coverage-active-from-to", from, to),
            }
        });
        [
            mark,
            id,
            shortened(&first.line, LONGEST_RULE),
            active.unwrap_or_default(),
        ]
    }

    /// For people; wrapped at a width, if one is given. Many elements of one row share a line.
    pub fn text(&self, width: Option<u16>) -> String {
        let n_fired = self.rows.iter().filter(|row| row.fired).count();
        let fired = say!("coverage-rules-fired", fired = n_fired, n = self.rows.len());
        let work = self.work.text(self.time_unit);
        let mut text = match &*self.model {
            "" => String::new(),
            name => format!("{name}: "),
        };
        let _ = writeln!(text, "{}", say!("coverage-fired-in", fired, work));
        let mut rows = Listing::new([
            (String::new(), Align::Left),
            ("id".to_owned(), Align::Left),
            (say!("coverage-column-rule"), Align::Left),
            (say!("coverage-column-active"), Align::Right),
        ]);
        let of_one_row = |a: &RowCovered, b: &RowCovered| {
            a.row.kind == b.row.kind && are_elements_of_one(&a.row.id, &b.row.id)
        };
        for elements in self.rows.chunk_by(of_one_row) {
            let in_a_line = match elements.len() > SHOWN {
                true => elements.len(),
                false => 1,
            };
            for of_line in elements.chunks(in_a_line) {
                rows.row(self.line(of_line));
            }
        }
        push_listing(&mut text, &rows, rows.len(), width);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, line: &str, fired: bool, time: Option<f64>) -> RowCovered {
        let (id, line) = (id.to_owned(), line.to_owned());
        let kind = "relation";
        RowCovered {
            row: RowSummary { kind, id, line },
            fired,
            time,
        }
    }

    /// Elements of one row share a line as soon as they are many: who fired of them, and for how long.
    #[test]
    fn many_elements_share_a_line() {
        let heats = |n: usize| {
            (1..=n).map(move |j| {
                let line = format!("T[{j}] = integral(q) when on[{j}]");
                let time = (j > 3).then_some(if j == 5 { 2.0 } else { 1.0 });
                row(&format!("2[{j}]"), &line, j > 3, time)
            })
        };
        let long = format!("all = {}", "u + ".repeat(100));
        for (n, expected) in [
            (
                SHOWN + 1,
                "3 never   2[1] .. 2[25]   T[1] = integral(q) when on[1]",
            ),
            (SHOWN, "never   2[1]    T[1] = integral(q) when on[1]"),
        ] {
            let first = row("1", "T[0] = 0", true, Some(4.0));
            let last = row("3", &long, true, Some(4.0));
            let covered = Covered {
                model: "rod".to_owned(),
                time: 4.0,
                time_unit: "",
                work: Steps::Ticks {
                    ticks: 4,
                    step: Some(1.0),
                    locate: None,
                    engine: "interpreter",
                },
                rows: std::iter::once(first)
                    .chain(heats(n))
                    .chain([last])
                    .collect(),
                combinations: Vec::new(),
                elsewhere: 0.0,
            };
            let text = covered.text(None);
            assert!(text.starts_with("rod: "), "{text}");
            let lines: Vec<&str> = text.lines().collect();
            let line = lines.iter().find(|line| line.contains("2[1]")).unwrap();
            assert!(line.starts_with(expected), "{line}");
            let n_lines = lines.iter().filter(|line| line.contains("2[")).count();
            assert_eq!(n_lines, if n > SHOWN { 1 } else { n });
            assert_eq!(line.ends_with("25.0 % to 50.0 %"), n > SHOWN, "{line}");
            let all = lines.iter().find(|line| line.contains("all =")).unwrap();
            assert!(all.contains("u ..."), "{all}");
        }
    }
}
