//! Families in a table that is written out: declarations and rows stay one for all elements, and give each by itself.

mod counted;
mod terms;

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Block, Expr, ExprKind, Extent, Name, Quantity, element_name, size};
use crate::source::Span;

pub use counted::{Counted, Pattern};
pub(crate) use counted::{counter_values, number};
pub use terms::Terms;
pub(crate) use terms::{Combine, is_within_block, reduced};

/// The elements that a declaration with indices stands for.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The name of the family.
    pub(crate) base: String,
    /// From where to where the indices go.
    pub(crate) block: Block,
    /// Per index the counter that stands there; one that stands there twice leaves elements out, as in `E[i, i]`.
    pub(crate) counters: SmallVec<[Option<String>; 2]>,
    /// Starts that have no common form, one for each element.
    pub(crate) starts: Vec<Expr>,
    /// Pasts that have no common form, one for each element.
    pub(crate) pasts: Vec<Expr>,
    /// What is said of several of the elements; of two for one element the later one holds.
    narrower: Vec<Quantity>,
    /// Which of these have one value of an index, by that index and the value; the others stand under `None`.
    by_index: FxHashMap<Option<(usize, i64)>, Vec<usize>>,
    /// What is said of single elements, by their places; it holds before all else.
    single: FxHashMap<usize, Quantity>,
}

impl Elements {
    /// Elements of which nothing is said of its own.
    pub(crate) fn new(
        base: String,
        block: Block,
        counters: SmallVec<[Option<String>; 2]>,
    ) -> Box<Self> {
        Box::new(Self {
            base,
            block,
            counters,
            starts: Vec::new(),
            pasts: Vec::new(),
            narrower: Vec::new(),
            by_index: FxHashMap::default(),
            single: FxHashMap::default(),
        })
    }

    /// Adds what is said of some of them, the widest first.
    pub(crate) fn narrow(&mut self, quantity: Quantity) {
        let own = quantity.elements.as_deref();
        let Some(own) = own.filter(|own| own.is_single()) else {
            let block = own.map(|own| &own.block);
            let mut extents = block.into_iter().flatten().enumerate();
            let fixed = extents.find(|(_, extent)| extent.len() == 1);
            let key = fixed.map(|(index, extent)| (index, extent.from));
            self.by_index
                .entry(key)
                .or_default()
                .push(self.narrower.len());
            return self.narrower.push(quantity);
        };
        let at = own.indices(0);
        let Some(place) = self.place(&at) else {
            return;
        };
        let said = quantity.said_of(own, &at);
        let said = match self.single.remove(&place) {
            Some(before) => before.overridden_by(said),
            None => said,
        };
        self.single.insert(place, said);
    }

    /// What is said of several elements, with an element that may be one of these; the widest first.
    fn narrower_at(&self, at: &[i64]) -> impl Iterator<Item = &Quantity> {
        let keys = at.iter().copied().enumerate().map(Some);
        let keys = std::iter::once(None).chain(keys);
        let known = keys.filter_map(|key| self.by_index.get(&key));
        let mut known: SmallVec<[usize; 4]> = known.flatten().copied().collect();
        known.sort_unstable();
        known.into_iter().map(|number| &self.narrower[number])
    }

    /// True if it stands for one element that is written with numbers.
    pub(crate) fn is_single(&self) -> bool {
        let is_one = self.block.iter().all(|extent| extent.len() == 1);
        is_one && self.counters.iter().all(Option::is_none)
    }

    /// The place of the first element that lies in a block.
    pub(crate) fn first_within(&self, block: &Block) -> Option<usize> {
        let extents = self.block.iter().zip(block);
        let at = extents.map(|(own, other)| own.from.max(other.from));
        let mut at: SmallVec<[i64; 2]> = at.collect();
        for index in 0..at.len() {
            // Indices with one counter are the same.
            let same = |other: &usize| {
                self.counters[*other].is_some() && self.counters[*other] == self.counters[index]
            };
            let greatest = (0..at.len()).filter(same).map(|other| at[other]).max();
            at[index] = greatest.unwrap_or(at[index]);
        }
        let mut extents = at.iter().zip(block);
        let within = extents.all(|(at, extent)| (extent.from..=extent.to).contains(at));
        self.place(&at).filter(|_| within)
    }

    fn index_of(&self, counter: &str) -> Option<usize> {
        let mut counters = self.counters.iter();
        counters.position(|known| known.as_deref() == Some(counter))
    }

    /// The extents of the indices that no earlier one gives.
    fn free(&self) -> impl Iterator<Item = (usize, Extent)> {
        let extents = self.block.iter().copied().enumerate();
        extents.filter(|(at, _)| match &self.counters[*at] {
            Some(counter) => self.index_of(counter) == Some(*at),
            None => true,
        })
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        let free: Block = self.free().map(|(_, extent)| extent).collect();
        usize::try_from(size(&free)).unwrap_or(0)
    }

