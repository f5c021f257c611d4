//! A point between the ends of a tick, and what ranges say there.

use super::code::Code;
use crate::backend::interpreter::{Context, NoObserver, Reals, Room, execute};
use crate::lower::{Probes, Program, beside_time};
use crate::model::{CompareOp, Model};
use crate::sim::state::recent::located;
use crate::tape::Slot;
use crate::times::around;

/// A comparison of a range.
#[derive(Clone, Copy, Debug)]
struct Compared {
    /// Position of its range among those that are evaluated.
    range: usize,
    op: CompareOp,
    /// Positions of its sides among the probes.
    left: usize,
    right: usize,
    /// The side that is a known time beside `time`, and whether the earliest time that is one with it counts, or the
    /// latest: where the comparison turns, ticks find it turned.
    known: Option<(usize, bool)>,
}

/// All comparisons whose changes are located.
#[derive(Clone, Debug)]
pub(super) struct Comparisons {
    all: Vec<Compared>,
    n_ranges: usize,
}

/// Comparisons evaluated at one state.
#[derive(Clone, Debug, Default)]
pub(super) struct ComparisonSample {
    /// Per comparison left minus right.
    pub(super) margins: Vec<f64>,
    /// Per comparison whether it holds.
    pub(super) holds: Vec<bool>,
    /// Per range whether it holds.
    pub(super) ranges: Vec<bool>,
}

/// Reals and bits to try something on.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) reals: Vec<f64>,
    pub(super) bits: Vec<u64>,
}

impl Comparisons {
    /// The comparisons of a model, whose sides are added to what is read off rows.
    pub(super) fn new(model: &Model, probes: &mut Probes) -> Self {
        let mut all = Vec::new();
        let mut n_ranges = 0;
        for range in located(model) {
            for comparison in &range.all {
                let left = probes.values.len();
                let is_known = |&(side, _): &(usize, bool)| {
                    let sides = [comparison.left, comparison.right];
                    model.exprs.is_constant(sides[side])
                };
                probes.values.extend([comparison.left, comparison.right]);
                all.push(Compared {
                    range: n_ranges,
                    op: comparison.op,
                    left,
                    right: left + 1,
                    known: beside_time(model, comparison).filter(is_known),
                });
            }
            n_ranges += 1;
        }
        Self { all, n_ranges }
    }

    /// Number of comparisons.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

impl ComparisonSample {
    /// Reads what probes have left in the slots.
    fn read(&mut self, comparisons: &Comparisons, probes: &[Slot], reals: &[f64]) {
        self.margins.clear();
        self.holds.clear();
        self.ranges.clear();
        self.ranges.resize(comparisons.n_ranges, true);
        for compared in &comparisons.all {
            let [left, right] =
                [compared.left, compared.right].map(|probe| reals[probes[probe].index()]);
            let mut sides = [left, right];
            if let Some((known, is_earliest)) = compared.known {
                let [earliest, latest] = around(sides[known]);
                sides[known] = if is_earliest { earliest } else { latest };
            }
            self.margins.push(left - right);
            let holds = compared.op.holds(sides[0], sides[1]);
            self.holds.push(holds);
            self.ranges[compared.range] &= holds;
        }
    }
}

impl Sheet {
    /// Becomes a copy.
    pub(super) fn copy(&mut self, reals: &[f64], bits: &[u64]) {
        self.reals.clear();
        self.reals.extend_from_slice(reals);
        self.bits.clear();
        self.bits.extend_from_slice(bits);
    }

    /// Computes what is read off a row that stands at a time.
    pub(super) fn probe(&mut self, program: &Program, code: &Code, time: f64) {
        let mut context = Context {
            tape: &program.tape,
            spans: &[],
            room: &mut Room::default(),
            lines: &mut [],
            tick: 0,
            since: (0, 0.0),
            starting: false,
        };
        let (reals, bits) = (self.reals.as_mut_slice(), self.bits.as_mut_slice());
        reals.put(program.clock.row_time.0, time);
        execute(&code.probes, reals, bits, &mut context, &mut NoObserver);
    }

    /// Asks the comparisons about the reals at a time.
    pub(super) fn ask(
        &mut self,
        comparisons: &Comparisons,
        (program, code): (&Program, &Code),
        time: f64,
        said: &mut ComparisonSample,
    ) {
        self.probe(program, code, time);
        said.read(comparisons, &program.probes.values, &self.reals);
    }
}

/// The way of the reals through a tick: a line, or the parabola through an earlier point too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'a> {
    pub(super) start: &'a [f64],
    pub(super) end: &'a [f64],
    /// An earlier point with its place, the tick being from 0 to 1.
    pub(super) before: Option<(f64, &'a [f64])>,
    /// Per real whether it goes along the parabola; others go straight.
    pub(super) bent: &'a [bool],
}

impl Way<'_> {
    /// The reals at a part of the tick.
    pub(super) fn at(&self, part: f64, reals: &mut [f64]) {
        for (index, real) in reals.iter_mut().enumerate() {
            let (start, end) = (self.start[index], self.end[index]);
            let before = self.before.filter(|_| self.bent[index]);
            let bow = before.map_or(0.0, |(back, before)| {
                ((end - start) - (before[index] - start) / back) / (1.0 - back)
            });
            let bow = if bow.is_finite() { bow } else { 0.0 };
            let value = start + part * ((end - start) + (part - 1.0) * bow);
            *real = if value.is_finite() { value } else { end };
        }
    }
}
