//! Coverage of a tick run: combinations of booleans and for how long, rules that never fired.
//!
//! Booleans change rarely, so only changes are examined.

pub(super) mod covered;

use std::collections::HashMap;
use std::sync::Arc;

use crate::backend::interpreter::{Bits, holds};
use crate::ids::SituationId;
use crate::lower::Program;
use crate::model::Model;
use crate::sim::coverage::covered::{Acted, Covered, Visit};
use crate::sim::monitor::{Finding, Moment, Monitor, Plan};
use crate::tape::Test;
use rustc_hash::FxHashMap;

/// Up to so many words are kept for combinations; later new ones are counted together.
const MAX_WORDS: usize = 1 << 20;

/// Size of the table of combinations seen lately, a power of two.
const RECENT: usize = 64;

/// So many changes are noted before they are counted.
const MAX_CHANGES: usize = 1024;

/// One combination of the tape's bits.
#[derive(Clone, PartialEq, Debug)]
struct CoveredCombination {
    words: Box<[u64]>,
    /// The tick in which it was first seen.
    first: u64,
    /// In how many ticks it stood.
    ticks: u64,
    /// The time at which it was first seen and how long it stood [units of `time`]; known of ticks
    /// of changing length only.
    begun: f64,
    time: f64,
    /// The row in which it was first seen: the ticks before it, and its time, known of ticks of changing length only.
    row: u64,
    row_time: f64,
}

/// The combinations of booleans of a run.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    visits: Vec<CoveredCombination>,
    index: FxHashMap<Box<[u64]>, usize>,
    /// Combinations seen lately, by a hash of their words: most runs go to and fro between a few.
    recent: Box<[usize; RECENT]>,
    /// The combination that stood in tick `since`; `None` if it is not kept.
    current: Option<usize>,
    since: u64,
    /// Changes after it: ticks with the combination to which the booleans changed in them.
    changes: Vec<(u64, Option<usize>)>,
    /// Ticks spent in combinations that are not kept.
    ticks_elsewhere: u64,
    /// The time spent in them, in ticks of changing length [units of `time`].
    time_elsewhere: f64,
    /// Tests that have not held yet.
    pending: Vec<u32>,
    fired: Vec<bool>,
    monitor: Monitor,
}

impl Coverage {
    pub(crate) fn new(program: &Program, plan: Arc<Plan>) -> Self {
        let relation_tests = program.relation_tests.iter().flatten();
        let mut pending: Vec<u32> = relation_tests
            .chain(&program.assignment_tests)
            .copied()
            .collect();
        pending.sort_unstable();
        pending.dedup();
        Self {
            visits: Vec::new(),
            index: FxHashMap::default(),
            recent: Box::new([usize::MAX; RECENT]),
            current: None,
            since: 0,
            changes: Vec::with_capacity(MAX_CHANGES),
            ticks_elsewhere: 0,
            time_elsewhere: 0.0,
            pending,
            fired: vec![false; program.tape.tests.len()],
            monitor: Monitor::new(plan),
        }
    }

    /// The booleans have changed in tick `tick` (the number of ticks before it) to a combination
    /// that was seen lately; false if it was not, which [`Coverage::change`] then deals with.
    #[inline(always)]
    pub(crate) fn change_to_recent(&mut self, bits: &(impl Bits + ?Sized), tick: u64) -> bool {
        let recent = self.recent[place(bits)];
        let known = self
            .visits
            .get(recent)
            .is_some_and(|visit| bits.same_as(&visit.words));
        if known {
            self.note(tick, Some(recent));
        }
        known
    }

    /// The booleans have become `words` in tick `tick` (the number of ticks before it).
    pub(crate) fn change(&mut self, words: &[u64], tick: u64, tests: &[Test]) {
        let found = self.look_up(words, tick, tests);
        if let Some(index) = found {
            self.recent[place(words)] = index;
        }
        self.note(tick, found);
    }

    /// Takes in changes of at most 64 booleans that are not taken back: ticks in which they changed,
    /// and what they became.
    pub(crate) fn take_in(&mut self, changes: impl Iterator<Item = (u64, u64)>, tests: &[Test]) {
        self.count();
        // Most often the booleans go to and fro between two combinations.
        let mut known = [(0, None), (0, None)];
        for (tick, word) in changes {
            if known[0].1.is_none() || known[0].0 != word {
                known.swap(0, 1);
            }
            if known[0].1.is_none() || known[0].0 != word {
                known[0] = (word, self.look_up(&[word], tick, tests));
            }
            self.count_to(tick);
            self.go_over_to(known[0].1, tick);
        }
    }

