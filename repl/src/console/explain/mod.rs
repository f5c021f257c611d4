//! Questions to the past: what changed, who wrote a value, what holds a condition up; in [`blame`]
//! how much each rule moved a value, in [`compared`] how two histories differ.
//!
//! Everything is read off steps that are done again (`Simulation::observe_tick`, `Hybrid::deeds`), so
//! that an answer is what happened and not what might have.

mod blame;
mod compared;
mod standing;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::ids::{RangeId, RealId, RelationId, ScheduleId, SituationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, Coefficient, Conjunction, Expr, Guard, Literal, Model, Relation, Scan,
};
use situ_engine::sim::{Observed, Simulation};
use situ_engine::trace::Row;

use self::standing::standing;
use super::document::Version;
use super::history::{At, History, SegmentId, Store};
use super::names::margin;
use super::reply::Trouble;
use super::stepper::Stepper;
use super::words::time;
use super::{Console, Supervisor};
use situ_rules::print::ModelText;
use situ_views::columns::named_booleans;
use situ_views::text::number::{percent, rounded};

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

/// Of a switch that no assignment has written.
const NEVER_SET: &str = "no assignment has written it: it has its start value, or what was set";

/// Most situations that are taken apart one inside the other.
const DEEPEST: usize = 128;

/// What an explanation has said already: each boolean is taken apart once.
#[derive(Debug, Default)]
struct Explained {
    known: HashSet<Boolean>,
    depth: usize,
    /// Who asks for the next literal.
    asker: Asker,
}

fn positive(what: Boolean) -> Literal {
    Literal {
        what,
        negated: false,
    }
}

/// A state in which booleans were decided: what ranges read, and what situations, assignments and rows found. A
/// tick has one; so has each microstep of an instant.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    /// The time that ranges read [units of `time`].
    pub(super) time: f64,
    /// Reals as ranges read them.
    pub(super) reals: Vec<f64>,
    pub(super) constants: Vec<f64>,
    /// Switches before the assignments.
    pub(super) switches: Vec<bool>,
    pub(super) ranges: Vec<bool>,
    /// Levels, and events that fired.
    pub(super) situations: Vec<bool>,
    /// Schedules that were due.
    pub(super) due: Vec<bool>,
    /// Whether it was the start.
    pub(super) start: bool,
    /// Per assignment whether it was executed.
    pub(super) executed: Vec<bool>,
    /// Whether assignments and rows see the switches that assignments above them wrote.
    pub(super) in_turn: bool,
    /// Per situation row, for events: whether its conjunction held before; `None` if that is not known.
    pub(super) remembered: Vec<Option<bool>>,
}

/// Who asks for a switch: each finds it as those before have left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Asker {
    /// A row of a situation, before the assignments.
    #[default]
    Situation,
    /// An assignment, by position.
    Assignment(usize),
    /// A relation, after all assignments.
    Relation,
}

impl Decided {
    /// By a tick that is done again.
    fn by_tick(run: &Simulation, observed: Observed) -> Self {
        let row = run.row();
        Self {
            time: row.time,
            reals: row.reals.to_vec(),
            constants: row.constants.to_vec(),
            start: run.tick() == 0,
            in_turn: run.config().options.scan == Scan::Sequential,
            switches: observed.switches,
            ranges: observed.ranges,
            situations: observed.situations,
            due: observed.due,
            executed: observed.executed,
            remembered: observed.remembered,
        }
    }

    /// As a run stands, of which no more is known.
    fn standing(run: &Stepper, start: bool) -> Self {
        let (model, row) = (run.model(), run.row());
        let all = |count: usize, what: &dyn Fn(usize) -> Boolean| {
            (0..count).map(|index| run.holds(what(index))).collect()
        };
        Self {
            time: row.time,
            reals: row.reals.to_vec(),
            constants: row.constants.to_vec(),
            switches: all(model.switches.len(), &|index| {
                Boolean::Switch(SwitchId::new(index))
            }),
            ranges: all(model.ranges.len(), &|index| {
                Boolean::Range(RangeId::new(index))
            }),
            situations: all(model.situations.len(), &|index| {
                Boolean::Situation(SituationId::new(index))
            }),
            due: all(model.schedules.len(), &|index| {
                Boolean::Schedule(ScheduleId::new(index))
            }),
            start,
            executed: vec![false; model.assignments.len()],
            in_turn: true,
            remembered: vec![None; model.situation_rows.len()],
        }
    }

    /// Whether a boolean held, as somebody found it.
    pub(super) fn holds(&self, model: &Model, what: Boolean, asker: Asker) -> bool {
        match what {
            Boolean::Switch(id) => self.switch(model, id, asker),
            Boolean::Range(id) => self.ranges[id.index()],
            Boolean::Situation(id) => self.situations[id.index()],
            Boolean::Schedule(id) => self.due[id.index()],
            Boolean::Start => self.start,
        }
    }

