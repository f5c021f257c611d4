//! Places where a margin comes so near to its border that the errors of the states could have hidden a
//! crossing. They go into the log, for nothing is lost silently; the run does not depend on them.
//!
//! As part of the search they would make events of what no tolerance can tell, or hide crossings that the computed
//! path has.

use crate::lower::border::{BorderId, Side};
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::crossing_search::Remark;
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

/// Points of a step at which margins are evaluated.
const POINTS: u32 = 12;

/// Narrowings of a place; each leaves 0.62 of it.
const NARROWINGS: u32 = 40;

/// A margin that is never further from its border than so many times what tolerances reach stays there.
const FAR: f64 = 100.0;

/// Places nearer to the last point than this part of the way, where rounding shows no more whether a margin
/// falls, belong to it.
const END: f64 = 1e-6;

/// The part of an interval that golden section leaves.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

impl Detection {
    /// Adds remarks on margins that are nearest to their borders before a point of the step (theta), and
    /// nearer than the tolerances of the states reach.
    pub(super) fn remark_touches(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        departures: &Departures,
        last: f64,
    ) {
        let last = last.min(1.0);
        if !dynamics.motion.is_free() || last <= 0.0 {
            return;
        }
        let margins = dynamics.modes.at(dynamics.motion.mode).mode.margins.clone();
        let is_known = |border: BorderId| {
            let mut remarks = self.finder.remarks.iter();
            remarks.any(|remark| remark.border == border)
        };
        let off: Vec<(BorderId, f64)> = margins
            .iter()
            .filter(|margin| !state.borders.only_watched[margin.border.index()])
            .filter_map(|margin| match departures.of(margin.border) {
                Departure::Off(Side::Minus) => Some((margin.border, -1.0)),
                Departure::Off(Side::Plus) => Some((margin.border, 1.0)),
                _ => None,
            })
            .filter(|(border, _)| !is_known(*border))
            .collect();
        if off.is_empty() {
            return;
        }
        let points = 0..=POINTS;
        let thetas: Vec<f64> = points
            .map(|point| last * f64::from(point) / f64::from(POINTS))
            .collect();
        // The last two are beside the ends.
        let beside_ends = [last * END, last * (1.0 - END)];
        let mut distances = Vec::with_capacity(thetas.len() + beside_ends.len());
        for &theta in thetas.iter().chain(&beside_ends) {
            dynamics.y.resize(self.dense.dim(), 0.0);
            self.dense.eval(theta, &mut dynamics.y);
            let evaluator = dynamics.modes.get(dynamics.motion.mode);
            let t = self.dense.time(theta);
            let stand = evaluator
                .evaluate_margins(&state.past, t, &dynamics.y)
                .is_ok();
            let z = |border| evaluator.z(border).filter(|_| stand).unwrap_or(f64::NAN);
            let row: Vec<f64> = off.iter().map(|&(border, sign)| sign * z(border)).collect();
            distances.push(row);
        }
        for (number, &(border, sign)) in off.iter().enumerate() {
            let z = |point: usize| distances[point][number];
            let farthest = (0..thetas.len()).map(z).fold(0.0, f64::max);
            let end = thetas.len() - 1;
            for point in 0..=end {
                let (before, after) = (point.saturating_sub(1), (point + 1).min(end));
                let lowest = z(point) <= z(before) && z(point) <= z(after);
                let inside = point > 0 && point < end;
                if !lowest || (inside && z(point) > 0.3 * z(before).max(z(after))) {
                    continue;
                }
                // Most margins only come nearer, or only go away: too far off at the first point to be remarked there.
                let comes_nearer = point == end && z(end + 2) >= z(end);
                let goes_away = point == 0 && z(end + 1) >= z(0) && z(0) > farthest / FAR;
                if comes_nearer || goes_away {
                    continue;
                }
                let (mut a, mut b) = (thetas[before], thetas[after]);
                for _ in 0..NARROWINGS {
                    let (c, d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
                    let [at_c, at_d] =
                        [c, d].map(|theta| sign * self.z_inside(state, dynamics, theta, border));
                    if at_c <= at_d {
                        b = d;
                    } else {
                        a = c;
                    }
                }
                // What is still coming nearer crosses there, or is looked at in the next step.
                if last - b <= END * last {
                    continue;
                }
                let nearest = 0.5 * (a + b);
                let depth = sign * self.z_inside(state, dynamics, nearest, border);
                let reach = self.reach_inside(state, dynamics, nearest, border);
                let comes_and_goes = farthest > FAR * reach;
                if depth.abs() <= reach && comes_and_goes {
                    self.finder.remarks.push(Remark {
                        border,
                        between: [a, b],
                        touch: depth >= 0.0,
                    });
                }
            }
        }
    }

    /// The z of a border inside the step.
    fn z_inside(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        theta: f64,
        border: BorderId,
    ) -> f64 {
        dynamics.y.resize(self.dense.dim(), 0.0);
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        evaluator.z_along(&state.past, border, (&self.dense, theta), &mut dynamics.y)
    }

    /// Tolerance of a margin, from those of the states.
    fn reach_inside(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        theta: f64,
        border: BorderId,
    ) -> f64 {
        let t = self.dense.time(theta);
        dynamics.y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut dynamics.y);
        let rtol = self.plan.config.settings.rtol;
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let evaluated = evaluator.evaluate(&state.past, t, &dynamics.y);
        let gradient =
            evaluated.and_then(|()| evaluator.gradient_of_z(&state.past, (t, &dynamics.y), border));
        let states = &dynamics.motion.states;
        let scale = |at: usize| self.plan.atol_of(states[at]) + rtol * dynamics.y[at].abs();
        let parts = gradient.unwrap_or_default().into_iter();
        parts.map(|(at, slope)| slope.abs() * scale(at)).sum()
    }
}
