//! One-line rules, conditions and expressions.
//!
//! ```text
//! line       = ["[" [id] [("after" | "before") id] "]"] body ["#" comment]
//! body       = ["event"] name ":" condition                 range or situation
//!            | ("noevent" | "smooth") name ":" condition       range with a mark
//!            | "when" condition ":" ["!"] name {"," ["!"] name}          assignment
//!            | name {"," name} ("=" | ":=") expression {"," expression} guard   relation
//! guard      = ["when" condition | "otherwise"]
//! condition  = literal {"&" literal}
//! literal    = ["!"] (name | "start" | "every" "(" expression ["," expression] ")")
//!            | expression ("<" | "<=" | ">" | ">=") expression
//! expression = term {("+" | "-") term}
//! term       = factor {("*" | "/") factor}
//! factor     = "-" factor | power
//! power      = value ["^" factor]
//! value      = number | name | "time" | "pi" | "(" expression ")" | name "(" [argument {"," argument}] ")"
//! argument   = expression | literal
//! name       = Unicode identifier | "`" anything "`"
//! id         = anything without blanks and brackets
//! keywords: event when otherwise start time pi
//! ```
//!
//! A definition whose condition consists of comparisons only is a range, unless it is an event or
//! stands among the situations. `after` and `before` are words of the language in brackets only,
//! `noevent` and `smooth` in front of a range's name only.
//!
//! Operators bind by precedence (Pratt). What cannot be read is reported once and becomes an error
//! node; reading goes on behind it.

use situ_engine::model::Mark;

use super::fields::unread_literal;
use super::report;
use super::tokens::{Parser, is_keyword, is_name_like, position};
use crate::lex::{Lexeme, Token, lex, normalised};
use crate::source::{Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, BinaryOp, Condition, Expr, ExprKind, Form, Guard, List, LiteralKind, Name,
    Place, Range, Relation, Row, Setting, SettingValue, Side, Situation, Value,
};

impl<'a> Parser<'a> {
    /// Reads a row; `list` is the list it stands in.
    pub(crate) fn line(&mut self, list: Option<List>) -> Option<AnyRow> {
        let (id, place, begin) = self.brackets()?;
        lex(&self.text.text[begin..], position(begin), self.lexemes);
        let note = self.take_comment();
        let head = Head {
            span: self.text.whole(),
            id,
            place,
            note,
        };
        let row = self.body(list, head);
        self.end("the row");
        if let (Some(row), Some(list)) = (&row, list)
            && row.list() != list
        {
            self.report(report::wrong_list(row.list(), list, self.text.whole()));
        }
        row
    }

    /// Reads `[id after id]` in front of a row; last comes the byte at which the body begins.
    /// `None` if the bracket is not closed, so that no body can be found.
    fn brackets(&mut self) -> Option<(Option<Spanned<String>>, Option<Place>, usize)> {
        let text = self.text.text;
        let open = text.len() - text.trim_start().len();
        if !text[open..].starts_with('[') {
            return Some((None, None, 0));
        }
        let close = text[open..]
            .find([']', '\n'])
            .map_or(text.len(), |length| open + length);
        if !text[close..].starts_with(']') {
            let span = self.span_of(open, open + 1);
            self.report(report::bad_id(
                "the bracket before the row is not closed",
                span,
            ));
            return None;
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
                None => Err("the brackets lack the id of the row that is meant"),
            },
            Some(None) => Err("the brackets hold more than an id"),
        };
        let place = match place {
            Ok(_) if words.next().is_some() => Err("the brackets hold more than an id"),
            Ok(None) if id.is_none() => Err("the brackets hold no id"),
            place => place,
        };
        let place = place.unwrap_or_else(|message| {
            self.report(report::bad_id(message, self.span_of(open, close + 1)));
            None
        });
        Some((id, place, close + 1))
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
                "the row",
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
        // A keyword in the place of a name is taken for one here, and reported by `name`.
        let mut names = 0;
        while is_name_like(self.ahead(names).token) && self.ahead(names + 1).token == Token::Comma {
            names += 2;
        }
        let after_names = match self.ahead(names).token {
            token if is_name_like(token) => Some(self.ahead(names + 1)),
            _ => None,
        };
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
            Token::When => self.assignment(head),
            Token::Name if self.meaning(self.lexeme()) == Some(Token::When) => {
                self.assignment(head)
            }
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

