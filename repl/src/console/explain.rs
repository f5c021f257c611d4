//! Questions to the past: what changed, who wrote a value, what holds a condition up, how much each
//! rule moved a value.
//!
//! Everything is read off ticks that are done again (`Simulation::observe_tick`), so that an answer is
//! what happened and not what might have.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::ids::{RealId, RelationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, Coefficient, Conjunction, Expr, Guard, Literal, Model, Relation,
};
use situ_engine::procedure::{Body, Memory};
use situ_engine::sim::{Observed, Simulation};
use situ_engine::trace::Row;

use super::document::Version;
use super::history::{At, History, SegmentId, Store};
use super::names::margin;
use super::reply::Trouble;
use super::stepper::Stepper;
use super::words::time;
use super::{Console, Supervisor};
use crate::view::columns::named_booleans;
use crate::view::number::rounded;
use crate::view::words::Words;

/// Steps that are walked through between two looks at the supervisor.
const STRETCH: u64 = 4096;

/// Most steps that are run ahead to see when something turns.
const AHEAD: u64 = 200_000;

/// A change of booleans.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Change {
    pub(super) time: f64,
    pub(super) begins: Vec<String>,
    pub(super) ends: Vec<String>,
}

/// One line of an explanation with what stands under it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Reason {
    pub(super) text: String,
    /// Whether what it is about holds; `None` for values.
    pub(super) holds: Option<bool>,
    /// How far a comparison is from turning.
    pub(super) margin: Option<f64>,
    pub(super) under: Vec<Reason>,
}

/// What one rule did to a value over an interval.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Share {
    /// Id of the row, or what was done at the prompt.
    pub(super) who: String,
    /// The row.
    pub(super) line: String,
    pub(super) moved: f64,
    /// Steps in which it took part.
    pub(super) steps: u64,
}

/// How much each rule moved a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Blame {
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
    pub(super) shares: Vec<Share>,
}

/// A span in which one row wrote a value, or a boolean stood.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Who wrote it, or the value of a boolean.
    pub(super) what: String,
    pub(super) first: f64,
    pub(super) last: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// Two histories side by side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Compared {
    pub(super) end: f64,
    /// The first time at which a real differs.
    pub(super) parts: Option<f64>,
    pub(super) rows: Vec<ComparedReal>,
}

/// One real of both.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ComparedReal {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) ends: (f64, f64),
    pub(super) greatest: f64,
    pub(super) at: f64,
}

impl Reason {
    fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            holds: None,
            margin: None,
            under: Vec::new(),
        }
    }

    fn of_truth(text: impl Into<String>, holds: bool) -> Self {
        Self {
            holds: Some(holds),
            ..Self::new(text)
        }
    }

    /// As indented lines.
    pub(super) fn lines(&self) -> String {
        let mut text = String::new();
        let mut stack = vec![(self, 0)];
        while let Some((reason, depth)) = stack.pop() {
            let mark = match reason.holds {
                Some(true) => "+ ",
                Some(false) => "- ",
                None => "",
            };
            text.push_str(&format!("{}{mark}{}\n", "  ".repeat(depth), reason.text));
            stack.extend(reason.under.iter().rev().map(|under| (under, depth + 1)));
        }
        text
    }

    /// As data.
    pub(super) fn data(&self) -> serde_json::Value {
        // As deep as situations name each other, which the resolver limits to the written order; a
        // flat list with depths needs no recursion.
        let mut lines = Vec::new();
        let mut stack = vec![(self, 0)];
        while let Some((reason, depth)) = stack.pop() {
            lines.push(serde_json::json!({
                "depth": depth,
                "text": reason.text,
                "holds": reason.holds,
                "margin": reason.margin,
            }));
            stack.extend(reason.under.iter().rev().map(|under| (under, depth + 1)));
        }
        serde_json::json!(lines)
    }
}

