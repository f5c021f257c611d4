//! Rest on curved borders after bounces without end: a bead in a ring, in a bowl, on a dome.

use situ_engine::sim::EventRun;
use situ_engine::{Method, Steps};

use crate::events::runs::replay::{config, replays};
use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

/// A bead over a border, which bounces off with half of the speed across it.
///
/// `border`: left of `<= 0`; `normal`: the direction away from it; `start`: place and speed.
fn bead(border: &str, normal: [&str; 2], start: [f64; 4]) -> Table {
    let [x, y, vx, vy] = start;
    let [nx, ny] = normal;
    Table::from_text(&format!(
        r#"(format: 1, name: "bead", clock: (stepping: events, stop: 10),
        constants: {{"e": 0.5, "g": 9.81}},
        reals: {{"x": {x}, "y": {y}, "vx": {vx}, "vy": {vy}, "vn": 0, "E": 0, "passes": 0, "t": 0}},
        ranges: ["floor: {border} <= 0", "right: x > 0"],
        situations: ["event hit: floor", "event passes_right: right"],
        relations: [
            "x = integral(vx)", "y = integral(vy)", "vx = integral(0 * g)", "vy = integral(-g)",
            "E = g * y + (vx * vx + vy * vy) / 2",
            "vn := (({nx}) * vx + ({ny}) * vy) / (({nx}) * ({nx}) + ({ny}) * ({ny})) when hit",
            "vx, vy := vx - (1 + e) * vn * ({nx}), vy - (1 + e) * vn * ({ny}) when hit",
            "t := time when passes_right",
        ])"#
    ))
}

fn ring() -> Table {
    // Dropped inside of a ring.
    bead("1 - x * x - y * y", ["-x", "-y"], [0.5, 0.0, 0.0, 0.0])
}

fn bowl() -> Table {
    bead("y - x * x / 2", ["-x", "1"], [1.0, 1.0, 0.0, 0.0])
}

fn dome() -> Table {
    bead("x * x + y * y - 1", ["x", "y"], [0.05, 1.2, 0.1, 0.0])
}

fn run(table: Table, stop: f64, rtol: f64, method: Method) -> History {
    let mut exact = Exact::new(table, stop, Accuracy::Tight).every(0.01);
    exact.config.settings.rtol = rtol;
    exact.config.settings.method = method;
    exact.config.atol = 1e-3 * rtol;
    exact.run()
}

/// The first row after the last bounce, with some time in between.
fn at_rest(run: &History) -> usize {
    let last = *run.fired("hit").last().unwrap();
    let after = |&row: &usize| run.trace.time[row] > run.trace.time[last] + 0.005;
    (last..run.trace.time.len()).find(after).unwrap()
}

/// A swing in a ring is that of a pendulum, whose period is known.
#[test]
fn a_bead_in_a_ring_swings_as_a_pendulum() {
    for (rtol, tolerance) in [(1e-6, 1e-4), (1e-8, 1e-6), (1e-10, 1e-8), (1e-12, 1e-9)] {
        for method in [Method::Dop853, Method::Tsit5, Method::Rodas5p] {
            if method == Method::Rodas5p && rtol < 1e-9 {
                continue;
            }
            let run = run(ring(), 20.0, rtol, method);
            let what = format!("{} {rtol}", method.name());
            let first = at_rest(&run);
            assert!(run.trace.time[first] < 4.0, "{what}");
            let energy = run.at_row(first, "E");
            for row in first..run.trace.time.len() {
                let off = (run.at_row(row, "E") - energy).abs();
                assert!(off < tolerance, "{what}: energy {off} off");
                let (x, y) = (run.at_row(row, "x"), run.at_row(row, "y"));
                assert!((x * x + y * y - 1.0).abs() < tolerance, "{what}: off");
            }
            // T = 2 pi / (sqrt(g) agm(1, cos(a / 2))) with the largest angle a; E = -g cos a.
            let half = (0.5 * (1.0 - energy / 9.81)).sqrt();
            let (mut a, mut b) = (1.0_f64, half);
            for _ in 0..6 {
                (a, b) = (0.5 * (a + b), (a * b).sqrt());
            }
            let period = std::f64::consts::TAU / (9.81_f64.sqrt() * a);
            let passes = run.times(&run.fired("passes_right"));
            let passes: Vec<f64> = passes
                .into_iter()
                .filter(|&time| time > run.trace.time[first])
                .collect();
            assert!(passes.len() > 5, "{what}");
            for pair in passes.windows(2) {
                let off = (pair[1] - pair[0] - period).abs();
                assert!(off < 10.0 * tolerance, "{what}: period {off} off");
            }
        }
    }
}

