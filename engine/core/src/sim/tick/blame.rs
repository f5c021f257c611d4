//! A tick that gave a value that is not finite -> the row that did, with what it read.

use std::sync::Arc;

use super::TickRun;
use crate::backend::interpreter::{Instruction, Observer, Reals, prepare};
use crate::ids::{RealId, RelationId};
use crate::lower::{Asked, Asker, Program};
use crate::model::Model;
use crate::sim::fault::finite::{all_finite, read_by};
use crate::sim::{RunFault, State};
use crate::tape::{Code, Shape};

impl TickRun {
    /// Runs again from the snapshot to the first failing tick and finds the row; the state, and what has
    /// fired, are then those before that tick. The ticks that failed began at `begin`.
    pub(in crate::sim) fn find_fault(&mut self, begin: u64) -> RunFault {
        let (model, program) = (Arc::clone(&self.model), Arc::clone(&self.program));
        let code = Arc::clone(&self.code);
        let step = self.config.step;
        let mut state = self.snapshot.clone();
        let mut before = state.clone();
        let mut first = FirstBad::new(&model, &program);
        self.fired.clone_from(&self.fired_before);
        let is_finite = |state: &State| {
            all_finite(&state.reals[..program.n_reals])
                && code.tested.are_finite(state.reals.as_slice())
        };
        while state.tick < self.state.tick && is_finite(&state) {
            before.clone_from(&state);
            if before.tick > begin {
                self.collect_events(&program, before.bits.as_slice());
            }
            first.found = None;
            state.scan(&program, code.flat(&program), step, &mut first);
            state.tick += 1;
        }
        self.state = before;
        self.noted.clone_from(&self.state.bits);
        self.coverage.close(self.state.tick);
        let ready = self.state.clone();
        self.blame(&ready)
    }

    /// Names the row that fails in the tick that a state is ready for.
    #[cold]
    pub(in crate::sim) fn blame(&self, ready: &State) -> RunFault {
        let (program, code) = (&*self.program, &*self.code);
        let step = self.config.step;
        let mut first = FirstBad::new(&self.model, program);
        ready
            .clone()
            .scan(program, code.flat(program), step, &mut first);
        let (position, real, value) = match first.found.expect("a run is repeatable") {
            Bad::Real {
                position,
                real,
                value,
            } => (position, real, value),
            Bad::Lookup {
                asked,
                argument,
                ends,
            } => {
                let (relation, range) = match asked.by {
                    Asker::Relation(id) => (Some(id), None),
                    Asker::Range(id) => (None, Some(id)),
                };
                return RunFault::OutsideLookup {
                    time: self.time(),
                    relation,
                    range,
                    argument,
                    ends,
                };
            }
        };
        let rows = &program.tape.rows;
        let relation = RelationId(rows[position]);

        // What the row read: the same tick up to its first op.
        let row_start = rows[program.sections.relations.start..position]
            .iter()
            .rposition(|&row| row != relation.0)
            .map_or(0, |last| last + 1);
        let up_to_row = prepare(
            &program.tape,
            0..program.sections.relations.start + row_start,
        );
        let mut state = ready.clone();
        state.scan(program, &up_to_row, step, &mut first);
        let (slots, n_reals) = (&state.reals, self.program.n_reals);
        if let Some(length) = self.model.relations[relation.index()].delay() {
            let (reals, constants) = slots.split_at(n_reals);
            let tau = self.model.value_at(length, reals, constants, self.time());
            if tau < 0.0 {
                return RunFault::NegativeDelay {
                    time: self.time(),
                    relation,
                    tau,
                };
            }
        }
        let (reals, constants) = read_by(
            &self.model,
            relation,
            |id| slots[id.index()],
            |id| slots[n_reals + id.index()],
        );
        RunFault::NotFinite {
            tick: Some(self.state.tick + 1),
            time: self.time(),
            relation,
            real,
            value,
            reals,
            constants,
            after: None,
        }
    }
}

/// Finds the first op that writes a real, or a lookup, that is not finite.
struct FirstBad<'a> {
    model: &'a Model,
    program: &'a Program,
    found: Option<Bad<'a>>,
}

/// What is not finite.
#[derive(Clone, Copy)]
enum Bad<'a> {
    /// A real that an op of a row wrote.
    Real {
        position: usize,
        real: RealId,
        value: f64,
    },
    /// A lookup, with the argument for which it has no value and the ends of its points.
    Lookup {
        asked: &'a Asked,
        argument: f64,
        ends: [f64; 2],
    },
}

impl<'a> FirstBad<'a> {
    fn new(model: &'a Model, program: &'a Program) -> Self {
        Self {
            model,
            program,
            found: None,
        }
    }

    /// What a lookup was asked for: the first argument outside of its points, or that is itself no number.
    fn outside(&self, asked: &'a Asked, reals: &(impl Reals + ?Sized)) -> Bad<'a> {
        let interpolation = &self.model.lookups[asked.lookup.index()].interpolation;
        let points = interpolation.points();
        let axes = points.axes().into_iter().zip(&asked.args).enumerate();
        let axes = axes.map(|(at, (axis, slot))| (at, axis, reals.value(slot.0)));
        let (_, axis, argument) = axes
            .clone()
            .find(|&(at, _, argument)| interpolation.is_outside(at, argument))
            .or_else(|| axes.clone().next())
            .expect("a lookup has arguments");
        Bad::Lookup {
            asked,
            argument,
            ends: [axis[0], axis[axis.len() - 1]],
        }
    }
}

impl Observer for FirstBad<'_> {
    fn executed(&mut self, position: usize, op: &Instruction, reals: &(impl Reals + ?Sized)) {
        let writes_real = matches!(
            op.code.map(Code::shape),
            Some(Shape::Unary | Shape::Binary | Shape::Update | Shape::Push)
        );
        if !writes_real || self.found.is_some() {
            return;
        }
        let value = reals.value(op.out);
        if value.is_finite() {
            return;
        }
        let program = self.program;
        let asked = program
            .asked
            .binary_search_by_key(&op.out, |asked| asked.value.0);
        let in_rows = program.sections.relations.contains(&position);
        self.found = match asked {
            Ok(at) => Some(self.outside(&program.asked[at], reals)),
            Err(_) if in_rows && (op.out as usize) < program.n_reals => Some(Bad::Real {
                position,
                real: RealId(op.out),
                value,
            }),
            Err(_) => None,
        };
    }
}
