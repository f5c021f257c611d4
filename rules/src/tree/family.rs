//! What counts: indices of names, counters, and reductions over them.

use smallvec::SmallVec;

use super::{Condition, Expr};
use crate::source::Span;

/// A name as written, normalised to NFC; empty if it could not be read, which is already reported.
///
/// An element whose indices are numbers is a name like any other, `u[3]`. Other indices stand beside
/// the name until the table is expanded.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name; with its indices, `u[j + 1]`, if it has some.
    pub value: String,
    /// Its place.
    pub span: Span,
    /// Its indices, unless all of them are numbers.
    pub index: Option<Box<Index>>,
}

impl Name {
    /// A name at a place, without indices.
    pub fn new(value: String, span: Span) -> Self {
        Self {
            value,
            span,
            index: None,
        }
    }

    /// The name without its indices.
    pub fn base(&self) -> &str {
        match &self.index {
            Some(index) => &index.base,
            None => &self.value,
        }
    }
}

/// The indices of a name.
#[derive(Clone, Debug)]
pub struct Index {
    /// The name before them. Of what stands in a part that has indices, the whole name with empty brackets in their
    /// place: `cell[].T`, `grid[,].u` before the last ones.
    pub base: String,
    /// The indices, at least one.
    pub items: Vec<IndexItem>,
}

/// One index.
#[derive(Clone, Debug)]
pub enum IndexItem {
    /// `j + 1`
    At(Expr),
    /// `0 .. N + 1`, where a family is declared.
    Range(Expr, Expr),
}

/// `"j": "1 .. N"`.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
}

/// How a row counts.
#[derive(Clone, Debug, Default)]
pub struct Each {
    /// `for j in 2 .. N - 1`: counters with a narrower range.
    pub over: Vec<Over>,
    /// Place of `one after another`.
    pub one_after_another: Option<Span>,
}

/// A counter in a `for`.
#[derive(Clone, Debug)]
pub struct Over {
    /// Its name.
    pub counter: Name,
    /// First and last value; those of the counter if left out.
    pub range: Option<(Expr, Expr)>,
}

/// `sum(w[i, k] for k when fire[k])`.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// What becomes of the elements.
    pub kind: ReductionKind,
    /// Place of its word.
    pub word: Span,
    /// An element: a value or a truth value.
    pub body: Expr,
    /// The counters.
    pub over: Vec<Over>,
    /// Elements that count; all if left out.
    pub when: Option<Condition>,
}

/// What a reduction makes of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReductionKind {
    /// Their sum.
    Sum,
    /// Their arithmetic mean.
    Mean,
    /// The least of them.
    Min,
    /// The greatest of them.
    Max,
    /// How many are true.
    Number,
    /// True if one of them is.
    Any,
    /// True if all of them are.
    All,
}

impl ReductionKind {
    /// All of them.
    pub const ALL: [ReductionKind; 7] = [
        Self::Sum,
        Self::Mean,
        Self::Min,
        Self::Max,
        Self::Number,
        Self::Any,
        Self::All,
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::Number => "number",
            Self::Any => "any",
            Self::All => "all",
        }
    }

    /// The kind of this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// True if it gives a truth value.
    pub fn is_condition(self) -> bool {
        matches!(self, Self::Any | Self::All)
    }
}

/// Whole numbers from the first to the last one; none if the last lies below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Extent {
    pub(crate) fn one(at: i64) -> Self {
        Self { from: at, to: at }
    }

    pub(crate) fn len(self) -> u64 {
        u64::try_from(self.to.saturating_sub(self.from).saturating_add(1)).unwrap_or(0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.to < self.from
    }

    pub(crate) fn shifted(self, by: i64) -> Self {
        Self {
            from: self.from.saturating_add(by),
            to: self.to.saturating_add(by),
        }
    }
}

/// An extent for each index.
pub(crate) type Block = SmallVec<[Extent; 2]>;

/// Number of elements; saturates.
pub(crate) fn size(block: &Block) -> u64 {
    block
        .iter()
        .fold(1, |size: u64, extent| size.saturating_mul(extent.len()))
}

