//! Borders across which a jump has carried the state: their sides follow the values.

use super::driver::Hybrid;
use super::fault::loop_fault;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::solve::Locate;
use smallvec::SmallVec;

/// Kinks that lie within each other are turned in rounds, so many at most.
const NESTED_KINKS: usize = 8;

/// Margins whose borders follow their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Margins {
    /// Those of kinks; whether sides that turn are thought to settle.
    Kinks {
        settles: bool,
    },
    Others,
}

impl Hybrid {
    /// Borders whose margin has jumped take the side of its value; those at 0 are flagged.
    ///
    /// Behind a kink that the jump has passed, other margins are those of the branch that was left: the kinks
    /// are turned first, and what they lead to is entered.
    pub(super) fn follow_values(&mut self) -> Result<(), RunFault> {
        self.landed.clear();
        let mut turned = SmallVec::new();
        for round in 0..=NESTED_KINKS {
            // What still turns then is a value that jumps over its own border.
            let settles = round < NESTED_KINKS;
            if !self.follow_margins(Margins::Kinks { settles }, &mut turned)? {
                break;
            }
            self.find_bound_mode()?;
            self.assemble_and_enter()?;
        }
        self.follow_margins(Margins::Others, &mut turned)?;
        Ok(())
    }

    /// The same for some margins; whether any has turned.
    ///
    /// `turned`: the borders that have turned since the jump.
    fn follow_margins(
        &mut self,
        which: Margins,
        turned: &mut SmallVec<[BorderId; 4]>,
    ) -> Result<bool, RunFault> {
        let margins = self.modes.at(self.motion.mode).mode.margins.clone();
        let kinks = which != Margins::Others;
        let is_kink = |margin: &Margin| self.borders.kinked[margin.border.index()];
        if kinks && !margins.iter().any(is_kink) {
            return Ok(false);
        }
        let before = turned.len();
        self.margins_now()?;
        for margin in margins.iter() {
            let border = margin.border;
            let index = border.index();
            if self.borders.kinked[index] != kinks {
                continue;
            }
            let evaluator = self.modes.at(self.motion.mode);
            let was = self.margins.get(index).copied().flatten();
            let stands = was == evaluator.z(border) && !turned.contains(&border);
            if stands || self.motion.bound_to(border) {
                continue;
            }
            let z = match evaluator.sure_z(border) {
                Some(z) => z,
                None => {
                    self.bound_margins()?;
                    let evaluator = self.modes.at(self.motion.mode);
                    let [z, _] = evaluator.z_first(border).unwrap_or_default();
                    z
                }
            };
            if z == 0.0 {
                self.truths.flags.set(index, true);
                // Where a jump brings it there and it stays, a comparison of two equal numbers decides
                // by its strictness.
                let now = self.modes.at(self.motion.mode).z(border);
                let exactly = now == Some(0.0) && !self.borders.is_step_end(border);
                let lands = match was {
                    None => true,
                    Some(was) => self.is_off(border, was)?,
                };
                if exactly && lands {
                    self.landed.push(border);
                }
                continue;
            }
            self.truths.flags.set(index, false);
            let side = Side::of(z);
            let held = self.truths.sides[index];
            if side == held {
                continue;
            }
            let settles = which == Margins::Kinks { settles: true };
            if !settles && self.jumps_back(border, side)? {
                if self.config.locate == Locate::None {
                    // It goes over at the end of each step.
                    self.truths.flags.set(index, true);
                    continue;
                }
                self.bound.slides.push(border);
                self.bound.through = true;
                self.bound.lambda.clear();
                self.bound.lambda.push(0.5);
                self.truths.flags.set(index, true);
                self.check_slides()?;
                self.note_slide(true);
                continue;
            }
            turned.push(border);
            if !self.jump_steps(border, z) {
                self.truths.sides[index] = side;
            }
        }
        Ok(turned.len() > before)
    }

    /// If the border is an end of a step of a staircase, goes to the step on which the state is.
    pub(super) fn jump_steps(&mut self, border: BorderId, z: f64) -> bool {
        for (staircase, step) in self.borders.staircases.iter().zip(&mut self.steps) {
            let from_low = if staircase.low == border {
                z
            } else if staircase.high == border {
                z + 1.0
            } else {
                continue;
            };
            *step += from_low.floor();
            self.truths.sides[staircase.low.index()] = Side::Plus;
            self.truths.sides[staircase.high.index()] = Side::Minus;
            return true;
        }
        false
    }

    /// Whether the side that a margin's value asks for gives a value that asks for the other side.
    pub(super) fn jumps_back(&mut self, border: BorderId, side: Side) -> Result<bool, RunFault> {
        if !self.bound.slides.is_empty() || self.borders.is_step_end(border) {
            return Ok(false);
        }
        let mode = self.mode_on(&[(border, side)])?;
        if mode == self.mode {
            return Ok(false);
        }
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &[], &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let [z, rate] = evaluator.z_first(border).unwrap_or_default();
        let asks = if z == 0.0 { rate } else { z };
        Ok(Side::of(asks) == side.flipped())
    }
}
