//! Along borders to which all modes around them lead back: Filippov's mixture of these modes, with the shares at
//! which no border is left.
//!
//! A real that only some of the modes compute keeps in the others what was computed last, as in a tick run with a
//! small tick; the mixture reads it from the modes that compute it.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::SlideGroups;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::events::motion::exits::SplitKinks;
use crate::sim::events::motion::filippov_weights::{self, Room};
use crate::sim::events::motion::singular_sliding::SingularSliding;
use crate::tape::Slot;
use situ_solve::Refusal;
use std::sync::Arc;

/// Rounds in which the shares of a slide and what depends on them must come to rest.
pub(super) const ROUNDS: usize = 40;

/// Shares that change by less have come to rest.
pub(super) const SETTLED: f64 = 1e-14;

/// Room for the state and the rates of a corner.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerPoint {
    pub(super) y: Vec<f64>,
    dy: Vec<f64>,
}

/// Room for the shares of a group, and for what is mixed by them.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupRoom {
    pub(super) sums: Vec<f64>,
    /// What is mixed, in the first corner.
    pub(super) firsts: Vec<f64>,
    rates: Vec<f64>,
    more: Vec<f64>,
    lambda: Vec<f64>,
    weights: Vec<f64>,
    solving: Room,
}

/// A slide along borders: all modes around them lead back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sliding {
    pub(crate) borders: Vec<BorderId>,
    /// Kinks of what jumps across the borders.
    pub(super) split: SplitKinks,
    /// Borders that are the same as these in the mixture, though not in the model.
    twins: Vec<BorderId>,
    /// Which of the borders move each other, and so have shares that are found together.
    pub(crate) groups: Arc<SlideGroups>,
    /// The modes around the borders: in each, every group is at one of its corners.
    pub(crate) corners: Vec<usize>,
    /// For each border whether the margin itself jumps across it: the share is that at which it is zero. The borders of a
    /// group are alike in that.
    pub(super) through: Vec<bool>,
    /// Points at which the fields beside some of the borders are evaluated, and not on them.
    pub(crate) lifts: Vec<SingularSliding>,
    /// Shares of the upper sides, in the last evaluation.
    pub(crate) lambda: Vec<f64>,
    /// Shares at which their search begins; they change only when a point is committed.
    pub(super) start: Vec<f64>,
    /// A corner holds what another computes.
    pub(super) crosswise: bool,
    /// A corner holds what moves in another.
    holds_moving: bool,
    /// Weight of each corner, from the shares, group by group.
    pub(super) weights: Vec<f64>,
    /// For each state the group that changes its rate; `None` if several do.
    moved_by: Vec<Option<usize>>,
    /// For each corner the rate of every border's z.
    pub(super) rates: Vec<f64>,
    /// For each corner the rate of every state.
    pub(super) moves: Vec<Vec<f64>>,
    /// For each corner the position of every state among the corner's.
    pub(super) places: Vec<Vec<Option<usize>>>,
    /// Algebraic reals that are mixed as the rates are, and for each corner their slots.
    pub(super) mixed: Vec<RealId>,
    pub(super) slots: Vec<Vec<Slot>>,
    pub(super) point: CornerPoint,
    pub(super) room: GroupRoom,
}

