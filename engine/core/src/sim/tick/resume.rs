//! Going on in the middle: what a run carries over into a changed model, or into other settings.
//!
//! `TickRun -> NamedState -> TickRun`. Everything goes by name: a quantity, a switch or a row that
//! both models have goes on as if nothing had happened, bit for bit; a new one begins now, with its
//! start expression over the present values.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::TickRun;
use super::initial_state::Beginning;
use crate::backend::interpreter::{self, DelayBuffer, due};
use crate::ids::{RelationId, SwitchId};
use crate::lower::{Program, history};
use crate::model::{Model, Scan};
use crate::sim::grid::Grid;
use crate::sim::past::line::Line;
use crate::sim::state::keys::{
    comparison_keys, counter_key, delay_key, derivative_key, rows_remembered,
};
use crate::sim::state::named::{NamedState, Ticks, pairs, present_values};
use crate::sim::{SetupError, TickConfig};

impl TickRun {
    /// State of the run at present, by the names of its model.
    pub fn carried(&self) -> NamedState {
        self.carried_under(&self.model)
    }

    /// State of the run at present, by the names of a model that differs from its own in names only.
    pub fn carried_under(&self, model: &Model) -> NamedState {
        let (program, state) = (&*self.program, &self.state);
        let n_switches = model.switches.len();
        let ranges = model.ranges.iter().map(|range| &range.name);
        let situations = model.situations.iter().map(|situation| &situation.name);
        let rows = rows_remembered(model, &program.remembered);
        let counters = program
            .counted
            .iter()
            .map(|&(id, bit)| (counter_key(model, id), bit));
        NamedState {
            time: self.time(),
            reals: (model.reals.iter().zip(&state.reals))
                .map(|(real, &value)| (real.name.clone(), value))
                .collect(),
            switches: (model.switches.iter().enumerate())
                .map(|(index, switch)| (switch.name.clone(), state.bit(index)))
                .collect(),
            found: ranges
                .chain(situations)
                .enumerate()
                .map(|(index, name)| (name.clone(), state.bit(n_switches + index)))
                .collect(),
            ticks: Some(Ticks {
                done: state.tick,
                step: self.config.step,
                grid: self.state.grid,
                scan: self.config.options.scan,
            }),
            remembered: rows
                .chain(counters)
                .map(|(key, bit)| (key, state.bit(bit as usize)))
                .collect(),
            pasts: (program.delayed.iter().zip(&state.lines))
                .map(|(&(.., row), line)| (delay_key(model, row), self.past_at_ticks(row, line)))
                .collect(),
            trails: (program.delayed.iter().zip(&state.lines))
                .filter_map(|(&(.., row), line)| {
                    let trail = line.trail.as_ref()?;
                    Some((delay_key(model, row), self.past_with_times(row, trail)))
                })
                .collect(),
            read: (program.derived.iter())
                .map(|&(_, slot, row)| (derivative_key(model, row), state.reals[slot.index()]))
                .collect(),
            turned: comparison_keys(model)
                .enumerate()
                .filter(|(index, _)| state.recent.has_turned(*index))
                .map(|(_, key)| (key, true))
                .collect(),
            earlier: state.recent.earlier().map(|(time, reals)| {
                let named = model.reals.iter().zip(reals);
                let named = named.map(|(real, &value)| (real.name.clone(), value));
                (time, named.collect())
            }),
            memory: None,
            given: Vec::new(),
        }
    }

    /// What the argument of a delay row was at the ends of ticks, newest first.
    fn past_at_ticks(&self, row: RelationId, line: &interpreter::Line) -> Vec<f64> {
        let taken = match &line.trail {
            None => newest_first(line),
            Some(trail) => newest_first_of(trail, self.time(), self.config.step),
        };
        if !(self.model).delays_from_the_beginning(row, self.config.options.scan) {
            return taken;
        }
        let present = [self.present_argument(row)];
        present.into_iter().chain(taken).collect()
    }

    /// What the argument of a delay row was, with its times, oldest first.
    fn past_with_times(&self, row: RelationId, trail: &DelayBuffer) -> VecDeque<(f64, f64)> {
        if !(self.model).delays_from_the_beginning(row, self.config.options.scan) {
            return trail.points().collect();
        }
        // What was taken in at the end of a tick stood at its beginning.
        let times = trail.points().map(|(time, _)| time);
        let first = times.clone().next().map(|time| time - self.config.step);
        let values = trail.points().map(|(_, value)| value);
        let present = [self.present_argument(row)];
        let times = first.into_iter().chain(times);
        times.zip(values.chain(present)).collect()
    }

