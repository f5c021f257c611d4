//! Compiled steps and computations of a mode: recorded when it turns out that they are much used,
//! taken over when they are ready, both between two steps. They have the bits of the interpreter, so that
//! nothing depends on when that is.
//!
//! A whole step is compiled where the rates are no matrix: the loops of a matrix are vectors in Rust, and those of
//! the compiler are not. One job is under way at a time.

use crate::sim::events::detect::Detection;
use crate::sim::events::motion::Dynamics;
use std::collections::HashMap;
use std::sync::Arc;

use crate::backend::block::{self, Block, Kind, Place, Slots};
use crate::backend::compiled::BasicBlockCode;
use crate::backend::record::{TapeRecorder, TracedValue};
use crate::backend::step::{NativeStep, RatesOf, StepTape, record, record_rosenbrock};
use crate::backend::value::Scalar;
use crate::lower::mode::{Mode, Segment};
use crate::sim::compiled::{Compiler, Pending};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::run::EventRun;
use crate::tape::{Op, Shape, Slot};
use situ_solve::Method;

/// Most operations of a step that is compiled whole...
const MOST_OPS: usize = 6000;
/// ...and of one of `rodas5p` with its linear systems.
const MOST_ROSENBROCK_OPS: usize = 12_000;

/// Evaluations in a step of `rodas5p`.
const ROSENBROCK_EVALUATIONS: u64 = 10;

/// Code is looked after once in so many steps, mode by mode.
const LOOKS_EVERY: u64 = 16;

/// Where code is wanted at once it is looked after in each of so many first steps.
const LOOKS_AT_ONCE: u64 = 64;

/// What compiles for a run.
#[derive(Clone, Debug)]
pub(crate) struct Compiling {
    compiler: Arc<dyn Compiler>,
    /// So many evaluations have to be done in a mode before what does them is compiled.
    pays_after: u64,
}

/// A list of a mode's computations.
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    All,
    Flow,
    Tests,
}

impl List {
    const ALL: [Self; 3] = [Self::All, Self::Flow, Self::Tests];
}

/// Unit of compilation: a block of a list, for a kind of number.
#[derive(Clone, Copy, Debug)]
struct Target {
    list: List,
    number: usize,
    kind: Kind,
}

/// Code of computations that is being compiled.
#[derive(Clone, Debug)]
struct Awaited {
    code: Pending<dyn BasicBlockCode>,
    targets: Vec<(Target, Place)>,
}

/// Facts about a mode's slots.
struct Known {
    /// Values of the slots that are constant.
    fixed: Vec<Option<f64>>,
    /// Slots that are read by others than the block that writes them.
    read: Vec<bool>,
}

