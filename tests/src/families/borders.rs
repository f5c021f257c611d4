//! Elements that rest, stick and saturate on borders of their own: many at once are what each is alone.

use situ_engine::sim::{EventConfig, EventRun, EventStats};

use crate::tables::Table;

/// A family, `{n}` standing for its elements.
struct Crowd {
    text: &'static str,
    /// What is compared.
    reals: &'static [&'static str],
    /// Largest difference.
    within: f64,
}

/// Balls that come to rest on the floor one after another.
const BALLS: Crowd = Crowd {
    text: "(
        format: 1, clock: (stop: 3, stepping: events, rtol: 1e-9, atol: 1e-9),
        counters: {\"j\": \"{n}\"},
        reals: {\"h[j]\": \"0.5 + mod(j * 0.618, 1)\", \"v[j]\": 0, \"n[j]\": 0},
        ranges: [\"low[j]: h[j] <= 0 & v[j] < 0\"],
        situations: [\"event hit[j]: low[j]\"],
        relations: [
            \"v[j] = integral(-9.81)\",
            \"v[j] := -0.4 * v[j] when hit[j]\",
            \"h[j] = integral(v[j])\",
            \"n[j] := n[j] + 1 when hit[j]\",
        ],
    )",
    reals: &["h", "v"],
    within: 1e-8,
};

/// Tanks that are filled and emptied, full and empty from time to time.
const TANKS: Crowd = Crowd {
    text: "(
        format: 1, clock: (stop: 6, stepping: events, rtol: 1e-9, atol: 1e-9),
        counters: {\"j\": \"{n}\"},
        reals: {\"y[j]\": 0.5},
        relations: [\"y[j] = integral(sin(2 * time + j))\", \"y[j] = clamp(y[j], 0, 1)\"],
    )",
    reals: &["y"],
    within: 1e-7,
};

/// Blocks that are pushed to and fro, and stick where the push is less than the friction.
const BLOCKS: Crowd = Crowd {
    text: "(
        format: 1, clock: (stop: 3, stepping: events, rtol: 1e-9, atol: 1e-9),
        counters: {\"j\": \"{n}\"},
        reals: {\"v[j]\": 0, \"d[j]\": 0},
        relations: [
            \"v[j] = integral(1.5 * sin(time + j) - sign(v[j]))\",
            \"d[j] = integral(abs(v[j]))\",
        ],
    )",
    reals: &["v", "d"],
    within: 1e-6,
};

/// States that are drawn to their borders and slide along them, with rows that count there by their shares.
const RELAYS: Crowd = Crowd {
    text: "(
        format: 1, clock: (stop: 3, stepping: events, rtol: 1e-9, atol: 1e-9),
        counters: {\"j\": \"{n}\"},
        reals: {\"x[j]\": \"0.3 + 0.04 * j\", \"w[j]\": 0},
        ranges: [\"up[j]: x[j] > 0\"],
        relations: [
            \"x[j] = integral(-2 - 0.5 * sin(time)) when up[j]\",
            \"x[j] = integral(1 + 0.03 * j) when !up[j]\",
            \"w[j] = integral(j) when up[j]\",
        ],
    )",
    reals: &["x", "w"],
    within: 1e-6,
};

impl Crowd {
    /// A run of some of the elements to its end, and what it has come to, element by element.
    fn ended(&self, elements: std::ops::RangeInclusive<u32>) -> (Vec<f64>, EventStats) {
        let span = format!("{} .. {}", elements.start(), elements.end());
        let table = Table::from_text(&self.text.replace("{n}", &span));
        let config = EventConfig::from_clock(&table.model.clock).unwrap();
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        run.run(&mut ()).unwrap();
        let names =
            elements.flat_map(|j| self.reals.iter().map(move |real| format!("{real}[{j}]")));
        let ends = names.map(|name| run.real(table.real(&name))).collect();
        (ends, run.stats())
    }

    /// Each of many elements comes to what it comes to alone.
    fn is_each_alone(&self, n: u32) -> EventStats {
        let (together, stats) = self.ended(1..=n);
        let alone: Vec<f64> = (1..=n).flat_map(|j| self.ended(j..=j).0).collect();
        for (at, (one, other)) in together.iter().zip(&alone).enumerate() {
            let (element, real) = (1 + at / self.reals.len(), self.reals[at % self.reals.len()]);
            assert!(
                (one - other).abs() <= self.within,
                "{real}[{element}] is {one} among {n}, {other} alone"
            );
        }
        stats
    }
}

#[test]
fn balls_rest_each_on_its_own() {
    BALLS.is_each_alone(20);
}

#[test]
fn tanks_are_full_each_on_its_own() {
    TANKS.is_each_alone(12);
}

#[test]
fn twenty_blocks_stick_at_once() {
    BLOCKS.is_each_alone(20);
}

#[test]
fn twenty_states_slide_at_once() {
    RELAYS.is_each_alone(20);
}

/// What is asked at an instant is asked of the element to which it belongs: the modes that are made for it do not multiply
/// with the others.
#[test]
fn modes_grow_with_instants_and_not_with_elements() {
    let (_, few) = TANKS.ended(1..=8);
    let (_, many) = TANKS.ended(1..=32);
    assert!(many.instants > 3 * few.instants);
    let modes = |stats: &EventStats| u64::try_from(stats.modes).unwrap();
    let [a, b] = [modes(&few) * many.instants, modes(&many) * few.instants];
    assert!(
        b < 2 * a,
        "{} modes in {} instants",
        many.modes,
        many.instants
    );
}

/// Blocks in a chain of springs: their pushes depend on each other, their frictions do not.
#[test]
fn a_chain_of_blocks_sticks_as_a_whole() {
    let text = "(
        format: 1, clock: (stop: 3, stepping: events, rtol: 1e-9, atol: 1e-9),
        constants: {\"N\": 12},
        counters: {\"j\": \"1 .. N\"},
        reals: {\"x[0 .. N+1]\": 0, \"v[j]\": 0},
        relations: [
            \"x[0] = 0.5 * sin(time)\",
            \"x[N+1] = x[N]\",
            \"v[j] = integral(20 * (x[j-1] - 2 * x[j] + x[j+1]) - 0.3 * sign(v[j]))\",
            \"x[j] = integral(v[j])\",
        ],
    )";
    let table = Table::from_text(text);
    let config = EventConfig::from_clock(&table.model.clock).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut ()).unwrap();
    // Steps of 2e-5 s with friction at rest as a case of its own.
    let (x, v) = chain(12, 3.0, 2e-5);
    for j in 1..=12 {
        let found = [format!("x[{j}]"), format!("v[{j}]")].map(|name| run.real(table.real(&name)));
        let [dx, dv] = [found[0] - x[j], found[1] - v[j - 1]];
        assert!(
            dx.abs() < 1e-4 && dv.abs() < 2e-3,
            "x[{j}] is off by {dx}, v by {dv}"
        );
    }
}

/// The chain in small steps: a block sticks while what pushes it is less than its friction.
fn chain(n: usize, stop: f64, step: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut v, mut t) = (vec![0.0_f64; n + 2], vec![0.0_f64; n], 0.0_f64);
    while t < stop {
        x[0] = 0.5 * (t + 0.5 * step).sin();
        x[n + 1] = x[n];
        let force: Vec<f64> = (1..=n)
            .map(|j| 20.0 * (x[j - 1] - 2.0 * x[j] + x[j + 1]))
            .collect();
        for (j, force) in force.into_iter().enumerate() {
            let before = v[j];
            let after = match before {
                0.0 if force.abs() <= 0.3 => 0.0,
                0.0 => step * (force - 0.3 * force.signum()),
                _ => before + step * (force - 0.3 * before.signum()),
            };
            v[j] = if before * after < 0.0 { 0.0 } else { after };
            x[j + 1] += 0.5 * step * (before + v[j]);
        }
        t += step;
    }
    (x, v)
}
