//! The past: pieces of trajectory between two changes, kept as keyframes and replayed in between.
//!
//! A *segment* is a run of one version of a table from one state on; it begins at the start, or where
//! something was set or edited. A [`History`] is a row of segments, each with the number of its steps, and
//! the place at which one stands. Because a segment replays to the same bits, histories share them: the
//! worlds that `undo` keeps, and branches, are lists of numbers. Keyframes are thinned out when they
//! take more than [`BUDGET`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situ_engine::sim::{Carried, RunFault, RunState, SetupError};

use super::document::Version;
use super::stepper::Stepper;
use super::stops::Stop;
use crate::engine::EngineArgs;

/// Memory for keyframes (in bytes).
pub(super) const BUDGET: usize = 24 << 20;

/// Distance of keyframes in a new segment [steps].
const FIRST_STRIDE: u64 = 64;

/// Names a segment of the store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SegmentId(u64);

/// A run of one version from one state on.
#[derive(Debug)]
struct Segment {
    version: Arc<Version>,
    /// The run at its beginning, and its state there.
    origin: Stepper,
    start: RunState,
    /// What it began with, for people.
    cause: String,
    /// States by the number of steps before them, with their times.
    keys: BTreeMap<u64, (f64, RunState)>,
    stride: u64,
    bytes: usize,
}

/// All segments, and the one run that is live.
#[derive(Debug, Default)]
pub(super) struct Store {
    segments: BTreeMap<SegmentId, Segment>,
    next: u64,
    live: Option<Live>,
    /// Segments left by the last collection.
    kept: usize,
    /// Who does the steps of new segments.
    pub(super) engine: EngineArgs,
}

#[derive(Debug)]
struct Live {
    segment: SegmentId,
    at: At,
    run: Stepper,
}

/// A place in a segment: after so many steps, or at a time inside the last of them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct At {
    /// Steps, of which the last need not be whole.
    pub(super) step: u64,
    /// The time inside the last step.
    pub(super) cut: Option<f64>,
}

impl At {
    /// After so many whole steps.
    pub(super) fn step(step: u64) -> Self {
        Self { step, cut: None }
    }

    /// Whole steps up to here.
    pub(super) fn whole(self) -> u64 {
        self.step - u64::from(self.cut.is_some())
    }

    fn key(self) -> (u64, f64) {
        (self.step, self.cut.unwrap_or(f64::INFINITY))
    }

    /// So many steps on; the first may be the rest of one.
    pub(super) fn forward(self, steps: u64) -> Self {
        if steps == 0 {
            self
        } else {
            Self::step(self.whole() + steps)
        }
    }
}

/// A segment and how far it was run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Piece {
    pub(super) segment: SegmentId,
    pub(super) end: At,
}

/// A line of history and the place on it.
#[derive(Clone, Debug)]
pub(super) struct History {
    pieces: Arc<Vec<Piece>>,
    /// Which piece one stands in.
    piece: usize,
    at: At,
}

/// Everything that commands change and `undo` brings back.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) history: History,
    /// The name of the present branch.
    pub(super) branch: Arc<str>,
    /// The other branches.
    pub(super) branches: Arc<BTreeMap<String, History>>,
    /// Named times.
    pub(super) marks: Arc<BTreeMap<String, f64>>,
    pub(super) stops: Arc<Vec<Stop>>,
    /// Expressions shown at every stop.
    pub(super) shown: Arc<Vec<String>>,
}

impl World {
    pub(super) fn new(history: History) -> Self {
        Self {
            history,
            branch: "main".into(),
            branches: Arc::default(),
            marks: Arc::default(),
            stops: Arc::default(),
            shown: Arc::default(),
        }
    }

    /// Whether nothing was changed since the other was cloned from it.
    pub(super) fn same_as(&self, other: &World) -> bool {
        self.history == other.history
            && self.branch == other.branch
            && Arc::ptr_eq(&self.branches, &other.branches)
            && Arc::ptr_eq(&self.marks, &other.marks)
            && Arc::ptr_eq(&self.stops, &other.stops)
            && Arc::ptr_eq(&self.shown, &other.shown)
    }

