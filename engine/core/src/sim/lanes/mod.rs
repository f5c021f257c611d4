//! Runs of a template in lanes: ticks of many runs at once, with the bits of single runs.
//!
//! Each lane has its own tick. A lane whose run is over takes the next one in, so that runs that stop
//! early do not leave it idle. Values that are not finite are noticed as everywhere (`finite`), but a
//! stretch of ticks later: the run is then given back, to be done alone, which finds the fault.

mod flights;
mod margins;
mod measures;
mod steps;

use multiversion::multiversion;

use self::flights::Flights;
pub(super) use self::flights::flies;
use self::measures::{LaneMeasure, RowTimes};
pub(super) use self::steps::StepProgram;
use super::run::Ended;
use super::tick::{Beginning, Simulation};
use super::{RunConfig, RunFault, SetupError, State, Template};
use crate::backend::lanes::{Block, LANES, LaneCode, Mask, Wide, execute, lanes_in, mask_of};
use crate::lower::Program;
use crate::model::Input;

/// Where runs in lanes come from and go to.
pub trait Runs {
    /// The next run: what to call it in [`Runs::done`], and its start values.
    fn next(&mut self) -> Option<(usize, Vec<(Input, f64)>)>;
    /// A run is over.
    fn done(&mut self, run: usize, end: LaneEnd);
    /// Whether to leave everything as it is and come back.
    fn broken(&mut self) -> bool;
    /// What lanes have done in event stepping where things happen, in the end.
    fn tell(&mut self, _: LaneWork) {}
}

/// What lanes have done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LaneWork {
    /// Steps of the method, over all runs.
    pub steps: u64,
    /// How often a run went on by itself after steps in a lane.
    pub given_back: u64,
}

/// How a run in a lane ended.
#[derive(Clone, PartialEq, Debug)]
pub enum LaneEnd {
    /// It went to its end.
    Over {
        /// The template's measures.
        measured: Vec<Option<f64>>,
        /// When it ended [units of `time`].
        time: f64,
        /// Why.
        ended: Ended,
    },
    /// It could not go on.
    Failed {
        /// The template's measures so far.
        measured: Vec<Option<f64>>,
        /// When it ended [units of `time`].
        time: f64,
        /// Why.
        fault: Box<RunFault>,
    },
    /// It cannot begin.
    Refused(Box<SetupError>),
    /// A value became one that is not finite: to be run alone, which tells where.
    Spoilt,
}

/// The parts of a program made ready for lanes.
#[derive(Debug)]
pub(super) struct LaneProgram {
    /// The first tick of a run.
    first: LaneCode,
    /// Every other tick.
    tick: LaneCode,
    probes: LaneCode,
    /// Whether ops or probes read how many ticks were done.
    is_timed: bool,
}

impl LaneProgram {
    /// `None` if lanes cannot execute it.
    pub(super) fn new(program: &Program) -> Option<Self> {
        let (tape, tick) = (&program.tape, 0..program.relations.end);
        let times = [program.time, program.previous_time];
        Some(Self {
            first: LaneCode::new(tape, tick.clone())?,
            tick: LaneCode::after_first(tape, tick, &times)?,
            probes: LaneCode::new(tape, program.probes.clone())?,
            is_timed: program.reads_time || !tape.periods.is_empty(),
        })
    }
}

/// After about so many operations it is asked whether to break off, some milliseconds.
const POLL_OPS: u64 = 1 << 20;

/// Longest stretch of ticks: a run that is spoilt goes on for nothing until its end.
const MAX_TICKS: u64 = 1 << 16;

impl Template {
    /// How many runs can be done at once in lanes; `None` if they cannot: in event stepping, if the method is
    /// not an explicit one with step control (or `auto`), if the model has delays or ranges marked `noevent`,
    /// if events are located in another way than on the dense output, or if something is measured that every
    /// step changes (extremes, drift, duration).
    pub fn lanes(&self) -> Option<usize> {
        let some = self.lanes.is_some() || self.steps.is_some() || self.flies;
        some.then_some(LANES)
    }

    /// Does runs in lanes until there are no more, or it is broken off. Each has the bits of a single
    /// run. There must be [`Template::lanes`].
    ///
    /// # Panics
    ///
    /// If there are no lanes.
    pub fn run_in_lanes(&self, runs: &mut dyn Runs) {
        if let Some(program) = &self.steps {
            return program.run(runs);
        }
        if let (RunConfig::Events(config), true) = (&self.config, self.flies) {
            return Flights::new(self, &config.settings).run(runs);
        }
        let (first, code) = (self.ticks.as_deref(), self.lanes.as_deref());
        let (first, code) = first.zip(code).expect("the caller has asked for lanes");
        InLanes::new(self, first, code).run(runs);
    }
}

