//! Measures: texts that ask for single numbers of a run, bound to a model that is built already.
//!
//! ```text
//! measure = ("final" | "min" | "max" | "drift") "(" expr ")"            of a value
//!         | "at" "(" expr "," number ")"                                its value at a time
//!         | ("first" | "duration" | "count" | "period") "(" cond ")"    of a condition
//! ```

use situ_engine::ids::ExprId;
use situ_engine::model::{Model, Watch};
use situ_engine::trace::Measure;

use super::{condition, expression};
use crate::diag::{Diagnostic, nearest};
use crate::print;
use crate::source::{Origins, SourceMap};

/// A name, and the measure that it is of something.
type Kind<T> = (&'static str, fn(T) -> Measure);

/// What is measured of a value over the whole run.
const OF_VALUES: [Kind<ExprId>; 4] = [
    ("final", Measure::Final),
    ("min", Measure::Min),
    ("max", Measure::Max),
    ("drift", Measure::Drift),
];

/// What is measured of a value at a time.
const AT: &str = "at";

/// What is measured of a condition.
const OF_CONDITIONS: [Kind<Watch>; 4] = [
    ("first", Measure::First),
    ("duration", Measure::Duration),
    ("count", Measure::Count),
    ("period", Measure::Period),
];

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
                let kinds: Vec<String> = kinds().map(|kind| format!("{kind}(..)")).collect();
                write!(f, "`{text}` is no measure; there are {}", kinds.join(", "))
            }
            Self::UnknownKind(kind) => {
                write!(f, "there is no measure `{kind}`; ")?;
                match nearest(kind, kinds()) {
                    Some(near) => write!(f, "did you mean `{near}`?"),
                    None => write!(f, "there are {}", kinds().collect::<Vec<_>>().join(", ")),
                }
            }
            Self::NoTime(inside) => {
                write!(f, "`at({inside})` needs a value and a time: at(h, 1.5)")
            }
            Self::Inside(reports) => {
                let messages: Vec<&str> = reports.iter().map(|one| one.message.as_str()).collect();
                f.write_str(&messages.join("; "))
            }
        }
    }
}

impl std::error::Error for MeasureError {}

fn kinds() -> impl Iterator<Item = &'static str> {
    let values = OF_VALUES.iter().map(|(kind, _)| *kind);
    let conditions = OF_CONDITIONS.iter().map(|(kind, _)| *kind);
    values.chain([AT]).chain(conditions)
}

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
    let of_value = OF_VALUES.iter().find(|(name, _)| *name == kind);
    let of_condition = OF_CONDITIONS.iter().find(|(name, _)| *name == kind);
    let found = if let Some((_, of)) = of_value {
        expression(model, origins, sources, shown_as, inside).map(of)
    } else if let Some((_, of)) = of_condition {
        condition(model, origins, sources, shown_as, inside).map(of)
    } else if kind == AT {
        let (value, time) =
            last_argument(inside).ok_or_else(|| MeasureError::NoTime(inside.to_owned()))?;
        let value = expression(model, origins, sources, shown_as, value);
        value.map(|value| Measure::At(value, time))
    } else {
        return Err(MeasureError::UnknownKind(kind.to_owned()));
    };
    found.map_err(MeasureError::Inside)
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

/// Splits off a number after the last comma.
fn last_argument(text: &str) -> Option<(&str, f64)> {
    let (first, last) = text.rsplit_once(',')?;
    let number: f64 = last.trim().parse().ok()?;
    number.is_finite().then_some((first, number))
}
