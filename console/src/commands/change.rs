//! Changes in mid-run: values, rules, quantities. Each goes through the same reading, resolving and
//! checking as a file, and the run goes on from its present state.

mod line;
mod rename;

use std::cmp::Ordering;

use situ_rules::edit::{self, EditError};
use situ_rules::print::string;
use situ_rules::tree::{AnyRow, ExprKind, Guard, List, Side, Value as RowValue};
use situ_words::say;

use self::line::{
    brackets, editable, free_number, in_list, is_part, one_line, place, read_row, with_id,
    with_place, without_place, written_head, written_id, written_place,
};
use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::names::{Named, bare, find, spelt};
use crate::reply::{CommandError, Outcome};
use crate::row_ids::RowRef;
use crate::{Console, ProgressSink};

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] =
    &[ADD, REPLACE, DROP, MOVE, DISABLE, ENABLE, rename::RENAME];

pub(crate) const ADD: Command = Command {
    name: "add",
    short: &[],
    group: Group::Change,
    usage: "[after ID: | before ID:] RULE",
    takes: &[
        Argument::Words(&["after", "before"]),
        Argument::Row,
        Argument::Expression,
    ],
    examples: &[
        Example {
            given: &["load scenarios/hoop/table.ron", "real E = 0 [J]"],
            line: "E = m * g * h",
            shows: "t = 0, step 0",
        },
        Example {
            given: &[
                "load scenarios/hoop/table.ron",
                "run to 1",
                "add after 1: [1a] P = 0.5 * P",
            ],
            line: "rules 1a",
            shows: "[1a] P = 0.5 * P",
        },
    ],
    undoable: true,
    repeats: false,
    run: add,
};

fn add(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let explicit = args.starts_with("after ") || args.starts_with("before ");
    let (place, line) = place(args)?;
    let version = console.version();
    let row = read_row(console, line)?;
    if !explicit {
        ask_about_set(&version, &row, line)?;
    }
    let list = row.list();
    let text = &version.document.text;
    let field = list.name();
    let own = place.or_else(|| written_place(&row));
    let cause = format!("add {}", one_line(line));
    let number = free_number(&version, list).filter(|_| written_id(line).is_none());
    let line = &number.map_or_else(|| line.to_owned(), |number| with_id(line, &number));
    let edited = match own {
        None => edit::insert(text, field, usize::MAX, &string(&one_line(line))),
        Some((side, id)) if is_part(&version, &id) => {
            let line = with_place(&without_place(line), side, &id);
            edit::insert(text, field, usize::MAX, &string(&one_line(&line)))
        }
        Some((side, id)) => {
            let beside = version.written_row(&in_list(&version, &id, list))?;
            if beside.list != list {
                return Err(CommandError::new(say!(
                    "console-beside-in-another-list",
                    id,
                    list = beside.list.name(),
                    field
                )));
            }
            let body = without_place(line);
            match (editable(&version, beside)?, side) {
                (Some(index), Side::After) => {
                    edit::insert(text, field, index + 1, &string(&one_line(&body)))
                }
                (Some(index), Side::Before) => {
                    edit::insert(text, field, index, &string(&one_line(&body)))
                }
                (None, side) => {
                    let line = with_place(&body, side, version.written_id(beside));
                    edit::insert(text, field, usize::MAX, &string(&one_line(&line)))
                }
            }
        }
    };
    let edited = edited.map_err(edit_trouble)?;
    let version = revised(console, &version, edited, &row)?;
    console.revise(version, &cause, progress)
}

/// The version with another text; what is undeclared gets a hint on how to declare it at a prompt.
fn revised(
    console: &Console,
    version: &Version,
    text: String,
    row: &AnyRow,
) -> Result<Version, CommandError> {
    let model = &version.model;
    version.edited(text, console.look.style).map_err(|trouble| {
        let AnyRow::Relation(relation) = row else {
            return trouble;
        };
        let mut targets = relation.body.targets.iter();
        match targets.find(|target| find(model, &target.value).is_none()) {
            Some(target) => {
                trouble.with_help(say!("console-declares-it", name = spelt(&target.value)))
            }
            None => trouble,
        }
    })
}

/// A side of a row.
type Beside = (Side, String);

/// A number alone on the right side, in no situation, is more likely meant for `set`.
fn ask_about_set(version: &Version, row: &AnyRow, line: &str) -> Result<(), CommandError> {
    let AnyRow::Relation(relation) = row else {
        return Ok(());
    };
    let (Guard::Always, [target], RowValue::Exprs(values)) = (
        &relation.body.guard,
        relation.body.targets.as_slice(),
        &relation.body.value,
    ) else {
        return Ok(());
    };
    let Some(value) = values.first() else {
        return Ok(());
    };
    let is_number = match &value.kind {
        ExprKind::Number(_) => true,
        ExprKind::Neg(inner) => matches!(inner.kind, ExprKind::Number(_)),
        _ => false,
    };
    let name = spelt(&target.value);
    let what = find(&version.model, &target.value);
    let bracketed = brackets(line).0.is_some();
    if let Some(Named::Constant(_)) = what {
        let (_, right) = line.split_once('=').unwrap_or((line, ""));
        return Err(
            CommandError::new(say!("console-is-constant", name)).with_help(say!(
                "console-is-constant.help",
                name,
                value = right.trim()
            )),
        );
    }
    if is_number && what.is_some() && !bracketed {
        let (_, right) = line.split_once('=').unwrap_or((line, ""));
        return Err(
            CommandError::new(say!("console-meant-set", name, value = right.trim()))
                .with_help(say!("console-meant-set.help", line)),
        );
    }
    Ok(())
}

