//! A line that is being typed: its words, its mistakes, whether it is complete.

use situ_rules::{SourceMap, parse};

use crate::commands;

/// True if more lines have to follow: something is open, or a rule ends in an operator.
pub fn is_incomplete(line: &str) -> bool {
    let trimmed = line.trim_end();
    if trimmed.ends_with('\\') {
        return true;
    }
    let (mut depth, mut quoted) = (0_i32, false);
    for letter in trimmed.chars() {
        match letter {
            '`' => quoted = !quoted,
            '#' if !quoted => break,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    let is_command = trimmed
        .split_whitespace()
        .next()
        .is_some_and(|word| commands::all().any(|command| command.name == word));
    let ends_open = trimmed.ends_with(['&', ',', '+', '-', '*', '/', '=']);
    let is_rule = trimmed.contains(['=', ':']) && !is_command;
    depth > 0 || quoted || (is_rule && ends_open)
}

/// The places of mistakes in a line that looks like a rule; `None` if it does not.
pub(super) fn mistakes(line: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let first = line.split_whitespace().next()?;
    let is_command = commands::all().any(|command| command.name == first);
    if is_command || !line.contains(['=', ':']) {
        return None;
    }
    let mut sources = SourceMap::default();
    let id = sources.add("<line>", line);
    let (_, reports) = parse::line(&sources, sources.span(id), None);
    let spans = reports
        .iter()
        .filter_map(|report| Some(report.primary.as_ref()?.span.range()));
    Some(spans.filter(|range| !range.is_empty()).collect())
}

/// Beginning of the word at the end of a text; a name in open backticks is one word.
pub(super) fn word_start(text: &str) -> usize {
    if text.matches('`').count() % 2 == 1 {
        return text.rfind('`').unwrap_or(0);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // The index of an element is a part of its name.
    if let Some((before, index)) = text.rsplit_once('[')
        && before.ends_with(is_part)
        && index
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | '-'))
    {
        return word_start(before);
    }
    let tail = text.chars().rev().take_while(|c| is_part(*c));
    text.len() - tail.map(char::len_utf8).sum::<usize>()
}

pub(super) enum Token {
    Word,
    Number,
    Quoted,
    Remark,
}

pub(super) struct Tokens<'a> {
    pub(super) line: &'a str,
    pub(super) at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = (std::ops::Range<usize>, Token);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.line[self.at..];
            let letter = rest.chars().next()?;
            let start = self.at;
            let length_while = |test: &dyn Fn(char) -> bool| -> usize {
                rest.chars()
                    .take_while(|c| test(*c))
                    .map(char::len_utf8)
                    .sum()
            };
            let (length, token) = match letter {
                '#' => (rest.len(), Token::Remark),
                '`' => {
                    let inside = rest[1..].find('`').map_or(rest.len(), |at| at + 2);
                    (inside, Token::Quoted)
                }
                c if c.is_ascii_digit() => (
                    length_while(&|c| c.is_alphanumeric() || c == '.'),
                    Token::Number,
                ),
                c if c.is_alphabetic() || c == '_' => (
                    length_while(&|c| c.is_alphanumeric() || c == '_'),
                    Token::Word,
                ),
                c => {
                    self.at += c.len_utf8();
                    continue;
                }
            };
            self.at += length;
            return Some((start..start + length, token));
        }
    }
}
