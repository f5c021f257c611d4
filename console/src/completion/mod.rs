//! Help while a line is typed: what a word can become, which parts of a line are what, whether it is
//! complete. Functions of a [`Vocabulary`], which a front end takes from the console after each line.

#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use situ_engine::model::Boolean;
use situ_engine::procedure;
use situ_rules::tree::List;

use crate::command::Argument;
use crate::commands::change::aside_id;
use crate::commands::rows::{kind_of, row_text};
use crate::files::Files;
use crate::names::{Named, all, bare, spelt};
use crate::prompt::{Candidate, time};
use crate::settings::{about, setting, settings};
use crate::{Console, commands};
use situ_rules::print::ModelText;
use situ_views::text::number::exact;
use situ_words::say;
pub use tokens::is_incomplete;
use tokens::{Token, Tokens, mistakes, word_start};

/// Everything that a line may name.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    names: Vec<Candidate>,
    /// Values to which quantities and switches can be set, by name: the present ones first.
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
    files: Arc<dyn Files>,
}

/// Kind of a part of a line.
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
    /// Text that cannot stay so.
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
    /// Names that can be used now.
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
                    candidate(
                        spelt(name),
                        &described(&say!("console-kind-constant"), about),
                    )
                }
                Named::Real(id) => {
                    let about = &model.reals[id.index()].about;
                    candidate(spelt(name), &described(&say!("console-kind-real"), about))
                }
                Named::Boolean(what) => candidate(spelt(name), &kind_of(model, what)),
            })
            .collect();
        let is_range = |what: Named| matches!(what, Named::Boolean(Boolean::Range(_)));
        let row = |row| {
            let (list, id) = (row_list(row), version.row_id(row));
            let id = match list {
                List::Relations => id.to_owned(),
                _ => format!("{}.{id}", list.name()),
            };
            candidate(id, &row_text(&words, row).0)
        };
        let row_now = self.run().row();
        let present = all(model).filter_map(|(name, what)| {
            let values = match what {
                Named::Constant(id) => vec![candidate(
                    exact(row_now.constants[id.index()]),
                    &say!("console-now"),
                )],
                Named::Real(id) => vec![candidate(exact(row_now.real(id)), &say!("console-now"))],
                Named::Boolean(what @ Boolean::Switch(_)) => {
                    let now = row_now.boolean(model, what);
                    vec![
                        candidate(now.to_string(), &say!("console-now")),
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
                .map(|(name, _)| candidate(spelt(name), &say!("console-kind-range")))
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
                .state
                .marks
                .iter()
                .map(|(name, at)| candidate(name.clone(), &format!("t = {}", time(*at))))
                .collect(),
            branches: self
                .state
                .branches
                .keys()
                .map(|name| candidate(name.clone(), &say!("console-kind-branch")))
                .collect(),
            stops: self
                .state
                .stops
                .iter()
                .map(|stop| candidate(stop.number.to_string(), &stop.on.to_string()))
                .collect(),
            directory: self.directory.clone(),
            files: Arc::clone(&self.files),
        }
    }
}

fn row_list(row: crate::row_ids::RowRef) -> List {
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
    /// Completions of the word that ends at a byte of the line: the byte at which it begins, and the
    /// candidates, commands first.
    pub fn complete(&self, line: &str, position: usize) -> (usize, Vec<Candidate>) {
        let before = line.get(..position).unwrap_or(line);
        let start = word_start(before);
        let word = &before[start..];
        let head = before.trim_start();
        let is_first = head.find(char::is_whitespace).is_none();
        let mut found: Vec<Candidate> = Vec::new();
        if is_first {
            found.extend(commands::all().map(|command| Candidate {
                text: command.name.to_owned(),
                about: command.about(),
            }));
            found.extend(self.names.iter().cloned());
            return (start, fitting(word, found));
        }
        let (first, rest) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        let Ok(command) = commands::named(first) else {
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
                    return self.paths(typed, begin);
                }
                Argument::Case => found.extend(self.cases.iter().cloned()),
                Argument::Mark => {
                    found.extend(self.marks.iter().cloned());
                    found.extend(words(&["start", "end"]));
                }
                Argument::Branch => found.extend(self.branches.iter().cloned()),
                Argument::Stop => found.extend(self.stops.iter().cloned()),
                Argument::Range => found.extend(self.ranges.iter().cloned()),
                Argument::Command => found.extend(commands::all().map(|command| Candidate {
                    text: command.name.to_owned(),
                    about: command.about(),
                })),
                Argument::Setting => found.extend(settings().map(|(name, setting)| Candidate {
                    text: name.to_owned(),
                    about: about(setting),
                })),
                Argument::Value | Argument::Number => {}
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

    /// Values to which a name can be set: the words of a setting or a switch, else its present value.
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
    fn paths(&self, typed: &str, begin: usize) -> (usize, Vec<Candidate>) {
        let (folder, name) = typed
            .rsplit_once('/')
            .map_or(("", typed), |(folder, name)| (folder, name));
        let shown = if typed.starts_with('/') && folder.is_empty() {
            "/"
        } else {
            folder
        };
        let mut found = Vec::new();
        let folder = if shown.is_empty() { "." } else { shown };
        for (file, is_folder) in self.files.list(&self.directory.join(folder)) {
            if !file.starts_with(name) || (file.starts_with('.') && name.is_empty()) {
                continue;
            }
            let gap = if shown.is_empty() || shown.ends_with('/') {
                ""
            } else {
                "/"
            };
            let end = if is_folder { "/" } else { "" };
            found.push(Candidate {
                text: format!("{shown}{gap}{file}{end}"),
                about: if is_folder {
                    say!("console-kind-folder")
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
                Token::Word if first && !looks_like_rule && commands::named(text).is_ok() => {
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