pub(super) fn edit_trouble(error: EditError) -> CommandError {
    CommandError::new(error.to_string())
}

const REPLACE: Command = Command {
    name: "replace",
    short: &[],
    group: Group::Change,
    usage: "ID: RULE",
    takes: &[Argument::Row, Argument::Expression],
    examples: &[Example {
        given: &[
            "load scenarios/hoop/table.ron",
            "run to 0.5",
            "replace 1: P = -2 * m * g",
        ],
        line: "show rule 1",
        shows: "[1] P = -2 * m * g",
    }],
    undoable: true,
    repeats: false,
    run: replace,
};

fn replace(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let Some((id, line)) = args.split_once(':') else {
        return Err(CommandError::new(say!("console-replace-needs"))
            .with_help(say!("console-replace-needs.help")));
    };
    let version = console.version();
    let old = version.written_row(id)?;
    let row = read_row(console, line.trim())?;
    if row.list() != old.list {
        return Err(CommandError::new(say!(
            "console-replace-in-another-list",
            id = id.trim(),
            list = old.list.name(),
            other = row.list().name()
        )));
    }
    let field = old.list.name();
    let text = &version.document.text;
    let (_, body) = brackets(line.trim());
    let old_id = version.written_id(old).to_owned();
    let edited = match editable(&version, old)? {
        Some(index) => {
            let written = edit::entry(text, field, index).map_err(edit_trouble)?;
            let new = match written_head(written) {
                Some(head) => format!("[{head}] {body}"),
                None => body.to_owned(),
            };
            edit::replace(text, field, index, &string(&one_line(&new)))
        }
        None => {
            let entry = string(&version.qualified(old));
            let new = format!("[{old_id}] {body}");
            edit::insert(text, "replace", usize::MAX, &entry)
                .and_then(|text| edit::insert(&text, field, usize::MAX, &string(&one_line(&new))))
        }
    };
    let version = revised(console, &version, edited.map_err(edit_trouble)?, &row)?;
    console.revise(version, &format!("replace {}", one_line(args)), progress)
}

const DROP: Command = Command {
    name: "drop",
    short: &[],
    group: Group::Change,
    usage: "ID",
    takes: &[Argument::Row],
    examples: &[Example {
        given: HOOP,
        line: "drop 3a",
        shows: "no row writes `Fel`",
    }],
    undoable: true,
    repeats: false,
    run: drop_row,
};

fn drop_row(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let row = version.written_row(args)?;
    let text = dropped(&version, row)?;
    let version = version.edited(text, console.look.style)?;
    console.revise(version, &format!("drop {args}"), progress)
}

fn dropped(version: &Version, row: RowRef) -> Result<String, CommandError> {
    let text = &version.document.text;
    let name = string(&version.qualified(row));
    let Some(index) = editable(version, row)? else {
        return edit::insert(text, "drop", usize::MAX, &name).map_err(edit_trouble);
    };
    let text = edit::remove(text, row.list.name(), index).map_err(edit_trouble)?;
    // A row that replaces one of a base uncovers it when it goes: that one is meant too.
    let replaced = version
        .tables
        .last()
        .map_or(&[][..], |table| &table.replace);
    let id = version.written_id(row);
    let covers = replaced
        .iter()
        .position(|one| one.value == id || one.value == version.qualified(row));
    match covers {
        None => Ok(text),
        Some(index) => edit::remove(&text, "replace", index)
            .and_then(|text| edit::insert(&text, "drop", usize::MAX, &name))
            .map_err(edit_trouble),
    }
}

const MOVE: Command = Command {
    name: "move",
    short: &[],
    group: Group::Change,
    usage: "ID after|before ID",
    takes: &[Argument::Row, Argument::Words(&["after", "before"])],
    examples: &[Example {
        given: HOOP,
        line: "move 7 before 6",
        shows: "t = 0",
    }],
    undoable: true,
    repeats: false,
    run: move_row,
};

