//! Two histories side by side.

use situ_engine::ids::RealId;

use crate::history::{At, History};
use crate::inside;
use crate::segments::Segments;
use crate::stepper::Stepper;
use crate::why_real::real_named;
use crate::{Interrupted, ProgressSink, STRETCH, look};

/// Two histories side by side.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The end of the time that both have [units of `time`].
    pub end: f64,
    /// The first time at which a real differs.
    pub parts: Option<f64>,
    /// Per real that both have, how far apart it is.
    pub rows: Vec<ComparedReal>,
}

/// One real of both.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedReal {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its values at the end of that time.
    pub ends: (f64, f64),
    /// The greatest distance.
    pub greatest: f64,
    /// When that was [units of `time`].
    pub at: f64,
}

impl<T> Segments<T> {
    /// Two histories over the time that both have.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn compared(
        &mut self,
        a: &History,
        b: &History,
        progress: &mut dyn ProgressSink,
    ) -> Result<Compared, Interrupted> {
        let mut now = |history: &History| {
            let (segment, step) = history.place();
            let run = self.at(segment, step);
            (run.time(), run.model().clone())
        };
        let ((end_a, model_a), (end_b, model_b)) = (now(a), now(b));
        let end = end_a.min(end_b);
        let both: Vec<(usize, usize)> = model_a
            .reals
            .iter()
            .enumerate()
            .filter_map(|(index, real)| {
                let other = model_b
                    .reals
                    .iter()
                    .position(|other| other.name == real.name)?;
                Some((index, other))
            })
            .collect();
        let rows: Vec<ComparedReal> = both
            .iter()
            .map(|(index, _)| ComparedReal {
                name: model_a.reals[*index].name.clone(),
                unit: model_a.reals[*index].unit.clone(),
                ends: (f64::NAN, f64::NAN),
                greatest: 0.0,
                at: f64::NAN,
            })
            .collect();
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        let mut sides = [Side::new(self, a, &names), Side::new(self, b, &names)];
        let mut compared = Compared {
            end,
            parts: None,
            rows,
        };
        let mut now = sides[0].run.time().max(sides[1].run.time());
        let mut done = 0_u64;
        loop {
            let [first, second] = &mut sides;
            if first.go_to(self, now) & second.go_to(self, now) {
                compared.look(&sides, now);
            }
            if now >= end - slack(end) {
                return Ok(compared);
            }
            let ends = sides.iter().filter_map(|side| side.step_end);
            let next = ends.fold(end, f64::min);
            if sides.iter().any(|side| side.run.events().is_some()) {
                compared.look_inside(&mut sides, now, next);
            }
            now = next;
            done += 1;
            if done.is_multiple_of(STRETCH) {
                look(progress, done, a.steps_before())?;
            }
        }
    }
}

