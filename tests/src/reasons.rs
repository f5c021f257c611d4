//! Answers of `why`, `why not` and `blame`, compared with a second evaluation that shares nothing with them:
//! in ticks the run of [`Oracle`], in events the rows of a run of its own, on which ranges, guards,
//! rules and rates are computed anew.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;
use situ_engine::ids::{RangeId, RealId, SituationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, CompareOp, Expr, Guard, IntegralRule, Literal, Model, Relation, Scan,
    Stepping,
};
use situ_engine::procedure::{Body, Memory};
use situ_engine::sim::{EventConfig, Run, RunConfig};
use situ_engine::trace::{Instant, Recorder, Row, What};
use situ_views::text::number::rounded;

use crate::oracle::Oracle;
use crate::sessions::{Dice, Talk, runs, tables};
use crate::tables::{read, solves};

/// Rows on which rates are summed up.
const ROWS: f64 = 20_000.0;

pub(crate) fn loaded(table: &Path) -> Model {
    read(table).model.unwrap()
}

/// The truth and the margins of a range, computed from reals, constants and the time.
fn range(model: &Model, id: RangeId, on: (&[f64], &[f64], f64)) -> (bool, Vec<f64>) {
    let value = |expr| model.value_at(expr, on.0, on.1, on.2);
    let comparisons = model.ranges[id.index()].all.iter();
    let sides = comparisons.map(|one| (one.op, value(one.left), value(one.right)));
    let margins = sides.clone().map(|(op, left, right)| match op {
        CompareOp::Less | CompareOp::LessEqual => right - left,
        CompareOp::Greater | CompareOp::GreaterEqual => left - right,
    });
    let mut holds = true;
    for (op, left, right) in sides {
        holds &= op.holds(left, right);
    }
    (holds, margins.collect())
}

/// True if a row is active where these literals hold.
fn is_active(model: &Model, relation: &Relation, holds: &dyn Fn(Literal) -> bool) -> bool {
    let all = |literals: &[Literal]| literals.iter().all(|one| holds(*one));
    match &relation.guard {
        Guard::Always => true,
        Guard::When(literals) => all(literals),
        Guard::Otherwise => relation.targets.iter().all(|target| {
            !model.writers(*target).any(|other| {
                let guard = &model.relations[other.index()].guard;
                matches!(guard, Guard::When(literals) if all(literals))
            })
        }),
    }
}

/// Things of a list with their numbers: all of a short one, some of a long one, others in each round. The elements of a
/// family have the same reasons.
fn some<T>(all: &[T], round: usize) -> impl Iterator<Item = (usize, &T)> {
    let stride = all.len() / 24 + 1;
    let all = all.iter().enumerate();
    all.skip(round % stride).step_by(stride)
}

/// True if a literal holds behind an instant: its events are over.
fn still(model: &Model, row: &Row<'_>, one: Literal) -> bool {
    let is_event = matches!(one.what, Boolean::Situation(id) if model.situations[id.index()].event);
    (!is_event && row.boolean(model, one.what)) != one.negated
}

/// True if a row is a sample and hold that holds.
fn keeps(relation: &Relation, row: &Row<'_>, model: &Model) -> bool {
    let fails = |one: &Literal| row.boolean(model, one.what) == one.negated;
    matches!(
        relation.procedure.get().body,
        Body::Memory(Memory::SampleAndHold)
    ) && relation
        .args
        .iter()
        .any(|arg| matches!(arg, Argument::Boolean(condition) if fails(condition)))
}

/// The rules that stand, scanned as in a tick of no length: the reals above each rule and below all.
fn scan(model: &Model, oracle: &Oracle<'_>, row: &Row<'_>) -> Vec<Vec<f64>> {
    let still = |one: Literal| still(model, row, one);
    let mut reals = row.reals.to_vec();
    let mut above = Vec::new();
    for relation in &model.relations {
        above.push(reals.clone());
        if relation.once || !is_active(model, relation, &still) {
            continue;
        }
        if let Some(gives) = oracle.gives(relation, &reals, row.time) {
            for (target, value) in relation.targets.iter().zip(gives) {
                reals[target.index()] = value;
            }
        }
    }
    above.push(reals);
    above
}

