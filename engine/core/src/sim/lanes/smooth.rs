//! Steps of a method in lanes: many runs of a smooth model, each lane with its own time and step.
//!
//! [`System`] has the rates of all lanes, [`attempt`] does a trial in each, [`InSteps`] whole runs: a run begins
//! alone, takes its steps in a lane, and ends inside of the last one. Where something comes that lanes do not deal
//! with (a value that is not finite, stiffness, a step that is too short) it is given back to be run alone as a
//! whole.
//!
//! Runs whose last trial has passed wait, doing it again, until there are eight: one look inside of the step (three
//! more stages of `dop853`) serves all lanes.

use std::sync::Arc;

use multiversion::multiversion;

use super::{LaneEnd, Runs};
use crate::backend::lanes::{Block, LaneCode, execute};
use crate::model::Input;
use crate::sim::end::EndReason;
use crate::sim::events::{Own, Room, SmoothBatch, SmoothRun};
use crate::tape::{Shape, Tape};
use situ_solve::Snapshot;
use situ_solve::lanes::wide::{LANES, LaneVec, Mask, lanes_in, mask_of};
use situ_solve::lanes::{LaneStepper, LaneSystem};

/// A smooth model made ready for lanes.
#[derive(Debug)]
pub(in crate::sim) struct SmoothLanes {
    batch: SmoothBatch,
    /// Room for slots; its ops are in the codes.
    tape: Tape,
    flow: LaneCode,
    /// Everything, if the rates leave something out.
    rest: Option<LaneCode>,
    /// Slots that are read and not computed, but for the time and the states.
    inputs: Vec<usize>,
    reads_time: bool,
}

impl SmoothLanes {
    /// `None` if lanes cannot execute its ops, or if the method does not work in lanes.
    pub(in crate::sim) fn new(batch: SmoothBatch) -> Option<Self> {
        let moves = &batch.moves;
        let tape = Tape {
            n_slots: u32::try_from(moves.n_slots).ok()?,
            ..Tape::default()
        };
        let time = moves.time.0;
        let mut computed = vec![false; moves.n_slots];
        let states = moves.states.iter().map(|(state, _)| *state);
        for slot in states.chain([moves.time]) {
            computed[slot.index()] = true;
        }
        let mut inputs = Vec::new();
        let mut reads_time = moves.matrix.as_ref().is_some_and(|matrix| matrix.timed);
        for op in moves.all.iter().chain(&moves.flow) {
            let out = (op.code.shape() == Shape::Update).then_some(op.out);
            let b = (op.code.shape() != Shape::Unary).then_some(op.b);
            for read in [Some(op.a), b, out].into_iter().flatten() {
                reads_time |= read == time;
                if !std::mem::replace(&mut computed[read as usize], true) {
                    inputs.push(read as usize);
                }
            }
            computed[op.out as usize] = true;
        }
        // A rate may be a number.
        let rates = moves.states.iter().map(|(_, rate)| rate);
        for slot in rates.clone().chain(&moves.algebraic) {
            if !std::mem::replace(&mut computed[slot.index()], true) {
                inputs.push(slot.index());
            }
        }
        let mut kept = vec![false; moves.n_slots];
        for slot in rates.chain(&moves.algebraic).chain(&moves.divisors) {
            kept[slot.index()] = true;
        }
        let kept = |slot: u32| kept[slot as usize];
        let in_rates = moves.matrix.is_none() && moves.flow.len() == moves.all.len();
        let lanes = Self {
            flow: LaneCode::of_ops(&tape, &moves.flow, kept)?,
            rest: if in_rates {
                None
            } else {
                Some(LaneCode::of_ops(&tape, &moves.all, kept)?)
            },
            inputs,
            reads_time,
            tape,
            batch,
        };
        lanes.stepper()?;
        Some(lanes)
    }

    /// Room for the steps of runs; `None` if the method does not work in lanes.
    fn stepper(&self) -> Option<LaneStepper> {
        let moves = &self.batch.moves;
        let settings = &self.batch.config.settings;
        LaneStepper::new(settings, &moves.atol, moves.matrix.is_some())
    }

