//! Segments: pieces of trajectory between two changes, kept as keyframes and replayed in between.
//!
//! A *segment* is a run of one model from one state on; it begins at the start, or where something was set or edited.
//! It replays to the same bits. Keyframes are thinned out when they take more than [`BUDGET`].

mod delay_pasts;
mod renames;
mod walks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::{NamedState, RunConfig, RunFault, RunState, SetupError};
use situ_engine::trace::Row;

use self::renames::renamed;
pub use self::walks::EachStep;
use crate::history::{At, Cut, History, SegmentId};
use crate::stepper::{Equipment, FailedStep, Stepper};

/// Memory for keyframes (in bytes).
pub(crate) const BUDGET: usize = 24 << 20;

/// Distance of keyframes in a new segment [steps].
const FIRST_STRIDE: u64 = 64;

/// A run of one version from one state on.
#[derive(Debug)]
struct Segment<T> {
    /// What its owner keeps with it.
    label: T,
    model: Arc<Model>,
    /// The run at its beginning, and its state there.
    origin: Stepper,
    start: RunState,
    /// Cause with which it began, for people.
    cause: String,
    /// States by the number of steps before them, with their times.
    keys: BTreeMap<u64, (f64, RunState)>,
    stride: u64,
    bytes: usize,
    /// True if it goes on with the same run under other names.
    goes_on: bool,
}

/// All segments, and the one run that is live.
///
/// A [`History`] goes with the segments that began it; one whose segments [`Segments::keep`] has dropped is of no more use.
#[derive(Debug)]
pub struct Segments<T = ()> {
    segments: BTreeMap<SegmentId, Segment<T>>,
    next: u64,
    live: Option<Live>,
    /// Segments left by the last collection.
    kept: usize,
    /// The first fault of a step that had been done before without one.
    failed: Option<(SegmentId, RunFault)>,
    /// What is done to the runs of new segments.
    pub equipment: Equipment,
}

#[derive(Debug)]
struct Live {
    segment: SegmentId,
    at: At,
    run: Stepper,
}

/// No segments.
impl<T> Default for Segments<T> {
    fn default() -> Self {
        Self {
            segments: BTreeMap::new(),
            next: 0,
            live: None,
            kept: 0,
            failed: None,
            equipment: Equipment::default(),
        }
    }
}

impl<T> Segments<T> {
    /// A new history that begins with the start values.
    ///
    /// Shapes: `label`: what is kept with the segment; `cause`: what it began with, for people.
    ///
    /// # Errors
    ///
    /// The model cannot be run so.
    pub fn begin(
        &mut self,
        model: &Arc<Model>,
        config: &RunConfig,
        label: T,
        cause: &str,
    ) -> Result<History, SetupError> {
        let origin = Stepper::begin(model, config, None, &self.equipment)?;
        Ok(History::beginning(self.add(label, origin, cause)))
    }

    /// A history that goes on with another model, from what the run has now.
    ///
    /// # Errors
    ///
    /// The model cannot be run so.
    pub fn change(
        &mut self,
        history: &History,
        (model, config): (&Arc<Model>, &RunConfig),
        carried: &NamedState,
        label: T,
        cause: &str,
    ) -> Result<History, SetupError> {
        let carried = self.with_pasts(history, model, carried);
        let origin = Stepper::begin(model, config, Some(&carried), &self.equipment)?;
        let segment = self.add(label, origin, cause);
        Ok(history.with_change(segment))
    }

    /// A history that goes on with the same run under other names, or with another stop, other rows or budgets: not a
    /// bit of what follows changes. `None` if the model is another in more than that.
    pub fn continued(
        &mut self,
        history: &History,
        (model, config): (&Arc<Model>, &RunConfig),
        label: T,
        cause: &str,
    ) -> Option<History> {
        let (segment, at) = history.place();
        let mut same = Model::clone(self.model(segment));
        same.name.clone_from(&model.name);
        let (clock, own) = (&model.clock, &mut same.clock);
        (own.stop, own.every) = (clock.stop, clock.every);
        own.max_events = clock.max_events;
        own.max_steps = clock.max_steps;
        own.max_rows = clock.max_rows;
        if !model.differs_in_names_only(&same) {
            return None;
        }
        let saved = self.at(segment, at).saved();
        let mut origin = Stepper::begin(model, config, None, &self.equipment).ok()?;
        origin.load(&saved).ok()?;
        let segment = self.add(label, origin, cause);
        self.segments.get_mut(&segment)?.goes_on = true;
        Some(history.with_change(segment))
    }

