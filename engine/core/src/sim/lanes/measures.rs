//! Measures taken in all lanes at once: what [`Measured`] does for one run, with the same operations.

use crate::backend::lanes::Block;
use crate::lower::Program;
use crate::trace::{Extreme, Kind, Measured};
use situ_solve::lanes::wide::{LaneVec, Mask, lanes_in, mask_of};

/// Kind of measure, without the result so far.
#[derive(Clone, Copy, Debug)]
enum What {
    Final,
    Extreme(Extreme),
    At { wanted: f64 },
    First,
    Duration,
    Count { instantaneous: bool },
    Period { instantaneous: bool },
}

/// A measure being taken in all lanes. What its values are depends on the kind.
#[derive(Clone, Debug)]
pub(super) struct LaneMeasure {
    what: What,
    /// Index of the value or condition among the probes.
    probe: usize,
    /// The result, or the first of two values that make it.
    found: LaneVec,
    /// The value of the last row or the first one, the last time, or since when something holds.
    last: LaneVec,
    /// Number of times that the condition arose.
    count: LaneVec,
    /// Lanes whose result is final.
    is_found: Mask,
    /// Lanes in which the condition held in the last row.
    held: Mask,
}

/// Some lanes take one more value into an extreme.
#[inline(always)]
pub(super) fn take_extreme(
    what: Extreme,
    lanes: Mask,
    found: &mut LaneVec,
    start: &LaneVec,
    value: &LaneVec,
) {
    // A loop for each, in which nothing is asked.
    match what {
        Extreme::Min => found.update_in(lanes, [start, value], |found, [start, value]| {
            Extreme::Min.with(found, start, value)
        }),
        Extreme::Max => found.update_in(lanes, [start, value], |found, [start, value]| {
            Extreme::Max.with(found, start, value)
        }),
        Extreme::Drift => found.update_in(lanes, [start, value], |found, [start, value]| {
            Extreme::Drift.with(found, start, value)
        }),
    }
}

/// Times of rows in all lanes [units of `time`].
pub(super) struct RowTimes<'t> {
    pub(super) now: &'t LaneVec,
    pub(super) before: &'t LaneVec,
}

impl LaneMeasure {
    /// The same measure as one that is taken in a single run.
    pub(super) fn new(measured: &Measured) -> Self {
        let what = match &measured.kind {
            Kind::Final(_) => What::Final,
            Kind::Extreme { what, .. } => What::Extreme(*what),
            Kind::At { wanted, .. } => What::At { wanted: *wanted },
            Kind::First(_) => What::First,
            Kind::Duration { .. } => What::Duration,
            Kind::Count { edge, .. } => What::Count {
                instantaneous: edge.instantaneous,
            },
            Kind::Period { edge, .. } => What::Period {
                instantaneous: edge.instantaneous,
            },
        };
        Self {
            what,
            probe: measured.probe,
            found: LaneVec::splat(0.0),
            last: LaneVec::splat(0.0),
            count: LaneVec::splat(0.0),
            is_found: 0,
            held: 0,
        }
    }

    /// Takes in the first row of a run.
    pub(super) fn begin(&mut self, lane: usize, program: &Program, block: &Block, time: f64) {
        let mask = mask_of(lane);
        let value = || block.reals[program.probes.values[self.probe].index()].get(lane);
        let holds = || block.bits[program.probes.watches[self.probe] as usize] & mask;
        self.is_found &= !mask;
        self.held &= !mask;
        self.count.set(lane, 0.0);
        match self.what {
            What::Final => {}
            What::Extreme(what) => {
                let start = value();
                self.last.set(lane, start);
                self.found.set(lane, what.first(start));
            }
            What::At { wanted } => {
                let value = value();
                self.last.set(lane, value);
                if time == wanted {
                    self.found.set(lane, value);
                    self.is_found |= mask;
                }
            }
            What::First => {
                self.is_found |= holds();
                self.found.set(lane, time);
            }
            What::Duration => {
                self.held |= holds();
                self.last.set(lane, time);
                self.found.set(lane, 0.0);
            }
            What::Count { .. } | What::Period { .. } => self.held |= holds(),
        }
    }

