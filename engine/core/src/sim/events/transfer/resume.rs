//! Going on in the middle: an event-accurate run that begins with what another run has.

use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use std::collections::HashMap;
use std::sync::Arc;

use crate::bits::Bits;
use crate::model::Model;
use crate::sim::events::run::EventRun;
use crate::sim::past::line::Line;
use crate::sim::state::keys::delay_key;
use crate::sim::state::named::{NamedState, present_values};
use crate::sim::state::start::check_period;
use crate::sim::{EventConfig, SetupError};

/// Instants of a schedule nearer to the present than this part of the time are over.
const OVER: f64 = 1e-12;

impl EventRun {
    /// State of the run at present, by the names of its model.
    pub fn carried(&self) -> NamedState {
        self.carried_under(&self.plan.model)
    }

    /// State of the run at present, by the names of a model that differs from its own in names only.
    pub fn carried_under(&self, model: &Model) -> NamedState {
        let named = |names: Vec<&String>, values: &Bits| {
            let pairs = names.into_iter().zip(values.iter());
            pairs
                .map(|(name, value)| (name.clone(), value))
                .collect::<Vec<(String, bool)>>()
        };
        let ranges = model.ranges.iter().map(|range| &range.name).collect();
        let mut found = named(ranges, &self.state.discrete.ranges);
        for (index, situation) in model.situations.iter().enumerate() {
            if !situation.event {
                found.push((
                    situation.name.clone(),
                    self.state.discrete.situations.get(index),
                ));
            }
        }
        let reals = model.reals.iter().zip(&self.state.reals);
        let switches = model.switches.iter().map(|switch| &switch.name).collect();
        let mut carried = NamedState {
            time: self.state.t,
            reals: reals
                .map(|(real, &value)| (real.name.clone(), value))
                .collect(),
            switches: named(switches, &self.state.discrete.switches),
            found,
            memory: Some(self.memory(model)),
            ..NamedState::default()
        };
        carried.remember(
            model,
            |row| self.state.discrete.held(row),
            |relation| {
                let mut counters = self
                    .plan
                    .flow
                    .events
                    .iter()
                    .zip(self.state.discrete.counted.iter());
                counters
                    .find(|(row, _)| row.relation == relation)
                    .is_some_and(|(_, counted)| counted)
            },
        );
        carried
    }

    /// Prepares a run that goes on from what another one has. What its values make true of rows that both have arises as it
    /// goes on, and its events fire then; what a new row says of the present is true from here on.
    ///
    /// Constants have the values that `model` gives them. Where the state lies on a border up to the
    /// absolute tolerance, the border keeps its side. Latched values, the pasts of delays, a rest and
    /// the instants that may accumulate are those of the other run as far as the rows are in both models;
    /// of a tick run the pasts are straight from tick to tick.
    ///
    /// # Errors
    ///
    /// [`SetupError`], as [`EventRun::new`].
    pub fn resume(
        model: impl Into<Arc<Model>>,
        config: EventConfig,
        from: &NamedState,
    ) -> Result<Self, SetupError> {
        let model = model.into();
        let values = present_values(&model, from).map_err(SetupError::Start)?;
        // Beats that have been reached where the last tick began are over, the next tick would have seen the others.
        let seen = from.ticks.map_or(from.time, |ticks| {
            let last = ticks.done.checked_sub(1);
            last.map_or(f64::NEG_INFINITY, |last| {
                ticks.grid.time_of(last, ticks.step)
            })
        });
        let mut over = Vec::with_capacity(model.schedules.len());
        for schedule in &model.schedules {
            let [length, first] =
                [schedule.period, schedule.first].map(|expr| model.evaluate(expr, &values));
            check_period(length, first, schedule)?;
            let instants = ((seen * (1.0 + OVER) - first) / length).floor() + 1.0;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number that is not negative; the cast saturates"
            )]
            over.push(instants.max(0.0) as u64);
        }
        let mut run = Self::prepared(model, config, &[], values)?;
        run.state.t = from.time;
        run.state.progress.last_instant = from.time;
        run.state.progress.schedule_counts = over;
        let switches: HashMap<&str, bool> = pairs(&from.switches);
        for (index, switch) in run.plan.model.switches.iter().enumerate() {
            if let Some(&value) = switches.get(&*switch.name) {
                run.state.discrete.switches.set(index, value);
            }
        }
        for (delay, &row) in run.plan.flow.delays.iter().enumerate() {
            let relation = run.plan.flow.rows[row].relation;
            let line = from.past_of_ticks(&run.plan.model, relation);
            let line = line.unwrap_or_else(|| {
                let values = (&run.state.reals[..], &run.plan.constants[..]);
                let model = &run.plan.model;
                Line::still(model.delayed_argument(relation, values, from.time))
            });
            run.state.past.take_over(delay, &line, &[], from.time);
        }
        if let Some(memory) = &from.memory {
            run.state.recall(&run.plan, memory);
        }
        for (delay, &row) in run.plan.flow.delays.iter().enumerate() {
            let key = delay_key(&run.plan.model, run.plan.flow.rows[row].relation);
            if let Some((line, breaks)) = from.given_past(&key) {
                run.state.past.take_over(delay, line, breaks, from.time);
            }
        }
        run.begin_with(|run| {
            run.dynamics.keep_sides(&mut run.state, from);
            match &from.memory {
                Some(memory) => run.events.recall_borders(
                    &mut run.state,
                    &mut run.dynamics,
                    &mut run.observe,
                    memory,
                ),
                None => Ok(()),
            }
        })?;
        run.events.note_risen(&mut run.state, from);
        run.state.shown.latest.fill(0);
        run.state.shown.deeds.clear();
        run.state.shown.fired.fill(0);
        run.observe.look(&run.state, &run.dynamics);
        Ok(run)
    }
}

