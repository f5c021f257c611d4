//! `situ profile TABLE`: where the time of a run goes.
//!
//! Steps and instants of an event-accurate run are timed as they are done; what a rule costs is measured by
//! itself, in a model that has no other, and counted as often as the run executes it.
//!
//! Between two rules of 2 ns no clock can be read, and the operations of a rule say little of their time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use situ_engine::ids::RelationId;
use situ_engine::model::{Clock, Guard, Model};
use situ_engine::sim::{EndReason, EventRun, Run, RunConfig, RunFault, TickConfig, TickRun};
use situ_engine::trace::{Recorder, Row};
use situ_rules::print::ModelText;
use situ_views::run::manifest::engine_used;
use situ_views::run::profile::{self, InstantCost, LimitCost, LinearCost, ModeCost, RuleCost};
use situ_views::run::summary::are_elements_of_one;
use situ_words::say;

use crate::command::io::progress::{Watch, interrupted};
use crate::command::run::ending::End;
use crate::command::settings::Settings;
use crate::command::{Manner, Outcome, Streams};

/// Run a table and tell where the time goes: rules, modes, events, and what keeps steps short
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ profile table.ron --stop 100
  situ profile table.ron --events --rtol 1e-9")]
pub(in crate::command) struct Profile {
    #[command(flatten)]
    settings: Settings,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Profile, streams: &mut Streams) -> Outcome {
    // What a check would say of the rules is not the subject.
    streams.manner = Manner::Quiet;
    let (opened, config) = command.settings.prepare(streams)?;
    streams.manner = Manner::Plain;
    let stop = match &config {
        RunConfig::Ticks(_) => f64::INFINITY,
        RunConfig::Events(config) => config.stop,
    };
    let mut run = Run::new(opened.model.clone(), config, &[])
        .map_err(|error| opened.refuse_run(&error, streams))?;
    command.settings.plug_in(&mut run)?;
    let began = run.time();
    let mut watch = Watch::begin(streams)?;
    let mut found = profile::Profile::default();
    let mut counts = vec![0; opened.model.relations.len()];
    let ended = match &mut run {
        Run::Ticks(ticks) => {
            let begin = Instant::now();
            let ended = ticks.run(&mut watch);
            found.seconds = begin.elapsed().as_secs_f64();
            ended
        }
        Run::Events(events) => along(events, stop, &mut found, &mut counts),
    };
    watch.end();
    let end = End::of(ended);
    match &run {
        Run::Ticks(ticks) => count_ticks(ticks, &run, &mut found, &mut counts),
        Run::Events(events) => count_steps(events, &mut found),
    }
    if let Run::Events(events) = &mut run {
        found.linear = events.linear_work().map(LinearCost::from);
    }
    found.engine = engine_used(&run);
    found.model_time = run.time() - began;
    found.rules = rules(&opened.model, &counts);
    found.sort();
    let text = if command.json {
        serde_json::to_string_pretty(&found).expect("a profile has only texts and numbers") + "\n"
    } else {
        found.text(streams.width())
    };
    streams.print(&text)?;
    end.conclude(&run, &opened, streams)
}

fn count_ticks(ticks: &TickRun, run: &Run, found: &mut profile::Profile, counts: &mut [u64]) {
    (found.steps, found.step_name) = (ticks.tick(), "tick");
    let covered = run.covered();
    let all = run.time();
    for (count, acted) in counts.iter_mut().zip(&covered.relations) {
        let share = if all > 0.0 { acted.time / all } else { 0.0 };
        *count = (share * ticks.tick() as f64).round() as u64;
    }
}

fn count_steps(events: &EventRun, found: &mut profile::Profile) {
    let stats = events.stats();
    (found.steps, found.step_name) = (stats.method.steps, "step");
    found.evaluations = stats.method.rhs;
    let reals = events.model().reals.iter().zip(events.limits());
    let limits = reals.filter(|(_, limits)| limits.steps + limits.rejections > 0);
    found.limits = limits
        .map(|(real, limits)| LimitCost {
            real: real.name.clone(),
            steps: limits.steps,
            rejections: limits.rejections,
        })
        .collect();
}

/// The times at which rows were there: on both sides of an instant.
#[derive(Default)]
struct Stamps(Vec<Instant>);

impl Recorder for Stamps {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        self.0.push(Instant::now());
        ControlFlow::Continue(())
    }
}

