//! Parts become rows: the table of each is written out by itself, and its names get that of the part in front.
//!
//! ```text
//! "left": (file: "tank.ron")    [1] level = integral(inflow / A)  ->  [left.1] left.level = integral(left.inflow / left.A)
//! ```
//!
//! A table is written out once for all parts that have it, unless other constants give it another shape. What is wrong
//! in it has been reported when it was resolved by itself; here is found what is wrong between the tables.

mod counts;
mod flat;
mod join;
mod order;
mod rename;

use std::collections::HashMap;
use std::rc::Rc;

use situ_engine::model::element;

pub(crate) use self::flat::settle;
use self::flat::{Flat, flatten};
use super::families::{Block, Env, Extent, Family, Kind, size};
use super::{Expander, MAX_NODES, report};
use crate::diag::Diagnostic;
use crate::resolve::merged::{Merged, MergedPart};
use crate::resolve::report as reports;
use crate::source::{Span, Spanned};
use crate::tree::{Clock, ClockEntry, Name, SettingValue, open_brackets};

/// Nodes that a row or a declaration of a part is counted for.
const NODES: u64 = 32;

/// Values of constants that decide the shape of a table.
type Numbers = Vec<(String, f64)>;

/// A part, one of many where it has indices.
pub(super) struct Instance<'a> {
    /// `left`, `cell[3]`
    name: String,
    /// Its place in [`Merged::parts`].
    part: usize,
    /// The counters of its name.
    env: Env<'a>,
    flat: Rc<Flat>,
}

impl<'a> Expander<'a> {
    /// Finds the parts and writes their tables out; what they have that counts is known from here on.
    pub(super) fn instances(&mut self, merged: &Merged<'a>) {
        let mut names: HashMap<String, Span> = HashMap::new();
        for (index, part) in merged.parts.iter().enumerate() {
            if self.is_sound(part) {
                self.unit_of_time(merged, part);
                self.instances_of(index, part, &mut names);
            }
        }
    }

    /// Reports what is wrong with a part whatever its table says.
    fn is_sound(&mut self, part: &MergedPart<'a>) -> bool {
        if part.file.is_none() {
            self.report(reports::part_without_file(part.name));
            return false;
        }
        let Some(case) = part.case else { return true };
        let cases = part.tables.iter().flat_map(|table| &table.cases);
        let names: Vec<&str> = cases.map(|case| &*case.name.value).collect();
        if names.contains(&&*case.value) {
            return true;
        }
        self.report(reports::no_case_of_part(case, part.name, &names));
        false
    }

    /// Warns of a part whose clock counts in another unit than the one it runs by.
    fn unit_of_time(&mut self, merged: &Merged<'a>, part: &MergedPart<'a>) {
        let inner = part.tables.iter().rev();
        let inner = inner.filter_map(|table| table.clock.as_ref());
        let outer = merged.clocks.iter().rev().copied();
        if let (Some(inner), Some(outer)) = (unit_of(inner), unit_of(outer))
            && inner.value != outer.value
        {
            self.report(reports::other_unit_of_time(part.name, &inner, &outer));
        }
    }

    fn instances_of(
        &mut self,
        index: usize,
        part: &MergedPart<'a>,
        names: &mut HashMap<String, Span>,
    ) {
        let case = part.case.map(|case| &*case.value);
        let Some(plain) = flatten(part.tables, case, &[]).map(Rc::new) else {
            return;
        };
        let Some(block) = self.block_of(part.name) else {
            return;
        };
        let n_nodes = plain.n_rows().saturating_mul(NODES);
        let n_nodes = n_nodes.saturating_mul(size(&block).max(1));
        self.n_nodes = self.n_nodes.saturating_add(n_nodes);
        if self.n_nodes > MAX_NODES {
            let asked: Vec<_> = self.values.asked().collect();
            let span = Some(part.name.span);
            let report = report::too_large(self.n_nodes, MAX_NODES, span, &asked);
            return self.report(report);
        }
        let begin = self.instances.len();
        let mut known: Vec<(Numbers, Rc<Flat>)> = vec![(Numbers::new(), plain.clone())];
        for element in self.declared(part.name) {
            let (name, env) = (element.name(), element.env);
            let mut numbers = self.numbers(part, &plain, &env);
            // What stands around this table may know better.
            let outer = self.numbers.iter().filter_map(|(full, value)| {
                let inner = full.strip_prefix(&name)?.strip_prefix('.')?;
                Some((inner.to_owned(), *value))
            });
            numbers.extend(outer);
            let flat = match known.iter().find(|(other, _)| *other == numbers) {
                Some((_, flat)) => flat.clone(),
                None => {
                    let Some(flat) = flatten(part.tables, case, &numbers).map(Rc::new) else {
                        let report = reports::part_of_no_shape(part.name, &numbers);
                        return self.report(report);
                    };
                    known.push((numbers, flat.clone()));
                    flat
                }
            };
            if let Some(first) = names.insert(name.clone(), part.name.span) {
                let report = reports::part_twice(&name, part.name.span, first);
                return self.report(report);
            }
            self.instances.push(Instance {
                name,
                part: index,
                env,
                flat,
            });
        }
        self.declare_names(part.name, &block, begin, &plain);
    }

    /// The elements of a part; one without indices has none.
    fn block_of(&mut self, name: &'a Name) -> Option<Block> {
        match &name.index {
            Some(_) => self.declared_block(name),
            None => Some(element(&name.value).map_or_else(Block::new, |(_, at)| {
                at.iter().map(|at| Extent::one(*at)).collect()
            })),
        }
    }

