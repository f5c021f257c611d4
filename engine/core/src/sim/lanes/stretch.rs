//! Stretches of ticks in lanes: a pack of states and the tape become the states some ticks later.

use multiversion::multiversion;

use super::measures::RowTimes;
use super::{LaneProgram, Pack};
use crate::backend::lanes::execute;
use crate::lower::Program;
use situ_solve::lanes::wide::{LaneVec, lanes_in};

/// Settings of a stretch of ticks.
pub(super) struct Way<'s> {
    pub(super) program: &'s Program,
    pub(super) code: &'s LaneProgram,
    /// Reals that are tested after every tick.
    pub(super) watched: &'s [u32],
    pub(super) step: f64,
    /// The bit that stops a run.
    pub(super) stop: Option<u32>,
    /// True if rows are read after every tick.
    pub(super) probed: bool,
    /// True if reciprocals are used.
    pub(super) quick: bool,
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn stretch_of_ticks(way: &Way, packs: &mut [&mut Pack; 1], ticks: u64) {
    stretch(way, packs, ticks);
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn stretch_of_two(way: &Way, packs: &mut [&mut Pack; 2], ticks: u64) {
    stretch(way, packs, ticks);
}

/// Does ticks in all lanes of some blocks; fewer if a run is to stop.
#[inline(always)]
fn stretch<const B: usize>(way: &Way<'_>, packs: &mut [&mut Pack; B], ticks: u64) {
    let (program, code, step) = (way.program, way.code, way.step);
    let tape = &program.tape;
    let is_timed = code.is_timed || way.probed;
    let mut spoilt = [LaneVec::splat(0.0); B];
    let (mut done, mut stopped) = (0, 0);
    let [tick, passing] = [&code.tick, &code.passing].map(|both| &both[usize::from(way.quick)]);
    let mut knows_reciprocals = !way.quick;
    while done < ticks && stopped == 0 {
        let mut fresh = 0;
        for pack in packs.iter_mut() {
            let block = &mut pack.block;
            if program.clock.is_read {
                let ticks = block.ticks;
                block.reals[program.clock.time.index()].update([&ticks], |_, [tick]| tick * step);
            }
            fresh |= pack.fresh;
            block.bits[program.start_bit as usize] = std::mem::take(&mut pack.fresh);
        }
        let part = if fresh != 0 {
            &code.first
        } else if way.probed || done + 1 == ticks {
            tick
        } else {
            passing
        };
        if fresh == 0 && !knows_reciprocals {
            for pack in packs.iter_mut() {
                pack.block.take_reciprocals(&code.divisors);
            }
            knows_reciprocals = true;
        }
        execute(part, tape, packs.each_mut().map(|pack| &mut pack.block));
        for (pack, spoilt) in packs.iter_mut().zip(&mut spoilt) {
            if is_timed {
                pack.block.ticks.update([], |tick, []| tick + 1.0);
            }
            // `x * 0` is 0 for a finite x and NaN for any other, and a NaN survives every sum.
            for &slot in way.watched {
                let watched = &pack.block.reals[slot as usize];
                if way.quick {
                    spoilt.update([watched], |sum, [x]| x.mul_add(0.0, sum));
                } else {
                    spoilt.update([watched], |sum, [x]| sum + x * 0.0);
                }
            }
            if way.probed {
                read_rows(way, pack);
                if let Some(bit) = way.stop {
                    pack.stopped = pack.block.bits[bit as usize] & pack.block.live;
                    stopped |= pack.stopped;
                }
            }
        }
        done += 1;
    }
    for (pack, mut spoilt) in packs.iter_mut().zip(spoilt) {
        if !is_timed {
            #[expect(clippy::cast_precision_loss, reason = "a stretch is short")]
            let ticks = done as f64;
            pack.block.ticks.update([], |tick, []| tick + ticks);
        }
        for lane in lanes_in(pack.block.live) {
            pack.ticks[lane] += done;
        }
        for values in &pack.block.reals[..program.n_reals] {
            spoilt.update([values], |sum, [x]| sum + x * 0.0);
        }
        let finite = spoilt.compare(&LaneVec::splat(0.0), |sum, zero| sum == zero);
        pack.spoilt = !finite & pack.block.live;
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn probe_rows(way: &Way, pack: &mut Pack) {
    probe(way, pack);
}

/// Computes the probes of the rows that stand.
#[inline(always)]
fn probe(way: &Way<'_>, pack: &mut Pack) {
    let (program, step) = (way.program, way.step);
    let block = &mut pack.block;
    pack.now.update([&block.ticks], |_, [tick]| tick * step);
    block.reals[program.clock.row_time.index()] = pack.now;
    execute(&way.code.probes, &program.tape, [block]);
}

/// Takes measures of the rows that stand: once each, as an event in one is counted.
#[inline(always)]
fn read_rows(way: &Way<'_>, pack: &mut Pack) {
    let before = pack.now;
    probe(way, pack);
    let times = RowTimes {
        now: &pack.now,
        before: &before,
    };
    for measure in &mut pack.measures {
        measure.take(way.program, &pack.block, &times);
    }
}
