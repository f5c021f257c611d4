//! Looking at values where the run stands.

pub(super) mod study;

use std::sync::Arc;

use serde_json::{Value, json};
use situ_engine::ids::RangeId;
use situ_engine::model::{Boolean, Range};

use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::names::{Asked, Named, bare, find, spread};
use crate::prompt::{status, time};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_rules::print::ModelText;
use situ_views::columns::observed::Values;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::say;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[PRINT, DISPLAY, STATE, EVENTS, MARGINS, TIGHT];

pub(crate) const PRINT: Command = Command {
    name: "print",
    short: &["p"],
    group: Group::Look,
    usage: "EXPR, .. [at T]",
    takes: &[Argument::Expression],
    examples: &[
        Example {
            given: HOOP,
            line: "print h, m * g * h",
            shows: "m * g * h = 392400",
        },
        Example {
            given: HOOP,
            line: "print h < R & Vy < 0",
            shows: "h < R & Vy < 0: false",
        },
        Example {
            given: HOOP,
            line: "h",
            shows: "h = 400 cm",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "run to 1"],
            line: "h - R at 0.5",
            shows: "h - R = 247.3",
        },
        Example {
            given: &["load scenarios/heat/table.ron"],
            line: "u[0..2]",
            shows: "u[2] = 0.727768",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "h * 2"],
            line: "_ / 4",
            shows: "800 / 4 = 200",
        },
    ],
    undoable: false,
    repeats: false,
    run: print,
};

fn print(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return Err(CommandError::new(say!("console-print-needs"))
            .with_help(say!("console-print-needs.help")));
    }
    let (values, at) = match args.rsplit_once(" at ") {
        Some((values, at)) => (values.trim(), Some(console.moment_named(at.trim())?)),
        None => (args, None),
    };
    let here = console.state.history.clone();
    let mut version = console.version();
    if let Some(at) = at {
        let place = console.seen_from(at)?;
        version = console.version_seen(&place);
        console.go(place);
    }
    let mut text = String::new();
    let mut data = serde_json::Map::new();
    let parts = split_commas(values).into_iter();
    for part in parts.flat_map(|part| spread(&version.model, part)) {
        let (line, value) = console.value_in(&version, &part)?;
        console.answer = value.as_f64().or(console.answer);
        text.push_str(&line);
        text.push('\n');
        data.insert(part, value);
    }
    console.go(here);
    Ok(CommandOutput::new(text, Value::Object(data)))
}

/// The parts between commas that stand in no brackets and no backticks.
pub(crate) fn split_commas(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, letter) in text.char_indices() {
        match letter {
            '`' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

impl Console {
    /// A value or a truth as a line, and as data.
    pub(crate) fn value_of(&mut self, text: &str) -> Result<(String, Value), CommandError> {
        let version = self.version();
        self.value_in(&version, text)
    }

    /// The same by the names of a version.
    pub(crate) fn value_in(
        &mut self,
        version: &Version,
        text: &str,
    ) -> Result<(String, Value), CommandError> {
        let bound = self.bind_in(version, text)?;
        let run = self.run();
        let model = &bound.model;
        let values = Values::of(run.model(), model, run.row());
        Ok(match &bound.asked {
            Asked::Value(expr) => {
                let value = values.value(*expr);
                let unit = match find(model, text) {
                    _ if text == "time" => model.clock.time_unit(),
                    Some(Named::Real(id)) => &*model.reals[id.index()].unit,
                    Some(Named::Constant(id)) => &*model.constants[id.index()].unit,
                    _ => "",
                };
                let gap = if unit.is_empty() { "" } else { " " };
                (
                    format!("{text} = {}{gap}{unit}", rounded(value)),
                    number(value),
                )
            }
            Asked::Condition(watch) => {
                let held = values.holds(watch);
                (format!("{text}: {held}"), json!(held))
            }
        })
    }
}

/// A number as data; what is not finite, as text.
pub(crate) fn number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!(value.to_string())
    }
}