    /// The value of the argument of a delay row.
    fn present_argument(&self, row: RelationId) -> f64 {
        let (reals, constants) = (self.row().reals, self.row().constants);
        (self.model).delayed_argument(row, (reals, constants), self.time())
    }

    /// Prepares a run that goes on from what another one has.
    ///
    /// Constants have the values that `model` gives them. With equal models and settings the result
    /// goes on with the same bits as the run that was left.
    ///
    /// # Errors
    ///
    /// [`SetupError`], as [`TickRun::new`].
    pub fn resume(
        model: impl Into<Arc<Model>>,
        config: TickConfig,
        from: &NamedState,
    ) -> Result<Self, SetupError> {
        let model = model.into();
        let step = config.step;
        let grid = match from.ticks {
            Some(ticks) if ticks.step == step => ticks.grid,
            Some(ticks) => Grid {
                tick: ticks.done,
                time: from.time,
                before: ticks.grid.time_of(ticks.done.saturating_sub(1), ticks.step),
            },
            // The tick 0 is the start of a model; this one has begun.
            None => Grid {
                tick: 1,
                time: from.time,
                before: from.time,
            },
        };
        let done = from.ticks.map_or(1, |ticks| ticks.done);
        let values = present_values(&model, from).map_err(SetupError::Start)?;
        let before: HashMap<&str, bool> = pairs(&from.switches);
        let switches = model.switches.iter().enumerate();
        let beginning = Beginning {
            values,
            switches: switches
                .filter_map(|(index, switch)| {
                    Some((SwitchId::new(index), *before.get(&*switch.name)?))
                })
                .collect(),
            grid,
            time: from.time,
        };
        let mut run = Self::starting_from(model, config, &[], &beginning)?;
        run.take_over(from, done);
        Ok(run)
    }

    /// Brings what the tape keeps for itself to where the other run has it.
    fn take_over(&mut self, from: &NamedState, done: u64) {
        let (model, program, step) = (&*self.model, &*self.program, self.config.step);
        let state = &mut self.state;
        state.tick = done;
        let found = pairs(&from.found);
        let ranges = model.ranges.iter().map(|range| &range.name);
        let situations = model.situations.iter().map(|situation| &situation.name);
        for (index, name) in ranges.chain(situations).enumerate() {
            if let Some(&held) = found.get(&**name) {
                state.set_bit(model.switches.len() + index, held);
            }
        }
        let remembered = pairs(&from.remembered);
        let counters = program
            .counted
            .iter()
            .map(|&(id, bit)| (counter_key(model, id), bit));
        for (key, bit) in rows_remembered(model, &program.remembered).chain(counters) {
            if let Some(&held) = remembered.get(&*key) {
                state.set_bit(bit as usize, held);
            }
        }
        for (index, slot) in program.schedule_counts.iter().enumerate() {
            let period = &program.tape.periods[index];
            let value = |slot: crate::tape::Slot| state.reals[slot.index()];
            let (length, first) = (value(period.period), value(period.first));
            // Beats that had been reached where the last tick began are over, whatever the schedule was then.
            let over = done.checked_sub(1).and_then(|last| {
                let grid = state.grid;
                match last.checked_sub(grid.tick) {
                    Some(ticks) => due(length, first, grid.time, step, 0.0, ticks),
                    None => due(length, first, grid.before, step, 0.0, 0),
                }
            });
            state.reals[slot.index()] = over.unwrap_or(0.0);
        }
        take_over_pasts(
            (model, self.config.options.scan),
            program,
            &mut state.lines,
            (from, step),
        );
        let read = pairs(&from.read);
        for &(_, slot, row) in &program.derived {
            if let Some(&last) = read.get(&*derivative_key(model, row)) {
                state.reals[slot.index()] = last;
            }
        }
        let turned = pairs(&from.turned);
        let known = (0..).zip(comparison_keys(model));
        let known = known.filter(|(_, key)| turned.contains_key(key.as_str()));
        self.state.recent.set_turned(known.map(|(index, _)| index));
        if self.uneven.is_some()
            && let Some((time, reals)) = &from.earlier
        {
            let known = pairs(reals);
            // What is new has stood still.
            let reals = model.reals.iter().zip(&self.state.reals);
            let reals = reals.map(|(real, &now)| known.get(&*real.name).copied().unwrap_or(now));
            self.state
                .recent
                .set_earlier(*time, &reals.collect::<Vec<f64>>());
        }
        let state = self.state.clone();
        self.restore(&state);
    }
}

