//! Poles: quotients among the operations that rates need, whose divisors may change their signs along a motion.

use std::collections::HashMap;

use super::{Loop, Segment};
use crate::tape::{Code, Shape, Slot};

/// A quotient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pole {
    pub(crate) quotient: Slot,
    /// What changes its sign where the quotient may have a pole.
    pub(crate) divisor: Slot,
}

/// Quotients whose divisors vary with `moving`, and tangents. A power in a divisor vanishes where its base changes its sign.
pub(super) fn find(
    flow: &[Segment],
    moving: impl Iterator<Item = Slot>,
    n_slots: usize,
) -> Vec<Pole> {
    let mut varies = vec![false; n_slots];
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
            let is_unary = op.code.shape() == Shape::Unary;
            // The number of a lookup is no slot.
            let moved = [op.a, op.b].map(|slot| varies.get(slot as usize) == Some(&true));
            varies[op.out as usize] = moved[0] || !is_unary && moved[1];
            let is_power = match op.code {
                Code::Mul => op.a == op.b,
                Code::Pow => !moved[1],
                _ => false,
            };
            if is_power {
                powers.insert(op.out, op.a);
            }
            let divisor = match op.code {
                Code::Div => powers.get(&op.b).copied().unwrap_or(op.b),
                Code::Tan | Code::TanDeg => op.out,
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
