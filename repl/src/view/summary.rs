//! Summaries: what a run did, as text and as JSON.
//!
//! [`Summary`] is what `situ run` tells; [`Covered`] what `situ coverage` tells. Both are made from
//! a simulation after its run and know nothing of the terminal.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;
use situ_engine::ids::RelationId;
use situ_engine::model::Model;
use situ_engine::sim::{Simulation, Visit};

use super::listing::{Align, Listing};
use super::number::{counted, rounded};
use super::words::Words;

/// So many rows of a list are shown; the rest is counted. JSON has all.
const SHOWN: usize = 24;

/// What a run did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Name of the model.
    pub model: String,
    /// What it models, one line.
    pub about: String,
    /// Why the run ended: `stop`, `condition`, `interrupted`, `fault`, `output`.
    pub ended: &'static str,
    /// Time at the end [units of `time`].
    pub time: f64,
    /// Ticks done.
    pub ticks: u64,
    /// Length of a tick [units of `time`].
    pub step: f64,
    /// Reals at the start and at the end.
    pub reals: Vec<RealSummary>,
    /// Situations and switches and for how long they held, events and how often they fired.
    pub situations: Vec<SituationSummary>,
    /// Rows that never did anything.
    pub never_fired: Vec<RowSummary>,
    /// What was measured.
    pub measures: Vec<MeasureSummary>,
}

/// A real at both ends of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RealSummary {
    /// Its name.
    pub name: String,
    /// Value at the start [its unit].
    pub start: f64,
    /// Value at the end [its unit].
    pub end: f64,
    /// Unit.
    pub unit: String,
    /// What it is.
    pub about: String,
}

/// How long a boolean held.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SituationSummary {
    /// Its name.
    pub name: String,
    /// `switch`, `situation` or `event`.
    pub kind: &'static str,
    /// Ticks in which it held; for an event, how often it fired.
    pub ticks: u64,
    /// Time for which it held [units of `time`]; 0 for an event.
    pub time: f64,
}

/// A row of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowSummary {
    /// `assignment` or `relation`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// What it says.
    pub line: String,
}

/// A measure and its result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MeasureSummary {
    /// As it was asked for.
    pub measure: String,
    /// Its value, if there is one.
    pub value: Option<f64>,
}

impl Summary {
    /// Of a run that has ended, for a reason given in one word; `measures` are the texts of what it
    /// measured.
    pub fn of(run: &Simulation, ended: &'static str, measures: &[String]) -> Self {
        let model = run.model();
        let starts = model
            .start_values()
            .map(|values| values.reals)
            .unwrap_or_default();
        let reals = model
            .reals
            .iter()
            .zip(starts)
            .zip(run.row().reals)
            .filter(|((real, _), _)| real.output);
        let step = run.config().step;
        Self {
            model: model.name.clone(),
            about: model.about.clone(),
            ended,
            time: run.time(),
            ticks: run.tick(),
            step,
            reals: reals
                .map(|((real, start), end)| RealSummary {
                    name: real.name.clone(),
                    start,
                    end: *end,
                    unit: real.unit.clone(),
                    about: real.about.clone(),
                })
                .collect(),
            situations: booleans(model)
                .filter(|boolean| boolean.kind != "range")
                .map(|boolean| {
                    let ticks = ticks_in(run, &boolean);
                    let time = if boolean.kind == "event" {
                        0.0
                    } else {
                        ticks as f64 * step
                    };
                    SituationSummary {
                        name: boolean.name.to_owned(),
                        kind: boolean.kind,
                        ticks,
                        time,
                    }
                })
                .collect(),
            never_fired: never_fired(run),
            measures: measures
                .iter()
                .zip(run.measured())
                .map(|(measure, value)| MeasureSummary {
                    measure: measure.clone(),
                    value,
                })
                .collect(),
        }
    }