const DISPLAY: Command = Command {
    name: "display",
    short: &["d"],
    group: Group::Look,
    usage: "[EXPR | off [EXPR]]",
    takes: &[Argument::Expression],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "display h - R"],
        line: "step",
        shows: "h - R = 370",
    }],
    undoable: true,
    repeats: false,
    run: display,
};

fn display(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    if word == "off" {
        let shown = Arc::make_mut(&mut console.state.shown);
        let before = shown.len();
        shown.retain(|one| !rest.is_empty() && one != rest.trim());
        let gone = before - shown.len();
        return Ok(CommandOutput::line(say!("console-taken-away", gone)));
    }
    if !args.is_empty() {
        console.value_of(args)?;
        let shown = Arc::make_mut(&mut console.state.shown);
        if !shown.iter().any(|one| one == args) {
            shown.push(args.to_owned());
        }
    }
    let (text, data) = console.displays();
    if text.is_empty() {
        return Ok(CommandOutput::line(say!("console-nothing-displayed")));
    }
    Ok(CommandOutput::new(text, data))
}

const STATE: Command = Command {
    name: "state",
    short: &[],
    group: Group::Look,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: HOOP,
        line: "state",
        shows: "height of the centre",
    }],
    undoable: false,
    repeats: false,
    run: state,
};

fn state(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let history = console.state.history.clone();
    let width = console.look.width;
    let run = console.run();
    let (model, row) = (run.model(), run.row());
    let mut listing = Listing::new([
        (say!("console-column-name"), Align::Left),
        (say!("console-column-value"), Align::Right),
        (say!("console-column-unit"), Align::Left),
        (say!("console-column-about"), Align::Left),
    ]);
    let mut values = serde_json::Map::new();
    let spelt = situ_rules::print::name;
    for (real, &value) in model.reals.iter().zip(row.reals) {
        listing.row([
            spelt(&real.name),
            rounded(value),
            real.unit.clone(),
            real.about.clone(),
        ]);
        values.insert(real.name.clone(), number(value));
    }
    let words = ModelText::of(model);
    for (name, what) in model.named_booleans() {
        let held = row.boolean(model, what);
        let about = match what {
            Boolean::Range(id) => words.comparisons(&model.ranges[id.index()].all),
            Boolean::Switch(id) => model.switches[id.index()].about.clone(),
            _ => String::new(),
        };
        listing.row([spelt(name), held.to_string(), String::new(), about]);
        values.insert(name.to_owned(), json!(held));
    }
    let mut text = status(&history, model, &row);
    text.push_str("\n\n");
    text.push_str(&listing.plain(width));
    Ok(CommandOutput::new(
        text,
        json!({ "time": row.time, "steps": history.steps_before(), "values": values }),
    ))
}

const EVENTS: Command = Command {
    name: "events",
    short: &[],
    group: Group::Look,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1"],
        line: "events 3",
        shows: "V_pos, accelerating",
    }],
    undoable: false,
    repeats: false,
    run: events,
};

fn events(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let wanted = if args.is_empty() {
        10
    } else {
        super::run::count(args, "events")?
    };
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let changes = console.past().changes(wanted, progress)?;
    let mut listing = Listing::new([
        ("t".to_owned(), Align::Right),
        (say!("console-column-begins"), Align::Left),
        (say!("console-column-ends"), Align::Left),
    ]);
    for change in &changes {
        listing.row([
            time(change.time),
            change.begins.join(", "),
            change.ends.join(", "),
        ]);
    }
    if listing.is_empty() {
        return Ok(CommandOutput::line(say!("console-nothing-changed")));
    }
    let data: Vec<Value> = changes
        .iter()
        .map(|change| json!({ "time": change.time, "begins": change.begins, "ends": change.ends }))
        .collect();
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        json!(data),
    ))
}

