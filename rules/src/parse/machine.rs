//! Transitions of machines as lines.
//!
//! ```text
//! transition = ["[" id "]"] name "->" name "when" condition [":" set {";" set}] ["#" comment]
//! set        = name ":=" expression
//! ```

use situ_words::{phrase, say};

use super::line::Head;
use super::tokens::{Parser, is_name_like};
use crate::diag::Diagnostic;
use crate::lex::Token;
use crate::source::Span;
use crate::tree::{Row, Transition};

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
        if self.slice(self.lexeme()) == "->" {
            self.next += 1;
        } else {
            self.expected("`->`");
        }
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

fn no_condition(span: Span) -> Diagnostic {
    Diagnostic::error("M001", say!("parse-no-condition"), span)
        .with_help(say!("parse-no-condition.help"))
}