    /// Does runs until there are no more, or it is broken off.
    pub(in crate::sim) fn run(self: &Arc<Self>, runs: &mut dyn Runs) {
        if let (Some(steps), Some(room)) = (self.stepper(), self.batch.room()) {
            let lanes = Lanes {
                steps,
                system: System::new(self),
                live: 0,
            };
            InSteps::new(self, lanes, room).run(runs);
        }
    }
}

/// The rates of all lanes.
struct System {
    lanes: Arc<SmoothLanes>,
    block: Block,
    /// The rates as a matrix, if they are one.
    matrix: Option<Weights>,
    /// The divisors of the rates where the last steps ended.
    divisors: Vec<LaneVec>,
}

/// A matrix for each lane.
struct Weights {
    y: Vec<LaneVec>,
    offsets: Vec<LaneVec>,
    per_time: Vec<LaneVec>,
    counts: Vec<u32>,
    terms: Vec<(u32, LaneVec)>,
}

impl LaneSystem for System {
    #[inline(always)]
    fn reads_time(&self) -> bool {
        self.lanes.reads_time
    }

    #[inline(always)]
    fn state(&mut self, component: usize) -> &mut LaneVec {
        match &mut self.matrix {
            Some(matrix) => &mut matrix.y[component],
            None => &mut self.block.reals[self.lanes.batch.moves.states[component].0.index()],
        }
    }

    #[inline(always)]
    fn rates(&mut self, t: &LaneVec, rates: &mut [LaneVec]) {
        match &self.matrix {
            Some(matrix) => matrix.rates(t, rates),
            None => {
                let lanes = &self.lanes;
                let moves = &lanes.batch.moves;
                if lanes.reads_time {
                    self.block.reals[moves.time.index()] = *t;
                }
                execute(&lanes.flow, &lanes.tape, [&mut self.block]);
                for (rate, (_, slot)) in rates.iter_mut().zip(&moves.states) {
                    *rate = self.block.reals[slot.index()];
                }
            }
        }
    }

    #[inline(always)]
    fn next_order(&self, order: usize, before: &[LaneVec], next: &mut [LaneVec]) {
        let matrix = self.matrix.as_ref();
        let matrix = matrix.expect("only where the rates are a matrix there is a series");
        next.fill(LaneVec::splat(0.0));
        matrix.add_products(before, next);
        if order == 2 {
            for (next, weight) in next.iter_mut().zip(&matrix.per_time) {
                next.update([weight], |next, [weight]| next + weight);
            }
        }
    }
}

impl Weights {
    #[inline(always)]
    fn rates(&self, t: &LaneVec, rates: &mut [LaneVec]) {
        rates.copy_from_slice(&self.offsets);
        self.add_products(&self.y, rates);
        for (rate, weight) in rates.iter_mut().zip(&self.per_time) {
            rate.update([weight, t], |rate, [weight, t]| rate + weight * t);
        }
    }

    /// Adds the products of the matrix with some values.
    #[inline(always)]
    fn add_products(&self, values: &[LaneVec], sums: &mut [LaneVec]) {
        let mut terms = self.terms.iter();
        for (sum, &count) in sums.iter_mut().zip(&self.counts) {
            for (at, weight) in terms.by_ref().take(count as usize) {
                sum.update([weight, &values[*at as usize]], |sum, [weight, value]| {
                    sum + weight * value
                });
            }
        }
    }
}

impl System {
    fn new(lanes: &Arc<SmoothLanes>) -> Self {
        let zero = LaneVec::splat(0.0);
        let moves = &lanes.batch.moves;
        let n = moves.states.len();
        let matrix = moves.matrix.as_ref().map(|matrix| Weights {
            y: vec![zero; n],
            offsets: vec![zero; n],
            per_time: vec![zero; if matrix.timed { n } else { 0 }],
            counts: matrix.counts.clone(),
            terms: matrix.terms.iter().map(|&at| (at, zero)).collect(),
        });
        let rest = lanes.rest.as_ref().unwrap_or(&lanes.flow);
        Self {
            block: Block::new(&lanes.tape, [&lanes.flow, rest, rest]),
            divisors: vec![zero; moves.divisors.len()],
            matrix,
            lanes: Arc::clone(lanes),
        }
    }

