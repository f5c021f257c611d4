//! Help while a line is typed: what a word can become, which parts of a line are what, whether it is
//! complete. Functions of a [`Vocabulary`], which a front end takes from the console after each line.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use situ_engine::model::Boolean;
use situ_engine::procedure;
use situ_rules::tree::List;
use situ_rules::{SourceMap, parse};

use super::Console;
use super::commands::change::aside_id;
use super::commands::model::{kind_of, row_text};
use super::list::{self, Argument};
use super::names::{Named, all, bare};
use super::settings::{setting, settings};
use super::words::{Candidate, spelt, time};
use situ_rules::print::ModelText;
use situ_views::text::number::exact;

/// Everything that a line may name.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    names: Vec<Candidate>,
    /// What quantities and switches can be set to, by name: what they are now first.
    present: HashMap<String, Vec<Candidate>>,
    known: HashSet<String>,
    ranges: Vec<Candidate>,
    rows: Vec<Candidate>,
    rows_aside: Vec<Candidate>,
    cases: Vec<Candidate>,
    marks: Vec<Candidate>,
    branches: Vec<Candidate>,
    stops: Vec<Candidate>,
    directory: PathBuf,
}

/// What a part of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A command.
    Command,
    /// A word of the language, or of a command.
    Keyword,
    /// A name of the model.
    Name,
    /// A number.
    Number,
    /// A remark.
    Remark,
    /// What cannot stay so.
    Wrong,
}

const KEYWORDS: [&str; 10] = [
    "event",
    "noevent",
    "smooth",
    "when",
    "otherwise",
    "start",
    "time",
    "pi",
    "after",
    "before",
];

impl Console {
    /// What can be named now.
    pub fn vocabulary(&mut self) -> Vocabulary {
        let version = self.version();
        let model = &version.model;
        let words = ModelText::of(model);
        let candidate = |text: String, about: &str| Candidate {
            text,
            about: about.to_owned(),
        };
        let names: Vec<Candidate> = all(model)
            .map(|(name, what)| match what {
                Named::Constant(id) => {
                    let about = &model.constants[id.index()].about;
                    candidate(spelt(name), &described("constant", about))
                }
                Named::Real(id) => {
                    let about = &model.reals[id.index()].about;
                    candidate(spelt(name), &described("real", about))
                }
                Named::Boolean(what) => candidate(spelt(name), kind_of(model, what)),
            })
            .collect();
        let is_range = |what: Named| matches!(what, Named::Boolean(Boolean::Range(_)));
        let row = |row| {
            let id = if row_list(row) == List::Relations {
                version.row_id(row).to_owned()
            } else {
                version.qualified(row)
            };
            candidate(id, &row_text(&words, row).0)
        };
        let row_now = self.run().row();
        let present = all(model).filter_map(|(name, what)| {
            let values = match what {
                Named::Constant(id) => vec![candidate(exact(row_now.constants[id.index()]), "now")],
                Named::Real(id) => vec![candidate(exact(row_now.real(id)), "now")],
                Named::Boolean(what @ Boolean::Switch(_)) => {
                    let now = row_now.boolean(model, what);
                    vec![
                        candidate(now.to_string(), "now"),
                        candidate((!now).to_string(), ""),
                    ]
                }
                Named::Boolean(_) => return None,
            };
            Some((name.to_owned(), values))
        });
        Vocabulary {
            present: present.collect(),
            known: all(model).map(|(name, _)| name.to_owned()).collect(),
            ranges: all(model)
                .filter(|(_, what)| is_range(*what))
                .map(|(name, _)| candidate(spelt(name), "range"))
                .collect(),
            names,
            rows: version.rows().map(row).collect(),
            rows_aside: version
                .aside()
                .iter()
                .map(|(list, row)| candidate(aside_id(&row.text), list.name()))
                .collect(),
            cases: model
                .cases
                .iter()
                .map(|case| candidate(case.name.clone(), &case.about))
                .collect(),
            marks: self
                .world
                .marks
                .iter()
                .map(|(name, at)| candidate(name.clone(), &format!("t = {}", time(*at))))
                .collect(),
            branches: self
                .world
                .branches
                .keys()
                .map(|name| candidate(name.clone(), "branch"))
                .collect(),
            stops: self
                .world
                .stops
                .iter()
                .map(|stop| candidate(stop.number.to_string(), &stop.on.to_string()))
                .collect(),
            directory: self.directory.clone(),
        }
    }
}

fn row_list(row: super::document::RowRef) -> List {
    row.list
}

fn described(kind: &str, about: &str) -> String {
    if about.is_empty() {
        kind.to_owned()
    } else {
        about.to_owned()
    }
}

