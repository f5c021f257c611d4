//! Event-accurate runs of a template in lanes, where nothing can happen in the model: the steps of many
//! runs at once, each lane with its own time and step.
//!
//! A run begins alone, takes its steps in a lane, and does its last one alone, because it ends inside
//! of it. Where something comes that lanes do not deal with (a value that is not finite, stiffness, a step
//! that is too short) it is given back to be run alone as a whole.

use multiversion::multiversion;

use super::{LaneEnd, Runs};
use crate::backend::lanes::{Block, LANES, LaneCode, Mask, Wide, execute, lanes_in, mask_of};
use crate::model::Input;
use crate::sim::hybrid::{Plain, PlainRun};
use crate::sim::run::Ended;
use crate::solve::lanes::{LaneStepper, LaneSystem, Trial};
use crate::solve::{Snapshot, Stepper};
use crate::tape::{Shape, Slot, Tape};

/// A model in which nothing can happen, made ready for lanes.
#[derive(Debug)]
pub(in crate::sim) struct StepProgram {
    plain: Plain,
    /// Room for slots; its ops are in the codes.
    tape: Tape,
    flow: LaneCode,
    /// Everything, if the rates leave something out.
    rest: Option<LaneCode>,
    reads_time: bool,
}

impl StepProgram {
    /// `None` if the method does not work in lanes.
    pub(in crate::sim) fn new(plain: Plain) -> Option<Self> {
        LaneStepper::new(&plain.config.settings, &plain.atol)?;
        let tape = Tape {
            n_slots: Slot::new(plain.n_slots()).0,
            ..Tape::default()
        };
        let all = plain.everything();
        let time = plain.time().0;
        let reads_time = all.iter().any(|op| match op.code.shape() {
            Shape::Unary => op.a == time,
            _ => op.a == time || op.b == time,
        });
        let reads_time = reads_time
            || plain
                .matrix()
                .is_some_and(|rates| !rates.per_time().is_empty());
        let in_rates = plain.matrix().is_none() && plain.flow.len() == all.len();
        Some(Self {
            flow: LaneCode::of_ops(&tape, &plain.flow)?,
            rest: if in_rates {
                None
            } else {
                Some(LaneCode::of_ops(&tape, all)?)
            },
            reads_time,
            tape,
            plain,
        })
    }

    /// Does runs until there are no more, or it is broken off.
    pub(in crate::sim) fn run(&self, runs: &mut dyn Runs) {
        let settings = &self.plain.config.settings;
        let stepper = LaneStepper::new(settings, &self.plain.atol);
        if let (Some(steps), Some(alone)) = (stepper, self.plain.stepper()) {
            InSteps::new(self, steps, alone).run(runs);
        }
    }
}

/// The rates of all lanes.
struct System<'p> {
    program: &'p StepProgram,
    block: Block,
    /// Slots of the states and of their rates.
    states: Vec<(Slot, Slot)>,
    /// The rates as a matrix, if they are one.
    matrix: Option<Weights>,
    algebraic: Vec<Slot>,
}

/// A matrix for each lane.
struct Weights {
    y: Vec<Wide>,
    offsets: Vec<Wide>,
    per_time: Vec<Wide>,
    counts: Vec<u32>,
    terms: Vec<(u32, Wide)>,
}

impl LaneSystem for System<'_> {
    #[inline(always)]
    fn reads_time(&self) -> bool {
        self.program.reads_time
    }

    #[inline(always)]
    fn state(&mut self, component: usize) -> &mut Wide {
        match &mut self.matrix {
            Some(matrix) => &mut matrix.y[component],
            None => &mut self.block.reals[self.states[component].0.index()],
        }
    }

    #[inline(always)]
    fn rates(&mut self, t: &Wide, rates: &mut [Wide]) {
        match &self.matrix {
            Some(matrix) => matrix.rates(t, rates),
            None => {
                if self.program.reads_time {
                    self.block.reals[self.program.plain.time().index()] = *t;
                }
                execute(&self.program.flow, &self.program.tape, &mut self.block);
                for (rate, (_, slot)) in rates.iter_mut().zip(&self.states) {
                    *rate = self.block.reals[slot.index()];
                }
            }
        }
    }
}

impl Weights {
    #[inline(always)]
    fn rates(&self, t: &Wide, rates: &mut [Wide]) {
        let mut terms = self.terms.iter();
        for ((rate, offset), &count) in rates.iter_mut().zip(&self.offsets).zip(&self.counts) {
            let mut sum = *offset;
            for (at, weight) in terms.by_ref().take(count as usize) {
                sum.update([weight, &self.y[*at as usize]], |sum, [weight, y]| {
                    sum + weight * y
                });
            }
            *rate = sum;
        }
        for (rate, weight) in rates.iter_mut().zip(&self.per_time) {
            rate.update([weight, t], |rate, [weight, t]| rate + weight * t);
        }
    }
}

impl<'p> System<'p> {
    fn new(program: &'p StepProgram) -> Self {
        let plain = &program.plain;
        let zero = Wide::splat(0.0);
        let matrix = plain.matrix().map(|matrix| Weights {
            y: vec![zero; matrix.offsets().len()],
            offsets: vec![zero; matrix.offsets().len()],
            per_time: vec![zero; matrix.per_time().len()],
            counts: matrix.counts().to_vec(),
            terms: matrix.terms().iter().map(|&(at, _)| (at, zero)).collect(),
        });
        let rest = program.rest.as_ref().unwrap_or(&program.flow);
        Self {
            program,
            block: Block::new(&program.tape, [&program.flow, rest, rest]),
            states: plain.states().collect(),
            matrix,
            algebraic: plain.algebraic().collect(),
        }
    }

