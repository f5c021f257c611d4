//! What happens within a step of a method, where the method need not see it: poles of the rates, ends of domains, pulses, and
//! values that rates do not need.

pub(crate) mod poles;
pub(crate) mod pulses;
pub(crate) mod value_edges;

use rustc_hash::{FxHashMap, FxHashSet};
use situ_solve::interval::Interval;

use self::poles::Pole;
use self::pulses::Pulses;
use self::value_edges::{Owner, ValueEdge};
use super::{DelaySlots, Loop, Margin, Segment};
use crate::backend::value::Jet;
use crate::tape::{Slot, Tape};

/// What is looked for in every step of a mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct WithinSteps {
    /// Quotients among the computations that the rates need whose divisors may change their signs.
    pub(crate) poles: Vec<Pole>,
    /// Where the rates may have pulses.
    pub(crate) pulses: Pulses,
    /// Where values that the rates do not need may end, and where delays would read the future.
    pub(crate) value_edges: Vec<ValueEdge>,
}

impl WithinSteps {
    /// Looks through all computations, and those that the rates need.
    ///
    /// Shapes: `with_rates`: the slots of the states with those of their rates; `limited`: per result of an operation without
    /// values everywhere its row; `bounds`: per slot, whatever the reals are.
    pub(super) fn find(
        [all, flow]: [&[Segment]; 2],
        with_rates: impl Iterator<Item = [Slot; 2]> + Clone,
        (time, delays): (Slot, &DelaySlots),
        (limited, bounds): (&FxHashMap<u32, Owner>, &[Jet<1, Interval>]),
        tape: &Tape,
        margins: &[Margin],
    ) -> Self {
        let states = with_rates.clone().map(|[state, _]| state);
        let mut moving: Vec<Slot> = states.chain([time]).collect();
        let poles = poles::find(flow, moving.iter().copied(), tape);
        moving.extend(delays.inputs());
        let has_border =
            |slot: Slot| (margins.iter()).any(|margin| margin.edge && margin.slot == slot);
        Self {
            poles,
            pulses: pulses::find(flow, with_rates, time, tape.n_slots as usize),
            value_edges: value_edges::find(
                [all, flow],
                (limited, &delays.varying),
                &moving,
                tape,
                bounds,
                has_border,
            ),
        }
    }
}

/// The slots that computations write.
pub(in crate::lower::mode) fn results_of(segments: &[Segment]) -> FxHashSet<u32> {
    let ops = segments.iter().flat_map(|segment| {
        let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
        ops.iter()
    });
    ops.map(|op| op.out).collect()
}
