//! Walks along a history, step by step.

use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::model::Model;

use super::Segments;
use crate::history::{At, History, SegmentId};
use crate::stepper::Stepper;

/// What looks at steps: the segment, the model by whose names it is known, the run; ends the walk if it breaks.
pub type EachStep<'e> = dyn FnMut(SegmentId, &Arc<Model>, &Stepper) -> ControlFlow<()> + 'e;

impl<T> Segments<T> {
    /// The piece at whose end lies an instant of an event-accurate run, and that end, if a run was changed there and nothing
    /// was run since.
    pub(crate) fn instant_before(&mut self, history: &History) -> Option<(usize, At)> {
        let pieces = &history.pieces()[..history.piece()];
        let at_change = history.place().1.step == 0;
        let left = pieces.iter().rposition(|piece| piece.end.step > 0)?;
        let end = pieces[left].end;
        if !at_change || end.cut.is_some() {
            return None;
        }
        let run = self.at(pieces[left].segment, end);
        run.microsteps().next().is_some().then_some((left, end))
    }

    /// The same, if the run that goes on does not know of that instant any more.
    pub(crate) fn forgotten_instant(&mut self, history: &History) -> Option<(usize, At)> {
        let (left, end) = self.instant_before(history)?;
        let mut since = history.pieces()[left + 1..=history.piece()].iter();
        let forgets = since.any(|piece| !self.segment(piece.segment).goes_on);
        forgets.then_some((left, end))
    }

    /// Calls `each` for every step from one number of steps to another, both included, with the model by whose names it is
    /// known at the place from which the history is seen. At a change, only what stands after it is shown.
    pub fn walk(&mut self, history: &History, from: u64, to: u64, each: &mut EachStep<'_>) {
        self.walk_over(history, (from, to), false, each);
    }

    /// The same, but where a run was changed behind an instant, the end of that instant is shown before what stands after the
    /// change: nothing that happened in it is known to the run that goes on.
    pub fn walk_with_instants(
        &mut self,
        history: &History,
        from: u64,
        to: u64,
        each: &mut EachStep<'_>,
    ) {
        self.walk_over(history, (from, to), true, each);
    }

    fn walk_over(
        &mut self,
        history: &History,
        (from, to): (u64, u64),
        with_instants: bool,
        each: &mut EachStep<'_>,
    ) {
        let mut seen = history.at_step(from);
        let mut at = from;
        let mut known: Option<(usize, Arc<Model>)> = None;
        loop {
            // The place at which one stands may lie inside a step.
            let present = at == history.steps_before();
            let here = if present { history } else { &seen };
            let ((segment, place), piece) = (here.place(), here.piece());
            if with_instants && let Some((left, end)) = self.forgotten_instant(here) {
                let model = self.named(history, (left, history.piece()));
                let segment = history.pieces()[left].segment;
                if each(segment, &model, self.at(segment, end)).is_break() {
                    return;
                }
            }
            let (_, model) = match known.take() {
                Some(found) if found.0 == piece => known.insert(found),
                _ => known.insert((piece, self.named(history, (piece, history.piece())))),
            };
            if each(segment, model, self.at(segment, place)).is_break() || at >= to {
                return;
            }
            at += 1;
            seen.forward();
        }
    }
}