const MARGINS: Command = Command {
    name: "margins",
    short: &[],
    group: Group::Look,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: HOOP,
        line: "margins",
        shows: "-370",
    }],
    undoable: false,
    repeats: false,
    run: margins,
};

fn margins(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let width = console.look.width;
    // As the last step found them, on the numbers that it read: what `why` says of each.
    let moment = console.past().moment();
    let model = &*moment.model;
    let words = ModelText::of(model);
    let mut found: Vec<(f64, RangeId)> = (0..model.ranges.len())
        .map(RangeId::new)
        .map(|id| {
            (
                model.ranges[id.index()].margin(|expr| moment.value(expr)),
                id,
            )
        })
        .collect();
    found.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let mut listing = Listing::new([
        (say!("console-column-range"), Align::Left),
        (String::new(), Align::Left),
        (say!("console-column-margin"), Align::Right),
        (String::new(), Align::Left),
    ]);
    let mut data = serde_json::Map::new();
    for (margin, id) in found {
        let range = &model.ranges[id.index()];
        let name = if range.anonymous {
            String::new()
        } else {
            bare(&range.name).to_owned()
        };
        let holds = moment.holds(Boolean::Range(id));
        let says = match holds {
            true => say!("console-holds"),
            false => String::new(),
        };
        listing.row([name, words.comparisons(&range.all), rounded(margin), says]);
        data.insert(range.name.clone(), number(margin));
    }
    if listing.is_empty() {
        return Ok(CommandOutput::line(say!("console-no-ranges")));
    }
    Ok(CommandOutput::new(
        listing.plain(width),
        Value::Object(data),
    ))
}

const TIGHT: Command = Command {
    name: "tight",
    short: &[],
    group: Group::Look,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1"],
        line: "tight 1",
        shows: " %",
    }],
    undoable: false,
    repeats: false,
    run: tight,
};

/// So many of the last events are looked at.
const MOST_LOOKED_AT: usize = 1000;

fn tight(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let wanted = match args {
        "" => 5,
        _ => super::run::count(args, "tight")?,
    };
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let changes = console.past().changes(MOST_LOOKED_AT, progress)?;
    let mut found = Vec::new();
    for change in changes {
        let place = console.seen_from(change.time)?;
        let moment = console.past().moment_of(&place);
        let model = &*moment.model;
        let stays = |range: &&Range| !change.turned.contains(&range.name);
        let ranges = model.ranges.iter().filter(stays);
        let nearest = ranges
            .map(|range| {
                let value = |expr| moment.value(expr);
                let sides = range
                    .all
                    .iter()
                    .flat_map(|one| [value(one.left), value(one.right)]);
                let size = sides.fold(0.0_f64, |most, side| most.max(side.abs()));
                let margin = range.margin(value);
                let part = if size > 0.0 { margin.abs() / size } else { 0.0 };
                (part, margin, range)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((part, margin, range)) = nearest {
            let words = ModelText::of(model).comparisons(&range.all);
            let what = change.begins.join(", ");
            let ended = change.ends.join(", ");
            let what = if what.is_empty() {
                say!("console-no-more", ended)
            } else {
                what
            };
            found.push((part, change.time, what, words, margin, range.name.clone()));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(wanted);
    let mut listing = Listing::new([
        ("t".to_owned(), Align::Right),
        (say!("console-column-event"), Align::Left),
        (say!("console-column-nearest-border"), Align::Left),
        (say!("console-column-margin"), Align::Right),
        (say!("console-column-of-its-sides"), Align::Right),
    ]);
    let mut data = Vec::new();
    for (part, at, what, words, margin, range) in found {
        let percent = format!("{} %", rounded(100.0 * part));
        listing.row([time(at), what.clone(), words, rounded(margin), percent]);
        data.push(json!({ "time": at, "event": what, "range": range, "margin": number(margin), "part": number(part) }));
    }
    if listing.is_empty() {
        return Ok(CommandOutput::line(say!("console-nothing-changed")));
    }
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        json!(data),
    ))
}
