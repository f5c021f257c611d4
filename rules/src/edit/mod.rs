//! Edits of a table's text: entries and rows are added, replaced, taken out and set aside, and
//! everything else stays byte for byte as the author wrote it.
//!
//! `text -> text`. Entries are counted as they stand in the file; what the new text means is for
//! [`crate::load`] to say. A row that is set aside stands in a comment `/*off: .. */` at its place.

mod parts;
mod rename;

use situ_words::say;

use crate::parse::ron::{Kind, Token, Tokens, Value, check};
use crate::source::SourceMap;
use crate::tree::FIELDS;

pub use parts::set_of_part;
pub use rename::{rename, renamed_in_row};

/// Opens the comment of a row that is set aside.
const OFF: &str = "/*off: ";
const CLOSE: &str = " */";

/// The field whose list stands in a field of its own.
const SCENE: &str = "scene";
const ROWS: &str = "rows";

/// Why a text could not be edited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditError {
    /// The text is no table.
    NotATable,
    /// There is no such entry.
    NoEntry,
    /// A row that holds `/*` or `*/` cannot be set aside in a comment.
    HoldsComment,
}

impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            Self::NotATable => say!("edit-not-a-table"),
            Self::NoEntry => say!("edit-no-entry"),
            Self::HoldsComment => say!("edit-holds-comment"),
        })
    }
}

impl std::error::Error for EditError {}

/// A row that is set aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetAside {
    /// Number of entries of the list before it.
    pub index: usize,
    /// The row as it was written.
    pub text: String,
    start: usize,
    end: usize,
}

/// Adds an entry to a list or map of the table: as number `index` (0 is the first), on a line of its
/// own. A field that is missing is made.
///
/// ```
/// let text = "(\n    relations: [\n        \"x = 1\", // one\n    ],\n)";
/// let text = situ_rules::edit::insert(text, "relations", 1, "\"y = 2\"").unwrap();
/// assert_eq!(text, "(\n    relations: [\n        \"x = 1\", // one\n        \"y = 2\",\n    ],\n)");
/// ```
///
/// # Errors
///
/// [`EditError`].
pub fn insert(text: &str, field: &str, index: usize, entry: &str) -> Result<String, EditError> {
    let found = Found::list(text, field)?;
    let Some((group, entries)) = found.field else {
        if field == SCENE {
            return first_shape(text, &found.indent, entry);
        }
        let (open, close) = brackets(field);
        let indent = found.indent;
        let value = format!("{open}\n{indent}{indent}{entry},\n{indent}{close}");
        return set(text, field, &value);
    };
    let newline = newline(text);
    let Some(last) = entries.len().checked_sub(1) else {
        let (open, close) = brackets(field);
        let inside = &text[group.0 + 1..group.1 - 1];
        let comments = inside.trim_end();
        let outer = line_indent(text, group.0);
        let inner = format!("{outer}{}", found.indent);
        let value = format!("{open}{comments}{newline}{inner}{entry},{newline}{outer}{close}");
        return Ok(spliced(text, group, &value));
    };
    let Some(before) = index.min(last + 1).checked_sub(1) else {
        let gap = gap_before(text, entries[0].0);
        let at = group.0 + 1;
        let at = at + same_line_comment(&text[at..]);
        let after = if gap.contains('\n') { "" } else { " " };
        let gap = if gap.contains('\n') {
            gap
        } else {
            String::new()
        };
        return Ok(spliced(text, (at, at), &format!("{gap}{entry},{after}")));
    };
    let gap = gap_before(text, entries[before].0);
    let (comma, mut at) = behind(text, entries[before].1);
    let mut out = String::with_capacity(text.len() + entry.len() + 16);
    if comma {
        out.push_str(&text[..at]);
    } else {
        at = entries[before].1;
        out.push_str(&text[..at]);
        out.push(',');
    }
    let remark = same_line_comment(&text[at..]);
    out.push_str(&text[at..at + remark]);
    out.push_str(&gap);
    out.push_str(entry);
    // On one line with its neighbours the last entry ends without a comma, as the author has it.
    if gap.contains('\n') || before < last {
        out.push(',');
    }
    out.push_str(&text[at + remark..]);
    Ok(out)
}