    fn add(&mut self, label: T, origin: Stepper, cause: &str) -> SegmentId {
        let id = SegmentId(self.next);
        self.next += 1;
        self.segments.insert(
            id,
            Segment {
                label,
                model: Arc::clone(origin.model()),
                start: origin.state(),
                origin,
                cause: cause.to_owned(),
                keys: BTreeMap::new(),
                stride: FIRST_STRIDE,
                bytes: 0,
                goes_on: false,
            },
        );
        id
    }

    fn segment(&self, id: SegmentId) -> &Segment<T> {
        self.segments
            .get(&id)
            .expect("histories keep their segments")
    }

    /// What is kept with a segment.
    pub fn label(&self, id: SegmentId) -> &T {
        &self.segment(id).label
    }

    /// The model of a segment.
    pub fn model(&self, id: SegmentId) -> &Arc<Model> {
        &self.segment(id).model
    }

    /// The model of a piece of a history by the names that a later piece has.
    ///
    /// Shapes: indices of the piece and of the later one.
    pub fn named(&self, history: &History, (piece, later): (usize, usize)) -> Arc<Model> {
        let pieces = &history.pieces()[piece..=later.max(piece)];
        let mut model = Arc::clone(self.model(pieces[0].segment));
        // As long as only names differ the later model itself is meant.
        let mut is_own = true;
        for two in pieces.windows(2) {
            let (before, after) = (self.model(two[0].segment), self.model(two[1].segment));
            if !self.segment(two[1].segment).goes_on {
                is_own = false;
            } else if is_own {
                model = Arc::clone(after);
            } else if let Some(renamed) = renamed(&model, before, after) {
                model = renamed;
            }
        }
        model
    }

    /// Cause with which a segment began.
    pub fn cause(&self, id: SegmentId) -> &str {
        &self.segment(id).cause
    }

    /// The time at which a segment begins.
    pub fn start_time(&self, id: SegmentId) -> f64 {
        self.segment(id).origin.time()
    }

    /// True if the table's `stop_when` ends a segment where it begins.
    pub fn stops_at_start(&self, id: SegmentId) -> bool {
        self.segment(id).origin.stopped()
    }

    /// True if a segment is run in ticks.
    pub fn is_in_ticks(&self, id: SegmentId) -> bool {
        self.segment(id).origin.ticks().is_some()
    }

    /// The length of the ticks of a segment [units of `time`]; `None` if they are uneven or there are none.
    pub fn tick_length(&self, id: SegmentId) -> Option<f64> {
        self.segment(id).origin.tick_length()
    }