/// Fills the lines of delays; `step`: the length of a tick from now on [units of `time`].
fn take_over_pasts(
    (model, scan): (&Model, Scan),
    program: &Program,
    lines: &mut [interpreter::Line],
    (from, step): (&NamedState, f64),
) {
    let now = from.time;
    let old_step = from.ticks.map_or(step, |ticks| ticks.step);
    let (pasts, trails) = (pairs(&from.pasts), pairs(&from.trails));
    for (line, &(.., row)) in lines.iter_mut().zip(&program.delayed) {
        let key = delay_key(model, row);
        let given = from.given_past(&key).map(|(past, _)| past);
        let kept = from.memory.as_ref().and_then(|memory| memory.past(&key));
        let exact = given.or(kept);
        let ticks = pasts.get(&*key);
        // What is taken in last is as old as this where a tick begins with it.
        let lag = f64::from(u8::from(model.delays_from_the_beginning(row, scan)));
        if let Some(trail) = &mut line.trail {
            let ages = match trail.tau() {
                Some(tau) => tau / old_step,
                None => ticks_kept(exact, ticks, now, old_step),
            };
            let sampled = |value: &dyn Fn(f64) -> f64| sampled(now, old_step, ages, value);
            let points = match (given, trails.get(&*key), exact, ticks) {
                (None, Some(points), ..) if lag == 0.0 => points.clone(),
                (None, Some(points), ..) => taken_in_later(points, step, old_step),
                (.., Some(past), _) => sampled(&|age| past.at(now - age * old_step - lag * step)),
                (.., Some(past)) => {
                    let lag = lag * (step / old_step);
                    sampled(&|age| interpolated(past, age + lag).unwrap_or_default())
                }
                (.., None, None) => continue,
            };
            if !points.is_empty() {
                trail.take_over(now, points);
            }
        } else {
            // Before the start a history function has filled the line.
            let has_function = history::has_history_function(model, row);
            refill(line, |age| match (exact, ticks) {
                _ if has_function && now - (age + lag) * step < 0.0 => None,
                (Some(past), _) => Some(past.at(now - (age + lag) * step)),
                (None, Some(past)) => interpolated(past, (age + lag) * (step / old_step)),
                (None, None) => None,
            });
        }
    }
}

/// Points of a past where a tick takes in at its end what stood at its beginning; the present is still to be taken in.
fn taken_in_later(points: &VecDeque<(f64, f64)>, step: f64, old_step: f64) -> VecDeque<(f64, f64)> {
    let each = points.iter().zip(points.iter().skip(1));
    let later = each.map(|(&(time, value), &(next, _))| match step == old_step {
        true => (next, value),
        false => (time + step, value),
    });
    later.collect()
}

fn newest_first(line: &interpreter::Line) -> Vec<f64> {
    let (newer, older) = line.values.split_at(line.oldest);
    newer
        .iter()
        .rev()
        .chain(older.iter().rev())
        .copied()
        .collect()
}

/// The values at the ends of ticks of some length, newest first.
fn newest_first_of(trail: &DelayBuffer, now: f64, step: f64) -> Vec<f64> {
    let ages = ages(trail.span() / step);
    ages.map(|age| trail.at(now - age * step)).collect()
}

/// For how many ticks a past goes back that is handed on.
fn ticks_kept(exact: Option<&Line>, past: Option<&Vec<f64>>, now: f64, step: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lines have at most 1e8 values")]
    match (exact, past) {
        (Some(line), _) => (now - line.begin(now)) / step,
        (None, Some(past)) => past.len() as f64,
        (None, None) => 0.0,
    }
}

/// Points of a past: values at so many ticks ago with their times, oldest first.
fn sampled(now: f64, step: f64, n_ticks: f64, value: &dyn Fn(f64) -> f64) -> VecDeque<(f64, f64)> {
    let ages: Vec<f64> = ages(n_ticks).collect();
    let points = ages.into_iter().rev();
    points.map(|age| (now - age * step, value(age))).collect()
}

/// Ages from 0 to a number of ticks.
fn ages(n_ticks: f64) -> impl Iterator<Item = f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative and small"
    )]
    let n_ticks = n_ticks.ceil() as u32;
    (0..=n_ticks).map(f64::from)
}

/// Fills a line with the values of so many ticks ago, counted from 0; keeps those that are not known.
fn refill(line: &mut interpreter::Line, value: impl Fn(f64) -> Option<f64>) {
    line.oldest = 0;
    for (age, into) in line.values.iter_mut().rev().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "lines have at most 1e8 values")]
        let age = age as f64;
        *into = value(age).unwrap_or(*into);
    }
}

