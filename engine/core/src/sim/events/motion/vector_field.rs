//! Right-hand sides that are integrated: the rates of one mode; along borders Filippov's mixture of the modes around
//! them; at rest on a border the rates with a contact reaction that keeps the state there.

use crate::sim::events::motion::contact::ContactReaction;

use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::cones::OwnProgram;
use crate::sim::events::modes::evaluation::loop_matrix::eliminate;
use crate::sim::events::motion::contact_direction::ContactDirection;
use crate::sim::events::motion::contact_groups::ContactGroups;
use crate::sim::events::motion::sliding::{ROUNDS, SETTLED, Sliding};
use crate::sim::events::run::limits::Limits;
use situ_solve::slices::copy;
use situ_solve::{Candidate, Method, Refusal, Stepper};

/// Motion of the state between two instants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// The mode, or the mixture along a slide.
    pub(crate) mode: usize,
    /// The reals that are integrated, in the order of the state.
    pub(crate) states: Vec<RealId>,
    /// The reals that the method finds beside them: algebraic components.
    pub(crate) algebraic: Vec<RealId>,
    pub(crate) slide: Option<Sliding>,
    pub(crate) rest: Vec<ContactReaction>,
    /// Which of the contacts move each other.
    pub(crate) groups: ContactGroups,
    /// The program of their margins, if it is small.
    pub(super) contact_margins: Option<OwnProgram>,
    /// Directions of the contact reactions whose direction changes.
    pub(crate) turning: Option<Box<ContactDirection>>,
    /// Values of all reals at entry, states and what follows from them brought up to date.
    pub(super) reals: Vec<f64>,
    pub(super) more: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    pub(super) right: Vec<f64>,
    /// Room for a direction in which the state is displaced.
    pub(super) displaced: Vec<f64>,
    gradients: Vec<f64>,
    pub(crate) fault: Option<ValueFault>,
}

impl Motion {
    /// A motion from the present point: along one mode, or a mixture of modes with a slide.
    ///
    /// Shapes: `reals`: of all reals. The mode and all corners have been entered.
    pub(crate) fn new(
        modes: &mut Modes,
        mode: usize,
        mut slide: Option<Sliding>,
        mut rest: Vec<ContactReaction>,
        reals: &[f64],
    ) -> Self {
        let states = modes.at(mode).mode.states.clone();
        for push in &mut rest {
            push.direction = push.by_state(&states);
        }
        let (groups, contact_margins) = match &rest[..] {
            [] => (ContactGroups::default(), None),
            rest => {
                let evaluator = modes.get(mode);
                let borders = rest.iter().map(|push| push.border);
                let own = evaluator.own_program(borders);
                (ContactGroups::of(evaluator, rest), own)
            }
        };
        if let Some(slide) = &mut slide {
            slide.place(modes, mode, reals.len());
        }
        Self {
            mode,
            states,
            slide,
            rest,
            groups,
            contact_margins,
            reals: reals.to_vec(),
            ..Self::default()
        }
    }

    /// True if the motion is that of a single mode.
    pub(crate) fn is_free(&self) -> bool {
        self.slide.is_none() && self.rest.is_empty()
    }

    /// Makes algebraic components of unknowns of the mode, if a method has them.
    pub(crate) fn set_algebraic(&mut self, modes: &Modes, method: Method) {
        self.algebraic.clear();
        if method.has_algebraic() && self.is_free() {
            self.algebraic.extend(modes.at(self.mode).algebraic.reals());
        }
    }

    /// The reals of the components of the system that a method integrates, in their order.
    pub(crate) fn components(&self) -> impl Iterator<Item = RealId> {
        self.states.iter().chain(&self.algebraic).copied()
    }

    /// Counts whose error was the largest in a step, and in the trials before it that were rejected.
    pub(crate) fn count_limits(
        &self,
        limits: &mut [Limits],
        stepper: &mut Stepper,
        taken: Option<&Candidate>,
    ) {
        let real_of = |component| self.components().nth(component).map(RealId::index);
        if let Some(taken) = taken.filter(|taken| taken.error > 0.0)
            && let Some(real) = real_of(taken.component)
        {
            limits[real].steps += 1;
        }
        stepper.take_limiting(|component, times| {
            if let Some(real) = real_of(component) {
                limits[real].rejections += times;
            }
        });
    }

    /// The borders to which the motion is bound.
    pub(crate) fn bound_to(&self, border: BorderId) -> bool {
        let mut slide = self.slide.iter();
        slide.any(|slide| slide.keeps_on(border))
            || self.rest.iter().any(|push| push.border == border)
    }

    /// Becomes the motion in one mode; what it had serves as memory.
    pub(crate) fn set_free(&mut self, modes: &Modes, mode: usize) {
        self.mode = mode;
        copy(&mut self.states, &modes.at(mode).mode.states);
        self.algebraic.clear();
        self.slide = None;
        self.rest.clear();
        self.groups = ContactGroups::default();
        self.contact_margins = None;
        self.turning = None;
        self.fault = None;
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
        past: &DelayHistory,
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
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.slide.is_none() && self.rest.is_empty() {
            return modes.get(self.mode).rates(past, t, y, dy);
        }
        self.bound_rates(modes, past, t, y, dy)
    }

