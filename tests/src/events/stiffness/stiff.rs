//! Stiff systems as tables, under the stiff method and `auto`; and an implicit equation as a loop.

use std::fmt::Write as _;

use serde_json::Value;
use situ_engine::Method;
use situ_engine::sim::EventRun;

use crate::events::{Accuracy, DEFAULT_STIFF_ERROR, Exact, Judge, at_both, known, list, number};
use crate::tables::Table;

/// A table of rates: names with start values, and what each integrates.
pub(crate) fn rates(starts: &[(String, f64)], rates: &[String]) -> Table {
    let mut reals = String::new();
    let mut relations = String::new();
    for ((name, start), rate) in starts.iter().zip(rates) {
        write!(reals, r#""{name}": {start:e}, "#).unwrap();
        write!(relations, r#""{name} = integral({rate})", "#).unwrap();
    }
    Table::from_text(&format!(
        r#"(format: 1, name: "rates", reals: {{{reals}}}, relations: [{relations}])"#
    ))
}

/// Compares the state at each of the known times with what is known, per component; under `auto` at
/// the last time.
fn compare(table: &Table, known: &Value, rtol: f64, allowed: impl Fn(f64) -> f64) {
    let mut judge = Judge::new(Accuracy::Tight);
    let names: Vec<&str> = table
        .model
        .reals
        .iter()
        .map(|real| real.name.as_str())
        .collect();
    let times: Vec<f64> = list(&known["times"]).iter().map(number).collect();
    for (index, (&time, state)) in times.iter().zip(list(&known["y"])).enumerate() {
        let last = index + 1 == times.len();
        let methods: &[Method] = match last {
            true => &[Method::Rodas5p, Method::Radau, Method::Auto],
            false => &[Method::Rodas5p, Method::Radau],
        };
        for &method in methods {
            let mut exact = Exact::new(table.clone(), time, Accuracy::Tight);
            exact.config.settings.method = method;
            exact.config.settings.rtol = rtol;
            exact.config.atol = 1e-18;
            let run = exact.run();
            for (name, value) in names.iter().zip(list(state)) {
                let value = number(value);
                let what = format!("{name} at {time:e} by {}", method.name());
                judge.near(&what, run.last(name), value, allowed(value));
            }
        }
    }
    judge.finish((2 * times.len() + 1) * names.len());
    compare_default(table, times[times.len() - 1], known);
}

/// Compares the last state with what a run gives for which nothing was chosen.
fn compare_default(table: &Table, time: f64, known: &Value) {
    let mut judge = Judge::new(Accuracy::Tight);
    let run = Exact::new(table.clone(), time, Accuracy::Default).run();
    let last = list(list(&known["y"]).last().unwrap());
    for (real, value) in table.model.reals.iter().zip(last) {
        let (value, (part, least)) = (number(value), DEFAULT_STIFF_ERROR);
        let what = format!("{} at {time:e} by default", real.name);
        judge.near(
            &what,
            run.last(&real.name),
            value,
            part * value.abs() + least,
        );
    }
    judge.finish(last.len());
}

fn numbered(n: usize, start: impl Fn(usize) -> f64) -> Vec<(String, f64)> {
    (1..=n).map(|i| (format!("y{i}"), start(i))).collect()
}

#[test]
fn hires() {
    let start = |i| match i {
        1 => 1.0,
        8 => 0.0057,
        _ => 0.0,
    };
    let table = rates(
        &numbered(8, start),
        &[
            "-1.71 * y1 + 0.43 * y2 + 8.32 * y3 + 0.0007",
            "1.71 * y1 - 8.75 * y2",
            "-10.03 * y3 + 0.43 * y4 + 0.035 * y5",
            "8.32 * y2 + 1.71 * y3 - 1.12 * y4",
            "-1.745 * y5 + 0.43 * y6 + 0.43 * y7",
            "-280 * y6 * y8 + 0.69 * y4 + 1.71 * y5 - 0.43 * y6 + 0.69 * y7",
            "280 * y6 * y8 - 1.81 * y7",
            "-280 * y6 * y8 + 1.81 * y7",
        ]
        .map(str::to_owned),
    );
    let known = &known("stiff_extra")["hires"];
    let tolerance = number(&known["tolerance"]["rel"]);
    compare(&table, known, 1e-11, |value| tolerance * value.abs());
}

#[test]
fn rober() {
    let table = rates(
        &numbered(3, |i| if i == 1 { 1.0 } else { 0.0 }),
        &[
            "-0.04 * y1 + 1e4 * y2 * y3",
            "0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2 * y2",
            "3e7 * y2 * y2",
        ]
        .map(str::to_owned),
    );
    let known = &known("stiff_extra")["rober"];
    let tolerance = number(&known["tolerance"]["rel"]);
    compare(&table, known, 1e-11, |value| tolerance * value.abs());
}

#[test]
fn ethane_pyrolysis() {
    let known = known("ethane_pyrolysis");
    let k: Vec<f64> = list(&known["rate_constants"]).iter().map(number).collect();
    let species = list(&known["species"]).iter().zip(list(&known["initial"]));
    let starts: Vec<(String, f64)> = species
        .map(|(name, start)| (name.as_str().unwrap().to_owned(), number(start)))
        .collect();
    let stages = [
        format!("{} * C2H6", k[0]),
        format!("{} * CH3 * C2H6", k[1]),
        format!("{} * C2H5", k[2]),
        format!("{} * H * C2H6", k[3]),
        format!("{} * C2H5 * C2H5", k[4]),
    ];
    // What a molecule of each species takes part in, with its count.
    let balances: [&[(f64, usize)]; 8] = [
        &[(-1.0, 0), (-1.0, 1), (-1.0, 3)],
        &[(2.0, 0), (-1.0, 1)],
        &[(1.0, 1)],
        &[(1.0, 1), (-1.0, 2), (1.0, 3), (-2.0, 4)],
        &[(1.0, 2)],
        &[(1.0, 2), (-1.0, 3)],
        &[(1.0, 3)],
        &[(1.0, 4)],
    ];
    let balances = balances.map(|terms| {
        let terms = terms
            .iter()
            .map(|(n, stage)| format!("({n} * {})", stages[*stage]));
        terms.collect::<Vec<_>>().join(" + ")
    });
    let table = rates(&starts, &balances);
    let tolerance = |name: &str| number(&known["tolerance"][name]);
    let (rel, abs) = (tolerance("rel"), tolerance("abs"));
    compare(&table, &known, 1e-11, |value| rel * value.abs() + abs);
}

/// Predator and prey that diffuse, on a grid of 5 by 5 points.
#[test]
fn lotka_volterra_with_diffusion() {
    let known = known("lotka_volterra_rd");
    let parameter = |name: &str| number(&known["parameters"][name]);
    const SIDE: usize = 5;
    let (dx, dz) = (1.0 / 4.0, 1.8 / 4.0);
    let name =
        |species: usize, j: usize, k: usize| format!("y{}", 1 + species + 2 * j + 2 * SIDE * k);
    // Beyond the edge stands a mirror.
    let beside = |i: usize| match i {
        0 => [1, 1],
        i if i == SIDE - 1 => [SIDE - 2, SIDE - 2],
        i => [i - 1, i + 1],
    };
    let (b, a) = (parameter("b"), ["a11", "a12", "a21", "a22"].map(parameter));
    let diffusion = [parameter("d1"), parameter("d2")];
    let mut all = Vec::new();
    for k in 0..SIDE {
        for j in 0..SIDE {
            for species in 0..2 {
                let here = name(species, j, k);
                let [left, right] = beside(j).map(|j| name(species, j, k));
                let [below, above] = beside(k).map(|k| name(species, j, k));
                let (along_x, along_z) = (
                    diffusion[species] / (dx * dx),
                    diffusion[species] / (dz * dz),
                );
                let (own, other) = (a[2 * species], a[2 * species + 1]);
                let (c1, c2) = (name(0, j, k), name(1, j, k));
                all.push(format!(
                    "{along_x:e} * ({left} - 2 * {here} + {right}) \
                     + {along_z:e} * ({below} - 2 * {here} + {above}) \
                     + {here} * ({b:e} - {own:e} * {c1} - {other:e} * {c2})"
                ));
            }
        }
    }
    let initial = list(&known["initial"]);
    let table = rates(&numbered(50, |i| number(&initial[i - 1])), &all);
    let tolerance = |name: &str| number(&known["tolerance"][name]);
    let (rel, abs) = (tolerance("rel"), tolerance("abs"));
    compare(&table, &known, 1e-9, |value| rel * value.abs() + abs);
}

/// F(x, x') = x' + c x'^3 + x = 0: the rate is the solution of a loop.
#[test]
fn an_implicit_equation() {
    at_both(|accuracy| {
        let known = &known("implicit")["scalar"];
        let table = Table::from_text(
            r#"(format: 1, name: "implicit", constants: {"c": 0.1}, reals: {"x": 2, "p": -1.5, "cube": 0},
                ranges: ["below: x <= 0.5"], situations: ["event threshold: below"],
                relations: ["cube = p * p * p", "p = -1 * x - c * cube", "x = integral(p)"])"#,
        );
        let run = Exact::new(table, 5.0, accuracy).every(0.5).run();
        let tolerance = number(&known["tolerance"]["abs"]);
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let row = run.row_at(number(&sample["t"]));
            judge.near("x", run.at_row(row, "x"), number(&sample["x"]), tolerance);
            judge.near(
                "p",
                run.at_row(row, "p"),
                number(&sample["xdot"]),
                tolerance,
            );
        }
        let event = &known["threshold_event"];
        let fired = run.fired("threshold");
        judge.all_near(
            "threshold",
            &run.times(&fired),
            &[number(&event["t"])],
            tolerance,
        );
        judge.near(
            "p",
            run.at_row(fired[0], "p"),
            number(&event["xdot"]),
            tolerance,
        );
        judge.finish(10);
    });
}

