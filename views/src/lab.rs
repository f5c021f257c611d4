//! Exercises: what a student may set and is to predict, and the log of predicted and obtained numbers.

use std::ops::ControlFlow;

use serde::Serialize;
use situ_engine::ids::{Origin, RangeId};
use situ_engine::model::{
    Boolean, Literal, Mark, Model, Range, StartValues, Watch, WatchLiteral, watch_holds,
};
use situ_engine::sim::{Run, RunConfig, SetupError};
use situ_engine::trace::{Measure, Recorder, Row};
use situ_rules::resolve::{Lab, LabField, Obtained, Text};
use situ_words::{Language, say};

use crate::text::listing::{Align, Listing};
use crate::text::number::{exact, rounded};

/// A text in the language of the reader.
fn said(text: &Text) -> &str {
    match Language::present() {
        Language::English => &text.en,
        Language::Russian => &text.ru,
    }
}

/// An exercise as data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Exercise {
    /// The exercise in words.
    pub task: Option<Text>,
    /// What one may set.
    pub set: Vec<InputSheet>,
    /// What one is to predict.
    pub predict: Vec<FieldSheet>,
    /// Questions to be answered in words.
    pub questions: Vec<Text>,
}

/// A quantity that one may set.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InputSheet {
    /// Its name in the table.
    pub name: String,
    /// Its name for people.
    pub label: Text,
    /// Its unit; empty without one.
    pub unit: String,
    /// Its value; of a switch 0 or 1.
    pub value: f64,
    /// Least and greatest value.
    pub range: Option<[f64; 2]>,
    /// Distance from one value to the next.
    pub step: Option<f64>,
}

/// A number that is to be predicted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FieldSheet {
    /// Its name: that of a field of the exercise, with the number of the event if there are several, `x[2]`.
    pub name: String,
    /// Its name for people.
    pub label: Text,
    /// Its unit; empty without one.
    pub unit: String,
}

impl Exercise {
    /// The exercise of a model.
    ///
    /// Shapes: `start`, the start values of the model.
    pub fn of(lab: &Lab, model: &Model, start: &StartValues) -> Self {
        use situ_engine::model::Input;
        let set = lab.inputs.iter().map(|one| InputSheet {
            name: one.name.clone(),
            label: one.label.clone(),
            unit: one.unit.clone(),
            value: match one.input {
                Input::Constant(id) => start.constants[id.index()],
                Input::Real(id) => start.reals[id.index()],
                Input::Switch(id) => f64::from(u8::from(model.switches[id.index()].start)),
            },
            range: one.range,
            step: one.step,
        });
        Self {
            task: lab.task.clone(),
            set: set.collect(),
            predict: fields(lab),
            questions: lab.questions.clone(),
        }
    }

    /// The exercise as text.
    pub fn text(&self, width: Option<u16>) -> String {
        let set = say!("lab-exercise.set");
        let predict = say!("lab-exercise.predict");
        let questions = say!("lab-exercise.questions");
        let mut text = String::new();
        if let Some(task) = &self.task {
            text += &format!("{}\n", said(task));
        }
        if !self.set.is_empty() {
            let mut listing = Listing::new([
                (set.as_str(), Align::Left),
                ("", Align::Left),
                ("", Align::Right),
                ("", Align::Left),
                ("", Align::Left),
            ]);
            for one in &self.set {
                let range = one
                    .range
                    .map(|[low, high]| format!("{} .. {}", exact(low), exact(high)));
                listing.row([
                    one.name.clone(),
                    said(&one.label).to_owned(),
                    rounded(one.value),
                    one.unit.clone(),
                    range.unwrap_or_default(),
                ]);
            }
            text += &format!("\n{}", listing.plain(width));
        }
        let mut listing = Listing::new([
            (predict.as_str(), Align::Left),
            ("", Align::Left),
            ("", Align::Left),
        ]);
        for field in &self.predict {
            listing.row([
                field.name.clone(),
                said(&field.label).to_owned(),
                field.unit.clone(),
            ]);
        }
        text += &format!("\n{}", listing.plain(width));
        if !self.questions.is_empty() {
            text += &format!("\n{questions}\n");
            for (index, question) in self.questions.iter().enumerate() {
                text += &format!("{}. {}\n", index + 1, said(question));
            }
        }
        text
    }
}

