//! For how long conditions hold along a slide: at each point by the shares of the modes around the borders in which
//! they hold (FORMALISM 10.2, 10.4). Of several borders the shares multiply.

use crate::lower::border::Side;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::within_step::SampleKind;
use crate::sim::events::motion::{Dynamics, filippov_weights};
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::monitors::Monitors;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::discrete_state::DiscreteState;

/// Points and weights of Gauss' rule of five points, on [-1, 1].
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// Relative error of the time for which a condition holds.
const TOLERANCE: f64 = 1e-9;

/// Times that are a smaller part of the step do not count.
const SMALL: f64 = 1e-15;

/// Halvings of a step, at most.
const MOST_HALVINGS: u32 = 30;

/// For how long a condition holds by its share, up to a point of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldSpan {
    /// The point, among those at which the step is sampled.
    pub(super) point: usize,
    /// The measure of a duration.
    pub(super) measure: usize,
    /// For how long, since the point before [units of `time`].
    pub(super) time: f64,
}

/// Borders of a slide on whose sides a condition is looked at, at most: there are 2^n corners around them.
pub(super) const MOST_SHARED: usize = 6;

/// Truth of a condition at each of the corners around some borders of a slide, and the positions of these.
type Corners = (Vec<usize>, Vec<bool>);

impl Detection {
    /// For how long the conditions of durations hold between points of the step, where the shares of a slide decide.
    ///
    /// `from`: where the first span begins [theta]. `points`: the ends of the spans [theta], and what is there.
    pub(crate) fn held_by_shares(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &Observation,
        from: f64,
        points: impl IntoIterator<Item = (f64, SampleKind)>,
    ) -> Vec<HeldSpan> {
        let mut spans = Vec::new();
        if dynamics.motion.slide.is_none() || !observe.watching.has_durations() {
            return spans;
        }
        let mut truths = state.discrete.clone();
        let mut begin = from;
        for (point, (theta, what)) in points.into_iter().enumerate() {
            for (measure, corners) in observe.shared_conditions(dynamics, &truths) {
                let held = integral(begin, theta, |at| {
                    self.share_at(state, dynamics, at, &corners)
                });
                let time = self.dense.h() * held;
                spans.push(HeldSpan {
                    point,
                    measure,
                    time,
                });
            }
            if let SampleKind::Border(border, side) = what {
                truths.sides[border.index()] = side;
            }
            begin = theta;
        }
        spans
    }

    /// Measures take in for how long their conditions held by shares up to a point of the step.
    pub(crate) fn take_held_spans(&mut self, observe: &mut Observation, point: usize, t: f64) {
        let (step, watching) = (&mut self.step, &mut observe.watching);
        let spans = step.iter().flat_map(|step| &step.held_spans);
        for span in spans.filter(|span| span.point == point) {
            watching.take_held(span.measure, span.time, t);
        }
    }

    /// The share with which a condition holds at a point of the step.
    fn share_at(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        theta: f64,
        (borders, corners): &Corners,
    ) -> f64 {
        let t = self.dense.time(theta);
        let mut y = std::mem::take(&mut dynamics.y);
        y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut y);
        let shares = dynamics
            .motion
            .shares_at(&mut dynamics.modes, &state.past, t, &y);
        dynamics.y = y;
        let shares = borders.iter().filter_map(|&at| shares.get(at));
        let shares = shares.map(|share| share.clamp(0.0, 1.0));
        let mut weights = Vec::new();
        filippov_weights::weights(&shares.collect::<Vec<f64>>(), &mut weights);
        let held = weights.iter().zip(corners).filter(|(_, holds)| **holds);
        held.map(|(weight, _)| weight).sum()
    }
}

impl EventRun {
    /// Measures begin with what stands now; `stop_when`, if it holds there, stops the run when it comes true again.
    pub(crate) fn begin_measures(&mut self) {
        let watching = &mut self.observe.watching;
        watching.restart();
        watching.follow_sides(&self.dynamics.views.watched, &self.state.discrete.sides);
        watching.begin(&self.state.discrete);
        self.observe.look(&self.state, &self.dynamics);
        self.observe.watching.await_again();
        // The end of the span under way gives all of it; what lies before the present time is none of theirs.
        for span in self.held_up_to_now(&self.observe.watching) {
            (self.observe.watching).take_held(span.measure, -span.time, self.state.t);
        }
    }

    /// Measures that are not the run's own take in for how long their conditions have held in the step under way.
    pub(crate) fn hold_up_to_now(&self, watching: &mut Monitors) {
        for span in self.held_up_to_now(watching) {
            watching.take_held(span.measure, span.time, self.state.t);
        }
    }

