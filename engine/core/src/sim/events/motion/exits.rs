//! Where a sliding or resting motion ends: a share leaves [0, 1], a reaction pulls, or a kink turns in one of the modes
//! around a slide.

use crate::lower::border::{BorderId, Side};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::affine::margin_derivatives::RateForm;
use crate::sim::events::motion::sliding::Sliding;
use crate::sim::events::motion::vector_field::Motion;
use situ_solve::Refusal;
use smallvec::{SmallVec, smallvec};

/// A share is out of [0, 1] by rounding alone up to here: where a slide begins, it is at one of the ends.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Kinks of what jumps across the borders of a slide.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitKinks {
    /// Those whose branches differ around the borders.
    pub(super) borders: Vec<BorderId>,
    /// Those whose margins differ there.
    pub(super) jumping: Vec<BorderId>,
    /// The latter in each of the modes around in which they move.
    pub(super) at_corners: Vec<CornerKink>,
}

impl SplitKinks {
    /// True of a kink that is not one and the same in all modes around the borders.
    pub(super) fn contains(&self, border: BorderId) -> bool {
        self.borders.contains(&border) || self.jumping.contains(&border)
    }
}

/// A kink in one of the modes around a slide.
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
