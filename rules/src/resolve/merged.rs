//! Tables of a chain as one: lists of what they declare, and rows with their ids.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::source::{Span, Spanned};
use crate::tree::{
    Assignment, Case, Clock, Expr, Invariant, Lookup, Name, Quantity, Range, Reaction, Relation,
    Row, Setting, Shape, Situation, SpeciesFormula, Table,
};

/// All tables of a chain as one.
#[derive(Debug, Default)]
pub(super) struct Merged<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) about: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    /// The clocks that were written, base first; each overrides those before it.
    pub(super) clocks: Vec<&'a Clock>,
    pub(super) constants: Vec<MergedQuantity<'a>>,
    pub(super) reals: Vec<MergedQuantity<'a>>,
    pub(super) switches: Vec<MergedSwitch<'a>>,
    pub(super) ranges: Vec<Entry<'a, Range>>,
    pub(super) situations: MergedSituations<'a>,
    pub(super) assignments: Vec<Entry<'a, Assignment>>,
    pub(super) relations: Vec<Entry<'a, Relation>>,
    pub(super) scheme: MergedScheme<'a>,
    /// What the tables read from outside.
    pub(super) inputs: Vec<&'a Name>,
    pub(super) parts: Vec<MergedPart<'a>>,
    pub(super) invariants: Vec<&'a Invariant>,
    pub(super) lookups: Vec<&'a Lookup>,
    pub(super) cases: Vec<&'a Case>,
    pub(super) scene: MergedScene<'a>,
}

/// The rows of situations, and what they define.
#[derive(Debug, Default)]
pub(super) struct MergedSituations<'a> {
    pub(super) rows: Vec<Entry<'a, Situation>>,
    /// The names, each at its first row.
    pub(super) names: Vec<&'a Name>,
    /// The name of each row, as an index into `names`.
    pub(super) defines: Vec<usize>,
}

/// Reactions, and what is known of their species.
#[derive(Debug, Default)]
pub(super) struct MergedScheme<'a> {
    pub(super) reactions: Vec<Entry<'a, Reaction>>,
    /// What species consist of; `None` if no table asks for a balance.
    pub(super) formulas: Option<IndexMap<&'a str, &'a SpeciesFormula>>,
}

/// How rows of the trajectory are drawn.
#[derive(Debug, Default)]
pub(super) struct MergedScene<'a> {
    /// The window.
    pub(super) view: Option<&'a [Expr; 4]>,
    pub(super) shapes: Vec<Entry<'a, Shape>>,
}

/// A constant or real with everything later tables say about it.
#[derive(Debug)]
pub(super) struct MergedQuantity<'a> {
    pub(super) name: &'a Name,
    pub(super) span: Span,
    pub(super) start: Option<&'a Expr>,
    pub(super) before: Option<&'a Expr>,
    pub(super) unit: Option<&'a str>,
    pub(super) about: Option<&'a str>,
    pub(super) output: Option<bool>,
    pub(super) nominal: Option<&'a f64>,
    pub(super) range: Option<&'a [f64; 2]>,
    pub(super) auxiliary: bool,
    /// The family whose elements it stands for, in a table that is written out.
    pub(super) family: Option<&'a Quantity>,
}

impl<'a> MergedQuantity<'a> {
    /// Number of quantities of the model that this declares.
    pub(super) fn n_elements(&self) -> usize {
        self.family.map_or(1, Quantity::n_elements)
    }

    /// The name of an element by its place.
    fn name_at(&self, place: usize) -> Cow<'a, str> {
        match self.family {
            Some(family) => family.name_at(place),
            None => Cow::Borrowed(&self.name.value),
        }
    }

    /// The names of the elements, one after another.
    pub(super) fn names(&self) -> impl Iterator<Item = Cow<'a, str>> + Clone + use<'a, '_> {
        (0..self.n_elements()).map(|place| self.name_at(place))
    }
}

/// Number of quantities of the model that these declare.
pub(super) fn n_elements(quantities: &[MergedQuantity<'_>]) -> usize {
    quantities.iter().map(MergedQuantity::n_elements).sum()
}

/// What declares a quantity of the model, and the place of its start value, by its number in the model.
pub(super) fn declaration<'m, 'a>(
    quantities: &'m [MergedQuantity<'a>],
    number: usize,
) -> Option<(&'m MergedQuantity<'a>, Option<Span>)> {
    let mut first = 0;
    for one in quantities {
        let n = one.n_elements();
        if number < first + n {
            let start = match one.family {
                Some(family) => family
                    .element(number - first)
                    .start
                    .as_ref()
                    .map(|start| start.span),
                None => one.start.map(|start| start.span),
            };
            return Some((one, start));
        }
        first += n;
    }
    None
}

/// A switch with everything later tables say about it.
#[derive(Debug)]
pub(super) struct MergedSwitch<'a> {
    pub(super) name: &'a Name,
    pub(super) span: Span,
    pub(super) start: Option<bool>,
    pub(super) about: Option<&'a str>,
}

/// A part with everything later tables say about it.
#[derive(Debug)]
pub(super) struct MergedPart<'a> {
    pub(super) name: &'a Name,
    pub(super) file: Option<&'a Spanned<String>>,
    pub(super) case: Option<&'a Spanned<String>>,
    /// Base first: of two for one name the later one holds.
    pub(super) set: Vec<&'a Setting>,
    pub(super) about: Option<&'a str>,
    pub(super) tables: &'a Arc<Vec<Table>>,
}

/// A row with its id.
#[derive(Debug)]
pub(super) struct Entry<'a, T> {
    pub(super) id: Cow<'a, str>,
    pub(super) row: &'a Row<T>,
}
