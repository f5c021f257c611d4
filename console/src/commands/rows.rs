//! What the table says: its rows, its names, one of them with who reads and writes it.

mod family;
mod uses;

use self::uses::{reads, writes};
use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::names::{self, Named, bare, named};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::row_ids::RowRef;
use crate::{Console, ProgressSink};
use serde_json::{Value, json};
use situ_engine::ids::RelationId;
use situ_engine::model::{Boolean, Model};
use situ_rules::print::{self, ModelText};
use situ_rules::tree::List;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::say;
use std::sync::Arc;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

pub(super) const RULES: Command = Command {
    name: "rules",
    short: &["list"],
    group: Group::Model,
    usage: "[PATTERN]",
    takes: &[Argument::Name],
    examples: &[
        Example {
            given: HOOP,
            line: "rules",
            shows: "[1] P = -m * g",
        },
        Example {
            given: HOOP,
            line: "rules Fel",
            shows: "[3a] Fel = 0 * def when free_fall",
        },
    ],
    undoable: false,
    repeats: false,
    run: rules,
};

fn rules(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let model = Arc::clone(&version.model);
    let words = ModelText::of(&model);
    let pattern = args.to_lowercase();
    let started = !console.state.history.at_the_start();
    let mut text = String::new();
    let mut data = Vec::new();
    for list in List::ALL {
        let mut lines = Vec::new();
        for row in version.rows().filter(|row| row.list == list) {
            let (line, note) = row_text(&words, row);
            let whole = format!("[{}] {line}", version.row_id(row));
            let remark = if note.is_empty() {
                String::new()
            } else {
                format!("   # {note}")
            };
            if !fits(&pattern, &line, &format!("{whole}{remark}")) {
                continue;
            }
            let active = started && console.is_active(row);
            let mark = if active { "*" } else { " " };
            lines.push(format!("{mark} {whole}{remark}"));
            data.push(json!({
                "list": list.name(),
                "id": version.row_id(row),
                "rule": line,
                "active": active,
            }));
        }
        if !lines.is_empty() {
            text.push_str(&format!("{}\n", list.name()));
            lines
                .iter()
                .for_each(|line| text.push_str(&format!("{line}\n")));
        }
    }
    let aside = version.aside();
    if !aside.is_empty() {
        text.push_str(&format!("{}\n", say!("console-set-aside")));
        for (list, row) in aside {
            text.push_str(&format!("  {}: {}\n", list.name(), row.text));
        }
    }
    if text.is_empty() {
        let what = if args.is_empty() {
            say!("console-no-rules-yet")
        } else {
            say!("console-no-rule-contains", args)
        };
        return Ok(CommandOutput::line(what));
    }
    Ok(CommandOutput::new(text, json!(data)))
}

/// A row as a line without its id, and its remark.
pub(crate) fn row_text(words: &ModelText<'_>, row: RowRef) -> (String, String) {
    let model = words.model();
    match row.list {
        List::Ranges => {
            let range = &model.ranges[row.index];
            let line = format!(
                "{}: {}",
                print::name(&range.name),
                words.comparisons(&range.all)
            );
            (line, range.note.clone())
        }
        List::Situations => {
            let of = &model.situation_rows[row.index];
            let situation = &model.situations[of.situation.index()];
            let event = if situation.event { "event " } else { "" };
            let name = print::name(&situation.name);
            (
                format!("{event}{name}: {}", words.conjunction(&of.all)),
                of.note.clone(),
            )
        }
        List::Assignments => (
            words.assignment(row.index),
            model.assignments[row.index].note.clone(),
        ),
        List::Relations => {
            let relation = &model.relations[row.index];
            (
                words.relation(RelationId::new(row.index)),
                relation.note.clone(),
            )
        }
        List::Reactions => {
            let stage = &model.scheme.stages[row.index];
            let note = model.relations[stage.row.index()].note.clone();
            (stage.text.clone(), note)
        }
        List::Scene => (
            words.shape(row.index),
            model.shapes()[row.index].note.clone(),
        ),
    }
}

