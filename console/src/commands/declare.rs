//! Declarations in mid-run: quantities, invariants, and what the table is called.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;
use situ_rules::print::string;
use situ_rules::{SourceMap, edit, parse};

use super::change::edit_trouble;
use super::look::{PRINT, number};
use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::names::{bare, find, spelt};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_rules::print;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::{exact, rounded};
use situ_words::say;

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[REAL, CONSTANT, SWITCH, INVARIANT, TITLE];

const REAL: Command = Command {
    name: "real",
    short: &[],
    group: Group::Change,
    usage: "NAME [= START] [[UNIT]] [hidden] [# ABOUT]",
    takes: &[Argument::Number],
    examples: &[Example {
        given: &["real x = 1 [m] # position"],
        line: "vars",
        shows: "position",
    }],
    undoable: true,
    repeats: false,
    run: |console, args, progress| declare(console, "reals", args, progress),
};

const CONSTANT: Command = Command {
    name: "constant",
    short: &[],
    group: Group::Change,
    usage: "NAME = VALUE [[UNIT]] [# ABOUT]",
    takes: &[Argument::Number],
    examples: &[Example {
        given: &["constant g = 9.81 [m/s^2]"],
        line: "g",
        shows: "g = 9.81 m/s^2",
    }],
    undoable: true,
    repeats: false,
    run: |console, args, progress| declare(console, "constants", args, progress),
};

const SWITCH: Command = Command {
    name: "switch",
    short: &[],
    group: Group::Change,
    usage: "NAME [= true|false] [# ABOUT]",
    takes: &[],
    examples: &[Example {
        given: &["switch On = true"],
        line: "On",
        shows: "On: true",
    }],
    undoable: true,
    repeats: false,
    run: |console, args, progress| declare(console, "switches", args, progress),
};

/// The text in which a name of a part has another start; `None` if the name belongs to none.
fn of_part(
    version: &Version,
    name: &str,
    start: &str,
    (unit, about, hidden): (&str, &str, bool),
) -> Result<Option<String>, CommandError> {
    if find(&version.model, name).is_none() {
        return Ok(None);
    }
    let own = version.tables.last();
    let mut parts = own.iter().flat_map(|table| &table.parts).enumerate();
    let inside = |part: &str| name.strip_prefix(part)?.strip_prefix('.');
    let found = parts.find_map(|(index, part)| Some((index, inside(&part.name.value)?)));
    let Some((index, inside)) = found else {
        return match version.model.part_of(name) {
            Some(part) => {
                Err(
                    CommandError::new(say!("console-name-of-part", name, part = part.name))
                        .with_help(say!("console-name-of-part.help", name)),
                )
            }
            None => Ok(None),
        };
    };
    if start.is_empty() || hidden || !unit.is_empty() || !about.is_empty() {
        return Err(CommandError::new(say!("console-declared-in-part", name))
            .with_help(say!("console-declared-in-part.help")));
    }
    let is_plain = start.parse::<f64>().is_ok_and(f64::is_finite);
    let value = match is_plain || start == "true" || start == "false" {
        true => start.to_owned(),
        false => string(start),
    };
    let text = edit::set_of_part(&version.document.text, index, inside, &value);
    text.map(Some).map_err(edit_trouble)
}

/// What stands before a unit in brackets, and the unit. Brackets that touch a name are indices.
fn head_and_unit(head: &str) -> (&str, &str) {
    let Some((before, unit)) = (head.strip_suffix(']')).and_then(|head| head.rsplit_once('['))
    else {
        return (head, "");
    };
    let is_of_name = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '`');
    let n_touching: usize = before
        .chars()
        .rev()
        .take_while(is_of_name)
        .map(char::len_utf8)
        .sum();
    let touching = &before[before.len() - n_touching..];
    match touching.starts_with(|letter: char| !letter.is_numeric()) {
        true => (head, ""),
        false => (before.trim(), unit.trim()),
    }
}

/// The name of a family as tables have it, `u[0 .. N]`; `None` of a single quantity.
fn family(name: &str) -> Option<String> {
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", format!("{name} = 0"));
    let (setting, _) = parse::setting(&sources, sources.span(id));
    let name = setting?.name;
    name.index.is_some().then_some(name.value)
}

