//! Names: one namespace over constants, reals, switches, ranges and situations.
//!
//! [`Scope::of`] collects the names of merged tables and reports what two things share;
//! [`Unknown`] collects the names that nothing declares, so that each is reported once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use indexmap::map::Entry as ScopeEntry;
use rustc_hash::FxBuildHasher;
use situ_engine::ids::{ConstantId, LookupId, RangeId, RealId, SituationId, SwitchId};
use situ_engine::model;
use situ_engine::procedure::ALL;

use super::merged::{Merged, MergedQuantity};
use super::report;
use super::symbol::{Declared, Symbol, UnknownName, Use};
use crate::diag::{Diagnostic, nearest, outside_of_family};
use crate::letters::skeleton;
use crate::source::{SourceMap, Span};
use crate::tree::{Block, Name, Table, place_in};

/// Meaning of an empty name: the reading of the text has reported it.
const UNREADABLE: Declared = Declared {
    symbol: Symbol::Unusable,
    span: None,
};

/// The names that rules may use.
///
/// In the order of the lists, so that names which stand near each other in a table are near each
/// other in memory: in a large table most of the time goes into looking them up.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    names: IndexMap<&'a str, Declared, FxBuildHasher>,
    /// Families of quantities by name. Elements have ids one after another, the last index fastest.
    families: HashMap<&'a str, FamilyName<'a>, FxBuildHasher>,
    /// True if a name could not be read.
    pub(super) has_unnamed: bool,
    /// True if a name has letters beyond ASCII.
    pub(super) has_letters_beyond_ascii: bool,
}

/// A family of constants or reals.
#[derive(Clone, Copy, Debug)]
struct FamilyName<'a> {
    /// Its first element.
    first: Symbol,
    /// From where to where its indices go.
    block: &'a Block,
    span: Span,
}

impl<'a> Scope<'a> {
    /// The names of a table, with reports on those that cannot be told apart or used.
    pub(super) fn of(merged: &Merged<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let n_names = merged.constants.len()
            + merged.reals.len()
            + merged.lookups.len()
            + merged.switches.len()
            + merged.ranges.len()
            + merged.situations.names.len();
        let mut scope = Self {
            names: IndexMap::with_capacity_and_hasher(n_names, FxBuildHasher),
            ..Self::default()
        };
        for (quantity, symbol) in quantities(merged) {
            match quantity
                .family
                .and_then(|family| family.elements.as_deref())
            {
                Some(elements) => {
                    scope.has_letters_beyond_ascii |= !elements.base.is_ascii();
                    let family = FamilyName {
                        first: symbol,
                        block: &elements.block,
                        span: quantity.name.span,
                    };
                    scope.families.insert(&elements.base, family);
                }
                None => scope.declare(quantity.name, symbol, diagnostics),
            }
        }
        for (name, symbol) in others(merged) {
            scope.declare(name, symbol, diagnostics);
        }
        scope
    }

    /// The names of a finished model.
    pub(super) fn of_symbols(symbols: impl IntoIterator<Item = (&'a str, Symbol)>) -> Self {
        let declared = |(name, symbol)| (name, Declared { symbol, span: None });
        Self {
            names: symbols.into_iter().map(declared).collect(),
            ..Self::default()
        }
    }

    /// True if some of the names are elements of a family.
    pub(super) fn has_elements_of(&self, base: &str) -> bool {
        let mut names = self.names.keys();
        self.families.contains_key(base)
            || names.any(|name| model::element(name).is_some_and(|(family, _)| family == base))
    }

    /// The first element of a family of quantities, and from where to where its indices go.
    pub(super) fn family(&self, base: &str) -> Option<(Symbol, &Block)> {
        let family = self.families.get(base)?;
        Some((family.first, family.block))
    }

    pub(super) fn get(&self, name: &str) -> Option<Declared> {
        if name.is_empty() {
            return Some(UNREADABLE);
        }
        self.names.get(name).copied().or_else(|| self.element(name))
    }

    /// The meaning of the name of an element.
    fn element(&self, name: &str) -> Option<Declared> {
        let (base, at) = model::element(name)?;
        let family = self.families.get(base)?;
        let place = place_in(family.block, &at)?;
        Some(Declared {
            symbol: family.first.element(place)?,
            span: Some(family.span),
        })
    }

    /// All names but those of elements of families of quantities.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    pub(super) fn is_constant(&self, name: &str) -> bool {
        matches!(
            self.get(name),
            Some(Declared {
                symbol: Symbol::Constant(_),
                ..
            })
        )
    }

