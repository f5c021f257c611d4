//! The place at which a text stops being RON, and what a table would have there.
//!
//! [`mistake`] goes through the tokens with the brackets that are open. The first token that cannot stand where it
//! stands is explained by what was most likely meant; text that is RON has none.

use super::lexer::{Token, Tokens};
use super::{bare, formats, report};
use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

/// What may come next in a bracket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    /// A value, or the name before one; or the closing bracket.
    Entry,
    /// The value of a name.
    Value,
    Colon,
    /// A comma, or the closing bracket.
    Comma,
    /// Nothing: the table is complete.
    Nothing,
}

/// A bracket that is open; the lowest one stands for the whole text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The bracket, with its place.
    pub(super) bracket: u8,
    pub(super) at: usize,
    pub(super) want: Want,
    /// The token of the name under which it stands.
    pub(super) key: Option<usize>,
    /// The token that begins the entry in it.
    pub(super) entry: usize,
    /// The token of that entry's name.
    pub(super) name: Option<usize>,
    /// True if its entries have names.
    pub(super) named: bool,
    /// Entries that are complete.
    pub(super) n_entries: usize,
}

/// The first mistake of a text whose table begins at a byte; `None` if the text is RON as far as this can tell.
pub(super) fn mistake(text: &str, source: SourceId, begin: usize) -> Option<Diagnostic> {
    let significant = |(token, ..): &(Token, usize, usize)| {
        !matches!(token, Token::LineComment | Token::BlockComment)
    };
    let tokens = Tokens {
        text,
        position: begin,
    };
    let tokens: Vec<_> = tokens.filter(significant).collect();
    if let Some(report) = formats::other_format(text, source, &tokens) {
        return Some(report);
    }
    let root = Open {
        bracket: 0,
        at: begin,
        want: Want::Value,
        key: None,
        entry: 0,
        name: None,
        named: false,
        n_entries: 0,
    };
    let mut walk = Walk {
        text,
        source,
        tokens,
        next: 0,
        open: vec![root],
    };
    walk.skip_attributes();
    loop {
        match walk.step() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(report) => return Some(*report),
        }
    }
}

/// Position in the tokens.
pub(super) struct Walk<'a> {
    pub(super) text: &'a str,
    pub(super) source: SourceId,
    pub(super) tokens: Vec<(Token, usize, usize)>,
    pub(super) next: usize,
    pub(super) open: Vec<Open>,
}

pub(super) type Step = Result<bool, Box<Diagnostic>>;

impl<'a> Walk<'a> {
    /// Passes over `#![enable(..)]`.
    fn skip_attributes(&mut self) {
        while let Some((Token::Word, start, _)) = self.token(self.next)
            && self.text[start..].starts_with("#!")
        {
            let is_close = |(token, start, _): &(Token, usize, usize)| {
                *token == Token::Close && self.text[*start..].starts_with(']')
            };
            let Some(length) = self.tokens[self.next..].iter().position(is_close) else {
                return;
            };
            self.next += length + 1;
        }
    }

    pub(super) fn token(&self, index: usize) -> Option<(Token, usize, usize)> {
        self.tokens.get(index).copied()
    }

