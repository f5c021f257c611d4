//! Measures and coverage against what a trajectory with a row at every tick says.

use situ_engine::model::{Clock, Guard, IntegralRule};
use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Measure, Trace};

use situ_rules::check::unit_mismatches;
use situ_rules::resolve::{self, Obtained, Reading};

use crate::tables::{Table, column, files, literal, scenario_folders};

/// The ticks in which a condition arises, given whether it holds in each row.
fn arisings(holds: &[bool]) -> Vec<usize> {
    (1..holds.len())
        .filter(|&tick| holds[tick] && !holds[tick - 1])
        .collect()
}

#[test]
fn values_are_read_off_every_tick() {
    let mut table = Table::at("cart_stops/table.ron").case("both_stops");
    let value = table.expr("VC * 2");
    let measures = [
        Measure::Final(value),
        Measure::Min(value),
        Measure::Max(value),
        Measure::At(value, 1.25),
        Measure::At(value, 1.2345),
    ];
    let run = table.ticks(1e-3, 3000, 1, IntegralRule::Rectangle);
    let values = column(&run.table.model, &run.trace(), "VC").unwrap();
    let values: Vec<f64> = values.into_iter().map(|value| value * 2.0).collect();

    let [last, least, most, at_tick, between] = run.measure(measures);
    assert_eq!(last, values[3000]);
    assert_eq!(least, values.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!(
        most,
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    );
    assert_eq!(at_tick, values[1250]);
    let expected = values[1234] + 0.5 * (values[1235] - values[1234]);
    assert!(
        (between - expected).abs() < 1e-9,
        "{between}, not {expected}"
    );
}

#[test]
fn conditions_are_read_off_every_tick() {
    let mut table = Table::at("cart_stops/table.ron").case("both_stops");
    let held = table.watch("Ostanov");
    let moving = table.watch("!Ostanov & VC < 0");
    let measures = [
        Measure::First(held.clone()),
        Measure::Duration(held.clone()),
        Measure::Count(held.clone()),
        Measure::Period(held),
        Measure::Count(moving),
    ];
    let run = table.ticks(1e-3, 6000, 1, IntegralRule::Rectangle);
    let (model, trace) = (&run.table.model, run.trace());
    let held = literal(model, &trace, "Ostanov");
    let speeds = column(model, &trace, "VC").unwrap();
    let moving: Vec<bool> = held
        .iter()
        .zip(speeds)
        .map(|(held, speed)| !held && speed < 0.0)
        .collect();
    let arisen = arisings(&held);
    let time = |tick: usize| trace.time[tick];

    let [first, duration, count, period, moves] = run.measure(measures);
    assert!(arisen.len() > 2);
    assert_eq!(first, time(arisen[0]));
    let ticks = held.iter().filter(|held| **held).count();
    assert!((duration - time(ticks)).abs() < 1e-9);
    assert_eq!(count, f64::from(u32::try_from(arisen.len()).unwrap()));
    let last = *arisen.last().unwrap();
    assert_eq!(period, (time(last) - time(arisen[0])) / (count - 1.0));
    assert_eq!(
        moves,
        f64::from(u32::try_from(arisings(&moving).len()).unwrap())
    );
}

#[test]
fn an_event_is_counted_whenever_it_fires() {
    let mut table = Table::at("маятник/table.ron");
    let passage = table.watch("Проход");
    let run = table.ticks(1e-3, 10_000, 1, IntegralRule::Rectangle);
    let fired = literal(&run.table.model, &run.trace(), "Проход");
    let [count] = run.measure([Measure::Count(passage)]);
    assert_eq!(count, 4.0);
    assert_eq!(fired.iter().filter(|fired| **fired).count(), 4);
}

/// Activity of a row, in each tick but the start.
fn acts(table: &Table, trace: &Trace, relation: usize) -> Vec<bool> {
    let model = &table.model;
    let holds = |guard: &Guard, tick: usize| match guard {
        Guard::Always => true,
        Guard::When(all) => all.iter().all(|literal| {
            let name = model.boolean_name(literal.what);
            let value = column(model, trace, &name).unwrap()[tick] != 0.0;
            value != literal.negated
        }),
        Guard::Otherwise => false,
    };
    let row = &model.relations[relation];
    let others = || {
        model
            .relations
            .iter()
            .filter(|other| other.targets == row.targets && matches!(other.guard, Guard::When(_)))
    };
    let at = |tick| match row.guard {
        Guard::Otherwise => !others().any(|other| holds(&other.guard, tick)),
        _ => holds(&row.guard, tick),
    };
    (1..trace.time.len()).map(at).collect()
}

#[test]
fn coverage_counts_the_ticks_in_which_rows_act() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let table = Table::at(&path);
            let step = table.short_step();
            let mut run = table.ticks(step, 900, 1, IntegralRule::Rectangle);
            run.config.step_formula = None;
            let trace = run.trace();
            let mut simulation = run.simulation();
            simulation.advance(900).unwrap();
            let covered = simulation.covered();
            let time: f64 = covered.visits.iter().map(|visit| visit.time).sum();
            let time = time + covered.elsewhere;
            assert!((time - 900.0 * step).abs() < 1e-12, "{}", path.display());
            for (index, acted) in covered.relations.iter().enumerate() {
                let acts = acts(&run.table, &trace, index);
                let n_acts = acts.iter().filter(|acts| **acts).count();
                let what = format!(
                    "{} row {}",
                    path.display(),
                    run.table.model.relations[index].id
                );
                assert!((acted.time - n_acts as f64 * step).abs() < 1e-12, "{what}");
                assert_eq!(acted.ever, n_acts > 0, "{what}");
            }
        }
    }
}

