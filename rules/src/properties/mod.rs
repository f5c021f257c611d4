//! Properties that hold for all texts and all trees.
//!
//! Nothing panics, whatever the text; what is printed reads back to the same tree; layout changes
//! no meaning and is stable; the cuts of RON agree with those of the crate `ron`.

mod normal;
mod scenes;
mod trees;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;

use self::normal::{meaning, plain, plain_any, plain_columns, plain_row, without_places};
use self::trees::{a_relation, a_row, an_expr, is_constant};
use crate::diag::{Diagnostic, Style, has_errors, render, to_json};
use crate::load::{load, standalone};
use crate::parse::{self, ron::Tokens};
use crate::print::{self, Spelling};
use crate::source::{SourceId, SourceMap, Span};
use crate::tree::{AnyRow, Form, List, Relation, Table};
use crate::{layout, resolve};

const NOWHERE: Span = Span {
    source: SourceId(0),
    start: 0,
    end: 0,
};

/// So many cases, more if `PROPTEST_CASES` asks for more than its default of 256.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        cases: count * config.cases / 256,
        failure_persistence: None,
        ..config
    }
}

/// Tables with a bit of everything.
const TABLES: [&str; 2] = [
    r#"// A hoop.
(
    format: 1,
    name: "hoop", about: "falls", source: "a paper",
    clock: (step: 0.0001, stop: 8, every: 0.005, stepping: tick, scan: "sequential", step_formula: "min(h, 1) * 0.01", stop_when: "h < 0 & !rest"),
    constants: {"m": 2, "g": (start: 981, unit: "cm/s^2"), "K": 8e3, "`air drag`": "m * g"},
    reals: {
        "Fel": 0, // trailing
        "Vy": (start: "-g * 0.1", about: "speed", output: false),
        /* inline */ "h": 400,
    },
    switches: {"rest": false, "on": (start: true)},
    ranges: ["contact: h < 30   # near", (name: "V_neg", all: [("Vy", "<", 0), ("h", ">=", "-m")])],
    situations: ["braking: contact & V_neg", (id: "e", name: "hit", all: ["contact", "!rest"], event: true)],
    assignments: ["when hit: rest, !on", (when: ["braking"], set: ["!rest"], note: "a note")],
    relations: [
        "[1] Fel = -m * g",
        // own line
        (id: "2", real: "Fel", procedure: "proportional", coef: "K", args: ["h"], when: ["braking"]),

        "[3 after 2] Vy = integral(Fel) otherwise",
        "Vy, h := -Vy, `air drag` / 2^m when hit & every(0.5, 1)",
        (after: "1", real: ["Vy", "h"], procedure: "assignment", args: ["h", "-Vy"], once: true, when: ["hit"]),
        r"h = timer(!rest) + clamp(h, -1e-3, .5) # raw",
        "h = 1 # \"escaped\"",
    ],
    cases: {"two": (set: {"m": 2.5, "rest": true, "h": "m + 1"}, clock: (stop: 1.5), about: "")},
    scene: (view: (-1, "h", 1, 0), rows: [
        "group floor: at (0, 0), angle 0.1",
        "circle ball in floor: at (0, h), radius 0.2, fill red when contact & h < 2, fill steel   # it's it",
        "[2a] text: at (0, 1), 'h = {h:.2}, it''s {{}}', align middle",
        "polyline: (0, 0) to (1, 1) to (2, -m), stroke mix(blue, red, h / 400)",
    ]),
)
// end
"#,
    "#![enable(implicit_some)]\n(extends: \"base.ron\", replace: [\"1\", \"2a\"], drop: [3], relations: [\"[1] x = y\"])",
];

fn words() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "x",
        "y",
        "Vy",
        "`a b`",
        "угол",
        "time",
        "pi",
        "start",
        "event",
        "when",
        "otherwise",
        "every",
        "and",
        "not",
        "if",
        "after",
        "1",
        "2.5",
        "1e-3",
        "1.2.3",
        "2x",
        "+",
        "-",
        "*",
        "/",
        "^",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "=",
        ":=",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!",
        "&",
        "&&",
        "|",
        "#",
        "`",
        "@",
        "²",
        " ",
        "\n",
        "{",
        "}",
        "\"",
        "\\",
        "min(",
        "f(",
        "é",
        "\u{301}",
        "\u{a0}",
        "r\"",
        "//",
        "/*",
        "'",
        "relations:",
        "id:",
        "true",
        "NaN",
        "..",
    ];
    vec(select(WORDS), 0..40).prop_map(|words| words.concat())
}

