//! Places inside a step of the method at which conditions begin to hold.
//!
//! A step is looked at in a few places, in the extremes between them, and where a comparison turns.

use std::cmp::Ordering;

use crate::Console;
use crate::history::stops::{Probe, beats};
use situ_engine::ids::ScheduleId;
use situ_engine::model::{Beats, Model};
use situ_explain::{At, Cut, SegmentId, Stepper};

/// A step is looked at in the ends of so many parts of equal length.
const PARTS: u32 = 16;

/// Halvings of a part; more do not fit between two numbers.
const HALVINGS: u32 = 80;

/// Steps of the golden section; further on, rounding decides which of two places lies deeper.
const SECTIONS: u32 = 50;

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

/// A step as conditions see it: its comparisons at any time inside.
struct Inside<'s> {
    model: &'s Model,
    probes: &'s [&'s mut Probe],
    base: &'s Stepper,
}

impl Inside<'_> {
    /// The distances of comparisons from turning; `None` if the time does not lie inside the step [their units].
    fn distances(&self, at: f64) -> Option<Vec<f64>> {
        let mut run = self.base.clone();
        let is_inside = at <= run.time() || run.advance_to(at).ok()?;
        let mut distances = Vec::new();
        for probe in self.probes {
            probe.distances(self.model, &run, &mut distances);
        }
        is_inside.then_some(distances)
    }

    /// Times right behind those at which a comparison turns, with those of a pair of turns that lie between two places
    /// [units of `time`].
    fn turns(&self, end: f64) -> Vec<f64> {
        let begin = self.base.time();
        let parts = (1..PARTS).map(|part| f64::from(part) / f64::from(PARTS));
        let right_before = [1.0 - 2.0 * RIGHT_BEFORE, 1.0 - RIGHT_BEFORE];
        let places = [0.0, RIGHT_BEFORE].into_iter().chain(parts);
        let places = places.chain(right_before);
        let looks: Vec<(f64, Vec<f64>)> = places
            .map(|part| begin + (end - begin) * part)
            .filter_map(|at| Some((at, self.distances(at)?)))
            .collect();
        let mut turns = Vec::new();
        for number in 0..looks.first().map_or(0, |(_, first)| first.len()) {
            let mut seen: Vec<(f64, f64)> =
                looks.iter().map(|(at, all)| (*at, all[number])).collect();
            for extreme in looks
                .windows(3)
                .filter_map(|three| self.turned_extreme(three, number))
            {
                seen.insert(seen.partition_point(|look| look.0 < extreme.0), extreme);
            }
            let pairs = seen.windows(2).map(|pair| (pair[0], pair[1]));
            let turned = pairs.filter(|(one, other)| side(one.1) != side(other.1));
            turns.extend(turned.map(|(one, other)| self.turn(one, other, number)));
        }
        turns
    }

    /// The place between three looks at which a comparison that has not turned in them has turned, with its distance there.
    fn turned_extreme(&self, looks: &[(f64, Vec<f64>)], number: usize) -> Option<(f64, f64)> {
        /// The smaller part of the golden section.
        const GOLDEN: f64 = 0.381_966_011_250_105_1;
        let [before, middle, after] = [0, 1, 2].map(|look: usize| looks[look].1[number]);
        let side = middle.signum();
        let is_nearest = side * middle <= side * before && side * middle < side * after;
        // Even in a corner it does not lie further below the middle than the ends lie above.
        let depth = (side * before).max(side * after) - side * middle;
        if !is_nearest || side * middle > depth {
            return None;
        }
        let (mut low, mut best, mut high) = (looks[0].0, looks[1].0, looks[2].0);
        let mut least = side * middle;
        for _ in 0..SECTIONS {
            let is_left = best - low > high - best;
            let at = match is_left {
                true => best - GOLDEN * (best - low),
                false => best + GOLDEN * (high - best),
            };
            let distance = side * self.distances(at)?[number];
            if distance < 0.0 {
                return Some((at, side * distance));
            }
            match (distance < least, is_left) {
                (true, true) => (high, best, least) = (best, at, distance),
                (true, false) => (low, best, least) = (best, at, distance),
                (false, true) => low = at,
                (false, false) => high = at,
            }
        }
        None
    }

    /// The time right behind the turn of a comparison between two places.
    fn turn(&self, (mut low, _): (f64, f64), (mut high, other): (f64, f64), number: usize) -> f64 {
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            let Some(distances) = self.distances(middle) else {
                break;
            };
            match side(distances[number]) == side(other) {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }
}

