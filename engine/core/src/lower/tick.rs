//! Model -> tape of one tick, in written order (FORMALISM 6).
//!
//! The tape has five parts, executed in this order: copies of the reals that somebody reads as
//! "before the tick" ; ranges; situations; assignments; edges that procedures watch; relations; and
//! after the tick the probes that measures and `stop_when` read off the row.
//!
//! Slots: the reals first, then the constants, then everything handed out by the assembler. Bits:
//! switches, ranges, situations ([`Program::n_visible`] of them), then what only the tape knows.

use std::collections::HashMap;
use std::ops::Range;

use super::emit::{Emitter, Reader};
use crate::ids::{ConstantId, ExprId, RangeId, RealId, RelationId, SituationId, SwitchId};
use crate::model::{
    Argument, Boolean, Coefficient, CompareOp, Comparison, Conjunction, Expr, Guard, IntegralRule,
    Literal, Model, Order, Relation, Scan, Watch, WatchLiteral,
};
use crate::procedure::{Body, Memory};
use crate::tape::{self, Assembler, Bit, Code, DelayLine, Literals, Period, Slot, Tape};

/// Choices of a tick run that change the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TickOptions {
    /// In which order relations see each other's results.
    pub scan: Scan,
    /// Formula of `integral`.
    pub integral: IntegralRule,
    /// Order of assignments and of rows of events.
    pub order: Order,
    /// Whether the tape can also do a tick in which no time passes: all that happens at its start,
    /// and values that follow from others, but nothing that takes time.
    pub stands_still: bool,
}

/// What is read off every row of the trajectory besides the model's own quantities.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Probes {
    /// Expressions; `time` in them is the time of the row.
    pub values: Vec<ExprId>,
    /// Conditions.
    pub watches: Vec<Watch>,
}

/// A model ready to be stepped.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The operations.
    pub tape: Tape,
    /// Ops from the copies to the end of the situations.
    pub(crate) guards: Range<usize>,
    /// Ops of the assignments.
    pub(crate) assignments: Range<usize>,
    /// Ops that note edges for procedures with memory.
    pub(crate) edges: Range<usize>,
    /// Ops of the relations.
    pub(crate) relations: Range<usize>,
    /// Ops executed after the tick.
    pub(crate) probes: Range<usize>,
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
    /// Length of a tick.
    pub step: Slot,
    /// Time at the start of the tick.
    pub time: Slot,
    /// Time at the start of the tick before.
    pub previous_time: Slot,
    /// Time after the tick, for probes.
    pub row_time: Slot,
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
    /// Whether an op of the tick reads the time.
    pub reads_time: bool,
    /// Slots of the probes' values.
    pub probe_values: Vec<Slot>,
    /// Bits of the probes' conditions.
    pub probe_watches: Vec<Bit>,
}

