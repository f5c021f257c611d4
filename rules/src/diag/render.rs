//! Draws diagnostics for a terminal, or turns them into JSON; both from the same data.
//!
//! A place is shown with its own line only, never the whole text, so that many reports on a long
//! table cost no more than what is printed.

use annotate_snippets::{
    AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet,
    normalize_untrusted_str,
};
use serde_json::{Value, json};

use super::{Diagnostic, Label, Severity};
use crate::source::{SourceId, SourceMap, Span};

/// How reports are drawn.
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
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code);
    let mut main = Group::with_title(title).elements(excerpts(diagnostic, sources));
    for note in &diagnostic.notes {
        main = main.element(Level::NOTE.message(normalize_untrusted_str(note)));
    }
    let mut groups = Vec::new();
    match (&diagnostic.help, &diagnostic.edit) {
        (None, None) => groups.push(main),
        (Some(help), None) => {
            groups.push(main.element(Level::HELP.message(normalize_untrusted_str(help))));
        }
        (help, Some(edit)) => {
            let help = help.as_deref().unwrap_or("change it to");
            let excerpt = Excerpt::around(sources, edit.span.source, lines_of(edit.span, sources));
            if excerpt.text.len().max(edit.replacement.len()) > LONG_CHANGE {
                groups.push(main.element(Level::HELP.message(normalize_untrusted_str(help))));
                return groups;
            }
            let patch = Patch::new(excerpt.relative(edit.span), edit.replacement.as_str());
            let title = Level::HELP.secondary_title(normalize_untrusted_str(help));
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
mod tests {
    use insta::assert_snapshot;

    use super::*;

    const TABLE: &str = "(\n    reals: {\"x\": 1, \"высота\": 2},\n    relations: [\n        \"высота = 2 * y\",\n    ],\n)\n";

    fn sources() -> (SourceMap, SourceId) {
        let mut sources = SourceMap::default();
        let id = sources.add("table.ron", TABLE);
        (sources, id)
    }

    fn at(sources: &SourceMap, id: SourceId, text: &str) -> Span {
        let start = sources.get(id).text.find(text).expect("it is there");
        Span::new(id, start, start + text.len())
    }

    #[test]
    fn labels_notes_and_help() {
        let (sources, id) = sources();
        let report = Diagnostic::error("P001", "unknown name `y`", at(&sources, id, "y"))
            .also(at(&sources, id, "высота"), "the target")
            .with_note("a fact")
            .with_note("another fact")
            .with_help("do this");
        let warning = Diagnostic::warning("P002", "a warning", at(&sources, id, "2 * y"))
            .with_edit("did you mean `x`?", at(&sources, id, "y"), "x");
        let note = Diagnostic::new("P003", Severity::Note, "a note without a place");
        assert_snapshot!(render(&[report, warning, note], &sources, Style::Plain), @r#"
error[P001]: unknown name `y`
 --> table.ron:4:23
  |
2 |     reals: {"x": 1, "высота": 2},
  |                      ------ the target
3 |     relations: [
4 |         "высота = 2 * y",
  |                       ^
  |
  = note: a fact
  = note: another fact
  = help: do this

warning[P002]: a warning
 --> table.ron:4:19
  |
4 |         "высота = 2 * y",
  |                   ^^^^^
  |
help: did you mean `x`?
  |
4 -         "высота = 2 * y",
4 +         "высота = 2 * x",
  |

note[P003]: a note without a place
"#);
    }

    #[test]
    fn places_of_several_texts_and_far_apart() {
        let mut sources = SourceMap::default();
        let base = sources.add("base.ron", "(reals: {\"x\": 1})");
        let long: String = (1..=1000).map(|line| format!("row {line}\n")).collect();
        let table = sources.add("table.ron", long);
        let report = Diagnostic::error("P004", "`x` clashes", at(&sources, table, "row 900"))
            .also(at(&sources, table, "row 5\n"), "here too")
            .also(at(&sources, table, "row 898"), "near")
            .also(at(&sources, base, "\"x\""), "first here");
        assert_snapshot!(render(&[report], &sources, Style::Plain), @r#"
error[P004]: `x` clashes
   --> table.ron:900:1
    |
898 | row 898
    | ------- near
899 | row 899
900 | row 900
    | ^^^^^^^
    |
   ::: base.ron:1:10
    |
  1 | (reals: {"x": 1})
    |          --- first here
    |
   ::: table.ron:5:1
    |
  5 | row 5
    | ----- here too
"#);
    }

    #[test]
    fn unusual_places() {
        let (mut sources, id) = sources();
        let tabs = sources.add("tabs", "\tx\t= 1");
        let windows = sources.add("windows", "x = 1\r\ny = 2\r\n");
        let long = sources.add("long", "x + ".repeat(1000));
        let reports = [
            Diagnostic::error(
                "P011",
                "at the end",
                Span::new(id, TABLE.len(), TABLE.len()),
            ),
            Diagnostic::error("P011", "behind the end", Span::new(id, 10_000, 10_001)),
            Diagnostic::error("P011", "inside of a character", Span::new(tabs, 0, 1)),
            Diagnostic::error("P011", "many lines", Span::new(id, 0, TABLE.len())),
            Diagnostic::error("P011", "two lines", Span::new(windows, 4, 8)),
            Diagnostic::error("P011", "far right", Span::new(long, 2000, 2001)),
        ];
        assert_snapshot!(render(&reports, &sources, Style::Plain), @r#"
error[P011]: at the end
 --> table.ron:7:1
  |
7 |
  | ^

error[P011]: behind the end
 --> table.ron:7:1
  |
7 |
  | ^

error[P011]: inside of a character
 --> tabs:1:1
  |
1 |     x    = 1
  | ^^^^

error[P011]: many lines
 --> table.ron:1:1
  |
1 | / (
2 | |     reals: {"x": 1, "высота": 2},
3 | |     relations: [
4 | |         "высота = 2 * y",
5 | |     ],
6 | | )
  | |_^

error[P011]: two lines
 --> windows:1:5
  |
1 |   x = 1
  |  _____^
2 | | y = 2
  | |_^

error[P011]: far right
 --> long:1:2001
  |
1 | ...x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x ...
  |                                                                    ^
"#);
    }

    #[test]
    fn escape_sequences_of_a_text_do_not_reach_the_terminal() {
        let mut sources = SourceMap::default();
        let id = sources.add("\u{1b}[31mname", "\u{1b}[31mx = 1");
        let report = Diagnostic::error("P011", "\u{1b}[31mmessage", Span::new(id, 0, 3))
            .with_note("\u{1b}[31mnote")
            .with_edit("\u{1b}[31mhelp", Span::new(id, 0, 3), "\u{1b}[31my");
        let plain = render(std::slice::from_ref(&report), &sources, Style::Plain);
        assert!(!plain.contains("\u{1b}"), "{plain:?}");
        assert!(render(&[report], &sources, Style::Coloured).contains('\u{1b}'));
    }

    #[test]
    fn json() {
        let (sources, id) = sources();
        let report = Diagnostic::error("P001", "unknown name `y`", at(&sources, id, "y"))
            .also(at(&sources, id, "высота"), "the target")
            .with_edit("did you mean `x`?", at(&sources, id, "y"), "x");
        let json = serde_json::to_string_pretty(&to_json(&[report], &sources)).expect("it is JSON");
        assert_snapshot!(json, @r#"
[
  {
    "code": "P001",
    "edit": {
      "bytes": [
        87,
        88
      ],
      "column": 23,
      "end_column": 24,
      "end_line": 4,
      "file": "table.ron",
      "line": 4,
      "replacement": "x"
    },
    "help": "did you mean `x`?",
    "labels": [
      {
        "bytes": [
          87,
          88
        ],
        "column": 23,
        "end_column": 24,
        "end_line": 4,
        "file": "table.ron",
        "line": 4,
        "primary": true,
        "text": ""
      },
      {
        "bytes": [
          23,
          35
        ],
        "column": 22,
        "end_column": 28,
        "end_line": 2,
        "file": "table.ron",
        "line": 2,
        "primary": false,
        "text": "the target"
      }
    ],
    "message": "unknown name `y`",
    "notes": [],
    "severity": "error"
  }
]
"#);
    }

    #[test]
    fn many_reports_on_a_long_table_cost_no_more_than_they_show() {
        let mut sources = SourceMap::default();
        let id = sources.add("table.ron", "        \"x = 1\",\n".repeat(100_000));
        let reports: Vec<Diagnostic> = (0..1000)
            .map(|index| {
                Diagnostic::error(
                    "P011",
                    "one of many",
                    Span::new(id, index * 1700, index * 1700 + 3),
                )
            })
            .collect();
        let text = render(&reports, &sources, Style::Plain);
        assert!(text.len() < 200 * reports.len());
    }
}
