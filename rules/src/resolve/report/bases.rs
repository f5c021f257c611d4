//! Tables that extend others: files, and ids of rows.

use super::{MAX_PLACES, error};
use crate::diag::{Diagnostic, nearest};
use crate::source::{Span, Spanned};
use crate::tree::{List, Row, Table};

pub(crate) fn no_base_file(path: &Spanned<String>, why: &str) -> Diagnostic {
    error(
        "N028",
        format!("cannot read `{}`: {why}", path.value),
        path.span,
    )
    .with_help("the path is relative to the file that names it")
}

pub(crate) fn extends_itself(path: &Spanned<String>, name: &str) -> Diagnostic {
    error(
        "N029",
        format!("the tables extend each other in a circle through `{name}`"),
        path.span,
    )
}

pub(crate) fn too_many_bases(path: &Spanned<String>, limit: usize) -> Diagnostic {
    error(
        "N029",
        format!("more than {limit} tables extend each other"),
        path.span,
    )
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
        Some(_) => "",
        None => "its number, as it has no id of its own",
    };
    let diagnostic = error("N030", format!("the id `{id}` is used twice"), place(row))
        .at(place(row), numbered(row))
        .also(
            place(first),
            format!(
                "the first{}{}",
                if first.id.is_none() { ": " } else { "" },
                numbered(first)
            ),
        );
    let Some((table, list)) = base else {
        return diagnostic.with_help("give one of the rows another id");
    };
    let name = match list {
        List::Relations => id.to_owned(),
        _ => format!("{}.{id}", list.name()),
    };
    let help =
        format!("give it another id, or put \"{name}\" into `replace` if it replaces that row");
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
    let diagnostic = error("N031", format!("there is no row `{}`", id.value), id.span);
    if known.peek().is_none() {
        return diagnostic.with_help("name the table that has it in `extends`");
    }
    let near = if suggest {
        nearest(&id.value, known)
    } else {
        None
    };
    match near {
        Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
        None => diagnostic.with_help("`situ show` lists the rows of a table with their ids"),
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
    error(
        "N032",
        format!("`{}` may mean several rows", id.value),
        id.span,
    )
    .with_help(format!("say which: {}", choices.join(", ")))
}

pub(in crate::resolve) fn row_named_twice(id: &Spanned<String>, first: Span) -> Diagnostic {
    error(
        "N033",
        format!("the row `{}` is replaced or dropped twice", id.value),
        id.span,
    )
    .also(first, "the first")
    .with_help("leave one")
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
        format!("no row of this table replaces `{}`", id.value),
        id.span,
    )
    .also(place, "to be replaced")
    .with_help(format!(
        "write the new row as `[{row}] ..` in `{}`, or use `drop`",
        list.name()
    ))
}

pub(in crate::resolve) fn places_in_a_circle<T>(row: &Row<T>) -> Diagnostic {
    let span = row.place.as_ref().map_or(row.span, |place| place.id.span);
    error(
        "N034",
        "rows are placed beside each other in a circle",
        span,
    )
    .with_help("place one of them beside a row of the table that is extended")
}
