//! Measures: single numbers taken from a whole trajectory, at every tick, whatever is recorded.
//!
//! A condition is read off the rows of the trajectory ([`Watch`]). It *arises* in a row in which it
//! holds and did not hold in the row before; one that names an event arises in every row in which
//! it holds. What holds at the start has not arisen.

use crate::ids::ExprId;
use crate::lower::Probes;
use crate::model::{Literal, Model, Watch, WatchLiteral};

/// What is measured.
#[derive(Clone, PartialEq, Debug)]
pub enum Measure {
    /// The last value.
    Final(ExprId),
    /// The smallest value.
    Min(ExprId),
    /// The largest value.
    Max(ExprId),
    /// The largest distance from the value at the start.
    Drift(ExprId),
    /// The value at a time [units of `time`], linear between ticks.
    At(ExprId, f64),
    /// The first time at which the condition holds [units of `time`].
    First(Watch),
    /// The time for which the condition holds [units of `time`]: one tick for each row after the
    /// start in which it does.
    Duration(Watch),
    /// How often the condition arises.
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

/// What is measured, and what was found so far.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Final(Option<f64>),
    Min(Option<f64>),
    Max(Option<f64>),
    Drift {
        start: Option<f64>,
        largest: f64,
    },
    At {
        wanted: f64,
        before: f64,
        value: Option<f64>,
    },
    First(Option<f64>),
    Duration(f64),
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

/// Notices that a condition arises.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Arises whenever it holds.
    pub(crate) instantaneous: bool,
    held: bool,
}

impl Edge {
    fn arises(&mut self, holds: bool, begun: bool) -> bool {
        let fresh = self.instantaneous || !self.held;
        self.held = holds;
        begun && holds && fresh
    }
}

impl Measured {
    /// Starts a measure and adds what it must read to the probes.
    pub(crate) fn new(measure: &Measure, model: &Model, probes: &mut Probes) -> Self {
        let edge = |watch: &Watch| Edge {
            instantaneous: watch.iter().any(|literal| match literal {
                WatchLiteral::Boolean(Literal { what, negated }) => {
                    !negated && model.is_event(*what)
                }
                WatchLiteral::Comparison(_) => false,
            }),
            held: false,
        };
        let mut value = |expr: &ExprId| {
            probes.values.push(*expr);
            probes.values.len() - 1
        };
        let mut condition = |watch: &Watch| {
            probes.watches.push(watch.clone());
            probes.watches.len() - 1
        };
        let (kind, probe) = match measure {
            Measure::Final(expr) => (Kind::Final(None), value(expr)),
            Measure::Min(expr) => (Kind::Min(None), value(expr)),
            Measure::Max(expr) => (Kind::Max(None), value(expr)),
            Measure::Drift(expr) => {
                let kind = Kind::Drift {
                    start: None,
                    largest: 0.0,
                };
                (kind, value(expr))
            }
            Measure::At(expr, wanted) => (
                Kind::At {
                    wanted: *wanted,
                    before: f64::NAN,
                    value: None,
                },
                value(expr),
            ),
            Measure::First(watch) => (Kind::First(None), condition(watch)),
            Measure::Duration(watch) => (Kind::Duration(0.0), condition(watch)),
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

    /// Takes in a row.
    pub(crate) fn take(
        &mut self,
        time: f64,
        value: impl Fn(usize) -> f64,
        holds: impl Fn(usize) -> bool,
    ) {
        let (probe, begun, since) = (self.probe, self.begun, self.time);
        match &mut self.kind {
            Kind::Final(last) => *last = Some(value(probe)),
            Kind::Min(least) => {
                let value = value(probe);
                *least = Some(match *least {
                    Some(least) if !(value < least || least.is_nan()) => least,
                    _ => value,
                });
            }
            Kind::Max(most) => {
                let value = value(probe);
                *most = Some(match *most {
                    Some(most) if !(value > most || most.is_nan()) => most,
                    _ => value,
                });
            }
            Kind::Drift { start, largest } => {
                let value = value(probe);
                let start = *start.get_or_insert(value);
                let drift = (value - start).abs();
                if drift > *largest || drift.is_nan() {
                    *largest = drift;
                }
            }
            Kind::At {
                wanted,
                before,
                value: result,
            } => {
                let now = value(probe);
                if result.is_none() && time >= *wanted {
                    let share = if begun {
                        (*wanted - since) / (time - since)
                    } else {
                        1.0
                    };
                    let exact = time == *wanted || !begun;
                    *result = Some(if exact {
                        now
                    } else {
                        *before + share * (now - *before)
                    });
                }
                *before = now;
            }
            Kind::First(first) => {
                if first.is_none() && holds(probe) {
                    *first = Some(time);
                }
            }
            Kind::Duration(total) => {
                if begun && holds(probe) {
                    *total += time - since;
                }
            }
            Kind::Count { edge, count } => {
                if edge.arises(holds(probe), begun) {
                    *count += 1;
                }
            }
            Kind::Period {
                edge,
                count,
                first,
                last,
            } => {
                if edge.arises(holds(probe), begun) {
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

    /// Whether only the last row counts.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.kind, Kind::Final(_))
    }

    /// Whether it has its result from the last row, a row at a time that it wants, and rows in which
    /// conditions change.
    pub(crate) fn changes_at_events_only(&self) -> bool {
        match self.kind {
            Kind::Final(_)
            | Kind::At { .. }
            | Kind::First(_)
            | Kind::Count { .. }
            | Kind::Period { .. } => true,
            Kind::Min(_) | Kind::Max(_) | Kind::Drift { .. } | Kind::Duration(_) => false,
        }
    }

    /// The time at which it wants a value, if it is one.
    pub(crate) fn wanted(&self) -> Option<f64> {
        match self.kind {
            Kind::At { wanted, .. } => Some(wanted),
            _ => None,
        }
    }

    /// The probe whose extreme it takes, if it does.
    pub(crate) fn extreme_of(&self) -> Option<usize> {
        matches!(self.kind, Kind::Min(_) | Kind::Max(_) | Kind::Drift { .. }).then_some(self.probe)
    }

    /// The result so far; `None` if there is none: a time that was not reached, a condition that
    /// never held, fewer than two arisings.
    pub fn value(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts are fewer than 2^53")]
        match &self.kind {
            Kind::Final(value) | Kind::Min(value) | Kind::Max(value) | Kind::First(value) => *value,
            Kind::At { value, .. } => *value,
            Kind::Drift { start, largest } => start.map(|_| *largest),
            Kind::Duration(total) => Some(*total),
            Kind::Count { count, .. } => Some(*count as f64),
            Kind::Period {
                count, first, last, ..
            } => (*count > 1).then(|| (last - first) / (count - 1) as f64),
        }
    }
}
