//! Memory of an event-accurate run besides values, told by names, so that a run of a changed model
//! can have it: latched values, the pasts of delays, borders on which the state lies, a rest, and the
//! instants that may accumulate.
//!
//! A thing is known by what stands in its row: a delay by its target and argument, a border by its range
//! or by the relation with the kink. What the changed model has no more is left out.

use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
pub(super) mod given_past;
pub(super) mod resume;

use std::collections::HashMap;

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource, Borders};
use crate::model::{Argument, Comparison, Model};
use crate::sim::RunFault;
use crate::sim::events::iteration::zeno::RecentInstant;
use crate::sim::past::Break;
use crate::sim::past::line::Line;

use crate::sim::events::run::EventRun;
use crate::sim::state::keys::delay_key;
use crate::sim::state::named::{Change, NamedHistory, NamedInstant};

impl EventRun {
    /// Memory of the run at present, by the names of a model that differs from its own in names only.
    pub(super) fn memory(&self, model: &Model) -> NamedHistory {
        let name = |id: RealId| model.reals[id.index()].name.clone();
        let change = |change: &[(RealId, f64)]| {
            let parts = change.iter().map(|&(real, part)| (name(real), part));
            parts.collect::<Change>()
        };
        let rows = |rows: &[RelationId]| {
            let keys = rows.iter().map(|&row| row_key(model, row));
            keys.collect::<Vec<_>>()
        };
        let key = |border: BorderId| border_key(model, &self.state.borders, border);
        let relays = self
            .plan
            .flow
            .relays
            .iter()
            .zip(&self.state.discrete.relays);
        let flagged = self.state.discrete.flags.iter().enumerate();
        let flagged = flagged.filter(|(_, flag)| *flag).filter_map(|(index, _)| {
            let border = BorderId::new(index);
            Some((key(border)?, self.state.discrete.sides[index]))
        });
        let rest = self.dynamics.bound.rest.iter();
        let seen = self.state.zeno.seen();
        NamedHistory {
            relays: relays
                .map(|(&row, &value)| (row_key(model, row), value))
                .collect(),
            pasts: self.pasts(model),
            flagged: flagged.collect(),
            rest: rest
                .filter_map(|push| {
                    let along = change(&push.along);
                    let made_by = [&push.rows, &push.made_by].map(|ids| rows(ids));
                    Some((key(push.border)?, push.side, along, made_by))
                })
                .collect(),
            seen: seen
                .filter_map(|seen| {
                    let reals = model.reals.iter().zip(&seen.reals);
                    let keys = |borders: &[BorderId]| {
                        let keys = borders.iter().map(|&border| key(border));
                        keys.collect::<Option<Vec<_>>>()
                    };
                    Some(NamedInstant {
                        time: seen.time,
                        borders: keys(&seen.borders)?,
                        bound: keys(&seen.bound)?,
                        sides: seen.sides.to_vec(),
                        reals: reals
                            .map(|(real, &value)| (real.name.clone(), value))
                            .collect(),
                        jump: change(&seen.jump),
                        rows: rows(&seen.rows),
                    })
                })
                .collect(),
        }
    }

    /// The pasts of all delays up to the present.
    fn pasts(&self, model: &Model) -> Vec<(String, Line, Vec<Break>)> {
        if self.state.past.is_empty() {
            return Vec::new();
        }
        let inside_step = self.detect.step.is_some().then(|| {
            let mut run = self.clone();
            let now = run.state.t;
            run.detect.remember(&mut run.state, &mut run.dynamics, now);
            run.state.past
        });
        let past = inside_step.as_ref().unwrap_or(&self.state.past);
        let delays = self.plan.flow.delays.iter().enumerate();
        let line = |(delay, &row): (usize, &usize)| {
            let (line, breaks) = past.line(delay);
            let relation = self.plan.flow.rows[row].relation;
            (delay_key(model, relation), line, breaks)
        };
        delays.map(line).collect()
    }
}

impl HybridState {
    /// Takes over what can be had before there are borders.
    pub(super) fn recall(&mut self, plan: &Plan, memory: &NamedHistory) {
        let latched: HashMap<&str, f64> = pairs(&memory.relays);
        for (&row, value) in plan.flow.relays.iter().zip(&mut self.discrete.relays) {
            if let Some(&held) = latched.get(&*row_key(&plan.model, row)) {
                *value = held;
            }
        }
        for (delay, &row) in plan.flow.delays.iter().enumerate() {
            let key = delay_key(&plan.model, plan.flow.rows[row].relation);
            let known = memory.pasts.iter().find(|(known, ..)| *known == key);
            if let Some((_, line, breaks)) = known {
                self.past.take_over(delay, line, breaks, self.t);
            }
        }
    }
}