impl Known {
    fn of(evaluator: &Evaluator) -> Self {
        let mode = &evaluator.mode;
        let slots = evaluator.slots();
        let mut fixed: Vec<Option<f64>> = slots.iter().copied().map(Some).collect();
        let mut read = vec![false; slots.len()];
        let latched = mode.relays.iter().chain(&mode.steps).map(|&(_, slot)| slot);
        let late = mode.delays.inputs();
        let reals = mode
            .inputs
            .iter()
            .chain(&mode.states)
            .map(|real| Slot::new(real.index()));
        let varying = latched
            .chain(late)
            .chain(reals)
            .chain(mode.weights.iter().chain(&mode.gates.slots).copied());
        for slot in varying.chain([mode.time]) {
            fixed[slot.index()] = None;
        }
        let margins = mode.margins.iter().map(|margin| margin.slot);
        let results = margins.chain(mode.rates.iter().copied());
        let results = results.chain(mode.algebraic.iter().map(|&(_, slot)| slot));
        let places = mode.delays.varying.iter();
        let places = places.flat_map(|one| [one.length, one.at]);
        let knots = (mode.margins.iter()).filter_map(|margin| margin.knot.map(|knot| knot.slot));
        let stairs = mode.stairs.iter().map(|stair| stair.slot);
        let poles = mode.within_steps.poles.iter();
        let poles = poles.flat_map(|pole| [pole.quotient, pole.divisor]);
        let results = results.chain(mode.delayed.iter().map(|(slot, _)| *slot));
        let results = results.chain(places).chain(knots);
        let edges = mode.within_steps.value_edges.iter();
        let results = results.chain(edges.map(|edge| edge.operand));
        let phases = mode.within_steps.pulses.phases.iter().map(|(slot, _)| slot);
        let pulses = mode
            .within_steps
            .pulses
            .exponents
            .iter()
            .chain(phases)
            .copied();
        for slot in results.chain(stairs).chain(poles).chain(pulses) {
            read[slot.index()] = true;
        }
        let mut writer = vec![usize::MAX; slots.len()];
        for (number, block) in evaluator.program(List::All).blocks().enumerate() {
            for op in &*block.ops {
                let old = (op.code.shape() == Shape::Update).then_some(op.out);
                for operand in [op.a, op.b].into_iter().chain(old) {
                    read[operand as usize] |= writer[operand as usize] != number;
                }
                writer[op.out as usize] = number;
                fixed[op.out as usize] = None;
            }
        }
        for circle in evaluator.program(List::All).circles() {
            for (unknown, result) in circle.inner.unknowns.iter().zip(&circle.inner.results) {
                fixed[unknown.0.index()] = None;
                read[unknown.0.index()] = true;
                read[result.index()] = true;
            }
            for bound in circle.inner.bounds.iter().flatten().flatten() {
                read[bound.index()] = true;
            }
        }
        Self { fixed, read }
    }
}

impl Slots for Known {
    fn n_slots(&self) -> u32 {
        self.fixed.len() as u32
    }

    fn fixed(&self, slot: u32) -> Option<f64> {
        self.fixed[slot as usize]
    }

    fn is_read(&self, slot: u32) -> bool {
        self.read[slot as usize]
    }
}

/// Compiled steps of a mode, as far as there are any.
#[derive(Clone, Debug, Default)]
enum Compiled {
    /// Nothing yet.
    #[default]
    No,
    /// They are being compiled.
    Soon(Arc<StepTape>, Pending<dyn BasicBlockCode>),
    /// They are there.
    Ready(Box<NativeStep>),
    /// There are none for this mode.
    Never,
}

/// Compiled steps and tapes of the mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Native {
    /// Steps of an explicit method.
    explicit: Steps,
    /// Stages of `rodas5p`, which `auto` may turn to.
    rosenbrock: Steps,
    awaited: Vec<Awaited>,
}

/// Compiled steps of a method.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// Evaluations of the rates in steps, as long as nothing has been compiled.
    evaluations: u64,
    /// True if a step would have been done with code.
    asked: bool,
    compiled: Compiled,
}

impl Native {
    fn steps_mut(&mut self, method: Method) -> &mut Steps {
        match method {
            Method::Rodas5p => &mut self.rosenbrock,
            _ => &mut self.explicit,
        }
    }
}

/// A held value of a mode, with its place among the slots.
struct Held<'a> {
    mode: &'a Mode,
    slots: &'a [f64],
}

impl Held<'_> {
    /// Brings other slots up to date.
    fn bring(&self, into: &mut [f64]) {
        let (mode, slots) = (self.mode, self.slots);
        let latched = mode.relays.iter().chain(&mode.steps);
        let latched = latched.map(|(_, slot)| slot.index());
        for slot in mode.inputs.iter().map(|real| real.index()).chain(latched) {
            into[slot] = slots[slot];
        }
    }
}