/// An answer to `why` of a real: what each row that it names gave, if it says so, and what it read.
fn said(why: &Value) -> Vec<Named> {
    let mut rows: Vec<Named> = Vec::new();
    for line in &why.as_array().unwrap()[1..] {
        let text = line["text"].as_str().unwrap();
        match (line["depth"].as_u64(), text.strip_prefix('[')) {
            (Some(1), Some(row)) => rows.push(Named {
                // An id may have brackets itself: `[1[3]] V[3] = ..`.
                id: row.split_once("] ").unwrap().0.to_owned(),
                gave: row.split_once("   gave ").map(|(_, gave)| gave.to_owned()),
                read: Vec::new(),
            }),
            (Some(1), None) => {}
            // An equation of a row that is solved is nothing that was read.
            (Some(2), _) if text.contains("   off by ") => {}
            (Some(2), _) if line["holds"].is_null() => {
                let (name, value) = text.split_once(" = ").unwrap();
                let row = rows.last_mut().unwrap();
                row.read.push((name.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    rows
}

/// A row as an answer names it, in the words of the answer.
struct Named {
    id: String,
    gave: Option<String>,
    read: Vec<(String, String)>,
}

impl Named {
    /// Holds what was read against reals and constants.
    fn read_from(&self, model: &Model, reals: &[f64], constants: &[f64], told: &str) {
        for (name, value) in &self.read {
            let bare = name.trim_matches('`');
            let real = model.reals.iter().position(|real| real.name == bare);
            let constant = || model.constants.iter().position(|one| one.name == bare);
            let expected = real.map_or_else(|| constants[constant().unwrap()], |at| reals[at]);
            assert_eq!(*value, rounded(expected), "{name}\n{told}");
        }
    }
}

/// The first line of an answer says whether the name holds, `why not` says the same, and of rows
/// those that hold decide.
fn truth_is(talk: &mut Talk, name: &str, holds: bool) -> Value {
    let why = talk.must(&format!("why `{name}`"));
    assert_eq!(why[0]["holds"], Value::Bool(holds), "{name}\n{}", talk.told);
    let not = talk.must(&format!("why not `{name}`"));
    assert_eq!(not[0]["holds"], Value::Bool(holds), "{name}\n{}", talk.told);
    let fails = |line: &Value| line["depth"] != 2 || line["holds"] != Value::Bool(true);
    assert!(not.as_array().unwrap().iter().all(fails), "{}", talk.told);
    why
}

/// The margins that an answer tells, beside which it may say that the state slides.
fn margins_are(why: &Value, margins: &[f64], told: &str) {
    let lines = why.as_array().unwrap().iter().skip(1);
    let found: Vec<f64> = lines.filter_map(|line| line["margin"].as_f64()).collect();
    assert_eq!(found[..margins.len()], *margins, "{told}");
}

/// Shares of an answer to `blame` by the id of the row.
fn shares(blame: &Value) -> BTreeMap<String, f64> {
    let shares = blame["shares"].as_array().unwrap().iter();
    shares
        .map(|share| {
            let who = share["rule"].as_str().unwrap().to_owned();
            (who, share["moved"].as_f64().unwrap())
        })
        .collect()
}

/// The largest number that goes into a sum of shares.
fn size(shares: &BTreeMap<String, f64>, values: &[f64]) -> f64 {
    let all = shares.values().chain(values);
    all.fold(1e-300, |size: f64, value| size.max(value.abs()))
}

/// True of species and rates: what is told of them names stages of reactions, which are no rows of the model.
fn of_stages(model: &Model, real: RealId) -> bool {
    let mut summed = model.scheme.sums.iter().map(|(row, _)| *row);
    model.scheme.is_rate(real)
        || summed.any(|row| model.relations[row.index()].targets.contains(&real))
}

/// True if a row starts from what a real has.
fn starts_from(model: &Model, relation: &Relation, target: RealId) -> bool {
    let mut reads = matches!(relation.procedure.get().body, Body::Memory(_));
    for argument in &relation.args {
        if let Argument::Real(expr) = argument {
            let visit = |_, node: &Expr| reads |= *node == Expr::Real(target);
            model.exprs.visit(*expr, visit);
        }
    }
    reads
}

/// Amounts by which rows moved reals, tick by tick: rows that sum up by what they added, and a row that gives a
/// value anew by the difference to the tick before.
#[derive(Default)]
struct Sums {
    moved: BTreeMap<(usize, String), f64>,
    /// Reals on which rows of both kinds have worked, or several in one tick.
    shared: Vec<usize>,
}

impl Sums {
    fn note(&mut self, oracle: &Oracle<'_>, model: &Model, before: &[f64]) {
        for (index, _) in model.reals.iter().enumerate() {
            let target = RealId::new(index);
            let deeds = oracle.deeds.iter();
            let mut wrote =
                deeds.filter(|deed| model.relations[deed.relation].targets.contains(&target));
            let (Some(deed), more) = (wrote.next(), wrote.next()) else {
                continue;
            };
            let row = &model.relations[deed.relation];
            let moved = self.moved.entry((index, row.id.clone())).or_default();
            *moved += deed.after[index] - before[index];
            let others = self.moved.keys().filter(|(real, _)| *real == index);
            let mixed = others.count() > 1 && starts_from(model, row, target);
            if more.is_some() || mixed {
                self.shared.push(index);
            }
        }
        self.shared.sort_unstable();
        self.shared.dedup();
    }
}

#[test]
fn reasons_in_ticks_are_those_of_a_second_run() {
    let mut dice = Dice(7);
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "tick") {
            continue;
        }
        let model = loaded(&table);
        if solves(&model) {
            continue;
        }
        let clock = &model.clock;
        let scan = clock.scan.unwrap_or(Scan::Sequential);
        let rule = clock.integral.unwrap_or(IntegralRule::Rectangle);
        let mut oracle = Oracle::new(&model, scan, rule, clock.step.unwrap_or(0.001));
        let constants = model.start_values().unwrap().constants;
        let start = oracle.reals.clone();
        let mut sums = Sums::default();
        let mut talk = Talk::on(&table, "tick");
        for _ in 0..2 {
            let ticks = 1 + dice.below(800);
            if talk.say(&format!("step {ticks}")).failed {
                break;
            }
            let mut found = oracle.reals.clone();
            for _ in 0..ticks {
                found.clone_from(&oracle.reals);
                oracle.step();
                sums.note(&oracle, &model, &found);
            }
            for (index, it) in model.ranges.iter().enumerate() {
                if it.anonymous {
                    continue;
                }
                let why = truth_is(&mut talk, &it.name, oracle.ranges[index]);
                let before = (&*found, &*constants, oracle.time_before());
                let (_, margins) = range(&model, RangeId::new(index), before);
                margins_are(&why, &margins, &talk.told);
                checked += 1;
            }
            for (index, it) in model.situations.iter().enumerate() {
                let held = oracle.situations[index];
                let why = truth_is(&mut talk, &it.name, held);
                let lines = why.as_array().unwrap().iter();
                let mut rows = lines.filter(|line| line["depth"].as_u64() == Some(1));
                assert_eq!(
                    rows.any(|line| line["holds"] == Value::Bool(true)),
                    held,
                    "{}",
                    talk.told
                );
                checked += 1;
            }
            for (index, it) in model.switches.iter().enumerate() {
                truth_is(&mut talk, &it.name, oracle.switches[index]);
                checked += 1;
            }
            for (index, it) in model.reals.iter().enumerate() {
                let (value, target) = (oracle.reals[index], RealId::new(index));
                let why = talk.must(&format!("why `{}`", it.name));
                let told = talk.told.clone();
                let shown = format!("= {}", rounded(value));
                assert!(why[0]["text"].as_str().unwrap().contains(&shown), "{told}");
                let of_stages = of_stages(&model, target);
                if !of_stages {
                    let rows = said(&why);
                    let deeds = oracle.deeds.iter();
                    let wrote: Vec<_> = deeds
                        .filter(|deed| model.relations[deed.relation].targets.contains(&target))
                        .collect();
                    assert_eq!(rows.len(), wrote.len(), "{} {why}\n{told}", it.name);
                    for (row, deed) in rows.iter().zip(&wrote) {
                        assert_eq!(row.id, model.relations[deed.relation].id, "{told}");
                        assert_eq!(row.gave, Some(rounded(deed.after[index])), "{told}");
                        let read = match scan {
                            Scan::Sequential => &deed.before,
                            Scan::Simultaneous => &found,
                        };
                        row.read_from(&model, read, &constants, &told);
                    }
                }
                let blame = talk.must(&format!("blame `{}`", it.name));
                let blamed = shares(&blame);
                let size = size(&blamed, &[value, start[index]]);
                let sum: f64 = blamed.values().sum();
                assert_eq!(blame["to"][1].as_f64(), Some(value), "{told}");
                let error = sum - (value - start[index]);
                assert!(error.abs() <= 1e-12 * size, "{} {error}\n{told}", it.name);
                if !of_stages && !sums.shared.contains(&index) {
                    for ((_, id), moved) in sums.moved.iter().filter(|(key, _)| key.0 == index) {
                        let error = blamed.get(id).copied().unwrap_or(0.0) - moved;
                        assert!(error.abs() <= 1e-9 * size, "{id} {error}\n{told}");
                    }
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

/// Sums up what integrals add between the rows of an event-accurate run.
struct Integrals<'a> {
    model: &'a Model,
    oracle: &'a Oracle<'a>,
    until: f64,
    last: Option<(f64, Vec<f64>)>,
    moved: Vec<f64>,
    /// As much as if all of it had gone the same way.
    amounts: Vec<f64>,
    /// There were slides, in which rates are mixed.
    slid: bool,
}

impl Recorder for Integrals<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let holds = |one: Literal| row.boolean(self.model, one.what) != one.negated;
        let relations = self.model.relations.iter();
        let rates: Vec<f64> = relations
            .map(|relation| {
                let rate = self.oracle.rate(relation, row.reals, row.time);
                rate.filter(|_| is_active(self.model, relation, &holds))
                    .unwrap_or(0.0)
            })
            .collect();
        if let Some((time, before)) = self.last.take() {
            let sums = self.moved.iter_mut().zip(&mut self.amounts);
            for ((moved, amount), (then, now)) in sums.zip(before.iter().zip(&rates)) {
                let more = (row.time - time) * (then + now) / 2.0;
                *moved += more;
                *amount += more.abs();
            }
        }
        self.last = Some((row.time, rates));
        match row.time >= self.until {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        let mut events = instant.events.iter();
        self.slid |= events.any(|event| matches!(event.what, What::SlideEntered { .. }));
        ControlFlow::Continue(())
    }
}

/// The settings of the prompt.
fn events(model: &Model) -> EventConfig {
    let mut clock = model.clock.clone();
    clock.stepping = Some(Stepping::Events);
    clock.stop_when = None;
    clock.stop = clock.stop.or(Some(1e6));
    match RunConfig::from_clock(&clock).unwrap() {
        RunConfig::Events(config) => EventConfig {
            every: None,
            ..config
        },
        RunConfig::Ticks(_) => unreachable!("events were asked for"),
    }
}

#[test]
fn reasons_in_events_are_those_of_rows_of_another_run() {
    let mut dice = Dice(11);
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "events") {
            continue;
        }
        let mut talk = Talk::on(&table, "events");
        let mut model = loaded(&table);
        model.clock.stop_when = None;
        let oracle = Oracle::new(&model, Scan::Sequential, IntegralRule::Rectangle, 0.001);
        let mut own = Run::new(model.clone(), RunConfig::Events(events(&model)), &[]).unwrap();
        for round in 0..4 {
            let ahead = model.clock.stop.map_or(0.3, |stop| stop.min(0.3)) * dice.share();
            let at = own.row().time + ahead;
            let failed = if dice.below(2) == 0 {
                while own.row().time < at {
                    own.step(at).unwrap();
                }
                talk.say(&format!("run to {at}")).failed
            } else {
                let steps = 1 + dice.below(25);
                for _ in 0..steps {
                    own.step(f64::INFINITY).unwrap();
                }
                talk.say(&format!("step {steps}")).failed
            };
            assert!(!failed, "{}", talk.told);
            let Run::Events(run) = &own else {
                unreachable!("it is a run in events");
            };
            let row = run.present();
            let holds = |one: Literal| row.boolean(&model, one.what) != one.negated;
            let scanned = scan(&model, &oracle, &row);
            for (index, it) in some(&model.ranges, round) {
                if it.anonymous {
                    continue;
                }
                let id = RangeId::new(index);
                let (holds, margins) = range(&model, id, (row.reals, row.constants, row.time));
                // Off its borders a range is what its margins say; on one its side decides.
                let decided = margins.iter().all(|margin| margin.abs() > 1e-9);
                let holds = match decided {
                    true => holds,
                    false => row.boolean(&model, Boolean::Range(id)),
                };
                let why = truth_is(&mut talk, &it.name, holds);
                margins_are(&why, &margins, &talk.told);
                checked += 1;
            }
            for (index, it) in some(&model.situations, round) {
                let id = SituationId::new(index);
                let mut rows = model
                    .situation_rows
                    .iter()
                    .filter(|row| row.situation == id);
                let held = match it.event {
                    true => row.boolean(&model, Boolean::Situation(id)),
                    false => rows.any(|row| row.all.iter().all(|one| holds(*one))),
                };
                truth_is(&mut talk, &it.name, held);
                checked += 1;
            }
            for (index, it) in some(&model.switches, round) {
                truth_is(
                    &mut talk,
                    &it.name,
                    row.boolean(&model, Boolean::Switch(SwitchId::new(index))),
                );
                checked += 1;
            }
            for (index, it) in some(&model.reals, round) {
                let (id, value) = (RealId::new(index), row.reals[index]);
                let why = talk.must(&format!("why `{}`", it.name));
                let told = talk.told.clone();
                let shown = format!("= {}", rounded(value));
                assert!(why[0]["text"].as_str().unwrap().contains(&shown), "{told}");
                let deeds = run.step_effects().iter().enumerate();
                let deeds: Vec<_> = deeds.filter(|(_, deed)| deed.real == id).collect();
                if of_stages(&model, id) {
                    continue;
                }
                let rows = said(&why);
                for (named, (number, deed)) in rows.iter().zip(&deeds) {
                    let relation = &model.relations[deed.relation.index()];
                    assert_eq!(named.id, relation.id, "{told}");
                    assert_eq!(named.gave, Some(rounded(deed.after)), "{told}");
                    let before = run.before_deed(*number);
                    named.read_from(&model, &before, row.constants, &told);
                    let position = relation.targets.iter().position(|target| *target == id);
                    if let Some(gives) = oracle.gives(relation, &before, row.time) {
                        let error = gives[position.unwrap()] - deed.after;
                        assert!(error.abs() <= 1e-12 * deed.after.abs().max(1.0), "{told}");
                    }
                    checked += 1;
                }
                if run.slides() {
                    continue;
                }
                let still = |one: Literal| still(&model, &row, one);
                let active: Vec<&Relation> = model
                    .writers(id)
                    .map(|row| &model.relations[row.index()])
                    .filter(|relation| !relation.once && is_active(&model, relation, &still))
                    .filter(|relation| !keeps(relation, &row, &model))
                    .collect();
                let standing = &rows[deeds.len()..];
                let ids: Vec<&str> = standing.iter().map(|row| &*row.id).collect();
                let expected: Vec<&str> = active.iter().map(|row| &*row.id).collect();
                assert_eq!(ids, expected, "{} {why}\n{told}", it.name);
                for (named, relation) in standing.iter().zip(&active) {
                    let at = model.relations.iter().position(|one| one.id == relation.id);
                    named.read_from(&model, &scanned[at.unwrap()], row.constants, &told);
                }
                let is_given = |one: &&Relation| oracle.gives(one, row.reals, row.time).is_some();
                let agrees = |found: &[Vec<f64>]| {
                    let error = found.last().unwrap()[index] - value;
                    error.abs() <= 1e-9 * value.abs().max(1.0)
                };
                assert!(
                    !active.iter().any(is_given) || agrees(&scanned),
                    "{} {:?}\n{told}",
                    it.name,
                    scanned.last().unwrap()[index],
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn blame_in_events_is_what_rates_sum_up_to() {
    let mut checked = 0;
    for table in tables() {
        if !runs(&table, "events") {
            continue;
        }
        let mut model = loaded(&table);
        model.clock.stop_when = None;
        let end = model.clock.stop.map_or(1.0, |stop| stop.min(1.0));
        let mut talk = Talk::on(&table, "events");
        if talk.say(&format!("run to {end}")).failed {
            continue;
        }
        let oracle = Oracle::new(&model, Scan::Sequential, IntegralRule::Rectangle, 0.001);
        // The rows are far apart in the layer in which a stiff table starts; rows with equations in them take long.
        let (rows, within) = match (solves(&model), table.ends_with("van_der_pol/table.ron")) {
            (true, _) => (0.2 * ROWS, 1e-4),
            (_, true) => (ROWS, 1e-4),
            _ => (ROWS, 1e-5),
        };
        let config = EventConfig {
            every: Some(end / rows),
            ..events(&model)
        };
        let atol = config.atol;
        let mut own = Run::new(model.clone(), RunConfig::Events(config), &[]).unwrap();
        let mut sums = Integrals {
            model: &model,
            oracle: &oracle,
            until: end,
            last: None,
            moved: vec![0.0; model.relations.len()],
            amounts: vec![0.0; model.relations.len()],
            slid: false,
        };
        own.run(&mut sums).unwrap();
        for (index, it) in some(&model.reals, 0) {
            let blame = talk.must(&format!("blame `{}`", it.name));
            let value = blame["to"][1].as_f64().unwrap();
            let told = talk.told.clone();
            let blamed = shares(&blame);
            let size = size(&blamed, &[value]);
            let change = blame["change"].as_f64().unwrap();
            let sum: f64 = blamed.values().sum();
            assert!(
                (sum - change).abs() <= 1e-12 * (size + atol),
                "{sum} {change}\n{told}"
            );
            let rest = blame["shares"].as_array().unwrap().iter();
            let rest = rest.filter(|share| share["line"] == "error of the sums above");
            for share in rest {
                let error = share["moved"].as_f64().unwrap();
                assert!(
                    error.abs() <= 1e-5 * size + atol,
                    "{error} of {size}\n{told}"
                );
            }
            if of_stages(&model, RealId::new(index)) {
                continue;
            }
            for id in model.writers(RealId::new(index)) {
                let relation = &model.relations[id.index()];
                if sums.slid || oracle.rate(relation, &oracle.reals, 0.0).is_none() {
                    continue;
                }
                let (own, said) = (sums.moved[id.index()], blamed.get(&relation.id));
                let error = own - said.copied().unwrap_or(0.0);
                let size = size.max(sums.amounts[id.index()]);
                assert!(
                    error.abs() <= within * size,
                    "{} {own} {said:?}\n{told}",
                    relation.id
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

/// Along a slide both laws count by their shares: on x = y, 2 - 4 s = 4.5 s - 3 gives s = 10/17 for the upper
/// side, from t = 1/7 on.
#[test]
fn along_a_slide_rules_count_by_their_shares() {
    let table = tables().into_iter().find(|table| {
        let folder = table.parent().and_then(Path::file_name);
        folder.is_some_and(|name| name == "sliding_pair")
    });
    let mut talk = Talk::on(&table.unwrap(), "events");
    let share = 10.0 / 17.0;
    for end in [0.25, 0.6180339887, 1.0] {
        talk.must(&format!("run to {end}"));
        let slid = end - 1.0 / 7.0;
        let upper = 1.0 / 7.0 + share * slid;
        let lower = (1.0 - share) * slid;
        for (name, rows) in [
            ("x", [("1", -2.0 * upper), ("2", 2.0 * lower)]),
            ("y", [("3", 1.5 * upper), ("4", -3.0 * lower)]),
        ] {
            let blamed = shares(&talk.must(&format!("blame {name}")));
            for (id, moved) in rows {
                let error = blamed[id] - moved;
                assert!(error.abs() < 1e-12, "{id} {error}\n{}", talk.told);
            }
            let named: Vec<String> = said(&talk.must(&format!("why {name}")))
                .into_iter()
                .map(|row| row.id)
                .collect();
            assert_eq!(named, rows.map(|(id, _)| id), "{}", talk.told);
        }
    }
}

/// Both targets are given from what stood before either was written.
#[test]
fn a_row_with_several_targets_is_said_to_have_read_what_stood_before() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("swap.ron");
    let text = r#"(format: 1, clock: (stop: 2), reals: {"x": 1, "y": 2},
        situations: ["event swap: every(1)"], relations: ["x, y := y, x when swap"])"#;
    std::fs::write(&table, text).unwrap();
    for stepping in ["tick", "events"] {
        let mut talk = Talk::on(&table, stepping);
        talk.must("run until swap");
        for (name, gave) in [("x", "2"), ("y", "1")] {
            let why = talk.must(&format!("why {name}"));
            let row = &said(&why)[0];
            assert_eq!(row.gave.as_deref(), Some(gave), "{}", talk.told);
            let texts: Vec<&str> = why
                .as_array()
                .unwrap()
                .iter()
                .map(|line| line["text"].as_str().unwrap())
                .collect();
            assert!(
                texts.contains(&"x = 1") && texts.contains(&"y = 2"),
                "{texts:?}"
            );
        }
    }
}