/// The numbers that are to be predicted, in order.
fn fields(lab: &Lab) -> Vec<FieldSheet> {
    let mut fields = Vec::new();
    for field in &lab.fields {
        let sheet = |name: String| FieldSheet {
            name,
            label: field.label.clone(),
            unit: field.unit.clone(),
        };
        match &field.of {
            Obtained::Each { count, .. } if *count > 1 => {
                fields.extend((1..=*count).map(|at| sheet(format!("{}[{at}]", field.name))));
            }
            _ => fields.push(sheet(field.name.clone())),
        }
    }
    fields
}

/// Notes what an exercise asks for while a run goes on.
#[derive(Clone, Debug)]
pub struct LabWatch {
    model: Model,
    config: RunConfig,
    fields: Vec<LabField>,
    /// Per field: whether its condition held in the row before, if there was one, and the values so far.
    seen: Vec<(Option<bool>, Vec<f64>)>,
}

impl LabWatch {
    /// Before a run that stops wherever a condition may arise: ticks are seen each, and what an event-accurate run is
    /// to compare is a range, whose borders are located.
    pub fn new(lab: &Lab, model: &Model, config: &RunConfig) -> Self {
        let (mut model, mut config) = (model.clone(), config.clone());
        let mut fields = lab.fields.clone();
        if let RunConfig::Ticks(ticks) = &mut config {
            ticks.every = 1;
        } else {
            for field in &mut fields {
                if let Obtained::Each { at, .. } = &mut field.of {
                    *at = located(at, &mut model);
                }
            }
        }
        let seen = vec![(None, Vec::new()); fields.len()];
        Self {
            model,
            config,
            fields,
            seen,
        }
    }

    /// The run to watch, with these measures.
    ///
    /// # Errors
    ///
    /// As [`Run::new`].
    pub fn run(&self, measures: &[Measure]) -> Result<Run, SetupError> {
        Run::new(self.model.clone(), self.config.clone(), measures)
    }

    /// The numbers that were obtained, in the order of [`Exercise::predict`]; `None` where the run has none.
    ///
    /// Shapes: `measured`, results of [`Lab::measures`] in their order.
    pub fn obtained(&self, measured: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut measured = measured.iter().copied();
        let mut all = Vec::new();
        for (field, (_, values)) in self.fields.iter().zip(&self.seen) {
            match &field.of {
                Obtained::Measured(_) => all.push(measured.next().flatten()),
                Obtained::Each { count, .. } => {
                    all.extend((0..*count).map(|at| values.get(at).copied()));
                }
            }
        }
        all
    }
}

impl Recorder for LabWatch {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        for (field, (held, values)) in self.fields.iter().zip(&mut self.seen) {
            let Obtained::Each { value, at, count } = &field.of else {
                continue;
            };
            let (holds, is_event) = (holds(at, &self.model, row), self.model.is_instant(at));
            // An event may fire in each of two rows that follow each other; what holds at the start has not arisen.
            let arises = holds && (is_event || *held == Some(false));
            if arises && values.len() < *count {
                values.push(
                    self.model
                        .value_at(*value, row.reals, row.constants, row.time),
                );
            }
            *held = Some(holds);
        }
        ControlFlow::Continue(())
    }
}

