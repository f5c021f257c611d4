//! Sums of unknowns with factors, and a number.

use situ_engine::ids::{ConstantId, RealId};
use smallvec::SmallVec;

/// Unknown that a quantity is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::check) enum Unknown {
    /// A real.
    Real(RealId),
    /// A constant whose value is not known.
    Constant(ConstantId),
    /// `time`
    Time,
    /// An expression that is not linear, by its number.
    Opaque(u32),
}

/// `factor * unknown + ...`, sorted by unknown.
pub(in crate::check) type Terms = SmallVec<[(Unknown, f64); 2]>;

/// `terms + constant`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Linear {
    pub(super) terms: Terms,
    pub(super) constant: f64,
}

/// Key of equal quantities: their terms, bit for bit.
pub(super) type TermsKey = SmallVec<[(Unknown, u64); 2]>;

impl Linear {
    pub(super) fn number(constant: f64) -> Self {
        Self {
            terms: Terms::new(),
            constant,
        }
    }

    pub(super) fn unknown(unknown: Unknown) -> Self {
        Self {
            terms: SmallVec::from_elem((unknown, 1.0), 1),
            constant: 0.0,
        }
    }

    pub(super) fn map(mut self, f: impl Fn(f64) -> f64) -> Self {
        for (_, factor) in &mut self.terms {
            *factor = f(*factor);
        }
        self.constant = f(self.constant);
        self
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut terms = Terms::new();
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let term = match (left.peek(), right.peek()) {
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x + y)
                }
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    left.next();
                    (a, x)
                }
                (Some(&&term), None) => {
                    left.next();
                    term
                }
                (_, Some(&&term)) => {
                    right.next();
                    term
                }
                (None, None) => break,
            };
            if term.1 != 0.0 {
                terms.push(term);
            }
        }
        Self {
            terms,
            constant: self.constant + other.constant,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.constant.is_finite() && self.terms.iter().all(|(_, factor)| factor.is_finite())
    }
}

/// Key of the quantity with these terms.
pub(super) fn key(terms: &Terms) -> TermsKey {
    terms
        .iter()
        .map(|&(unknown, factor)| (unknown, factor.to_bits()))
        .collect()
}
