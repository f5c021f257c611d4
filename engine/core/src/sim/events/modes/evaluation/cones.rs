//! The computations of all margins -> those that one of them follows from (its cone of influence), run alone.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::backend::value::{Jet, Value};
use crate::ids::RealId;
use crate::lower::mode::within_steps::value_edges::ValueEdge;
use crate::lower::mode::{Loop, Mode, Segment, needed};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic::AlgebraicComponents;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::evaluation::program::Program;
use crate::tape::{Op, Shape, Slot};
use situ_solve::Dense;
use situ_solve::interval::Interval;

/// A margin that needs more operations is computed with all others.
const MOST: usize = 64;

/// What each margin is computed from.
#[derive(Clone, Debug)]
pub(super) struct Cones {
    ops: Vec<Op>,
    /// The operation that gives a slot.
    by_result: FxHashMap<u32, u32>,
    /// The slots of the states, with their positions.
    states: FxHashMap<u32, u32>,
    time: u32,
    /// The slots of values and rates that delays of constant length give, with the delays.
    delayed: FxHashMap<u32, (usize, Coefficient)>,
    /// The slots that are filled from the past where the lengths of delays lead.
    placed: FxHashSet<u32>,
    /// The slot that was looked for last, and whether it has a cone.
    found: Option<(Slot, bool)>,
    /// Positions of the operations in the cone that was found last, in their order.
    needed: Vec<u32>,
}

/// What operations read and none of them gives.
pub(super) enum Leaf {
    Time,
    /// A state, by its position.
    State(usize),
    /// What a delay of constant length gives.
    Delayed(usize, Coefficient),
    /// A slot of what is held.
    Held(usize),
}

/// A number of what a delay gives: its value, or its rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coefficient {
    Value,
    Rate,
}

impl Coefficient {
    pub(super) fn of<T>(self, [value, rate]: [T; 2]) -> T {
        match self {
            Self::Value => value,
            Self::Rate => rate,
        }
    }
}

impl Cones {
    /// Looks through the computations that margins, and edges of values, need, in which no loop is.
    pub(super) fn of(mode: &Mode) -> Self {
        let segments = match mode.within_steps.value_edges.is_empty() {
            true => &mode.tests,
            false => &mode.all,
        };
        let segments = segments.iter().filter_map(|segment| match segment {
            Segment::Ops(ops) => Some(ops.iter()),
            Segment::Loop(_) => None,
        });
        let ops: Vec<Op> = segments.flatten().copied().collect();
        let numbered = ops.iter().zip(0..);
        let states = mode.states.iter().zip(0..);
        let delayed = mode.delays.fixed.iter().flat_map(|&(delay, value, rate)| {
            [
                (value.0, (delay, Coefficient::Value)),
                (rate.0, (delay, Coefficient::Rate)),
            ]
        });
        Self {
            delayed: delayed.collect(),
            placed: mode.delays.varying_inputs().map(|slot| slot.0).collect(),
            by_result: numbered.map(|(op, number)| (op.out, number)).collect(),
            states: states.map(|(real, number)| (real.0, number)).collect(),
            time: mode.time.0,
            ops,
            found: None,
            needed: Vec::new(),
        }
    }

    /// Finds what a slot is computed from; false if that is much, is no plain list of operations, or is read where the length of
    /// a delay leads.
    pub(super) fn find(&mut self, slot: Slot) -> bool {
        match self.found {
            Some((found, has_cone)) if found == slot => has_cone,
            _ => {
                let has_cone = self.follow(slot);
                self.found = Some((slot, has_cone));
                has_cone
            }
        }
    }

    fn follow(&mut self, slot: Slot) -> bool {
        self.needed.clear();
        self.needed.extend(self.by_result.get(&slot.0));
        let mut next = 0;
        while let Some(&position) = self.needed.get(next) {
            let op = self.ops[position as usize];
            if self.needed.len() > MOST || op.code.shape() == Shape::Update {
                return false;
            }
            for operand in operands(op) {
                if self.placed.contains(&operand) {
                    return false;
                }
                self.needed.extend(self.by_result.get(&operand));
            }
            next += 1;
        }
        self.needed.sort_unstable();
        self.needed.dedup();
        true
    }

    /// True if what delays of constant length give is among what the slot that was found last is computed from.
    pub(super) fn reads_past(&self) -> bool {
        let ops = self.needed.iter();
        let read = ops.flat_map(|&position| operands(self.ops[position as usize]));
        let mut read = read.chain(self.found.map(|(slot, _)| slot.0));
        read.any(|slot| self.delayed.contains_key(&slot))
    }

