//! Tables that extend others: files, and ids of rows.

use situ_words::say;

use super::{MAX_PLACES, error};
use crate::diag::{Diagnostic, nearest};
use crate::source::{Span, Spanned};
use crate::tree::{List, Row, Table};

pub(crate) fn no_base_file(path: &Spanned<String>, why: &str) -> Diagnostic {
    error(
        "N028",
        say!("base-no-base-file", path = path.value, why),
        path.span,
    )
    .with_help(say!("base-no-base-file.help"))
}

pub(crate) fn extends_itself(path: &Spanned<String>, name: &str) -> Diagnostic {
    error("N029", say!("base-extends-itself", name), path.span)
}

pub(crate) fn too_many_bases(path: &Spanned<String>, limit: usize) -> Diagnostic {
    error("N029", say!("base-too-many-bases", limit), path.span)
}

/// `base`: the table whose row stands second and the list, if the first row is one of its base.
pub(in crate::resolve) fn id_clash<T>(
    id: &str,
    row: &Row<T>,
    first: &Row<T>,
    base: Option<(&Table, List)>,
) -> Diagnostic {
    let place = |row: &Row<T>| row.id.as_ref().map_or(row.span, |id| id.span);
    let numbered = |row: &Row<T>| match row.id {
        Some(_) => String::new(),
        None => say!("base-id-clash.number-no-id"),
    };
    let diagnostic = error("N030", say!("base-id-clash", id), place(row))
        .at(place(row), numbered(row))
        .also(
            place(first),
            match first.id {
                Some(_) => say!("base-id-clash.also"),
                None => format!("{}: {}", say!("base-id-clash.also"), numbered(first)),
            },
        );
    let Some((table, list)) = base else {
        return diagnostic.with_help(say!("base-id-clash.help"));
    };
    let name = match list {
        List::Relations => id.to_owned(),
        _ => format!("{}.{id}", list.name()),
    };
    let help = say!("base-id-clash.give-another-id", name);
    match &table.extends {
        Some(extends) if table.replace.is_empty() => {
            let behind = Span {
                start: extends.span.end,
                ..extends.span
            };
            diagnostic.with_edit(help, behind, format!(", replace: [\"{name}\"]"))
        }
        _ => diagnostic.with_help(help),
    }
}

/// `known`: the ids that there are; `suggest`: whether to look for the nearest.
pub(in crate::resolve) fn unknown_row<'a>(
    id: &Spanned<String>,
    known: impl IntoIterator<Item = &'a str>,
    suggest: bool,
) -> Diagnostic {
    let mut known = known.into_iter().peekable();
    let diagnostic = error("N031", say!("base-unknown-row", id = id.value), id.span);
    if known.peek().is_none() {
        return diagnostic.with_help(say!("base-unknown-row.help-name-table"));
    }
    let near = if suggest {
        nearest(&id.value, known)
    } else {
        None
    };
    match near {
        Some(near) => diagnostic.with_help(say!("report-did-you-mean", near)),
        None => diagnostic.with_help(say!("base-unknown-row.help-situ-show")),
    }
}

pub(in crate::resolve) fn ambiguous_row(
    id: &Spanned<String>,
    choices: impl IntoIterator<Item = String>,
) -> Diagnostic {
    let choices: Vec<String> = choices
        .into_iter()
        .take(MAX_PLACES)
        .map(|choice| format!("`{choice}`"))
        .collect();
    error("N032", say!("base-ambiguous-row", id = id.value), id.span).with_help(say!(
        "base-ambiguous-row.help",
        choices = choices.join(", ")
    ))
}

pub(in crate::resolve) fn row_named_twice(id: &Spanned<String>, first: Span) -> Diagnostic {
    error("N033", say!("base-row-named-twice", id = id.value), id.span)
        .also(first, say!("base-row-named-twice.also"))
        .with_help(say!("base-row-named-twice.help"))
}

/// `row`: the id of the row that `id` names.
pub(in crate::resolve) fn nothing_replaces(
    id: &Spanned<String>,
    row: &str,
    list: List,
    place: Span,
) -> Diagnostic {
    error(
        "N033",
        say!("base-nothing-replaces", id = id.value),
        id.span,
    )
    .also(place, say!("base-nothing-replaces.also"))
    .with_help(say!("base-nothing-replaces.help", row, list = list.name()))
}

pub(in crate::resolve) fn places_in_a_circle<T>(row: &Row<T>) -> Diagnostic {
    let span = row.place.as_ref().map_or(row.span, |place| place.id.span);
    error("N034", say!("base-places-in-a-circle"), span)
        .with_help(say!("base-places-in-a-circle.help"))
}
