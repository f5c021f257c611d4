//! Expressions: operators bind by precedence (Pratt).
//!
//! Text that cannot be read is reported and becomes an error node; reading goes on behind it.

use situ_engine::model::scene::AttributeKind;
use situ_engine::procedure::ProcedureId;
use situ_words::{phrase, say};

use super::expectation::PLUS_MINUS;
use super::tokens::{Parser, SIGN, compare, infix};
use super::{MAX_HEIGHT, MAX_NESTING, report};
use crate::lex::{self, Lexeme, NumberFault, Token, foreign_word};
use crate::source::Span;
use crate::tree::{BinaryOp, Expr, ExprKind, LiteralKind, Name};

/// An expression with the height of its tree.
pub(super) struct Node {
    pub(super) expr: Expr,
    pub(super) height: usize,
}

impl Parser<'_> {
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
        let message = say!("parse-no-conjunction");
        let help = say!("parse-no-conjunction.help");
        self.report(report::truth_value(message, self.span(sign)).with_help(help));
        let mut rest = Vec::new();
        while self.meaning(self.lexeme()).unwrap_or(self.peek()) == Token::And {
            self.next += 1;
            self.literal(&mut rest);
        }
    }

    /// Reads operands joined by operators that bind stronger than `minimum`.
    pub(super) fn infix(&mut self, minimum: u8) -> Node {
        let mut left = self.operand();
        loop {
            let lexeme = self.lexeme();
            if self.ends_at == Some(PLUS_MINUS) && self.at_plus_minus() {
                return left;
            }
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
                if self.sign_behind_number() {
                    continue;
                }
                let exponent = match self.slice(lexeme) {
                    "]" if self.in_index => return left,
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
            } else if self.begins_each() {
                return left;
            } else if self.unit_behind_number() {
                // Read as the number alone.
            } else if self.begins_operand(lexeme) {
                match self.times_letter() {
                    true => {
                        self.report(report::foreign(
                            self.slice(lexeme),
                            "*",
                            None,
                            self.span(lexeme),
                        ));
                        self.next += 1;
                    }
                    false => self.missing_operator(lexeme),
                }
                let right = self.nested(|parser| parser.infix(SIGN));
                left.expr.span = left.expr.span.to(right.expr.span);
                left.expr.kind = ExprKind::Error;
            } else {
                return left;
            }
        }
    }

    /// True if a value begins here, where an operator should stand.
    fn begins_operand(&self, lexeme: Lexeme) -> bool {
        match lexeme.token {
            Token::Name => {
                let text = self.slice(lexeme);
                let ends = self.in_shape && AttributeKind::named(text).is_some();
                foreign_word(text).is_none() && self.ends_at != Some(text) && !ends
            }
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
        let span = self.span(lexeme);
        let is_value = matches!(lexeme.token, Token::Name | Token::Quoted | Token::Number);
        let is_called = ProcedureId::named(left).is_some() || left == "every";
        let is_group = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = before.token == Token::Number && lexeme.token == Token::Number;
        self.report(match () {
            // What belongs to the argument is for the author to say: `sin 2 * x`.
            () if is_called && is_value && self.is_factor() => {
                report::missing_parentheses_somewhere(left, right, span)
            }
            () if is_called && is_value => {
                report::missing_parentheses(left, right, gap.to(span), span)
            }
            () if is_number && is_group(left) && is_group(right) && right.len() == 3 => {
                report::grouped_digits(left, right, self.span(before).to(span))
            }
            () if self.in_condition && !self.compares() => {
                report::missing_and(left, right, gap, span)
            }
            () => report::missing_operator(left, right, gap, span),
        });
    }

    /// True if the next value is a factor or a power's base.
    fn is_factor(&self) -> bool {
        let sign = self.ahead(self.name_end(0)).token;
        matches!(
            infix(sign),
            Some((BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow, ..))
        )
    }

    fn join(&mut self, op: BinaryOp, left: Node, right: Node) -> Node {
        let height = left.height.max(right.height) + 1;
        let span = left.expr.span.to(right.expr.span);
        if height > MAX_HEIGHT {
            let message = say!("parse-join", MAX_HEIGHT);
            return self.give_up(message, span);
        }
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Node {
            expr: Expr { span, kind },
            height,
        }
    }

    /// Reads something that lies one level deeper.
    pub(super) fn nested(&mut self, read: impl FnOnce(&mut Self) -> Node) -> Node {
        if self.nesting == MAX_NESTING {
            let message = say!("parse-nested", MAX_NESTING);
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

    pub(super) fn error_node(&self, span: Span) -> Node {
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
                let name = Name::new(self.name_text(lexeme), span);
                let (name, height) = self.indexed(name);
                if name.value.contains("].") && name.index.is_none() && self.peek() == Token::Open {
                    return self.arguments(name);
                }
                let span = name.span;
                let kind = match name.index {
                    None => ExprKind::Name(name.value),
                    Some(_) => ExprKind::Element(Box::new(name)),
                };
                Node {
                    expr: Expr { span, kind },
                    height,
                }
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
                let help = phrase!("phrase-plus-does-nothing");
                self.report(report::foreign("+", "", Some(help), span));
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
                    phrase!("phrase-start-truth-value"),
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
                        self.expected(phrase!("phrase-value"));
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
        let message = say!("parse-negated-operand");
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
        if let NumberFault::Name(at) = fault
            && self.letters_behind_number(lexeme, &text[..at], &text[at..])
        {
            return ExprKind::Error;
        }
        self.report(match fault {
            NumberFault::TwoPoints => {
                report::bad_number(text, phrase!("phrase-point-too-many"), span)
            }
            NumberFault::NoExponent => {
                report::bad_number(text, phrase!("phrase-exponent-lacks-digits"), span)
                    .with_help(say!("parse-number.help-write-like"))
            }
            NumberFault::TooLarge => report::bad_number(text, phrase!("phrase-too-large"), span),
            NumberFault::TooSmall => report::bad_number(text, phrase!("phrase-too-small"), span),
            NumberFault::Name(at) => {
                let (digits, rest) = text.split_at(at);
                if rest.starts_with('_') {
                    let plain: String = text.chars().filter(|c| *c != '_').collect();
                    report::bad_number(text, phrase!("phrase-digits-not-grouped"), span).with_edit(
                        say!("parse-number.help-leave-out"),
                        span,
                        plain,
                    )
                } else {
                    report::bad_number(text, phrase!("phrase-letters-directly-after"), span)
                        .with_edit(
                            say!("parse-if-product-meant"),
                            span,
                            format!("{digits} * {rest}"),
                        )
                }
            }
        });
        ExprKind::Error
    }

    fn parenthesised(&mut self) -> Node {
        let open = self.lexeme();
        let before = self.next.checked_sub(1).map(|before| self.lexemes[before]);
        let negated =
            before.is_some_and(|before| self.meaning(before).unwrap_or(before.token) == Token::Not);
        self.next += 1;
        let inner = self.nested(|parser| parser.infix(0));
        let lexeme = self.lexeme();
        let meaning = self.meaning(lexeme).unwrap_or(lexeme.token);
        let is_condition = meaning == Token::And || compare(meaning).is_some();
        if is_condition && !self.gave_up {
            self.skip_to_close();
            self.accept(Token::Close);
            let span = self.span(open).to(self.span_before());
            self.condition_in_parentheses(span, negated);
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

    /// Reports a condition in parentheses; `negated`: they have a use, since the opposite of all in them is meant.
    pub(super) fn condition_in_parentheses(&mut self, span: Span, negated: bool) {
        if !self.in_condition {
            return self.report(report::comparison_as_number(span));
        }
        let message = say!("parse-condition-in-parentheses");
        let help = match negated {
            true => say!("parse-condition-in-parentheses.help-negated"),
            false => say!("parse-condition-in-parentheses.help"),
        };
        self.report(report::not_a_literal(message, span).with_help(help));
    }

    fn call(&mut self) -> Node {
        let name_lexeme = self.lexeme();
        let name = Name::new(self.name_text(name_lexeme), self.span(name_lexeme));
        self.next += 1;
        self.arguments(name)
    }

    /// Reads what stands in parentheses behind a name.
    fn arguments(&mut self, name: Name) -> Node {
        let open = self.lexeme();
        self.next += 1;
        let mut args = Vec::new();
        let mut height = 0;
        let outer_in_list = std::mem::replace(&mut self.in_list, true);
        let outer_in_condition = std::mem::replace(&mut self.in_condition, true);
        if self.peek() != Token::Close {
            loop {
                let arg = self.nested(Self::argument_node);
                height = height.max(arg.height);
                args.push(arg.expr);
                if self.begins_each() {
                    self.in_list = outer_in_list;
                    let body = args.pop().filter(|_| args.is_empty());
                    let node = self.reduction(name, body, height, open);
                    self.in_condition = outer_in_condition;
                    return node;
                }
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
                kind: ExprKind::Call(Box::new(name), args),
            },
            height: height + 1,
        }
    }
}
