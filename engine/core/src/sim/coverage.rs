//! What a run has seen: combinations of booleans and for how long, rules that never fired.
//!
//! Booleans change rarely, so only changes are looked at.

use std::collections::HashMap;

use crate::backend::interpreter::{Bits, holds};
use crate::ids::RelationId;
use crate::lower::Program;
use crate::tape::Test;

/// Up to so many words are kept for combinations; later new ones are counted together.
const MAX_WORDS: usize = 1 << 20;

/// Size of the table of combinations seen lately, a power of two.
const RECENT: usize = 64;

/// So many changes are noted before they are counted.
const MAX_CHANGES: usize = 1024;

/// One combination of booleans.
#[derive(Clone, PartialEq, Debug)]
pub struct Visit {
    /// The words of the tape's bits.
    words: Box<[u64]>,
    /// The tick in which it was first seen.
    pub first_tick: u64,
    /// In how many ticks it stood.
    pub ticks: u64,
}

impl Visit {
    /// The value of a visible bit: switches, then ranges, then situations.
    pub fn bit(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }
}

/// The combinations of booleans of a run.
#[derive(Clone, Debug)]
pub struct Coverage {
    visits: Vec<Visit>,
    index: HashMap<Box<[u64]>, usize>,
    /// Combinations seen lately, by a hash of their words: most runs go to and fro between a few.
    recent: Box<[usize; RECENT]>,
    /// The combination that stood in tick `since`; `None` if it is not kept.
    current: Option<usize>,
    since: u64,
    /// What came after it: ticks with the combination to which the booleans changed in them.
    changes: Vec<(u64, Option<usize>)>,
    /// Ticks spent in combinations that are not kept.
    pub ticks_elsewhere: u64,
    /// Tests that have not held yet.
    pending: Vec<u32>,
    fired: Vec<bool>,
}

impl Coverage {
    pub(crate) fn new(program: &Program) -> Self {
        let relation_tests = program.relation_tests.iter().flatten();
        let mut pending: Vec<u32> = relation_tests
            .chain(&program.assignment_tests)
            .copied()
            .collect();
        pending.sort_unstable();
        pending.dedup();
        Self {
            visits: Vec::new(),
            index: HashMap::new(),
            recent: Box::new([usize::MAX; RECENT]),
            current: None,
            since: 0,
            changes: Vec::with_capacity(MAX_CHANGES),
            ticks_elsewhere: 0,
            pending,
            fired: vec![false; program.tape.tests.len()],
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
        self.visits.push(Visit {
            words: words.into(),
            first_tick: tick,
            ticks: 0,
        });
        Some(index)
    }

    /// The run goes on at another tick, with other booleans.
    pub(crate) fn resume(&mut self, words: &[u64], tick: u64, tests: &[Test]) {
        self.since = tick;
        self.change(words, tick, tests);
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
            self.current = combination;
        }
        self.changes.clear();
    }

    fn count_to(&mut self, tick: u64) {
        let ticks = tick - self.since;
        match self.current {
            Some(current) => self.visits[current].ticks += ticks,
            None => self.ticks_elsewhere += ticks,
        }
        self.since = tick;
    }

    /// The combinations in the order in which they were first seen. Combinations that differ only
    /// in what the tape keeps for itself stand as several entries.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Whether the relation was ever active.
    pub fn relation_fired(&self, program: &Program, id: RelationId) -> bool {
        program.relation_tests[id.index()].is_none_or(|test| self.fired[test as usize])
    }

    /// Whether the assignment was ever executed.
    pub fn assignment_fired(&self, program: &Program, index: usize) -> bool {
        self.fired[program.assignment_tests[index] as usize]
    }

    /// In how many ticks the relation was active, of those in combinations that were kept.
    pub fn relation_ticks(&self, program: &Program, id: RelationId) -> u64 {
        let active = |visit: &&Visit| match program.relation_tests[id.index()] {
            None => true,
            Some(test) => holds(&program.tape.tests, test, &*visit.words),
        };
        self.visits
            .iter()
            .filter(active)
            .map(|visit| visit.ticks)
            .sum()
    }
}

/// Where a combination stands in the table of those seen lately (Fibonacci hashing).
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