/// The medical Akzo Nobel problem: transport into a tissue with reaction, 400 components, and an
/// inflow that ends at t = 5.
#[test]
#[ignore = "tens of seconds: cargo soak"]
fn soak_medakzo() {
    const N: usize = 200;
    let known = known("medakzo");
    let (k, c) = (100.0, 4.0);
    let (mut starts, mut all) = (Vec::new(), Vec::new());
    let cell = 1.0 / 200.0;
    for j in 1..=N {
        let zeta = cell * f64::from(u32::try_from(j).unwrap());
        let alpha = 2.0 * (zeta - 1.0).powi(3) / (c * c);
        let beta = (zeta - 1.0).powi(4) / (c * c);
        let before = if j == 1 {
            "phi".to_owned()
        } else {
            format!("u{}", j - 1)
        };
        let after = format!("u{}", (j + 1).min(N));
        all.push(format!(
            "{:e} * ({after} - {before}) + {:e} * ({before} - 2 * u{j} + {after}) - {k} * u{j} * v{j}",
            alpha / (2.0 * cell),
            beta / (cell * cell)
        ));
        all.push(format!("-{k} * u{j} * v{j}"));
        starts.extend([(format!("u{j}"), 0.0), (format!("v{j}"), 1.0)]);
    }
    let mut reals = r#""phi": 2, "#.to_owned();
    let mut relations = r#""phi = 2 when early", "phi = 0 otherwise", "#.to_owned();
    for ((name, start), rate) in starts.iter().zip(&all) {
        write!(reals, r#""{name}": {start}, "#).unwrap();
        write!(relations, r#""{name} = integral({rate})", "#).unwrap();
    }
    let table = Table::from_text(&format!(
        r#"(format: 1, name: "medakzo", reals: {{{reals}}}, ranges: ["early: time <= 5"], relations: [{relations}])"#
    ));
    let tolerance = number(&known["tolerance"]["abs"]);
    let mut judge = Judge::new(Accuracy::Tight);
    let tight = [
        (Method::Rodas5p, 1e-9),
        (Method::Radau, 1e-9),
        (Method::Bdf, 1e-10),
    ];
    for (method, rtol) in tight {
        let mut exact = Exact::new(table.clone(), 20.0, Accuracy::Tight).every(2.5);
        exact.config.settings.method = method;
        exact.config.settings.rtol = rtol;
        exact.config.atol = rtol * 1e-2;
        let run = exact.run();
        for (time, state) in list(&known["times"]).iter().zip(list(&known["y"])) {
            let row = run.row_at(number(time));
            for ((name, _), value) in starts.iter().zip(list(state)) {
                let what = format!("{name} at {time} by {}", method.name());
                judge.near(&what, run.at_row(row, name), number(value), tolerance);
            }
        }
    }
    judge.finish(3 * 4 * 2 * N);
}

/// `v` follows `cos(t)` 1e-5 behind it: its errors are small, and those of the rate that is solved for 1e5 times larger.
#[test]
fn a_stiff_rate_that_is_solved_for_is_followed_along_the_dense_output() {
    let table = Table::from_text(
        r#"(format: 1, name: "stiff law", clock: (stepping: events), reals: {"v": 0, "a": 0},
            relations: ["solve a: a + 0.1 * a^3 = 1e5 * (cos(time) - v)", "v = integral(a)"])"#,
    );
    // To first order in 1e-5, with `a = -sin(t)`.
    let a = -3.0_f64.sin();
    let expected = 3.0_f64.cos() - 1e-5 * (a + 0.1 * a.powi(3));
    for method in [Method::Auto, Method::Radau, Method::Rodas5p, Method::Bdf] {
        let mut exact = Exact::new(table.clone(), 3.0, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.settings.rtol = 1e-6;
        let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
        run.run(&mut ())
            .unwrap_or_else(|fault| panic!("{method:?}: {fault:?}"));
        let error = run.row().reals[0] - expected;
        assert!(error.abs() < 1e-5, "{method:?}: {error:e}");
        assert_eq!(run.stats().instants, 0, "{method:?}");
    }
}