    /// Every segment that it needs.
    pub(super) fn segments(&self) -> impl Iterator<Item = SegmentId> {
        let histories = self.branches.values().chain([&self.history]);
        histories.flat_map(|history| history.pieces.iter().map(|piece| piece.segment))
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        (self.piece, self.at) == (other.piece, other.at)
            && (Arc::ptr_eq(&self.pieces, &other.pieces) || self.pieces == other.pieces)
    }
}

impl History {
    fn beginning(segment: SegmentId) -> Self {
        let end = At::default();
        Self {
            pieces: Arc::new(vec![Piece { segment, end }]),
            piece: 0,
            at: end,
        }
    }

    /// The segment in which one stands.
    pub(super) fn segment(&self) -> SegmentId {
        self.pieces[self.piece].segment
    }

    /// Where one stands: the segment and the place in it.
    pub(super) fn place(&self) -> (SegmentId, At) {
        (self.segment(), self.at)
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Index of the piece in which one stands.
    pub(super) fn piece(&self) -> usize {
        self.piece
    }

    /// Whether something of the future is known.
    pub(super) fn in_the_past(&self) -> bool {
        self.piece + 1 < self.pieces.len() || self.at.key() < self.pieces[self.piece].end.key()
    }

    /// Whether one stands at the very beginning.
    pub(super) fn at_the_start(&self) -> bool {
        self.piece == 0 && self.at.step == 0
    }

    /// Steps that were done in all up to here; one that is not whole counts.
    pub(super) fn steps_before(&self) -> u64 {
        let before = &self.pieces[..self.piece];
        before.iter().map(|piece| piece.end.step).sum::<u64>() + self.at.step
    }

    /// Steps in all.
    pub(super) fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.end.step).sum()
    }

    /// How far this piece is known, unless it is the last one, which may grow.
    pub(super) fn known_end(&self) -> Option<At> {
        let is_last = self.piece + 1 == self.pieces.len();
        (!is_last).then(|| self.pieces[self.piece].end)
    }

    /// The same line, seen from so many steps after its beginning; at a change, from after it.
    pub(super) fn at_step(&self, steps: u64) -> Self {
        let mut left = steps;
        let mut piece = 0;
        while piece + 1 < self.pieces.len() && left >= self.pieces[piece].end.step {
            left -= self.pieces[piece].end.step;
            piece += 1;
        }
        let end = self.pieces[piece].end;
        Self {
            pieces: Arc::clone(&self.pieces),
            piece,
            at: if left >= end.step {
                end
            } else {
                At::step(left)
            },
        }
    }

    /// The same line, seen from a place in one of its pieces.
    pub(super) fn at_place(&self, piece: usize, at: At) -> Self {
        let mut seen = Self {
            pieces: Arc::clone(&self.pieces),
            piece,
            at,
        };
        seen.pass_changes();
        seen
    }

    /// Moves on in the piece; the last one grows if it has to.
    pub(super) fn forward_to(&mut self, at: At) {
        self.at = at;
        if at.key() > self.pieces[self.piece].end.key() {
            Arc::make_mut(&mut self.pieces)[self.piece].end = at;
        }
        self.pass_changes();
    }

    /// The end of a piece is the beginning of the next.
    fn pass_changes(&mut self) {
        while self.piece + 1 < self.pieces.len()
            && self.at.key() >= self.pieces[self.piece].end.key()
        {
            self.piece += 1;
            self.at = At::default();
        }
    }

    /// The place one step on in this piece, as far as it is known.
    pub(super) fn next(&self) -> (SegmentId, At) {
        let end = self.pieces[self.piece].end;
        let next = self.at.forward(1);
        let at = if next.key() > end.key() { end } else { next };
        (self.segment(), at)
    }

    /// One step on through what is known.
    pub(super) fn forward(&mut self) {
        self.forward_to(self.next().1);
    }

    /// What one has if something is changed here: the future is left.
    fn with_change(&self, segment: SegmentId) -> Self {
        let mut pieces = self.pieces[..=self.piece].to_vec();
        pieces[self.piece].end = self.at;
        let end = At::default();
        pieces.push(Piece { segment, end });
        Self {
            piece: pieces.len() - 1,
            pieces: Arc::new(pieces),
            at: end,
        }
    }
}

