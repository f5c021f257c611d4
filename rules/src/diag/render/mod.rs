//! Draws diagnostics for a terminal, or turns them into JSON; both from the same data.
//!
//! A place is shown with its own line only, never the whole text, so that many reports on a long
//! table cost no more than what is printed.

use annotate_snippets::{
    AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet,
    normalize_untrusted_str,
};
use serde_json::{Value, json};
use situ_words::say;

use super::{Diagnostic, Label, Severity};
use crate::source::{SourceId, SourceMap, Span};

/// Style in which reports are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Without escape sequences.
    #[default]
    Plain,
    /// With colours.
    Coloured,
}

/// Labels of one source farther apart than this many lines are shown as separate excerpts.
const NEAR_LINES: usize = 12;

/// Of an excerpt longer than this (in bytes) only the place is given.
const LONG_EXCERPT: usize = 1 << 14;

/// A change of a line longer than this (in bytes) is not drawn; the help says what to do.
const LONG_CHANGE: usize = 500;

/// A label that covers more lines than this is drawn at its first line only.
const LONG_LABEL_LINES: usize = 12;

/// The reports as text, in the order given, a blank line between two.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&renderer.render(&groups(diagnostic, sources)));
        text.push('\n');
    }
    text
}

/// The reports as a JSON array, in the order given.
///
/// Each is an object with `code`, `severity` (`error`, `warning`, `note`), `message`, `labels` (the
/// primary one first, marked `primary`), `notes`, and where there are some `help` and `edit`. A place
/// has `file`, `line` and `column` of its start and end (counted from 1, columns in characters, the
/// end exclusive) and `bytes`.
pub fn to_json(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    diagnostics
        .iter()
        .map(|diagnostic| object(diagnostic, sources))
        .collect()
}

fn object(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let label = |label: &Label, primary: bool| {
        let mut value = place(label.span, sources);
        value["text"] = json!(label.text);
        value["primary"] = json!(primary);
        value
    };
    let primary = diagnostic
        .primary
        .iter()
        .map(|primary| label(primary, true));
    let secondary = diagnostic
        .secondary
        .iter()
        .map(|secondary| label(secondary, false));
    let mut object = json!({
        "code": diagnostic.code,
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": diagnostic.message,
        "labels": primary.chain(secondary).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
    });
    if let Some(help) = &diagnostic.help {
        object["help"] = json!(help);
    }
    if let Some(edit) = &diagnostic.edit {
        let mut value = place(edit.span, sources);
        value["replacement"] = json!(edit.replacement);
        object["edit"] = value;
    }
    object
}

fn place(span: Span, sources: &SourceMap) -> Value {
    let source = sources.get(span.source);
    let range = inside(&source.text, span);
    let (line, column) = source.line_column(range.start);
    let (end_line, end_column) = source.line_column(range.end);
    json!({
        "file": source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "bytes": [range.start, range.end],
    })
}

fn groups<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let (note, help) = (
        Level::NOTE.with_name(say!("report-note")),
        Level::HELP.with_name(say!("report-help")),
    );
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .with_name(diagnostic.severity.word())
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code);
    let mut main = Group::with_title(title).elements(excerpts(diagnostic, sources));
    for text in &diagnostic.notes {
        main = main.element(note.clone().message(normalize_untrusted_str(text)));
    }
    let mut groups = Vec::new();
    match (&diagnostic.help, &diagnostic.edit) {
        (None, None) => groups.push(main),
        (Some(text), None) => {
            groups.push(main.element(help.message(normalize_untrusted_str(text))));
        }
        (text, Some(edit)) => {
            let text = match text {
                Some(text) => text.clone(),
                None => say!("report-change"),
            };
            let text = normalize_untrusted_str(&text);
            let excerpt = Excerpt::around(sources, edit.span.source, lines_of(edit.span, sources));
            if excerpt.text.len().max(edit.replacement.len()) > LONG_CHANGE {
                groups.push(main.element(help.message(text)));
                return groups;
            }
            let patch = Patch::new(excerpt.relative(edit.span), edit.replacement.as_str());
            let title = help.secondary_title(text);
            groups.push(main);
            groups.push(title.element(excerpt.snippet().patch(patch)));
        }
    }
    groups
}

