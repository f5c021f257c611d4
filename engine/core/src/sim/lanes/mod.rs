//! Runs of one model in lanes: ticks of many runs at once, and steps of smooth models (`smooth`), with the bits of
//! single runs.
//!
//! Each lane has its own tick. A lane whose run is over takes the next one in, so that runs that stop
//! early do not leave it idle. Values that are not finite are noticed as everywhere (`finite`), but a
//! stretch of ticks later: the run is then given back, to be done alone, which finds the fault.

mod measures;
mod smooth;
mod stretch;

use std::sync::Arc;

use self::measures::LaneMeasure;
pub(super) use self::smooth::SmoothLanes;
use self::stretch::{Way, probe_rows, stretch_of_ticks, stretch_of_two};
use super::end::EndReason;
use super::tick::TickRun;
use super::{RunFault, SetupError, State};
use crate::backend::lanes::{Block, LaneCode, multiplies_and_adds};
use crate::lower::Program;
use crate::model::{Input, Model};
use crate::sim::tick::initial_state::Beginning;
use situ_solve::lanes::wide::{LANES, LaneVec, Mask, lanes_in, mask_of};

/// Source and sink of runs in lanes.
pub trait Runs {
    /// The next run: what to call it in [`Runs::done`]; writes its start values.
    fn next(&mut self, given: &mut Vec<(Input, f64)>) -> Option<usize>;
    /// A run is over.
    fn done(&mut self, run: usize, end: LaneEnd);
    /// True if everything is to be left as it is, to come back.
    fn broken(&mut self) -> bool;
}

/// End of a run in a lane.
#[derive(Clone, PartialEq, Debug)]
pub enum LaneEnd {
    /// It went to its end.
    Over {
        /// The template's measures.
        measured: Vec<Option<f64>>,
        /// When it ended [units of `time`].
        time: f64,
        /// Why.
        ended: EndReason,
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
    /// Every other tick, with divisions and with reciprocals of the divisors.
    tick: [LaneCode; 2],
    /// The same of a tick whose row nobody reads: reals that no later tick reads are not stored.
    passing: [LaneCode; 2],
    divisors: Vec<u32>,
    probes: LaneCode,
    /// True if ops or probes read the number of ticks done.
    is_timed: bool,
}

impl LaneProgram {
    /// `None` if lanes cannot execute it.
    ///
    /// `watched`: the slots that are tested after every tick.
    pub(super) fn new(program: &Program, watched: &[u32]) -> Option<Self> {
        let (tape, tick) = (&program.tape, 0..program.sections.relations.end);
        if !tape.solves.is_empty() {
            return None;
        }
        let times = [program.clock.time];
        let values = &program.probes.values;
        let is_real = |slot: u32| (slot as usize) < program.n_reals;
        let is_value = |slot: u32| values.iter().any(|value| value.0 == slot);
        // Where a row does nothing its real keeps what an earlier tick has stored.
        let passing =
            |slot: u32, conditional: bool| watched.contains(&slot) || is_real(slot) && conditional;
        // Stretches that are done again begin as a copy, for which delay lines are too long.
        let divisors = match multiplies_and_adds() && tape.delays.is_empty() {
            true => LaneCode::divisors(tape, tick.clone(), &times),
            false => Vec::new(),
        };
        let both = |code: LaneCode| {
            let quick = code.with_reciprocals(&divisors);
            [code, quick]
        };
        let passing = LaneCode::after_first(tape, tick.clone(), &times, passing)?;
        let reading = |slot, _| is_real(slot) || is_value(slot) || watched.contains(&slot);
        Some(Self {
            first: LaneCode::new(tape, tick.clone())?,
            passing: both(passing),
            tick: both(LaneCode::after_first(tape, tick, &times, reading)?),
            divisors,
            probes: LaneCode::new(tape, program.sections.probes.clone())?,
            is_timed: program.clock.is_read || !tape.periods.is_empty(),
        })
    }
}

/// After about so many operations it is asked whether to break off, some milliseconds.
const POLL_OPS: u64 = 1 << 20;

/// Blocks of lanes whose ticks are done in turns, op by op.
const BLOCKS: usize = 2;

/// Longest stretch of ticks: a run that is spoilt goes on for nothing until its end.
const MAX_TICKS: u64 = 1 << 16;

/// How many runs of ticks are done at once.
pub(super) const RUNS_OF_TICKS: usize = BLOCKS * LANES;

/// Does runs of ticks until there are no more, or it is broken off.
///
/// `first`: a run from the model's own start values, `code`: its code.
pub(super) fn run_ticks(
    model: &Arc<Model>,
    first: &TickRun,
    code: &LaneProgram,
    runs: &mut dyn Runs,
) {
    InLanes::new(model, first, code).run(runs);
}

/// Runs in lanes.
struct InLanes<'t> {
    model: &'t Arc<Model>,
    first: &'t TickRun,
    program: &'t Program,
    code: &'t LaneProgram,
    packs: [Pack; BLOCKS],
    /// Start values of the next run.
    given: Vec<(Input, f64)>,
    /// True if reciprocals served for all quotients so far.
    quick: bool,
}

