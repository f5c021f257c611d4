//! Instants that go as others went: what an instant did and asked of values is kept, and done again where
//! all that it follows from is the same.
//!
//! The truths before and the borders that are crossed decide which rows act, which modes are entered and which
//! sides turn, but for a few questions to values: where margins stand after a jump, and how borders are
//! left. A [`Course`] is the list of what was done and asked, in order, with the answers. It is gone through
//! without looking at a rule; where an answer falls otherwise, the instant is gone through from
//! its beginning, rule by rule. Both ways do the same arithmetic, so that no bit depends on which it was.

use super::decide::Lean;
use super::driver::Hybrid;
use super::instant::Reason;
use super::jumps::Stand;
use super::truth::Truths;
use crate::hash::Map;
use crate::ids::SituationId;
use crate::lower::border::{BorderId, Side};
use crate::model::Order;
use crate::slices::{copy, same};
use crate::solve::Locate;

/// So many settings are kept.
const MOST: usize = 1 << 8;

/// A course whose answers fell otherwise so much more often than not is not tried any more.
const PATIENCE: u32 = 8;

/// What is done at an instant, or asked of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cue {
    /// The z of all borders are kept.
    Keep,
    /// An event row acts, by its place among them.
    Act(usize),
    /// A mode is entered.
    Enter(usize),
    /// Margins are evaluated.
    Look,
    /// From here on it counts where jumps have brought margins.
    Land,
    /// Where a margin stood before a jump and stands now; whether its side has turned since.
    Stand(BorderId, bool, [Stand; 2]),
    /// How a border is left in a mode, where so many zeros of z are known.
    Lean(usize, BorderId, usize, Lean),
    /// Whether a jump has brought a margin exactly onto its border.
    Landed(BorderId, bool),
    /// The side of a border that its margin asks for in another mode.
    Asks(usize, BorderId, Side),
}

/// What an instant came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    setting: Setting,
    cues: Vec<Cue>,
    /// Events that fired and assignments that were executed, as often as they were.
    fired: Vec<usize>,
    assigned: Vec<usize>,
    /// What stands at the end.
    situations: Vec<SituationId>,
    executed: Vec<usize>,
    truths: Truths,
    mode: usize,
    leaving: Vec<(BorderId, Side, usize)>,
    smooth: bool,
    /// Whether the motion has been entered.
    entered: bool,
    /// How much more often than not the answers fell otherwise.
    missed: u32,
}

/// All courses met so far: a cache, from which nothing in a run depends but its speed.
#[derive(Clone, Debug, Default)]
pub(super) struct Courses {
    /// Settings that were met, and their courses, if they were met twice.
    met: Map<Setting, Option<usize>>,
    /// The courses; `None` while one is gone through.
    known: Vec<Option<Box<Course>>>,
    /// The last one that was found.
    last: usize,
    /// The setting of the present instant.
    setting: Setting,
    /// The course of the present instant, if it is being written down.
    written: Option<Box<Course>>,
    /// Borders known when it was begun.
    borders: usize,
    /// Instants that went as another one.
    #[cfg(test)]
    pub(super) followed: u64,
}

/// All that the course of an instant follows from, but for values: in words.
type Setting = Vec<u64>;

impl Courses {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Writes down what is done or asked.
    #[inline]
    pub(super) fn note(&mut self, cue: Cue) {
        if let Some(written) = &mut self.written {
            written.cues.push(cue);
        }
    }

    /// Writes down that an event fires.
    #[inline]
    pub(super) fn note_fired(&mut self, situation: usize) {
        if let Some(written) = &mut self.written {
            written.fired.push(situation);
        }
    }

    /// Writes down that an assignment is executed.
    #[inline]
    pub(super) fn note_assigned(&mut self, assignment: usize) {
        if let Some(written) = &mut self.written {
            written.assigned.push(assignment);
        }
    }

    /// What happens cannot be written down.
    #[inline]
    pub(super) fn spoil(&mut self) {
        self.written = None;
    }

    /// The present instant is to be written down.
    fn write(&mut self, borders: usize) {
        self.written = Some(Box::default());
        self.borders = borders;
    }

    /// The course of the present setting. If there is none yet, whether it is to be written down is noted.
    fn find(&mut self, borders: usize) -> Option<usize> {
        let last = self.known.get(self.last).and_then(Option::as_ref);
        if last.is_some_and(|course| same(&course.setting, &self.setting)) {
            return Some(self.last);
        }
        match self.met.get(&self.setting) {
            Some(&Some(course)) => {
                self.last = course;
                return Some(course);
            }
            Some(None) => self.write(borders),
            None if self.met.len() < MOST => {
                self.met.insert(self.setting.clone(), None);
            }
            None => {}
        }
        None
    }
}

impl Hybrid {
    /// Whether the present instant follows from its setting and the answers of values.
    fn has_course(&self, reason: &Reason) -> bool {
        !self.log.wanted
            && reason.leaves.is_empty()
            && self.bound.is_free()
            && self.motion.is_free()
            && self.config.order == Order::Written
            && !matches!(self.config.locate, Locate::OneSided | Locate::None)
            && !self.flow.views_vary
            && self.unbordered.is_empty()
            && self.past.is_empty()
            && self.truths.relays.is_empty()
            && self.borders.staircases.is_empty()
            && !self.watching.looks_inside()
    }