impl Vocabulary {
    /// What the word that ends at a byte of the line can become: the byte at which it begins, and the
    /// candidates, commands first.
    pub fn complete(&self, line: &str, position: usize) -> (usize, Vec<Candidate>) {
        let before = line.get(..position).unwrap_or(line);
        let start = word_start(before);
        let word = &before[start..];
        let head = before.trim_start();
        let is_first = head.find(char::is_whitespace).is_none();
        let mut found: Vec<Candidate> = Vec::new();
        if is_first {
            found.extend(list::all().map(|command| Candidate {
                text: command.name.to_owned(),
                about: command.about.to_owned(),
            }));
            found.extend(self.names.iter().cloned());
            return (start, fitting(word, found));
        }
        let (first, rest) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        let Ok(command) = list::named(first) else {
            return (start, fitting(word, self.for_rules()));
        };
        if let (true, Some((name, _))) = (
            command.takes.contains(&Argument::Value),
            rest.split_once('='),
        ) {
            return (start, fitting(word, self.values(bare(name))));
        }
        for argument in command.takes {
            match argument {
                Argument::Name => found.extend(self.names.iter().cloned()),
                Argument::Expression => found.extend(self.for_rules()),
                Argument::Row => found.extend(self.rows.iter().cloned()),
                Argument::RowAside => found.extend(self.rows_aside.iter().cloned()),
                Argument::File => {
                    let begin = position - rest.len();
                    let typed = rest.trim_start_matches('"');
                    let begin = begin + (rest.len() - typed.len());
                    return self.files(typed, begin);
                }
                Argument::Case => found.extend(self.cases.iter().cloned()),
                Argument::Mark => {
                    found.extend(self.marks.iter().cloned());
                    found.extend(words(&["start", "end"]));
                }
                Argument::Branch => found.extend(self.branches.iter().cloned()),
                Argument::Stop => found.extend(self.stops.iter().cloned()),
                Argument::Range => found.extend(self.ranges.iter().cloned()),
                Argument::Command => found.extend(list::all().map(|command| Candidate {
                    text: command.name.to_owned(),
                    about: command.about.to_owned(),
                })),
                Argument::Setting => found.extend(settings().map(|(name, setting)| Candidate {
                    text: name.to_owned(),
                    about: setting.about().to_owned(),
                })),
                Argument::Value => {}
                Argument::Words(list) => found.extend(words(list)),
            }
        }
        // Rows are named without backticks and with dots.
        let row_start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let takes_rows = command.takes.contains(&Argument::Row);
        let dotted = before[row_start..].contains('.');
        if takes_rows && dotted {
            return (row_start, fitting(&before[row_start..], found));
        }
        (start, fitting(word, found))
    }

    /// What a name can be set to: the words of a setting or a switch, else what it is now.
    fn values(&self, name: &str) -> Vec<Candidate> {
        let now = self.present.get(name);
        let words = match setting(name) {
            _ if now.is_some() => Vec::new(),
            Some(setting) => setting.kind.words(),
            None => Vec::new(),
        };
        let words = words.into_iter().map(|(word, about)| Candidate {
            text: word.to_owned(),
            about: about.to_owned(),
        });
        words.chain(now.into_iter().flatten().cloned()).collect()
    }

    /// Names, procedures and words of the language.
    fn for_rules(&self) -> Vec<Candidate> {
        let procedures = procedure::ALL.iter().map(|one| Candidate {
            text: format!("{}(", one.name),
            about: one.about.to_owned(),
        });
        let keywords = words(&["when ", "otherwise", "time", "pi"]);
        self.names
            .iter()
            .cloned()
            .chain(keywords)
            .chain(procedures)
            .collect()
    }

    /// Files whose path begins so; tables, scripts and folders.
    fn files(&self, typed: &str, begin: usize) -> (usize, Vec<Candidate>) {
        let (folder, name) = typed
            .rsplit_once('/')
            .map_or(("", typed), |(folder, name)| (folder, name));
        let shown = if typed.starts_with('/') && folder.is_empty() {
            "/"
        } else {
            folder
        };
        let mut found = Vec::new();
        let entries = std::fs::read_dir(self.directory.join(Path::new(if shown.is_empty() {
            "."
        } else {
            shown
        })));
        for entry in entries.into_iter().flatten().flatten() {
            let Ok(file) = entry.file_name().into_string() else {
                continue;
            };
            if !file.starts_with(name) || (file.starts_with('.') && name.is_empty()) {
                continue;
            }
            let is_folder = entry.path().is_dir();
            let gap = if shown.is_empty() || shown.ends_with('/') {
                ""
            } else {
                "/"
            };
            let end = if is_folder { "/" } else { "" };
            found.push(Candidate {
                text: format!("{shown}{gap}{file}{end}"),
                about: if is_folder {
                    "folder".to_owned()
                } else {
                    String::new()
                },
            });
        }
        found.sort_by(|a, b| a.text.cmp(&b.text));
        (begin, found)
    }

