//! Measures: single numbers taken from a whole trajectory, at every tick, whatever is recorded.
//!
//! A condition is read off the rows of the trajectory ([`Watch`]). It *arises* in a row in which it
//! holds and did not hold in the row before; one that names an event arises in every row in which
//! it holds. What holds at the start has not arisen; in an event-accurate run that is the start before
//! anything happens there.
//!
//! The first row counts as every other one. In a tick run it holds the start values of the table, also of
//! reals that rows compute from the first tick on; in an event-accurate run these have their values there.

use crate::ids::ExprId;
use crate::lower::Probes;
use crate::model::{Model, Watch};
use crate::times::Known;

/// Quantity that is measured.
#[derive(Clone, PartialEq, Debug)]
pub enum Measure {
    /// The last value.
    Final(ExprId),
    /// The smallest value, that of the first row included.
    Min(ExprId),
    /// The largest value, that of the first row included.
    Max(ExprId),
    /// The largest distance from the value at the start.
    Drift(ExprId),
    /// The value at a time [units of `time`], linear between ticks; none before the first row. Of the values at an instant
    /// it is the last.
    At(ExprId, f64),
    /// The first time at which the condition holds [units of `time`].
    First(Watch),
    /// The time for which the condition holds [units of `time`]: one tick for each row after the
    /// start in which it does. Along a slide it holds with its share.
    /// In an event-accurate run it is the sum of the spans in which the condition holds, which do not depend on
    /// steps.
    Duration(Watch),
    /// Number of times that the condition arises.
    Count(Watch),
    /// The mean time between two arisings [units of `time`].
    Period(Watch),
}

/// A measure being taken.
#[derive(Clone, Debug)]
pub struct Measured {
    pub(crate) kind: Kind,
    /// Index of the value or condition among the probes.
    pub(crate) probe: usize,
    time: f64,
    begun: bool,
}

/// Kind of measure, and its result so far.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Final(Option<f64>),
    Extreme {
        what: Extreme,
        /// The first value.
        start: Option<f64>,
        found: f64,
        gaps: Gaps,
    },
    At {
        wanted: f64,
        before: f64,
        value: Option<f64>,
    },
    First(Option<f64>),
    Duration {
        /// The times for which it held, up to where it last ceased.
        total: f64,
        /// Time since which it holds, if it does.
        since: Option<f64>,
    },
    Count {
        edge: Edge,
        count: u64,
    },
    Period {
        edge: Edge,
        count: u64,
        first: f64,
        last: f64,
    },
}

/// Times at which what an extreme is taken of had no value: the extreme is that of the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gap {
    /// The first of these times [units of `time`].
    pub from: f64,
    /// The last of them [units of `time`].
    pub until: f64,
    /// Number of spans that they are.
    pub spans: u64,
}

/// Notices that there is no value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    found: Option<Gap>,
    /// There was none at the last look.
    open: bool,
}

impl Gaps {
    fn look(&mut self, time: f64, has_value: bool) {
        let was_open = std::mem::replace(&mut self.open, !has_value);
        if has_value {
            return;
        }
        let gap = self.found.get_or_insert(Gap {
            from: time,
            until: time,
            spans: 0,
        });
        gap.spans += u64::from(!was_open);
        gap.until = time;
    }
}

/// Extreme that is taken of all values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extreme {
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The largest distance from the first.
    Drift,
}

impl Extreme {
    /// Result after the first value.
    #[inline(always)]
    pub(crate) fn first(self, start: f64) -> f64 {
        match self {
            Self::Min | Self::Max => start,
            // Nothing, or no number.
            Self::Drift => start.abs() * 0.0,
        }
    }

    /// Result after one more value.
    #[inline(always)]
    pub(crate) fn with(self, found: f64, start: f64, value: f64) -> f64 {
        let (value, is_new) = match self {
            Self::Min => (value, value < found || found.is_nan()),
            Self::Max => (value, value > found || found.is_nan()),
            Self::Drift => {
                let drift = (value - start).abs();
                (drift, drift > found || drift.is_nan())
            }
        };
        if is_new { value } else { found }
    }
}

