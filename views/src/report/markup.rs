//! Markup: texts become parts of a page.

use std::fmt::Write;

/// Begins a section under its heading.
pub(super) fn push_section(page: &mut String, id: &str, heading: &str) {
    let heading = escaped(heading);
    let _ = write!(page, "<section id=\"{id}\">\n<h2>{heading}</h2>\n");
}

/// A remark, with what is to be typed as code.
pub(super) fn push_hint(page: &mut String, text: &str) {
    let text = in_code(text);
    let _ = writeln!(page, "<p class=\"hint\">{text}</p>");
}

/// The head of a list: class and text of its columns.
pub(super) fn head(columns: &[(&str, String)]) -> String {
    let cells = columns.iter().map(|(class, text)| match *class {
        "" => format!("<th>{}</th>", escaped(text)),
        class => format!("<th class=\"{class}\">{}</th>", escaped(text)),
    });
    format!("<thead><tr>{}</tr></thead>", cells.collect::<String>())
}

/// With the minus sign of a printed page.
pub(super) fn signed(number: &str) -> String {
    number.replace('-', "−")
}

/// Without the characters that HTML reserves; what would steer a terminal is a blank.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() && c != '\t' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON that ends no script.
pub(super) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// What stands between backticks becomes code.
pub(super) fn in_code(text: &str) -> String {
    let pieces: Vec<String> = text.split('`').map(escaped).collect();
    if pieces.len().is_multiple_of(2) {
        return escaped(text);
    }
    let pieces = pieces.into_iter().enumerate();
    pieces
        .map(|(index, piece)| match index % 2 {
            0 => piece,
            _ => format!("<code>{piece}</code>"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_table_are_no_markup() {
        assert_eq!(
            escaped("a<b & \"c\"\u{1b}[1m"),
            "a&lt;b &amp; &quot;c&quot; [1m"
        );
        let data = in_script(r#"{"name":"</script><script>alert(1)"}"#);
        assert!(!data.contains('<'));
        let back: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(back["name"], "</script><script>alert(1)");
    }
}