/// The runs of a block.
#[derive(Clone)]
struct Pack {
    block: Block,
    measures: Vec<LaneMeasure>,
    /// Per lane what the run is called.
    names: [usize; LANES],
    /// Per lane how many ticks were done.
    ticks: [u64; LANES],
    /// Lanes whose first tick is the next one.
    fresh: Mask,
    /// The time of the row that stands [units of `time`].
    now: LaneVec,
    /// Lanes in which the run is to stop, and those that are spoilt.
    stopped: Mask,
    spoilt: Mask,
}

impl<'t> InLanes<'t> {
    fn new(model: &'t Arc<Model>, first: &'t TickRun, code: &'t LaneProgram) -> Self {
        let program = first.program();
        let pack = |_| Pack {
            block: Block::new(&program.tape, [&code.first, &code.tick[0], &code.probes]),
            measures: first.measures.iter().map(LaneMeasure::new).collect(),
            names: [0; LANES],
            ticks: [0; LANES],
            fresh: 0,
            now: LaneVec::splat(0.0),
            stopped: 0,
            spoilt: 0,
        };
        Self {
            model,
            first,
            program,
            code,
            packs: std::array::from_fn(pack),
            given: Vec::new(),
            quick: !code.divisors.is_empty(),
        }
    }

    fn run(&mut self, runs: &mut dyn Runs) {
        let end = self.first.config.ticks;
        let n_ops = self.program.tape.ops.len() as u64;
        let longest = (POLL_OPS / (n_ops + 8)).clamp(1, MAX_TICKS);
        while !runs.broken() {
            let mut over = 0;
            for number in 0..BLOCKS {
                self.fill(number, runs);
                over |= self.packs[number].over(end);
            }
            let lanes = self.packs.iter().flat_map(|pack| {
                let live = lanes_in(pack.block.live);
                live.map(|lane| end.saturating_sub(pack.ticks[lane]))
            });
            let Some(left) = lanes.min() else {
                return;
            };
            if over == 0 {
                self.stretch(left.min(longest));
            }
            for number in 0..BLOCKS {
                let over = self.packs[number].over(end);
                if over != 0 && !self.first.reads_every_row() {
                    self.probe(number);
                }
                let pack = &self.packs[number];
                for lane in lanes_in(over) {
                    let end = if pack.spoilt & mask_of(lane) != 0 {
                        LaneEnd::Spoilt
                    } else {
                        self.end_of(number, lane)
                    };
                    runs.done(pack.names[lane], end);
                }
                self.packs[number].block.live &= !over;
            }
        }
    }

