//! Rows that the interpreter executes together, against native code, which executes them one by one.

use situ_engine::sim::{TickConfig, TickRun};
use situ_jit::{Jit, Options};

use super::{Numbers, pair};
use crate::tables::Table;

/// A run of a table in ticks.
fn run_of(text: &str) -> TickRun {
    let model = Table::from_text(text).model;
    let config = TickConfig::from_clock(&model.clock).unwrap();
    TickRun::new(model, config).unwrap()
}

/// Bits of the reals, and the booleans.
type Row = (Vec<u64>, Vec<bool>);

/// Rows after some ticks.
fn rows(run: &mut TickRun) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for ticks in [1, 2, 1, 16, 40] {
        run.advance(ticks).map_err(|fault| fault.to_string())?;
        let reals = run.row().reals.iter().map(|value| value.to_bits());
        let model = run.model();
        let names = (model.switches.iter().map(|one| &one.name))
            .chain(model.ranges.iter().map(|one| &one.name))
            .chain(model.situations.iter().map(|one| &one.name));
        let booleans = names.map(|name| run.boolean(model.boolean(name).unwrap()));
        rows.push((reals.collect(), booleans.collect()));
    }
    Ok(rows)
}

fn compare(text: &str) {
    let mut interpreted = run_of(text);
    let mut native = interpreted.clone();
    native
        .compile_with(&Jit::at_once(Options::default()))
        .expect("the machine is supported");
    let [one, other] = [&mut interpreted, &mut native].map(rows);
    assert!(one == other, "{text}\n{:?}\n{:?}", one.err(), other.err());
}

/// A table is rolled only if it has many quantities.
fn compare_random(seeds: std::ops::Range<u64>, largest: u64) {
    for seed in seeds {
        let mut numbers = Numbers(seed);
        let n = i64::try_from(numbers.below(largest + 1)).unwrap();
        let [family, _] = pair(&mut numbers, n);
        compare(&family.replace("\"m\": 0.2", "\"m\": 0.2, \"more[0 .. 300]\": 0"));
    }
}

#[test]
fn rows_together_do_what_they_do_one_by_one() {
    compare_random(0..60, 70);
    compare_random(100..102, 1200);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_rows_together_do_what_they_do_one_by_one() {
    compare_random(0..20_000, 70);
}

#[test]
fn a_network_is_stepped_together() {
    compare(
        r#"(format: 1, clock: (step: 0.1, stop: 9), constants: {"N": 600, "left[j]": "1 + mod(j * 7, N)",
            "low": 0.9, "high": 1.1}, counters: {"j": "1 .. N"},
            reals: {"x[j]": "low + (high - low) * mod(j * 0.618, 1)", "y[j]": 0, "total": 0},
            switches: {"on[j]": true}, ranges: ["hot[j]: x[j] >= high", "cold[j]: x[j] <= low"],
            assignments: ["when hot[j]: !on[j]", "when cold[j]: on[j]"],
            relations: ["[1] y[j] = x[left[j]] - x[j]", "[2] x[j] = integral(0.3 * y[j] - 0.2 * x[j])",
                "[3] x[j] = integral(1) when on[j]", "[4] total = sum(x[j] for j)",
                "[5] y[j] = -y[j] when hot[j]"])"#,
    );
}