/// Writes down the rates of a mode, whose flow has no loops.
fn record_rates<'r>(
    mode: &Mode,
    recorder: &'r TapeRecorder,
    t: TracedValue<'r>,
    y: &[TracedValue<'r>],
    dy: &mut [TracedValue<'r>],
) {
    let mut now: HashMap<u32, TracedValue<'r>> = HashMap::new();
    now.insert(mode.time.0, t);
    for (real, &value) in mode.states.iter().zip(y) {
        now.insert(real.index() as u32, value);
    }
    for segment in &mode.flow {
        let Segment::Ops(ops) = segment else { continue };
        for &Op { code, out, a, b } in &**ops {
            let of = |slot: u32| now.get(&slot).copied().unwrap_or(recorder.at(slot));
            let value = Scalar::of(code, of(out), of(a), of(b));
            now.insert(out, value);
        }
    }
    for (dy, rate) in dy.iter_mut().zip(&mode.rates) {
        *dy = now.get(&rate.0).copied().unwrap_or(recorder.at(rate.0));
    }
}

impl Evaluator {
    /// From here on elements of families are done together in a list.
    #[cold]
    pub(super) fn roll(&mut self, list: List) {
        let known = Known::of(self);
        self.program_mut(list).roll(&known);
    }

    /// Records a step of a method in this mode; `None` if that cannot be compiled, or would be long.
    fn step_tape(&mut self, method: Method) -> Option<StepTape> {
        if method == Method::Taylor && self.has_series(false) {
            return None;
        }
        let mode = Arc::clone(&self.mode);
        let n = mode.states.len();
        let alone = mode.weights.is_empty() && mode.gates.slots.is_empty();
        let plain = !self.has_loops() && mode.delays.is_empty() && alone;
        let ops = mode.flow.iter().map(|segment| match segment {
            Segment::Ops(ops) => ops.len(),
            Segment::Loop(_) => 0,
        });
        let per_stage = ops.sum::<usize>() + 20 * n;
        // A matrix times a state is done as fast without: the loops over components are vectors.
        if !plain || self.linear().is_some() || n == 0 {
            return None;
        }
        let n_slots = mode.tape.n_slots;
        let rates: &mut RatesOf<'_> = &mut |recorder, t, y, dy| {
            record_rates(&mode, recorder, t, y, dy);
        };
        let tape = match method {
            Method::Rodas5p => {
                let sparsity = Arc::clone(self.sparsity());
                let in_time = !sparsity.in_time.is_empty();
                let system = (n, &*sparsity.pattern);
                record_rosenbrock(system, in_time, n_slots, MOST_ROSENBROCK_OPS, rates)
            }
            _ if 16 * per_stage > MOST_OPS => None,
            _ => record(method.explicit()?, n, n_slots, rates),
        };
        tape.map(|tape| tape.with_numbers(&mode.tape.numbers))
    }

    /// A step of the method, of so many evaluations, is going to be tried: has such steps compiled once enough were done.
    pub(crate) fn want_code(&mut self, method: Method, compiling: &Compiling, evaluations: u64) {
        let steps = self.native.steps_mut(method);
        if !matches!(steps.compiled, Compiled::No) {
            return;
        }
        steps.evaluations += evaluations;
        if steps.evaluations < compiling.pays_after {
            return;
        }
        let compiled = match self.step_tape(method) {
            Some(tape) => {
                let code = compiling.compiler.straight(tape.job.clone());
                Compiled::Soon(Arc::new(tape), code)
            }
            None => Compiled::Never,
        };
        self.native.steps_mut(method).compiled = compiled;
    }

    /// Has computations of the mode compiled that were run often, and takes over what is ready.
    fn renew_code(&mut self, compiling: &Compiling) {
        if !self.native.awaited.is_empty() {
            self.take_over();
        }
        let mut due = Vec::new();
        for list in List::ALL {
            let wanted = self.program_mut(list).due(compiling.pays_after);
            due.extend(
                wanted
                    .into_iter()
                    .map(|(number, kind)| Target { list, number, kind }),
            );
        }
        if due.is_empty() {
            return;
        }
        let known = Known::of(self);
        let blocks: Vec<(&Block, Kind)> = due
            .iter()
            .map(|target| (self.program(target.list).block(target.number), target.kind))
            .collect();
        let (job, places) = block::record(&blocks, &known);
        let targets = due.into_iter().zip(places);
        let targets: Vec<_> = targets
            .filter_map(|(target, place)| Some((target, place?)))
            .collect();
        if !targets.is_empty() {
            let code = compiling.compiler.straight(job);
            self.native.awaited.push(Awaited { code, targets });
        }
    }

    /// Takes over what is ready.
    fn take_over(&mut self) {
        let mut awaited = std::mem::take(&mut self.native.awaited);
        awaited.retain(|awaited| {
            let Some(code) = awaited.code.code() else {
                return true;
            };
            for (target, place) in &awaited.targets {
                let block = self.program_mut(target.list).block_mut(target.number);
                block.plug_in(target.kind, &code, place.clone());
            }
            false
        });
        self.native.awaited = awaited;
    }

    /// True if compiled code is in use in this mode.
    fn is_compiled(&self) -> bool {
        let steps = [&self.native.explicit, &self.native.rosenbrock];
        (steps.iter()).any(|steps| matches!(steps.compiled, Compiled::Ready(_)))
            || List::ALL
                .iter()
                .any(|&list| self.program(list).blocks().any(Block::is_compiled))
    }

    /// The compiled steps of a method, if they are there, and what is held.
    fn compiled_step(&mut self, method: Method) -> Option<(&mut NativeStep, Held<'_>)> {
        let Compiled::Ready(step) = &mut self.native.steps_mut(method).compiled else {
            return None;
        };
        let held = Held {
            mode: &self.mode,
            slots: &self.slots,
        };
        Some((step, held))
    }

    /// Compiled steps of a method, if there are any, with what is held brought up to date.
    #[inline]
    pub(crate) fn compiled(&mut self, method: Method) -> Option<&mut NativeStep> {
        let steps = self.native.steps_mut(method);
        match &steps.compiled {
            Compiled::No => {
                // Whether the next step is one of `rodas5p` only the method knows.
                steps.asked = true;
                return None;
            }
            Compiled::Never => return None,
            Compiled::Soon(tape, code) => {
                let code = code.code()?;
                let step = NativeStep::new(tape, code, &self.slots);
                steps.compiled = Compiled::Ready(Box::new(step));
            }
            Compiled::Ready(_) => {}
        }
        let (step, held) = self.compiled_step(method)?;
        if step.method != method {
            return None;
        }
        held.bring(&mut step.slots);
        Some(step)
    }
}