    fn switch(&self, model: &Model, id: SwitchId, asker: Asker) -> bool {
        let above = match asker {
            Asker::Situation => 0,
            Asker::Assignment(index) if self.in_turn => index,
            Asker::Assignment(_) => 0,
            Asker::Relation => model.assignments.len(),
        };
        let executed = model.assignments[..above].iter().zip(&self.executed);
        let written = executed.filter(|(_, executed)| **executed);
        let mut values = written.flat_map(|(assignment, _)| &assignment.set);
        let last = values.rfind(|(switch, _)| *switch == id);
        last.map_or(self.switches[id.index()], |(_, value)| *value)
    }
}

/// The step that found the booleans which stand at a place of history.
pub(super) struct Moment {
    pub(super) version: Arc<Version>,
    /// The run before that tick; at the start, and in event stepping, as it stands.
    pub(super) before: Stepper,
    pub(super) decided: Decided,
    /// Whether it is a tick that is done again.
    pub(super) is_observed: bool,
    /// Whether something has been run.
    begun: bool,
}

impl Moment {
    /// Whether a boolean held, as situations found it.
    pub(super) fn holds(&self, what: Boolean) -> bool {
        self.held_for(what, Asker::Situation)
    }

    pub(super) fn held_for(&self, what: Boolean, asker: Asker) -> bool {
        self.decided.holds(&self.version.model, what, asker)
    }

    /// The value of an expression as ranges read it.
    pub(super) fn value(&self, expr: situ_engine::ids::ExprId) -> f64 {
        let Decided {
            time,
            reals,
            constants,
            ..
        } = &self.decided;
        self.version.model.value_at(expr, reals, constants, *time)
    }
}

impl Console {
    /// What decided the booleans of the present place.
    pub(super) fn moment(&mut self) -> Moment {
        let history = self.world.history.clone();
        self.moment_of(&history)
    }