/// In a bowl: against an integration of its own by (1 + x^2) x'' + x x'^2 + g x = 0.
#[test]
fn a_bead_in_a_bowl_swings_as_its_equation_says() {
    for rtol in [1e-8, 1e-10] {
        let run = run(bowl(), 8.0, rtol, Method::Dop853);
        let first = at_rest(&run);
        let rate = |[x, v]: [f64; 2]| [v, -(x * v * v + 9.81 * x) / (1.0 + x * x)];
        let mut state = [run.at_row(first, "x"), run.at_row(first, "vx")];
        let mut time = run.trace.time[first];
        for row in first + 1..run.trace.time.len() {
            let span = run.trace.time[row] - time;
            let n = (span / 1e-3).ceil().max(1.0);
            for _ in 0..n as u32 {
                let h = span / n;
                let add = |s: [f64; 2], k: [f64; 2], h: f64| [s[0] + h * k[0], s[1] + h * k[1]];
                let k1 = rate(state);
                let k2 = rate(add(state, k1, h / 2.0));
                let k3 = rate(add(state, k2, h / 2.0));
                let k4 = rate(add(state, k3, h));
                for part in 0..2 {
                    state[part] += h / 6.0 * (k1[part] + 2.0 * (k2[part] + k3[part]) + k4[part]);
                }
            }
            time = run.trace.time[row];
            let (x, vx) = (run.at_row(row, "x"), run.at_row(row, "vx"));
            assert!((x - state[0]).abs() < 1e-6, "{time}: {x} {}", state[0]);
            assert!((vx - state[1]).abs() < 1e-5, "{time}: {vx} {}", state[1]);
        }
        assert!(time > 7.9 && run.trace.time[first] < 2.0);
    }
}

/// A bead slides down a dome and leaves it where its weight no longer holds it: v^2 = g y.
#[test]
fn a_bead_leaves_a_dome_where_nothing_presses_it() {
    let text = dome();
    let run = run(text, 1.5, 1e-9, Method::Dop853);
    let rows = run.trace.time.len();
    let off = |row: usize| {
        let (x, y) = (run.at_row(row, "x"), run.at_row(row, "y"));
        x * x + y * y - 1.0
    };
    let first = at_rest(&run);
    // Both sides of the instant are rows.
    let last = (first..rows - 1).find(|&row| run.trace.time[row] == run.trace.time[row + 1]);
    let last = last.unwrap();
    assert!(
        last > first + 10 && last + 10 < rows,
        "{first} {last} {rows}"
    );
    assert!((first..last).all(|row| off(row).abs() < 1e-8));
    assert!(
        *run.fired("hit").last().unwrap() < first,
        "no bounce at the end"
    );
    let energy = run.at_row(first, "E");
    let (y, vx, vy) = (
        run.at_row(last, "y"),
        run.at_row(last, "vx"),
        run.at_row(last, "vy"),
    );
    // With E = g y + v^2 / 2: y = 2 E / (3 g).
    assert!((y - energy / (1.5 * 9.81)).abs() < 1e-7, "{y}");
    assert!((vx * vx + vy * vy - 9.81 * y).abs() < 1e-6);
    assert!((run.last("E") - energy).abs() < 1e-7);
    assert!(
        (last..rows - 1).all(|row| off(row + 1) >= off(row)),
        "it flies"
    );
}