fn declare(
    console: &mut Console,
    field: &str,
    args: &str,
    progress: &mut dyn ProgressSink,
) -> Outcome {
    let version = console.version();
    let (head, about) = match args.split_once('#') {
        Some((head, about)) => (head.trim(), about.trim()),
        None => (args, ""),
    };
    let (head, hidden) = match head.strip_suffix("hidden") {
        Some(head) if head.ends_with([' ', ']']) => (head.trim(), true),
        _ => (head, false),
    };
    let (head, unit) = head_and_unit(head);
    let (name, start) = match head.split_once('=') {
        Some((name, start)) => (name, start.trim()),
        None => (head, ""),
    };
    let family = family(name);
    let name = family.as_deref().unwrap_or_else(|| bare(name));
    let word = match field {
        "constants" => "constant",
        "reals" => "real",
        _ => "switch",
    };
    if name.is_empty() {
        return Err(CommandError::new(say!("console-declaration-needs", word))
            .with_help(say!("console-declaration-needs.help", word)));
    }
    let is_bare = start.is_empty() && unit.is_empty() && about.is_empty() && !hidden;
    if is_bare && find(&version.model, name).is_some() {
        return (PRINT.run)(console, &spelt(name), progress);
    }
    if let Some(edited) = of_part(&version, name, start, (unit, about, hidden))? {
        let version = version.edited(edited, console.look.style)?;
        return console.revise(version, &format!("{word} {args}"), progress);
    }
    let table = version.tables.last();
    let quantities = table.map_or(&[][..], |table| match field {
        "constants" => &table.constants,
        "reals" => &table.reals,
        _ => &[],
    });
    let known = match field {
        "switches" => table.and_then(|table| {
            let mut switches = table.switches.iter();
            switches.position(|one| one.name.value == name)
        }),
        _ => quantities.iter().position(|one| one.name.value == name),
    };
    // What is not said stays as it is.
    let old = known.and_then(|index| quantities.get(index));
    let old_switch = known
        .and_then(|index| table?.switches.get(index))
        .filter(|_| field == "switches");
    let is_inherited = known.is_none() && find(&version.model, name).is_some();
    let start = match (start, field) {
        ("", "switches") => {
            let start = old_switch.and_then(|old| old.start.as_ref());
            start.map(|start| start.value.to_string())
        }
        ("", _) => {
            let start = old.and_then(|old| old.start.as_ref());
            start.map(situ_rules::print::expression)
        }
        (start, _) => Some(start.to_owned()),
    };
    let start = match (start, field) {
        (None, "constants") if !is_inherited => {
            return Err(CommandError::new(say!("console-constant-needs"))
                .with_help(say!("console-constant-needs.help", name)));
        }
        (None, "switches") if !is_inherited => Some("false".to_owned()),
        (None, _) if !is_inherited => Some("0".to_owned()),
        (start, _) => start,
    };
    let is_plain =
        |start: &str| start.parse::<f64>().is_ok_and(f64::is_finite) || field == "switches";
    let start = start.map(|start| match is_plain(&start) {
        true => start,
        false => string(&start),
    });
    let old_unit = old
        .and_then(|old| old.unit.as_ref())
        .map(|unit| &*unit.value);
    let old_about = match old_switch {
        Some(old) => old.about.as_ref(),
        None => old.and_then(|old| old.about.as_deref()),
    };
    let unit = Some(unit).filter(|unit| !unit.is_empty()).or(old_unit);
    let about = Some(about).filter(|about| !about.is_empty());
    let about = about.or(old_about.map(|about| &*about.value));
    let was_hidden = old
        .and_then(|old| old.output.as_ref())
        .is_some_and(|output| !output.value);
    let mut columns: Vec<String> = start
        .iter()
        .map(|start| format!("start: {start}"))
        .collect();
    let before = old.and_then(|old| old.before.as_ref());
    columns.extend(
        before.map(|before| format!("before: {}", string(&situ_rules::print::expression(before)))),
    );
    if let Some(unit) = unit
        && field != "switches"
    {
        columns.push(format!("unit: {}", string(unit)));
    }
    columns.extend(about.map(|about| format!("about: {}", string(about))));
    if hidden || was_hidden {
        columns.push("output: false".to_owned());
    }
    let nominal = old.and_then(|old| old.nominal.as_ref());
    columns.extend(nominal.map(|size| format!("nominal: {}", exact(size.value))));
    let range = old.and_then(|old| old.range.as_ref());
    columns.extend(range.map(|range| {
        let [low, high] = range.value.map(exact);
        format!("range: ({low}, {high})")
    }));
    let value = match (&start, columns.len()) {
        (Some(start), 1) => start.clone(),
        _ => format!("({})", columns.join(", ")),
    };
    let key = match &family {
        Some(family) => string(family),
        None => string(&spelt(name)),
    };
    let entry = format!("{key}: {value}");
    let text = &version.document.text;
    let edited = match known {
        Some(index) => edit::replace(text, field, index, &entry),
        None => edit::insert(text, field, usize::MAX, &entry),
    };
    let mut choices = version.choices.clone();
    choices.settings.retain(|(set, _)| set != name);
    let document = version.document.with_text(edited.map_err(edit_trouble)?);
    let version = Version::of(document, choices, console.look.style)?;
    console.revise(version, &format!("{word} {args}"), progress)
}