/// Replaces an entry; comments around it stay.
///
/// # Errors
///
/// [`EditError`].
pub fn replace(text: &str, field: &str, index: usize, entry: &str) -> Result<String, EditError> {
    let (_, entries) = Found::list(text, field)?.field.ok_or(EditError::NoEntry)?;
    let span = *entries.get(index).ok_or(EditError::NoEntry)?;
    Ok(spliced(text, span, entry))
}

/// Takes an entry out, with its comma and the remark behind it.
///
/// # Errors
///
/// [`EditError`].
pub fn remove(text: &str, field: &str, index: usize) -> Result<String, EditError> {
    let (_, entries) = Found::list(text, field)?.field.ok_or(EditError::NoEntry)?;
    let (start, end) = *entries.get(index).ok_or(EditError::NoEntry)?;
    let (_, mut end) = behind(text, end);
    end += same_line_comment(&text[end..]);
    let blank = |part: &str| part.chars().all(|c| c == ' ' || c == '\t');
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find('\n').map_or(text.len(), |at| end + at);
    if line > 0 && blank(&text[line..start]) && blank(text[end..rest].trim_end_matches('\r')) {
        let cut = text[..line - 1].trim_end_matches('\r').len();
        return Ok(format!("{}{}", &text[..cut], &text[end..]));
    }
    let end = end + text[end..].len() - text[end..].trim_start_matches(' ').len();
    Ok(spliced(text, (start, end), ""))
}

/// The entry as it is written.
///
/// # Errors
///
/// [`EditError`].
pub fn entry<'a>(text: &'a str, field: &str, index: usize) -> Result<&'a str, EditError> {
    let (_, entries) = Found::list(text, field)?.field.ok_or(EditError::NoEntry)?;
    let (start, end) = *entries.get(index).ok_or(EditError::NoEntry)?;
    Ok(&text[start..end])
}

/// Gives a field of the table a value, in place of the one it has.
///
/// # Errors
///
/// [`EditError::NotATable`].
pub fn set(text: &str, field: &str, value: &str) -> Result<String, EditError> {
    let found = Found::in_table(text, field)?;
    if let Some((group, _)) = found.field {
        return Ok(spliced(text, group, value));
    }
    let rank = |name: &str| FIELDS.iter().position(|field| *field == name);
    let before = found
        .fields
        .iter()
        .rfind(|(name, ..)| rank(name) < rank(field));
    let (newline, indent) = (newline(text), found.indent);
    let Some((_, _, end)) = before else {
        let at = found.table.0 + 1;
        let added = format!("{newline}{indent}{field}: {value},");
        return Ok(spliced(text, (at, at), &added));
    };
    let (comma, mut at) = behind(text, *end);
    let missing = if comma { "" } else { "," };
    if !comma {
        at = *end;
    }
    let remark = same_line_comment(&text[at..]);
    let (head, tail) = text.split_at(at + remark);
    let (head, remark) = head.split_at(at);
    Ok(format!(
        "{head}{missing}{remark}{newline}{indent}{field}: {value},{tail}"
    ))
}

/// Gives a field inside another one a value: `clock`, `step`.
///
/// # Errors
///
/// [`EditError::NotATable`].
pub fn set_within(text: &str, field: &str, inner: &str, value: &str) -> Result<String, EditError> {
    let found = Found::in_table(text, field)?;
    let Some((group, _)) = found.field else {
        return set(text, field, &format!("({inner}: {value})"));
    };
    let mut sources = SourceMap::default();
    let id = sources.add("", text);
    let span = crate::source::Span::new(id, group.0, group.1);
    let parts: Vec<_> = Value::at(&sources, span).entries().collect();
    let known = parts
        .iter()
        .find(|(key, _)| key.is_some_and(|key| key.written() == inner));
    if let Some((_, old)) = known {
        let place = old.span();
        return Ok(spliced(
            text,
            (place.start as usize, place.end as usize),
            value,
        ));
    }
    match parts.last() {
        None => Ok(spliced(text, group, &format!("({inner}: {value})"))),
        Some((_, last)) => {
            let at = last.span().end as usize;
            Ok(spliced(text, (at, at), &format!(", {inner}: {value}")))
        }
    }
}