impl Dynamics {
    /// Ranges that lie on their border keep the truth that they had.
    fn keep_sides(&self, state: &mut HybridState, from: &NamedState) {
        let held = pairs(&from.found);
        let model = Arc::clone(&self.plan.model);
        for (index, range) in model.ranges.iter().enumerate() {
            let (Some(&before), [comparison]) = (held.get(&*range.name), range.all.as_slice())
            else {
                continue;
            };
            let value = |expr| model.value_at(expr, &state.reals, &self.plan.constants, state.t);
            let distance = (value(comparison.left) - value(comparison.right)).abs();
            if before == state.discrete.ranges.get(index) || distance > self.plan.config.atol {
                continue;
            }
            let Some(view) = self.views.ranges[index].first() else {
                continue;
            };
            let border = view.border.index();
            state.discrete.flags.set(border, true);
            state.discrete.sides[border] = state.discrete.sides[border].flipped();
        }
    }
}

fn pairs(pairs: &[(String, bool)]) -> HashMap<&str, bool> {
    let all = pairs.iter().rev();
    all.map(|(name, value)| (name.as_str(), *value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SituationId;
    use crate::model::{Boolean, Clock, CompareOp, ModelBuilder, Stepping, Term};
    use crate::sim::{Run, RunConfig};

    const HIT: SituationId = SituationId(0);

    fn config(stepping: Stepping) -> RunConfig {
        let clock = Clock {
            stepping: Some(stepping),
            step: Some(1e-4),
            stop: Some(10.0),
            ..Clock::default()
        };
        RunConfig::from_clock(&clock).unwrap()
    }

    /// A ball that keeps nine tenths of its speed, a beat, and a switch that it turns.
    fn ball() -> Model {
        let mut table = ModelBuilder::new("ball");
        let [h, v, beats] =
            [("h", 1.0), ("v", 0.0), ("beats", 0.0)].map(|(name, start)| table.real(name, start));
        let hit_once = table.switch("hit_once", false);
        let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
        let down = table.range("down", [(v.into(), CompareOp::Less, 0.0.into())]);
        let hit = table.event("hit", [floor.into(), down.into()]);
        let tenth = table.every(0.1);
        let beat = table.event("beat", [tenth.into()]);
        table.assign([hit.into()], [(hit_once, true)]);
        table.relation(v, "integral", [-9.81]);
        table.relation(h, "integral", [v]);
        table
            .relation(v, "proportional", [v])
            .coef(-0.9)
            .when([hit.into()]);
        let next = [Term::from(beats), Term::Number(1.0)];
        table.relation(beats, "sum", next).when([beat.into()]);
        table.build().unwrap()
    }

    #[test]
    fn a_run_goes_on_from_anywhere_as_if_it_had_not_been_left() {
        let mut direct = Run::new(ball(), config(Stepping::Events), &[]).unwrap();
        let mut left = direct.clone();
        let mut bounces = 0;
        for step in 0..400 {
            left.step(f64::INFINITY).unwrap();
            if left.time() > 2.0 {
                break;
            }
            bounces += u32::from(
                left.present()
                    .boolean(left.model(), Boolean::Situation(HIT)),
            );
            if step % 3 == 0 {
                left = Run::resume(ball(), config(Stepping::Events), &left.carried()).unwrap();
            }
        }
        direct.run_to(3.0, &mut ()).unwrap();
        left.run_to(3.0, &mut ()).unwrap();
        assert!(bounces > 2, "{bounces}");
        for (a, b) in direct.row().reals.iter().zip(left.row().reals) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
        assert_eq!(direct.carried().switches, left.carried().switches);
    }

    #[test]
    fn the_stepping_changes_in_mid_run() {
        let mut run = Run::new(ball(), config(Stepping::Tick), &[]).unwrap();
        run.run_to(0.7, &mut ()).unwrap();
        let mut run = Run::resume(ball(), config(Stepping::Events), &run.carried()).unwrap();
        run.run_to(1.3, &mut ()).unwrap();
        let mut run = Run::resume(ball(), config(Stepping::Tick), &run.carried()).unwrap();
        run.run_to(1.8, &mut ()).unwrap();
        let mut direct = Run::new(ball(), config(Stepping::Tick), &[]).unwrap();
        direct.run_to(1.8, &mut ()).unwrap();
        assert!((run.time() - direct.time()).abs() < 2e-4);
        for (a, b) in direct.row().reals.iter().zip(run.row().reals) {
            assert!((a - b).abs() < 2e-2, "{a} {b}");
        }
        assert_eq!(direct.carried().switches, run.carried().switches);
    }

    /// Goes on from a run in its middle with a model; both to the same time.
    fn gone_on(model: &Model, other: &Model, at: f64, until: f64) -> [Run; 2] {
        let mut direct = Run::new(model.clone(), config(Stepping::Events), &[]).unwrap();
        direct.run_to(at, &mut ()).unwrap();
        let carried = direct.carried();
        let mut resumed = Run::resume(other.clone(), config(Stepping::Events), &carried).unwrap();
        for run in [&mut direct, &mut resumed] {
            run.run_to(until, &mut ()).unwrap();
        }
        [direct, resumed]
    }

    #[test]
    fn a_latched_value_is_not_read_off_its_target() {
        // x falls from above the upper limit into the gap; what is latched is halved on its way.
        let mut table = ModelBuilder::new("latched");
        let [x, r] = [("x", 3.0), ("r", 1.0)].map(|(name, start)| table.real(name, start));
        table.relation(x, "integral", [-1.0]);
        table.relation(r, "hysteresis", [Term::from(x), 0.5.into(), 2.0.into()]);
        table.relation(r, "proportional", [r]).coef(0.5);
        let model = table.build().unwrap();
        for (until, expected) in [(2.0, 0.5), (2.6, 0.0)] {
            let runs = gone_on(&model, &model, 1.5, until);
            assert_eq!(runs.map(|run| run.row().reals[1]), [expected; 2], "{until}");
        }
    }

    /// x grows by its value one unit of time ago and jumps at 0.25; y is delayed once more.
    fn delays(tau: f64) -> Model {
        let mut table = ModelBuilder::new("delays");
        let length = table.constant("tau", tau);
        let [x, late, later] = [("x", 1.0), ("late", 1.0), ("later", 0.0)]
            .map(|(name, start)| table.real(name, start));
        table.relation(late, "delay", [Term::from(x), length.into()]);
        table.relation(
            later,
            "delay",
            [Term::Call("sin", vec![x.into()]), 0.5.into()],
        );
        table.relation(x, "integral", [Term::from(late) * -1.5]);
        let passed = table.range(
            "passed",
            [(Term::Time, CompareOp::GreaterEqual, 0.25.into())],
        );
        let jump = table.event("jump", [passed.into()]);
        table
            .relation(x, "sum", [Term::from(x), 1.0.into()])
            .when([jump.into()])
            .once();
        table.build().unwrap()
    }

    #[test]
    fn delays_keep_their_past() {
        let model = delays(1.0);
        for at in [0.3, 0.9, 1.2537, 4.0] {
            let [direct, resumed] = gone_on(&model, &model, at, 6.0);
            for (a, b) in direct.row().reals.iter().zip(resumed.row().reals) {
                assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{at}: {a} {b}");
            }
        }
    }

    #[test]
    fn delays_keep_their_past_when_the_stepping_or_their_length_changes() {
        let mut exact = Run::new(delays(1.0), config(Stepping::Events), &[]).unwrap();
        exact.run_to(1.6, &mut ()).unwrap();
        let [now, until] = [exact.time(), 2.1];
        let ticks = |carried| Run::resume(delays(1.0), config(Stepping::Tick), carried).unwrap();
        let mut after = ticks(&exact.carried());
        after.run_to(1.7, &mut ()).unwrap();
        let mut back =
            Run::resume(delays(1.0), config(Stepping::Events), &after.carried()).unwrap();
        exact.run_to(until, &mut ()).unwrap();
        after.run_to(until, &mut ()).unwrap();
        back.run_to(until, &mut ()).unwrap();
        for other in [&after, &back] {
            for (a, b) in exact.row().reals.iter().zip(other.row().reals) {
                assert!((a - b).abs() < 2e-3 * (1.0 + a.abs()), "{now}: {a} {b}");
            }
        }
        // A delay of another length reads the same past elsewhere.
        let mut direct = Run::new(delays(1.0), config(Stepping::Events), &[]).unwrap();
        direct.run_to(1.2, &mut ()).unwrap();
        let earlier = direct.row().reals[0];
        direct.run_to(2.0, &mut ()).unwrap();
        let shorter = Run::resume(delays(0.8), config(Stepping::Events), &direct.carried());
        let late = shorter.unwrap().row().reals[1];
        assert!((late - earlier).abs() < 1e-6, "{late} {earlier}");
    }

    /// A ball that keeps half of its speed, and a push downwards.
    fn resting(push: f64) -> Model {
        let mut table = ModelBuilder::new("resting");
        let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
        let pull = table.constant("pull", push);
        let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
        let down = table.range("down", [(v.into(), CompareOp::Less, 0.0.into())]);
        let hit = table.event("hit", [floor.into(), down.into()]);
        table.relation(v, "integral", [pull]);
        table.relation(h, "integral", [v]);
        table
            .relation(v, "proportional", [v])
            .coef(-0.5)
            .when([hit.into()])
            .once();
        table.build().unwrap()
    }

    #[test]
    fn a_rest_goes_on_and_ends_when_the_push_is_turned() {
        let model = resting(-9.81);
        let [direct, resumed] = gone_on(&model, &model, 3.0, 4.0);
        assert_eq!(direct.row().reals, resumed.row().reals);
        let Run::Events(run) = &resumed else {
            panic!("it was asked for events");
        };
        assert_eq!(run.stats().instants, 0, "nothing happens at rest");
        let [_, lifted] = gone_on(&model, &resting(2.0), 3.0, 4.0);
        let [h, v] = [0, 1].map(|index| lifted.row().reals[index]);
        assert!((h - 1.0).abs() < 1e-9 && (v - 2.0).abs() < 1e-9, "{h} {v}");
    }

    #[test]
    fn instants_that_gather_are_not_forgotten() {
        let model = resting(-9.81);
        let end = 3.0 * (2.0_f64 / 9.81).sqrt();
        for part in [0.5, 0.9, 0.999, 1.0 - 1e-6] {
            let [direct, resumed] = gone_on(&model, &model, part * end, 3.0);
            for (a, b) in direct.row().reals.iter().zip(resumed.row().reals) {
                assert!((a - b).abs() < 1e-9, "{part}: {a} {b}");
            }
        }
    }
}