/// The labelled places, those near each other in one excerpt; the one with the primary label first.
fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Element<'a>> {
    let Some(primary) = &diagnostic.primary else {
        return Vec::new();
    };
    let mut labels: Vec<(&Label, bool)> = diagnostic
        .secondary
        .iter()
        .map(|label| (label, false))
        .collect();
    labels.push((primary, true));
    labels.sort_by_key(|(label, _)| (label.span.source, label.span.start));

    let mut clusters: Vec<Cluster<'_>> = Vec::new();
    for (label, is_primary) in labels {
        let (source, lines) = (label.span.source, lines_of(label.span, sources));
        match clusters.last_mut() {
            Some(last) if last.source == source && lines.0 <= last.lines.1 + NEAR_LINES => {
                last.lines.1 = last.lines.1.max(lines.1);
                last.labels.push((label, is_primary));
            }
            _ => clusters.push(Cluster {
                source,
                lines,
                labels: vec![(label, is_primary)],
            }),
        }
    }
    clusters.sort_by_key(|cluster| !cluster.labels.iter().any(|(_, is_primary)| *is_primary));
    clusters
        .iter()
        .map(|cluster| {
            let excerpt = Excerpt::around(sources, cluster.source, cluster.lines);
            if excerpt.text.len() > LONG_EXCERPT {
                let (first, _) = cluster.labels[0];
                let (line, column) = sources.line_column(first.span);
                let origin = Origin::path(normalize_untrusted_str(excerpt.name));
                return origin.line(line).char_column(column).into();
            }
            let annotations = cluster.labels.iter().map(|(label, is_primary)| {
                let kind = if *is_primary {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let text = Some(label.text.as_str()).filter(|text| !text.is_empty());
                kind.span(excerpt.relative(label.span)).label(text)
            });
            excerpt.snippet().annotations(annotations).into()
        })
        .collect()
}

/// Labels near each other.
struct Cluster<'a> {
    source: SourceId,
    /// First and last line they touch, counted from 1.
    lines: (usize, usize),
    labels: Vec<(&'a Label, bool)>,
}

/// First and last line of a place, counted from 1; the first only, if it is long.
fn lines_of(span: Span, sources: &SourceMap) -> (usize, usize) {
    let source = sources.get(span.source);
    let range = inside(&source.text, span);
    let first = source.line_of(range.start);
    let last = source.line_of(range.end.max(range.start + 1) - 1);
    if last - first > LONG_LABEL_LINES {
        (first, first)
    } else {
        (first, last)
    }
}

/// Some whole lines of a source.
struct Excerpt<'a> {
    name: &'a str,
    text: &'a str,
    /// Number of the first line, counted from 1.
    line: usize,
    /// Byte of the source at which it starts.
    start: usize,
}

impl<'a> Excerpt<'a> {
    fn around(sources: &'a SourceMap, source: SourceId, lines: (usize, usize)) -> Self {
        let source = sources.get(source);
        let start = source.line_range(lines.0).start;
        let end = source.line_range(lines.1).end;
        Self {
            name: &source.name,
            text: source.text[start..end].trim_end_matches('\r'),
            line: lines.0,
            start,
        }
    }

    /// The part of a place that lies in the excerpt.
    fn relative(&self, span: Span) -> std::ops::Range<usize> {
        let clip = |position: u32| {
            let position = (position as usize)
                .saturating_sub(self.start)
                .min(self.text.len());
            self.text.floor_char_boundary(position)
        };
        clip(span.start)..clip(span.end)
    }

    fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        Snippet::source(self.text)
            .path(normalize_untrusted_str(self.name))
            .line_start(self.line)
    }
}

/// The place as indices that lie in the text, on borders of characters.
fn inside(text: &str, span: Span) -> std::ops::Range<usize> {
    let start = text.floor_char_boundary(span.start as usize);
    start..text.floor_char_boundary(span.end as usize).max(start)
}

#[cfg(test)]
mod tests;
