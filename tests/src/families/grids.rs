//! Systems on grids of points, a row for all of them, against numbers of other programs.

use serde_json::Value;
use situ_engine::Method;
use situ_engine::ids::ConstantId;
use situ_engine::model::Clock;
use situ_engine::sim::{Run, RunConfig};

use super::{by, table};
use crate::events::{known, list, number};
use crate::tables::Table;

/// Runs a table and compares what its rows name with the values at the times of a file.
///
/// Shapes: `names`, of each value of a row of `y`; `allowed`: the largest error of a value.
fn follows(
    table: &Table,
    file: &Value,
    names: &[String],
    clock: &Clock,
    allowed: impl Fn(f64) -> f64,
) {
    let times: Vec<f64> = list(&file["times"]).iter().map(number).collect();
    let stop = times.last().copied();
    // No rows are read between the times of the file.
    let clock = Clock {
        stop,
        every: stop,
        ..clock.clone()
    };
    let config = RunConfig::from_clock(&table.model.clock.overridden_by(&clock)).unwrap();
    let mut run = Run::new(table.model.clone(), config, &[]).unwrap();
    let ids: Vec<_> = names.iter().map(|name| table.real(name)).collect();
    for (time, row) in times.iter().zip(list(&file["y"])) {
        run.run_to(*time, &mut ()).unwrap();
        let row = list(row);
        assert_eq!(row.len(), ids.len());
        for ((id, name), known) in ids.iter().zip(names).zip(row) {
            let (found, known) = (run.real(*id), number(known));
            assert!(
                (found - known).abs() <= allowed(known),
                "{}: {name} at {time} is {found}, should be {known}",
                table.model.name
            );
        }
    }
}

/// A number within the tolerance that stands in its file.
fn within(file: &Value) -> impl Fn(f64) -> f64 {
    let of = |name: &str| file["tolerance"][name].as_f64().unwrap_or(0.0);
    let (rel, abs, floor) = (of("rel"), of("abs"), of("floor"));
    move |known| abs + rel * known.abs().max(floor)
}

/// A number as near as a user who chooses nothing expects.
fn roughly(known: f64) -> f64 {
    1e-4 * known.abs().max(1.0)
}

/// `u[1]`, `v[1]`, `u[2]`, ..
fn in_a_line(n: usize) -> Vec<String> {
    (1..=n)
        .flat_map(|j| [format!("u[{j}]"), format!("v[{j}]")])
        .collect()
}

/// `a[1,1]`, `b[1,1]`, `a[2,1]`, ..
fn in_a_square(n: usize, [a, b]: [&str; 2]) -> Vec<String> {
    let points = (1..=n).flat_map(|k| (1..=n).map(move |j| (j, k)));
    points
        .flat_map(|(j, k)| [format!("{a}[{j},{k}]"), format!("{b}[{j},{k}]")])
        .collect()
}

#[test]
fn antibodies_penetrate_the_tissue() {
    let table = table("medakzo", &[], Some("200"));
    assert_eq!(table.model.reals.len(), 603);
    let (file, names) = (known("medakzo"), in_a_line(200));
    follows(&table, &file, &names, &Clock::default(), roughly);
    for method in [Method::Bdf, Method::Radau] {
        follows(
            &table,
            &file,
            &names,
            &by(method, 1e-11, 1e-13),
            within(&file),
        );
    }
}

#[test]
fn heat_flows_along_a_rod_of_a_thousand_cells() {
    let table = table("heat", &["N=1000"], None);
    let file = known("heat_1000");
    let names: Vec<String> = list(&file["j"]).iter().map(|j| format!("u[{j}]")).collect();
    follows(&table, &file, &names, &Clock::default(), roughly);
    // The file has more digits than a run of a thousand sums in each rate can have.
    follows(
        &table,
        &file,
        &names,
        &by(Method::Radau, 1e-13, 1e-14),
        |_| 1e-12,
    );
}

/// The coefficients and first values that are printed of the smallest grid.
#[test]
fn the_smallest_square_is_the_printed_one() {
    let table = table("competing_species", &[], Some("50"));
    assert_eq!(table.model.reals.len(), 50);
    let run = Run::new(
        table.model.clone(),
        RunConfig::from_clock(&table.model.clock).unwrap(),
        &[],
    );
    let run = run.unwrap();
    let constant = |name: &str| {
        let found = table
            .model
            .constants
            .iter()
            .position(|one| one.name == name);
        run.constant(ConstantId::new(found.unwrap()))
    };
    let printed = [("x1", 0.8), ("z1", 0.24691), ("x2", 16.0), ("z2", 4.9383)];
    for (name, printed) in printed {
        assert!((constant(name) - printed).abs() < 5e-5, "{name}");
    }
    for (name, printed) in [("c1[1,1]", 750.0), ("c2[1,1]", 350.0)] {
        assert_eq!(run.real(table.real(name)), printed, "{name}");
    }
}

