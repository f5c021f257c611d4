//! What a table would have where a token cannot stand: brackets, colons, commas, quotes around rows.

use super::bare::{self, Bare};
use super::lexer::Token;
use super::report;
use super::walk::{Open, Walk, partner};
use crate::diag::Diagnostic;
use crate::tree::{FIELDS, List};

impl Walk<'_> {
    /// An open bracket that lacks its partner before the next token.
    pub(super) fn not_closed(&self, index: usize) -> Box<Diagnostic> {
        let open = self.open[index];
        let mut end = self.end_before();
        let mut missing = String::from(char::from(partner(open.bracket)));
        let at_end = self.next >= self.tokens.len();
        if at_end {
            let others = self.open[1..index].iter().rev();
            missing.extend(others.map(|open| char::from(partner(open.bracket))));
        }
        // The comma behind the bracket's last entry separates the bracket from what follows.
        if !at_end && self.next > 1 {
            if self.is(self.next - 1, Token::Comma) {
                end = self.tokens[self.next - 2].2;
            } else {
                missing.push(',');
            }
        }
        Box::new(report::not_closed(
            open.bracket,
            &missing,
            self.place(end, end),
            self.place(open.at, open.at + 1),
            at_end,
        ))
    }

    /// The open bracket that should have been closed before an entry: fields of the table stand in it, or entries of
    /// the bracket around it.
    pub(super) fn closing_forgotten(&self, top: Open, named: bool) -> Option<usize> {
        let n = self.open.len();
        let word = self.written(self.next);
        let is_named = named || self.is(self.next + 1, Token::Colon);
        let begins_line = self.begins_line(self.next);
        if n > 2
            && is_named
            && begins_line
            && self.is(self.next, Token::Word)
            && FIELDS.contains(&word)
        {
            let is_field = top.bracket == b'(' && own_fields(word);
            return (!is_field).then_some(n - 1);
        }
        let below = self.open[n.checked_sub(2)?];
        let is_row = top.bracket == b'(' && top.named && top.n_entries > 0;
        let is_next = match below.bracket {
            b'{' => self.is(self.next, Token::Quoted) && is_named,
            b'[' => !is_named && matches!(self.token(self.next)?.0, Token::Quoted | Token::Open),
            _ => false,
        };
        (is_row && is_next && begins_line).then_some(n - 1)
    }

    /// What stands behind the table.
    pub(super) fn behind_the_table(&self) -> Box<Diagnostic> {
        let closes = self.place_of(self.next - 1);
        if self.is(self.next, Token::Close) {
            return Box::new(report::closes_nothing(self.place_of(self.next)));
        }
        let goes_on = self.is(self.next - 1, Token::Close)
            && (self.is(self.next, Token::Comma) || self.is(self.next + 1, Token::Colon));
        let next = self.place_of(self.next);
        if goes_on && self.tokens.len() > self.next + 2 {
            return Box::new(report::closes_early(closes, next));
        }
        let is_last = self.next + 1 == self.tokens.len();
        Box::new(match is_last && is_sign(self.written(self.next)) {
            true => report::sign_behind_the_table(next),
            false => report::behind_the_table(next),
        })
    }

    /// A name that is none of those that fields have.
    pub(super) fn no_field_name(&self, top: Open, start: usize) -> Box<Diagnostic> {
        if let Some(report) =
            bare::decimal_comma(self.text, start, |start, end| self.place(start, end))
        {
            return Box::new(report);
        }
        let place = self.place_of(self.next);
        if top.bracket == b'{' {
            return Box::new(report::name_is_a_number(self.written(self.next), place));
        }
        let in_map = top.key.is_some_and(|key| holds_names(self.written(key)));
        if in_map {
            let key = top.key.map_or("", |key| self.written(key));
            return Box::new(report::takes_braces(key, self.place(top.at, top.at + 1)));
        }
        Box::new(report::quoted_field(self.written(self.next), place))
    }

    /// A sign of other languages where a colon should stand, behind so many bytes of a token: `step=0.1`.
    pub(super) fn sign_for_colon(&self, index: usize, behind: usize) -> Option<Box<Diagnostic>> {
        let start = self.tokens[index].1 + behind;
        let rest = self.written(index).get(behind..)?;
        let sign = [":=", "==", "=>", "->", "=", ";"]
            .into_iter()
            .find(|sign| rest.starts_with(sign))?;
        let place = self.place(start, start + sign.len());
        Some(Box::new(report::equals(sign, place)))
    }

    /// The name of a field with another sign than a colon behind it.
    pub(super) fn field_with_sign(&self, top: Open, name: usize) -> Option<Box<Diagnostic>> {
        let word = self.written(name);
        let behind = word.find(['=', ';', '-'])?;
        if !is_field_name(&word[..behind]) {
            return None;
        }
        // `(a; b)` are two values.
        let goes_on = match self.token(name + 1) {
            Some((Token::Word, start, end)) => bare::is_number(&self.text[start..end]),
            Some((Token::Quoted | Token::Open, ..)) => true,
            _ => false,
        };
        match word[behind..].starts_with(';') && !(top.named || goes_on) {
            true => None,
            false => self.sign_for_colon(name, behind),
        }
    }

    /// A comma behind the name of a field whose value and next field follow: `step, 0.1, stop: 1`.
    pub(super) fn comma_for_colon(&self, name: usize) -> Option<Box<Diagnostic>> {
        use Token::{Colon, Comma, Word};
        let follows = [Comma, Word, Comma, Word, Colon];
        let mut follows = follows.into_iter().zip(name + 1..);
        let is_plain = is_field_name(self.written(name));
        (is_plain && follows.all(|(token, index)| self.is(index, token)))
            .then(|| Box::new(report::equals(",", self.place_of(name + 1))))
    }

    /// A field of a table whose value should stand in brackets, and does not: what it takes.
    pub(super) fn without_brackets(&self, name: usize) -> Option<Box<Diagnostic>> {
        let (field, begin) = (self.written(name), self.token(name + 2)?);
        let place = self.place(begin.1, begin.1);
        let is_named = self.is(name + 3, Token::Colon);
        let is_row = begin.0 == Token::Quoted && !is_named;
        Some(Box::new(match () {
            () if is_row && is_list(field) => report::takes_brackets(field, place),
            () if is_named && holds_names(field) => report::takes_braces(field, place),
            () if is_named && field == "clock" => report::takes_parentheses(field, place),
            () => return None,
        }))
    }

    /// True of the name of a field with its value right behind it: `step 0.1`, `stepping events`.
    pub(super) fn lacks_colon(&self, name: usize) -> bool {
        let is_name = |index| self.is(index, Token::Word) && is_field_name(self.written(index));
        let is_same_line = |index: usize| {
            let [(_, _, end), (_, start, _)] = [self.tokens[name], self.tokens[index]];
            !self.text[end..start].contains('\n')
        };
        let value = name + 1;
        let Some((token, start, end)) = self.token(value) else {
            return false;
        };
        let ends = matches!(
            self.token(value + 1),
            None | Some((Token::Comma | Token::Close, ..))
        );
        let is_value = match token {
            Token::Quoted => true,
            Token::Open => !self.text[start..].starts_with('('),
            Token::Word => bare::is_number(&self.text[start..end]) || ends && is_name(value),
            _ => false,
        };
        is_value && is_name(name) && is_same_line(value)
    }

    /// A name without its colon.
    pub(super) fn no_colon(&self, top: Open) -> Box<Diagnostic> {
        let (token, start, end) = self.tokens[self.next];
        let key = top.key.map_or("", |key| self.written(key));
        if let Some(report) = self.other_script(self.next) {
            return report;
        }
        let is_behind = start == self.end_before();
        if is_behind && let Some(report) = self.sign_for_colon(self.next, 0) {
            return report;
        }
        if let Some(report) = self.quotes_astray() {
            return report;
        }
        if token == Token::Word
            && self.text[start..end].starts_with(['=', ':', '-'])
            && self.is_equals(self.next)
        {
            return Box::new(report::equals(
                self.written(self.next),
                self.place(self.end_before(), end),
            ));
        }
        if token == Token::Word && self.text[start..].starts_with('=') {
            return Box::new(report::equals(
                "=",
                self.place(self.end_before(), start + 1),
            ));
        }
        if self.is(self.next - 1, Token::Word) && self.written(self.next - 1).ends_with('=') {
            let end = self.end_before();
            return Box::new(report::equals("=", self.place(end - 1, end)));
        }
        if matches!(token, Token::Comma | Token::Close) {
            if is_list(key) {
                return Box::new(report::takes_brackets(key, self.place(top.at, top.at + 1)));
            }
            let name = self.written(top.entry);
            if let Some(report) =
                bare::decimal_comma(self.text, start, |start, end| self.place(start, end))
            {
                return Box::new(report);
            }
            let is_value = |index| match self.token(index) {
                Some((Token::Open, ..)) => true,
                Some((Token::Quoted | Token::Word, ..)) => !self.is(index + 1, Token::Colon),
                _ => false,
            };
            if token == Token::Comma && is_value(self.next + 1) {
                return Box::new(report::equals(",", self.place(start, end)));
            }
            return Box::new(report::no_value(
                name,
                self.place(self.end_before(), self.end_before()),
            ));
        }
        let end = self.end_before();
        Box::new(report::no_colon(
            self.written(top.entry),
            self.place(end, end),
        ))
    }

    /// Two values without a comma between them, or a value that goes on where it should be complete.
    pub(super) fn no_comma(&self, top: Open) -> Box<Diagnostic> {
        let (token, start, end) = self.tokens[self.next];
        let word = &self.text[start..end];
        if let Some(report) = self
            .forgotten_comment(start)
            .or_else(|| self.other_script(self.next))
        {
            return report;
        }
        if word.starts_with(';') {
            return Box::new(report::semicolon(self.place(start, start + 1)));
        }
        if let Some(report) = self.quotes_astray() {
            return report;
        }
        if top.bracket == b'[' {
            if let Some(key) = top.key.filter(|key| self.written(*key) == "clock") {
                let place = self.place(top.at, top.at + 1);
                return Box::new(report::takes_parentheses(self.written(key), place));
            }
            if let Some(report) = self.unquoted_row(top) {
                return report;
            }
            if token == Token::Colon {
                let key = top.key.map_or("", |key| self.written(key));
                return Box::new(report::names_in_list(key, self.place(top.at, top.at + 1)));
            }
        }
        if word.starts_with('.') && word.trim_end_matches('.').is_empty() {
            let place = self.place(start, end);
            return Box::new(match self.is(self.next + 1, Token::Comma) {
                true => report::stray_point(place),
                false => crate::parse::report::foreign(word, ",", None, place),
            });
        }
        let begins_entry = (self.is(self.next + 1, Token::Quoted)
            || self.is(self.next + 1, Token::Word))
            && self.is(self.next + 2, Token::Colon);
        if token == Token::Word && is_sign(word) && begins_entry {
            let place = self.place(start, end);
            return Box::new(crate::parse::report::foreign(word, ",", None, place));
        }
        if token == Token::Colon
            && let Some(report) = top.name.and_then(|name| self.without_brackets(name))
        {
            return report;
        }
        if token == Token::Colon {
            return Box::new(report::stray_colon(self.place(start, end)));
        }
        let breaks = self.text[self.end_before()..start].contains('\n')
            || matches!(token, Token::Word | Token::Quoted) && self.is(self.next + 1, Token::Colon);
        let before = self.next - 1;
        if !breaks
            && self.is(before, Token::Word)
            && self
                .token(before)
                .is_some_and(|(_, at, _)| at >= self.tokens[top.entry].1)
        {
            return self.bare_value(top);
        }
        let what = match (top.bracket, top.named) {
            (b'[', _) => "row",
            (b'(', true) => "field",
            _ => "entry",
        };
        let behind = self.end_before();
        Box::new(report::missing_comma(
            what,
            self.place(behind, behind),
            self.place(start, end),
        ))
    }

    /// A row without its quotes, which reaches to the end of its line or of its list.
    pub(super) fn unquoted_row(&self, top: Open) -> Option<Box<Diagnostic>> {
        let begin = self.tokens[top.entry].1;
        if self.is(top.entry, Token::Quoted) {
            return None;
        }
        let mut depth = 0_usize;
        let mut end = begin;
        for (index, (token, start, token_end)) in self.tokens.iter().enumerate().skip(top.entry) {
            let breaks = index > top.entry && self.text[end..*start].contains('\n');
            match token {
                _ if breaks => break,
                Token::Close if depth == 0 => break,
                Token::Quoted if self.text[*start..*token_end].contains('\n') => {
                    end = *start;
                    if self.text[..end].ends_with(|c: char| !c.is_whitespace()) {
                        let row = self.place(begin, end + 1);
                        return Some(Box::new(report::no_opening_quote(
                            row,
                            self.place(begin, begin),
                        )));
                    }
                    break;
                }
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
            end = *token_end;
        }
        let row = self.text[begin..end]
            .trim_end()
            .trim_end_matches([',', ';'])
            .trim_end();
        let says = |sign: &str| row.contains(sign);
        let is_row = ["=", "<", ">", ":", "->", "when "].into_iter().any(says);
        if !is_row || row.starts_with('{') {
            return None;
        }
        Some(Box::new(report::unquoted_row(
            row,
            self.place(begin, begin + row.len()),
        )))
    }

    /// A value without quotes that goes on behind its first word.
    pub(super) fn bare_value(&self, top: Open) -> Box<Diagnostic> {
        let first = (top.entry..self.next)
            .rev()
            .take_while(|index| self.is(*index, Token::Word))
            .last()
            .unwrap_or(self.next - 1);
        let start = self.tokens[first].1;
        self.bare(top, start, self.extent(first))
    }

    /// The byte behind a value without quotes: where a comma, its bracket or its line ends.
    pub(super) fn extent(&self, first: usize) -> usize {
        let mut end = self.tokens[first].2;
        let mut depth = 0_usize;
        for (token, start, token_end) in &self.tokens[first + 1..] {
            let ends = match token {
                _ if self.text[end..*start].contains('\n') => true,
                Token::Comma => depth == 0,
                Token::Close if depth == 0 => true,
                Token::Quoted | Token::Colon => true,
                _ => false,
            };
            if ends {
                break;
            }
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
            end = *token_end;
        }
        end
    }

    pub(super) fn bare(&self, top: Open, start: usize, end: usize) -> Box<Diagnostic> {
        let name = match top.name {
            Some(name) if top.bracket == b'(' => self.written(name),
            _ => "",
        };
        let unit = self.value_of(top, "unit");
        let place = |start, end| self.place(start, end);
        let value = Bare {
            text: self.text,
            start,
            end,
            field: name,
            in_map: top.bracket == b'{',
            in_clock: top.key.is_some_and(|key| self.written(key) == "clock"),
            unit: unit.map(|unit| unit.trim_matches('"')),
        };
        Box::new(value.explain(place))
    }

    /// The value of a field of a bracket as it is written; only its first word if it has several.
    fn value_of(&self, top: Open, field: &str) -> Option<&str> {
        let first = self
            .tokens
            .partition_point(|(_, start, _)| *start <= top.at);
        let mut depth = 0_usize;
        for index in first..self.tokens.len() {
            match self.tokens[index].0 {
                Token::Open => depth += 1,
                Token::Close if depth == 0 => return None,
                Token::Close => depth -= 1,
                Token::Word if depth == 0 && self.written(index) == field => {
                    let value = index + 2;
                    return Some(match value < self.tokens.len() {
                        true => self.written(value),
                        false => "",
                    });
                }
                _ => {}
            }
        }
        None
    }
}

/// True of a sign that is no value.
fn is_sign(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '_');
    !word.contains(is_part)
}

/// True of a name as fields have it, also one that is a word of the language: `start`.
fn is_field_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Fields of a table that parts of it have too.
fn own_fields(word: &str) -> bool {
    matches!(word, "name" | "about" | "source" | "clock")
}

/// True of the fields of a table that hold rows.
fn is_list(field: &str) -> bool {
    matches!(field, "expect" | "replace" | "drop")
        || List::ALL.iter().any(|list| list.name() == field)
}

/// True of the fields of a table that hold names with values.
fn holds_names(field: &str) -> bool {
    FIELDS.contains(&field)
        && !is_list(field)
        && !matches!(
            field,
            "format" | "name" | "about" | "source" | "clock" | "extends"
        )
}
