//! Affine forms of a mode's rates for other values of its constants.
//!
//! [`Forms`](crate::lower::affine::Forms) computes with the numbers of one run. Here the same steps are
//! written down as operations on slots, once, so that other runs have their weights without lowering
//! anything again, with the same bits. Which terms there are depends on which weights are zero: every
//! such decision is noted, and a run in which one would fall otherwise is told.

use crate::ids::RealId;
use crate::lower::mode::Mode;
use crate::sim::events::modes::evaluation::affine::rates::{FormSlots, TermSlot};
use crate::tape::{Code, Op, Slot};
use rustc_hash::FxHashMap;

/// Program for the weights of the rates, from values that the setup of the tape computes.
#[derive(Clone, Debug)]
pub(crate) struct FormPlan {
    /// Operations behind the setup.
    pub(crate) ops: Vec<Op>,
    /// Numbers that they need.
    pub(crate) numbers: Vec<(Slot, f64)>,
    /// Number of slots, those of the tape included.
    pub(crate) n_slots: usize,
    /// Slots on which decisions depend, and whether each was zero.
    decisions: Vec<(Slot, bool)>,
    /// The forms of the rates; `None` if some have none.
    pub(crate) rates: Option<Vec<FormSlots>>,
}

/// An affine form whose numbers stand in slots.
#[derive(Clone, Debug)]
struct Form {
    constant: Slot,
    per_time: Slot,
    terms: Vec<(RealId, Slot)>,
}

/// A plan being made along the values of one run.
struct Planner {
    plan: FormPlan,
    values: Vec<f64>,
    forms: FxHashMap<u32, Form>,
    zero: Slot,
    one: Slot,
    minus_one: Slot,
}

impl FormPlan {
    /// The plan for a mode, all of whose ops are given, from the values of its slots behind the setup.
    pub(crate) fn new(mode: &Mode, ops: &[Op], values: &[f64], n_constants: usize) -> Self {
        let plan = Self {
            ops: Vec::new(),
            numbers: Vec::new(),
            n_slots: values.len(),
            decisions: Vec::new(),
            rates: None,
        };
        let mut planner = Planner {
            plan,
            values: values.to_vec(),
            forms: FxHashMap::default(),
            zero: Slot(0),
            one: Slot(0),
            minus_one: Slot(0),
        };
        [planner.zero, planner.one, planner.minus_one] =
            [0.0, 1.0, -1.0].map(|value| planner.number(value));
        planner.inputs(mode, n_constants);
        for op in ops {
            planner.follow(op);
        }
        planner.finish(mode)
    }

    /// True if all decisions fall in a run as they did when the plan was made.
    pub(crate) fn holds(&self, slots: &[f64]) -> bool {
        let mut decisions = self.decisions.iter();
        decisions.all(|&(slot, was_zero)| (slots[slot.index()] == 0.0) == was_zero)
    }
}

impl Planner {
    fn slot(&mut self, value: f64) -> Slot {
        self.values.push(value);
        self.plan.n_slots += 1;
        Slot(u32::try_from(self.values.len() - 1).expect("a tape has fewer than 2^32 slots"))
    }

    fn number(&mut self, value: f64) -> Slot {
        let slot = self.slot(value);
        self.plan.numbers.push((slot, value));
        slot
    }

    /// An operation of two operands, done now and in every run.
    fn op(&mut self, code: Code, a: Slot, b: Slot) -> Slot {
        let (x, y) = (self.values[a.index()], self.values[b.index()]);
        let value = match code {
            Code::Add => x + y,
            Code::Mul => x * y,
            Code::Div => x / y,
            _ => unreachable!("forms are added, multiplied and divided"),
        };
        let out = self.slot(value);
        self.plan.ops.push(Op {
            code,
            out: out.0,
            a: a.0,
            b: b.0,
        });
        out
    }

    fn is_zero(&mut self, slot: Slot) -> bool {
        let is_zero = self.values[slot.index()] == 0.0;
        self.plan.decisions.push((slot, is_zero));
        is_zero
    }

