//! Pulses of the rates that are shorter than the steps around them.

use situ_engine::Method;

use super::{ADAPTIVE, clock, last, written};
use crate::tables::Table;

/// Methods of the other kinds, and those that choose their steps.
fn methods() -> impl Iterator<Item = Method> {
    let others = [Method::Bdf, Method::Radau, Method::Merson, Method::Rock];
    ADAPTIVE.into_iter().chain(others)
}

#[track_caller]
fn ends_at(table: &Table, stop: f64, name: &str, known: f64) {
    for method in methods() {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let found = last(table, &clock(stop, method, rtol), name);
            let off = (found - known).abs();
            assert!(
                off <= 300.0 * rtol * known.max(0.01),
                "{method:?} {rtol} {name}: {found}, not {known}"
            );
        }
    }
}

/// A peak rectifier: the diode conducts for a short time at each crest of the voltage. 9.30905488 at the end is the solution of
/// SciPy's `Radau` and `BDF` at 1e-10 with steps of 20 us at most.
#[test]
fn a_diode_conducts_at_the_crests() {
    for voltage in [
        "10 * sin(2 * pi * 50 * time)",
        "10 * cosd(18000 * time - 90)",
        "10 * sin(phi)",
        "10 * sine_wave(50)",
    ] {
        let relations = format!(
            r#""u = {voltage}", "i = 1e-12 * (exp(min((u - v) / 0.0259, 60)) - 1)", "v = integral((i - v / 1000) / 1e-3)",
            "phi = integral(2 * pi * 50)""#
        );
        let reals = r#""u": 0, "i": 0, "v": 0, "phi": 0"#;
        ends_at(&written(reals, "", &relations), 0.11, "v", 9.309_054_884);
    }
}

/// Areas of pulses: of Gauss's curve and of a peak.
#[test]
fn short_pulses_are_not_passed() {
    for (rate, area) in [
        (
            "exp(-((time - 5.3) / 0.01)^2)",
            0.01 * std::f64::consts::PI.sqrt(),
        ),
        (
            "100 * exp(-((time - 7.123) / 0.0001)^2)",
            0.01 * std::f64::consts::PI.sqrt(),
        ),
        ("exp(-abs(time - 8) / 0.001)", 0.002),
    ] {
        let relations = format!("\"y = integral({rate})\", \"z = integral(1 - z)\"");
        let table = written("\"y\": 0, \"z\": 0", "", &relations);
        ends_at(&table, 10.0, "y", area);
    }
}
