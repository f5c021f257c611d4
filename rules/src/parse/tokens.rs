//! The tokens of one text and what is reported about them.
//!
//! A [`Parser`] stands at a token; [`line`](super::line) and [`expression`](super::expression) give
//! it its grammar. Each unexpected token is reported once, signs and words of other languages are
//! reported and understood.

use situ_engine::model::CompareOp;
use situ_words::{Argument, phrase, say};

use super::report;
use crate::diag::Diagnostic;
use crate::lex::{self, Lexeme, Token, foreign_sign, foreign_word, lex, normalised, position};
use crate::source::{SourceId, Span};
use crate::tree::{BinaryOp, Name};

/// A text to be read and the places of its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    pub(super) place: Bytes,
}

#[derive(Clone, Copy)]
pub(super) enum Bytes {
    /// They stand in the source as they are, from this byte on.
    From(SourceId, u32),
    /// They were written with escapes; every part is shown as the whole.
    Within(Span),
}

impl<'a> Text<'a> {
    /// A text that stands in the source from byte `start` on.
    pub(crate) fn exact(text: &'a str, source: SourceId, start: u32) -> Self {
        Self {
            text,
            place: Bytes::From(source, start),
        }
    }

    /// A text that is written differently in the source, somewhere in `span`.
    pub(crate) fn within(text: &'a str, span: Span) -> Self {
        Self {
            text,
            place: Bytes::Within(span),
        }
    }

    pub(super) fn span(self, start: u32, end: u32) -> Span {
        match self.place {
            Bytes::From(source, base) => Span {
                source,
                start: base + start,
                end: base + end,
            },
            Bytes::Within(span) => span,
        }
    }

    /// The place of all of it.
    pub(crate) fn whole(self) -> Span {
        self.span(
            0,
            u32::try_from(self.text.len()).expect("a source has fewer than 2^32 bytes"),
        )
    }
}

/// Reads the tokens of one text.
pub(crate) struct Parser<'a> {
    pub(super) text: Text<'a>,
    pub(super) lexemes: &'a mut Vec<Lexeme>,
    pub(super) next: usize,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
    /// Number of reports before this row.
    pub(super) first_report: usize,
    pub(super) nesting: usize,
    /// Truth values stand here.
    pub(super) in_condition: bool,
    /// Commas separate values here.
    pub(super) in_list: bool,
    /// A bracket closes the indices of a name here.
    pub(super) in_index: bool,
    /// Commas separate conditions here, one for each target of a row.
    pub(super) in_conditions: bool,
    /// A word of an attribute ends an expression here.
    pub(super) in_shape: bool,
    /// A word that ends an expression here.
    pub(super) ends_at: Option<&'static str>,
    /// First byte of the token that was last reported as unexpected; one report is enough.
    pub(super) reported: Option<u32>,
    /// Nested too deeply: the rest is not read and nothing more is reported.
    pub(super) gave_up: bool,
}

impl<'a> Parser<'a> {
    /// A parser of a text; `lexemes` is working space.
    pub(crate) fn new(
        text: Text<'a>,
        lexemes: &'a mut Vec<Lexeme>,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        lexemes.clear();
        let first_report = diagnostics.len();
        Self {
            first_report,
            text,
            lexemes,
            next: 0,
            diagnostics,
            nesting: 0,
            in_condition: false,
            in_list: false,
            in_index: false,
            in_conditions: false,
            in_shape: false,
            ends_at: None,
            reported: None,
            gave_up: false,
        }
    }

