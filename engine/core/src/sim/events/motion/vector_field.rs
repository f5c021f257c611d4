//! What is integrated: the rates of one mode; along borders Filippov's mixture of the modes around
//! them; at rest on a border the rates with a push that keeps the state there.

use std::sync::Arc;

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::sim::events::delays::delay_history::Past;
use crate::sim::events::detect::locators::Fence;
use crate::sim::events::modes::affine_margin_derivatives::RateForm;
use crate::sim::events::modes::algebraic_loops::{LoopFault, eliminate};
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::motion::contact_direction::Turning;
use crate::sim::events::motion::filippov_weights;
use crate::sim::events::motion::sliding::{ROUNDS, Slide};
use serde::{Deserialize, Serialize};
use situ_solve::slices::copy;
use situ_solve::{CompiledStep, Derivatives, Method, Pattern, Refusal, System};
use smallvec::{SmallVec, smallvec};

/// How the state moves between two instants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// The mode, or the mixture along a slide.
    pub(crate) mode: usize,
    /// The reals that are integrated, in the order of the state.
    pub(crate) states: Vec<RealId>,
    pub(crate) slide: Option<Slide>,
    pub(crate) rest: Vec<Push>,
    /// What says where pushes go whose direction turns.
    pub(crate) turning: Option<Box<Turning>>,
    /// Values of all reals at entry, states and what follows from them brought up to date.
    reals: Vec<f64>,
    more: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    gradients: Vec<f64>,
    pub(crate) fault: Option<LoopFault>,
}

/// What keeps the state on a border on which it rests.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) border: BorderId,
    /// The side from which it rests there.
    pub(crate) side: Side,
    /// Direction of the jump that was repeated without end, by real; where it turns, at the last point
    /// that was committed.
    pub(crate) along: Vec<(RealId, f64)>,
    /// The event rows that made the jump, if its direction turns from point to point.
    pub(crate) rows: Vec<RelationId>,
    /// The direction by state of the motion, in the last evaluation.
    direction: Vec<f64>,
    /// Strength, in the last evaluation.
    pub(crate) strength: f64,
}

impl Push {
    pub(crate) fn new(border: BorderId, side: Side, along: Vec<(RealId, f64)>) -> Self {
        Self {
            border,
            side,
            along,
            rows: Vec::new(),
            direction: Vec::new(),
            strength: 0.0,
        }
    }

    /// The direction by state.
    pub(super) fn by_state(&self, states: &[RealId]) -> Vec<f64> {
        let part = |real: &RealId| {
            let part = self.along.iter().find(|(other, _)| other == real);
            part.map_or(0.0, |(_, part)| *part)
        };
        states.iter().map(part).collect()
    }
}

impl Motion {
    /// A motion from the present point: along one mode, or a mixture of modes with a slide.
    ///
    /// Shapes: `reals`: of all reals. The mode and all corners have been entered.
    pub(crate) fn new(
        modes: &Modes,
        mode: usize,
        mut slide: Option<Slide>,
        mut rest: Vec<Push>,
        reals: &[f64],
    ) -> Self {
        let states = modes.at(mode).mode.states.clone();
        for push in &mut rest {
            push.direction = push.by_state(&states);
        }
        if let Some(slide) = &mut slide {
            slide.place(modes, mode, reals.len());
        }
        Self {
            mode,
            states,
            slide,
            rest,
            reals: reals.to_vec(),
            ..Self::default()
        }
    }

    /// Whether the motion is that of a single mode.
    pub(crate) fn is_free(&self) -> bool {
        self.slide.is_none() && self.rest.is_empty()
    }

    /// The borders to which the motion is bound.
    pub(crate) fn bound_to(&self, border: BorderId) -> bool {
        let slides = self
            .slide
            .iter()
            .any(|slide| slide.borders.contains(&border));
        slides || self.splits(border) || self.rest.iter().any(|push| push.border == border)
    }

    /// Whether the modes around a slide take different branches of a kink: then it is part of their mixture, and its
    /// border is neither crossed nor left.
    fn splits(&self, border: BorderId) -> bool {
        let mut slide = self.slide.iter();
        slide.any(|slide| slide.split.contains(&border))
    }