    /// Takes in that the present combination stood for some ticks, of those up to `to` that were counted;
    /// the others follow with [`Coverage::take_in_counted`].
    pub(crate) fn begin_counted(&mut self, ticks: u64, to: u64) {
        self.count();
        self.add(self.current, ticks);
        self.since = to;
    }

    /// Takes in a combination with the tick in which it was met and the number of ticks it stood;
    /// whether it stands now.
    pub(crate) fn take_in_counted(
        &mut self,
        words: &[u64],
        (met, ticks): (u64, u64),
        stands: bool,
        tests: &[Test],
    ) {
        let found = self.look_up(words, met, tests);
        self.add(found, ticks);
        if stands {
            self.current = found;
        }
    }

    /// Another combination stands from a tick on.
    #[inline]
    fn go_over_to(&mut self, place: Option<usize>, tick: u64) {
        if self.monitor.looks_at(tick)
            && let Some((from, to)) = self.current.zip(place)
        {
            let (from, to) = (&self.visits[from].words, &self.visits[to].words);
            self.monitor.turn(from, to, tick);
        }
        self.current = place;
    }

    fn add(&mut self, combination: Option<usize>, ticks: u64) {
        match combination {
            Some(combination) => self.visits[combination].ticks += ticks,
            None => self.ticks_elsewhere += ticks,
        }
    }

    #[inline(always)]
    fn note(&mut self, tick: u64, combination: Option<usize>) {
        if self.changes.len() == MAX_CHANGES {
            self.count();
        }
        self.changes.push((tick, combination));
    }

    /// The position of a combination, which is new at the first time; `None` if it is not kept.
    fn look_up(&mut self, words: &[u64], tick: u64, tests: &[Test]) -> Option<usize> {
        if let Some(&known) = self.index.get(words) {
            return Some(known);
        }
        let fired = &mut self.fired;
        self.pending.retain(|&test| {
            let now = holds(tests, test, words);
            fired[test as usize] |= now;
            !now
        });
        if self.visits.len() * words.len() >= MAX_WORDS {
            return None;
        }
        let index = self.visits.len();
        self.index.insert(words.into(), index);
        self.visits.push(CoveredCombination {
            words: words.into(),
            first: tick,
            ticks: 0,
            begun: 0.0,
            time: 0.0,
            row: tick + 1,
            row_time: 0.0,
        });
        Some(index)
    }

    /// The run goes on at another tick, with other booleans: those of the row that stands.
    pub(crate) fn resume(&mut self, words: &[u64], tick: u64, tests: &[Test]) {
        self.count();
        self.monitor.restart();
        self.current = None;
        self.since = tick;
        let n_known = self.visits.len();
        self.change(words, tick, tests);
        if let [new] = &mut self.visits[n_known..] {
            new.row = tick;
        }
    }

    /// Counts the ticks up to `tick` for the combinations that stood in them, and forgets later
    /// changes.
    pub(crate) fn close(&mut self, tick: u64) {
        while self.changes.last().is_some_and(|&(at, _)| at >= tick) {
            self.changes.pop();
        }
        self.count();
        self.count_to(tick);
    }

    fn count(&mut self) {
        for index in 0..self.changes.len() {
            let (at, combination) = self.changes[index];
            self.count_to(at);
            self.go_over_to(combination, at);
        }
        self.changes.clear();
    }

    fn count_to(&mut self, tick: u64) {
        self.add(self.current, tick - self.since);
        self.since = tick;
    }

    /// The combination that stands stood from one time to another, the length of the last tick.
    pub(crate) fn lasted(&mut self, from: f64, to: f64) {
        match self.current {
            Some(current) => {
                let stand = &mut self.visits[current];
                if stand.time == 0.0 {
                    let stood = stand.row < self.since;
                    stand.begun = from;
                    stand.row_time = if stood { from } else { to };
                }
                stand.time += to - from;
            }
            None => self.time_elsewhere += to - from,
        }
    }

    /// The time of the changes that are going to be counted, where ticks have no common length.
    pub(crate) fn at_time(&mut self, time: f64) {
        self.monitor.now = Some(time);
    }

