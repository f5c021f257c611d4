//! Twins: borders of a mode whose margins are proportional there, though the model does not write them alike: `x > 0.3`
//! and `max(x, -x) > 0.3`, or `a > 0.3` where a row makes `a` equal to x. They are reached and left together, and a
//! slide along one of them is one along all.
//!
//! Margins with affine forms are compared by these, all others by the operations that compute them.

use rustc_hash::FxHashMap;

use super::Margin;
use crate::lower::affine::NormalForm;
use crate::lower::border::BorderId;
use crate::tape::{Code, Op, Shape};

/// A border that is not alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Twin {
    pub(crate) border: BorderId,
    /// Number that it has in common with those like it.
    class: u32,
    /// True if its z grows where that of the first of them does.
    upright: bool,
}

/// The twins of a border in a list that is sorted by border, each with whether its z grows alike.
pub(crate) fn of(all: &[Twin], border: BorderId) -> impl Iterator<Item = (BorderId, bool)> {
    let at = all.binary_search_by_key(&border, |twin| twin.border);
    let own = at.ok().map(|at| all[at]);
    let like = all.iter().filter_map(move |twin| {
        let own = own?;
        let is_other = twin.class == own.class && twin.border != border;
        is_other.then_some((twin.border, twin.upright == own.upright))
    });
    like.take(if own.is_some() { all.len() } else { 0 })
}

/// What margins are compared by.
#[derive(PartialEq, Eq, Hash)]
enum Likeness {
    Form(NormalForm),
    /// Numbers of what is subtracted, the lesser first; or of the margin itself, twice.
    Values(u32, u32),
}

/// Finds the twins among margins, sorted by border.
///
/// `kinks`: for each branch the slot that it fills, and the border that chooses it. A margin that is computed from a
/// branch of its twin is proportional on one side only, as that of `abs(x) > 0` is beside `x > 0`: it is none.
pub(super) fn find(margins: &[Margin], ops: &[Op], kinks: &[(u32, BorderId)]) -> Vec<Twin> {
    let mut values = Values::default();
    let formless = margins.iter().filter(|margin| margin.form.is_none());
    if formless.count() > 1 {
        values.take_in(ops);
    }
    let mut first: FxHashMap<Likeness, Twin> = FxHashMap::default();
    let mut twins = Vec::new();
    for (class, margin) in (0..).zip(margins) {
        let (likeness, grows) = match &margin.form {
            _ if margin.knot.is_some() => continue,
            Some(_) if margin.moving.is_empty() => continue,
            Some(form) => {
                let (ray, factor) = form.ray();
                (Likeness::Form(ray.rounded()), factor > 0.0)
            }
            None => {
                let (a, b) = values.operands(margin.slot.0);
                (Likeness::Values(a.min(b), a.max(b)), a <= b)
            }
        };
        let own = Twin {
            border: margin.border,
            class,
            upright: margin.upright == grows,
        };
        let known = *first.entry(likeness).or_insert(own);
        if known.class != class {
            let class = known.class;
            twins.extend([known, Twin { class, ..own }]);
        }
    }
    twins.sort_unstable();
    twins.dedup();
    if !kinks.is_empty() && !twins.is_empty() {
        drop_bent(&mut twins, margins, ops, kinks);
    }
    twins
}

/// Takes out those that are computed from a branch that one like them chooses.
fn drop_bent(twins: &mut Vec<Twin>, margins: &[Margin], ops: &[Op], kinks: &[(u32, BorderId)]) {
    let computed: FxHashMap<u32, [u32; 2]> = ops.iter().map(|op| (op.out, [op.a, op.b])).collect();
    let chosen: FxHashMap<u32, BorderId> = kinks.iter().copied().collect();
    let slots: FxHashMap<BorderId, u32> = (margins.iter())
        .map(|margin| (margin.border, margin.slot.0))
        .collect();
    let like = twins.clone();
    twins.retain(|twin| {
        let is_like = |border: &BorderId| {
            let at = like.binary_search_by_key(border, |other| other.border);
            at.is_ok_and(|at| like[at].class == twin.class)
        };
        let (mut open, mut seen) = (vec![slots[&twin.border]], FxHashMap::default());
        while let Some(slot) = open.pop() {
            if seen.insert(slot, ()).is_some() {
                continue;
            }
            if chosen.get(&slot).is_some_and(is_like) {
                return false;
            }
            open.extend(computed.get(&slot).into_iter().flatten());
        }
        true
    });
}

/// Numbers of values: equal ones are computed alike.
#[derive(Default)]
struct Values {
    /// By slot; a slot that is not among them has its own number.
    numbers: FxHashMap<u32, u32>,
    /// By number, for differences, the numbers of both sides.
    differences: FxHashMap<u32, (u32, u32)>,
}

impl Values {
    fn of(&self, slot: u32) -> u32 {
        self.numbers.get(&slot).copied().unwrap_or(slot)
    }

    fn take_in(&mut self, ops: &[Op]) {
        let mut known: FxHashMap<(Code, u32, u32), u32> = FxHashMap::default();
        for op in ops {
            let (a, b) = (self.of(op.a), self.of(op.b));
            let number = match (op.code, op.code.shape()) {
                (Code::Copy, _) => a,
                (code, Shape::Unary | Shape::Binary) => {
                    *known.entry((code, a, b)).or_insert(op.out)
                }
                _ => op.out,
            };
            if op.code == Code::Sub {
                self.differences.insert(number, (a, b));
            }
            self.numbers.insert(op.out, number);
        }
    }

    /// What a slot is the difference of; itself and itself if it is none.
    fn operands(&self, slot: u32) -> (u32, u32) {
        let number = self.of(slot);
        let known = self.differences.get(&number).copied();
        known.unwrap_or((number, number))
    }
}
