//! The list of commands, from which help, completion, the reference and the tests of examples are
//! made; and how a line finds its command.
//!
//! A command is one [`Command`] in its group's file and a word in the `COMMANDS` of that file; what it does is said in the
//! catalogue, under `command-NAME`.

use situ_rules::{SourceMap, parse};
use situ_words::say;

use super::commands::{GROUPS, change, look};
use super::mistyped::{advised, on_latin_keys, other_layout};
use super::reply::{CommandError, Outcome};
use super::{Console, ProgressSink, names};

/// Something that can be said at the prompt.
#[derive(Debug)]
pub struct Command {
    /// Its name; any prefix that fits no other command will do.
    pub name: &'static str,
    /// Shorter names; they need not be prefixes.
    pub short: &'static [&'static str],
    /// Group in the help.
    pub group: Group,
    /// Text that follows the name.
    pub usage: &'static str,
    /// Kinds of its arguments, for completion.
    pub takes: &'static [Argument],
    /// Uses with what they show; the help prints them and tests run them.
    pub examples: &'static [Example],
    /// True if it changes what `undo` brings back.
    pub undoable: bool,
    /// True if an empty line does it again.
    pub repeats: bool,
    /// Does it.
    pub(super) run: fn(&mut Console, &str, &mut dyn ProgressSink) -> Outcome,
}

impl Command {
    /// Description, one line.
    pub fn about(&self) -> String {
        let id = format!("command-{}", self.name);
        situ_words::prose(&id).unwrap_or(id)
    }

    /// Help, some sentences; may be empty.
    pub fn help(&self) -> String {
        situ_words::prose(&format!("command-{}.help", self.name)).unwrap_or_default()
    }
}

/// A use of a command.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Lines before it.
    pub given: &'static [&'static str],
    /// The line.
    pub line: &'static str,
    /// A part of what it shows.
    pub shows: &'static str,
}

/// Kind of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Quantities and booleans.
    Name,
    /// Names inside an expression or a condition.
    Expression,
    /// Ids of rows.
    Row,
    /// Ids of rows that are set aside.
    RowAside,
    /// A file to read.
    File,
    /// Cases of the table.
    Case,
    /// Marks.
    Mark,
    /// Branches.
    Branch,
    /// Numbers of stops.
    Stop,
    /// Ranges.
    Range,
    /// Commands.
    Command,
    /// Settings of the clock, besides names.
    Setting,
    /// Value of a name or setting, behind its `=`.
    Value,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The groups, in the order of the help.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// The table.
    Model,
    /// Forward.
    Run,
    /// Back.
    Back,
    /// A breakpoint.
    Stop,
    /// Values.
    Look,
    /// Reasons.
    Explain,
    /// Values and rules.
    Change,
    /// Undo and branches.
    Lines,
    /// Plots and files of numbers.
    Show,
    /// The session.
    Session,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 10] = [
        Self::Model,
        Self::Run,
        Self::Back,
        Self::Stop,
        Self::Look,
        Self::Explain,
        Self::Change,
        Self::Lines,
        Self::Show,
        Self::Session,
    ];

    /// Its heading.
    pub fn name(self) -> String {
        match self {
            Self::Model => say!("console-group-model"),
            Self::Run => say!("console-group-run"),
            Self::Back => say!("console-group-back"),
            Self::Stop => say!("console-group-stop"),
            Self::Look => say!("console-group-look"),
            Self::Explain => say!("console-group-explain"),
            Self::Change => say!("console-group-change"),
            Self::Lines => say!("console-group-lines"),
            Self::Show => say!("console-group-show"),
            Self::Session => say!("console-group-session"),
        }
    }
}

/// Every command, in the order of the help.
pub(super) fn all() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().copied().flatten()
}

/// The command that a word names: in full, by a short name, or by a prefix that fits one only.
pub(super) fn named(word: &str) -> Result<&'static Command, Vec<&'static Command>> {
    let exact = all().find(|command| command.name == word || command.short.contains(&word));
    if let Some(command) = exact {
        return Ok(command);
    }
    let fitting: Vec<&'static Command> = all()
        .filter(|command| !word.is_empty() && command.name.starts_with(word))
        .collect();
    match fitting.as_slice() {
        [command] => Ok(command),
        _ => Err(fitting),
    }
}

impl Console {
    /// The command that a line means, with its arguments.
    ///
    /// A rule is added; a name, an expression over names and the time are printed; everything else begins with a
    /// command.
    pub(super) fn understand(
        &self,
        line: &str,
    ) -> Result<(&'static Command, String), CommandError> {
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
        let is_name = || names::find(&self.version().model, line).is_some();
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
                names::find(&self.version().model, value).is_some() || self.is_value(value)
            }
            None => is_expression(line) && self.bind(line).is_ok(),
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
