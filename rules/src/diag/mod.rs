//! Diagnostics: what a person writing rules can fix, from every stage, run time included.
//!
//! A [`Diagnostic`] is data. `render` draws it for a terminal or as JSON; `codes` lists
//! every code with its page. Codes are stable and never reused: P parsing, N names and kinds,
//! F families, S stages of reactions, M machines, C checks, R running, with three
//! digits.

mod codes;
mod delays;
mod fault;
mod finding;
mod numbers;
mod outside;
mod render;
mod settings;
mod slides;
mod solved;
mod state;

use std::collections::BTreeMap;

pub use codes::{CodePage, page, pages};
pub use fault::{fault, rounded_delays, setup_error};
pub use finding::{dense_schedules, findings, first_error, gaps, in_a_cell, in_one_line};
pub use numbers::time_text;
pub use render::{Style, render, to_json};
pub use settings::InWords;
pub use state::state_error;

use situ_engine::Method;
use situ_engine::ids::Origin;
use situ_engine::model::{Family, Indices, element};
use situ_words::say;

use crate::source::{Origins, Span};

/// Severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Probably not what was meant; the model runs.
    Warning,
    /// The model cannot run.
    Error,
}

impl Severity {
    /// Its word in the language of the reader.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Note => say!("report-note"),
            Self::Warning => say!("report-warning"),
            Self::Error => say!("report-error"),
        }
    }
}

/// A place with a word on what it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Text at the place, a few words; may be empty.
    pub text: String,
}

/// A proposed change of the text.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    /// Span of the text that is replaced.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

impl Edit {
    /// A text with changes of it made. Equal ones are one; of those that overlap none is made.
    pub fn all(mut edits: Vec<Self>, text: &str) -> String {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        let (mut changed, mut done, mut covered) = (String::new(), 0, 0);
        for (index, edit) in edits.iter().enumerate() {
            let place = edit.span.range();
            let next = edits.get(index + 1).map(|next| next.span.range());
            if covered <= place.start && next.is_none_or(|next| place.end <= next.start) {
                changed.push_str(&text[done..place.start]);
                changed.push_str(&edit.replacement);
                done = place.end;
            }
            covered = covered.max(place.end);
        }
        changed.push_str(&text[done..]);
        changed
    }
}

/// One report.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// Stable code, one of [`pages`].
    pub code: &'static str,
    /// Severity.
    pub severity: Severity,
    /// One plain line that makes sense alone: no full stop, names in backticks.
    pub message: String,
    /// Its place; absent only if it has none in a text.
    pub primary: Option<Label>,
    /// Other places that belong to it.
    pub secondary: Vec<Label>,
    /// Facts: a state that shows it, values.
    pub notes: Vec<String>,
    /// One thing to do.
    pub help: Option<String>,
    /// The change that does it.
    pub edit: Option<Edit>,
}

impl Diagnostic {
    /// A report without places.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        debug_assert!(page(code).is_some(), "{code} has no page");
        Self {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            edit: None,
        }
    }

    /// An error at a place.
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Error, message).at(span, "")
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Warning, message).at(span, "")
    }

    /// A note at a place.
    pub fn note(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Note, message).at(span, "")
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what to do, with the change that does it.
    #[must_use]
    pub fn with_edit(
        mut self,
        help: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.help = Some(help.into());
        self.edit = Some(Edit {
            span,
            replacement: replacement.into(),
        });
        self
    }
}

/// Codes that say that the program does not do what a table asks for, which is no mistake in it.
const UNSUPPORTED: [&str; 2] = ["N038", "R004"];

/// True if the errors only ask for what the program does not do; false if there are none.
pub fn is_unsupported(diagnostics: &[Diagnostic]) -> bool {
    let mut errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    has_errors(diagnostics) && errors.all(|error| UNSUPPORTED.contains(&error.code))
}

/// So many reports of a kind are kept; the last of them says how many more there were.
pub const MAX_PER_CODE: usize = 100;