#[test]
fn species_compete_on_a_square() {
    let table = table("competing_species", &[], Some("200"));
    let (file, names) = (known("lotka_volterra_200"), in_a_square(10, ["c1", "c2"]));
    follows(&table, &file, &names, &Clock::default(), roughly);
    follows(
        &table,
        &file,
        &names,
        &by(Method::Radau, 1e-10, 1e-18),
        within(&file),
    );
}

#[test]
fn the_brusselator_on_a_line() {
    let table = table("brusselator_1d", &[], None);
    let (file, names) = (known("brusselator_1d_500"), in_a_line(500));
    follows(&table, &file, &names, &Clock::default(), roughly);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_grids_have_all_of_their_digits() {
    let large = table("competing_species", &[], Some("800"));
    let (file, names) = (known("lotka_volterra_800"), in_a_square(20, ["c1", "c2"]));
    follows(&large, &file, &names, &Clock::default(), roughly);
    follows(
        &large,
        &file,
        &names,
        &by(Method::Radau, 1e-10, 1e-18),
        within(&file),
    );
    let line = table("brusselator_1d", &[], None);
    let (file, names) = (known("brusselator_1d_500"), in_a_line(500));
    follows(
        &line,
        &file,
        &names,
        &by(Method::Radau, 1e-11, 1e-12),
        within(&file),
    );
    let square = table("brusselator_2d", &[], None);
    let (file, names) = (known("brusselator_2d_16"), in_a_square(16, ["u", "v"]));
    follows(&square, &file, &names, &Clock::default(), roughly);
    follows(
        &square,
        &file,
        &names,
        &by(Method::Radau, 1e-11, 1e-12),
        within(&file),
    );
    let square = table("brusselator_2d", &["N=32"], None);
    let (file, names) = (known("brusselator_2d_32"), in_a_square(32, ["u", "v"]));
    for method in [Method::Bdf, Method::Tsit5] {
        follows(
            &square,
            &file,
            &names,
            &by(method, 1e-11, 1e-12),
            within(&file),
        );
    }
}

/// The errors of a table: codes, messages and notes.
fn wrong(declared: &str, relations: &str) -> Vec<String> {
    let text = format!(
        r#"(format: 1, clock: (step: 0.1, stop: 1), counters: {{"j": "1 .. 3", "i": "0 .. 1", "k": "0 .. 3"}},
        {declared}, relations: [{relations}])"#
    );
    let found = situ_rules::load("t.ron", &text, &mut situ_rules::standalone).diagnostics;
    let found = found.iter();
    let errors = found.filter(|one| one.severity == situ_rules::diag::Severity::Error);
    let told = errors.map(|one| {
        let notes = one.notes.iter().map(|note| format!(" ({note})"));
        format!("{} {}{}", one.code, one.message, notes.collect::<String>())
    });
    told.collect()
}

#[test]
fn on_a_diagonal_that_leads_out_an_element_is_named_which_is_read() {
    let grids = r#"reals: {"u[j]": 0, "g[i, k]": 0, "w[j]": 0}, constants: {"l[j]": "j / 2"}"#;
    assert_eq!(
        wrong(grids, r#""u[j] = g[j - 1, j - 1]""#),
        ["F004 `g[j - 1, j - 1]` reaches `g[2,2]`, but `g` goes over 0 .. 1, 0 .. 3 (here j = 3)"]
    );
    // What lies beside the diagonal is not read.
    assert!(wrong(grids, r#""u[j] = g[j - 1, j - 1] for j in 1 .. 2""#).is_empty());
    assert_eq!(
        wrong(grids, r#""u[j] = w[l[j]]""#),
        ["F002 the index `l[j]` is 0.5, which is no whole number (here j = 1)"]
    );
}

#[test]
fn a_family_may_have_the_name_of_a_procedure() {
    let named = r#"ranges: ["floor[j]: u[j] > 1"], reals: {"u[j]": 0, "sum[j]": 0, "min[j]": 1, "step[j]": 0, "x": 0}"#;
    let rows = r#""u[j] = integral(1) when floor[j]", "sum[j] = min[j] + step[j]", "step[j] = sum(min[j] for j)""#;
    assert!(wrong(named, rows).is_empty());
    assert_eq!(
        wrong(named, r#""x = sin[x]""#),
        ["P013 the arguments of `sin` stand in round parentheses"]
    );
}

#[test]
fn clauses_of_a_row_stand_in_any_order() {
    let row = r#"reals: {"u[j]": 0}, switches: {"hot[j]": true}"#;
    for clauses in [
        "for j in 2 .. 3 when hot[j] one after another",
        "one after another when hot[j] for j in 2 .. 3",
        "for j in 2 .. 3 one after another when hot[j]",
        "when hot[j] for j in 2 .. 3 one after another",
    ] {
        let relation = format!("\"u[j] = u[j - 1] {clauses}\"");
        assert!(wrong(row, &relation).is_empty(), "{clauses}");
    }
}
