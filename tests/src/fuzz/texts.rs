//! Random texts: bytes, RON with the fields of a table, good tables with pieces taken out, put in
//! and exchanged.

use std::sync::OnceLock;

use super::choices::Choices;
use situ_rules::tree::{CLOCK_FIELDS, FIELDS};

use crate::tables::{files, root, scenario_folders};

/// Tables to begin with: the scenarios and the tables with mistakes.
pub(super) fn seeds() -> &'static [String] {
    static SEEDS: OnceLock<Vec<String>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let faults = [
            "bases", "parse", "names", "check", "run", "families", "lookups", "machines", "schemes",
        ];
        let faults = faults.map(|family| root().join("tests/faults").join(family));
        let written = ["families", "tables"].map(|folder| root().join("tests/data").join(folder));
        let folders = scenario_folders().into_iter().chain(faults).chain(written);
        let paths = folders.flat_map(|folder| files(&folder, "ron"));
        let texts = paths.map(|path| std::fs::read_to_string(path).unwrap());
        texts.filter(|text| text.len() < 20_000).collect()
    })
}

/// One of them, most often one that can run.
fn seed(choices: &mut Choices<'_>) -> &'static str {
    static GOOD: OnceLock<Vec<&'static String>> = OnceLock::new();
    let good = GOOD.get_or_init(|| {
        let runs = |text: &&String| super::properties::read(text).model.is_some();
        seeds().iter().filter(runs).collect()
    });
    if choices.once_in(4) {
        &seeds()[choices.below(seeds().len())]
    } else {
        good[choices.below(good.len())]
    }
}

const WORDS: &[&str] = &[
    "event",
    "when",
    "otherwise",
    "start",
    "time",
    "pi",
    "every(",
    "every(0)",
    "after",
    "before",
    "integral(",
    "delay(x, 1e9)",
    "delay(x, 1e300)",
    "delay(x, x)",
    "smoothing(x, 0)",
    "solve ",
    "solve rate(x): ",
    "solve x from 0 to 1: ",
    "rate(x)",
    "flux(1)",
    "u[j]",
    "u[j - 1]",
    "u[0 .. 1e9]",
    "u[N]",
    " for j",
    " for j in 1 .. N when hot[j]",
    "sum(u[j] for j)",
    "number(hot[j] for j)",
    "any(",
    "one after another",
    "->",
    "<->",
    "2 A -> B : 1",
    " at ",
    "on -> off when x > 0: x := 1",
    "counter(",
    "clamp(",
    "x",
    "h",
    "`",
    "`a b`",
    "№",
    "Угол",
    "1",
    "-1",
    "0",
    "1e308",
    "1e-320",
    ".5",
    "1..2",
    "9999999999999999999999",
    "0x10",
    "1_000",
    "inf",
    "NaN",
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "=",
    ":=",
    "&",
    "&&",
    "|",
    "!",
    "!!",
    ",",
    ":",
    ";",
    "#",
    "\"",
    "\\",
    "\\u{0}",
    "'",
    "//",
    "/*",
    "*/",
    "r#\"",
    "\"#",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\u{a0}",
    "\u{feff}",
    "\0",
    "\u{301}",
    "\u{200b}",
    "😀",
    "true",
    "false",
    "Some(1)",
    "()",
    "..",
    "format: 1",
    "extends: \"self.ron\"",
    "extends: \"table.ron\"",
    "replace: [\"1\"]",
    "drop: [\"2\"]",
    "real: ",
    "args: [",
    "coef: ",
    "coef2: 2",
    "procedure: \"smoothing\"",
    "once: true",
    "otherwise: true",
    "when: [\"",
    "id: \"1\"",
    "note: \"\"",
    "stepping: events",
    "scan: simultaneous",
    "integral: trapezoid",
    "stop_when: \"x < 0\"",
    "before: \"sqrt(time)\"",
    "solve: [\"x\"]",
    "equations: [\"x = 1\"]",
    "bounds: [0, 1]",
    "counters: {\"j\": \"1 .. 1e9\"}",
    "stage: \"A -> B\"",
    "formulas: {}",
    "states: {\"on\": []}",
    "transitions: [\"on -> on when x > 0\"]",
    "[1 after 2] ",
    "[a] ",
];

/// A text of random characters, among them bytes that are no text.
pub(super) fn bytes(choices: &mut Choices<'_>) -> String {
    let mut bytes = Vec::new();
    while choices.any_left() {
        match choices.below(4) {
            0 => bytes.extend(choices.of(WORDS).bytes()),
            1 => bytes.push(u8::try_from(choices.below(256)).unwrap()),
            _ => bytes.push(u8::try_from(32 + choices.below(95)).unwrap()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pieces of a text: words, numbers, single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// A table with some pieces changed.
pub(super) fn mutated(choices: &mut Choices<'_>) -> String {
    let mut pieces = pieces(seed(choices));
    for _ in 0..1 + choices.below(4) {
        if pieces.is_empty() {
            break;
        }
        let at = choices.below(pieces.len());
        match choices.below(12) {
            // A word or sign in the place of another of its kind.
            8.. => {
                let kind = |piece: &str| {
                    let first = piece.chars().next().unwrap_or(' ');
                    (
                        first.is_alphabetic(),
                        first.is_ascii_digit(),
                        first.is_whitespace(),
                    )
                };
                let same = |piece: &&str| kind(piece) == kind(pieces[at]);
                let like: Vec<&str> = pieces.iter().copied().filter(same).collect();
                pieces[at] = like[choices.below(like.len())];
            }
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, choices.of(WORDS)),
            2 => pieces[at] = choices.of(WORDS),
            3 => {
                let other = choices.below(pieces.len());
                pieces.swap(at, other);
            }
            4 => {
                let end = (at + 1 + choices.below(40)).min(pieces.len());
                let copy = pieces[at..end].to_vec();
                let to = choices.below(pieces.len());
                pieces.splice(to..to, copy);
            }
            5 => {
                let end = (at + 1 + choices.below(40)).min(pieces.len());
                pieces.drain(at..end);
            }
            6 => {
                let other = self::pieces(seed(choices));
                let from = choices.below(other.len());
                let end = (from + 1 + choices.below(60)).min(other.len());
                pieces.splice(at..at, other[from..end].iter().copied());
            }
            _ => pieces.truncate(at),
        }
    }
    pieces.concat()
}

/// Names of fields inside the parts of a table.
const PARTS: [&str; 33] = [
    "start",
    "unit",
    "output",
    "id",
    "all",
    "event",
    "note",
    "when",
    "set",
    "real",
    "procedure",
    "coef",
    "args",
    "coef2",
    "otherwise",
    "once",
    "after",
    "before",
    "about",
    "nominal",
    "auxiliary",
    "mark",
    "solve",
    "equations",
    "bounds",
    "for",
    "stage",
    "constants",
    "at",
    "states",
    "transitions",
    "file",
    "columns",
];

fn a_field(choices: &mut Choices<'_>) -> &'static str {
    let groups: [&[&str]; 3] = [&FIELDS, &CLOCK_FIELDS, &PARTS];
    let group = choices.of(&groups);
    choices.of(group)
}

/// RON that has the words of a table in places where they may or may not belong.
pub(super) fn ron(choices: &mut Choices<'_>) -> String {
    let mut text = String::from("(format: 1, ");
    for _ in 0..1 + choices.below(6) {
        text.push_str(a_field(choices));
        text.push_str(": ");
        value(choices, 4, &mut text);
        text.push_str(", ");
    }
    text.push(')');
    text
}

fn value(choices: &mut Choices<'_>, depth: usize, out: &mut String) {
    let kind = if depth == 0 {
        choices.below(3)
    } else {
        choices.below(8)
    };
    match kind {
        0 => out.push_str(choices.of(&[
            "1", "0", "-2.5", "1e400", "true", "tick", "events", "Some(1)", "()", "'a'",
        ])),
        1 | 2 => {
            out.push('"');
            for _ in 0..choices.below(8) {
                out.push_str(choices.of(WORDS));
                out.push_str(choices.of(&[" ", ""]));
            }
            out.push('"');
        }
        3 | 4 => group(choices, depth, out, '[', ']', &[""]),
        5 => group(
            choices,
            depth,
            out,
            '{',
            '}',
            &["\"x\": ", "\"y\": ", "\"`a b`\": ", "x: ", "1: "],
        ),
        _ => {
            let field = format!("{}: ", a_field(choices));
            group(
                choices,
                depth,
                out,
                '(',
                ')',
                &[&field, "real: ", "args: ", "when: ", "start: ", ""],
            );
        }
    }
}

fn group(
    choices: &mut Choices<'_>,
    depth: usize,
    out: &mut String,
    open: char,
    close: char,
    keys: &[&str],
) {
    out.push(open);
    for _ in 0..choices.below(5) {
        out.push_str(choices.of(keys));
        value(choices, depth - 1, out);
        out.push_str(choices.of(&[", ", ",", "\n,"]));
    }
    out.push(close);
}
