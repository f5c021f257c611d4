//! Lines that are rows, taken apart: ids and places in brackets, heads, lists.

use situ_engine::model::element;
use situ_rules::tree::{AnyRow, List, Place, Side};
use situ_rules::{SourceMap, parse};
use situ_words::say;

use super::Beside;
use crate::Console;
use crate::document::Version;
use crate::reply::CommandError;
use crate::row_ids::RowRef;

/// A rule as it was typed.
pub(super) fn read_row(console: &Console, line: &str) -> Result<AnyRow, CommandError> {
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", line);
    let (row, mistakes) = parse::line(&sources, sources.span(id), None);
    match row {
        Some(row) if mistakes.is_empty() => Ok(row),
        _ if mistakes.is_empty() => Err(CommandError::new(say!("console-no-rule"))),
        _ => Err(CommandError::reports(
            &mistakes,
            &sources,
            console.look.style,
        )),
    }
}

/// `after 3: x = 1` and `before 3: x = 1`: where, and what.
pub(super) fn place(args: &str) -> Result<(Option<Beside>, &str), CommandError> {
    let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let side = match word {
        "after" => Side::After,
        "before" => Side::Before,
        _ => return Ok((None, args)),
    };
    match rest.split_once(':') {
        Some((id, line)) => Ok((Some((side, id.trim().to_owned())), line.trim())),
        None => Err(CommandError::new(say!("console-add-needs", word))
            .with_help(say!("console-add-needs.help"))),
    }
}

/// The place that a row names in its brackets.
pub(super) fn written_place(row: &AnyRow) -> Option<Beside> {
    let place: Option<&Place> = match row {
        AnyRow::Range(row) => row.place.as_deref(),
        AnyRow::Situation(row) => row.place.as_deref(),
        AnyRow::Assignment(row) => row.place.as_deref(),
        AnyRow::Relation(row) => row.place.as_deref(),
        AnyRow::Reaction(row) => row.place.as_deref(),
        AnyRow::Shape(row) => row.place.as_deref(),
    };
    place.map(|place| (place.side, place.id.value.clone()))
}

/// The id of a row of a list, said so that it cannot be taken for one of another list.
pub(super) fn in_list(version: &Version, id: &str, list: List) -> String {
    let qualified = format!("{}.{id}", list.name());
    if !id.contains('.') && version.written_row(&qualified).is_ok() {
        qualified
    } else {
        id.to_owned()
    }
}

/// The brackets in front of a row, and what follows them.
pub(super) fn brackets(line: &str) -> (Option<&str>, &str) {
    let line = line.trim();
    match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, body)) => (Some(inside.trim()), body.trim_start()),
        None => (None, line),
    }
}

/// The id in the brackets of a row.
pub(super) fn written_id(line: &str) -> Option<&str> {
    let word = brackets(line).0?.split_whitespace().next()?;
    (word != "after" && word != "before").then_some(word)
}

/// The row with an id in its brackets.
pub(super) fn with_id(line: &str, id: &str) -> String {
    match brackets(line) {
        (Some(place), body) => format!("[{id} {place}] {body}"),
        (None, body) => format!("[{id}] {body}"),
    }
}

/// A number that no row of a list has, where the rows of the table have numbers as ids: a row without an id is numbered by
/// its place, and another may have that number. It is that of the place behind the last row, if it is free.
pub(super) fn free_number(version: &Version, list: List) -> Option<String> {
    let aside = version.aside();
    let aside = aside.iter().filter(|(of, _)| *of == list);
    let heads: Vec<String> = aside
        .filter_map(|(_, row)| written_head(&row.text))
        .collect();
    let heads = heads
        .iter()
        .filter_map(|head| head.split_whitespace().next());
    let given: Vec<&str> = version.given_ids(list).into_iter().chain(heads).collect();
    if !given.iter().any(|id| id.parse::<usize>().is_ok()) {
        return None;
    }
    let rows = version.rows().filter(|row| row.list == list);
    let mut ids: Vec<&str> = rows.map(|row| version.written_id(row)).collect();
    ids.dedup();
    let mut numbers = (ids.len() + 1..).map(|number| number.to_string());
    numbers.find(|number| !given.contains(&&**number) && !ids.contains(&&**number))
}

pub(super) fn without_place(line: &str) -> String {
    let (_, body) = brackets(line);
    match written_id(line) {
        Some(id) => format!("[{id}] {body}"),
        None => body.to_owned(),
    }
}

pub(super) fn with_place(line: &str, side: Side, beside: &str) -> String {
    let (_, body) = brackets(line);
    let side = match side {
        Side::After => "after",
        Side::Before => "before",
    };
    match written_id(line) {
        Some(id) => format!("[{id} {side} {beside}] {body}"),
        None => format!("[{side} {beside}] {body}"),
    }
}

pub(super) fn one_line(line: &str) -> String {
    line.split('\n')
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Text in the brackets of a row as it is written in the file: in front of a line, or in
/// the columns `id`, `after` and `before`.
pub(super) fn written_head(entry: &str) -> Option<String> {
    if !entry.starts_with('(') {
        let line = entry.trim_start_matches(['r', '#']).trim_start_matches('"');
        return brackets(line).0.map(str::to_owned);
    }
    let column = |name: &str| {
        let (_, rest) = entry.split_once(&format!("{name}: \""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let mut words = Vec::new();
    words.extend(column("id"));
    for side in ["after", "before"] {
        words.extend(column(side).map(|id| format!("{side} {id}")));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The position of a row in its list of the table that is edited; `None` if a base has it.
///
/// # Errors
///
/// It belongs to a part, whose own table has it.
pub(super) fn editable(version: &Version, row: RowRef) -> Result<Option<usize>, CommandError> {
    let id = version.row_id(row);
    match version.model.part_of(id) {
        Some(part) => Err(CommandError::new(say!(
            "console-row-of-part",
            id,
            part = part.name,
            file = part.file
        ))
        .with_help(say!("console-row-of-part.help"))),
        None => Ok(version.own_entry(row)),
    }
}

/// True if rows can be placed beside a part of this name.
pub(super) fn is_part(version: &Version, name: &str) -> bool {
    let mut parts = version.model.structure.parts.iter();
    parts.any(|part| {
        let base = element(&part.name).map(|(base, _)| base);
        part.name == name || base == Some(name)
    })
}