/// Runs in lanes.
struct InLanes<'t> {
    template: &'t Template,
    first: &'t Simulation,
    program: &'t Program,
    code: &'t LaneProgram,
    block: Block,
    measures: Vec<LaneMeasure>,
    /// Per lane what the run is called.
    names: [usize; LANES],
    /// Per lane how many ticks were done.
    ticks: [u64; LANES],
    /// Lanes whose first tick is the next one.
    fresh: Mask,
    /// The time of the row that stands [units of `time`].
    now: Wide,
}

impl<'t> InLanes<'t> {
    fn new(template: &'t Template, first: &'t Simulation, code: &'t LaneProgram) -> Self {
        let program = first.program();
        Self {
            template,
            first,
            program,
            code,
            block: Block::new(&program.tape, [&code.first, &code.tick, &code.probes]),
            measures: first.measures.iter().map(LaneMeasure::new).collect(),
            names: [0; LANES],
            ticks: [0; LANES],
            fresh: 0,
            now: Wide::splat(0.0),
        }
    }

    fn run(&mut self, runs: &mut dyn Runs) {
        let end = self.first.config.ticks;
        let n_ops = self.program.tape.ops.len() as u64;
        let longest = (POLL_OPS / (n_ops + 8)).clamp(1, MAX_TICKS);
        while !runs.broken() {
            let mut stopped = self.fill(runs);
            if self.block.live == 0 {
                return;
            }
            let mut spoilt = 0;
            let mut over = stopped | self.at(end);
            if over & self.block.live == 0 {
                let left = lanes_in(self.block.live).map(|lane| end - self.ticks[lane]);
                let ticks = left.min().map_or(0, |left| left.min(longest));
                (stopped, spoilt) = self.stretch(ticks);
                over = stopped | spoilt | self.at(end);
            }
            over &= self.block.live;
            if over != 0 && !self.first.reads_every_row() {
                self.read_rows();
            }
            for lane in lanes_in(over) {
                let mask = mask_of(lane);
                let end = if spoilt & mask != 0 {
                    LaneEnd::Spoilt
                } else {
                    self.end_of(lane, stopped & mask != 0)
                };
                runs.done(self.names[lane], end);
            }
            self.block.live &= !over;
        }
    }

    /// The lanes that have done so many ticks.
    fn at(&self, end: u64) -> Mask {
        let ends = (0..LANES).filter(|&lane| self.ticks[lane] >= end);
        ends.fold(0, |mask, lane| mask | mask_of(lane))
    }

    /// Gives lanes without a run the next ones. The lanes in which the run is to stop at once.
    fn fill(&mut self, runs: &mut dyn Runs) -> Mask {
        let mut filled = 0;
        'lanes: for lane in lanes_in(!self.block.live) {
            loop {
                let Some((name, given)) = runs.next() else {
                    break 'lanes;
                };
                match self.begin(&given) {
                    Ok(state) => {
                        self.load(lane, state);
                        self.names[lane] = name;
                        filled |= mask_of(lane);
                        continue 'lanes;
                    }
                    Err(error) => runs.done(name, LaneEnd::Refused(Box::new(error))),
                }
            }
        }
        self.block.live |= filled;
        self.fresh |= filled;
        if filled == 0 || !self.first.is_probed() {
            return 0;
        }
        self.read_rows();
        for measure in &mut self.measures {
            for lane in lanes_in(filled) {
                measure.begin(lane, self.program, &self.block, 0.0);
            }
        }
        self.stopping() & filled
    }

    fn begin(&self, given: &[(Input, f64)]) -> Result<State, SetupError> {
        let beginning = Beginning::given(self.template.model(), given)?;
        self.first.start_of(&beginning)
    }

    /// Puts a run that has not begun into a lane.
    fn load(&mut self, lane: usize, state: State) {
        let mask = mask_of(lane);
        for (slot, value) in self.block.reals.iter_mut().zip(&state.reals) {
            slot.set(lane, *value);
        }
        for (bit, lanes) in self.block.bits.iter_mut().enumerate() {
            let holds = state.bit(bit);
            *lanes = *lanes & !mask | if holds { mask } else { 0 };
        }
        for (lines, line) in self.block.lines.iter_mut().zip(state.lines) {
            lines[lane] = line;
        }
        self.block.ticks.set(lane, 0.0);
        self.now.set(lane, 0.0);
        self.ticks[lane] = 0;
    }

    /// The lanes in which `stop_when` holds in the row that stands.
    fn stopping(&self) -> Mask {
        match self.first.stop_bit() {
            Some(bit) => self.block.bits[bit as usize] & self.block.live,
            None => 0,
        }
    }

    /// The result of a run whose row has been read.
    fn end_of(&self, lane: usize, stopped: bool) -> LaneEnd {
        let measures = self.measures.iter();
        let measured = measures.map(|measure| measure.value(lane, self.program, &self.block));
        LaneEnd::Over {
            measured: measured.collect(),
            time: self.first.time_of(self.ticks[lane]),
            ended: if stopped {
                Ended::Condition
            } else {
                Ended::Stop
            },
        }
    }

    /// Does ticks in all lanes. The lanes in which the run is to stop, and those that are spoilt; if
    /// there are any of the first, fewer ticks were done.
    fn stretch(&mut self, ticks: u64) -> (Mask, Mask) {
        let mut stretch = Stretch {
            program: self.program,
            code: self.code,
            block: &mut self.block,
            measures: &mut self.measures,
            watched: self.first.watched(),
            step: self.first.config.step,
            stop: self.first.stop_bit(),
            probed: self.first.reads_every_row(),
            fresh: std::mem::take(&mut self.fresh),
            now: &mut self.now,
        };
        let Done {
            ticks,
            stopped,
            spoilt,
        } = stretch_of_ticks(&mut stretch, ticks);
        for lane in lanes_in(self.block.live) {
            self.ticks[lane] += ticks;
        }
        (stopped, spoilt & self.block.live)
    }

    /// Computes the probes of the rows that stand.
    fn read_rows(&mut self) {
        let mut stretch = Stretch {
            program: self.program,
            code: self.code,
            block: &mut self.block,
            measures: &mut [],
            watched: &[],
            step: self.first.config.step,
            stop: None,
            probed: true,
            fresh: 0,
            now: &mut self.now,
        };
        rows(&mut stretch);
    }
}