    fn declare(&mut self, name: &'a Name, symbol: Symbol, diagnostics: &mut Vec<Diagnostic>) {
        if name.value.is_empty() {
            self.has_unnamed = true;
            return;
        }
        self.has_letters_beyond_ascii |= !name.value.is_ascii();
        match self.names.entry(&name.value) {
            ScopeEntry::Vacant(vacant) => {
                vacant.insert(Declared {
                    symbol,
                    span: Some(name.span),
                });
            }
            ScopeEntry::Occupied(mut occupied) => {
                let first = *occupied.get();
                let first_span = first.span.expect("names of tables have a place");
                diagnostics.push(report::name_clash(name, symbol, first_span, first.symbol));
                if !first.symbol.same_kind(symbol) {
                    occupied.get_mut().symbol = Symbol::Unusable;
                }
            }
        }
    }
}

/// Constants and reals with their meaning, of families that of the first element.
fn quantities<'m, 'a>(
    merged: &'m Merged<'a>,
) -> impl Iterator<Item = (&'m MergedQuantity<'a>, Symbol)> + Clone {
    fn numbered<'m, 'a>(
        list: &'m [MergedQuantity<'a>],
        symbol: fn(usize) -> Symbol,
    ) -> impl Iterator<Item = (&'m MergedQuantity<'a>, Symbol)> + Clone {
        list.iter().scan(0, move |next, one| {
            let first = *next;
            *next += one.n_elements();
            Some((one, symbol(first)))
        })
    }
    let constants = numbered(&merged.constants, |at| {
        Symbol::Constant(ConstantId::new(at))
    });
    constants.chain(numbered(&merged.reals, |at| Symbol::Real(RealId::new(at))))
}

/// The other names with what they stand for, in the order of the lists.
fn others<'a>(merged: &Merged<'a>) -> impl Iterator<Item = (&'a Name, Symbol)> + Clone {
    let lookups = merged.lookups.iter().enumerate();
    let switches = merged.switches.iter().enumerate();
    let ranges = merged.ranges.iter().enumerate();
    let situations = merged.situations.names.iter().enumerate();
    lookups
        .map(|(index, one)| (&one.name, Symbol::Lookup(LookupId::new(index))))
        .chain(switches.map(|(index, row)| (row.name, Symbol::Switch(SwitchId::new(index)))))
        .chain(
            ranges.map(|(index, entry)| (&entry.row.body.name, Symbol::Range(RangeId::new(index)))),
        )
        .chain(situations.map(|(index, name)| (*name, Symbol::Situation(SituationId::new(index)))))
        .chain(
            merged
                .invariants
                .iter()
                .map(|one| (&one.name, Symbol::Invariant)),
        )
}

/// Every name that is declared, with its place and what it stands for, in the order of the lists.
pub(super) fn symbols<'m, 'a>(
    merged: &'m Merged<'a>,
) -> impl Iterator<Item = (Cow<'a, str>, Span, Symbol)> + Clone + use<'m, 'a> {
    let quantities = quantities(merged).flat_map(|(one, symbol)| {
        let names = one.names().enumerate();
        names.filter_map(move |(place, name)| Some((name, one.name.span, symbol.element(place)?)))
    });
    let others = others(merged);
    quantities.chain(others.map(|(name, symbol)| (Cow::from(&*name.value), name.span, symbol)))
}

/// The words of rows that could not be read: what they declare is not known, so that a use of it is
/// no mistake.
pub(super) struct UnparsedRows<'s> {
    words: HashSet<&'s str>,
    /// True if one of them is a comparison without a name.
    nameless: bool,
}

