//! Texts about runs, bound to a model that is built already: of the command line and the prompt, measures, expectations
//! and exercises.
//!
//! ```text
//! "max(number(hot[j] for j))" --parse--> tree --elements of the model--> tree --bind--> Measure, rows
//! ```
//!
//! What has counters is written out by the families of the model first. What counts while a condition holds
//! (`number(..)`, a reduction with `when`) needs rows: the model gets them, behind all of its own, and they are read by
//! nobody else.

mod expect;
mod lab;
mod measure;
mod parts;

use std::borrow::Cow;

use situ_engine::ids::{ConstantId, ExprId, LookupId, RangeId, RealId, SituationId, SwitchId};
use situ_engine::model::{ClockKind, ClockSetting, ClockValue, Input, Model, Setting, Watch};
use situ_words::say;

pub(crate) use self::expect::Expected;
pub(super) use self::expect::expectations;
pub use self::expect::{Expectation, Outcome, expectation, outcomes, written_measures};
pub(super) use self::lab::lab;
pub use self::lab::{Lab, LabField, LabInput, Obtained, Reading, Text};
pub use self::measure::{MeasureError, invariant_measures, measure, measures_time};
use super::binder::Binder;
use super::expand::{Parts, with_elements};
use super::names::{Scope, Suggestions};
use super::report;
use super::symbol::{Known, Symbol};
use crate::diag::{Diagnostic, has_errors};
use crate::lex::normalised;
use crate::parse::report::expected;
use crate::source::{Origins, SourceMap, Span};
use crate::{parse, tree};

