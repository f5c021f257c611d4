//! Agreement of units: equations between monomials, solved for the units that are not stated.
//!
//! Units form a vector space over the exponents, so that what follows from an equation is found by elimination
//! (A. Kennedy, Types for units-of-measure, 2010): an equation with an unknown in it says what that unknown is in terms
//! of the others, one without any holds or is a mismatch.

use std::cell::RefCell;

use super::monomial::{Atom, Monomial};
use super::temperature;

/// How two units disagree.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Mismatch {
    /// They measure different things; the quotient.
    Dimension(Monomial),
    /// They measure the same in steps of another size: 1 of the first is so many of the second.
    Scale(f64),
    /// They are scales of temperature with other zeros.
    Zero(temperature::Scale, temperature::Scale),
    /// Something is proportional to a temperature that is on a scale with another zero than the absolute one: the
    /// temperature by its number.
    Offset(usize),
}

impl Mismatch {
    /// The code of its report.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Dimension(_) => "C060",
            Self::Scale(_) | Self::Zero(..) | Self::Offset(_) => "C061",
        }
    }
}

/// Scales that differ by less are equal: symbols have some ten digits.
const SAME_SCALE: f64 = 1e-8;

/// Units of quantities for which none is stated, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknowns {
    /// What each unknown is, in terms of those that were not solved then. Whatever is looked up is written down with what
    /// is known now, so that long chains of equations are gone along once.
    solved: RefCell<Vec<Option<Monomial>>>,
    /// The row that each was solved by.
    by: Vec<Option<usize>>,
    /// The one that has no dimension: how many seconds the unit of time is. No equation solves it: all
    /// that depend on it are heard first.
    scale: Option<usize>,
}

/// What an equation asks of the unit of time, of which alone it depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfTime {
    /// The logarithm of the quotient of both sides where the time is in seconds.
    pub(super) log: f64,
    /// The power of the unit of time in the quotient.
    pub(super) power: f64,
}

impl OfTime {
    /// How both sides differ if the unit of time is so many seconds, by the logarithm of that.
    pub(super) fn mismatch(self, seconds: f64) -> Option<Mismatch> {
        let log = self.log + self.power * seconds;
        (log.abs() > SAME_SCALE).then(|| Mismatch::Scale(log.exp()))
    }
}

impl Unknowns {
    /// Another unknown.
    pub(super) fn push(&mut self) -> Monomial {
        self.by.push(None);
        self.solved.get_mut().push(None);
        Monomial::atom(Atom::Unknown(self.by.len() - 1))
    }

    /// The unknown that has no dimension.
    pub(super) fn push_scale(&mut self) -> Monomial {
        self.scale = Some(self.by.len());
        self.push()
    }

    /// A monomial with what is known put in.
    pub(super) fn resolve(&self, unit: &Monomial) -> Monomial {
        let mut solved = self.solved.borrow_mut();
        let mut open = solved_in(unit, &solved);
        // No unknown is solved by itself, over any number of equations, so that this ends.
        while let Some(&number) = open.last() {
            let known = solved[number].as_ref().expect("what is open is solved");
            let inner = solved_in(known, &solved);
            let before = open.len();
            open.extend(inner.iter().filter(|&&inner| {
                let known = solved[inner].as_ref();
                known.is_some_and(|known| !solved_in(known, &solved).is_empty())
            }));
            if open.len() == before {
                solved[number] = Some(with_known(known, &inner, &solved));
                open.pop();
            }
        }
        with_known(unit, &solved_in(unit, &solved), &solved)
    }

    /// True if nothing in it is unknown.
    pub(super) fn is_known(&self, unit: &Monomial) -> bool {
        let resolved = self.resolve(unit);
        let mut atoms = resolved.powers.keys();
        atoms.all(|atom| !matches!(atom, Atom::Unknown(_)))
    }

    /// The row that decided on an unknown.
    pub(super) fn solved_by(&self, number: usize) -> Option<usize> {
        self.by[number]
    }

