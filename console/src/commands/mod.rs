//! The commands, one file per group of the help, and one for declarations.

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

use super::list::Command;

/// The commands of every file, in the order of the help.
pub(super) static GROUPS: [&[Command]; 17] = [
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
