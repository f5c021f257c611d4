//! One row, or some expressions, -> a tape of its own that computes from the values that stand.
//!
//! Its slots are its own, too: as many as it needs, however many reals the model has.

use smallvec::SmallVec;

use super::emit::{Emitter, Reader};
use super::jacobian::add_jacobian;
use crate::ids::{ConstantId, ExprId, RealId};
use crate::model::{Model, Relation};
use crate::procedure::{Body, Memory};
use crate::tape::{Assembler, Code, Op, Slot, Solve, Tape, Unknown};
use rustc_hash::FxHashMap;

/// The tape of a row.
#[derive(Clone, Debug)]
pub(crate) struct RowTape {
    pub(crate) tape: Tape,
    /// Slots of what it computes: each target's new value; of a hysteresis its argument and both limits; of a delay what
    /// goes into it, and its length.
    pub(crate) values: SmallVec<[Slot; 2]>,
    /// The reals that it reads, each once, with their slots.
    pub(crate) reads: SmallVec<[(RealId, Slot); 4]>,
    /// The constants that it reads, with their slots.
    pub(crate) constants: SmallVec<[(ConstantId, Slot); 2]>,
    pub(crate) time: Slot,
}

pub(super) struct Present {
    pub(super) time: Slot,
}

impl Reader for Present {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        Slot::new(id.index())
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

/// Lowers a row for execution in a microstep.
pub(crate) fn row_tape(model: &Model, relation: &Relation) -> RowTape {
    let (mut emitter, mut reader) = emitter(model);
    if relation.procedure.solves() {
        return solved_tape(model, relation);
    }
    let values: Vec<Slot> = if relation.targets.len() > 1 {
        emitter.arguments(relation, &mut reader)
    } else {
        match relation.procedure.get().body {
            Body::Value(emit) => {
                let args = emitter.arguments(relation, &mut reader);
                vec![emitter.value(relation, emit, args)]
            }
            Body::Memory(Memory::Hysteresis) => (0..3)
                .map(|position| emitter.argument(relation, position, &mut reader))
                .collect(),
            Body::Memory(Memory::Counter) => {
                let one = emitter.asm.number(1.0);
                let target = Slot::new(relation.targets[0].index());
                vec![emitter.asm.op(Code::Add, target, one)]
            }
            Body::Solve => unreachable!("it has a tape of its own kind"),
            Body::Memory(Memory::Delay) => {
                let value = emitter.argument(relation, 0, &mut reader);
                let length = emitter.argument(relation, 1, &mut reader);
                vec![emitter.scaled(value, relation.coef), length]
            }
            // A sample; the readers of tables refuse all other memory at events.
            Body::Memory(_) => {
                let value = emitter.argument(relation, 0, &mut reader);
                vec![emitter.scaled(value, relation.coef)]
            }
        }
    };
    finish(emitter, reader, values)
}

/// Lowers a row that is solved: its tape holds the equations, and takes their solution into the values.
fn solved_tape(model: &Model, relation: &Relation) -> RowTape {
    let inner = residual_tape(model, relation);
    let mut tape = Tape::default();
    let mut next = || {
        tape.n_slots += 1;
        Slot(tape.n_slots - 1)
    };
    let reads: SmallVec<[(RealId, Slot); 4]> = inner
        .reads
        .iter()
        .map(|(real, _)| (*real, next()))
        .collect();
    let constants: SmallVec<[(ConstantId, Slot); 2]> = (inner.constants.iter())
        .map(|(constant, _)| (*constant, next()))
        .collect();
    let time = next();
    let values: SmallVec<[Slot; 2]> = relation.targets.iter().map(|_| next()).collect();
    let outer = |input: Input| match input {
        Input::Real(real) => reads
            .iter()
            .find(|(id, _)| *id == real)
            .map(|(_, slot)| *slot),
        Input::Constant(constant) => {
            let found = constants.iter().find(|(id, _)| *id == constant);
            found.map(|(_, slot)| *slot)
        }
        Input::Time => Some(time),
    };
    let outer = |input| outer(input).expect("the tape of the residuals has read it");
    let solve = solve(&inner, relation, outer, &values);
    tape.solves.push(solve);
    RowTape {
        tape,
        values,
        reads,
        constants,
        time,
    }
}

/// What equations read.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    Real(RealId),
    Constant(ConstantId),
    Time,
}

/// Lowers the residuals of a row that is solved, and its bounds. The tape reads every target.
pub(super) fn residual_tape(model: &Model, relation: &Relation) -> RowTape {
    let (mut emitter, mut reader) = emitter(model);
    let mut values = Vec::new();
    for position in 0..relation.args.len() {
        values.push(emitter.argument(relation, position, &mut reader));
    }
    // A target that no equation reads is an unknown all the same.
    let targets = relation
        .targets
        .iter()
        .map(|target| Slot::new(target.index()));
    values.extend(targets);
    finish(emitter, reader, values)
}

/// Equations from the tape of their residuals.
///
/// `outer`: where what they read stands in the tape around them; `to`: where their solution goes.
pub(super) fn solve(
    inner: &RowTape,
    relation: &Relation,
    outer: impl Fn(Input) -> Slot,
    to: &[Slot],
) -> Solve {
    let n = relation.targets.len();
    let own = &inner.values[relation.args.len()..];
    let unknowns = relation.targets.iter().zip(own).zip(to);
    let unknowns = unknowns.map(|((&target, &own), &to)| Unknown {
        from: outer(Input::Real(target)),
        own,
        to,
    });
    let reads = inner.reads.iter();
    let reads = reads.filter(|(real, _)| !relation.targets.contains(real));
    let bounds = [n, n + 1];
    Solve {
        bounds: (relation.bounds()).map(|_| bounds.map(|at| inner.values[at])),
        ..equations(inner, &outer, reads, unknowns.collect())
    }
}