impl<'s> UnparsedRows<'s> {
    pub(super) fn of(tables: &[Table], sources: &'s SourceMap) -> Self {
        let spans = tables.iter().flat_map(|table| &table.unread);
        let texts = spans.map(|span| sources.text(*span));
        Self {
            words: texts.clone().flat_map(words).collect(),
            nameless: texts
                .into_iter()
                .any(|row| row.contains(['<', '>']) && !row.contains([':', '='])),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True if one of them may declare the condition of a name that nothing declares.
    pub(super) fn may_define(&self, unknown: &UnknownName) -> bool {
        self.may_declare(&unknown.name) || self.nameless && unknown.role == Use::Condition
    }

    /// True if there are such rows and every word of the name stands in one; also true of a name that
    /// could not be read, which is empty.
    pub(super) fn may_declare(&self, name: &str) -> bool {
        name.is_empty() || (!self.is_empty() && words(name).all(|word| self.words.contains(word)))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.filter(|word| !word.is_empty())
}

/// Names that nothing declares, each with its first use.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    index: HashMap<String, usize>,
    names: Vec<UnknownName>,
}

impl Unknown {
    pub(super) fn add(&mut self, name: &str, span: Span, role: Use) {
        match self.index.get(name) {
            None => {
                self.index.insert(name.to_owned(), self.names.len());
                self.names.push(UnknownName {
                    name: name.to_owned(),
                    span,
                    role,
                    n_uses: 1,
                });
            }
            Some(&index) => {
                let known = &mut self.names[index];
                known.n_uses += 1;
                if role > known.role {
                    (known.role, known.span) = (role, span);
                }
            }
        }
    }

    pub(super) fn into_names(self) -> Vec<UnknownName> {
        self.names
    }
}

/// The known names nearest to unknown ones.
pub(super) struct Suggestions<'k> {
    known: Vec<(Cow<'k, str>, Symbol)>,
    /// Names that may still be looked at: many unknown names in a large table must not take long.
    budget: usize,
}

impl<'k> Suggestions<'k> {
    const BUDGET: usize = 1_000_000;

    pub(super) fn new(known: impl IntoIterator<Item = (Cow<'k, str>, Symbol)>) -> Self {
        Self {
            known: known.into_iter().collect(),
            budget: Self::BUDGET,
        }
    }

    /// What is said of an element of a family that has others.
    pub(super) fn outside(
        &self,
        unknown: &UnknownName,
        families: &[model::Family],
    ) -> Option<String> {
        let known = self.known.iter().map(|(known, _)| &**known);
        outside_of_family(&unknown.name, known, families)
    }

    /// The procedure that a name begins with, if its argument follows and a parenthesis behind that closes nothing.
    pub(super) fn runs_into(
        &self,
        unknown: &UnknownName,
        sources: &SourceMap,
    ) -> Option<&'static str> {
        let span = unknown.span;
        let name = unknown.name.as_str();
        if unknown.role != Use::Value || sources.text(span) != name {
            return None;
        }
        let text = sources.get(span.source).text.as_str();
        let before = text[..span.start as usize].rsplit('"').next()?;
        let behind = text[span.end as usize..].split('"').next()?;
        let count = |bracket| before.matches(bracket).count() + behind.matches(bracket).count();
        let closes_nothing = behind.contains(')') && count(')') > count('(');
        let is_value = |text: &str| {
            matches!(text, "time" | "pi")
                || text.parse::<f64>().is_ok()
                || self.known.iter().any(|(known, _)| *known == text)
        };
        let procedures = ALL.iter().map(|procedure| procedure.name);
        let mut runs_into =
            procedures.filter(|procedure| name.strip_prefix(procedure).is_some_and(is_value));
        runs_into.next().filter(|_| closes_nothing)
    }

    /// The nearest name of the right kind: one that looks the same, or else one spelt much the same.
    pub(super) fn nearest(&mut self, unknown: &UnknownName) -> Option<&str> {
        if self.budget == 0 {
            return None;
        }
        self.budget = self.budget.saturating_sub(self.known.len());
        let name = &*unknown.name;
        let fitting = self
            .known
            .iter()
            .filter(|(_, symbol)| unknown.role.fits(*symbol));
        let fitting = fitting.map(|(known, _)| &**known);
        let (look, n_letters) = (skeleton(name), name.chars().count());
        let looks_same = |known: &&str| {
            !(name.is_ascii() && known.is_ascii())
                && known.chars().count() == n_letters
                && skeleton(known) == look
        };
        fitting
            .clone()
            .find(looks_same)
            .or_else(|| nearest(name, fitting))
    }
}