/// Sets a row aside.
///
/// # Errors
///
/// [`EditError`].
pub fn set_aside(text: &str, field: &str, index: usize) -> Result<String, EditError> {
    let (_, entries) = Found::list(text, field)?.field.ok_or(EditError::NoEntry)?;
    let (start, end) = *entries.get(index).ok_or(EditError::NoEntry)?;
    let written = &text[start..end];
    if written.contains("/*") || written.contains("*/") {
        return Err(EditError::HoldsComment);
    }
    let (comma, after) = behind(text, end);
    let tail = if comma { after } else { end };
    Ok(spliced(
        text,
        (start, tail),
        &format!("{OFF}{written}{CLOSE}"),
    ))
}

/// The rows of a list that are set aside.
///
/// # Errors
///
/// [`EditError::NotATable`].
pub fn rows_aside(text: &str, field: &str) -> Result<Vec<SetAside>, EditError> {
    let Some((group, entries)) = Found::list(text, field)?.field else {
        return Ok(Vec::new());
    };
    let mut aside = Vec::new();
    for (token, start, end) in Tokens::new(&text[..group.1]) {
        let within = start > group.0 && token == Token::BlockComment;
        let row = text[start..end]
            .strip_prefix(OFF)
            .and_then(|row| row.strip_suffix(CLOSE));
        if let (true, Some(row)) = (within, row) {
            aside.push(SetAside {
                index: entries.iter().filter(|(_, last)| *last <= start).count(),
                text: row.to_owned(),
                start,
                end,
            });
        }
    }
    // A comment inside of a row in columns is none of the list.
    aside.retain(|row| {
        !entries
            .iter()
            .any(|entry| entry.0 < row.start && row.end < entry.1)
    });
    Ok(aside)
}

/// Puts a row that was set aside back in its place.
///
/// # Errors
///
/// [`EditError::NoEntry`] if the text has changed since.
pub fn put_back(text: &str, row: &SetAside) -> Result<String, EditError> {
    let there = text.get(row.start..row.end);
    if there != Some(&*format!("{OFF}{}{CLOSE}", row.text)) {
        return Err(EditError::NoEntry);
    }
    // The row before may have lost its comma when this one was the last.
    let before = text[..row.start].trim_end();
    let needs_comma = !before.ends_with([',', '[', '{']) && !before.ends_with("*/");
    let out = spliced(text, (row.start, row.end), &format!("{},", row.text));
    Ok(if needs_comma && is_behind_entry(text, row) {
        spliced(&out, (before.len(), before.len()), ",")
    } else {
        out
    })
}

/// Adds the first row of a scene.
fn first_shape(text: &str, indent: &str, entry: &str) -> Result<String, EditError> {
    if Found::in_table(text, SCENE)?.field.is_some() {
        return set_within(text, SCENE, ROWS, &format!("[{entry}]"));
    }
    let value = format!("(\n{indent}{indent}{ROWS}: [{entry}],\n{indent})");
    set(text, SCENE, &value)
}

fn is_behind_entry(text: &str, row: &SetAside) -> bool {
    // What stands before the row is an entry without a comma, not a line comment.
    let last = Tokens::new(&text[..row.start]).last();
    matches!(last, Some((Token::Quoted | Token::Word | Token::Close, ..)))
}

type Place = (usize, usize);

/// A field of a table.
struct Found {
    /// The whole table.
    table: Place,
    /// Its fields with their values.
    fields: Vec<(String, usize, usize)>,
    /// The value of the field that was looked for, and its entries with their keys.
    field: Option<(Place, Vec<Place>)>,
    /// Indentation of fields.
    indent: String,
}

