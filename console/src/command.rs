//! A command: its names, arguments and examples, and what does it.

use situ_words::say;

use super::reply::Outcome;
use super::{Console, ProgressSink};

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
    /// True if numbers stand in its arguments.
    pub(super) fn takes_numbers(&self) -> bool {
        let mut takes = self.takes.iter();
        takes.any(|one| {
            matches!(
                one,
                Argument::Expression | Argument::Value | Argument::Number
            )
        })
    }

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

/// The lines of examples, each with those before it unless they are those of the example before.
pub(crate) fn example_lines(examples: &'static [Example]) -> impl Iterator<Item = &'static str> {
    let before = [None].into_iter().chain(examples.iter().map(Some));
    examples.iter().zip(before).flat_map(|(example, before)| {
        let is_new = before.is_none_or(|before| before.given != example.given);
        let given = example.given.iter().filter(move |_| is_new).copied();
        given.chain([example.line])
    })
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
    /// Numbers, such as times.
    Number,
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
