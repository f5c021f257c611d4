//! What delays take in along a step -> polynomials: of the dense output where they are affine in the states, else
//! through points, on so many parts of the step that they are as accurate as the motion.

use crate::sim::events::detect::crossing_search::chebyshev_roots;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use crate::sim::past::line::{Piece, WIDTH};
use situ_solve::{Dense, Refusal};

/// A part of a step is halved so often at the most.
pub(in crate::sim::events) const MOST_HALVINGS: u32 = 10;

/// Points of a part at which its polynomial is compared with the values [part of its length].
pub(in crate::sim::events) const CHECKED: [f64; 4] = [0.07, 0.31, 0.64, 0.93];

/// The difference allowed, as a part of what is tolerated of a state.
const ALLOWED: f64 = 0.1;

/// A part shorter than this part of the time is straight: a polynomial through points that rounding puts side by side is noise,
/// and it is read some rounding errors beyond its end.
const SHORTEST: f64 = 4096.0 * f64::EPSILON;

/// Coefficients of a straight line between two values.
fn straight(from: f64, to: f64) -> [f64; WIDTH] {
    let mut coefficients = [0.0; WIDTH];
    [coefficients[0], coefficients[1]] = [from, to - from];
    coefficients
}

impl Dynamics {
    /// What each delay takes in along a step up to a time.
    pub(crate) fn pieces(
        &mut self,
        state: &HybridState,
        dense: &Dense,
        end: f64,
    ) -> Vec<Vec<Piece>> {
        let forms = self.modes.at(self.motion.mode).mode.delayed.clone();
        let is_short = dense.degree() < WIDTH;
        let exact = forms.iter().map(|(_, form)| {
            let form = form.as_ref().filter(|_| is_short)?;
            Some(Piece {
                begin: dense.t0(),
                end,
                t0: dense.t0(),
                h: dense.h(),
                coefficients: self.along(state, form, dense),
            })
        });
        let mut all: Vec<Vec<Piece>> = exact.map(|piece| piece.into_iter().collect()).collect();
        let open: Vec<usize> = (0..all.len()).filter(|&at| all[at].is_empty()).collect();
        let mut parts = Vec::new();
        if !open.is_empty() {
            parts.push((dense.t0(), end, 0));
        }
        let mut taken = Vec::new();
        while let Some((begin, end, halvings)) = parts.pop() {
            let place = |part: f64| begin + (end - begin) * part;
            let mut values = vec![[0.0; WIDTH]; all.len()];
            for node in 0..WIDTH {
                let t = place(chebyshev_roots::place(node));
                if self.taken_in(state, dense, t, &mut taken).is_ok() {
                    for (values, taken) in values.iter_mut().zip(&taken) {
                        values[node] = *taken;
                    }
                }
            }
            let found: Vec<Piece> = values
                .iter()
                .map(|values| Piece {
                    begin,
                    end,
                    t0: begin,
                    h: end - begin,
                    coefficients: match end - begin <= SHORTEST * end.abs() {
                        true => straight(values[0], values[WIDTH - 1]),
                        false => chebyshev_roots::interpolate(values),
                    },
                })
                .collect();
            let is_close = halvings == MOST_HALVINGS
                || CHECKED.iter().all(|part| {
                    let t = place(*part);
                    let seen = self.taken_in(state, dense, t, &mut taken);
                    seen.is_err()
                        || open
                            .iter()
                            .all(|&at| self.agree(found[at].at(t), taken[at]))
                });
            if is_close {
                open.iter().for_each(|&at| all[at].push(found[at]));
            } else {
                let middle = place(0.5);
                parts.push((middle, end, halvings + 1));
                parts.push((begin, middle, halvings + 1));
            }
        }
        all
    }

    /// True if two values of what a delay takes in differ by little.
    pub(super) fn agree(&self, one: f64, other: f64) -> bool {
        let config = &self.plan.config;
        let tolerated = config.settings.rtol * other.abs() + config.atol;
        let difference = (one - other).abs();
        difference <= ALLOWED * tolerated || difference <= 64.0 * f64::EPSILON * other.abs()
    }

    /// What delays take in at a time of a step.
    fn taken_in(
        &mut self,
        state: &HybridState,
        dense: &Dense,
        t: f64,
        taken: &mut Vec<f64>,
    ) -> Result<(), Refusal> {
        let mut y = vec![0.0; dense.dim()];
        let mut reals = state.reals.clone();
        dense.eval(dense.theta(t), &mut y);
        let (plan, motion, modes) = (&self.plan, &mut self.motion, &mut self.modes);
        motion.write(modes, &state.past, t, &y, &mut reals)?;
        let evaluator = modes.at(motion.mode);
        let slots = evaluator.mode.delayed.iter();
        taken.clear();
        taken.extend(slots.map(|(slot, _)| evaluator.value(*slot)));
        if let Some(slide) = &mut motion.slide {
            slide.mix_delayed(modes, &state.past, (t, &reals), &plan.flow, taken)?;
        }
        Ok(())
    }
}
