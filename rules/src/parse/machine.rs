//! Transitions of machines as lines.
//!
//! ```text
//! transition = ["[" id "]"] name "->" name "when" condition [":" set {";" set}] ["#" comment]
//! set        = name ":=" expression
//! ```

use situ_words::{phrase, say};

use super::line::Head;
use super::report;
use super::tokens::{Parser, is_name_like};
use crate::diag::Diagnostic;
use crate::lex::{Lexeme, Token};
use crate::source::Span;
use crate::tree::{Row, Transition};

/// What arrows are drawn with.
const ARROW_PARTS: &str = "-=>→⇒⟶⟹—–";

/// So many signs are an arrow at most.
const MOST_SIGNS: usize = 4;

impl Parser<'_> {
    /// Reads a transition; `None` if its states cannot be read.
    pub(crate) fn transition(&mut self) -> Option<Row<Transition>> {
        let head = self.head(None)?;
        let transition = self.transition_body(head);
        self.end(phrase!("phrase-the-transition"));
        transition
    }

    fn transition_body(&mut self, head: Head) -> Option<Row<Transition>> {
        let from = self.name();
        self.transition_arrow();
        let to = self.name();
        if from.value.is_empty() || to.value.is_empty() {
            self.skip_all();
            return None;
        }
        if self.accept(Token::When).is_none() {
            let span = from.span.to(to.span);
            self.report(no_condition(span));
            self.skip_all();
            return None;
        }
        let when = self.condition();
        let mut set = Vec::new();
        if self.accept(Token::Colon).is_some() {
            loop {
                if !is_name_like(self.peek()) {
                    self.expected(phrase!("phrase-name-real"));
                    self.skip_all();
                    break;
                }
                let name = self.name();
                let name = self.indexed(name).0;
                if self.accept(Token::Once).is_none() && self.accept(Token::Equal).is_none() {
                    self.expected("`:=`");
                }
                let value = self.expression();
                set.push((name, value));
                if self.slice(self.lexeme()) != ";" {
                    break;
                }
                self.next += 1;
                if self.peek() == Token::End {
                    break;
                }
            }
        }
        let body = Transition {
            from,
            to,
            when,
            set,
        };
        Some(head.row(None, body))
    }
}

impl Parser<'_> {
    /// Reads the sign between two states; others that are drawn much the same are told and read as it.
    fn transition_arrow(&mut self) {
        let first = self.lexeme();
        if self.slice(first) == "->" {
            self.next += 1;
            return;
        }
        let is_sign = |lexeme: Lexeme| {
            let text = self.slice(lexeme);
            !text.is_empty() && text.chars().all(|sign| ARROW_PARTS.contains(sign))
        };
        let n_signs = (0..MOST_SIGNS).take_while(|at| is_sign(self.ahead(*at)));
        let n_signs = n_signs.count();
        let Some(last) = n_signs.checked_sub(1).map(|at| self.ahead(at)) else {
            self.expected("`->`");
            return;
        };
        let span = self.span(first).to(self.span(last));
        self.next += n_signs;
        self.report(report::foreign(self.text_at(span), "->", None, span));
    }
}

fn no_condition(span: Span) -> Diagnostic {
    Diagnostic::error("M001", say!("parse-no-condition"), span)
        .with_help(say!("parse-no-condition.help"))
}
