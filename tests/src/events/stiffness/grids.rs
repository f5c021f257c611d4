//! Large stiff systems on grids of points, written flat, under the methods for them: against references of a program
//! with another method and more digits.

use std::f64::consts::PI;

use serde_json::Value;
use situ_engine::Method;

use crate::events::stiffness::stiff::rates;
use crate::events::{Accuracy, Exact, Judge, known, list, number};
use crate::tables::Table;

/// Names with start values, and what each integrates.
#[derive(Default)]
struct Grid {
    starts: Vec<(String, f64)>,
    rates: Vec<String>,
}

impl Grid {
    fn add(&mut self, name: String, start: f64, rate: String) {
        self.starts.push((name, start));
        self.rates.push(rate);
    }

    fn table(&self) -> Table {
        rates(&self.starts, &self.rates)
    }

    /// Compares the states at some of the known times with runs by a method.
    fn compare(
        &self,
        known: &Value,
        times: usize,
        (method, rtol): (Method, f64),
        allowed: Allowed,
    ) {
        let table = self.table();
        let mut judge = Judge::new(Accuracy::Tight);
        let samples = list(&known["times"]).iter().zip(list(&known["y"]));
        for (time, state) in samples.take(times) {
            let time = number(time);
            let mut exact = Exact::new(table.clone(), time, Accuracy::Tight);
            exact.config.settings.method = method;
            exact.config.settings.rtol = rtol;
            exact.config.atol = rtol * allowed.atol_per_rtol;
            let run = exact.run();
            for ((name, _), value) in self.starts.iter().zip(list(state)) {
                let value = number(value);
                let what = format!("{name} at {time:e} by {}", method.name());
                judge.near(&what, run.last(name), value, allowed.of(value));
            }
        }
        judge.finish(times * self.starts.len());
    }

    /// All known times under two methods at tight tolerances.
    fn compare_all(&self, known: &Value) {
        let times = list(&known["times"]).len();
        let allowed = Allowed::stated(known);
        for method in [(Method::Radau, 1e-10), (Method::Bdf, 1e-12)] {
            self.compare(known, times, method, allowed);
        }
    }
}

/// How far off a value may be.
#[derive(Clone, Copy)]
struct Allowed {
    relative: f64,
    least: f64,
    /// Absolute tolerance of the run, as a part of the relative one: traces are known to as many digits.
    atol_per_rtol: f64,
}

impl Allowed {
    fn stated(known: &Value) -> Self {
        let tolerance = |name: &str| number(&known["tolerance"][name]);
        let relative = tolerance("rel");
        Self {
            relative,
            least: relative * tolerance("floor"),
            atol_per_rtol: 1e-8,
        }
    }

    /// At the default tolerance, of values of size 1.
    const DEFAULT: Self = Self {
        relative: 1e-4,
        least: 1e-4,
        atol_per_rtol: 1e-3,
    };

    fn of(self, value: f64) -> f64 {
        self.relative * value.abs() + self.least
    }
}

