//! Zeno detection: recognises infinitely many instants that accumulate at a finite time.
//!
//! Instants are compared by what they are about (their borders and schedules). Where the same
//! sequence comes again and again, each round shorter than the one before by the same factor, and
//! the state changes by ever less, the rest of the rounds is a geometric series: its sum is the time
//! that remains. The rest is taken together only when it is below the tolerances, in time and in
//! every state: shrinking rounds alone prove nothing, a motion may come to rest before.

mod contact_border;
pub(crate) mod deadband;
mod flights;
mod joint_rest;
pub(crate) mod jumps;
mod limit;
mod rounds;
pub(crate) mod zeno_limit;

use crate::model::Model;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::sim::events::iteration::zeno::jumps::Jump;
use crate::sim::events::iteration::zeno::limit::Changing;
pub(crate) use crate::sim::events::iteration::zeno::limit::Limit;
use crate::sim::events::iteration::zeno::rounds::Rounds;
use crate::sim::state::defect::{StateDefect, StateError, must};

/// Longest sequence of instants that is recognised.
const LONGEST: usize = 8;

/// Rounds that must have come in a row.
const ROUNDS: usize = 4;

/// Of rounds that are shorter than this part of the time no more can be learned.
const UNRESOLVED: f64 = 1e4 * f64::EPSILON;

/// Rounds are followed from so many times the length on at which rounding hides them.
const FAR: f64 = 1e3;

/// Rounds that are lost in the errors of the method are so many flights as long as these from their limit, or less: further
/// from it, or behind it, a short flight is another thing, and rounds that were alike have been so by accident.
const NEAR_LIMIT: f64 = 1e2;

/// So many instants are remembered.
const REMEMBERED: usize = LONGEST * (ROUNDS + 1) + 1;

/// An instant as it is compared.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RecentInstant {
    pub(crate) time: f64,
    pub(crate) borders: SmallVec<[BorderId; 2]>,
    /// The borders to which the motion is bound after the instant.
    pub(crate) bound: SmallVec<[BorderId; 2]>,
    /// The sides of the borders after the instant.
    #[serde(default)]
    pub(crate) sides: SmallVec<[Side; 2]>,
    /// Reals after the instant.
    pub(crate) reals: SmallVec<[f64; 8]>,
    /// Jumps at the instant: reals with their changes.
    pub(crate) jump: SmallVec<[(RealId, f64); 4]>,
    /// The event rows that did it, in order.
    pub(crate) rows: SmallVec<[RelationId; 4]>,
}

/// The last instants, each written over one that is too long ago to count.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<RecentInstant>", into = "Vec<RecentInstant>")]
struct Ring {
    /// In order from `first` on, round and round; as many as `len` count.
    memory: Vec<RecentInstant>,
    first: usize,
    len: usize,
}

impl PartialEq for Ring {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl From<Vec<RecentInstant>> for Ring {
    fn from(mut memory: Vec<RecentInstant>) -> Self {
        memory.drain(..memory.len().saturating_sub(REMEMBERED));
        let (first, len) = (0, memory.len());
        Self { memory, first, len }
    }
}

impl From<Ring> for Vec<RecentInstant> {
    fn from(ring: Ring) -> Self {
        ring.iter().cloned().collect()
    }
}

impl Ring {
    /// The instants, the first one first.
    fn iter(&self) -> impl Iterator<Item = &RecentInstant> {
        (0..self.len).rev().map(|back| self.at(back))
    }

    /// The instant so many before the last one.
    #[inline]
    fn at(&self, back: usize) -> &RecentInstant {
        let index = self.first + self.len - 1 - back;
        &self.memory[index.checked_sub(REMEMBERED).unwrap_or(index)]
    }

    fn clear(&mut self) {
        (self.first, self.len) = (0, 0);
    }

    /// Only the last instant is left.
    fn keep_last(&mut self) {
        let index = self.first + self.len - 1;
        self.first = index.checked_sub(REMEMBERED).unwrap_or(index);
        self.len = 1;
    }

    /// Entry in which the next one is to be written.
    fn next(&mut self) -> &mut RecentInstant {
        if self.len == REMEMBERED {
            self.first = (self.first + 1) % REMEMBERED;
        } else {
            self.len += 1;
        }
        if self.first + self.len > self.memory.len() && self.memory.len() < REMEMBERED {
            self.memory.push(RecentInstant::default());
        }
        self.last()
    }

    /// The last entry.
    fn last(&mut self) -> &mut RecentInstant {
        &mut self.memory[(self.first + self.len - 1) % REMEMBERED]
    }
}

/// The last instants.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Zeno {
    seen: Ring,
    /// Limit of the instants, if they accumulate, as long as too much time is left before it.
    pending: Option<Limit>,
    /// The same, as rounds told it that were still far above the errors of the method.
    #[serde(default)]
    expected: Option<Limit>,
}

