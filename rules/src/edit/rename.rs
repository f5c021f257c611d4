//! One name of a table -> another, wherever the text has it: in keys, rows, conditions and expressions, and in rows that
//! are set aside. Prose, units, files and what stands in other tables stay as they are.
//!
//! The text is read as tokens, not as a table, so that all else stays as it is written. Whether the new text means the
//! same is for the caller to see: `Model::differs_in_names_only`.

use situ_engine::model::scene::ShapeKind;

use super::{CLOSE, EditError, OFF};
use crate::lex::{self, Lexeme, NumberFault};
use crate::parse::ron::{Kind, Token, Tokens, check};
use crate::print::{self, string};
use crate::source::SourceMap;

/// Fields whose texts name nothing of this table.
const OTHER_TEXTS: [&str; 22] = [
    "format",
    "name",
    "about",
    "source",
    "note",
    "unit",
    "file",
    "sheet",
    "extends",
    "replace",
    "drop",
    "case",
    "kind",
    "outside",
    "mark",
    "id",
    "task",
    "label",
    "questions",
    "en",
    "ru",
    "lang",
];

/// Gives a name of the table another one: of a quantity, a boolean, a family, a counter, a part, a machine, or of a
/// machine's state, `door.open`.
///
/// ```
/// let text = r#"(reals: {"h": (start: 2, about: "h, a height")}, relations: ["h = h + 1 when low.h", "x = hh + `h`"])"#;
/// let text = situ_rules::edit::rename(text, "h", "height").unwrap();
/// assert_eq!(
///     text,
///     r#"(reals: {"height": (start: 2, about: "h, a height")}, relations: ["height = height + 1 when low.h", "x = hh + height"])"#
/// );
/// ```
///
/// # Errors
///
/// [`EditError::NotATable`].
pub fn rename(text: &str, old: &str, new: &str) -> Result<String, EditError> {
    let mut sources = SourceMap::default();
    let id = sources.add("", text);
    let root = check(&sources, id).map_err(|_| EditError::NotATable)?;
    if root.kind() != Kind::Struct {
        return Err(EditError::NotATable);
    }
    let mut renaming = Renaming {
        old,
        new,
        state: None,
        at: Vec::new(),
        key: "",
    };
    if let Some((machine, state)) = old.rsplit_once('.') {
        let new = new
            .strip_prefix(machine)
            .and_then(|new| new.strip_prefix('.'));
        renaming.state = new.map(|new| (machine, state, new));
    }
    Ok(renaming.text(text))
}

/// A text on the way, with the fields and keys that lead to the present place.
struct Renaming<'r> {
    old: &'r str,
    new: &'r str,
    /// Of a state: its machine, its name there, and the one that it gets.
    state: Option<(&'r str, &'r str, &'r str)>,
    /// Fields as words, keys as quoted strings.
    at: Vec<&'r str>,
    key: &'r str,
}

impl<'r> Renaming<'r> {
    /// RON, or a part of it.
    fn text(&mut self, text: &'r str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        let tokens: Vec<_> = Tokens::new(text).collect();
        for (index, &(token, start, end)) in tokens.iter().enumerate() {
            let written = &text[start..end];
            let behind = tokens[index + 1..].iter();
            let mut behind = behind
                .filter(|(token, ..)| !matches!(token, Token::LineComment | Token::BlockComment));
            let is_key = behind
                .next()
                .is_some_and(|(token, ..)| *token == Token::Colon);
            match token {
                Token::Open => self.at.push(std::mem::take(&mut self.key)),
                Token::Close => self.key = self.at.pop().unwrap_or_default(),
                Token::Comma => self.key = "",
                Token::Word if is_key => self.key = written,
                Token::Quoted => {
                    let renamed = self.string(written, is_key);
                    if let Some(renamed) = renamed {
                        out.push_str(&text[done..start]);
                        out.push_str(&renamed);
                        done = end;
                    }
                    if is_key {
                        self.key = written;
                    }
                }
                Token::BlockComment => {
                    let row = written
                        .strip_prefix(OFF)
                        .and_then(|row| row.strip_suffix(CLOSE));
                    if let Some(row) = row {
                        out.push_str(&text[done..start]);
                        out.push_str(&format!("{OFF}{}{CLOSE}", self.text(row)));
                        done = end;
                    }
                }
                Token::Word | Token::Colon | Token::LineComment => {}
            }
        }
        out.push_str(&text[done..]);
        out
    }

    /// A string as it is written; `None` if it stays.
    fn string(&self, written: &str, is_key: bool) -> Option<String> {
        let list = self.at.get(1).copied().unwrap_or_default();
        let field = |name: &str| self.at.last().is_some_and(|last| *last == name);
        // Rows in columns declare by it.
        let is_name = !is_key && self.key == "name" && matches!(list, "ranges" | "situations");
        let mut fields = self.at.iter().chain([&self.key]);
        let is_other = !is_key && !is_name && fields.any(|one| OTHER_TEXTS.contains(one))
            || list == "cases" && is_key && field("cases")
            || list == "lookups" && (!is_key || !field("lookups"))
            || list == "parts" && is_key && field("set")
            || field("formulas") && !is_key;
        if is_other {
            return None;
        }
        let mut sources = SourceMap::default();
        let id = sources.add("", written);
        let value = check(&sources, id).ok()?;
        let (inside, place) = value.string()?;
        let renamed = match self.in_machine(&inside, is_key) {
            Some(renamed) => renamed,
            None if is_name => self.name(&inside),
            None if list == "scene" => self.shape(&inside),
            None => renamed_in_row(&inside, self.old, self.new),
        };
        match (renamed == *inside, place) {
            (true, _) => None,
            (false, Some(at)) => {
                let (head, tail) = (&written[..at], &written[at + inside.len()..]);
                Some(format!("{head}{renamed}{tail}"))
            }
            (false, None) => Some(string(&renamed)),
        }
    }