    /// What decided the booleans of a place of history.
    fn moment_of(&mut self, history: &History) -> Moment {
        let (segment, at) = history.place();
        if self.store.at(segment, at).ticks().is_none() {
            let before = self.store.at(segment, at).clone();
            let begun = !history.at_the_start();
            return Moment {
                version: self.store.version(segment),
                decided: Decided::standing(&before, !begun),
                before,
                is_observed: false,
                begun,
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
            .map(|run| Decided::by_tick(run, run.observe_tick(|_| {})));
        Moment {
            version: self.store.version(segment),
            is_observed: observed.is_some(),
            decided: observed.unwrap_or_else(|| Decided::standing(&before, true)),
            before,
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
            let text = ModelText::of(run.model()).literal(positive(name));
            let says = if held { "holds" } else { "does not hold" };
            return Reason {
                under: vec![self.why_switch(id)],
                ..Reason::of_truth(format!("{text} {says}"), held)
            };
        }
        let moment = self.moment();
        self.reason(&moment, positive(what), &mut Explained::default())
    }

    /// A literal with what it follows from, as the asker found it.
    fn reason(&mut self, moment: &Moment, literal: Literal, explained: &mut Explained) -> Reason {
        let model = Arc::clone(&moment.version.model);
        let words = ModelText::of(&model);
        let asker = std::mem::take(&mut explained.asker);
        let held = moment.held_for(literal.what, asker);
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
                let bound = moment.before.events().and_then(|run| {
                    let slides = run.slides_on(id).then_some("slides along");
                    slides.or_else(|| run.rests_on(id).then_some("rests on"))
                });
                if let Some(bound) = bound {
                    let text = format!(
                        "the state {bound} this border: it {} as when that began",
                        if held { "holds" } else { "does not hold" }
                    );
                    reason.under.push(Reason::of_truth(text, held));
                }
                for comparison in &range.all {
                    let (left, right) = (
                        moment.value(comparison.left),
                        moment.value(comparison.right),
                    );
                    let margin = margin(&model, comparison, |expr| moment.value(expr));
                    let by_numbers = comparison.op.holds(left, right);
                    // On a border the side counts and not the numbers.
                    let holds = if range.all.len() == 1 {
                        held
                    } else {
                        by_numbers
                    };
                    let line = words.comparison(comparison);
                    let line = match (holds == by_numbers, holds) {
                        (true, _) => format!(
                            "{line}: {} {} {}, margin {}",
                            rounded(left),
                            comparison.op.symbol(),
                            rounded(right),
                            rounded(margin)
                        ),
                        (_, true) => format!("{line}: on its border, on the side where it holds"),
                        _ => format!("{line}: on its border, on the side where it does not hold"),
                    };
                    reason.under.push(Reason {
                        margin: Some(margin),
                        ..Reason::of_truth(line, holds)
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
                    let all = self.conjunction(moment, &row.all, Asker::Situation, explained);
                    explained.depth -= 1;
                    let mut now = all.iter().all(|reason| reason.holds == Some(true));
                    let remembered = moment.decided.remembered[index];
                    let mut line = format!("[{}] {}", row.id, words.conjunction(&row.all));
                    if event && !moment.begun && !held {
                        line.push_str("; at the start nothing arises");
                        now = false;
                    } else if event && !moment.is_observed {
                        let only = model
                            .situation_rows
                            .iter()
                            .filter(|row| row.situation == id);
                        line.push_str(match (held, now) {
                            (true, true) => "; it arose",
                            (true, false) => "; what it follows from has turned since",
                            (false, _) => "",
                        });
                        now = held && (now || only.count() == 1);
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
            Boolean::Switch(id) => {
                let now = moment.held_for(literal.what, Asker::Relation);
                if now != held {
                    let text = "that was before its assignments; it has turned since";
                    reason.under.push(Reason::new(text));
                }
                reason.under.push(self.when_switched(id));
            }
            Boolean::Schedule(_) | Boolean::Start => {}
        }
        reason
    }

    /// The literals of a condition, as the asker found them.
    fn conjunction(
        &mut self,
        moment: &Moment,
        all: &Conjunction,
        asker: Asker,
        explained: &mut Explained,
    ) -> Vec<Reason> {
        all.iter()
            .map(|literal| {
                explained.asker = asker;
                self.reason(moment, *literal, explained)
            })
            .collect()
    }

    /// Which assignment gave a switch its value and when, and what it followed from then.
    fn why_switch(&mut self, id: SwitchId) -> Reason {
        let Some((step, index, mut reason)) = self.last_set(id) else {
            return Reason::new(NEVER_SET);
        };
        let there = self.world.history.at_step(step);
        let moment = self.moment_of(&there);
        if moment.is_observed {
            let all = moment.version.model.assignments[index].when.clone();
            let asker = Asker::Assignment(index);
            reason.under = self.conjunction(&moment, &all, asker, &mut Explained::default());
        }
        reason
    }

    /// Which assignment gave a switch its value and when, in a line.
    fn when_switched(&mut self, id: SwitchId) -> Reason {
        let last = self.last_set(id);
        last.map_or_else(|| Reason::new(NEVER_SET), |(.., reason)| reason)
    }

    /// The last assignment of a switch: the step, its position, a line that says so.
    fn last_set(&mut self, id: SwitchId) -> Option<(u64, usize, Reason)> {
        let history = self.world.history.clone();
        let name = self.version().model.switches[id.index()].name.clone();
        let mut end = history.steps_before();
        while end > 0 {
            let begin = end.saturating_sub(STRETCH);
            let mut step = begin;
            let mut found: Option<(u64, usize, Reason)> = None;
            self.store.walk(&history, begin + 1, end, &mut |_, run| {
                step += 1;
                let model = run.model();
                let switch = model.switches.iter().position(|one| one.name == name);
                for (index, row) in model.assignments.iter().enumerate() {
                    let sets = row.set.iter().any(|(one, _)| Some(one.index()) == switch);
                    if sets && run.is_executed(index) {
                        let words = ModelText::of(model);
                        let line = format!("[{}] {}", row.id, words.assignment(index));
                        let at = time(run.time());
                        let reason = Reason::new(format!("set last at t = {at} by {line}"));
                        found = Some((step, index, reason));
                    }
                }
                ControlFlow::Continue(())
            });
            if found.is_some() {
                return found;
            }
            end = begin;
        }
        None
    }

    /// What keeps a boolean from holding, nearest first, and when each part is going to turn.
    pub(super) fn why_not(
        &mut self,
        what: Boolean,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Reason, Trouble> {
        let moment = self.moment();
        let model = Arc::clone(&moment.version.model);
        let words = ModelText::of(&model);
        let name = words.literal(Literal {
            what,
            negated: false,
        });
        // A switch is asked for as it stands, after the assignments.
        let asker = match what {
            Boolean::Switch(_) => Asker::Relation,
            _ => Asker::Situation,
        };
        let holds_now = match what {
            Boolean::Switch(_) => self.run().holds(what),
            _ => moment.holds(what),
        };
        if holds_now {
            return Ok(Reason::of_truth(format!("{name} holds"), true));
        }
        let mut failing: Vec<(Literal, usize)> = Vec::new();
        // Per row that could make it true: its line, and who it is.
        let mut rows: Vec<(String, Asker)> = Vec::new();
        match what {
            Boolean::Switch(id) => {
                for (index, row) in model.assignments.iter().enumerate() {
                    if !row.set.contains(&(id, true)) {
                        continue;
                    }
                    let (number, asker) = (rows.len(), Asker::Assignment(index));
                    rows.push((format!("[{}] {}", row.id, words.assignment(index)), asker));
                    let fails = |literal: &&Literal| {
                        moment.held_for(literal.what, asker) == literal.negated
                    };
                    failing.extend(row.when.iter().filter(fails).map(|one| (*one, number)));
                }
            }
            Boolean::Situation(id) => {
                for row in &model.situation_rows {
                    if row.situation != id {
                        continue;
                    }
                    let number = rows.len();
                    let line = format!("[{}] {}", row.id, words.conjunction(&row.all));
                    rows.push((line, Asker::Situation));
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
            let mut explained = Explained {
                asker: rows.get(*row).map_or(asker, |(_, asker)| *asker),
                ..Explained::default()
            };
            let mut part = self.reason(&moment, *literal, &mut explained);
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
            // A boolean that no row makes true is the only part.
            return Ok(parts.pop().map_or(reason, |(_, part)| part));
        }
        for (number, (line, asker)) in rows.into_iter().enumerate() {
            let mut under: Vec<Reason> = parts
                .iter()
                .filter(|(of, _)| *of == number)
                .map(|(_, part)| part.clone())
                .collect();
            if under.is_empty() {
                let why = if matches!(asker, Asker::Assignment(_)) {
                    "it holds, but the switch was set otherwise since"
                } else if !moment.begun {
                    "it holds, but at the start nothing arises"
                } else {
                    "it holds, and held before: it has to end before it can arise again"
                };
                under.push(Reason::new(why));
            }
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
            for ((literal, _), at) in failing.iter().zip(&mut found) {
                let holds = run.holds(literal.what) != literal.negated;
                let mut within = run.microsteps();
                let held = |row: Row<'_>| row.boolean(run.model(), literal.what) != literal.negated;
                if at.is_none() && (holds || within.any(held)) {
                    *at = Some(run.time());
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
        let name = situ_rules::print::name(&quantity.name);
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
            Some(run) if moment.is_observed => {
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
                if let Some(run) = moment.before.events() {
                    for (number, deed) in run.deeds().iter().enumerate() {
                        if deed.real == target {
                            let before = run.before_deed(number);
                            rows.push((deed.relation, before, Some(deed.after)));
                        }
                    }
                    standing(run, wrote, |rule| {
                        let relation = &wrote.relations[rule.relation.index()];
                        if relation.targets.contains(&target) {
                            rows.push((rule.relation, rule.before.to_vec(), None));
                        }
                    });
                }
            }
        }
        let after = rows.last().and_then(|(.., after)| *after);
        if after.is_some_and(|after| after.to_bits() != value.to_bits()) {
            reason
                .under
                .push(Reason::new("it was set at the prompt since the last step"));
        }
        let words = ModelText::of(wrote);
        for (relation, before, after) in &rows {
            let row = &wrote.relations[relation.index()];
            let line = format!("[{}] {}", row.id, words.relation(*relation));
            let share = moment.before.events().map(|run| run.share(*relation));
            let gave = match (after, share) {
                (Some(after), _) => format!("   gave {}", rounded(*after)),
                (None, Some(share)) if share < 1.0 => {
                    format!(
                        "   counts {}: the state slides along a border",
                        percent(share)
                    )
                }
                _ => String::new(),
            };
            let mut wrote_it = Reason::new(format!("{line}{gave}"));
            let constants = moment.before.row().constants;
            wrote_it.under = read_by(wrote, row, before, constants)
                .into_iter()
                .map(|(name, value)| Reason::new(format!("{name} = {}", rounded(value))))
                .collect();
            if let Guard::When(all) = &row.guard {
                let standing =
                    self.conjunction(&moment, all, Asker::Relation, &mut Explained::default());
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
            (false, since) => {
                let writers = if let [_] = rows[..] {
                    "this row"
                } else {
                    "these rows"
                };
                let since = since.map_or("the start".to_owned(), |(at, _)| {
                    format!("t = {}", time(at))
                });
                Reason::new(format!("written by {writers} since {since}"))
            }
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
}

/// When a literal turns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Turn {
    At(f64),
    NotBefore(f64),
}

/// What a row read: quantities by name, each once, with their values.
fn read_by(model: &Model, row: &Relation, reals: &[f64], constants: &[f64]) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut note = |name: &str, value: f64| {
        let name = situ_rules::print::name(name);
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
    let words = ModelText::of(model);
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