    /// Whether the next word stands in front of a name that is defined.
    fn stands_before_a_name(&self) -> bool {
        let next = self.ahead(1).token;
        is_name_like(next) && (self.ahead(2).token == Token::Colon || next == Token::Event)
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
                    report::expected("a name before `:`", "a condition", self.span(self.lexeme()))
                        .with_edit(
                            "an assignment of switches begins with `when`",
                            self.text.span(begin, begin),
                            "when ",
                        ),
                );
                self.assignment(head)
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
                    None => self.report(report::no_row(list, span)),
                }
                self.skip_all();
                None
            }
        }
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
        if event {
            self.next += 1;
        }
        let name = self.name();
        if self.accept(Token::Colon).is_none() {
            self.expected("`:`");
        }
        let condition = self.condition();
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
            return Some(AnyRow::Range(head.row(Range {
                name,
                all: all.collect(),
                mark,
            })));
        }
        if let Some(mark) = mark {
            self.report(report::mark_on_situation(mark.value, mark.span));
        }
        let all = condition;
        Some(AnyRow::Situation(head.row(Situation { name, event, all })))
    }

    /// Reads an assignment; `None` if it is a relation that begins with its condition.
    fn assignment(&mut self, head: Head) -> Option<AnyRow> {
        self.accept(Token::When);
        let when = self.condition();
        if self.relation_behind(&when) {
            return None;
        }
        let mut set = Vec::new();
        if self.accept(Token::Colon).is_none() {
            self.expected("`:` and the switches to set");
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
        Some(AnyRow::Assignment(head.row(Assignment { when, set })))
    }

    /// Reports `when condition: x = ..` and `if condition then x = ..`.
    fn relation_behind(&mut self, when: &Condition) -> bool {
        let joint = self.lexeme();
        let separated = joint.token == Token::Colon || matches!(self.slice(joint), "then" | ",");
        let name = self.ahead(usize::from(separated));
        let sign = self.ahead(usize::from(separated) + 1);
        if !is_name_like(name.token) || !matches!(sign.token, Token::Equal | Token::Once) {
            return false;
        }
        let end = self.lexemes[self.lexemes.len() - 2].end;
        let relation = self.text.text[name.start as usize..end as usize].trim_end();
        let begin = self.lexemes[0].start;
        let whole = self.text.span(begin, end);
        let meant = format!("{relation} when {}", self.text_at(when.span));
        self.report(report::condition_first(self.span(name), whole, meant));
        self.skip_all();
        true
    }

    /// Reads a relation; `None` if what it writes cannot be read.
    fn relation(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        let targets = self.targets();
        let sign = self
            .accept(Token::Once)
            .or_else(|| self.accept(Token::Equal));
        let sign = sign.unwrap_or_else(|| self.lexeme());
        let once = sign.token == Token::Once;
        let once_span = self.span(sign);
        self.in_list = targets.len() > 1;
        let mut values = vec![self.expression()];
        while self.accept(Token::Comma).is_some() {
            values.push(self.expression());
        }
        self.in_list = false;
        let guard = self.guard();
        if targets.iter().all(|target| target.value.is_empty()) {
            return None;
        }
        if let Some(set) = self.truth_values(&targets, &values) {
            return self.assignment_meant(list, head, set, guard);
        }
        let readable = values
            .iter()
            .all(|value| !matches!(value.kind, ExprKind::Error));
        if targets.len() > 1 && !once {
            self.report(report::several_targets(once_span));
        }
        if targets.len() != values.len() {
            if readable {
                let report = report::uneven_targets(targets.len(), values.len(), once_span);
                self.report(report);
            }
            values = vec![self.error_node(once_span).expr; targets.len()];
        }
        let value = Value::Exprs(values);
        Some(AnyRow::Relation(head.row(Relation {
            targets,
            once,
            once_span,
            value,
            guard,
        })))
    }

    /// The switches that a row sets by `true` and `false`; `None` if it gives numbers.
    fn truth_values(&self, targets: &[Name], values: &[Expr]) -> Option<Vec<(Name, bool)>> {
        let truth = |value: &Expr| match self.text_at(value.span) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let values: Vec<bool> = values.iter().map(truth).collect::<Option<_>>()?;
        (values.len() == targets.len()).then(|| targets.iter().cloned().zip(values).collect())
    }

    /// Reports `on = true when a`, which is read as the assignment `when a: on`.
    fn assignment_meant(
        &mut self,
        list: Option<List>,
        head: Head,
        set: Vec<(Name, bool)>,
        guard: Guard,
    ) -> Option<AnyRow> {
        let switches: Vec<String> = set
            .iter()
            .map(|(name, value)| (if *value { "" } else { "!" }, name))
            .map(|(sign, name)| format!("{sign}{}", self.text_at(name.span)))
            .collect();
        let switches = switches.join(", ");
        let whole = set[0]
            .0
            .span
            .to(self.span(self.lexemes[self.next.max(1) - 1]));
        let Guard::When(when) = guard else {
            let meant = format!("when condition: {switches}");
            self.report(report::switch_in_relation(whole, &meant, None));
            return None;
        };
        let meant = format!("when {}: {switches}", self.text_at(when.span));
        let stands_right = list.is_none_or(|list| list == List::Assignments);
        if !stands_right {
            self.report(report::switch_in_relation(whole, &meant, None));
            return None;
        }
        self.report(report::switch_in_relation(whole, &meant, Some(whole)));
        Some(AnyRow::Assignment(head.row(Assignment { when, set })))
    }

    /// Reads the names before `=` or `:=`; none if something else stands there.
    fn targets(&mut self) -> Vec<Name> {
        let is_sign = |token| matches!(token, Token::Equal | Token::Once | Token::End);
        let mut targets = Vec::new();
        let begin = self.next;
        if is_sign(self.peek()) {
            self.expected("the name of a real");
            return targets;
        }
        while is_name_like(self.peek()) {
            targets.push(self.name());
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        if is_sign(self.peek()) || self.meaning(self.lexeme()) == Some(Token::Equal) {
            return targets;
        }
        self.next = begin;
        let reports = self.diagnostics.len();
        let left = self.expression();
        while !is_sign(self.peek()) {
            self.next += 1;
        }
        if self.diagnostics.len() == reports {
            let help = match rate_of(&left) {
                Some(real) => format!("for a rate write `{real} = integral(..)`"),
                None => "left of `=` stands the real that the row writes, alone".to_owned(),
            };
            self.report(
                report::expected("the name of a real", "an expression", left.span).with_help(help),
            );
        }
        Vec::new()
    }

    fn guard(&mut self) -> Guard {
        let mut guard = Guard::Always;
        let mut first: Option<Lexeme> = None;
        loop {
            let lexeme = self.lexeme();
            let next = if self.accept(Token::When).is_some() {
                Guard::When(self.condition())
            } else if self.accept(Token::Otherwise).is_some() {
                Guard::Otherwise(self.span(lexeme))
            } else if matches!(guard, Guard::Always) && lexeme.token != Token::End {
                // What cannot be read here may have a condition behind it.
                let span = self.span(lexeme);
                return Guard::When(Condition {
                    span,
                    literals: vec![unread_literal(span)],
                });
            } else {
                return guard;
            };
            if let Some(first) = first {
                let names = [first, lexeme].map(|lexeme| self.slice(lexeme));
                let spans = [lexeme, first].map(|lexeme| self.span(lexeme));
                self.report(report::contradiction(
                    names[0], names[1], spans[0], spans[1],
                ));
            }
            if !matches!(guard, Guard::When(_)) {
                guard = next;
            }
            first = Some(lexeme);
        }
    }

    /// Reads `NAME=VALUE`.
    pub(crate) fn setting(&mut self) -> Option<Setting> {
        if !is_name_like(self.peek()) {
            self.expected("a name");
            self.skip_all();
            return None;
        }
        let name = self.name();
        if self.accept(Token::Equal).is_none() {
            self.expected("`=` and a value");
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
            self.expected("a name");
            return Name::new(String::new(), span);
        }
        self.next += 1;
        let text = self.slice(lexeme);
        if is_keyword(lexeme.token) {
            self.report(report::keyword(text, span));
            return Name::new(String::new(), span);
        }
        Name::new(self.name_text(lexeme), span)
    }
}

/// The real of which a left side is the rate, as other languages write it: `dx/dt`, `der(x)`.
fn rate_of(left: &Expr) -> Option<&str> {
    match &left.kind {
        ExprKind::Binary(BinaryOp::Div, real, time) => match (&real.kind, &time.kind) {
            (ExprKind::Name(real), ExprKind::Name(time)) if time == "dt" => {
                real.strip_prefix('d').filter(|real| !real.is_empty())
            }
            _ => None,
        },
        ExprKind::Call(name, args) => match (name.value.as_str(), &args[..]) {
            ("der" | "diff" | "derivative", [real]) => match &real.kind {
                ExprKind::Name(real) => Some(real),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// What every row has.
struct Head {
    span: Span,
    id: Option<Spanned<String>>,
    place: Option<Place>,
    note: Option<Spanned<String>>,
}

impl Head {
    fn row<T>(self, body: T) -> Row<T> {
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
            body,
        }
    }
}
