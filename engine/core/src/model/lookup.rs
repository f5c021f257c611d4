//! Lookups of a model: named points with where they came from.

use crate::ids::Origin;
use crate::procedure::lookup::Interpolation;

/// A lookup: a function given by points, called as a procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookup {
    /// Its name, unique among all names of the model.
    pub name: String,
    /// Description, one line.
    pub about: String,
    /// Its points, and what is between and beyond them.
    pub interpolation: Interpolation,
    /// Units of the arguments, then that of the value; labels for output.
    pub units: Vec<String>,
    /// File that the points were read from.
    pub file: Option<LookupFile>,
    /// Place in the source.
    pub origin: Origin,
}

/// A file with points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookupFile {
    /// Its name, as it is shown in reports.
    pub name: String,
    /// Hash of its content (SHA-256, hexadecimal).
    pub sha256: String,
}
