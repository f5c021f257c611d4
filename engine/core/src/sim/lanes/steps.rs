//! Steps of a method in lanes: many runs in one mode, each lane with its own time and step.
//!
//! [`System`] has the rates of all lanes, [`attempt`] does a trial in each. [`InSteps`] does whole runs of a
//! model in which nothing can happen: a run begins alone, takes its steps in a lane, and ends inside of the last
//! one. Where something comes that lanes do not deal with (a value that is not finite, stiffness, a step that is
//! too short) it is given back to be run alone as a whole.
//!
//! Runs whose last trial has passed wait, doing it again, until there are eight: one look inside of the step (three
//! more stages of `dop853`) serves all lanes.

use std::sync::Arc;

use multiversion::multiversion;

use super::extremes::{LaneExtreme, Reading};
use super::margins::LaneMargin;
use super::{LaneEnd, Runs};
use crate::backend::lanes::{Block, LANES, LaneCode, Mask, Wide, execute, lanes_in, mask_of};
use crate::model::Input;
use crate::sim::hybrid::{Flight, FreeMode, Own, Plain, PlainRun, Room};
use crate::sim::run::Ended;
use crate::solve::lanes::{LaneStepper, LaneSystem};
use crate::solve::{Settings, Snapshot};
use crate::tape::{Shape, Slot, Tape};

/// A mode made ready for lanes.
#[derive(Debug)]
pub(super) struct LaneMode {
    pub(super) free: FreeMode,
    /// Room for slots; its ops are in the codes.
    pub(super) tape: Tape,
    flow: LaneCode,
    /// Everything, if the rates leave something out.
    rest: Option<LaneCode>,
    /// The expressions whose extremes are measured.
    pub(super) readings: Vec<Reading>,
    /// Slots that are read and not computed, but for the time and the states.
    inputs: Vec<usize>,
    reads_time: bool,
}

impl LaneMode {
    /// `None` if lanes cannot execute its ops.
    pub(super) fn new(free: FreeMode) -> Option<Self> {
        let tape = Tape {
            n_slots: Slot::new(free.n_slots).0,
            ..Tape::default()
        };
        let time = free.time.0;
        let mut computed = vec![false; free.n_slots];
        let states = free.states.iter().map(|(state, _)| *state);
        let numbers = free.readings.numbers.iter().map(|(slot, _)| *slot);
        for slot in states.chain([free.time]).chain(numbers) {
            computed[slot.index()] = true;
        }
        let mut inputs = Vec::new();
        let mut reads_time = free.matrix.as_ref().is_some_and(|matrix| matrix.timed);
        let (each, mut read_ops) = (&free.readings.each, Vec::new());
        read_ops.extend(each.iter().flat_map(|(_, ops)| ops.iter().copied()));
        for (at, op) in (free.all.iter().chain(&free.flow).chain(&read_ops)).enumerate() {
            let in_rates = at < free.all.len() + free.flow.len();
            let out = (op.code.shape() == Shape::Update).then_some(op.out);
            let b = (op.code.shape() != Shape::Unary).then_some(op.b);
            for read in [Some(op.a), b, out].into_iter().flatten() {
                reads_time |= in_rates && read == time;
                if !std::mem::replace(&mut computed[read as usize], true) {
                    inputs.push(read as usize);
                }
            }
            computed[op.out as usize] = true;
        }
        // A rate may be a number.
        for (_, rate) in &free.states {
            if !computed[rate.index()] {
                inputs.push(rate.index());
            }
        }
        let read = each.iter().map(|(slot, _)| slot);
        for slot in free.algebraic.iter().chain(read) {
            if !std::mem::replace(&mut computed[slot.index()], true) {
                inputs.push(slot.index());
            }
        }
        let mut kept = vec![false; free.n_slots];
        let rates = free.states.iter().map(|(_, rate)| rate);
        for slot in rates.chain(&free.algebraic) {
            kept[slot.index()] = true;
        }
        let kept = |slot: u32| kept[slot as usize];
        let in_rates = free.matrix.is_none() && free.flow.len() == free.all.len();
        Some(Self {
            flow: LaneCode::of_ops(&tape, &free.flow, kept)?,
            rest: if in_rates {
                None
            } else {
                Some(LaneCode::of_ops(&tape, &free.all, kept)?)
            },
            readings: Reading::all(&free, &tape)?,
            inputs,
            reads_time,
            tape,
            free,
        })
    }
}