    /// Becomes the motion in one mode; what it had serves as memory.
    pub(crate) fn set_free(&mut self, modes: &Modes, mode: usize) {
        self.mode = mode;
        copy(&mut self.states, &modes.at(mode).mode.states);
        self.slide = None;
        self.rest.clear();
        self.turning = None;
        self.fault = None;
    }

    /// Brings the directions of pushes to a point; the mode has been evaluated there, and is again.
    fn turn(&mut self, modes: &mut Modes, past: &Past, t: f64, y: &[f64]) -> Result<(), Refusal> {
        let Some(turning) = &mut self.turning else {
            return Ok(());
        };
        let evaluator = modes.get(self.mode);
        for (number, push) in self.rest.iter_mut().enumerate() {
            if turning.turns(number) {
                push.direction = push.by_state(&self.states);
                let at = (y, &self.reals[..]);
                turning.turn(number, evaluator, (past, t), at, &mut push.direction)?;
            }
        }
        evaluator.evaluate(past, t, y).map_err(|_| Refusal::Outside)
    }

    /// The shares with which the iteration for them begins.
    pub(crate) fn shares(&self) -> &[f64] {
        self.slide.as_ref().map_or(&[], |slide| &slide.start)
    }

    /// The rates of the borders in all modes around them, one border after the other for each
    /// corner.
    pub(crate) fn corner_rates(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, Refusal> {
        for (real, &value) in self.states.iter().zip(y) {
            self.reals[real.index()] = value;
        }
        let slide = self.slide.as_mut().expect("called along a slide");
        slide.look(modes, past, t, &self.reals)?;
        Ok(slide.rates.clone())
    }

    /// Writes the rates at a point.
    #[inline(always)]
    pub(crate) fn rates(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.slide.is_none() && self.rest.is_empty() {
            return modes.get(self.mode).rates(past, t, y, dy);
        }
        self.bound_rates(modes, past, t, y, dy)
    }

    /// The rates of a motion that is bound to borders.
    #[inline(never)]
    fn bound_rates(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.slide.is_none() {
            let evaluator = modes.get(self.mode);
            evaluator.rates(past, t, y, dy)?;
            evaluator
                .evaluate(past, t, y)
                .map_err(|_| Refusal::Outside)?;
            self.turn(modes, past, t, y)?;
            return self.push(modes, y, dy);
        }
        self.more.clear();
        for _ in 0..ROUNDS {
            self.slide_rates(modes, past, t, y, dy)?;
            if self.rest.is_empty() {
                return Ok(());
            }
            let evaluator = modes.get(self.mode);
            evaluator
                .evaluate(past, t, y)
                .map_err(|_| Refusal::Outside)?;
            self.turn(modes, past, t, y)?;
            self.push(modes, y, dy)?;
            let before = std::mem::take(&mut self.more);
            self.more = self.pushed(modes, y)?;
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-14 * (a.abs() + b.abs());
            if before.len() == self.more.len() && before.iter().zip(&self.more).all(same) {
                return Ok(());
            }
        }
        Err(Refusal::Outside)
    }

    /// The rates of the mixture.
    fn slide_rates(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        self.see(modes, past, t, y)?;
        let slide = self.slide.as_mut().expect("called along a slide");
        if slide.through {
            return modes.get(self.mode).rates(past, t, y, dy);
        }
        for (index, dy) in dy.iter_mut().enumerate() {
            let corners = slide.weights.iter().zip(&slide.moves);
            *dy = corners.map(|(weight, moves)| weight * moves[index]).sum();
        }
        Ok(())
    }

    /// Finds the shares at a point; afterwards the mixture has them as weights.
    fn see(&mut self, modes: &mut Modes, past: &Past, t: f64, y: &[f64]) -> Result<(), Refusal> {
        let slide = self.slide.as_mut().expect("called along a slide");
        for (real, &value) in self.states.iter().zip(y) {
            self.reals[real.index()] = value;
        }
        if slide.through {
            return slide.see_through(modes.get(self.mode), past, t, y);
        }
        if !slide.crosswise {
            slide.look(modes, past, t, &self.reals)?;
            slide.share(&self.more)?;
            slide.weigh();
            modes.get(self.mode).weigh(&slide.weights);
            return Ok(());
        }
        let start = slide.start.clone();
        slide.lambda.clone_from(&start);
        slide.weigh();
        for _ in 0..ROUNDS {
            let mixture = modes.get(self.mode);
            mixture.weigh(&slide.weights);
            mixture.evaluate(past, t, y).map_err(|_| Refusal::Outside)?;
            mixture.algebraic(&mut self.reals);
            slide.look(modes, past, t, &self.reals)?;
            slide.share(&self.more)?;
            let change = slide
                .lambda
                .iter()
                .zip(&slide.start)
                .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            slide.weigh();
            if change <= 1e-14 {
                slide.start = start;
                modes.get(self.mode).weigh(&slide.weights);
                return Ok(());
            }
            slide.start.clone_from(&slide.lambda);
        }
        slide.start = start;
        Err(Refusal::Outside)
    }

    /// Adds the pushes that keep the state on the borders on which it rests. The mode has been
    /// evaluated.
    fn push(&mut self, modes: &mut Modes, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let evaluator = modes.get(self.mode);
        let k = self.rest.len();
        evaluator
            .displace(y, |index| dy[index], 1.0)
            .map_err(|_| Refusal::Outside)?;
        self.right.clear();
        for push in &self.rest {
            let (_, bend) = evaluator.z_displaced(push.border).ok_or(Refusal::Outside)?;
            self.right.push(-bend);
        }
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for column in 0..k {
            let direction = &self.rest[column].direction;
            evaluator
                .displace(y, |index| direction[index], 0.0)
                .map_err(|_| Refusal::Outside)?;
            for (row, push) in self.rest.iter().enumerate() {
                let (_, bend) = evaluator.z_displaced(push.border).ok_or(Refusal::Outside)?;
                self.matrix[row * k + column] = bend;
            }
        }
        if eliminate(&mut self.matrix, &mut self.right) == 0 {
            return Err(Refusal::Outside);
        }
        for (push, &strength) in self.rest.iter_mut().zip(&self.right) {
            push.strength = strength;
            for (dy, part) in dy.iter_mut().zip(&push.direction) {
                *dy += strength * part;
            }
        }
        Ok(())
    }

    /// What the pushes add to the rates of the borders along which the state slides.
    fn pushed(&mut self, modes: &mut Modes, y: &[f64]) -> Result<Vec<f64>, Refusal> {
        let slide = self.slide.as_ref().expect("called along a slide");
        let evaluator = modes.get(self.mode);
        let mut more = vec![0.0; slide.borders.len()];
        for push in &self.rest {
            evaluator
                .displace(y, |index| push.direction[index], 0.0)
                .map_err(|_| Refusal::Outside)?;
            for (more, &border) in more.iter_mut().zip(&slide.borders) {
                let (rise, _) = evaluator.z_displaced(border).ok_or(Refusal::Outside)?;
                *more += push.strength * rise;
            }
        }
        Ok(more)
    }

    /// Finds shares and pushes at a point.
    fn see_all(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        if self.rest.is_empty() {
            self.more.clear();
            return self.see(modes, past, t, y);
        }
        let mut rates = vec![0.0; y.len()];
        self.rates(modes, past, t, y, &mut rates)
    }

    /// The shares of the upper sides at a point; where it is refused, those with which they are sought.
    pub(crate) fn shares_at(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
    ) -> &[f64] {
        let seen = self.see_all(modes, past, t, y);
        match &self.slide {
            Some(slide) if seen.is_ok() => &slide.lambda,
            Some(slide) => &slide.start,
            None => &[],
        }
    }

    /// Writes everything at a point into `reals`.
    pub(crate) fn write(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
        reals: &mut [f64],
    ) -> Result<(), Refusal> {
        for (real, &value) in self.states.iter().zip(y) {
            reals[real.index()] = value;
        }
        if self.slide.is_some() {
            if !self.rest.is_empty() {
                let mut rates = vec![0.0; y.len()];
                self.rates(modes, past, t, y, &mut rates)?;
            } else {
                self.more.clear();
                self.see(modes, past, t, y)?;
            }
        }
        let evaluator = modes.get(self.mode);
        if past.is_empty() && evaluator.is_bare() {
            return Ok(());
        }
        if let Err(fault) = evaluator.evaluate(past, t, y) {
            self.fault = Some(fault);
            return Err(Refusal::Outside);
        }
        evaluator.algebraic(reals);
        match &mut self.slide {
            Some(slide) => slide.write_mixed(modes, past, t, reals),
            None => Ok(()),
        }
    }

    /// How many functions [`Self::exits`] gives.
    pub(crate) fn n_exits(&self) -> usize {
        let slides = self.slide.as_ref().map_or(0, |slide| slide.borders.len());
        2 * slides + self.rest.len()
    }

    /// Functions that are negative while the motion goes on like this: for each border of a slide
    /// one that grows to zero where it leaves to the upper side and one for the lower side, then the
    /// pushes with their signs turned.
    pub(crate) fn exits(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &[f64],
        into: &mut Vec<f64>,
    ) -> Result<(), Refusal> {
        into.clear();
        self.see_all(modes, past, t, y)?;
        if let Some(slide) = &mut self.slide {
            if slide.through {
                into.extend([slide.lambda[0] - 1.0, -slide.lambda[0]]);
            } else if slide.borders.len() == 1 {
                let more = self.more.first().copied().unwrap_or_default();
                into.extend([slide.rates[1] + more, -slide.rates[0] - more]);
            } else {
                for share in &slide.lambda {
                    into.extend([share - 1.0, -share]);
                }
            }
        }
        into.extend(self.rest.iter().map(|push| -push.strength));
        Ok(())
    }

    /// The functions of [`Self::exits`], by the states of the motion, where they are affine: along one
    /// border that is affine, between modes whose rates are a matrix. Empty if there are none.
    pub(crate) fn affine_exits(&self, modes: &Modes) -> Option<SmallVec<[RateForm; 2]>> {
        let Some(slide) = &self.slide else {
            return self.rest.is_empty().then(SmallVec::new);
        };
        let [border] = slide.borders[..] else {
            return None;
        };
        if slide.through || slide.crosswise || !self.rest.is_empty() {
            return None;
        }
        let exit = |corner: usize, sign: f64| {
            let mut form = modes.at(slide.corners[corner]).rate_form(border, sign)?;
            for (at, _) in &mut form.terms {
                let mut places = slide.places[corner].iter();
                *at = places.position(|place| *place == Some(*at))?;
            }
            Some(form)
        };
        Some(smallvec![exit(1, 1.0)?, exit(0, -1.0)?])
    }

    /// Which border an exit belongs to, and the side to which it leads.
    pub(crate) fn exit(&self, number: usize) -> (BorderId, Side) {
        let slides = self.slide.as_ref().map_or(0, |slide| slide.borders.len());
        match &self.slide {
            Some(slide) if number < 2 * slides => {
                let side = if number.is_multiple_of(2) {
                    Side::Plus
                } else {
                    Side::Minus
                };
                (slide.borders[number / 2], side)
            }
            _ => {
                let push = &self.rest[number - 2 * slides];
                (push.border, push.side)
            }
        }
    }

    /// A point is committed: shares and loops are sought from there on.
    pub(crate) fn commit(&mut self) {
        if let Some(slide) = &mut self.slide {
            slide.start.clone_from(&slide.lambda);
        }
    }

    /// Moves a committed point back onto the borders along which the state slides, in the direction
    /// in which the modes around them differ; true if it was not on them, up to rounding.
    pub(crate) fn project(
        &mut self,
        modes: &mut Modes,
        past: &Past,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, Refusal> {
        if self.slide.as_ref().is_none_or(|slide| slide.through) {
            return Ok(false);
        }
        self.more.clear();
        self.see(modes, past, t, y)?;
        let evaluator = modes.get(self.mode);
        evaluator
            .first_order(past, t, y, &vec![0.0; y.len()], &[])
            .map_err(|_| Refusal::Outside)?;
        let slide = self.slide.as_mut().expect("looked at above");
        let m = slide.borders.len();
        self.right.clear();
        for &border in &slide.borders {
            let [z, _] = evaluator.z_first(border).ok_or(Refusal::Outside)?;
            self.right.push(-z);
        }
        if self.right.iter().all(|&z| z == 0.0) {
            return Ok(false);
        }
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.gradients.clear();
        let mut slopes = Vec::new();
        for column in 0..m {
            filippov_weights::weight_slopes(&slide.lambda, column, &mut slopes);
            for row in 0..m {
                let corners = slopes.iter().enumerate();
                self.matrix[row * m + column] = corners
                    .map(|(corner, slope)| slope * slide.rates[corner * m + row])
                    .sum();
            }
            for index in 0..y.len() {
                let corners = slopes.iter().zip(&slide.moves);
                self.gradients
                    .push(corners.map(|(slope, moves)| slope * moves[index]).sum());
            }
        }
        if eliminate(&mut self.matrix, &mut self.right) == 0 {
            return Ok(false);
        }
        for (column, step) in self.right.iter().enumerate() {
            for (index, y) in y.iter_mut().enumerate() {
                *y += step * self.gradients[column * self.states.len() + index];
            }
        }
        Ok(true)
    }
}

/// A motion with what it needs to be integrated.
pub(crate) struct Moving<'a> {
    pub(crate) motion: &'a mut Motion,
    pub(crate) modes: &'a mut Modes,
    pub(crate) past: &'a Past,
    /// What watches for evaluations beyond a border.
    pub(crate) fence: Option<Fence<'a>>,
}

impl Moving<'_> {
    /// Refuses a point beyond the fence, if that is wanted.
    #[inline]
    fn guard(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        let refuses = self.fence.as_ref().is_some_and(|fence| fence.refuses);
        if refuses && self.is_beyond(t, y) {
            return Err(Refusal::Outside);
        }
        Ok(())
    }

