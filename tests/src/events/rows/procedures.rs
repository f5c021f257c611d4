//! Every procedure in continuous time: what a row with it gives, against its exact solution.

use std::f64::consts::PI;

use situ_engine::procedure::ALL;

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// Value of `y` at a time.
type Solution = fn(f64) -> f64;

/// Procedure, start of `y`, its row, its exact solution. In all of them `x` is `t - 1`, `p` is `t + 1`, `w`
/// is `t * t / 2 - t`, `q` is `sin(pi * t)`, and `high` holds in the second half of every unit of time.
const ROWS: [(&str, f64, &str, Solution); 42] = [
    ("assignment", 0.0, "y = x", |t| t - 1.0),
    ("proportional", 0.0, "y = 3 * x", |t| 3.0 * (t - 1.0)),
    ("sum", 0.0, "y = 2 * x - 3 * w", |t| {
        2.0 * (t - 1.0) - 3.0 * (t * t / 2.0 - t)
    }),
    ("product", 0.0, "y = x * w", |t| {
        (t - 1.0) * (t * t / 2.0 - t)
    }),
    ("quotient", 0.0, "y = x / p", |t| (t - 1.0) / (t + 1.0)),
    ("power", 0.0, "y = p^1.5", |t| (t + 1.0).powf(1.5)),
    ("sqrt", 0.0, "y = sqrt(p)", |t| (t + 1.0).sqrt()),
    ("exp", 0.0, "y = exp(x)", |t| (t - 1.0).exp()),
    ("ln", 0.0, "y = ln(p)", |t| (t + 1.0).ln()),
    ("abs", 0.0, "y = abs(x)", |t| (t - 1.0).abs()),
    ("sign", 0.0, "y = sign(x)", |t| (t - 1.0).signum()),
    ("floor", 0.0, "y = floor(x)", |t| (t - 1.0).floor()),
    ("min", 0.0, "y = min(x, 0.5)", |t| (t - 1.0).min(0.5)),
    ("max", 0.0, "y = max(x, w)", |t| {
        (t - 1.0).max(t * t / 2.0 - t)
    }),
    ("clamp", 0.0, "y = clamp(x, -0.5, 1.5)", |t| {
        (t - 1.0).clamp(-0.5, 1.5)
    }),
    ("mod", 0.0, "y = mod(x, 0.75)", |t| {
        (t - 1.0).rem_euclid(0.75)
    }),
    ("integral", 0.5, "y = integral(x)", |t| {
        0.5 + t * t / 2.0 - t
    }),
    ("derivative", 0.0, "y = derivative(w)", |t| t - 1.0),
    // T y' = x - y.
    ("smoothing", 2.0, "y = smoothing(x, 0.5)", |t| {
        t - 1.5 + 3.5 * (-2.0 * t).exp()
    }),
    ("delay", 0.0, "y = delay(2 * x, 0.5)", |t| {
        2.0 * (t - 1.5).max(-1.0)
    }),
    (
        "sample_and_hold",
        7.0,
        "y = sample_and_hold(x, high)",
        |t| {
            if t < 0.5 {
                7.0
            } else if t % 1.0 < 0.5 {
                t.floor() - 1.0
            } else {
                t - 1.0
            }
        },
    ),
    ("counter", 0.0, "y = counter(high)", |t| (t + 0.5).floor()),
    ("timer", 0.0, "y = timer(high)", |t| {
        (t % 1.0 - 0.5).max(0.0)
    }),
    ("hysteresis", 0.0, "y = hysteresis(q, -0.5, 0.5)", |t| {
        f64::from(u8::from((1.0 / 6.0..7.0 / 6.0).contains(&(t % 2.0))))
    }),
    ("step", 0.0, "y = 2 * step(1.25)", |t| {
        f64::from(2 * u8::from(t >= 1.25))
    }),
    ("ramp", 0.0, "y = 2 * ramp(1.25)", |t| {
        2.0 * (t - 1.25).max(0.0)
    }),
    ("pulse", 0.0, "y = pulse(1, 0.25, 0.5)", |t| {
        f64::from(u8::from(t >= 0.5 && (t - 0.5) % 1.0 < 0.25))
    }),
    ("sine_wave", 0.0, "y = sine_wave(0.5, 0.25)", |t| {
        (PI * t + 0.25).sin()
    }),
    ("sin", 0.0, "y = sin(x)", |t| (t - 1.0).sin()),
    ("cos", 0.0, "y = cos(x)", |t| (t - 1.0).cos()),
    ("tan", 0.0, "y = tan(x / 4)", |t| ((t - 1.0) / 4.0).tan()),
    ("asin", 0.0, "y = asin(x / 4)", |t| ((t - 1.0) / 4.0).asin()),
    ("acos", 0.0, "y = acos(x / 4)", |t| ((t - 1.0) / 4.0).acos()),
    ("atan", 0.0, "y = atan(x)", |t| (t - 1.0).atan()),
    ("atan2", 0.0, "y = atan2(x, p)", |t| {
        (t - 1.0).atan2(t + 1.0)
    }),
    ("sind", 0.0, "y = sind(40 * x)", |t| {
        (40.0 * (t - 1.0)).to_radians().sin()
    }),
    ("cosd", 0.0, "y = cosd(40 * x)", |t| {
        (40.0 * (t - 1.0)).to_radians().cos()
    }),
    ("tand", 0.0, "y = tand(20 * x)", |t| {
        (20.0 * (t - 1.0)).to_radians().tan()
    }),
    ("asind", 0.0, "y = asind(x / 4)", |t| {
        ((t - 1.0) / 4.0).asin().to_degrees()
    }),
    ("acosd", 0.0, "y = acosd(x / 4)", |t| {
        ((t - 1.0) / 4.0).acos().to_degrees()
    }),
    ("atand", 0.0, "y = atand(x)", |t| {
        (t - 1.0).atan().to_degrees()
    }),
    ("atan2d", 0.0, "y = atan2d(x, p)", |t| {
        (t - 1.0).atan2(t + 1.0).to_degrees()
    }),
];

