//! Affine forms: which combination of reals and time a slot of a tape holds.
//!
//! Two comparisons whose sides differ by a proportional form have one border in common; a border
//! that is affine in time alone is known in advance.

use rustc_hash::FxHashMap;
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

/// Most terms that a form may have: a mean of many elements that each of them reads would have all of them everywhere.
const MOST_TERMS: usize = 1000;

/// What forms are written over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    /// The final values of reals, whatever they follow from: the same in every mode.
    Finals,
    /// What moves or is held in this mode.
    Moving,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// What no form tells.
    Unknown,
    Number(f64),
    Real(RealId),
    Time,
    /// The result of an op.
    Result {
        code: Code,
        /// True if several ops read it.
        is_shared: bool,
        is_read: bool,
        /// Operands, and how many ops stood before it: what is computed later is none of them.
        a: u32,
        b: u32,
        at: u32,
    },
}

/// The forms of the slots of a tape, as far as they are affine. Each is found where it is asked for: most slots of a
/// large tape are near no border.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// By slot.
    contents: Vec<Content>,
    /// Per kind of form those that were stated, and those of shared results that were found.
    known: [FxHashMap<u32, Option<Affine>>; 2],
    n_ops: u32,
}

/// What is left to do to find a form.
enum Todo {
    Visit(u32),
    Combine(u32),
}

impl Forms {
    /// Those of so many slots of which nothing is known.
    pub(crate) fn of_slots(n: usize) -> Self {
        Self {
            contents: vec![Content::Unknown; n],
            ..Self::default()
        }
    }

    /// Says what an input holds.
    pub(crate) fn define(&mut self, slot: Slot, content: Content) {
        let slot = slot.index();
        if self.contents.len() <= slot {
            self.contents.resize(slot + 1, Content::Unknown);
        }
        self.contents[slot] = content;
    }

    /// States a form, whatever the slot holds.
    pub(crate) fn state(&mut self, over: Over, slot: Slot, form: Affine) {
        self.known[over as usize].insert(slot.0, Some(form));
    }

    /// Discards the form over final values that was found for a slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.known[Over::Finals as usize].insert(slot, None);
    }

    /// Takes in an op. Of several ops with one result, the first that has a form tells it.
    pub(crate) fn follow(&mut self, op: &Op) {
        self.n_ops += 1;
        for slot in [op.a, op.b] {
            if let Some(Content::Result {
                is_shared, is_read, ..
            }) = self.contents.get_mut(slot as usize)
            {
                *is_shared = *is_read;
                *is_read = true;
            }
        }
        match self.content(op.out) {
            Content::Unknown => {}
            Content::Result { .. } => {
                for over in [Over::Finals, Over::Moving] {
                    let form = self.get(over, op.out);
                    let known = &mut self.known[over as usize];
                    match form {
                        None => known.remove(&op.out),
                        form => known.insert(op.out, form),
                    };
                }
            }
            _ => return,
        }
        let result = Content::Result {
            code: op.code,
            is_shared: false,
            is_read: false,
            a: op.a,
            b: op.b,
            at: self.n_ops,
        };
        self.define(Slot(op.out), result);
    }

    fn content(&self, slot: u32) -> Content {
        let content = self.contents.get(slot as usize);
        content.copied().unwrap_or(Content::Unknown)
    }

    /// The form of a slot.
    pub(crate) fn get(&mut self, over: Over, slot: u32) -> Option<Affine> {
        let mut todo = vec![Todo::Visit(slot)];
        let mut found: Vec<Option<Affine>> = Vec::new();
        while let Some(next) = todo.pop() {
            match next {
                Todo::Visit(slot) => match self.known[over as usize].get(&slot) {
                    Some(form) => found.push(form.clone()),
                    None => match self.content(slot) {
                        Content::Unknown => found.push(None),
                        Content::Number(value) => found.push(Some(Affine::number(value))),
                        Content::Real(real) => found.push(Some(Affine::real(real))),
                        Content::Time => found.push(Some(Affine::time())),
                        Content::Result { code, a, b, at, .. } => {
                            let both = [a, b];
                            let operands = operands(code, &both);
                            let is_later = |operand: &u32| match self.content(*operand) {
                                Content::Result { at: other, .. } => other >= at,
                                _ => false,
                            };
                            if operands.is_empty() || operands.iter().any(is_later) {
                                found.push(None);
                                continue;
                            }
                            todo.push(Todo::Combine(slot));
                            todo.extend(operands.iter().copied().map(Todo::Visit));
                        }
                    },
                },
                Todo::Combine(slot) => {
                    let Content::Result {
                        code, is_shared, ..
                    } = self.content(slot)
                    else {
                        continue;
                    };
                    let form = combined(code, &mut found);
                    if is_shared {
                        self.known[over as usize].insert(slot, form.clone());
                    }
                    found.push(form);
                }
            }
        }
        found.pop().flatten()
    }
}

