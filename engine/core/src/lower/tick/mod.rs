//! Model -> tape of one tick, in written order (FORMALISM 6).
//!
//! The tape has these parts, executed in this order: copies of the reals that somebody reads as
//! "before the tick"; ranges; situations; assignments; edges that procedures watch; relations, with the
//! projection onto constraints; and after the tick the probes that measures and `stop_when` read off the row, behind the
//! rows of the model that are only read off it.
//!
//! Slots: the reals first, then the constants, then everything handed out by the assembler. Bits:
//! switches, ranges, situations ([`Program::n_visible`] of them), then what only the tape knows.

mod layout;
mod lookups;
mod observed;
mod projection;
mod rows;
mod truths;

use std::collections::HashSet;
use std::ops::Range;

use rustc_hash::FxHashMap;

use self::layout::{Layout, bit_at};
use self::lookups::Asking;
pub(crate) use self::lookups::{Asked, Asker};
pub(crate) use self::truths::beside_time;
use super::emit::{Emitter, Reader};
use crate::ids::{ConstantId, ExprId, LookupId, RealId, RelationId, SituationId};
use crate::model::{Argument, Coefficient, IntegralRule, Model, Order, Relation, Scan, Watch};
use crate::procedure::{Body, Memory};
use crate::tape::{self, Assembler, Bit, Code, Slot, Tape};

/// Choices of a tick run that change the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TickOptions {
    /// In which order relations see each other's results.
    pub scan: Scan,
    /// Formula of `integral`.
    pub integral: IntegralRule,
    /// Order of assignments and of rows of events.
    pub order: Order,
    /// True if the tape can also do a tick in which no time passes: all that happens at its start,
    /// and values that follow from others, but nothing that takes time.
    pub stands_still: bool,
}

/// Expressions and conditions evaluated on every row of the trajectory, besides the model's own quantities.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Probes {
    /// Expressions; `time` in them is the time of the row.
    pub values: Vec<ExprId>,
    /// Conditions.
    pub watches: Vec<Watch>,
}

/// Parts of a tick, as ranges of ops.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sections {
    /// Ops from the copies to the end of the situations.
    pub(crate) guards: Range<usize>,
    /// Ops of the assignments.
    pub(crate) assignments: Range<usize>,
    /// Ops that note edges for procedures with memory.
    pub(crate) edges: Range<usize>,
    /// Ops of the relations, and of the projection onto constraints behind them.
    pub(crate) relations: Range<usize>,
    /// The first op of that projection.
    pub(crate) projection: usize,
    /// Ops executed after the tick.
    pub(crate) probes: Range<usize>,
}

/// Times of a tick.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClockSlots {
    /// Length of a tick.
    pub step: Slot,
    /// Time at the start of the tick.
    pub time: Slot,
    /// Time after the tick, for probes.
    pub row_time: Slot,
    /// True if an op of the tick reads the time.
    pub is_read: bool,
}

/// What probes compute after a tick.
#[derive(Clone, PartialEq, Debug)]
pub struct ProbeSlots {
    /// Slots of their values.
    pub values: Vec<Slot>,
    /// Bits of their conditions.
    pub watches: Vec<Bit>,
}

/// A model ready to be stepped.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The operations.
    pub tape: Tape,
    /// Where its parts stand.
    pub(crate) sections: Sections,
    /// Number of reals: slots `0..n_reals`.
    pub n_reals: usize,
    /// Number of constants: the slots after the reals.
    pub n_constants: usize,
    /// Number of bits that belong to switches, ranges and situations, in this order.
    pub n_visible: usize,
    n_situations: usize,
    /// True for the bits, words as in the tape, that belong to events.
    pub event_bits: Vec<u64>,
    /// True in the first tick.
    pub start_bit: Bit,
    /// True where time passes in the tick; `None` if it always does.
    pub moving_bit: Option<Bit>,
    /// What the clock writes.
    pub clock: ClockSlots,
    /// Test of each relation's guard; `None` if it is always active.
    pub(crate) relation_tests: Vec<Option<u32>>,
    /// Test that says whether the assignment was executed in this tick.
    pub(crate) assignment_tests: Vec<u32>,
    /// Per row of a situation the bit in which an event keeps how its conjunction stood.
    pub(crate) remembered: Vec<Option<Bit>>,
    /// The same for each counter.
    pub(crate) counted: Vec<(RelationId, Bit)>,
    /// Per schedule whether it is due.
    pub schedule_bits: Vec<Bit>,
    /// Per schedule how many of its instants are over.
    pub(crate) schedule_counts: Vec<Slot>,
    /// Argument and coefficient of each delay line, for its filling at the start.
    pub(crate) delayed: Vec<(ExprId, Coefficient, RelationId)>,
    /// Argument of each derivative, and the slot that holds what its row read last.
    pub(crate) derived: Vec<(ExprId, Slot, RelationId)>,
    /// Lookups whose values go no further, in the order of their slots.
    pub(crate) asked: Vec<Asked>,
    /// What the probes compute.
    pub probes: ProbeSlots,
}

