//! Crossings in doubt: where rounding or the error of the dense output hides the sign of a margin.

use crate::lower::border::BorderId;
use crate::sim::events::detect::crossing_search::{
    Along, Crossed, Field, Finder, HALVINGS, Looked, Remark, side_of,
};
use situ_solve::roots::{Indicator, Side};

/// Distance from its border that a margin may show by errors only.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NoiseFloor {
    /// Those of rounding.
    Rounding(f64),
    /// Those that tolerances allow, at a border with a dead band.
    Quiet(f64),
}

impl Finder {
    /// True if rounding at a place of the step hides the crossing found last, if it is one of this margin.
    pub(super) fn is_doubtful(
        &mut self,
        field: &mut Field<'_>,
        margin: Looked,
        theta: f64,
    ) -> bool {
        let Some(blur) = self.blur(field, margin, theta) else {
            return false;
        };
        let mut y = std::mem::take(&mut self.y);
        let mut along = Along {
            evaluator: field.modes.get(field.motion.mode),
            past: field.past,
            margin,
            dense: field.dense,
            y: &mut y,
        };
        let hidden = self.doubt(blur, field.to, |theta| along.value(theta));
        self.y = y;
        hidden
    }

    /// If the crossing found last is one of this margin: what rounding at a place may make of the margin in the step. It
    /// is that of the rates, too, which the margin's own values do not show.
    pub(super) fn blur(
        &mut self,
        field: &mut Field<'_>,
        margin: Looked,
        theta: f64,
    ) -> Option<NoiseFloor> {
        match self.found.last()?.what {
            Crossed::Border(border, _) if border == margin.border => {}
            _ => return None,
        }
        let dense = field.dense;
        if theta == 0.0 {
            let states = field.motion.states.iter();
            self.y.clear();
            self.y
                .extend(states.map(|state| field.reals[state.index()]));
        } else {
            self.y.resize(dense.dim(), 0.0);
            dense.eval(theta, &mut self.y);
        }
        let evaluator = field.modes.get(field.motion.mode);
        let at = (dense.time(theta), &self.y[..]);
        let blur = evaluator.blur(margin.border, field.past, at, dense.h())?;
        let mut quiet = field
            .quiet
            .iter()
            .filter(|(border, _)| *border == margin.border);
        Some(match quiet.next() {
            Some((_, reach)) => NoiseFloor::Quiet(blur.max(*reach)),
            None => NoiseFloor::Rounding(blur),
        })
    }

    /// True if in the whole step the margin of the crossing found last gets no further from the border than rounding
    /// takes it. The crossing of a dead band is where the margin leaves it: at the border itself events
    /// would follow each other as before.
    /// The values of the margin, differences of small speeds, do not show the rounding of the rates themselves.
    pub(super) fn doubt(
        &mut self,
        blur: NoiseFloor,
        to: f64,
        mut z: impl FnMut(f64) -> f64,
    ) -> bool {
        let Some(crossing) = self.found.last_mut() else {
            return false;
        };
        let (NoiseFloor::Rounding(reach) | NoiseFloor::Quiet(reach)) = blur;
        let is_near = |z: f64| z.abs() <= reach;
        // Nearly always the first of these places is far from the border.
        let parts = (1..=8u32).rev().map(|part| to * f64::from(part) / 8.0);
        let mut places = [0.5 * crossing.theta].into_iter().chain(parts);
        if places.all(|theta| is_near(z(theta))) {
            return true;
        }
        if matches!(blur, NoiseFloor::Quiet(_)) {
            let mut near = crossing.theta;
            let parts = (1..=8u32).map(|part| to * f64::from(part) / 8.0);
            let mut places = [0.5 * near].into_iter().chain(parts);
            let Some(mut far) = places.find(|&theta| !is_near(z(theta))) else {
                return false;
            };
            if far <= near || z(near) * z(far) < 0.0 {
                return false;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (near + far);
                if is_near(z(middle)) {
                    near = middle;
                } else {
                    far = middle;
                }
            }
            (crossing.before, crossing.theta) = (near, far);
        }
        false
    }

    /// True if a margin leaves its dead band on the side that is held, as far as places of the step tell: the crossing found
    /// last is none then.
    pub(super) fn stays_on_its_side(&mut self, field: &mut Field<'_>, margin: Looked) -> bool {
        let Some(crossing) = self.found.last() else {
            return false;
        };
        let mut reaches = field.quiet.iter();
        let Some(&(_, reach)) = reaches.find(|(border, _)| *border == margin.border) else {
            return false;
        };
        let upward = Crossed::Border(margin.border, side_of(Side::Plus, margin.upright));
        let crosses_up = crossing.what == upward;
        let mut along = Along {
            evaluator: field.modes.get(field.motion.mode),
            past: field.past,
            margin,
            dense: field.dense,
            y: &mut self.y,
        };
        let mut places = (1..=8u32).map(|part| field.to * f64::from(part) / 8.0);
        places.all(|theta| {
            let z = along.value(theta);
            z.abs() <= reach || (z > 0.0) != crosses_up
        })
    }

    /// The crossing found last becomes a remark.
    pub(super) fn hide(&mut self, border: BorderId, to: f64) {
        self.found.pop();
        self.remarks.push(Remark {
            border,
            between: [0.0, to],
            touch: false,
        });
    }
}
