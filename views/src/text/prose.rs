//! Prose: paragraphs broken into lines.

use ratatui::text::Span;

/// Breaks each line of a text at blanks so that it fits in a width, if it can; words that follow
/// are indented as the line is.
pub fn wrapped(text: &str, width: u16) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut column = 0;
        for word in line.split_whitespace() {
            let needed = Span::raw(word).width();
            if column > 0 && column + 1 + needed > usize::from(width) {
                out.push('\n');
                column = 0;
            }
            if column == 0 {
                out.push_str(indent);
                column = Span::raw(indent).width();
            } else {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += needed;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks() {
        for (text, expected) in [
            ("one two three four", "one two\nthree four\n"),
            ("  indented words", "  indented\n  words\n"),
            ("a\n\nb", "a\n\nb\n"),
            ("unbreakableword x", "unbreakableword\nx\n"),
            ("слово слово слово", "слово\nслово\nслово\n"),
            ("", ""),
        ] {
            assert_eq!(wrapped(text, 10), expected, "{text:?}");
        }
    }
}
