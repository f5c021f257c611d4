//! Diagnoses of a tick run: events that accumulate (Zeno), ranges that chatter, flicker for a tick, or stay beyond.
//!
//! A tick evaluates ranges once, so that a step that is too long shows in how booleans change. Only changes of
//! booleans are examined, after the ticks, as [`Coverage`](super::coverage::Coverage) counts them: nothing is
//! done in a tick in which no boolean changes.
//!
//! Ranges that move themselves are found in a graph of causes.

mod plan;
mod rhythm;

use std::sync::Arc;

pub(crate) use self::plan::Plan;
use self::plan::Role;
use self::rhythm::Rhythm;
use crate::ids::{RangeId, RealId, SituationId};
use crate::model::Boolean;
use crate::trace::Place;

/// Changes of booleans are counted in the first ticks of stretches, so many of each: a range that chatters changes as
/// often there as in the rest of the stretch.
const SAMPLE: u64 = 32;

/// Lengths of these stretches [ticks], each with the tick up to which it is used.
const STRETCHES: [(u64, u64); 3] = [(1 << 7, 1 << 11), (1 << 10, 1 << 16), (1 << 14, u64::MAX)];

/// Number of sampled ticks before a tick.
fn sampled_before(tick: u64) -> u64 {
    let mut begin = 0;
    let mut sampled = 0;
    for (stretch, end) in STRETCHES {
        let ticks = tick.min(end).saturating_sub(begin);
        sampled += ticks / stretch * SAMPLE + (ticks % stretch).min(SAMPLE);
        begin = end;
    }
    sampled
}

/// The stretch in which a tick lies: its first tick and its length.
fn stretch_of(tick: u64) -> (u64, u64) {
    let found = STRETCHES.iter().find(|(_, end)| tick < *end);
    let length = found.map_or(1, |(length, _)| *length);
    (tick - tick % length, length)
}

/// The end of the sampled ticks in which a tick lies; 0 if it lies in none.
pub(crate) fn sample_end(tick: u64) -> u64 {
    let (first, _) = stretch_of(tick);
    if tick - first < SAMPLE {
        first + SAMPLE
    } else {
        0
    }
}

/// The next tick, after those that are not sampled, that is.
pub(crate) fn next_sample(tick: u64) -> u64 {
    let (first, length) = stretch_of(tick);
    first + length
}

/// A range or switch that changes in more than this share of the ticks since it first changed chatters. A hoop
/// that comes to rest a while before its end stays below.
const CHATTER_SHARE: f64 = 0.25;

/// Fewer changes than this are no chatter.
const CHATTER_TURNS: u64 = 10;

/// Finding about a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// Events follow each other faster and faster (Zeno), and the run goes on beyond the limit of their times.
    Gathering {
        /// The events.
        situations: Vec<SituationId>,
        /// Limit of the event times [units of `time`].
        limit: f64,
        /// Number of firings until then; `None` if infinitely many were taken together there.
        fired: Option<u64>,
    },
    /// Ranges and switches that move each other change in a large share of the ticks.
    Chatter {
        /// The one that changes in the largest share of the ticks since it first changed.
        what: Boolean,
        /// Share of the ticks, since it first changed, in which it changes.
        share: f64,
        /// Time of its first change [units of `time`].
        from: f64,
    },
    /// A range or situation was true, or false, for a single tick, and not by what it brought about itself.
    Flicker {
        /// The range; or a situation, of which no range was.
        what: Boolean,
        /// Its value during that tick.
        holds: bool,
        /// When that was for the first time [units of `time`].
        time: f64,
        /// Number of times.
        times: u64,
    },
    /// The condition of an event has stayed true since the event fired, and its quantity runs on beyond the border.
    Stuck {
        /// The event.
        situation: SituationId,
        /// The range that stayed true, or false.
        range: RangeId,
        /// When the event fired last [units of `time`].
        since: f64,
        /// Left less right side of the comparison then crossed, now.
        margin: f64,
    },
    /// The rows of an event have stopped a quantity on the border that it had reached, and the motion leads on across it:
    /// the condition of the event stays true.
    Through {
        /// The event.
        situation: SituationId,
        /// The range that stays true, or false.
        range: RangeId,
        /// When that was for the first time [units of `time`].
        time: f64,
    },
    /// A comparison of an event-accurate run has no value, at the start or after a jump: its truth is not known there, nor
    /// from where it has a value again.
    NoValue {
        /// The range.
        range: RangeId,
        /// When that was for the first time [units of `time`].
        time: f64,
    },
    /// Start values were off constraints by less than the tolerances, and were moved onto them.
    Projected {
        /// The reals with their values as they were and as they are, largest move first.
        moves: Vec<(RealId, f64, f64)>,
    },
    /// An event-accurate run slides along borders.
    Sliding {
        /// The borders.
        places: Vec<Place>,
        /// From when on [units of `time`].
        from: f64,
        /// True if a range contradicts itself there, as its effects move it (FORMALISM 10.4): ticks then alternate,
        /// and do not tend to the slide.
        by_itself: bool,
        /// When it ended for the first time because nothing moved any more on either side [units of `time`]: the range
        /// keeps the truth that it had where the slide began, while ticks end with either.
        rests: Option<f64>,
    },
    /// A jump of an event-accurate run has led onto a border up to rounding, and the motion does not say to which side it
    /// goes on: the comparison of the numbers decides, while ticks end with either.
    OnBorder {
        /// The border.
        place: Place,
        /// When that was for the first time [units of `time`].
        time: f64,
    },
}

