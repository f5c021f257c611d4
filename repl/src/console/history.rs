//! The past: pieces of trajectory between two changes, kept as keyframes and replayed in between.
//!
//! A *segment* is a run of one version of a table from one state on; it begins at the start, or where
//! something was set or edited. A [`History`] is a row of segments, each with the number of its steps, and
//! the place at which one stands. Because a segment replays to the same bits, histories share them: the
//! worlds that `undo` keeps, and branches, are lists of numbers. Keyframes are thinned out when they
//! take more than [`BUDGET`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situ_engine::sim::{Carried, RunFault, SetupError, State};

use super::document::Version;
use super::stepper::Stepper;
use super::stops::Stop;

/// Memory for keyframes [bytes].
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
    /// The run at its beginning.
    origin: Stepper,
    /// What it began with, for people.
    cause: String,
    /// States by the number of steps before them, with their times.
    keys: BTreeMap<u64, (f64, State)>,
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
}

#[derive(Debug)]
struct Live {
    segment: SegmentId,
    step: u64,
    run: Stepper,
}

/// A segment and how far it was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) segment: SegmentId,
    pub(super) steps: u64,
}

/// A line of history and the place on it.
#[derive(Clone, Debug)]
pub(super) struct History {
    pieces: Arc<Vec<Piece>>,
    /// Which piece one stands in.
    piece: usize,
    /// Steps from its beginning.
    step: u64,
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
        (self.piece, self.step) == (other.piece, other.step)
            && (Arc::ptr_eq(&self.pieces, &other.pieces) || self.pieces == other.pieces)
    }
}

impl History {
    fn beginning(segment: SegmentId) -> Self {
        Self {
            pieces: Arc::new(vec![Piece { segment, steps: 0 }]),
            piece: 0,
            step: 0,
        }
    }

    /// The segment in which one stands.
    pub(super) fn segment(&self) -> SegmentId {
        self.pieces[self.piece].segment
    }

    /// Where one stands: the segment and the steps from its beginning.
    pub(super) fn place(&self) -> (SegmentId, u64) {
        (self.segment(), self.step)
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Index of the piece in which one stands, and the step in it.
    pub(super) fn position(&self) -> (usize, u64) {
        (self.piece, self.step)
    }

    /// Whether something of the future is known.
    pub(super) fn in_the_past(&self) -> bool {
        self.piece + 1 < self.pieces.len() || self.step < self.pieces[self.piece].steps
    }

    /// Whether one stands at the very beginning.
    pub(super) fn at_the_start(&self) -> bool {
        self.piece == 0 && self.step == 0
    }

    /// Steps that were done in all up to here.
    pub(super) fn steps_before(&self) -> u64 {
        let before = &self.pieces[..self.piece];
        before.iter().map(|piece| piece.steps).sum::<u64>() + self.step
    }

    /// Steps in all.
    pub(super) fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.steps).sum()
    }

    /// Steps that are known ahead in this piece; `None` in the last one, which may grow.
    pub(super) fn known_ahead(&self) -> Option<u64> {
        let is_last = self.piece + 1 == self.pieces.len();
        (!is_last).then(|| self.pieces[self.piece].steps - self.step)
    }

    /// The same line, seen from so many steps after its beginning; at a change, from after it.
    pub(super) fn at_step(&self, steps: u64) -> Self {
        let mut left = steps;
        let mut piece = 0;
        while piece + 1 < self.pieces.len() && left >= self.pieces[piece].steps {
            left -= self.pieces[piece].steps;
            piece += 1;
        }
        Self {
            pieces: Arc::clone(&self.pieces),
            piece,
            step: left.min(self.pieces[piece].steps),
        }
    }

    /// Moves so many steps on; the last piece grows if it has to.
    pub(super) fn forward(&mut self, steps: u64) {
        self.step += steps;
        let piece = self.pieces[self.piece];
        if self.step > piece.steps {
            Arc::make_mut(&mut self.pieces)[self.piece].steps = self.step;
        }
        while self.piece + 1 < self.pieces.len() && self.step >= self.pieces[self.piece].steps {
            self.piece += 1;
            self.step = 0;
        }
    }

    /// What one has if something is changed here: the future is left.
    fn with_change(&self, segment: SegmentId) -> Self {
        let mut pieces = self.pieces[..=self.piece].to_vec();
        pieces[self.piece].steps = self.step;
        pieces.push(Piece { segment, steps: 0 });
        Self {
            piece: pieces.len() - 1,
            pieces: Arc::new(pieces),
            step: 0,
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
        let origin = Stepper::begin(version)?;
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
        let origin = Stepper::resume(version, carried)?;
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

    /// The run of a segment after so many steps, which it has been run before.
    pub(super) fn at(&mut self, id: SegmentId, step: u64) -> &mut Stepper {
        let segment = self.segments.get(&id).expect("worlds keep their segments");
        let key = segment.keys.range(..=step).next_back();
        let stays = self.live.as_ref().is_some_and(|live| {
            live.segment == id && live.step <= step && key.is_none_or(|(at, _)| *at <= live.step)
        });
        if !stays {
            let reuse = self.live.take().filter(|live| live.segment == id);
            let mut run = reuse.map_or_else(|| segment.origin.clone(), |live| live.run);
            let from = match key {
                Some((at, (_, state))) => {
                    run.restore(state);
                    *at
                }
                None => {
                    run.restore(&segment.origin.state());
                    0
                }
            };
            self.live = Some(Live {
                segment: id,
                step: from,
                run,
            });
        }
        self.ahead(step, false)
            .expect("what was run before runs again");
        &mut self.live.as_mut().expect("it was just put there").run
    }

    /// Runs a segment on from a place; stops early if the table's `stop_when` comes true.
    ///
    /// Result: the number of steps done, and the fault if one came; the run then stands before the
    /// step that failed.
    pub(super) fn advance(
        &mut self,
        (id, step): (SegmentId, u64),
        steps: u64,
    ) -> (u64, Result<(), RunFault>) {
        self.at(id, step);
        let outcome = self.ahead(step + steps, true);
        let live = self.live.as_ref().expect("it was put there by `at`");
        (live.step - step, outcome)
    }

    /// Runs the live segment on to a step and leaves keyframes behind.
    fn ahead(&mut self, goal: u64, halts: bool) -> Result<(), RunFault> {
        while let Some(live) = self.live.as_mut()
            && live.step < goal
        {
            let segment = self.segments.get_mut(&live.segment).expect("it is live");
            let next_key = (live.step / segment.stride + 1) * segment.stride;
            let before = live.run.steps();
            let outcome = live.run.advance(next_key.min(goal) - live.step);
            live.step += live.run.steps() - before;
            outcome?;
            let halted = halts && live.run.stopped();
            if live.step == next_key && !segment.keys.contains_key(&next_key) {
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

    /// Memory that keyframes take [bytes], and the most steps that are done again to get anywhere.
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
