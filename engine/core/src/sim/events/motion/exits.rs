//! Where a sliding or resting motion ends: a share leaves [0, 1], a reaction pulls, or a kink or a range turns in
//! one of the modes around a slide.

use crate::lower::border::{BorderId, BorderSource, Side};
use crate::sim::RunFault;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::iteration::sides::after_reset::asked;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::affine::margin_derivatives::RateForm;
use crate::sim::events::modes::unbranched_values::loop_around;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::sliding::Sliding;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::state::HybridState;
use situ_solve::Refusal;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A share is out of [0, 1] by rounding alone up to here: where a slide begins, it is at one of the ends.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Kinks of what jumps across the borders of a slide.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitKinks {
    /// Those whose branches differ around the borders.
    pub(super) borders: Vec<BorderId>,
    /// Those whose margins differ there, and ranges whose margins no mixture computes.
    pub(super) jumping: Vec<BorderId>,
    /// The latter, and ranges of what jumps, in each of the modes around in which they move.
    pub(super) at_corners: Vec<CornerKink>,
    /// Those of these ranges' borders, among `jumping`, that are on one side in all of the modes.
    pub(super) agreed: Vec<(BorderId, Side)>,
}

impl SplitKinks {
    /// True of a kink that is not one and the same in all modes around the borders.
    pub(super) fn contains(&self, border: BorderId) -> bool {
        self.borders.contains(&border) || self.jumping.contains(&border)
    }
}

/// A kink, or a range, in one of the modes around a slide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CornerKink {
    pub(super) corner: usize,
    pub(super) border: BorderId,
    /// The side of its border there.
    pub(super) side: Side,
    /// Its margin is on the border up to here, but for rounding.
    pub(super) noise: f64,
}

impl Motion {
    /// Number of functions that [`Self::exits`] gives.
    pub(crate) fn n_exits(&self) -> usize {
        let slides = self.slide.as_ref().map_or(0, Sliding::n_exits);
        slides + self.rest.len()
    }

    /// Functions that are negative while the motion goes on like this: for each border of a slide
    /// one that grows to zero where it leaves to the upper side and one for the lower side, then one for each kink that may
    /// turn in one of the modes around, then the contact reactions with opposite signs.
    pub(crate) fn exits(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        into: &mut Vec<f64>,
    ) -> Result<(), Refusal> {
        into.clear();
        self.see_all(modes, past, t, y)?;
        if let Some(slide) = &mut self.slide {
            let m = slide.borders.len();
            for (at, share) in slide.lambda.iter().enumerate() {
                if slide.through[at] {
                    into.extend([share - (1.0 + ROUNDING), -share - ROUNDING]);
                    continue;
                }
                let is_alone = slide.groups.members()[slide.groups.place(at)].len() == 1;
                let more = self.more.get(at).copied().unwrap_or_default();
                let free = if is_alone {
                    None
                } else {
                    slide.rate_without_share(at)
                };
                into.extend(match free {
                    Some(rate) => [rate + more, -rate - more],
                    None if is_alone => [slide.rates[m + at] + more, -slide.rates[at] - more],
                    None => [share - 1.0, -share],
                });
            }
        }
        self.turns_at_corners(modes, past, t, into)?;
        into.extend(self.rest.iter().map(|push| -push.strength));
        Ok(())
    }

    /// Functions that are negative while kinks are on their sides in the modes around a slide, after [`Self::see_all`].
    fn turns_at_corners(
        &self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        into: &mut Vec<f64>,
    ) -> Result<(), Refusal> {
        let Some(slide) = &self.slide else {
            return Ok(());
        };
        let mut y = Vec::new();
        for kink in &slide.split.at_corners {
            let evaluator = modes.get(slide.corners[kink.corner]);
            evaluator.states(&self.reals, &mut y);
            evaluator
                .evaluate_margins(past, t, &y)
                .map_err(|_| Refusal::Outside)?;
            let z = evaluator.z(kink.border).ok_or(Refusal::Outside)?;
            let beyond = if kink.side == Side::Plus { -z } else { z };
            into.push(beyond - kink.noise);
        }
        Ok(())
    }