    /// For people; wrapped at a width, if one is given.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut text = self.model.clone();
        if !self.about.is_empty() {
            let _ = write!(text, ": {}", self.about);
        }
        let (time, ticks, step) = (
            rounded(self.time),
            counted(self.ticks, "tick"),
            rounded(self.step),
        );
        let why = match self.ended {
            "stop" => "",
            "condition" => ", where the stop condition came true",
            "interrupted" => ", where it was interrupted",
            _ => ", where it broke off",
        };
        let _ = write!(text, "\n0 to {time}{why}: {ticks} of {step}\n");
        self.push_measures(&mut text);
        self.push_reals(&mut text, width);
        self.push_situations(&mut text, width);
        self.push_never_fired(&mut text);
        text
    }

    fn push_measures(&self, text: &mut String) {
        if self.measures.is_empty() {
            return;
        }
        text.push('\n');
        for MeasureSummary { measure, value } in &self.measures {
            let value = value.map_or_else(|| "no value".to_owned(), super::number::exact);
            let _ = writeln!(text, "{measure} = {value}");
        }
    }

    fn push_reals(&self, text: &mut String, width: Option<u16>) {
        let mut listing = Listing::new([
            ("real", Align::Left),
            ("start", Align::Right),
            ("end", Align::Right),
            ("unit", Align::Left),
            ("", Align::Left),
        ]);
        for real in self.reals.iter().take(SHOWN) {
            let RealSummary {
                name,
                start,
                end,
                unit,
                about,
            } = real.clone();
            listing.row([name, rounded(start), rounded(end), unit, about]);
        }
        push_listing(text, &listing, self.reals.len(), width);
    }

    fn push_situations(&self, text: &mut String, width: Option<u16>) {
        let mut listing = Listing::new([
            ("situation", Align::Left),
            ("held for", Align::Right),
            ("share", Align::Right),
            ("fired", Align::Right),
        ]);
        for situation in self.situations.iter().take(SHOWN) {
            let SituationSummary {
                name,
                kind,
                ticks,
                time,
            } = situation.clone();
            listing.row(match (kind, ticks) {
                ("event", _) => [name, String::new(), String::new(), counted(ticks, "time")],
                (_, 0) => [name, "never".to_owned(), String::new(), String::new()],
                _ => [name, rounded(time), share(ticks, self.ticks), String::new()],
            });
        }
        push_listing(text, &listing, self.situations.len(), width);
    }

    fn push_never_fired(&self, text: &mut String) {
        if self.never_fired.is_empty() {
            return;
        }
        text.push_str("\nnever fired:\n");
        for row in self.never_fired.iter().take(SHOWN) {
            let _ = writeln!(text, "  [{}] {}", row.id, row.line);
        }
        push_rest(text, self.never_fired.len(), SHOWN);
    }
}

/// Which rules fired, which combinations of situations were visited, for how long.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Covered {
    /// Name of the model.
    pub model: String,
    /// Ticks done.
    pub ticks: u64,
    /// Length of a tick [units of `time`].
    pub step: f64,
    /// Rows of the lists of assignments and relations.
    pub rows: Vec<RowCovered>,
    /// Combinations of booleans, those that lasted longest first.
    pub combinations: Vec<Combination>,
    /// Ticks in combinations that were too many to keep apart.
    pub ticks_elsewhere: u64,
}

/// A row and for how long it was active.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowCovered {
    /// The row.
    #[serde(flatten)]
    pub row: RowSummary,
    /// Whether it ever did something.
    pub fired: bool,
    /// Ticks in which it was active; unknown for assignments.
    pub ticks: Option<u64>,
}

/// A combination of booleans.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Combination {
    /// Names of those that hold.
    pub holds: Vec<String>,
    /// Ticks for which it lasted.
    pub ticks: u64,
    /// Time for which it lasted [units of `time`].
    pub time: f64,
    /// Time at which it was first seen [units of `time`].
    pub first: f64,
}

impl Covered {
    /// Of a run that has ended.
    pub fn of(run: &Simulation) -> Self {
        let (model, coverage, program) = (run.model(), run.coverage(), run.program());
        let words = Words::of(model);
        let assignments = (0..model.assignments.len()).map(|index| RowCovered {
            row: assignment_row(&words, index),
            fired: coverage.assignment_fired(program, index),
            ticks: None,
        });
        let relations = (0..model.relations.len())
            .map(RelationId::new)
            .map(|id| RowCovered {
                row: relation_row(&words, id),
                fired: coverage.relation_fired(program, id),
                ticks: Some(coverage.relation_ticks(program, id)),
            });
        Self {
            model: model.name.clone(),
            ticks: run.tick(),
            step: run.config().step,
            rows: assignments.chain(relations).collect(),
            combinations: combinations(run),
            ticks_elsewhere: coverage.ticks_elsewhere,
        }
    }

