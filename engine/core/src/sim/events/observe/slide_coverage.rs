//! Coverage along a slide: the time of a step belongs to the combinations of booleans around the borders by their shares
//! (FORMALISM 10.2). Of several borders the shares multiply.

use crate::sim::Covered;
use crate::sim::events::detect::Detection;
use crate::sim::events::motion::{Dynamics, filippov_weights};
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::coverage::SharedCorner;
use crate::sim::events::observe::held_shares::MOST_SHARED;
use crate::sim::events::observe::rows::write_truths;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::HybridState;

/// Points of Gauss' rule of two points, on [-1, 1]; both weigh the same.
const GAUSS: [f64; 2] = [-0.577_350_269_189_625_8, 0.577_350_269_189_625_8];

impl Detection {
    /// Coverage takes in the part of the step under way up to a time, if the state slides in it.
    ///
    /// Cost: two evaluations of the shares. Along more borders than [`MOST_SHARED`] the side on entry counts as a whole.
    pub(crate) fn cover_slide(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        to: f64,
    ) {
        let n_borders = match &dynamics.motion.slide {
            Some(slide) if slide.borders.len() <= MOST_SHARED => slide.borders.len(),
            _ => return,
        };
        let from = observe.seen.since();
        if from.partial_cmp(&to) != Some(std::cmp::Ordering::Less) {
            return;
        }
        let borders: Vec<usize> = (0..n_borders).collect();
        let truths = dynamics.truths_around(&state.discrete, &borders);
        let mut rows = Vec::new();
        let mut corners: Vec<SharedCorner> = truths
            .iter()
            .map(|truths| {
                let mut words = observe.words.clone().into_boxed_slice();
                write_truths(truths, &mut words);
                let flow = &self.plan.flow;
                flow.active(|literal| truths.holds(literal), &mut rows);
                let active = flow.rows.iter().zip(&rows).filter(|(_, active)| **active);
                SharedCorner {
                    words,
                    active: active.map(|(row, _)| row.relation).collect(),
                    time: 0.0,
                }
            })
            .collect();
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let mut weights = Vec::new();
        for point in GAUSS {
            let t = middle + half * point;
            let shares = self.shares_at(state, dynamics, t);
            filippov_weights::weights(&shares, &mut weights);
            for (corner, weight) in corners.iter_mut().zip(&weights) {
                corner.time += half * weight;
            }
        }
        observe.seen.slide(&corners, to);
    }

    /// The shares of the upper sides at a time of the step.
    fn shares_at(&self, state: &HybridState, dynamics: &mut Dynamics, t: f64) -> Vec<f64> {
        let mut y = std::mem::take(&mut dynamics.y);
        y.resize(self.dense.dim(), 0.0);
        self.dense.eval(self.dense.theta(t), &mut y);
        let (motion, modes) = (&mut dynamics.motion, &mut dynamics.modes);
        let shares = motion.shares_at(modes, &state.past, t, &y).iter();
        let shares = shares.map(|share| share.clamp(0.0, 1.0)).collect();
        dynamics.y = y;
        shares
    }
}

impl EventRun {
    /// Coverage: combinations of booleans that were seen and rows that acted.
    pub fn covered(&self) -> Covered {
        let t = self.state.t;
        if self.detect.step.is_none() || self.dynamics.motion.slide.is_none() {
            return self.observe.seen.covered(t);
        }
        // Finding shares writes into the modes.
        let mut run = self.clone();
        (run.detect).cover_slide(&run.state, &mut run.dynamics, &mut run.observe, t);
        run.observe.seen.covered(t)
    }
}
