//! Heat conduction in 1000 cells, written out as 1000 reals, under the methods for diffusion.

use std::f64::consts::PI;
use std::fmt::Write as _;

use situ_engine::Method;

use crate::events::{Accuracy, Exact, Judge, known, list, number};
use crate::tables::Table;

/// The table: `u_j' = (N + 1)^2 (u_(j-1) - 2 u_j + u_(j+1))`, N = 1000, nothing beyond both ends.
fn heat() -> Table {
    let (mut reals, mut relations) = (String::new(), String::new());
    for j in 1..=1000 {
        let start = format!("sin(pi * {j} / 1001) + 0.5 * sin(7 * pi * {j} / 1001)");
        write!(reals, r#""u{j}": "{start}", "#).unwrap();
        let beside = match j {
            1 => "u2".to_owned(),
            1000 => "u999".to_owned(),
            _ => format!("u{} + u{}", j - 1, j + 1),
        };
        write!(
            relations,
            r#""u{j} = integral(1001 * 1001 * ({beside} - 2 * u{j}))", "#
        )
        .unwrap();
    }
    Table::from_text(&format!(
        r#"(format: 1, name: "heat", reals: {{{reals}}}, relations: [{relations}])"#
    ))
}

/// Evaluations of Merson's method with the longest constant step that is stable, five a step: h times the largest
/// eigenvalue is 3.548.
fn of_stable_steps(end: f64) -> f64 {
    let sine = (PI * 1000.0 / 2002.0).sin();
    5.0 * (end * 4.0 * 1001.0 * 1001.0 * sine * sine / 3.548).ceil()
}

/// Compares a run up to one of the known times; its evaluations.
fn conduct(method: Method, index: usize, [rtol, atol]: [f64; 2], allowed: f64) -> f64 {
    let known = known("heat_1000");
    let end = number(&list(&known["times"])[index]);
    let mut exact = Exact::new(heat(), end, Accuracy::Tight);
    let settings = &mut exact.config.settings;
    (settings.method, settings.rtol, exact.config.atol) = (method, rtol, atol);
    let run = exact.run();
    let mut judge = Judge::new(Accuracy::Tight);
    for (j, value) in list(&known["j"])
        .iter()
        .zip(list(&list(&known["y"])[index]))
    {
        let (name, value) = (format!("u{j}"), number(value));
        judge.near(&name, run.last(&name), value, allowed * value.abs());
    }
    let all = (1..=1000).map(|j| run.last(&format!("u{j}")));
    let mean = number(&list(&known["mean"])[index]);
    judge.near("mean", all.sum::<f64>() / 1000.0, mean, allowed * mean);
    judge.finish(7);
    run.stats.method.rhs as f64
}

#[test]
fn heat_by_default_tolerances() {
    for index in [0, 1] {
        let end = number(&list(&known("heat_1000")["times"])[index]);
        for (method, most) in [(Method::Merson, 1.1), (Method::Rock, 0.2)] {
            let evaluations = conduct(method, index, [1e-6, 1e-9], 1e-4);
            let share = evaluations / of_stable_steps(end);
            assert!(share < most, "{share} by {}", method.name());
        }
        conduct(Method::Mk21, index, [1e-6, 1e-9], 1e-4);
    }
}

#[test]
fn heat_by_tight_tolerances() {
    conduct(Method::Merson, 0, [1e-13, 1e-15], 1e-13);
    conduct(Method::Rock, 0, [1e-11, 1e-14], 1e-8);
    conduct(Method::Mk21, 0, [1e-10, 1e-13], 1e-7);
}

#[test]
#[ignore = "takes long; `cargo soak` runs it"]
fn heat_soak() {
    for index in [1, 2] {
        // The errors of so many steps add up to some tolerances.
        conduct(Method::Merson, index, [1e-13, 1e-15], 1e-12);
        conduct(Method::Rock, index, [1e-13, 1e-16], 1e-9);
    }
}