    /// Reads the whole text as one thing.
    pub(crate) fn whole<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        lex(self.text.text, 0, self.lexemes);
        self.drop_invisible();
        self.join_signs();
        let result = read(self);
        self.end(phrase!("phrase-it"));
        result
    }

    pub(super) fn lexeme(&self) -> Lexeme {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, n: usize) -> Lexeme {
        self.lexemes[(self.next + n).min(self.lexemes.len() - 1)]
    }

    pub(super) fn peek(&self) -> Token {
        self.lexeme().token
    }

    pub(super) fn slice(&self, lexeme: Lexeme) -> &'a str {
        &self.text.text[lexeme.start as usize..lexeme.end as usize]
    }

    pub(super) fn span(&self, lexeme: Lexeme) -> Span {
        self.text.span(lexeme.start, lexeme.end)
    }

    pub(super) fn span_of(&self, start: usize, end: usize) -> Span {
        self.text.span(position(start), position(end))
    }

    /// The place of the token before the next one.
    pub(super) fn span_before(&self) -> Span {
        self.span(self.lexemes[self.next.saturating_sub(1)])
    }

    /// The text at a place that was read here.
    pub(super) fn text_at(&self, span: Span) -> &'a str {
        match self.text.place {
            Bytes::From(_, base) => {
                &self.text.text[(span.start - base) as usize..(span.end - base) as usize]
            }
            Bytes::Within(_) => "..",
        }
    }

    /// The token that a sign or word of another language means.
    pub(super) fn meaning(&self, lexeme: Lexeme) -> Option<Token> {
        self.foreign(lexeme)?.meant
    }

    pub(super) fn meaning_of_sign(&self, lexeme: Lexeme) -> Option<Token> {
        self.meaning(lexeme)
            .filter(|_| lexeme.token == Token::Foreign)
    }

    pub(super) fn foreign(&self, lexeme: Lexeme) -> Option<lex::Foreign> {
        match lexeme.token {
            Token::Foreign => Some(foreign_sign(self.slice(lexeme))),
            Token::Name => foreign_word(self.slice(lexeme)),
            _ => None,
        }
    }

    /// Takes the next token if it is `wanted`, or reports and takes one that means it.
    pub(super) fn accept(&mut self, wanted: Token) -> Option<Lexeme> {
        let lexeme = self.lexeme();
        if lexeme.token != wanted {
            if self.meaning(lexeme) != Some(wanted) {
                return None;
            }
            self.report_foreign(lexeme);
        }
        self.next += 1;
        Some(lexeme)
    }

    /// Reports the next token if it is foreign; does not take it.
    pub(super) fn accept_foreign(&mut self) {
        let lexeme = self.lexeme();
        if lexeme.token == Token::Foreign {
            self.report_foreign(lexeme);
        }
    }

    pub(super) fn report_foreign(&mut self, lexeme: Lexeme) {
        let text = self.slice(lexeme);
        let Some(foreign) = self.foreign(lexeme) else {
            return;
        };
        let report = report::foreign(text, foreign.replacement, foreign.help, self.span(lexeme));
        // The two bars of `|x|` are one mistake.
        let of_this_row = &self.diagnostics[self.first_report..];
        let known = |other: &Diagnostic| other.message == report.message && other.edit.is_none();
        if !of_this_row.iter().any(known) {
            self.report(report);
        }
    }

    /// Reports that something else stands here, once for each token.
    pub(super) fn expected(&mut self, what: impl Argument) {
        let lexeme = self.lexeme();
        if self.reported == Some(lexeme.start) {
            return;
        }
        self.reported = Some(lexeme.start);
        if self.report_if_unreadable(lexeme) {
            return;
        }
        let mut wanted = what.text();
        if self.next > 0 {
            wanted = say!(
                "parse-expected.after",
                what,
                next = self.slice(self.lexemes[self.next - 1])
            );
        }
        let mut span = self.span(lexeme);
        if lexeme.token == Token::End && self.next > 0 {
            let before = self.span_before();
            span = Span {
                start: before.end,
                ..before
            };
        }
        self.report(report::expected(wanted, self.describe(lexeme), span));
    }

    /// Reports the rest of the text, if there is one, and passes over it.
    pub(super) fn end(&mut self, what: impl Argument) {
        let lexeme = self.lexeme();
        if lexeme.token == Token::End || self.reported == Some(lexeme.start) {
            return;
        }
        if !self.report_if_unreadable(lexeme) {
            let span = self.span(lexeme);
            let report = match lexeme.token {
                Token::Close => report::stray_parenthesis(span),
                Token::And => report::truth_value(phrase!("phrase-condition-where-number"), span),
                token if compare(token).is_some() => report::comparison_as_number(span),
                _ => report::trailing(what, &self.describe(lexeme), span),
            };
            self.report(report);
        }
        self.skip_all();
    }

    /// Reports a token that is wrong wherever it stands.
    pub(super) fn report_if_unreadable(&mut self, lexeme: Lexeme) -> bool {
        let (text, span) = (self.slice(lexeme), self.span(lexeme));
        match lexeme.token {
            Token::Unknown => self.report(report::bad_character(text, span)),
            Token::OpenQuote => self.report(report::unclosed_backtick(span)),
            Token::Foreign if self.meaning(lexeme).and_then(infix).is_none() => {
                self.report_foreign(lexeme);
            }
            Token::Name if foreign_word(text).is_some() => self.report_foreign(lexeme),
            _ => return false,
        }
        true
    }

    /// Takes the parenthesis that closes `open`.
    pub(super) fn close(&mut self, open: Lexeme) {
        if self.accept(Token::Close).is_some() {
            return;
        }
        if matches!(
            self.peek(),
            Token::End | Token::When | Token::Otherwise | Token::Colon
        ) {
            let end = self.span_before();
            let end = Span {
                start: end.end,
                ..end
            };
            self.report(report::unclosed_parenthesis(self.span(open), end));
            return;
        }
        self.expected(phrase!("phrase-comma-or-parenthesis"));
        self.skip_to_close();
        self.accept(Token::Close);
    }

    /// Passes over everything up to the parenthesis that closes the innermost open one, or up to
    /// the end of the expression.
    pub(super) fn skip_to_close(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Token::Open => open += 1,
                Token::Close if open == 0 => return,
                Token::Close => open -= 1,
                Token::End | Token::When | Token::Otherwise => return,
                _ => {}
            }
            self.next += 1;
        }
    }

    pub(super) fn describe(&self, lexeme: Lexeme) -> String {
        match lexeme.token {
            Token::End => say!("parse-the-end"),
            Token::Comment => say!("parse-a-comment"),
            _ => format!("`{}`", self.slice(lexeme)),
        }
    }

    pub(super) fn skip_all(&mut self) {
        self.next = self.lexemes.len() - 1;
    }

    pub(super) fn report(&mut self, mut report: Diagnostic) {
        if self.gave_up {
            return;
        }
        if let Bytes::Within(_) = self.text.place {
            // The text in the source is another one.
            report.edit = None;
        }
        self.diagnostics.push(report);
    }

    /// The name that a token spells, without backticks and in normal form.
    pub(super) fn name_text(&mut self, lexeme: Lexeme) -> String {
        let text = self.slice(lexeme);
        let span = self.span(lexeme);
        let inside = match lexeme.token {
            Token::OpenQuote => {
                self.report(report::unclosed_backtick(span));
                text[1..].trim()
            }
            Token::Quoted => text[1..text.len() - 1].trim(),
            _ => text,
        };
        if lexeme.token == Token::Quoted {
            if inside.is_empty() {
                self.report(report::empty_name(span));
            } else if inside.contains(char::is_control) {
                let shown = inside.escape_debug().to_string();
                self.report(report::bad_name(
                    &shown,
                    phrase!("phrase-holds-invisible-character"),
                    span,
                ));
            }
        }
        normalised(inside).into_owned()
    }

    /// Reads `name` or `!name`, a switch and the value it takes.
    pub(crate) fn switch(&mut self) -> (Name, bool) {
        let negated = self.accept_not();
        (self.name(), !negated)
    }

    /// Reads a name; it is empty after a report that none stands here.
    pub(crate) fn name(&mut self) -> Name {
        let lexeme = self.lexeme();
        let span = self.span(lexeme);
        if !is_name_like(lexeme.token) {
            self.expected(phrase!("phrase-name"));
            return Name::new(String::new(), span);
        }
        self.next += 1;
        let text = self.slice(lexeme);
        if is_keyword(lexeme.token) {
            self.report(report::keyword(text, span));
            return Name::new(String::new(), span);
        }
        let name = Name::new(self.name_text(lexeme), span);
        if crate::lex::KEYWORDS.contains(&&*name.value) {
            self.report(report::keyword(&name.value, span));
        }
        self.indexed(name).0
    }
}

