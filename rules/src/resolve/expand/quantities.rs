//! Quantities and switches of families, with what single elements are given of their own.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use situ_engine::model::element;

use super::declared::{Declared, Element};
use super::families::{Block, Env, Extent, Scope, place_in, single_name};
use super::index::{self, form};
use super::{Expander, report};
use crate::resolve::merged::{Merged, MergedQuantity};
use crate::source::Spanned;
use crate::tree::{Elements, Expr, IndexItem, Name, Quantity, Switch};

/// Entries that give starts to elements of families.
#[derive(Default)]
struct Given<'a> {
    /// Those for several elements, by family.
    several: FxHashMap<String, Vec<Several<'a>>>,
    /// Those for single elements, by the name of the element.
    single: FxHashMap<String, &'a Name>,
}

/// An entry that gives starts to several elements.
struct Several<'a> {
    name: &'a Name,
    n_fixed: usize,
    block: Block,
}

/// Where the elements of families stand in a list: by the name of the family the place of its first element, and its
/// block.
#[derive(Default)]
struct Places<'a>(FxHashMap<&'a str, (usize, Block)>);

impl<'a> Places<'a> {
    /// Notes a family whose elements come next.
    fn note(&mut self, declared: &Declared<'a>, first: usize) {
        if let Some(base) = declared.base() {
            self.0.insert(base, (first, declared.block.clone()));
        }
    }

    fn of(&self, element: &Element<'a>) -> Option<usize> {
        let (base, indices) = element.base_and_indices()?;
        let (first, block) = self.0.get(base)?;
        Some(first + place_in(block, &indices)?)
    }
}

impl<'a> Expander<'a> {
    /// Quantities, families as one.
    pub(super) fn quantities(&mut self, merged: &[MergedQuantity<'a>]) -> Vec<Quantity> {
        let mut all: Vec<Quantity> = Vec::with_capacity(merged.len());
        let mut families: FxHashMap<&str, usize> = FxHashMap::default();
        for one in merged {
            if !self.is_element(one.name) {
                if let Some(index) = &one.name.index {
                    families.insert(&index.base, all.len());
                }
                let quantity = self.quantity(one);
                all.push(quantity);
            }
        }
        let narrower = merged.iter().filter(|one| self.is_element(one.name));
        let mut narrower: Vec<&MergedQuantity<'a>> = narrower.collect();
        narrower.sort_by_cached_key(|one| self.n_fixed(one.name));
        let mut given = Given::default();
        for one in narrower {
            if one.start.is_some() {
                self.note_start(&mut given, one.name);
            }
            let quantity = self.quantity(one);
            let elements = quantity.elements.as_ref();
            let at = elements.and_then(|elements| families.get(&*elements.base));
            let family = at.and_then(|at| all[*at].elements.as_mut());
            if let Some(family) = family {
                family.narrow(quantity);
            }
        }
        match self.patterns.kept() {
            true => all,
            // Names of single elements are changed where they join a table, and read by people.
            false => all
                .iter()
                .flat_map(Quantity::each_element)
                .map(Cow::into_owned)
                .collect(),
        }
    }

    /// Notes an entry that gives elements a start, and reports another one of the same table that is as narrow.
    fn note_start(&mut self, given: &mut Given<'a>, name: &'a Name) {
        let Some(elements) = self.elements(name) else {
            return;
        };
        let n_fixed = self.n_fixed(name);
        let is_rival =
            |first: &Name, fixed: usize| first.span.source == name.span.source && fixed == n_fixed;
        let overlap = if elements.is_single() {
            let first = given.single.insert(elements.name(0), name);
            first
                .filter(|first| is_rival(first, self.n_fixed(first)))
                .map(|first| (0, first))
        } else {
            let earlier = given.several.entry(elements.base.clone()).or_default();
            let rivals = earlier.iter().filter(|one| is_rival(one.name, one.n_fixed));
            let shared =
                rivals.filter_map(|one| Some((elements.first_within(&one.block)?, one.name)));
            // Of several the one that is met first, and of these the last.
            let first = shared.rev().min_by_key(|(place, _)| *place);
            let block = elements.block.clone();
            earlier.push(Several {
                name,
                n_fixed,
                block,
            });
            first
        };
        if let Some((place, first)) = overlap {
            self.report(report::two_starts(&elements.name(place), first, name));
        }
    }

    /// The indices of a name that are no counters, or ones that stand before: of two entries for one element the one with
    /// more of them holds.
    pub(super) fn n_fixed(&self, name: &Name) -> usize {
        let Some(index) = &name.index else {
            return element(&name.value).map_or(0, |(_, indices)| indices.len());
        };
        let mut seen: Vec<&str> = Vec::new();
        let mut n_fixed = 0;
        for item in &index.items {
            let IndexItem::At(at) = item else { continue };
            let is_counter = |name: &&str| self.counters.iter().any(|(known, _)| known == name);
            match single_name(at).filter(is_counter) {
                Some(name) if !seen.contains(&name) => seen.push(name),
                _ => n_fixed += 1,
            }
        }
        n_fixed
    }

    /// The elements that a declaration with indices declares.
    pub(super) fn declared_block(&mut self, name: &'a Name) -> Option<Block> {
        let index = name.index.as_deref()?;
        let mut block = Block::new();
        let mut complete = true;
        if let Some(again) = index::repeated(name)
            && !self.is_element(name)
        {
            self.report(report::diagonal_declared(again, &index.base));
        }
        for item in &index.items {
            let extent = match item {
                IndexItem::Range(from, to) => self.extent(from, to, &index.base),
                IndexItem::At(at) => {
                    let form = form(at, &self.counters, &mut self.values);
                    match self.or_report(form) {
                        Some(index::Form::Counter(_, extent, 0)) => Some(extent),
                        Some(index::Form::Fixed(at)) => Some(Extent::one(at)),
                        Some(_) => {
                            self.report(report::odd_declaration(at.span));
                            None
                        }
                        None => None,
                    }
                }
            };
            complete &= extent.is_some();
            block.extend(extent);
        }
        complete.then_some(block)
    }

    /// True if a name gives starts to elements of a family that is declared elsewhere.
    fn is_element(&self, name: &Name) -> bool {
        match &name.index {
            Some(index) => {
                let family = self.families.get(&index.base);
                family.is_some_and(|family| family.span != name.span)
            }
            None => self.families.of_element(&name.value).is_some(),
        }
    }

    /// A quantity, or all elements of one with indices.
    fn quantity(&mut self, one: &MergedQuantity<'a>) -> Quantity {
        let span = one.name.span;
        let text =
            |text: Option<&str>| text.map(|text| Box::new(Spanned::new(text.to_owned(), span)));
        let mut quantity = Quantity {
            name: one.name.clone(),
            span: one.span,
            start: None,
            before: None,
            unit: text(one.unit),
            about: text(one.about),
            output: one.output.map(|output| Spanned::new(output, span)),
            nominal: (one.nominal).map(|&nominal| Box::new(Spanned::new(nominal, span))),
            range: (one.range).map(|&range| Box::new(Spanned::new(range, span))),
            auxiliary: one.auxiliary,
            elements: None,
        };
        let mut elements = self.elements(one.name);
        let of = |this: &mut Self, expr: &'a Expr| match &elements {
            Some(elements) => this.of_elements(expr, elements),
            None => (Some(this.expression(expr, &Env::new())), Vec::new()),
        };
        let (start, starts) = one.start.map(|start| of(self, start)).unwrap_or_default();
        let (before, pasts) = one
            .before
            .map(|before| of(self, before))
            .unwrap_or_default();
        quantity.start = start;
        quantity.before = before.map(Box::new);
        if let Some(elements) = &mut elements {
            (elements.starts, elements.pasts) = (starts, pasts);
        }
        quantity.elements = elements;
        quantity
    }

