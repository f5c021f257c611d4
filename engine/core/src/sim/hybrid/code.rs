//! Compiled steps of a mode: recorded when the mode turns out to be much used, taken over when they
//! are ready. They have the bits of the interpreter, so that nothing depends on when that is.

use std::collections::HashMap;
use std::sync::Arc;

use super::driver::Hybrid;
use super::eval::Evaluator;
use crate::backend::compiled::{StraightCompiler, StraightSource};
use crate::lower::mode::{Mode, Segment};
use crate::solve::Method;
use crate::solve::record::{CompiledStep, Recorded, Recorder, StepTape, record};
use crate::tape::{Op, Shape};

/// Most operations of a step that is compiled whole.
const MOST_OPS: usize = 6000;

/// What is there of a mode's compiled steps.
#[derive(Clone, Debug, Default)]
pub(super) enum Compiled {
    /// Nothing yet.
    #[default]
    No,
    /// They are being compiled.
    Soon(Arc<StepTape>, Arc<dyn StraightSource>),
    /// They are there.
    Ready(Box<CompiledStep>),
    /// There are none for this mode.
    Never,
}

/// Writes down the rates of a mode, whose flow has no loops.
fn record_rates<'r>(
    mode: &Mode,
    recorder: &'r Recorder,
    t: Recorded<'r>,
    y: &[Recorded<'r>],
    dy: &mut [Recorded<'r>],
) {
    let mut now: HashMap<u32, Recorded<'r>> = HashMap::new();
    now.insert(mode.time.0, t);
    for (real, &value) in mode.states.iter().zip(y) {
        now.insert(real.index() as u32, value);
    }
    for segment in &mode.flow {
        let Segment::Ops(ops) = segment else { continue };
        for &Op { code, out, a, b } in ops {
            let of = |slot: u32| now.get(&slot).map_or(slot, |value| value.slot);
            let shape = code.shape();
            let old = (shape == Shape::Update).then(|| of(out));
            let b = if shape == Shape::Unary { of(a) } else { of(b) };
            let value = recorder.op(code, old, of(a), b);
            now.insert(out, value);
        }
    }
    for (dy, rate) in dy.iter_mut().zip(&mode.rates) {
        *dy = now.get(&rate.0).copied().unwrap_or(recorder.at(rate.0));
    }
}

impl Evaluator {
    /// Records a step of a method in this mode; `None` if that cannot be compiled, or would be long.
    fn step_tape(&self, method: Method) -> Option<StepTape> {
        let mode = &self.mode;
        let explicit = match method {
            Method::Auto => Method::Tsit5,
            method => method,
        };
        let n = mode.states.len();
        let plain = !self.has_loops() && mode.delays.is_empty() && mode.weights.is_empty();
        let ops = mode.flow.iter().map(|segment| match segment {
            Segment::Ops(ops) => ops.len(),
            Segment::Loop(_) => 0,
        });
        let per_stage = ops.sum::<usize>() + 20 * n;
        // A matrix times a state is done as fast without: the loops over components are vectors.
        let pays = self.linear().is_none() && 16 * per_stage <= MOST_OPS;
        if !plain || !pays || n == 0 {
            return None;
        }
        let n_slots = mode.tape.n_slots;
        let tape = record(explicit, n, n_slots, &mut |recorder, t, y, dy| {
            record_rates(mode, recorder, t, y, dy);
        });
        tape.map(|tape| tape.with_numbers(&mode.tape.numbers))
    }

    /// Steps of the method have taken so many evaluations: has them compiled if that pays.
    fn want_code(&mut self, method: Method, compiler: &dyn StraightCompiler, evaluations: u64) {
        if !matches!(self.compiled, Compiled::No) {
            return;
        }
        self.evaluations += evaluations;
        if self.evaluations < compiler.pays_after() {
            return;
        }
        self.compiled = match self.step_tape(method) {
            Some(tape) => {
                let source = compiler.begin(tape.job.clone());
                Compiled::Soon(Arc::new(tape), source)
            }
            None => Compiled::Never,
        };
    }

    /// Compiled steps of a method, if there are any, with what is held brought up to date.
    #[inline]
    pub(super) fn compiled(&mut self, method: Method) -> Option<&mut CompiledStep> {
        match &self.compiled {
            Compiled::No | Compiled::Never => return None,
            Compiled::Soon(tape, source) => {
                let code = source.code()?;
                let known = self.slots();
                let step = CompiledStep::new(tape, code, known);
                self.compiled = Compiled::Ready(Box::new(step));
            }
            Compiled::Ready(_) => {}
        }
        let (step, held) = self.compiled_step()?;
        if step.method != method {
            return None;
        }
        held.bring(&mut step.slots);
        Some(step)
    }
}

impl Hybrid {
    /// Has steps compiled where that pays, from here on. Results stay the same to the bit.
    pub fn plug_in(&mut self, compiler: Arc<dyn StraightCompiler>) {
        self.compiler = Some(compiler);
    }

    /// In how many modes steps are done by compiled code.
    pub fn native_modes(&self) -> usize {
        let modes = (0..self.modes.len()).map(|mode| self.modes.at(mode));
        modes
            .filter(|mode| matches!(mode.compiled, Compiled::Ready(_)))
            .count()
    }

    /// A step is going to be tried: asks for code if the mode is much used.
    pub(super) fn want_code(&mut self) {
        if let (Some(compiler), true) = (&self.compiler, self.motion.is_free()) {
            let method = self.config.settings.method;
            let evaluations = match method {
                Method::Tsit5 | Method::Auto => 6,
                _ => 12,
            };
            let evaluator = self.modes.get(self.motion.mode);
            evaluator.want_code(method, &**compiler, evaluations);
        }
    }
}