impl LaneMode {
    /// Room for the steps of runs; `None` if the method does not work in lanes.
    fn stepper(&self, settings: &Settings) -> Option<LaneStepper> {
        LaneStepper::new(settings, &self.free.atol, self.free.matrix.is_some())
    }
}

/// A model in which nothing can happen, made ready for lanes.
#[derive(Debug)]
pub(in crate::sim) struct StepProgram {
    plain: Plain,
    mode: Arc<LaneMode>,
}

impl StepProgram {
    /// `None` if the method does not work in lanes.
    pub(in crate::sim) fn new(plain: Plain) -> Option<Self> {
        let mode = Arc::new(LaneMode::new(plain.free.clone())?);
        mode.stepper(&plain.config.settings)?;
        Some(Self { plain, mode })
    }

    /// Does runs until there are no more, or it is broken off.
    pub(in crate::sim) fn run(&self, runs: &mut dyn Runs) {
        let lanes = Lanes::new(&self.mode, &self.plain.config.settings);
        if let (Some(lanes), Some(room)) = (lanes, self.plain.room()) {
            let lanes = lanes.until(self.plain.config.stop);
            InSteps::new(self, lanes, room).run(runs);
        }
    }
}

/// The rates of all lanes.
pub(super) struct System {
    pub(super) mode: Arc<LaneMode>,
    pub(super) block: Block,
    /// The rates as a matrix, if they are one.
    matrix: Option<Weights>,
}

/// A matrix for each lane.
struct Weights {
    y: Vec<Wide>,
    offsets: Vec<Wide>,
    per_time: Vec<Wide>,
    counts: Vec<u32>,
    terms: Vec<(u32, Wide)>,
}

impl LaneSystem for System {
    #[inline(always)]
    fn reads_time(&self) -> bool {
        self.mode.reads_time
    }

    #[inline(always)]
    fn state(&mut self, component: usize) -> &mut Wide {
        match &mut self.matrix {
            Some(matrix) => &mut matrix.y[component],
            None => &mut self.block.reals[self.mode.free.states[component].0.index()],
        }
    }

    #[inline(always)]
    fn rates(&mut self, t: &Wide, rates: &mut [Wide]) {
        match &self.matrix {
            Some(matrix) => matrix.rates(t, rates),
            None => {
                let mode = &self.mode;
                if mode.reads_time {
                    self.block.reals[mode.free.time.index()] = *t;
                }
                execute(&mode.flow, &mode.tape, [&mut self.block]);
                for (rate, (_, slot)) in rates.iter_mut().zip(&mode.free.states) {
                    *rate = self.block.reals[slot.index()];
                }
            }
        }
    }