/// Reads a condition over rows of the trajectory, as `--until` takes it.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports, e.g. `<--until>`.
///
/// # Errors
///
/// Everything that is wrong with the text.
pub fn condition(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<Watch, Vec<Diagnostic>> {
    let span = add(sources, shown_as, text);
    let (tree, mistakes) = parse::condition(sources, span);
    bind(
        model,
        origins,
        sources,
        (&tree, mistakes),
        |binder, tree| Some(binder.watch(tree)),
    )
}

/// Binds a condition of the table over rows of the trajectory.
///
/// # Errors
///
/// Everything that is wrong with it.
pub(super) fn watch(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    condition: &tree::Condition,
) -> Result<Watch, Vec<Diagnostic>> {
    let read = (condition, Vec::new());
    bind(model, origins, sources, read, |binder, tree| {
        Some(binder.watch(tree))
    })
}

/// Reads an expression over the quantities of a model.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports.
///
/// # Errors
///
/// Everything that is wrong with the text.
pub fn expression(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<ExprId, Vec<Diagnostic>> {
    let span = add(sources, shown_as, text);
    let (tree, mistakes) = parse::expression(sources, span);
    bind(
        model,
        origins,
        sources,
        (&tree, mistakes),
        |binder, tree| Some(binder.expr(tree, Known::Running)),
    )
}

/// Reads an expression that is to be a column of a run: a real named by the text with a row that gives it, and those that
/// the text needs, all behind what the model has. They are meant for a copy of the run's model: there is no start value.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports.
///
/// # Errors
///
/// Everything that is wrong with the text.
///
/// ```
/// use situ_rules::resolve::column;
///
/// let text = r#"(format: 1, counters: {"j": "1 .. 3"}, reals: {"u[j]": "j"}, relations: ["u[j] = integral(1)"])"#;
/// let loaded = situ_rules::load("rise.ron", text, &mut situ_rules::standalone);
/// let (mut origins, mut sources) = (loaded.origins, loaded.sources);
/// let mut model = loaded.model.expect("the table has no mistakes");
/// let mean = column(&mut model, &mut origins, &mut sources, "<--vars>", "mean(u[j] for j)").unwrap();
/// assert_eq!(model.reals[mean.index()].name, "mean(u[j] for j)");
/// ```
pub fn column(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<RealId, Vec<Diagnostic>> {
    let span = add(sources, shown_as, text);
    let (tree, mistakes) = parse::expression(sources, span);
    bind(
        model,
        origins,
        sources,
        (&tree, mistakes),
        |binder, tree| parts::column(binder, text, tree),
    )
}

/// Reads the value of a clock's setting that is an expression or a condition over a model.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports.
///
/// # Errors
///
/// Everything that is wrong with the text.
pub fn clock_formula(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    setting: &ClockSetting,
    text: &str,
) -> Result<ClockValue, Vec<Diagnostic>> {
    match setting.kind {
        ClockKind::Condition => {
            condition(model, origins, sources, shown_as, text).map(ClockValue::Condition)
        }
        _ => expression(model, origins, sources, shown_as, text).map(ClockValue::Expression),
    }
}

/// Reads `NAME=VALUE`, as `--set` takes it: a constant, the start of a real or of a switch.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports, e.g. `<--set>`.
///
/// # Errors
///
/// Everything that is wrong with the text. That a start value needs itself over others is
/// found by [`Model::start_values`] only.
pub fn setting(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<Setting, Vec<Diagnostic>> {
    let span = add(sources, shown_as, text);
    let (tree, mistakes) = parse::setting(sources, span);
    bind_flat(model, origins, sources, mistakes, |binder| {
        binder.setting(tree.as_ref()?)
    })
}

/// Finds what a name that stands at a place is the name of, where a value is to be given to it: a constant, a
/// real or a switch.
///
/// # Errors
///
/// There is none of that name.
pub fn input(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    name: &str,
    span: Span,
) -> Result<Input, Vec<Diagnostic>> {
    if name.trim().is_empty() {
        return Err(vec![expected(
            say!("phrase-name"),
            say!("parse-the-end"),
            span,
        )]);
    }
    // A value that each of the three can have.
    let kind = tree::ExprKind::Number(1.0);
    let setting = tree::Setting {
        name: tree::Name::new(normalised(name).into_owned(), span),
        value: tree::SettingValue::Expr(tree::Expr { span, kind }),
    };
    let setting = bind_flat(model, origins, sources, Vec::new(), |binder| {
        binder.setting(&setting)
    })?;
    Ok(match setting {
        Setting::Constant(id, _) => Input::Constant(id),
        Setting::Real(id, _) => Input::Real(id),
        Setting::Switch(id, _) => Input::Switch(id),
    })
}

fn add(sources: &mut SourceMap, shown_as: &str, text: &str) -> Span {
    let id = sources.add(shown_as, text);
    sources.span(id)
}

/// Reads a tree with the names of a model, of which it is written out first.
///
/// Shapes: the tree stands beside what has been found wrong with it.
fn bind<T, R>(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    (tree, mut mistakes): (&T, Vec<Diagnostic>),
    read: impl FnOnce(&mut Binder<'_>, &T) -> Option<R>,
) -> Result<R, Vec<Diagnostic>>
where
    T: tree::Observed,
{
    match with_elements(tree, model, origins) {
        Ok(None) => bind_flat(model, origins, sources, mistakes, |binder| {
            read(binder, tree)
        }),
        Ok(Some((tree, parts))) => {
            bind_with(model, origins, sources, (&parts, mistakes), |binder| {
                read(binder, &tree)
            })
        }
        Err(found) => {
            mistakes.extend(found);
            super::sort(&mut mistakes);
            Err(mistakes)
        }
    }
}

/// Reads something with the names of a model.
fn bind_flat<R>(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    diagnostics: Vec<Diagnostic>,
    read: impl FnOnce(&mut Binder<'_>) -> Option<R>,
) -> Result<R, Vec<Diagnostic>> {
    let parts = Parts::default();
    bind_with(model, origins, sources, (&parts, diagnostics), read)
}

/// Reads something with the names of a model and those of the rows that it needs.
fn bind_with<R>(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    (parts, mut diagnostics): (&Parts, Vec<Diagnostic>),
    read: impl FnOnce(&mut Binder<'_>) -> Option<R>,
) -> Result<R, Vec<Diagnostic>> {
    let mut names = names(model);
    let own = parts.reals.iter().zip(model.reals.len()..);
    names.extend(own.map(|(real, index)| {
        let id = RealId::new(index);
        (real.name.value.clone(), Symbol::Real(id))
    }));
    let scope = Scope::of_symbols(names.iter().map(|(name, symbol)| (name.as_str(), *symbol)));
    let mut binder = Binder::new(&scope, model, origins, sources);
    let result = parts::add(&mut binder, parts).and_then(|()| read(&mut binder));
    let (unknown, found, complete) = binder.finish();
    diagnostics.extend(found);
    let known = names
        .iter()
        .map(|(name, symbol)| (Cow::from(name), *symbol));
    let mut suggestions = Suggestions::new(known);
    for name in unknown {
        diagnostics.push(
            match suggestions.outside(&name, &model.structure.families) {
                Some(message) => Diagnostic::error("F004", message, name.span),
                None => report::unknown_name(&name, suggestions.nearest(&name), sources, None),
            },
        );
    }
    super::sort(&mut diagnostics);
    match result {
        Some(result) if complete && !has_errors(&diagnostics) => Ok(result),
        _ => Err(diagnostics),
    }
}

/// The names of a model, in the order of its lists.
fn names(model: &Model) -> Vec<(String, Symbol)> {
    let constants = model.constants.iter().enumerate();
    let reals = model.reals.iter().enumerate();
    let lookups = model.lookups.iter().enumerate();
    let switches = model.switches.iter().enumerate();
    let ranges = model
        .ranges
        .iter()
        .enumerate()
        .filter(|(_, range)| !range.anonymous);
    let situations = model.situations.iter().enumerate();
    constants
        .map(|(index, row)| (row.name.clone(), Symbol::Constant(ConstantId::new(index))))
        .chain(reals.map(|(index, row)| (row.name.clone(), Symbol::Real(RealId::new(index)))))
        .chain(lookups.map(|(index, row)| (row.name.clone(), Symbol::Lookup(LookupId::new(index)))))
        .chain(
            switches.map(|(index, row)| (row.name.clone(), Symbol::Switch(SwitchId::new(index)))),
        )
        .chain(ranges.map(|(index, row)| (row.name.clone(), Symbol::Range(RangeId::new(index)))))
        .chain(
            situations
                .map(|(index, row)| (row.name.clone(), Symbol::Situation(SituationId::new(index)))),
        )
        .collect()
}
