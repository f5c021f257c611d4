//! Blame: how much each row moved a value.

mod exact;
mod ledger;
mod rows;

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::EventRun;

use self::ledger::Ledger;
pub use self::ledger::{Mover, Share};
use crate::history::{At, History};
use crate::why_real::real_named;
use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// How much each row moved a value; the shares sum up to the change.
#[derive(Clone, Debug)]
pub struct Blame {
    /// Time and value at the begin.
    pub from: (f64, f64),
    /// Time and value at the end.
    pub to: (f64, f64),
    /// The largest first.
    pub shares: Vec<Share>,
}

impl<T> Past<'_, T> {
    /// How much each row moved a real, from a place of history on to the present.
    ///
    /// A row that sums itself up tick by tick (an integral, `n = n + 1`) moved the value by what it
    /// added. A row that writes the value anew moved it by the difference to what it, or the row before
    /// it, had written; a row that adds to that in the same tick, by the change of what it adds.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn blame(
        &mut self,
        name: &str,
        from: &History,
        progress: &mut dyn ProgressSink,
    ) -> Result<Blame, Interrupted> {
        let history = self.history.clone();
        let mut ledger = self.ledger_at(from, name, progress)?;
        let mut seen = from.clone();
        let (segment, at) = seen.place();
        let mut model = self.model_of(seen.piece());
        // When the real came to be, with its value there; its value now.
        let mut first = (self.segments.at(segment, at).time(), f64::NAN);
        let mut value: Option<f64> = None;
        let mut piece = seen.piece();
        let mut done = 0_u64;
        loop {
            // What was done at the prompt between the steps, one after the other.
            for passed in (piece + 1).min(seen.piece())..=seen.piece() {
                let segment = seen.pieces()[passed].segment;
                let at = match passed == seen.piece() {
                    true => seen.place().1,
                    false => At::default(),
                };
                if passed != piece {
                    model = self.model_of(passed);
                }
                let run = self.segments.at(segment, at);
                let Some(target) = real_named(&model, name) else {
                    continue;
                };
                let (time, present) = (run.time(), run.row().real(target));
                match value {
                    None => {
                        // What event rows did at the start, before the first step.
                        let events = run.events().filter(|_| passed == 0 && at == At::default());
                        let effects = events.map(EventRun::step_effects).unwrap_or_default();
                        let mut effects =
                            effects.iter().filter(|one| one.real == target).peekable();
                        first = (time, effects.peek().map_or(present, |one| one.before));
                        for effect in effects {
                            let row = Mover::row(&model, effect.relation);
                            ledger.move_by(&row, effect.after, effect.before);
                        }
                    }
                    Some(before) if before.to_bits() == present.to_bits() => continue,
                    Some(before) => {
                        let cause = self.segments.cause(segment).to_owned();
                        ledger.move_by(&Mover::Outside(cause), present, before);
                    }
                }
                value = Some(present);
            }
            piece = seen.piece();
            let (segment, at) = seen.place();
            if seen.place() == history.place() && seen.piece() == history.piece() {
                break;
            }
            let mut next = seen.next().1;
            if seen.piece() == history.piece() && history.place().1.step == next.step {
                next = history.place().1;
            }
            let run = self.segments.at(segment, at);
            if let (Some(before), Some(target)) = (value, real_named(&model, name)) {
                value = Some(match run.ticks() {
                    Some(ticks) => ledger.tick(&model, ticks, target, before),
                    None => ledger.step((run, &model), next, target, before),
                });
            }
            seen.forward_to(next);
            done += 1;
            if done.is_multiple_of(STRETCH) {
                look(progress, done, 0)?;
            }
        }
        Ok(Blame {
            from: first,
            to: (self.run().time(), value.unwrap_or(f64::NAN)),
            shares: ledger.shares(),
        })
    }

    /// The ledger at a place of history, which knows what the rows of the last tick that wrote a real have made of it.
    fn ledger_at(
        &mut self,
        from: &History,
        name: &str,
        progress: &mut dyn ProgressSink,
    ) -> Result<Ledger, Interrupted> {
        let mut ledger = Ledger::default();
        let begin = from.steps_before();
        let mut end = begin;
        while end > 0 && self.segments.is_in_ticks(from.segment()) {
            let first = end.saturating_sub(STRETCH).max(1);
            let mut last: Option<u64> = None;
            self.each_decided((first, end), &mut |step, model, run| {
                let target = real_named(model, name);
                let mut writers = target.into_iter().flat_map(|real| model.writers(real));
                if writers.any(|id| run.is_active(id)) {
                    last = Some(step);
                }
            });
            if let Some(step) = last {
                let before = self.history.at_step(step - 1);
                let (segment, at) = before.place();
                let model = self.model_of(before.piece());
                let run = self.segments.at(segment, at);
                if let (Some(ticks), Some(target)) = (run.ticks(), real_named(&model, name)) {
                    ledger.recall(&model, ticks, target);
                }
                break;
            }
            end = first - 1;
            look(progress, begin - end, begin)?;
        }
        Ok(ledger)
    }

    /// The model of a piece of history, with the names that it has at the present.
    fn model_of(&self, piece: usize) -> Arc<Model> {
        let now = self.history.piece();
        self.segments.named(&self.history, (piece, now))
    }
}