/// Calls `each` with every element of a block, the last index fastest.
pub(crate) fn each_element(block: &Block, mut each: impl FnMut(&[i64])) {
    if size(block) == 0 {
        return;
    }
    let mut at: SmallVec<[i64; 2]> = block.iter().map(|extent| extent.from).collect();
    loop {
        each(&at);
        if !next_element(block, &mut at) {
            return;
        }
    }
}

/// Goes on to the next element of a block; false behind the last one.
pub(crate) fn next_element(block: &Block, at: &mut [i64]) -> bool {
    for (at, extent) in at.iter_mut().zip(block).rev() {
        if *at < extent.to {
            *at += 1;
            return true;
        }
        *at = extent.from;
    }
    false
}

/// The place of an element among those of a block; `None` if it lies outside.
pub(crate) fn place_in(block: &Block, at: &[i64]) -> Option<usize> {
    let mut place = 0;
    for (at, extent) in at.iter().zip(block) {
        let within = (extent.from..=extent.to).contains(at);
        let from_first = usize::try_from(at - extent.from).ok().filter(|_| within)?;
        place = place * usize::try_from(extent.len()).ok()? + from_first;
    }
    Some(place)
}

/// The brackets without indices in a name, from the first on: from where to where they go in it, and for how many
/// indices they stand.
///
/// ```text
/// grid[,].u     4 .. 7, two indices
/// ```
pub(crate) fn open_brackets(base: &str) -> impl Iterator<Item = (std::ops::Range<usize>, usize)> {
    base.match_indices('[').filter_map(|(at, _)| {
        let inside = base[at + 1..].split(']').next()?;
        let is_open = inside.bytes().all(|byte| byte == b',');
        is_open.then(|| (at..at + inside.len() + 2, inside.len() + 1))
    })
}

/// The name of an element: the indices stand in the empty brackets of the name, those left over behind it.
///
/// ```text
/// u, [3]              u[3]
/// cell[].u, [3, 4]    cell[3].u[4]
/// ```
pub(crate) fn element_name(base: &str, indices: &[i64]) -> String {
    let (mut name, mut done, mut rest) = (String::new(), 0, indices);
    for (place, n) in open_brackets(base) {
        let (here, behind) = rest.split_at(n.min(rest.len()));
        name.push_str(&base[done..place.start]);
        name = situ_engine::model::element_name(&name, here);
        (done, rest) = (place.end, behind);
    }
    name.push_str(&base[done..]);
    match rest.is_empty() {
        true => name,
        false => situ_engine::model::element_name(&name, rest),
    }
}

/// The name of a family and the indices of an element: the reverse of [`element_name`]; `None` if a name has none.
pub(crate) fn open_name(name: &str) -> Option<(String, SmallVec<[i64; 2]>)> {
    let (mut base, mut indices, mut rest) = (String::new(), SmallVec::new(), name);
    while let Some((before, behind)) = rest.split_once('[') {
        let (inside, after) = behind.split_once(']')?;
        let first = indices.len();
        for index in inside.split(',') {
            indices.push(index.parse().ok()?);
        }
        base.push_str(before);
        if !after.is_empty() {
            base.push('[');
            base.extend(std::iter::repeat_n(',', indices.len() - first - 1));
            base.push(']');
        }
        rest = after;
    }
    base.push_str(rest);
    (!indices.is_empty()).then_some((base, indices))
}

#[cfg(test)]
mod tests {
    use super::{element_name, open_name};

    #[test]
    fn names_of_elements_are_taken_apart() {
        for (name, base, indices) in [
            ("u[3]", "u", &[3][..]),
            ("c[2,-5]", "c", &[2, -5]),
            ("cell[3].T", "cell[].T", &[3]),
            ("grid[1,2].u[4]", "grid[,].u", &[1, 2, 4]),
        ] {
            let (found, at) = open_name(name).expect(name);
            assert_eq!((found.as_str(), &at[..]), (base, indices));
            assert_eq!(element_name(&found, &at), name);
        }
        for name in ["u", "u[j]", "u[3", "u[]", "u]3["] {
            assert_eq!(open_name(name), None, "{name}");
        }
    }
}
