//! Ranges, situations, assignments and edges -> operations on bits.

use super::{Asker, Lowering, NO_ROW, Reading, in_order};
use crate::ids::{RangeId, RelationId};
use crate::model::{
    Argument, CompareOp, Comparison, Conjunction, Expr, Guard, Model, Relation, Scan, WatchLiteral,
};
use crate::procedure::{Body, Memory};
use crate::tape::{Bit, Code, Literals, Period, Slot};

impl Lowering<'_> {
    pub(super) fn ranges(&mut self) {
        let model = self.model;
        for (index, range) in model.ranges.iter().enumerate() {
            self.emitter.asm.begin_row(NO_ROW);
            let id = RangeId::new(index);
            self.asker = Some(Asker::Range(id));
            self.comparisons(self.layout.range(id), range.all.iter());
            self.asker = None;
        }
    }

    pub(super) fn comparisons<'c>(&mut self, bit: Bit, all: impl Iterator<Item = &'c Comparison>) {
        for (position, comparison) in all.enumerate() {
            let [left, right] = self.sides(comparison);
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

    /// Both sides of a comparison. What differs from the time by rounding is one instant with it: a known time stands on
    /// the side on which it counts as reached, or as not passed.
    fn sides(&mut self, comparison: &Comparison) -> [Slot; 2] {
        let sides = [comparison.left, comparison.right];
        let mut slots = sides.map(|side| self.expr(side, Reading::Now));
        let Some((known, earliest)) = beside_time(self.model, comparison) else {
            return slots;
        };
        if self.emitter.asm.is_fixed(slots[known]) {
            let side = if earliest { Code::Sub } else { Code::Add };
            slots[known] = self.emitter.asm.beside(slots[known], side);
        }
        slots
    }

    /// The situations that are scanned before the assignments, or those `behind` them.
    pub(super) fn situations(&mut self, behind: bool) {
        let model = self.model;
        let mut begun = vec![false; model.situations.len()];
        for (index, row) in model.situation_rows.iter().enumerate() {
            if model.situations[row.situation.index()].behind != behind {
                continue;
            }
            self.emitter.asm.begin_statement();
            let bit = self.layout.situation(row.situation);
            let first = !std::mem::replace(&mut begun[row.situation.index()], true);
            let test = self.test(&row.all);
            let event = model.situations[row.situation.index()].event;
            if event && first {
                self.emitter.asm.bits(Code::ClearBit, bit, 0, 0);
            }
            // A conjunction that holds at instants only arises whenever it holds.
            if event && !self.model.names_event(&row.all) {
                let remembered = self.emitter.asm.bit();
                self.emitter.asm.bits(Code::Rise, bit, test, remembered);
                self.remembered[index] = Some(remembered);
            } else {
                let code = if first { Code::Test } else { Code::OrTest };
                self.emitter.asm.bits(code, bit, test, 0);
            }
        }
    }

    pub(super) fn schedules(&mut self) {
        for index in 0..self.model.schedules.len() {
            self.schedule(index);
        }
    }

    pub(super) fn schedule(&mut self, index: usize) {
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

    pub(super) fn assignments(&mut self) -> Vec<u32> {
        let model = self.model;
        let simultaneous = self.options.scan == Scan::Simultaneous;
        let done: Vec<Bit> = model
            .assignments
            .iter()
            .map(|_| self.emitter.asm.bit())
            .collect();
        if simultaneous {
            for (assignment, &done) in model.assignments.iter().zip(&done) {
                self.emitter.asm.begin_statement();
                let test = self.test(&assignment.when);
                self.emitter.asm.bits(Code::Test, done, test, 0);
            }
        }
        let mut executed = vec![0; done.len()];
        for index in in_order(0..done.len(), self.options.order) {
            let (assignment, done) = (&model.assignments[index], done[index]);
            self.emitter.asm.begin_statement();
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

    pub(super) fn edges(&mut self) {
        let model = self.model;
        for (index, relation) in model.relations.iter().enumerate() {
            let id = RelationId::new(index);
            if let Body::Memory(Memory::Counter) = relation.procedure.get().body
                && let Some(Argument::Boolean(literal)) = relation.args.first()
            {
                self.emitter.asm.begin_statement();
                let (bit, remembered) = (self.emitter.asm.bit(), self.emitter.asm.bit());
                let counted: Conjunction = std::iter::once(*literal).collect();
                let test = self.test(&counted);
                if self.model.names_event(&counted) {
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

    pub(super) fn otherwise_bits(&mut self) {
        let model = self.model;
        let rows = &model.relations[..model.first_observed()];
        for relation in rows {
            if relation.guard == Guard::Otherwise {
                for &target in &relation.targets {
                    self.otherwise.entry(target).or_insert(Bit::MAX);
                }
            }
        }
        if self.otherwise.is_empty() {
            return;
        }
        for relation in rows {
            let Guard::When(all) = &relation.guard else {
                continue;
            };
            for target in &relation.targets {
                if !self.otherwise.contains_key(target) {
                    continue;
                }
                self.emitter.asm.begin_statement();
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
    pub(super) fn guard(&self, relation: &Relation) -> Literals {
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

    pub(super) fn test(&mut self, all: &Conjunction) -> u32 {
        let literals = self.layout.literals(all);
        self.emitter.asm.test(literals)
    }

    pub(super) fn watch(&mut self, watch: &[WatchLiteral]) -> Bit {
        let mut literals = Literals::new();
        let mut comparisons = Vec::new();
        for literal in watch {
            match literal {
                WatchLiteral::Boolean(literal) => {
                    literals.push((self.layout.of(literal.what), !literal.negated));
                }
                WatchLiteral::Comparison(comparison) => comparisons.push(*comparison),
                WatchLiteral::Any { of, negated } => {
                    let any = self.emitter.asm.bit();
                    self.emitter.asm.bits(Code::ClearBit, any, 0, 0);
                    for watch in of {
                        let one = self.watch(watch);
                        let test = self.emitter.asm.test(Literals::from_slice(&[(one, true)]));
                        self.emitter.asm.bits(Code::OrTest, any, test, 0);
                    }
                    literals.push((any, !negated));
                }
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

/// The side of a comparison that is compared with the time, and whether the earliest time that is one with it counts,
/// or the latest.
pub(crate) fn beside_time(model: &Model, comparison: &Comparison) -> Option<(usize, bool)> {
    let rises = matches!(comparison.op, CompareOp::GreaterEqual | CompareOp::Less);
    let sides = [comparison.left, comparison.right];
    match sides.map(|side| matches!(model.exprs.get(side), Expr::Time)) {
        [true, false] => Some((1, rises)),
        [false, true] => Some((0, !rises)),
        _ => None,
    }
}