impl Store {
    /// A new history that begins with the start values.
    pub(super) fn begin(
        &mut self,
        version: &Arc<Version>,
        cause: &str,
    ) -> Result<History, SetupError> {
        let origin = Stepper::begin(version, None, self.engine)?;
        Ok(History::beginning(self.add(version, origin, cause)))
    }

    /// A history that goes on with another version, from what the run has now.
    pub(super) fn change(
        &mut self,
        history: &History,
        version: &Arc<Version>,
        carried: &Carried,
        cause: &str,
    ) -> Result<History, SetupError> {
        let origin = Stepper::begin(version, Some(carried), self.engine)?;
        let segment = self.add(version, origin, cause);
        Ok(history.with_change(segment))
    }

    fn add(&mut self, version: &Arc<Version>, origin: Stepper, cause: &str) -> SegmentId {
        let id = SegmentId(self.next);
        self.next += 1;
        self.segments.insert(
            id,
            Segment {
                version: Arc::clone(version),
                start: origin.state(),
                origin,
                cause: cause.to_owned(),
                keys: BTreeMap::new(),
                stride: FIRST_STRIDE,
                bytes: 0,
            },
        );
        id
    }

    fn segment(&self, id: SegmentId) -> &Segment {
        self.segments.get(&id).expect("worlds keep their segments")
    }

    pub(super) fn version(&self, id: SegmentId) -> Arc<Version> {
        Arc::clone(&self.segment(id).version)
    }

    /// What a segment began with.
    pub(super) fn cause(&self, id: SegmentId) -> &str {
        &self.segment(id).cause
    }

    /// The time at which a segment begins.
    pub(super) fn start_time(&self, id: SegmentId) -> f64 {
        self.segment(id).origin.time()
    }

    /// The run of a segment at a place to which it has been run before.
    pub(super) fn at(&mut self, id: SegmentId, at: At) -> &mut Stepper {
        let segment = self.segments.get(&id).expect("worlds keep their segments");
        let whole = at.whole();
        let key = segment.keys.range(..=whole).next_back();
        let stays = self.live.as_ref().is_some_and(|live| {
            live.segment == id
                && live.at.key() <= at.key()
                && key.is_none_or(|(step, _)| *step <= live.at.step)
        });
        if !stays {
            let live = self.live.take().filter(|live| live.segment == id);
            let mut run = live.map_or_else(|| segment.origin.clone(), |live| live.run);
            let from = match key {
                Some((step, (_, state))) => {
                    run.restore(state);
                    *step
                }
                None => {
                    run.restore(&segment.start);
                    0
                }
            };
            self.live = Some(Live {
                segment: id,
                at: At::step(from),
                run,
            });
        }
        let same_step = self
            .live
            .as_ref()
            .is_some_and(|live| live.at.step == at.step);
        if !(same_step && at.cut.is_some()) {
            self.ahead(whole, false)
                .expect("what was run before runs again");
        }
        let live = self.live.as_mut().expect("it was just put there");
        if let Some(cut) = at.cut
            && live.at != at
        {
            live.run
                .advance_to(cut)
                .expect("what was run before runs again");
            live.at = at;
        }
        &mut live.run
    }

    /// Runs a segment on from a place; stops early if the table's `stop_when` comes true.
    ///
    /// Result: where it stands then, and the fault if one came, before the step that failed.
    pub(super) fn advance(
        &mut self,
        (id, at): (SegmentId, At),
        steps: u64,
    ) -> (At, Result<(), RunFault>) {
        self.at(id, at);
        let outcome = self.ahead(at.forward(steps).step, true);
        (self.live_at(), outcome)
    }