/// The value so many ticks ago, linear between two; the oldest for what was before it.
fn interpolated(past: &[f64], age: f64) -> Option<f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative and small"
    )]
    let index = age.max(0.0).floor() as usize;
    let newer = *past.get(index).or(past.last())?;
    let older = *past.get(index + 1).or(past.last())?;
    let share = age.max(0.0).fract();
    Some(if share == 0.0 {
        newer
    } else {
        newer + share * (older - newer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RealId;
    use crate::model::{Clock, CompareOp, Expr, ModelBuilder, Term};

    fn config(step: f64) -> TickConfig {
        let clock = Clock {
            step: Some(step),
            stop: Some(100.0),
            ..Clock::default()
        };
        TickConfig::from_clock(&clock).unwrap()
    }

    /// Whatever remembers something: an event, a counter, a delay, a schedule, a switch.
    fn model() -> Model {
        let mut table = ModelBuilder::new("memory");
        let [x, late, n, beats] = ["x", "late", "n", "beats"].map(|name| table.real(name, 0.0));
        let tau = table.constant("tau", 0.05);
        let on = table.switch("on", false);
        table.relation(x, "sin", [Term::Time]);
        let high = table.range("high", [(x.into(), CompareOp::Greater, 0.5.into())]);
        let up = table.event("up", [high.into()]);
        let tenth = table.every(0.1);
        let beat = table.event("beat", [tenth.into()]);
        table.assign([up.into()], [(on, true)]);
        table.assign([!high], [(on, false)]);
        table.relation(late, "delay", [Term::from(x), tau.into()]);
        let one = Term::Number(1.0);
        let plus_one = |of| [Term::from(of), one.clone()];
        table.relation(n, "sum", plus_one(n)).when([up.into()]);
        let row = table.relation(beats, "sum", plus_one(beats));
        row.when([beat.into(), on.into()]);
        table.build().unwrap()
    }

    #[test]
    fn what_goes_on_unchanged_has_the_same_bits() {
        let mut direct = TickRun::new(model(), config(0.001)).unwrap();
        for ticks in [1, 500, 24, 1, 6000, 900] {
            direct.advance(ticks).unwrap();
            let resumed = TickRun::resume(model(), config(0.001), &direct.carried()).unwrap();
            assert_eq!(resumed.carried(), direct.carried());
            let mut resumed = resumed;
            let mut ahead = direct.clone();
            resumed.advance(700).unwrap();
            ahead.advance(700).unwrap();
            assert_eq!(resumed.carried(), ahead.carried());
        }
        assert!(direct.real(RealId(2)) > 0.0 && direct.real(RealId(3)) > 0.0);
    }

    #[test]
    fn ticks_of_another_length_go_on_from_the_present_time() {
        let mut run = TickRun::new(model(), config(0.001)).unwrap();
        run.advance(900).unwrap();
        let late = run.real(RealId(1));
        let mut finer = TickRun::resume(model(), config(0.0005), &run.carried()).unwrap();
        assert_eq!(finer.time(), run.time());
        finer.advance(1).unwrap();
        assert!((finer.time() - (run.time() + 0.0005)).abs() < 1e-15);
        assert!((finer.real(RealId(1)) - late).abs() < 1e-3);
        finer.advance(1_999).unwrap();
        run.advance(1_000).unwrap();
        let beats = |run: &TickRun| run.real(RealId(3));
        assert_eq!(beats(&finer), beats(&run), "the schedule goes on");
        let error = (finer.real(RealId(1)) - (finer.time() - 0.05005).sin()).abs();
        assert!(error < 1e-3, "the delay keeps its length: {error}");
    }

    #[test]
    fn what_is_new_begins_now() {
        let mut run = TickRun::new(model(), config(0.001)).unwrap();
        run.advance(1000).unwrap();
        let mut changed = model();
        let start = changed.exprs.push(Expr::Real(RealId(0)));
        let mut quantity = changed.reals[0].clone();
        quantity.name = "copy".to_owned();
        quantity.start = start;
        changed.reals.push(quantity);
        changed.reals.remove(1);
        changed.relations.retain(|row| row.targets[0] == RealId(0));
        changed.situation_rows.clear();
        changed.assignments.clear();
        let resumed = TickRun::resume(changed, config(0.001), &run.carried()).unwrap();
        assert_eq!(resumed.real(RealId(3)), run.real(RealId(0)));
        assert_eq!(resumed.real(RealId(1)), run.real(RealId(2)));
    }
}
