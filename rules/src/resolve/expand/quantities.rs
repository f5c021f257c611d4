//! Quantities and switches of families -> one for each element, with what single elements are given of their own.

use std::collections::HashMap;

use super::Expander;
use super::families::Env;
use crate::resolve::merged::{Merged, MergedQuantity};
use crate::source::Spanned;
use crate::tree::{Name, Quantity, Switch};

impl<'a> Expander<'a> {
    pub(super) fn quantities(&mut self, merged: &[MergedQuantity<'a>]) -> Vec<Quantity> {
        let mut all: Vec<Quantity> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for one in merged {
            let is_element = self.is_element(one.name);
            if is_element {
                continue;
            }
            for (name, env) in self.declared(one.name) {
                let quantity = self.quantity(one, name, &env);
                if one.name.index.is_some() {
                    places.insert(quantity.name.value.clone(), all.len());
                }
                all.push(quantity);
            }
        }
        // Elements with a start of their own.
        for one in merged {
            if !self.is_element(one.name) {
                continue;
            }
            for (name, env) in self.declared(one.name) {
                let quantity = self.quantity(one, name, &env);
                let Some(&at) = places.get(&quantity.name.value) else {
                    continue;
                };
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
        let text = |text: Option<&str>| text.map(|text| Spanned::new(text.to_owned(), span));
        Quantity {
            name: Name::new(name, span),
            span: one.span,
            start: one.start.map(|start| self.expression(start, env)),
            before: one.before.map(|before| self.expression(before, env)),
            unit: text(one.unit),
            about: text(one.about),
            output: one.output.map(|output| Spanned::new(output, span)),
            nominal: one.nominal.map(|nominal| Spanned::new(nominal, span)),
            range: one.range.map(|range| Spanned::new(range, span)),
        }
    }

    pub(super) fn switches(&mut self, merged: &Merged<'a>) -> Vec<Switch> {
        let mut all: Vec<Switch> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for single in [false, true] {
            for one in &merged.switches {
                if self.is_element(one.name) != single {
                    continue;
                }
                for (name, _) in self.declared(one.name) {
                    let span = one.name.span;
                    let start = one.start.map(|start| Spanned::new(start, span));
                    if let (true, Some(&at)) = (single, places.get(&name)) {
                        all[at].start = start.or(all[at].start.take());
                        continue;
                    }
                    places.insert(name.clone(), all.len());
                    all.push(Switch {
                        name: Name::new(name, span),
                        span: one.span,
                        start,
                        about: one.about.map(|about| Spanned::new(about.to_owned(), span)),
                    });
                }
            }
        }
        all
    }
}
