//! Summaries: what a run did, as text and as JSON.
//!
//! [`Summary`] is what `situ run` tells, [`Covered`](super::covered::Covered) what `situ coverage` tells. Both
//! are made from a run after its end and know nothing of the terminal.

use std::fmt::Write;

use serde::{Serialize, Serializer};
use situ_engine::ids::RelationId;
use situ_engine::model::{Model, Quantity, element};
use situ_engine::sim::{self, Run};

use crate::run::steps::Steps;
use crate::text::listing::{Align, Listing};
use crate::text::number::{counted, exact, in_unit, rounded, time as time_text};
use situ_rules::print::ModelText;
use situ_rules::resolve::measures_time;
use situ_words::say;

use super::outcome::OutcomeSummary;

/// So many rows of a list are shown; the rest is counted. JSON has all.
pub(super) const SHOWN: usize = 24;

/// Summary of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary<'m> {
    /// Name of the model.
    pub model: String,
    /// Description of the model, one line.
    pub about: String,
    /// Why the run ended: `stop`, `condition`, `interrupted`, `fault`, `output`.
    pub ended: &'static str,
    /// Time at the start [units of `time`]; not 0 if the run goes on from another one.
    pub from: f64,
    /// Time at the end [units of `time`].
    pub time: f64,
    /// Unit of `time`; empty if the clock states none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub time_unit: &'static str,
    /// Work that was done.
    #[serde(flatten)]
    pub work: Steps,
    /// Reals at the start and at the end.
    pub reals: Vec<RealSummary<'m>>,
    /// Situations and switches and for how long they held, events and how often they fired.
    pub situations: Vec<SituationSummary>,
    /// Rows that never did anything.
    pub never_fired: Vec<RowSummary>,
    /// Results of the measures.
    pub measures: Vec<MeasureSummary>,
    /// What the table expects of its runs, and what came of it.
    #[serde(rename = "expect", skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeSummary>,
    /// Notes on an event-accurate run where a tick run would stumble, a line each.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A real at both ends of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RealSummary<'m> {
    /// What the model says of it.
    pub real: &'m Quantity,
    /// Value in the first row [its unit].
    pub start: f64,
    /// Value at the end [its unit].
    pub end: f64,
}

impl Serialize for RealSummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'m> {
            name: &'m str,
            start: f64,
            end: f64,
            unit: &'m str,
            about: &'m str,
        }
        let Self { real, start, end } = *self;
        let Quantity {
            name, unit, about, ..
        } = real;
        let written = Written {
            name,
            start,
            end,
            unit,
            about,
        };
        written.serialize(serializer)
    }
}

/// Time for which a boolean held.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SituationSummary {
    /// Its name.
    pub name: String,
    /// `switch`, `situation` or `event`.
    pub kind: &'static str,
    /// Time for which it held [units of `time`]; 0 for an event.
    pub time: f64,
    /// True if it ever held, if only in a microstep.
    #[serde(skip)]
    pub ever: bool,
    /// Number of times that it fired, if it is an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired: Option<u64>,
}

/// A row of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowSummary {
    /// `assignment` or `relation`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Its content.
    pub line: String,
}

/// A measure and its result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MeasureSummary {
    /// As it was asked for.
    pub measure: String,
    /// Its value, if there is one; JSON has what is not finite as a text.
    #[serde(serialize_with = "crate::text::number::for_json")]
    pub value: Option<f64>,
}

/// State of a run before it goes on: its first row.
///
/// In event stepping a real that a row computes has its value there; a tick computes it first, so that at
/// the start of ticks it has what the table says.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// Time [units of `time`].
    time: f64,
    /// Per real of the model.
    reals: Vec<f64>,
}

impl Start {
    /// Of a run that is about to begin, or to go on.
    pub fn of(run: &Run) -> Self {
        Self {
            time: run.time(),
            reals: run.row().reals.to_vec(),
        }
    }
}

