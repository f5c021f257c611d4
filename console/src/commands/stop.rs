//! Commands for breakpoints: the places at which runs stop.

use std::sync::Arc;

use serde_json::json;

use crate::command::{Argument, Command, Example, Group};
use crate::history::stops::{Probe, Stop, StopOn};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_views::text::listing::{Align, Listing};
use situ_words::say;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[BREAK, WATCH, STOPS, DELETE];

const BREAK: Command = Command {
    name: "break",
    short: &["br", "tbreak"],
    group: Group::Stop,
    usage: "[once] COND | rule ID | change NAME | time T | margin RANGE < EPS",
    takes: &[
        Argument::Words(&["once", "rule", "change", "time", "margin"]),
        Argument::Expression,
        Argument::Row,
    ],
    examples: &[
        Example {
            given: &["load scenarios/hoop/table.ron", "break contact & V_pos"],
            line: "run",
            shows: "stopped: break 1: contact & V_pos",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "break rule 3"],
            line: "run",
            shows: "accelerating",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "break margin contact < 1"],
            line: "run",
            shows: "break 1: margin contact < 1",
        },
        Example {
            given: HOOP,
            line: "break once time 0.5",
            shows: "1: time 0.5, once",
        },
    ],
    undoable: true,
    repeats: false,
    run: add_break,
};

fn add_break(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return list(console);
    }
    let (once, rest) = match args.strip_prefix("once ") {
        Some(rest) => (true, rest.trim()),
        None => (false, args),
    };
    let (word, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let tail = tail.trim();
    // A condition may begin with one of the words: `time > 3`.
    let compares = tail.starts_with(['<', '>', '=', '!', '+', '-', '*', '/', '^', '&']);
    let on = match word {
        _ if compares => StopOn::Condition(rest.to_owned()),
        "rule" if !tail.is_empty() => StopOn::Rule(tail.to_owned()),
        "change" if !tail.is_empty() => StopOn::Change(tail.to_owned()),
        "time" if !tail.is_empty() => StopOn::Time(console.number(tail)?),
        "margin" if !tail.is_empty() => {
            let (range, distance) = tail.split_once('<').ok_or_else(|| {
                CommandError::new(say!("console-margin-needs"))
                    .with_help(say!("console-margin-needs.help"))
            })?;
            StopOn::Margin(range.trim().to_owned(), console.number(distance)?)
        }
        _ => StopOn::Condition(rest.to_owned()),
    };
    add(console, on, once)
}

/// Adds a stop that makes sense in the present table.
fn add(console: &mut Console, on: StopOn, once: bool) -> Outcome {
    let version = console.version();
    let mut model = (*version.model).clone();
    let mut bind = |text: &str| console.bind_into(&version, &mut model, text);
    Probe::new(&on, &version, &mut bind)?;
    let stops = Arc::make_mut(&mut console.state.stops);
    let number = stops.iter().map(|stop| stop.number).max().unwrap_or(0) + 1;
    let stop = Stop {
        number,
        on,
        once,
        enabled: true,
    };
    let text = described(&stop);
    stops.push(stop);
    Ok(CommandOutput::line(text))
}

/// What is special about a stop.
fn notes(stop: &Stop) -> Vec<String> {
    let once = stop.once.then(|| say!("console-stop-once"));
    let off = (!stop.enabled).then(|| say!("console-stop-off"));
    once.into_iter().chain(off).collect()
}

fn described(stop: &Stop) -> String {
    let mut text = format!("{}: {}", stop.number, stop.on);
    for note in notes(stop) {
        text.push_str(&format!(", {note}"));
    }
    text
}

const WATCH: Command = Command {
    name: "watch",
    short: &["w"],
    group: Group::Stop,
    usage: "[NAME]",
    takes: &[Argument::Name],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "watch contact"],
        line: "run",
        shows: "contact: true",
    }],
    undoable: true,
    repeats: false,
    run: watch,
};

fn watch(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return list(console);
    }
    let said = add(console, StopOn::Change(args.to_owned()), false)?;
    let shown = Arc::make_mut(&mut console.state.shown);
    if !shown.iter().any(|one| one == args) {
        shown.push(args.to_owned());
    }
    Ok(said)
}

const STOPS: Command = Command {
    name: "stops",
    short: &[],
    group: Group::Stop,
    usage: "[on N | off N]",
    takes: &[Argument::Words(&["on", "off"]), Argument::Stop],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "break contact"],
        line: "stops off 1",
        shows: "1: contact, off",
    }],
    undoable: true,
    repeats: false,
    run: stops,
};

fn stops(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    match word {
        "" => list(console),
        "on" | "off" => {
            let index = position(console, rest.trim())?;
            let stop = &mut Arc::make_mut(&mut console.state.stops)[index];
            stop.enabled = word == "on";
            Ok(CommandOutput::line(described(stop)))
        }
        _ => Err(
            CommandError::new(say!("console-stops-not-understood", word))
                .with_help(say!("console-stops-not-understood.help")),
        ),
    }
}

fn list(console: &mut Console) -> Outcome {
    let mut listing = Listing::new([
        (say!("console-column-number"), Align::Right),
        (say!("console-column-stops-on"), Align::Left),
        (String::new(), Align::Left),
    ]);
    let mut data = Vec::new();
    for stop in console.state.stops.iter() {
        listing.row([
            stop.number.to_string(),
            stop.on.to_string(),
            notes(stop).join(", "),
        ]);
        data.push(json!({
            "number": stop.number,
            "on": stop.on.to_string(),
            "once": stop.once,
            "enabled": stop.enabled,
        }));
    }
    if listing.is_empty() {
        return Ok(CommandOutput::line(say!("console-no-stops")));
    }
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        json!(data),
    ))
}

fn position(console: &Console, number: &str) -> Result<usize, CommandError> {
    let wanted: Option<u32> = number.parse().ok();
    let found = console
        .state
        .stops
        .iter()
        .position(|stop| Some(stop.number) == wanted);
    found.ok_or_else(|| {
        CommandError::new(say!("console-no-stop", number)).with_help(say!("console-no-stop.help"))
    })
}

const DELETE: Command = Command {
    name: "delete",
    short: &[],
    group: Group::Stop,
    usage: "N | all",
    takes: &[Argument::Stop],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "break contact"],
        line: "delete 1",
        shows: "1: contact is gone",
    }],
    undoable: true,
    repeats: false,
    run: delete,
};

fn delete(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args == "all" {
        let gone = console.state.stops.len();
        console.state.stops = Arc::default();
        return Ok(CommandOutput::line(say!("console-taken-away", gone)));
    }
    if args.is_empty() {
        return Err(CommandError::new(say!("console-delete-needs"))
            .with_help(say!("console-delete-needs.help")));
    }
    let index = position(console, args)?;
    let stop = Arc::make_mut(&mut console.state.stops).remove(index);
    Ok(CommandOutput::line(say!(
        "console-stop-gone",
        number = stop.number,
        on = stop.on.to_string()
    )))
}
