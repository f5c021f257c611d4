//! Affine forms: which combination of reals and time a slot of a tape holds.
//!
//! Two comparisons whose sides differ by a proportional form have one border in common; a border
//! that is affine in time alone is known in advance.

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use crate::ids::RealId;
use crate::tape::{Code, Op, Slot};

/// `constant + per_time * time + sum of weight * real`.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Affine {
    /// The part that does not vary.
    pub(crate) constant: f64,
    /// Weight of the time.
    pub(crate) per_time: f64,
    /// Weights of reals, by id, none of them zero.
    pub(crate) terms: SmallVec<[(RealId, f64); 1]>,
}

/// An affine form up to a factor: the same for proportional forms.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct NormalForm {
    constant: u64,
    per_time: u64,
    terms: SmallVec<[(RealId, u64); 1]>,
}

impl NormalForm {
    /// True if no real is in it.
    pub(crate) fn is_of_time(&self) -> bool {
        self.terms.is_empty()
    }

    /// The form whose factor is 1.
    pub(crate) fn form(&self) -> Affine {
        let terms = self.terms.iter();
        Affine {
            constant: f64::from_bits(self.constant),
            per_time: f64::from_bits(self.per_time),
            terms: terms
                .map(|&(real, weight)| (real, f64::from_bits(weight)))
                .collect(),
        }
    }
}

/// Bits of a number that rounding may make different where it is computed in another order.
const ROUNDED: u64 = 1 << 6;

impl NormalForm {
    /// The form without the last bits of its numbers.
    pub(crate) fn rounded(mut self) -> Self {
        let round = |bits: &mut u64| *bits = (*bits + ROUNDED / 2) & !(ROUNDED - 1);
        round(&mut self.constant);
        round(&mut self.per_time);
        self.terms.iter_mut().for_each(|(_, weight)| round(weight));
        self
    }
}

impl Affine {
    pub(crate) fn number(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    pub(crate) fn real(id: RealId) -> Self {
        Self {
            terms: smallvec![(id, 1.0)],
            ..Self::default()
        }
    }

    pub(crate) fn time() -> Self {
        Self {
            per_time: 1.0,
            ..Self::default()
        }
    }

    /// True if it is a number.
    pub(crate) fn is_constant(&self) -> bool {
        self.per_time == 0.0 && self.terms.is_empty()
    }

    fn scaled(&self, factor: f64) -> Self {
        let mut form = self.clone();
        form.constant *= factor;
        form.per_time *= factor;
        for (_, weight) in &mut form.terms {
            *weight *= factor;
        }
        form.terms.retain(|(_, weight)| *weight != 0.0);
        form
    }

    /// `self + factor * other`.
    pub(crate) fn plus(&self, other: &Self, factor: f64) -> Self {
        let mut terms = SmallVec::with_capacity(self.terms.len() + other.terms.len());
        let mut own = self.terms.iter().copied().peekable();
        for &(id, weight) in &other.terms {
            terms.extend(std::iter::from_fn(|| {
                own.next_if(|(before, _)| *before < id)
            }));
            let before = own.next_if(|(same, _)| *same == id);
            let weight = factor * weight;
            terms.push((id, before.map_or(weight, |(_, own)| own + weight)));
        }
        terms.extend(own);
        terms.retain(|(_, weight)| *weight != 0.0);
        Self {
            constant: self.constant + factor * other.constant,
            per_time: self.per_time + factor * other.per_time,
            terms,
        }
    }

    /// The form up to a factor, and the factor: `self = factor * ray`.
    pub(crate) fn ray(&self) -> (NormalForm, f64) {
        let lead = match self.terms.first() {
            Some(&(_, weight)) => weight,
            None if self.per_time != 0.0 => self.per_time,
            None => 1.0,
        };
        // A negative zero would make two rays of one.
        let bits = |value: f64| (value / lead + 0.0).to_bits();
        let ray = NormalForm {
            constant: bits(self.constant),
            per_time: bits(self.per_time),
            terms: self
                .terms
                .iter()
                .map(|&(id, weight)| (id, bits(weight)))
                .collect(),
        };
        (ray, lead)
    }
}

/// The forms of the slots of a tape, as far as they are affine.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// By slot.
    forms: Vec<Option<Affine>>,
}

impl Forms {
    /// None yet, of so many slots.
    pub(crate) fn of_slots(n: usize) -> Self {
        Self {
            forms: vec![None; n],
        }
    }

    /// States what an input holds, or overrides what an op was found to compute.
    pub(crate) fn set(&mut self, slot: Slot, form: Affine) {
        self.put(slot.0, form);
    }

    fn put(&mut self, slot: u32, form: Affine) {
        let slot = slot as usize;
        if self.forms.len() <= slot {
            self.forms.resize(slot + 1, None);
        }
        self.forms[slot] = Some(form);
    }

    /// Discards the form found for a slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        if let Some(form) = self.forms.get_mut(slot as usize) {
            *form = None;
        }
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&Affine> {
        self.forms.get(slot as usize)?.as_ref()
    }

    /// Takes in the result of an op, unless it was stated.
    pub(crate) fn follow(&mut self, op: &Op) {
        if self.get(op.out).is_some() {
            return;
        }
        let (a, b) = (self.get(op.a), self.get(op.b));
        let form = match (op.code, a, b) {
            (Code::Copy, Some(a), _) => Some(a.clone()),
            (Code::Neg, Some(a), _) => Some(a.scaled(-1.0)),
            (Code::Add, Some(a), Some(b)) => Some(a.plus(b, 1.0)),
            (Code::Sub, Some(a), Some(b)) => Some(a.plus(b, -1.0)),
            (Code::Mul, Some(a), Some(b)) if a.is_constant() => Some(b.scaled(a.constant)),
            (Code::Mul, Some(a), Some(b)) if b.is_constant() => Some(a.scaled(b.constant)),
            (Code::Gate, Some(a), Some(b)) if b.is_constant() => Some(a.scaled(b.constant)),
            (Code::Div, Some(a), Some(b)) if b.is_constant() && b.constant != 0.0 => {
                Some(a.scaled(1.0 / b.constant))
            }
            _ => None,
        };
        if let Some(form) = form {
            self.put(op.out, form);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportional_forms_have_one_ray() {
        let (x, y) = (RealId(0), RealId(3));
        let form = Affine::real(x)
            .plus(&Affine::real(y), -2.0)
            .plus(&Affine::number(6.0), 1.0);
        let (ray, factor) = form.ray();
        let (other, negative) = form.scaled(-0.5).ray();
        assert_eq!((ray, factor), (other, -2.0 * negative));
        assert_eq!(form.plus(&form, -1.0), Affine::number(0.0));
        assert!(form.plus(&form, -1.0).is_constant());
    }
}
