//! Values that only reach a border, or cross it, where a jump or a kink comes out of a delay: how long they are beyond it is
//! known, as the delayed value is the value of before.

use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Measure, TraceRecorder};

use crate::tables::Table;

/// Methods that choose their steps, explicit and implicit.
const METHODS: [Method; 6] = [
    Method::Auto,
    Method::Tsit5,
    Method::Dop853,
    Method::Taylor,
    Method::Radau,
    Method::Bdf,
];

/// The knots of a curve, straight between them.
const KNOTS: [(f64, f64); 6] = [
    (0.0, 0.5),
    (0.3, 1.0),
    (1.0, 0.0),
    (2.0, 0.25),
    (3.0, 0.5),
    (4.0, 0.5),
];

/// How long a curve that is straight between knots is above a level up to a time.
fn time_above(level: f64, until: f64) -> f64 {
    let pieces = KNOTS.windows(2);
    let times = pieces.map(|piece| {
        let [(from, low), (to, high)] = [piece[0], piece[1]];
        let end = to.min(until);
        if end <= from {
            return 0.0;
        }
        if low == high {
            return if low > level { end - from } else { 0.0 };
        }
        let crossing = from + (level - low) / (high - low) * (to - from);
        let crossing = crossing.clamp(from, end);
        match high > low {
            true => end - crossing,
            false => crossing - from,
        }
    });
    times.sum()
}

/// The last values of some reals.
#[track_caller]
fn last<const N: usize>(table: &Table, stop: f64, method: Method, reals: [&str; N]) -> [f64; N] {
    let clock = Clock {
        stop: Some(stop),
        method: Some(method),
        rtol: Some(1e-9),
        ..Clock::default()
    };
    let config = EventConfig::from_clock(&clock).unwrap();
    let mut recorder = TraceRecorder::new(&table.model);
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    let ended = run.run(&mut recorder);
    assert!(ended.is_ok(), "{method:?}: {ended:?}");
    reals.map(|name| {
        let column = &recorder.trace.reals[table.real(name).index()];
        column[column.len() - 1]
    })
}

/// Levels that knots of the curve touch, and that it crosses, by delays of many lengths: steps as long as the delay do not end
/// quite on the knots.
#[test]
fn kinks_that_come_out_of_a_delay() {
    for tau in [0.1, 0.2, 0.3, 0.35, 0.7, 1.0, 1.3] {
        for level in [0.0, 0.125, 0.25, 0.5, 0.75, 1.0] {
            let table = Table::from_text(&format!(
                r#"(format: 1, name: "touches",
                    lookups: {{"profile": (x: [0, 0.3, 1, 2, 3, 4], y: [0.5, 1, 0, 0.25, 0.5, 0.5])}},
                    reals: {{"u": 0.5, "y": 0.5, "w": 0}}, ranges: ["p: y > {level}"],
                    relations: ["u = profile(time)", "y = delay(u, {tau})", "w = integral(1) when p"])"#
            ));
            let before = if 0.5 > level { tau } else { 0.0 };
            let known = before + time_above(level, 4.0 - tau);
            for method in METHODS {
                let [w] = last(&table, 4.0, method, ["w"]);
                let off = (w - known).abs();
                assert!(off < 1e-6, "{method:?} {tau} {level}: off by {off}");
            }
        }
    }
}

/// A sawtooth is led back by a jump from the border that it reaches: what comes out of a delay reaches it as often, as in
/// ticks, and is never beyond it for any time.
#[test]
fn jumps_that_come_out_of_a_delay() {
    for tau in [0.05, 0.1, 0.2, 0.25, 0.7, 0.9, 1.3] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "sawtooth", reals: {{"x": 0, "late": 0, "w": 0, "n": 0}},
                ranges: ["late_full: late >= 1"], situations: ["event full: x >= 1"],
                relations: ["x = integral(1)", "x := 0 when full", "late = delay(x, {tau})",
                    "w = integral(1) when late_full", "n = counter(late_full)"])"#
        ));
        for method in METHODS {
            let [w, n] = last(&table, 6.5, method, ["w", "n"]);
            let known = f64::floor(6.5 - tau);
            assert!(w.abs() < 1e-9, "{method:?} {tau}: {w}");
            assert_eq!(n, known, "{method:?} {tau}");
        }
    }
}

/// A delay that changes its length at events leads to a border that only a measure looks at, where a step is tried again for what
/// it reads: from there it leaves the border.
#[test]
fn a_measure_of_what_rises_from_its_border() {
    let mut table = Table::from_text(
        r#"(format: 1, name: "measured", reals: {"x": 0, "y": 0, "length": 1, "n": 0},
            situations: ["event e: every(1)", "event g: x > 0.5"],
            relations: ["x = integral(1)", "x := 0 when e", "y = delay(x, length)",
                "length := length + 0.25 when e", "n := n + 1 when g"])"#,
    );
    let above = Measure::Duration(table.watch("y > 0.5"));
    // Radau locates x > 0.5 some rounding errors before the mark that the delay reaches together with it.
    let methods = METHODS.into_iter();
    for method in methods.filter(|method| *method != Method::Radau) {
        let clock = Clock {
            stop: Some(3.0),
            method: Some(method),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let measures = std::slice::from_ref(&above);
        let mut run = EventRun::with_measures(table.model.clone(), config, measures).unwrap();
        run.run_to(3.0, &mut ()).unwrap();
        let held = run.measured()[0].unwrap();
        assert!((held - 0.75).abs() < 1e-9, "{method:?}: {held}");
    }
}

/// A delayed value that has a border for its lowest value, where it begins to rise without a slope.
#[test]
fn slopes_of_zero_that_come_out_of_a_delay() {
    for (relation, level) in [
        ("2*u*u - u", -0.125),
        ("u*u - u/2", -0.0625),
        ("3*u*u - 1.5*u", -0.1875),
    ] {
        for tau in [0.1, 0.2, 0.45, 0.7] {
            let table = Table::from_text(&format!(
                r#"(format: 1, name: "slopes",
                    lookups: {{"profile": (x: [0, 0.3, 1, 2], y: [0.25, 0.25, 0.5, 0.5], outside: "hold")}},
                    reals: {{"u": 0.25, "y": 0, "w": 0}}, ranges: ["p: y > {level}"],
                    relations: ["u = profile(time)", "y = delay({relation}, {tau})", "w = integral(1) when p"])"#
            ));
            for method in METHODS {
                let [w] = last(&table, 3.0, method, ["w"]);
                assert!(
                    (w - (2.7 - tau)).abs() < 1e-6,
                    "{method:?} {relation} {tau}: {w}"
                );
            }
        }
    }
}