/// Notices that a condition arises.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Arises whenever it holds.
    pub(crate) instantaneous: bool,
    /// Its truth at the last evaluation; `None` before.
    held: Option<bool>,
}

impl Edge {
    fn arises(&mut self, holds: bool) -> bool {
        let before = self.held.replace(holds);
        holds && before.is_some_and(|held| self.instantaneous || !held)
    }
}

impl Measured {
    /// Starts a measure and adds what it must read to the probes.
    pub(crate) fn new(measure: &Measure, model: &Model, probes: &mut Probes) -> Self {
        let edge = |watch: &Watch| Edge {
            instantaneous: model.is_instant(watch),
            held: None,
        };
        let mut value = |expr: &ExprId| {
            probes.values.push(*expr);
            probes.values.len() - 1
        };
        let mut condition = |watch: &Watch| {
            probes.watches.push(watch.clone());
            probes.watches.len() - 1
        };
        let extreme = |what| Kind::Extreme {
            what,
            start: None,
            found: 0.0,
            gaps: Gaps::default(),
        };
        let (kind, probe) = match measure {
            Measure::Final(expr) => (Kind::Final(None), value(expr)),
            Measure::Min(expr) => (extreme(Extreme::Min), value(expr)),
            Measure::Max(expr) => (extreme(Extreme::Max), value(expr)),
            Measure::Drift(expr) => (extreme(Extreme::Drift), value(expr)),
            Measure::At(expr, wanted) => (
                Kind::At {
                    wanted: *wanted,
                    before: f64::NAN,
                    value: None,
                },
                value(expr),
            ),
            Measure::First(watch) => (Kind::First(None), condition(watch)),
            Measure::Duration(watch) => {
                let kind = Kind::Duration {
                    total: 0.0,
                    since: None,
                };
                (kind, condition(watch))
            }
            Measure::Count(watch) => (
                Kind::Count {
                    edge: edge(watch),
                    count: 0,
                },
                condition(watch),
            ),
            Measure::Period(watch) => {
                let kind = Kind::Period {
                    edge: edge(watch),
                    count: 0,
                    first: 0.0,
                    last: 0.0,
                };
                (kind, condition(watch))
            }
        };
        Self {
            kind,
            probe,
            time: 0.0,
            begun: false,
        }
    }

    /// Forgets all rows: the next one is the first.
    pub(crate) fn restart(&mut self) {
        self.begun = false;
        match &mut self.kind {
            Kind::Final(value) | Kind::First(value) | Kind::At { value, .. } => *value = None,
            Kind::Extreme { start, gaps, .. } => (*start, *gaps) = (None, Gaps::default()),
            Kind::Duration { total, since } => (*total, *since) = (0.0, None),
            Kind::Count { edge, count } | Kind::Period { edge, count, .. } => {
                (edge.held, *count) = (None, 0);
            }
        }
    }

    /// Notes what holds in a row in which nothing arises: before the first one, so that it can arise there.
    pub(crate) fn begin(&mut self, holds: impl Fn(usize) -> bool) {
        if let Kind::Count { edge, .. } | Kind::Period { edge, .. } = &mut self.kind {
            edge.held = Some(holds(self.probe));
        }
    }

