//! History functions: the argument of a delay before the start of a run, as a value or a Taylor series at a time.

use std::sync::Arc;

use super::value::{Jet, Stairs, Value, height, piece};
use crate::tape::{Op, Slot};

/// A time is on a kink if it is nearer than this part of its size, or than as much of one unit of time.
const NEAR: f64 = 1e-12;

/// A series beside a kink is expanded so far from it, and moved there: what is lost is its fourth power.
const ASIDE: f64 = 1e-6;

/// Kinks are looked for between so many points; where what decides about a branch rises or falls all the way, none is
/// missed.
const POINTS: u32 = 64;

/// The most kinks that are kept.
const MAX_KINKS: usize = 100_000;

/// What a delay took in before the start, if that was not its first value. It follows from the model and is not saved:
/// two of them count as equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    function: Option<Arc<HistoryFunction>>,
    /// How old an argument is when it is taken in [units of `time`].
    lag: f64,
}

impl Before {
    pub(crate) fn of(function: HistoryFunction) -> Self {
        Self {
            function: Some(Arc::new(function)),
            lag: 0.0,
        }
    }

    /// The same of an argument that is so old when it is taken in [units of `time`].
    pub(crate) fn lagging(self, lag: f64) -> Self {
        Self { lag, ..self }
    }

    pub(crate) fn function(&self) -> Option<&HistoryFunction> {
        self.function.as_deref()
    }

    /// What was taken in at a time; `None` if that was no earlier than the start, or there is no function.
    pub(crate) fn taken_in_at(&self, time: f64) -> Option<f64> {
        let place = time - self.lag;
        let function = self.function().filter(|_| place < 0.0);
        function.map(|function| function.at(place))
    }
}

impl PartialEq for Before {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A function of the time: the argument of a delay over pasts of reals, which are functions of the time themselves.
#[derive(Clone, Debug)]
pub(crate) struct HistoryFunction {
    argument: TimeTape,
    /// The pasts of reals that the argument reads, with the slots in which it reads them.
    reals: Vec<(Slot, TimeTape)>,
    has_kinks: bool,
}

/// Operations that compute one value from the time and from slots that are filled before.
#[derive(Clone, Debug)]
pub(crate) struct TimeTape {
    pub(crate) ops: Vec<Op>,
    /// What the slots hold that are not computed.
    pub(crate) slots: Vec<f64>,
    pub(crate) time: Slot,
    pub(crate) value: Slot,
}

impl TimeTape {
    /// Executes it; `branches` takes the branch of every kink, in order.
    fn run<V: Value>(
        &self,
        time: V,
        given: impl Iterator<Item = (Slot, V)>,
        mut branches: impl FnMut(f64),
    ) -> V {
        let mut slots: Vec<V> = self.slots.iter().map(|&value| V::constant(value)).collect();
        slots[self.time.index()] = time;
        for (slot, value) in given {
            slots[slot.index()] = value;
        }
        for op in &self.ops {
            let [old, a, b] = [op.out, op.a, op.b].map(|slot| slots[slot as usize]);
            slots[op.out as usize] = match op.code.pieces() {
                None => V::apply(op.code, old, a, b),
                Some(pieces) => {
                    let number = |value: V| value.number().unwrap_or(f64::NAN);
                    let height = number(height(pieces, a, b));
                    let side = usize::from(height >= 0.0) + usize::from(height > 0.0);
                    let stairs = Stairs::of(pieces, number(b));
                    let step = stairs.map_or(0.0, |stairs| stairs.at(height));
                    branches(match stairs {
                        Some(_) => step,
                        None => height.signum(),
                    });
                    piece(pieces, side, step, a, b)
                }
            };
        }
        slots[self.value.index()]
    }
}

impl HistoryFunction {
    pub(crate) fn new(argument: TimeTape, reals: Vec<(Slot, TimeTape)>) -> Self {
        let pasts = reals.iter().flat_map(|(_, past)| &past.ops);
        let has_kinks = pasts
            .chain(&argument.ops)
            .any(|op| op.code.pieces().is_some());
        Self {
            argument,
            reals,
            has_kinks,
        }
    }

    fn run<V: Value>(&self, time: V, mut branches: impl FnMut(f64)) -> V {
        let reals: Vec<(Slot, V)> = self
            .reals
            .iter()
            .map(|(slot, past)| (*slot, past.run(time, [].into_iter(), &mut branches)))
            .collect();
        self.argument.run(time, reals.into_iter(), &mut branches)
    }

    /// The value at a time.
    pub(crate) fn at(&self, time: f64) -> f64 {
        self.run(time, |_| {})
    }

    /// The first Taylor coefficients at a time, from one side of a kink that may be there.
    pub(crate) fn series<const N: usize>(&self, time: f64, right: bool) -> [f64; N] {
        self.series_aside(time, right, 0.0)
    }

    /// The same so far behind that time, without kinks between.
    pub(crate) fn series_aside<const N: usize>(
        &self,
        time: f64,
        right: bool,
        behind: f64,
    ) -> [f64; N] {
        let aside = ASIDE * time.abs().max(1.0);
        let near = NEAR * time.abs().max(1.0);
        let on_kink = self.has_kinks && self.branches(time - near) != self.branches(time + near);
        let place = match (on_kink, right) {
            (false, _) => time,
            (true, false) => time - aside,
            (true, true) => time + aside,
        };
        // Four coefficients whatever is asked for: a value beside a kink is moved along its slopes.
        let mut about: Jet<4> = Jet::constant(place);
        about.0[1] = 1.0;
        let Jet(mut c) = self.run(about, |_| {});
        let way = time - place + behind;
        if way != 0.0 {
            for order in 0..c.len() {
                for k in (order..c.len() - 1).rev() {
                    c[k] += way * c[k + 1];
                }
            }
        }
        std::array::from_fn(|k| c.get(k).copied().unwrap_or_default())
    }

    /// The branches of all kinks at a time.
    fn branches(&self, time: f64) -> Vec<f64> {
        let mut branches = Vec::new();
        self.run(time, |branch| branches.push(branch));
        branches
    }

    /// The times in a span at which a kink takes another branch, ascending.
    pub(crate) fn kinks(&self, from: f64, to: f64) -> Vec<f64> {
        let mut kinks = Vec::new();
        if !self.has_kinks {
            return kinks;
        }
        let place = |point: u32| from + (to - from) * f64::from(point) / f64::from(POINTS);
        let mut left = (from, self.branches(from));
        for point in 1..=POINTS {
            let right = (place(point), self.branches(place(point)));
            self.split(&left, &right, &mut kinks);
            left = right;
        }
        kinks
    }

    /// Adds the kinks between two times, where different branches are taken, by halving.
    fn split(&self, left: &(f64, Vec<f64>), right: &(f64, Vec<f64>), kinks: &mut Vec<f64>) {
        if left.1 == right.1 || kinks.len() >= MAX_KINKS {
            return;
        }
        let middle = left.0 + 0.5 * (right.0 - left.0);
        if middle <= left.0 || middle >= right.0 {
            kinks.push(right.0);
            return;
        }
        let middle = (middle, self.branches(middle));
        self.split(left, &middle, kinks);
        self.split(&middle, right, kinks);
    }

    /// A time in a span at which it has no value, if one is met.
    pub(crate) fn undefined(&self, from: f64, to: f64) -> Option<f64> {
        let place = |point: u32| from + (to - from) * f64::from(point) / f64::from(POINTS);
        (0..=POINTS)
            .map(place)
            .find(|&time| !self.at(time).is_finite())
    }
}
