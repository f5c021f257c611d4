//! The command `rename`: another name for a quantity, a boolean, a part or a machine, in the text and in the run.

use std::sync::Arc;

use situ_engine::model::{Model, element};
use situ_rules::edit::{self, in_row};
use situ_rules::tree::Table;

use super::edit_trouble;
use crate::document::Version;
use crate::history::stops::{Stop, StopOn};
use crate::list::{Argument, Command, Example, Group};
use crate::names::{bare, find, named};
use crate::prompt::spelt;
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
        CommandError::new("`rename` needs a name and the one it gets")
            .with_help("say `rename P force`")
    })?;
    let version = console.version();
    if let Some(taken) = meaning(&version, new) {
        return Err(CommandError::new(format!(
            "{} is called `{new}` already",
            taken
        )));
    }
    if let Some((family, _)) = element(old).filter(|_| meaning(&version, old).is_some()) {
        return Err(
            CommandError::new(format!("`{old}` is an element of `{family}`"))
                .with_help(format!("`rename {family} ..` renames all of them")),
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
        *name = in_row(&spelt(name), old, &full);
        *name = bare(name).to_owned();
        *value = in_row(value, old, &full);
    }
    for (_, formula) in &mut choices.formulas {
        *formula = in_row(formula, old, &full);
    }
    let style = console.look.style;
    let renamed = Version::of(version.document.with_text(text), choices, style)?;
    let pairs = renamed.model.renamed_from(&version.model);
    if pairs.is_none() {
        return Err(CommandError::new(format!(
            "with `{full}` for `{old}` the table would not mean the same"
        ))
        .with_help("another thing has this name, or a word of a row; take another one"));
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
        .map(|text| in_row(text, old, &full));
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

/// What a name of the table stands for, in a word.
fn meaning(version: &Version, name: &str) -> Option<&'static str> {
    let model = &version.model;
    if find(model, name).is_some() {
        return Some("a quantity or a boolean");
    }
    let mut tables = version.tables.iter();
    tables.find_map(|table| {
        declared(table)
            .find(|(known, _)| *known == name)
            .map(|(_, what)| what)
    })
}

/// The names that a table declares, and what they are.
fn declared(table: &Table) -> impl Iterator<Item = (&str, &'static str)> {
    let quantities = table.constants.iter().chain(&table.reals);
    let booleans = (table.switches.iter().map(|one| &one.name))
        .chain(table.ranges.iter().map(|row| &row.body.name))
        .chain(table.situations.iter().map(|row| &row.body.name));
    quantities
        .map(|one| (one.name.base(), "a quantity"))
        .chain(booleans.map(|name| (name.base(), "a boolean")))
        .chain(
            table
                .lookups
                .iter()
                .map(|one| (&*one.name.value, "a lookup")),
        )
        .chain(
            table
                .counters
                .iter()
                .map(|one| (&*one.name.value, "a counter")),
        )
        .chain(table.parts.iter().map(|one| (one.name.base(), "a part")))
        .chain(
            table
                .machines
                .iter()
                .map(|one| (&*one.name.value, "a machine")),
        )
        .chain(
            table
                .invariants
                .iter()
                .map(|one| (&*one.name.value, "an invariant")),
        )
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
    let has = |table: &Table| declared(table).any(|(known, _)| known == name) || state(table);
    let (own, bases) = version.tables.split_last().expect("a version has a table");
    if has(own) {
        return Ok(());
    }
    if let Some(base) = bases.iter().find(|table| has(table)) {
        let file = &version.sources.get(base.source_id).name;
        return Err(CommandError::new(format!(
            "`{name}` is declared in {file}, which this table extends"
        ))
        .with_help("rename it there"));
    }
    let model: &Model = &version.model;
    if let Some(part) = model.part_of(name).filter(|_| find(model, name).is_some()) {
        return Err(CommandError::new(format!(
            "`{name}` belongs to part `{}`, whose table is {}",
            part.name, part.file
        ))
        .with_help("rename it there"));
    }
    Err(match named(model, name) {
        Err(unknown) => unknown,
        Ok(_) => CommandError::new(format!(
            "no entry of the table declares `{name}`: it is called after its row"
        )),
    })
}

fn renamed_stop(stop: &Stop, old: &str, new: &str) -> Stop {
    let name = |text: &str| bare(&in_row(&spelt(text), old, new)).to_owned();
    Stop {
        on: match &stop.on {
            StopOn::Condition(text) => StopOn::Condition(in_row(text, old, new)),
            StopOn::Rule(id) if id == old => StopOn::Rule(new.to_owned()),
            StopOn::Change(changes) => StopOn::Change(name(changes)),
            StopOn::Margin(range, distance) => StopOn::Margin(name(range), *distance),
            other => other.clone(),
        },
        ..stop.clone()
    }
}