    /// The rates written last, each with its rounding error: those of the modes around a slide may nearly cancel in
    /// their mixture, and a contact reaction what it holds.
    pub(crate) fn with_errors(&self, dy: &[f64]) -> Vec<[f64; 2]> {
        let sizes = |index: usize| {
            let mixed = self.slide.iter().filter(|slide| slide.mixes(index));
            let mixed = mixed.flat_map(|slide| slide.parts(index));
            let pushed = self.rest.iter().map(|push| push.part(index));
            let terms = mixed.chain(pushed).map(f64::abs);
            terms.sum::<f64>()
        };
        let rates = dy.iter().enumerate();
        rates
            .map(|(index, &rate)| [rate, f64::EPSILON * sizes(index).max(rate.abs())])
            .collect()
    }

    /// The rates of a motion that is bound to borders.
    #[inline(never)]
    fn bound_rates(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
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
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        self.see(modes, past, t, y)?;
        let slide = self.slide.as_mut().expect("called along a slide");
        if slide.has_unmixed() {
            modes.get(self.mode).rates(past, t, y, dy)?;
        }
        for (index, dy) in dy.iter_mut().enumerate() {
            if slide.mixes(index) {
                *dy = slide.parts(index).sum();
            }
        }
        Ok(())
    }

    /// Finds the shares at a point; afterwards the mixture has them as weights.
    fn see(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        for (real, &value) in self.states.iter().zip(y) {
            self.reals[real.index()] = value;
        }
        let slide = self.slide.as_mut().expect("called along a slide");
        let has_through = slide.has_through();
        if slide.through.contains(&false) {
            self.see_rates(modes, past, t, y)?;
        }
        match &mut self.slide {
            Some(slide) if has_through => slide.see_through(modes, self.mode, past, t, y),
            _ => Ok(()),
        }
    }

    /// Finds the shares that keep the state on the borders by the rates beside them.
    fn see_rates(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        let slide = self.slide.as_mut().expect("called along a slide");
        if !slide.crosswise {
            slide.look(modes, past, t, &self.reals)?;
            slide.share(&self.more)?;
            slide.weigh();
            modes.weigh(self.mode, &slide.weights);
            return Ok(());
        }
        let start = slide.start.clone();
        slide.lambda.clone_from(&start);
        slide.weigh();
        for _ in 0..ROUNDS {
            modes.weigh(self.mode, &slide.weights);
            let mixture = modes.get(self.mode);
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
            if change <= SETTLED {
                slide.start = start;
                modes.weigh(self.mode, &slide.weights);
                return Ok(());
            }
            slide.start.clone_from(&slide.lambda);
        }
        slide.start = start;
        Err(Refusal::Outside)
    }

    /// Finds shares and contact reactions at a point.
    pub(crate) fn see_all(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
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
        past: &DelayHistory,
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
        past: &DelayHistory,
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
        let Some(slide) = &mut self.slide else {
            return Ok(());
        };
        slide.write_mixed(modes, past, t, reals)?;
        if modes.is_variant(self.mode) {
            // The corners have computed with what the mixture computes with.
            let evaluator = modes.get(self.mode);
            evaluator
                .evaluate(past, t, y)
                .map_err(|_| Refusal::Outside)?;
        }
        Ok(())
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
        past: &DelayHistory,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, Refusal> {
        let mut slide = self.slide.iter();
        if !slide.any(|slide| slide.through.contains(&false)) {
            return Ok(false);
        }
        self.more.clear();
        self.see(modes, past, t, y)?;
        let evaluator = modes.get(self.mode);
        evaluator
            .first_order(past, t, y, &vec![[0.0; 2]; y.len()], &[])
            .map_err(|_| Refusal::Outside)?;
        let slide = self.slide.as_ref().expect("looked at above");
        let mut off = Vec::with_capacity(slide.borders.len());
        for &border in &slide.borders {
            let [z, _] = evaluator.z_first(border).ok_or(Refusal::Outside)?;
            off.push(-z);
        }
        if off.iter().all(|&z| z == 0.0) {
            return Ok(false);
        }
        let mut projected = false;
        for group in slide.groups.members() {
            self.right.clear();
            self.right.extend(group.iter().map(|&at| off[at]));
            let through = group.iter().any(|&at| slide.through[at]);
            if through || self.right.iter().all(|&z| z == 0.0) {
                continue;
            }
            slide.share_derivatives(group, &mut self.matrix, &mut self.gradients);
            if eliminate(&mut self.matrix, &mut self.right) == 0 {
                continue;
            }
            for (column, step) in self.right.iter().enumerate() {
                for (index, y) in y.iter_mut().enumerate() {
                    *y += step * self.gradients[column * self.states.len() + index];
                }
            }
            projected = true;
        }
        Ok(projected)
    }
}