    /// The parts of a line that are more than plain, in order and without overlap.
    pub fn parts(&self, line: &str) -> Vec<(std::ops::Range<usize>, Part)> {
        let mut parts: Vec<(std::ops::Range<usize>, Part)> = Vec::new();
        let wrong = mistakes(line);
        let looks_like_rule = wrong.is_some();
        let mut first = true;
        for (range, token) in (Tokens { line, at: 0 }) {
            let text = &line[range.clone()];
            let is_last = range.end == line.len();
            let part = match token {
                Token::Remark => Some(Part::Remark),
                Token::Number => Some(Part::Number),
                Token::Quoted => {
                    let name = text.trim_matches('`');
                    Some(if self.known.contains(name) {
                        Part::Name
                    } else {
                        Part::Wrong
                    })
                }
                Token::Word if first && !looks_like_rule && list::named(text).is_ok() => {
                    Some(Part::Command)
                }
                Token::Word if self.known.contains(text) => Some(Part::Name),
                Token::Word if KEYWORDS.contains(&text) => Some(Part::Keyword),
                Token::Word if procedure::ALL.iter().any(|one| one.name == text) => {
                    Some(Part::Keyword)
                }
                // A word that is still being typed is not wrong yet.
                Token::Word if looks_like_rule && !first && !is_last => Some(Part::Wrong),
                Token::Word => None,
            };
            first = false;
            parts.extend(part.map(|part| (range, part)));
        }
        // What a parser stumbles over, unless it is the end, where more is to come.
        for range in wrong
            .into_iter()
            .flatten()
            .filter(|range| range.end < line.len())
        {
            parts.retain(|(other, _)| other.end <= range.start || range.end <= other.start);
            parts.push((range, Part::Wrong));
        }
        parts.sort_by_key(|(range, _)| range.start);
        parts
    }
}

