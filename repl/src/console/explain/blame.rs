//! How much each rule moved a value, and which rule wrote it when.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Expr, Model, Relation};
use situ_engine::procedure::{Body, Effect, Memory};
use situ_engine::sim::{Hybrid, Simulation};

use super::standing::{rate, standing};
use super::{STRETCH, real_named};
use crate::console::history::{At, History};
use crate::console::names::{Named, find};
use crate::console::reply::Trouble;
use crate::console::stepper::Stepper;
use crate::console::{Console, Supervisor};
use situ_rules::print::ModelText;
use situ_views::text::number::rounded;

/// Stands for the rows that write a value, where there is none.
const HELD: &str = "-";

/// What one rule did to a value over an interval.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::console) struct Share {
    /// Id of the row, or what was done at the prompt.
    pub(in crate::console) who: String,
    /// The row.
    pub(in crate::console) line: String,
    pub(in crate::console) moved: f64,
    /// Steps in which it took part.
    pub(in crate::console) steps: u64,
}

/// How much each rule moved a value.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::console) struct Blame {
    pub(in crate::console) from: (f64, f64),
    pub(in crate::console) to: (f64, f64),
    pub(in crate::console) shares: Vec<Share>,
}

/// A span in which one row wrote a value, or a boolean stood.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::console) struct Span {
    pub(in crate::console) from: f64,
    pub(in crate::console) to: f64,
    /// Who wrote it, or the value of a boolean.
    pub(in crate::console) what: String,
    /// Nothing has written it since.
    held: bool,
    pub(in crate::console) first: f64,
    pub(in crate::console) last: f64,
    pub(in crate::console) least: f64,
    pub(in crate::console) most: f64,
}