/// A good table with a part left out, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..3_usize,
        words(),
    );
    (select(&TABLES[..]), vec(change, 1..4)).prop_map(|(table, changes)| {
        let mut text = table.to_owned();
        for (from, length, kind, word) in changes {
            let start = text.floor_char_boundary(from.index(text.len() + 1));
            let length = length.index(12);
            let end = text
                .floor_char_boundary((start + length).min(text.len()))
                .max(start);
            let part = text[start..end].to_owned();
            match kind {
                0 => text.replace_range(start..end, ""),
                1 => text.insert_str(start, &part),
                _ => text.replace_range(start..end, &word),
            }
            if text.is_empty() {
                break;
            }
        }
        text
    })
}

/// Everything that can be done with a text is done; places lie inside of it.
fn survive(text: &str) -> TestCaseResult {
    let mut sources = SourceMap::default();
    let id = sources.add("text", text);
    let whole = sources.span(id);
    let mut reports: Vec<Diagnostic> = Vec::new();
    for list in [
        None,
        Some(List::Ranges),
        Some(List::Situations),
        Some(List::Assignments),
        Some(List::Relations),
    ] {
        let (row, mut found) = parse::line(&sources, whole, list);
        if found.is_empty() {
            let row = row.expect("a row without mistakes is there");
            _ = print::row(&row);
        }
        reports.append(&mut found);
    }
    reports.append(&mut parse::condition(&sources, whole).1);
    reports.append(&mut parse::expression(&sources, whole).1);
    reports.append(&mut parse::setting(&sources, whole).1);
    let (table, mut found) = parse::table(&sources, id);
    let is_good = table.is_some() && !has_errors(&found);
    prop_assert!(table.is_some() || found.len() == 1);
    reports.append(&mut found);
    for report in &reports {
        let labels = report
            .primary
            .iter()
            .chain(&report.secondary)
            .map(|label| label.span);
        for span in labels.chain(report.edit.iter().map(|edit| edit.span)) {
            prop_assert!(text.get(span.range()).is_some(), "{span:?} in {report:?}");
        }
        prop_assert!(report.primary.is_some());
    }
    for style in [Style::Plain, Style::Coloured] {
        _ = render(&reports, &sources, style);
    }
    _ = to_json(&reports, &sources);
    let loaded = load("text", text, &mut standalone);
    prop_assert!(loaded.model.is_none() || is_good);
    if is_good {
        lay_out(text)?;
    }
    Ok(())
}

/// Lays out a table without mistakes: that changes no meaning, and doing it again changes nothing.
fn lay_out(text: &str) -> Result<String, TestCaseError> {
    let mut sources = SourceMap::default();
    let id = sources.add("text", text);
    let Ok(laid_out) = layout::format(&sources, id, None) else {
        return Err(TestCaseError::fail(format!("{text} has mistakes")));
    };
    let again = sources.add("text", &*laid_out);
    let twice = layout::format(&sources, again, None);
    prop_assert_eq!(twice.as_ref(), Ok(&laid_out));
    let [before, after] = [id, again].map(|id| {
        let table = parse::table(&sources, id).0.map(|table| Table {
            source_id: SourceId(0),
            ..table
        });
        without_places(&meaning(&table))
    });
    // Double parentheses become single ones.
    if !text.contains("((") {
        prop_assert_eq!(before, after, "{}\n{}", text, laid_out);
    }
    Ok(laid_out)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        survive(&text)?;
    }

    #[test]
    fn any_words_are_survived(text in words()) {
        survive(&text)?;
        survive(&format!("({text})"))?;
        survive(&format!("(relations: [\"x = {text}\"])"))?;
    }

    #[test]
    fn spoilt_tables_are_survived(text in mutated()) {
        survive(&text)?;
    }
}

/// A comment may stand between any two tokens of a table.
#[test]
fn comments_are_kept_wherever_they_stand() {
    for table in TABLES {
        let starts: Vec<usize> = Tokens::new(table).map(|(_, start, _)| start).collect();
        for start in starts.into_iter().chain([table.len()]) {
            for comment in ["/* MARK */", "\n/* MARK\n*/\n", "// MARK\n\n"] {
                let mut text = table.to_owned();
                text.insert_str(start, comment);
                let laid_out = lay_out(&text).unwrap();
                assert_eq!(laid_out.matches("MARK").count(), 1, "{text}\n{laid_out}");
            }
        }
    }
}

