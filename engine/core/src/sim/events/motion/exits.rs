//! Where a sliding or resting motion ends: a share leaves [0, 1], or a reaction pulls.

use crate::lower::border::{BorderId, Side};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::affine::margin_derivatives::RateForm;
use crate::sim::events::motion::vector_field::Motion;
use situ_solve::Refusal;
use smallvec::{SmallVec, smallvec};

/// A share is out of [0, 1] by rounding alone up to here: where a slide begins, it is at one of the ends.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Motion {
    /// Number of functions that [`Self::exits`] gives.
    pub(crate) fn n_exits(&self) -> usize {
        let slides = self.slide.as_ref().map_or(0, |slide| slide.borders.len());
        2 * slides + self.rest.len()
    }

    /// Functions that are negative while the motion goes on like this: for each border of a slide
    /// one that grows to zero where it leaves to the upper side and one for the lower side, then the
    /// contact reactions with opposite signs.
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
        into.extend(self.rest.iter().map(|push| -push.strength));
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
        if slide.has_through() || slide.crosswise || !self.rest.is_empty() {
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

    /// Border to which an exit belongs, and the side to which it leads.
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
}
