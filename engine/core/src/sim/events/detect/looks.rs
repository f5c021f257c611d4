//! Points inside a step at which measures and conditions look.

use crate::lower::border::BorderId;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::crossing_search::{Crossed, Crossing, Field, LimitedBorder, Which};
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::detect::within_step::{SampleKind, SamplePoint};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::projection::Standing;
use situ_solve::Dense;
use situ_solve::extremum::turning_points;
use situ_solve::roots::Query;
use smallvec::SmallVec;

impl Detection {
    /// Sample points inside a step, at which measures and conditions are evaluated.
    ///
    /// Shapes: `last`: the end of the step; `kink`: where a kink that turns there has not turned yet [theta].
    pub(super) fn looks(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        departures: &Departures,
        (last, kink): (f64, Option<f64>),
    ) -> Vec<SamplePoint> {
        let mut looks = Vec::new();
        if !observe.watching.looks_inside() {
            return looks;
        }
        let dense = std::mem::take(&mut self.dense);
        let border = |watched: usize| dynamics.views.watched[watched].border;
        let limited = self.plan.watched_limits.iter();
        let limited = limited.map(|(own, domain)| LimitedBorder {
            border: border(*own),
            domain: domain.clone().map(border).collect(),
        });
        let limited: Vec<LimitedBorder> = limited.collect();
        let mut field = Field {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            dense: &dense,
            reals: &state.reals,
            steps: &state.steps,
            departures,
            only_watched: &state.borders.only_watched,
            to: 1.0,
            to_past: 1.0,
            together: 0.0,
            limited: &limited,
            last,
            quiet: &[],
        };
        self.finder.search(&mut field, Which::Watched);
        drop_blips_at_start(&mut self.finder.found, &dense);
        // What begins on its border is on one side of it from there on.
        for (border, side, _) in departures.leaves() {
            let index = border.index();
            let leaves = if state.borders.only_watched[index] {
                state.discrete.sides[index] != side
            } else {
                observe.watching.is_landed(border)
            };
            if leaves {
                looks.push(SamplePoint {
                    theta: 0.0,
                    t: dense.t0(),
                    what: SampleKind::Border(border, side),
                });
            }
        }
        // What the run has stopped on is behind its border now.
        for border in observe.watching.landed() {
            if matches!(departures.of(border), Departure::Off(_)) {
                looks.push(SamplePoint {
                    theta: 0.0,
                    t: dense.t0(),
                    what: SampleKind::Border(border, state.discrete.sides[border.index()]),
                });
            }
        }
        // Beyond a kink another mode tells of what is crossed with it.
        let near = 4.0 * Query::tolerance_of(&dense);
        let ends = kink.map_or(f64::INFINITY, |kink| kink - near);
        for crossing in &self.finder.found {
            let is_seen = crossing.theta <= last && crossing.theta < ends;
            if let (Crossed::Border(border, side), true) = (crossing.what, is_seen) {
                looks.push(SamplePoint {
                    theta: crossing.theta,
                    t: dense.time(crossing.theta),
                    what: SampleKind::Border(border, side),
                });
            }
        }
        let times = observe.watching.times(dense.t0(), dense.time(last));
        looks.extend(times.map(|t| SamplePoint {
            theta: dense.theta(t).min(last),
            t,
            what: SampleKind::Time,
        }));
        let (mut y, mut reals) = (vec![0.0; dense.dim()], state.reals.clone());
        let onto = dynamics.projection();
        let (motion, modes, past) = (&mut dynamics.motion, &mut dynamics.modes, &state.past);
        for measure in observe.watching.extremes() {
            // Its values begin and end at the edges, up to rounding.
            let edges = observe.watching.edges_of(measure).map(border);
            let edges: SmallVec<[BorderId; 2]> = edges.collect();
            let formula = observe.watching.formula(measure);
            let rounding = formula.rounding_at(state.t, &state.reals);
            let rounding = if rounding.is_finite() { rounding } else { 0.0 };
            let mut value = |theta: f64| {
                let t = dense.time(theta);
                dense.eval(theta, &mut y);
                if let Some(onto) = &onto {
                    let mut standing = Standing {
                        t,
                        constants: &self.plan.constants,
                        reals: &state.reals,
                        states: &motion.states,
                        y: &mut y,
                    };
                    if standing.project(onto).is_err() {
                        return f64::NAN;
                    }
                }
                match motion.write(modes, past, t, &y, &mut reals) {
                    Ok(()) => formula.value_at(t, &reals),
                    Err(_) => f64::NAN,
                }
            };
            let mut take = |theta: f64, value: f64| {
                looks.push(SamplePoint {
                    theta,
                    t: dense.time(theta),
                    what: SampleKind::Turn { measure, value },
                });
            };
            let mut begin = 0.0;
            let crossings = self.finder.found.iter().filter(|crossing| {
                let is_edge = |border| edges.contains(&border);
                crossing.theta <= last
                    && matches!(crossing.what, Crossed::Border(border, _) if is_edge(border))
            });
            let ends = crossings.map(|crossing| [crossing.before, crossing.theta]);
            let mut ends: SmallVec<[[f64; 2]; 2]> = ends.collect();
            // A step that goes on far behind the end of the run is looked at up to there by itself.
            let stop = dense.theta(self.plan.config.stop);
            if 0.0 < stop && stop < last {
                ends.push([stop; 2]);
            }
            ends.sort_by(|one, other| one[1].total_cmp(&other[1]));
            for end in ends.into_iter().chain([[last; 2]]) {
                let way = end[1] - begin;
                for (part, value) in turning_points(rounding, |part| value(begin + part * way)) {
                    take(begin + part * way, value);
                }
                if end[0] < end[1] || end[1] < last {
                    let values = end.map(&mut value).into_iter();
                    let values = values.filter(|value| !value.is_nan());
                    values.for_each(|value| take(end[1], value));
                }
                begin = end[1];
            }
        }
        looks.sort_by(|a, b| a.theta.total_cmp(&b.theta));
        self.dense = dense;
        looks
    }
}

/// Drops crossings at the start of a step that are taken back within the tolerance of their places: rounding put the start
/// before a crossing that has been looked at.
fn drop_blips_at_start(found: &mut Vec<Crossing>, dense: &Dense) {
    let near = 4.0 * Query::tolerance_of(dense);
    let mut number = 0;
    while number < found.len() {
        let Crossing { theta, what, .. } = found[number];
        let Crossed::Border(border, _) = what else {
            number += 1;
            continue;
        };
        let back = found.iter().skip(number + 1).position(|other| {
            other.theta <= near
                && matches!(other.what, Crossed::Border(other, _) if other == border)
        });
        match back {
            Some(back) if theta == 0.0 => {
                found.remove(number + 1 + back);
                found.remove(number);
            }
            _ => number += 1,
        }
    }
}