impl Compared {
    /// Looks at both at a time at which both stand; how far apart each real is there.
    fn look(&mut self, sides: &[Side<'_>; 2], at: f64) -> Vec<f64> {
        let [xs, ys] = [0, 1].map(|side: usize| sides[side].values(&sides[side].run));
        let mut distances = Vec::with_capacity(self.rows.len());
        for (row, (x, y)) in self.rows.iter_mut().zip(xs.iter().zip(&ys)) {
            row.ends = (*x, *y);
            let distance = (x - y).abs();
            if distance > row.greatest {
                row.greatest = distance;
                row.at = at;
            }
            if x.to_bits() != y.to_bits() && self.parts.is_none() {
                self.parts = Some(at);
            }
            distances.push(distance);
        }
        distances
    }

    /// Looks at both between two times, between which neither ends a step; where a real is farthest apart, closer.
    fn look_inside(&mut self, sides: &mut [Side<'_>; 2], from: f64, to: f64) {
        let base = [&sides[0], &sides[1]].map(|side| side.run.clone());
        let mut points: Vec<(f64, Vec<f64>)> = Vec::new();
        for at in inside::points(from, to) {
            let [a, b] = &mut *sides;
            if a.go_inside(at) & b.go_inside(at) {
                points.push((at, self.look(sides, at)));
            }
        }
        for three in points.windows(3) {
            for real in 0..self.rows.len() {
                let three = [0, 1, 2].map(|point: usize| (three[point].0, three[point].1[real]));
                let is_peak = three[1].1 > three[0].1 && three[1].1 >= self.rows[real].greatest;
                let Some(at) = inside::vertex(three).filter(|_| is_peak) else {
                    continue;
                };
                let mut there = base.clone();
                let stands = there
                    .iter_mut()
                    .all(|run| run.advance_to(at).unwrap_or(false));
                if !stands {
                    continue;
                }
                let [x, y] = [0, 1].map(|side: usize| sides[side].value(&there[side], real));
                let row = &mut self.rows[real];
                if (x - y).abs() > row.greatest {
                    (row.greatest, row.at) = ((x - y).abs(), at);
                }
            }
        }
    }
}

/// Times nearer than this are one [units of `time`].
fn slack(at: f64) -> f64 {
    1e-9 * at.abs().max(1e-300)
}

/// One of two histories, gone along from time to time.
struct Side<'n> {
    names: &'n [String],
    /// The line, seen from where the step begins in which the run stands.
    seen: History,
    /// Where it ends.
    end: (usize, At),
    run: Stepper,
    /// The run at the end of the step, if its length is not known in advance.
    ahead: Option<Stepper>,
    /// The time at which the step ends; `None` at the end of the line.
    step_end: Option<f64>,
    /// The reals with these names.
    reals: Vec<Option<RealId>>,
}

impl<'n> Side<'n> {
    fn new<T>(segments: &mut Segments<T>, history: &History, names: &'n [String]) -> Self {
        let seen = history.at_step(0);
        let (segment, at) = seen.place();
        let mut side = Self {
            names,
            end: (history.piece(), history.place().1),
            run: segments.at(segment, at).clone(),
            seen,
            ahead: None,
            step_end: None,
            reals: Vec::new(),
        };
        side.begin_piece(segments);
        side
    }

    fn begin_piece<T>(&mut self, segments: &Segments<T>) {
        let model = segments.named(&self.seen, (self.seen.piece(), self.end.0));
        let names = self.names.iter();
        self.reals = names.map(|name| real_named(&model, name)).collect();
        self.begin_step();
    }

    /// The place at which the step ends; `None` at the end of the line.
    fn next(&self) -> Option<At> {
        let (piece, end) = self.end;
        let at = self.seen.place().1;
        if self.seen.piece() != piece {
            return Some(self.seen.next().1);
        }
        let next = at.forward(1);
        (at < end).then_some(if next > end { end } else { next })
    }

    fn begin_step(&mut self) {
        (self.ahead, self.step_end) = (None, None);
        let Some(next) = self.next() else { return };
        if let Some(length) = self.run.tick_length() {
            self.step_end = Some(self.run.time() + length);
            return;
        }
        let mut ahead = self.run.clone();
        // A step that fails is taken as far as it came.
        let _ = match next.cut {
            Some(cut) => ahead.advance_into(cut).map(|_| ()),
            None => ahead.advance(1).1,
        };
        self.step_end = Some(ahead.time());
        self.ahead = Some(ahead);
    }

    /// Goes on to a time; whether the run stands there then.
    fn go_to<T>(&mut self, segments: &mut Segments<T>, at: f64) -> bool {
        while self.step_end.is_some_and(|end| end <= at + slack(at)) {
            let Some(next) = self.next() else { break };
            let segment = self.seen.segment();
            self.seen.forward_to(next);
            match self.ahead.take() {
                _ if self.seen.segment() != segment => {
                    let (segment, at) = self.seen.place();
                    self.run = segments.at(segment, at).clone();
                    self.begin_piece(segments);
                }
                Some(ahead) => {
                    self.run = ahead;
                    self.begin_step();
                }
                None => {
                    let _ = self.run.advance(1);
                    self.begin_step();
                }
            }
        }
        (self.run.time() - at).abs() <= slack(at) && self.run.ticks().is_some()
            || self.go_inside(at)
    }

    /// Goes on to a time inside the step, or stays at the end of the line; whether the run stands there then.
    fn go_inside(&mut self, at: f64) -> bool {
        if self.run.ticks().is_some() {
            return false;
        }
        if self.step_end.is_some() && self.run.time() < at {
            let _ = self.run.advance_to(at);
        }
        true
    }

    fn value(&self, run: &Stepper, number: usize) -> f64 {
        self.reals[number].map_or(f64::NAN, |real| run.row().real(real))
    }

    fn values(&self, run: &Stepper) -> Vec<f64> {
        let numbers = 0..self.reals.len();
        numbers.map(|number| self.value(run, number)).collect()
    }
}
