//! Indices of names, counters behind a row, and reductions.
//!
//! `[` after a name without a blank begins its indices; anywhere else it is no sign of the language.

use situ_words::phrase;

use super::expression::Node;
use super::report;
use super::tokens::{Parser, is_name_like};
use crate::lex::{Lexeme, Token, normalised};
use crate::print;
use crate::tree::{Each, Expr, ExprKind, Index, IndexItem, Name, Over, Reduction, ReductionKind};

impl Parser<'_> {
    /// The token behind the name that stands `at` tokens ahead, and behind its indices.
    pub(super) fn name_end(&self, at: usize) -> usize {
        let mut end = at + 1;
        loop {
            let next = self.ahead(end);
            if self.continues(self.ahead(end - 1), next, Token::Member) {
                end += 1;
                continue;
            }
            if !self.opens_index(self.ahead(end - 1), next) {
                return end;
            }
            let mut depth = 0_usize;
            loop {
                let lexeme = self.ahead(end);
                match self.slice(lexeme) {
                    _ if lexeme.token == Token::End => return end,
                    "[" => depth += 1,
                    "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                end += 1;
                if depth == 0 {
                    break;
                }
            }
        }
    }

    fn opens_index(&self, name: Lexeme, open: Lexeme) -> bool {
        self.continues(name, open, Token::Foreign) && self.slice(open) == "["
    }

    /// True if the next token is of a kind and touches the one before.
    fn continues(&self, before: Lexeme, next: Lexeme, token: Token) -> bool {
        next.token == token && before.end == next.start
    }

    /// Reads the indices behind a name, and what stands in a part behind those, if there are some; with the height of
    /// the tree.
    pub(super) fn indexed(&mut self, mut name: Name) -> (Name, usize) {
        if self.next == 0 {
            return (name, 1);
        }
        let mut items: Vec<IndexItem> = Vec::new();
        // The name with the numbers written out, and with empty brackets.
        let (mut written, mut base) = (name.value.clone(), name.value.clone());
        let (mut n_closed, mut height) = (0, 0);
        let mut is_plain = true;
        loop {
            let before = self.lexemes[self.next - 1];
            let next = self.lexeme();
            if self.continues(before, next, Token::Member) {
                self.next += 1;
                let (member, begin) = (normalised(self.slice(next)), n_closed);
                n_closed = items.len();
                close_brackets(&mut base, &items[begin..]);
                written.push_str(&member);
                base.push_str(&member);
                continue;
            }
            // Behind indices stand others only behind a name of their own.
            if items.len() > n_closed || !self.opens_index(before, next) {
                break;
            }
            let first = items.len();
            height = height.max(self.indices(&mut items));
            let numbers: Option<Vec<i64>> = items[first..].iter().map(written_number).collect();
            match numbers {
                Some(numbers) => {
                    written = situ_engine::model::element_name(&written, &numbers);
                }
                None => is_plain = false,
            }
        }
        if base == name.value && items.is_empty() {
            return (name, 1);
        }
        name.span = name.span.to(self.span_before());
        match is_plain {
            true => name.value = written,
            false => {
                name.value = print::indexed(&base, &items);
                name.index = Some(Box::new(Index { base, items }));
            }
        }
        (name, height + 1)
    }

    /// Reads the indices in brackets; gives the height of the tree.
    fn indices(&mut self, items: &mut Vec<IndexItem>) -> usize {
        let mut height = 0;
        self.next += 1;
        let outer_in_list = std::mem::replace(&mut self.in_list, true);
        let outer_in_index = std::mem::replace(&mut self.in_index, true);
        loop {
            let from = self.nested(|parser| parser.infix(0));
            height = height.max(from.height);
            items.push(if self.accept(Token::DotDot).is_some() {
                let to = self.nested(|parser| parser.infix(0));
                height = height.max(to.height);
                IndexItem::Range(from.expr, to.expr)
            } else {
                IndexItem::At(from.expr)
            });
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        self.in_list = outer_in_list;
        self.in_index = outer_in_index;
        let close = self.lexeme();
        if close.token == Token::Foreign && self.slice(close) == "]" {
            self.next += 1;
        } else {
            self.expected("`]`");
        }
        height
    }

    /// True if the next words say how a row, or a reduction, counts.
    pub(super) fn begins_each(&self) -> bool {
        self.begins_each_at(0)
    }

    /// The same of words further on.
    pub(super) fn begins_each_at(&self, n: usize) -> bool {
        let words = [n, n + 1, n + 2].map(|at| self.slice(self.ahead(at)));
        match words {
            ["for", ..] => {
                self.ahead(n).token == Token::Name
                    && matches!(self.ahead(n + 1).token, Token::Name | Token::Quoted)
            }
            ["one", "after", "another"] => true,
            _ => false,
        }
    }

    /// Reads `for j in 2 .. N - 1` and `one after another`, in either order.
    pub(super) fn each(&mut self) -> Option<Box<Each>> {
        let mut each = Each::default();
        let mut found = false;
        while self.begins_each() {
            found = true;
            if self.slice(self.lexeme()) == "for" {
                self.next += 1;
                each.over.extend(self.counters());
            } else {
                let span = self.span(self.lexeme()).to(self.span(self.ahead(2)));
                self.next += 3;
                each.one_after_another = Some(span);
            }
        }
        found.then(|| Box::new(each))
    }

    /// Reads how a row counts behind its condition as well, beside what stood before it.
    pub(super) fn each_beside(&mut self, before: Option<Box<Each>>) -> Option<Box<Each>> {
        match (before, self.each()) {
            (Some(mut each), Some(more)) => {
                each.over.extend(more.over);
                each.one_after_another = each.one_after_another.or(more.one_after_another);
                Some(each)
            }
            (before, behind) => before.or(behind),
        }
    }

    /// Reads `j in 2 .. N, k`.
    pub(crate) fn counters(&mut self) -> Vec<Over> {
        let mut over = Vec::new();
        loop {
            let counter = self.name();
            let sign = self.lexeme();
            let is_equal = sign.token == Token::Equal && !counter.value.is_empty();
            if is_equal {
                let gap = self.text.span(
                    self.lexemes[self.next.saturating_sub(1)].end,
                    self.ahead(1).start,
                );
                self.report(report::foreign("=", " in ", None, gap));
            }
            let range = (is_equal || self.slice(sign) == "in").then(|| {
                self.next += 1;
                self.ends()
            });
            if !counter.value.is_empty() {
                over.push(Over { counter, range });
            }
            if self.accept(Token::Comma).is_none() {
                return over;
            }
        }
    }

    /// Reads `1 .. N`.
    pub(super) fn ends(&mut self) -> (Expr, Expr) {
        let outer_in_list = std::mem::replace(&mut self.in_list, true);
        let from = self.expression();
        if self.accept(Token::DotDot).is_none() {
            self.expected(phrase!("phrase-dots-last-value"));
        }
        let to = self.expression();
        self.in_list = outer_in_list;
        (from, to)
    }

    /// Reads a reduction behind its first argument.
    pub(super) fn reduction(
        &mut self,
        name: Name,
        body: Option<Expr>,
        height: usize,
        open: Lexeme,
    ) -> Node {
        let begin = self.lexeme();
        let each = self.each().unwrap_or_default();
        let when = (self.accept(Token::When).is_some()).then(|| self.condition());
        self.close(open);
        let span = name.span.to(self.span_before());
        if let Some(wrong) = each.one_after_another {
            self.report(report::expected(
                phrase!("phrase-counters"),
                "`one after another`",
                wrong,
            ));
            return self.error_node(span);
        }
        let (Some(kind), Some(body)) = (ReductionKind::of(&name.value), body) else {
            self.report(report::no_reduction(
                &name.value,
                self.span(begin),
                name.span,
            ));
            return self.error_node(span);
        };
        let kind = ExprKind::Reduction(Box::new(Reduction {
            kind,
            word: name.span,
            body,
            over: each.over,
            when,
        }));
        Node {
            expr: Expr { span, kind },
            height: height + 1,
        }
    }

    /// Reads a range of values as it stands behind a counter: `1 .. N`.
    pub(crate) fn counter_range(&mut self) -> (Expr, Expr) {
        if !is_name_like(self.peek()) && self.peek() == Token::End {
            self.expected(phrase!("phrase-range-such-n"));
        }
        self.ends()
    }
}

/// Adds the brackets in which indices stand to a name.
fn close_brackets(base: &mut String, items: &[IndexItem]) {
    if let Some(more) = items.len().checked_sub(1) {
        base.push('[');
        base.extend(std::iter::repeat_n(',', more));
        base.push(']');
    }
}

/// The index that is written as a number.
fn written_number(item: &IndexItem) -> Option<i64> {
    let IndexItem::At(expr) = item else {
        return None;
    };
    match &expr.kind {
        ExprKind::Number(value) => situ_engine::model::whole(*value),
        ExprKind::Neg(inner) => match inner.kind {
            ExprKind::Number(value) => situ_engine::model::whole(-value),
            _ => None,
        },
        _ => None,
    }
}
