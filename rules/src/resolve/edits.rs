//! Changes of the text that repair a mistake.

use crate::source::{SourceMap, Span};
use crate::tree::Table;

/// Span that is replaced, and its replacement.
pub(super) type Change = (Span, String);

/// Writes another name at a place that may hold more than the name: quotes, backticks, a `!`.
/// `None` if the name is spelt differently there.
pub(super) fn renamed(sources: &SourceMap, span: Span, name: &str, new: &str) -> Option<Change> {
    let text = sources.text(span);
    let offset = text.find(name)?;
    let in_backticks = text[..offset].ends_with('`');
    let (before, after) = if in_backticks {
        (offset - 1, 1)
    } else {
        (offset, 0)
    };
    let start = span.start as usize + before;
    let end = span.start as usize + offset + name.len() + after;
    Some((Span::new(span.source, start, end), new.to_owned()))
}

/// Adds an entry `"name": value` to `constants`, `reals` or `switches`: behind the last one, or in a
/// new list. `None` if the list is there but empty.
pub(super) fn declared(
    sources: &SourceMap,
    table: &Table,
    list: &str,
    entry: &str,
) -> Option<Change> {
    let last = match list {
        "constants" => table.constants.last().map(|quantity| quantity.span),
        "reals" => table.reals.last().map(|quantity| quantity.span),
        _ => table.switches.last().map(|switch| switch.span),
    };
    if let Some(last) = last {
        let behind = Span {
            start: last.end,
            ..last
        };
        return Some((behind, format!(",{}{entry}", line_start(sources, last))));
    }
    if sources.text(table.span).contains(list) {
        return None;
    }
    let start = table.span.start as usize + 1;
    let at = Span::new(table.source_id, start, start);
    Some((at, format!("\n    {list}: {{{entry}}},")))
}

/// Moves a constant of a table to its reals.
pub(super) fn moved_to_reals(
    sources: &SourceMap,
    table: &Table,
    constant: usize,
) -> Option<Change> {
    let text = &*sources.get(table.source_id).text;
    let entry = |index: usize| Some(with_quotes(text, table.constants.get(index)?.span));
    let moved = entry(constant)?;
    let (from, to) = match (entry(constant + 1), constant.checked_sub(1).and_then(entry)) {
        (Some(next), _) => (moved.start, next.start),
        (None, Some(previous)) => (previous.end, moved.end),
        (None, None) => (
            moved.start,
            moved.end + comma_length(&text[moved.end as usize..]),
        ),
    };
    let (at, added) = declared(sources, table, "reals", &text[moved.range()])?;
    let slice = |start: u32, end: u32| &text[start as usize..end as usize];
    let (start, end, replacement) = if at.end <= from {
        (at.start, to, format!("{added}{}", slice(at.end, from)))
    } else {
        (from, at.end, format!("{}{added}", slice(to, at.start)))
    };
    Some((Span { start, end, ..at }, replacement))
}

/// The place of an entry with the quote in front of its name.
fn with_quotes(text: &str, entry: Span) -> Span {
    let quoted = text[..entry.start as usize].ends_with('"');
    Span {
        start: entry.start - u32::from(quoted),
        ..entry
    }
}

/// Bytes of the comma that follows, with the blanks before it; 0 if none follows.
fn comma_length(text: &str) -> u32 {
    let blanks = text.len() - text.trim_start().len();
    let length = if text[blanks..].starts_with(',') {
        blanks + 1
    } else {
        0
    };
    u32::try_from(length).expect("a source has fewer than 2^32 bytes")
}

/// The line break and indentation before an entry, if it begins its line; else a blank.
fn line_start(sources: &SourceMap, entry: Span) -> String {
    let text = &sources.get(entry.source).text;
    let before = &text[..with_quotes(text, entry).start as usize];
    match before.rfind('\n') {
        Some(newline) if before[newline..].trim().is_empty() => before[newline..].to_owned(),
        _ => " ".to_owned(),
    }
}