    /// What a run has for itself.
    fn load(&mut self, lane: usize, run: &PlainRun) {
        for (slot, &value) in self.block.reals.iter_mut().zip(run.slots()) {
            slot.set(lane, value);
        }
        if let (Some(weights), Some(matrix)) = (&mut self.matrix, run.matrix()) {
            let set = |wides: &mut [Wide], values: &[f64]| {
                for (wide, &value) in wides.iter_mut().zip(values) {
                    wide.set(lane, value);
                }
            };
            set(&mut weights.offsets, matrix.offsets());
            set(&mut weights.per_time, matrix.per_time());
            for ((_, weight), &(_, value)) in weights.terms.iter_mut().zip(matrix.terms()) {
                weight.set(lane, value);
            }
        }
    }

    /// The lanes in which everything that follows from the states is finite at the ends of trials.
    #[inline(always)]
    fn finite(&mut self) -> Mask {
        if let Some(rest) = &self.program.rest {
            if let Some(matrix) = &self.matrix {
                for ((slot, _), y) in self.states.iter().zip(&matrix.y) {
                    self.block.reals[slot.index()] = *y;
                }
            }
            execute(rest, &self.program.tape, &mut self.block);
        }
        let mut sum = Wide::splat(0.0);
        for slot in &self.algebraic {
            sum.update([&self.block.reals[slot.index()]], |sum, [x]| sum + x * 0.0);
        }
        sum.compare(&Wide::splat(0.0), |sum, zero| sum == zero)
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn attempt(steps: &mut LaneStepper, system: &mut System, until: f64) -> Trial {
    let live = system.block.live;
    let mut trial = steps.attempt(system, until, live);
    trial.odd |= trial.taken & !system.finite();
    trial
}

/// More trials than this in one run are looked at by the run alone, which knows when it hangs.
const MAX_TRIALS: u32 = 10_000_000;

/// After so many trials it is asked whether to break off.
const POLL_TRIALS: u32 = 1000;

/// Runs in lanes.
struct InSteps<'p> {
    program: &'p StepProgram,
    steps: LaneStepper,
    system: System<'p>,
    alone: Stepper,
    runs: Vec<Option<PlainRun>>,
    /// Per lane what the run is called, and its trials.
    names: [usize; LANES],
    trials: [u32; LANES],
    snapshot: Snapshot,
}

impl<'p> InSteps<'p> {
    fn new(program: &'p StepProgram, steps: LaneStepper, alone: Stepper) -> Self {
        Self {
            program,
            steps,
            system: System::new(program),
            snapshot: alone.save().clone(),
            alone,
            runs: vec![None; LANES],
            names: [0; LANES],
            trials: [0; LANES],
        }
    }

    fn run(&mut self, runs: &mut dyn Runs) {
        while !runs.broken() {
            self.fill(runs);
            if self.system.block.live == 0 {
                return;
            }
            for _ in 0..POLL_TRIALS {
                let trial = attempt(
                    &mut self.steps,
                    &mut self.system,
                    self.program.plain.config.stop,
                );
                if trial.ends | trial.odd != 0 {
                    self.end(&trial, runs);
                    self.fill(runs);
                    if self.system.block.live == 0 {
                        return;
                    }
                }
            }
            for lane in lanes_in(self.system.block.live) {
                self.trials[lane] += POLL_TRIALS;
                if self.trials[lane] > MAX_TRIALS {
                    self.release(lane, runs, LaneEnd::Spoilt);
                }
            }
        }
    }

    /// Gives lanes without a run the next ones.
    fn fill(&mut self, runs: &mut dyn Runs) {
        for lane in lanes_in(!self.system.block.live) {
            loop {
                let Some((name, given)) = runs.next() else {
                    return;
                };
                self.names[lane] = name;
                if self.begin(lane, &given).is_some() {
                    break;
                }
                runs.done(name, LaneEnd::Spoilt);
            }
        }
    }

    fn begin(&mut self, lane: usize, given: &[(Input, f64)]) -> Option<()> {
        let run = self.program.plain.begin(given, &mut self.alone)?;
        self.system.load(lane, &run);
        self.steps.load(lane, self.alone.save());
        self.runs[lane] = Some(run);
        self.trials[lane] = 0;
        self.system.block.live |= mask_of(lane);
        Some(())
    }

    /// Runs that reach their end, and those to be run alone.
    fn end(&mut self, trial: &Trial, runs: &mut dyn Runs) {
        for lane in lanes_in(trial.odd) {
            self.release(lane, runs, LaneEnd::Spoilt);
        }
        for lane in lanes_in(trial.ends & !trial.odd) {
            self.steps.save(lane, &mut self.snapshot);
            let finished = self.runs[lane].as_mut().and_then(|run| {
                let plain = &self.program.plain;
                plain.finish(run, &self.snapshot, &mut self.alone)
            });
            let end = finished.map_or(LaneEnd::Spoilt, |(time, finals)| LaneEnd::Over {
                measured: finals.into_iter().map(Some).collect(),
                time,
                ended: Ended::Stop,
            });
            self.release(lane, runs, end);
        }
    }

    fn release(&mut self, lane: usize, runs: &mut dyn Runs, end: LaneEnd) {
        self.runs[lane] = None;
        self.system.block.live &= !mask_of(lane);
        runs.done(self.names[lane], end);
    }
}