impl Found {
    /// The entries of a list of the table: of its scene those of `rows`.
    fn list(text: &str, field: &str) -> Result<Self, EditError> {
        let mut found = Self::in_table(text, field)?;
        let Some((group, _)) = found.field.take_if(|_| field == SCENE) else {
            return Ok(found);
        };
        let mut sources = SourceMap::default();
        let id = sources.add("", text);
        let span = crate::source::Span::new(id, group.0, group.1);
        let mut parts = Value::at(&sources, span).entries();
        let is_rows = |key: Option<Value<'_>>| key.is_some_and(|key| key.written() == ROWS);
        let rows = parts.find(|(key, value)| is_rows(*key) && value.kind() == Kind::List);
        found.field = rows.map(|(_, rows)| {
            let place =
                |value: &Value<'_>| (value.span().start as usize, value.span().end as usize);
            (place(&rows), rows.items().map(|row| place(&row)).collect())
        });
        Ok(found)
    }

    fn in_table(text: &str, field: &str) -> Result<Self, EditError> {
        let mut sources = SourceMap::default();
        let id = sources.add("", text);
        let root = check(&sources, id).map_err(|_| EditError::NotATable)?;
        if root.kind() != Kind::Struct {
            return Err(EditError::NotATable);
        }
        let place = |value: &Value<'_>| {
            let span = value.span();
            (span.start as usize, span.end as usize)
        };
        let whole = place(&root);
        let open = whole.0
            + text[whole.0..whole.1]
                .find('(')
                .ok_or(EditError::NotATable)?;
        let mut found = Self {
            table: (open, whole.1),
            fields: Vec::new(),
            field: None,
            indent: "    ".to_owned(),
        };
        for (key, value) in root.entries() {
            let Some(key) = key else { continue };
            let at = place(&value);
            found.fields.push((key.written().to_owned(), at.0, at.1));
            let gap = gap_before(text, place(&key).0);
            if let Some(indent) = gap.strip_prefix('\n')
                && !indent.is_empty()
            {
                indent.clone_into(&mut found.indent);
            }
            if key.written() == field {
                let entries = match value.kind() {
                    Kind::List | Kind::Map | Kind::Tuple | Kind::Struct => value
                        .entries()
                        .map(|(key, value)| {
                            let last = place(&value);
                            (key.map_or(last.0, |key| place(&key).0), last.1)
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                found.field = Some((at, entries));
            }
        }
        Ok(found)
    }
}

fn brackets(field: &str) -> (char, char) {
    match field {
        "constants" | "inputs" | "reals" | "parts" | "lookups" | "switches" | "invariants"
        | "cases" => ('{', '}'),
        _ => ('[', ']'),
    }
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn spliced(text: &str, (start, end): Place, new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}

/// The line break and indentation before an entry that begins its line; else a blank.
fn gap_before(text: &str, at: usize) -> String {
    match text[..at].rfind('\n') {
        Some(line) if text[line..at].trim().is_empty() => text[line..at].to_owned(),
        _ => " ".to_owned(),
    }
}

/// The indentation of the line on which a byte stands.
fn line_indent(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let blanks = text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    text[line..line + blanks].to_owned()
}

/// Finds out if a comma follows: the result, and the byte behind it (or `end`).
fn behind(text: &str, end: usize) -> (bool, usize) {
    for (token, _, last) in Tokens::new(&text[end..]) {
        match token {
            Token::LineComment | Token::BlockComment => {}
            Token::Comma => return (true, end + last),
            _ => break,
        }
    }
    (false, end)
}

/// Bytes up to the end of a comment that follows on the same line; 0 without one.
fn same_line_comment(rest: &str) -> usize {
    match Tokens::new(rest).next() {
        Some((Token::LineComment, start, end)) if !rest[..start].contains('\n') => {
            rest[..end].trim_end().len()
        }
        Some((Token::BlockComment, start, end))
            if !rest[..end].contains('\n') && !rest[start..].starts_with(OFF) =>
        {
            end
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