    /// Loads the values that a run has for itself into a lane.
    fn load(&mut self, lane: usize, own: &Own<'_>) {
        for &input in &self.lanes.inputs {
            self.block.reals[input].set(lane, own.slots[input]);
        }
        let divisors = &self.lanes.batch.moves.divisors;
        for (divisor, slot) in self.divisors.iter_mut().zip(divisors) {
            divisor.set(lane, own.slots[slot.index()]);
        }
        if let (Some(weights), Some(matrix)) = (&mut self.matrix, own.matrix) {
            let set = |wides: &mut [LaneVec], values: &[f64]| {
                for (wide, &value) in wides.iter_mut().zip(values) {
                    wide.set(lane, value);
                }
            };
            set(&mut weights.offsets, &matrix.offsets);
            set(&mut weights.per_time, &matrix.per_time);
            for ((_, weight), term) in weights.terms.iter_mut().zip(&matrix.terms) {
                weight.set(lane, term.weight);
            }
        }
    }

    /// The lanes in which everything that follows from the states is finite at the ends of trials.
    #[inline(always)]
    fn finite(&mut self) -> Mask {
        let lanes = &self.lanes;
        let moves = &lanes.batch.moves;
        if let Some(rest) = &lanes.rest {
            if let Some(matrix) = &self.matrix {
                for ((slot, _), y) in moves.states.iter().zip(&matrix.y) {
                    self.block.reals[slot.index()] = *y;
                }
            }
            execute(rest, &lanes.tape, [&mut self.block]);
        }
        let mut sum = LaneVec::splat(0.0);
        for slot in &moves.algebraic {
            sum.update([&self.block.reals[slot.index()]], |sum, [x]| sum + x * 0.0);
        }
        sum.compare(&LaneVec::splat(0.0), |sum, zero| sum == zero)
    }

    /// The lanes in which no divisor has changed its sign in the trials: in the others there may be a pole.
    #[inline(always)]
    fn without_poles(&self) -> Mask {
        let divisors = self.divisors.iter().zip(&self.lanes.batch.moves.divisors);
        divisors.fold(Mask::MAX, |without, (before, slot)| {
            let now = &self.block.reals[slot.index()];
            without & !before.compare(now, |before, now| before * now < 0.0)
        })
    }

    /// Notes the divisors at the ends of the steps that are taken.
    #[inline(always)]
    fn note_divisors(&mut self, taken: Mask) {
        let divisors = self.divisors.iter_mut();
        for (divisor, slot) in divisors.zip(&self.lanes.batch.moves.divisors) {
            for lane in lanes_in(taken) {
                divisor.set(lane, self.block.reals[slot.index()].get(lane));
            }
        }
    }
}

/// Runs, a lane each.
struct Lanes {
    steps: LaneStepper,
    system: System,
    /// Lanes that have a run.
    live: Mask,
}

/// Where trials have come to an end of the way in lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tried {
    /// Lanes in which the step was not taken, because it goes to the end of runs or beyond it.
    ends: Mask,
    /// Lanes in which something came that is not dealt with here.
    odd: Mask,
}

/// The states of all lanes when runs end, inside of their trials, component by component.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn look_at_end(lanes: &mut Lanes, stop: f64, into: &mut [LaneVec]) {
    // A state that is not finite has its run done alone.
    lanes.steps.look_inside(&mut lanes.system);
    lanes.steps.states_at(stop, into);
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn attempt(lanes: &mut Lanes, stop: f64) -> Tried {
    let Lanes {
        steps,
        system,
        live,
    } = lanes;
    system.block.live = *live;
    let trial = steps.attempt(system, *live);
    let passed = trial.passed & system.without_poles();
    let ends = steps.ends_at(stop) & passed;
    let mut taken = passed & !ends;
    if taken != 0 {
        taken = steps.not_stiff(taken) & system.finite();
        system.note_divisors(taken);
    }
    let odd = *live & !(taken | ends | trial.again);
    steps.take(taken);
    Tried { ends, odd }
}

/// A run with more trials than this goes on alone, where it notices if it hangs.
const MAX_TRIALS: u32 = 10_000_000;

/// After so many trials it is asked whether to break off.
const POLL_TRIALS: u32 = 1000;