fn move_row(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let words: Vec<&str> = args.split_whitespace().collect();
    let [id, side, beside] = words[..] else {
        return Err(CommandError::new(say!("console-move-needs"))
            .with_help(say!("console-move-needs.help")));
    };
    let version = console.version();
    let (row, beside) = (version.written_row(id)?, version.written_row(beside)?);
    if row.list != beside.list {
        return Err(CommandError::new(say!("console-move-in-one-list")));
    }
    let base = |id: &str| {
        CommandError::new(say!("console-move-of-base", id))
            .with_help(say!("console-move-of-base.help"))
    };
    let from = editable(&version, row)?.ok_or_else(|| base(id))?;
    let to = editable(&version, beside)?.ok_or_else(|| base(words[2]))?;
    let to = match side {
        "after" => to + 1,
        "before" => to,
        _ => {
            return Err(CommandError::new(say!("console-neither-side", side)));
        }
    };
    let (text, field) = (&version.document.text, row.list.name());
    let mut entry = edit::entry(text, field, from)
        .map_err(edit_trouble)?
        .to_owned();
    // A row without an id is called by its number, which changes now: it is written down, unless another row without an id
    // takes the number over.
    let is_numbered = |entry: &str| written_head(entry).is_none() && !entry.starts_with('(');
    let target = if to > from { to - 1 } else { to };
    let successor = match target.cmp(&from) {
        Ordering::Less => Some(from - 1),
        Ordering::Equal => None,
        Ordering::Greater => Some(from + 1),
    };
    let taken_over = match successor {
        Some(at) => is_numbered(edit::entry(text, field, at).map_err(edit_trouble)?),
        None => true,
    };
    if is_numbered(&entry) && !taken_over {
        let line = entry
            .trim_start_matches(['r', '#'])
            .trim_matches(['"', '#']);
        entry = string(&format!("[{}] {line}", version.written_id(row)));
    }
    let moved = edit::remove(text, field, from)
        .and_then(|text| edit::insert(&text, field, target, &entry))
        .map_err(edit_trouble)?;
    let version = version.edited(moved, console.look.style)?;
    console.revise(version, &format!("move {args}"), progress)
}

const DISABLE: Command = Command {
    name: "disable",
    short: &[],
    group: Group::Change,
    usage: "ID",
    takes: &[Argument::Row],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "disable 3a"],
        line: "rules 3a",
        shows: "set aside",
    }],
    undoable: true,
    repeats: false,
    run: disable,
};

fn disable(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let row = version.written_row(args)?;
    let text = match editable(&version, row)? {
        Some(index) => {
            edit::set_aside(&version.document.text, row.list.name(), index).map_err(edit_trouble)?
        }
        None => dropped(&version, row)?,
    };
    let version = version.edited(text, console.look.style)?;
    console.revise(version, &format!("disable {args}"), progress)
}

const ENABLE: Command = Command {
    name: "enable",
    short: &[],
    group: Group::Change,
    usage: "ID",
    takes: &[Argument::RowAside],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "disable 3a"],
        line: "enable 3a",
        shows: "t = 0",
    }],
    undoable: true,
    repeats: false,
    run: enable,
};

fn enable(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let wanted = bare(args);
    let aside = version.aside();
    let found = aside.iter().find(|(list, row)| {
        let id = aside_id(&row.text);
        id == wanted || format!("{}.{id}", list.name()) == wanted
    });
    let found = found.or_else(|| numbered(&aside, wanted));
    let text = match found {
        Some((_, row)) => edit::put_back(&version.document.text, row).map_err(edit_trouble)?,
        None => {
            // A row of a base is set aside by dropping it.
            let dropped = version.tables.last().map_or(&[][..], |table| &table.drop);
            let index = dropped.iter().position(|one| one.value == wanted);
            let index = index.ok_or_else(|| {
                let names: Vec<String> = aside.iter().map(|(_, row)| aside_id(&row.text)).collect();
                let trouble = CommandError::new(say!("console-not-aside", wanted));
                if names.is_empty() {
                    trouble
                } else {
                    trouble.with_help(say!("console-there-are", names = names.join(", ")))
                }
            })?;
            edit::remove(&version.document.text, "drop", index).map_err(edit_trouble)?
        }
    };
    let version = version.edited(text, console.look.style)?;
    console.revise(version, &format!("enable {args}"), progress)
}

/// The row without an id that has a number again when it is put back: by the number alone a relation, if there is one.
fn numbered<'a>(
    aside: &'a [(List, edit::SetAside)],
    wanted: &str,
) -> Option<&'a (List, edit::SetAside)> {
    let is_wanted = |(list, row): &&(List, edit::SetAside)| {
        let number = (row.index + 1).to_string();
        written_head(&row.text).is_none()
            && (number == wanted || format!("{}.{number}", list.name()) == wanted)
    };
    let mut relations = aside.iter().filter(|(list, _)| *list == List::Relations);
    relations
        .find(is_wanted)
        .or_else(|| aside.iter().find(is_wanted))
}

/// Name of a row that is set aside: its id, else what stands before its `:` or `=`.
pub(crate) fn aside_id(entry: &str) -> String {
    if let Some(head) = written_head(entry) {
        return head
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
    }
    let line = entry
        .trim_start_matches(['r', '#'])
        .trim_matches(['"', '#']);
    let name = line.split([':', '=']).next().unwrap_or_default();
    name.trim().trim_start_matches("event ").to_owned()
}
