//! The last instants -> rounds of the same instants that shrink by the same factor, and the limit that they tell.

use smallvec::SmallVec;

use crate::ids::RealId;
use crate::sim::events::iteration::zeno::jumps::Jump;
use crate::sim::events::iteration::zeno::limit::Changing;
use crate::sim::events::iteration::zeno::{LONGEST, Limit, ROUNDS, RecentInstant, Zeno};

/// Factors of two rounds count as the same when they differ by less than this.
const STEADY: f64 = 1e-2;

/// A real whose changes shrink by a factor that differs from that of the rounds by more than this part goes its own way: a
/// speed along the floor of which each bounce leaves a share.
const SLOWER: f64 = 5.0 * STEADY;

/// Rounds that shrink by less than this do not accumulate.
const SHRINKS: f64 = 1.0 - 1e-6;

/// A change of a smaller part of its tolerance is nothing.
const NOTHING: f64 = 1e-2;

/// The last three rounds of so many instants each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    pub(super) length: usize,
    /// How long they took, the last one first.
    times: [f64; 3],
}

/// How rounds of so many instants end: the factor by which they shrink, and the time that is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) length: usize,
    ratio: f64,
    pub(super) left: f64,
}

impl Rounds {
    /// True if they may shrink by the same factor: the test of [`Zeno::ending`] without divisions, with room for its rounding;
    /// mostly enough.
    #[inline]
    fn are_steady(&self) -> bool {
        let [last, before, third] = self.times;
        (last * third - before * before).abs() <= 1.001 * STEADY * (last * third) && last < before
    }

    /// True if the rest of them may be as short as `soon`: a test of [`Zeno::ending`], as [`Self::are_steady`].
    #[inline]
    pub(super) fn may_end(&self, soon: f64) -> bool {
        let [last, before, _] = self.times;
        let shows = last * last > 2.0 * soon * (before - last);
        !shows
    }
}

impl Zeno {
    /// The lengths of rounds that may shrink by the same factor.
    pub(super) fn steady_rounds(&self) -> SmallVec<[Rounds; LONGEST]> {
        let mut steady = SmallVec::new();
        let longest = (self.seen.len.saturating_sub(1) / ROUNDS).min(LONGEST);
        let time = |back: usize| self.seen.at(back).time;
        for length in 1..=longest {
            let [last, before] = [time(length), time(2 * length)];
            let [first, second] = [time(0) - last, last - before];
            // Most do not shrink, and need not be looked at any further.
            if first >= second {
                continue;
            }
            let rounds = Rounds {
                length,
                times: [first, second, before - time(3 * length)],
            };
            if rounds.are_steady() {
                steady.push(rounds);
            }
        }
        steady
    }

    /// True if the same instants follow each other again and again, however long that takes, and jump by ever less.
    pub(super) fn calms_down(&self) -> bool {
        /// In all rounds that are compared jumps shrink by more than this part.
        const LEAST: f64 = 1e-2;
        let longest = (self.seen.len.saturating_sub(1) / ROUNDS).min(LONGEST);
        (1..=longest).any(|length| {
            let earlier = (ROUNDS - 1) * length;
            let shrinks = |back| self.jump_shrinks([back, back + earlier], 1.0 - LEAST);
            self.repeats(length, ROUNDS - 1) && (0..length).all(shrinks)
        })
    }

    /// True if something that jumps at an instant does so by less than that part of what it did at an earlier one; `backs`:
    /// so many instants ago they were.
    fn jump_shrinks(&self, backs: [usize; 2], part: f64) -> bool {
        let [jump, before] = backs.map(|back| &self.seen.at(back).jump);
        let shrinks = |&(real, by): &(RealId, f64)| {
            let earlier = before.iter().find(|(other, _)| *other == real);
            earlier.is_some_and(|(_, earlier)| by.abs() < part * earlier.abs())
        };
        jump.is_empty() || jump.iter().any(shrinks)
    }

    /// The factor by which the changes of a real shrink from round to round, if it is steady.
    fn own_ratio(&self, real: RealId, length: usize) -> Option<f64> {
        self.signed_ratio(real, length).filter(|&ratio| ratio > 0.0)
    }

