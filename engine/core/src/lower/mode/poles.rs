//! Poles: from the operations that rates need to those quotients whose divisors may change their signs along a motion.

use std::collections::HashMap;

use super::{Loop, Segment};
use crate::tape::{Code, Shape, Slot, Tape};

/// A quotient, a power with a negative exponent, or a tangent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pole {
    pub(crate) quotient: Slot,
    /// What changes its sign where the quotient may have a pole.
    pub(crate) divisor: Slot,
}

/// Quotients whose divisors vary with `moving`, tangents, and powers that may have negative exponents. A power in a divisor
/// vanishes where its base changes its sign.
pub(super) fn find(flow: &[Segment], moving: impl Iterator<Item = Slot>, tape: &Tape) -> Vec<Pole> {
    let mut varies = vec![false; tape.n_slots as usize];
    let is_not_negative = |slot: u32| {
        let mut numbers = tape.numbers.iter();
        numbers.any(|(number, value)| number.0 == slot && *value >= 0.0)
    };
    moving.for_each(|slot| varies[slot.index()] = true);
    let mut powers: HashMap<u32, u32> = HashMap::new();
    let mut poles = Vec::new();
    for segment in flow {
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
                _ => continue,
            };
            if varies[divisor as usize] {
                poles.push(Pole {
                    quotient: Slot(op.out),
                    divisor: Slot(divisor),
                });
            }
        }
    }
    poles
}