    /// Last firing of an event, if it is one whose firings are watched.
    pub(crate) fn last_fired(&self, situation: SituationId) -> Option<Moment> {
        self.monitor.last_fired(situation)
    }

    /// Findings in the coverage up to now; everything has been counted.
    ///
    /// `is_even`: ticks have a common length; `time_of`: the time of a moment.
    pub(crate) fn findings(&self, is_even: bool, time_of: &impl Fn(Moment) -> f64) -> Vec<Finding> {
        let combinations = self.visits.iter().map(|stand| {
            let first = Moment {
                tick: stand.first,
                time: (!is_even).then_some(stand.begun),
            };
            (&*stand.words, first)
        });
        self.monitor.findings(self.since, combinations, time_of)
    }

    /// All that was seen, with a step for a tick, or with the times of ticks that have no common
    /// length; what has no name is left out.
    #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
    pub(crate) fn covered(&self, model: &Model, program: &Program, step: Option<f64>) -> Covered {
        let named = |words: &[u64]| -> Box<[u64]> {
            let mut named: Box<[u64]> = words[..program.n_visible.div_ceil(64).max(1)].into();
            if let (Some(last), rest @ 1..) = (named.last_mut(), program.n_visible % 64) {
                *last &= (1 << rest) - 1;
            }
            named
        };
        let length = |ticks: u64, time: f64| step.map_or(time, |step| ticks as f64 * step);
        let mut covered = Covered {
            elsewhere: length(self.ticks_elsewhere, self.time_elsewhere),
            fired: vec![0; model.situations.len()],
            relations: vec![Acted::default(); model.relations.len()],
            ..Covered::default()
        };
        let mut places: HashMap<Box<[u64]>, usize> = HashMap::new();
        let mut spent: Vec<(u64, f64)> = Vec::new();
        for stand in &self.visits {
            let words = named(&stand.words);
            let place = *places.entry(words.clone()).or_insert(spent.len());
            if place == spent.len() {
                let first = step.map_or(stand.row_time, |step| stand.row as f64 * step);
                covered.visits.push(Visit {
                    words,
                    first,
                    time: 0.0,
                });
                spent.push((0, 0.0));
            }
            spent[place].0 += stand.ticks;
            spent[place].1 += stand.time;
            for (index, situation) in model.situations.iter().enumerate() {
                let bit = program.situation(SituationId::new(index));
                if situation.event && stand.words.bit(bit) {
                    covered.fired[index] += stand.ticks;
                }
            }
        }
        for (visit, (ticks, time)) in covered.visits.iter_mut().zip(spent) {
            visit.time = length(ticks, time);
        }
        covered.visits.retain(|visit| visit.time > 0.0);
        for visit in &covered.visits {
            covered.ever.resize(visit.words.len(), 0);
            let words = covered.ever.iter_mut().zip(&visit.words);
            words.for_each(|(ever, word)| *ever |= word);
        }
        let assignments = program.assignment_tests.iter();
        covered.assignments = assignments.map(|test| self.fired[*test as usize]).collect();
        let tests = program.relation_tests.iter();
        for (acted, test) in covered.relations.iter_mut().zip(tests) {
            let active = |stand: &&CoveredCombination| {
                test.is_none_or(|test| holds(&program.tape.tests, test, &*stand.words))
            };
            let stands = self.visits.iter().filter(active);
            let (ticks, time) = stands.fold((0, 0.0), |(ticks, time), stand| {
                (ticks + stand.ticks, time + stand.time)
            });
            // No relation acts in the row from which the run begins: a combination that stands in no tick tells nothing.
            let stood = ticks > 0 || self.ticks_elsewhere > 0;
            acted.ever = test.is_none_or(|test| stood && self.fired[test as usize]);
            acted.time = length(ticks, time);
        }
        covered
    }
}

/// Index of a combination in the table of those seen lately (Fibonacci hashing).
#[inline(always)]
fn place(bits: &(impl Bits + ?Sized)) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = 0_u64;
    for word in 0..bits.n_words() {
        hash = (hash.rotate_left(5) ^ bits.word(word)).wrapping_mul(MULTIPLIER);
    }
    #[expect(clippy::cast_possible_truncation, reason = "six bits are left")]
    let place = (hash >> (64 - RECENT.trailing_zeros())) as usize;
    place
}