#[test]
fn rest_on_a_curve_replays_from_any_state() {
    for table in [ring(), bowl(), dome()] {
        let mut config = config(&table);
        config.settings.rtol = 1e-7;
        replays("bead", &EventRun::new(table.model, config).unwrap());
    }
}

/// Near their limit flights are lower than the error of a method that is exact for no parabola: it is seen before.
#[test]
fn bounces_without_end_end_with_every_method() {
    let ball = |weight: &str| {
        Table::from_text(&format!(
            r#"(format: 1, name: "ball", reals: {{"h": 0.1, "v": 0, "wave": 1}},
                situations: ["event hit: h <= 0 & v < 0"],
                relations: ["v := -0.5 * v when hit", "v = integral({weight})", "h = integral(v)",
                    "wave = integral(-sin(time))"])"#
        ))
    };
    for weight in ["-9.81", "-9.81 + 0.5 * sin(3 * time)"] {
        for method in Method::ALL
            .into_iter()
            .filter(|method| method.about().steps == Steps::Adaptive)
        {
            let mut exact = Exact::new(ball(weight), 2.0, Accuracy::Default).method(method);
            exact.config.budget.events = 1000;
            let run = exact.run();
            let name = method.name();
            assert!(run.fired("hit").len() < 25, "{name}");
            assert_eq!([run.last("h"), run.last("v")], [0.0; 2], "{name}");
            assert!((run.last("wave") - 2.0_f64.cos()).abs() < 1e-3, "{name}");
        }
    }
}

/// A ball that rests on a table which swings leaves it with the speed and the acceleration of the table: the third
/// derivative of its height decides to which side.
#[test]
fn a_rest_ends_where_two_derivatives_vanish() {
    let text = r#"(format: 1, name: "table", clock: (stepping: events, stop: 3),
        constants: {"A": 0.05, "w": 15, "e": 0.3, "g": 9.81}, reals: {"h": 0.1, "v": 0, "y": 0, "vy": 0},
        ranges: ["low: h <= y"], situations: ["event hit: low"],
        relations: ["y = A * sin(w * time)", "vy = A * w * cos(w * time)", "v = integral(-g)", "h = integral(v)",
            "v := -e * v + (1 + e) * vy when hit"])"#;
    let (a, w, g) = (0.05, 15.0, 9.81_f64);
    let first = (g / (a * w * w)).asin() / w;
    for rtol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
        let run = run(Table::from_text(text), 3.0, rtol, Method::Auto);
        let heights = run.column("h");
        for period in 1..6 {
            let left = first + f64::from(period) * std::f64::consts::TAU / w;
            let flights = run.trace.time.iter().zip(&heights);
            let flights = flights.filter(|(t, _)| (left..left + 0.13).contains(*t));
            for (t, h) in flights {
                let way = t - left;
                let known =
                    a * (w * left).sin() + a * w * (w * left).cos() * way - g / 2.0 * way * way;
                assert!(
                    (h - known).abs() < 1e-8 + 10.0 * rtol,
                    "{rtol} at {t}: {h}, not {known}"
                );
            }
        }
    }
}

/// A solved row beside a ball that has come to rest: its solution is not sought from that of the last row that was written.
#[test]
fn a_solution_beside_a_rest_does_not_depend_on_the_rows() {
    let ends = |every: Option<f64>| {
        let table = Table::from_text(
            r#"(format: 1, reals: {"x": 0, "z": 0, "Z": 0, "h": 1, "u": 0}, situations: ["event hit: h <= 0"],
                relations: ["x = integral(1 - x)", "solve z: z + 0.4 * z^3 = x", "Z = integral(z)",
                    "u = integral(-9.81)", "h = integral(u)", "u := -0.5 * u when hit"])"#,
        );
        let mut exact = Exact::new(table, 4.0, Accuracy::Default).method(Method::Mk21);
        exact.config.every = every;
        let run = exact.run();
        [run.last("x"), run.last("Z")].map(f64::to_bits)
    };
    let known = ends(None);
    for every in [0.5, 0.1, 0.0237, 0.01] {
        assert_eq!(ends(Some(every)), known, "{every}");
    }
}