pub(super) fn is_name_like(token: Token) -> bool {
    matches!(token, Token::Name | Token::Quoted | Token::OpenQuote) || is_keyword(token)
}

pub(super) fn is_keyword(token: Token) -> bool {
    matches!(
        token,
        Token::Event | Token::When | Token::Otherwise | Token::Start | Token::Time | Token::Pi
    )
}

/// The comparison that a token is.
pub(super) fn compare(token: Token) -> Option<CompareOp> {
    Some(match token {
        Token::Less => CompareOp::Less,
        Token::LessEqual => CompareOp::LessEqual,
        Token::Greater => CompareOp::Greater,
        Token::GreaterEqual => CompareOp::GreaterEqual,
        _ => return None,
    })
}

/// Binding powers of the infix operators, left and right.
pub(super) fn infix(token: Token) -> Option<(BinaryOp, u8, u8)> {
    Some(match token {
        Token::Plus => (BinaryOp::Add, 1, 2),
        Token::Minus => (BinaryOp::Sub, 1, 2),
        Token::Star => (BinaryOp::Mul, 3, 4),
        Token::Slash => (BinaryOp::Div, 3, 4),
        Token::Caret => (BinaryOp::Pow, 8, 7),
        _ => return None,
    })
}

/// Binding power of a sign in front of a factor: weaker than `^`, stronger than `*`.
pub(super) const SIGN: u8 = 5;