    /// For people; wrapped at a width, if one is given.
    pub fn text(&self, width: Option<u16>) -> String {
        let n_fired = self.rows.iter().filter(|row| row.fired).count();
        let mut text = format!(
            "{}: {n_fired} of {} fired in {}\n",
            self.model,
            counted(self.rows.len() as u64, "rule"),
            counted(self.ticks, "tick")
        );
        let mut rows = Listing::new([
            ("", Align::Left),
            ("id", Align::Left),
            ("rule", Align::Left),
            ("active", Align::Right),
        ]);
        for RowCovered { row, fired, ticks } in &self.rows {
            let mark = if *fired { "" } else { "never" };
            let active = ticks
                .filter(|_| *fired)
                .map(|ticks| share(ticks, self.ticks))
                .unwrap_or_default();
            rows.row([mark.to_owned(), row.id.clone(), row.line.clone(), active]);
        }
        push_listing(&mut text, &rows, self.rows.len(), width);
        let mut combinations = Listing::new([
            ("combination", Align::Left),
            ("lasted", Align::Right),
            ("share", Align::Right),
            ("first at", Align::Right),
        ]);
        for Combination {
            holds,
            ticks,
            time,
            first,
        } in self.combinations.iter().take(2 * SHOWN)
        {
            let holds = joined(holds);
            combinations.row([
                holds,
                rounded(*time),
                share(*ticks, self.ticks),
                rounded(*first),
            ]);
        }
        push_listing(&mut text, &combinations, self.combinations.len(), width);
        if self.ticks_elsewhere > 0 {
            let elsewhere = share(self.ticks_elsewhere, self.ticks);
            let _ = writeln!(
                text,
                "{elsewhere} of the time in further combinations, too many to tell apart"
            );
        }
        text
    }
}

/// A boolean with a name.
struct NamedBoolean<'m> {
    name: &'m str,
    kind: &'static str,
    /// Its place among the visible bits.
    bit: usize,
}

/// Switches, named ranges and situations, in table order.
fn booleans(model: &Model) -> impl Iterator<Item = NamedBoolean<'_>> {
    let (n_switches, n_ranges) = (model.switches.len(), model.ranges.len());
    let switches = model.switches.iter().enumerate();
    let ranges = model
        .ranges
        .iter()
        .enumerate()
        .filter(|(_, range)| !range.anonymous);
    let situations = model.situations.iter().enumerate();
    switches
        .map(|(index, switch)| NamedBoolean {
            name: &switch.name,
            kind: "switch",
            bit: index,
        })
        .chain(ranges.map(move |(index, range)| NamedBoolean {
            name: &range.name,
            kind: "range",
            bit: n_switches + index,
        }))
        .chain(situations.map(move |(index, situation)| NamedBoolean {
            name: &situation.name,
            kind: if situation.event {
                "event"
            } else {
                "situation"
            },
            bit: n_switches + n_ranges + index,
        }))
}

fn ticks_in(run: &Simulation, boolean: &NamedBoolean<'_>) -> u64 {
    let holds = |visit: &&Visit| visit.bit(boolean.bit);
    run.coverage()
        .visits()
        .iter()
        .filter(holds)
        .map(|visit| visit.ticks)
        .sum()
}

fn never_fired(run: &Simulation) -> Vec<RowSummary> {
    let (model, coverage, program) = (run.model(), run.coverage(), run.program());
    let words = Words::of(model);
    let assignments = (0..model.assignments.len())
        .filter(|index| !coverage.assignment_fired(program, *index))
        .map(|index| assignment_row(&words, index));
    let relations = (0..model.relations.len())
        .map(RelationId::new)
        .filter(|id| !coverage.relation_fired(program, *id))
        .map(|id| relation_row(&words, id));
    assignments.chain(relations).collect()
}

fn assignment_row(words: &Words<'_>, index: usize) -> RowSummary {
    let id = words.model().assignments[index].id.clone();
    RowSummary {
        kind: "assignment",
        id,
        line: words.assignment(index),
    }
}

fn relation_row(words: &Words<'_>, id: RelationId) -> RowSummary {
    let line = words.relation(id);
    RowSummary {
        kind: "relation",
        id: words.model().relations[id.index()].id.clone(),
        line,
    }
}

