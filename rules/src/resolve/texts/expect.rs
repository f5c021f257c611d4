//! Expectations: what runs of a table are checked for, bound to a model that is built already, and whether a run met
//! them.
//!
//! Each stands for one or more measures. That a condition holds throughout is seen from the first times at which the
//! opposites of its literals hold.

use situ_engine::ids::ExprId;
use situ_engine::lower::without_value;
use situ_engine::model::{CompareOp, Comparison, Literal, Model, StartValues, Watch, WatchLiteral};
use situ_engine::trace::Measure;
use smallvec::smallvec;

use super::{add, bind};
use crate::diag::Diagnostic;
use crate::parse;
use crate::resolve::binder::Binder;
use crate::resolve::report;
use crate::resolve::symbol::Known;
use crate::source::{Origins, SourceMap, Span};
use crate::tree::{self, MeasureOfCondition, MeasureOfValue};

/// What a run is checked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// As it is written.
    pub text: String,
    /// Its place.
    pub span: Span,
    check: Expected,
}

/// What is looked for in a run.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expected {
    /// The opposites of the literals of a condition that holds throughout.
    Never(Vec<Watch>),
    Value {
        measure: Measure,
        op: Option<CompareOp>,
        value: ExprId,
        tolerance: Option<ExprId>,
    },
}

/// What came of an expectation in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The expectation as it is written.
    pub text: String,
    /// True if the run met it.
    pub met: bool,
    /// What was measured; of a condition the first time at which it did not hold [units of `time`]. `None` if there is
    /// no such value or time.
    pub found: Option<f64>,
    /// True of a condition that should hold throughout.
    pub throughout: bool,
}

/// What came of expectations in a run that measured them.
///
/// Shapes: `measured`, results of their [`Expectation::measures`], one expectation after the other.
pub fn outcomes(
    expectations: &[Expectation],
    model: &Model,
    measured: &[Option<f64>],
) -> Vec<Outcome> {
    if expectations.is_empty() {
        return Vec::new();
    }
    let Ok(start) = model.start_values() else {
        return Vec::new();
    };
    let mut rest = measured;
    let judged = expectations.iter().map(|expectation| {
        let (own, others) = rest.split_at(expectation.measures().len());
        rest = others;
        expectation.judge(model, &start, own)
    });
    judged.collect()
}

/// The measures of expectations as they are written, each with its place.
pub fn written_measures(
    expectations: &[Expectation],
) -> impl Iterator<Item = (&str, Option<Span>)> {
    expectations.iter().flat_map(|expectation| {
        let written = (&*expectation.text, Some(expectation.span));
        std::iter::repeat_n(written, expectation.measures().len())
    })
}

impl Expectation {
    /// What is looked for.
    pub(crate) fn expected(&self) -> &Expected {
        &self.check
    }

    /// What must be measured in a run to judge it, at least one measure.
    pub fn measures(&self) -> Vec<Measure> {
        match &self.check {
            Expected::Never(opposites) => opposites.iter().cloned().map(Measure::First).collect(),
            Expected::Value { measure, .. } => vec![measure.clone()],
        }
    }

    /// Judges a run.
    ///
    /// Shapes: `start`, the start values of the run; `measured`, results of [`Self::measures`] in their order.
    pub fn judge(&self, model: &Model, start: &StartValues, measured: &[Option<f64>]) -> Outcome {
        let (met, found, throughout) = match &self.check {
            Expected::Never(_) => {
                let times = measured.iter().copied().flatten();
                let first = times.min_by(f64::total_cmp);
                (first.is_none(), first, true)
            }
            Expected::Value {
                op,
                value,
                tolerance,
                ..
            } => {
                let found = measured.first().copied().flatten();
                let value = model.evaluate(*value, start);
                let tolerance = tolerance.map_or(0.0, |expr| model.evaluate(expr, start));
                let met = found.is_some_and(|found| match op {
                    None => (found - value).abs() <= tolerance,
                    Some(op) => op.holds(found, value),
                });
                (met, found, false)
            }
        };
        Outcome {
            text: self.text.clone(),
            met,
            found,
            throughout,
        }
    }
}

/// Reads what a run of a model is checked for, as `expect` takes it at the prompt.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports. The model takes in the expressions.
///
/// # Errors
///
/// Everything that is wrong with the text.
///
/// ```
/// use situ_engine::sim::{Run, RunConfig};
/// use situ_rules::resolve::expectation;
///
/// let text = r#"(format: 1, clock: (stepping: events, stop: 1), constants: {"h0": 10}, reals: {"h": "h0", "v": 0},
///     relations: ["v = integral(-10)", "h = integral(v)"])"#;
/// let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
/// let (mut origins, mut sources) = (loaded.origins, loaded.sources);
/// let mut model = loaded.model.expect("the table has no mistakes");
/// let expected = "min(h) = h0 - 5 +- 1e-6";
/// let expected = expectation(&mut model, &mut origins, &mut sources, "<expect>", expected).unwrap();
///
/// let config = RunConfig::from_clock(&model.clock)?;
/// let start = model.start_values()?;
/// let mut run = Run::new(model.clone(), config, &expected.measures())?;
/// run.run(&mut ())?;
/// assert!(expected.judge(&model, &start, &run.measured()).met);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn expectation(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<Expectation, Vec<Diagnostic>> {
    let span = add(sources, shown_as, text);
    let (what, mistakes) = parse::expectation(sources, span);
    let written = (span, text.trim());
    bind(
        model,
        origins,
        sources,
        (&what, mistakes),
        |binder, what| of_tree(binder, what.as_ref(), written),
    )
}

