//! Reports: a run as one HTML file that needs nothing else: no network, no other file.
//!
//! [`RunReport`] is what a report tells, [`RunReport::html`] writes it. The curves stand in the file as numbers,
//! and a script of some 20 kB draws them, with a cursor and a zoom; all else is text. The file says that
//! nothing may be loaded, so that a browser would refuse what asks for more.

mod changes;
mod markup;
mod source_text;

use std::fmt::Write;

use situ_rules::Diagnostic;
use situ_rules::diag::Severity;
use situ_rules::source::{SourceId, SourceMap};
use situ_words::{Language, say};

pub use changes::ChangeLog;
use markup::{escaped, head, in_script, push_hint, push_section, signed};

use crate::chart::{self, Figure};
use crate::run::manifest::{Manifest, TableHash};
use crate::run::outcome::OutcomeSummary;
use crate::run::summary::{RealSummary, SituationSummary, Summary, share};
use crate::text::number::{counted, exact, in_unit, rounded};

/// Everything that the report of a run tells.
#[derive(Clone, Copy, Debug)]
pub struct RunReport<'a> {
    /// What the run did.
    pub summary: &'a Summary<'a>,
    /// Its curves and the times at which booleans held.
    pub figure: &'a Figure<'a>,
    /// What happened.
    pub changes: &'a ChangeLog<'a>,
    /// The texts of the tables.
    pub sources: &'a SourceMap,
    /// The table and those that it extends, base first.
    pub tables: &'a [SourceId],
    /// What was found in them and in the run.
    pub diagnostics: &'a [Diagnostic],
    /// What was run, and the hash of its rows.
    pub manifest: &'a Manifest,
    /// What the curves leave out, in words.
    pub left_out: &'a [String],
    /// Distance of the rows, where bars and changes are read off them and rows of ticks are missing [units of `time`].
    pub rows_apart: Option<f64>,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// So many rows of a list are shown; the rest is counted.
const MOST_ROWS: usize = 200;