/// Without any units the time alone has one, and nothing is said of what it is measured beside.
#[test]
fn a_table_without_units_has_none_that_disagree() {
    let text = r#"(format: 1, clock: (stepping: events, stop: 10), reals: {"v": 1, "x": 0},
        relations: ["v = integral(-x)", "x = integral(v)"])"#;
    let mut table = Table::from_text(text);
    let text = "drift(x * x + v * v)";
    let (model, origins) = (&mut table.model, &mut table.origins);
    let measure = resolve::measure(model, origins, &mut table.sources, "<measure>", text).unwrap();
    let reading = Reading {
        text,
        span: table.sources.last().unwrap(),
        unit: "",
        of: &Obtained::Measured(measure),
    };
    assert_eq!(unit_mismatches(model, origins, &[reading]), []);
}

/// A run that is put aside at a time and taken up by another one, with measures of it.
fn continued(table: &Table, until: f64, stop: f64, measures: &[Measure]) -> Vec<Option<f64>> {
    let begin = |stop| {
        let clock = Clock {
            stop: Some(stop),
            ..table.model.clock.clone()
        };
        let config = RunConfig::from_clock(&clock).unwrap();
        Run::new(table.model.clone(), config, measures).unwrap()
    };
    let mut first = begin(until);
    first.run(&mut ()).unwrap();
    let mut second = begin(stop);
    second.load(&first.saved()).unwrap();
    second.run(&mut ()).unwrap();
    second.measured()
}