    /// Gives lanes without a run the next ones; some of these may be over at once.
    fn fill(&mut self, number: usize, runs: &mut dyn Runs) {
        let mut filled = 0;
        'lanes: for lane in lanes_in(!self.packs[number].block.live) {
            loop {
                let Some(name) = runs.next(&mut self.given) else {
                    break 'lanes;
                };
                match self.begin(&self.given) {
                    Ok(state) => {
                        self.packs[number].load(lane, name, state);
                        filled |= mask_of(lane);
                        continue 'lanes;
                    }
                    Err(error) => runs.done(name, LaneEnd::Refused(Box::new(error))),
                }
            }
        }
        let pack = &mut self.packs[number];
        pack.block.live |= filled;
        pack.fresh |= filled;
        (pack.stopped, pack.spoilt) = (0, 0);
        if filled == 0 || !self.first.is_probed() {
            return;
        }
        self.probe(number);
        let pack = &mut self.packs[number];
        for measure in &mut pack.measures {
            for lane in lanes_in(filled) {
                measure.begin(lane, self.program, &pack.block, 0.0);
            }
        }
        if let Some(bit) = self.first.stop_bit() {
            pack.stopped = pack.block.bits[bit as usize] & filled;
        }
    }

    fn begin(&self, given: &[(Input, f64)]) -> Result<State, SetupError> {
        let beginning = Beginning::given(self.model, given)?;
        self.first.start_of(&beginning)
    }

    /// The result of a run whose row has been read.
    fn end_of(&self, number: usize, lane: usize) -> LaneEnd {
        let pack = &self.packs[number];
        let measures = pack.measures.iter();
        let now = pack.now.get(lane);
        let measured = measures.map(|measure| measure.value(lane, self.program, &pack.block, now));
        LaneEnd::Over {
            measured: measured.collect(),
            time: self.first.time_of(pack.ticks[lane]),
            ended: if pack.stopped & mask_of(lane) != 0 {
                EndReason::Condition
            } else {
                EndReason::Stop
            },
        }
    }

    /// Does ticks in all lanes; fewer if a run is to stop.
    fn stretch(&mut self, ticks: u64) {
        if self.quick {
            let before = self.packs.clone();
            self.advance(ticks);
            let doubted = self.packs.each_mut().map(|pack| pack.block.doubted());
            if doubted == [false; BLOCKS] {
                return;
            }
            // Where quotients become too small or too large once, they do so again.
            self.packs = before;
            self.quick = false;
        }
        self.advance(ticks);
    }

    fn advance(&mut self, ticks: u64) {
        let way = Way {
            program: self.program,
            code: self.code,
            watched: self.first.watched(),
            step: self.first.config.step,
            stop: self.first.stop_bit(),
            probed: self.first.reads_every_row(),
            quick: self.quick,
        };
        let [first, second] = &mut self.packs;
        match (first.block.live, second.block.live) {
            (_, 0) => stretch_of_ticks(&way, &mut [first], ticks),
            (0, _) => stretch_of_ticks(&way, &mut [second], ticks),
            _ => stretch_of_two(&way, &mut [first, second], ticks),
        }
    }

    /// Computes the probes of the rows that stand.
    fn probe(&mut self, number: usize) {
        let way = Way {
            program: self.program,
            code: self.code,
            watched: &[],
            step: self.first.config.step,
            stop: None,
            probed: true,
            quick: false,
        };
        probe_rows(&way, &mut self.packs[number]);
    }
}

impl Pack {
    /// Lanes whose run is over.
    fn over(&self, end: u64) -> Mask {
        let ends = (0..LANES).filter(|&lane| self.ticks[lane] >= end);
        let ends = ends.fold(0, |mask, lane| mask | mask_of(lane));
        (ends | self.stopped | self.spoilt) & self.block.live
    }

    /// Puts a run that has not begun into a lane.
    fn load(&mut self, lane: usize, name: usize, state: State) {
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
        self.names[lane] = name;
    }
}