impl RunReport<'_> {
    /// The report as a page.
    pub fn html(&self) -> String {
        let summary = self.summary;
        let name = escaped(&summary.model);
        let language = Language::present().code();
        let mut page = format!(
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        );
        self.push_header(&mut page);
        page.push_str("<main>\n");
        self.push_results(&mut page);
        self.push_charts(&mut page);
        self.push_changes(&mut page);
        self.push_reals(&mut page);
        self.push_situations(&mut page);
        self.push_table(&mut page);
        self.push_manifest(&mut page);
        let (figure, changes) = (chart::data(self.figure), self.changes.json());
        let words = script_words();
        let data = in_script(&format!(
            "{{\"figure\":{figure},\"log\":{changes},\"words\":{words}}}"
        ));
        let _ = write!(
            page,
            "</main>\n<footer>situ {}</footer>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            self.manifest.situ
        );
        page
    }

    fn push_header(&self, page: &mut String) {
        let summary = self.summary;
        let name = match summary.model.is_empty() {
            true => say!("html-a-run"),
            false => summary.model.clone(),
        };
        let _ = write!(page, "<header>\n<h1>{}</h1>\n", escaped(&name));
        if !summary.about.is_empty() {
            let _ = writeln!(page, "<p class=\"about\">{}</p>", escaped(&summary.about));
        }
        let facts = summary.headline();
        let mark = match summary.ended {
            "stop" | "condition" => String::new(),
            ended => {
                let ended = say!("html-ended", ended);
                format!("<span class=\"mark bad\">{}</span> ", escaped(&ended))
            }
        };
        let _ = writeln!(page, "<p class=\"facts\">{mark}{}</p>", escaped(&facts));
        let links = [
            ("results", say!("html-results"), self.has_results()),
            ("curves", say!("html-curves"), true),
            ("log", say!("html-events"), !self.changes.is_empty()),
            ("values", say!("html-values"), !summary.reals.is_empty()),
            (
                "situations",
                say!("html-situations"),
                !summary.situations.is_empty(),
            ),
            ("table", say!("html-table"), true),
            ("run", say!("html-run"), true),
        ];
        page.push_str("<nav>");
        for (id, text, _) in links.iter().filter(|link| link.2) {
            let _ = write!(page, "<a href=\"#{id}\">{text}</a>");
        }
        page.push_str("</nav>\n</header>\n");
    }

    fn has_results(&self) -> bool {
        !(self.summary.measures.is_empty() && self.summary.outcomes.is_empty())
    }

    /// Measures as cards, expectations as a list.
    fn push_results(&self, page: &mut String) {
        if !self.has_results() {
            return;
        }
        push_section(page, "results", &say!("html-results"));
        if !self.summary.measures.is_empty() {
            page.push_str("<dl class=\"cards\">\n");
            for measured in &self.summary.measures {
                let unit = self.summary.unit_of(&measured.measure);
                let shown = |value| in_unit(rounded(value), unit);
                let value = measured
                    .value
                    .map_or_else(|| say!("summary-no-value"), shown);
                let all = measured.value.map(exact).unwrap_or_default();
                let _ = writeln!(
                    page,
                    "<div class=\"card\"><dt class=\"code\">{}</dt><dd title=\"{all}\">{}</dd></div>",
                    escaped(&measured.measure),
                    signed(&value)
                );
            }
            page.push_str("</dl>\n");
        }
        if !self.summary.outcomes.is_empty() {
            page.push_str("<div class=\"scroll\"><table><tbody>\n");
            for outcome in &self.summary.outcomes {
                push_outcome(page, outcome);
            }
            page.push_str("</tbody></table></div>\n");
        }
        page.push_str("</section>\n");
    }

    fn push_charts(&self, page: &mut String) {
        let _ = write!(
            page,
            "<section id=\"curves\">\n<div class=\"tools\"><h2>{}</h2><output id=\"readout\"></output>\
             <button type=\"button\" data-do=\"out\" aria-label=\"{}\">−</button>\
             <button type=\"button\" data-do=\"in\" aria-label=\"{}\">+</button>\
             <button type=\"button\" data-do=\"all\">{}</button></div>\n",
            say!("html-curves"),
            say!("html-curves.out"),
            say!("html-curves.in"),
            say!("html-curves.all")
        );
        if self.figure.panels.is_empty() && self.figure.lanes.is_empty() {
            push_hint(page, &say!("html-curves.none"));
        }
        let _ = writeln!(
            page,
            "<div id=\"charts\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"></div>",
            say!("html-curves.label")
        );
        for left_out in self.left_out {
            push_hint(page, left_out);
        }
        if !self.figure.lanes.is_empty() {
            self.push_rows_apart(page);
        }
        push_hint(page, &say!("html-curves.hint"));
        let _ = write!(
            page,
            "<noscript><p class=\"mark warn\">{}</p></noscript>\n</section>\n",
            say!("html-curves.script")
        );
    }

    fn push_changes(&self, page: &mut String) {
        if self.changes.is_empty() {
            return;
        }
        let _ = write!(
            page,
            "<section id=\"log\">\n<div class=\"find\"><h2>{}</h2><output id=\"found\"></output>\
             <input id=\"filter\" type=\"search\" placeholder=\"{}\" aria-label=\"{}\"></div>\n\
             <div class=\"log\" tabindex=\"0\"><table>{}<tbody id=\"rows\"></tbody></table></div>\n",
            say!("html-events"),
            say!("html-events.find"),
            say!("html-events.filter"),
            head(&[
                ("number", say!("html-events.time")),
                ("", say!("html-events.what")),
                ("", say!("html-name")),
                ("", say!("html-events.to")),
                ("", say!("html-events.row")),
                ("", say!("html-events.remark")),
            ])
        );
        self.push_rows_apart(page);
        let rest = self.changes.left_out();
        if rest > 0 {
            push_hint(page, &say!("html-events.more", n = rest));
        }
        page.push_str("</section>\n");
    }

    /// Says that what changed between two rows is seen at the later one.
    fn push_rows_apart(&self, page: &mut String) {
        if let Some(apart) = self.rows_apart {
            let apart = self.summary.time_text(apart);
            push_hint(page, &say!("html-rows-apart", apart));
        }
    }

    fn push_reals(&self, page: &mut String) {
        let reals = &self.summary.reals;
        if reals.is_empty() {
            return;
        }
        push_section(page, "values", &say!("html-values"));
        let _ = writeln!(
            page,
            "<div class=\"scroll\"><table>{}<tbody>",
            head(&[
                ("", say!("summary-reals.real")),
                ("number", say!("summary-reals.start")),
                ("number", say!("summary-reals.end")),
                ("", say!("summary-reals.unit")),
                ("", String::new()),
            ])
        );
        for RealSummary { real, start, end } in reals.iter().take(MOST_ROWS) {
            let unit = chart::printed(&real.unit);
            let [name, unit, about] = [&real.name, &unit, &real.about].map(|text| escaped(text));
            let [start, end] = [*start, *end].map(|value| signed(&rounded(value)));
            let _ = writeln!(
                page,
                "<tr><td>{name}</td><td class=\"number\">{start}</td><td class=\"number\">{end}</td>\
                 <td>{unit}</td><td class=\"about\">{about}</td></tr>"
            );
        }
        page.push_str("</tbody></table></div>\n");
        push_rest(page, reals.len(), "real");
        page.push_str("</section>\n");
    }

    fn push_situations(&self, page: &mut String) {
        let situations = &self.summary.situations;
        if situations.is_empty() {
            return;
        }
        push_section(page, "situations", &say!("html-situations"));
        let _ = writeln!(
            page,
            "<div class=\"scroll\"><table>{}<tbody>",
            head(&[
                ("", say!("html-name")),
                ("", say!("html-kind")),
                ("number", say!("summary-situations.held")),
                ("number", say!("summary-situations.share")),
                ("", String::new()),
            ])
        );
        let summary = self.summary;
        for situation in situations.iter().take(MOST_ROWS) {
            push_situation(page, summary, situation);
        }
        page.push_str("</tbody></table></div>\n");
        push_rest(page, situations.len(), "situation");
        let never = &self.summary.never_fired;
        if !never.is_empty() {
            let _ = write!(page, "<h3>{}</h3>\n<ul>\n", say!("html-never-fired"));
            for row in never.iter().take(MOST_ROWS) {
                let (id, line) = (escaped(&row.id), escaped(&row.line));
                let _ = writeln!(page, "<li><code>[{id}] {line}</code></li>");
            }
            page.push_str("</ul>\n");
            push_rest(page, never.len(), "row");
        }
        for note in &self.summary.notes {
            push_hint(page, note);
        }
        page.push_str("</section>\n");
    }

    /// The texts of the tables with the findings at their places.
    fn push_table(&self, page: &mut String) {
        push_section(page, "table", &say!("html-table"));
        let is_placed = |found: &&Diagnostic| {
            (found.primary.as_ref()).is_some_and(|label| self.tables.contains(&label.span.source))
        };
        let (placed, others): (Vec<_>, Vec<_>) = self.diagnostics.iter().partition(is_placed);
        if !self.diagnostics.is_empty() {
            let n = |severity, noun| {
                let found = self
                    .diagnostics
                    .iter()
                    .filter(|found| found.severity == severity);
                (found.count() as u64, noun)
            };
            let counts = [
                n(Severity::Error, "error"),
                n(Severity::Warning, "warning"),
                n(Severity::Note, "note"),
            ];
            let counts = counts.iter().filter(|(n, _)| *n > 0);
            let counts: Vec<String> = counts.map(|(n, noun)| counted(*n, noun)).collect();
            let _ = writeln!(page, "<p>{}</p>", counts.join(", "));
        }
        if !others.is_empty() {
            page.push_str("<div class=\"list\">\n");
            for found in others {
                source_text::push_finding(page, found, self.sources);
            }
            page.push_str("</div>\n");
        }
        for (index, id) in self.tables.iter().enumerate().rev() {
            let is_last = index + 1 == self.tables.len();
            source_text::push(page, *id, self.sources, &placed, is_last);
        }
        page.push_str("</section>\n");
    }

    fn push_manifest(&self, page: &mut String) {
        let manifest = self.manifest;
        push_section(page, "run", &say!("html-run"));
        page.push_str("<dl class=\"facts-list\">\n");
        let mut fact = |name: String, value: String| {
            let _ = writeln!(page, "<dt>{name}</dt><dd>{value}</dd>");
        };
        let with_hash = |TableHash { name, sha256 }: &TableHash| {
            format!(
                "{}<br><span class=\"hash code\">sha256 {sha256}</span>",
                escaped(name)
            )
        };
        for table in &manifest.tables {
            fact(say!("html-run.table"), with_hash(table));
        }
        for file in &manifest.data {
            fact(say!("html-run.points"), with_hash(file));
        }
        let options = &manifest.options;
        let case = options.case.iter().map(|case| format!("--case {case}"));
        let set = options.set.iter().map(|set| format!("--set {set}"));
        let options: Vec<String> = case.chain(set).collect();
        if !options.is_empty() {
            fact(
                say!("html-run.options"),
                format!("<code>{}</code>", escaped(&options.join(" "))),
            );
        }
        let clock: Vec<String> = (manifest.clock.settings())
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        fact(
            say!("html-run.clock"),
            format!("<code>{}</code>", escaped(&clock.join(", "))),
        );
        let fast = if manifest.fast_math {
            ", --fast-math"
        } else {
            ""
        };
        fact(
            say!("html-run.program"),
            format!("situ {}, {}{fast}", manifest.situ, manifest.engine),
        );
        let result = &manifest.result;
        fact(
            say!("html-run.rows"),
            format!(
                "{}<br><span class=\"hash code\">sha256 {}</span>",
                say!(
                    "html-run.rows-of",
                    rows = counted(result.rows, "row"),
                    columns = counted(1 + result.columns.len() as u64, "column")
                ),
                result.sha256
            ),
        );
        page.push_str("</dl>\n");
        push_hint(page, &say!("html-run.again"));
        page.push_str("</section>\n");
    }
}

