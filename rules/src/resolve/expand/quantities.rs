//! Quantities and switches of families -> one for each element, with what single elements are given of their own.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use situ_engine::model::element;

use super::declared::{Declared, Element};
use super::families::{Block, Env, Extent, place_in, single_name};
use super::index::{self, form};
use super::{Expander, report};
use crate::resolve::merged::{Merged, MergedQuantity};
use crate::source::{Span, Spanned};
use crate::tree::{IndexItem, Name, Quantity, Switch};

/// Elements with a start of their own, as they are gone through.
struct Given<'a> {
    /// By the number of the element, the entry that has given it last.
    entries: Vec<Option<&'a Name>>,
    /// Entries that overlap an earlier one.
    reported: HashSet<Span>,
}

impl Given<'_> {
    /// Of so many elements, of which none has a start of its own.
    fn of(n: usize) -> Self {
        Self {
            entries: vec![None; n],
            reported: HashSet::new(),
        }
    }
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
    pub(super) fn quantities(&mut self, merged: &[MergedQuantity<'a>]) -> Vec<Quantity> {
        let mut declared = Vec::new();
        for one in merged {
            if !self.is_element(one.name) {
                declared.push((one, self.declared(one.name)));
            }
        }
        let n = declared.iter().map(|(_, elements)| elements.n_at_most());
        let mut all: Vec<Quantity> = Vec::with_capacity(n.sum());
        let mut places = Places::default();
        for (one, elements) in declared {
            places.note(&elements, all.len());
            for element in elements {
                let quantity = self.quantity(one, element.name(), &element.env);
                all.push(quantity);
            }
        }
        let narrower = merged.iter().filter(|one| self.is_element(one.name));
        let mut narrower: Vec<&MergedQuantity<'a>> = narrower.collect();
        narrower.sort_by_cached_key(|one| self.n_fixed(one.name));
        let mut given = Given::of(all.len());
        for one in narrower {
            for element in self.declared(one.name) {
                let Some(at) = places.of(&element) else {
                    continue;
                };
                if one.start.is_some() {
                    self.note_start(&mut given, at, one.name, &all[at].name.value);
                }
                let quantity = self.quantity(one, String::new(), &element.env);
                let before = &mut all[at];
                before.span = quantity.span;
                before.start = quantity.start.or(before.start.take());
                before.before = quantity.before.or(before.before.take());
                before.unit = quantity.unit.or(before.unit.take());
                before.about = quantity.about.or(before.about.take());
                before.output = quantity.output.or(before.output.take());
                before.nominal = quantity.nominal.or(before.nominal.take());
            }
        }
        all
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

    /// Notes which entry gives an element its start, and reports another one of the same table that is as narrow.
    fn note_start(&mut self, given: &mut Given<'a>, at: usize, name: &'a Name, element: &str) {
        let Some(first) = given.entries[at].replace(name) else {
            return;
        };
        let overlaps = first.span.source == name.span.source
            && self.n_fixed(first) == self.n_fixed(name)
            && given.reported.insert(name.span);
        if overlaps {
            self.report(report::two_starts(element, first, name));
        }
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

    fn quantity(&mut self, one: &MergedQuantity<'a>, name: String, env: &Env<'a>) -> Quantity {
        let span = one.name.span;
        let text =
            |text: Option<&str>| text.map(|text| Box::new(Spanned::new(text.to_owned(), span)));
        Quantity {
            name: Name::new(name, span),
            span: one.span,
            start: one.start.map(|start| self.counted(start, env)),
            before: one.before.map(|before| Box::new(self.counted(before, env))),
            unit: text(one.unit),
            about: text(one.about),
            output: one.output.map(|output| Spanned::new(output, span)),
            nominal: (one.nominal).map(|&nominal| Box::new(Spanned::new(nominal, span))),
            range: (one.range).map(|&range| Box::new(Spanned::new(range, span))),
            auxiliary: one.auxiliary,
        }
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
        let mut given = Given::of(all.len());
        for one in narrower {
            for element in self.declared(one.name) {
                let (Some(at), Some(start)) = (places.of(&element), one.start) else {
                    continue;
                };
                self.note_start(&mut given, at, one.name, &all[at].name.value);
                all[at].start = Some(Spanned::new(start, one.name.span));
            }
        }
        all
    }
}
