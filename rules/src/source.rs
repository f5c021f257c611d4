//! Source texts and places in them: every byte that was read has a [`SourceId`] and a position.
//!
//! Reads no files; the caller hands in names and texts.

use std::collections::{HashMap, HashSet};

use situ_engine::ids::Origin;

/// One text: a table file, standard input, a line typed at the prompt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceId(pub u32);

/// A half-open range of bytes of one source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end` (bytes) of a source.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let at =
            |position: usize| u32::try_from(position).expect("a source has fewer than 2^32 bytes");
        Self {
            source,
            start: at(start),
            end: at(end),
        }
    }

    /// The smallest span that covers both; `self`, if they lie in different sources.
    pub fn to(self, end: Span) -> Span {
        if self.source != end.source {
            return self;
        }
        Span {
            source: self.source,
            start: self.start.min(end.start),
            end: self.end.max(end.end),
        }
    }

    /// Its bytes as a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and where it was written.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A text with the name shown in messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it is shown: a path, `<stdin>`, `<line 3>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Byte at which each line starts.
    line_starts: Vec<u32>,
}

impl Source {
    fn new(name: String, text: String) -> Self {
        let position =
            |byte: usize| u32::try_from(byte).expect("a source has fewer than 2^32 bytes");
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = breaks.map(|(index, _)| position(index + 1));
        let line_starts = std::iter::once(0).chain(starts).collect();
        Self {
            name,
            text,
            line_starts,
        }
    }

    /// The line, counted from 1, on which a byte stands.
    pub fn line_of(&self, byte: usize) -> usize {
        self.line_starts
            .partition_point(|start| *start as usize <= byte)
    }

    /// The bytes of a line, counted from 1, without the line break; the last line's for a number
    /// that is too large.
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let index = line.clamp(1, self.line_starts.len()) - 1;
        let start = self.line_starts[index] as usize;
        let end = match self.line_starts.get(index + 1) {
            Some(next) => *next as usize - 1,
            None => self.text.len(),
        };
        start..end
    }

    /// Line and column of a byte, both counted from 1, columns in characters.
    pub fn line_column(&self, byte: usize) -> (usize, usize) {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.line_of(byte);
        let column = self.text[self.line_range(line).start..byte].chars().count() + 1;
        (line, column)
    }
}

/// All texts of one reading.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a text.
    ///
    /// # Panics
    /// If it has 2^32 bytes or more.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).expect("fewer than 2^32 sources"));
        self.sources.push(Source::new(name.into(), text.into()));
        id
    }

    /// A text.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// All texts, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }

    /// The place that covers a whole text.
    pub fn span(&self, id: SourceId) -> Span {
        Span::new(id, 0, self.get(id).text.len())
    }

    /// The whole text that was added last.
    pub fn last(&self) -> Option<Span> {
        let last = u32::try_from(self.sources.len().checked_sub(1)?).ok()?;
        Some(self.span(SourceId(last)))
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.source).text[span.range()]
    }

    /// Line and column of the first byte of a place, both counted from 1, columns in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        self.get(span.source).line_column(span.start as usize)
    }
}

/// The place of every row of a model, by the [`Origin`] that the row carries.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    spans: Vec<Span>,
    /// Places of start values that are given elsewhere than the quantity is declared, by its number.
    starts: HashMap<u32, Span>,
}

impl Origins {
    /// A new origin for what is written at a place.
    pub fn add(&mut self, span: Span) -> Origin {
        let origin = Origin(u32::try_from(self.spans.len()).expect("fewer than 2^32 origins"));
        self.spans.push(span);
        origin
    }

    /// Notes where the start value of a quantity stands, if that is elsewhere.
    pub(crate) fn add_start(&mut self, origin: Origin, span: Span) {
        let is_within = |declared: Span| {
            declared.source == span.source
                && declared.start <= span.start
                && span.end <= declared.end
        };
        if !self.get(origin).is_some_and(is_within) {
            self.starts.insert(origin.0, span);
        }
    }

    /// The place of the start value of a quantity, if it is not where the quantity is declared.
    pub(crate) fn start_of(&self, origin: Origin) -> Option<Span> {
        self.starts.get(&origin.0).copied()
    }

    /// The places that belong to several rows: those of rows for all elements of a family.
    pub(crate) fn shared(&self) -> HashSet<Span> {
        let mut seen = HashSet::with_capacity(self.spans.len());
        let all = self.spans.iter().chain(self.starts.values());
        let repeated = all.filter(|span| !seen.insert(**span));
        repeated.copied().collect()
    }

    /// The place; `None` for [`Origin::NONE`] and for origins of another model.
    pub fn get(&self, origin: Origin) -> Option<Span> {
        self.spans.get(origin.0 as usize).copied()
    }
}