/// How short rounds are when they tell nothing more [units of `time`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Unseen {
    /// So little time matters to nobody.
    pub(super) tick: f64,
    /// As short as that they are lost in the rounding errors of their margins...
    pub(super) blur: f64,
    /// ...and as short as that in the errors of the method.
    pub(super) hidden: f64,
}

impl Clone for Zeno {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory that it has.
    fn clone_from(&mut self, other: &Self) {
        self.seen.clear();
        for seen in other.seen.iter() {
            self.seen.next().clone_from(seen);
        }
        self.pending.clone_from(&other.pending);
        self.expected.clone_from(&other.expected);
    }
}

impl Zeno {
    ///
    /// # Errors
    ///
    /// It names what a run does not have.
    pub(crate) fn check(&self, model: &Model, n_borders: usize) -> Result<(), StateError> {
        let border = |id: &BorderId| id.index() < n_borders;
        let real = |(real, _): &(RealId, f64)| real.index() < model.reals.len();
        let row = |row: &RelationId| row.index() < model.relations.len();
        let is_seen = |seen: &RecentInstant| {
            seen.borders.iter().chain(&seen.bound).all(border)
                && seen.jump.iter().all(real)
                && seen.rows.iter().all(row)
                && seen.reals.len() == model.reals.len()
                && seen.time.is_finite()
        };
        let is_jump = |jump: &Jump| {
            border(&jump.border) && jump.by.iter().all(real) && jump.rows.iter().all(row)
        };
        let is_limit = |limit: &Limit| {
            limit.time.is_finite()
                && limit.reals.iter().all(real)
                && limit.borders.iter().all(border)
                && limit.jumps.iter().all(is_jump)
        };
        must(
            self.seen.iter().all(is_seen)
                && self.pending.iter().chain(&self.expected).all(is_limit),
            StateDefect::Instants,
        )
    }
}

impl Zeno {
    /// An instant is over, the one written into [`Self::next`]. Where it is the last but those that are too close
    /// together to matter, says where they end.
    ///
    /// `tolerance`: what may be left of the change of a real with a value; `rounds`: of [`Self::steady_rounds`].
    pub(super) fn take(
        &mut self,
        changing: Changing<'_>,
        rounds: &[Rounds],
        unseen: Unseen,
        tolerance: impl Fn(RealId, f64) -> f64,
        add_jumps: impl Fn(&RecentInstant, &mut Vec<Jump>),
    ) -> Option<Limit> {
        let Unseen { tick, blur, hidden } = unseen;
        let now = self.seen.at(0).time;
        let last = (self.seen.len > 1).then(|| self.seen.at(1).time);
        let pending = self.pending.as_ref();
        let over = pending.is_some_and(|limit| now >= limit.time);
        let blurred = last.is_some_and(|last| now - last <= blur);
        if blurred && let Some(mut limit) = self.pending.take() {
            self.forget_instants();
            limit.blurred = true;
            return Some(limit);
        }
        if over || last.is_some_and(|last| now <= last) {
            // Rounding leaves no room for another round.
            let limit = self
                .pending
                .take()
                .or_else(|| self.limit_at_once(changing, &add_jumps));
            if over || limit.is_some() {
                self.forget_instants();
            }
            return limit;
        }
        let unresolved = UNRESOLVED * now.abs();
        let near = if blur.is_finite() { FAR * blur } else { 0.0 };
        let soon = tick.max(1e6 * unresolved).max(near);
        let find = |soon: f64| {
            let mut may_end = rounds.iter().filter(|rounds| rounds.may_end(soon));
            may_end.find_map(|&rounds| self.ending(rounds, soon))
        };
        let found = find(soon);
        let ahead = FAR * hidden;
        let mut is_small = false;
        let far = || find(ahead).filter(|&ending| self.jumps_shrink(ending));
        match found.or_else(far) {
            Some(ending) => {
                let mut limit = self.expected.take().unwrap_or_default();
                is_small = self.write_limit(ending, changing, &tolerance, &mut limit);
                limit.jumps.clear();
                for back in 0..ending.length {
                    add_jumps(self.seen.at(back), &mut limit.jumps);
                }
                self.expected = Some(limit);
            }
            None => {
                let flight = last.map_or(f64::INFINITY, |last| now - last);
                let room = NEAR_LIMIT * hidden;
                let rest = self.expected.as_ref().map(|limit| limit.time - now);
                if flight > ahead || rest.is_some_and(|rest| rest < -room) {
                    self.expected = None;
                } else if flight <= hidden && rest.is_some_and(|rest| rest <= room) {
                    return self.lost_in_errors(changing);
                }
            }
        }
        if found.is_none() && last.is_some_and(|last| now - last <= unresolved) {
            return self.limit_unresolved(changing, unresolved, &tolerance, &add_jumps);
        }
        let left = found?.left;
        let mut limit = self.expected.clone()?;
        // The last rounds may be rough by rounding.
        if let Some(before) = &self.pending {
            limit.keep_larger(&before.jumps);
        }
        if left <= tick && is_small || left <= unresolved {
            return Some(limit);
        }
        self.pending = Some(limit);
        None
    }

