//! Rows that are only read off a run -> operations on the row as it stands after the tick.
//!
//! Their own comparisons are over that row, as those of a [`crate::model::Watch`] are; booleans with names are as the tick
//! has found them.

use rustc_hash::FxHashMap;

use super::{Lowering, NO_ROW, Reading};
use crate::ids::{RangeId, RealId, SituationId};
use crate::model::{Argument, Boolean, Guard, Literal};
use crate::tape::{Bit, Code, Literals, Slot};

/// Bits of what is compared on the row after the tick.
#[derive(Default)]
struct Compared {
    ranges: FxHashMap<RangeId, Bit>,
    situations: FxHashMap<SituationId, Bit>,
    /// Per real whether a conditional row has given it.
    given: FxHashMap<RealId, Bit>,
}

impl Lowering<'_> {
    pub(super) fn observed(&mut self) {
        let model = self.model;
        let mut compared = Compared::default();
        for relation in &model.relations[model.first_observed()..] {
            self.emitter.asm.begin_row(NO_ROW);
            let target = relation.targets[0];
            let literals: Literals = match &relation.guard {
                Guard::Always => Literals::new(),
                Guard::When(all) => {
                    let all = all.iter();
                    all.map(|literal| self.on_row(*literal, &mut compared))
                        .collect()
                }
                Guard::Otherwise => {
                    let given = compared.given.get(&target);
                    given.map(|&bit| (bit, false)).into_iter().collect()
                }
            };
            let conditional = matches!(relation.guard, Guard::When(_));
            let test = (!literals.is_empty()).then(|| self.emitter.asm.test(literals));
            if let (true, Some(test)) = (conditional, test) {
                let known = compared.given.get(&target).copied();
                let code = known.map_or(Code::Test, |_| Code::OrTest);
                let bit = known.unwrap_or_else(|| self.emitter.asm.bit());
                self.emitter.asm.bits(code, bit, test, 0);
                compared.given.insert(target, bit);
            }
            self.emitter.asm.begin_row(NO_ROW);
            let jump = test.map(|test| self.emitter.asm.skip_unless(test));
            if let Argument::Real(expr) = relation.args[0] {
                let value = self.expr(expr, Reading::Now);
                let to = Slot::new(target.index());
                self.emitter.asm.op_into(to, Code::Copy, value, value);
            }
            if let Some(jump) = jump {
                self.emitter.asm.land(jump);
            }
        }
    }

    /// The bit of a literal on the row, with the value that it must have.
    fn on_row(&mut self, literal: Literal, compared: &mut Compared) -> (Bit, bool) {
        let model = self.model;
        let bit = match literal.what {
            Boolean::Range(id) if model.ranges[id.index()].anonymous => {
                match compared.ranges.get(&id) {
                    Some(&bit) => bit,
                    None => {
                        let bit = self.emitter.asm.bit();
                        self.comparisons(bit, model.ranges[id.index()].all.iter());
                        compared.ranges.insert(id, bit);
                        bit
                    }
                }
            }
            Boolean::Situation(id) if model.situations[id.index()].observed => {
                match compared.situations.get(&id) {
                    Some(&bit) => bit,
                    None => self.situation_on_row(id, compared),
                }
            }
            what => self.layout.of(what),
        };
        (bit, !literal.negated)
    }

    /// The bit of a situation that stands for one of several conditions on the row.
    fn situation_on_row(&mut self, id: SituationId, compared: &mut Compared) -> Bit {
        let model = self.model;
        let mut tests = Vec::new();
        for row in model
            .situation_rows
            .iter()
            .filter(|row| row.situation == id)
        {
            let all = row.all.iter();
            let literals = all.map(|literal| self.on_row(*literal, compared)).collect();
            tests.push(self.emitter.asm.test(literals));
        }
        let bit = self.emitter.asm.bit();
        self.emitter.asm.bits(Code::ClearBit, bit, 0, 0);
        for test in tests {
            self.emitter.asm.bits(Code::OrTest, bit, test, 0);
        }
        compared.situations.insert(id, bit);
        bit
    }
}