impl Console {
    /// True if a row was active, executed or true in the last step.
    fn is_active(&mut self, row: RowRef) -> bool {
        let run = self.run();
        let model = run.model();
        match row.list {
            List::Relations => run.is_active(RelationId::new(row.index)),
            List::Reactions => run.is_active(model.scheme.stages[row.index].row),
            List::Assignments => run.is_executed(row.index),
            // Shapes do nothing.
            List::Scene => false,
            List::Ranges => {
                let id = situ_engine::ids::RangeId::new(row.index);
                run.row().boolean(model, Boolean::Range(id))
            }
            List::Situations => {
                let id = model.situation_rows[row.index].situation;
                run.row().boolean(model, Boolean::Situation(id))
            }
        }
    }
}

pub(super) const VARS: Command = Command {
    name: "vars",
    short: &["v"],
    group: Group::Model,
    usage: "[PATTERN]",
    takes: &[Argument::Name],
    examples: &[Example {
        given: HOOP,
        line: "vars stiff",
        shows: "K_braking",
    }],
    undoable: false,
    repeats: false,
    run: vars,
};

/// True if a thing with a name and a text about it is meant by a pattern in small letters: its text
/// contains it; or, if there are `*` in it, its whole name has the parts between them in this order.
fn fits(pattern: &str, name: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return text.to_lowercase().contains(pattern);
    };
    let name = name.to_lowercase();
    let Some(mut left) = name.strip_prefix(head) else {
        return false;
    };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(tail)
}

fn vars(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let width = console.look.width;
    let pattern = args.to_lowercase();
    let run = console.run();
    let (model, row) = (run.model(), run.row());
    let mut listing = Listing::new([
        (say!("console-column-name"), Align::Left),
        (say!("console-column-is"), Align::Left),
        (say!("console-column-value"), Align::Right),
        (say!("console-column-unit"), Align::Left),
        (say!("console-column-about"), Align::Left),
    ]);
    let mut data = serde_json::Map::new();
    let mut add = |name: &str, is: &str, value: (String, Value), unit: &str, about: &str| {
        if fits(&pattern, name, &format!("{name} {about}")) {
            listing.row([
                print::name(name),
                is.to_owned(),
                value.0,
                unit.to_owned(),
                about.to_owned(),
            ]);
            data.insert(name.to_owned(), value.1);
        }
    };
    let number = |value: f64| (rounded(value), super::look::number(value));
    for (one, &value) in model.constants.iter().zip(row.constants) {
        add(
            &one.name,
            &say!("console-kind-constant"),
            number(value),
            &one.unit,
            &one.about,
        );
    }
    for (one, &value) in model.reals.iter().zip(row.reals) {
        add(
            &one.name,
            &say!("console-kind-real"),
            number(value),
            &one.unit,
            &one.about,
        );
    }
    for (name, what) in model.named_booleans() {
        let held = row.boolean(model, what);
        let about = match what {
            Boolean::Switch(id) => model.switches[id.index()].about.as_str(),
            Boolean::Range(id) => &model.ranges[id.index()].note,
            _ => "",
        };
        add(
            name,
            &kind_of(model, what),
            (held.to_string(), json!(held)),
            "",
            about,
        );
    }
    if listing.is_empty() {
        let what = if args.is_empty() {
            say!("console-no-names-yet")
        } else {
            say!("console-no-name-contains", args)
        };
        return Ok(CommandOutput::line(what));
    }
    Ok(CommandOutput::new(
        listing.plain(width),
        Value::Object(data),
    ))
}

/// Kind of a boolean, in a word.
pub(crate) fn kind_of(model: &Model, what: Boolean) -> String {
    match what {
        Boolean::Switch(_) => say!("console-kind-switch"),
        Boolean::Range(_) => say!("console-kind-range"),
        what if model.is_event(what) => say!("console-kind-event"),
        _ => say!("console-kind-situation"),
    }
}

pub(super) const SHOW: Command = Command {
    name: "show",
    short: &[],
    group: Group::Model,
    usage: "NAME | rule ID",
    takes: &[Argument::Name, Argument::Words(&["rule"]), Argument::Row],
    examples: &[
        Example {
            given: HOOP,
            line: "show Fel",
            shows: "[3] Fel = K_acceleration * def when accelerating",
        },
        Example {
            given: &["load scenarios/heat/table.ron"],
            line: "show u",
            shows: "u[0] .. u[21]: 22 elements",
        },
        Example {
            given: HOOP,
            line: "show rule 7",
            shows: "below row 6",
        },
    ],
    undoable: false,
    repeats: false,
    run: show,
};

