//! `--measure`: single numbers taken from a run.
//!
//! ```text
//! measure = ("final" | "min" | "max" | "drift") "(" expr ")"            of a value
//!         | "at" "(" expr "," number ")"                                its value at a time
//!         | ("first" | "duration" | "count" | "period") "(" cond ")"    of a condition
//! ```

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::trace::Measure;
use situ_rules::Diagnostic;
use situ_rules::diag::nearest;
use situ_rules::{print, resolve};

use crate::command::table::{self, Opened};
use crate::command::{Failure, Streams};

/// The kinds of measures, for help and for messages.
pub(in crate::command) const KINDS: [&str; 9] = [
    "final", "min", "max", "drift", "at", "first", "duration", "count", "period",
];

const SHOWN_AS: &str = "<--measure>";

/// Reads the measures.
///
/// Errors: those that cannot be read have been shown.
pub(in crate::command) fn read(
    texts: &[String],
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Vec<Measure>, Failure> {
    let mut measures = Vec::new();
    let mut wrong = Vec::new();
    for text in texts {
        let (kind, inside) = call(text)?;
        match measure(kind, inside, opened)? {
            Ok(measure) => measures.push(measure),
            Err(reports) => wrong.extend(reports),
        }
    }
    if wrong.is_empty() {
        Ok(measures)
    } else {
        Err(table::refuse(&wrong, &opened.sources, streams))
    }
}

/// The measures of a model's invariants, with their texts.
pub(in crate::command) fn of_invariants(model: &Model) -> impl Iterator<Item = (String, Measure)> {
    model.invariants.iter().map(|invariant| {
        let text = format!("drift({})", print::name(&invariant.name));
        (text, Measure::Drift(invariant.value))
    })
}

/// The kind and what stands between its parentheses.
fn call(text: &str) -> Result<(&str, &str), Failure> {
    let text = text.trim();
    let parts = text
        .split_once('(')
        .and_then(|(kind, rest)| Some((kind.trim(), rest.strip_suffix(')')?)));
    parts.ok_or_else(|| {
        let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{kind}(..)")).collect();
        Failure::Wrong(format!(
            "`{text}` is no measure; there are {}",
            kinds.join(", ")
        ))
    })
}

fn measure(
    kind: &str,
    inside: &str,
    opened: &mut Opened,
) -> Result<Result<Measure, Vec<Diagnostic>>, Failure> {
    let Opened {
        model,
        origins,
        sources,
        ..
    } = opened;
    let model = Arc::make_mut(model);
    let mut value = |text: &str| resolve::expression(model, origins, sources, SHOWN_AS, text);
    Ok(match kind {
        "final" => value(inside).map(Measure::Final),
        "min" => value(inside).map(Measure::Min),
        "max" => value(inside).map(Measure::Max),
        "drift" => value(inside).map(Measure::Drift),
        "at" => {
            let (text, time) = last_argument(inside).ok_or_else(|| {
                Failure::Wrong(format!(
                    "`at({inside})` needs a value and a time: at(h, 1.5)"
                ))
            })?;
            value(text).map(|value| Measure::At(value, time))
        }
        "first" | "duration" | "count" | "period" => {
            resolve::condition(model, origins, sources, SHOWN_AS, inside).map(match kind {
                "first" => Measure::First,
                "duration" => Measure::Duration,
                "count" => Measure::Count,
                _ => Measure::Period,
            })
        }
        _ => {
            let hint = match nearest(kind, KINDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", KINDS.join(", ")),
            };
            return Err(Failure::Wrong(format!(
                "there is no measure `{kind}`; {hint}"
            )));
        }
    })
}

/// Splits off a number after the last comma.
fn last_argument(text: &str) -> Option<(&str, f64)> {
    let (first, last) = text.rsplit_once(',')?;
    let number: f64 = last.trim().parse().ok()?;
    number.is_finite().then_some((first, number))
}