    /// The values that are given to constants which decide the shape of a part's table.
    fn numbers(&mut self, part: &MergedPart<'a>, plain: &Flat, env: &Env<'a>) -> Numbers {
        let mut numbers = Numbers::new();
        for setting in &part.set {
            let name = &setting.name.value;
            if let SettingValue::Expr(value) = &setting.value
                && plain.shape.iter().any(|(known, _)| known == name)
            {
                let value = self.values.value(value, env);
                numbers.extend(self.or_report(value).map(|value| (name.clone(), value)));
            }
        }
        numbers
    }

    /// Declares what the parts from `begin` on have, so that rows of this table can count over it.
    ///
    /// `plain`: the table of one of them, with the values of its own constants.
    fn declare_names(&mut self, name: &'a Name, block: &Block, begin: usize, plain: &Rc<Flat>) {
        let parts = self.instances[begin..].iter();
        let mut parts: Vec<(&str, &Rc<Flat>)> =
            parts.map(|part| (&*part.name, &part.flat)).collect();
        if parts.is_empty() {
            // Of no parts there are names, too: a sum over them is 0.
            parts.push((name.base(), plain));
        }
        let first = parts[0];
        let same = parts.iter().all(|(_, flat)| Rc::ptr_eq(flat, first.1));
        let mut found: Vec<(String, Family)> = Vec::new();
        let mut declare = |base: String, kind: Kind, blocks: Vec<Block>| {
            let family = Family {
                kind,
                span: name.span,
                blocks,
            };
            match found.iter_mut().find(|(known, _)| *known == base) {
                Some((_, known)) => known.blocks.extend(family.blocks),
                None => found.push((base, family)),
            }
        };
        let single = name.index.is_none();
        let open = match single {
            true => first.0.to_owned(),
            false => {
                let commas = ",".repeat(block.len().saturating_sub(1));
                format!("{}[{commas}]", name.base())
            }
        };
        let all = match same {
            true => &parts[..1],
            false => &parts[..],
        };
        for &(part, flat) in all {
            let own: Block = match (single, same) {
                (true, _) => Block::new(),
                (false, true) => block.clone(),
                (false, false) => element(part).map_or_else(Block::new, |(_, at)| {
                    at.iter().map(|at| Extent::one(*at)).collect()
                }),
            };
            for (base, family) in &flat.families {
                let blocks = family.blocks.iter().map(|inner| {
                    let both = own.iter().chain(inner);
                    both.copied().collect()
                });
                declare(format!("{open}.{base}"), family.kind, blocks.collect());
            }
            if !single {
                for (name, kind) in flat.names() {
                    declare(format!("{open}.{name}"), kind, vec![own.clone()]);
                }
            }
        }
        for (base, family) in found {
            self.families.by_name.insert(base.into(), family);
        }
        let events: Vec<String> = self.instances[begin..]
            .iter()
            .flat_map(|part| {
                let events = part.flat.table.situations.iter();
                let events = events.filter(|row| row.body.event);
                events.map(|row| format!("{}.{}", part.name, row.body.name.value))
            })
            .collect();
        self.events.extend(events.into_iter().map(Into::into));
    }

    /// The constants that decided the shapes of the parts.
    pub(super) fn shape_of_parts(&self) -> Numbers {
        let parts = self.instances.iter().flat_map(|part| {
            let shape = part.flat.shape.iter();
            shape.map(|(name, value)| (format!("{}.{name}", part.name), *value))
        });
        parts.collect()
    }

    /// True if a name is one of a part among many, as `r[9].T` is, and there are such parts, but not this one.
    pub(super) fn is_in_other_part(&self, name: &str) -> bool {
        let Some((part, _)) = name.split_once('.') else {
            return false;
        };
        let Some((base, _)) = element(part) else {
            return false;
        };
        let mut same = (self.instances.iter())
            .filter(|one| element(&one.name).is_some_and(|(other, _)| other == base))
            .peekable();
        same.peek().is_some() && same.all(|one| one.name != part)
    }

    /// The report of a name behind the indices of a part that leads nowhere.
    pub(super) fn lost_in_part(&self, name: &Name) -> Option<Diagnostic> {
        let index = name.index.as_deref()?;
        let (place, _) = open_brackets(&index.base).next()?;
        let part = &index.base[..place.start];
        let behind = index.base.get(place.end + 1..)?;
        let mut parts = self.instances.iter();
        let known = parts.find(|one| element(&one.name).is_some_and(|(base, _)| base == part));
        let Some(known) = known else {
            let names = self.instances.iter().map(|one| &*one.name);
            return Some(reports::no_part(part, name.span, names));
        };
        let families = known.flat.families.iter().map(|(name, _)| name.as_str());
        let names: Vec<_> = known.flat.names().collect();
        let names = names.iter().map(|(name, _)| &**name).chain(families);
        let indexed = name
            .value
            .strip_suffix(behind)
            .map(|part| part.trim_end_matches('.'));
        let part = indexed.unwrap_or(part);
        Some(reports::lost_name(part, behind, name.span, names))
    }
}

/// The unit that clocks state, the last one first.
fn unit_of<'c>(mut clocks: impl Iterator<Item = &'c Clock>) -> Option<Spanned<&'static str>> {
    clocks.find_map(|clock| {
        let mut settings = clock.settings.iter();
        settings.find_map(|(setting, entry)| match entry {
            ClockEntry::Word(unit) if setting.name == "unit" => Some(unit.clone()),
            _ => None,
        })
    })
}