    /// For how long conditions have held by shares in the step under way, since its last point.
    fn held_up_to_now(&self, watching: &Monitors) -> Vec<HeldSpan> {
        let Some(step) = &self.detect.step else {
            return Vec::new();
        };
        if self.dynamics.motion.slide.is_none() || !watching.has_durations() {
            return Vec::new();
        }
        let from = step.looks[..step.passed].last();
        let from = from.map_or(0.0, |look| look.theta);
        let to = self.detect.dense.theta(self.state.t).max(from);
        // Finding shares writes into the modes.
        let mut run = self.clone();
        run.detect.held_by_shares(
            &run.state,
            &mut run.dynamics,
            &run.observe,
            from,
            [(to, SampleKind::Time)],
        )
    }
}

impl Observation {
    /// The conditions of durations that do not hold alike in all modes around the borders of the slide.
    ///
    /// Of many borders only those are looked at on which a condition depends by itself.
    fn shared_conditions(
        &self,
        dynamics: &Dynamics,
        truths: &DiscreteState,
    ) -> Vec<(usize, Corners)> {
        let borders = dynamics.motion.slide.as_ref();
        let m = borders.map_or(0, |slide| slide.borders.len());
        if m <= MOST_SHARED {
            let borders: Vec<usize> = (0..m).collect();
            return self.conditions_around(dynamics, truths, &borders, None);
        }
        let mut borders: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in 0..m {
            for (measure, _) in self.conditions_around(dynamics, truths, &[at], None) {
                match borders.iter_mut().find(|(other, _)| *other == measure) {
                    Some((_, all)) if all.len() == MOST_SHARED => {}
                    Some((_, all)) => all.push(at),
                    None => borders.push((measure, vec![at])),
                }
            }
        }
        let each = borders.iter();
        let each = each.flat_map(|(measure, borders)| {
            self.conditions_around(dynamics, truths, borders, Some(*measure))
        });
        each.collect()
    }

    /// Those that do not hold alike at all corners around some of the borders; of one measure, if it is given.
    fn conditions_around(
        &self,
        dynamics: &Dynamics,
        truths: &DiscreteState,
        borders: &[usize],
        only: Option<usize>,
    ) -> Vec<(usize, Corners)> {
        let mut all: Vec<(usize, Corners)> = Vec::new();
        for truths in dynamics.truths_around(truths, borders) {
            let durations = self.watching.durations_in(&truths, &dynamics.views.watched);
            for (at, (measure, holds)) in durations.into_iter().enumerate() {
                match all.get_mut(at) {
                    Some((_, (_, corners))) => corners.push(holds),
                    None => all.push((measure, (borders.to_vec(), vec![holds]))),
                }
            }
        }
        all.retain(|(measure, (_, corners))| {
            let wanted = only.is_none_or(|only| only == *measure);
            wanted && corners.contains(&true) && corners.contains(&false)
        });
        all
    }
}

impl Dynamics {
    /// The booleans at each of the corners around some borders of the slide. Where the state stays on one side of a border
    /// along which it slides, they are those of that side.
    pub(super) fn truths_around(
        &self,
        truths: &DiscreteState,
        borders: &[usize],
    ) -> Vec<DiscreteState> {
        let Some(slide) = &self.motion.slide else {
            return Vec::new();
        };
        let stays = |border| {
            let mut lifts = slide.lifts.iter().filter(|lift| lift.border == border);
            lifts.any(|lift| lift.keeps(truths.sides[border.index()]))
        };
        let corner = |corner: usize| {
            let mut around = truths.clone();
            let borders = borders.iter().map(|&at| slide.borders[at]).enumerate();
            for (bit, border) in borders.filter(|(_, border)| !stays(*border)) {
                let above = corner >> bit & 1 == 1;
                let side = if above { Side::Plus } else { Side::Minus };
                around.sides[border.index()] = side;
                for (twin, side) in self.twins(border, side) {
                    around.sides[twin.index()] = side;
                }
            }
            around.scan_ranges(&self.plan.model, &self.views.ranges);
            around.settle_situations(&self.plan.model, &self.plan.scan);
            around
        };
        (0..1_usize << borders.len()).map(corner).collect()
    }
}

/// The integral of a function of the step from one point to another.
fn integral(from: f64, to: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let mut by_gauss = |from: f64, to: f64| {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let points = GAUSS.iter();
        let sum: f64 = points
            .map(|(at, weight)| weight * f(middle + half * at))
            .sum();
        half * sum
    };
    let mut total = 0.0;
    let mut open = vec![(from, to, by_gauss(from, to), 0)];
    let size = open[0].2;
    while let Some((from, to, whole, halvings)) = open.pop() {
        let middle = 0.5 * (from + to);
        let [left, right] = [(from, middle), (middle, to)].map(|(a, b)| by_gauss(a, b));
        let off = (left + right - whole).abs();
        if off <= TOLERANCE * size + SMALL || halvings == MOST_HALVINGS {
            total += left + right;
        } else {
            open.push((middle, to, right, halvings + 1));
            open.push((from, middle, left, halvings + 1));
        }
    }
    total
}