fn push_outcome(page: &mut String, outcome: &OutcomeSummary) {
    let (class, met) = match outcome.met {
        true => ("good", say!("summary-met")),
        false => ("bad", say!("html-not-met")),
    };
    let _ = writeln!(
        page,
        "<tr><td><span class=\"mark {class}\">{met}</span></td><td><code>{}</code></td><td>{}</td></tr>",
        escaped(&outcome.expectation),
        escaped(&outcome.detail())
    );
}

fn push_situation(page: &mut String, summary: &Summary<'_>, situation: &SituationSummary) {
    let whole = summary.time - summary.from;
    let SituationSummary {
        name,
        kind,
        time,
        ever,
        fired,
    } = situation;
    let [held, part, bar] = match fired {
        Some(fired) => [String::new(), String::new(), counted(*fired, "time")],
        None if !ever => [
            say!("summary-situations.never"),
            String::new(),
            String::new(),
        ],
        None => {
            let width = (100.0 * time / whole).clamp(0.0, 100.0);
            let bar = match width.is_finite() {
                true => format!("<span><i style=\"width:{width:.1}%\"></i></span>"),
                false => String::new(),
            };
            [summary.time_text(*time), share(*time, whole), bar]
        }
    };
    let kind = say!("html-kind-of", kind);
    let _ = writeln!(
        page,
        "<tr><td>{}</td><td class=\"kind\">{kind}</td><td class=\"number\">{held}</td>\
         <td class=\"number\">{part}</td><td class=\"share\">{bar}</td></tr>",
        escaped(name)
    );
}

fn push_rest(page: &mut String, n: usize, noun: &str) {
    if let Some(rest @ 1..) = n.checked_sub(MOST_ROWS) {
        push_hint(page, &say!("html-more", n = rest, noun));
    }
}

/// What the script of the page says, as JSON.
fn script_words() -> String {
    serde_json::json!({
        "overTime": say!("html-script.over-time", names = "$1"),
        "against": say!("html-script.against", y = "$1", x = "$2"),
        "timeline": say!("html-script.timeline"),
        "show": say!("html-script.show"),
        "found": say!("html-script.found", n = "$1", all = "$2"),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_page_names_another_place() {
        for text in [STYLE, SCRIPT] {
            let mut places = text.split("http").skip(1);
            // The names of two languages of markup are no places.
            assert!(
                places.all(|rest| rest.starts_with("://www.w3.org/")),
                "{text}"
            );
            for loads in ["@import", "url(", "fetch(", "XMLHttp", "import("] {
                assert!(!text.contains(loads), "{loads}");
            }
        }
    }
}
