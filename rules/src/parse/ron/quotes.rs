//! Quotes that are missing, astray or of another kind, and comments of other languages.

use super::lexer::Token;
use super::walk::Walk;
use super::{bare, broken, report};
use crate::diag::Diagnostic;

impl Walk<'_> {
    /// Quotes of other kinds, comments of other languages, invisible characters where a value begins.
    pub(super) fn foreign(&self) -> Result<(), Box<Diagnostic>> {
        let (token, start, end) = self.tokens[self.next];
        if let Some(report) = self.forgotten_comment(start) {
            return Err(report);
        }
        let rest = &self.text[start..];
        let place = |start, end| self.place(start, end);
        if let Some(report) = bare::foreign_quotes(self.text, start, place) {
            return Err(Box::new(report));
        }
        if let Some(report) = self.other_script(self.next) {
            return Err(report);
        }
        if token == Token::Word
            && let Some((at, invisible)) = rest[..end - start]
                .char_indices()
                .find(|(_, c)| bare::is_invisible(*c))
        {
            let at = start + at;
            let report = crate::parse::report::bad_character(
                &self.text[at..at + invisible.len_utf8()],
                self.place(at, at + invisible.len_utf8()),
            );
            return Err(Box::new(report));
        }
        Ok(())
    }

    /// A sign of another script in a word, which looks like one of RON.
    pub(super) fn other_script(&self, index: usize) -> Option<Box<Diagnostic>> {
        if !self.is(index, Token::Word) {
            return None;
        }
        let start = self.tokens[index].1;
        let mut signs = self.written(index).char_indices();
        let (at, sign, meant) =
            signs.find_map(|(at, sign)| Some((start + at, sign, bare::meant(sign)?)))?;
        let place = self.place(at, at + sign.len_utf8());
        Some(Box::new(report::instead(sign, meant, place)))
    }

    /// A comment as other languages write it.
    pub(super) fn forgotten_comment(&self, start: usize) -> Option<Box<Diagnostic>> {
        let rest = &self.text[start..];
        let begins_line = self.begins_line(self.next);
        if !begins_line && let Some(number) = rest.strip_prefix("--") {
            let length = bare::number_length(number);
            if number.starts_with(|c: char| c.is_ascii_digit() || c == '.') && length > 0 {
                let place = self.place(start, start + 2 + length);
                return Some(Box::new(report::two_signs(&number[..length], place)));
            }
        }
        let sign = ["#", "--", "<!--", "%", ";", "REM ", "(*"]
            .into_iter()
            .find(|sign| rest.starts_with(sign))?;
        let is_comment = match sign {
            "#" => !rest.starts_with("#!["),
            ";" | "%" => begins_line,
            _ => true,
        };
        is_comment.then(|| {
            Box::new(report::comment(
                sign,
                self.place(start, start + sign.trim_end().len()),
            ))
        })
    }

    /// A quote that is not closed.
    pub(super) fn is_unclosed(&self, index: usize) -> bool {
        let (_, start, end) = self.tokens[index];
        end == self.text.len() && !broken::closes(&self.text[start..end])
    }

    pub(super) fn unclosed_quote(&self, index: usize) -> Box<Diagnostic> {
        // An earlier string that reaches over the end of its line most often lacks its quote.
        if let Some(report) = self.string_over_lines(index) {
            return report;
        }
        let start = self.tokens[index].1;
        if let Some(report) = self.without_opening_quote(index) {
            return report;
        }
        let end = line_end(self.text, start);
        if self.text[start..].starts_with('"') {
            let inside = self.text[start + 1..end].trim_end_matches(',');
            let behind = start + 1 + inside.len();
            if let Some(quote) = inside.chars().last().filter(|c| bare::is_quote(*c)) {
                let inside = &inside[..inside.len() - quote.len_utf8()];
                let place = self.place(start, behind);
                return Box::new(report::foreign_quotes(quote, None, inside, place));
            }
            if behind < end {
                return Box::new(report::no_closing_quote(
                    self.place(start, behind),
                    self.place(behind, behind),
                ));
            }
        }
        Box::new(report::unclosed_quote(
            self.place(start, start + 1),
            self.place(end, end),
        ))
    }

    /// A quote that is missing: the tokens around the next one have quotes where no value begins or ends.
    pub(super) fn quotes_astray(&self) -> Option<Box<Diagnostic>> {
        let before = self.next.checked_sub(1)?;
        let (_, start, _) = self.tokens[self.next];
        if self.is(before, Token::Quoted) {
            if let Some(report) = self.string_over_lines(self.next) {
                return Some(report);
            }
            let is_text = self.is(self.next, Token::Word) || self.is(self.next, Token::Quoted);
            if is_text && self.tokens[before].2 == start {
                return Some(self.quote_within(before));
            }
        }
        if self.is(self.next, Token::Quoted)
            && self.is(before, Token::Word)
            && self.tokens[before].2 == start
        {
            return self.without_opening_quote(self.next);
        }
        None
    }

    /// A word right before a quote lacks the one in front of it.
    pub(super) fn without_opening_quote(&self, index: usize) -> Option<Box<Diagnostic>> {
        let (_, start, _) = self.tokens[index];
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let head = &self.text[line..start];
        if head.trim().is_empty() || head.ends_with([' ', ',', ':', '(', '[', '{']) {
            return None;
        }
        // From the last quote, bracket or comma of the line on, or from its first sign.
        let is_row = head.trim_start().starts_with('[') || head.contains('=');
        let begin = match is_row && !head.contains('"') {
            true => line + head.len() - head.trim_start().len(),
            false => {
                let cut = head
                    .rfind(['"', ',', '(', '[', '{', ':'])
                    .map_or(0, |at| at + 1);
                line + cut + head[cut..].len() - head[cut..].trim_start().len()
            }
        };
        Some(Box::new(report::no_opening_quote(
            self.place(begin, start + 1),
            self.place(begin, begin),
        )))
    }

    /// The last string before a token that contains a line break.
    pub(super) fn string_over_lines(&self, limit: usize) -> Option<Box<Diagnostic>> {
        let over_lines = |(token, start, end): &&(Token, usize, usize)| {
            *token == Token::Quoted
                && self.text[*start..].starts_with('"')
                && self.text[*start..*end].contains('\n')
        };
        let (_, start, _) = *self.tokens[..limit].iter().find(over_lines)?;
        let mut end = line_end(self.text, start);
        if self.text[start..end].ends_with(',') {
            end -= 1;
        }
        if let Some(quote) = self.text[start + 1..end]
            .chars()
            .last()
            .filter(|c| bare::is_quote(*c))
        {
            let inside = &self.text[start + 1..end - quote.len_utf8()];
            let place = self.place(start, end);
            return Some(Box::new(report::foreign_quotes(quote, None, inside, place)));
        }
        Some(Box::new(report::no_closing_quote(
            self.place(start, end),
            self.place(end, end),
        )))
    }

    /// A string with a word right behind it: a quote is missing in it, or stands in it.
    pub(super) fn quote_within(&self, index: usize) -> Box<Diagnostic> {
        let (_, start, end) = self.tokens[index];
        let inside = &self.text[start + 1..end - 1];
        let word = inside.len()
            - inside
                .trim_start_matches(|c: char| c.is_alphanumeric() || "_/^*%.-".contains(c))
                .len();
        let rest = inside[word..].trim_start();
        let is_name = word > 0 && (rest.starts_with(':') || rest.starts_with(','));
        if is_name {
            let at = start + 1 + word;
            return Box::new(report::no_closing_quote(
                self.place(start, at),
                self.place(at, at),
            ));
        }
        Box::new(report::quotes_inside(self.place(start, end)))
    }
}

/// The end of the text of a line, without blanks.
fn line_end(text: &str, start: usize) -> usize {
    let line = text[start..].lines().next().unwrap_or_default();
    start + line.trim_end().len()
}
