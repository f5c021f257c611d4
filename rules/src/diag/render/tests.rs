//! Tests of rendering.

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
    let warning = Diagnostic::warning("P002", "a warning", at(&sources, id, "2 * y")).with_edit(
        "did you mean `x`?",
        at(&sources, id, "y"),
        "x",
    );
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