    /// Takes in a row that is not the first.
    #[inline(always)]
    pub(super) fn take(&mut self, program: &Program, block: &Block, times: &RowTimes<'_>) {
        let value = || &block.reals[program.probes.values[self.probe].index()];
        let holds = || block.bits[program.probes.watches[self.probe] as usize];
        let RowTimes { now, before } = *times;
        match self.what {
            What::Final => {}
            What::Extreme(what) => {
                take_extreme(what, !0, &mut self.found, &self.last, value());
            }
            What::At { wanted } => {
                let value = value();
                let due = now.compare(&LaneVec::splat(wanted), |time, wanted| time >= wanted);
                for lane in lanes_in(due & !self.is_found & block.live) {
                    let (time, since) = (now.get(lane), before.get(lane));
                    // The first row stands behind the time.
                    if since > wanted {
                        continue;
                    }
                    let (now, before) = (value.get(lane), self.last.get(lane));
                    let share = (wanted - since) / (time - since);
                    let exact = time == wanted;
                    let between = before + share * (now - before);
                    self.found.set(lane, if exact { now } else { between });
                    self.is_found |= mask_of(lane);
                }
                self.last = *value;
            }
            What::First => {
                let fresh = holds() & !self.is_found & block.live;
                for lane in lanes_in(fresh) {
                    self.found.set(lane, now.get(lane));
                }
                self.is_found |= fresh;
            }
            What::Duration => {
                let holds = holds();
                let held = std::mem::replace(&mut self.held, holds);
                if holds != held {
                    self.last
                        .update_in(holds & !held, [before], |_, [since]| since);
                    self.found.update_in(
                        held & !holds,
                        [before, &self.last],
                        |total, [end, since]| total + (end - since),
                    );
                }
            }
            What::Count { instantaneous } => {
                let arising = self.arising(holds(), instantaneous);
                if arising != 0 {
                    self.count.update_in(arising, [], |count, []| count + 1.0);
                }
            }
            What::Period { instantaneous } => {
                let arising = self.arising(holds(), instantaneous);
                if arising != 0 {
                    self.found
                        .update_in(arising, [now, &self.count], |first, [time, count]| {
                            if count == 0.0 { time } else { first }
                        });
                    self.last.update_in(arising, [now], |_, [time]| time);
                    self.count.update_in(arising, [], |count, []| count + 1.0);
                }
            }
        }
    }

    /// Lanes in which the condition arises.
    #[inline(always)]
    fn arising(&mut self, holds: Mask, instantaneous: bool) -> Mask {
        let held = std::mem::replace(&mut self.held, holds);
        if instantaneous { holds } else { holds & !held }
    }

    /// The result in a lane, whose probes have just been read, at the time of its row.
    pub(super) fn value(
        &self,
        lane: usize,
        program: &Program,
        block: &Block,
        now: f64,
    ) -> Option<f64> {
        let found = self.found.get(lane);
        let count = self.count.get(lane);
        match self.what {
            What::Final => {
                let slot = program.probes.values[self.probe];
                Some(block.reals[slot.index()].get(lane))
            }
            What::Extreme(_) => Some(found),
            What::Duration => {
                let holds = self.held & mask_of(lane) != 0;
                Some(
                    found
                        + if holds {
                            now - self.last.get(lane)
                        } else {
                            0.0
                        },
                )
            }
            What::At { .. } | What::First => (self.is_found & mask_of(lane) != 0).then_some(found),
            What::Count { .. } => Some(count),
            What::Period { .. } => {
                (count > 1.0).then(|| (self.last.get(lane) - found) / (count - 1.0))
            }
        }
    }
}
