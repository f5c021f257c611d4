//! Poles and ends of domains: from the operations that rates need to those quotients whose divisors may change their
//! signs along a motion, and to the borders where roots end to be defined.

use std::collections::HashMap;

use crate::backend::value::Jet;
use crate::lower::affine::Over;
use crate::lower::border::{BorderSource, Borders};
use crate::lower::mode::kinks::Rewriting;
use crate::lower::mode::{Loop, Segment};
use crate::tape::{Code, Op, Shape, Slot, Tape};
use situ_solve::interval::Interval;

/// A quotient, a power with a negative exponent, or a tangent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pole {
    pub(crate) quotient: Slot,
    /// What changes its sign where the quotient may have a pole.
    pub(crate) divisor: Slot,
}

/// Quotients whose divisors vary with `moving`, tangents, and powers that may have negative exponents. A power in a divisor
/// vanishes where its base changes its sign.
pub(in crate::lower::mode) fn find(
    flow: &[Segment],
    moving: impl Iterator<Item = Slot>,
    tape: &Tape,
) -> Vec<Pole> {
    let is_not_negative = |slot: u32| {
        let mut numbers = tape.numbers.iter();
        numbers.any(|(number, value)| number.0 == slot && *value >= 0.0)
    };
    let mut powers: HashMap<u32, u32> = HashMap::new();
    let mut poles = Vec::new();
    follow(flow, moving, tape, |op, moved, varies| {
        let is_power = match op.code {
            Code::Mul => op.a == op.b,
            Code::Pow => !moved[1],
            _ => false,
        };
        match is_power {
            true => powers.insert(op.out, op.a),
            false => powers.remove(&op.out),
        };
        let divisor = match op.code {
            Code::Div => powers.get(&op.b).copied().unwrap_or(op.b),
            Code::Tan | Code::TanDeg => op.out,
            Code::Pow if is_power && !is_not_negative(op.b) => op.a,
            _ => return,
        };
        if varies[divisor as usize] {
            poles.push(Pole {
                quotient: Slot(op.out),
                divisor: Slot(divisor),
            });
        }
    });
    poles
}

/// Goes through operations, each with whether its operands vary with `moving`, and whether each slot does so far.
pub(super) fn follow(
    segments: &[Segment],
    moving: impl Iterator<Item = Slot>,
    tape: &Tape,
    mut visit: impl FnMut(&Op, [bool; 2], &[bool]),
) {
    let mut varies = vec![false; tape.n_slots as usize];
    moving.for_each(|slot| varies[slot.index()] = true);
    for segment in segments {
        let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
        if let Segment::Loop(Loop { unknowns, .. }) = segment {
            unknowns
                .iter()
                .for_each(|(slot, _)| varies[slot.index()] = true);
        }
        for op in ops.iter() {
            // The number of a lookup is no slot.
            let moved = [op.a, op.b].map(|slot| varies.get(slot as usize) == Some(&true));
            let is_moved = match op.code.shape() {
                Shape::Unary => moved[0],
                Shape::Update => varies[op.out as usize] || moved[0] || moved[1],
                _ => moved[0] || moved[1],
            };
            varies[op.out as usize] = is_moved;
            visit(op, moved, &varies);
        }
    }
}

impl Rewriting<'_> {
    /// Adds the border where a root ends to be defined, if its operand is affine and can get there. (Any other operand
    /// would have to be bounded over every step, only to say where the step cannot be done anyway; so would that of a
    /// logarithm or a division, which steps cannot reach.)
    /// A border that is never met costs `dop853` its dense output in every step, a tenth of the evaluations of the
    /// reactor.
    pub(in crate::lower::mode) fn edge(
        &mut self,
        op: &Op,
        owner: BorderSource,
        bounds: &[Jet<1, Interval>],
        borders: &mut Borders,
    ) {
        let [of, exponent] = [op.a, op.b].map(|slot| bounds[slot as usize].0[0]);
        let is_whole = exponent.lo() == exponent.hi() && exponent.lo().fract() == 0.0;
        if op.code == Code::Pow && (is_whole || exponent.lo() <= 0.0) {
            return;
        }
        let operand = Slot(op.a);
        self.under_roots.push(operand);
        if of.lo() < 0.0 && of.hi() > 0.0 && self.forms.get(Over::Finals, op.a).is_some() {
            self.margin(owner, operand, borders);
        }
    }

    /// Marks the margins of which roots are taken, be it through kinks.
    pub(in crate::lower::mode) fn mark_edges(&mut self) {
        for slot in &self.under_roots {
            let ray = self
                .forms
                .get(Over::Moving, slot.0)
                .map(|form| form.ray().0);
            for margin in self
                .margins
                .iter_mut()
                .filter(|margin| margin.knot.is_none())
            {
                let same = margin.form.as_ref().map(|form| form.ray().0) == ray;
                margin.edge |= margin.slot == *slot || (ray.is_some() && same);
            }
        }
    }
}