/// The operands whose forms tell that of a result; none if it has no form.
fn operands(code: Code, both: &[u32; 2]) -> &[u32] {
    match code {
        Code::Copy | Code::Neg => &both[..1],
        Code::Add | Code::Sub | Code::Mul | Code::Gate | Code::Div => both,
        _ => &[],
    }
}

/// The form of the result of an op, whose operands' forms are the last that were found, the first on top.
fn combined(code: Code, found: &mut Vec<Option<Affine>>) -> Option<Affine> {
    let mut operand = || found.pop().flatten();
    match code {
        Code::Copy => operand(),
        Code::Neg => Some(operand()?.scaled(-1.0)),
        Code::Add | Code::Sub | Code::Mul | Code::Gate | Code::Div => {
            let (a, b) = (operand(), operand());
            let (a, b) = (a?, b?);
            match code {
                Code::Add | Code::Sub => {
                    let few = a.terms.len() + b.terms.len() <= MOST_TERMS;
                    few.then(|| a.plus(&b, if code == Code::Add { 1.0 } else { -1.0 }))
                }
                Code::Mul if a.is_constant() => Some(b.scaled(a.constant)),
                Code::Mul | Code::Gate if b.is_constant() => Some(a.scaled(b.constant)),
                Code::Div if b.is_constant() && b.constant != 0.0 => {
                    Some(a.scaled(1.0 / b.constant))
                }
                _ => None,
            }
        }
        _ => None,
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

    fn op(code: Code, out: u32, a: u32, b: u32) -> Op {
        Op { code, out, a, b }
    }

    #[test]
    fn forms_follow_from_what_was_computed_before() {
        let mut forms = Forms::of_slots(5);
        forms.define(Slot(0), Content::Real(RealId(0)));
        forms.define(Slot(1), Content::Number(2.0));
        // Slot 4 reads slot 3 before it is computed, as a loop reads its unknown.
        forms.follow(&op(Code::Mul, 2, 0, 1));
        forms.follow(&op(Code::Add, 4, 2, 3));
        forms.follow(&op(Code::Add, 3, 2, 0));
        assert_eq!(
            forms.get(Over::Moving, 3),
            Some(Affine::real(RealId(0)).scaled(3.0))
        );
        assert_eq!(forms.get(Over::Moving, 4), None);
        forms.state(Over::Finals, Slot(2), Affine::real(RealId(7)));
        let stated = Affine::real(RealId(0)).plus(&Affine::real(RealId(7)), 1.0);
        assert_eq!(forms.get(Over::Finals, 3), Some(stated));
        forms.forget(2);
        assert_eq!(forms.get(Over::Finals, 3), None);
    }

    #[test]
    fn sums_of_many_have_no_form() {
        let n = MOST_TERMS as u32 + 1;
        let mut forms = Forms::of_slots(n as usize);
        for real in 0..n {
            forms.define(Slot(real), Content::Real(RealId(real)));
        }
        forms.follow(&op(Code::Add, n, 0, 1));
        for real in 2..n {
            forms.follow(&op(Code::Add, n + real - 1, n + real - 2, real));
        }
        let n_terms = |form: Option<Affine>| form.map(|form| form.terms.len());
        assert_eq!(
            n_terms(forms.get(Over::Moving, 2 * n - 3)),
            Some(MOST_TERMS)
        );
        assert_eq!(n_terms(forms.get(Over::Moving, 2 * n - 2)), None);
    }
}