    fn write_setting(&mut self, reason: &Reason) {
        let setting = &mut self.courses.setting;
        setting.clear();
        setting.push((self.motion.mode as u64) << 32 | self.mode as u64);
        self.truths.write_memory(setting);
        let borders = reason.borders.iter().map(|border| border.index() as u64);
        setting.extend(borders.chain([u64::MAX]));
        setting.extend(reason.due.iter().map(|schedule| schedule.index() as u64));
        for &(border, side, zeros) in &self.leaving {
            let zeros = zeros as u64;
            setting.push(1 << 63 | (border.index() as u64) << 8 | zeros << 2 | side as u64);
        }
    }

    /// Goes through the present instant as another one went, if it follows that one. Result: if so, whether
    /// the motion has been entered at its end; else the instant is written down from here on, if that can be.
    pub(super) fn follow_course(&mut self, reason: &Reason) -> Option<bool> {
        self.courses.spoil();
        if !self.has_course(reason) {
            return None;
        }
        self.write_setting(reason);
        let number = self.courses.find(self.borders.len())?;
        let mut course = self.courses.known[number].take()?;
        let entered = self.follow(&mut course, reason);
        if entered.is_none() && course.missed <= PATIENCE {
            self.courses.write(self.borders.len());
        }
        self.courses.known[number] = Some(course);
        entered
    }

    fn follow(&mut self, course: &mut Course, reason: &Reason) -> Option<bool> {
        if course.missed > PATIENCE {
            return None;
        }
        let before = (self.mode, self.motion.mode);
        if !course.cues.iter().all(|cue| self.takes(cue)) {
            course.missed += 1;
            copy(&mut self.reals, &self.before_jump);
            self.deeds.clear();
            self.mode = before.0;
            self.motion.set_free(&self.modes, before.1);
            let evaluator = self.modes.get(before.1);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            return None;
        }
        course.missed = course.missed.saturating_sub(1);
        #[cfg(test)]
        {
            self.courses.followed += 1;
        }
        for &schedule in &reason.due {
            self.fall_due(schedule);
        }
        for cue in &course.cues {
            if let Cue::Act(row) = *cue {
                self.seen.acts(self.flow.events[row].relation);
            }
        }
        for &situation in &course.fired {
            self.fires(situation);
        }
        for &assignment in &course.assigned {
            self.seen.assigned(assignment);
        }
        copy(&mut self.deeds.executed, &course.executed);
        copy(&mut self.taken.situations, &course.situations);
        self.truths.clone_from(&course.truths);
        self.mode = course.mode;
        copy(&mut self.entered, &self.truths.sides);
        copy(&mut self.leaving, &course.leaving);
        self.smooth = course.smooth;
        Some(course.entered)
    }

    /// Does what a cue says, or asks what it asks; whether the answer is the same.
    fn takes(&mut self, cue: &Cue) -> bool {
        match *cue {
            Cue::Keep => self.write_margins().is_ok(),
            Cue::Act(row) => {
                self.act(row);
                true
            }
            Cue::Enter(mode) => {
                self.mode = mode;
                self.assemble_and_enter().is_ok() && self.check_motion().is_ok()
            }
            Cue::Look => self.margins_now().is_ok(),
            Cue::Land => {
                self.landed.clear();
                true
            }
            Cue::Landed(border, landed) => {
                let now = self.has_landed(border);
                now.is_ok_and(|now| now == landed)
            }
            Cue::Stand(border, turned, [before, stand]) => {
                let now = self.stand(border, turned, before);
                now.is_ok_and(|(now, _)| now == stand)
            }
            Cue::Lean(mode, border, zeros, lean) => {
                let evaluator = self.modes.get(mode);
                evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
                let now = self.lean_in(mode, border, zeros);
                now.is_ok_and(|now| now == lean)
            }
            Cue::Asks(mode, border, side) => {
                let now = self.asked_in(mode, border);
                now.is_ok_and(|now| now == side)
            }
        }
    }

    /// The instant is over: what was written down is kept. `entered`: whether the motion has been entered.
    pub(super) fn keep_course(&mut self, entered: bool) {
        let Some(mut course) = self.courses.written.take() else {
            return;
        };
        let known = self.courses.borders == self.borders.len();
        if !known || !self.bound.is_free() || !self.motion.is_free() {
            return;
        }
        course.situations.clone_from(&self.taken.situations);
        course.executed.clone_from(&self.deeds.executed);
        course.truths.clone_from(&self.truths);
        course.mode = self.mode;
        course.leaving.clone_from(&self.leaving);
        (course.smooth, course.entered) = (self.smooth, entered);
        let courses = &mut self.courses;
        course.setting.clone_from(&courses.setting);
        match courses.met.get_mut(&courses.setting) {
            Some(&mut Some(number)) => {
                let before = courses.known[number].replace(course);
                let missed = before.map_or(0, |before| before.missed);
                if let Some(course) = &mut courses.known[number] {
                    course.missed = missed;
                }
            }
            Some(number) => {
                *number = Some(courses.known.len());
                courses.known.push(Some(course));
            }
            None => {}
        }
    }
}
