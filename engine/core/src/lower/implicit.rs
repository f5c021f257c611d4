//! Rates that enter with a singular matrix -> the equations of a tick: a step of the implicit Euler method, since no rates
//! can be told from the values that stand.

use rustc_hash::FxHashMap;

use super::projection::Moved;
use super::row::{Input, assembled, emitter, finish};
use crate::ids::RealId;
use crate::model::{Model, SingularRates};
use crate::tape::{Code, Slot, Solve};

/// The equations for rates r with which `F(r, x + r dt, t + dt) = 0`.
///
/// `outer`: where what they read stands in the tape around them, the time being that of the end; `step`: the slot of dt;
/// `to`: where the rates stand.
pub(super) fn implicit_step(
    model: &Model,
    rates: &SingularRates,
    outer: &dyn Fn(Input) -> Slot,
    step: Slot,
    to: &[Slot],
) -> Solve {
    let (mut emitter, present) = emitter(model);
    let own: Vec<Slot> = to.iter().map(|_| emitter.asm.slot()).collect();
    let length = emitter.asm.slot();
    let mut moved: FxHashMap<RealId, Slot> = FxHashMap::default();
    let targets = &model.relations[rates.relation.index()].targets;
    for ((&rate, &state), &own) in targets.iter().zip(&rates.states).zip(&own) {
        let way = emitter.asm.op(Code::Mul, own, length);
        let place = emitter.asm.op(Code::Add, Slot::new(state.index()), way);
        moved.insert(state, place);
        moved.insert(rate, own);
    }
    let mut reader = Moved {
        to: &moved,
        time: present.time,
    };
    let residuals = rates.equations.iter();
    let mut values: Vec<Slot> = residuals
        .map(|&equation| {
            let residual = emitter.expr(equation, &mut reader);
            emitter.asm.unary(Code::Copy, residual)
        })
        .collect();
    values.extend(own.iter().chain([&length]));
    let inner = finish(emitter, present, values);
    let unknowns: Vec<(Slot, Slot)> = to.iter().map(|&slot| (slot, slot)).collect();
    assembled(&inner, outer, unknowns.into_iter(), &[step])
}
