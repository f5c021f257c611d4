//! A tick that gave a value that is not finite -> the row that did, with what it read.

use std::sync::Arc;

use super::TickRun;
use crate::backend::interpreter::{Instruction, Observer, Reals, prepare};
use crate::ids::{RealId, RelationId};
use crate::lower::Program;
use crate::sim::fault::finite::{all_finite, read_by};
use crate::sim::{RunFault, State};
use crate::tape::{Code, Shape};

impl TickRun {
    /// Runs again from the snapshot to the first failing tick and finds the row; the state, and what has
    /// fired, are then those before that tick. The ticks that failed began at `begin`.
    pub(in crate::sim) fn find_fault(&mut self, begin: u64) -> RunFault {
        let program = Arc::clone(&self.program);
        let code = Arc::clone(&self.code);
        let step = self.config.step;
        let mut state = self.snapshot.clone();
        let mut before = state.clone();
        let mut first = FirstBad::new(&program);
        self.fired.clone_from(&self.fired_before);
        while state.tick < self.state.tick && all_finite(&state.reals[..program.n_reals]) {
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
        let mut first = FirstBad::new(program);
        ready
            .clone()
            .scan(program, code.flat(program), step, &mut first);
        let (position, real, value) = first.found.expect("a run is repeatable");
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

/// Finds the first op that writes a real that is not finite.
struct FirstBad<'a> {
    program: &'a Program,
    found: Option<(usize, RealId, f64)>,
}

impl<'a> FirstBad<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            found: None,
        }
    }
}

impl Observer for FirstBad<'_> {
    fn executed(&mut self, position: usize, op: &Instruction, reals: &(impl Reals + ?Sized)) {
        let writes_real = matches!(
            op.code.map(Code::shape),
            Some(Shape::Unary | Shape::Binary | Shape::Update | Shape::Push)
        );
        let in_rows = self.program.sections.relations.contains(&position);
        if !(writes_real && in_rows && (op.out as usize) < self.program.n_reals)
            || self.found.is_some()
        {
            return;
        }
        let value = reals.value(op.out);
        if !value.is_finite() {
            self.found = Some((position, RealId(op.out), value));
        }
    }
}
