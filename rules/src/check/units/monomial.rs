//! Monomials: products of powers of base units, with a scale.

use std::collections::BTreeMap;

/// The unit of angles among the base units.
pub(super) const ANGLE: &str = "rad";

/// What a monomial is a power of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Atom {
    /// A base unit of the SI by its symbol; angles have one of their own, `rad`.
    Base(&'static str),
    /// A symbol that is not known; it agrees with itself only.
    Own(String),
    /// The unit of a quantity for which none is stated, by the quantity's number.
    Unknown(usize),
}

/// A product of powers with a scale: the unit of a quantity as far as it is known.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Monomial {
    /// Exponents; none is 0.
    pub(super) powers: BTreeMap<Atom, f64>,
    /// Natural logarithm of the scale: 1 of this unit is `exp(log)` of the product of the base units.
    pub(super) log: f64,
}

/// Exponents that differ by less are equal: they are quotients of small numbers.
const SAME_POWER: f64 = 1e-9;

impl Monomial {
    /// One of an atom.
    pub(super) fn atom(atom: Atom) -> Self {
        Self {
            powers: BTreeMap::from([(atom, 1.0)]),
            log: 0.0,
        }
    }

    /// Without a dimension, so many times 1.
    pub(super) fn scale(factor: f64) -> Self {
        Self {
            powers: BTreeMap::new(),
            log: factor.ln(),
        }
    }

    /// `self * other ^ power`
    pub(super) fn times(&self, other: &Self, power: f64) -> Self {
        let mut product = self.clone();
        for (atom, exponent) in &other.powers {
            let sum = product.powers.get(atom).unwrap_or(&0.0) + exponent * power;
            if sum.abs() < SAME_POWER {
                product.powers.remove(atom);
            } else {
                product.powers.insert(atom.clone(), sum);
            }
        }
        product.log += other.log * power;
        product
    }

    /// `self ^ power`
    pub(super) fn to_the(&self, power: f64) -> Self {
        Self::default().times(self, power)
    }

    /// True if it is the same unit as another one, up to rounding.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let quotient = self.times(other, -1.0);
        quotient.powers.is_empty() && quotient.log.abs() < 1e-12
    }

    /// The power of the unit of angles.
    pub(super) fn angle(&self) -> f64 {
        let power = self.powers.get(&Atom::Base(ANGLE));
        power.copied().unwrap_or(0.0)
    }

    /// Without what is known to be 1: a radian.
    pub(super) fn without_angles(mut self) -> Self {
        self.powers.remove(&Atom::Base(ANGLE));
        self
    }
}