impl<'m> Summary<'m> {
    /// Of a run that has ended, for a reason given in one word; `measures` are the texts of what it
    /// measured.
    pub fn of(run: &'m Run, start: &Start, ended: &'static str, measures: &[String]) -> Self {
        let (model, covered) = (run.model(), run.covered());
        let n_shown = model.reals.iter().filter(|real| real.output).count();
        let mut reals = Vec::with_capacity(n_shown);
        let all = model
            .reals
            .iter()
            .zip(&start.reals)
            .zip(run.row().reals)
            .filter(|((real, _), _)| real.output);
        reals.extend(all.map(|((real, &start), &end)| RealSummary { real, start, end }));
        Self {
            model: model.name.clone(),
            about: model.about.clone(),
            ended,
            from: start.time,
            time: run.time(),
            time_unit: model.clock.time_unit(),
            work: Steps::of(run),
            reals,
            situations: booleans(model)
                .filter(|boolean| boolean.kind != "range")
                .map(|boolean| SituationSummary {
                    name: boolean.name.to_owned(),
                    kind: boolean.kind,
                    time: match boolean.event {
                        Some(_) => 0.0,
                        None => time_in(&covered, boolean.bit),
                    },
                    ever: covered.ever(boolean.bit),
                    fired: boolean.event.map(|situation| covered.fired[situation]),
                })
                .collect(),
            never_fired: never_fired(model, &covered),
            measures: measures
                .iter()
                .zip(run.measured())
                .map(|(measure, value)| MeasureSummary {
                    measure: measure.clone(),
                    value,
                })
                .collect(),
            outcomes: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same with notes on how the run went, a line each.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// From when to when it went, why it ended and the work that was done, in one line.
    pub fn headline(&self) -> String {
        let (from, time) = (time_text(self.from), self.time_text(self.time));
        let work = self.work.text(self.time_unit);
        match self.ended {
            "stop" => say!("summary-headline", from, time, work),
            "condition" => say!("summary-headline.condition", from, time, work),
            "interrupted" => say!("summary-headline.interrupted", from, time, work),
            _ => say!("summary-headline.broken", from, time, work),
        }
    }

    /// A time with its unit.
    pub(crate) fn time_text(&self, time: f64) -> String {
        in_unit(time_text(time), self.time_unit)
    }

    /// For people; wrapped at a width, if one is given.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut text = self.model.clone();
        if !self.about.is_empty() {
            let _ = write!(text, ": {}", self.about);
        }
        let _ = write!(text, "\n{}\n", self.headline());
        self.push_measures(&mut text);
        self.push_outcomes(&mut text);
        self.push_reals(&mut text, width);
        self.push_situations(&mut text, width);
        self.push_never_fired(&mut text);
        for (index, note) in self.notes.iter().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{note}");
        }
        text
    }

