//! Tables of typed columns: what a column is and what stands in its cells, whatever format it is written in.

/// Type of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Whole numbers.
    Integers,
    /// Numbers, NaN and infinities among them; a cell may be empty.
    Reals,
    /// True or false.
    Truths,
    /// Texts; a cell may be empty.
    Texts,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Type of its cells.
    pub holds: Holds,
    /// Its kind in the model, one word: `constant`, `real`, `measure` and so on.
    pub kind: &'static str,
    /// Its unit; may be empty.
    pub unit: String,
    /// Description, one line; may be empty.
    pub about: String,
}

/// One value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Of [`Holds::Integers`].
    Integer(i64),
    /// Of [`Holds::Reals`].
    Real(Option<f64>),
    /// Of [`Holds::Truths`].
    Truth(bool),
    /// Of [`Holds::Texts`].
    Text(Option<String>),
}
