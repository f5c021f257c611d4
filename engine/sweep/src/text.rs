//! Texts that say what varies in a sweep.
//!
//! ```text
//! over         = name "=" number ".." number "/" count             so many points, both ends among them
//!              | name "=" number {"," number}                      these values
//!              | name "=" ("true" | "false") {"," ..}              of a switch, also 1 and 0
//!              | name "~" distribution "(" number {"," number} ")" sampled
//! distribution = "uniform" from, to | "normal" mean, deviation | "lognormal" of the logarithm: mean, deviation
//!              | "triangular" from, mode, to
//! ```
//!
//! What a name is the name of, the caller knows; nothing here knows a model.

use std::ops::Range;

use situ_engine::model::Input;

use crate::{Axis, Values};

/// The distributions, with what they need.
const DISTRIBUTIONS: [(&str, &str); 4] = [
    ("uniform", "uniform(from,to)"),
    ("normal", "normal(mean,deviation)"),
    ("lognormal", "lognormal(mean,deviation)"),
    ("triangular", "triangular(from,mode,to)"),
];

/// Why a text does not say what varies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OverError {
    /// There is neither `=` nor `~` in it.
    NothingVaries(String),
    /// A switch has other values.
    NotATruth {
        /// The switch.
        name: String,
        /// What stands for a value.
        text: String,
    },
    /// A range of values without a number of points.
    NoPoints(String),
    /// A number of points that is not a whole number from 1 to [`MOST_POINTS`]; the whole text of the values.
    Points(String),
    /// One point where both ends are to be among them; the whole text of the values.
    OnePoint(String),
    /// It is not a name with something between parentheses.
    NotADistribution(String),
    /// There is no distribution of that name.
    UnknownDistribution(String),
    /// A distribution with another number of arguments.
    Arguments {
        /// What was written.
        text: String,
        /// How it is written.
        form: &'static str,
    },
    /// A number was expected.
    NotANumber(String),
}

impl std::fmt::Display for OverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NothingVaries(text) => write!(
                f,
                "`{text}` says neither values nor a distribution: 'K=1..5/9', 'K=1,2,5' or 'K~normal(3,0.1)'"
            ),
            Self::NotATruth { name, text } => write!(
                f,
                "`{name}` is a switch: its values are true and false (or 1 and 0), not `{text}`"
            ),
            Self::NoPoints(text) => {
                let (from, to) = text.split_once("..").unwrap_or((text, ""));
                write!(
                    f,
                    "`{text}` lacks the number of points: {text}/9; to draw from it: ~uniform({from},{to})"
                )
            }
            Self::Points(text) => {
                write!(
                    f,
                    "`{text}`: the number of points is a whole number from 1 to {MOST_POINTS}"
                )
            }
            Self::OnePoint(text) => write!(
                f,
                "`{text}`: both ends are among the points, so that there are at least 2"
            ),
            Self::NotADistribution(text) => write!(
                f,
                "`{text}` is no distribution; there are {}",
                DISTRIBUTIONS.map(|(_, form)| form).join(", ")
            ),
            Self::UnknownDistribution(name) => write!(
                f,
                "there is no distribution `{name}`; there are {}",
                DISTRIBUTIONS.map(|(_, form)| form).join(", ")
            ),
            Self::Arguments { text, form } => {
                write!(f, "`{text}` has another number of arguments than {form}")
            }
            Self::NotANumber(text) => write!(f, "`{text}` is not a number"),
        }
    }
}

impl std::error::Error for OverError {}

/// Most points of a range: up to here every whole number is a double.
pub const MOST_POINTS: f64 = 9_007_199_254_740_992.0;

/// A text that says what varies, taken apart.
///
/// ```
/// use situ_engine::model::{Input, ModelBuilder};
/// use situ_sweep::{Over, Values};
///
/// let mut table = ModelBuilder::new("spring");
/// let stiffness = table.constant("K", 3.0);
/// let over = Over::read("K = 1..5/9")?;
/// assert_eq!(over.name, "K");
/// let axis = over.axis(Input::Constant(stiffness))?;
/// assert_eq!(axis.values, Values::Grid { from: 1.0, to: 5.0, points: 9 });
///
/// let error = Over::read("K = 1..5")?.axis(Input::Constant(stiffness)).unwrap_err();
/// assert!(error.to_string().contains("1..5/9"));
/// # Ok::<(), situ_sweep::OverError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over<'t> {
    /// The name of what varies, without backticks.
    pub name: &'t str,
    /// The bytes of the text at which it stands, backticks included.
    pub place: Range<usize>,
    values: &'t str,
    is_listed: bool,
}

impl<'t> Over<'t> {
    /// The names of the distributions.
    pub fn distributions() -> impl Iterator<Item = &'static str> {
        DISTRIBUTIONS.iter().map(|(name, _)| *name)
    }

    /// How the distributions are written.
    pub fn forms() -> impl Iterator<Item = &'static str> {
        DISTRIBUTIONS.iter().map(|(_, form)| *form)
    }

    /// Takes a text apart, values unread.
    ///
    /// # Errors
    ///
    /// It says neither values nor a distribution.
    pub fn read(text: &'t str) -> Result<Self, OverError> {
        let at = text
            .find(['=', '~'])
            .ok_or_else(|| OverError::NothingVaries(text.to_owned()))?;
        let name = text[..at].trim();
        let begin = at - text[..at].trim_start().len();
        Ok(Self {
            name: name.trim_matches('`'),
            place: begin..begin + name.len(),
            values: text[at + 1..].trim(),
            is_listed: text.as_bytes()[at] == b'=',
        })
    }

    /// The values, for what the name is the name of.
    ///
    /// # Errors
    ///
    /// They cannot be read; a switch has values that are neither true nor false.
    pub fn axis(&self, input: Input) -> Result<Axis, OverError> {
        let values = match (input, self.is_listed) {
            (Input::Switch(_), true) => {
                let values = self
                    .values
                    .split(',')
                    .map(|text| truth(self.name, text.trim()));
                Values::List(values.collect::<Result<_, _>>()?)
            }
            (Input::Switch(_), false) => return Err(not_a_truth(self.name, self.values)),
            (_, true) => listed(self.values)?,
            (_, false) => distribution(self.values)?,
        };
        Ok(Axis { input, values })
    }
}