impl Sliding {
    /// Shapes: `corners`: modes, entered. `split`: as the field.
    pub(crate) fn new(
        bound: &ActiveConstraints,
        groups: Arc<SlideGroups>,
        corners: Vec<usize>,
        split: SplitKinks,
    ) -> Self {
        let borders = bound.slides.clone();
        let through = borders.iter().map(|border| bound.is_through(*border));
        let through = through.collect();
        let lambda = if bound.lambda.len() == borders.len() {
            bound.lambda.clone()
        } else {
            vec![0.5; borders.len()]
        };
        Self {
            borders,
            split,
            groups,
            corners,
            through,
            lifts: bound.lifts.clone(),
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
        let groups = states.iter().map(|real| self.groups.mover(*real));
        self.moved_by = groups.collect();
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
        if self.mixes_rows() {
            let mixed = algebraic.iter().map(|&(real, _)| real);
            self.mixed = mixed
                .filter(|real| self.groups.mover(*real).is_some())
                .collect();
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
            evaluator.states(reals, &mut self.point.y);
            self.raise(number, evaluator, past, t)?;
            self.point.dy.resize(self.point.y.len(), 0.0);
            let mut borders = self.borders.iter();
            if borders.all(|&border| evaluator.is_affine(border)) {
                evaluator.rates(past, t, &self.point.y, &mut self.point.dy)?;
            } else {
                evaluator
                    .evaluate(past, t, &self.point.y)
                    .and_then(|()| evaluator.margin_rates())
                    .map_err(|_| Refusal::Outside)?;
                evaluator.write_rates(&mut self.point.dy);
            }
            for &border in &self.borders {
                let rate = evaluator.z_rate(border, &self.point.dy);
                self.rates.push(rate.ok_or(Refusal::Outside)?);
            }
            let places = self.places[number].iter();
            for (rate, place) in self.moves[number].iter_mut().zip(places) {
                *rate = place.map_or(0.0, |at| self.point.dy[at]);
            }
        }
        Ok(())
    }

    /// Moves the state of a corner, which is in `y`, to where its field is evaluated, wherever near the borders a
    /// stage or a difference quotient has taken it.
    pub(super) fn raise(
        &mut self,
        corner: usize,
        evaluator: &mut Evaluator,
        past: &DelayHistory,
        t: f64,
    ) -> Result<(), Refusal> {
        if self.lifts.is_empty() {
            return Ok(());
        }
        evaluator
            .evaluate_margins(past, t, &self.point.y)
            .map_err(|_| Refusal::Outside)?;
        for lift in &self.lifts {
            let mut borders = self.borders.iter();
            let Some(bit) = borders.position(|&border| border == lift.border) else {
                continue;
            };
            let above = self.groups.is_above(corner, bit);
            let z = evaluator.z(lift.border).ok_or(Refusal::Outside)?;
            let by = lift.z(if above { Side::Plus } else { Side::Minus }) - z;
            lift.shift(evaluator, by, &mut self.point.y);
        }
        Ok(())
    }

    /// Finds the shares; `more` is added to the rates of the borders.
    pub(super) fn share(&mut self, more: &[f64]) -> Result<(), Refusal> {
        self.lambda.clone_from(&self.start);
        let m = self.borders.len();
        let room = &mut self.room;
        for members in self.groups.members() {
            if members.iter().any(|&at| self.through[at]) {
                continue;
            }
            room.rates.clear();
            for corner in 0..1_usize << members.len() {
                let rates = &self.rates[corner * m..][..m];
                room.rates.extend(members.iter().map(|&at| rates[at]));
            }
            let of = |all: &[f64], into: &mut Vec<f64>| {
                into.clear();
                into.extend(members.iter().filter_map(|&at| all.get(at)));
            };
            of(more, &mut room.more);
            of(&self.start, &mut room.lambda);
            let found = filippov_weights::solve(
                &room.rates,
                &room.more,
                &mut room.lambda,
                &mut room.solving,
            );
            if !found {
                return Err(Refusal::Outside);
            }
            let shares = members.iter().zip(&room.lambda);
            shares.for_each(|(&at, &share)| self.lambda[at] = share);
        }
        Ok(())
    }

    /// The rate of a border whose share is 0/0, which nothing keeps at 0; `None` of any other.
    pub(super) fn rate_without_share(&self, at: usize) -> Option<f64> {
        let group = self.groups.place(at);
        let members = &self.groups.members()[group];
        let m = self.borders.len();
        let rate = |corner: usize, member: usize| self.rates[corner * m + members[member]];
        let own = members.iter().position(|other| *other == at)?;
        let weights = self.groups.weights_of(group, &self.weights);
        let corners = 0..1_usize << members.len();
        filippov_weights::has_no_share(rate, members.len(), own).then(|| {
            corners
                .map(|corner| weights[corner] * rate(corner, own))
                .sum()
        })
    }

    /// True if the state is kept on a border: it is one of those along which it slides, or the same as one of them, or
    /// the kink of a branch that differs around them.
    pub(crate) fn keeps_on(&self, border: BorderId) -> bool {
        let all = [&self.borders, &self.twins];
        all.iter().any(|borders| borders.contains(&border)) || self.splits(border)
    }

    /// True of a kink whose branches or margins differ around the borders.
    pub(crate) fn splits(&self, border: BorderId) -> bool {
        self.split.contains(border)
    }

    /// The modes around the borders with the weights with which a row counted in the last evaluation.
    pub(crate) fn weighted(&self, relation: RelationId) -> impl Iterator<Item = (usize, f64)> {
        self.weighted_by(self.groups.of_relation(relation))
    }

    /// The same with the weights with which their values of a real counted.
    pub(crate) fn weighted_in(&self, real: RealId) -> impl Iterator<Item = (usize, f64)> {
        self.weighted_by(self.groups.of_real(real))
    }

    fn weighted_by(&self, group: usize) -> impl Iterator<Item = (usize, f64)> {
        let weights = self.groups.weights_of(group, &self.weights);
        self.corners.iter().copied().zip(weights.iter().copied())
    }

    /// True if a margin jumps across its own border.
    pub(crate) fn has_through(&self) -> bool {
        self.through.contains(&true)
    }

    /// True if the rates of some states follow from mixed values.
    pub(super) fn has_unmixed(&self) -> bool {
        self.has_through() || self.moved_by.contains(&None)
    }

    /// True if the rate of a state is mixed from those of the corners, and not one that follows from mixed values.
    pub(super) fn mixes(&self, state: usize) -> bool {
        let group = self.moved_by[state].map(|group| &self.groups.members()[group]);
        group.is_some_and(|group| !group.iter().any(|&at| self.through[at]))
    }

    /// For each corner its part of the rate of a state that is mixed.
    pub(super) fn parts(&self, state: usize) -> impl Iterator<Item = f64> {
        let group = self.moved_by[state].unwrap_or_default();
        let weights = self.groups.weights_of(group, &self.weights);
        let corners = weights.iter().zip(&self.moves);
        corners.map(move |(weight, moves)| weight * moves[state])
    }

    /// The slopes of the rates of the borders, row by row, and of all states, column by column, by the shares of the
    /// borders of a group.
    pub(super) fn share_derivatives(
        &self,
        group: &[usize],
        matrix: &mut Vec<f64>,
        states: &mut Vec<f64>,
    ) {
        let (m, n) = (self.borders.len(), group.len());
        let lambda: Vec<f64> = group.iter().map(|&at| self.lambda[at]).collect();
        matrix.clear();
        matrix.resize(n * n, 0.0);
        states.clear();
        let mut slopes = Vec::new();
        let own = self.groups.place(group[0]);
        for column in 0..n {
            filippov_weights::weight_slopes(&lambda, column, &mut slopes);
            for (row, &border) in group.iter().enumerate() {
                let corners = slopes.iter().enumerate();
                matrix[row * n + column] = corners
                    .map(|(corner, slope)| slope * self.rates[corner * m + border])
                    .sum();
            }
            for (state, by) in self.moved_by.iter().enumerate() {
                let corners = slopes.iter().zip(&self.moves);
                states.push(match *by == Some(own) {
                    true => corners.map(|(slope, moves)| slope * moves[state]).sum(),
                    false => 0.0,
                });
            }
        }
    }

    /// Weights from the shares, which may lie outside of [0, 1]: beyond its end a slide goes on as
    /// smoothly as a mode does beyond its borders, so that the step that finds the end is a good one.
    pub(super) fn weigh(&mut self) {
        self.weights.clear();
        for members in self.groups.members() {
            let room = &mut self.room;
            room.lambda.clear();
            (room.lambda).extend(members.iter().map(|&at| self.lambda[at]));
            filippov_weights::weights(&room.lambda, &mut room.weights);
            let beyond = self.groups.n_corners() - room.weights.len();
            self.weights.extend_from_slice(&room.weights);
            self.weights.extend(std::iter::repeat_n(0.0, beyond));
        }
    }

    /// The shares at which margins that jump across their own borders are zero: each in turn, until none of a group changes.
    pub(super) fn see_through(
        &mut self,
        modes: &mut Modes,
        mixture: usize,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        let groups = Arc::clone(&self.groups);
        for members in groups.members() {
            if !members.iter().any(|&at| self.through[at]) {
                continue;
            }
            members
                .iter()
                .for_each(|&at| self.lambda[at] = self.start[at]);
            for round in 0.. {
                let mut change = 0.0_f64;
                for &at in members {
                    let before = self.lambda[at];
                    self.find_share(modes, mixture, past, (t, y), at)?;
                    change = change.max((self.lambda[at] - before).abs());
                }
                if members.len() == 1 || change <= SETTLED {
                    break;
                }
                if round == ROUNDS {
                    return Err(Refusal::Outside);
                }
            }
        }
        Ok(())
    }

    /// The share at which one of these margins is zero, the other shares being what they are.
    fn find_share(
        &mut self,
        modes: &mut Modes,
        mixture: usize,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        at: usize,
    ) -> Result<(), Refusal> {
        let border = self.borders[at];
        let mut z_at = |share: f64| {
            self.lambda[at] = share;
            self.weigh();
            modes.weigh(mixture, &self.weights);
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
        Ok(())
    }
}