/// Row number of ops that belong to no relation.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Lowers the model for tick stepping.
///
/// The model must hold what [`crate::model::verify`] promises.
pub fn tick(model: &Model, options: &TickOptions, probes: &Probes) -> Program {
    let n_reals = model.reals.len();
    let mut asm = Assembler::new(n_reals);
    asm.count_ticks();
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let layout = Layout::new(model, options, &mut asm);
    let step = asm.fixed_slot();
    let time = asm.time();
    let row_time = asm.slot();
    let mut lowering = Lowering {
        model,
        options: *options,
        emitter: Emitter {
            model,
            asm,
            constants_at: n_reals,
        },
        layout,
        step,
        time,
        before: FxHashMap::default(),
        replaced: FxHashMap::default(),
        delayed: Vec::new(),
        derived: Vec::new(),
        asker: None,
        asked: Vec::new(),
        remembered: vec![None; model.situation_rows.len()],
        counted: Vec::new(),
        schedule_counts: Vec::with_capacity(model.schedules.len()),
        watched: FxHashMap::default(),
        otherwise: FxHashMap::default(),
        relation_tests: Vec::with_capacity(model.relations.len()),
    };
    lowering.copies();
    lowering.ranges();
    lowering.schedules();
    lowering.situations(false);
    let guards = 0..lowering.emitter.asm.len();
    let assignment_tests = lowering.assignments();
    let assignments = guards.end..lowering.emitter.asm.len();
    lowering.situations(true);
    lowering.edges();
    let edges = assignments.end..lowering.emitter.asm.len();
    lowering.relations();
    let projection = lowering.emitter.asm.len();
    lowering.projection();
    let relations = edges.end..lowering.emitter.asm.len();
    lowering.time = row_time;
    lowering.emitter.asm.read_time_in(row_time);
    lowering.observed();
    let probe_slots = lowering.probes(probes);
    let probe_ops = relations.end..lowering.emitter.asm.len();

    let is_read = lowering.emitter.asm.reads(time);
    let n_visible = lowering.layout.n_visible();
    let event_bits = lowering.layout.event_bits(model);
    let program = Program {
        sections: Sections {
            guards,
            assignments,
            edges,
            relations,
            projection,
            probes: probe_ops,
        },
        n_reals,
        n_constants: model.constants.len(),
        n_visible,
        n_situations: model.situations.len(),
        event_bits,
        start_bit: lowering.layout.start,
        moving_bit: lowering.layout.moving,
        clock: ClockSlots {
            step,
            time,
            row_time,
            is_read,
        },
        relation_tests: lowering.relation_tests,
        assignment_tests,
        remembered: lowering.remembered,
        counted: lowering.counted,
        schedule_bits: lowering.layout.schedules,
        schedule_counts: lowering.schedule_counts,
        delayed: lowering.delayed,
        derived: lowering.derived,
        asked: lowering.asked,
        probes: probe_slots,
        tape: lowering.emitter.asm.finish(),
    };
    debug_assert_eq!(tape::verify(&program.tape), Ok(()));
    program
}

impl Program {
    /// The slot of a real.
    pub fn real(&self, id: RealId) -> Slot {
        Slot::new(id.index())
    }

    /// The bit of a situation: they stand last among the visible ones.
    pub(crate) fn situation(&self, id: SituationId) -> Bit {
        bit_at(self.n_visible - self.n_situations + id.index())
    }

    /// The slot of a constant.
    pub fn constant(&self, id: ConstantId) -> Slot {
        Slot::new(self.n_reals + id.index())
    }
}

struct Lowering<'a> {
    model: &'a Model,
    options: TickOptions,
    emitter: Emitter<'a>,
    layout: Layout,
    step: Slot,
    /// The slot that `time` reads.
    time: Slot,
    /// Slots that hold reals as they were before the tick.
    before: FxHashMap<RealId, Slot>,
    /// Slots that hold reals as they were before the rows of a group.
    replaced: FxHashMap<RealId, Slot>,
    delayed: Vec<(ExprId, Coefficient, RelationId)>,
    derived: Vec<(ExprId, Slot, RelationId)>,
    /// Range or row whose lookups have to be noted.
    asker: Option<Asker>,
    asked: Vec<Asked>,
    remembered: Vec<Option<Bit>>,
    counted: Vec<(RelationId, Bit)>,
    schedule_counts: Vec<Slot>,
    /// For each counter the bit that says its condition has just arisen.
    watched: FxHashMap<RelationId, Bit>,
    /// For each real with an `otherwise` row the bit that says another conditional row holds.
    otherwise: FxHashMap<RealId, Bit>,
    relation_tests: Vec<Option<u32>>,
}