/// A value for what a name is the name of: `true` and `false` are 1 and 0 of a switch.
///
/// # Errors
///
/// It is no number, or neither true nor false.
pub fn value(name: &str, input: Input, text: &str) -> Result<f64, OverError> {
    match input {
        Input::Switch(_) => truth(name, text),
        _ => number(text),
    }
}

fn truth(name: &str, text: &str) -> Result<f64, OverError> {
    let value = match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        number => number.parse().ok().filter(|bit| [0.0, 1.0].contains(bit)),
    };
    value.ok_or_else(|| not_a_truth(name, text))
}

fn not_a_truth(name: &str, text: &str) -> OverError {
    OverError::NotATruth {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

/// A whole number above 0, in any spelling: `1000`, `1e3`.
fn number_of_points(text: &str) -> Option<u64> {
    let number = text.parse::<f64>().ok()?;
    let is_whole = number.fract() == 0.0 && (1.0..=MOST_POINTS).contains(&number);
    is_whole.then(|| format!("{number:.0}").parse().ok())?
}

fn listed(text: &str) -> Result<Values, OverError> {
    let Some((from, rest)) = text.split_once("..") else {
        let values: Result<Vec<f64>, OverError> = text.split(',').map(number).collect();
        return Ok(Values::List(values?));
    };
    let (to, points) = rest
        .split_once('/')
        .ok_or_else(|| OverError::NoPoints(text.to_owned()))?;
    let points = number_of_points(points.trim());
    let points = points.ok_or_else(|| OverError::Points(text.to_owned()))?;
    let (from, to) = (number(from)?, number(to)?);
    if points == 1 && to - from != 0.0 {
        return Err(OverError::OnePoint(text.to_owned()));
    }
    Ok(Values::Grid { from, to, points })
}

fn distribution(text: &str) -> Result<Values, OverError> {
    let parts = text.split_once('(');
    let parts = parts.and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix(')')?)));
    let (name, arguments) = parts.ok_or_else(|| OverError::NotADistribution(text.to_owned()))?;
    let arguments: Result<Vec<f64>, OverError> = arguments.split(',').map(number).collect();
    match (name, arguments?.as_slice()) {
        ("uniform", &[from, to]) => Ok(Values::Uniform { from, to }),
        ("normal", &[mean, deviation]) => Ok(Values::Normal { mean, deviation }),
        ("lognormal", &[mean, deviation]) => Ok(Values::LogNormal { mean, deviation }),
        ("triangular", &[from, mode, to]) => Ok(Values::Triangular { from, to, mode }),
        _ => Err(
            match DISTRIBUTIONS.iter().find(|(known, _)| *known == name) {
                Some((_, form)) => OverError::Arguments {
                    text: text.to_owned(),
                    form,
                },
                None => OverError::UnknownDistribution(name.to_owned()),
            },
        ),
    }
}

fn number(text: &str) -> Result<f64, OverError> {
    let text = text.trim();
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| OverError::NotANumber(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let grid = |from, to, points| Values::Grid { from, to, points };
        assert_eq!(listed("1..5/9"), Ok(grid(1.0, 5.0, 9)));
        assert_eq!(listed("-1.5 .. 2e3 / 3"), Ok(grid(-1.5, 2000.0, 3)));
        assert_eq!(listed("1..2/1e9"), Ok(grid(1.0, 2.0, 1_000_000_000)));
        assert_eq!(listed("1, 2,-0.5"), Ok(Values::List(vec![1.0, 2.0, -0.5])));
        assert_eq!(
            distribution("normal(3, 0.1)"),
            Ok(Values::Normal {
                mean: 3.0,
                deviation: 0.1
            })
        );
        assert_eq!(
            distribution("triangular(1,2,4)"),
            Ok(Values::Triangular {
                from: 1.0,
                to: 4.0,
                mode: 2.0
            })
        );
    }

    #[test]
    fn what_cannot_be_read_says_what_would_do() {
        let wrong = |result: Result<Values, OverError>| result.unwrap_err().to_string();
        assert!(wrong(listed("1..5")).contains("1..5/9"));
        for points in ["0", "1.5", "-1", "1e20", "nan", "x", ""] {
            let text = format!("1..5/{points}");
            assert!(wrong(listed(&text)).contains("from 1 to 9007199254740992"));
        }
        assert!(wrong(listed("1..5/1")).contains("at least 2"));
        assert!(listed("5..5/1").is_ok());
        assert!(wrong(listed("1,two")).contains("`two` is not a number"));
        assert!(wrong(distribution("norml(1,2)")).contains("`norml`; there are uniform"));
        assert!(wrong(distribution("normal(1)")).contains("normal(mean,deviation)"));
        assert!(wrong(distribution("normal")).contains("there are uniform(from,to)"));
    }
}
