//! Projection onto constraints, behind the relations of a tick.

use super::Lowering;
use crate::lower::projection::{Outside, stages};
use crate::lower::row::Input;
use crate::model::Constraint;
use crate::tape::{Code, Slot};

impl Lowering<'_> {
    /// Puts the state back onto the constraints that hold.
    pub(super) fn projection(&mut self) {
        let model = self.model;
        let constraints: Vec<&Constraint> = model.constraints.iter().collect();
        let Some(first) = constraints.first() else {
            return;
        };
        let guard = |one: &Constraint| &model.relations[one.relation.index()].guard;
        let together = constraints.iter().all(|one| guard(one) == guard(first));
        let test = |one: &Constraint| self.relation_tests[one.relation.index()];
        let tests: Vec<Option<u32>> = constraints.iter().map(|one| test(one)).collect();
        self.emitter.asm.begin_row(first.relation.0);
        let still = self.skip_if_still();
        let asm = &mut self.emitter.asm;
        let inactive = tests[0].filter(|_| together);
        let inactive = inactive.map(|test| asm.skip_unless(test));
        let [zero, one] = [0.0, 1.0].map(|value| asm.number(value));
        let flags: Vec<Slot> = (tests.iter())
            .filter(|_| !together)
            .map(|test| match test {
                None => one,
                Some(test) => {
                    let flag = asm.slot();
                    asm.op_into(flag, Code::Copy, zero, zero);
                    let jump = asm.skip_unless(*test);
                    asm.op_into(flag, Code::Copy, one, one);
                    asm.land(jump);
                    flag
                }
            })
            .collect();
        // The state is that of the end of the tick.
        let (step, time) = (self.step, self.time);
        let end = asm.op(Code::Add, time, step);
        let constants_at = self.emitter.constants_at;
        let input = |input| match input {
            Input::Real(real) => Slot::new(real.index()),
            Input::Constant(constant) => Slot::new(constants_at + constant.index()),
            Input::Time => end,
        };
        for stage in stages(model, &constraints, !together) {
            let asm = &mut self.emitter.asm;
            let multipliers: Vec<Slot> = stage.members.iter().map(|_| asm.slot()).collect();
            let active = stage
                .members
                .iter()
                .filter_map(|&at| flags.get(at).copied());
            let equations = stage.equations(&Outside {
                input: &input,
                zero,
                multipliers: &multipliers,
                active: &active.collect::<Vec<Slot>>(),
            });
            let first = equations.unknowns[0];
            let number = asm.solve(equations);
            asm.bits(Code::Solve, first.to.0, first.from.0, number);
            // They have their values by then: these say so to all that reads who writes what.
            let others = stage
                .moved
                .iter()
                .skip(1)
                .map(|real| Slot::new(real.index()));
            for other in others.chain(multipliers) {
                asm.op_into(other, Code::Copy, other, other);
            }
        }
        for jump in inactive.into_iter().chain(still) {
            self.emitter.asm.land(jump);
        }
    }
}
