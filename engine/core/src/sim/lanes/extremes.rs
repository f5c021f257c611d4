//! Extremes that are measured of runs in lanes: the values that a run of its own looks at in each step
//! (`solve::summit`), computed in all lanes, with the same bits.

use super::measures::take_extreme;
use super::steps::{LaneMode, System};
use crate::backend::lanes::{LaneCode, Mask, Wide, execute, lanes_in, mask_of};
use crate::sim::hybrid::FreeMode;
use crate::solve::lanes::{LaneStepper, POWERS};
use crate::solve::summit::{PLACES, Summit};
use crate::tape::{Slot, Tape};
use crate::trace::Extreme;

/// How an expression is computed in lanes.
#[derive(Debug)]
pub(super) struct Reading {
    code: LaneCode,
    value: Slot,
    /// States that it needs, by position.
    states: Vec<usize>,
    reads_time: bool,
}

impl Reading {
    /// Those of a mode; `None` if lanes cannot execute them.
    pub(super) fn all(free: &FreeMode, tape: &Tape) -> Option<Vec<Self>> {
        let each = free.readings.each.iter();
        each.map(|(value, ops)| {
            let reads = |slot: Slot| {
                let mut operands = ops.iter().flat_map(|op| [op.a, op.b, op.out]);
                *value == slot || operands.any(|operand| operand == slot.0)
            };
            let states = free.states.iter().enumerate();
            let states = states.filter(|(_, (slot, _))| reads(*slot));
            Some(Self {
                code: LaneCode::of_ops(tape, ops, |slot| slot == value.0)?,
                value: *value,
                states: states.map(|(position, _)| position).collect(),
                reads_time: reads(free.time),
            })
        })
        .collect()
    }
}

/// An extreme being measured in all lanes.
pub(super) struct LaneExtreme {
    what: Extreme,
    /// Index among the readings of the mode.
    reading: usize,
    /// The first values, and what was found so far.
    start: Wide,
    found: Wide,
    /// The states that the reading needs along the trials, in powers of theta.
    powers: Vec<[Wide; POWERS]>,
    /// Searches inside of steps, lane by lane.
    searches: Vec<(usize, Summit)>,
}

impl LaneExtreme {
    /// Those of a mode.
    pub(super) fn all(mode: &LaneMode) -> Vec<Self> {
        let zero = Wide::splat(0.0);
        let extremes = mode.free.extremes.iter().zip(&mode.readings).enumerate();
        let extremes = extremes.map(|(reading, (&what, own))| Self {
            what,
            reading,
            start: zero,
            found: zero,
            powers: vec![[zero; POWERS]; own.states.len()],
            searches: Vec::new(),
        });
        extremes.collect()
    }

    /// Takes over what a run has: the first value, and what it has found.
    pub(super) fn load(&mut self, lane: usize, [start, found]: [f64; 2]) {
        self.start.set(lane, start);
        self.found.set(lane, found);
    }

    /// What the run in a lane has now.
    pub(super) fn own(&self, lane: usize) -> [f64; 2] {
        [self.start.get(lane), self.found.get(lane)]
    }

    /// Looks along the steps of some lanes.
    #[inline(always)]
    pub(super) fn take(&mut self, taken: Mask, steps: &LaneStepper, system: &mut System) {
        let mode = std::sync::Arc::clone(&system.mode);
        let reading = &mode.readings[self.reading];
        for (powers, &state) in self.powers.iter_mut().zip(&reading.states) {
            steps.powers(state, powers);
        }
        let mut seen = [Wide::splat(0.0); PLACES.len()];
        for (value, place) in seen.iter_mut().zip(PLACES) {
            *value = self.value(reading, steps, system, &Wide::splat(place));
        }
        self.search(taken, &seen);
        while !self.searches.is_empty() {
            self.go_on(reading, steps, system);
        }
        for &state in &reading.states {
            system.block.reals[mode.free.states[state].0.index()] = *steps.end(state);
        }
        let at_end = read(reading, steps, system, &Wide::splat(1.0));
        take_extreme(self.what, taken, &mut self.found, &self.start, &at_end);
    }

    /// Begins a search wherever the values turn in some lanes; the first ones of each lane stand last.
    #[inline(always)]
    fn search(&mut self, lanes: Mask, seen: &[Wide; PLACES.len()]) {
        for (first, [left, middle, right]) in seen.array_windows().enumerate().rev() {
            let rises = middle.compare(left, |middle, left| middle > left);
            let falls = middle.compare(left, |middle, left| middle < left);
            let goes_up = right.compare(middle, |right, middle| right > middle);
            let goes_down = right.compare(middle, |right, middle| right < middle);
            let turns = (rises & !goes_up) | (falls & !goes_down);
            for lane in lanes_in(turns & lanes) {
                let values = [left, middle, right].map(|values| values.get(lane));
                let summit = Summit::of(values, first + 2);
                self.searches.extend(summit.map(|summit| (lane, summit)));
            }
        }
    }

    /// Goes on by one value with the last search of each lane.
    #[inline(always)]
    fn go_on(&mut self, reading: &Reading, steps: &LaneStepper, system: &mut System) {
        let mut theta = Wide::splat(0.0);
        let (mut busy, mut asked) = (0, 0);
        let (what, start, found) = (self.what, &self.start, &mut self.found);
        let mut number = self.searches.len();
        while number > 0 {
            number -= 1;
            let (lane, summit) = &mut self.searches[number];
            let (lane, mask) = (*lane, mask_of(*lane));
            if busy & mask != 0 {
                continue;
            }
            busy |= mask;
            match summit.ask() {
                Some(place) => {
                    theta.set(lane, place);
                    asked |= mask;
                }
                None => {
                    let (_, value) = summit.found();
                    let so_far = found.get(lane);
                    found.set(lane, what.with(so_far, start.get(lane), value));
                    self.searches.remove(number);
                }
            }
        }
        if asked == 0 {
            return;
        }
        let values = self.value(reading, steps, system, &theta);
        for (lane, summit) in self.searches.iter_mut().rev() {
            if asked & mask_of(*lane) != 0 {
                asked &= !mask_of(*lane);
                summit.tell(values.get(*lane));
            }
        }
    }

    /// The expression inside of the trials.
    #[inline(always)]
    fn value(
        &self,
        reading: &Reading,
        steps: &LaneStepper,
        system: &mut System,
        theta: &Wide,
    ) -> Wide {
        for (&state, powers) in reading.states.iter().zip(&self.powers) {
            let slot = system.mode.free.states[state].0;
            let value = &mut system.block.reals[slot.index()];
            *value = Wide::splat(0.0);
            for power in powers[..=steps.degree()].iter().rev() {
                value.update([theta, power], |sum, [theta, power]| sum * theta + power);
            }
        }
        read(reading, steps, system, theta)
    }
}

/// The expression where the states have been put.
#[inline(always)]
fn read(reading: &Reading, steps: &LaneStepper, system: &mut System, theta: &Wide) -> Wide {
    let System { mode, block, .. } = system;
    if reading.reads_time {
        block.reals[mode.free.time.index()] = steps.times(theta);
    }
    execute(&reading.code, &mode.tape, [&mut *block]);
    block.reals[reading.value.index()]
}