impl Console {
    /// How much each rule moved a real from a number of steps on to the present.
    ///
    /// A row that sums itself up tick by tick (an integral, `n = n + 1`) moved the value by what it
    /// added. A row that writes the value anew moved it by the difference to what it, or the row before
    /// it, had written; a row that adds to that in the same tick, by the change of what it adds.
    pub(in crate::console) fn blame(
        &mut self,
        name: &str,
        from: &History,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Blame, Trouble> {
        let history = self.world.history.clone();
        let mut ledger = Ledger::default();
        let mut seen = from.clone();
        let (segment, at) = seen.place();
        let begin = self.store.at(segment, at);
        let begin_time = begin.time();
        let mut value = real_named(begin, name).unwrap_or(f64::NAN);
        let first = value;
        let mut done = 0_u64;
        loop {
            let (segment, at) = seen.place();
            let run = self.store.at(segment, at);
            let present = real_named(run, name);
            // Something was done at the prompt between the steps.
            if let Some(present) = present
                && present.to_bits() != value.to_bits()
            {
                let cause = self.store.cause(segment).to_owned();
                if value.is_finite() {
                    ledger.move_by(("prompt".to_owned(), cause), present, value);
                }
                ledger.added.clear();
                ledger.base = None;
                value = present;
            }
            if seen.place() == history.place() && seen.piece() == history.piece() {
                break;
            }
            let mut next = seen.next().1;
            if seen.piece() == history.piece() && history.place().1.step == next.step {
                next = history.place().1;
            }
            let run = self.store.at(segment, at);
            if present.is_some() {
                value = match run.ticks() {
                    Some(ticks) => ledger.tick(ticks, name, value),
                    None => ledger.step(run, next, name, value),
                };
            }
            seen.forward_to(next);
            done += 1;
            if done.is_multiple_of(STRETCH) && supervisor.poll(done, 0).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        Ok(Blame {
            from: (begin_time, first),
            to: (self.run().time(), value),
            shares: ledger.shares(),
        })
    }

    /// Spans of a value's past: of a real by the row that wrote it, of a boolean by its truth.
    pub(in crate::console) fn trace(
        &mut self,
        name: &str,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Vec<Span>, Trouble> {
        let history = self.world.history.clone();
        let to = history.steps_before();
        let mut spans: Vec<Span> = Vec::new();
        let mut begin = 0;
        while begin <= to {
            let end = (begin + STRETCH).min(to);
            self.store.walk(&history, begin, end, &mut |_, run| {
                let Some((what, value)) = standing_of(run, name) else {
                    return ControlFlow::Continue(());
                };
                let (at, jumped) = (run.time(), was_written_at_an_instant(run, name));
                let holds_still =
                    |span: &Span| what == HELD && span.last.to_bits() == value.to_bits();
                match spans.last_mut() {
                    Some(span)
                        if !jumped && (span.what == what && !span.held || holds_still(span)) =>
                    {
                        span.held = holds_still(span);
                        span.to = at;
                        span.last = value;
                        span.least = span.least.min(value);
                        span.most = span.most.max(value);
                    }
                    _ => spans.push(Span {
                        from: at,
                        to: at,
                        what,
                        held: false,
                        first: value,
                        last: value,
                        least: value,
                        most: value,
                    }),
                }
                ControlFlow::Continue(())
            });
            begin = end + 1;
            if supervisor.poll(begin, to).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        Ok(spans)
    }
}

/// Who moved a value by how much.
#[derive(Debug, Default)]
struct Ledger {
    /// Per row and line, the sum in two parts that lose nothing, and the steps.
    moved: BTreeMap<(String, String), (Exact, u64)>,
    /// Rows that added to a value written anew in the last tick: what was after and before each.
    added: Vec<((String, String), f64, f64)>,
    /// What was written anew in the last tick.
    base: Option<f64>,
}

impl Ledger {
    fn move_by(&mut self, who: (String, String), to: f64, from: f64) {
        self.move_by_parts(who, &[to, -from]);
    }

    fn move_by_parts(&mut self, who: (String, String), parts: &[f64]) {
        let (moved, steps) = self.moved.entry(who).or_default();
        parts.iter().for_each(|part| moved.add(*part));
        *steps += 1;
    }

    /// Does the next step of an event-accurate run, to its end or to a time inside it; the value after
    /// it.
    ///
    /// What integrals add is taken by Gauss quadrature over the step, along a slide by their shares; what
    /// event rows wrote at its end stands as they did it. The rest goes to a row that writes the value
    /// anew, if there is one.
    fn step(&mut self, run: &Stepper, next: At, name: &str, value: f64) -> f64 {
        let model = run.model();
        let Some(target) = model.reals.iter().position(|real| real.name == name) else {
            return value;
        };
        let target = RealId::new(target);
        let words = ModelText::of(model);
        let key = |id: RelationId| (model.relations[id.index()].id.clone(), words.relation(id));
        let (t0, mut end) = (run.time(), run.clone());
        // A step that fails is taken as far as it came.
        let _ = match next.cut {
            Some(cut) => end.advance_to(cut).map(|_| ()),
            None => end.advance(1).1,
        };
        let (t1, after) = (end.time(), end.row().real(target));
        let (integrals, others): (Vec<RelationId>, Vec<RelationId>) =
            model.writers(target).partition(|id| {
                let body = &model.relations[id.index()].procedure.get().body;
                matches!(body, Body::Memory(Memory::Integral))
            });
        // Kept in parts, so that what a value gains and loses again leaves nothing.
        let mut left = vec![after, -value];
        let mut moved = vec![(0.0, false); integrals.len()];
        let mut along = run.clone();
        for (node, weight) in GAUSS {
            let within = along.advance_to(t0 + (t1 - t0) * node).is_ok();
            let Some(events) = along.events().filter(|_| within) else {
                break;
            };
            let row = events.row();
            standing(events, model, |rule| {
                let of = integrals.iter().position(|id| *id == rule.relation);
                if let Some(of) = of {
                    let relation = &model.relations[rule.relation.index()];
                    let rate = rate(model, relation, rule.before, &row);
                    let (sum, takes_part) = &mut moved[of];
                    *sum += weight * (t1 - t0) * events.share(rule.relation) * rate;
                    *takes_part = true;
                }
            });
        }
        for ((moved, takes_part), id) in moved.into_iter().zip(&integrals) {
            if takes_part {
                self.move_by(key(*id), moved, 0.0);
                left.push(-moved);
            }
        }
        let events = end.events();
        let deeds = events.into_iter().flat_map(|run| run.deeds());
        for deed in deeds.filter(|deed| deed.real == target) {
            self.move_by(key(deed.relation), deed.after, deed.before);
            left.extend([deed.before, -deed.after]);
        }
        let (begun, ended) = (added(run, model, target), added(&end, model, target));
        for (id, more, less) in differences(&begun, &ended) {
            self.move_by(key(id), more, less);
            left.extend([less, -more]);
        }
        let sum = left.iter().copied().collect::<Exact>();
        if sum.value() != 0.0 {
            let takes_part =
                |run: &Stepper, id: RelationId| run.events().is_some_and(|run| run.share(id) > 0.0);
            let is_anew =
                |id: &RelationId| !reads_target(model, &model.relations[id.index()], target);
            let anew = |run: &Stepper| {
                let mut standing = others.iter().filter(|id| takes_part(run, **id));
                standing.rfind(|id| is_anew(id)).copied()
            };
            let who = match anew(&end).or_else(|| anew(run)) {
                Some(id) => key(id),
                None if events.is_some_and(Hybrid::rests) => (
                    "rest".to_owned(),
                    "the push of the border on which it rests".to_owned(),
                ),
                None => ("rest".to_owned(), "error of the sums above".to_owned()),
            };
            self.move_by_parts(who, &left);
        }
        after
    }

    /// Does the next tick of a run; the value after it.
    fn tick(&mut self, run: &Simulation, name: &str, value: f64) -> f64 {
        let model = run.model();
        let Some(target) = model.reals.iter().position(|real| real.name == name) else {
            return value;
        };
        let target = RealId::new(target);
        let mut writes: Vec<(RelationId, f64, f64)> = Vec::new();
        run.observe_tick(|row| {
            if model.relations[row.relation.index()]
                .targets
                .contains(&target)
            {
                let (before, after) = (row.before[target.index()], row.after[target.index()]);
                writes.push((row.relation, before, after));
            }
        });
        let Some((.., last)) = writes.last().copied() else {
            return value;
        };
        let words = ModelText::of(model);
        let key = |id: RelationId| (model.relations[id.index()].id.clone(), words.relation(id));
        let anew = writes
            .iter()
            .rposition(|(id, ..)| !reads_target(model, &model.relations[id.index()], target));
        let Some(anew) = anew else {
            for (id, before, after) in &writes {
                self.move_by(key(*id), *after, *before);
            }
            self.added.clear();
            self.base = None;
            return last;
        };
        let (id, _, written) = writes[anew];
        let base = self.base.replace(written).unwrap_or(value);
        self.move_by(key(id), written, base);
        // What rows added in the tick before is taken back, and added anew.
        for (who, after, before) in std::mem::take(&mut self.added) {
            let entry = self.moved.entry(who).or_default();
            entry.0.add(before);
            entry.0.add(-after);
        }
        for (id, before, after) in &writes[anew + 1..] {
            self.move_by(key(*id), *after, *before);
            self.added.push((key(*id), *after, *before));
        }
        last
    }

    fn shares(self) -> Vec<Share> {
        let mut shares: Vec<Share> = self
            .moved
            .into_iter()
            .map(|((who, line), (moved, steps))| Share {
                who,
                line,
                moved: moved.value(),
                steps,
            })
            .collect();
        shares.sort_by(|a, b| b.moved.abs().total_cmp(&a.moved.abs()));
        shares
    }
}

/// Nodes and weights of Gauss quadrature with seven nodes on the interval from 0 to 1; exact for
/// polynomials up to the thirteenth degree, which no step exceeds.
const GAUSS: [(f64, f64); 7] = [
    (0.025_446_043_828_620_74, 0.064_742_483_084_434_85),
    (0.129_234_407_200_302_8, 0.139_852_695_744_638_32),
    (0.297_077_424_311_301_4, 0.190_915_025_252_559_46),
    (0.5, 0.208_979_591_836_734_7),
    (0.702_922_575_688_698_6, 0.190_915_025_252_559_46),
    (0.870_765_592_799_697_2, 0.139_852_695_744_638_32),
    (0.974_553_956_171_379_3, 0.064_742_483_084_434_85),
];

/// A sum that keeps what rounding takes away.
#[derive(Clone, Copy, Debug, Default)]
struct Exact {
    sum: f64,
    rest: f64,
}

impl Exact {
    /// Knuth's exact sum of two numbers; what is lost goes to the rest.
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let back = sum - self.sum;
        self.rest += (self.sum - (sum - back)) + (value - back);
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        self.sum + self.rest
    }
}

impl FromIterator<f64> for Exact {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

/// What each rule that stands adds to what the rule above it has given a real.
fn added(run: &Stepper, model: &Model, target: RealId) -> Vec<(RelationId, f64)> {
    let mut added = Vec::new();
    if let Some(events) = run.events() {
        standing(events, model, |rule| {
            let relation = &model.relations[rule.relation.index()];
            let starts_from = relation.targets.contains(&target)
                && matches!(relation.procedure.get().body, Body::Value(_))
                && reads_target(model, relation, target);
            if starts_from {
                let more = rule.after[target.index()] - rule.before[target.index()];
                added.push((rule.relation, more));
            }
        });
    }
    added
}

/// What stands in either list, with its amounts now and before; nothing is 0.
fn differences(
    before: &[(RelationId, f64)],
    now: &[(RelationId, f64)],
) -> Vec<(RelationId, f64, f64)> {
    let amount = |list: &[(RelationId, f64)], id| {
        let found = list.iter().find(|(one, _)| *one == id);
        found.map_or(0.0, |(_, amount)| *amount)
    };
    let mut ids: Vec<RelationId> = before.iter().chain(now).map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let amounts = ids
        .into_iter()
        .map(|id| (id, amount(now, id), amount(before, id)));
    amounts.filter(|(_, now, before)| now != before).collect()
}

/// Whether a row starts from what its target has: integrals and the like, and rows that name it.
fn reads_target(model: &Model, row: &Relation, target: RealId) -> bool {
    let keeps = row.procedure.get().effect() == Effect::Updates;
    keeps
        || row.args.iter().any(|argument| match argument {
            Argument::Real(expr) => {
                let mut found = false;
                model
                    .exprs
                    .visit(*expr, |_, node| found |= *node == Expr::Real(target));
                found
            }
            Argument::Boolean(_) => false,
        })
}

/// Whether an event row wrote the real in the last step of an event-accurate run.
fn was_written_at_an_instant(run: &Stepper, name: &str) -> bool {
    let reals = &run.model().reals;
    let deeds = run.events().into_iter().flat_map(|run| run.deeds());
    deeds
        .into_iter()
        .any(|deed| reals[deed.real.index()].name == name)
}

/// What a name stands at: a real by its writers and value, a boolean by its truth.
fn standing_of(run: &Stepper, name: &str) -> Option<(String, f64)> {
    let (model, row) = (run.model(), run.row());
    match find(model, name)? {
        Named::Real(id) => {
            let ids: Vec<String> = model
                .writers(id)
                .filter(|id| run.is_active(*id))
                .map(|id| format!("[{}]", model.relations[id.index()].id))
                .collect();
            let who = if ids.is_empty() {
                HELD.to_owned()
            } else {
                ids.join(" ")
            };
            Some((who, row.real(id)))
        }
        Named::Constant(id) => {
            let value = row.constants[id.index()];
            Some((rounded(value), value))
        }
        Named::Boolean(what) => {
            let held = row.boolean(model, what);
            Some((held.to_string(), f64::from(u8::from(held))))
        }
    }
}
