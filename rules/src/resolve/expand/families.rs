//! Families: what is declared with indices, and from where to where they go.

use std::borrow::Cow;
use std::collections::HashMap;

pub(super) use situ_engine::model::FamilyKind as Kind;
use situ_engine::model::{self, element};
use smallvec::SmallVec;

use crate::source::Span;
pub(super) use crate::tree::{Block, Extent, each_element, next_element, place_in, size};
use crate::tree::{Expr, ExprKind};

/// What people call several of a kind.
pub(super) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Constant => "constants",
        Kind::Real => "reals",
        Kind::Switch => "switches",
        Kind::Range => "ranges",
        Kind::Situation => "situations",
        Kind::Event => "events",
    }
}

/// A family.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) kind: Kind,
    /// Where it is declared first.
    pub(super) span: Span,
    /// What it consists of: of a quantity one block, of conditions one for each row.
    pub(super) blocks: Vec<Block>,
}

impl Family {
    /// Number of indices.
    pub(super) fn n_indices(&self) -> usize {
        self.blocks[0].len()
    }

    /// From where to where it goes.
    pub(super) fn range_text(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(block_text).collect();
        blocks.join(" and ")
    }
}

/// `1 .. 200`, `0 .. 4, 1 .. 9`
pub(super) fn block_text(block: &Block) -> String {
    let parts = block.iter().map(|extent| match extent.len() {
        1 => extent.from.to_string(),
        _ => format!("{} .. {}", extent.from, extent.to),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Counters that may stand somewhere, with their values.
pub(super) type Scope<'a> = Vec<(&'a str, Extent)>;

/// Counters with their values.
pub(super) type Env<'a> = SmallVec<[(&'a str, i64); 2]>;

/// Families by name.
#[derive(Default)]
pub(super) struct Families<'a> {
    pub(super) by_name: HashMap<Cow<'a, str>, Family>,
}

impl<'a> Families<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Family> {
        self.by_name.get(name)
    }

    /// All of them, by name.
    pub(super) fn declared(&self) -> Vec<model::Family> {
        let extents = |block: &Block| {
            let ends = block.iter().map(|extent| [extent.from, extent.to]);
            ends.collect()
        };
        let all = self.by_name.iter();
        let mut all: Vec<model::Family> = all
            .map(|(name, family)| model::Family {
                name: name.clone().into_owned(),
                kind: family.kind,
                blocks: family.blocks.iter().map(extents).collect(),
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The family of a name that is an element with numbers for indices.
    pub(super) fn of_element(&self, name: &str) -> Option<(&Family, SmallVec<[i64; 2]>)> {
        let (base, indices) = element(name)?;
        Some((self.get(base)?, indices))
    }
}

/// The name that an expression consists of.
pub(super) fn single_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}

/// Calls `each` with the counters at all of their values, the last counter fastest.
pub(super) fn each_env<'a>(scope: &Scope<'a>, mut each: impl FnMut(&Env<'a>)) {
    let block: Block = scope.iter().map(|(_, extent)| *extent).collect();
    each_element(&block, |values| {
        let counters = scope.iter().zip(values);
        let env: Env<'a> = counters.map(|((name, _), value)| (*name, *value)).collect();
        each(&env);
    });
}