    /// The limit at the present instant, where rounds that had been regular are so no more because they are lost in the
    /// errors of the method: what these make of them need not have a limit.
    fn lost_in_errors(&mut self, changing: Changing<'_>) -> Option<Limit> {
        let present = self.seen.at(0);
        let is_expected = |border: &BorderId| {
            let expected = self.expected.as_ref();
            expected.is_some_and(|limit| limit.borders.contains(border))
        };
        let is_jump = |border: &BorderId| {
            let mut jumps = self.expected.iter().flat_map(|limit| &limit.jumps);
            jumps.any(|jump| jump.border == *border)
        };
        let mut borders = present.borders.iter();
        if !borders.clone().all(is_expected) || !borders.any(is_jump) || !self.calms_down() {
            return None;
        }
        let time = present.time;
        let limit = self.expected.take()?;
        self.clear();
        Some(limit.taken_at(time, changing))
    }

    /// The next instant is the first one.
    fn forget_instants(&mut self) {
        self.seen.clear();
        self.expected = None;
    }

    /// The last instants, in order.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &RecentInstant> {
        self.seen.iter()
    }

    /// The instant so many before the last one.
    pub(super) fn instant(&self, back: usize) -> Option<&RecentInstant> {
        (back < self.seen.len).then(|| self.seen.at(back))
    }

    /// The time between the last two instants.
    pub(super) fn last_flight(&self) -> Option<f64> {
        (self.seen.len > 1).then(|| self.seen.at(0).time - self.seen.at(1).time)
    }

    /// True if the limit of the instants is known.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// True if a limit of the instants has been seen.
    pub(super) fn is_foreseen(&self) -> bool {
        self.is_pending() || self.expected.is_some()
    }

    /// Instants that followed each other in no time tell nothing of those after them.
    pub(super) fn leave_stall(&mut self) {
        let seen = &self.seen;
        if seen.len > 2 && seen.at(0).time > seen.at(1).time && seen.at(1).time <= seen.at(2).time {
            self.seen.keep_last();
        }
    }

    /// Takes up the instants before the last one again, which go on to a limit.
    pub(super) fn go_on(&mut self, before: Self, limit: &Limit, now: f64) {
        *self = before;
        self.pending = (limit.time > now).then(|| limit.clone());
    }

    /// These were the last instants.
    pub(crate) fn recall(&mut self, seen: Vec<RecentInstant>) {
        self.seen = seen.into();
    }

    /// Entry for the next instant, over one that is too long ago to count: with its time, and the sides and borders of the one
    /// before where that is the same but for rounding. (A kink on a floor may be reached before the floor, at the same time.)
    pub(super) fn next(&mut self, time: f64, borders: &[BorderId]) -> &mut RecentInstant {
        let is_part = |last: &RecentInstant| {
            let others = |border| !borders.contains(border);
            last.time == time && last.rows.is_empty() && last.borders.iter().all(others)
        };
        if self.seen.len > 0 && is_part(self.seen.at(0)) {
            return self.seen.last();
        }
        let next = self.seen.next();
        next.time = time;
        next.sides.clear();
        next.borders.clear();
        next
    }

    /// Forgets what was.
    pub(super) fn clear(&mut self) {
        self.forget_instants();
        self.pending = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(time: u32) -> RecentInstant {
        RecentInstant {
            time: f64::from(time),
            ..RecentInstant::default()
        }
    }

    #[test]
    fn the_last_instants_are_remembered_however_many_a_file_holds() {
        for from_file in [0, 1, 40, 41, 42, 100] {
            let mut ring = Ring::from((0..from_file).map(seen).collect::<Vec<_>>());
            for time in from_file..300 {
                *ring.next() = seen(time);
                let times: Vec<f64> = ring.iter().map(|seen| seen.time).collect();
                let first = (time + 1).saturating_sub(41);
                let expected: Vec<f64> = (first..=time).map(f64::from).collect();
                assert_eq!(times, expected, "{from_file}");
            }
        }
    }
}