    /// The run of a segment at a place to which it has been run before; at the end of the step, if a time inside it lies
    /// beyond what can be looked at, as in a Zeno limit.
    ///
    /// Should a step fail that did not fail before, the run stands there, and [`Segments::take_failure`] tells of it.
    pub fn at(&mut self, id: SegmentId, at: At) -> &mut Stepper {
        let segment = self
            .segments
            .get(&id)
            .expect("histories keep their segments");
        let whole = at.whole();
        let key = segment.keys.range(..=whole).next_back();
        let stays = self.live.as_ref().is_some_and(|live| {
            live.segment == id
                && live.at <= at
                && (live.at == at || live.at.microstep().is_none())
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
        let mut outcome = Ok(());
        if !(same_step && at.cut.is_some()) {
            outcome = self.ahead(whole, false);
        }
        let live = self.live.as_mut().expect("it was just put there");
        if let Some(cut) = at.cut
            && live.at != at
            && outcome.is_ok()
        {
            outcome = live.run.advance_into(cut).map(|inside| {
                live.at = if inside { at } else { At::step(at.step) };
            });
        }
        if let Err(FailedStep { fault, .. }) = outcome {
            self.failed.get_or_insert((id, fault));
        }
        &mut live.run
    }

    /// The fault of a step that had been done before without one, of which nobody was told yet, and its segment.
    pub fn take_failure(&mut self) -> Option<(SegmentId, RunFault)> {
        self.failed.take()
    }

    /// Runs a segment on from a place; stops early if the table's `stop_when` comes true.
    ///
    /// Result: where it stands then, and the fault if one came: the last place before it at which all is defined.
    pub fn advance(&mut self, (id, at): (SegmentId, At), steps: u64) -> (At, Result<(), RunFault>) {
        self.at(id, at.outset());
        let outcome = self.ahead(at.forward(steps).step, true);
        self.arrived(outcome)
    }

    /// Runs a segment on to a time, at most to the end of the present step or of the next.
    ///
    /// Result: as that of [`Segments::advance`].
    pub fn advance_to(
        &mut self,
        (id, at): (SegmentId, At),
        until: f64,
    ) -> (At, Result<(), RunFault>) {
        self.at(id, at.outset());
        let live = self.live.as_mut().expect("it was put there by `at`");
        let outcome = live.run.advance_to(until).map(|inside| {
            live.at = At {
                step: live.at.whole() + 1,
                cut: inside.then_some(Cut::Time(until)),
            };
        });
        self.arrived(outcome)
    }

    /// The place to which the live run has come; of a step that failed, the last place in it that is defined.
    fn arrived(&mut self, outcome: Result<(), FailedStep>) -> (At, Result<(), RunFault>) {
        let live = self.live.as_mut().expect("it was put there by `at`");
        let Err(FailedStep { fault, inside }) = outcome else {
            return (live.at, Ok(()));
        };
        let (id, mut at) = (live.segment, live.at);
        if live.run.ticks().is_none() {
            // What stands is neither before the step nor behind it.
            self.live = None;
            if let Some(time) = inside.and_then(|time| self.at(id, at).defined_before(time)) {
                at = At {
                    step: at.whole() + 1,
                    cut: Some(Cut::Time(time)),
                };
            }
        }
        (at, Err(fault))
    }

    /// Does ticks that were done before again, from a place on, and calls `each` for the row after each of them.
    ///
    /// Shapes: `to`: ticks of the segment after the last of them.
    pub fn each_tick(
        &mut self,
        (id, from): (SegmentId, At),
        to: u64,
        each: &mut dyn FnMut(&Row<'_>),
    ) {
        self.at(id, from);
        let live = self.live.as_mut().expect("it was put there by `at`");
        while let left @ 1.. = to.saturating_sub(live.at.whole())
            && let Some((done, outcome)) = live.run.repeat_ticks(left, each)
        {
            live.at = live.at.forward(done);
            if let Err(fault) = outcome {
                self.failed.get_or_insert((id, fault));
                return;
            }
        }
    }

    /// Runs the live segment on to the end of a step and leaves keyframes behind.
    fn ahead(&mut self, goal: u64, halts: bool) -> Result<(), FailedStep> {
        while let Some(live) = self.live.as_mut()
            && live.at < At::step(goal)
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
    pub fn find(&mut self, id: SegmentId, end: At, time: f64) -> At {
        let segment = self
            .segments
            .get(&id)
            .expect("histories keep their segments");
        let keys = segment.keys.iter().rev();
        let mut before = keys
            .filter(|(step, (at, _))| **step <= end.whole() && *at <= time)
            .map(|(step, _)| *step);
        let mut found = At::step(before.next().unwrap_or(0));
        let slack = 1e-12 * time.abs();
        loop {
            let next = found.forward(1);
            let next = if next > end { end } else { next };
            if next == found {
                return found;
            }
            let reached = self.at(id, next).time();
            if reached > time + slack {
                let run = self.at(id, found);
                let ends_here = (run.time() - time).abs() <= slack || run.ticks().is_some();
                let cut = At {
                    step: found.step + 1,
                    cut: Some(Cut::Time(time)),
                };
                if ends_here {
                    return found;
                }
                self.at(id, cut);
                let is_over = self.live.as_ref().is_some_and(|live| live.at == next);
                return if is_over { next } else { cut };
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
    pub fn cost(&self) -> (usize, u64) {
        let segments = self.segments.values();
        let stride = segments.clone().map(|segment| segment.stride).max();
        (
            segments.map(|segment| segment.bytes).sum(),
            stride.unwrap_or(0),
        )
    }

    /// True if there are many more segments than were needed.
    pub fn wants_collection(&self) -> bool {
        self.segments.len() > 2 * self.kept + 64
    }

    /// Forgets all segments but these.
    pub fn keep(&mut self, used: &BTreeSet<SegmentId>) {
        self.segments.retain(|id, _| used.contains(id));
        self.kept = self.segments.len();
        self.live = self.live.take().filter(|live| used.contains(&live.segment));
    }
}
