//! Measures: texts that ask for single numbers of a run, bound to a model that is built already.

use situ_engine::model::Model;
use situ_engine::trace::Measure;

use situ_words::say;

use super::{add, bind, expect};
use crate::diag::{Diagnostic, nearest};
use crate::source::{Origins, SourceMap};
use crate::{parse, print, tree};

/// Why a text is no measure.
#[derive(Clone, PartialEq, Debug)]
pub enum MeasureError {
    /// It is not a name with something between parentheses.
    NotACall(String),
    /// There is no measure of that name.
    UnknownKind(String),
    /// `at` without a time; the text between its parentheses.
    NoTime(String),
    /// The value or the condition cannot be read.
    Inside(Vec<Diagnostic>),
}

impl std::fmt::Display for MeasureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotACall(text) => {
                let kinds: Vec<String> =
                    tree::measures().map(|kind| format!("{kind}(..)")).collect();
                f.write_str(&say!("run-no-measure.text", text, kinds = kinds.join(", ")))
            }
            Self::UnknownKind(kind) => f.write_str(&match nearest(kind, tree::measures()) {
                Some(near) => say!("run-no-measure.near", kind, near),
                None => {
                    let kinds = tree::measures().collect::<Vec<_>>().join(", ");
                    say!("run-no-measure", kind, kinds)
                }
            }),
            Self::NoTime(inside) => f.write_str(&say!("run-no-measure.no-time", inside)),
            Self::Inside(reports) => {
                let messages: Vec<&str> = reports.iter().map(|one| one.message.as_str()).collect();
                f.write_str(&messages.join("; "))
            }
        }
    }
}

impl std::error::Error for MeasureError {}

/// Reads a measure over the quantities of a model, as `--measure` takes it.
///
/// Shapes: `shown_as`, the name under which the text is shown in reports. The model takes in the expressions.
///
/// # Errors
///
/// [`MeasureError`]: the text is no call, names no measure, or what is measured cannot be read.
///
/// ```
/// use situ_engine::sim::{Run, RunConfig};
/// use situ_rules::resolve::measure;
///
/// let text = r#"(format: 1, clock: (stepping: events, stop: 3), reals: {"h": 10, "v": 0},
///     relations: ["v = integral(-9.81)", "h = integral(v)"])"#;
/// let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
/// let (mut origins, mut sources) = (loaded.origins, loaded.sources);
/// let mut model = loaded.model.expect("the table has no mistakes");
/// let lowest = measure(&mut model, &mut origins, &mut sources, "<measure>", "min(h)")?;
/// let lands = measure(&mut model, &mut origins, &mut sources, "<measure>", "first(h < 0)")?;
///
/// let config = RunConfig::from_clock(&model.clock)?;
/// let mut run = Run::new(model, config, &[lowest, lands])?;
/// run.run(&mut ())?;
/// let measured: Vec<f64> = run.measured().into_iter().flatten().collect();
/// assert!((measured[0] - (10.0 - 9.81 * 4.5)).abs() < 1e-9);
/// assert!((measured[1] - (20.0_f64 / 9.81).sqrt()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn measure(
    model: &mut Model,
    origins: &mut Origins,
    sources: &mut SourceMap,
    shown_as: &str,
    text: &str,
) -> Result<Measure, MeasureError> {
    let (kind, inside) = call(text)?;
    if !tree::measures().any(|measure| measure == kind) {
        return Err(MeasureError::UnknownKind(kind.to_owned()));
    }
    if kind == tree::AT && !inside.contains(',') {
        return Err(MeasureError::NoTime(inside.to_owned()));
    }
    let span = add(sources, shown_as, text);
    let (tree, mistakes) = parse::measure(sources, span);
    let measure = bind(
        model,
        origins,
        sources,
        (&tree, mistakes),
        |binder, tree| match tree {
            Some(tree) => Some(expect::measure(binder, tree)),
            None => binder.unread(),
        },
    );
    measure.map_err(MeasureError::Inside)
}

/// True if what a measure gives is a time: `first(..)`, `duration(..)`, `period(..)`, or a value of `time`.
pub fn measures_time(text: &str) -> bool {
    use tree::MeasureOfCondition::{Count, Duration, First, Period};
    let Ok((kind, inside)) = call(text) else {
        return false;
    };
    let mut conditions = tree::MeasureOfCondition::ALL.iter();
    match conditions.find(|(name, _)| *name == kind) {
        Some((_, First | Duration | Period)) => true,
        Some((_, Count)) => false,
        None => inside.split(',').next().map(str::trim) == Some("time"),
    }
}

/// The measures of a model's invariants, with their texts.
pub fn invariant_measures(model: &Model) -> impl Iterator<Item = (String, Measure)> {
    model.invariants.iter().map(|invariant| {
        let text = format!("drift({})", print::name(&invariant.name));
        (text, Measure::Drift(invariant.value))
    })
}

/// The kind and what stands between its parentheses.
fn call(text: &str) -> Result<(&str, &str), MeasureError> {
    let text = text.trim();
    let parts = text
        .split_once('(')
        .and_then(|(kind, rest)| Some((kind.trim(), rest.strip_suffix(')')?)));
    parts.ok_or_else(|| MeasureError::NotACall(text.to_owned()))
}
