//! Texts of other formats: what a file is that is no table.

use super::lexer::Token;
use super::report;
use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

/// The report on a text that is of another format from its first sign on; `None` if it begins like a table.
pub(super) fn other_format(
    text: &str,
    source: SourceId,
    tokens: &[(Token, usize, usize)],
) -> Option<Diagnostic> {
    let place = |start: usize, end: usize| Span::new(source, start, end);
    let is_binary = |c: char| c.is_control() && !c.is_whitespace();
    if let Some(at) = text.find(is_binary)
        && (text.contains('\0') || text.chars().filter(|c| is_binary(*c)).count() > 3)
    {
        return Some(report::no_text(place(at, at)));
    }
    let (token, start, end) = *tokens.first()?;
    let written = |index: usize| {
        tokens
            .get(index)
            .map_or("", |(_, start, end)| &text[*start..*end])
    };
    let kind = |index: usize| tokens.get(index).map(|(token, ..)| *token);
    let rest = &text[start..];
    let first_line = rest.lines().next().unwrap_or_default();
    let first = place(start, end.min(start + first_line.len()).max(start));
    match token {
        Token::Open if rest.starts_with('{') => Some(match (kind(1), kind(2)) {
            (Some(Token::Quoted), Some(Token::Colon)) => report::other_format("JSON", first),
            (Some(Token::Word), Some(Token::Colon)) => report::braces_around(first),
            _ => return None,
        }),
        Token::Open if rest.starts_with('[') => {
            let is_section = kind(1) == Some(Token::Word)
                && written(2) == "]"
                && kind(3) == Some(Token::Word)
                && written(4).starts_with('=');
            is_section.then(|| report::other_format("TOML", place(start, start + first_line.len())))
        }
        Token::Word if rest.starts_with("---") => Some(report::other_format("YAML", first)),
        Token::Word if rest.starts_with('<') => Some(report::other_format("XML", first)),
        Token::Word if rest.starts_with("```") => {
            Some(report::fence(place(start, start + first_line.len())))
        }
        Token::Word if kind(1) == Some(Token::Colon) => {
            let is_yaml = !first_line.trim_end().ends_with(',') && rest.lines().nth(1).is_some();
            Some(match is_yaml {
                true => report::other_format("YAML", first),
                false => report::no_parentheses(place(start, start)),
            })
        }
        Token::Word if written(1).starts_with('=') => Some(report::other_format("TOML", first)),
        _ => None,
    }
}
