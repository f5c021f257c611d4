//! Constraints -> the equations that put a state back onto them (FORMALISM 10.8).
//!
//! A constraint and its derivatives below the one that is solved hold along the exact motion; rounding and the errors of
//! a method drift away from them. A stage of the projection moves states q to the nearest place at which some of them
//! hold: `q' = q + m grad g(q)`, `g(q') = 0`, with one multiplier m per constraint. Positions come first, then speeds:
//! a stage moves what no earlier one has moved.

use rustc_hash::FxHashMap;

use super::emit::Reader;
use super::row::{Input, RowTape, assembled, emitter, finish};
use crate::ids::{RealId, RelationId};
use crate::model::{Constraint, Level, Model};
use crate::tape::{Assembler, Code, Slot, Solve};

/// A stage: states that are moved so that constraints hold, as equations.
pub(crate) struct Stage {
    /// The rows of the constraints.
    pub(crate) rows: Vec<RelationId>,
    /// The states, ascending. They are the first unknowns, the multipliers of the constraints follow.
    pub(crate) moved: Vec<RealId>,
    /// Positions of the constraints among those that were given.
    pub(crate) members: Vec<usize>,
    tape: RowTape,
}

/// Where a stage reads and writes in the tape around it.
pub(crate) struct Outside<'a> {
    /// The slots of what it reads.
    pub(crate) input: &'a dyn Fn(Input) -> Slot,
    /// A slot that is 0: multipliers are looked for from there.
    pub(crate) zero: Slot,
    /// Slots that take the multipliers.
    pub(crate) multipliers: &'a [Slot],
    /// Slots that are 1 while the constraints hold, else 0; none if they always do.
    pub(crate) active: &'a [Slot],
}

/// The stages in which states are put back onto some constraints. `conditional`: each of them holds for a part of
/// the time only.
pub(crate) fn stages(model: &Model, constraints: &[&Constraint], conditional: bool) -> Vec<Stage> {
    let depth = constraints.iter().map(|one| one.levels.len()).max();
    let mut earlier: Vec<RealId> = Vec::new();
    let mut stages = Vec::new();
    for below in (1..=depth.unwrap_or_default()).rev() {
        let members: Vec<usize> = (0..constraints.len())
            .filter(|&at| constraints[at].levels.len() >= below)
            .collect();
        let level = |at: &usize| {
            let levels = &constraints[*at].levels;
            &levels[levels.len() - below]
        };
        let levels: Vec<&Level> = members.iter().map(level).collect();
        let states = levels.iter().flat_map(|level| &level.gradient);
        let mut moved: Vec<RealId> = states
            .map(|(real, _)| *real)
            .filter(|real| !earlier.contains(real))
            .collect();
        moved.sort_unstable();
        moved.dedup();
        earlier.extend(&moved);
        let mut rows: Vec<RelationId> =
            members.iter().map(|&at| constraints[at].relation).collect();
        rows.dedup();
        stages.push(Stage {
            tape: stage_tape(model, &levels, &moved, conditional),
            rows,
            moved,
            members,
        });
    }
    stages
}

/// Reads states where they are moved to.
pub(super) struct Moved<'a> {
    pub(super) to: &'a FxHashMap<RealId, Slot>,
    pub(super) time: Slot,
}

impl Reader for Moved<'_> {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        self.to.get(&id).copied().unwrap_or(Slot::new(id.index()))
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