/// When something was.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Moment {
    /// Ticks done before it.
    pub(crate) tick: u64,
    /// The time, known only where ticks have no common length [units of `time`].
    pub(crate) time: Option<f64>,
}

/// Flickers of a boolean: the single ticks for which it had a value, by the first of them and their number.
#[derive(Clone, Copy, Debug, Default)]
struct Flickers {
    first: Moment,
    times: u64,
}

/// Counts of a run.
#[derive(Clone, Debug)]
pub(crate) struct Monitor {
    plan: Arc<Plan>,
    /// Per visible boolean the number of its changes in the sampled ticks.
    turned: Vec<u64>,
    /// Per watched event.
    rhythms: Vec<Rhythm>,
    /// Per boolean that does not move itself, the tick of its last change.
    since: Vec<Option<u64>>,
    /// The same: what it was for a single tick, false and true.
    flickers: Vec<[Flickers; 2]>,
    /// The time of the changes that are being counted, where ticks have no common length [units of `time`].
    pub(crate) now: Option<f64>,
}

impl Monitor {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        Self {
            turned: vec![0; plan.n_visible()],
            rhythms: vec![Rhythm::default(); plan.n_events()],
            since: vec![None; plan.n_free()],
            flickers: vec![Default::default(); plan.n_free()],
            now: None,
            plan,
        }
    }

    /// The run goes on elsewhere: what lasts now has no known beginning.
    pub(crate) fn restart(&mut self) {
        self.since.fill(None);
        for rhythm in &mut self.rhythms {
            rhythm.restart();
        }
    }

    /// True if the changes of booleans in a tick matter.
    #[inline]
    pub(crate) fn looks_at(&self, tick: u64) -> bool {
        self.plan.watches() || sample_end(tick) != 0
    }

    /// One combination of booleans followed another in a tick.
    pub(crate) fn turn(&mut self, from: &[u64], to: &[u64], tick: u64) {
        if sample_end(tick) != 0 {
            add_differences(&mut self.turned, from, to);
        }
        if self.plan.watches() {
            self.look(from, to, tick);
        }
    }

    /// Looks at the booleans that are watched closely.
    fn look(&mut self, from: &[u64], to: &[u64], tick: u64) {
        let moment = Moment {
            tick,
            time: self.now,
        };
        let plan = Arc::clone(&self.plan);
        for (word, mask) in plan.mask().iter().enumerate() {
            let mut changed = (from[word] ^ to[word]) & mask;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let holds = to[word] >> bit & 1 == 1;
                match plan.role(64 * word + bit as usize) {
                    Role::Event(event) if holds => self.rhythms[event].fire(moment),
                    Role::Free(place) => {
                        let since = self.since[place].replace(tick);
                        if since.is_some_and(|since| tick - since == 1) {
                            let flickers = &mut self.flickers[place][usize::from(!holds)];
                            if flickers.times == 0 {
                                let before = Moment {
                                    tick: tick - 1,
                                    time: self.now,
                                };
                                flickers.first = before;
                            }
                            flickers.times += 1;
                        }
                    }
                    Role::Event(_) | Role::None => {}
                }
            }
        }
    }

    /// When an event fired last; `None` if it has not, or is not watched.
    pub(crate) fn last_fired(&self, situation: SituationId) -> Option<Moment> {
        let index = self.plan.event(situation)?;
        self.rhythms[index].last()
    }

    /// Findings after so many ticks.
    ///
    /// `combinations`: per combination its words and the tick in which it was first seen; `time_of`: the time of a
    /// moment.
    pub(crate) fn findings<'w>(
        &self,
        ticks: u64,
        combinations: impl Iterator<Item = (&'w [u64], Moment)> + Clone,
        time_of: &impl Fn(Moment) -> f64,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        // Events that gather turn their ranges as fast as ticks allow: that is said once.
        let mut gathered: Vec<u32> = Vec::new();
        for (index, rhythm) in self.rhythms.iter().enumerate() {
            if let Some((limit, fired)) = rhythm.gathering(ticks) {
                gathered.extend(self.plan.groups_of_event(index));
                found.push(Finding::Gathering {
                    situations: vec![self.plan.situation(index)],
                    limit: time_of(limit),
                    fired: Some(fired),
                });
            }
        }
        found.extend(self.chatter(ticks, &gathered, combinations, time_of));
        // Ranges stand first; what a situation has from one of them is said once.
        let mut said: Vec<u64> = Vec::new();
        for (index, flickers) in self.flickers.iter().enumerate() {
            let what = self.plan.free_boolean(index);
            for (holds, flickers) in [false, true].into_iter().zip(flickers) {
                let tick = flickers.first.tick;
                let is_known = matches!(what, Boolean::Situation(_)) && said.contains(&tick);
                if flickers.times > 0 && !is_known {
                    said.push(tick);
                    found.push(Finding::Flicker {
                        what,
                        holds,
                        time: time_of(flickers.first),
                        times: flickers.times,
                    });
                }
            }
        }
        found
    }

    /// Per group of booleans that move each other, some apart: the one with most changes per tick, if it chatters.
    fn chatter<'w>(
        &self,
        ticks: u64,
        apart: &[u32],
        combinations: impl Iterator<Item = (&'w [u64], Moment)> + Clone,
        time_of: &impl Fn(Moment) -> f64,
    ) -> Vec<Finding> {
        let mut found: Vec<(u32, f64, Finding)> = Vec::new();
        for (bit, &turns) in self.turned.iter().enumerate() {
            let Some(group) = self.plan.group(bit) else {
                continue;
            };
            if turns < CHATTER_TURNS || apart.contains(&group) {
                continue;
            }
            // It first turned when it had been seen both ways.
            let mut seen = [None; 2];
            for (words, first) in combinations.clone() {
                let holds = words[bit / 64] >> (bit % 64) & 1 == 1;
                let seen: &mut Option<Moment> = &mut seen[usize::from(holds)];
                if seen.is_none_or(|seen| first.tick < seen.tick) {
                    *seen = Some(first);
                }
            }
            let [Some(a), Some(b)] = seen else { continue };
            let from = if a.tick < b.tick { b } else { a };
            let looked_at = sampled_before(ticks) - sampled_before(from.tick.min(ticks));
            #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
            let share = turns as f64 / looked_at.max(1) as f64;
            if share < CHATTER_SHARE {
                continue;
            }
            let finding = Finding::Chatter {
                what: self.plan.boolean(bit),
                share,
                from: time_of(from),
            };
            match found.iter_mut().find(|(known, ..)| *known == group) {
                None => found.push((group, share, finding)),
                Some(known) if known.1 < share => *known = (group, share, finding),
                Some(_) => {}
            }
        }
        found.into_iter().map(|(.., finding)| finding).collect()
    }
}

/// Adds to the counts of the booleans in which two combinations differ.
fn add_differences(counts: &mut [u64], from: &[u64], to: &[u64]) {
    for (word, (from, to)) in from.iter().zip(to).enumerate() {
        let mut changed = from ^ to;
        while changed != 0 {
            let bit = 64 * word + changed.trailing_zeros() as usize;
            changed &= changed - 1;
            if let Some(count) = counts.get_mut(bit) {
                *count += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_sampled_one_by_one_or_not_at_all() {
        let mut count = 0;
        let mut tick = 0;
        while tick < (1 << 16) + 3 * (1 << 14) {
            assert_eq!(sampled_before(tick), count, "{tick}");
            let end = sample_end(tick);
            assert!(end == 0 || end > tick);
            count += u64::from(end != 0);
            if end == 0 {
                let next = next_sample(tick);
                assert!(sample_end(next) != 0 && sample_end(next - 1) == 0, "{tick}");
            }
            tick += 1;
        }
    }
}