impl EventIteration {
    /// Takes over what belongs to borders. The sides are those of the values.
    pub(super) fn recall_borders(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        memory: &NamedHistory,
    ) -> Result<(), RunFault> {
        let model = &*self.plan.model;
        let borders: HashMap<String, BorderId> = (0..state.borders.len())
            .map(BorderId::new)
            .filter_map(|border| Some((border_key(model, &state.borders, border)?, border)))
            .collect();
        let reals = model.reals.iter().enumerate();
        let reals: HashMap<&str, RealId> = reals
            .map(|(index, real)| (&*real.name, RealId::new(index)))
            .collect();
        let change = |change: &Change| {
            let parts = change.iter();
            let parts = parts.map(|(name, part)| Some((*reals.get(&**name)?, *part)));
            parts.collect::<Option<Vec<_>>>()
        };
        for (name, side) in &memory.flagged {
            let Some(&border) = borders.get(name) else {
                continue;
            };
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let near = evaluator
                .z(border)
                .is_some_and(|z| z.abs() <= self.plan.config.atol);
            if near && !state.borders.is_step_end(border) {
                state.discrete.flags.set(border.index(), true);
                state.discrete.sides[border.index()] = *side;
            }
        }
        let relations = (0..model.relations.len()).map(RelationId::new);
        let by_key: HashMap<String, RelationId> =
            relations.map(|id| (row_key(model, id), id)).collect();
        let ids_of = |rows: &[String]| {
            let ids = rows.iter().map(|row| by_key.get(row).copied());
            ids.collect::<Option<Vec<_>>>().unwrap_or_default()
        };
        for (name, side, along, [rows, made_by]) in &memory.rest {
            let left = made_by.iter().filter_map(|row| by_key.get(row).copied());
            let left: Vec<RelationId> = left.collect();
            if left.is_empty() && !made_by.is_empty() {
                continue;
            }
            if let (Some(&border), Some(along)) = (borders.get(name), change(along)) {
                state.discrete.flags.set(border.index(), true);
                state.discrete.sides[border.index()] = *side;
                let mut push = ContactReaction::new(border, *side, along);
                push.rows = ids_of(rows);
                push.made_by = left;
                dynamics.bound.rest.push(push);
            }
        }
        let present = &state.reals;
        let seen = memory.seen.iter().map(|seen| {
            let known: HashMap<&str, f64> = pairs(&seen.reals);
            let values = model.reals.iter().zip(present);
            let ids = |names: &[String]| {
                let ids = names.iter().map(|name| borders.get(name).copied());
                ids.collect::<Option<Vec<_>>>()
            };
            Some(RecentInstant {
                time: seen.time,
                borders: ids(&seen.borders)?.into(),
                bound: ids(&seen.bound)?.into(),
                sides: seen.sides.iter().copied().collect(),
                reals: values
                    .map(|(real, now)| *known.get(&*real.name).unwrap_or(now))
                    .collect(),
                jump: change(&seen.jump)?.into(),
                rows: ids_of(&seen.rows).into(),
            })
        });
        if let Some(seen) = seen.collect::<Option<Vec<RecentInstant>>>() {
            state.zeno.recall(seen);
        }
        if !dynamics.bound.rest.is_empty() {
            dynamics.follow_sides(state);
            state
                .discrete
                .settle_situations(&self.plan.model, &self.plan.scan);
            self.enter(state, dynamics, observe)?;
            self.end_rests(state, dynamics, observe)?;
        }
        Ok(())
    }
}

impl EventIteration {
    /// Ends what rests by rows that would not act any more.
    fn end_rests(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let mut rest = dynamics.bound.rest.clone();
        for push in &mut rest {
            push.conditions = dynamics.rest_conditions(state, &push.made_by)?;
        }
        rest.retain(|push| push.made_by.is_empty() || !push.conditions.is_empty());
        let ends = rest.len() < dynamics.bound.rest.len();
        dynamics.bound.rest = rest;
        match ends {
            true => self.enter(state, dynamics, observe),
            false => Ok(()),
        }
    }
}

fn pairs(pairs: &[(String, f64)]) -> HashMap<&str, f64> {
    let all = pairs.iter().rev();
    all.map(|(name, value)| (name.as_str(), *value)).collect()
}

/// Key of a relation.
fn row_key(model: &Model, id: RelationId) -> String {
    let row = &model.relations[id.index()];
    let target = &model.reals[row.targets[0].index()].name;
    let args = row.args.iter().map(|arg| match arg {
        Argument::Real(expr) => model.expr_text(*expr),
        Argument::Boolean(literal) => model.boolean_name(literal.what),
    });
    let args: Vec<String> = args.collect();
    format!("{target} {}({})", row.procedure.get().name, args.join(", "))
}

/// Key of a border; `None` if the border belongs to a comparison that is only watched.
fn border_key(model: &Model, borders: &Borders, border: BorderId) -> Option<String> {
    let range = |id: crate::ids::RangeId| &model.ranges[id.index()];
    let owner = match borders.owners[border.index()] {
        BorderSource::Comparison(id, position) => {
            let Comparison { left, right, .. } = *range(id).all.get(position)?;
            let [left, right] = [left, right].map(|expr| model.expr_text(expr));
            format!("{} {left} {right}", range(id).name)
        }
        BorderSource::RangeKink(id, position) => format!("{} kink {position}", range(id).name),
        BorderSource::RowKink(id, position) => format!("{} kink {position}", row_key(model, id)),
        BorderSource::Relay(id, upper) => format!("{} {upper}", row_key(model, id)),
        BorderSource::Edge(id, position) => format!("{} edge {position}", row_key(model, id)),
        BorderSource::Bound(id, upper) => format!("{} bound {upper}", row_key(model, id)),
        BorderSource::Push(id, upper) => format!("{} push {upper}", row_key(model, id)),
        BorderSource::Watch(_) | BorderSource::WatchKink(..) => return None,
    };
    let upper = borders.staircases.iter().any(|ends| ends.high == border);
    Some(if upper { owner + " end" } else { owner })
}