/// Row number of ops that belong to no relation.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Lowers the model for tick stepping.
///
/// The model must hold what [`crate::model::verify`] promises.
pub fn tick(model: &Model, options: &TickOptions, probes: &Probes) -> Program {
    let n_reals = model.reals.len();
    let mut asm = Assembler::new(n_reals);
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let layout = Layout::new(model, options, &mut asm);
    let step = asm.fixed_slot();
    let time = asm.time();
    let previous_time = asm.slot();
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
        previous_time,
        before: HashMap::new(),
        delayed: Vec::new(),
        remembered: Vec::with_capacity(model.situation_rows.len()),
        counted: Vec::new(),
        schedule_counts: Vec::with_capacity(model.schedules.len()),
        watched: HashMap::new(),
        otherwise: HashMap::new(),
        relation_tests: Vec::with_capacity(model.relations.len()),
    };
    lowering.copies();
    lowering.ranges();
    lowering.situations();
    let guards = 0..lowering.emitter.asm.len();
    let assignment_tests = lowering.assignments();
    let assignments = guards.end..lowering.emitter.asm.len();
    lowering.edges();
    let edges = assignments.end..lowering.emitter.asm.len();
    lowering.relations();
    let relations = edges.end..lowering.emitter.asm.len();
    lowering.time = row_time;
    let (probe_values, probe_watches) = lowering.probes(probes);
    let probe_ops = relations.end..lowering.emitter.asm.len();

    let reads_time = [time, previous_time]
        .iter()
        .any(|&slot| lowering.emitter.asm.reads(slot));
    let n_visible = lowering.layout.n_visible();
    let event_bits = lowering.layout.event_bits(model);
    let program = Program {
        guards,
        assignments,
        edges,
        relations,
        probes: probe_ops,
        n_reals,
        n_constants: model.constants.len(),
        n_visible,
        n_situations: model.situations.len(),
        event_bits,
        start_bit: lowering.layout.start,
        moving_bit: lowering.layout.moving,
        step,
        time,
        previous_time,
        row_time,
        relation_tests: lowering.relation_tests,
        assignment_tests,
        reads_time,
        remembered: lowering.remembered,
        counted: lowering.counted,
        schedule_bits: lowering.layout.schedules,
        schedule_counts: lowering.schedule_counts,
        delayed: lowering.delayed,
        probe_values,
        probe_watches,
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

/// Which bit is which.
struct Layout {
    n_switches: usize,
    n_ranges: usize,
    n_situations: usize,
    start: Bit,
    moving: Option<Bit>,
    schedules: Vec<Bit>,
}

impl Layout {
    fn new(model: &Model, options: &TickOptions, asm: &mut Assembler) -> Self {
        let n_visible = model.switches.len() + model.ranges.len() + model.situations.len();
        for _ in 0..n_visible {
            asm.bit();
        }
        Self {
            n_switches: model.switches.len(),
            n_ranges: model.ranges.len(),
            n_situations: model.situations.len(),
            start: asm.bit(),
            moving: options.stands_still.then(|| asm.bit()),
            schedules: model.schedules.iter().map(|_| asm.bit()).collect(),
        }
    }

    fn n_visible(&self) -> usize {
        self.n_switches + self.n_ranges + self.n_situations
    }

    fn switch(&self, id: SwitchId) -> Bit {
        id.0
    }

    fn range(&self, id: RangeId) -> Bit {
        bit_at(self.n_switches + id.index())
    }

    fn situation(&self, id: SituationId) -> Bit {
        bit_at(self.n_switches + self.n_ranges + id.index())
    }

    fn of(&self, what: Boolean) -> Bit {
        match what {
            Boolean::Switch(id) => self.switch(id),
            Boolean::Range(id) => self.range(id),
            Boolean::Situation(id) => self.situation(id),
            Boolean::Schedule(id) => self.schedules[id.index()],
            Boolean::Start => self.start,
        }
    }

    fn literals(&self, all: &[Literal]) -> Literals {
        all.iter()
            .map(|literal| (self.of(literal.what), !literal.negated))
            .collect()
    }

    fn event_bits(&self, model: &Model) -> Vec<u64> {
        let mut words = vec![0_u64; self.n_visible().div_ceil(64)];
        for (index, situation) in model.situations.iter().enumerate() {
            if situation.event {
                let bit = self.situation(SituationId::new(index));
                words[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
        words
    }
}

fn bit_at(index: usize) -> Bit {
    Bit::try_from(index).expect("fewer than 2^32 booleans")
}

struct Lowering<'a> {
    model: &'a Model,
    options: TickOptions,
    emitter: Emitter<'a>,
    layout: Layout,
    step: Slot,
    /// The slot that `time` reads.
    time: Slot,
    previous_time: Slot,
    /// Slots that hold reals as they were before the tick.
    before: HashMap<RealId, Slot>,
    delayed: Vec<(ExprId, Coefficient, RelationId)>,
    remembered: Vec<Option<Bit>>,
    counted: Vec<(RelationId, Bit)>,
    schedule_counts: Vec<Slot>,
    /// For each counter the bit that says its condition has just arisen.
    watched: HashMap<RelationId, Bit>,
    /// For each real with an `otherwise` row the bit that says another conditional row holds.
    otherwise: HashMap<RealId, Bit>,
    relation_tests: Vec<Option<u32>>,
}

/// Which value of a real an expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As it stands.
    Now,
    /// As it was before the tick.
    Before,
}

/// Reads quantities as they stand, or as they were before the tick.
struct Moment<'l> {
    before: Option<&'l HashMap<RealId, Slot>>,
    time: Slot,
}

impl Reader for Moment<'_> {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        self.before
            .map_or(Slot::new(id.index()), |before| before[&id])
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

impl Lowering<'_> {
    /// Copies every real that a later op reads as "before the tick".
    fn copies(&mut self) {
        let simultaneous = self.options.scan == Scan::Simultaneous;
        let trapezoid = self.options.integral == IntegralRule::Trapezoid;
        let mut wanted: Vec<RealId> = Vec::new();
        for relation in &self.model.relations {
            let reads_before = match relation.procedure.get().body {
                Body::Memory(Memory::Derivative) => true,
                Body::Memory(Memory::Integral) => trapezoid,
                _ => false,
            };
            if simultaneous {
                wanted.extend(&relation.targets);
            }
            if !(simultaneous || reads_before) {
                continue;
            }
            for arg in &relation.args {
                if let Argument::Real(expr) = arg {
                    self.model.exprs.visit(*expr, |_, node| {
                        if let Expr::Real(id) = node {
                            wanted.push(*id);
                        }
                    });
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        self.emitter.asm.begin_row(NO_ROW);
        for id in wanted {
            let copy = self.emitter.asm.slot();
            let real = Slot::new(id.index());
            self.emitter.asm.op_into(copy, Code::Copy, real, real);
            self.before.insert(id, copy);
        }
    }

    fn ranges(&mut self) {
        let model = self.model;
        for (index, range) in model.ranges.iter().enumerate() {
            self.emitter.asm.begin_row(NO_ROW);
            let bit = self.layout.range(RangeId::new(index));
            self.comparisons(bit, range.all.iter());
        }
    }

    fn comparisons<'c>(&mut self, bit: Bit, all: impl Iterator<Item = &'c Comparison>) {
        for (position, comparison) in all.enumerate() {
            let left = self.expr(comparison.left, Reading::Now);
            let right = self.expr(comparison.right, Reading::Now);
            let code = match (comparison.op, position) {
                (CompareOp::Less, 0) => Code::Less,
                (CompareOp::LessEqual, 0) => Code::LessEqual,
                (CompareOp::Greater, 0) => Code::Greater,
                (CompareOp::GreaterEqual, 0) => Code::GreaterEqual,
                (CompareOp::Less, _) => Code::AndLess,
                (CompareOp::LessEqual, _) => Code::AndLessEqual,
                (CompareOp::Greater, _) => Code::AndGreater,
                (CompareOp::GreaterEqual, _) => Code::AndGreaterEqual,
            };
            self.emitter.asm.compare(code, bit, left, right);
        }
    }

    fn situations(&mut self) {
        let model = self.model;
        for index in 0..model.schedules.len() {
            self.schedule(index);
        }
        let mut begun = vec![false; model.situations.len()];
        for row in &model.situation_rows {
            let bit = self.layout.situation(row.situation);
            let first = !std::mem::replace(&mut begun[row.situation.index()], true);
            let test = self.test(&row.all);
            let event = model.situations[row.situation.index()].event;
            if event && first {
                self.emitter.asm.bits(Code::ClearBit, bit, 0, 0);
            }
            if event && !self.is_instantaneous(&row.all) {
                let remembered = self.emitter.asm.bit();
                self.emitter.asm.bits(Code::Rise, bit, test, remembered);
                self.remembered.push(Some(remembered));
            } else {
                let code = if first { Code::Test } else { Code::OrTest };
                self.emitter.asm.bits(code, bit, test, 0);
                self.remembered.push(None);
            }
        }
    }

    /// A conjunction that holds at instants only arises whenever it holds.
    fn is_instantaneous(&self, all: &Conjunction) -> bool {
        all.iter()
            .any(|literal| !literal.negated && self.model.is_event(literal.what))
    }

    fn schedule(&mut self, index: usize) {
        let schedule = &self.model.schedules[index];
        let period = self.expr(schedule.period, Reading::Now);
        let first = self.expr(schedule.first, Reading::Now);
        let count = self.emitter.asm.slot();
        self.schedule_counts.push(count);
        let number = self.emitter.asm.period(Period {
            period,
            first,
            step: self.step,
        });
        let bit = self.layout.schedules[index];
        self.emitter.asm.bits(Code::Due, bit, count.0, number);
    }

    fn assignments(&mut self) -> Vec<u32> {
        let model = self.model;
        let simultaneous = self.options.scan == Scan::Simultaneous;
        let done: Vec<Bit> = model
            .assignments
            .iter()
            .map(|_| self.emitter.asm.bit())
            .collect();
        if simultaneous {
            for (assignment, &done) in model.assignments.iter().zip(&done) {
                let test = self.test(&assignment.when);
                self.emitter.asm.bits(Code::Test, done, test, 0);
            }
        }
        let mut executed = vec![0; done.len()];
        for index in in_order(0..done.len(), self.options.order) {
            let (assignment, done) = (&model.assignments[index], done[index]);
            if !simultaneous {
                let test = self.test(&assignment.when);
                self.emitter.asm.bits(Code::Test, done, test, 0);
            }
            let test = self.emitter.asm.test(Literals::from_slice(&[(done, true)]));
            let jump = self.emitter.asm.skip_unless(test);
            for &(switch, value) in &assignment.set {
                let code = if value { Code::SetBit } else { Code::ClearBit };
                self.emitter
                    .asm
                    .bits(code, self.layout.switch(switch), 0, 0);
            }
            self.emitter.asm.land(jump);
            executed[index] = test;
        }
        executed
    }

    fn edges(&mut self) {
        let model = self.model;
        for (index, relation) in model.relations.iter().enumerate() {
            let id = RelationId::new(index);
            if let Body::Memory(Memory::Counter) = relation.procedure.get().body
                && let Some(Argument::Boolean(literal)) = relation.args.first()
            {
                let (bit, remembered) = (self.emitter.asm.bit(), self.emitter.asm.bit());
                let counted: Conjunction = std::iter::once(*literal).collect();
                let test = self.test(&counted);
                if self.is_instantaneous(&counted) {
                    self.emitter.asm.bits(Code::Test, bit, test, 0);
                } else {
                    self.emitter.asm.bits(Code::ClearBit, bit, 0, 0);
                    self.emitter.asm.bits(Code::Rise, bit, test, remembered);
                    self.counted.push((id, remembered));
                }
                self.watched.insert(id, bit);
            }
        }
        self.otherwise_bits();
    }

    fn otherwise_bits(&mut self) {
        let model = self.model;
        for relation in &model.relations {
            if relation.guard == Guard::Otherwise {
                for &target in &relation.targets {
                    self.otherwise.entry(target).or_insert(Bit::MAX);
                }
            }
        }
        if self.otherwise.is_empty() {
            return;
        }
        for relation in &model.relations {
            let Guard::When(all) = &relation.guard else {
                continue;
            };
            for target in &relation.targets {
                if !self.otherwise.contains_key(target) {
                    continue;
                }
                let test = self.test(all);
                let first = self.otherwise[target] == Bit::MAX;
                let bit = if first {
                    self.emitter.asm.bit()
                } else {
                    self.otherwise[target]
                };
                self.otherwise.insert(*target, bit);
                self.emitter
                    .asm
                    .bits(if first { Code::Test } else { Code::OrTest }, bit, test, 0);
            }
        }
    }

    /// The bits, with values, under which a relation is active.
    fn guard(&self, relation: &Relation) -> Literals {
        match &relation.guard {
            Guard::Always => Literals::new(),
            Guard::When(all) => self.layout.literals(all),
            Guard::Otherwise => relation
                .targets
                .iter()
                .map(|target| self.otherwise[target])
                .filter(|&bit| bit != Bit::MAX)
                .map(|bit| (bit, false))
                .collect(),
        }
    }

    fn relations(&mut self) {
        let model = self.model;
        let mut open: Option<(Literals, usize)> = None;
        self.relation_tests.resize(model.relations.len(), None);
        for index in self.order_of_relations() {
            let relation = &model.relations[index];
            let id = RelationId::new(index);
            let guard = self.guard(relation);
            let test = if guard.is_empty() {
                None
            } else {
                Some(self.emitter.asm.test(guard.clone()))
            };
            self.relation_tests[index] = test;
            self.emitter.asm.begin_row(id.0);

            // What goes into a delay is computed whether or not a row is active, also the one above.
            let body = relation.procedure.get().body;
            let keeps_past = matches!(body, Body::Memory(Memory::Delay));
            let must_close = keeps_past || open.as_ref().is_some_and(|(of, _)| *of != guard);
            if must_close && let Some((_, jump)) = open.take() {
                self.emitter.asm.land(jump);
            }
            let delayed = self.delay_line(id, relation);
            let pushed = delayed.map(|(value, line)| {
                let out = self.emitter.asm.slot();
                self.emitter.asm.bits(Code::Push, out.0, value.0, line);
                out
            });
            if open.is_none()
                && let Some(test) = test
            {
                open = Some((guard.clone(), self.emitter.asm.skip_unless(test)));
            }
            match pushed {
                Some(value) => {
                    self.emitter
                        .asm
                        .op_into(self.target(relation), Code::Copy, value, value)
                }
                None => self.relation(id, relation, &guard),
            }
        }
        if let Some((_, jump)) = open {
            self.emitter.asm.land(jump);
        }
    }

    /// Relations by position; neighbours that act at events are in the order asked for.
    fn order_of_relations(&self) -> Vec<usize> {
        let rows = &self.model.relations;
        let acts_at_event = |relation: &Relation| match &relation.guard {
            Guard::When(all) => all
                .iter()
                .any(|literal| !literal.negated && self.model.is_event(literal.what)),
            Guard::Always | Guard::Otherwise => false,
        };
        let mut order = Vec::with_capacity(rows.len());
        for block in rows.chunk_by(|a, b| acts_at_event(a) && acts_at_event(b)) {
            let block = order.len()..order.len() + block.len();
            order.extend(in_order(block, self.options.order));
        }
        order
    }

    fn target(&self, relation: &Relation) -> Slot {
        Slot::new(relation.targets[0].index())
    }

    fn relation(&mut self, id: RelationId, relation: &Relation, guard: &[(Bit, bool)]) {
        let out = self.target(relation);
        match relation.procedure.get().body {
            Body::Value(_) if relation.targets.len() > 1 => self.several(relation),
            Body::Value(emit) => {
                let since = self.emitter.asm.len();
                let args: Vec<Slot> = self.real_args(relation);
                let value = self.emitter.value(relation, emit, args);
                self.emitter.asm.store(out, value, since);
            }
            Body::Memory(memory) => self.memory(memory, id, relation, guard),
        }
    }

    /// `v1, v2 := e1, e2`: every right side before the first store.
    fn several(&mut self, relation: &Relation) {
        let args = self.real_args(relation);
        let values: Vec<Slot> = args
            .into_iter()
            .map(|value| {
                let stored_later = value.index() < self.model.reals.len();
                if stored_later {
                    self.emitter.asm.unary(Code::Copy, value)
                } else {
                    value
                }
            })
            .collect();
        for (target, value) in relation.targets.iter().zip(values) {
            self.emitter
                .asm
                .op_into(Slot::new(target.index()), Code::Copy, value, value);
        }
    }

    fn memory(
        &mut self,
        memory: Memory,
        id: RelationId,
        relation: &Relation,
        guard: &[(Bit, bool)],
    ) {
        let out = self.target(relation);
        let takes_time = matches!(
            memory,
            Memory::Integral | Memory::Derivative | Memory::Smoothing
        );
        let still = takes_time.then(|| self.skip_if_still()).flatten();
        match memory {
            Memory::Integral => {
                let mut rate = self.real_args(relation)[0];
                let trapezoid = self.options.integral == IntegralRule::Trapezoid;
                if trapezoid && self.options.scan == Scan::Sequential {
                    let before = self.expr_before(relation, 0);
                    let both = self.emitter.asm.op(Code::Add, before, rate);
                    let half = self.emitter.asm.number(0.5);
                    rate = self.emitter.asm.op(Code::Mul, both, half);
                }
                let rate = self.emitter.scaled(rate, relation.coef);
                self.restore(relation);
                self.emitter.asm.op_into(out, Code::AddMul, rate, self.step);
            }
            Memory::Derivative => {
                let since = self.emitter.asm.len();
                let now = self.expr_now(relation, 0);
                let before = self.expr_before(relation, 0);
                let change = self.emitter.asm.op(Code::Sub, now, before);
                let change = self.emitter.scaled(change, relation.coef);
                let rate = self.emitter.asm.op(Code::Div, change, self.step);
                self.emitter.asm.store(out, rate, since);
            }
            Memory::Smoothing => {
                let target = self.real_args(relation)[0];
                let constant = self.emitter.coefficient(relation.coef);
                let ratio = self.emitter.asm.op(Code::Div, self.step, constant);
                let exponent = self.emitter.asm.unary(Code::Neg, ratio);
                let left = self.emitter.asm.unary(Code::Exp, exponent);
                let one = self.emitter.asm.number(1.0);
                let share = self.emitter.asm.op(Code::Sub, one, left);
                self.restore(relation);
                self.emitter.asm.op_into(out, Code::Approach, target, share);
            }
            Memory::SampleAndHold => {
                let test = self.with_argument(relation, guard, true);
                let jump = self.emitter.asm.skip_unless(test);
                let since = self.emitter.asm.len();
                let value = self.expr_arg(relation, 0);
                let value = self.emitter.scaled(value, relation.coef);
                self.emitter.asm.store(out, value, since);
                self.emitter.asm.land(jump);
            }
            Memory::Counter => {
                let mut literals = Literals::from_slice(guard);
                literals.push((self.watched[&id], true));
                let test = self.emitter.asm.test(literals);
                let jump = self.emitter.asm.skip_unless(test);
                self.restore(relation);
                let one = self.emitter.asm.number(1.0);
                self.emitter.asm.op_into(out, Code::Add, out, one);
                self.emitter.asm.land(jump);
            }
            Memory::Timer => {
                let running = self.with_argument(relation, guard, true);
                let jump = self.emitter.asm.skip_unless(running);
                let still = self.skip_if_still();
                self.restore(relation);
                self.emitter.asm.op_into(out, Code::Add, out, self.step);
                self.emitter.asm.land(jump);
                if let Some(jump) = still {
                    self.emitter.asm.land(jump);
                }
                let stopped = self.with_argument(relation, guard, false);
                let jump = self.emitter.asm.skip_unless(stopped);
                let zero = self.emitter.asm.number(0.0);
                self.emitter.asm.op_into(out, Code::Copy, zero, zero);
                self.emitter.asm.land(jump);
            }
            Memory::Hysteresis => {
                let mut args = self.real_args(relation);
                // Both borders are compared with the argument as it stood, also if it is the target.
                for arg in args.iter_mut().filter(|arg| **arg == out) {
                    *arg = self.emitter.asm.unary(Code::Copy, out);
                }
                self.restore(relation);
                self.emitter
                    .asm
                    .op_into(out, Code::LowerAt, args[0], args[1]);
                self.emitter
                    .asm
                    .op_into(out, Code::RaiseAt, args[0], args[2]);
            }
            Memory::Delay => unreachable!("delay lines are written by `relations`"),
        }
        if let Some(jump) = still {
            self.emitter.asm.land(jump);
        }
    }

    /// Begins what is skipped in a tick in which no time passes.
    fn skip_if_still(&mut self) -> Option<usize> {
        let moving = self.layout.moving?;
        let test = self
            .emitter
            .asm
            .test(Literals::from_slice(&[(moving, true)]));
        Some(self.emitter.asm.skip_unless(test))
    }

    /// The scaled argument and the line of a delay, computed also while the row is not active.
    fn delay_line(&mut self, id: RelationId, relation: &Relation) -> Option<(Slot, u32)> {
        let Body::Memory(Memory::Delay) = relation.procedure.get().body else {
            return None;
        };
        let (Argument::Real(arg), Argument::Real(tau)) = (relation.args[0], relation.args[1])
        else {
            return None;
        };
        let value = self.expr_arg(relation, 0);
        let value = self.emitter.scaled(value, relation.coef);
        let tau = self.expr(tau, Reading::Now);
        let line = self.emitter.asm.delay_line(DelayLine {
            tau,
            step: self.step,
        });
        self.delayed.push((arg, relation.coef, id));
        Some((value, line))
    }

    /// In a simultaneous scan: what an update starts from is the value before the tick.
    fn restore(&mut self, relation: &Relation) {
        if self.options.scan == Scan::Simultaneous {
            let before = self.before[&relation.targets[0]];
            self.emitter
                .asm
                .op_into(self.target(relation), Code::Copy, before, before);
        }
    }

    /// The test of the guard together with the boolean argument.
    fn with_argument(&mut self, relation: &Relation, guard: &[(Bit, bool)], wanted: bool) -> u32 {
        let mut literals = Literals::from_slice(guard);
        for arg in &relation.args {
            if let Argument::Boolean(literal) = arg {
                literals.push((self.layout.of(literal.what), literal.negated != wanted));
            }
        }
        self.emitter.asm.test(literals)
    }

    /// The real arguments, as the scan reads them.
    fn real_args(&mut self, relation: &Relation) -> Vec<Slot> {
        (0..relation.args.len())
            .map(|position| self.expr_arg(relation, position))
            .collect()
    }

    fn expr_arg(&mut self, relation: &Relation, position: usize) -> Slot {
        match self.options.scan {
            Scan::Sequential => self.expr_now(relation, position),
            Scan::Simultaneous => self.expr_before(relation, position),
        }
    }

    fn expr_now(&mut self, relation: &Relation, position: usize) -> Slot {
        self.argument(relation, position, Reading::Now)
    }

    fn expr_before(&mut self, relation: &Relation, position: usize) -> Slot {
        self.argument(relation, position, Reading::Before)
    }

    fn argument(&mut self, relation: &Relation, position: usize, reading: Reading) -> Slot {
        let time = self.time_read(reading);
        let before = (reading == Reading::Before).then_some(&self.before);
        let mut moment = Moment { before, time };
        self.emitter.argument(relation, position, &mut moment)
    }

    fn expr(&mut self, root: ExprId, reading: Reading) -> Slot {
        let time = self.time_read(reading);
        let before = (reading == Reading::Before).then_some(&self.before);
        self.emitter.expr(root, &mut Moment { before, time })
    }

    fn time_read(&self, reading: Reading) -> Slot {
        match (reading, self.options.scan) {
            (Reading::Before, Scan::Sequential) => self.previous_time,
            _ => self.time,
        }
    }

    fn test(&mut self, all: &Conjunction) -> u32 {
        let literals = self.layout.literals(all);
        self.emitter.asm.test(literals)
    }

    fn probes(&mut self, probes: &Probes) -> (Vec<Slot>, Vec<Bit>) {
        self.emitter.asm.begin_row(NO_ROW);
        let values = probes
            .values
            .iter()
            .map(|&expr| self.expr(expr, Reading::Now))
            .collect();
        let watches = probes
            .watches
            .iter()
            .map(|watch| self.watch(watch))
            .collect();
        (values, watches)
    }

    fn watch(&mut self, watch: &Watch) -> Bit {
        let mut literals = Literals::new();
        let mut comparisons = Vec::new();
        for literal in watch {
            match literal {
                WatchLiteral::Boolean(literal) => {
                    literals.push((self.layout.of(literal.what), !literal.negated));
                }
                WatchLiteral::Comparison(comparison) => comparisons.push(*comparison),
            }
        }
        if !comparisons.is_empty() {
            let compared = self.emitter.asm.bit();
            self.comparisons(compared, comparisons.iter());
            literals.push((compared, true));
        }
        let (test, bit) = (self.emitter.asm.test(literals), self.emitter.asm.bit());
        self.emitter.asm.bits(Code::Test, bit, test, 0);
        bit
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