/// What a stretch of ticks needs.
struct Stretch<'s> {
    program: &'s Program,
    code: &'s LaneProgram,
    block: &'s mut Block,
    measures: &'s mut [LaneMeasure],
    /// Reals that are looked at after every tick.
    watched: &'s [u32],
    step: f64,
    /// The bit that stops a run.
    stop: Option<u32>,
    /// Whether rows are read after every tick.
    probed: bool,
    /// Lanes whose first tick is the next one.
    fresh: Mask,
    now: &'s mut Wide,
}

/// What a stretch has come to.
struct Done {
    ticks: u64,
    stopped: Mask,
    spoilt: Mask,
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn stretch_of_ticks(stretch: &mut Stretch, ticks: u64) -> Done {
    let (program, code, step) = (stretch.program, stretch.code, stretch.step);
    let tape = &program.tape;
    let is_timed = code.is_timed || stretch.probed;
    let mut spoilt = Wide::splat(0.0);
    let mut done = Done {
        ticks: 0,
        stopped: 0,
        spoilt: 0,
    };
    while done.ticks < ticks && done.stopped == 0 {
        let block = &mut *stretch.block;
        if program.reads_time {
            let ticks = block.ticks;
            block.reals[program.time.index()].update([&ticks], |_, [tick]| tick * step);
            block.reals[program.previous_time.index()].update([&ticks], |_, [tick]| {
                if tick > 0.0 { (tick - 1.0) * step } else { 0.0 }
            });
        }
        let fresh = std::mem::take(&mut stretch.fresh);
        block.bits[program.start_bit as usize] = fresh;
        let part = if fresh == 0 { &code.tick } else { &code.first };
        execute(part, tape, block);
        if is_timed {
            block.ticks.update([], |tick, []| tick + 1.0);
        }
        // `x * 0` is 0 for a finite x and NaN for any other, and a NaN survives every sum.
        for &slot in stretch.watched {
            spoilt.update([&block.reals[slot as usize]], |sum, [x]| sum + x * 0.0);
        }
        done.ticks += 1;
        if stretch.probed {
            read_rows(stretch);
            if let Some(bit) = stretch.stop {
                done.stopped = stretch.block.bits[bit as usize] & stretch.block.live;
            }
        }
    }
    if !is_timed {
        #[expect(clippy::cast_precision_loss, reason = "a stretch is short")]
        let ticks = done.ticks as f64;
        stretch.block.ticks.update([], |tick, []| tick + ticks);
    }
    let reals = &stretch.block.reals[..program.n_reals];
    for values in reals {
        spoilt.update([values], |sum, [x]| sum + x * 0.0);
    }
    done.spoilt = !spoilt.compare(&Wide::splat(0.0), |sum, zero| sum == zero);
    done
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn rows(stretch: &mut Stretch) {
    read_rows(stretch);
}

/// Computes the probes of the rows that stand, and takes measures.
#[inline(always)]
fn read_rows(stretch: &mut Stretch<'_>) {
    let (program, step) = (stretch.program, stretch.step);
    let block = &mut *stretch.block;
    let before = *stretch.now;
    stretch.now.update([&block.ticks], |_, [tick]| tick * step);
    block.reals[program.row_time.index()] = *stretch.now;
    execute(&stretch.code.probes, &program.tape, block);
    let times = RowTimes {
        now: stretch.now,
        before: &before,
    };
    for measure in &mut *stretch.measures {
        measure.take(program, block, &times);
    }
}