// Trees.

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn printed_expressions_read_back(expr in an_expr()) {
        let mut sources = SourceMap::default();
        let text = print::expression(&expr);
        let id = sources.add("text", &*text);
        let (read, reports) = parse::expression(&sources, sources.span(id));
        prop_assert!(reports.is_empty(), "{text}: {reports:?}");
        prop_assert_eq!(meaning(&plain(&read)), meaning(&plain(&expr)), "{}", text);
        // What was read needs no further parentheses.
        prop_assert_eq!(print::expression(&read), text);
    }

    #[test]
    fn printed_rows_read_back(row in a_row()) {
        let mut sources = SourceMap::default();
        let text = print::row(&row);
        let id = sources.add("text", &*text);
        let (read, reports) = parse::line(&sources, sources.span(id), Some(row.list()));
        prop_assert!(reports.is_empty(), "{text}: {reports:?}");
        let read = read.expect("there is a row");
        prop_assert_eq!(meaning(&plain_any(&read)), meaning(&plain_any(&row)), "{}", text);
        prop_assert_eq!(print::row(&read), text);
    }

    #[test]
    fn relations_keep_their_columns_in_either_spelling(columns in a_relation()) {
        let expected = meaning(&plain_columns(&columns));
        let line = print::relation_line(&columns, &is_constant).expect("the columns fit the procedure");
        let mut sources = SourceMap::default();
        let id = sources.add("line", &*line);
        let (read, reports) = parse::line(&sources, sources.span(id), Some(List::Relations));
        prop_assert!(reports.is_empty(), "{line}: {reports:?}");
        let Some(AnyRow::Relation(read)) = read else { panic!("{line}") };
        let again = resolve::columns(&read.body, &is_constant).expect("it could be read");
        prop_assert_eq!(meaning(&plain_columns(&again)), &*expected, "{}", line);

        let table = format!("(relations: [({})])", print::relation_columns(&columns));
        let id = sources.add("table.ron", &*table);
        let (read, reports) = parse::table(&sources, id);
        prop_assert!(reports.is_empty(), "{table}: {reports:?}");
        let read = read.expect("there is a table");
        let again = resolve::columns(&read.relations[0].body, &is_constant).expect("it could be read");
        prop_assert_eq!(meaning(&plain_columns(&again)), &*expected, "{}", table);
    }

    #[test]
    fn numbers_are_printed_exactly(value in any::<f64>()) {
        if value.is_finite() {
            let text = print::number(value);
            prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
    }

    #[test]
    fn tables_keep_their_meaning_in_either_spelling(rows in vec(a_row(), 0..8), columns in vec(a_relation(), 0..8)) {
        let lines: Vec<String> = rows.iter().map(print::row).collect();
        let of = |list: List| {
            let rows = rows.iter().zip(&lines).filter(|(row, _)| row.list() == list);
            rows.map(|(_, line)| format!("{},  ", print::string(line))).collect::<String>()
        };
        let columns: String = columns.iter().map(|columns| format!("({}),", print::relation_columns(columns))).collect();
        let table = format!(
            "(ranges: [{}], situations: [{}], assignments: [{}], relations: [{}{columns}])",
            of(List::Ranges), of(List::Situations), of(List::Assignments), of(List::Relations),
        );
        let mut sources = SourceMap::default();
        let original = sources.add("table.ron", &*table);
        let of_columns = |relation: &Relation| resolve::columns(relation, &is_constant);
        let expected = table_meaning(&sources, original)?;
        for form in [None, Some(Form::Columns), Some(Form::Line)] {
            let spelling = form.map(|form| Spelling { form, columns: &of_columns, is_constant: &is_constant });
            let Ok(text) = layout::format(&sources, original, spelling.as_ref()) else { panic!("{table}") };
            let id = sources.add("table.ron", &*text);
            prop_assert_eq!(table_meaning(&sources, id)?, &*expected, "{}", text);
            let Ok(again) = layout::format(&sources, id, spelling.as_ref()) else { panic!("{text}") };
            prop_assert_eq!(again, text);
        }
    }
}

/// All rows of a table, relations in columns.
fn table_meaning(sources: &SourceMap, id: SourceId) -> Result<String, TestCaseError> {
    let (table, reports) = parse::table(sources, id);
    prop_assert!(
        !has_errors(&reports),
        "{}: {reports:?}",
        sources.get(id).text
    );
    let table = table.expect("there is a table");
    let mut shown = String::new();
    let rows = table.ranges.into_iter().map(AnyRow::Range);
    let rows = rows.chain(table.situations.into_iter().map(AnyRow::Situation));
    for row in rows.chain(table.assignments.into_iter().map(AnyRow::Assignment)) {
        shown += &format!("{}\n", meaning(&plain_any(&row)));
    }
    for row in table.relations {
        let columns = resolve::columns(&row.body, &is_constant).expect("it could be read");
        let head = plain_row(&row, |body| body.clone());
        shown += &format!(
            "{:?} {:?} {:?} {:?}\n",
            head.id,
            head.place,
            head.note,
            plain_columns(&columns)
        );
    }
    Ok(shown)
}
