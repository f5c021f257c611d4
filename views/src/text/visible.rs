//! Texts of tables as they are shown: what would steer a terminal becomes a picture of itself.

use std::borrow::Cow;

/// The text with its control characters as pictures (`␛` for an escape), and with a mark for characters that
/// turn the direction of writing; line breaks, also those of two characters, and tabs stay.
///
/// Whatever the program says of a table goes through here on its way to a terminal.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| picture(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text.split("\r\n").map(pictures).collect();
    Cow::Owned(lines.join("\r\n"))
}

fn pictures(text: &str) -> String {
    text.chars().map(|c| picture(c).unwrap_or(c)).collect()
}

/// Replacement for a character that is not shown as it is.
fn picture(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(char::REPLACEMENT_CHARACTER)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        for (text, expected) in [
            ("h = 1 [m]\n\tскорость", "h = 1 [m]\n\tскорость"),
            ("\u{1b}[31mred\u{1b}]0;title\u{7}", "␛[31mred␛]0;title␇"),
            ("a\rb\u{8}\0\u{7f}", "a␍b␈␀␡"),
            ("a\r\nb\r\r\n", "a\r\nb␍\r\n"),
            ("\u{9b}31m \u{202e}cba", "\u{fffd}31m \u{fffd}cba"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }
}
