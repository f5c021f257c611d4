//! Answers of `why`, `why not` and `blame`, compared with a second evaluation that shares nothing with them:
//! in ticks the run of [`Oracle`]; for events ([`super::reasons_in_events`]) the rows of a run of its own, on which ranges,
//! guards, rules and rates are computed anew.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use situ_engine::ids::{RangeId, RealId};
use situ_engine::model::{
    Argument, Boolean, CompareOp, Expr, Guard, IntegralRule, Literal, Model, Relation, Scan,
};
use situ_engine::procedure::{Body, Memory};
use situ_engine::trace::Row;
use situ_views::text::number::rounded;

use crate::sessions::random::{Dice, Talk, runs, tables};
use crate::tables::{read, solves};
use crate::ticks::oracle::Oracle;

/// Rows on which rates are summed up.
pub(super) const ROWS: f64 = 20_000.0;

pub(crate) fn loaded(table: &Path) -> Model {
    read(table).model.unwrap()
}

/// The truth and the margins of a range, computed from reals, constants and the time.
pub(super) fn range(model: &Model, id: RangeId, on: (&[f64], &[f64], f64)) -> (bool, Vec<f64>) {
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
pub(super) fn is_active(
    model: &Model,
    relation: &Relation,
    holds: &dyn Fn(Literal) -> bool,
) -> bool {
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
pub(super) fn some<T>(all: &[T], round: usize) -> impl Iterator<Item = (usize, &T)> {
    let stride = all.len() / 24 + 1;
    let all = all.iter().enumerate();
    all.skip(round % stride).step_by(stride)
}

/// True if a literal holds behind an instant: its events are over.
pub(super) fn still(model: &Model, row: &Row<'_>, one: Literal) -> bool {
    let is_event = matches!(one.what, Boolean::Situation(id) if model.situations[id.index()].event);
    (!is_event && row.boolean(model, one.what)) != one.negated
}

/// True if a row is a sample and hold that holds.
pub(super) fn keeps(relation: &Relation, row: &Row<'_>, model: &Model) -> bool {
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
pub(super) fn scan(model: &Model, oracle: &Oracle<'_>, row: &Row<'_>) -> Vec<Vec<f64>> {
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
pub(super) fn said(why: &Value) -> Vec<Named> {
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
pub(super) struct Named {
    pub(super) id: String,
    pub(super) gave: Option<String>,
    pub(super) read: Vec<(String, String)>,
}

impl Named {
    /// Holds what was read against reals and constants.
    pub(super) fn read_from(&self, model: &Model, reals: &[f64], constants: &[f64], told: &str) {
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
pub(super) fn truth_is(talk: &mut Talk, name: &str, holds: bool) -> Value {
    let why = talk.must(&format!("why `{name}`"));
    assert_eq!(why[0]["holds"], Value::Bool(holds), "{name}\n{}", talk.told);
    let not = talk.must(&format!("why not `{name}`"));
    assert_eq!(not[0]["holds"], Value::Bool(holds), "{name}\n{}", talk.told);
    let fails = |line: &Value| line["depth"] != 2 || line["holds"] != Value::Bool(true);
    assert!(not.as_array().unwrap().iter().all(fails), "{}", talk.told);
    why
}

/// The margins that an answer tells, beside which it may say that the state slides.
pub(super) fn margins_are(why: &Value, margins: &[f64], told: &str) {
    let lines = why.as_array().unwrap().iter().skip(1);
    let found: Vec<f64> = lines.filter_map(|line| line["margin"].as_f64()).collect();
    assert_eq!(found[..margins.len()], *margins, "{told}");
}

/// Shares of an answer to `blame` by the id of the row.
pub(super) fn shares(blame: &Value) -> BTreeMap<String, f64> {
    let shares = blame["shares"].as_array().unwrap().iter();
    shares
        .map(|share| {
            let who = share["rule"].as_str().unwrap().to_owned();
            (who, share["moved"].as_f64().unwrap())
        })
        .collect()
}

/// The largest number that goes into a sum of shares.
pub(super) fn size(shares: &BTreeMap<String, f64>, values: &[f64]) -> f64 {
    let all = shares.values().chain(values);
    all.fold(1e-300, |size: f64, value| size.max(value.abs()))
}

/// True of species and rates: what is told of them names stages of reactions, which are no rows of the model.
pub(super) fn of_stages(model: &Model, real: RealId) -> bool {
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

/// A row whose number an edit above it changes is the row that it was, under the number that it has now; of two that say the
/// same each is one.
#[test]
fn rows_that_are_renumbered_are_the_rows_that_they_were() {
    let text = r#"(
    format: 1,
    clock: (step: 0.5, stop: 20),
    reals: {"x": 0, "y": 0},
    ranges: ["early: time < 5"],
    relations: ["y = integral(2)", "x = integral(1) when early", "x = integral(3)", "x = integral(3)"],
)
"#;
    for stepping in ["tick", "events"] {
        let text = text.replace("step: 0.5", &format!("step: 0.5, stepping: {stepping}"));
        let folder = crate::cli::Folder::with(&[("rows.ron", &text)]);
        let mut console = situ_repl::console(None).unwrap();
        let mut say = |line: &str| {
            let reply = console.execute(line, &mut ());
            assert!(!reply.failed, "{line}\n{}", reply.text);
            reply.data["result"].clone()
        };
        say(&format!("load {}", folder.path("rows.ron").display()));
        for line in [
            "run to 2",
            "drop 1",
            "run to 3.5",
            "add before 1: y = integral(-1)",
            "run to 4",
        ] {
            say(line);
        }
        let shares = say("blame x")["shares"].clone();
        let shares: Vec<(String, f64)> = (shares.as_array().unwrap().iter())
            .map(|share| {
                let rule = format!("{} {}", share["rule"], share["line"]);
                (rule.replace('"', ""), share["moved"].as_f64().unwrap())
            })
            .collect();
        let known = [
            ("3 x = integral(3)", 12.0),
            ("4 x = integral(3)", 12.0),
            ("2 x = integral(1) when early", 4.0),
        ];
        let rest = shares.iter().filter(|(rule, _)| rule.starts_with("rest"));
        assert_eq!(shares.len() - rest.count(), known.len(), "{shares:?}");
        for ((rule, moved), (known_rule, known)) in shares.iter().zip(known) {
            assert_eq!(rule, known_rule, "{stepping}");
            assert!((moved - known).abs() < 1e-9, "{stepping} {rule}: {moved}");
        }
        let covered = say("coverage");
        let rules = covered.as_array().unwrap().iter();
        let rules: Vec<&str> = rules.map(|row| row["rule"].as_str().unwrap()).collect();
        let known = [
            "[1] y = integral(2)",
            "[2] x = integral(1) when early",
            "[3] x = integral(3)",
            "[4] x = integral(3)",
            "[1] y = integral(-1)",
        ];
        assert_eq!(rules, known, "{stepping}");
        if stepping == "tick" {
            let counts = covered.as_array().unwrap().iter();
            let counts: Vec<u64> = counts.map(|row| row["steps"].as_u64().unwrap()).collect();
            assert_eq!(counts, [4, 8, 8, 8, 1]);
        }
    }
}
