//! Texts of tables as pages show them: numbered lines, findings underlined and told below their line.

use std::fmt::Write;

use situ_rules::Diagnostic;
use situ_rules::diag::Severity;
use situ_rules::source::{SourceId, SourceMap, Span};
use situ_words::say;

use super::markup::{escaped, in_code, push_hint};

/// A longer text is not shown (in bytes).
const LONGEST: usize = 200_000;

/// A part of a text with a finding.
struct Mark {
    start: usize,
    end: usize,
    severity: Severity,
    /// False for a place that only belongs to a finding.
    is_primary: bool,
}

/// Adds a text with what was found in it.
pub(super) fn push(
    page: &mut String,
    id: SourceId,
    sources: &SourceMap,
    found: &[&Diagnostic],
    open: bool,
) {
    let source = sources.get(id);
    let open = if open { " open" } else { "" };
    let _ = writeln!(
        page,
        "<details{open}><summary>{}</summary>",
        escaped(&source.name)
    );
    if source.text.len() > LONGEST {
        push_hint(page, &say!("html-too-long", n = source.text.len()));
        page.push_str("<div class=\"list\">\n");
        for finding in found.iter().filter(|finding| is_in(finding, id)) {
            push_finding(page, finding, sources);
        }
        page.push_str("</div>\n</details>\n");
        return;
    }
    page.push_str("<div class=\"source code\"><div>\n");
    let marks: Vec<Mark> = found
        .iter()
        .flat_map(|finding| marks(finding, id))
        .collect();
    let n_lines = source.text.lines().count();
    for line in 1..=n_lines {
        let range = source.line_range(line);
        page.push_str("<span class=\"line\">");
        push_line(page, &source.text, range, &marks);
        page.push_str("</span>\n");
        for finding in found {
            let place = finding.primary.as_ref().map(|label| label.span);
            let is_here = place.is_some_and(|span| {
                span.source == id && source.line_of(span.start as usize) == line
            });
            if is_here {
                push_finding(page, finding, sources);
            }
        }
    }
    page.push_str("</div></div>\n</details>\n");
}

fn is_in(finding: &Diagnostic, id: SourceId) -> bool {
    (finding.primary.as_ref()).is_some_and(|label| label.span.source == id)
}

fn marks(finding: &Diagnostic, id: SourceId) -> Vec<Mark> {
    let primary = finding.primary.iter().map(|label| (label.span, true));
    let secondary = finding.secondary.iter().map(|label| (label.span, false));
    let places = primary
        .chain(secondary)
        .filter(|(span, _)| span.source == id);
    places
        .map(|(span, is_primary)| Mark {
            start: span.start as usize,
            end: span.end as usize,
            severity: finding.severity,
            is_primary,
        })
        .collect()
}

/// A line in pieces between which the marks change.
fn push_line(page: &mut String, text: &str, range: std::ops::Range<usize>, marks: &[Mark]) {
    let marks: Vec<&Mark> = (marks.iter())
        .filter(|mark| mark.start < range.end && mark.end > range.start)
        .collect();
    let mut cuts = vec![range.start, range.end];
    for mark in &marks {
        cuts.extend([mark.start, mark.end].map(|at| at.clamp(range.start, range.end)));
    }
    cuts.iter_mut()
        .for_each(|cut| *cut = text.floor_char_boundary(*cut));
    cuts.sort_unstable();
    cuts.dedup();
    for piece in cuts.windows(2) {
        let (from, to) = (piece[0], piece[1]);
        let text = escaped(text[from..to].trim_end_matches('\r'));
        let over = marks
            .iter()
            .filter(|mark| mark.start <= from && mark.end >= to);
        match over.max_by_key(|mark| (mark.is_primary, mark.severity)) {
            // Blanks before a part that goes over several lines are not underlined.
            Some(mark) if !text.trim().is_empty() => {
                let also = if mark.is_primary { "" } else { " also" };
                let class = class(mark.severity);
                let _ = write!(page, "<u class=\"{class}{also}\">{text}</u>");
            }
            _ => page.push_str(&text),
        }
    }
}

fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Adds a finding in words: message, what other places are, facts, what to do.
pub(super) fn push_finding(page: &mut String, finding: &Diagnostic, sources: &SourceMap) {
    let class = class(finding.severity);
    let message = in_code(&finding.message);
    let severity = match finding.severity {
        Severity::Note => say!("report-note"),
        Severity::Warning => say!("report-warning"),
        Severity::Error => say!("report-error"),
    };
    let _ = write!(
        page,
        "<div class=\"finding {class}\"><b>{severity} {}</b> {message}",
        finding.code
    );
    let place = |span: Span| {
        let (line, _) = sources.line_column(span);
        say!("html-line", line)
    };
    if let Some(label) = finding
        .primary
        .as_ref()
        .filter(|label| !label.text.is_empty())
    {
        let _ = write!(
            page,
            "<p>{}</p>",
            say!("html-here", text = in_code(&label.text))
        );
    }
    for label in finding
        .secondary
        .iter()
        .filter(|label| !label.text.is_empty())
    {
        let _ = write!(
            page,
            "<p>{}: {}</p>",
            place(label.span),
            in_code(&label.text)
        );
    }
    for note in &finding.notes {
        let _ = write!(page, "<p>{}</p>", in_code(note));
    }
    if let Some(help) = &finding.help {
        let _ = write!(page, "<p>→ {}</p>", in_code(help));
    }
    page.push_str("</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, spans: &[(usize, usize)]) -> String {
        let mut sources = SourceMap::default();
        let id = sources.add("t.ron", text);
        let found: Vec<Diagnostic> = spans
            .iter()
            .map(|(start, end)| Diagnostic::warning("C001", "`a` < b", Span::new(id, *start, *end)))
            .collect();
        let mut page = String::new();
        let found: Vec<&Diagnostic> = found.iter().collect();
        push(&mut page, id, &sources, &found, true);
        page
    }

    #[test]
    fn findings_stand_at_their_places() {
        let page = shown("one\n  two <three>\nfour", &[(6, 9)]);
        assert!(
            page.contains("<span class=\"line\">  <u class=\"warning\">two</u> &lt;three&gt;</span>\n<div class=\"finding warning\">"),
            "{page}"
        );
        assert!(
            page.contains("<b>warning C001</b> <code>a</code> &lt; b"),
            "{page}"
        );
    }

    #[test]
    fn spans_may_overlap_and_go_over_lines() {
        let page = shown("αβ γδ\nεζ", &[(0, 14), (5, 9), (3, 3), (1, 2)]);
        let opened = page.matches("<u ").count();
        assert_eq!(opened, page.matches("</u>").count());
        let text = page
            .replace("</u>", "")
            .replace("<u class=\"warning\">", "");
        assert!(
            text.contains(">αβ γδ</span>") && text.contains(">εζ</span>"),
            "{page}"
        );
    }

    #[test]
    fn a_long_text_is_counted() {
        let page = shown(&"x".repeat(LONGEST + 1), &[(0, 1)]);
        assert!(page.len() < 1000 && page.contains("200001 bytes") && page.contains("C001"));
    }
}
