//! Compiled code that the runs of one sweep share: a job that differs from an earlier one in its numbers only becomes the
//! code of that one, with its own numbers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::compiled::{CompileError, Compiler, Pending, TickCode, TickJob};
use crate::backend::compiled::{BasicBlockCode, BasicBlockJob};
use crate::tape::{Op, Slot};

/// Most shapes that are compiled. Runs that go on to make others are better interpreted.
const MOST_SHAPES: usize = 256;

/// In a sweep nobody but the runs has a processor: compiling what they evaluate must not cost them more than a tenth.
const PATIENCE: u64 = 10;

/// A compiler whose code is shared. Numbers are read from memory: constants that the sweep varies are among them.
#[derive(Debug)]
pub(crate) struct SharedCode {
    compiler: Arc<dyn Compiler>,
    by_shape: Mutex<FxHashMap<JobShape, Pending<dyn BasicBlockCode>>>,
    n_runs: AtomicU64,
}

/// All of a job but its numbers.
#[derive(PartialEq, Eq, Hash, Debug)]
struct JobShape {
    ops: Vec<Op>,
    parts: Vec<[usize; 2]>,
    kept: Vec<u32>,
    numbers: Vec<Slot>,
    n_slots: u32,
}

/// Code with the numbers of one job.
#[derive(Debug)]
struct WithNumbers {
    code: Arc<dyn BasicBlockCode>,
    numbers: Arc<[(Slot, f64)]>,
}

impl BasicBlockCode for WithNumbers {
    fn run(&self, part: usize, slots: &mut [f64]) {
        for &(slot, value) in &*self.numbers {
            // A part reads none behind the end of its slots.
            if let Some(place) = slots.get_mut(slot.index()) {
                *place = value;
            }
        }
        self.code.run(part, slots);
    }
}

impl SharedCode {
    pub(crate) fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self {
            compiler,
            by_shape: Mutex::default(),
            n_runs: AtomicU64::new(0),
        }
    }

    /// A run begins.
    pub(crate) fn enter(&self) {
        self.n_runs.fetch_add(1, Ordering::Relaxed);
    }
}

impl Compiler for SharedCode {
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError> {
        self.compiler.ticks(job, ticks)
    }

    fn straight(&self, mut job: BasicBlockJob) -> Pending<dyn BasicBlockCode> {
        let tape = Arc::make_mut(&mut job.tape);
        let numbers: Arc<[(Slot, f64)]> = std::mem::take(&mut tape.numbers).into();
        let shape = JobShape {
            ops: tape.ops.clone(),
            parts: job
                .parts
                .iter()
                .map(|part| [part.start, part.end])
                .collect(),
            kept: job.kept.clone(),
            numbers: numbers.iter().map(|(slot, _)| *slot).collect(),
            n_slots: tape.n_slots,
        };
        let none = || Pending::when(|| None);
        let Ok(mut by_shape) = self.by_shape.lock() else {
            return none();
        };
        let n_shapes = by_shape.len();
        let code = match by_shape.get(&shape) {
            Some(code) => code.clone(),
            None if n_shapes >= MOST_SHAPES => return none(),
            None => {
                let code = self.compiler.straight(job);
                by_shape.insert(shape, code.clone());
                code
            }
        };
        Pending::when(move || {
            let (code, numbers) = (code.code()?, Arc::clone(&numbers));
            Some(Arc::new(WithNumbers { code, numbers }) as Arc<dyn BasicBlockCode>)
        })
    }

    /// What one of the runs so far has to do, if all have done as much.
    fn pays_after(&self) -> u64 {
        let n_runs = self.n_runs.load(Ordering::Relaxed).max(1);
        self.compiler.pays_after().saturating_mul(PATIENCE) / n_runs
    }
}
