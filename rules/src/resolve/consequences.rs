//! Reports that only follow from others: a mistake is reported once, where it was made.

use situ_words::say;

use crate::diag::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};

/// Leaves out what follows from other reports.
pub(crate) fn drop_consequences(diagnostics: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let unread: Vec<Span> = diagnostics
        .iter()
        .filter(|report| report.code.starts_with('P'))
        .filter_map(|report| quoted(sources, report.primary.as_ref()?.span))
        .collect();
    diagnostics.retain(|report| {
        let lies_in = |row: &Span, span: Span| {
            span.source == row.source && row.start <= span.start && span.end <= row.end
        };
        let places = report.primary.iter().map(|label| label.span);
        let others = report.secondary.iter().map(|label| label.span);
        let within = |row: &Span| {
            places.clone().any(|span| lies_in(row, span))
                || report.code == SAME_ID && others.clone().any(|span| lies_in(row, span))
        };
        !(says_what_a_row_is(report.code) && unread.iter().any(within))
    });
    // The row that is missed may be one of those that cannot be taken as they stand.
    let is_error = |report: &Diagnostic| report.severity == Severity::Error;
    if diagnostics
        .iter()
        .any(|report| is_error(report) && report.code != LONELY)
    {
        diagnostics.retain(|report| report.code != LONELY);
    }
    drop_closed(diagnostics, sources);
    join_twin(diagnostics, sources);
}

/// Two rows with one id; a row without one has its number.
const SAME_ID: &str = "N030";

/// `otherwise` without another row.
const LONELY: &str = "N019";

/// Reports on the shape of a row, which is another one if part of the row could not be read.
fn says_what_a_row_is(code: &str) -> bool {
    code.starts_with('N') && !matches!(code, "N001" | "N002" | "N005" | "N006")
}

/// The string in quotes, on one line, that a place lies in.
fn quoted(sources: &SourceMap, span: Span) -> Option<Span> {
    let text = &sources.get(span.source).text;
    let before = &text[..span.start as usize];
    let start = before.rfind('"')? + 1;
    let length = text[span.end as usize..].find('"')?;
    let end = span.end as usize + length;
    let one_line = !text[start..end].contains('\n');
    one_line.then(|| Span::new(span.source, start, end))
}

/// A parenthesis that closes nothing, in a row in which one is missing behind the name of a procedure, is the same mistake.
fn drop_closed(diagnostics: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let place = |report: &Diagnostic| {
        let label = report.primary.as_ref().filter(|_| report.code == "P012");
        label.map(|label| label.span)
    };
    let is_name = |span: &Span| sources.text(*span).starts_with(char::is_alphabetic);
    let opened = diagnostics.iter().filter_map(place).filter(is_name);
    let opened = opened.filter_map(|span| Some((span, quoted(sources, span)?)));
    let mut opened: Vec<(Span, Span)> = opened.collect();
    diagnostics.retain(|report| {
        let Some(span) = place(report).filter(|span| sources.text(*span) == ")") else {
            return true;
        };
        let closed = opened.iter().position(|(name, row)| {
            name.source == span.source && name.end <= span.start && span.end <= row.end
        });
        closed.map(|index| opened.remove(index)).is_none()
    });
}

/// A name that is given twice, where exactly one is missing, stands most likely for that one.
fn join_twin(diagnostics: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let is_key = |report: &&Diagnostic| {
        report.primary.as_ref().is_some_and(|label| {
            let Span { source, start, end } = label.span;
            let text = sources.get(source).text.as_bytes();
            let quote = |at: Option<usize>| at.and_then(|at| text.get(at)) == Some(&b'"');
            quote((start as usize).checked_sub(1)) && quote(Some(end as usize))
        })
    };
    let twins = diagnostics
        .iter()
        .filter(|report| matches!(report.code, "P004" | "N002"));
    let twins = twins.filter(is_key).count();
    let missing: Vec<usize> = diagnostics
        .iter()
        .enumerate()
        .filter(|(_, report)| matches!(report.code, "N001" | "N005"))
        .map(|(index, _)| index)
        .collect();
    let ([missing], 1) = (&missing[..], twins) else {
        return;
    };
    let missing = diagnostics.remove(*missing);
    let name = missing
        .primary
        .map(|label| sources.text(label.span))
        .unwrap_or_default();
    // A literal is marked with its negation.
    let name = name.trim_start_matches('!').trim_start();
    let twin = diagnostics
        .iter_mut()
        .find(|report| matches!(report.code, "P004" | "N002") && is_key(&&**report));
    if let Some(twin) = twin
        && let Some(label) = &twin.primary
    {
        let span = label.span;
        *twin = twin
            .clone()
            .with_edit(say!("names-join-twin.help", name), span, name);
    }
}