    /// The elements that a name stands for; `None` if it is none of a family.
    fn elements(&mut self, name: &'a Name) -> Option<Box<Elements>> {
        let declared = self.declared(name);
        let (base, block, counters) = match &name.index {
            Some(index) => {
                let is_counter = |name: &&str| self.counters.iter().any(|(known, _)| known == name);
                let counters = declared.counters.iter();
                let counters = counters.map(|name| name.filter(is_counter).map(str::to_owned));
                (index.base.clone(), declared.block, counters.collect())
            }
            None => {
                let (_, at) = self.families.of_element(&name.value)?;
                let base = situ_engine::model::element(&name.value)?.0.to_owned();
                let counters = at.iter().map(|_| None).collect();
                (base, at.into_iter().map(Extent::one).collect(), counters)
            }
        };
        Some(Elements::new(base, block, counters))
    }

    /// An expression of elements: the form that all of them have, or one for each.
    fn of_elements(&mut self, expr: &'a Expr, elements: &Elements) -> (Option<Expr>, Vec<Expr>) {
        let counters = elements.counters.iter().flatten();
        let known = self
            .counters
            .iter()
            .filter(|(name, _)| counters.clone().any(|one| one == name));
        let scope: Scope<'a> = known.copied().collect();
        let env = |at: &[i64]| -> Env<'a> {
            let values = scope.iter().map(|(name, _)| {
                let mut counters = elements.counters.iter();
                let index = counters.position(|one| one.as_deref() == Some(name));
                (*name, index.map_or(0, |index| at[index]))
            });
            values.collect()
        };
        let n = elements.len();
        if n == 0 {
            return Default::default();
        }
        let first = env(&elements.indices(0));
        if !index::reads(expr, &scope) {
            return (Some(self.expression(expr, &first)), Vec::new());
        }
        if let Some(common) = self.common(expr, &first, &elements.block) {
            return (Some(common), Vec::new());
        }
        let each = (0..n).map(|place| self.expression(expr, &env(&elements.indices(place))));
        (None, each.collect())
    }

    pub(super) fn switches(&mut self, merged: &Merged<'a>) -> Vec<Switch> {
        let mut all: Vec<Switch> = Vec::new();
        let mut places = Places::default();
        let (mut narrower, families): (Vec<_>, Vec<_>) =
            (merged.switches.iter()).partition(|one| self.is_element(one.name));
        narrower.sort_by_cached_key(|one| self.n_fixed(one.name));
        for one in families {
            let declared = self.declared(one.name);
            places.note(&declared, all.len());
            for element in declared {
                let span = one.name.span;
                all.push(Switch {
                    name: Name::new(element.name(), span),
                    span: one.span,
                    start: one.start.map(|start| Spanned::new(start, span)),
                    about: one.about.map(|about| Spanned::new(about.to_owned(), span)),
                });
            }
        }
        let mut given = Given::default();
        for one in narrower {
            let Some(start) = one.start else { continue };
            self.note_start(&mut given, one.name);
            for element in self.declared(one.name) {
                if let Some(at) = places.of(&element) {
                    all[at].start = Some(Spanned::new(start, one.name.span));
                }
            }
        }
        all
    }
}