    /// States that two units are one, in a row with this number.
    ///
    /// # Errors
    ///
    /// They cannot be.
    pub(super) fn equate(
        &mut self,
        left: &Monomial,
        right: &Monomial,
        row: usize,
    ) -> Result<(), Mismatch> {
        let quotient = self.resolve(left).times(&self.resolve(right), -1.0);
        // A symbol that nobody knows is remarked upon where it stands.
        if quotient
            .powers
            .keys()
            .any(|atom| matches!(atom, Atom::Own(_)))
        {
            return Ok(());
        }
        let unknowns = quotient.powers.iter().rev().filter_map(|(atom, power)| {
            let Atom::Unknown(number) = atom else {
                return None;
            };
            Some((*number, *power))
        });
        let mut unknowns = unknowns.filter(|(number, _)| self.scale != Some(*number));
        if let Some((number, power)) = unknowns.next() {
            let mut rest = quotient;
            rest.powers.remove(&Atom::Unknown(number));
            self.solve(number, rest.to_the(-1.0 / power), row);
            return Ok(());
        }
        let quotient = quotient.without_angles();
        if !quotient.powers.is_empty() {
            return Err(Mismatch::Dimension(quotient));
        }
        if quotient.log.abs() > SAME_SCALE {
            return Err(Mismatch::Scale(quotient.log.exp()));
        }
        Ok(())
    }

    /// What an equation asks of the unit of time; `None` if that is known, or something else in it is not.
    pub(super) fn of_time(&self, left: &Monomial, right: &Monomial) -> Option<OfTime> {
        let scale = Atom::Unknown(self.scale?);
        let quotient = self.resolve(left).times(&self.resolve(right), -1.0);
        let quotient = quotient.without_angles();
        let power = *quotient.powers.get(&scale)?;
        (quotient.powers.len() == 1).then_some(OfTime {
            log: quotient.log,
            power,
        })
    }

    /// True if the unit of time is not stated and was not decided on.
    pub(super) fn is_time_open(&self) -> bool {
        let solved = self.solved.borrow();
        self.scale.is_some_and(|scale| solved[scale].is_none())
    }

    /// Decides on the unit of time, with the row that asks for it, if one does.
    pub(super) fn decide_time(&mut self, seconds: Monomial, by: Option<usize>) {
        if let Some(scale) = self.scale {
            self.solved.get_mut()[scale] = Some(seconds);
            self.by[scale] = by;
        }
    }

    fn solve(&mut self, number: usize, unit: Monomial, row: usize) {
        self.solved.get_mut()[number] = Some(unit);
        self.by[number] = Some(row);
    }
}

/// The unknowns in a monomial that are solved.
fn solved_in(unit: &Monomial, solved: &[Option<Monomial>]) -> Vec<usize> {
    let unknowns = unit.powers.keys().filter_map(|atom| match atom {
        Atom::Unknown(number) => Some(*number),
        Atom::Base(_) | Atom::Own(_) => None,
    });
    let solved = unknowns.filter(|&number| solved[number].is_some());
    solved.collect()
}

/// A monomial with some of its unknowns replaced by what they are.
fn with_known(unit: &Monomial, known: &[usize], solved: &[Option<Monomial>]) -> Monomial {
    known.iter().fold(unit.clone(), |mut unit, &number| {
        let power = unit.powers.remove(&Atom::Unknown(number));
        match (power, &solved[number]) {
            (Some(power), Some(known)) => unit.times(known, power),
            _ => unit,
        }
    })
}

/// A row that asks for a unit of the time.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) row: usize,
    pub(super) of_time: OfTime,
    /// Both sides of its equation.
    pub(super) sides: [Monomial; 2],
    /// The number in front, which may be the factor between two units.
    pub(super) factor: Option<f64>,
    /// True of a number that is summed up, which can be in any unit: it counts where no other row asks.
    pub(super) is_weak: bool,
}

/// A side of an equation: words for it, and its unit.
pub(super) type Side = (String, Monomial);

