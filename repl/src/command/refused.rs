//! A command line that clap refuses, in the language of the reader. In English it is what clap says.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use situ_words::say;

/// What is wrong with an argument, in one line: the mistake, and what may be meant.
pub(super) fn in_one_line(error: &clap::Error) -> String {
    let line = line(error);
    let words = |kind| texts(error, kind);
    match words(ContextKind::SuggestedValue).first() {
        Some(near) => say!("cli-in-one-line.did-you-mean", line, near),
        None => match words(ContextKind::ValidValue) {
            known if known.is_empty() => line,
            known => say!("cli-in-one-line.it-is-one", line, known = known.join(", ")),
        },
    }
}

/// All that is said of a refused command line: the mistake, what may be meant, the usage, where there is help.
pub(super) fn told(error: &clap::Error) -> String {
    let mut text = line(error);
    let lists = [
        (ContextKind::ValidValue, say!("refused-values")),
        (ContextKind::ValidSubcommand, say!("refused-subcommands")),
    ];
    for (kind, name) in lists {
        let values = texts(error, kind);
        if !values.is_empty() {
            text += &format!("\n  [{name}: {}]", values.join(", "));
        }
    }
    let tips = tips(error);
    if !tips.is_empty() {
        text.push('\n');
    }
    for tip in tips {
        text += &format!("\n  {} {tip}", say!("refused-tip"));
    }
    if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        let usage = usage.to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
        text += &format!("\n\n{} {usage}", say!("usage-any.usage"));
    }
    text + "\n\n" + &say!("refused-more")
}

/// The texts of a part of an error.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// The mistake.
fn line(error: &clap::Error) -> String {
    let text = |kind| texts(error, kind).into_iter().next();
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => i64::try_from(*number).ok(),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue);
    let found = number(ContextKind::ActualNumValues);
    let said = match (error.kind(), argument, value) {
        (ErrorKind::ArgumentConflict, Some(argument), _) => {
            let others = texts(error, ContextKind::PriorArg);
            Some(match &others[..] {
                [other] if *other == argument => say!("refused-conflict.twice", argument),
                [other] => say!("refused-conflict", argument, other),
                others => {
                    let others: String = others.iter().map(|one| format!("\n  {one}")).collect();
                    say!("refused-conflict.several", argument, others)
                }
            })
        }
        (ErrorKind::NoEquals, Some(argument), _) => Some(say!("refused-no-equals", argument)),
        (ErrorKind::InvalidValue, Some(argument), Some(value)) => Some(match value.is_empty() {
            true => say!("refused-value.missing", argument),
            false => say!("refused-value", argument, value),
        }),
        (ErrorKind::ValueValidation, Some(argument), Some(value)) => Some(match error.source() {
            Some(why) => say!("refused-value.why", argument, value, why = why.to_string()),
            None => say!("refused-value", argument, value),
        }),
        (ErrorKind::InvalidSubcommand, ..) => {
            let command = text(ContextKind::InvalidSubcommand);
            command.map(|command| say!("refused-command", command))
        }
        (ErrorKind::MissingRequiredArgument, Some(_), _) => {
            let missing = texts(error, ContextKind::InvalidArg);
            let missing: String = missing.iter().map(|one| format!("\n  {one}")).collect();
            Some(say!("refused-required", missing))
        }
        (ErrorKind::MissingSubcommand, ..) => {
            let command = text(ContextKind::InvalidSubcommand);
            command.map(|command| say!("refused-command.missing", command))
        }
        (ErrorKind::TooManyValues, Some(argument), Some(value)) => {
            Some(say!("refused-count.more", argument, value))
        }
        (ErrorKind::TooFewValues, Some(argument), _) => {
            let wanted = number(ContextKind::MinValues).zip(found);
            wanted.map(|(wanted, found)| say!("refused-count.least", argument, wanted, n = found))
        }
        (ErrorKind::WrongNumberOfValues, Some(argument), _) => {
            let wanted = number(ContextKind::ExpectedNumValues).zip(found);
            wanted.map(|(wanted, found)| say!("refused-count", argument, wanted, n = found))
        }
        (ErrorKind::UnknownArgument, Some(argument), _) => Some(say!("refused-unknown", argument)),
        (ErrorKind::InvalidUtf8, ..) => Some(say!("refused-no-utf8")),
        _ => None,
    };
    said.unwrap_or_else(|| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        line.trim_start_matches("error: ").to_owned()
    })
}

