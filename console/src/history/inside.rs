//! Places inside a step of the method at which conditions begin to hold.
//!
//! A step is looked at in a few places: what begins and ends between two of them is not seen.

use crate::Console;
use crate::history::stops::Probe;
use situ_engine::model::Model;
use situ_explain::{At, SegmentId, Stepper};

/// A step is looked at in the ends of so many parts of equal length.
const PARTS: u32 = 16;

/// Halvings of a part; more do not fit between two numbers.
const HALVINGS: u32 = 80;

/// Distance of two places right before the end of a step from each other, and of the later one from the end [part of the
/// step].
const RIGHT_BEFORE: f64 = 1e-6;

/// A step of a segment: where it begins and where it ends.
#[derive(Clone, Copy)]
pub(crate) struct StepDone {
    pub(crate) segment: SegmentId,
    pub(crate) from: At,
    pub(crate) to: At,
}

/// The part of a step in which a condition begins to hold [units of `time`].
struct Part {
    base: Stepper,
    low: f64,
    high: f64,
}

impl Part {
    /// The first time at which a condition is seen to hold, if it does not at the beginning; `None` if that is the end.
    fn narrowed(&self, model: &Model, probe: &Probe) -> Option<f64> {
        let (mut low, mut high) = (self.low, self.high);
        let mut found = None;
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            let mut run = self.base.clone();
            // So near to the end of the step that it is the end.
            let at_end = !run.advance_to(middle).ok()?;
            if at_end {
                high = middle;
            } else if probe.holds_now(model, &run) {
                high = middle;
                found = Some(middle);
            } else {
                low = middle;
            }
        }
        found
    }
}

impl Console {
    /// The places inside a step at which conditions begin to hold, ascending, each with the number of the condition. The
    /// probes have looked at the step up to its last part then. None in a tick.
    ///
    /// Shapes: `most`: of so many places.
    pub(crate) fn arisings_inside(
        &mut self,
        model: &Model,
        probes: &mut [&mut Probe],
        step: StepDone,
        most: usize,
    ) -> Vec<(usize, At)> {
        let mut found = Vec::new();
        if !probes.iter().any(|probe| probe.lasts(model)) {
            return found;
        }
        let end = self.segments.at(step.segment, step.to);
        if end.ticks().is_some() {
            return found;
        }
        let end_time = end.time();
        let base = self.segments.at(step.segment, step.from).clone();
        let (begin, mut low) = (base.time(), base.time());
        let mut run = base.clone();
        for part in 1..PARTS {
            let high = begin + (end_time - begin) * f64::from(part) / f64::from(PARTS);
            if high <= low || high >= end_time || !run.advance_to(high).unwrap_or(false) {
                break;
            }
            let mut here = Vec::new();
            for (number, probe) in probes.iter_mut().enumerate() {
                if probe.lasts(model) && probe.arises_now(model, &run) {
                    let base = base.clone();
                    let cut = Part { base, low, high }.narrowed(model, probe);
                    here.push((number, cut.unwrap_or(high)));
                }
            }
            here.sort_by(|one, other| one.1.total_cmp(&other.1));
            found.extend(here.into_iter().map(|(number, cut)| {
                let cut = Some(cut);
                (number, At { cut, ..step.to })
            }));
            if found.len() >= most {
                break;
            }
            low = high;
        }
        found
    }

    /// The run at two places right before the instant at the end of a step, as far from each other as from the end; `None` if
    /// there is none, and in ticks.
    pub(crate) fn before_instant(&mut self, step: StepDone) -> Option<[Stepper; 2]> {
        let end = self.segments.at(step.segment, step.to);
        end.microsteps().next()?;
        let end_time = end.time();
        let begin = self.segments.at(step.segment, step.from).clone();
        let way = RIGHT_BEFORE * (end_time - begin.time());
        let at = |places: f64| {
            let mut run = begin.clone();
            let is_inside = run.advance_to(end_time - places * way).ok()?;
            is_inside.then_some(run)
        };
        Some([at(2.0)?, at(1.0)?])
    }

    /// The place inside a step at which the table's `stop_when` comes true.
    pub(crate) fn stop_inside(&mut self, step: StepDone) -> Option<At> {
        let cut = self.segments.at(step.segment, step.from).stop_inside()?;
        let end = self.segments.at(step.segment, step.to).time();
        let cut = Some(cut).filter(|cut| *cut < end)?;
        Some(At {
            cut: Some(cut),
            ..step.to
        })
    }

    /// The place in the last part of a step at which a condition that holds at its end begins to hold; `None` if that is the
    /// end, or if it is looked for at ends of steps only.
    pub(crate) fn arising_at_end(
        &mut self,
        model: &Model,
        probe: &Probe,
        step: StepDone,
    ) -> Option<At> {
        let end = self.segments.at(step.segment, step.to);
        if end.ticks().is_some() || !probe.lasts(model) {
            return None;
        }
        let high = end.time();
        let base = self.segments.at(step.segment, step.from).clone();
        let begin = base.time();
        let low = begin + (high - begin) * f64::from(PARTS - 1) / f64::from(PARTS);
        let mut inside = base.clone();
        let holds = |run: &Stepper| probe.holds_now(model, run);
        // It may hold in the last part already, and then from an end of a part on that rounding hid.
        let low = match inside.advance_to(low) {
            Ok(true) if !holds(&inside) => low,
            _ => begin,
        };
        let cut = Part { base, low, high }.narrowed(model, probe);
        let cut = Some(cut?);
        Some(At { cut, ..step.to })
    }
}
