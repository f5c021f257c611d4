//! Text becomes a spanned tree; every mistake is reported, and what could be read is handed on.
//!
//! [`table`] reads a whole file. [`line()`] reads one rule as it stands in quotes in a table or is
//! typed at a prompt, [`condition`], [`expression`] and [`setting`] the parts of one that a command
//! line takes. Names are not looked up here; that is the work of resolving.

mod condition;
mod expectation;
mod expression;
mod family;
mod fields;
mod foreign;
mod line;
mod machine;
mod reaction;
mod relation;
pub(crate) mod report;
pub(crate) mod ron;
mod scene;
mod solve;
mod stage_reports;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
mod values;

use crate::diag::Diagnostic;
use crate::source::{SourceId, SourceMap, Span};
use crate::tree::{
    AnyRow, Condition, Expected, Expr, List, Measure, Row, Setting, Table, Transition,
};
use tokens::{Parser, Text};

/// Limit of the nesting of brackets, signs and powers in an expression.
/// This limit and the next one keep every later stage from overflowing its stack.
pub const MAX_NESTING: usize = 128;

/// Limit of the height of an expression's tree; a sum of so many terms has this height.
pub const MAX_HEIGHT: usize = 512;

/// Reads a table.
///
/// Result: the table, with everything that could be read, and all mistakes; no table if the RON is
/// broken, which is then the only report.
pub fn table(sources: &SourceMap, source: SourceId) -> (Option<Table>, Vec<Diagnostic>) {
    table::read(sources, source)
}

/// Reads the value at a place of well-formed RON as a row of a list, in either spelling.
pub(crate) fn row(
    sources: &SourceMap,
    span: Span,
    list: List,
) -> (Option<AnyRow>, Vec<Diagnostic>) {
    table::row(sources, span, list)
}

/// Reads the text at a place as a one-line rule.
///
/// Shapes: `list`, the list it stands in; a rule of another list is reported (and still handed on).
/// Without it every rule is welcome: comparisons alone make a range, other conditions a situation.
/// Result: the row, if it can be seen which one is meant, and all mistakes.
///
/// ```
/// use situ_rules::{SourceMap, parse, tree::{AnyRow, List}};
///
/// let mut sources = SourceMap::default();
/// let id = sources.add("<line 1>", "[3a] Fel = 0 * def when free_fall");
/// let (row, mistakes) = parse::line(&sources, sources.span(id), None);
/// assert!(mistakes.is_empty());
/// assert_eq!(row.unwrap().list(), List::Relations);
/// ```
pub fn line(
    sources: &SourceMap,
    span: Span,
    list: Option<List>,
) -> (Option<AnyRow>, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.line(list))
}

/// Reads a row that is said to stand at a place, where it is spelt differently.
pub(crate) fn line_within(text: &str, span: Span) -> Option<AnyRow> {
    let (mut lexemes, mut mistakes) = (Vec::new(), Vec::new());
    let text = Text::within(text, span);
    Parser::new(text, &mut lexemes, &mut mistakes).line(Some(List::Relations))
}

/// Reads the text at a place as a transition of a machine.
pub(crate) fn transition(
    sources: &SourceMap,
    span: Span,
) -> (Option<Row<Transition>>, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.transition())
}

/// Reads the text at a place as a condition.
pub fn condition(sources: &SourceMap, span: Span) -> (Condition, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.whole(Parser::condition))
}

/// Reads the text at a place as an expression.
pub fn expression(sources: &SourceMap, span: Span) -> (Expr, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.whole(Parser::expression))
}

/// Reads the text at a place as what a run is checked for; `None` if it cannot be read.
pub fn expectation(sources: &SourceMap, span: Span) -> (Option<Expected>, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.expectation_line())
}

/// Reads the text at a place as a measure; `None` if it cannot be read.
pub fn measure(sources: &SourceMap, span: Span) -> (Option<Measure>, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.whole(Parser::measure))
}

/// Reads the text at a place as `NAME=VALUE`, the value being `true`, `false` or an expression.
pub fn setting(sources: &SourceMap, span: Span) -> (Option<Setting>, Vec<Diagnostic>) {
    with_parser(sources, span, |parser| parser.whole(Parser::setting))
}

fn with_parser<T>(
    sources: &SourceMap,
    span: Span,
    read: impl FnOnce(&mut Parser<'_>) -> T,
) -> (T, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut lexemes = Vec::new();
    let text = Text::exact(sources.text(span), span.source, span.start);
    let result = read(&mut Parser::new(text, &mut lexemes, &mut diagnostics));
    (result, diagnostics)
}
