//! What is told of a run: rows, records of instants, and what measures and conditions see.

use crate::sim::events::observe::monitors::Watching;
use crate::sim::events::run::Hybrid;
use crate::trace::{Event, Recorder, What};
use situ_solve::slices::fill;

impl Hybrid {
    /// Hands over the present row.
    pub(crate) fn record(&mut self, recorder: &mut impl Recorder) -> bool {
        let broken = recorder.row(&self.row()).is_break();
        fill(&mut self.state.shown.fired, 0);
        self.observe.recorded = Some(self.state.t);
        broken
    }

    /// Hands over the present row, unless it was the last one.
    pub(crate) fn record_once(&mut self, recorder: &mut impl Recorder) -> bool {
        self.observe.recorded != Some(self.state.t) && self.record(recorder)
    }

    /// Time of the next row of the grid.
    pub(crate) fn next_row(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
        let row = (self.state.progress.rows + 1) as f64;
        self.plan.config.every.map(|every| row * every)
    }

    /// Hands over what has been noted.
    pub(crate) fn tell(&mut self, recorder: &mut impl Recorder) -> bool {
        if !self.observe.log.wanted || self.observe.log.instant.events.is_empty() {
            return false;
        }
        let broken = recorder.instant(&self.observe.log.instant).is_break();
        self.observe.log.instant.events.clear();
        broken
    }

    /// Hands over remarks on places of the step under way that are passed already.
    pub(crate) fn tell_passed(&mut self, recorder: &mut impl Recorder) -> bool {
        if self.detect.step.is_none() {
            return false;
        }
        let t = self.state.t;
        let is_ahead = |event: &Event| match &event.what {
            What::Marginal { between, .. } => between[0] > t,
            _ => false,
        };
        let all = std::mem::take(&mut self.observe.log.instant.events);
        let (ahead, passed) = all.into_iter().partition(is_ahead);
        self.observe.log.instant.events = passed;
        let broken = self.tell(recorder);
        self.observe.log.instant.events = ahead;
        broken
    }

    /// The booleans as rows show them.
    pub(crate) fn write_words(&mut self) {
        fill(&mut self.observe.words, 0);
        let truths = &self.state.discrete;
        let mut at = 0;
        for bits in [&truths.switches, &truths.ranges, &truths.situations] {
            bits.write(&mut self.observe.words, at);
            at += bits.len();
        }
    }

    /// Whether rows show what stands.
    pub(crate) fn words_are_right(&self) -> bool {
        let truths = &self.state.discrete;
        let bits = [&truths.switches, &truths.ranges, &truths.situations];
        let shown = |at: usize| self.observe.words[at / 64] >> (at % 64) & 1 == 1;
        let bits = bits.into_iter().flat_map(|bits| bits.iter());
        bits.enumerate().all(|(at, bit)| bit == shown(at))
    }

    /// Notes the events that fire in a microstep, for the next row; whether there are any.
    pub(crate) fn note_fired(&mut self) -> bool {
        let fired = std::mem::take(&mut self.events.iteration.fired);
        for &situation in &fired {
            self.fires(situation);
        }
        let any = !fired.is_empty();
        self.events.iteration.fired = fired;
        any
    }

    /// An event fires.
    pub(super) fn fires(&mut self, situation: usize) {
        let bit = self.state.discrete.switches.len() + self.state.discrete.ranges.len() + situation;
        self.state.shown.fired[bit / 64] |= 1 << (bit % 64);
        self.state.shown.latest[bit / 64] |= 1 << (bit % 64);
        self.observe.seen.event(situation);
    }

    /// Measures and conditions look at the point where the state is.
    pub(crate) fn look(&mut self) {
        if self.observe.watching.looks_inside() {
            let mut watching = std::mem::take(&mut self.observe.watching);
            self.show(&mut watching, false);
            self.observe.watching = watching;
        }
    }

    pub(crate) fn show(&self, watching: &mut Watching, is_last: bool) {
        watching.follow_sides(&self.dynamics.views.watched, &self.state.discrete.sides);
        watching.take(
            &self.plan.model,
            &self.state.discrete,
            &self.plan.constants,
            &self.state.reals,
            self.state.t,
            is_last,
        );
    }
}
