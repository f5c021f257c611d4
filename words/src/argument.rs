//! Arguments of texts: what may stand in a place of an entry.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fluent_bundle::FluentValue;

use crate::catalogue::text;

/// A text, or a number that chooses the form of a word.
pub type Value<'a> = FluentValue<'a>;

/// What can be an argument of a text.
pub trait Argument {
    /// The value that stands in the text.
    fn value(&self) -> Value<'_>;

    /// Its text.
    fn text(&self) -> String {
        match self.value() {
            Value::String(text) => text.into_owned(),
            Value::Number(number) => number.as_string().into_owned(),
            Value::Custom(_) | Value::None | Value::Error => String::new(),
        }
    }
}

/// An entry without arguments that is said where it stands in a text or becomes one: a thing that several texts name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Phrase(&'static str);

impl Phrase {
    /// The entry of that name; [`phrase!`](crate::phrase) makes one.
    pub const fn new(id: &'static str) -> Self {
        Self(id)
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&text(self.0, &[]))
    }
}

impl From<Phrase> for String {
    fn from(phrase: Phrase) -> Self {
        text(phrase.0, &[])
    }
}

impl Argument for Phrase {
    fn value(&self) -> Value<'_> {
        Value::from(text(self.0, &[]))
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl Argument for str {
    fn value(&self) -> Value<'_> {
        Value::from(self)
    }
}

impl Argument for String {
    fn value(&self) -> Value<'_> {
        Value::from(self.as_str())
    }
}

impl Argument for Cow<'_, str> {
    fn value(&self) -> Value<'_> {
        Value::from(&**self)
    }
}

impl Argument for Box<str> {
    fn value(&self) -> Value<'_> {
        Value::from(&**self)
    }
}

impl Argument for Arc<str> {
    fn value(&self) -> Value<'_> {
        Value::from(&**self)
    }
}

/// What is written as Rust writes it.
macro_rules! as_text {
    ($($kind:ty),*) => {
        $(impl Argument for $kind {
            fn value(&self) -> Value<'_> {
                Value::from(self.to_string())
            }
        })*
    };
}

/// Whole numbers choose the form of a word.
macro_rules! as_number {
    ($($kind:ty),*) => {
        $(impl Argument for $kind {
            fn value(&self) -> Value<'_> {
                Value::from(*self)
            }
        })*
    };
}

as_text!(char, bool, f64, fmt::Arguments<'_>, std::path::Display<'_>);
as_number!(u8, u16, u32, u64, usize, i32, i64);