    /// Runs a segment on to a time, at most to the end of the present step or of the next.
    ///
    /// Result: as that of [`Store::advance`].
    pub(super) fn advance_to(
        &mut self,
        (id, at): (SegmentId, At),
        until: f64,
    ) -> (At, Result<(), RunFault>) {
        self.at(id, at);
        let live = self.live.as_mut().expect("it was put there by `at`");
        let outcome = live.run.advance_to(until).map(|inside| {
            live.at = At {
                step: at.whole() + 1,
                cut: inside.then_some(until),
            };
        });
        (self.live_at(), outcome)
    }

    fn live_at(&self) -> At {
        self.live.as_ref().expect("it was put there by `at`").at
    }

    /// Runs the live segment on to the end of a step and leaves keyframes behind.
    fn ahead(&mut self, goal: u64, halts: bool) -> Result<(), RunFault> {
        while let Some(live) = self.live.as_mut()
            && live.at.key() < At::step(goal).key()
        {
            let segment = self.segments.get_mut(&live.segment).expect("it is live");
            let whole = live.at.whole();
            let next_key = (whole / segment.stride + 1) * segment.stride;
            let (done, outcome) = live.run.advance(next_key.min(goal) - whole);
            live.at = live.at.forward(done);
            outcome?;
            let halted = halts && live.run.stopped();
            if live.at.step == next_key && !segment.keys.contains_key(&next_key) {
                let state = live.run.state();
                segment.bytes += state.bytes();
                segment.keys.insert(next_key, (live.run.time(), state));
                self.thin_out();
            }
            if halted {
                break;
            }
        }
        Ok(())
    }

    /// The place of a segment at a time that it has reached before its end: inside a step, or at the
    /// end of one; of several steps that end then, after the last.
    pub(super) fn find(&mut self, id: SegmentId, end: At, time: f64) -> At {
        let segment = self.segments.get(&id).expect("worlds keep their segments");
        let keys = segment.keys.iter().rev();
        let mut before = keys
            .filter(|(step, (at, _))| **step <= end.whole() && *at <= time)
            .map(|(step, _)| *step);
        let mut found = At::step(before.next().unwrap_or(0));
        let slack = 1e-12 * time.abs();
        loop {
            let next = found.forward(1);
            let next = if next.key() > end.key() { end } else { next };
            if next == found {
                return found;
            }
            let reached = self.at(id, next).time();
            if reached > time + slack {
                let run = self.at(id, found);
                let ends_here = (run.time() - time).abs() <= slack || run.ticks().is_some();
                let cut = At {
                    step: found.step + 1,
                    cut: Some(time),
                };
                return if ends_here { found } else { cut };
            }
            found = next;
        }
    }

    /// Drops every second keyframe of the largest segment while there are too many.
    fn thin_out(&mut self) {
        while self
            .segments
            .values()
            .map(|segment| segment.bytes)
            .sum::<usize>()
            > BUDGET
        {
            let largest = self
                .segments
                .values_mut()
                .max_by_key(|segment| segment.bytes);
            let Some(segment) = largest else { return };
            segment.stride *= 2;
            let stride = segment.stride;
            segment.keys.retain(|step, _| step % stride == 0);
            segment.bytes = segment.keys.values().map(|(_, state)| state.bytes()).sum();
        }
    }

    /// Memory that keyframes take (in bytes), and the most steps that are done again to get anywhere.
    #[cfg(test)]
    pub(super) fn cost(&self) -> (usize, u64) {
        let segments = self.segments.values();
        let stride = segments.clone().map(|segment| segment.stride).max();
        (
            segments.map(|segment| segment.bytes).sum(),
            stride.unwrap_or(0),
        )
    }

    /// Whether there are many more segments than there were needed.
    pub(super) fn wants_collection(&self) -> bool {
        self.segments.len() > 2 * self.kept + 64
    }

    /// Forgets all segments but these.
    pub(super) fn keep(&mut self, used: &BTreeSet<SegmentId>) {
        self.segments.retain(|id, _| used.contains(id));
        self.kept = self.segments.len();
        self.live = self.live.take().filter(|live| used.contains(&live.segment));
    }
}