    #[inline(always)]
    fn next_order(&self, order: usize, before: &[Wide], next: &mut [Wide]) {
        let matrix = self.matrix.as_ref();
        let matrix = matrix.expect("only where the rates are a matrix there is a series");
        next.fill(Wide::splat(0.0));
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
    fn rates(&self, t: &Wide, rates: &mut [Wide]) {
        rates.copy_from_slice(&self.offsets);
        self.add_products(&self.y, rates);
        for (rate, weight) in rates.iter_mut().zip(&self.per_time) {
            rate.update([weight, t], |rate, [weight, t]| rate + weight * t);
        }
    }

    /// Adds the products of the matrix with some values.
    #[inline(always)]
    fn add_products(&self, values: &[Wide], sums: &mut [Wide]) {
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
    fn new(mode: &Arc<LaneMode>) -> Self {
        let zero = Wide::splat(0.0);
        let n = mode.free.states.len();
        let matrix = mode.free.matrix.as_ref().map(|matrix| Weights {
            y: vec![zero; n],
            offsets: vec![zero; n],
            per_time: vec![zero; if matrix.timed { n } else { 0 }],
            counts: matrix.counts.clone(),
            terms: matrix.terms.iter().map(|&at| (at, zero)).collect(),
        });
        let rest = mode.rest.as_ref().unwrap_or(&mode.flow);
        let mut block = Block::new(&mode.tape, [&mode.flow, rest, rest]);
        for &(slot, value) in &mode.free.readings.numbers {
            block.reals[slot.index()] = Wide::splat(value);
        }
        Self {
            block,
            matrix,
            mode: Arc::clone(mode),
        }
    }

    /// What a run has for itself.
    fn load(&mut self, lane: usize, own: &Own<'_>) {
        for &input in &self.mode.inputs {
            // Slots of reals come first; a mode may not know those that only measures read.
            let value = own.reals.get(input).unwrap_or(&own.slots[input]);
            self.block.reals[input].set(lane, *value);
        }
        if let (Some(weights), Some(matrix)) = (&mut self.matrix, own.matrix) {
            let set = |wides: &mut [Wide], values: &[f64]| {
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
        let mode = &self.mode;
        if let Some(rest) = &mode.rest {
            if let Some(matrix) = &self.matrix {
                for ((slot, _), y) in mode.free.states.iter().zip(&matrix.y) {
                    self.block.reals[slot.index()] = *y;
                }
            }
            execute(rest, &mode.tape, [&mut self.block]);
        }
        let mut sum = Wide::splat(0.0);
        for slot in &mode.free.algebraic {
            sum.update([&self.block.reals[slot.index()]], |sum, [x]| sum + x * 0.0);
        }
        sum.compare(&Wide::splat(0.0), |sum, zero| sum == zero)
    }
}

/// Runs in one mode, a lane each.
pub(super) struct Lanes {
    steps: LaneStepper,
    system: System,
    margins: Vec<LaneMargin>,
    extremes: Vec<LaneExtreme>,
    /// A time that no step of a lane may reach: alone, the run would aim at it.
    limit: Wide,
    /// When all runs end, if their last steps go on beyond it.
    stop: f64,
    /// Lanes that have a run, and those whose first step is the next one.
    pub(super) live: Mask,
    fresh: Mask,
}

/// What trials have come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tried {
    /// Lanes in which the step was taken.
    pub(super) taken: Mask,
    /// Lanes in which it was not, because it may reach the limit or cross a border, or passed and goes beyond the end.
    pub(super) ends: Mask,
    /// Lanes in which something came that is not dealt with here.
    pub(super) odd: Mask,
}

impl Lanes {
    /// `None` if the method does not work in lanes.
    pub(super) fn new(mode: &Arc<LaneMode>, settings: &Settings) -> Option<Self> {
        let steps = mode.stepper(settings)?;
        let margins: Vec<LaneMargin> = mode
            .free
            .margins
            .iter()
            .map(|m| LaneMargin::new(m))
            .collect();
        let extremes = LaneExtreme::all(mode);
        Some(Self {
            steps,
            system: System::new(mode),
            margins,
            extremes,
            limit: Wide::splat(f64::INFINITY),
            stop: f64::INFINITY,
            live: 0,
            fresh: 0,
        })
    }

    /// The same for runs that end inside of their last steps.
    fn until(self, stop: f64) -> Self {
        Self { stop, ..self }
    }

    /// Puts a run into a lane.
    pub(super) fn load(
        &mut self,
        lane: usize,
        own: &Own<'_>,
        standing: &Snapshot,
        flight: &Flight,
    ) {
        self.system.load(lane, own);
        self.steps.load(lane, standing);
        self.limit.set(lane, flight.limit);
        for (margin, own) in self.margins.iter_mut().zip(&flight.margins) {
            margin.load(lane, own);
        }
        for (extreme, own) in self.extremes.iter_mut().zip(&flight.extremes) {
            extreme.load(lane, *own);
        }
        self.live |= mask_of(lane);
        self.fresh |= mask_of(lane);
    }

    /// Takes a run out of its lane: where it stands, and what it has found.
    pub(super) fn unload(&mut self, lane: usize, into: &mut Snapshot, flight: &mut Flight) {
        self.steps.save(lane, into);
        for (own, extreme) in flight.extremes.iter_mut().zip(&self.extremes) {
            *own = extreme.own(lane);
        }
        self.live &= !mask_of(lane);
        self.fresh &= !mask_of(lane);
    }

    /// Does a trial in every lane.
    pub(super) fn attempt(&mut self) -> Tried {
        attempt(self)
    }
}

/// The states of all lanes when runs end, inside of their trials, component by component.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn look_at_end(lanes: &mut Lanes, into: &mut [Wide]) {
    // A state that is not finite has its run done alone.
    let _ = lanes.steps.look_inside(&mut lanes.system);
    lanes.steps.states_at(lanes.stop, into);
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn attempt(lanes: &mut Lanes) -> Tried {
    let Lanes {
        steps,
        system,
        margins,
        extremes,
        limit,
        stop,
        live,
        fresh,
    } = lanes;
    system.block.live = *live;
    let trial = steps.attempt(system, *live);
    let mut ends = steps.reaches(limit) & *live | steps.ends_at(*stop) & trial.passed;
    let mut taken = trial.passed & !ends;
    if taken != 0 {
        taken = steps.not_stiff(taken) & system.finite();
    }
    if taken != 0 && !(margins.is_empty() && extremes.is_empty()) {
        taken &= steps.look_inside(system);
    }
    let odd = *live & !(taken | ends | trial.again);
    if taken != 0 {
        for margin in margins {
            let stays = margin.stays(steps, *fresh);
            ends |= taken & !stays;
            taken &= stays;
        }
    }
    if taken != 0 {
        for extreme in extremes {
            extreme.take(taken, steps, system);
        }
    }
    steps.take(taken);
    *fresh &= !taken;
    Tried { taken, ends, odd }
}

/// More trials than this in one run are looked at by the run alone, which knows when it hangs.
const MAX_TRIALS: u32 = 10_000_000;

/// After so many trials it is asked whether to break off.
const POLL_TRIALS: u32 = 1000;

/// So many runs end together, where as many are under way: the look inside of their last steps is one for all
/// lanes. Those that wait do these steps again.
const LEAST_ENDS: u32 = 8;

/// Runs in lanes.
struct InSteps<'p> {
    program: &'p StepProgram,
    lanes: Lanes,
    room: Room,
    runs: Vec<PlainRun>,
    given: Vec<(Input, f64)>,
    /// Per lane what the run is called, and its trials.
    names: [usize; LANES],
    trials: [u32; LANES],
    /// States at the ends of runs, of all lanes and of one.
    last: Vec<Wide>,
    y: Vec<f64>,
    snapshot: Snapshot,
}

impl<'p> InSteps<'p> {
    fn new(program: &'p StepProgram, lanes: Lanes, room: Room) -> Self {
        Self {
            program,
            lanes,
            snapshot: room.standing().clone(),
            room,
            runs: vec![program.plain.run(); LANES],
            given: Vec::new(),
            names: [0; LANES],
            trials: [0; LANES],
            last: vec![Wide::splat(0.0); program.mode.free.states.len()],
            y: Vec::new(),
        }
    }

    fn run(&mut self, runs: &mut dyn Runs) {
        self.fill(runs);
        while self.lanes.live != 0 && !runs.broken() {
            for _ in 0..POLL_TRIALS {
                let Tried { ends, odd, .. } = self.lanes.attempt();
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
        let (plain, run) = (&self.program.plain, &mut self.runs[lane]);
        plain.begin(run, &self.given, &mut self.room)?;
        let flight = Flight {
            limit: f64::INFINITY,
            ..Flight::default()
        };
        (self.lanes).load(lane, &run.own(), self.room.standing(), &flight);
        self.trials[lane] = 0;
        Some(())
    }

    /// Runs that reach their end, and those to be run alone.
    fn end(&mut self, ends: Mask, odd: Mask, runs: &mut dyn Runs) {
        for lane in lanes_in(odd) {
            self.release(lane, runs, LaneEnd::Spoilt);
        }
        if ends != 0 {
            look_at_end(&mut self.lanes, &mut self.last);
        }
        for lane in lanes_in(ends) {
            let (plain, run) = (&self.program.plain, &mut self.runs[lane]);
            let (t1, h) = self.lanes.steps.trial(lane);
            let over = if plain.ends_inside(t1, h) {
                self.y.clear();
                self.y.extend(self.last.iter().map(|y| y.get(lane)));
                plain.end(run, &self.y)
            } else {
                (self.lanes).unload(lane, &mut self.snapshot, &mut Flight::default());
                plain.finish(run, &self.snapshot, &mut self.room)
            };
            let end = over.map_or(LaneEnd::Spoilt, |(time, measured)| LaneEnd::Over {
                measured,
                time,
                ended: Ended::Stop,
            });
            self.release(lane, runs, end);
        }
    }

    fn release(&mut self, lane: usize, runs: &mut dyn Runs, end: LaneEnd) {
        self.lanes.live &= !mask_of(lane);
        runs.done(self.names[lane], end);
    }
}