#[test]
fn measures_of_a_continued_run_begin_where_it_goes_on() {
    for (stepping, tolerance) in [("events", 1e-6), ("tick", 0.01)] {
        let text = format!(
            r#"(format: 1, clock: (stepping: {stepping}, step: 1e-3, stop: 10, rtol: 1e-10),
                reals: {{"v": 0, "x": 1}}, relations: ["v = integral(-x)", "x = integral(v)"])"#
        );
        let mut table = Table::from_text(&text);
        let low = table.watch("x < 0.3");
        let [x, time] = ["x", "time"].map(|text| table.expr(text));
        let measures = [
            Measure::Min(time),
            Measure::Drift(time),
            Measure::First(low.clone()),
            Measure::Duration(low.clone()),
            Measure::Count(low),
            Measure::Max(x),
            Measure::At(x, 2.0),
            Measure::At(x, 6.0),
        ];
        let rises = std::f64::consts::TAU - 0.3_f64.acos();
        let falls = std::f64::consts::TAU + 0.3_f64.acos();
        let exact = [
            Some(5.0),
            Some(5.0),
            Some(5.0),
            Some((rises - 5.0) + (10.0 - falls)),
            Some(1.0),
            Some(1.0),
            None,
            Some(6.0_f64.cos()),
        ];
        let found = continued(&table, 5.0, 10.0, &measures);
        for ((found, exact), measure) in found.iter().zip(exact).zip(&measures) {
            let fits = match (found, exact) {
                (Some(found), Some(exact)) => (found - exact).abs() < tolerance,
                (found, exact) => *found == exact,
            };
            assert!(fits, "{stepping} {measure:?}: {found:?}, not {exact:?}");
        }
    }
}

#[test]
fn a_share_of_a_slide_counts_from_where_a_run_goes_on() {
    let text = r#"(format: 1, clock: (stepping: events, stop: 3), reals: {"x": 0}, ranges: ["above: x > 0"],
        relations: ["x = integral(-2) when above", "x = integral(1) otherwise"])"#;
    let mut table = Table::from_text(text);
    let above = Measure::Duration(table.watch("above"));
    let found = continued(&table, 1.2, 3.0, &[above])[0].unwrap();
    assert!((found - 0.6).abs() < 1e-9, "{found}");
}

#[test]
fn there_is_no_value_before_the_start() {
    for stepping in ["events", "tick"] {
        let text = format!(
            r#"(format: 1, clock: (stepping: {stepping}, step: 0.1, stop: 1), reals: {{"x": 3}},
                relations: ["x = integral(1)"])"#
        );
        let mut table = Table::from_text(&text);
        let x = table.expr("x");
        let config = RunConfig::from_clock(&table.model.clock).unwrap();
        let measures = [Measure::At(x, -1.0), Measure::At(x, 0.0)];
        let mut run = Run::new(table.model, config, &measures).unwrap();
        run.run(&mut ()).unwrap();
        assert_eq!(run.measured(), [None, Some(3.0)], "{stepping}");
    }
}

/// At an instant a measure takes what holds from there on, as the rows of a grid do.
#[test]
fn a_value_at_an_instant_is_the_one_behind_it() {
    let text = r#"(format: 1, clock: (stepping: events, stop: 10, every: 3.7), reals: {"x": 0, "z": 0, "y": 5, "k": 0},
        ranges: ["late: time >= 5"], situations: ["event b: every(2.5)", "event c: every(0.1)"],
        relations: ["x = integral(1)", "z = 3 when late", "y := 100 when b", "y := 1 when b", "k := k + 1 when c"])"#;
    let mut table = Table::from_text(text);
    let [x, y, z, k] = ["x", "y", "z", "k"].map(|name| table.expr(name));
    let wanted = [
        (y, 2.5, 1.0),
        (y, 2.4, 5.0),
        (z, 5.0, 3.0),
        (z, 4.999, 0.0),
        (x, 2.5, 2.5),
        (y, 10.0, 1.0),
        // 3 * 0.1 is not 0.3 in doubles, and the same instant (FORMALISM 10.3).
        (k, 0.3, 3.0),
        (k, 0.6, 6.0),
        (k, 0.7, 7.0),
        (k, 0.75, 7.0),
    ];
    let measures = wanted.map(|(value, at, _)| Measure::At(value, at));
    let config = RunConfig::from_clock(&table.model.clock).unwrap();
    let mut run = Run::new(table.model, config, &measures).unwrap();
    run.run(&mut ()).unwrap();
    for (found, (_, at, known)) in run.measured().iter().zip(wanted) {
        let found = found.unwrap();
        assert!(
            (found - known).abs() < 1e-9,
            "at {at}: {found}, not {known}"
        );
    }
}