/// Whether more lines have to follow: something is open, or a rule ends in an operator.
pub fn is_incomplete(line: &str) -> bool {
    let trimmed = line.trim_end();
    if trimmed.ends_with('\\') {
        return true;
    }
    let (mut depth, mut quoted) = (0_i32, false);
    for letter in trimmed.chars() {
        match letter {
            '`' => quoted = !quoted,
            '#' if !quoted => break,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    let is_command = trimmed
        .split_whitespace()
        .next()
        .is_some_and(|word| list::all().any(|command| command.name == word));
    let ends_open = trimmed.ends_with(['&', ',', '+', '-', '*', '/', '=']);
    let is_rule = trimmed.contains(['=', ':']) && !is_command;
    depth > 0 || quoted || (is_rule && ends_open)
}

/// The places of mistakes in a line that looks like a rule; `None` if it does not.
fn mistakes(line: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let first = line.split_whitespace().next()?;
    let is_command = list::all().any(|command| command.name == first);
    if is_command || !line.contains(['=', ':']) {
        return None;
    }
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", line);
    let (_, reports) = parse::line(&sources, sources.span(id), None);
    let spans = reports
        .iter()
        .filter_map(|report| Some(report.primary.as_ref()?.span.range()));
    Some(spans.filter(|range| !range.is_empty()).collect())
}

fn words(list: &[&str]) -> impl Iterator<Item = Candidate> {
    list.iter().map(|word| Candidate {
        text: (*word).to_owned(),
        about: String::new(),
    })
}

/// Those that begin with a word; if none does, those that do but for case. Each text once.
fn fitting(word: &str, all: Vec<Candidate>) -> Vec<Candidate> {
    let lower = word.trim_start_matches('`').to_lowercase();
    let bare = |text: &str| text.trim_start_matches('`').to_lowercase();
    let mut seen = HashSet::new();
    let exact: Vec<Candidate> = all
        .iter()
        .filter(|one| one.text.starts_with(word) && seen.insert(one.text.clone()))
        .cloned()
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    all.into_iter()
        .filter(|one| bare(&one.text).starts_with(&lower) && seen.insert(one.text.clone()))
        .collect()
}

/// Where the word begins that stands at the end of a text; a name in open backticks is one word.
fn word_start(text: &str) -> usize {
    if text.matches('`').count() % 2 == 1 {
        return text.rfind('`').unwrap_or(0);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let tail = text.chars().rev().take_while(|c| is_part(*c));
    text.len() - tail.map(char::len_utf8).sum::<usize>()
}

enum Token {
    Word,
    Number,
    Quoted,
    Remark,
}

struct Tokens<'a> {
    line: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = (std::ops::Range<usize>, Token);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.line[self.at..];
            let letter = rest.chars().next()?;
            let start = self.at;
            let length_while = |test: &dyn Fn(char) -> bool| -> usize {
                rest.chars()
                    .take_while(|c| test(*c))
                    .map(char::len_utf8)
                    .sum()
            };
            let (length, token) = match letter {
                '#' => (rest.len(), Token::Remark),
                '`' => {
                    let inside = rest[1..].find('`').map_or(rest.len(), |at| at + 2);
                    (inside, Token::Quoted)
                }
                c if c.is_ascii_digit() => (
                    length_while(&|c| c.is_alphanumeric() || c == '.'),
                    Token::Number,
                ),
                c if c.is_alphabetic() || c == '_' => (
                    length_while(&|c| c.is_alphanumeric() || c == '_'),
                    Token::Word,
                ),
                c => {
                    self.at += c.len_utf8();
                    continue;
                }
            };
            self.at += length;
            return Some((start..start + length, token));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let (_folder, mut console) = crate::console::tests::session();
        assert!(
            !console
                .execute("load scenarios/hoop/table.ron", &mut ())
                .failed
        );
        console.vocabulary()
    }

    #[test]
    fn words_are_completed() {
        let vocabulary = vocabulary();
        for (line, expected) in [
            ("bac", "back"),
            ("set K_b", "K_braking"),
            ("why not acc", "accelerating"),
            ("run u", "until"),
            ("run until cont", "contact"),
            ("Vy = integral(A", "Ay"),
            ("Vy = integ", "integral("),
            ("case ma", "main"),
            ("help bla", "blame"),
            ("drop 3", "3"),
            ("print `F", "Fel"),
            ("set step", "step"),
            ("set stepping = ", "events"),
            ("set method = ", "rodas5p"),
            ("set locate = one", "one-sided"),
            ("set K_braking = ", "8000"),
        ] {
            let (start, found) = vocabulary.complete(line, line.len());
            let texts: Vec<&str> = found.iter().map(|one| &*one.text).collect();
            assert!(texts.contains(&expected), "{line}: {texts:?}");
            assert!(start <= line.len());
        }
        let (_, found) = vocabulary.complete("Fel", 3);
        assert_eq!(found[0].about, "elastic reaction (Fупр)");
        assert!(
            vocabulary
                .complete("показать Ш", "показать Ш".len())
                .1
                .is_empty()
        );
    }

    #[test]
    fn parts_of_lines_are_told_apart() {
        let vocabulary = vocabulary();
        for (line, expected) in [
            ("run until h", "Command:run Name:h"),
            (
                "Fel = 2 * def when contact",
                "Name:Fel Number:2 Name:def Keyword:when Name:contact",
            ),
            (
                "Fel = 2 * dof when contact",
                "Name:Fel Number:2 Wrong:dof Keyword:when Name:contact",
            ),
            ("Fel = 2 # two", "Name:Fel Number:2 Remark:# two"),
            (
                "Fel = 2 * * def + 1",
                "Name:Fel Number:2 Wrong:* Name:def Number:1",
            ),
            ("Fel = 2 * de", "Name:Fel Number:2"),
        ] {
            let parts = vocabulary.parts(line);
            let said: Vec<String> = parts
                .iter()
                .map(|(range, part)| format!("{part:?}:{}", &line[range.clone()]))
                .collect();
            assert_eq!(said.join(" "), expected, "{line}");
        }
    }

    #[test]
    fn rules_may_take_several_lines() {
        for (line, more) in [
            ("Fel = K * def &", true),
            ("Fel = min(h,", true),
            ("Fel = 3 +", true),
            ("print h", false),
            ("plot h > a/", false),
            ("when a: b", false),
            ("x = 1 # (", false),
            ("step \\", true),
            ("x = `a", true),
        ] {
            assert_eq!(is_incomplete(line), more, "{line}");
        }
    }

    #[test]
    fn any_text_can_be_looked_at() {
        let vocabulary = vocabulary();
        let letters = [
            '`', '#', 'h', 'ш', '=', ':', '(', ' ', '1', '.', '"', '/', '\\', '\n',
        ];
        for number in 0..20_000_usize {
            let mut rest = number;
            let line: String = std::iter::from_fn(|| {
                let letter = letters[rest % letters.len()];
                rest /= letters.len();
                (rest > 0).then_some(letter)
            })
            .collect();
            let (start, _) = vocabulary.complete(&line, line.len());
            assert!(line.is_char_boundary(start));
            let parts = vocabulary.parts(&line);
            assert!(
                parts
                    .windows(2)
                    .all(|pair| pair[0].0.end <= pair[1].0.start),
                "{line}"
            );
            is_incomplete(&line);
        }
    }
}
