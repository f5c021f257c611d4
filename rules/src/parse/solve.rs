//! Rows that are solved, as lines: targets, bounds, equations. [`line`](super::line) has the grammar.

use situ_words::{phrase, say};

use super::line::Head;
use super::tokens::{Parser, is_keyword, is_name_like};
use super::values::unread;
use crate::diag::Diagnostic;
use crate::lex::Token;
use crate::source::Span;
use crate::tree::{AnyRow, Equality, Expr, List, Name, Relation, Value, rate_name};

impl Parser<'_> {
    /// True if a row that is solved begins here: `solve` is a word of the language in front of a target only.
    pub(super) fn begins_solve(&self) -> bool {
        let next = self.ahead(1).token;
        self.slice(self.lexeme()) == "solve" && is_name_like(next) && !is_keyword(next)
            || self.slice(self.lexeme()) == "solve" && next == Token::Time
    }

    /// Reads a row that is solved; `None` if what it finds cannot be read.
    pub(super) fn solve(&mut self, _: Option<List>, head: Head) -> Option<AnyRow> {
        let word = self.lexeme();
        let once_span = self.span(word);
        self.next += 1;
        let mut targets = vec![self.solve_target()];
        while self.accept(Token::Comma).is_some() {
            targets.push(self.solve_target());
        }
        let bounds = self.bounds();
        if self.accept(Token::Colon).is_none() {
            self.expected(phrase!("phrase-colon-what-holds"));
        }
        let mut equations = vec![self.equality()];
        while self.accept(Token::Comma).is_some() {
            equations.push(self.equality());
        }
        let each = self.each();
        let guard = self.guard();
        let each = self.each_beside(each);
        if targets.iter().any(|target| target.value.is_empty()) {
            return None;
        }
        let (targets, value) = self.solved(targets, equations, bounds, once_span);
        let body = Relation {
            targets,
            once: false,
            once_span,
            value,
            guard,
        };
        Some(AnyRow::Relation(head.row(each, body)))
    }

    /// Reads `name` or `rate(name)`; the name is empty after a report that neither stands here.
    pub(super) fn solve_target(&mut self) -> Name {
        let word = self.lexeme();
        if !(self.slice(word) == "rate" && self.ahead(1).token == Token::Open) {
            return self.name();
        }
        self.next += 2;
        let name = self.name();
        let close = self.lexeme();
        if self.accept(Token::Close).is_none() {
            self.expected("`)`");
        }
        let span = self.span(word).to(self.span(close));
        if name.index.is_some() {
            self.report(rate_of_elements(name.base(), span));
        }
        match name.value.is_empty() || name.index.is_some() {
            true => Name::new(String::new(), span),
            false => Name::new(rate_name(&name.value), span),
        }
    }

    /// Reads `from low to high`, if it stands here.
    fn bounds(&mut self) -> Option<Box<[Expr; 2]>> {
        if self.slice(self.lexeme()) != "from" {
            return None;
        }
        self.next += 1;
        self.ends_at = Some("to");
        let low = self.expression();
        self.ends_at = None;
        if self.slice(self.lexeme()) == "to" {
            self.next += 1;
        } else {
            self.expected(phrase!("phrase-to-upper-bound"));
        }
        Some(Box::new([low, self.expression()]))
    }

    /// Reads `left = right`.
    pub(super) fn equality(&mut self) -> Equality {
        self.in_list = true;
        let left = self.expression();
        let right = match self.accept(Token::Equal) {
            Some(_) => self.expression(),
            None => {
                self.expected(phrase!("phrase-equals-other-side"));
                unread(left.span)
            }
        };
        self.in_list = false;
        Equality { left, right }
    }

    /// A row that is solved, from its parts; reports numbers that do not fit together.
    pub(super) fn solved(
        &mut self,
        targets: Vec<Name>,
        equations: Vec<Equality>,
        bounds: Option<Box<[Expr; 2]>>,
        place: Span,
    ) -> (Vec<Name>, Value) {
        if let (Some(bounds), true) = (&bounds, targets.len() > 1) {
            let span = bounds[0].span.to(bounds[1].span);
            self.report(bounds_of_several(span));
        }
        if targets.len() != equations.len() {
            let whole = targets[0].span.to(targets[targets.len() - 1].span);
            self.report(uneven_equations(targets.len(), equations.len(), whole));
            let value = Value::Exprs(vec![unread(place); targets.len()]);
            return (targets, value);
        }
        let bounds = bounds.filter(|_| targets.len() == 1);
        (targets, Value::Solve { equations, bounds })
    }
}

/// Bounds that are not a lower and an upper one.
pub(super) fn two_bounds(span: Span) -> Diagnostic {
    Diagnostic::error("P030", say!("parse-two-bounds"), span)
        .with_help(say!("parse-two-bounds.help"))
}

/// A row that solves for the rates of a family's elements.
fn rate_of_elements(base: &str, span: Span) -> Diagnostic {
    let message = say!("parse-rate-of-elements", base);
    Diagnostic::error("P030", message, span).with_help(say!("parse-rate-of-elements.help", base))
}

/// Bounds in a row that solves for several reals.
fn bounds_of_several(span: Span) -> Diagnostic {
    Diagnostic::error("P030", say!("parse-bounds-of-several"), span)
        .with_help(say!("parse-bounds-of-several.help"))
}

/// A row with another number of equations than of targets.
fn uneven_equations(targets: usize, equations: usize, span: Span) -> Diagnostic {
    let message = say!("parse-uneven-equations", targets, equations);
    Diagnostic::error("P030", message, span).with_help(say!("parse-uneven-equations.help"))
}