/// The side of a border on which a distance lies; `None` if it has no value.
fn side(distance: f64) -> Option<Ordering> {
    distance.partial_cmp(&0.0)
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
        let end = self.segments.at(step.segment, step.to);
        let beats = beats_of_texts(model, end);
        let looks = !beats.is_empty() || probes.iter().any(|probe| probe.lasts(model));
        if end.ticks().is_some() || !looks {
            return found;
        }
        let end_time = end.time();
        let base = self.segments.at(step.segment, step.from).clone();
        let (begin, mut low) = (base.time(), base.time());
        let mut run = base.clone();
        let inside = Inside {
            model,
            probes,
            base: &base,
        };
        let mut places = inside.turns(end_time);
        places.extend(
            (1..PARTS).map(|part| begin + (end_time - begin) * f64::from(part) / f64::from(PARTS)),
        );
        places.sort_by(f64::total_cmp);
        places.dedup();
        let mut places = places.into_iter().peekable();
        while found.len() < most {
            let place = places.peek().copied().unwrap_or(f64::INFINITY);
            let next = beats.iter().map(|beats| beats.time(beats.reached(low)));
            let beat = next.filter(|beat| *beat > low);
            let beat = beat.fold(f64::INFINITY, f64::min);
            let high = place.min(beat);
            places.next_if_eq(&high);
            if high <= low || high >= end_time || !run.advance_to(high).unwrap_or(false) {
                break;
            }
            let mut here = Vec::new();
            for (number, probe) in probes.iter_mut().enumerate() {
                if probe.lasts(model) && probe.arises_now(model, &run) {
                    let base = base.clone();
                    let cut = Part { base, low, high }.narrowed(model, probe);
                    here.push((number, cut.unwrap_or(high)));
                } else if high == beat && probe.may_beat(model) && probe.stops(model, &run, None) {
                    here.push((number, high));
                }
            }
            here.sort_by(|one, other| one.1.total_cmp(&other.1));
            found.extend(here.into_iter().map(|(number, cut)| {
                let cut = Some(Cut::Time(cut));
                (number, At { cut, ..step.to })
            }));
            low = high;
        }
        found
    }

    /// The places at the end of a step at which conditions are met, ascending, each with the number of the condition: behind
    /// the microsteps of the instant there, or at the end itself.
    pub(crate) fn arisings_at_end(
        &mut self,
        model: &Model,
        probes: &mut [&mut Probe],
        step: StepDone,
    ) -> Vec<(usize, At)> {
        let before = self.before_instant(step);
        let mut found = Vec::new();
        let mut look = |run: &Stepper, at: At, before: Option<&[Stepper; 2]>| {
            for (number, probe) in probes.iter_mut().enumerate() {
                if probe.stops(model, run, before) {
                    let at = if probe.sees_microsteps() { at } else { step.to };
                    found.push((number, at));
                }
            }
        };
        let end = self.segments.at(step.segment, step.to);
        if end.microsteps().next().is_none() {
            look(end, step.to, before.as_ref());
            return found;
        }
        let mut run = self.segments.at(step.segment, step.from).clone();
        let mut before = before.as_ref();
        // The last microstep: its place, and what stands behind it.
        let mut last = None;
        let first = step.from.microstep().map_or(1, |number| number + 1);
        for number in first..=step.to.microstep().unwrap_or(u32::MAX) {
            if !run.advance_to_microstep(number).unwrap_or(false) {
                break;
            }
            let cut = Some(Cut::Microstep(number));
            let at = At { cut, ..step.to };
            look(&run, at, before.take());
            last = Some((at, standing(&run)));
        }
        if step.to.cut.is_none() {
            look(&run, step.to, before.take());
            // Where nothing follows a microstep it is the end of the step.
            for (_, at) in &mut found {
                let is_last = last.as_ref().is_some_and(|last| *at == last.0);
                if is_last && last.as_ref().is_some_and(|last| last.1 == standing(&run)) {
                    *at = step.to;
                }
            }
        }
        found.sort_by(|one, other| one.1.partial_cmp(&other.1).unwrap_or(Ordering::Equal));
        found
    }

    /// The run at two places right before the instant at the end of a step, as far from each other as from the end; `None` if
    /// there is none, and in ticks.
    pub(crate) fn before_instant(&mut self, step: StepDone) -> Option<[Stepper; 2]> {
        let end = self.segments.at(step.segment, step.to);
        end.microsteps()
            .next()
            .filter(|_| step.from.microstep().is_none())?;
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
        let cut = Some(Cut::Time(cut));
        Some(At { cut, ..step.to })
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
        let cut = Some(Cut::Time(cut?));
        Some(At { cut, ..step.to })
    }
}

/// The time at which a run stands, its reals, and the booleans that last.
fn standing(run: &Stepper) -> (u64, Vec<u64>, Vec<bool>) {
    let (model, row) = (run.model(), run.row());
    let reals = row.reals.iter().map(|real| real.to_bits());
    let lasting = model
        .named_booleans()
        .filter(|(_, what)| !model.is_event(*what));
    let truths = lasting.map(|(_, what)| row.boolean(model, what));
    (row.time.to_bits(), reals.collect(), truths.collect())
}

/// The beats of the schedules that texts have added to a model of a run.
fn beats_of_texts(model: &Model, run: &Stepper) -> Vec<Beats> {
    let added = run.model().schedules.len()..model.schedules.len();
    let constants = run.row().constants;
    let all = added.map(|index| beats(model, ScheduleId::new(index), constants));
    all.collect()
}
