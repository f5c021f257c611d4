//! Rows that stand for others, and procedures, against exact solutions.

mod activity;
mod lookups;
mod machines;
mod procedures;
mod schemes;

use std::time::Instant;

/// Seeds that `cargo soak` does.
const SOAKED: u64 = 10_000;

/// Checks seeds one after the other and tells how far it is, also of seeds that take long. The input under way is written to
/// the file `SITU_SOAK_LAST`: one that does not end is found so.
#[expect(clippy::print_stdout, reason = "a soak says how far it is")]
fn soak_seeds(input: impl Fn(u64) -> String, check: impl Fn(u64)) {
    let last = std::env::var_os("SITU_SOAK_LAST");
    let begun = Instant::now();
    for seed in 0..SOAKED {
        if let Some(last) = &last {
            std::fs::write(last, input(seed)).unwrap();
        }
        let before = begun.elapsed();
        check(seed);
        let after = begun.elapsed();
        if seed % 500 == 499 || (after - before).as_secs() >= 10 {
            println!("seed {seed} done after {after:.0?}");
        }
    }
}
