//! Exercises, bound to a model that is built already.
//!
//! What is predicted is read off rows and measures; expressions, and rows of what counts elements, stand behind all others.

use serde::Serialize;
use situ_engine::ids::ExprId;
use situ_engine::model::{Input, Model, Watch};
use situ_engine::trace::Measure;

use super::{bind, expect, input};
use crate::diag::Diagnostic;
use crate::resolve::binder::Binder;
use crate::resolve::symbol::Known;
use crate::source::{Origins, SourceMap, Span};
use crate::tree::{self, Predicted, Words};

/// An exercise.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lab {
    /// The exercise in words.
    pub task: Option<Text>,
    /// Quantities that one may set.
    pub inputs: Vec<LabInput>,
    /// What one is to predict.
    pub fields: Vec<LabField>,
    /// Questions to be answered in words.
    pub questions: Vec<Text>,
}

/// A text in both languages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Text {
    /// In English.
    pub en: String,
    /// In Russian.
    pub ru: String,
}

/// A quantity that one may set.
#[derive(Clone, PartialEq, Debug)]
pub struct LabInput {
    /// The quantity.
    pub input: Input,
    /// Its name in the table.
    pub name: String,
    /// Its name for people.
    pub label: Text,
    /// Its unit; empty without one.
    pub unit: String,
    /// Least and greatest value [its unit].
    pub range: Option<[f64; 2]>,
    /// Distance from one value to the next [its unit].
    pub step: Option<f64>,
}

/// What one is to predict.
#[derive(Clone, PartialEq, Debug)]
pub struct LabField {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub label: Text,
    /// Its unit; empty without one.
    pub unit: String,
    /// Where the number comes from.
    pub of: Obtained,
    /// Its place.
    pub span: Span,
}

/// A number that is read off a run: a measure that was asked for, or what one is to predict.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Its name, or the measure as it is written.
    pub text: &'a str,
    /// Its place.
    pub span: Span,
    /// The unit in which it is given; empty where that follows from what is read.
    pub unit: &'a str,
    /// Where the number comes from.
    pub of: &'a Obtained,
}

/// Where a number that was predicted comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Obtained {
    /// A measure of the run.
    Measured(Measure),
    /// The value of an expression each time when a condition arises.
    Each {
        /// The value, read off the row.
        value: ExprId,
        /// The condition.
        at: Watch,
        /// So many times.
        count: usize,
    },
}

impl Text {
    fn of(words: &Words) -> Self {
        Self {
            en: words.en.clone(),
            ru: words.ru.clone(),
        }
    }

    fn both(text: &str) -> Self {
        Self {
            en: text.to_owned(),
            ru: text.to_owned(),
        }
    }
}

impl Lab {
    /// What one is to predict.
    pub fn readings(&self) -> impl Iterator<Item = Reading<'_>> {
        self.fields.iter().map(|field| Reading {
            text: &field.name,
            span: field.span,
            unit: &field.unit,
            of: &field.of,
        })
    }

    /// What must be measured in a run, in the order of the fields that are measures.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.fields.iter().filter_map(|field| match &field.of {
            Obtained::Measured(measure) => Some(measure),
            Obtained::Each { .. } => None,
        })
    }
}

/// Binds the exercise of a table; what is wrong with it is added to the reports.
pub(in crate::resolve) fn lab(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    tree: &tree::Lab,
    diagnostics: &mut Vec<Diagnostic>,
) -> Lab {
    let mut lab = Lab {
        task: tree.task.as_ref().map(Text::of),
        questions: tree.questions.iter().map(Text::of).collect(),
        ..Lab::default()
    };
    for written in &tree.inputs {
        let name = &written.name;
        match input(model, origins, sources, &name.value, name.span) {
            Ok(found) => lab.inputs.push(of_input(model, found, written)),
            Err(reports) => diagnostics.extend(reports),
        }
    }
    for written in &tree.fields {
        let bound = bind(model, origins, sources, (&written.of, Vec::new()), obtained);
        match bound {
            Ok(of) => lab.fields.push(LabField {
                name: written.name.value.clone(),
                label: (written.label.as_ref())
                    .map_or_else(|| Text::both(&written.name.value), Text::of),
                unit: written
                    .unit
                    .as_ref()
                    .map_or_else(String::new, |unit| unit.value.clone()),
                of,
                span: written.name.span,
            }),
            Err(reports) => diagnostics.extend(reports),
        }
    }
    lab
}

fn of_input(model: &Model, found: Input, written: &tree::LabInput) -> LabInput {
    let (about, unit, range) = match found {
        Input::Constant(id) => quantity(&model.constants[id.index()]),
        Input::Real(id) => quantity(&model.reals[id.index()]),
        Input::Switch(id) => (
            model.switches[id.index()].about.clone(),
            String::new(),
            None,
        ),
    };
    let name = written.name.value.clone();
    let usual = if about.is_empty() { &name } else { &about };
    LabInput {
        input: found,
        label: written
            .label
            .as_ref()
            .map_or_else(|| Text::both(usual), Text::of),
        unit,
        range: written.range.as_ref().map(|range| range.value).or(range),
        step: written.step.as_ref().map(|step| step.value),
        name,
    }
}

fn quantity(one: &situ_engine::model::Quantity) -> (String, String, Option<[f64; 2]>) {
    (one.about.clone(), one.unit.clone(), one.range)
}

fn obtained(binder: &mut Binder<'_>, of: &Predicted) -> Option<Obtained> {
    Some(match of {
        Predicted::Measured(measure) => Obtained::Measured(expect::measure(binder, measure)),
        Predicted::Each { value, at, count } => Obtained::Each {
            value: binder.expr(value, Known::Running),
            at: binder.watch(at),
            count: count.as_ref().map_or(1, |count| count.value as usize),
        },
    })
}