    /// The indices of an element by its place, the last index fastest.
    pub(crate) fn indices(&self, place: usize) -> SmallVec<[i64; 2]> {
        let mut at: SmallVec<[i64; 2]> = SmallVec::from_elem(0, self.block.len());
        let free: SmallVec<[(usize, Extent); 2]> = self.free().collect();
        let mut rest = place as u64;
        for (index, extent) in free.into_iter().rev() {
            at[index] = extent.from + (rest % extent.len()) as i64;
            rest /= extent.len();
        }
        for index in 0..at.len() {
            if let Some(counter) = &self.counters[index] {
                at[index] = at[self.index_of(counter).unwrap_or(index)];
            }
        }
        at
    }

    /// The place of an element; `None` if this does not stand for it.
    pub(crate) fn place(&self, at: &[i64]) -> Option<usize> {
        let mut place = 0;
        for (index, extent) in self.free() {
            let within = (extent.from..=extent.to).contains(&at[index]);
            let from_first = usize::try_from(at[index] - extent.from).ok();
            place = place * usize::try_from(extent.len()).ok()? + from_first.filter(|_| within)?;
        }
        let repeats = |(index, counter): (usize, &Option<String>)| {
            let first = counter.as_deref().and_then(|name| self.index_of(name));
            first.is_none_or(|first| at[first] == at[index])
        };
        self.counters
            .iter()
            .enumerate()
            .all(repeats)
            .then_some(place)
    }

    /// The name of an element by its place.
    pub(crate) fn name(&self, place: usize) -> String {
        element_name(&self.base, &self.indices(place))
    }

    /// An expression of an element, of those that have a common form or of those that have none.
    fn expr(&self, common: Option<&Expr>, each: &[Expr], at: &[i64]) -> Option<Expr> {
        let Some(common) = common else {
            return each.get(self.place(at)?).cloned();
        };
        let kind = match &common.kind {
            ExprKind::Counted(counted) => {
                let value = |counter: &String| self.index_of(counter).map_or(0, |index| at[index]);
                let pattern = counted.pattern();
                ExprKind::Counted(Counted::new(
                    counted.shared(),
                    pattern.counters().iter().map(value),
                )?)
            }
            other => other.clone(),
        };
        let span = common.span;
        Some(Expr { span, kind })
    }
}

impl Quantity {
    /// Number of quantities of the model that this declares.
    pub(crate) fn n_elements(&self) -> usize {
        self.elements.as_ref().map_or(1, |elements| elements.len())
    }

    /// The name of an element by its place.
    pub(crate) fn name_at(&self, place: usize) -> Cow<'_, str> {
        match &self.elements {
            Some(elements) => Cow::Owned(elements.name(place)),
            None => Cow::Borrowed(&self.name.value),
        }
    }

    /// An element by its place, with all that is said of it.
    pub(crate) fn element(&self, place: usize) -> Cow<'_, Quantity> {
        let Some(elements) = &self.elements else {
            return Cow::Borrowed(self);
        };
        let at = elements.indices(place);
        let mut element = self.said_of(elements, &at);
        element.name = Name::new(element_name(&elements.base, &at), self.name.span);
        for narrower in elements.narrower_at(&at) {
            let own = narrower.elements.as_deref();
            if let Some(own) = own.filter(|own| own.place(&at).is_some()) {
                element = element.overridden_by(narrower.said_of(own, &at));
            }
        }
        if let Some(single) = elements.single.get(&place) {
            element = element.overridden_by(single.clone());
        }
        Cow::Owned(element)
    }

    /// An element of which a narrower entry says more.
    fn overridden_by(self, narrower: Quantity) -> Quantity {
        Quantity {
            span: narrower.span,
            start: narrower.start.or(self.start),
            before: narrower.before.or(self.before),
            unit: narrower.unit.or(self.unit),
            about: narrower.about.or(self.about),
            output: narrower.output.or(self.output),
            nominal: narrower.nominal.or(self.nominal),
            ..self
        }
    }

    /// What this alone says of an element.
    fn said_of(&self, elements: &Elements, at: &[i64]) -> Quantity {
        let before = elements.expr(self.before.as_deref(), &elements.pasts, at);
        Quantity {
            name: Name::new(String::new(), self.name.span),
            start: elements.expr(self.start.as_ref(), &elements.starts, at),
            before: before.map(Box::new),
            unit: self.unit.clone(),
            about: self.about.clone(),
            output: self.output.clone(),
            nominal: self.nominal.clone(),
            range: self.range.clone(),
            elements: None,
            ..*self
        }
    }

    /// The elements, one after another.
    pub(crate) fn each_element(&self) -> impl Iterator<Item = Cow<'_, Quantity>> {
        (0..self.n_elements()).map(|place| self.element(place))
    }
}

/// The right side of a row with a single target for all elements of a family.
#[derive(Clone, Debug)]
pub struct FamilyRow {
    /// Place of the expression.
    pub(crate) span: Span,
    /// The expression of the first element.
    pub(crate) first: Counted,
    /// The counters of the row.
    pub(crate) counters: Vec<String>,
    /// From where to where they go.
    pub(crate) block: Block,
    /// True if all elements read before one of them stores.
    pub(crate) joint: bool,
}

