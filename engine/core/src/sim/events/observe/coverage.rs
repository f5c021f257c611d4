//! Coverage of an event-accurate run: combinations of booleans and for how long, rows that acted.

use crate::ids::RelationId;
use crate::model::Model;
use crate::sim::coverage::covered::{Acted, Covered, Visit};
use rustc_hash::FxHashMap;
use situ_solve::slices::same;

/// Up to so many words are kept for combinations.
const MAX_WORDS: usize = 1 << 17;

#[derive(Clone, Debug)]
pub(crate) struct ModeCoverage {
    visits: Vec<Visit>,
    places: FxHashMap<Box<[u64]>, usize>,
    elsewhere: f64,
    /// The booleans that held, if only in a microstep.
    ever: Vec<u64>,
    /// The combination that stands since a time; `None` if it is not kept.
    current: Option<usize>,
    since: f64,
    fired: Vec<u64>,
    assignments: Vec<bool>,
    relations: Vec<Acted>,
    /// Relations that are active since a time, and the mode by which they are.
    active: Vec<RelationId>,
    active_since: f64,
    mode: Option<usize>,
}

/// A combination of booleans around the borders of a slide.
#[derive(Clone, Debug)]
pub(super) struct SharedCorner {
    pub(super) words: Box<[u64]>,
    /// The relations that are active in it.
    pub(super) active: Vec<RelationId>,
    /// For how long it stood by its share [units of `time`].
    pub(super) time: f64,
}

impl ModeCoverage {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            visits: Vec::new(),
            places: FxHashMap::default(),
            elsewhere: 0.0,
            ever: Vec::new(),
            current: None,
            since: 0.0,
            fired: vec![0; model.situations.len()],
            assignments: vec![false; model.assignments.len()],
            relations: vec![Acted::default(); model.relations.len()],
            active: Vec::new(),
            active_since: 0.0,
            mode: None,
        }
    }

    /// An event fires.
    pub(super) fn event(&mut self, situation: usize) {
        self.fired[situation] += 1;
    }

    /// An assignment is executed.
    pub(crate) fn assigned(&mut self, assignment: usize) {
        self.assignments[assignment] = true;
    }

    /// A row acts at an event.
    pub(crate) fn acts(&mut self, relation: RelationId) {
        self.relations[relation.index()].ever = true;
    }

    /// These booleans hold in a microstep.
    pub(crate) fn microstep(&mut self, words: &[u64]) {
        self.ever.resize(words.len(), 0);
        for (ever, word) in self.ever.iter_mut().zip(words) {
            *ever |= word;
        }
    }

    /// From now on these booleans stand, and the rows of a mode are active.
    pub(crate) fn change(
        &mut self,
        words: &[u64],
        mode: usize,
        active: impl IntoIterator<Item = RelationId>,
        t: f64,
    ) {
        self.close_visit(t);
        self.microstep(words);
        self.visit(words, t);
        if self.mode == Some(mode) {
            return;
        }
        self.close_rows(t);
        self.mode = Some(mode);
        self.active.clear();
        self.active.extend(active);
        for relation in &self.active {
            self.relations[relation.index()].ever = true;
        }
    }

    /// The run goes on at another time with other booleans.
    pub(crate) fn resume(&mut self, words: &[u64], t: f64) {
        self.active_since = t;
        self.mode = None;
        self.visit(words, t);
    }

    /// True if the rows that are active are those of a mode.
    pub(crate) fn is_in(&self, mode: usize) -> bool {
        self.mode == Some(mode)
    }

    fn visit(&mut self, words: &[u64], t: f64) {
        self.since = t;
        let known = self.current.map(|current| &self.visits[current].words);
        if known.is_some_and(|known| same(known, words)) {
            return;
        }
        self.current = self.place(words, t);
    }

    /// Where a combination is kept that stands from a time on; `None` if it is not.
    fn place(&mut self, words: &[u64], t: f64) -> Option<usize> {
        match self.places.get(words) {
            Some(&known) => Some(known),
            None if self.visits.len() * words.len() >= MAX_WORDS => None,
            None => {
                self.places.insert(words.into(), self.visits.len());
                self.visits.push(Visit {
                    words: words.into(),
                    first: t,
                    time: 0.0,
                });
                Some(self.visits.len() - 1)
            }
        }
    }

    /// The motion has slid up to a time: since the last change the combinations around the borders have stood by share.
    pub(super) fn slide(&mut self, corners: &[SharedCorner], t: f64) {
        let from = self.since;
        self.close_rows(from);
        for corner in corners.iter().filter(|corner| corner.time > 0.0) {
            self.microstep(&corner.words);
            match self.place(&corner.words, from) {
                Some(place) => self.visits[place].time += corner.time,
                None => self.elsewhere += corner.time,
            }
            for relation in &corner.active {
                let acted = &mut self.relations[relation.index()];
                acted.ever = true;
                acted.time += corner.time;
            }
        }
        self.since = t;
        self.active_since = t;
    }

    /// Since when the present combination stands.
    pub(super) fn since(&self) -> f64 {
        self.since
    }

    /// Counts the time that has passed.
    pub(crate) fn close(&mut self, t: f64) {
        self.close_visit(t);
        self.close_rows(t);
    }

    fn close_rows(&mut self, t: f64) {
        let passed = t - self.active_since;
        self.active_since = t;
        for relation in &self.active {
            self.relations[relation.index()].time += passed;
        }
    }

    fn close_visit(&mut self, t: f64) {
        let passed = t - self.since;
        self.since = t;
        match self.current {
            Some(current) => self.visits[current].time += passed,
            None => self.elsewhere += passed,
        }
    }

    /// All that was seen up to a time.
    pub(crate) fn covered(&self, t: f64) -> Covered {
        let mut all = self.clone();
        all.close(t);
        Covered {
            visits: all.visits,
            ever: all.ever,
            elsewhere: all.elsewhere,
            fired: all.fired,
            assignments: all.assignments,
            relations: all.relations,
        }
    }
}