impl EventRun {
    /// From here on steps are done in compiled code, where that pays. Results stay the same to the bit.
    pub fn compile_with(&mut self, compiler: Arc<dyn Compiler>) {
        let pays_after = compiler.pays_after();
        self.detect.compiling = Some(Compiling {
            compiler,
            pays_after,
        });
    }

    /// In how many modes compiled code does something.
    pub fn native_modes(&self) -> usize {
        let modes = (0..self.dynamics.modes.len()).map(|mode| self.dynamics.modes.at(mode));
        modes.filter(|mode| mode.is_compiled()).count()
    }
}

impl Detection {
    /// A step is going to be tried: asks for code of what is much used, and takes over what is ready.
    pub(crate) fn want_code(&mut self, dynamics: &mut Dynamics) {
        let Some(compiling) = &self.compiling else {
            return;
        };
        // One mode at a time, so that a run of thousands does not look at all of them in every step.
        self.looks_at = self.looks_at.wrapping_add(1);
        let at_once = compiling.pays_after == 0 && self.looks_at < LOOKS_AT_ONCE;
        if at_once || self.looks_at.is_multiple_of(LOOKS_EVERY) {
            let turn = match at_once {
                true => self.looks_at,
                false => self.looks_at / LOOKS_EVERY,
            };
            let mode = turn as usize % dynamics.modes.len();
            dynamics.modes.get(mode).renew_code(compiling);
        }
        if dynamics.motion.is_free() {
            let method = self.plan.config.settings.method;
            let evaluator = dynamics.modes.get(dynamics.motion.mode);
            let explicit = method.explicit().and_then(Method::evaluations);
            if let Some(evaluations) = explicit {
                evaluator.want_code(method, compiling, evaluations);
            }
            if std::mem::take(&mut evaluator.native.rosenbrock.asked) {
                evaluator.want_code(Method::Rodas5p, compiling, ROSENBROCK_EVALUATIONS);
            }
        }
    }
}