    /// The same; negative where the changes alternate. Of two rounds alone it is not known whether it is steady.
    fn signed_ratio(&self, real: RealId, length: usize) -> Option<f64> {
        let value = |round: usize| self.seen.at(round * length).reals[real.index()];
        let change = |round: usize| value(round) - value(round + 1);
        let rounds = (self.seen.len - 1) / length;
        if rounds < 2 {
            return None;
        }
        let ratio = change(0) / change(1);
        let earlier = if rounds > 2 {
            change(1) / change(2)
        } else {
            ratio
        };
        let size = ratio.abs();
        let is_steady = size > 0.0 && size < SHRINKS && (ratio - earlier).abs() < STEADY * size;
        is_steady.then_some(ratio)
    }

    /// How far a state that does not jump bends away from a straight line in a time, as its last two rounds tell.
    fn bend_until(&self, real: RealId, length: usize, left: f64) -> f64 {
        let mut round = (0..length).flat_map(|back| &self.seen.at(back).jump);
        if round.any(|(other, _)| *other == real) {
            return 0.0;
        }
        let [now, last, before] = [0, 1, 2].map(|round| self.seen.at(round * length));
        let value = |seen: &RecentInstant| seen.reals[real.index()];
        let rate = |from: &RecentInstant, to: &RecentInstant| {
            (value(to) - value(from)) / (to.time - from.time)
        };
        let middle = 0.5 * (now.time - before.time);
        (0.5 * left * left * (rate(last, now) - rate(before, last)) / middle).abs()
    }

    /// What only events write in the last round, if it has a limit: a real, its value, and what is left of its change. A
    /// count of the events has none.
    fn written(
        &self,
        length: usize,
        changing: Changing<'_>,
    ) -> impl Iterator<Item = (RealId, f64, f64)> {
        let rows = (0..length).flat_map(|back| &self.seen.at(back).rows);
        let targets = rows.flat_map(|row| &changing.model.relations[row.index()].targets);
        let mut reals: SmallVec<[RealId; 4]> = targets
            .copied()
            .filter(|&real| !changing.is_state(real))
            .collect();
        reals.sort_unstable();
        reals.dedup();
        reals.into_iter().filter_map(move |real| {
            let ratio = self.signed_ratio(real, length)?;
            let [value, before] = [0, length].map(|back| self.seen.at(back).reals[real.index()]);
            Some((real, value, (value - before) * ratio / (1.0 - ratio)))
        })
    }

    /// The limit of instants that follow each other in no time, each of which changes the states less than the one before: a
    /// body thrown onto another one that lies, which only takes a share of its speed each time.
    pub(super) fn limit_at_once(
        &self,
        changing: Changing<'_>,
        add_jumps: &impl Fn(&RecentInstant, &mut Vec<Jump>),
    ) -> Option<Limit> {
        let longest = (self.seen.len.saturating_sub(1) / ROUNDS).min(LONGEST);
        let length = (1..=longest).find(|&length| {
            let last = ROUNDS * length;
            self.seen.at(last).time == self.seen.at(0).time && self.repeats(length, ROUNDS - 1)
        })?;
        let mut reals = Vec::with_capacity(changing.states.len());
        for &real in changing.states {
            let value = |round: usize| self.seen.at(round * length).reals[real.index()];
            let change = value(0) - value(1);
            let rest = match change == 0.0 {
                true => 0.0,
                false => {
                    let ratio = self.own_ratio(real, length)?;
                    change * ratio / (1.0 - ratio)
                }
            };
            reals.push((real, value(0) + rest));
        }
        let written = self.written(length, changing);
        reals.extend(written.map(|(real, value, rest)| (real, value + rest)));
        Some(self.supposed(length, 0.0, reals, add_jumps))
    }

    /// The limit of two rounds that are too short for more of them, the last one shorter than the one before, where what is
    /// left to change does not matter by far: a body thrown up with hardly any speed.
    pub(super) fn limit_unresolved(
        &self,
        changing: Changing<'_>,
        unresolved: f64,
        tolerance: &impl Fn(RealId, f64) -> f64,
        add_jumps: &impl Fn(&RecentInstant, &mut Vec<Jump>),
    ) -> Option<Limit> {
        let longest = (self.seen.len.saturating_sub(1) / 2).min(LONGEST);
        let (length, left, ratio) = (1..=longest).find_map(|length| {
            let [now, last, before] = [0, 1, 2].map(|round| self.seen.at(round * length).time);
            let (last, before) = (now - last, last - before);
            let ratio = last / before;
            let shrinks = before <= unresolved && ratio < SHRINKS && self.repeats(length, 1);
            shrinks.then_some((length, last * ratio / (1.0 - ratio), ratio))
        })?;
        let mut reals = Vec::with_capacity(changing.states.len());
        for &real in changing.states {
            let value = self.seen.at(0).reals[real.index()];
            let change = value - self.seen.at(length).reals[real.index()];
            let rest = change * ratio / (1.0 - ratio);
            if rest.abs().max(change.abs()) > NOTHING * tolerance(real, value) {
                return None;
            }
            reals.push((real, value + rest));
        }
        let written = self.written(length, changing);
        reals.extend(written.map(|(real, value, rest)| (real, value + rest)));
        Some(self.supposed(length, left, reals, add_jumps))
    }

