//! `--over`: what varies in a sweep.
//!
//! ```text
//! over   = name "=" number ".." number "/" count          so many points, both ends among them
//!        | name "=" number {"," number}                   these values
//!        | name "~" law "(" number {"," number} ")"       drawn, see `--sample` and `--runs`
//! law    = "uniform" from, to | "normal" mean, deviation | "lognormal" of the logarithm: mean, deviation
//!        | "triangular" from, mode, to
//! ```

use std::sync::Arc;

use situ_engine::model::{Input, Setting};
use situ_rules::diag::nearest;
use situ_rules::resolve;
use situ_sweep::{Axis, Values};

use crate::command::Failure;
use crate::command::Streams;
use crate::command::table::{self, Opened};

const SHOWN_AS: &str = "<--over>";

/// The laws, with what they need, for messages.
const LAWS: [(&str, &str); 4] = [
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
            "`{text}` says neither values nor a law: --over 'K=1..5/9', --over 'K=1,2,5' or --over 'K~normal(3,0.1)'"
        ))
    })?;
    let (name, rest) = (text[..at].trim(), text[at + 1..].trim());
    let values = match text.as_bytes()[at] {
        b'=' => listed(rest)?,
        _ => law(rest)?,
    };
    let input = input(name, opened, streams)?;
    Ok((name.trim_matches('`').to_owned(), Axis { input, values }))
}

/// The constant, start value or switch of a name.
///
/// Errors: there is none, which has been reported.
pub(super) fn input(
    name: &str,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Input, Failure> {
    let Opened {
        model,
        origins,
        sources,
        ..
    } = opened;
    // The settings of `--set` are bound the same way; the value only has to be readable.
    let text = format!("{name} = 1");
    match resolve::setting(Arc::make_mut(model), origins, sources, SHOWN_AS, &text) {
        Ok(Setting::Constant(id, _)) => Ok(Input::Constant(id)),
        Ok(Setting::Real(id, _)) => Ok(Input::Real(id)),
        Ok(Setting::Switch(id, _)) => Ok(Input::Switch(id)),
        Err(reports) => Err(table::refuse(&reports, sources, streams)),
    }
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

fn law(text: &str) -> Result<Values, Failure> {
    let known = || LAWS.map(|(_, shown)| shown).join(", ");
    let parts = text.split_once('(');
    let parts = parts.and_then(|(law, rest)| Some((law.trim(), rest.strip_suffix(')')?)));
    let (law, arguments) = parts
        .ok_or_else(|| Failure::Wrong(format!("`{text}` is no law; there are {}", known())))?;
    let arguments: Result<Vec<f64>, Failure> = arguments.split(',').map(number).collect();
    match (law, arguments?.as_slice()) {
        ("uniform", &[from, to]) => Ok(Values::Uniform { from, to }),
        ("normal", &[mean, deviation]) => Ok(Values::Normal { mean, deviation }),
        ("lognormal", &[mean, deviation]) => Ok(Values::LogNormal { mean, deviation }),
        ("triangular", &[from, mode, to]) => Ok(Values::Triangular { from, to, mode }),
        _ => Err(Failure::Wrong(
            match LAWS.iter().find(|(name, _)| *name == law) {
                Some((_, shown)) => {
                    format!("`{text}` has another number of arguments than {shown}")
                }
                None => match nearest(law, LAWS.map(|(name, _)| name)) {
                    Some(near) => format!("there is no law `{law}`; did you mean `{near}`?"),
                    None => format!("there is no law `{law}`; there are {}", known()),
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
            law("normal(3, 0.1)").unwrap(),
            Values::Normal {
                mean: 3.0,
                deviation: 0.1
            }
        );
        assert_eq!(
            law("triangular(1,2,4)").unwrap(),
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
        assert!(wrong(law("norml(1,2)")).contains("did you mean `normal`?"));
        assert!(wrong(law("normal(1)")).contains("normal(mean,deviation)"));
        assert!(wrong(law("normal")).contains("there are uniform(from,to)"));
    }
}