    /// Positions of the states from which the slot that was found last is computed, ascending.
    pub(super) fn states(&self) -> SmallVec<[usize; 4]> {
        let ops = self
            .needed
            .iter()
            .map(|&position| self.ops[position as usize]);
        let own = self.found.map(|(slot, _)| slot.0);
        let read = ops.flat_map(operands).chain(own);
        let states = read.filter_map(|slot| self.states.get(&slot));
        let mut states: SmallVec<[usize; 4]> = states.map(|&position| position as usize).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// The reals, of so many, from which the slot that was found last is computed, ascending.
    pub(super) fn reals(&self, n_reals: usize) -> SmallVec<[RealId; 4]> {
        let ops = self.needed.iter();
        let read = ops.flat_map(|&position| operands(self.ops[position as usize]));
        let read = read.chain(self.found.map(|(slot, _)| slot.0));
        let given = read.filter(|slot| !self.by_result.contains_key(slot));
        let reals = given.map(RealId).filter(|real| real.index() < n_reals);
        let mut reals: SmallVec<[RealId; 4]> = reals.collect();
        reals.sort_unstable();
        reals.dedup();
        reals
    }

    /// The value of the slot that was found last, on any kind of number.
    pub(super) fn run<V: Value>(&self, leaf: impl Fn(Leaf) -> V) -> V {
        let mut results: SmallVec<[V; 16]> = SmallVec::new();
        let value = |results: &[V], slot: u32| {
            let given = self.by_result.get(&slot);
            if let Some(at) = given.and_then(|position| self.needed.binary_search(position).ok()) {
                return results[at];
            }
            leaf(match self.states.get(&slot) {
                Some(&position) => Leaf::State(position as usize),
                None if slot == self.time => Leaf::Time,
                None => match self.delayed.get(&slot) {
                    Some(&(delay, coefficient)) => Leaf::Delayed(delay, coefficient),
                    None => Leaf::Held(slot as usize),
                },
            })
        };
        for &position in &self.needed {
            let op = self.ops[position as usize];
            let [a, b] = operands(op).map(|operand| value(&results, operand));
            results.push(V::apply(op.code, V::constant(0.0), a, b));
        }
        match (self.found, results.last()) {
            (_, Some(last)) => *last,
            (Some((slot, _)), None) => value(&results, slot.0),
            (None, None) => V::constant(f64::NAN),
        }
    }
}

/// What a margin is computed from, if that is little and stands for itself.
pub(super) fn cone<'c>(
    cones: &'c mut Option<Cones>,
    mode: &Mode,
    has_loops: bool,
    slot: Slot,
) -> Option<&'c Cones> {
    if has_loops || !mode.weights.is_empty() {
        return None;
    }
    let cones = cones.get_or_insert_with(|| Cones::of(mode));
    cones.find(slot).then_some(&*cones)
}

impl Evaluator {
    /// Bounds of what is 0 on the edge of a value, as [`Self::enclose`] has them; `None` if it does not stand for itself.
    pub(crate) fn enclose_edge(
        &mut self,
        past: &DelayHistory,
        edge: &ValueEdge,
        dense: &Dense,
        theta: Interval,
    ) -> Option<[Interval; 3]> {
        if !self.stands_for_itself(edge) {
            return None;
        }
        let operand = self.enclose_by_cone(past, edge.operand, dense, theta)?;
        Some(edge.kind.margin(Jet(operand)).0)
    }

    /// What is 0 on the edge of a value, along a step; `None` if it does not stand for itself.
    pub(crate) fn edge_along(
        &mut self,
        past: &DelayHistory,
        edge: &ValueEdge,
        at: (&Dense, f64),
    ) -> Option<f64> {
        if !self.stands_for_itself(edge) {
            return None;
        }
        // No room for a state is needed where nothing else is computed.
        let operand = self.margin_along(past, edge.operand, at, &mut [])?;
        Some(edge.kind.margin(operand))
    }

    /// True if the edge of a value is computed from little, and from nothing that a delay gives.
    fn stands_for_itself(&mut self, edge: &ValueEdge) -> bool {
        let cones = &mut self.jets.cones;
        let cone = cone(cones, &self.mode, self.has_loops, edge.operand);
        cone.is_some_and(|cone| !cone.reads_past())
    }
}

/// What some margins of a mode are computed from.
#[derive(Clone, Debug)]
pub(crate) struct OwnProgram {
    pub(super) program: Program,
    /// Positions of the states that they read, ascending.
    pub(super) states: Vec<usize>,
    /// What the rates of these are computed from.
    pub(super) rates: Program,
}

impl OwnProgram {
    pub(super) fn of(mode: &Mode, algebraic: &AlgebraicComponents, margins: &[Slot]) -> Self {
        let n_slots = mode.tape.n_slots as usize;
        let segments = needed(&mode.tests, margins.iter().copied(), n_slots);
        let ops = segments.iter().flat_map(|segment| {
            let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
            ops.iter()
        });
        let read = ops.flat_map(|op| operands(*op));
        let read = read.chain(margins.iter().map(|margin| margin.0));
        let states = read.filter_map(|slot| mode.states.binary_search(&RealId(slot)).ok());
        let mut states: Vec<usize> = states.collect();
        states.sort_unstable();
        states.dedup();
        let rates = states.iter().map(|state| mode.rates[*state]);
        let rates = needed(&mode.flow, rates, n_slots);
        Self {
            program: Program::of(&segments, algebraic),
            states,
            rates: Program::of(&rates, algebraic),
        }
    }

    pub(super) fn n_ops(&self) -> usize {
        self.program.n_ops() + self.rates.n_ops()
    }
}

/// Both operands; the only one twice.
fn operands(op: Op) -> [u32; 2] {
    match op.code.shape() {
        Shape::Unary => [op.a, op.a],
        _ => [op.a, op.b],
    }
}