    /// The functions of [`Self::exits`], by the states of the motion, where they are affine: along one
    /// border that is affine, between modes whose rates are a matrix. Empty if there are none.
    pub(crate) fn affine_exits(&self, modes: &mut Modes) -> Option<SmallVec<[RateForm; 2]>> {
        let Some(slide) = &self.slide else {
            return self.rest.is_empty().then(SmallVec::new);
        };
        let [border] = slide.borders[..] else {
            return None;
        };
        let has_kinks = !slide.split.at_corners.is_empty();
        if slide.has_through() || slide.crosswise || has_kinks || !self.rest.is_empty() {
            return None;
        }
        let mut exit = |corner: usize, sign: f64| {
            let mut form = modes.get(slide.corners[corner]).rate_form(border, sign)?;
            for (at, _) in &mut form.terms {
                let mut places = slide.places[corner].iter();
                *at = places.position(|place| *place == Some(*at))?;
            }
            Some(form)
        };
        Some(smallvec![exit(1, 1.0)?, exit(0, -1.0)?])
    }

    /// Border to which an exit belongs, and the side to which it leads; `None` for a kink that turns.
    pub(crate) fn exit(&self, number: usize) -> Option<(BorderId, Side)> {
        let (borders, n_exits) = match &self.slide {
            Some(slide) => (&slide.borders[..], slide.n_exits()),
            None => (&[][..], 0),
        };
        if let Some(push) = number.checked_sub(n_exits) {
            let push = &self.rest[push];
            return Some((push.border, push.side));
        }
        let side = match number.is_multiple_of(2) {
            true => Side::Plus,
            false => Side::Minus,
        };
        borders.get(number / 2).map(|border| (*border, side))
    }
}

impl Sliding {
    fn n_exits(&self) -> usize {
        2 * self.borders.len() + self.split.at_corners.len()
    }
}

