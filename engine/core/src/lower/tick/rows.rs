//! Relations -> operations on reals.

use super::{Asker, Lowering, Reading, in_order};
use crate::ids::{RealId, RelationId};
use crate::lower::implicit::implicit_step;
use crate::lower::row::{Input, residual_tape, solve};
use crate::model::{Argument, Expr, Guard, IntegralRule, Relation, Scan};
use crate::procedure::{Body, Memory, Motion};
use crate::tape::{Assembler, Bit, Code, DelayLine, Literals, Slot};

impl Lowering<'_> {
    pub(super) fn relations(&mut self) {
        let model = self.model;
        let mut open: Option<(Literals, usize)> = None;
        self.relation_tests.resize(model.relations.len(), None);
        let begins = model.group_begins();
        let mut group = None;
        for index in self.order_of_relations() {
            let relation = &model.relations[index];
            let id = RelationId::new(index);
            if group != Some(begins[index]) {
                group = Some(begins[index]);
                if let Some(rows) = group_of(&begins, index)
                    && self.options.scan == Scan::Sequential
                {
                    if let Some((_, jump)) = open.take() {
                        self.emitter.asm.land(jump);
                    }
                    self.emitter.asm.begin_row(id.0);
                    self.keep_for_group(&model.relations[rows]);
                } else {
                    self.replaced.clear();
                }
            }
            let guard = self.guard(relation);
            let test = if guard.is_empty() {
                None
            } else {
                Some(self.emitter.asm.test(guard.clone()))
            };
            let body = relation.procedure.get().body;
            self.relation_tests[index] = match body {
                // It writes only while it takes samples.
                Body::Memory(Memory::SampleAndHold) => {
                    Some(self.with_argument(relation, &guard, true))
                }
                _ => test,
            };
            self.emitter.asm.begin_row(id.0);

            // What goes into a delay or a derivative is computed whether or not a row is active, also the one above.
            let keeps_past = matches!(body, Body::Memory(Memory::Delay | Memory::Derivative));
            let must_close = keeps_past || open.as_ref().is_some_and(|(of, _)| *of != guard);
            if must_close && let Some((_, jump)) = open.take() {
                self.emitter.asm.land(jump);
            }
            if matches!(body, Body::Memory(Memory::Derivative)) {
                self.derivative(id, relation, test);
                continue;
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
        // What stands behind the rows reads what the last group has written.
        self.replaced.clear();
    }

    /// Copies what rows of a group write and others of them read: all of them read it as it stands before the first.
    fn keep_for_group(&mut self, rows: &[Relation]) {
        self.replaced.clear();
        let mut written: Vec<RealId> = rows.iter().flat_map(|row| row.targets.clone()).collect();
        written.sort_unstable();
        let mut wanted: Vec<RealId> = Vec::new();
        for row in rows {
            for arg in &row.args {
                if let Argument::Real(expr) = arg {
                    self.model.exprs.visit(*expr, |_, node| match node {
                        Expr::Real(id)
                            if !row.targets.contains(id) && written.binary_search(id).is_ok() =>
                        {
                            wanted.push(*id);
                        }
                        _ => {}
                    });
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        for id in wanted {
            let copy = self.copy(id);
            self.replaced.insert(id, copy);
        }
    }

    /// Relations of a tick by position; neighbours that act at events are in the order asked for.
    pub(super) fn order_of_relations(&self) -> Vec<usize> {
        let rows = &self.model.relations[..self.model.first_observed()];
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
        if self.options.scan == Scan::Simultaneous {
            order.sort_by_key(|&row| !self.is_auxiliary(&rows[row]));
        }
        order
    }

    pub(super) fn target(&self, relation: &Relation) -> Slot {
        Slot::new(relation.targets[0].index())
    }

    pub(super) fn relation(&mut self, id: RelationId, relation: &Relation, guard: &[(Bit, bool)]) {
        let out = self.target(relation);
        match relation.procedure.get().body {
            Body::Value(_) if relation.targets.len() > 1 => self.several(relation),
            Body::Value(emit) => {
                let since = self.emitter.asm.len();
                let args: Vec<Slot> = self.real_args(relation);
                let value = self.emitter.value(relation, emit, args);
                self.emitter.asm.store(out, value, since);
                self.auxiliary_before(relation, emit);
            }
            Body::Memory(memory) => self.memory(memory, id, relation, guard),
            Body::Solve => self.solved(id, relation),
        }
    }

    /// What an auxiliary row comes to with the values before the tick, for trapezoids that read it.
    fn auxiliary_before(&mut self, relation: &Relation, emit: fn(&mut Assembler, &[Slot]) -> Slot) {
        let before = self.before.get(&relation.targets[0]).copied();
        let (Some(before), Scan::Sequential) = (before, self.options.scan) else {
            return;
        };
        if !self.is_auxiliary(relation) {
            return;
        }
        self.emitter.asm.begin_statement();
        let since = self.emitter.asm.len();
        let args = 0..relation.args.len();
        let args = args.map(|position| self.expr_before(relation, position));
        let args = args.collect();
        let value = self.emitter.value(relation, emit, args);
        self.emitter.asm.store(before, value, since);
    }

    /// Equations, solved with all other values as the scan reads them.
    fn solved(&mut self, id: RelationId, relation: &Relation) {
        let reading = match self.options.scan {
            Scan::Sequential => Reading::Now,
            Scan::Simultaneous => Reading::Before,
        };
        let (time, constants_at) = (self.time, self.emitter.constants_at);
        let outer = |input| match input {
            Input::Real(real) if reading == Reading::Before => self.before[&real],
            Input::Real(real) => Slot::new(real.index()),
            Input::Constant(constant) => Slot::new(constants_at + constant.index()),
            Input::Time => time,
        };
        let to: Vec<Slot> = relation
            .targets
            .iter()
            .map(|real| Slot::new(real.index()))
            .collect();
        let mut singular = self.model.singular.iter();
        let equations = match singular.find(|rates| rates.relation == id) {
            Some(rates) => {
                let end = self.emitter.asm.op(Code::Add, time, self.step);
                let outer = |input| match input {
                    Input::Time => end,
                    other => outer(other),
                };
                implicit_step(self.model, rates, &outer, self.step, &to)
            }
            None => {
                let inner = residual_tape(self.model, relation);
                solve(&inner, relation, outer, &to)
            }
        };
        let first = equations.unknowns[0];
        let asm = &mut self.emitter.asm;
        let number = asm.solve(equations);
        asm.bits(Code::Solve, first.to.0, first.from.0, number);
        // The others have their values by then: these say so to all that reads who writes what.
        for &other in &to[1..] {
            asm.op_into(other, Code::Copy, other, other);
        }
    }

    /// `v1, v2 := e1, e2`: every right side before the first store.
    pub(super) fn several(&mut self, relation: &Relation) {
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

    pub(super) fn memory(
        &mut self,
        memory: Memory,
        id: RelationId,
        relation: &Relation,
        guard: &[(Bit, bool)],
    ) {
        let out = self.target(relation);
        let takes_time = memory.motion() == Motion::Integrated;
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
                self.asker = Some(Asker::Relation(id));
                let mut args = self.real_args(relation);
                self.asker = None;
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
            Memory::Delay | Memory::Derivative => {
                unreachable!("what remembers its argument is written by `relations`")
            }
        }
        if let Some(jump) = still {
            self.emitter.asm.land(jump);
        }
    }

    /// `y := c * (a - a_last) / dt`, `a_last` being what the row read the last time that the scan came to it.
    fn derivative(&mut self, id: RelationId, relation: &Relation, test: Option<u32>) {
        let out = self.target(relation);
        let mut now = self.expr_arg(relation, 0);
        if now == out {
            now = self.emitter.asm.unary(Code::Copy, now);
        }
        let last = self.emitter.asm.slot();
        let jump = test.map(|test| self.emitter.asm.skip_unless(test));
        let still = self.skip_if_still();
        let since = self.emitter.asm.len();
        let change = self.emitter.asm.op(Code::Sub, now, last);
        let change = self.emitter.scaled(change, relation.coef);
        let rate = self.emitter.asm.op(Code::Div, change, self.step);
        self.emitter.asm.store(out, rate, since);
        for jump in still.into_iter().chain(jump) {
            self.emitter.asm.land(jump);
        }
        self.emitter.asm.op_into(last, Code::Copy, now, now);
        if let Argument::Real(arg) = relation.args[0] {
            self.derived.push((arg, last, id));
        }
    }

    /// Begins what is skipped in a tick in which no time passes.
    pub(super) fn skip_if_still(&mut self) -> Option<usize> {
        let moving = self.layout.moving?;
        let test = self
            .emitter
            .asm
            .test(Literals::from_slice(&[(moving, true)]));
        Some(self.emitter.asm.skip_unless(test))
    }

    /// The scaled argument and the line of a delay, computed also while the row is not active.
    pub(super) fn delay_line(
        &mut self,
        id: RelationId,
        relation: &Relation,
    ) -> Option<(Slot, u32)> {
        let Body::Memory(Memory::Delay) = relation.procedure.get().body else {
            return None;
        };
        let (Argument::Real(arg), Argument::Real(tau)) = (relation.args[0], relation.args[1])
        else {
            return None;
        };
        let value = self.expr_arg(relation, 0);
        let value = self.emitter.scaled(value, relation.coef);
        let tau = match self.options.scan {
            Scan::Sequential => self.expr(tau, Reading::Now),
            Scan::Simultaneous => self.expr(tau, Reading::Before),
        };
        let line = self.emitter.asm.delay_line(DelayLine {
            tau,
            step: self.step,
        });
        self.delayed.push((arg, relation.coef, id));
        Some((value, line))
    }

    /// In a simultaneous scan: what an update starts from is the value before the tick.
    pub(super) fn restore(&mut self, relation: &Relation) {
        if self.options.scan == Scan::Simultaneous {
            let before = self.before[&relation.targets[0]];
            self.emitter
                .asm
                .op_into(self.target(relation), Code::Copy, before, before);
        }
    }

    /// The test of the guard together with the boolean argument.
    pub(super) fn with_argument(
        &mut self,
        relation: &Relation,
        guard: &[(Bit, bool)],
        wanted: bool,
    ) -> u32 {
        let mut literals = Literals::from_slice(guard);
        for arg in &relation.args {
            if let Argument::Boolean(literal) = arg {
                literals.push((self.layout.of(literal.what), literal.negated != wanted));
            }
        }
        self.emitter.asm.test(literals)
    }

    /// The real arguments, as the scan reads them.
    pub(super) fn real_args(&mut self, relation: &Relation) -> Vec<Slot> {
        (0..relation.args.len())
            .map(|position| self.expr_arg(relation, position))
            .collect()
    }

    pub(super) fn expr_arg(&mut self, relation: &Relation, position: usize) -> Slot {
        match self.options.scan {
            Scan::Simultaneous => self.expr_before(relation, position),
            Scan::Sequential => self.expr_now(relation, position),
        }
    }

    pub(super) fn expr_now(&mut self, relation: &Relation, position: usize) -> Slot {
        self.argument(relation, position, Reading::Now)
    }

    pub(super) fn expr_before(&mut self, relation: &Relation, position: usize) -> Slot {
        self.argument(relation, position, Reading::Before)
    }

    pub(super) fn argument(
        &mut self,
        relation: &Relation,
        position: usize,
        reading: Reading,
    ) -> Slot {
        match relation.args[position] {
            Argument::Real(expr) => self.expr(expr, reading),
            Argument::Boolean(_) => unreachable!("the signature says which arguments are real"),
        }
    }
}

/// The rows of the group of a relation, if there are several.
fn group_of(begins: &[usize], at: usize) -> Option<std::ops::Range<usize>> {
    let begin = begins[at];
    let behind = begins[at..].iter().position(|other| *other != begin);
    let end = behind.map_or(begins.len(), |behind| at + behind);
    // A group that is done in reverse order begins at its end.
    (end - begin > 1).then_some(begin..end)
}