/// End of the runs; not a time at which anything jumps.
const STOP: f64 = 3.9;

/// Beside a jump both of its sides are right, this far off.
const BESIDE: f64 = 1e-9;

/// The integral of a solution over the run, by midpoints.
fn integral(solution: Solution) -> f64 {
    const PIECES: u32 = 40_000;
    let length = STOP / f64::from(PIECES);
    let midpoints = (0..PIECES).map(|piece| solution((f64::from(piece) + 0.5) * length));
    midpoints.sum::<f64>() * length
}

#[test]
fn every_procedure_has_its_exact_solution() {
    for (name, start, row, solution) in ROWS {
        let text = format!(
            r#"(format: 1, name: "{name}",
                reals: {{"x": -1, "p": 1, "w": 0, "q": 0, "y": {start:?}, "z": 0}},
                ranges: ["high: mod(x, 1) >= 0.5"],
                relations: ["x = integral(1)", "p = integral(1)", "w = integral(x)", "q = sine_wave(0.5, 0)",
                    "{row}", "z = integral(y)"])"#
        );
        let table = Table::from_text(&text);
        let rows = &table.model.relations;
        assert_eq!(rows[rows.len() - 2].procedure.get().name, name);
        let run = Exact::new(table, STOP, Accuracy::Tight)
            .every(1.0 / 64.0)
            .run();
        let times = run.trace.time.iter().zip(run.column("y"));
        for (&t, y) in times.skip(1) {
            let right = [solution(t), solution(t - BESIDE), solution(t + BESIDE)];
            let off = right.map(|exact| (y - exact).abs() / exact.abs().max(1.0));
            let off = off.into_iter().fold(f64::INFINITY, f64::min);
            assert!(
                off < 4.0 * BESIDE,
                "{name} at {t}: {y} is none of {right:?}"
            );
        }
        let (found, exact) = (run.last("z"), integral(solution));
        assert!(
            (found - exact).abs() < 1e-3,
            "{name}: the integral {found} is not {exact}"
        );
    }
}

#[test]
fn every_procedure_is_here() {
    let mut names = ROWS.map(|(name, ..)| name).to_vec();
    let mut all: Vec<&str> = ALL.iter().map(|procedure| procedure.name).collect();
    names.sort_unstable();
    all.sort_unstable();
    assert_eq!(names, all);
}