const INVARIANT: Command = Command {
    name: "invariant",
    short: &[],
    group: Group::Change,
    usage: "[NAME: EXPR]",
    takes: &[Argument::Number],
    examples: &[Example {
        given: &[
            "real x = 1",
            "real v",
            "v = integral(-x)",
            "x = integral(v)",
            "invariant energy: x * x + v * v",
            "step 1000",
        ],
        line: "invariant",
        shows: "energy",
    }],
    undoable: true,
    repeats: false,
    run: invariant,
};

fn invariant(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return drifts(console);
    }
    let Some((name, value)) = args.split_once([':', '=']) else {
        return Err(CommandError::new(say!("console-invariant-needs"))
            .with_help(say!("console-invariant-needs.help")));
    };
    let (name, value) = (bare(name), value.trim());
    let version = console.version();
    let table = version.tables.last();
    let known = table.and_then(|table| {
        let mut invariants = table.invariants.iter();
        invariants.position(|one| one.name.value == name)
    });
    let entry = format!("{}: {}", string(&spelt(name)), string(value));
    let text = &version.document.text;
    let edited = match known {
        Some(index) => edit::replace(text, "invariants", index, &entry),
        None => edit::insert(text, "invariants", usize::MAX, &entry),
    };
    let document = version.document.with_text(edited.map_err(edit_trouble)?);
    let version = Version::of(document, version.choices.clone(), console.look.style)?;
    console.revise(version, &format!("invariant {args}"), progress)
}

/// Drifts of the invariants of the present table since the start.
fn drifts(console: &mut Console) -> Outcome {
    let model = Arc::clone(&console.version().model);
    if model.invariants.is_empty() {
        return Ok(CommandOutput::line(say!("console-no-invariants")));
    }
    let names = model.invariants.iter().map(|one| one.name.as_str());
    let mut found: Vec<(&str, Option<[f64; 3]>)> = names.map(|name| (name, None)).collect();
    let history = console.state.history.clone();
    let steps = history.steps_before();
    console
        .segments
        .walk(&history, 0, steps, &mut |_, model, run| {
            let row = run.row();
            for (name, found) in &mut found {
                if let Some(one) = model.invariants.iter().find(|one| one.name == **name) {
                    let now = model.value_at(one.value, row.reals, row.constants, row.time);
                    let [start, _, drift] = found.unwrap_or([now, now, 0.0]);
                    *found = Some([start, now, drift.max((now - start).abs())]);
                }
            }
            ControlFlow::Continue(())
        });
    let mut listing = Listing::new([
        (say!("console-column-invariant"), Align::Left),
        (say!("console-column-start"), Align::Right),
        (say!("console-column-now"), Align::Right),
        (say!("console-column-drift"), Align::Right),
    ]);
    let mut data = serde_json::Map::new();
    for (name, values) in found {
        let [start, now, drift] = values.unwrap_or([f64::NAN; 3]);
        listing.row([
            print::name(name),
            rounded(start),
            rounded(now),
            rounded(drift),
        ]);
        data.insert(
            name.to_owned(),
            json!({ "start": number(start), "now": number(now), "drift": number(drift) }),
        );
    }
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        data.into(),
    ))
}

const TITLE: Command = Command {
    name: "title",
    short: &[],
    group: Group::Change,
    usage: "[name|about|source] TEXT",
    takes: &[Argument::Words(&["name", "about", "source"])],
    examples: &[Example {
        given: &[],
        line: "title tank",
        shows: "name: tank",
    }],
    undoable: true,
    repeats: false,
    run: title,
};

fn title(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (field, text) = match args.split_once(char::is_whitespace) {
        Some((word @ ("name" | "about" | "source"), text)) => (word, text.trim()),
        _ => ("name", args),
    };
    if text.is_empty() {
        return Err(CommandError::new(say!("console-title-needs"))
            .with_help(say!("console-title-needs.help")));
    }
    let version = console.version();
    let edited = edit::set(&version.document.text, field, &string(text)).map_err(edit_trouble)?;
    let version = version.edited(edited, console.look.style)?;
    let mut said: CommandOutput = console.revise(version, &format!("title {args}"), progress)?;
    said.text.insert_str(0, &format!("{field}: {text}\n"));
    Ok(said)
}