    fn inputs(&mut self, mode: &Mode, n_constants: usize) {
        let (zero, one) = (self.zero, self.one);
        let fixed = |slot: Slot| {
            let form = Form {
                constant: slot,
                per_time: zero,
                terms: Vec::new(),
            };
            (slot.0, form)
        };
        let numbers = mode.tape.numbers.iter().map(|&(slot, _)| slot);
        let computed = mode.tape.setup.iter().map(|op| Slot(op.out));
        let constants = (0..n_constants).map(|index| Slot::new(mode.constants_at + index));
        self.forms
            .extend(numbers.chain(computed).chain(constants).map(fixed));
        for real in 0..mode.constants_at {
            let form = Form {
                constant: zero,
                per_time: zero,
                terms: vec![(RealId::new(real), one)],
            };
            self.forms.insert(Slot::new(real).0, form);
        }
        let time = Form {
            constant: zero,
            per_time: one,
            terms: Vec::new(),
        };
        self.forms.insert(mode.time.0, time);
    }

    fn is_constant(&mut self, form: &Form) -> bool {
        self.is_zero(form.per_time) && form.terms.is_empty()
    }

    /// Terms without weight are left out.
    fn form(&mut self, constant: Slot, per_time: Slot, mut terms: Vec<(RealId, Slot)>) -> Form {
        terms.retain(|&(_, weight)| !self.is_zero(weight));
        Form {
            constant,
            per_time,
            terms,
        }
    }

    /// `form * factor`.
    fn scaled(&mut self, form: &Form, factor: Slot) -> Form {
        let constant = self.op(Code::Mul, form.constant, factor);
        let per_time = self.op(Code::Mul, form.per_time, factor);
        let mut terms = form.terms.clone();
        for (_, weight) in &mut terms {
            *weight = self.op(Code::Mul, *weight, factor);
        }
        self.form(constant, per_time, terms)
    }

    /// `form + factor * other`.
    fn plus(&mut self, form: &Form, other: &Form, factor: Slot) -> Form {
        let constant = self.op(Code::Mul, factor, other.constant);
        let constant = self.op(Code::Add, form.constant, constant);
        let per_time = self.op(Code::Mul, factor, other.per_time);
        let per_time = self.op(Code::Add, form.per_time, per_time);
        let mut terms = form.terms.clone();
        for &(real, weight) in &other.terms {
            let weight = self.op(Code::Mul, factor, weight);
            match terms.binary_search_by_key(&real, |(real, _)| *real) {
                Ok(at) => terms[at].1 = self.op(Code::Add, terms[at].1, weight),
                Err(at) => terms.insert(at, (real, weight)),
            }
        }
        self.form(constant, per_time, terms)
    }

    /// Takes in the result of an op, unless it is known: as
    /// [`Forms::follow`](crate::lower::affine::Forms::follow).
    fn follow(&mut self, op: &Op) {
        if self.forms.contains_key(&op.out) {
            return;
        }
        let (a, b) = (
            self.forms.get(&op.a).cloned(),
            self.forms.get(&op.b).cloned(),
        );
        let form = match (op.code, a, b) {
            (Code::Copy, Some(a), _) => Some(a),
            (Code::Neg, Some(a), _) => Some(self.scaled(&a, self.minus_one)),
            (Code::Add, Some(a), Some(b)) => Some(self.plus(&a, &b, self.one)),
            (Code::Sub, Some(a), Some(b)) => Some(self.plus(&a, &b, self.minus_one)),
            (Code::Mul, Some(a), Some(b)) => {
                if self.is_constant(&a) {
                    Some(self.scaled(&b, a.constant))
                } else if self.is_constant(&b) {
                    Some(self.scaled(&a, b.constant))
                } else {
                    None
                }
            }
            (Code::Div, Some(a), Some(b)) if self.is_constant(&b) && !self.is_zero(b.constant) => {
                let factor = self.op(Code::Div, self.one, b.constant);
                Some(self.scaled(&a, factor))
            }
            _ => None,
        };
        if let Some(form) = form {
            self.forms.insert(op.out, form);
        }
    }

    fn finish(mut self, mode: &Mode) -> FormPlan {
        let mut rates = Vec::with_capacity(mode.rates.len());
        for rate in &mode.rates {
            let Some(form) = self.forms.get(&rate.0).cloned() else {
                return self.plan;
            };
            // Weights of the time are left out if all are zero.
            self.is_zero(form.per_time);
            let term = |&(real, weight): &(RealId, Slot)| TermSlot {
                weight,
                moves: mode.states.binary_search(&real).is_ok(),
            };
            rates.push(FormSlots {
                constant: form.constant,
                per_time: form.per_time,
                terms: form.terms.iter().map(term).collect(),
            });
        }
        self.plan.rates = Some(rates);
        self.plan
    }
}