/// Two points beside one of `n`, where a mirror stands at each end.
fn mirrored(i: usize, n: usize) -> [usize; 2] {
    match i {
        0 => [1, 1],
        i if i + 1 == n => [i - 1, i - 1],
        i => [i - 1, i + 1],
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of points")]
fn real(n: usize) -> f64 {
    n as f64
}

/// The Brusselator on a line of cells, between two of fixed concentration.
fn brusselator_line(cells: usize) -> Grid {
    const SPREAD: f64 = 0.02;
    let per_cell = SPREAD * real(cells + 1) * real(cells + 1);
    let mut grid = Grid::default();
    let at = |species: &str, cell: usize, end: f64| match cell {
        0 => format!("{end}"),
        cell if cell > cells => format!("{end}"),
        cell => format!("{species}{cell}"),
    };
    for cell in 1..=cells {
        let spread = |species: &str, end: f64| {
            let [before, after] = [cell - 1, cell + 1].map(|cell| at(species, cell, end));
            format!("{per_cell:e} * ({before} - 2 * {species}{cell} + {after})")
        };
        let x = real(cell) / real(cells + 1);
        let (u, v) = (format!("u{cell}"), format!("v{cell}"));
        let (along_u, along_v) = (spread("u", 1.0), spread("v", 3.0));
        let start = 1.0 + (2.0 * PI * x).sin();
        let rate = format!("1 + {u} * {u} * {v} - 4 * {u} + {along_u}");
        let other = format!("3 * {u} - {u} * {u} * {v} + {along_v}");
        grid.add(u, start, rate);
        grid.add(v, 3.0, other);
    }
    grid
}

/// The Brusselator in a square with mirrors around it.
fn brusselator_square(side: usize) -> Grid {
    const SPREAD: f64 = 0.002;
    let per_cell = SPREAD * real(side - 1) * real(side - 1);
    let mut grid = Grid::default();
    for k in 0..side {
        for j in 0..side {
            let spread = |species: &str| {
                let along = mirrored(j, side).map(|j| format!("{species}{j}_{k}"));
                let across = mirrored(k, side).map(|k| format!("{species}{j}_{k}"));
                let around = [along, across].concat().join(" + ");
                format!("{per_cell:e} * ({around} - 4 * {species}{j}_{k})")
            };
            let (u, v) = (format!("u{j}_{k}"), format!("v{j}_{k}"));
            let rate = format!("1 + {u} * {u} * {v} - 4.4 * {u} + {}", spread("u"));
            let other = format!("3.4 * {u} - {u} * {u} * {v} + {}", spread("v"));
            grid.add(u, 0.5 + real(k) / real(side - 1), rate);
            grid.add(v, 1.0 + 5.0 * real(j) / real(side - 1), other);
        }
    }
    grid
}

/// Two competing species that spread over a rectangle with mirrors around it.
fn competing_species(side: usize) -> Grid {
    let per_way = [1.0, 1.8].map(|length| real(side - 1) / length);
    let per_square = per_way.map(|per_way| per_way * per_way);
    let mut grid = Grid::default();
    for k in 0..side {
        for j in 0..side {
            let spread = |species: &str, speed: f64| {
                let [left, right] = mirrored(j, side).map(|j| format!("{species}{j}_{k}"));
                let [below, above] = mirrored(k, side).map(|k| format!("{species}{j}_{k}"));
                let here = format!("{species}{j}_{k}");
                let [along, across] = per_square.map(|per_square| speed * per_square);
                format!(
                    "{along:e} * ({left} - 2 * {here} + {right}) + {across:e} * ({below} - 2 * {here} + {above})"
                )
            };
            let (a, b) = (format!("a{j}_{k}"), format!("b{j}_{k}"));
            let [x, z] = [j, k].map(|i| real(i) / real(side - 1));
            let start = 500.0 + 250.0 * (PI * x).cos() * (10.0 * PI * z).cos();
            let other_start = 200.0 + 150.0 * (10.0 * PI * x).cos() * (PI * z).cos();
            let grows = "999999.000001";
            let rate = format!("{} + {a} * ({grows} - 1e6 * {a} - {b})", spread("a", 0.05));
            let other = format!(
                "{} + {b} * ({grows} - 999999 * {a} - 1e6 * {b})",
                spread("b", 1.0)
            );
            grid.add(a, start, rate);
            grid.add(b, other_start, other);
        }
    }
    grid
}

#[test]
fn brusselator_on_a_line_of_500_cells() {
    let (grid, known) = (brusselator_line(500), known("brusselator_1d_500"));
    grid.compare_all(&known);
    for method in [Method::Bdf, Method::Auto] {
        grid.compare(&known, 3, (method, 1e-6), Allowed::DEFAULT);
    }
}

#[test]
fn competing_species_on_100_points() {
    let (grid, known) = (competing_species(10), known("lotka_volterra_200"));
    grid.compare(&known, 7, (Method::Bdf, 1e-6), Allowed::DEFAULT);
    grid.compare(&known, 7, (Method::Radau, 1e-10), Allowed::stated(&known));
}

#[test]
#[ignore = "tens of seconds: cargo soak"]
fn soak_competing_species() {
    for (side, name) in [(10, "lotka_volterra_200"), (20, "lotka_volterra_800")] {
        competing_species(side).compare_all(&known(name));
    }
}

#[test]
#[ignore = "tens of seconds: cargo soak"]
fn soak_brusselator_in_a_square() {
    let (grid, known) = (brusselator_square(16), known("brusselator_2d_16"));
    grid.compare_all(&known);
    grid.compare(&known, 5, (Method::Bdf, 1e-6), Allowed::DEFAULT);
}