    /// Unit of a measure of times; of another one none is shown.
    pub(crate) fn unit_of(&self, measure: &str) -> &'static str {
        match measures_time(measure) {
            true => self.time_unit,
            false => "",
        }
    }

    fn push_measures(&self, text: &mut String) {
        if self.measures.is_empty() {
            return;
        }
        text.push('\n');
        text.push_str(&self.measured(self.measures.len()));
    }

    /// The first so many measures, a line each.
    pub fn measured(&self, n: usize) -> String {
        let mut text = String::new();
        for MeasureSummary { measure, value } in self.measures.iter().take(n) {
            let unit = self.unit_of(measure);
            let value = value.map_or_else(
                || say!("summary-no-value"),
                |value| in_unit(exact(value), unit),
            );
            let _ = writeln!(text, "{measure} = {value}");
        }
        text
    }

    fn push_outcomes(&self, text: &mut String) {
        if self.outcomes.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{}", say!("summary-expected"));
        for outcome in &self.outcomes {
            let _ = writeln!(text, "{}", outcome.line());
        }
    }

    fn push_reals(&self, text: &mut String, width: Option<u16>) {
        let mut listing = Listing::new([
            (say!("summary-reals.real"), Align::Left),
            (say!("summary-reals.start"), Align::Right),
            (say!("summary-reals.end"), Align::Right),
            (say!("summary-reals.unit"), Align::Left),
            (String::new(), Align::Left),
        ]);
        for real in self.reals.iter().take(SHOWN) {
            let RealSummary { real, start, end } = *real;
            let [name, unit, about] = [&real.name, &real.unit, &real.about].map(String::clone);
            listing.row([name, rounded(start), rounded(end), unit, about]);
        }
        push_listing(text, &listing, self.reals.len(), width);
    }

    fn push_situations(&self, text: &mut String, width: Option<u16>) {
        let mut listing = Listing::new([
            (say!("summary-situations.situation"), Align::Left),
            (say!("summary-situations.held"), Align::Right),
            (say!("summary-situations.share"), Align::Right),
            (say!("summary-situations.fired"), Align::Right),
        ]);
        for situation in self.situations.iter().take(SHOWN) {
            let SituationSummary {
                name,
                time,
                ever,
                fired,
                ..
            } = situation.clone();
            listing.row(match fired {
                Some(fired) => [name, String::new(), String::new(), counted(fired, "time")],
                None if !ever => [
                    name,
                    say!("summary-situations.never"),
                    String::new(),
                    String::new(),
                ],
                None => [
                    name,
                    self.time_text(time),
                    share(time, self.time - self.from),
                    String::new(),
                ],
            });
        }
        push_listing(text, &listing, self.situations.len(), width);
    }

    fn push_never_fired(&self, text: &mut String) {
        if self.never_fired.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{}", say!("summary-never-fired"));
        for row in self.never_fired.iter().take(SHOWN) {
            let kind = say!("summary-row-kind", kind = row.kind);
            let _ = writeln!(text, "  {kind} [{}] {}", row.id, row.line);
        }
        push_rest(text, self.never_fired.len(), SHOWN);
    }
}

/// A boolean with a name.
pub(super) struct NamedBoolean<'m> {
    pub(super) name: &'m str,
    kind: &'static str,
    /// Its place among the visible bits.
    pub(super) bit: usize,
    /// Its place among the situations, if it is an event.
    event: Option<usize>,
}

/// Switches, named ranges and situations, in table order.
pub(super) fn booleans(model: &Model) -> impl Iterator<Item = NamedBoolean<'_>> {
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
            event: None,
        })
        .chain(ranges.map(move |(index, range)| NamedBoolean {
            name: &range.name,
            kind: "range",
            bit: n_switches + index,
            event: None,
        }))
        .chain(situations.map(move |(index, situation)| NamedBoolean {
            name: &situation.name,
            kind: if situation.event {
                "event"
            } else {
                "situation"
            },
            bit: n_switches + n_ranges + index,
            event: situation.event.then_some(index),
        }))
}

fn time_in(covered: &sim::Covered, bit: usize) -> f64 {
    let visits = covered.visits.iter().filter(|visit| visit.bit(bit));
    visits.fold(0.0, |sum, visit| sum + visit.time)
}

fn never_fired(model: &Model, covered: &sim::Covered) -> Vec<RowSummary> {
    let words = ModelText::of(model);
    let assignments = covered.assignments.iter().enumerate();
    let assignments = assignments.filter(|(_, fired)| !**fired);
    let relations = covered.relations.iter().enumerate();
    let scheme = &words.model().scheme;
    let written = |index: usize| !scheme.is_auxiliary(RelationId::new(index));
    let relations = relations.filter(|(index, acted)| !acted.ever && written(*index));
    assignments
        .map(|(index, _)| assignment_row(&words, index))
        .chain(relations.map(|(index, _)| relation_row(&words, RelationId::new(index))))
        .collect()
}

pub(super) fn assignment_row(words: &ModelText<'_>, index: usize) -> RowSummary {
    let id = words.model().assignments[index].id.clone();
    RowSummary {
        kind: "assignment",
        id,
        line: words.assignment(index),
    }
}

pub(super) fn relation_row(words: &ModelText<'_>, id: RelationId) -> RowSummary {
    let scheme = &words.model().scheme;
    let kind = match scheme.stage_of(id) {
        Some(_) => "reaction",
        None => "relation",
    };
    let (id, line) = words.row(id);
    RowSummary { kind, id, line }
}