    /// Takes in a row. `in_domain`: an extreme is taken of what has a value there.
    pub(crate) fn take(
        &mut self,
        time: f64,
        in_domain: bool,
        mut value: impl FnMut(usize) -> f64,
        holds: impl Fn(usize) -> bool,
    ) {
        let (probe, begun, since) = (self.probe, self.begun, self.time);
        match &mut self.kind {
            Kind::Final(last) => *last = Some(value(probe)),
            Kind::Extreme {
                what,
                start,
                found,
                gaps,
            } => {
                let value = value(probe);
                gaps.look(time, in_domain && !value.is_nan());
                *found = match *start {
                    Some(start) => what.with(*found, start, value),
                    None => what.first(value),
                };
                start.get_or_insert(value);
            }
            Kind::At {
                wanted,
                before,
                value: result,
            } => {
                let now = value(probe);
                // At an instant it is the last of its values, as in the rows of a grid; what is computed is near it only.
                let again = || result.is_some() && Known::given(time).is(Known::given(*wanted));
                if time == *wanted || again() {
                    *result = Some(now);
                } else if result.is_none() && begun && since < *wanted && *wanted < time {
                    let share = (*wanted - since) / (time - since);
                    *result = Some(*before + share * (now - *before));
                }
                *before = now;
            }
            Kind::First(first) => {
                if first.is_none() && holds(probe) {
                    *first = Some(time);
                }
            }
            Kind::Duration {
                total,
                since: held_since,
            } => match (holds(probe), *held_since) {
                (true, None) => *held_since = Some(if begun { since } else { time }),
                (false, Some(start)) => {
                    *total += since - start;
                    *held_since = None;
                }
                _ => {}
            },
            Kind::Count { edge, count } => {
                if edge.arises(holds(probe)) {
                    *count += 1;
                }
            }
            Kind::Period {
                edge,
                count,
                first,
                last,
            } => {
                if edge.arises(holds(probe)) {
                    if *count == 0 {
                        *first = time;
                    }
                    *last = time;
                    *count += 1;
                }
            }
        }
        self.time = time;
        self.begun = true;
    }

    /// True if it counts an event: each row in which that holds is one more.
    pub(crate) fn counts_events(&self) -> bool {
        match &self.kind {
            Kind::Count { edge, .. } | Kind::Period { edge, .. } => edge.instantaneous,
            _ => false,
        }
    }

    /// True if it is the time for which a condition holds.
    pub(crate) fn is_duration(&self) -> bool {
        matches!(self.kind, Kind::Duration { .. })
    }

    /// Takes in for how long its condition held since the last row, up to a time at which the next one follows.
    pub(crate) fn take_held(&mut self, held: f64, time: f64) {
        if let Kind::Duration { total, since } = &mut self.kind {
            let before = since.take().map_or(0.0, |since| self.time - since);
            *total += before + held;
            self.time = time;
        }
    }

    /// True if only the last row counts.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.kind, Kind::Final(_))
    }

    /// The time at which it wants a value, if it is one.
    pub(crate) fn wanted(&self) -> Option<f64> {
        match self.kind {
            Kind::At { wanted, .. } => Some(wanted),
            _ => None,
        }
    }

    /// Whether it takes an extreme.
    pub(crate) fn is_extreme(&self) -> bool {
        matches!(self.kind, Kind::Extreme { .. })
    }

    /// Takes in a value between two rows, if it takes an extreme.
    pub(crate) fn take_between(&mut self, value: f64) {
        if let Kind::Extreme {
            what, start, found, ..
        } = &mut self.kind
            && let Some(start) = *start
        {
            *found = what.with(*found, start, value);
        }
    }

    /// Times at which what an extreme is taken of had no value; `None` if it always had one, or the result is none.
    pub(crate) fn gap(&self) -> Option<Gap> {
        match &self.kind {
            Kind::Extreme { gaps, found, .. } => gaps.found.filter(|_| !found.is_nan()),
            _ => None,
        }
    }

    /// The result so far; `None` if there is none: a time that was not reached, a condition that
    /// never held, fewer than two arisings.
    ///
    /// `now`: the present time, which times do not lie behind, though what happens there may by rounding.
    pub fn value(&self, now: f64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts are fewer than 2^53")]
        match &self.kind {
            Kind::Final(value) | Kind::At { value, .. } => *value,
            Kind::First(time) => time.map(|time| time.min(now)),
            Kind::Extreme { start, found, .. } => start.map(|_| *found),
            Kind::Duration { total, since } => {
                Some(total + since.map_or(0.0, |since| self.time.min(now) - since.min(now)))
            }
            Kind::Count { count, .. } => Some(*count as f64),
            Kind::Period {
                count, first, last, ..
            } => (*count > 1).then(|| (last - first) / (count - 1) as f64),
        }
    }
}
