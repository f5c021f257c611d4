//! The command `rename`: another name for a quantity, a boolean, a part or a machine, in the text and in the run.

use std::sync::Arc;

use situ_engine::model::element;
use situ_rules::edit::{self, renamed_in_row};
use situ_rules::tree::{Name, Table};
use situ_words::say;

use super::edit_trouble;
use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::history::stops::{Stop, StopOn};
use crate::names::{bare, find, named, spelt};
use crate::reply::{CommandError, Outcome};
use crate::{Console, ProgressSink};

pub(super) const RENAME: Command = Command {
    name: "rename",
    short: &[],
    group: Group::Change,
    usage: "OLD NEW",
    takes: &[Argument::Name],
    examples: &[
        Example {
            given: &[
                "load scenarios/hoop/table.ron",
                "run to 0.5",
                "rename P force",
            ],
            line: "show rule 1",
            shows: "[1] force = -m * g",
        },
        Example {
            given: &[
                "load scenarios/hoop/table.ron",
                "break contact",
                "rename contact touches",
            ],
            line: "run",
            shows: "stopped: break 1: touches",
        },
    ],
    undoable: true,
    repeats: false,
    run: rename,
};

fn rename(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (old, new) = two_names(args).ok_or_else(|| {
        CommandError::new(say!("console-rename-what")).with_help(say!("console-rename-what.help"))
    })?;
    let version = console.version();
    if is_taken(&version, new) {
        return Err(CommandError::new(say!("console-name-taken", name = new)));
    }
    if let Some((family, _)) = element(old).filter(|_| is_taken(&version, old)) {
        return Err(
            CommandError::new(say!("console-element-of-family", name = old, family))
                .with_help(say!("console-element-of-family.help", family)),
        );
    }
    declared_here(&version, old)?;
    let machine = old.rsplit_once('.').map(|(machine, _)| machine);
    let full = match machine {
        Some(machine) if !new.contains('.') => format!("{machine}.{new}"),
        _ => new.to_owned(),
    };
    let text = edit::rename(&version.document.text, old, &full).map_err(edit_trouble)?;
    let mut choices = version.choices.clone();
    for (name, value) in &mut choices.settings {
        *name = renamed_in_row(&spelt(name), old, &full);
        *name = bare(name).to_owned();
        *value = renamed_in_row(value, old, &full);
    }
    for (_, formula) in &mut choices.formulas {
        *formula = renamed_in_row(formula, old, &full);
    }
    let style = console.look.style;
    let renamed = Version::of(version.document.with_text(text), choices, style)?;
    if !renamed.model.differs_in_names_only(&version.model) {
        return Err(
            CommandError::new(say!("console-other-meaning", old, new = full.as_str()))
                .with_help(say!("console-other-meaning.help")),
        );
    }
    let stops = console
        .state
        .stops
        .iter()
        .map(|stop| renamed_stop(stop, old, &full));
    let shown = console
        .state
        .shown
        .iter()
        .map(|text| renamed_in_row(text, old, &full));
    let (stops, shown) = (stops.collect(), shown.collect());
    let cause = format!("rename {} {}", spelt(old), spelt(new));
    let said = console.revise_names(renamed, &cause, progress)?;
    console.state.stops = Arc::new(stops);
    console.state.shown = Arc::new(shown);
    Ok(said)
}

/// Two names, each between backticks or up to a space.
fn two_names(args: &str) -> Option<(&str, &str)> {
    let (old, rest) = first_name(args.trim())?;
    let (new, rest) = first_name(rest.trim_start())?;
    rest.is_empty().then_some((old, new))
}

/// The first name of a text, and what follows it.
fn first_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = match text.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    };
    (!name.is_empty() && !name.contains('`')).then_some((name, rest))
}

/// True if something in the tables has the name, or the time does.
fn is_taken(version: &Version, name: &str) -> bool {
    let mut tables = version.tables.iter();
    name == "time"
        || find(&version.model, name).is_some()
        || tables.any(|table| declared(table).any(|known| known == name))
}

/// The names that a table declares, but for states of machines.
fn declared(table: &Table) -> impl Iterator<Item = &str> {
    let quantities = table.constants.iter().chain(&table.reals);
    (quantities.map(|one| &one.name))
        .chain(table.switches.iter().map(|one| &one.name))
        .chain(table.ranges.iter().map(|row| &row.body.name))
        .chain(table.situations.iter().map(|row| &row.body.name))
        .chain(table.lookups.iter().map(|one| &one.name))
        .chain(table.counters.iter().map(|one| &one.name))
        .chain(table.parts.iter().map(|one| &one.name))
        .chain(table.machines.iter().map(|one| &one.name))
        .chain(table.invariants.iter().map(|one| &one.name))
        .map(Name::base)
}

/// Refuses a name that the table at hand does not declare.
fn declared_here(version: &Version, name: &str) -> Result<(), CommandError> {
    let state = |table: &Table| {
        let mut machines = table.machines.iter();
        machines.any(|machine| {
            let inside = name.strip_prefix(&*machine.name.value);
            let inside = inside.and_then(|name| name.strip_prefix('.'));
            machine
                .states
                .iter()
                .any(|state| Some(&*state.name.value) == inside)
        })
    };
    let has = |table: &Table| declared(table).any(|known| known == name) || state(table);
    let (own, bases) = version.tables.split_last().expect("a version has a table");
    if has(own) {
        return Ok(());
    }
    let elsewhere =
        |message: String| CommandError::new(message).with_help(say!("console-name-elsewhere.help"));
    if let Some(base) = bases.iter().find(|table| has(table)) {
        let file = version.sources.get(base.source_id).name.as_str();
        return Err(elsewhere(say!(
            "console-name-elsewhere.in-base",
            name,
            file
        )));
    }
    let model = &version.model;
    if let Some(part) = model.part_of(name).filter(|_| find(model, name).is_some()) {
        let (part, file) = (part.name.as_str(), part.file.as_str());
        return Err(elsewhere(say!(
            "console-name-elsewhere.in-part",
            name,
            part,
            file
        )));
    }
    Err(match named(model, name) {
        Err(unknown) => unknown,
        Ok(_) => CommandError::new(say!("console-named-after-row", name)),
    })
}

fn renamed_stop(stop: &Stop, old: &str, new: &str) -> Stop {
    let name = |text: &str| bare(&renamed_in_row(&spelt(text), old, new)).to_owned();
    Stop {
        on: match &stop.on {
            StopOn::Condition(text) => StopOn::Condition(renamed_in_row(text, old, new)),
            StopOn::Rule(id) if id == old => StopOn::Rule(new.to_owned()),
            StopOn::Change(changes) => StopOn::Change(name(changes)),
            StopOn::Margin(range, distance) => StopOn::Margin(name(range), *distance),
            other => other.clone(),
        },
        ..stop.clone()
    }
}