    /// A name that a row in columns declares, which may be that of a family.
    fn name(&self, inside: &str) -> String {
        let base = inside.split_once('[').map_or(inside, |(base, _)| base);
        let mut lexemes = Vec::new();
        lex::lex(base, 0, &mut lexemes);
        match lexemes.first() {
            Some(one) if one.end as usize == base.len() => {
                renamed_in_row(inside, self.old, self.new)
            }
            _ if inside == self.old => print::name(self.new),
            _ => inside.to_owned(),
        }
    }

    /// A row of the scene, in whose head shapes have names of their own; indices in it name counters.
    fn shape(&self, row: &str) -> String {
        let mut lexemes: Vec<Lexeme> = Vec::new();
        lex::lex(row, 0, &mut lexemes);
        let written = |one: &Lexeme| &row[one.start as usize..one.end as usize];
        let has_id = lexemes.first().is_some_and(|one| written(one) == "[");
        let kind = match has_id {
            true => lexemes
                .iter()
                .position(|one| written(one) == "]")
                .map(|at| at + 1),
            false => Some(0),
        };
        let kind = kind.and_then(|at| lexemes.get(at));
        let colon = lexemes.iter().find(|one| one.token == lex::Token::Colon);
        let (Some(kind), Some(colon)) = (kind, colon) else {
            return renamed_in_row(row, self.old, self.new);
        };
        if ShapeKind::named(written(kind)).is_none() {
            return renamed_in_row(row, self.old, self.new);
        }
        let (head, body) = row.split_at(colon.start as usize);
        let (before, names) = head.split_at(kind.start as usize);
        let mut out = before.to_owned();
        for part in names.split_inclusive(']') {
            let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
            out.push_str(name);
            // An index alone would be taken for the id of a row.
            let index = renamed_in_row(&format!("_{index}"), self.old, self.new);
            out.push_str(&index[1..]);
        }
        out + &renamed_in_row(body, self.old, self.new)
    }

    /// A text within a machine that names states, whose names are the machine's own; `None` if it stands elsewhere.
    fn in_machine(&self, inside: &str, is_key: bool) -> Option<String> {
        let [_, "machines", name, fields @ ..] = &*self.at else {
            return None;
        };
        let state = self.state;
        let state = state.filter(|(machine, ..)| name.trim_matches('"') == *machine);
        let renamed = |old_name: &str| match state {
            Some((_, old, new)) if old_name == old => new.to_owned(),
            _ => old_name.to_owned(),
        };
        match (*fields.first().unwrap_or(&self.key), is_key) {
            ("start", _) | ("states", true) => Some(renamed(inside)),
            ("transitions", false) => {
                let mut lexemes = Vec::new();
                lex::lex(inside, 0, &mut lexemes);
                let when = lexemes.iter().find(|one| one.token == lex::Token::When);
                let when = when.map_or(inside.len(), |one| one.start as usize);
                let (head, tail) = inside.split_at(when);
                let head = match state {
                    Some((_, old, new)) => renamed_in_row(head, old, new),
                    None => head.to_owned(),
                };
                Some(head + &renamed_in_row(tail, self.old, self.new))
            }
            _ => None,
        }
    }
}

/// A row, a condition or an expression with another name in it; the id in front of a row stays.
///
/// ```
/// use situ_rules::edit::renamed_in_row;
///
/// assert_eq!(renamed_in_row("[A] 2A -> B : k # from A", "A", "C2H6"), "[A] 2 C2H6 -> B : k # from A");
/// assert_eq!(renamed_in_row("[4 after left] x = left.level", "left", "first"), "[4 after first] x = first.level");
/// assert_eq!(renamed_in_row("text: at (n, 0), 'n = {n}'", "n", "m"), "text: at (m, 0), 'n = {m}'");
/// ```
pub fn renamed_in_row(row: &str, old: &str, new: &str) -> String {
    let mut lexemes: Vec<Lexeme> = Vec::new();
    lex::lex(row, 0, &mut lexemes);
    let written = |one: &Lexeme| &row[one.start as usize..one.end as usize];
    let spelt = print::name(new);
    let mut out = String::with_capacity(row.len());
    let mut done = 0;
    let (mut in_text, mut in_braces) = (false, false);
    for (index, one) in lexemes.iter().enumerate() {
        let text = written(one);
        if one.token == lex::Token::Foreign {
            match text {
                "'" => in_text = !in_text,
                "{" => in_braces = true,
                "}" => in_braces = false,
                _ => {}
            }
        }
        let is_id =
            index == 1 && written(&lexemes[0]) == "[" && !matches!(text, "after" | "before");
        if is_id || in_text && !in_braces {
            continue;
        }
        let within = || text.strip_prefix(old)?.strip_prefix('.');
        let renamed = match one.token {
            lex::Token::Name if text == old => spelt.clone(),
            lex::Token::Name => match within() {
                Some(rest) => format!("{new}.{rest}"),
                None => continue,
            },
            lex::Token::Quoted if text.trim_matches('`') == old => spelt.clone(),
            lex::Token::Number => match lex::number(text) {
                Err(NumberFault::Name(at)) if text[at..] == *old => {
                    format!("{} {spelt}", &text[..at])
                }
                _ => continue,
            },
            _ => continue,
        };
        out.push_str(&row[done..one.start as usize]);
        out.push_str(&renamed);
        done = one.end as usize;
    }
    out.push_str(&row[done..]);
    out
}
