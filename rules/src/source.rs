//! Source texts and places in them: every byte that was read has a [`SourceId`] and a position.
//!
//! Reads no files; the caller hands in names and texts.

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
        let at = |position: usize| u32::try_from(position).expect("a source has fewer than 2^32 bytes");
        Self { source, start: at(start), end: at(end) }
    }

    /// The smallest span that covers both; `self`, if they lie in different sources.
    pub fn to(self, end: Span) -> Span {
        if self.source != end.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(end.start), end: self.end.max(end.end) }
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
}

/// All texts of one reading.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).expect("fewer than 2^32 sources"));
        self.sources.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// A text.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.source).text[span.range()]
    }

    /// Line and column of the first byte of a place, both counted from 1, columns in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let before = &self.get(span.source).text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }
}
