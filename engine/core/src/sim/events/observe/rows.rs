//! Output of a run: rows, records of instants, and the points given to measures and conditions.

use crate::lower::border::BorderId;
use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::monitors::{Monitors, Point};
use crate::sim::events::run::EventRun;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::discrete_state::DiscreteState;
use crate::sim::events::state::plan::Plan;
use crate::trace::{Event, Recorder, Row, What};
use situ_solve::slices::fill;

impl EventRun {
    /// Hands over the present row.
    pub(crate) fn record(&mut self, recorder: &mut impl Recorder) -> bool {
        self.record_at(self.time(), recorder)
    }

    /// Hands over the present row as one of a time that is one with the present.
    pub(crate) fn record_at(&mut self, time: f64, recorder: &mut impl Recorder) -> bool {
        let row = Row { time, ..self.row() };
        let broken = recorder.row(&row).is_break();
        fill(&mut self.state.shown.fired, 0);
        self.observe.recorded = Some(time);
        broken
    }

    /// Hands over the row behind an instant, which may be that of a row of the grid.
    pub(crate) fn record_instant(
        &mut self,
        row: Option<f64>,
        recorder: &mut impl Recorder,
    ) -> bool {
        self.observe.recorded = None;
        match row {
            _ if !self.plan.config.grid_only => self.record(recorder),
            Some(at) => self.record_at(at, recorder),
            None => false,
        }
    }

    /// Hands over the present row, unless it was the last one.
    pub(crate) fn record_once(&mut self, recorder: &mut impl Recorder) -> bool {
        self.observe.recorded != Some(self.time()) && self.record(recorder)
    }
}

/// Booleans as rows show them: switches, then ranges, then situations.
pub(super) fn write_truths(truths: &DiscreteState, words: &mut [u64]) {
    fill(words, 0);
    let mut at = 0;
    for bits in [&truths.switches, &truths.ranges, &truths.situations] {
        bits.write(words, at);
        at += bits.len();
    }
}

impl HybridState {
    /// Time of the next row of the grid.
    pub(crate) fn next_row(&self, plan: &Plan) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
        let row = (self.progress.rows + 1) as f64;
        plan.config.every.map(|every| row * every)
    }
}

impl Observation {
    /// Hands over what has been noted.
    pub(crate) fn tell(&mut self, recorder: &mut impl Recorder) -> bool {
        if !self.log.wanted || self.log.instant.events.is_empty() {
            return false;
        }
        let broken = recorder.instant(&self.log.instant).is_break();
        self.log.instant.events.clear();
        broken
    }

    /// The booleans as rows show them.
    pub(crate) fn write_words(&mut self, state: &HybridState) {
        write_truths(&state.discrete, &mut self.words);
    }

    /// Whether rows show what stands.
    pub(crate) fn words_are_right(&self, state: &HybridState) -> bool {
        let truths = &state.discrete;
        let bits = [&truths.switches, &truths.ranges, &truths.situations];
        let shown = |at: usize| self.words[at / 64] >> (at % 64) & 1 == 1;
        let bits = bits.into_iter().flat_map(|bits| bits.iter());
        bits.enumerate().all(|(at, bit)| bit == shown(at))
    }

    /// An event fires.
    pub(super) fn fires(&mut self, state: &mut HybridState, situation: usize) {
        let bit = state.discrete.switches.len() + state.discrete.ranges.len() + situation;
        state.shown.fired[bit / 64] |= 1 << (bit % 64);
        state.shown.latest[bit / 64] |= 1 << (bit % 64);
        self.seen.event(situation);
    }

    /// Measures and conditions are evaluated at the point where the state is.
    pub(crate) fn look(&mut self, state: &HybridState, dynamics: &Dynamics) {
        self.look_at(state, dynamics, Point::Standing);
    }

    /// The same behind a microstep, once.
    pub(crate) fn look_at_microstep(&mut self, state: &HybridState, dynamics: &Dynamics) {
        self.look_at(state, dynamics, Point::Microstep);
    }

    fn look_at(&mut self, state: &HybridState, dynamics: &Dynamics, point: Point) {
        if self.watching.looks_inside() {
            let mut watching = std::mem::take(&mut self.watching);
            dynamics.show(state, &mut watching, point);
            self.watching = watching;
        }
    }
}

impl Detection {
    /// Hands over remarks on places of the step under way that are passed already.
    pub(crate) fn tell_passed(
        &self,
        state: &HybridState,
        observe: &mut Observation,
        recorder: &mut impl Recorder,
    ) -> bool {
        if self.step.is_none() {
            return false;
        }
        let t = state.t;
        let is_ahead = |event: &Event| match &event.what {
            What::Marginal { between, .. } => between[0] > t,
            _ => false,
        };
        let all = std::mem::take(&mut observe.log.instant.events);
        let (ahead, passed) = all.into_iter().partition(is_ahead);
        observe.log.instant.events = passed;
        let broken = observe.tell(recorder);
        observe.log.instant.events = ahead;
        broken
    }
}

impl EventIteration {
    /// Notes the events that fire in a microstep, for the next row; whether there are any.
    pub(crate) fn note_fired(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
    ) -> bool {
        let fired = std::mem::take(&mut self.iteration.fired);
        for &situation in &fired {
            observe.fires(state, situation);
        }
        let any = !fired.is_empty();
        self.iteration.fired = fired;
        any
    }
}

impl EventRun {
    /// Comparisons that are watched compare the numbers with which the run begins.
    pub(crate) fn land_watched(&mut self) {
        for border in self.dynamics.views.watched.iter().map(|view| view.border) {
            let index = border.index();
            if self.state.discrete.flags.get(index) && !self.state.borders.only_watched[index] {
                let side = self.state.discrete.sides[index];
                self.observe.watching.land(border, side);
            }
        }
    }
}

impl Dynamics {
    /// True if a comparison that is watched has this border.
    pub(crate) fn is_watched(&self, border: BorderId) -> bool {
        self.views.watched.iter().any(|view| view.border == border)
    }

    /// Gives measures and conditions the present point.
    pub(crate) fn show(&self, state: &HybridState, watching: &mut Monitors, point: Point) {
        // Along a slide the side on entry tells.
        let bound = |border| self.bound.slides.contains(&border) || self.motion.bound_to(border);
        watching.leave_all(bound);
        watching.follow_sides(&self.views.watched, &state.discrete.sides);
        watching.take(&state.discrete, &state.reals, state.t, point);
    }
}
