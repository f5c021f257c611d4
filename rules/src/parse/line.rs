//! One-line rules, conditions and expressions.
//!
//! ```text
//! line       = ["[" [id] [("after" | "before") id] "]"] body ["#" comment]
//! body       = ["event"] name ":" condition                 range or situation
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
//! stands among the situations. `after` and `before` are words of the language in brackets only.
//!
//! Operators bind by precedence (Pratt). What cannot be read is reported once and becomes an error
//! node; reading goes on behind it.

use situ_engine::model::CompareOp;

use super::{MAX_HEIGHT, MAX_NESTING};
use crate::diag::Diagnostic;
use crate::diag::codes::parse as report;
use crate::lex::{self, Lexeme, NumberFault, Token, foreign_sign, foreign_word, lex, normalised};
use crate::source::{SourceId, Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, BinaryOp, Comparison, Condition, Expr, ExprKind, Form, Guard, List,
    Literal, LiteralKind, Name, Place, Range, Relation, Row, Setting, SettingValue, Side,
    Situation, Value,
};

/// A text to be read and the places of its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    place: Bytes,
}

#[derive(Clone, Copy)]
enum Bytes {
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

    fn span(self, start: u32, end: u32) -> Span {
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

/// An expression with the height of its tree.
struct Node {
    expr: Expr,
    height: usize,
}

/// Reads the tokens of one text.
pub(crate) struct Parser<'a> {
    text: Text<'a>,
    lexemes: &'a mut Vec<Lexeme>,
    next: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// How many reports there were before this row.
    first_report: usize,
    nesting: usize,
    /// Truth values stand here.
    in_condition: bool,
    /// Commas separate values here.
    in_list: bool,
    /// First byte of the token that was last reported as unexpected; one report is enough.
    reported: Option<u32>,
    /// Nested too deeply: the rest is not read and nothing more is reported.
    gave_up: bool,
}

/// Binding powers of the infix operators, left and right.
fn infix(token: Token) -> Option<(BinaryOp, u8, u8)> {
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
const SIGN: u8 = 5;

fn compare(token: Token) -> Option<CompareOp> {
    Some(match token {
        Token::Less => CompareOp::Less,
        Token::LessEqual => CompareOp::LessEqual,
        Token::Greater => CompareOp::Greater,
        Token::GreaterEqual => CompareOp::GreaterEqual,
        _ => return None,
    })
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
            reported: None,
            gave_up: false,
        }
    }

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

