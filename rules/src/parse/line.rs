//! One-line rules, conditions and expressions.
//!
//! ```text
//! line       = ["[" [id] [("after" | "before") id] "]"] body ["#" comment]
//! body       = ["event"] name ":" condition each            range or situation
//!            | ("noevent" | "smooth") name ":" condition each  range with a mark
//!            | "when" condition ":" ["!"] name {"," ["!"] name} each     assignment
//!            | name {"," name} ("=" | ":=") expression {"," expression} each guard   relation
//!            | "solve" target {"," target} ["from" expression "to" expression] ":" equality {"," equality} each guard
//!            | [side] ("->" | "<->") [side] (":" | "at") expression {"," expression} each guard   reaction
//!            | a shape of a scene, see [`scene`](super::scene)
//! target     = name | "rate" "(" name ")"
//! equality   = expression "=" expression
//! side       = amount name {"+" amount name}
//! amount     = [number ["*"] | name "*"]
//! each       = ["for" counters] ["one" "after" "another"]
//! counters   = name ["in" expression ".." expression] {"," name ["in" expression ".." expression]}
//! guard      = ["when" condition {"," condition} | "otherwise"]
//! condition  = literal {"&" literal}
//! literal    = ["!"] (name | "start" | "every" "(" expression ["," expression] ")" | reduction)
//!            | expression ("<" | "<=" | ">" | ">=") expression
//! expression = term {("+" | "-") term}
//! term       = factor {("*" | "/") factor}
//! factor     = "-" factor | power
//! power      = value ["^" factor]
//! value      = number | name | "time" | "pi" | "(" expression ")" | name "(" [argument {"," argument}] ")"
//!            | reduction
//! argument   = expression | literal
//! reduction  = ("sum" | "mean" | "min" | "max" | "number" | "any" | "all") "(" argument "for" counters ["when" condition] ")"
//! name       = (Unicode identifier | "`" anything "`") [indices] {"." Unicode identifier [indices]}
//! indices    = "[" expression {"," expression} "]"
//! id         = anything without blanks and brackets, of one element with its indices: 5[3], cell[3].5
//! keywords: event when otherwise start time pi
//! ```
//!
//! A definition whose condition consists of comparisons only is a range, unless it is an event or
//! stands among the situations. `after` and `before` are words of the language in brackets only,
//! `noevent` and `smooth` in front of a range's name only, `for`, `in` and `one after another` behind a
//! value only, `solve` in front of a target, `from` and `to` behind one. A bracket with indices touches its name.
//!
//! Operators bind by precedence (Pratt). What cannot be read is reported once and becomes an error
//! node; reading goes on behind it.

use situ_engine::model::Mark;
use situ_words::{phrase, say};

use super::report;
use super::tokens::{Parser, compare, is_name_like};
use crate::lex::{Lexeme, Token, is_plain_name, lex, lex_with_letters, normalised, position};
use crate::source::{Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, Each, Form, List, LiteralKind, Place, Range, Row, Setting, SettingValue,
    Side, Situation,
};

impl<'a> Parser<'a> {
    /// Reads a row; `list` is the list it stands in.
    pub(crate) fn line(&mut self, list: Option<List>) -> Option<AnyRow> {
        let head = self.head(list)?;
        if head.id.is_none() && !matches!(list, Some(List::Reactions | List::Scene)) {
            self.id_without_brackets();
        }
        let row = self.body(list, head);
        self.end(phrase!("phrase-the-row"));
        if let (Some(row), Some(list)) = (&row, list)
            && row.list() != list
        {
            self.report(report::wrong_list(row.list(), list, self.text.whole()));
        }
        row
    }

    /// Reads what stands around a row: its id and its comment.
    pub(super) fn head(&mut self, list: Option<List>) -> Option<Head> {
        let (id, place, begin) = self.brackets()?;
        let body = &self.text.text[begin..];
        lex(body, position(begin), self.lexemes);
        if list == Some(List::Scene) || self.begins_shape() {
            self.lexemes.clear();
            lex_with_letters(body, position(begin), self.lexemes);
        }
        self.drop_invisible();
        self.join_signs();
        self.foreign_comment();
        let note = self.take_comment();
        Some(Head {
            span: self.text.whole(),
            id,
            place,
            note,
        })
    }

