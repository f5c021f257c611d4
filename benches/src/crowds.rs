//! Ticks of families of any size: a rod of cells and a crowd of neurons, as tables and as loops written by hand that
//! read old values, with the bits of the tables.

use multiversion::multiversion;

/// A family to be stepped, and the same by hand.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Its name.
    pub name: &'static str,
    /// The table of `n` elements.
    pub table: fn(n: usize) -> String,
    /// The name of element 1 whose values are compared.
    pub shown: &'static str,
    /// The start values.
    pub start: fn(n: usize) -> Vec<f64>,
    /// A tick by hand: values, and room for as many.
    pub tick: fn(values: &mut Vec<f64>, room: &mut Vec<f64>),
}

/// All of them.
pub const ALL: [Crowd; 2] = [
    Crowd {
        name: "heat chain",
        table: |n| {
            format!(
                r#"(format: 1, name: "rod", clock: (step: 0.25, stop: 1000), constants: {{"N": {n}, "k": 0.8}},
    counters: {{"j": "1 .. N"}}, reals: {{"u[0 .. N + 1]": 0, "u[j]": "mod(j * 0.6180339887498949, 1)"}},
    relations: ["[1] u[j] = integral(k * (u[j - 1] - 2 * u[j] + u[j + 1]))"])"#
            )
        },
        shown: "u[1]",
        start: |n| {
            let inner = (1..=n).map(|j| part(j, 0.618_033_988_749_894_9));
            std::iter::once(0.0).chain(inner).chain([0.0]).collect()
        },
        tick: tick_of_rod,
    },
    Crowd {
        name: "neurons, 1 % firing",
        table: |n| {
            format!(
                r#"(format: 1, name: "crowd", clock: (step: 0.018, stop: 1000), constants: {{"N": {n}}},
    counters: {{"i": "1 .. N"}}, reals: {{"V[i]": "mod(i * 0.6180339887498949, 1)"}}, ranges: ["full[i]: V[i] >= 1"],
    situations: ["event fire[i]: full[i]"],
    relations: ["[1] V[i] = integral(1.2 - V[i])", "[2] V[i] := 0 when fire[i]"])"#
            )
        },
        shown: "V[1]",
        start: |n| (1..=n).map(|i| part(i, 0.618_033_988_749_894_9)).collect(),
        tick: tick_of_crowd,
    },
];

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
fn tick_of_rod(values: &mut Vec<f64>, room: &mut Vec<f64>) {
    let neighbours = values.iter().zip(&values[1..]).zip(&values[2..]);
    for (new, ((left, own), right)) in room[1..].iter_mut().zip(neighbours) {
        *new = own + 0.8 * (left - 2.0 * own + right) * 0.25;
    }
    std::mem::swap(values, room);
}

#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
fn tick_of_crowd(values: &mut Vec<f64>, _: &mut Vec<f64>) {
    for value in values {
        let next = *value + (1.2 - *value) * 0.018;
        *value = if *value >= 1.0 { 0.0 } else { next };
    }
}

/// Parts of a whole that are spread evenly.
fn part(number: usize, ratio: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "elements are few")]
    let product = number as f64 * ratio;
    product % 1.0
}
