//! Places in a step beyond which a value that rates do not need has none, or about which it grows without bound.

use std::sync::Arc;

use crate::ids::RealId;
use crate::lower::mode::within_steps::value_edges::{EdgeKind, ValueEdge};
use crate::sim::RunFault;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::crossing_search::Finder;
use crate::sim::events::detect::crossing_search::chebyshev_roots::{Job, Sampled};
use crate::sim::events::detect::poles::STEEP;
use crate::sim::events::detect::within_step::{SampleKind, SamplePoint};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use situ_solve::Dense;
use situ_solve::interval::Interval;
use situ_solve::roots::{self, Enclosure, Indicator, Query, RootKind};

/// Where the side of an edge is told if a step begins on it [theta].
const BESIDE: f64 = 1e-6;

/// Beyond an edge a value is looked at up to so much further [theta].
const BEYOND: f64 = 1e-9;

/// What is 0 on the edge of a value, along a step.
struct Along<'a> {
    evaluator: &'a mut Evaluator,
    past: &'a DelayHistory,
    edge: &'a ValueEdge,
    dense: &'a Dense,
}

impl Indicator for Along<'_> {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        let bounds = (self.evaluator).enclose_edge(self.past, self.edge, self.dense, theta);
        let [value, slope, half] = bounds.unwrap_or([Interval::ENTIRE; 3]);
        Enclosure {
            value,
            slope,
            curvature: half * Interval::point(2.0),
        }
    }

    fn value(&mut self, theta: f64) -> f64 {
        let at = (self.dense, theta);
        let value = self.evaluator.edge_along(self.past, self.edge, at);
        value.unwrap_or(f64::NAN)
    }
}

impl Detection {
    /// The first edge of a value that a step comes to, up to a place.
    ///
    /// # Errors
    ///
    /// There is no dense output.
    #[inline]
    pub(in crate::sim::events::detect) fn value_edge(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        to: f64,
    ) -> Result<Option<SamplePoint>, RunFault> {
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        if mode.within_steps.value_edges.is_empty() {
            return Ok(None);
        }
        self.make_dense(state, dynamics)?;
        let dense = std::mem::take(&mut self.dense);
        let found = self.finder.value_edge(state, dynamics, &dense, to);
        self.dense = dense;
        Ok(found)
    }
}

impl Finder {
    fn value_edge(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        dense: &Dense,
        to: f64,
    ) -> Option<SamplePoint> {
        let mode = Arc::clone(&dynamics.modes.at(dynamics.motion.mode).mode);
        let edges = &mode.within_steps.value_edges;
        let is_free = dynamics.motion.is_free();
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        evaluator.begin_enclosing();
        let (mut found, mut opaque) = (Vec::new(), Vec::new());
        for (number, edge) in edges.iter().enumerate() {
            let begins = evaluator.edge_along(&state.past, edge, (dense, 0.0));
            let Some(begins) = begins.filter(|_| is_free) else {
                opaque.push(number);
                continue;
            };
            let mut along = Along {
                evaluator,
                past: &state.past,
                edge,
                dense,
            };
            let Some(query) = query(dense, to, edge, begins, || along.value(BESIDE)) else {
                continue;
            };
            let roots = self.roots.all_of(&mut along, &query).iter();
            let crossings = roots.filter(|root| matches!(root.kind, RootKind::Crossing(_)));
            found.extend(crossings.map(|root| (number, [root.lo, root.hi])));
        }
        if !opaque.is_empty() {
            self.opaque_edges(state, dynamics, (dense, to), edges, &opaque, &mut found);
        }
        found.sort_by(|(_, one), (_, other)| one[1].total_cmp(&other[1]));
        let mut value = Values {
            state,
            dynamics,
            dense,
            y: vec![0.0; dense.dim()],
            reals: state.reals.clone(),
        };
        found.into_iter().find_map(|(number, place)| {
            let theta = value.ends_at(&edges[number], place, to)?;
            Some(SamplePoint {
                theta,
                t: dense.time(theta),
                what: SampleKind::Edge(number),
            })
        })
    }