impl Dynamics {
    /// The kinks and ranges of what jumps across the borders of a slide.
    ///
    /// Shapes: `corners`: the modes around; `sides`: for each the sides of all borders.
    ///
    /// # Errors
    ///
    /// Values that cannot be computed in one of the modes.
    pub(super) fn split_kinks(
        &mut self,
        state: &HybridState,
        slides: &[BorderId],
        (corners, sides): (&[usize], &[Vec<Side>]),
        mixture: usize,
    ) -> Result<SplitKinks, RunFault> {
        let mut split = SplitKinks {
            borders: state.split_kinks(slides, sides),
            ..SplitKinks::default()
        };
        let mixture = Arc::clone(&self.modes.at(mixture).mode);
        let is_mixed = |border| mixture.margin(border).is_some_and(|margin| margin.opaque);
        // Where branches differ the margin of a range along the mixture is not the mean of those around.
        let is_blurred = |border: BorderId| {
            let is_compared = matches!(
                state.borders.owners[border.index()],
                BorderSource::Comparison(..)
            );
            is_compared && !split.borders.is_empty() && is_mixed(border)
        };
        // Each border with whether it turns by itself in the modes around.
        let mut looked_at: Vec<(BorderId, bool)> = Vec::new();
        for (number, &corner) in corners.iter().enumerate() {
            let is_new = |border: BorderId| {
                let mut before = corners[..number].iter();
                before.all(|&other| self.modes.at(other).mode.margin(border).is_none())
            };
            for margin in self.modes.at(corner).mode.margins.iter() {
                let border = margin.border;
                if slides.contains(&border) || !is_new(border) {
                    continue;
                }
                let turns = self.turns_at_corners(state, corner, border);
                if turns || is_blurred(border) {
                    looked_at.push((border, turns));
                }
            }
        }
        if looked_at.is_empty() {
            return Ok(split);
        }
        // The value of each margin with its noise, and the side of its border.
        let mut values: Vec<Vec<Option<[f64; 2]>>> = Vec::with_capacity(corners.len());
        let mut sides_at: Vec<Vec<Side>> = Vec::with_capacity(corners.len());
        for (&corner, sides) in corners.iter().zip(sides) {
            let evaluator = self.margins_in(state, corner)?;
            let value = |(border, _): &(BorderId, bool)| {
                let z = evaluator.z(*border).zip(evaluator.z_noise(*border));
                z.map(<[f64; 2]>::from)
            };
            values.push(looked_at.iter().map(value).collect());
            let side = |&(border, turns): &(BorderId, bool)| {
                let [z, rate] = evaluator.z_first(border).unwrap_or_default();
                match turns {
                    true => sides[border.index()],
                    false => asked(z, rate),
                }
            };
            sides_at.push(looked_at.iter().map(side).collect());
        }
        let (mut jumping, mut at_corners, mut agreed) = (Vec::new(), Vec::new(), Vec::new());
        for (at, &(border, _)) in looked_at.iter().enumerate() {
            let noises = values.iter().filter_map(|values| values[at]);
            // Where a root begins there are no bounds.
            let noises = noises.filter(|[_, noise]| noise.is_finite());
            let noise = noises.fold(0.0, |most, [_, noise]| f64::max(most, noise));
            let margin = |corner: &usize| self.modes.at(*corner).mode.margin(border);
            let form = |corner: &usize| margin(corner).map(|margin| margin.form.as_ref());
            let jumps = (1..corners.len()).any(|other| {
                let pair = values[other][at].zip(values[0][at]);
                let is_apart = |([a, _], [b, _]): ([f64; 2], [f64; 2])| (a - b).abs() > noise;
                form(&corners[other]).flatten() != form(&corners[0]).flatten()
                    || pair.is_some_and(is_apart)
            });
            let mixes = || {
                let mut own = corners.iter().filter_map(margin);
                is_mixed(border) && own.any(|own| !own.opaque)
            };
            // A kink whose row does not act in all of the modes may have the margin of the mixture where it does.
            let is_other = || {
                let here = mixture.margin(border);
                let here = here.and_then(|here| here.form.as_ref());
                here.is_none_or(|here| corners.iter().filter_map(form).any(|own| own != Some(here)))
            };
            if !((jumps || mixes()) && is_other()) {
                continue;
            }
            let is_blurred = is_blurred(border);
            if is_blurred || state.borders.kinked.get(border.index()) {
                jumping.push(border);
            }
            let side = sides_at[0][at];
            if is_blurred && side != Side::On && sides_at.iter().all(|sides| sides[at] == side) {
                agreed.push((border, side));
            }
            for (corner, sides) in sides_at.iter().enumerate() {
                let side = sides[at];
                let moves = margin(&corners[corner]).is_some_and(|margin| match &margin.form {
                    Some(form) => form.per_time != 0.0 || !margin.moving.is_empty(),
                    None => true,
                });
                if side != Side::On && moves {
                    at_corners.push(CornerKink {
                        corner,
                        border,
                        side,
                        noise,
                    });
                }
            }
        }
        split.jumping = jumping;
        split.at_corners = at_corners;
        split.agreed = agreed;
        Ok(split)
    }

    /// True if a border in a mode around a slide turns there by itself: that of a range on which rows depend, or of a kink,
    /// but not in a loop, whose solution its branch is a part of.
    pub(crate) fn turns_at_corners(
        &self,
        state: &HybridState,
        mode: usize,
        border: BorderId,
    ) -> bool {
        if state.borders.is_step_end(border) {
            return false;
        }
        let mode = &self.modes.at(mode).mode;
        let is_part = |owner: BorderSource| {
            matches!(
                owner,
                BorderSource::RowKink(..) | BorderSource::RangeKink(..)
            )
        };
        let is_kink = || {
            let mut kinks = mode.kinks.iter();
            state.borders.kinked.get(border.index())
                && kinks.any(|kink| kink.view.border == border && is_part(kink.owner))
        };
        let in_loop = || {
            let unbranched = mode.unbranched.as_deref();
            unbranched.is_some_and(|unbranched| loop_around(unbranched, border).is_some())
        };
        let turns = self.is_shaping(border) || is_part(state.borders.owners[border.index()]);
        (turns || is_kink()) && !in_loop()
    }

    /// True of the border of a range on which rows between events depend.
    pub(crate) fn is_shaping(&self, border: BorderId) -> bool {
        let ranges = self.views.ranges_by_border.get(border.index());
        let mut ranges = ranges.into_iter().flatten();
        ranges.any(|&range| self.plan.flow.shaping[range as usize])
    }
}
