//! Line -> the command that it means, with its arguments.

use situ_rules::{SourceMap, parse};
use situ_words::say;

use super::command::{Argument, Command};
use super::commands::look::split_commas;
use super::commands::{all, change, look, named};
use super::mistyped::{advised, on_latin_keys, other_layout};
use super::reply::CommandError;
use super::{Console, names};

impl Console {
    /// The command that a line means, with its arguments.
    ///
    /// A rule is added; a name, an expression over names and the time are printed; everything else begins with a
    /// command.
    pub(super) fn understand(
        &self,
        line: &str,
    ) -> Result<(&'static Command, String), CommandError> {
        let (command, args) = self.meant(line)?;
        let takes = |one: &Argument| matches!(one, Argument::Name | Argument::Expression);
        let args = match command.takes.iter().any(takes) && command.name != change::ADD.name {
            true => names::without_blanks(&self.version().model, &args),
            false => args,
        };
        Ok((command, args))
    }

    fn meant(&self, line: &str) -> Result<(&'static Command, String), CommandError> {
        if let Some(topic) = line.strip_prefix('?') {
            let help = named("help").map_err(|_| CommandError::new(say!("console-no-help")))?;
            return Ok((help, topic.trim().to_owned()));
        }
        let end = line
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let is_urged = rest.starts_with('!') && word == "save";
        let rest_follows = rest.is_empty() || rest.starts_with([' ', '\t']) || word.is_empty();
        let rest_follows = rest_follows || is_urged;
        let is_name = || {
            let model = &self.version().model;
            names::find(model, line).is_some() || names::is_of_family(model, line)
        };
        let is_free = |word: &str| names::find(&self.version().model, word).is_none();
        if matches!(line, "t" | "time") && is_free(line) {
            return Ok((&look::PRINT, "time".to_owned()));
        }
        let exact = all()
            .find(|command| command.name == word)
            .filter(|_| rest_follows);
        let means_a_value = || (exact.is_none() || !is_free(word)) && self.is_value(line);
        if means_a_value() {
            return Ok((&look::PRINT, line.to_owned()));
        }
        if let Some(command) = exact
            && !(rest.is_empty() && is_name())
        {
            return Ok((command, rest.trim().to_owned()));
        }
        if is_name() {
            return Ok((&look::PRINT, line.to_owned()));
        }
        let mistakes = match rule(line) {
            Some(0) => return Ok((&change::ADD, line.to_owned())),
            other => other,
        };
        if let Some(meant) = on_other_keys(line) {
            let trouble = CommandError::new(say!("console-no-command", word = first_word(line)));
            return Err(trouble.with_help(other_layout(&meant)));
        }
        let found = if rest_follows {
            named(word)
        } else {
            Err(Vec::new())
        };
        match found {
            Ok(command) => Ok((command, rest.trim().to_owned())),
            // What has the shape of a rule is read as one, so that its mistake is shown in place.
            Err(_) if mistakes.is_some() => Ok((&change::ADD, line.to_owned())),
            Err(fitting) if fitting.len() > 1 => {
                let names: Vec<&str> = fitting.iter().map(|command| command.name).collect();
                Err(
                    CommandError::new(say!("console-several-commands", word)).with_help(say!(
                        "console-say-one",
                        names = names.join(&format!(" {} ", say!("console-or")))
                    )),
                )
            }
            Err(_) if is_expression(line) => Ok((&look::PRINT, line.to_owned())),
            Err(_) => Err(self.unknown(line)),
        }
    }
}

impl Console {
    /// Says that a line is nothing that can be done, and what may be meant: a command, or a name if it is one word.
    fn unknown(&self, line: &str) -> CommandError {
        let word = first_word(line);
        let version = self.version();
        let names = names::all(&version.model).map(|(name, _)| name);
        let names = names.filter(|_| word == line);
        let known: Vec<&str> = all().map(|command| command.name).chain(names).collect();
        let trouble = CommandError::new(say!("console-no-command", word));
        advised(trouble, word, &known, &say!("console-no-command.help"))
    }

    /// True if a line is an expression or a condition over names of the table, at a time or now.
    fn is_value(&self, line: &str) -> bool {
        match line.rsplit_once(" at ") {
            Some((value, _)) => {
                let model = &self.version().model;
                names::find(model, value).is_some()
                    || names::is_of_family(model, value)
                    || self.is_value(value)
            }
            None => match split_commas(line).as_slice() {
                [_] => is_expression(line) && self.bind(line).is_ok(),
                several => several.iter().all(|part| {
                    let model = &self.version().model;
                    *part == "time"
                        || names::find(model, part).is_some()
                        || names::is_of_family(model, part)
                        || self.is_value(part)
                }),
            },
        }
    }
}

/// The word that a line begins with; the line if that is none.
fn first_word(line: &str) -> &str {
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    match end {
        None | Some(0) => line,
        Some(end) => &line[..end],
    }
}

/// The line as it was meant if it was typed on the Russian layout of the keyboard and begins with a command there.
fn on_other_keys(line: &str) -> Option<String> {
    let meant = on_latin_keys(line)?;
    let is_typed_there = !line.starts_with(|c: char| c.is_ascii_alphanumeric());
    let command = named(meant.split_whitespace().next()?);
    (is_typed_there && command.is_ok()).then_some(meant)
}

/// Number of mistakes in a line read as a rule; `None` if it does not look like one.
fn rule(line: &str) -> Option<usize> {
    let head = line.split(['"', '#']).next().unwrap_or(line);
    let begins = line.starts_with('[') || line.starts_with("when ") || line.starts_with("event ");
    if !(begins || head.contains('=') || head.contains(':')) {
        return None;
    }
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", line);
    let (row, mistakes) = parse::line(&sources, sources.span(id), None);
    Some(mistakes.len() + usize::from(row.is_none()))
}

fn is_expression(line: &str) -> bool {
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", line);
    let span = sources.span(id);
    let calculates = line.contains(['+', '-', '*', '/', '^', '(', '<', '>', '&', '!']);
    calculates
        && (parse::expression(&sources, span).1.is_empty()
            || parse::condition(&sources, span).1.is_empty())
}
