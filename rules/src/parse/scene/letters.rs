//! Letters of a scene: texts between single quotes, with expressions in braces.

use super::{push_letter, report};
use crate::lex::{closing_quote, position};
use crate::parse::tokens::{Bytes, Parser, Text};
use crate::tree::{Expr, TextPart};

/// Most digits behind the point.
const MOST_DIGITS: u8 = 15;

impl Parser<'_> {
    /// Reads a text between single quotes.
    pub(super) fn letters(&mut self) -> Option<Vec<TextPart>> {
        let lexeme = self.lexeme();
        self.next += 1;
        let (text, span) = (self.slice(lexeme), self.span(lexeme));
        let inside = text.strip_prefix('\'').unwrap_or(text);
        let closed = closing_quote(inside) == inside.len() && inside.ends_with('\'');
        let Some(inside) = inside.strip_suffix('\'').filter(|_| closed) else {
            self.report(report::unclosed_letters(span));
            return None;
        };
        let start = lexeme.start + 1;
        let mut parts = Vec::new();
        let mut letters = inside.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let doubled = letters.peek().is_some_and(|(_, next)| *next == letter);
            match letter {
                '{' | '}' | '\'' if doubled => {
                    letters.next();
                    push_letter(&mut parts, letter);
                }
                '{' => {
                    let Some(length) = inside[at..].find('}') else {
                        let place = self.text.span(start + position(at), lexeme.end - 1);
                        self.report(report::unclosed_brace(place));
                        return None;
                    };
                    let from = start + position(at) + 1;
                    parts.push(self.number_in_letters(&inside[at + 1..at + length], from)?);
                    while letters.next_if(|(next, _)| *next <= at + length).is_some() {}
                }
                '}' => {
                    let at = start + position(at);
                    self.report(report::stray_brace(self.text.span(at, at + 1)));
                    return None;
                }
                _ => push_letter(&mut parts, letter),
            }
        }
        Some(parts)
    }

    /// Reads `x` or `x:.2`, whose first byte has this number.
    fn number_in_letters(&mut self, text: &str, from: u32) -> Option<TextPart> {
        let (value, digits) = match text.rsplit_once(':') {
            Some((value, digits)) => (value, Some(digits)),
            None => (text, None),
        };
        let n_digits = match digits {
            None => None,
            Some(digits) => {
                let n = digits.trim().strip_prefix('.').and_then(|n| n.parse().ok());
                let n = n.filter(|n| *n <= MOST_DIGITS);
                if n.is_none() {
                    let end = from + position(text.len());
                    let span = (self.text).span(end - position(digits.len()), end);
                    self.report(report::digits(digits, MOST_DIGITS, span));
                }
                Some(n?)
            }
        };
        Some(TextPart::Number(
            self.inner_expression(value, from),
            n_digits,
        ))
    }

    /// Reads an expression that stands inside of a token.
    fn inner_expression(&mut self, text: &str, from: u32) -> Expr {
        let text = match self.text.place {
            Bytes::From(source, base) => Text::exact(text, source, base + from),
            Bytes::Within(span) => Text::within(text, span),
        };
        let mut lexemes = Vec::new();
        let mut parser = Parser::new(text, &mut lexemes, self.diagnostics);
        parser.whole(Parser::expression)
    }
}