    /// The limit of rounds of so many instants, of which rounding hides the rest.
    fn supposed(
        &self,
        length: usize,
        left: f64,
        reals: Vec<(RealId, f64)>,
        add_jumps: &impl Fn(&RecentInstant, &mut Vec<Jump>),
    ) -> Limit {
        let round = (0..length).map(|back| self.seen.at(back));
        let mut jumps = Vec::new();
        round.clone().for_each(|seen| add_jumps(seen, &mut jumps));
        Limit {
            time: self.seen.at(0).time + left,
            reals,
            jumps,
            borders: (round.flat_map(|seen| seen.borders.iter().copied())).collect(),
            blurred: true,
            bends: false,
            ahead: 0.0,
            supposed: true,
            is_resolved: false,
        }
    }

    /// True if so many rounds, of so many instants, were about the same borders as the round before each.
    fn repeats(&self, length: usize, rounds: usize) -> bool {
        (0..rounds * length).all(|back| {
            let (one, other) = (self.seen.at(back), self.seen.at(back + length));
            one.borders == other.borders && one.bound == other.bound
        })
    }

    /// How rounds end, if they have a limit that is no further away than `soon`.
    pub(super) fn ending(&self, Rounds { length, times }: Rounds, soon: f64) -> Option<Ending> {
        let [last, before, third] = times;
        let (ratio, earlier) = (last / before, before / third);
        if !(ratio > 0.0 && ratio < SHRINKS && (ratio - earlier).abs() < STEADY * ratio) {
            return None;
        }
        let left = last * ratio / (1.0 - ratio);
        if left > soon || !self.repeats(length, ROUNDS - 1) {
            return None;
        }
        Some(Ending {
            length,
            ratio,
            left,
        })
    }

    /// True if at each instant of the last rounds something that jumps does so by less than in the round before: rounds of
    /// a body that loses nothing shrink for a while, and grow again.
    pub(super) fn jumps_shrink(&self, ending: Ending) -> bool {
        let Ending { length, ratio, .. } = ending;
        // By a quarter of what the rounds do: what jumps may go its own way.
        let part = 1.0 - 0.25 * (1.0 - ratio);
        (0..2 * length).all(|back| self.jump_shrinks([back, back + length], part))
    }

    /// Writes the limit of rounds but for its jumps; true if no state changes any more by what shows.
    pub(super) fn write_limit(
        &self,
        ending: Ending,
        changing: Changing<'_>,
        tolerance: &impl Fn(RealId, f64) -> f64,
        limit: &mut Limit,
    ) -> bool {
        let Ending {
            length,
            ratio,
            left,
        } = ending;
        let at = |back: usize| self.seen.at(back);
        let mut small = true;
        limit.time = at(0).time + left;
        (limit.blurred, limit.supposed, limit.is_resolved) = (false, false, true);
        limit.bends = false;
        limit.ahead = 0.0;
        limit.reals.clear();
        for &real in changing.states {
            let value = at(0).reals[real.index()];
            let change = value - at(length).reals[real.index()];
            let own = match change == 0.0 {
                true => None,
                false => self.own_ratio(real, length),
            };
            let slower = own.filter(|own| (own - ratio).abs() > SLOWER * ratio);
            let ratio = slower.unwrap_or(ratio);
            let rest = change * ratio / (1.0 - ratio);
            small &= rest.abs() <= tolerance(real, value);
            limit.bends |= self.bend_until(real, length, left) > tolerance(real, value);
            limit.reals.push((real, value + rest));
        }
        // It moves nothing by itself, so that the rounds need not be followed until it has come to its limit.
        let written = self.written(length, changing);
        (limit.reals).extend(written.map(|(real, value, rest)| (real, value + rest)));
        limit.borders.clear();
        for back in 0..length {
            limit.borders.extend_from_slice(&at(back).borders);
        }
        small
    }
}