    pub(super) fn written(&self, index: usize) -> &'a str {
        self.token(index)
            .map_or("", |(_, start, end)| &self.text[start..end])
    }

    pub(super) fn is(&self, index: usize, token: Token) -> bool {
        self.token(index).is_some_and(|(found, ..)| found == token)
    }

    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end.max(start))
    }

    pub(super) fn place_of(&self, index: usize) -> Span {
        match self.token(index) {
            Some((_, start, end)) => self.place(start, end),
            None => self.place(self.text.len(), self.text.len()),
        }
    }

    /// The byte behind the token before the next one.
    pub(super) fn end_before(&self) -> usize {
        self.next
            .checked_sub(1)
            .and_then(|index| self.token(index))
            .map_or(0, |(_, _, end)| end)
    }

    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("the whole text stays open")
    }

    /// Takes one token; false at the end of a text without mistakes.
    fn step(&mut self) -> Step {
        let Some((token, _, _)) = self.token(self.next) else {
            return self.end();
        };
        let top = *self.top();
        match (top.want, token) {
            (Want::Nothing, _) => Err(self.behind_the_table()),
            (_, Token::Quoted) if self.is_unclosed(self.next) => {
                Err(self.unclosed_quote(self.next))
            }
            (Want::Entry | Want::Comma, Token::Close) => self.close(),
            (Want::Entry, Token::Comma) => {
                Err(Box::new(report::two_commas(self.place_of(self.next))))
            }
            (Want::Entry, Token::Colon) => Err(Box::new(report::no_name(self.place_of(self.next)))),
            (Want::Entry, _) => self.entry(top),
            (Want::Value, Token::Colon) => {
                Err(Box::new(report::two_colons(self.place_of(self.next))))
            }
            (Want::Value, Token::Comma | Token::Close) => {
                let name = top.name.map_or("", |name| self.written(name));
                let end = self.end_before();
                Err(Box::new(report::no_value(name, self.place(end, end))))
            }
            (Want::Value, _) if top.bracket != 0 && self.is_equals(self.next) => {
                let place =
                    self.place(self.end_before() - 1, self.place_of(self.next).end as usize);
                Err(Box::new(report::equals(":=", place)))
            }
            (Want::Value, _) => {
                self.top().want = if top.bracket == 0 {
                    Want::Nothing
                } else {
                    Want::Comma
                };
                self.value()
            }
            (Want::Colon, Token::Colon) => {
                self.top().want = Want::Value;
                self.take()
            }
            (Want::Colon, _) => Err(self.no_colon(top)),
            (Want::Comma, Token::Comma) => {
                let top = self.top();
                top.want = Want::Entry;
                top.n_entries += 1;
                self.take()
            }
            (Want::Comma, _) => Err(self.no_comma(top)),
        }
    }

    fn take(&mut self) -> Step {
        self.next += 1;
        Ok(true)
    }

    /// Begins an entry: a name or a value.
    fn entry(&mut self, top: Open) -> Step {
        let (token, start, _) = self.tokens[self.next];
        let followed = |token| self.is(self.next + 1, token);
        let named = match top.bracket {
            b'{' => true,
            b'(' if top.n_entries > 0 => top.named,
            b'(' => {
                matches!(token, Token::Word | Token::Quoted)
                    && (followed(Token::Colon) || self.is_equals(self.next + 1))
            }
            _ => false,
        };
        let entry = self.next;
        {
            let top = self.top();
            top.entry = entry;
            top.named = named;
            top.name = named.then_some(entry);
            top.want = if named { Want::Colon } else { Want::Comma };
        }
        if let Some(open) = self.closing_forgotten(top, named) {
            return Err(self.not_closed(open));
        }
        if top.bracket == b'('
            && token == Token::Word
            && let Some(report) = self.field_with_sign(top, entry)
        {
            return Err(report);
        }
        let is_first = !named && top.bracket == b'(' && top.n_entries == 0;
        if is_first && let Some(report) = self.comma_for_colon(entry) {
            return Err(report);
        }
        if is_first && self.lacks_colon(entry) {
            self.top().named = true;
            self.next += 1;
            let top = *self.top();
            return Err(self.no_colon(top));
        }
        if named && top.bracket == b'(' && token != Token::Word {
            self.foreign()?;
            if let Some(report) = top.name.and_then(|name| self.without_brackets(name)) {
                return Err(report);
            }
            return Err(self.no_field_name(top, start));
        }
        let is_number = token == Token::Word && bare::begins_number(self.written(entry));
        if named && is_number && !self.is(entry + 1, Token::Colon) {
            return Err(self.no_field_name(top, start));
        }
        self.value()
    }

    /// Takes a value, or its opening bracket.
    fn value(&mut self) -> Step {
        self.foreign()?;
        let index = self.next;
        let (token, start, end) = self.tokens[index];
        let top = *self.top();
        self.next += 1;
        match token {
            Token::Open => self.push(start),
            Token::Word => {
                let followed = self.token(index + 1);
                let bracket = followed.filter(|(token, at, _)| {
                    *token == Token::Open && self.text[*at..].starts_with('(')
                });
                // A key in braces may have content of its own, the name of a field has none.
                let is_field = top.want == Want::Colon && top.bracket == b'(';
                let word = &self.text[start..end];
                match bracket {
                    Some((_, at, _)) if !bare::begins_number(word) && !is_field => {
                        self.next += 1;
                        self.push(at)
                    }
                    _ if top.want == Want::Colon => Ok(true),
                    _ => self.bare_word(top, index),
                }
            }
            _ => Ok(true),
        }
    }

    fn push(&mut self, at: usize) -> Step {
        let top = *self.top();
        let key = match top.want {
            Want::Comma => top.name,
            _ => None,
        };
        self.open.push(Open {
            bracket: self.text.as_bytes()[at],
            at,
            want: Want::Entry,
            key,
            entry: self.next,
            name: None,
            named: false,
            n_entries: 0,
        });
        Ok(true)
    }

    fn close(&mut self) -> Step {
        let top = *self.top();
        let start = self.tokens[self.next].1;
        if top.bracket == 0 {
            return Err(Box::new(report::closes_nothing(self.place_of(self.next))));
        }
        if self.text.as_bytes()[start] == partner(top.bracket) {
            self.open.pop();
            return self.take();
        }
        let below = self.open[self.open.len() - 2];
        let fits_below =
            below.bracket != 0 && self.text.as_bytes()[start] == partner(below.bracket);
        // A bracket of the wrong shape goes on with a comma and more of the same bracket's neighbours.
        let goes_on = self.is(self.next + 1, Token::Comma)
            && self.tokens[self.next + 1..].len() > 2
            && self.open.len() > 2;
        if fits_below && !(goes_on && self.open.len() == 3 && below.bracket == b'(') {
            return Err(self.not_closed(self.open.len() - 1));
        }
        let place = self.place_of(self.next);
        let found = self.text.as_bytes()[start];
        let is_open = |open: &Open| open.bracket != 0 && partner(open.bracket) == found;
        if self.open.len() == 2 && !self.open.iter().any(is_open) {
            return Err(Box::new(report::closes_nothing(place)));
        }
        let opened = self.place(top.at, top.at + 1);
        Err(Box::new(report::wrong_bracket(
            top.bracket,
            [found, partner(top.bracket)],
            place,
            opened,
        )))
    }

    /// The end of the text.
    fn end(&mut self) -> Step {
        match self.open.len() {
            1 => Ok(false),
            n => Err(self.not_closed(n - 1)),
        }
    }

    /// True if a token is the first one of its line.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        let Some((_, start, _)) = self.token(index) else {
            return false;
        };
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        self.text[line..start].trim().is_empty()
    }

    pub(super) fn is_equals(&self, index: usize) -> bool {
        self.is(index, Token::Word)
            && matches!(self.written(index), "=" | ":=" | "=>" | "->" | "==")
    }

    /// A bare word that is no value: a number with something behind it.
    fn bare_word(&self, top: Open, index: usize) -> Step {
        let (_, start, end) = self.tokens[index];
        let word = &self.text[start..end];
        if bare::is_value(word) {
            return Ok(true);
        }
        if let Some(at) = word.find(';') {
            let sign = self.place(start + at, start + at + 1);
            return Err(Box::new(report::semicolon(sign)));
        }
        if let Some(number) = word.strip_suffix('.')
            && bare::is_number(number)
            && self.is(index + 2, Token::Colon)
        {
            let point = self.place(end - 1, end);
            let report = crate::parse::report::foreign(".", ",", None, point);
            return Err(Box::new(report));
        }
        // What stands behind it on its line may belong to it.
        let end = self.extent(index);
        Err(self.bare(top, start, end))
    }
}

pub(super) fn partner(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}