pub(super) fn push_listing(text: &mut String, listing: &Listing, n_all: usize, width: Option<u16>) {
    if listing.is_empty() {
        return;
    }
    text.push('\n');
    text.push_str(&listing.plain(width));
    push_rest(text, n_all, listing.len());
}

fn push_rest(text: &mut String, n_all: usize, n_shown: usize) {
    if n_all > n_shown {
        let _ = writeln!(text, "{}", say!("summary-and-more", n = n_all - n_shown));
    }
}

/// True of the ids of two elements of one row, `3[1]` and `3[2]`.
pub fn are_elements_of_one(id: &str, other: &str) -> bool {
    let both = element(id).zip(element(other));
    both.is_some_and(|((base, _), (other, _))| base == other)
}

/// A part of the whole time in percent.
pub(crate) fn share(time: f64, all: f64) -> String {
    let percent = if all > 0.0 { 100.0 * time / all } else { 0.0 };
    if time > 0.0 && percent < 0.1 {
        "< 0.1 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{
        Argument, Boolean, Clock, CompareOp, Literal, ModelBuilder, Stepping, Term,
    };
    use situ_engine::trace::Measure;

    use super::super::covered::Covered;
    use super::*;
    use situ_engine::sim::RunConfig;

    /// A pendulum of a switch: it turns itself on and off.
    fn thermostat() -> (Start, Run) {
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
        let mut run = Run::new(model, RunConfig::from_clock(&clock).unwrap(), &measures).unwrap();
        let start = Start::of(&run);
        run.run(&mut ()).unwrap();
        (start, run)
    }

    #[test]
    fn a_run_is_summed_up() {
        let (start, run) = thermostat();
        let summary = Summary::of(&run, &start, "stop", &["max(T * 0.1)".to_owned()]);
        insta::assert_snapshot!(summary.text(None));
        let heating = summary.situations.iter().find(|row| row.name == "heating");
        assert!((10.0..90.0).contains(&heating.unwrap().time));
        insta::assert_snapshot!(serde_json::to_string_pretty(&summary).unwrap());
    }

    /// `r` is computed by a row, `e` set by an event at the start.
    #[test]
    fn the_start_is_the_first_row_of_the_run() {
        for (stepping, shown) in [
            (Stepping::Tick, [3.0, 1.0, 7.0]),
            (Stepping::Events, [3.0, 6.0, 11.0]),
        ] {
            let mut table = ModelBuilder::new("start");
            let x = table.real("x", 3.0);
            let r = table.real("r", 1.0);
            let e = table.real("e", 7.0);
            let at_start = Literal {
                what: Boolean::Start,
                negated: false,
            };
            let kick = table.event("kick", [at_start]);
            table.relation(r, "proportional", [x]).coef(2.0);
            table.relation(x, "integral", [r]);
            table
                .relation(e, "assignment", [11.0])
                .when([kick.into()])
                .once();
            let clock = Clock {
                stepping: Some(stepping),
                step: Some(0.5),
                stop: Some(1.0),
                ..Clock::default()
            };
            let config = RunConfig::from_clock(&clock).unwrap();
            let mut run = Run::new(table.build().unwrap(), config, &[]).unwrap();
            let starts = |run: &Run, start: &Start| -> Vec<f64> {
                let reals = Summary::of(run, start, "stop", &[]).reals;
                reals.iter().map(|real| real.start).collect()
            };
            let start = Start::of(&run);
            run.run_to(0.5, &mut ()).unwrap();
            assert_eq!(starts(&run, &start), shown, "{stepping:?}");
            // A run that goes on begins where it was put aside.
            let (later, there) = (Start::of(&run), run.row().reals.to_vec());
            run.run(&mut ()).unwrap();
            assert_eq!(starts(&run, &later), there, "{stepping:?}");
        }
    }

    #[test]
    fn combinations_cover_the_whole_run() {
        let covered = Covered::of(&thermostat().1);
        let times = covered
            .combinations
            .iter()
            .map(|combination| combination.time);
        assert!((times.sum::<f64>() - covered.time).abs() < 1e-9);
        insta::assert_snapshot!(covered.text(None));
    }
}