/// Value of a real that an expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As it stands.
    Now,
    /// As it was before the tick.
    Before,
}

/// Reads quantities as they stand, or as they were before the tick.
struct Moment<'l> {
    before: Option<&'l FxHashMap<RealId, Slot>>,
    /// Reals that rows of the same group write, as they were before.
    replaced: &'l FxHashMap<RealId, Slot>,
    time: Slot,
    asking: Option<Asking<'l>>,
}

impl Reader for Moment<'_> {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        match self.before {
            Some(before) => before[&id],
            None => match self.replaced.get(&id) {
                Some(slot) => *slot,
                None => Slot::new(id.index()),
            },
        }
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }

    fn looked_up(&mut self, id: LookupId, args: &[Slot], value: Slot, asm: &mut Assembler) {
        if let Some(asking) = &mut self.asking {
            asking.looked_up(id, args, value, asm);
        }
    }
}

impl Lowering<'_> {
    /// Copies every real that a later op reads as "before the tick".
    fn copies(&mut self) {
        let simultaneous = self.options.scan == Scan::Simultaneous;
        let trapezoid = self.options.integral == IntegralRule::Trapezoid;
        let mut wanted: Vec<RealId> = Vec::new();
        let mut settled: HashSet<RealId> = HashSet::new();
        for relation in &self.model.relations {
            if self.is_auxiliary(relation) && (simultaneous || relation.procedure.solves()) {
                let auxiliary = |target: &&RealId| self.model.reals[target.index()].auxiliary;
                settled.extend(relation.targets.iter().filter(auxiliary));
            }
            let is_integral = matches!(
                relation.procedure.get().body,
                Body::Memory(Memory::Integral)
            );
            if simultaneous {
                wanted.extend(&relation.targets);
            }
            if !(simultaneous || trapezoid && (is_integral || self.is_auxiliary(relation))) {
                continue;
            }
            for arg in &relation.args {
                if let Argument::Real(expr) = arg {
                    self.model.exprs.each_real(*expr, |real| wanted.push(real));
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        self.emitter.asm.begin_row(NO_ROW);
        for id in wanted {
            // An auxiliary real that was found once, from the values that stood, is as it is found in this tick.
            let slot = match settled.contains(&id) {
                true => Slot::new(id.index()),
                false => self.copy(id),
            };
            self.before.insert(id, slot);
        }
    }

    /// True if a row gives an auxiliary real.
    fn is_auxiliary(&self, relation: &Relation) -> bool {
        let mut targets = relation.targets.iter();
        targets.any(|target| self.model.reals[target.index()].auxiliary)
    }

    /// A copy of a real, as it stands.
    fn copy(&mut self, id: RealId) -> Slot {
        let asm = &mut self.emitter.asm;
        asm.begin_statement();
        let (copy, real) = (asm.slot(), Slot::new(id.index()));
        asm.op_into(copy, Code::Copy, real, real);
        copy
    }

    fn expr(&mut self, root: ExprId, reading: Reading) -> Slot {
        let before = (reading == Reading::Before).then_some(&self.before);
        let mut moment = Moment {
            before,
            replaced: &self.replaced,
            time: self.time,
            asking: self.asker.map(|by| Asking {
                by,
                lookups: &self.model.lookups,
                asked: &mut self.asked,
            }),
        };
        self.emitter.expr(root, &mut moment)
    }

    fn probes(&mut self, probes: &Probes) -> ProbeSlots {
        self.emitter.asm.begin_row(NO_ROW);
        let values = probes.values.iter();
        let values = values.map(|&expr| self.expr(expr, Reading::Now)).collect();
        let watches = probes.watches.iter();
        let watches = watches.map(|watch| self.watch(watch)).collect();
        ProbeSlots { values, watches }
    }
}

/// Positions in the order asked for.
fn in_order(rows: Range<usize>, order: Order) -> impl Iterator<Item = usize> {
    let (first, end) = (rows.start, rows.end);
    rows.map(move |row| match order {
        Order::Written => row,
        Order::Reversed => first + end - 1 - row,
    })
}
