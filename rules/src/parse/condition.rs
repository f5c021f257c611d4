//! Conditions: literals and comparisons joined by `&`.
//!
//! Text that cannot be read is reported and becomes an error node; reading goes on behind it.

use situ_engine::model::CompareOp;
use situ_words::{phrase, say};

use super::tokens::{Parser, compare, is_name_like};
use super::{foreign, report};
use crate::lex::{Lexeme, Token};
use crate::tree::{Comparison, Condition, Expr, ExprKind, Literal, LiteralKind};

/// `every` in Russian, in the genders that a period may have.
const EVERY: &[&str] = &["каждые", "каждый", "каждую", "каждое"];

impl Parser<'_> {
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
                "," if !self.in_conditions => {
                    self.report(report::foreign(",", " &", None, self.span(joint)));
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

    /// True if the literal of a condition in which the next token stands compares something.
    pub(super) fn compares(&self) -> bool {
        let sign = |lexeme: &Lexeme| self.meaning(*lexeme).unwrap_or(lexeme.token);
        let ends = |token: Token| {
            let joins = matches!(token, Token::And | Token::Comma | Token::Colon);
            joins || matches!(token, Token::When | Token::Otherwise | Token::End)
        };
        let (before, behind) = self.lexemes.split_at(self.next);
        let (before, behind) = (before.iter().rev().map(sign), behind.iter().map(sign));
        let before = before.take_while(|token| !ends(*token));
        let mut all = before.chain(behind.take_while(|token| !ends(*token)));
        all.any(|token| compare(token).is_some() || token == Token::Equal)
    }

    /// Reads one literal; a chain `a < b < c` gives several, after its report.
    pub(super) fn literal(&mut self, literals: &mut Vec<Literal>) {
        let begin = self.lexeme();
        let negated = self.accept_not();
        if negated && self.accept_not() {
            let span = self.span(begin).to(self.span_before());
            let help = say!("parse-literal.help-two-negations");
            self.report(
                report::not_a_literal(phrase!("phrase-not-written-once"), span).with_help(help),
            );
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
            let opposite = comparison.op.opposite().symbol();
            let message = say!("parse-literal");
            let help = say!("parse-literal.help-turn-comparison", opposite);
            self.report(report::not_a_literal(message, span).with_help(help));
            literals[first].kind = LiteralKind::Error;
        }
    }

    /// Reads what follows the first value of a literal, and adds the literal.
    pub(super) fn comparison_after(
        &mut self,
        value: Expr,
        begin: Lexeme,
        literals: &mut Vec<Literal>,
    ) {
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
            let right = self.expression();
            literals.truncate(first);
            let span = self.span(begin).to(self.span_before());
            let report = match truth_compared(&left, self.slice(sign), &right) {
                Some(meant) => foreign::truth_compared(&meant, span),
                None => {
                    let name = match (&left.kind, &right.kind) {
                        (ExprKind::Name(name), ExprKind::Number(0.0 | 1.0)) => Some(name.as_str()),
                        _ => None,
                    };
                    report::equality(self.slice(sign), name, self.span(sign))
                }
            };
            self.report(report);
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
                let conjunction = parts.join(" & ");
                // Among arguments a conjunction cannot stand.
                self.report(match self.in_list {
                    false => report::chained_comparison(span, &conjunction),
                    true => report::chained_argument(span, &conjunction),
                });
            }
        }
    }

    /// Literal that a value alone stands for.
    fn literal_kind(&mut self, value: Expr) -> LiteralKind {
        let span = value.span;
        match value.kind {
            ExprKind::Name(name) => LiteralKind::Name(name),
            ExprKind::Element(name) => LiteralKind::Element(name),
            ExprKind::Reduction(reduction) if reduction.kind.is_condition() => {
                LiteralKind::Reduction(reduction)
            }
            ExprKind::Call(name, args) if name.value == "every" => LiteralKind::Every(args),
            ExprKind::Call(name, args) if EVERY.contains(&name.value.to_lowercase().as_str()) => {
                self.report(report::foreign(&name.value, "every", None, name.span));
                LiteralKind::Every(args)
            }
            ExprKind::Error => LiteralKind::Error,
            ExprKind::Paren(inner) if matches!(inner.kind, ExprKind::Name(_)) => {
                self.condition_in_parentheses(span, false);
                self.literal_kind(*inner)
            }
            _ => {
                let message = say!("parse-literal-kind");
                let help = say!("parse-literal-kind.help");
                self.report(report::not_a_literal(message, span).with_help(help));
                LiteralKind::Error
            }
        }
    }

    pub(super) fn compare_op(&mut self) -> Option<CompareOp> {
        let lexeme = self.lexeme();
        let op = compare(self.meaning(lexeme).unwrap_or(lexeme.token))?;
        self.accept_foreign();
        self.next += 1;
        Some(op)
    }

    /// Takes a `!`, or a word that means it if a name or parenthesis follows.
    pub(super) fn accept_not(&mut self) -> bool {
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
        self.report(report::foreign(self.slice(lexeme), "!", None, span));
        self.next += 1;
        true
    }
}

/// The condition that is meant where a name is compared with a truth value: `pump = true`.
fn truth_compared(left: &Expr, sign: &str, right: &Expr) -> Option<String> {
    let (ExprKind::Name(_) | ExprKind::Element(_), ExprKind::Name(word)) =
        (&left.kind, &right.kind)
    else {
        return None;
    };
    let truth = match word.to_lowercase().as_str() {
        "true" | "истина" => true,
        "false" | "ложь" => false,
        _ => return None,
    };
    let holds = truth == matches!(sign, "=" | "==");
    let name = crate::print::expression(left);
    Some(if holds { name } else { format!("!{name}") })
}