/// Runs to the stop step by step, and times steps and instants.
fn along(
    run: &mut EventRun,
    stop: f64,
    found: &mut profile::Profile,
    counts: &mut [u64],
) -> Result<EndReason, RunFault> {
    let mut modes: BTreeMap<String, ModeCost> = BTreeMap::new();
    let mut instants: BTreeMap<String, InstantCost> = BTreeMap::new();
    let mut stamps = Stamps::default();
    let mut ended = Ok(EndReason::Stop);
    while run.time() < stop && !run.stopped() {
        if interrupted() {
            ended = Ok(EndReason::Recorder);
            break;
        }
        let (before, held) = (run.stats(), holding(run));
        let active: Vec<usize> = (0..counts.len())
            .filter(|index| run.share(RelationId::new(*index)) > 0.0)
            .collect();
        stamps.0.clear();
        let begin = Instant::now();
        let gone = run.advance(stop, &mut stamps);
        let end = Instant::now();
        let after = run.stats();
        let happened = after.instants > before.instants;
        let cut = match stamps.0[..] {
            [near, ..] if happened => near,
            _ => end,
        };
        let evaluations = after.method.rhs - before.method.rhs;
        active
            .iter()
            .for_each(|index| counts[*index] += evaluations);
        let mode = modes.entry(held.join(", ")).or_default();
        mode.steps += after.method.steps - before.method.steps;
        mode.rejected += after.method.rejected() - before.method.rejected();
        mode.evaluations += evaluations;
        mode.seconds += (cut - begin).as_secs_f64();
        if happened {
            let mut now = holding(run);
            let present = run.present();
            let model = run.model();
            let fired = model
                .named_booleans()
                .filter(|(_, what)| model.is_event(*what) && present.boolean(model, *what));
            now.extend(fired.map(|(name, _)| name.to_owned()));
            let turned = now.iter().filter(|name| !held.contains(name));
            let turned: Vec<&str> = turned.map(String::as_str).collect();
            let over = held.iter().filter(|name| !now.contains(name));
            let over: Vec<String> = over.map(|name| format!("!{name}")).collect();
            let what = match (turned.is_empty(), over.is_empty()) {
                (false, _) => turned.join(", "),
                (true, false) => over.join(", "),
                (true, true) => say!("profile-nothing-named"),
            };
            let instant = instants.entry(what).or_default();
            instant.count += after.instants - before.instants;
            instant.seconds += (end - cut).as_secs_f64();
            for deed in run.step_effects() {
                counts[deed.relation.index()] += 1;
            }
        }
        if let Err(fault) = gone {
            ended = Err(fault);
            break;
        }
    }
    if run.stopped() {
        ended = ended.map(|_| EndReason::Condition);
    }
    found.modes = modes
        .into_iter()
        .map(|(holds, cost)| ModeCost {
            holds: if holds.is_empty() {
                "-".to_owned()
            } else {
                holds
            },
            ..cost
        })
        .collect();
    found.instants = instants
        .into_iter()
        .map(|(what, cost)| InstantCost { what, ..cost })
        .collect();
    // What was done to observe it does not count.
    let modes = found.modes.iter().map(|mode| mode.seconds);
    let instants = found.instants.iter().map(|instant| instant.seconds);
    found.seconds = modes.chain(instants).sum();
    ended
}

/// Booleans that hold between events, by name.
fn holding(run: &EventRun) -> Vec<String> {
    let (model, row) = (run.model(), run.row());
    let levels = model
        .named_booleans()
        .filter(|(_, what)| !model.is_event(*what));
    let holds = levels.filter(|(_, what)| row.boolean(model, *what));
    holds.map(|(name, _)| name.to_owned()).collect()
}

/// Costs of the rules that were executed. Elements of one row cost the same: the first of them is measured for all.
fn rules(model: &Model, counts: &[u64]) -> Vec<RuleCost> {
    /// Rules that are measured; more of them would take too long.
    const MOST: usize = 1000;
    let words = ModelText::of(model);
    let executed = (0..counts.len()).filter(|index| counts[*index] > 0);
    let executed: Vec<usize> = executed.collect();
    let id = |index: &usize| &*model.relations[*index].id;
    let of_one_row = |a: &usize, b: &usize| are_elements_of_one(id(a), id(b));
    let rules: Vec<&[usize]> = executed.chunk_by(of_one_row).collect();
    let base = (rules.len() <= MOST).then(|| cost(model, None)).flatten();
    rules
        .into_iter()
        .map(|elements| {
            let [first, last] = [elements[0], elements[elements.len() - 1]].map(RelationId::new);
            let each = base.and_then(|base| Some((cost(model, Some(first))? - base).max(0.0)));
            let (id, line) = words.row(first);
            let id = match first == last {
                true => id,
                false => format!("{id} .. {}", words.row(last).0),
            };
            let executions = elements.iter().map(|index| counts[*index]).sum();
            RuleCost {
                rule: format!("[{id}] {line}"),
                executions,
                each,
                seconds: each.unwrap_or_default() * executions as f64,
            }
        })
        .collect()
}

/// The time of a tick (in seconds) of the model without its rules, or with one of them, always active.
fn cost(model: &Model, rule: Option<RelationId>) -> Option<f64> {
    const REPEATS: usize = 5;
    /// One that takes longer is measured once: it may be a family, or a system that is solved.
    const LONGEST: Duration = Duration::from_millis(50);
    // Conditions stay, as rules may count them; they cost the same in every such model.
    let conditions = model.ranges.len() + model.situation_rows.len();
    let ticks = (2_000_000 / (1 + conditions as u64)).clamp(50, 2000);
    let mut alone = model.clone();
    alone.assignments.clear();
    alone.invariants.clear();
    alone.clock.stop_when = None;
    alone.constraints.retain(|one| Some(one.relation) == rule);
    (alone.constraints.iter_mut()).for_each(|one| one.relation = RelationId::new(0));
    alone.relations = rule
        .map(|id| {
            let mut row = model.relations[id.index()].clone();
            (row.guard, row.once) = (Guard::Always, false);
            row
        })
        .into_iter()
        .collect();
    let step = model.clock.step.unwrap_or(1e-3);
    let clock = Clock {
        step: Some(step),
        stop: Some(step * ticks as f64),
        ..Clock::default()
    };
    let config = TickConfig::from_clock(&clock).ok()?;
    if interrupted() {
        return None;
    }
    let simulation = TickRun::new(alone, config).ok()?;
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        let mut run = simulation.clone();
        let begin = Instant::now();
        let mut stretch = 1;
        // Alone, values may run away: what was done until then counts.
        while run.tick() < ticks && run.advance(stretch.min(ticks - run.tick())).is_ok() {
            if begin.elapsed() > LONGEST || interrupted() {
                break;
            }
            stretch *= 2;
        }
        let seconds = begin.elapsed().as_secs_f64();
        least = least.min(seconds / run.tick().max(1) as f64);
        if seconds > LONGEST.as_secs_f64() {
            break;
        }
    }
    Some(least)
}
