//! `--over`: what varies in a sweep.
//!
//! ```text
//! over         = name "=" number ".." number "/" count             so many points, both ends among them
//!              | name "=" number {"," number}                      these values
//!              | name "=" ("true" | "false") {"," ..}              of a switch, also 1 and 0
//!              | name "~" distribution "(" number {"," number} ")" sampled, see `--sample` and `--runs`
//! distribution = "uniform" from, to | "normal" mean, deviation | "lognormal" of the logarithm: mean, deviation
//!              | "triangular" from, mode, to
//! ```

use std::sync::Arc;

use situ_engine::model::Input;
use situ_rules::diag::nearest;
use situ_rules::resolve;
use situ_rules::source::Span;
use situ_sweep::{Axis, Values};

use crate::command::table::{self, Opened};
use crate::command::{Failure, Streams};

const SHOWN_AS: &str = "<--over>";

/// The distributions, with what they need, for messages.
const DISTRIBUTIONS: [(&str, &str); 4] = [
    ("uniform", "uniform(from,to)"),
    ("normal", "normal(mean,deviation)"),
    ("lognormal", "lognormal(mean,deviation)"),
    ("triangular", "triangular(from,mode,to)"),
];

/// Reads one `--over`; the name as it was written comes with it.
///
/// Errors: what cannot be read; names of the model have been reported.
pub(super) fn read(
    text: &str,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<(String, Axis), Failure> {
    let at = text.find(['=', '~']).ok_or_else(|| {
        Failure::Wrong(format!(
            "`{text}` says neither values nor a distribution: --over 'K=1..5/9', --over 'K=1,2,5' or --over 'K~normal(3,0.1)'"
        ))
    })?;
    let (name, rest) = (text[..at].trim(), text[at + 1..].trim());
    let is_listed = text.as_bytes()[at] == b'=';
    let source = opened.sources.add(SHOWN_AS, text);
    let begin = at - text[..at].trim_start().len();
    let span = Span::new(source, begin, begin + name.len());
    let name = name.trim_matches('`');
    let input = input(name, span, opened, streams)?;
    let values = match (input, is_listed) {
        (Input::Switch(_), true) => truths(rest, name)?,
        (Input::Switch(_), false) => return Err(no_truth(rest, name)),
        (_, true) => listed(rest)?,
        (_, false) => distribution(rest)?,
    };
    Ok((name.to_owned(), Axis { input, values }))
}

/// The constant, start value or switch of a name that stands at a place.
///
/// Errors: there is none, which has been reported.
pub(super) fn input(
    name: &str,
    span: Span,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Input, Failure> {
    let Opened {
        model,
        origins,
        sources,
        ..
    } = opened;
    let found = resolve::input(Arc::make_mut(model), origins, sources, name, span);
    found.map_err(|reports| table::refuse(&reports, sources, streams))
}

/// The values of a switch.
fn truths(text: &str, name: &str) -> Result<Values, Failure> {
    let values = text.split(',').map(|value| {
        let value = value.trim();
        truth(value).ok_or_else(|| no_truth(value, name))
    });
    Ok(Values::List(values.collect::<Result<_, _>>()?))
}

/// A value of a switch as a number.
pub(super) fn truth(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        number => number.parse().ok().filter(|bit| [0.0, 1.0].contains(bit)),
    }
}

fn no_truth(text: &str, name: &str) -> Failure {
    Failure::Wrong(no_truth_message(text, name))
}

/// Why a value is none of a switch.
pub(super) fn no_truth_message(text: &str, name: &str) -> String {
    format!("`{name}` is a switch: its values are true and false (or 1 and 0), not `{text}`")
}

fn listed(text: &str) -> Result<Values, Failure> {
    let Some((from, rest)) = text.split_once("..") else {
        let values: Result<Vec<f64>, Failure> = text.split(',').map(number).collect();
        return Ok(Values::List(values?));
    };
    let (to, points) = rest.split_once('/').ok_or_else(|| {
        Failure::Wrong(format!(
            "`{text}` lacks the number of points: {text}/9; to draw from it: ~uniform({from},{rest})"
        ))
    })?;
    let points = points
        .trim()
        .parse::<u64>()
        .ok()
        .filter(|points| *points > 0);
    let points = points.ok_or_else(|| {
        Failure::Wrong(format!(
            "`{text}`: the number of points is a whole number above 0"
        ))
    })?;
    Ok(Values::Grid {
        from: number(from)?,
        to: number(to)?,
        points,
    })
}

fn distribution(text: &str) -> Result<Values, Failure> {
    let known = || DISTRIBUTIONS.map(|(_, shown)| shown).join(", ");
    let parts = text.split_once('(');
    let parts = parts.and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix(')')?)));
    let (name, arguments) = parts.ok_or_else(|| {
        Failure::Wrong(format!(
            "`{text}` is no distribution; there are {}",
            known()
        ))
    })?;
    let arguments: Result<Vec<f64>, Failure> = arguments.split(',').map(number).collect();
    match (name, arguments?.as_slice()) {
        ("uniform", &[from, to]) => Ok(Values::Uniform { from, to }),
        ("normal", &[mean, deviation]) => Ok(Values::Normal { mean, deviation }),
        ("lognormal", &[mean, deviation]) => Ok(Values::LogNormal { mean, deviation }),
        ("triangular", &[from, mode, to]) => Ok(Values::Triangular { from, to, mode }),
        _ => Err(Failure::Wrong(
            match DISTRIBUTIONS.iter().find(|(known, _)| *known == name) {
                Some((_, shown)) => {
                    format!("`{text}` has another number of arguments than {shown}")
                }
                None => match nearest(name, DISTRIBUTIONS.map(|(known, _)| known)) {
                    Some(near) => {
                        format!("there is no distribution `{name}`; did you mean `{near}`?")
                    }
                    None => format!("there is no distribution `{name}`; there are {}", known()),
                },
            },
        )),
    }
}

fn number(text: &str) -> Result<f64, Failure> {
    let text = text.trim();
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| Failure::Wrong(format!("`{text}` is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let grid = |from, to, points| Values::Grid { from, to, points };
        assert_eq!(listed("1..5/9").unwrap(), grid(1.0, 5.0, 9));
        assert_eq!(listed("-1.5 .. 2e3 / 3").unwrap(), grid(-1.5, 2000.0, 3));
        assert_eq!(
            listed("1, 2,-0.5").unwrap(),
            Values::List(vec![1.0, 2.0, -0.5])
        );
        assert_eq!(
            distribution("normal(3, 0.1)").unwrap(),
            Values::Normal {
                mean: 3.0,
                deviation: 0.1
            }
        );
        assert_eq!(
            distribution("triangular(1,2,4)").unwrap(),
            Values::Triangular {
                from: 1.0,
                to: 4.0,
                mode: 2.0
            }
        );
    }

    #[test]
    fn what_cannot_be_read_says_what_would_do() {
        let wrong = |result: Result<Values, Failure>| match result {
            Err(Failure::Wrong(message)) => message,
            other => panic!("{other:?}"),
        };
        assert!(wrong(listed("1..5")).contains("1..5/9"));
        assert!(wrong(listed("1..5/0")).contains("above 0"));
        assert!(wrong(listed("1,two")).contains("`two` is not a number"));
        assert!(wrong(distribution("norml(1,2)")).contains("did you mean `normal`?"));
        assert!(wrong(distribution("normal(1)")).contains("normal(mean,deviation)"));
        assert!(wrong(distribution("normal")).contains("there are uniform(from,to)"));
    }
}
