//! Names with indices, as they are declared or set -> their elements, one after another.

use smallvec::SmallVec;

use super::Expander;
use super::families::{Block, Env, Extent, next_element, size};
use crate::tree::{ExprKind, IndexItem, Name};

/// The elements that a name declares, the last index fastest.
pub(super) struct Declared<'a> {
    name: &'a Name,
    pub(super) block: Block,
    /// Per index the counter that stands there.
    pub(super) counters: SmallVec<[Option<&'a str>; 2]>,
    next: Option<SmallVec<[i64; 2]>>,
}

/// One of them.
pub(super) struct Element<'a> {
    declared: &'a Name,
    /// Its indices; none if the name has none.
    pub(super) indices: SmallVec<[i64; 2]>,
    /// The counters that stand for them.
    pub(super) env: Env<'a>,
}

impl<'a> Expander<'a> {
    /// The elements that a name declares; the name alone if it has no indices.
    pub(super) fn declared(&mut self, name: &'a Name) -> Declared<'a> {
        let index = name.index.as_deref();
        let block = match index {
            Some(_) => self.declared_block(name),
            None => Some(Block::new()),
        };
        let items = index.iter().flat_map(|index| &index.items);
        let counters = items.map(|item| match item {
            IndexItem::At(at) => match &at.kind {
                ExprKind::Name(name) => Some(name.as_str()),
                _ => None,
            },
            IndexItem::Range(..) => None,
        });
        let counters = counters.collect();
        let is_empty = block.as_ref().is_none_or(|block| size(block) == 0);
        let block = block.unwrap_or_default();
        let first = block.iter().map(|extent: &Extent| extent.from).collect();
        Declared {
            name,
            counters,
            next: (!is_empty).then_some(first),
            block,
        }
    }
}

impl<'a> Declared<'a> {
    /// The family, if the name has indices.
    pub(super) fn base(&self) -> Option<&'a str> {
        self.name.index.as_ref().map(|index| &*index.base)
    }

    /// True if a counter stands there twice, as in `E[i, i]`, and these indices differ.
    fn leaves_out(&self, indices: &[i64]) -> bool {
        (0..indices.len()).any(|at| {
            let counter = self.counters[at];
            let first = self.counters.iter().position(|known| *known == counter);
            counter.is_some() && first.is_some_and(|first| indices[first] != indices[at])
        })
    }
}

impl<'a> Iterator for Declared<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        loop {
            let indices = self.next.take()?;
            let mut next = indices.clone();
            self.next = next_element(&self.block, &mut next).then_some(next);
            if self.leaves_out(&indices) {
                continue;
            }
            let env = self.counters.iter().zip(&indices);
            let env = env.filter_map(|(counter, at)| Some(((*counter)?, *at)));
            return Some(Element {
                declared: self.name,
                env: env.collect(),
                indices,
            });
        }
    }
}

impl<'a> Element<'a> {
    /// The family and the indices; `None` if the name is none of an element.
    pub(super) fn base_and_indices(&self) -> Option<(&'a str, SmallVec<[i64; 2]>)> {
        match &self.declared.index {
            Some(index) => Some((&index.base, self.indices.clone())),
            None => situ_engine::model::element(&self.declared.value),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        match &self.declared.index {
            Some(index) => crate::tree::element_name(&index.base, &self.indices),
            None => self.declared.value.clone(),
        }
    }
}