    /// Reads `[id after id]` in front of a row; last comes the byte at which the body begins.
    /// `None` if the bracket is not closed, so that no body can be found.
    fn brackets(&mut self) -> Option<(Option<Spanned<String>>, Option<Place>, usize)> {
        let text = self.text.text;
        let open = text.len() - text.trim_start().len();
        if !text[open..].starts_with('[') {
            return Some((None, None, 0));
        }
        let close = closing(&text[open..]).map_or(text.len(), |length| open + length);
        if !text[close..].starts_with(']') {
            return self.unclosed_bracket(open);
        }
        let word = |word: &'a str| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            Spanned::new(
                normalised(word).into_owned(),
                self.span_of(start, start + word.len()),
            )
        };
        let side = |word: &str| match word {
            "after" => Some(Side::After),
            "before" => Some(Side::Before),
            _ => None,
        };
        let mut words = text[open + 1..close].split_whitespace().peekable();
        let id = words.next_if(|word| side(word).is_none()).map(word);
        let place = match words.next().map(side) {
            None => Ok(None),
            Some(Some(side)) => match words.next() {
                Some(other) => Ok(Some(Place {
                    side,
                    id: word(other),
                })),
                None => Err(phrase!("phrase-brackets-lack-id")),
            },
            Some(None) => Err(phrase!("phrase-brackets-hold-more")),
        };
        let place = match place {
            Ok(_) if words.next().is_some() => Err(phrase!("phrase-brackets-hold-more")),
            Ok(None) if id.is_none() => Err(phrase!("phrase-brackets-hold-no")),
            place => place,
        };
        let place = place.unwrap_or_else(|message| {
            self.report(report::bad_id(message, self.span_of(open, close + 1)));
            None
        });
        Some((id, place, close + 1))
    }

    /// Reports `[3 x = ..`; the first word is taken for the id.
    fn unclosed_bracket(
        &mut self,
        open: usize,
    ) -> Option<(Option<Spanned<String>>, Option<Place>, usize)> {
        let text = self.text.text;
        let id = text[open + 1..].split_whitespace().next();
        let id = id.filter(|id| !id.contains(['=', ':', '(']) && !is_plain_name(id));
        let message = say!("parse-unclosed-bracket");
        let report = report::bad_id(message, self.span_of(open, open + 1));
        let Some(id) = id else {
            self.report(report);
            return None;
        };
        let start = id.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + id.len();
        let help = say!("parse-unclosed-bracket.help", id);
        self.report(report.with_edit(help, self.span_of(end, end), "]"));
        let id = Spanned::new(normalised(id).into_owned(), self.span_of(start, end));
        Some((Some(id), None, end))
    }

    /// Takes the comment off the end of the tokens.
    fn take_comment(&mut self) -> Option<Spanned<String>> {
        let index = self
            .lexemes
            .iter()
            .position(|lexeme| lexeme.token == Token::Comment)?;
        let comment = self.lexemes[index];
        let next = self.lexemes[index + 1];
        if next.token != Token::End {
            self.report(report::trailing(
                phrase!("phrase-the-row"),
                &self.describe(next),
                self.span(next),
            ));
        }
        self.lexemes.truncate(index);
        self.lexemes.push(Lexeme {
            token: Token::End,
            start: comment.start,
            end: comment.start,
        });
        let text = self.slice(comment)[1..].trim();
        if text.is_empty() {
            return None;
        }
        let start = text.as_ptr() as usize - self.text.text.as_ptr() as usize;
        Some(Spanned::new(
            text.to_owned(),
            self.span_of(start, start + text.len()),
        ))
    }

    fn body(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        if list == Some(List::Scene) || self.begins_shape() {
            return self.shape(head);
        }
        if list == Some(List::Reactions) || self.begins_stage() {
            return self.reaction(head);
        }
        if self.begins_solve() {
            return self.solve(list, head);
        }
        // A keyword in the place of a name is taken for one here, and reported by `name`.
        let mut names = 0;
        while is_name_like(self.ahead(names).token)
            && self.ahead(self.name_end(names)).token == Token::Comma
        {
            names = self.name_end(names) + 1;
        }
        let after_names = match self.ahead(names).token {
            token if is_name_like(token) => Some(self.ahead(self.name_end(names))),
            _ => None,
        };
        if after_names.is_some() && !matches!(self.peek(), Token::When | Token::Event) {
            self.sign_of_another_list(list, self.name_end(names));
        }
        let after_names = after_names.map(|_| self.ahead(self.name_end(names)));
        if let Some(after) = after_names {
            if after.token == Token::Colon && names == 0 && self.peek() != Token::When {
                return self.definition(list, head);
            }
            if matches!(after.token, Token::Equal | Token::Once) || self.slice(after) == "==" {
                return self.relation(list, head);
            }
        }
        match self.peek() {
            Token::Event => self.definition(list, head),
            _ if self.mark().is_some() => self.definition(list, head),
            Token::When => self.assignment(list, head),
            Token::Name if self.meaning(self.lexeme()) == Some(Token::When) => {
                self.assignment(list, head)
            }
            Token::Name if self.means_event() => self.definition(list, head),
            Token::Name if self.stands_before_a_name() => {
                let word = self.lexeme();
                let span = self.span(word);
                self.report(report::unknown_mark(self.slice(word), span));
                self.next += 1;
                self.definition(list, head)
            }
            _ => self.other_body(list, head),
        }
    }

    /// True if the next word means `event` in another language and stands in front of a name.
    fn means_event(&self) -> bool {
        self.meaning(self.lexeme()) == Some(Token::Event) && self.stands_before_a_name()
    }

    /// True if the next word stands in front of a name that is defined.
    fn stands_before_a_name(&self) -> bool {
        let next = self.ahead(1).token;
        is_name_like(next)
            && (self.ahead(self.name_end(1)).token == Token::Colon || next == Token::Event)
    }

    /// A body that begins like none of the rows: says which one it nearly is.
    fn other_body(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        let sign = self
            .lexemes
            .iter()
            .find(|lexeme| matches!(lexeme.token, Token::Colon | Token::Equal | Token::Once));
        match sign.map(|sign| sign.token) {
            Some(Token::Colon) => {
                let begin = self.lexeme().start;
                self.report(
                    report::expected(
                        phrase!("phrase-name-before-colon"),
                        phrase!("phrase-condition"),
                        self.span(self.lexeme()),
                    )
                    .with_edit(
                        say!("parse-other-body.help"),
                        self.text.span(begin, begin),
                        "when ",
                    ),
                );
                self.assignment(list, head)
            }
            Some(_) => self.relation(list, head),
            None => {
                let span = match self.lexemes[..] {
                    [first, .., last, _] => self.span(first).to(self.span(last)),
                    _ => self.text.whole(),
                };
                let unreadable = self
                    .lexemes
                    .iter()
                    .copied()
                    .find(|lexeme| match lexeme.token {
                        Token::Unknown | Token::OpenQuote => true,
                        Token::Foreign => self.meaning(*lexeme).is_none(),
                        _ => false,
                    });
                match unreadable {
                    Some(lexeme) => _ = self.report_if_unreadable(lexeme),
                    None if self.peek() == Token::End => self.report(report::empty_row(list, span)),
                    None if self.is_nameless(list) => self.report(report::nameless(list, span)),
                    None => self.report(report::no_row(list, span)),
                }
                self.skip_all();
                None
            }
        }
    }

    /// True of a comparison where a range or a situation has its name first.
    fn is_nameless(&self, list: Option<List>) -> bool {
        let mut tokens = self.lexemes.iter().map(|lexeme| lexeme.token);
        matches!(list, Some(List::Ranges | List::Situations))
            && tokens.any(|token| compare(token).is_some())
    }

    /// A mark in front of a name that is defined.
    fn mark(&self) -> Option<Spanned<Mark>> {
        let lexeme = self.lexeme();
        let mark = Mark::ALL
            .into_iter()
            .find(|mark| mark.name() == self.slice(lexeme))?;
        self.stands_before_a_name()
            .then(|| Spanned::new(mark, self.span(lexeme)))
    }

    fn definition(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        let mark = self.mark();
        if mark.is_some() {
            self.next += 1;
        }
        let event = self.peek() == Token::Event && self.ahead(1).token != Token::Colon;
        let event = event || self.means_event();
        if event {
            self.accept(Token::Event);
        }
        let name = self.name();
        if self.accept(Token::Colon).is_none() {
            self.expected("`:`");
        }
        let condition = self.condition();
        let each = self.each();
        if name.value.is_empty() {
            return None;
        }
        let comparisons = condition.literals.iter().all(|literal| {
            matches!(
                literal.kind,
                LiteralKind::Comparison(_) | LiteralKind::Error
            )
        });
        if !event && comparisons && list != Some(List::Situations) {
            let all = condition
                .literals
                .into_iter()
                .filter_map(|literal| match literal.kind {
                    LiteralKind::Comparison(comparison) => Some(*comparison),
                    _ => None,
                });
            let all = all.collect();
            return Some(AnyRow::Range(head.row(each, Range { name, all, mark })));
        }
        if let Some(mark) = mark {
            self.report(report::mark_on_situation(mark.value, mark.span));
        }
        let body = Situation {
            name,
            event,
            behind: false,
            all: condition,
        };
        Some(AnyRow::Situation(head.row(each, body)))
    }

    /// Reads an assignment; `None` if it is a relation that begins with its condition.
    fn assignment(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        let reports = self.diagnostics.len();
        self.accept(Token::When);
        let when = self.condition();
        if self.relation_behind(list, &when, reports) {
            return None;
        }
        let mut set = Vec::new();
        if self.accept(Token::Colon).is_none() {
            self.expected(phrase!("phrase-colon-switches"));
            self.skip_all();
        } else {
            loop {
                let switch = self.switch();
                if !switch.0.value.is_empty() {
                    set.push(switch);
                }
                if self.accept(Token::Comma).is_none() && self.accept(Token::And).is_none() {
                    break;
                }
            }
        }
        let each = self.each();
        Some(AnyRow::Assignment(head.row(each, Assignment { when, set })))
    }

    /// Reads `NAME=VALUE`.
    pub(crate) fn setting(&mut self) -> Option<Setting> {
        if !is_name_like(self.peek()) {
            self.expected(phrase!("phrase-name"));
            self.skip_all();
            return None;
        }
        let name = self.name();
        if self.accept(Token::Equal).is_none() {
            self.expected(phrase!("phrase-equals-value"));
            self.skip_all();
            return None;
        }
        let first = self.lexeme();
        let truth = match self.slice(first) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        if let Some(truth) = truth
            && self.ahead(1).token == Token::End
        {
            self.next += 1;
            let value = SettingValue::Bool(Spanned::new(truth, self.span(first)));
            return Some(Setting { name, value });
        }
        Some(Setting {
            name,
            value: SettingValue::Expr(self.expression()),
        })
    }
}

/// The bracket that closes the one at the start of a text, or the end of its line. The id of a row of one element
/// has brackets of its own, `5[3]`.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth <= 1 => return Some(at),
            ']' => depth -= 1,
            '\n' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Fields that every row has.
pub(super) struct Head {
    span: Span,
    id: Option<Spanned<String>>,
    place: Option<Place>,
    note: Option<Spanned<String>>,
}

impl Head {
    pub(super) fn row<T>(self, each: Option<Box<Each>>, body: T) -> Row<T> {
        let Head {
            span,
            id,
            place,
            note,
        } = self;
        Row {
            form: Form::Line,
            span,
            id,
            place: place.map(Box::new),
            note,
            each,
            body,
        }
    }
}
