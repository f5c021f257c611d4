//! Words: an id with its arguments becomes a text in the language of the reader.
//!
//! All that situ says stands in one catalogue, `en/AREA.ftl` and `ru/AREA.ftl` with the same entries (the syntax is
//! Fluent's). An entry is a report or a thing that is said, its attributes the parts of it:
//!
//! ```text
//! parse-repeated-key = `{ $name }` is given twice
//!     .again = again here
//!     .help = leave one of them out
//! ```
//!
//! [`say!`] names an entry where its text is wanted. That every id stands in both languages, with the arguments of the
//! call, and that no entry is left over, is held by a test that reads all sources. Nothing of the catalogue is read
//! before the first text of an area is wanted.

mod argument;
mod catalogue;
mod language;

pub use argument::{Argument, Phrase, Value};
pub use catalogue::{areas, prose, sources, text};
pub use language::Language;

/// The text of an entry in the language of the reader.
///
/// Arguments are texts and whole numbers; numbers choose the form of a word and are written as they are. What is
/// written in a way of its own, such as a time, is passed as text.
///
/// ```
/// use situ_words::{Language, say};
///
/// let more = 3_usize;
/// assert_eq!(say!("report-more", n = more), "3 more findings of this kind");
/// let russian = Language::Russian.within(|| say!("report-more", n = more));
/// assert_eq!(russian, "и ещё 3 замечания того же рода");
/// ```
#[macro_export]
macro_rules! say {
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::text($id, &[$((stringify!($name), $crate::argument!($name $(= $value)?))),*])
    };
}

/// A [`Phrase`] by the name of its entry.
#[macro_export]
macro_rules! phrase {
    ($id:literal) => {
        $crate::Phrase::new($id)
    };
}

/// An argument of [`say!`]: `name`, or `name = value`.
#[doc(hidden)]
#[macro_export]
macro_rules! argument {
    ($name:ident) => {
        $crate::Argument::value(&$name)
    };
    ($name:ident = $value:expr) => {
        $crate::Argument::value(&$value)
    };
}