/// What may be meant.
fn tips(error: &clap::Error) -> Vec<String> {
    let near = |kind| {
        let near = texts(error, kind);
        let n = near.len();
        (n > 0).then(|| (n, near.join(&say!("refused-near.and"))))
    };
    let mut tips = Vec::new();
    if let Some((n, near)) = near(ContextKind::SuggestedSubcommand) {
        tips.push(say!("refused-near.command", n, near));
    }
    if let Some((n, near)) = near(ContextKind::SuggestedArg) {
        tips.push(say!("refused-near.argument", n, near));
    }
    if let Some((n, near)) = near(ContextKind::SuggestedValue) {
        tips.push(say!("refused-near.value", n, near));
    }
    for tip in texts(error, ContextKind::Suggested) {
        // Clap has these as sentences; what they quote is what they say.
        let quoted: Vec<&str> = tip.split('\'').skip(1).step_by(2).collect();
        tips.push(match quoted[..] {
            [argument, form] if tip.starts_with("to pass ") => {
                say!("refused-pass", argument, form)
            }
            [form] if tip.ends_with(" exists") => say!("refused-exists", form),
            _ => tip,
        });
    }
    tips
}

#[cfg(test)]
mod tests {
    use situ_words::Language;

    use super::*;
    use crate::command::command_line;

    const LINES: &[&str] = &[
        "run",
        "run a.ron --bogus",
        "run a.ron --stepp 1",
        "rnu a.ron",
        "run a.ron b.ron",
        "run a.ron --step",
        "run a.ron --step x",
        "run a.ron --max-steps -1",
        "run a.ron --method rk45",
        "run a.ron --scan x",
        "run a.ron --events --ticks",
        "run a.ron --step 1 --step 2",
        "run a.ron --frame 1",
        "run a.ron --quiet=1",
        "run a.ron -x",
        "compare a.ron --vars h",
        "lab a.ron --out a.csv",
        "converge a.ron --runs 2",
        "explain N001 N002",
        "--bogus",
    ];

    fn refused(line: &str) -> clap::Error {
        let words = std::iter::once("situ").chain(line.split(' '));
        let parsed = command_line().try_get_matches_from(words);
        parsed.expect_err(line)
    }

    #[test]
    fn in_english_it_is_what_clap_says() {
        for line in LINES {
            let error = refused(line);
            let ours = format!("error: {}\n", told(&error));
            assert_eq!(ours, error.to_string(), "{line}");
        }
    }

    /// Whether the option takes it is for its value to say.
    #[test]
    fn a_negative_number_behind_an_option_is_its_value() {
        for line in [
            "open --port -1",
            "run a.ron --max-steps -1",
            "sweep a.ron --over x=0..1 --runs -1",
            "sweep a.ron --over x=0..1 --threads -1",
        ] {
            let error = refused(line);
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{line}: {error}");
        }
    }

    #[test]
    fn in_russian_nothing_is_left_in_english() {
        for line in LINES {
            let said = Language::Russian.within(|| told(&refused(line)));
            let (said, _) = said.split_once("Использование:").unwrap_or((&said, ""));
            let said: Vec<&str> = said.split('`').step_by(2).collect();
            let said = said.join("");
            let is_english =
                |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase());
            let words: Vec<&str> = said.split([' ', '\n']).collect();
            let left = words
                .windows(2)
                .find(|pair| pair.iter().all(|word| is_english(word)));
            assert_eq!(left, None, "{line}: {said}");
        }
    }
}
