//! Pulses of the rates: exponentials of what varies in time by itself, as the current of a diode at the crest of an alternating
//! voltage, or `exp(-((time - 5) / tau)^2)`. From the operations that rates need to the slots that tell where they are.

use crate::lower::mode::{Loop, Segment};
use crate::tape::{Code, Op, Shape, Slot};

/// Slots that tell where the rates may have a pulse.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Pulses {
    /// Exponents that vary with time, other than by states.
    pub(crate) exponents: Vec<Slot>,
    /// Arguments of sines and cosines that vary like that, with a quarter of the period of each.
    pub(crate) phases: Vec<(Slot, f64)>,
}

/// Whether a slot varies at all, and whether it does so of itself: with time, or with a state whose rate does not vary.
#[derive(Clone, Copy, Default)]
struct Varies {
    moves: bool,
    of_itself: bool,
}

/// The pulses of the rates. Shapes: `states`: the slots that move continuously, with those of their rates; `time`: the one of
/// the time.
pub(in crate::lower::mode) fn find(
    flow: &[Segment],
    states: impl Iterator<Item = [Slot; 2]> + Clone,
    time: Slot,
    n_slots: usize,
) -> Pulses {
    let mut begin = vec![Varies::default(); n_slots];
    for [state, _] in states.clone() {
        begin[state.index()].moves = true;
    }
    begin[time.index()] = Varies {
        moves: true,
        of_itself: true,
    };
    let mut varies = begin.clone();
    for segment in flow {
        segment.follow(&mut varies);
    }
    for [state, rate] in states {
        begin[state.index()].of_itself = !varies[rate.index()].moves;
    }
    let mut varies = begin;
    let mut pulses = Pulses::default();
    for segment in flow {
        segment.follow(&mut varies);
        let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
        for op in ops.iter() {
            let quarter = match op.code {
                Code::Sin | Code::Cos => std::f64::consts::FRAC_PI_2,
                Code::SinDeg | Code::CosDeg => 90.0,
                _ => 0.0,
            };
            let of_itself = |slot: u32| varies[slot as usize].of_itself;
            if quarter > 0.0 && of_itself(op.a) {
                pulses.phases.push((Slot(op.a), quarter));
            }
            let exponent = match op.code {
                Code::Exp => op.a,
                Code::Pow => op.b,
                _ => continue,
            };
            if of_itself(exponent) {
                pulses.exponents.push(Slot(exponent));
            }
        }
    }
    if pulses.exponents.is_empty() {
        pulses.phases.clear();
    }
    pulses
}

impl Segment {
    /// What the results of the operations vary with.
    fn follow(&self, varies: &mut [Varies]) {
        let (Self::Ops(ops) | Self::Loop(Loop { ops, .. })) = self;
        if let Self::Loop(Loop { unknowns, .. }) = self {
            // What is solved for varies with all that its equations read.
            ops.iter().for_each(|op| follow(op, varies));
            let of_itself = ops.iter().any(|op| varies[op.out as usize].of_itself);
            for (slot, _) in unknowns {
                let moves = true;
                varies[slot.index()] = Varies { moves, of_itself };
            }
        }
        ops.iter().for_each(|op| follow(op, varies));
    }
}

/// What the result of an operation varies with.
fn follow(op: &Op, varies: &mut [Varies]) {
    // The number of a lookup is no slot.
    let of = |slot: u32| varies.get(slot as usize).copied().unwrap_or_default();
    let operands = match op.code.shape() {
        Shape::Unary => [of(op.a); 3],
        Shape::Update => [of(op.a), of(op.b), of(op.out)],
        _ => [of(op.a), of(op.b), of(op.b)],
    };
    varies[op.out as usize] = Varies {
        moves: operands.iter().any(|operand| operand.moves),
        of_itself: operands.iter().any(|operand| operand.of_itself),
    };
}
