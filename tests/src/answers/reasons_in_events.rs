//! Answers of `why`, `why not` and `blame` in event-accurate runs, compared with rows of another run and with what rates
//! sum up to.

use std::ops::ControlFlow;
use std::path::Path;

use situ_engine::ids::{RangeId, RealId, SituationId, SwitchId};
use situ_engine::model::{Boolean, IntegralRule, Literal, Model, Relation, Scan, Stepping};
use situ_engine::sim::{EventConfig, EventRun, MicrostepRow, Run, RunConfig};
use situ_engine::trace::{Instant, Recorder, Row, What};
use situ_views::text::number::rounded;

use super::reasons::{
    ROWS, is_active, keeps, loaded, margins_are, of_stages, range, said, scan, shares, size, some,
    still, truth_is,
};
use crate::sessions::random::{Dice, Talk, runs, tables};
use crate::tables::solves;
use crate::ticks::oracle::Oracle;

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

fn of_events(run: &Run) -> &EventRun {
    match run {
        Run::Events(run) => run,
        Run::Ticks(_) => unreachable!("it is a run in events"),
    }
}

/// True if a row that acted writes a real.
fn writes(model: &Model, acted: &MicrostepRow, real: RealId) -> bool {
    let row = &model.relations[acted.relation.index()];
    row.targets.contains(&real)
}

/// True of a table in which all happens within a part of a row's distance.
fn is_over_at_once(table: &Path) -> bool {
    table.ends_with("competing_species/table.ron")
}

#[test]
fn reasons_in_events_are_those_of_rows_of_another_run() {
    let mut dice = Dice(11);
    let mut checked = 0;
    for table in tables() {
        if is_over_at_once(&table) || !runs(&table, "events") {
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
            let mut last = own.clone();
            let mut step = |own: &mut Run, until| {
                last.clone_from(own);
                own.step(until).unwrap();
            };
            let failed = match dice.below(3) {
                0 => {
                    while own.row().time < at {
                        step(&mut own, at);
                    }
                    talk.say(&format!("run to {at}")).failed
                }
                1 => {
                    let steps = 1 + dice.below(25);
                    (0..steps).for_each(|_| step(&mut own, f64::INFINITY));
                    talk.say(&format!("step {steps}")).failed
                }
                // To the next instant at which rows act, if one comes soon.
                _ => {
                    let acts = |own: &Run| !of_events(own).step_effects().is_empty();
                    let mut steps = 0;
                    while steps == 0 || steps < 200 && own.row().time < at && !acts(&own) {
                        step(&mut own, f64::INFINITY);
                        steps += 1;
                    }
                    talk.say(&format!("step {steps}")).failed
                }
            };
            assert!(!failed, "{}", talk.told);
            let run = of_events(&own);
            let acted: Vec<MicrostepRow> = match run.step_effects() {
                [] => Vec::new(),
                _ => {
                    let microsteps = of_events(&last).observe_step().unwrap();
                    microsteps.into_iter().flat_map(|one| one.rows).collect()
                }
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
                let deeds = acted.iter().filter(|acted| writes(&model, acted, id));
                let deeds: Vec<_> = deeds.collect();
                let values = deeds.iter().map(|deed| deed.after[index].to_bits());
                let effects = run.step_effects().iter().filter(|deed| deed.real == id);
                assert!(values.eq(effects.map(|deed| deed.after.to_bits())));
                if of_stages(&model, id) {
                    continue;
                }
                let rows = said(&why);
                for (named, deed) in rows.iter().zip(&deeds) {
                    let relation = &model.relations[deed.relation.index()];
                    assert_eq!(named.id, relation.id, "{told}");
                    let after = deed.after[index];
                    assert_eq!(named.gave, Some(rounded(after)), "{told}");
                    named.read_from(&model, &deed.before, row.constants, &told);
                    let position = relation.targets.iter().position(|target| *target == id);
                    if let Some(gives) = oracle.gives(relation, &deed.before, row.time) {
                        let error = gives[position.unwrap()] - after;
                        assert!(error.abs() <= 1e-12 * after.abs().max(1.0), "{told}");
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
        if is_over_at_once(&table) || !runs(&table, "events") {
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