/// The residuals of a stage. Its values are the residuals, behind them the unknowns, and what says which of the
/// constraints hold.
fn stage_tape(model: &Model, levels: &[&Level], moved: &[RealId], conditional: bool) -> RowTape {
    let (mut emitter, mut present) = emitter(model);
    let [to, multipliers, active] = [
        moved.len(),
        levels.len(),
        if conditional { levels.len() } else { 0 },
    ]
    .map(|n| (0..n).map(|_| emitter.asm.slot()).collect::<Vec<Slot>>());
    let mut values = Vec::new();
    for (&real, &to) in moved.iter().zip(&to) {
        let mut place = Slot::new(real.index());
        for (level, &multiplier) in levels.iter().zip(&multipliers) {
            let slope = level.gradient.iter().find(|(state, _)| *state == real);
            if let Some((_, slope)) = slope {
                let slope = emitter.expr(*slope, &mut present);
                let way = emitter.asm.op(Code::Mul, multiplier, slope);
                place = emitter.asm.op(Code::Add, place, way);
            }
        }
        values.push(emitter.asm.op(Code::Sub, to, place));
    }
    let places = moved.iter().copied().zip(to.iter().copied()).collect();
    let mut reader = Moved {
        to: &places,
        time: present.time,
    };
    for (at, level) in levels.iter().enumerate() {
        let residual = emitter.expr(level.residual, &mut reader);
        let asm = &mut emitter.asm;
        values.push(match active.get(at) {
            None => asm.unary(Code::Copy, residual),
            // Without its constraint a multiplier is 0.
            Some(&active) => {
                let holds = asm.op(Code::Mul, active, residual);
                let one = asm.number(1.0);
                let rests = asm.op(Code::Sub, one, active);
                let rests = asm.op(Code::Mul, rests, multipliers[at]);
                asm.op(Code::Add, holds, rests)
            }
        });
    }
    values.extend(to.into_iter().chain(multipliers).chain(active));
    finish(emitter, present, values)
}

impl Stage {
    /// The equations of the stage, in a tape around them.
    pub(crate) fn equations(&self, outside: &Outside<'_>) -> Solve {
        let places = self.moved.iter().map(|&real| {
            let slot = (outside.input)(Input::Real(real));
            (slot, slot)
        });
        let multipliers = outside.multipliers.iter().map(|&to| (outside.zero, to));
        let unknowns: Vec<(Slot, Slot)> = places.chain(multipliers).collect();
        let input = outside.input;
        let equations = assembled(&self.tape, input, unknowns.into_iter(), outside.active);
        Solve {
            near: Some(self.moved.len()),
            ..equations
        }
    }
}

/// The projection of a mode: its stages, on slots for the reals, the constants, the time and 0, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    pub(crate) stages: Vec<ProjectionStage>,
    n_reals: usize,
}

/// A stage with its equations.
#[derive(Clone, Debug)]
pub(crate) struct ProjectionStage {
    pub(crate) rows: Vec<RelationId>,
    pub(crate) moved: Vec<RealId>,
    pub(crate) equations: Solve,
}

impl Projection {
    /// The projection onto some constraints; `None` if there are none.
    pub(crate) fn onto(model: &Model, constraints: &[&Constraint]) -> Option<Self> {
        if constraints.is_empty() {
            return None;
        }
        let n_reals = model.reals.len();
        let time = n_reals + model.constants.len();
        let input = |input| match input {
            Input::Real(real) => Slot::new(real.index()),
            Input::Constant(constant) => Slot::new(n_reals + constant.index()),
            Input::Time => Slot::new(time),
        };
        let zero = Slot::new(time + 1);
        let stages = stages(model, constraints, false).into_iter().map(|stage| {
            let multipliers = vec![zero; stage.members.len()];
            let outside = Outside {
                input: &input,
                zero,
                multipliers: &multipliers,
                active: &[],
            };
            ProjectionStage {
                equations: stage.equations(&outside),
                rows: stage.rows,
                moved: stage.moved,
            }
        });
        Some(Self {
            stages: stages.collect(),
            n_reals,
        })
    }

    /// What a slot of its equations holds.
    pub(crate) fn read(
        &self,
        slot: Slot,
        real: impl Fn(RealId) -> f64,
        constants: &[f64],
        t: f64,
    ) -> f64 {
        match slot.index().checked_sub(self.n_reals) {
            None => real(RealId::new(slot.index())),
            Some(at) => match constants.get(at) {
                Some(constant) => *constant,
                None if at == constants.len() => t,
                None => 0.0,
            },
        }
    }
}
