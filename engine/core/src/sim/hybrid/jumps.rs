//! Borders across which a jump has carried the state: their sides follow the values.

use super::course::Cue;
use super::driver::Hybrid;
use super::fault::loop_fault;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::sim::finite::all_finite;
use crate::solve::Locate;
use smallvec::SmallVec;

/// Kinks that lie within each other are turned in rounds, so many at most.
const NESTED_KINKS: usize = 8;

/// Where a margin stands after a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stand {
    /// Where it is known to stand.
    Still,
    /// On its border.
    On,
    Off(Side),
}

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
        self.courses.note(Cue::Land);
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
        self.courses.note(Cue::Look);
        self.margins_now()?;
        for margin in margins.iter() {
            let border = margin.border;
            let index = border.index();
            if self.borders.kinked[index] != kinks {
                continue;
            }
            if self.motion.bound_to(border) {
                continue;
            }
            let has_turned = turned.contains(&border);
            let before = if self.truths.flags.get(index) {
                Stand::On
            } else {
                Stand::Off(self.truths.sides[index])
            };
            let (stand, z) = self.stand(border, has_turned, before)?;
            self.courses
                .note(Cue::Stand(border, has_turned, [before, stand]));
            let side = match stand {
                Stand::Still => continue,
                Stand::On => {
                    self.truths.flags.set(index, true);
                    continue;
                }
                Stand::Off(side) => side,
            };
            self.truths.flags.set(index, false);
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

    /// Borders along which the state slides and off which event rows have carried it: it slides along them no more, on
    /// the sides of their values. The mode they lead to has not been entered yet.
    pub(super) fn leave_by_jump(&mut self) -> Result<(), RunFault> {
        // Where a margin jumps across its border itself, its values on both sides tell ([`Self::stays_through`]).
        if self.bound.slides.is_empty() || self.bound.through {
            return Ok(());
        }
        let (t, evaluator) = (self.t, self.modes.get(self.motion.mode));
        evaluator.hold(&self.reals);
        evaluator.states(&self.reals, &mut self.y);
        let rates = vec![0.0; self.y.len()];
        evaluator
            .first_order(&self.past, t, &self.y, &rates, &[])
            .map_err(|fault| loop_fault(t, fault))?;
        for border in self.bound.slides.clone() {
            let index = border.index();
            let evaluator = self.modes.at(self.motion.mode);
            let was = self.margins.get(index).copied().flatten();
            let [z, _] = evaluator.z_first(border).unwrap_or_default();
            let side = Side::of(z);
            if evaluator.z(border) == was || side == Side::On {
                continue;
            }
            self.truths.sides[index] = side;
            self.truths.flags.set(index, false);
            self.let_go(border, side);
        }
        Ok(())
    }

    /// Where a margin of the present motion stands, which has been evaluated, and its z.
    ///
    /// `before`: where it is known to stand; `has_turned`: whether that is not from its value.
    pub(super) fn stand(
        &mut self,
        border: BorderId,
        has_turned: bool,
        before: Stand,
    ) -> Result<(Stand, f64), RunFault> {
        let evaluator = self.modes.at(self.motion.mode);
        let was = self.margins.get(border.index()).copied().flatten();
        let now = evaluator.z(border);
        if was == now && !has_turned {
            return Ok((Stand::Still, now.unwrap_or_default()));
        }
        // It is that of a mode that is not defined here, and is left.
        if now.is_some_and(f64::is_nan) && !all_finite(&self.reals) {
            return Ok((Stand::Still, 0.0));
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
        if now == Some(0.0) {
            self.landed.push(border);
        }
        let stand = if z == 0.0 {
            Stand::On
        } else {
            Stand::Off(Side::of(z))
        };
        Ok((if stand == before { Stand::Still } else { stand }, z))
    }

    /// Whether a jump has brought a margin onto its border, exactly.
    pub(super) fn has_landed(&mut self, border: BorderId) -> Result<bool, RunFault> {
        let was = self.margins.get(border.index()).copied().flatten();
        let landed = self.landed.contains(&border)
            && !self.borders.is_step_end(border)
            && match was {
                None => true,
                Some(was) => self.is_off(border, was)?,
            };
        self.courses.note(Cue::Landed(border, landed));
        Ok(landed)
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
        let asked = self.asked_in(mode, border)?;
        self.courses.note(Cue::Asks(mode, border, asked));
        Ok(asked == side.flipped())
    }

    /// The mode with some borders on other sides, as [`Self::mode_on`], with its kinks on the sides of their values
    /// there: what they depend on may jump over the borders.
    pub(super) fn mode_beside(&mut self, sides: &[(BorderId, Side)]) -> Result<usize, RunFault> {
        let mut mode = self.mode_on(sides)?;
        if mode == self.motion.mode || !self.borders.kinked.contains(&true) {
            return Ok(mode);
        }
        let mut sides: SmallVec<[(BorderId, Side); 8]> = sides.into();
        for _ in 0..NESTED_KINKS {
            let known = sides.len();
            let margins = self.modes.at(mode).mode.margins.clone();
            for margin in margins.iter() {
                let border = margin.border;
                if !self.may_jump(margin) || sides.iter().any(|(other, _)| *other == border) {
                    continue;
                }
                let asked = self.asked_in(mode, border)?;
                self.courses.note(Cue::Asks(mode, border, asked));
                if asked != Side::On && asked != self.truths.sides[border.index()] {
                    sides.push((border, asked));
                }
            }
            if sides.len() == known {
                break;
            }
            mode = self.mode_on(&sides)?;
        }
        Ok(mode)
    }

    /// Whether the margin of another mode is that of a kink, and may have another value than in the present motion.
    fn may_jump(&self, margin: &Margin) -> bool {
        let border = margin.border;
        let index = border.index();
        let here = self.modes.at(self.motion.mode).mode.margin(border);
        let same = here.is_some_and(|here| here.form.is_some() && here.form == margin.form);
        self.borders.kinked[index]
            && !same
            && !self.truths.flags.get(index)
            && !self.borders.is_step_end(border)
    }

    /// The kinks whose branches differ between some modes around the borders of a slide.
    ///
    /// Shapes: `sides`: for each mode the sides of all borders.
    pub(super) fn split_kinks(&self, slides: &[BorderId], sides: &[Vec<Side>]) -> Vec<BorderId> {
        let kinks = self.borders.kinked.iter().enumerate();
        let kinks = kinks.filter(|(_, kinked)| **kinked);
        let kinks = kinks.map(|(index, _)| BorderId::new(index));
        let differs = |border: &BorderId| {
            let mut all = sides.iter().map(|sides| sides.get(border.index()));
            let first = all.next();
            all.any(|side| Some(side) != first)
        };
        kinks
            .filter(|border| !slides.contains(border) && differs(border))
            .collect()
    }

    /// The side that the value of a margin asks for in a mode.
    pub(super) fn asked_in(&mut self, mode: usize, border: BorderId) -> Result<Side, RunFault> {
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &[], &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let [z, rate] = evaluator.z_first(border).unwrap_or_default();
        Ok(Side::of(if z == 0.0 { rate } else { z }))
    }
}