/// Keeps the first reports of each kind and counts the rest.
pub fn limit(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_PER_CODE {
        return;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    diagnostics.retain(|diagnostic| {
        let count = counts.entry(diagnostic.code).or_default();
        *count += 1;
        *count <= MAX_PER_CODE
    });
    for (code, count) in counts {
        let mut kept = diagnostics.iter_mut().rev();
        if let (1.., Some(last)) = (
            count.saturating_sub(MAX_PER_CODE),
            kept.find(|diagnostic| diagnostic.code == code),
        ) {
            let more = count - MAX_PER_CODE;
            last.notes.push(say!("report-more", n = more));
        }
    }
}

/// Keeps of the reports of one code and severity about one place the first: elements of a family share the place of their row.
/// A condition that holds always for some elements and never for others selects elements, and is kept silent about.
///
/// Shapes: `shared`, whether a place belongs to several rows.
pub(crate) fn once_for_each_place(
    diagnostics: &mut Vec<Diagnostic>,
    shared: impl Fn(Span) -> bool,
) {
    // By code, place and severity: where the first one is kept, and how many more there are.
    let mut counts = BTreeMap::new();
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics.drain(..) {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        let span = span.filter(|span| shared(*span));
        let place = span.map(|span| (span.source.0, span.start, span.end));
        let kind = (diagnostic.code, place, diagnostic.severity);
        let known = counts.get_mut(&kind);
        match known {
            // What is found from the formulas of a family is of no element.
            Some((_, more)) if place.is_some() => {
                *more += u32::from(!diagnostic.code.starts_with('F'))
            }
            _ => {
                counts.insert(kind, (kept.len(), 0));
                kept.push(diagnostic);
            }
        }
    }
    let mut selects = vec![false; kept.len()];
    for (&(code, place, _), &(at, more)) in &counts {
        if more > 0 {
            kept[at].notes.push(say!("report-more-elements", n = more));
        }
        let opposite = match code {
            "C020" => ("C021", place, Severity::Note),
            "C021" => ("C020", place, Severity::Warning),
            _ => continue,
        };
        selects[at] = place.is_some() && counts.contains_key(&opposite);
    }
    let mut selects = selects.into_iter();
    kept.retain(|_| !selects.next().unwrap_or_default());
    *diagnostics = kept;
}

/// True if any of the reports is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The known word that somebody means by another: the method that other programs call so, or the nearest.
pub fn meant<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let ours = Method::known_elsewhere_as(word).map(Method::name);
    let ours = known.iter().find(|known| ours == Some(**known));
    ours.copied()
        .or_else(|| nearest(word, known.iter().copied()))
}

/// Letters that a name has at most of which the nearest is looked for: to compare two takes as long as their product.
const MOST_LETTERS: usize = 200;

/// The known name nearest to a mistyped one, if any is near: at most a third of its letters (of two,
/// one) differ, or only case does. Very long names have none.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > MOST_LETTERS {
        return None;
    }
    let allowed = (length / 3).max(usize::from(length > 1));
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| {
            let distance = if candidate.to_lowercase() == name.to_lowercase() {
                0
            } else {
                strsim::damerau_levenshtein(candidate, name)
            };
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Says that an element lies outside of a family that some names belong to, or that a family is empty; `None` if it is no
/// such name, if its family is not among them, or if it lies between them.
///
/// Shapes: `families`, the declared ones: of those without elements there is no name.
pub fn outside_of_family<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    families: &[Family],
) -> Option<String> {
    let (base, at) = element(name).unwrap_or_else(|| (name, Indices::new()));
    let of_family = |known: &'a str| element(known).filter(|(family, _)| *family == base);
    let mut ends: Vec<(i64, i64)> = Vec::new();
    for (_, indices) in known.into_iter().filter_map(of_family) {
        if ends.is_empty() {
            ends = indices.iter().map(|index| (*index, *index)).collect();
        }
        for ((from, to), index) in ends.iter_mut().zip(&indices) {
            (*from, *to) = ((*from).min(*index), (*to).max(*index));
        }
    }
    if ends.is_empty() {
        let declared = families.iter().find(|family| family.name == base)?;
        if at.is_empty() {
            return Some(say!("family-empty", name));
        }
        let block = declared.blocks.first()?.iter();
        ends = block.map(|&[from, to]| (from, to)).collect();
    }
    let is_within = |((from, to), index): (&(i64, i64), &i64)| (*from..=*to).contains(index);
    if ends.len() != at.len() || ends.iter().zip(&at).all(is_within) {
        return None;
    }
    let range = ends.iter().map(|(from, to)| match from == to {
        true => from.to_string(),
        false => format!("{from} .. {to}"),
    });
    let range = range.collect::<Vec<_>>().join(", ");
    Some(say!("family-outside", element = name, base, range))
}

/// A report with places.
fn marked<L: Into<String>>(
    report: Diagnostic,
    origins: &Origins,
    places: impl IntoIterator<Item = (Origin, L)>,
) -> Diagnostic {
    let mut places = places
        .into_iter()
        .filter_map(|(origin, label)| Some((origins.get(origin)?, label)));
    let report = match places.next() {
        Some((span, label)) => report.at(span, label),
        None => report,
    };
    places.fold(report, |report, (span, label)| report.also(span, label))
}