    /// The rates have been evaluated at a point: counts it if that is beyond the fence.
    #[inline]
    fn count(&mut self, t: f64, y: &[f64]) {
        if self.fence.is_some() && self.is_beyond(t, y) {
            let fence = self.fence.as_mut().expect("looked at above");
            *fence.beyond += 1;
        }
    }

    /// Whether a point is beyond a border; so it counts where margins cannot be computed.
    fn is_beyond(&mut self, t: f64, y: &[f64]) -> bool {
        let Some(fence) = self.fence.as_ref().filter(|_| self.motion.is_free()) else {
            return false;
        };
        if fence.committed == Some(t) {
            return false;
        }
        let evaluator = self.modes.get(self.motion.mode);
        if evaluator.evaluate_margins(self.past, t, y).is_err() {
            return true;
        }
        let margins = evaluator.mode.margins.iter();
        let mut margins = margins.map(|margin| (margin.border, evaluator.z(margin.border)));
        margins.any(|(border, z)| z.is_none_or(|z| z.is_nan() || fence.is_beyond(border, z)))
    }
}

impl System for Moving<'_> {
    fn dim(&self) -> usize {
        self.motion.states.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.guard(t, y)?;
        self.motion.rates(self.modes, self.past, t, y, dy)?;
        self.count(t, y);
        Ok(())
    }

    fn pattern(&mut self) -> Option<Arc<Pattern>> {
        let mode = self.motion.mode;
        let is_free = self.motion.is_free();
        is_free.then(|| self.modes.get(mode).sparsity().pattern.clone())
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        if !self.motion.is_free() {
            return Ok(Derivatives::Unknown);
        }
        self.guard(t, y)?;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.linearise(self.past, t, y, jacobian, df_dt)?;
        self.count(t, y);
        Ok(Derivatives::Exact)
    }

    fn has_series(&mut self, affine: bool) -> bool {
        self.motion.is_free() && self.modes.get(self.motion.mode).has_series(affine)
    }

    fn series(&mut self, t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        (self.modes.get(self.motion.mode)).series(t, last, coefficients)
    }

    #[inline]
    fn compiled(&mut self, method: Method) -> Option<&mut dyn CompiledStep> {
        if self.fence.is_some() || !self.motion.is_free() {
            return None;
        }
        let step = self.modes.get(self.motion.mode).compiled(method)?;
        Some(step)
    }
}
