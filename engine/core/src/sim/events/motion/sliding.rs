//! Along borders to which all modes around them lead back: Filippov's mixture of these modes, with the shares at
//! which no border is left.
//!
//! A real that only some of the modes compute keeps in the others what was computed last, as in a tick run with a
//! small tick; the mixture reads it from the modes that compute it.

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::iteration::event_iteration::ActiveConstraints;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::filippov_weights::{self, Room};
use crate::sim::events::motion::singular_sliding::SingularSliding;
use crate::tape::Slot;
use situ_solve::Refusal;

/// Rounds in which the shares of a slide and what depends on them must come to rest.
pub(super) const ROUNDS: usize = 40;

/// A slide along borders: all modes around them lead back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sliding {
    pub(crate) borders: Vec<BorderId>,
    /// Kinks whose branches differ around the borders, since what they depend on jumps there.
    pub(super) split: Vec<BorderId>,
    /// Borders that are the same as these in the mixture, though not in the model.
    twins: Vec<BorderId>,
    /// The modes around the borders: bit i of a corner's number is set above border i.
    pub(crate) corners: Vec<usize>,
    /// The margin itself jumps across its border: the share is that at which it is zero.
    pub(super) through: bool,
    /// Points at which the fields beside one of the borders are evaluated, if not on it.
    pub(crate) lift: Option<SingularSliding>,
    /// Shares of the upper sides, in the last evaluation.
    pub(crate) lambda: Vec<f64>,
    /// Shares at which their search begins; they change only when a point is committed.
    pub(super) start: Vec<f64>,
    /// A corner holds what another computes.
    pub(super) crosswise: bool,
    /// A corner holds what moves in another.
    holds_moving: bool,
    /// Weight of each corner, from the shares.
    pub(super) weights: Vec<f64>,
    /// For each corner the rate of every border's z.
    pub(super) rates: Vec<f64>,
    /// For each corner the rate of every state.
    pub(super) moves: Vec<Vec<f64>>,
    /// For each corner the position of every state among the corner's.
    pub(super) places: Vec<Vec<Option<usize>>>,
    /// Algebraic reals that are mixed as the rates are, and for each corner their slots.
    mixed: Vec<RealId>,
    slots: Vec<Vec<Slot>>,
    sums: Vec<f64>,
    /// State and rates of a corner.
    y: Vec<f64>,
    dy: Vec<f64>,
    room: Room,
}

impl Sliding {
    /// Shapes: `corners`: modes, entered. `split`: as the field.
    pub(crate) fn new(
        bound: &ActiveConstraints,
        corners: Vec<usize>,
        split: Vec<BorderId>,
    ) -> Self {
        let borders = bound.slides.clone();
        let lambda = if bound.lambda.len() == borders.len() {
            bound.lambda.clone()
        } else {
            vec![0.5; borders.len()]
        };
        Self {
            borders,
            split,
            corners,
            through: bound.through,
            lift: bound.lift.clone(),
            start: lambda.clone(),
            lambda,
            ..Self::default()
        }
    }

    /// Finds what of the mixture is where in the modes around.
    pub(super) fn place(&mut self, modes: &Modes, mixture: usize, n_reals: usize) {
        let mixture = &modes.at(mixture).mode;
        let (states, algebraic) = (&mixture.states, &mixture.algebraic);
        let twins = self.borders.iter().map(|&border| mixture.twins_of(border));
        self.twins = twins.flatten().map(|(twin, _)| twin).collect();
        let corners = self.corners.iter().map(|&corner| modes.at(corner));
        self.places = corners
            .clone()
            .map(|corner| states.iter().map(|&real| corner.state_of(real)).collect())
            .collect();
        self.moves = vec![vec![0.0; states.len()]; self.corners.len()];
        let mut computed = vec![false; n_reals];
        for (real, _) in algebraic {
            computed[real.index()] = true;
        }
        let mut held = corners.clone().flat_map(|corner| &corner.mode.inputs);
        self.crosswise = held.any(|real| computed[real.index()]);
        self.holds_moving = corners.clone().any(|corner| {
            let mut moved = states.iter();
            moved.any(|real| corner.state_of(*real).is_none() && corner.mode.inputs.contains(real))
        });
        if self.lift.is_some() || !self.split.is_empty() {
            // Off a border the modes have other values than on it, and where kinks that lie within each other
            // take different branches the mixture's own rows do not compute the mixture.
            self.mixed = algebraic.iter().map(|&(real, _)| real).collect();
            let slots = corners.map(|corner| {
                let mut slots: Vec<Slot> = (0..n_reals).map(Slot::new).collect();
                for &(real, slot) in &corner.mode.algebraic {
                    slots[real.index()] = slot;
                }
                self.mixed.iter().map(|real| slots[real.index()]).collect()
            });
            self.slots = slots.collect();
        }
        self.weigh();
    }

    /// Computes the rates of all corners and of their margins at a point.
    pub(super) fn look(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        reals: &[f64],
    ) -> Result<(), Refusal> {
        self.rates.clear();
        for number in 0..self.corners.len() {
            let evaluator = modes.get(self.corners[number]);
            if self.crosswise || self.holds_moving {
                evaluator.hold(reals);
            }
            evaluator.states(reals, &mut self.y);
            self.raise(number, evaluator, past, t)?;
            self.dy.resize(self.y.len(), 0.0);
            let mut borders = self.borders.iter();
            if borders.all(|&border| evaluator.is_affine(border)) {
                evaluator.rates(past, t, &self.y, &mut self.dy)?;
            } else {
                evaluator
                    .evaluate(past, t, &self.y)
                    .and_then(|()| evaluator.margin_rates())
                    .map_err(|_| Refusal::Outside)?;
                evaluator.write_rates(&mut self.dy);
            }
            for &border in &self.borders {
                let rate = evaluator.z_rate(border, &self.dy);
                self.rates.push(rate.ok_or(Refusal::Outside)?);
            }
            let places = self.places[number].iter();
            for (rate, place) in self.moves[number].iter_mut().zip(places) {
                *rate = place.map_or(0.0, |at| self.dy[at]);
            }
        }
        Ok(())
    }

