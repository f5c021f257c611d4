//! The list of commands, from which help, completion, the reference and the tests of examples are made: one file per
//! group of the help, and one for declarations.
//!
//! A command is one [`Command`] in its group's file and a word in the `COMMANDS` of that file; what it does is said in
//! the catalogue, under `command-NAME`.

mod back;
pub(super) mod change;
mod declare;
mod explain;
mod lines;
pub(super) mod look;
pub(super) mod model;
mod revision;
pub(super) mod rows;
mod run;
mod screen;
mod session;
mod set;
mod show;
mod stop;

use super::command::Command;

/// The commands of every file, in the order of the help.
static GROUPS: [&[Command]; 17] = [
    model::COMMANDS,
    screen::table::COMMANDS,
    run::COMMANDS,
    screen::knobs::COMMANDS,
    back::COMMANDS,
    stop::COMMANDS,
    look::COMMANDS,
    look::study::COMMANDS,
    explain::COMMANDS,
    set::COMMANDS,
    change::COMMANDS,
    declare::COMMANDS,
    lines::COMMANDS,
    show::COMMANDS,
    screen::curves::COMMANDS,
    screen::scene::COMMANDS,
    session::COMMANDS,
];

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
