//! Going on in the middle: an event-accurate run that begins with what another run has.

use std::collections::HashMap;
use std::sync::Arc;

use super::driver::Hybrid;
use crate::model::Model;
use crate::sim::resume::{Carried, present_values};
use crate::sim::start::check_period;
use crate::sim::{EventConfig, SetupError};

/// Instants of a schedule nearer to the present than this part of the time are over.
const OVER: f64 = 1e-12;

impl Hybrid {
    /// What the run has now.
    pub fn carried(&self) -> Carried {
        let model = &*self.model;
        let named = |names: Vec<&String>, values: &[bool]| {
            let pairs = names.into_iter().zip(values);
            pairs
                .map(|(name, &value)| (name.clone(), value))
                .collect::<Vec<(String, bool)>>()
        };
        let ranges = model.ranges.iter().map(|range| &range.name).collect();
        let mut found = named(ranges, &self.truths.ranges);
        for (index, situation) in model.situations.iter().enumerate() {
            if !situation.event {
                found.push((situation.name.clone(), self.truths.situations[index]));
            }
        }
        let reals = model.reals.iter().zip(&self.reals);
        let switches = model.switches.iter().map(|switch| &switch.name).collect();
        let mut carried = Carried::default();
        carried.time = self.t;
        carried.reals = reals
            .map(|(real, &value)| (real.name.clone(), value))
            .collect();
        carried.switches = named(switches, &self.truths.switches);
        carried.found = found;
        carried
    }

    /// Prepares a run that goes on from what another one has; nothing arises in that.
    ///
    /// Constants have the values that `model` gives them. Where the state lies on a border up to the
    /// absolute tolerance, the border keeps its side.
    ///
    /// Errors: [`SetupError`], as [`Hybrid::new`].
    pub fn resume(
        model: impl Into<Arc<Model>>,
        config: EventConfig,
        from: &Carried,
    ) -> Result<Self, SetupError> {
        let model = model.into();
        let values = present_values(&model, from).map_err(SetupError::Start)?;
        let mut over = Vec::with_capacity(model.schedules.len());
        for schedule in &model.schedules {
            let [length, first] =
                [schedule.period, schedule.first].map(|expr| model.evaluate(expr, &values));
            check_period(length, first, schedule)?;
            let now = from.time * (1.0 + OVER);
            let instants = ((now - first) / length).floor() + 1.0;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number that is not negative; the cast saturates"
            )]
            over.push(instants.max(0.0) as u64);
        }
        let mut run = Self::prepared(model, config, &[], values)?;
        run.t = from.time;
        run.last_instant = from.time;
        run.beats = over;
        let switches: HashMap<&str, bool> = pairs(&from.switches);
        for (index, switch) in run.model.switches.iter().enumerate() {
            if let Some(&value) = switches.get(&*switch.name) {
                run.truths.switches[index] = value;
            }
        }
        run.begin_with(|run| run.keep_sides(from))?;
        run.latest.fill(0);
        run.fired.fill(0);
        run.write_words();
        run.look();
        Ok(run)
    }

    /// Ranges that lie on their border keep the truth that they had.
    fn keep_sides(&mut self, from: &Carried) {
        let held = pairs(&from.found);
        let model = Arc::clone(&self.model);
        for (index, range) in model.ranges.iter().enumerate() {
            let (Some(&before), [comparison]) = (held.get(&*range.name), range.all.as_slice())
            else {
                continue;
            };
            let value = |expr| model.value_at(expr, &self.reals, &self.constants, self.t);
            let distance = (value(comparison.left) - value(comparison.right)).abs();
            if before == self.truths.ranges[index] || distance > self.config.atol {
                continue;
            }
            let Some(view) = self.views[index].first() else {
                continue;
            };
            let border = view.border.index();
            self.truths.flags[border] = true;
            self.truths.sides[border] = self.truths.sides[border].flipped();
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
}
