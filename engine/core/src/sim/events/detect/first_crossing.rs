//! The first crossing in a step of the method, and borders that its dense output only reaches.

use crate::lower::border::{BorderId, View};
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::crossing_search::{Crossed, Crossing, Field, LimitedBorder, Which};
use crate::sim::events::detect::departure::Departures;
use crate::sim::events::detect::next_step::{Stop, TOGETHER};
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use situ_solve::Locate;
use situ_solve::roots::{AHEAD, Query};
use std::sync::Arc;

impl Detection {
    /// The first crossing inside a step, with all that fall on it.
    pub(super) fn search(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        departures: &Departures,
        lands: bool,
    ) -> Option<Stop> {
        let dense = &self.dense;
        let tau = TOGETHER * dense.t1().abs().max(dense.h()) / dense.h();
        let limited = self.plan.limited.iter().flat_map(|(range, n_written)| {
            let (written, domain) = dynamics.views.ranges[range.index()].split_at(n_written);
            let borders = |views: &[View]| views.iter().map(|view| view.border).collect();
            written.iter().map(move |view| LimitedBorder {
                border: view.border,
                domain: borders(domain),
            })
        });
        let limited: Vec<LimitedBorder> = limited.collect();
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        let has_kinks = !mode.kinks.is_empty();
        let mut field = Field {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            dense,
            reals: &state.reals,
            steps: &state.steps,
            departures,
            only_watched: &state.borders.only_watched,
            // What lies just behind an end that is landed on belongs to it; not what a delayed jump makes of the margins.
            to: if lands { 1.0 + tau } else { 1.0 },
            to_past: match state.past.jumps_at(dense.t1()) {
                true => 1.0,
                false => f64::INFINITY,
            },
            together: 2.0 * tau,
            limited: &limited,
            last: 1.0,
            quiet: &self.quiet_reaches,
        };
        let one_sided = self.plan.config.locate == Locate::OneSided;
        let place = |crossing: &Crossing| {
            if one_sided {
                crossing.before
            } else {
                crossing.theta
            }
        };
        self.finder.search(&mut field, Which::First);
        // A crossing at the end brings with it the kinks that rounding puts just behind.
        let found = &self.finder.found;
        let mut places = found.iter().map(place);
        if !lands && !one_sided && has_kinks && places.any(|theta| theta >= 1.0 - tau) {
            field.to = 1.0 + tau;
            self.finder.search(&mut field, Which::First);
        }
        self.reach_edges(state, dynamics);
        let found = &self.finder.found;
        let first = found.iter().map(place).fold(f64::INFINITY, f64::min);
        let at = if lands && first >= 1.0 - tau {
            1.0
        } else {
            first
        };
        if observe.log.wanted {
            self.remark_touches(state, dynamics, departures, at);
            self.note_remarks(state, observe, at);
        }
        let found = &self.finder.found;
        if first.is_infinite() {
            return None;
        }
        let (mut before, mut reason) = (at, EventCause::default());
        // Where a margin jumps errors of the state move the place; a kink beside it is where it jumps.
        let jumps = found.iter().any(|crossing| {
            matches!(crossing.what, Crossed::Border(border, _) if self.finder.is_jump(border))
        });
        let near = match jumps {
            true => AHEAD[0] * Query::tolerance_of(&self.dense),
            false => tau,
        };
        let group = found.iter().filter(|crossing| place(crossing) <= at + near);
        for crossing in group {
            before = before.min(crossing.before);
            match crossing.what {
                Crossed::Border(border, _) => {
                    reason.borders.push(border);
                    if self.finder.is_jump(border) {
                        reason.jumps.push(border);
                    }
                }
                Crossed::Exit(number) => reason.take_exit(dynamics.motion.exit(number)),
            }
        }
        Some(Stop {
            theta: at,
            before,
            reason,
        })
    }

    /// Marks operands of roots that come to 0 (FORMALISM 10.6) as reached if their rate on the border is 0: the
    /// motion goes on along the border, and not as the dense output does.
    #[inline]
    fn reach_edges(&mut self, state: &HybridState, dynamics: &mut Dynamics) {
        for at in 0..self.finder.edges.len() {
            let crossing = self.finder.edges[at];
            if let Crossed::Border(border, _) = crossing.what
                && self.stands_still_on(state, dynamics, border, crossing.theta)
            {
                self.finder.found.push(crossing);
            }
        }
    }

    /// True if the rate of an affine margin is 0 on its border, beside a point of the step.
    #[cold]
    fn stands_still_on(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        theta: f64,
    ) -> bool {
        let t = self.dense.time(theta);
        dynamics.y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut dynamics.y);
        dynamics.stands_still_beside(state, border, t)
    }

    /// Places before a point of the step at which rounding decided.
    fn note_remarks(&self, state: &HybridState, observe: &mut Observation, last: f64) {
        observe.log.begin(state.progress.instants, self.dense.t1());
        for remark in &self.finder.remarks {
            let [from, to] = remark.between.map(|theta| self.dense.time(theta));
            let name = crate::sim::events::observe::log::place(&state.borders, remark.border);
            if let (Some(border), true) = (name, remark.between[0] <= last) {
                observe.log.note(|| crate::trace::What::Marginal {
                    border,
                    between: [from, to],
                    touch: remark.touch,
                });
            }
        }
    }
}

impl Dynamics {
    /// The same beside the point in `y`, which is moved onto the border.
    pub(crate) fn stands_still_beside(
        &mut self,
        state: &HybridState,
        border: BorderId,
        t: f64,
    ) -> bool {
        let mode = Arc::clone(&self.modes.at(self.motion.mode).mode);
        let Some(margin) = mode.margin(border) else {
            return false;
        };
        let (true, Some(&(moved, weight))) = (self.motion.is_free(), margin.moving.first()) else {
            return false;
        };
        let evaluator = self.modes.get(self.motion.mode);
        let up = if margin.upright { 1.0 } else { -1.0 };
        for _ in 0..2 {
            if evaluator.evaluate_margins(&state.past, t, &self.y).is_err() {
                return false;
            }
            self.y[moved] -= up * evaluator.z(border).unwrap_or_default() / weight;
        }
        let mut rates = vec![0.0; self.y.len()];
        if evaluator
            .rates(&state.past, t, &self.y, &mut rates)
            .is_err()
        {
            return false;
        }
        let per_time = margin.form.as_ref().map_or(f64::NAN, |form| form.per_time);
        let terms = margin.moving.iter();
        let terms = terms.map(|&(state, weight)| weight * rates[state]);
        let size = terms.clone().map(f64::abs).sum::<f64>();
        let rate = terms.sum::<f64>() + per_time;
        rate.abs() <= 4.0 * f64::EPSILON * size
    }
}
