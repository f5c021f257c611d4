//! A program -> its parts as the interpreter takes them.

use std::sync::{Arc, OnceLock};

use crate::backend::interpreter::{Instruction, Rolled, prepare};
use crate::lower::Program;
use crate::sim::fault::finite::{Tested, watched};

/// The parts of a program as the interpreter takes them.
#[derive(Debug)]
pub(in crate::sim) struct Code {
    pub(in crate::sim) tick: Rolled,
    /// The same op by op, from the first time on that somebody looks on.
    flat: OnceLock<Box<[Instruction]>>,
    pub(in crate::sim) probes: Box<[Instruction]>,
    /// Instructions executed before the first tick: guards, then edges.
    pub(in crate::sim) start: [Box<[Instruction]>; 2],
    /// Slots that are tested after every tick.
    pub(in crate::sim) watched: Arc<[u32]>,
    /// The same as the interpreter tests them.
    pub(in crate::sim) tested: Tested,
}

impl Code {
    pub(super) fn new(program: &Program) -> Self {
        let watched = watched(program);
        Self {
            tick: Rolled::new(&program.tape, 0..program.sections.relations.end),
            flat: OnceLock::new(),
            probes: prepare(&program.tape, program.sections.probes.clone()),
            start: [&program.sections.guards, &program.sections.edges]
                .map(|part| prepare(&program.tape, part.clone())),
            tested: Tested::new(&watched, program.n_reals),
            watched: watched.into(),
        }
    }

    /// A tick, op by op.
    pub(in crate::sim) fn flat(&self, program: &Program) -> &[Instruction] {
        self.flat
            .get_or_init(|| prepare(&program.tape, 0..program.sections.relations.end))
    }
}