    /// The crossings of edges that do not stand for themselves.
    fn opaque_edges(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        (dense, to): (&Dense, f64),
        edges: &[ValueEdge],
        opaque: &[usize],
        found: &mut Vec<(usize, [f64; 2])>,
    ) {
        let (mut y, mut reals) = (vec![0.0; dense.dim()], state.reals.clone());
        let (motion, modes) = (&mut dynamics.motion, &mut dynamics.modes);
        let mut margins = |theta: f64, into: &mut [f64]| {
            dense.eval(theta, &mut y);
            let seen = motion.write(modes, &state.past, dense.time(theta), &y, &mut reals);
            let evaluator = modes.at(motion.mode);
            for (value, &number) in into.iter_mut().zip(opaque) {
                let edge = &edges[number];
                // Lengths of delays are computed before what has no value behind them.
                *value = match seen {
                    Err(_) if edge.kind != EdgeKind::Length => f64::NAN,
                    _ => edge.kind.margin(evaluator.value(edge.operand)),
                };
            }
        };
        let [mut begin, mut beside] = [(); 2].map(|()| vec![0.0; opaque.len()]);
        margins(0.0, &mut begin);
        margins(BESIDE, &mut beside);
        self.jobs.clear();
        for (at, &number) in opaque.iter().enumerate() {
            let query = query(dense, to, &edges[number], begin[at], || beside[at]);
            self.jobs.push(Job {
                held: query.map_or(roots::Side::Plus, |query| query.side),
                zeros: query.map_or(0, |query| query.zeros),
            });
        }
        let seams = state.past.seams(dense.t0(), dense.t1());
        let seams: Vec<f64> = seams.map(|t| dense.theta(t)).collect();
        let tolerance = Query::tolerance_of(dense);
        let values = &mut Sampled(margins);
        let crossings = (self.curves).search(values, &self.jobs, &seams, to, tolerance, true);
        found.extend(
            crossings
                .iter()
                .map(|&(job, before, theta, _)| (opaque[job], [before, theta])),
        );
    }
}

/// The search for an edge up to a place; `begins`: what is 0 on it where the step begins, `beside` the same just behind.
/// `None` if it has no value.
fn query(
    dense: &Dense,
    to: f64,
    edge: &ValueEdge,
    begins: f64,
    beside: impl FnOnce() -> f64,
) -> Option<Query> {
    let zeros = match edge.kind.is_pole() {
        true => begins == 0.0,
        false => begins <= 0.0,
    };
    let side = match (edge.kind.is_pole(), zeros) {
        (true, false) => roots::Side::of(begins)?,
        (true, true) => roots::Side::of(beside())?,
        (false, _) => roots::Side::Plus,
    };
    (!begins.is_nan()).then(|| Query {
        to,
        zeros: usize::from(zeros),
        leaves: zeros,
        ..Query::whole(dense, side)
    })
}

/// The values of reals along a step.
struct Values<'a> {
    state: &'a HybridState,
    dynamics: &'a mut Dynamics,
    dense: &'a Dense,
    y: Vec<f64>,
    reals: Vec<f64>,
}

impl Values<'_> {
    fn at(&mut self, theta: f64, real: RealId) -> f64 {
        let t = self.dense.time(theta);
        self.dense.eval(theta, &mut self.y);
        let (motion, modes) = (&mut self.dynamics.motion, &mut self.dynamics.modes);
        let written = motion.write(modes, &self.state.past, t, &self.y, &mut self.reals);
        written.map_or(f64::NAN, |()| self.reals[real.index()])
    }

    /// Where the value that a row writes ends, if an edge in the row that is crossed between two places is one of it: a row
    /// may not act, and a dividend may vanish together with its divisor.
    fn ends_at(&mut self, edge: &ValueEdge, [before, theta]: [f64; 2], to: f64) -> Option<f64> {
        let real = edge.target;
        if edge.kind.is_pole() {
            let places = [0.0, to, before, theta];
            let [first, last, low, high] = places.map(|theta| self.at(theta, real).abs());
            let beside = if low.is_finite() { low.max(high) } else { low };
            let is_steep =
                beside > STEEP[0] * first.max(last) && beside > STEEP[1] * first.min(last);
            return is_steep.then_some(before);
        }
        // No row that reads a delay is without effect.
        let furthest = match edge.kind {
            EdgeKind::Length => f64::INFINITY,
            _ => BEYOND,
        };
        let overflows = edge.kind == EdgeKind::Overflow;
        let has_value = |value: f64| !(value.is_nan() || overflows && value.is_infinite());
        let mut beyond = f64::EPSILON;
        let mut place = theta;
        while place <= to && has_value(self.at(place, real)) {
            if beyond > furthest {
                return None;
            }
            place = theta + beyond;
            beyond *= 2.0;
        }
        (place <= to).then_some(place)
    }
}