fn show(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    if let Some(id) = args.strip_prefix("rule ") {
        return show_rule(&version, version.rows_meant(id)?[0]);
    }
    if args.is_empty() {
        return Err(CommandError::new(say!("console-show-needs"))
            .with_help(say!("console-show-needs.help")));
    }
    let model = Arc::clone(&version.model);
    let what = match named(&model, args) {
        Ok(what) => what,
        Err(_) if names::is_family(&model, args) => return family::show(console, bare(args)),
        Err(trouble) => {
            return version
                .row(args)
                .map_err(|_| trouble)
                .and_then(|row| show_rule(&version, row));
        }
    };
    let words = ModelText::of(&model);
    let (value, _) = console.value_of(&print::name(bare(args)))?;
    let mut text = value;
    match what {
        Named::Constant(id) => {
            let one = &model.constants[id.index()];
            text.push_str(&described(
                &say!("console-kind-constant"),
                &one.about,
                &words.expression(one.start),
            ));
        }
        Named::Real(id) => {
            let one = &model.reals[id.index()];
            text.push_str(&described(
                &say!("console-kind-real"),
                &one.about,
                &words.expression(one.start),
            ));
        }
        Named::Boolean(what) => text.push_str(&format!("   # {}\n", kind_of(&model, what))),
    }
    let line = |row: RowRef| {
        let (line, note) = row_text(&words, row);
        let remark = if note.is_empty() {
            String::new()
        } else {
            format!("   # {note}")
        };
        format!("[{}] {line}{remark}", version.row_id(row))
    };
    let rows: Vec<RowRef> = version.rows().collect();
    let mut section = |head: &str, test: &dyn Fn(RowRef) -> bool| {
        let lines: Vec<String> = rows
            .iter()
            .filter(|row| test(**row))
            .map(|row| line(*row))
            .collect();
        if !lines.is_empty() {
            text.push_str(&format!("{head}\n"));
            lines
                .iter()
                .for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        lines
    };
    let is_meant = |other| other == what;
    let written = section(&say!("console-written-by"), &|row| {
        writes(&model, row, &is_meant)
    });
    let read = section(&say!("console-read-by"), &|row| {
        reads(&model, row, &is_meant)
    });
    Ok(CommandOutput::new(
        text,
        json!({ "name": bare(args), "written_by": written, "read_by": read }),
    ))
}

fn described(kind: &str, about: &str, start: &str) -> String {
    let about = if about.is_empty() {
        String::new()
    } else {
        format!(": {about}")
    };
    format!("   # {}\n", say!("console-described", kind, about, start))
}

fn show_rule(version: &Version, row: RowRef) -> Outcome {
    let words = ModelText::of(&version.model);
    let (line, note) = row_text(&words, row);
    let mut text = format!("[{}] {line}\n", version.row_id(row));
    if !note.is_empty() {
        text.push_str(&format!("  # {note}\n"));
    }
    let mut place = Value::Null;
    if let Some(span) = version.row_span(row) {
        let source = version.sources.get(span.source);
        let (number, _) = version.sources.line_column(span);
        text.push_str(&format!(
            "  {}:{number}: {}\n",
            source.name,
            version.sources.text(span)
        ));
        place = json!({ "file": source.name, "line": number });
    }
    Ok(CommandOutput::new(
        text,
        json!({ "id": version.row_id(row), "rule": line, "place": place }),
    ))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, name, fit) in [
            ("", "Vy", true),
            ("y", "Vy", true),
            ("v*", "Vy", true),
            ("y*", "Vy", false),
            ("*y", "Vy", true),
            ("k_*ing", "K_braking", true),
            ("k_*b*ing", "K_braking", true),
            ("k_*z*", "K_braking", false),
            ("*", "anything", true),
            ("v*vy", "Vy", false),
        ] {
            assert_eq!(fits(pattern, name, name), fit, "{pattern} {name}");
        }
    }
}
