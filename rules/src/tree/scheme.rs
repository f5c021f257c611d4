//! Schemes of reactions: stages, and what their species consist of.

use super::{Expr, Guard, Name, Row};
use crate::source::{Span, Spanned};

/// The reactions of a table.
#[derive(Clone, Debug, Default)]
pub struct Scheme {
    /// The stages.
    pub reactions: Vec<Row<Reaction>>,
    /// What species consist of; `None` if the table does not ask for a balance of its elements.
    pub formulas: Option<Vec<SpeciesFormula>>,
}

/// `"ES": "C8 H10"`
#[derive(Clone, Debug)]
pub struct SpeciesFormula {
    /// The species.
    pub species: Name,
    /// Name and text.
    pub span: Span,
    /// What it consists of, as written.
    pub text: Spanned<String>,
}

/// `left -> right : constants` or `left -> right at rate`
#[derive(Clone, Debug)]
pub struct Reaction {
    /// What the stage takes.
    pub left: Vec<Term>,
    /// What it gives.
    pub right: Vec<Term>,
    /// Written `<->`: it goes both ways.
    pub reversible: bool,
    /// From the first species to the last one.
    pub equation: Span,
    /// How fast it goes.
    pub law: RateLaw,
    /// When it goes.
    pub guard: Guard,
}

/// `2 CH3`
#[derive(Clone, Debug)]
pub struct Term {
    /// How many.
    pub amount: Amount,
    /// Of what.
    pub species: Name,
}

/// How many molecules a stage takes or gives.
#[derive(Clone, Debug)]
pub enum Amount {
    /// Nothing is written.
    One,
    /// A number.
    Number(Spanned<f64>),
    /// A constant.
    Constant(Name),
}

/// How fast a stage goes; for one that is reversible two values, forth and back.
#[derive(Clone, Debug)]
pub enum RateLaw {
    /// After `:`, mass action: these times the concentrations of what it takes.
    MassAction(Vec<Expr>),
    /// After `at`: the rates.
    Rate(Vec<Expr>),
}

impl RateLaw {
    /// The values that are written.
    pub fn values(&self) -> &[Expr] {
        match self {
            Self::MassAction(values) | Self::Rate(values) => values,
        }
    }
}