impl Store {
    /// Calls `each` for every step from one number of steps to another, both included. At a change,
    /// only what stands after it is shown.
    pub(super) fn walk(
        &mut self,
        history: &History,
        from: u64,
        to: u64,
        each: &mut dyn FnMut(SegmentId, &Stepper) -> ControlFlow<()>,
    ) {
        let mut seen = history.at_step(from);
        let mut at = from;
        loop {
            // The place at which one stands may lie inside a step.
            let present = at == history.steps_before();
            let (segment, place) = if present {
                history.place()
            } else {
                seen.place()
            };
            if each(segment, self.at(segment, place)).is_break() || at >= to {
                return;
            }
            at += 1;
            seen.forward();
        }
    }
}

/// Most situations that are taken apart one inside the other.
const DEEPEST: usize = 128;

/// What an explanation has said already: each boolean is taken apart once.
#[derive(Debug, Default)]
struct Explained {
    known: HashSet<Boolean>,
    depth: usize,
}

fn positive(what: Boolean) -> Literal {
    Literal {
        what,
        negated: false,
    }
}

/// The tick that found the booleans which stand now.
pub(super) struct Moment {
    pub(super) version: Arc<Version>,
    /// The run before that tick; at the start, as it stands.
    pub(super) before: Stepper,
    /// How the tick went; `None` at the start and in event stepping.
    pub(super) observed: Option<Observed>,
    /// Whether something has been run.
    begun: bool,
}

impl Moment {
    pub(super) fn holds(&self, what: Boolean) -> bool {
        match (&self.observed, self.before.ticks()) {
            (Some(observed), Some(run)) => run.observed(observed, what),
            _ => self.before.row().boolean(self.before.model(), what),
        }
    }

    /// The value of an expression as ranges read it.
    fn value(&self, expr: situ_engine::ids::ExprId) -> f64 {
        let row = self.before.row();
        let model = self.before.model();
        model.value_at(expr, row.reals, row.constants, row.time)
    }
}

impl Console {
    /// The tick before the present place.
    pub(super) fn moment(&mut self) -> Moment {
        let history = self.world.history.clone();
        let (segment, at) = history.place();
        if self.store.at(segment, at).ticks().is_none() {
            return Moment {
                version: self.store.version(segment),
                before: self.store.at(segment, at).clone(),
                observed: None,
                begun: !history.at_the_start(),
            };
        }
        let mut earlier = history.pieces()[..history.piece()].iter().rev();
        let earlier = earlier.find(|piece| piece.end.step > 0);
        let (segment, at, begun) = match (at.step, earlier) {
            (0, Some(before)) => (before.segment, At::step(before.end.whole()), true),
            (0, None) => (segment, at, false),
            (step, _) => (segment, At::step(step), true),
        };
        let tick = if begun { At::step(at.step - 1) } else { at };
        let before = self.store.at(segment, tick).clone();
        let observed = before
            .ticks()
            .filter(|_| begun)
            .map(|run| run.observe_tick(|_| {}));
        Moment {
            version: self.store.version(segment),
            before,
            observed,
            begun,
        }
    }