impl FamilyRow {
    /// The expression with its counters.
    pub fn expr(&self) -> &Expr {
        self.first.pattern().expr()
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(size(&self.block)).unwrap_or(0)
    }

    /// The expression for values of the counters of the row.
    pub(crate) fn counted(&self, at: &[i64]) -> Option<Counted> {
        let pattern = self.first.shared();
        let value = |counter: &String| {
            let place = self.counters.iter().position(|known| known == counter);
            place.map_or(0, |place| at[place])
        };
        let values: SmallVec<[i64; 2]> = pattern.counters().iter().map(value).collect();
        Counted::new(pattern, values)
    }

    /// The name of an element of the target.
    pub(crate) fn target(&self, target: &Name, at: &[i64]) -> String {
        let Some(index) = &target.index else {
            return target.value.clone();
        };
        let value = |counter: &str| {
            let place = self.counters.iter().position(|known| known == counter)?;
            Some(at[place])
        };
        index.element_name(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(extents: &[(i64, i64)], counters: &[Option<&str>]) -> Box<Elements> {
        let block = extents.iter().map(|&(from, to)| Extent { from, to });
        let counters = counters.iter().map(|name| name.map(str::to_owned));
        Elements::new("u".to_owned(), block.collect(), counters.collect())
    }

    #[test]
    fn places_and_indices_belong_together() {
        let grid = elements(&[(-1, 1), (4, 7)], &[Some("i"), None]);
        assert_eq!(grid.len(), 12);
        let names = (0..3).map(|place| grid.name(place));
        assert_eq!(names.collect::<Vec<_>>(), ["u[-1,4]", "u[-1,5]", "u[-1,6]"]);
        for place in 0..grid.len() {
            assert_eq!(grid.place(&grid.indices(place)), Some(place));
        }
        for at in [[-2, 4], [0, 3], [1, 8]] {
            assert_eq!(grid.place(&at), None, "{at:?}");
        }
        assert_eq!(elements(&[(1, 0)], &[Some("i")]).len(), 0);
    }

    #[test]
    fn a_counter_that_stands_twice_leaves_elements_out() {
        let diagonal = elements(
            &[(1, 3), (0, 1), (1, 3)],
            &[Some("i"), Some("k"), Some("i")],
        );
        assert_eq!(diagonal.len(), 6);
        let names = (0..6).map(|place| diagonal.name(place));
        let expected = [
            "u[1,0,1]", "u[1,1,1]", "u[2,0,2]", "u[2,1,2]", "u[3,0,3]", "u[3,1,3]",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(diagonal.place(&[2, 1, 2]), Some(3));
        assert_eq!(diagonal.place(&[2, 1, 3]), None);
    }

    /// Of entries for some of the elements the narrowest holds, in whatever index it is narrow.
    #[test]
    fn elements_have_what_is_said_of_them_alone() {
        let span = Span::new(crate::source::SourceId(0), 0, 0);
        let said = |elements: Box<Elements>, start: f64| {
            let kind = ExprKind::Number(start);
            let name = Name::new("u".to_owned(), span);
            Quantity {
                elements: Some(elements),
                ..Quantity::new(name, span, Some(Expr { span, kind }))
            }
        };
        let mut family = elements(&[(1, 3), (1, 3)], &[Some("i"), Some("k")]);
        for (own, start) in [
            (elements(&[(1, 2), (1, 3)], &[None, Some("k")]), 1.0),
            (elements(&[(2, 2), (1, 3)], &[None, Some("k")]), 2.0),
            (elements(&[(1, 3), (3, 3)], &[Some("i"), None]), 3.0),
            (elements(&[(2, 2), (2, 2)], &[None, None]), 4.0),
        ] {
            family.narrow(said(own, start));
        }
        let starts = said(family, 0.0);
        let starts = starts.each_element().map(|one| match one.start {
            Some(Expr {
                kind: ExprKind::Number(value),
                ..
            }) => value,
            _ => f64::NAN,
        });
        let expected = [1.0, 1.0, 3.0, 2.0, 4.0, 3.0, 0.0, 0.0, 3.0];
        assert_eq!(starts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_first_element_of_a_block_is_found() {
        let grid = elements(&[(1, 4), (1, 4)], &[Some("i"), Some("k")]);
        let block = |extents: [(i64, i64); 2]| -> Block {
            let extents = extents.iter().map(|&(from, to)| Extent { from, to });
            extents.collect()
        };
        assert_eq!(grid.first_within(&block([(3, 9), (0, 9)])), Some(8));
        assert_eq!(grid.first_within(&block([(5, 9), (0, 9)])), None);
        let diagonal = elements(&[(1, 4), (1, 4)], &[Some("i"), Some("i")]);
        assert_eq!(diagonal.first_within(&block([(1, 4), (3, 4)])), Some(2));
        assert_eq!(diagonal.first_within(&block([(1, 2), (3, 4)])), None);
    }
}