/// Binds the expectations of a table; what is wrong with them is added to the reports.
pub(in crate::resolve) fn expectations(
    model: &mut Model,
    origins: &mut Origins,
    sources: &SourceMap,
    trees: &[tree::Expectation],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Expectation> {
    let mut all = Vec::new();
    for tree in trees {
        let written = (tree.span, tree.text.as_str());
        let read = (&tree.what, Vec::new());
        match bind(model, origins, sources, read, |binder, what| {
            of_tree(binder, what.as_ref(), written)
        }) {
            Ok(expectation) => all.push(expectation),
            Err(reports) => diagnostics.extend(reports),
        }
    }
    all
}

/// `written`: place and text.
fn of_tree(
    binder: &mut Binder<'_>,
    what: Option<&tree::Expected>,
    (span, text): (Span, &str),
) -> Option<Expectation> {
    let check = match what {
        None => return binder.unread(),
        Some(tree::Expected::Throughout(condition)) => {
            let literals = binder.watch(condition);
            let literals = literals.iter();
            Expected::Never(
                literals
                    .flat_map(|one| opposites_of(binder.model, one))
                    .collect(),
            )
        }
        Some(tree::Expected::Measured(measured)) => Expected::Value {
            measure: measure(binder, &measured.measure),
            op: measured.op,
            value: binder.expr(&measured.value, Known::Before),
            tolerance: (measured.tolerance.as_ref()).map(|tree| tolerance(binder, tree)),
        },
    };
    Some(Expectation {
        text: text.to_owned(),
        span,
        check,
    })
}

/// A tolerance; one below zero, with which nothing is met, is reported.
fn tolerance(binder: &mut Binder<'_>, tree: &tree::Expr) -> ExprId {
    let before = binder.diagnostics.len();
    let tolerance = binder.expr(tree, Known::Before);
    let is_number = matches!(tree.kind, tree::ExprKind::Number(_));
    if !is_number
        && binder.diagnostics.len() == before
        && let Ok(start) = binder.model.start_values()
    {
        let value = binder.model.evaluate(tolerance, &start);
        if value < 0.0 {
            let report = report::tolerance_below_zero(value, tree.span);
            binder.diagnostics.push(report);
        }
    }
    tolerance
}

/// The measure that a text names.
pub(super) fn measure(binder: &mut Binder<'_>, tree: &tree::Measure) -> Measure {
    match tree {
        tree::Measure::OfValue(kind, value) => {
            let value = binder.expr(value, Known::Running);
            match kind {
                MeasureOfValue::Final => Measure::Final(value),
                MeasureOfValue::Min => Measure::Min(value),
                MeasureOfValue::Max => Measure::Max(value),
                MeasureOfValue::Drift => Measure::Drift(value),
            }
        }
        tree::Measure::At(value, time) => Measure::At(binder.expr(value, Known::Running), *time),
        tree::Measure::OfCondition(kind, condition) => {
            let watch = binder.watch(condition);
            match kind {
                MeasureOfCondition::First => Measure::First(watch),
                MeasureOfCondition::Duration => Measure::Duration(watch),
                MeasureOfCondition::Count => Measure::Count(watch),
                MeasureOfCondition::Period => Measure::Period(watch),
            }
        }
    }
}

/// What holds when a literal does not: one of these. A comparison without a value does not hold.
fn opposites_of(model: &mut Model, literal: &WatchLiteral) -> Vec<Watch> {
    let all = match literal {
        WatchLiteral::Boolean(Literal { what, negated }) => vec![WatchLiteral::Boolean(Literal {
            what: *what,
            negated: !negated,
        })],
        WatchLiteral::Any { of, negated } => vec![WatchLiteral::Any {
            of: of.clone(),
            negated: !negated,
        }],
        WatchLiteral::Comparison(own) => {
            let constants = model.start_values().map(|start| start.constants);
            let constants = constants.unwrap_or_else(|_| vec![f64::NAN; model.constants.len()]);
            let mut all = without_value(model, &constants, own);
            all.push(Comparison {
                op: own.op.opposite(),
                ..*own
            });
            all.into_iter().map(WatchLiteral::Comparison).collect()
        }
    };
    all.into_iter().map(|one| smallvec![one]).collect()
}