/// Equations from a tape whose values are their residuals, the slots of as many unknowns, and slots of what else is given.
///
/// `outer`: where what they read stands in the tape around them; `unknowns`: where the search for each begins there, and
/// where its value goes.
pub(super) fn assembled(
    inner: &RowTape,
    outer: &dyn Fn(Input) -> Slot,
    unknowns: impl ExactSizeIterator<Item = (Slot, Slot)>,
    given: &[Slot],
) -> Solve {
    let n = unknowns.len();
    let (own, others) = inner.values[n..].split_at(n);
    let unknowns = unknowns.zip(own);
    let unknowns = unknowns.map(|((from, to), &own)| Unknown { from, own, to });
    let mut solve = equations(inner, outer, inner.reads.iter(), unknowns.collect());
    let given = given.iter().copied();
    solve.inputs.extend(given.zip(others.iter().copied()));
    solve
}

/// Equations from a tape whose first values are their residuals; `reads`: the reals among what is given.
fn equations<'t>(
    inner: &RowTape,
    outer: &dyn Fn(Input) -> Slot,
    reads: impl Iterator<Item = &'t (RealId, Slot)>,
    unknowns: Vec<Unknown>,
) -> Solve {
    let own: SmallVec<[Slot; 2]> = unknowns.iter().map(|unknown| unknown.own).collect();
    let (setup, ops) = divided(&inner.tape, &own);
    let reals = reads.map(|&(real, own)| (outer(Input::Real(real)), own));
    let constants = inner.constants.iter();
    let constants = constants.map(|&(constant, own)| (outer(Input::Constant(constant)), own));
    let mut solve = Solve {
        setup,
        ops,
        numbers: inner.tape.numbers.clone(),
        n_slots: inner.tape.n_slots,
        inputs: reals
            .chain(constants)
            .chain([(outer(Input::Time), inner.time)])
            .collect(),
        residuals: inner.values[..unknowns.len()].to_vec(),
        unknowns,
        bounds: None,
        jacobian: None,
        near: None,
    };
    add_jacobian(&mut solve);
    solve
}

/// The operations of a tape that do not depend on unknowns, bounds among them, which are done once, and the others.
pub(super) fn divided(tape: &Tape, unknowns: &[Slot]) -> (Vec<Op>, Vec<Op>) {
    let mut moves = vec![false; tape.n_slots as usize];
    unknowns.iter().for_each(|slot| moves[slot.index()] = true);
    let (mut setup, mut ops) = (tape.setup.clone(), Vec::new());
    for op in &tape.ops {
        let depends = [op.a, op.b].into_iter().any(|slot| moves[slot as usize]);
        moves[op.out as usize] |= depends;
        if depends {
            ops.push(*op);
        } else {
            setup.push(*op);
        }
    }
    (setup, ops)
}

/// Lowers expressions for evaluation on the values that stand.
pub(crate) fn expression_tape(model: &Model, exprs: &[ExprId]) -> RowTape {
    let (mut emitter, mut reader) = emitter(model);
    let values = exprs.iter().map(|&expr| emitter.expr(expr, &mut reader));
    let values = values.collect();
    finish(emitter, reader, values)
}

pub(super) fn emitter(model: &Model) -> (Emitter<'_>, Present) {
    let constants_at = model.reals.len();
    let mut asm = Assembler::with_fixed(constants_at, model.constants.len());
    let time = asm.time();
    let emitter = Emitter {
        model,
        asm,
        constants_at,
    };
    (emitter, Present { time })
}

pub(super) fn finish(emitter: Emitter<'_>, reader: Present, values: Vec<Slot>) -> RowTape {
    let Emitter {
        model,
        asm,
        constants_at,
    } = emitter;
    let mut places = Places::default();
    let mut tape = asm.finish();
    let time = places.of(reader.time.0);
    let values = values.iter().map(|slot| Slot(places.of(slot.0))).collect();
    for op in tape.setup.iter_mut().chain(&mut tape.ops) {
        for slot in [&mut op.out, &mut op.a, &mut op.b] {
            *slot = places.of(*slot);
        }
    }
    for (slot, _) in &mut tape.numbers {
        *slot = Slot(places.of(slot.0));
    }
    tape.n_slots = places.next;
    // Nobody rolls the tape of a row.
    (tape.statements, tape.scratch) = Default::default();
    let mut row = RowTape {
        tape,
        values,
        reads: SmallVec::new(),
        constants: SmallVec::new(),
        time: Slot(time),
    };
    let mut given: Vec<(u32, u32)> = places.known.into_iter().collect();
    given.sort_unstable();
    for (slot, place) in given {
        let slot = slot as usize;
        if slot < constants_at {
            row.reads.push((RealId::new(slot), Slot(place)));
        } else if slot < constants_at + model.constants.len() {
            let constant = ConstantId::new(slot - constants_at);
            row.constants.push((constant, Slot(place)));
        }
    }
    row
}

/// Slots of the model as slots of the row.
#[derive(Default)]
struct Places {
    known: FxHashMap<u32, u32>,
    next: u32,
}

impl Places {
    fn of(&mut self, slot: u32) -> u32 {
        *self.known.entry(slot).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }
}