    /// The last changes of booleans before the present time, oldest first.
    pub(super) fn changes(
        &mut self,
        wanted: usize,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Vec<Change>, Trouble> {
        let history = self.world.history.clone();
        let now = history.steps_before();
        let mut end = now;
        let mut found: Vec<Change> = Vec::new();
        while end > 0 && found.len() < wanted {
            let begin = end.saturating_sub(STRETCH);
            let mut before: Option<Vec<(String, bool)>> = None;
            let mut stretch = Vec::new();
            self.store.walk(&history, begin, end, &mut |_, run| {
                let (model, row) = (run.model(), run.row());
                let truths: Vec<(String, bool)> = named_booleans(model)
                    .map(|(name, what)| (name.to_owned(), row.boolean(model, what)))
                    .collect();
                if let Some(before) = &before
                    && *before != truths
                {
                    stretch.push(change(row.time, before, &truths));
                }
                before = Some(truths);
                ControlFlow::Continue(())
            });
            stretch.retain(|change: &Change| !(change.begins.is_empty() && change.ends.is_empty()));
            found.splice(0..0, stretch);
            end = begin;
            if supervisor.poll(now - end, now).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        let surplus = found.len().saturating_sub(wanted);
        found.drain(..surplus);
        Ok(found)
    }

    /// Why a boolean stands as it does.
    pub(super) fn why_boolean(&mut self, what: Boolean) -> Reason {
        if let Boolean::Switch(id) = what {
            // The last tick found it as it was before its assignments.
            let run = self.run();
            let (held, name) = (run.row().boolean(run.model(), what), what);
            let text = Words::of(run.model()).literal(positive(name));
            let says = if held { "holds" } else { "does not hold" };
            return Reason {
                under: vec![self.why_switch(id)],
                ..Reason::of_truth(format!("{text} {says}"), held)
            };
        }
        let moment = self.moment();
        self.reason(&moment, positive(what), &mut Explained::default())
    }

    /// A literal with what it follows from.
    fn reason(&mut self, moment: &Moment, literal: Literal, explained: &mut Explained) -> Reason {
        let model = Arc::clone(&moment.version.model);
        let words = Words::of(&model);
        let held = moment.holds(literal.what);
        let text = words.literal(literal);
        let says = |held: bool| if held { "holds" } else { "does not hold" };
        let now = held != literal.negated;
        let mut reason = Reason::of_truth(format!("{text} {}", says(now)), now);
        if explained.depth == DEEPEST || !explained.known.insert(literal.what) {
            let is_simple = matches!(literal.what, Boolean::Schedule(_) | Boolean::Start);
            reason
                .text
                .push_str(if is_simple { "" } else { " (see above)" });
            return reason;
        }
        match literal.what {
            Boolean::Range(id) => {
                let range = &model.ranges[id.index()];
                for comparison in &range.all {
                    let (left, right) = (
                        moment.value(comparison.left),
                        moment.value(comparison.right),
                    );
                    let margin = margin(&model, comparison, |expr| moment.value(expr));
                    reason.under.push(Reason {
                        margin: Some(margin),
                        ..Reason::of_truth(
                            format!(
                                "{}: {} {} {}, margin {}",
                                words.comparison(comparison),
                                rounded(left),
                                comparison.op.symbol(),
                                rounded(right),
                                rounded(margin)
                            ),
                            // On a border the side counts and not the numbers.
                            if range.all.len() == 1 {
                                held
                            } else {
                                comparison.op.holds(left, right)
                            },
                        )
                    });
                }
            }
            Boolean::Situation(id) => {
                let event = model.situations[id.index()].event;
                for (index, row) in model.situation_rows.iter().enumerate() {
                    if row.situation != id {
                        continue;
                    }
                    explained.depth += 1;
                    let all = self.conjunction(moment, &row.all, explained);
                    explained.depth -= 1;
                    let mut now = all.iter().all(|reason| reason.holds == Some(true));
                    let remembered = moment
                        .observed
                        .as_ref()
                        .and_then(|seen| seen.remembered[index]);
                    let mut line = format!("[{}] {}", row.id, words.conjunction(&row.all));
                    if event && !moment.begun {
                        line.push_str("; at the start nothing arises");
                        now = false;
                    } else if event && moment.observed.is_none() {
                        now = held && now;
                        line.push_str(if now { "; it arose" } else { "" });
                    } else if let (true, Some(true)) = (now, remembered) {
                        line.push_str("; but it held before, so it did not arise");
                        now = false;
                    } else if let (true, Some(false)) = (now, remembered) {
                        line.push_str("; it did not hold before: it arose");
                    }
                    reason.under.push(Reason {
                        under: all,
                        ..Reason::of_truth(line, now)
                    });
                }
            }
            Boolean::Switch(id) => reason.under.push(self.why_switch(id)),
            Boolean::Schedule(_) | Boolean::Start => {}
        }
        reason
    }

    fn conjunction(
        &mut self,
        moment: &Moment,
        all: &Conjunction,
        explained: &mut Explained,
    ) -> Vec<Reason> {
        all.iter()
            .map(|literal| self.reason(moment, *literal, explained))
            .collect()
    }

    /// Which assignment gave a switch its value, and when.
    fn why_switch(&mut self, id: SwitchId) -> Reason {
        let history = self.world.history.clone();
        let name = self.version().model.switches[id.index()].name.clone();
        let now = history.steps_before();
        let mut end = now;
        while end > 0 {
            let begin = end.saturating_sub(STRETCH);
            let mut found: Option<(f64, String)> = None;
            self.store.walk(&history, begin + 1, end, &mut |_, run| {
                let model = run.model();
                let switch = model.switches.iter().position(|one| one.name == name);
                for (index, row) in model.assignments.iter().enumerate() {
                    let sets = row.set.iter().any(|(one, _)| Some(one.index()) == switch);
                    if sets && run.is_executed(index) {
                        let words = Words::of(model);
                        found = Some((
                            run.time(),
                            format!("[{}] {}", row.id, words.assignment(index)),
                        ));
                    }
                }
                ControlFlow::Continue(())
            });
            if let Some((at, line)) = found {
                return Reason::new(format!("set last at t = {} by {line}", time(at)));
            }
            end = begin;
        }
        Reason::new("no assignment has written it: it has its start value, or what was set")
    }

    /// What keeps a boolean from holding, nearest first, and when each part is going to turn.
    pub(super) fn why_not(
        &mut self,
        what: Boolean,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Reason, Trouble> {
        let moment = self.moment();
        let model = Arc::clone(&moment.version.model);
        let words = Words::of(&model);
        let name = words.literal(Literal {
            what,
            negated: false,
        });
        if moment.holds(what) {
            return Ok(Reason::of_truth(format!("{name} holds"), true));
        }
        let mut failing: Vec<(Literal, usize)> = Vec::new();
        let mut rows = Vec::new();
        match what {
            Boolean::Situation(id) => {
                for (index, row) in model.situation_rows.iter().enumerate() {
                    if row.situation != id {
                        continue;
                    }
                    let number = rows.len();
                    rows.push(index);
                    let fails = |literal: &&Literal| moment.holds(literal.what) == literal.negated;
                    failing.extend(row.all.iter().filter(fails).map(|one| (*one, number)));
                }
            }
            _ => failing.push((
                Literal {
                    what,
                    negated: false,
                },
                0,
            )),
        }
        let turns = self.turns(&failing, supervisor)?;
        let mut reason = Reason::of_truth(format!("{name} does not hold"), false);
        let mut parts: Vec<(usize, Reason)> = Vec::new();
        for ((literal, row), at) in failing.iter().zip(turns) {
            let mut part = self.reason(&moment, *literal, &mut Explained::default());
            part.margin = part
                .under
                .iter()
                .filter_map(|under| under.margin)
                .reduce(f64::min);
            part.text.push_str(&match at {
                Turn::At(at) => format!("; it is going to at t = {}", time(at)),
                Turn::NotBefore(end) => format!("; not before t = {}", time(end)),
            });
            parts.push((*row, part));
        }
        let distance = |reason: &Reason| reason.margin.map_or(f64::INFINITY, f64::abs);
        parts.sort_by(|a, b| {
            a.0.cmp(&b.0)
                .then(distance(&a.1).total_cmp(&distance(&b.1)))
        });
        if rows.is_empty() {
            reason.under = parts.into_iter().map(|(_, part)| part).collect();
            return Ok(reason);
        }
        for (number, index) in rows.into_iter().enumerate() {
            let row = &model.situation_rows[index];
            let mut under: Vec<Reason> = parts
                .iter()
                .filter(|(of, _)| *of == number)
                .map(|(_, part)| part.clone())
                .collect();
            if under.is_empty() {
                let why = if !moment.begun {
                    "it holds, but at the start nothing arises"
                } else {
                    "it holds, and held before: it has to end before it can arise again"
                };
                under.push(Reason::new(why));
            }
            let line = format!("[{}] {}", row.id, words.conjunction(&row.all));
            reason.under.push(Reason {
                under,
                ..Reason::of_truth(line, false)
            });
        }
        Ok(reason)
    }

    /// When literals that fail are going to hold, if nothing is changed.
    fn turns(
        &mut self,
        failing: &[(Literal, usize)],
        supervisor: &mut dyn Supervisor,
    ) -> Result<Vec<Turn>, Trouble> {
        let end = self.version().stop().unwrap_or(f64::INFINITY);
        let mut run = self.run().clone();
        let mut found: Vec<Option<f64>> = vec![None; failing.len()];
        for step in 0..AHEAD {
            let over = found.iter().all(Option::is_some) || run.time() >= end;
            if over || run.advance(1).1.is_err() {
                break;
            }
            let (model, row) = (run.model(), run.row());
            for ((literal, _), at) in failing.iter().zip(&mut found) {
                let holds = row.boolean(model, literal.what) != literal.negated;
                if at.is_none() && holds {
                    *at = Some(row.time);
                }
            }
            if step.is_multiple_of(STRETCH) && supervisor.poll(step, AHEAD).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        let end = run.time();
        Ok(found
            .into_iter()
            .map(|at| at.map_or(Turn::NotBefore(end), Turn::At))
            .collect())
    }

    /// Which rule gave a real its value, from what, and since when.
    pub(super) fn why_real(
        &mut self,
        id: RealId,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Reason, Trouble> {
        let now = self.run();
        let (value, model) = (now.row().real(id), Arc::new(now.model().clone()));
        let quantity = &model.reals[id.index()];
        let gap = if quantity.unit.is_empty() { "" } else { " " };
        let name = crate::view::words::name(&quantity.name);
        let mut reason = Reason::new(format!("{name} = {}{gap}{}", rounded(value), quantity.unit));
        let moment = self.moment();
        let wrote = &moment.version.model;
        let Some(target) = wrote.reals.iter().position(|one| one.name == quantity.name) else {
            reason
                .under
                .push(Reason::new("it is new here and has its start value"));
            return Ok(reason);
        };
        let target = RealId::new(target);
        let mut rows: Vec<(RelationId, Vec<f64>, Option<f64>)> = Vec::new();
        match moment.before.ticks() {
            Some(run) if moment.observed.is_some() => {
                run.observe_tick(|row| {
                    let relation = &wrote.relations[row.relation.index()];
                    if relation.targets.contains(&target) {
                        rows.push((
                            row.relation,
                            row.before.to_vec(),
                            Some(row.after[target.index()]),
                        ));
                    }
                });
            }
            Some(_) => {}
            None => {
                let row = moment.before.row();
                let active = wrote
                    .writers(target)
                    .filter(|id| moment.before.is_active(*id));
                rows.extend(active.map(|id| (id, row.reals.to_vec(), None)));
            }
        }
        let after = rows.last().and_then(|(.., after)| *after);
        if after.is_some_and(|after| after.to_bits() != value.to_bits()) {
            reason
                .under
                .push(Reason::new("it was set at the prompt since the last step"));
        }
        let words = Words::of(wrote);
        for (relation, before, after) in &rows {
            let row = &wrote.relations[relation.index()];
            let line = format!("[{}] {}", row.id, words.relation(*relation));
            let gave =
                after.map_or_else(String::new, |after| format!("   gave {}", rounded(after)));
            let mut wrote_it = Reason::new(format!("{line}{gave}"));
            let constants = moment.before.row().constants;
            wrote_it.under = read_by(wrote, row, before, constants)
                .into_iter()
                .map(|(name, value)| Reason::new(format!("{name} = {}", rounded(value))))
                .collect();
            if let Guard::When(all) = &row.guard {
                let standing = self.conjunction(&moment, all, &mut Explained::default());
                wrote_it.under.extend(standing);
            }
            reason.under.push(wrote_it);
        }
        let since = self.writer_since(&quantity.name, supervisor)?;
        reason.under.push(match (rows.is_empty(), since) {
            (true, None) => {
                Reason::new("no rule has written it yet: it has its start value, or what was set")
            }
            (true, Some((at, line))) => Reason::new(format!(
                "no rule writes it now; {line} wrote it last, at t = {}",
                time(at)
            )),
            (false, Some((at, _))) => Reason::new(format!("so since t = {}", time(at))),
            (false, None) => Reason::new("so since the start"),
        });
        Ok(reason)
    }

    /// Since when the rows that write a real have been the same; if none does now, when and by which
    /// it was written last. `None` if that reaches back to the start.
    fn writer_since(
        &mut self,
        name: &str,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Option<(f64, String)>, Trouble> {
        let history = self.world.history.clone();
        let steps = history.steps_before();
        let now = writers(self.run(), name);
        let mut end = steps;
        while end > 0 {
            let begin = end.saturating_sub(STRETCH).max(1);
            let mut other: Option<(f64, String)> = None;
            let mut since = None;
            self.store.walk(&history, begin, end, &mut |_, run| {
                let then = writers(run, name);
                if then == now {
                    since = since.or(Some(run.time()));
                } else {
                    since = None;
                    let line = then.last().cloned().unwrap_or_default();
                    other = Some((run.time(), line));
                }
                ControlFlow::Continue(())
            });
            if let Some((at, line)) = other {
                let at = if now.is_empty() {
                    at
                } else {
                    since.unwrap_or(at)
                };
                return Ok(Some((at, line)));
            }
            if begin <= 1 {
                break;
            }
            end = begin;
            if supervisor.poll(steps - end, steps).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        Ok(None)
    }

    /// How much each rule moved a real from a number of steps on to the present.
    ///
    /// A row that sums itself up tick by tick (an integral, `n = n + 1`) moved the value by what it
    /// added. A row that writes the value anew moved it by the difference to what it, or the row before
    /// it, had written; a row that adds to that in the same tick, by the change of what it adds.
    pub(super) fn blame(
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
                    None => {
                        let mut along = run.clone();
                        ledger.step(&mut along, next, name, value)
                    }
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
    pub(super) fn trace(
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
                let at = run.time();
                match spans.last_mut() {
                    Some(span) if span.what == what => {
                        span.to = at;
                        span.last = value;
                        span.least = span.least.min(value);
                        span.most = span.most.max(value);
                    }
                    _ => spans.push(Span {
                        from: at,
                        to: at,
                        what,
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

    /// Two histories over the time that both have.
    pub(super) fn compared(
        &mut self,
        a: &History,
        b: &History,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Compared, Trouble> {
        let mut now = |history: &History| {
            let (segment, step) = history.place();
            let run = self.store.at(segment, step);
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
        let mut rows: Vec<ComparedReal> = both
            .iter()
            .map(|(index, _)| ComparedReal {
                name: model_a.reals[*index].name.clone(),
                unit: model_a.reals[*index].unit.clone(),
                ends: (f64::NAN, f64::NAN),
                greatest: 0.0,
                at: f64::NAN,
            })
            .collect();
        let mut parts = None;
        // Stretch by stretch, so that going to and fro between two segments costs little.
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        let mut walk_a = Walk::new(a, &names);
        let mut walk_b = Walk::new(b, &names);
        let (mut left, mut right) = (walk_a.next(self), walk_b.next(self));
        let mut done = 0_u64;
        while let (Some(row_a), Some(row_b)) = (&left, &right) {
            let slack = 1e-9 * row_a.0.abs().max(1e-300);
            if row_a.0 > end + slack || row_b.0 > end + slack {
                break;
            }
            if row_a.0 < row_b.0 - slack {
                left = walk_a.next(self);
                continue;
            }
            if row_b.0 < row_a.0 - slack {
                right = walk_b.next(self);
                continue;
            }
            for (row, (x, y)) in rows.iter_mut().zip(row_a.1.iter().zip(&row_b.1)) {
                row.ends = (*x, *y);
                let distance = (x - y).abs();
                if distance > row.greatest {
                    row.greatest = distance;
                    row.at = row_a.0;
                }
                if x.to_bits() != y.to_bits() && parts.is_none() {
                    parts = Some(row_a.0);
                }
            }
            left = walk_a.next(self);
            right = walk_b.next(self);
            done += 1;
            if done.is_multiple_of(STRETCH) && supervisor.poll(done, a.steps_before()).is_break() {
                return Err(Trouble::new("interrupted"));
            }
        }
        Ok(Compared { end, parts, rows })
    }
}

/// When a literal turns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Turn {
    At(f64),
    NotBefore(f64),
}

/// Goes along a history and gives values by name.
struct Walk<'n> {
    history: History,
    names: &'n [String],
    begun: u64,
    buffer: std::collections::VecDeque<(f64, Vec<f64>)>,
}

impl<'n> Walk<'n> {
    fn new(history: &History, names: &'n [String]) -> Self {
        Self {
            history: history.clone(),
            names,
            begun: 0,
            buffer: std::collections::VecDeque::new(),
        }
    }

    fn next(&mut self, console: &mut Console) -> Option<(f64, Vec<f64>)> {
        let to = self.history.steps_before();
        if self.buffer.is_empty() && self.begun <= to {
            let end = (self.begun + STRETCH).min(to);
            let (buffer, names) = (&mut self.buffer, self.names);
            console
                .store
                .walk(&self.history, self.begun, end, &mut |_, run| {
                    let values = names
                        .iter()
                        .map(|name| real_named(run, name).unwrap_or(f64::NAN));
                    buffer.push_back((run.time(), values.collect()));
                    ControlFlow::Continue(())
                });
            self.begun = end + 1;
        }
        self.buffer.pop_front()
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
        let entry = self.moved.entry(who).or_default();
        entry.0.add(to);
        entry.0.add(-from);
        entry.1 += 1;
    }

    /// Does the next step of an event-accurate run, to its end or to a time inside it; the value after
    /// it.
    ///
    /// What integrals add is taken by Gauss quadrature over the step; what is left by it, of the order
    /// of the tolerance, stands as an entry of its own. A value that rows write anew, and every jump,
    /// goes to the rows that are active after it.
    fn step(&mut self, run: &mut Stepper, next: At, name: &str, value: f64) -> f64 {
        let model = Arc::new(run.model().clone());
        let Some(target) = model.reals.iter().position(|real| real.name == name) else {
            return value;
        };
        let target = RealId::new(target);
        let key = |id: RelationId| {
            let words = Words::of(&model);
            (model.relations[id.index()].id.clone(), words.relation(id))
        };
        let active: Vec<RelationId> = model
            .writers(target)
            .filter(|id| run.is_active(*id))
            .collect();
        let integrates = |id: &RelationId| {
            let row = &model.relations[id.index()];
            matches!(row.procedure.get().body, Body::Memory(Memory::Integral))
        };
        let (t0, mut end) = (run.time(), run.clone());
        let inside = match next.cut {
            Some(cut) => end.advance_to(cut).is_ok(),
            None => end.advance(1).1.is_ok(),
        };
        let after = end.row().real(target);
        let t1 = end.time();
        let rates: Vec<RelationId> = active.iter().copied().filter(integrates).collect();
        if !inside || rates.is_empty() || rates.len() < active.len() {
            let now: Vec<RelationId> = model
                .writers(target)
                .filter(|id| end.is_active(*id))
                .collect();
            let who = now.last().or(active.last()).copied();
            if let Some(id) = who
                && after.to_bits() != value.to_bits()
            {
                self.move_by(key(id), after, value);
            }
            return after;
        }
        let mut moved = vec![0.0; rates.len()];
        for (node, weight) in GAUSS {
            let at = t0 + (t1 - t0) * node;
            if run.advance_to(at).is_err() {
                break;
            }
            let row = run.row();
            for (sum, id) in moved.iter_mut().zip(&rates) {
                *sum += weight * (t1 - t0) * rate(&model, &model.relations[id.index()], &row);
            }
        }
        for (moved, id) in moved.iter().zip(&rates) {
            self.move_by(key(*id), *moved, 0.0);
        }
        let left = after - (value + moved.iter().sum::<f64>());
        let acted: Vec<RelationId> = model
            .writers(target)
            .filter(|id| !rates.contains(id) && end.is_active(*id))
            .collect();
        let rest = match acted.last() {
            Some(id) => key(*id),
            None => (
                "rest".to_owned(),
                "sliding between two modes, and error of the sums above".to_owned(),
            ),
        };
        self.move_by(rest, left, 0.0);
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
        let words = Words::of(model);
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

/// Nodes and weights of Gauss quadrature with five nodes on the interval from 0 to 1; exact for
/// polynomials up to the ninth degree.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// The rate that an integral gives its real.
fn rate(model: &Model, row: &Relation, at: &Row<'_>) -> f64 {
    let coefficient = match row.coef {
        Coefficient::Number(number) => number,
        Coefficient::Constant { id, negative } => {
            let value = at.constants[id.index()];
            if negative { -value } else { value }
        }
    };
    match row.args.first() {
        Some(Argument::Real(expr)) => {
            coefficient * model.value_at(*expr, at.reals, at.constants, at.time)
        }
        _ => f64::NAN,
    }
}

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

/// Whether a row starts from what its target has: integrals and the like, and rows that name it.
fn reads_target(model: &Model, row: &Relation, target: RealId) -> bool {
    let keeps = match row.procedure.get().body {
        Body::Memory(memory) => !matches!(
            memory,
            Memory::Derivative | Memory::Delay | Memory::SampleAndHold
        ),
        Body::Value(_) => false,
    };
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

/// What a row read: quantities by name, each once, with their values.
fn read_by(model: &Model, row: &Relation, reals: &[f64], constants: &[f64]) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut note = |name: &str, value: f64| {
        let name = crate::view::words::name(name);
        if !found.iter().any(|(known, _)| *known == name) {
            found.push((name, value));
        }
    };
    let coefficients = if row.procedure.get().name == "sum" {
        vec![row.coef, row.coef2]
    } else {
        vec![row.coef]
    };
    for coefficient in coefficients {
        if let Coefficient::Constant { id, .. } = coefficient {
            note(&model.constants[id.index()].name, constants[id.index()]);
        }
    }
    for argument in &row.args {
        if let Argument::Real(expr) = argument {
            model.exprs.visit(*expr, |_, node| match node {
                Expr::Real(id) => note(&model.reals[id.index()].name, reals[id.index()]),
                Expr::Constant(id) => {
                    note(&model.constants[id.index()].name, constants[id.index()])
                }
                _ => {}
            });
        }
    }
    found
}

/// The rows that wrote a real in the last step, as lines.
fn writers(run: &Stepper, name: &str) -> Vec<String> {
    let model = run.model();
    let Some(real) = model.reals.iter().position(|real| real.name == name) else {
        return Vec::new();
    };
    let words = Words::of(model);
    model
        .writers(RealId::new(real))
        .filter(|id| run.is_active(*id))
        .map(|id| {
            format!(
                "[{}] {}",
                model.relations[id.index()].id,
                words.relation(id)
            )
        })
        .collect()
}

fn real_named(run: &Stepper, name: &str) -> Option<f64> {
    let index = run
        .model()
        .reals
        .iter()
        .position(|real| real.name == name)?;
    Some(run.row().reals[index])
}

/// What a name stands at: a real by its writers and value, a boolean by its truth.
fn standing_of(run: &Stepper, name: &str) -> Option<(String, f64)> {
    let (model, row) = (run.model(), run.row());
    match super::names::find(model, name)? {
        super::names::Named::Real(id) => {
            let ids: Vec<String> = model
                .writers(id)
                .filter(|id| run.is_active(*id))
                .map(|id| format!("[{}]", model.relations[id.index()].id))
                .collect();
            let who = if ids.is_empty() {
                "-".to_owned()
            } else {
                ids.join(" ")
            };
            Some((who, row.real(id)))
        }
        super::names::Named::Constant(id) => {
            let value = row.constants[id.index()];
            Some((rounded(value), value))
        }
        super::names::Named::Boolean(what) => {
            let held = row.boolean(model, what);
            Some((held.to_string(), f64::from(u8::from(held))))
        }
    }
}

fn change(time: f64, before: &[(String, bool)], now: &[(String, bool)]) -> Change {
    let held =
        |rows: &[(String, bool)], name: &str| rows.iter().any(|(one, held)| one == name && *held);
    let turned = |from: &[(String, bool)], to: &[(String, bool)]| {
        let new = to.iter().filter(|(name, is)| *is && !held(from, name));
        new.map(|(name, _)| name.clone()).collect()
    };
    Change {
        time,
        begins: turned(before, now),
        ends: turned(now, before),
    }
}