    /// Reads the whole text as one thing.
    pub(crate) fn whole<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        lex(self.text.text, 0, self.lexemes);
        let result = read(self);
        self.end("it");
        result
    }

    // Rows.

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
                return self.relation(head);
            }
        }
        match self.peek() {
            Token::Event => self.definition(list, head),
            Token::When => self.assignment(head),
            Token::Name if self.meaning(self.lexeme()) == Some(Token::When) => {
                self.assignment(head)
            }
            _ => self.other_body(list, head),
        }
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
            Some(_) => self.relation(head),
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

    fn definition(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
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
            })));
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
    fn relation(&mut self, head: Head) -> Option<AnyRow> {
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
        let guard = self.guard();
        if targets.iter().all(|target| target.value.is_empty()) {
            return None;
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
            self.report(
                report::expected("the name of a real", "an expression", left.span)
                    .with_help("left of `=` stands the real that the row writes, alone"),
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

    /// The name that a token spells, without backticks and in normal form.
    fn name_text(&mut self, lexeme: Lexeme) -> String {
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
                    "it holds an invisible character",
                    span,
                ));
            }
        }
        normalised(inside).into_owned()
    }

    // Conditions.

    /// Reads `literal & literal ..`.
    pub(crate) fn condition(&mut self) -> Condition {
        let begin = self.lexeme();
        let mut literals = Vec::new();
        let outer_in_condition = std::mem::replace(&mut self.in_condition, true);
        loop {
            self.literal(&mut literals);
            let joint = self.lexeme();
            if self.accept(Token::And).is_some() {
                continue;
            }
            match self.slice(joint) {
                "||" | "|" | "∨" | "or" | "OR" => self.report_foreign(joint),
                "," => {
                    self.report(report::foreign(",", " &", "", self.span(joint)));
                }
                _ => break,
            }
            self.next += 1;
        }
        self.in_condition = outer_in_condition;
        Condition {
            span: self.span(begin).to(self.span_before()),
            literals,
        }
    }

    /// Reads one literal; a chain `a < b < c` gives several, after its report.
    fn literal(&mut self, literals: &mut Vec<Literal>) {
        let begin = self.lexeme();
        let negated = self.accept_not();
        if negated && self.accept_not() {
            let span = self.span(begin).to(self.span_before());
            let help = "two negations are none: leave both out";
            self.report(report::not_a_literal("`!` is written once", span).with_help(help));
        }
        if let Some(start) = self.accept(Token::Start) {
            let span = self.span(begin).to(self.span(start));
            literals.push(Literal {
                span,
                negated,
                kind: LiteralKind::Start,
            });
            return;
        }
        let value = self.expression();
        let first = literals.len();
        self.comparison_after(value, begin, literals);
        let span = self.span(begin).to(self.span_before());
        if literals.len() - first == 1 {
            literals[first].span = span;
        }
        if !negated {
            return;
        }
        literals[first].negated = true;
        if let LiteralKind::Comparison(comparison) = &literals[first].kind {
            let opposite = match comparison.op {
                CompareOp::Less => ">=",
                CompareOp::LessEqual => ">",
                CompareOp::Greater => "<=",
                CompareOp::GreaterEqual => "<",
            };
            let message = "`!` stands before names only";
            let help = format!("turn the comparison round: write `{opposite}` and leave `!` out");
            self.report(report::not_a_literal(message, span).with_help(help));
            literals[first].kind = LiteralKind::Error;
        }
    }

    /// Reads what follows the first value of a literal, and adds the literal.
    fn comparison_after(&mut self, value: Expr, begin: Lexeme, literals: &mut Vec<Literal>) {
        let first = literals.len();
        let mut left = value;
        while let Some(op) = self.compare_op() {
            let right = self.expression();
            let span = left.span.to(right.span);
            let comparison = Comparison {
                span,
                left,
                op,
                right: right.clone(),
            };
            let kind = LiteralKind::Comparison(Box::new(comparison));
            literals.push(Literal {
                span,
                negated: false,
                kind,
            });
            left = right;
        }
        let sign = self.lexeme();
        if matches!(self.slice(sign), "=" | "==" | "!=" | "<>" | "≠") {
            self.next += 1;
            self.report(report::equality(self.slice(sign), self.span(sign)));
            self.expression();
            literals.truncate(first);
            let span = self.span(begin).to(self.span_before());
            literals.push(Literal {
                span,
                negated: false,
                kind: LiteralKind::Error,
            });
            return;
        }
        match literals.len() - first {
            0 => {
                let (span, kind) = (left.span, self.literal_kind(left));
                literals.push(Literal {
                    span,
                    negated: false,
                    kind,
                });
            }
            1 => {}
            _ => {
                let parts: Vec<&str> = literals[first..]
                    .iter()
                    .map(|part| self.text_at(part.span))
                    .collect();
                let span = literals[first].span.to(literals[literals.len() - 1].span);
                self.report(report::chained_comparison(span, &parts.join(" & ")));
            }
        }
    }

    /// What a value alone says as a literal.
    fn literal_kind(&mut self, value: Expr) -> LiteralKind {
        let span = value.span;
        match value.kind {
            ExprKind::Name(name) => LiteralKind::Name(name),
            ExprKind::Call(name, args) if name.value == "every" => LiteralKind::Every(args),
            ExprKind::Error => LiteralKind::Error,
            ExprKind::Paren(inner) if matches!(inner.kind, ExprKind::Name(_)) => {
                self.condition_in_parentheses(span);
                self.literal_kind(*inner)
            }
            _ => {
                let message = "this is a value and neither true nor false";
                let help = "compare it with another value, or name a range, situation or switch";
                self.report(report::not_a_literal(message, span).with_help(help));
                LiteralKind::Error
            }
        }
    }

    fn compare_op(&mut self) -> Option<CompareOp> {
        let lexeme = self.lexeme();
        let op = compare(self.meaning(lexeme).unwrap_or(lexeme.token))?;
        self.accept_foreign();
        self.next += 1;
        Some(op)
    }

    /// Takes a `!`, or a word that means it if a name or parenthesis follows.
    fn accept_not(&mut self) -> bool {
        let is_word = self.peek() == Token::Name;
        let follows = self.ahead(1).token;
        if !is_word {
            return self.accept(Token::Not).is_some();
        }
        let lexeme = self.lexeme();
        let means_not = self.meaning(lexeme) == Some(Token::Not);
        if !means_not || !(is_name_like(follows) || follows == Token::Open) {
            return false;
        }
        let span = self.text.span(lexeme.start, self.ahead(1).start);
        self.report(report::foreign(self.slice(lexeme), "!", "", span));
        self.next += 1;
        true
    }

    // Expressions.

    /// Reads an expression.
    pub(crate) fn expression(&mut self) -> Expr {
        self.infix(0).expr
    }

    /// Reads an argument of a call: an expression or one literal.
    pub(crate) fn argument(&mut self) -> Expr {
        self.argument_node().expr
    }

    fn argument_node(&mut self) -> Node {
        let begin = self.lexeme();
        let is_literal = matches!(self.peek(), Token::Not | Token::Start)
            || self.meaning(begin) == Some(Token::Not) && begin.token == Token::Foreign;
        let mut literals = Vec::new();
        let mut height = 1;
        if is_literal {
            self.literal(&mut literals);
        } else {
            let node = self.infix(0);
            let sign = self.lexeme();
            let compared = compare(self.meaning(sign).unwrap_or(sign.token)).is_some()
                || matches!(sign.token, Token::Equal)
                || matches!(self.slice(sign), "==" | "!=" | "<>" | "≠");
            let is_every =
                matches!(&node.expr.kind, ExprKind::Call(name, _) if name.value == "every");
            if !compared && !is_every {
                self.no_conjunction();
                return node;
            }
            height = node.height;
            self.comparison_after(node.expr, begin, &mut literals);
        }
        self.no_conjunction();
        let span = self.span(begin).to(self.span_before());
        let literal = literals.swap_remove(0);
        let kind = match literal.kind {
            LiteralKind::Error => ExprKind::Error,
            _ => ExprKind::Boolean(Box::new(literal)),
        };
        Node {
            expr: Expr { span, kind },
            height: height + 1,
        }
    }

    /// Reports a conjunction in the place of a single literal.
    fn no_conjunction(&mut self) {
        let sign = self.lexeme();
        if self.meaning(sign).unwrap_or(sign.token) != Token::And {
            return;
        }
        let message = "an argument is one literal, not a conjunction";
        let help = "name the conjunction as a situation and give its name";
        self.report(report::truth_value(message, self.span(sign)).with_help(help));
        let mut rest = Vec::new();
        while self.meaning(self.lexeme()).unwrap_or(self.peek()) == Token::And {
            self.next += 1;
            self.literal(&mut rest);
        }
    }

    /// Reads operands joined by operators that bind stronger than `minimum`.
    fn infix(&mut self, minimum: u8) -> Node {
        let mut left = self.operand();
        loop {
            let lexeme = self.lexeme();
            if let Some((op, left_power, right_power)) =
                infix(self.meaning_of_sign(lexeme).unwrap_or(lexeme.token))
            {
                if left_power < minimum {
                    return left;
                }
                self.accept_foreign();
                self.next += 1;
                let right = self.nested(|parser| parser.infix(right_power));
                left = self.join(op, left, right);
            } else if let Token::Foreign = lexeme.token {
                let exponent = match self.slice(lexeme) {
                    "²" => Some(2.0),
                    "³" => Some(3.0),
                    "%" | "'" | "[" | "]" | "{" | "}" => None,
                    _ => return left,
                };
                self.report_foreign(lexeme);
                self.next += 1;
                self.reported = Some(self.lexeme().start);
                if let Some(exponent) = exponent {
                    let expr = Expr {
                        span: self.span(lexeme),
                        kind: ExprKind::Number(exponent),
                    };
                    left = self.join(BinaryOp::Pow, left, Node { expr, height: 1 });
                }
            } else if self.begins_operand(lexeme) {
                self.missing_operator(lexeme);
                let right = self.nested(|parser| parser.infix(SIGN));
                left.expr.span = left.expr.span.to(right.expr.span);
                left.expr.kind = ExprKind::Error;
            } else {
                return left;
            }
        }
    }

    /// Whether a value begins here, where an operator should stand.
    fn begins_operand(&self, lexeme: Lexeme) -> bool {
        match lexeme.token {
            Token::Name => foreign_word(self.slice(lexeme)).is_none(),
            Token::Quoted | Token::Number | Token::Open | Token::Time | Token::Pi => true,
            _ => false,
        }
    }

    fn missing_operator(&mut self, lexeme: Lexeme) {
        if self.reported == Some(lexeme.start) {
            return;
        }
        self.reported = Some(lexeme.start);
        let before = self.lexemes[self.next.saturating_sub(1)];
        let gap = self.text.span(before.end, lexeme.start);
        let (left, right) = (self.slice(before), self.slice(lexeme));
        self.report(report::missing_operator(
            left,
            right,
            gap,
            self.span(lexeme),
        ));
    }

    fn join(&mut self, op: BinaryOp, left: Node, right: Node) -> Node {
        let height = left.height.max(right.height) + 1;
        let span = left.expr.span.to(right.expr.span);
        if height > MAX_HEIGHT {
            let message = format!("this expression chains more than {MAX_HEIGHT} operations");
            return self.give_up(message, span);
        }
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Node {
            expr: Expr { span, kind },
            height,
        }
    }

    /// Reads something that lies one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Node) -> Node {
        if self.nesting == MAX_NESTING {
            let message = format!("this expression nests deeper than {MAX_NESTING} levels");
            return self.give_up(message, self.span(self.lexeme()));
        }
        self.nesting += 1;
        let node = read(self);
        self.nesting -= 1;
        node
    }

    fn give_up(&mut self, message: String, span: Span) -> Node {
        self.report(report::too_deep(message, span));
        self.skip_all();
        self.gave_up = true;
        self.error_node(span)
    }

    fn error_node(&self, span: Span) -> Node {
        Node {
            expr: Expr {
                span,
                kind: ExprKind::Error,
            },
            height: 1,
        }
    }

    fn operand(&mut self) -> Node {
        let lexeme = self.lexeme();
        let span = self.span(lexeme);
        let leaf = |kind| Node {
            expr: Expr { span, kind },
            height: 1,
        };
        match lexeme.token {
            Token::Name if self.ahead(1).token == Token::Open => self.call(),
            Token::Name | Token::Quoted => {
                self.next += 1;
                leaf(ExprKind::Name(self.name_text(lexeme)))
            }
            Token::OpenQuote => {
                self.next += 1;
                self.report(report::unclosed_backtick(span));
                self.error_node(span)
            }
            Token::Number if self.decimal_comma() => self.error_node(span.to(self.span_before())),
            Token::Number => {
                self.next += 1;
                leaf(self.number(lexeme))
            }
            Token::Time => {
                self.next += 1;
                leaf(ExprKind::Time)
            }
            Token::Pi => {
                self.next += 1;
                leaf(ExprKind::Pi)
            }
            Token::Open => self.parenthesised(),
            Token::Plus => {
                self.next += 1;
                let help = "a sign `+` in front of a value does nothing: leave it out";
                self.report(report::foreign("+", "", help, span));
                self.nested(|parser| parser.infix(SIGN))
            }
            Token::Unknown => {
                self.next += 1;
                self.report(report::bad_character(self.slice(lexeme), span));
                if self.begins_operand(self.lexeme()) {
                    return self.nested(|parser| parser.operand());
                }
                self.reported = Some(self.lexeme().start);
                self.error_node(span)
            }
            Token::Start => {
                self.next += 1;
                self.report(report::truth_value(
                    "`start` is a truth value, not a number",
                    span,
                ));
                self.error_node(span)
            }
            _ => match self.meaning(lexeme) {
                _ if lexeme.token == Token::Minus => self.sign(),
                Some(Token::Minus) => self.sign(),
                _ if lexeme.token == Token::Not => self.negated_operand(),
                Some(Token::Not) => self.negated_operand(),
                _ => {
                    let is_operator = infix(self.meaning_of_sign(lexeme).unwrap_or(lexeme.token));
                    if lexeme.token == Token::Foreign && is_operator.is_none() {
                        self.report_foreign(lexeme);
                        self.next += 1;
                        self.reported = Some(self.lexeme().start);
                    } else {
                        self.expected("a value");
                    }
                    self.error_node(span)
                }
            },
        }
    }

    /// Reads `-factor`.
    fn sign(&mut self) -> Node {
        let begin = self.span(self.lexeme());
        self.accept_foreign();
        self.next += 1;
        let node = self.nested(|parser| parser.infix(SIGN));
        let span = begin.to(node.expr.span);
        let kind = ExprKind::Neg(Box::new(node.expr));
        Node {
            expr: Expr { span, kind },
            height: node.height + 1,
        }
    }

    /// Reports `!` where a number is needed, and reads on behind it.
    fn negated_operand(&mut self) -> Node {
        let span = self.span(self.lexeme());
        self.next += 1;
        let message = "a truth value stands where a number is needed";
        self.report(report::truth_value(message, span));
        let node = self.nested(|parser| parser.infix(SIGN));
        self.error_node(span.to(node.expr.span))
    }

    fn number(&mut self, lexeme: Lexeme) -> ExprKind {
        let text = self.slice(lexeme);
        let fault = match lex::number(text) {
            Ok(value) => return ExprKind::Number(value),
            Err(fault) => fault,
        };
        let span = self.span(lexeme);
        self.report(match fault {
            NumberFault::TwoPoints => report::bad_number(text, "it has a point too many", span),
            NumberFault::NoExponent => {
                report::bad_number(text, "the exponent lacks its digits", span)
                    .with_help("write it like `1e-3`")
            }
            NumberFault::TooLarge => report::bad_number(text, "it is too large", span),
            NumberFault::Name(at) => {
                let (digits, rest) = text.split_at(at);
                if rest.starts_with('_') {
                    let plain: String = text.chars().filter(|c| *c != '_').collect();
                    report::bad_number(text, "digits are not grouped", span).with_edit(
                        "leave the `_` out",
                        span,
                        plain,
                    )
                } else {
                    report::bad_number(text, "a name clings to it", span).with_edit(
                        "if a product is meant, write `*`",
                        span,
                        format!("{digits} * {rest}"),
                    )
                }
            }
        });
        ExprKind::Error
    }

    /// Reports `2,5` where values are not separated by commas, and takes it for a number.
    fn decimal_comma(&mut self) -> bool {
        let [whole, comma, fraction] = [self.lexeme(), self.ahead(1), self.ahead(2)];
        let is_decimal = !self.in_list
            && comma.token == Token::Comma
            && fraction.token == Token::Number
            && whole.end == comma.start
            && comma.end == fraction.start;
        if !is_decimal {
            return false;
        }
        let [whole_text, fraction_text] = [self.slice(whole), self.slice(fraction)];
        let span = self.span(whole).to(self.span(fraction));
        let written = format!("{whole_text},{fraction_text}");
        let meant = format!("{whole_text}.{fraction_text}");
        let help = format!("write `{meant}`");
        let report = report::bad_number(&written, "decimals begin with a point", span);
        self.report(report.with_edit(help, span, meant));
        self.next += 3;
        true
    }

    fn parenthesised(&mut self) -> Node {
        let open = self.lexeme();
        self.next += 1;
        let inner = self.nested(|parser| parser.infix(0));
        let lexeme = self.lexeme();
        let meaning = self.meaning(lexeme).unwrap_or(lexeme.token);
        let is_condition = meaning == Token::And || compare(meaning).is_some();
        if is_condition && !self.gave_up {
            self.skip_to_close();
            self.accept(Token::Close);
            let span = self.span(open).to(self.span_before());
            self.condition_in_parentheses(span);
            return self.error_node(span);
        }
        self.close(open);
        let span = self.span(open).to(self.span_before());
        let height = inner.height + 1;
        Node {
            expr: Expr {
                span,
                kind: ExprKind::Paren(Box::new(inner.expr)),
            },
            height,
        }
    }

    fn condition_in_parentheses(&mut self, span: Span) {
        if !self.in_condition {
            return self.report(report::comparison_as_number(span));
        }
        let message = "a condition does not stand in parentheses";
        let help = "leave them out, or name what is inside as a situation of its own";
        self.report(report::not_a_literal(message, span).with_help(help));
    }

    fn call(&mut self) -> Node {
        let name_lexeme = self.lexeme();
        let name = Name::new(self.name_text(name_lexeme), self.span(name_lexeme));
        let open = self.ahead(1);
        self.next += 2;
        let mut args = Vec::new();
        let mut height = 0;
        let outer_in_list = std::mem::replace(&mut self.in_list, true);
        let outer_in_condition = std::mem::replace(&mut self.in_condition, true);
        if self.peek() != Token::Close {
            loop {
                let arg = self.nested(Self::argument_node);
                height = height.max(arg.height);
                args.push(arg.expr);
                if self.accept(Token::Comma).is_none() {
                    break;
                }
            }
        }
        self.in_list = outer_in_list;
        self.in_condition = outer_in_condition;
        self.close(open);
        let span = name.span.to(self.span_before());
        Node {
            expr: Expr {
                span,
                kind: ExprKind::Call(name, args),
            },
            height: height + 1,
        }
    }

    /// Takes the parenthesis that closes `open`.
    fn close(&mut self, open: Lexeme) {
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
        self.expected("`,` or `)`");
        self.skip_to_close();
        self.accept(Token::Close);
    }

    /// Passes over everything up to the parenthesis that closes the innermost open one, or up to
    /// the end of the expression.
    fn skip_to_close(&mut self) {
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

    // Tokens.

    fn lexeme(&self) -> Lexeme {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> Lexeme {
        self.lexemes[(self.next + n).min(self.lexemes.len() - 1)]
    }

    fn peek(&self) -> Token {
        self.lexeme().token
    }

    fn slice(&self, lexeme: Lexeme) -> &'a str {
        &self.text.text[lexeme.start as usize..lexeme.end as usize]
    }

    fn span(&self, lexeme: Lexeme) -> Span {
        self.text.span(lexeme.start, lexeme.end)
    }

    fn span_of(&self, start: usize, end: usize) -> Span {
        self.text.span(position(start), position(end))
    }

    /// The place of the token before the next one.
    fn span_before(&self) -> Span {
        self.span(self.lexemes[self.next.saturating_sub(1)])
    }

    /// The text at a place that was read here.
    fn text_at(&self, span: Span) -> &'a str {
        match self.text.place {
            Bytes::From(_, base) => {
                &self.text.text[(span.start - base) as usize..(span.end - base) as usize]
            }
            Bytes::Within(_) => "..",
        }
    }

    /// The token that a sign or word of another language means.
    fn meaning(&self, lexeme: Lexeme) -> Option<Token> {
        self.foreign(lexeme)?.meant
    }

    fn meaning_of_sign(&self, lexeme: Lexeme) -> Option<Token> {
        self.meaning(lexeme)
            .filter(|_| lexeme.token == Token::Foreign)
    }

    fn foreign(&self, lexeme: Lexeme) -> Option<lex::Foreign> {
        match lexeme.token {
            Token::Foreign => Some(foreign_sign(self.slice(lexeme))),
            Token::Name => foreign_word(self.slice(lexeme)),
            _ => None,
        }
    }

    /// Takes the next token if it is `wanted`, or reports and takes one that means it.
    fn accept(&mut self, wanted: Token) -> Option<Lexeme> {
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
    fn accept_foreign(&mut self) {
        let lexeme = self.lexeme();
        if lexeme.token == Token::Foreign {
            self.report_foreign(lexeme);
        }
    }

    fn report_foreign(&mut self, lexeme: Lexeme) {
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
    fn expected(&mut self, what: &str) {
        let lexeme = self.lexeme();
        if self.reported == Some(lexeme.start) {
            return;
        }
        self.reported = Some(lexeme.start);
        if self.report_if_unreadable(lexeme) {
            return;
        }
        let mut wanted = what.to_owned();
        if self.next > 0 {
            wanted = format!("{what} after `{}`", self.slice(self.lexemes[self.next - 1]));
        }
        let mut span = self.span(lexeme);
        if lexeme.token == Token::End && self.next > 0 {
            let before = self.span_before();
            span = Span {
                start: before.end,
                ..before
            };
        }
        self.report(report::expected(&wanted, &self.describe(lexeme), span));
    }

    /// Reports the rest of the text, if there is one, and passes over it.
    fn end(&mut self, what: &str) {
        let lexeme = self.lexeme();
        if lexeme.token == Token::End || self.reported == Some(lexeme.start) {
            return;
        }
        if !self.report_if_unreadable(lexeme) {
            let span = self.span(lexeme);
            let report = match lexeme.token {
                Token::Close => report::stray_parenthesis(span),
                Token::And => {
                    report::truth_value("a condition stands where a number is needed", span)
                }
                token if compare(token).is_some() => report::comparison_as_number(span),
                _ => report::trailing(what, &self.describe(lexeme), span),
            };
            self.report(report);
        }
        self.skip_all();
    }

    /// Reports a token that is wrong wherever it stands.
    fn report_if_unreadable(&mut self, lexeme: Lexeme) -> bool {
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

    fn describe(&self, lexeme: Lexeme) -> String {
        match lexeme.token {
            Token::End => "the end".to_owned(),
            Token::Comment => "a comment".to_owned(),
            _ => format!("`{}`", self.slice(lexeme)),
        }
    }

    fn skip_all(&mut self) {
        self.next = self.lexemes.len() - 1;
    }

    fn report(&mut self, mut report: Diagnostic) {
        if self.gave_up {
            return;
        }
        if let Bytes::Within(_) = self.text.place {
            // The text in the source is another one.
            report.edit = None;
        }
        self.diagnostics.push(report);
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
            place,
            note,
            body,
        }
    }
}

fn is_name_like(token: Token) -> bool {
    matches!(token, Token::Name | Token::Quoted | Token::OpenQuote) || is_keyword(token)
}

fn is_keyword(token: Token) -> bool {
    matches!(
        token,
        Token::Event | Token::When | Token::Otherwise | Token::Start | Token::Time | Token::Pi
    )
}

fn position(byte: usize) -> u32 {
    u32::try_from(byte).expect("a source has fewer than 2^32 bytes")
}