/// What the right side of an equation is in its row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Judged {
    /// An operand, or an argument.
    #[default]
    Operand,
    /// All that stands behind the sign of a relation or comparison.
    Value,
    /// The length of time that a parameter is; nothing but a number or a constant stands there.
    Parameter,
    /// The result of a procedure with memory, around which nothing may stand; its first argument, if it has one.
    Memory(Option<String>),
}

/// What is to be multiplied so that both sides agree.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Factor {
    /// One of the sides.
    OfSide,
    /// An expression in one of them, and by how much.
    Within(String, f64),
    /// Nothing: a number of another size stands there.
    Written,
    /// Nothing: no factor leads from one to the other.
    None,
}

/// Two sides of a row that do not agree.
#[derive(Debug)]
pub(super) struct Disagreement {
    pub(super) row: usize,
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) mismatch: Mismatch,
    pub(super) judged: Judged,
    pub(super) factor: Factor,
}

impl Disagreement {
    /// What is to be multiplied where both sides differ by a scale, and the factor. It is the right side; of a procedure
    /// with memory what it takes, as nothing may stand around that; and the left side where the right one is no expression
    /// but what a procedure asks for.
    pub(super) fn converted(&self) -> Option<(&str, f64)> {
        let Mismatch::Scale(scale) = self.mismatch else {
            return None;
        };
        match (&self.factor, &self.judged) {
            (Factor::Written | Factor::None, _) | (Factor::OfSide, Judged::Parameter) => None,
            (Factor::Within(words, factor), _) => Some((words, *factor)),
            (Factor::OfSide, _) if !self.right.0.starts_with('`') => Some((&self.left.0, scale)),
            (Factor::OfSide, Judged::Memory(argument)) => Some((argument.as_ref()?, 1.0 / scale)),
            (Factor::OfSide, _) => Some((&self.right.0, 1.0 / scale)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::unit::read;
    use super::*;

    fn unit(text: &str) -> Monomial {
        read(text).expect(text).unit
    }

    #[test]
    fn an_unknown_takes_what_its_row_needs() {
        let mut unknowns = Unknowns::default();
        let (k, x) = (unknowns.push(), unknowns.push());
        // F = k * x ^ 0.5 with F in N, then x in m.
        let force = k.times(&x, 0.5);
        unknowns.equate(&unit("N"), &force, 0).expect("x is free");
        unknowns.equate(&x, &unit("m"), 1).expect("k is free");
        assert!(unknowns.is_known(&k));
        let expected = unknowns.equate(&k, &unit("kg*m^0.5/s^2"), 2);
        assert_eq!(expected, Ok(()));
        let wrong = unknowns.equate(&k, &unit("N"), 3);
        assert!(matches!(wrong, Err(Mismatch::Dimension(_))));
    }

    #[test]
    fn a_long_chain_of_unknowns_is_gone_along_once() {
        let mut unknowns = Unknowns::default();
        let chain: Vec<Monomial> = (0..20_000).map(|_| unknowns.push()).collect();
        for (row, pair) in chain.windows(2).enumerate() {
            let agreed = unknowns.equate(&pair[0], &pair[1], row);
            agreed.expect("both are free");
        }
        let last = unknowns.equate(&chain[19_999], &unit("m"), 20_000);
        last.expect("it is free");
        assert_eq!(unknowns.resolve(&chain[0]), unit("m"));
        let wrong = unknowns.equate(&chain[0], &unit("s"), 20_001);
        assert!(matches!(wrong, Err(Mismatch::Dimension(_))));
    }

    #[test]
    fn scales_are_told() {
        let mut unknowns = Unknowns::default();
        let wrong = unknowns.equate(&unit("m"), &unit("cm"), 0);
        let Err(Mismatch::Scale(factor)) = wrong else {
            panic!("{wrong:?}");
        };
        assert!((factor - 100.0).abs() < 1e-9);
        assert_eq!(unknowns.equate(&unit("rad/s"), &unit("1/s"), 0), Ok(()));
    }
}