    /// Moves the state of a corner, which is in `y`, to where its field is evaluated, wherever near the border a
    /// stage or a difference quotient has taken it.
    fn raise(
        &mut self,
        corner: usize,
        evaluator: &mut Evaluator,
        past: &DelayHistory,
        t: f64,
    ) -> Result<(), Refusal> {
        let Some(lift) = &self.lift else {
            return Ok(());
        };
        let mut borders = self.borders.iter();
        let Some(bit) = borders.position(|&border| border == lift.border) else {
            return Ok(());
        };
        let above = corner >> bit & 1 == 1;
        evaluator
            .evaluate_margins(past, t, &self.y)
            .map_err(|_| Refusal::Outside)?;
        let z = evaluator.z(lift.border).ok_or(Refusal::Outside)?;
        let by = lift.z(if above { Side::Plus } else { Side::Minus }) - z;
        for &(real, part) in &lift.along {
            if let Some(at) = evaluator.state_of(real) {
                self.y[at] += by * part;
            }
        }
        Ok(())
    }

    /// Writes what is mixed as the rates are; all else has been written.
    pub(super) fn write_mixed(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        reals: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.mixed.is_empty() {
            return Ok(());
        }
        self.sums.clear();
        self.sums.resize(self.mixed.len(), 0.0);
        for number in 0..self.corners.len() {
            let evaluator = modes.get(self.corners[number]);
            evaluator.states(reals, &mut self.y);
            self.raise(number, evaluator, past, t)?;
            evaluator
                .evaluate(past, t, &self.y)
                .map_err(|_| Refusal::Outside)?;
            let weight = self.weights[number];
            for (sum, &slot) in self.sums.iter_mut().zip(&self.slots[number]) {
                *sum += weight * evaluator.value(slot);
            }
        }
        for (sum, real) in self.sums.iter().zip(&self.mixed) {
            reals[real.index()] = *sum;
        }
        Ok(())
    }

    /// Finds the shares; `more` is added to the rates of the borders.
    pub(super) fn share(&mut self, more: &[f64]) -> Result<(), Refusal> {
        self.lambda.clone_from(&self.start);
        if filippov_weights::solve(&self.rates, more, &mut self.lambda, &mut self.room) {
            Ok(())
        } else if let [share] = self.start[..] {
            // 0/0: the share stays what it was.
            self.lambda[0] = share;
            Ok(())
        } else {
            Err(Refusal::Outside)
        }
    }

    /// True if the state is kept on a border: it is one of those along which it slides, or the same as one of them, or
    /// the kink of a branch that differs around them.
    pub(crate) fn keeps_on(&self, border: BorderId) -> bool {
        let all = [&self.borders, &self.twins, &self.split];
        all.iter().any(|borders| borders.contains(&border))
    }

    /// The modes around the borders with their weights in the last evaluation.
    pub(crate) fn weighted(&self) -> impl Iterator<Item = (usize, f64)> {
        self.corners
            .iter()
            .copied()
            .zip(self.weights.iter().copied())
    }

    /// Weights from the shares, which may lie outside of [0, 1]: beyond its end a slide goes on as
    /// smoothly as a mode does beyond its borders, so that the step that finds the end is a good one.
    pub(super) fn weigh(&mut self) {
        filippov_weights::weights(&self.lambda, &mut self.weights);
    }

    /// The share at which a margin that jumps across its own border is zero.
    pub(super) fn see_through(
        &mut self,
        modes: &mut Modes,
        mixture: usize,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        let border = self.borders[0];
        let mut z_at = |share: f64| {
            modes.weigh(mixture, &[1.0 - share, share]);
            let mixture = modes.get(mixture);
            mixture
                .evaluate_margins(past, t, y)
                .map_err(|_| Refusal::Outside)?;
            mixture.z(border).ok_or(Refusal::Outside)
        };
        let (mut a, mut b) = (0.0, 1.0);
        let (mut z_a, mut z_b) = (z_at(a)?, z_at(b)?);
        let size = z_a.abs().max(z_b.abs());
        for _ in 0..ROUNDS {
            if z_a == z_b {
                break;
            }
            let next = b - z_b * (b - a) / (z_b - z_a);
            (a, z_a) = (b, z_b);
            b = next;
            z_b = z_at(b)?;
            if z_b.abs() <= 4.0 * f64::EPSILON * size || (b - a).abs() <= f64::EPSILON {
                break;
            }
        }
        if z_b.is_nan() {
            return Err(Refusal::Outside);
        }
        if z_b.abs() > 1e-12 * size {
            // It may be as near to 0 as rounding lets it.
            let mixture = modes.get(mixture);
            mixture
                .first_order(past, t, y, &vec![[0.0; 2]; y.len()], &[])
                .map_err(|_| Refusal::Outside)?;
            if mixture.z_first(border).is_none_or(|[z, _]| z != 0.0) {
                return Err(Refusal::Outside);
            }
        }
        self.lambda[0] = b;
        self.weights.clear();
        self.weights.extend([1.0 - b, b]);
        Ok(())
    }
}
