//! What is written of a lookup.

use situ_engine::procedure::lookup::{Kind, Outside};

use super::Name;
use crate::source::{Span, Spanned};

/// `name: (file, sheet, x, y, z, kind, outside, units, about)`.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// Path of the file with its points, relative to the table.
    pub file: Option<Spanned<String>>,
    /// Sheet of the file.
    pub sheet: Option<Spanned<String>>,
    /// The first arguments.
    pub x: Option<Axis>,
    /// The second arguments; the values, if there is no `z`.
    pub y: Option<Axis>,
    /// The values of two arguments.
    pub z: Option<Axis>,
    /// Values between the points.
    pub kind: Option<Spanned<Kind>>,
    /// Values outside of them.
    pub outside: Option<Spanned<Outside>>,
    /// Units of the arguments, then that of the value.
    pub units: Vec<Spanned<String>>,
    /// Its description.
    pub about: Option<Spanned<String>>,
    /// True if a part of it could not be read; already reported.
    pub is_broken: bool,
}

/// Numbers of a lookup.
#[derive(Clone, Debug)]
pub enum Axis {
    /// A column by its name, or a region such as `B2:B20`.
    Column(Spanned<String>),
    /// Numbers in place.
    Numbers {
        /// The numbers, row by row.
        values: Vec<Spanned<f64>>,
        /// Length of a row, if they are written as a list of lists.
        rows: Option<usize>,
        /// All of it.
        span: Span,
    },
}

impl Axis {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Self::Column(name) => name.span,
            Self::Numbers { span, .. } => *span,
        }
    }
}