/// The visits of a run, those that differ only in what has no name taken together.
fn combinations(run: &Simulation) -> Vec<Combination> {
    let named: Vec<NamedBoolean<'_>> = booleans(run.model()).collect();
    let step = run.config().step;
    let mut places: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut combinations: Vec<Combination> = Vec::new();
    for visit in run.coverage().visits() {
        let values: Vec<bool> = named.iter().map(|boolean| visit.bit(boolean.bit)).collect();
        let holds = || {
            named
                .iter()
                .zip(&values)
                .filter(|(_, holds)| **holds)
                .map(|(named, _)| named.name.to_owned())
        };
        let first = visit.first_tick as f64 * step;
        let place = *places.entry(values.clone()).or_insert(combinations.len());
        if place == combinations.len() {
            combinations.push(Combination {
                holds: holds().collect(),
                ticks: 0,
                time: 0.0,
                first,
            });
        }
        combinations[place].ticks += visit.ticks;
    }
    combinations
        .iter_mut()
        .for_each(|combination| combination.time = combination.ticks as f64 * step);
    combinations.retain(|combination| combination.ticks > 0);
    combinations.sort_by_key(|combination| std::cmp::Reverse(combination.ticks));
    combinations
}

/// `a & b`, of many names the first few.
fn joined(names: &[String]) -> String {
    const FEW: usize = 8;
    match (names, names.len().saturating_sub(FEW)) {
        ([], _) => "(nothing)".to_owned(),
        (_, 0) => names.join(" & "),
        (_, rest) => format!("{} & {rest} more", names[..FEW].join(" & ")),
    }
}

fn push_listing(text: &mut String, listing: &Listing, n_all: usize, width: Option<u16>) {
    if listing.is_empty() {
        return;
    }
    text.push('\n');
    text.push_str(&listing.plain(width));
    push_rest(text, n_all, listing.len());
}

fn push_rest(text: &mut String, n_all: usize, n_shown: usize) {
    if n_all > n_shown {
        let _ = writeln!(text, "... and {} more", n_all - n_shown);
    }
}

/// A part of all ticks in percent.
fn share(ticks: u64, all: u64) -> String {
    let percent = 100.0 * ticks as f64 / all.max(1) as f64;
    if ticks > 0 && percent < 0.1 {
        "< 0.1 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{Argument, Clock, CompareOp, ModelBuilder, Term};
    use situ_engine::sim::RunConfig;
    use situ_engine::trace::Measure;

    use super::*;

    /// A pendulum of a switch: it turns itself on and off.
    fn thermostat() -> Simulation {
        let mut table = ModelBuilder::new("thermostat");
        let power = table.constant("power", 2.0);
        let temperature = table.real("T", 15.0);
        let loss = table.real("loss", 0.0);
        let heating = table.switch("heating", true);
        let cold = table.range("cold", [(temperature.into(), CompareOp::Less, 18.0.into())]);
        let warm = table.range(
            "warm",
            [(temperature.into(), CompareOp::GreaterEqual, 21.0.into())],
        );
        let frost = table.situation("frost", [cold.into(), warm.into()]);
        let on = table.event("on", [cold.into()]);
        table.assign([warm.into()], [(heating, false)]);
        table.assign([on.into()], [(heating, true)]);
        table
            .relation(
                loss,
                "sum",
                [Term::from(temperature) * 0.1, Term::Number(1.0)],
            )
            .coef2(-1.0);
        table
            .relation(temperature, "integral", [power])
            .when([heating.into()]);
        table.relation(temperature, "integral", [loss]).coef(-1.0);
        table
            .relation(temperature, "assignment", [5.0])
            .when([frost.into()]);
        let model = table.build().unwrap();
        let clock = Clock {
            step: Some(0.01),
            stop: Some(100.0),
            ..Clock::default()
        };
        let Argument::Real(loss) = model.relations[0].args[0] else {
            panic!("an expression")
        };
        let measures = [Measure::Max(loss)];
        let mut run =
            Simulation::with_measures(model, RunConfig::from_clock(&clock).unwrap(), &measures)
                .unwrap();
        run.run(&mut ()).unwrap();
        run
    }

    #[test]
    fn a_run_is_summed_up() {
        let summary = Summary::of(&thermostat(), "stop", &["max(T * 0.1)".to_owned()]);
        insta::assert_snapshot!(summary.text(None));
        let held: u64 = summary
            .situations
            .iter()
            .filter(|row| row.name == "heating")
            .map(|row| row.ticks)
            .sum();
        assert!((1000..9000).contains(&held));
        insta::assert_snapshot!(serde_json::to_string_pretty(&summary).unwrap());
    }

    #[test]
    fn combinations_cover_the_whole_run() {
        let covered = Covered::of(&thermostat());
        assert_eq!(
            covered
                .combinations
                .iter()
                .map(|combination| combination.ticks)
                .sum::<u64>(),
            covered.ticks
        );
        insta::assert_snapshot!(covered.text(None));
    }
}