/// So many runs end together, where as many are under way: the look inside of their last steps is one for all
/// lanes. Those that wait do these steps again.
const LEAST_ENDS: u32 = 8;

/// Runs in lanes.
struct InSteps<'p> {
    batch: &'p SmoothBatch,
    lanes: Lanes,
    room: Room,
    runs: Vec<SmoothRun>,
    given: Vec<(Input, f64)>,
    /// Per lane what the run is called, and its trials.
    names: [usize; LANES],
    trials: [u32; LANES],
    /// States at the ends of runs, of all lanes and of one.
    last: Vec<LaneVec>,
    y: Vec<f64>,
    snapshot: Snapshot,
}

impl<'p> InSteps<'p> {
    fn new(program: &'p SmoothLanes, lanes: Lanes, room: Room) -> Self {
        Self {
            batch: &program.batch,
            lanes,
            snapshot: room.standing().clone(),
            room,
            runs: vec![program.batch.run(); LANES],
            given: Vec::new(),
            names: [0; LANES],
            trials: [0; LANES],
            last: vec![LaneVec::splat(0.0); program.batch.moves.states.len()],
            y: Vec::new(),
        }
    }

    fn run(&mut self, runs: &mut dyn Runs) {
        self.fill(runs);
        while self.lanes.live != 0 && !runs.broken() {
            for _ in 0..POLL_TRIALS {
                let Tried { ends, odd } = attempt(&mut self.lanes, self.batch.config.stop);
                let many = ends.count_ones() >= LEAST_ENDS || ends == self.lanes.live & !odd;
                let over = if many { ends | odd } else { odd };
                if over != 0 {
                    self.end(over & ends, odd, runs);
                    self.fill(runs);
                    if self.lanes.live == 0 {
                        return;
                    }
                }
            }
            for lane in lanes_in(self.lanes.live) {
                self.trials[lane] += POLL_TRIALS;
                if self.trials[lane] > MAX_TRIALS {
                    self.release(lane, runs, LaneEnd::Spoilt);
                }
            }
            self.fill(runs);
        }
    }

    /// Gives lanes without a run the next ones.
    fn fill(&mut self, runs: &mut dyn Runs) {
        for lane in lanes_in(!self.lanes.live) {
            loop {
                let Some(name) = runs.next(&mut self.given) else {
                    return;
                };
                self.names[lane] = name;
                if self.begin(lane).is_some() {
                    break;
                }
                runs.done(name, LaneEnd::Spoilt);
            }
        }
    }

    fn begin(&mut self, lane: usize) -> Option<()> {
        let run = &mut self.runs[lane];
        self.batch.begin(run, &self.given, &mut self.room)?;
        self.lanes.system.load(lane, &run.own());
        self.lanes.steps.load(lane, self.room.standing());
        self.lanes.live |= mask_of(lane);
        self.trials[lane] = 0;
        Some(())
    }

    /// Runs that reach their end, and those to be run alone.
    fn end(&mut self, ends: Mask, odd: Mask, runs: &mut dyn Runs) {
        for lane in lanes_in(odd) {
            self.release(lane, runs, LaneEnd::Spoilt);
        }
        if ends != 0 {
            look_at_end(&mut self.lanes, self.batch.config.stop, &mut self.last);
        }
        for lane in lanes_in(ends) {
            let (batch, run) = (self.batch, &mut self.runs[lane]);
            let (t1, h) = self.lanes.steps.trial(lane);
            let over = if batch.ends_inside(t1, h) {
                self.y.clear();
                self.y.extend(self.last.iter().map(|y| y.get(lane)));
                batch.end(run, &self.y)
            } else {
                self.lanes.steps.save(lane, &mut self.snapshot);
                batch.finish(run, &self.snapshot, &mut self.room)
            };
            let end = over.map_or(LaneEnd::Spoilt, |(time, measured)| LaneEnd::Over {
                measured,
                time,
                ended: EndReason::Stop,
            });
            self.release(lane, runs, end);
        }
    }

    fn release(&mut self, lane: usize, runs: &mut dyn Runs, end: LaneEnd) {
        self.lanes.live &= !mask_of(lane);
        runs.done(self.names[lane], end);
    }
}