/// A condition whose comparisons are ranges of the model.
fn located(watch: &Watch, model: &mut Model) -> Watch {
    let mut ranged = |literal: &WatchLiteral| match literal {
        WatchLiteral::Boolean(_) => literal.clone(),
        WatchLiteral::Comparison(comparison) => {
            let number = model.ranges.len();
            model.ranges.push(Range {
                id: String::new(),
                name: format!("exercise {number}"),
                anonymous: true,
                all: [*comparison].into_iter().collect(),
                mark: Some(Mark::Smooth),
                note: String::new(),
                origin: Origin::default(),
            });
            WatchLiteral::Boolean(Literal {
                what: Boolean::Range(RangeId::new(number)),
                negated: false,
            })
        }
        WatchLiteral::Any { of, negated } => WatchLiteral::Any {
            of: of.iter().map(|watch| located(watch, model)).collect(),
            negated: *negated,
        },
    };
    watch.iter().map(&mut ranged).collect()
}

/// True if a condition holds in a row.
pub(crate) fn holds(watch: &Watch, model: &Model, row: &Row<'_>) -> bool {
    let number = |root| model.value_at(root, row.reals, row.constants, row.time);
    let boolean = |literal: Literal| {
        let truth = match literal.what {
            Boolean::Start | Boolean::Schedule(_) => false,
            what => row.boolean(model, what),
        };
        truth != literal.negated
    };
    watch_holds(watch, &boolean, &number)
}

/// A predicted number and what the run gave.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LogRow {
    /// What it is.
    #[serde(flatten)]
    pub field: FieldSheet,
    /// What the run gave.
    pub obtained: Option<f64>,
    /// What was predicted.
    pub predicted: Option<f64>,
    /// Predicted less obtained.
    pub error: Option<f64>,
    /// That by the size of what was obtained; nothing if that is 0.
    pub relative_error: Option<f64>,
}

/// The log of an exercise: a row for each number that is predicted.
pub fn log(
    lab: &Lab,
    obtained: &[Option<f64>],
    predicted: impl Fn(&str) -> Option<f64>,
) -> Vec<LogRow> {
    let rows = fields(lab).into_iter().zip(obtained);
    let rows = rows.map(|(field, &obtained)| {
        let predicted = predicted(&field.name);
        let error = predicted
            .zip(obtained)
            .map(|(predicted, obtained)| predicted - obtained);
        let size = obtained.filter(|obtained| *obtained != 0.0).map(f64::abs);
        LogRow {
            field,
            obtained,
            predicted,
            error,
            relative_error: error.zip(size).map(|(error, size)| error.abs() / size),
        }
    });
    rows.collect()
}

/// The log as text.
pub fn log_text(log: &[LogRow], width: Option<u16>) -> String {
    let mut listing = Listing::new([
        (String::new(), Align::Left),
        (say!("lab-log.obtained"), Align::Right),
        (say!("lab-log.predicted"), Align::Right),
        (say!("lab-log.error"), Align::Right),
        (say!("lab-log.relative"), Align::Right),
    ]);
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), rounded);
    for row in log {
        let relative = row.relative_error.map_or_else(
            || "-".to_owned(),
            |share| format!("{} %", rounded(rounded_share(100.0 * share))),
        );
        listing.row([
            row.field.name.clone(),
            shown(row.obtained),
            shown(row.predicted),
            shown(row.error),
            relative,
        ]);
    }
    listing.plain(width)
}

/// Three leading digits.
fn rounded_share(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The log as CSV.
pub fn log_csv(log: &[LogRow]) -> String {
    let mut text = "name,obtained,predicted,error,relative_error\n".to_owned();
    for row in log {
        let numbers = [row.obtained, row.predicted, row.error, row.relative_error];
        let numbers = numbers.map(|value| value.map_or_else(String::new, exact));
        let name = match row.field.name.contains([',', '"', '\n']) {
            true => format!("\"{}\"", row.field.name.replace('"', "\"\"")),
            false => row.field.name.clone(),
        };
        text += &format!("{name},{}\n", numbers.join(","));
    }
    text
}
