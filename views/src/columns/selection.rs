//! Selections: lists of names as they are typed, `h,Vy` or `x:y` or `` `R-h`,h ``.

use std::str::FromStr;

use situ_words::say;

/// Choice by one entry of `--curves`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pick {
    /// A column over time.
    Column(String),
    /// A phase plot: `y` against `x`, written `x:y`.
    Phase {
        /// Column along the horizontal axis.
        x: String,
        /// Column along the vertical axis.
        y: String,
    },
}

impl Pick {
    /// The columns that it needs; the time, which may be an axis, is none.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let names: [Option<&String>; 2] = match self {
            Self::Column(name) => [Some(name), None],
            Self::Phase { x, y } => [x, y].map(|name| Some(name).filter(|name| *name != "time")),
        };
        names.into_iter().flatten().map(String::as_str)
    }
}

/// Names separated by commas; one that contains a comma or a colon stands between backticks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names(pub Vec<String>);

/// Entries of `--curves`, separated by commas.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picks(pub Vec<Pick>);

/// Why a list could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectionError {
    /// Nothing stands between two separators.
    MissingName,
    /// A backtick is not closed.
    OpenBacktick,
    /// A colon stands where only single names are allowed, or twice in one entry.
    Colon(String),
}

impl std::fmt::Display for SelectionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MissingName => f.write_str(&say!("columns-name-missing")),
            Self::OpenBacktick => f.write_str(&say!("columns-open-backtick")),
            Self::Colon(text) => f.write_str(&say!("columns-colon", text)),
        }
    }
}

impl std::error::Error for SelectionError {}

impl FromStr for Names {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let entries = split(text, ',')?;
        entries
            .into_iter()
            .map(single_name)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromStr for Picks {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        split(text, ',')?
            .into_iter()
            .map(pick)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn pick(entry: &str) -> Result<Pick, SelectionError> {
    match split(entry, ':')?.as_slice() {
        [column] => Ok(Pick::Column(bare(column)?)),
        [x, y] => Ok(Pick::Phase {
            x: bare(x)?,
            y: bare(y)?,
        }),
        _ => Err(SelectionError::Colon(entry.trim().to_owned())),
    }
}

fn single_name(entry: &str) -> Result<String, SelectionError> {
    match split(entry, ':')?.as_slice() {
        [name] => bare(name),
        _ => Err(SelectionError::Colon(entry.trim().to_owned())),
    }
}

/// The name without surrounding blanks and backticks. (An expression may begin and end with those of two names.)
fn bare(text: &str) -> Result<String, SelectionError> {
    let text = text.trim();
    let name = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|name| !name.contains('`'))
        .unwrap_or(text);
    match name.split_once('[') {
        _ if name.is_empty() => Err(SelectionError::MissingName),
        // `g[2, 1]` is named `g[2,1]`.
        Some((base, index)) if name.len() == text.len() && !base.contains('(') => {
            Ok(format!("{base}[{}", index.replace(' ', "")))
        }
        _ => Ok(name.to_owned()),
    }
}

/// Splits at a separator that stands neither between backticks nor in brackets.
fn split(text: &str, separator: char) -> Result<Vec<&str>, SelectionError> {
    let mut parts = Vec::new();
    let mut quoted = false;
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if c == '`' {
            quoted = !quoted;
        } else if !quoted && matches!(c, '[' | '(') {
            depth += 1;
        } else if !quoted && matches!(c, ']' | ')') {
            depth = depth.saturating_sub(1);
        } else if c == separator && !quoted && depth == 0 {
            parts.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    if quoted {
        return Err(SelectionError::OpenBacktick);
    }
    parts.push(&text[start..]);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_phase_plots() {
        let Picks(picks) = "h, Vy,h:Vy,`R-h:,`,`a:b`:скорость".parse().unwrap();
        let column = |name: &str| Pick::Column(name.to_owned());
        let phase = |x: &str, y: &str| Pick::Phase {
            x: x.to_owned(),
            y: y.to_owned(),
        };
        assert_eq!(
            picks,
            [
                column("h"),
                column("Vy"),
                phase("h", "Vy"),
                column("R-h:,"),
                phase("a:b", "скорость")
            ]
        );
        assert_eq!(
            "c[2, 5], u[1..3]".parse(),
            Ok(Names(vec!["c[2,5]".to_owned(), "u[1..3]".to_owned()]))
        );
        assert_eq!(
            "h, `a,b`".parse(),
            Ok(Names(vec!["h".to_owned(), "a,b".to_owned()]))
        );
        assert_eq!(
            "`a b` + `c,d`".parse(),
            Ok(Names(vec!["`a b` + `c,d`".to_owned()]))
        );
    }

    #[test]
    fn mistakes() {
        for (text, expected) in [
            ("", SelectionError::MissingName),
            ("h,,x", SelectionError::MissingName),
            ("h:", SelectionError::MissingName),
            ("`h", SelectionError::OpenBacktick),
            ("a:b:c", SelectionError::Colon("a:b:c".to_owned())),
        ] {
            assert_eq!(text.parse::<Picks>(), Err(expected), "{text:?}");
        }
        assert_eq!(
            "a:b".parse::<Names>(),
            Err(SelectionError::Colon("a:b".to_owned()))
        );
    }
}
