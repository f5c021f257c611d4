//! Delays that are added or changed in mid-run read the past that the session knows.

use super::past::{said, session};

/// The number behind the last `=` of what a line shows.
fn number(console: &mut crate::Console, name: &str) -> f64 {
    let text = said(console, &[name]);
    let words: Vec<&str> = text.split_whitespace().collect();
    words[2].parse().unwrap()
}

/// A table whose `x` has the value of the time, with more rows and settings.
fn clock(settings: &str, rows: &str) -> String {
    format!(
        r#"(format: 1, clock: (stop: 20, {settings}), constants: {{"tau": 2}}, reals: {{"x": 0, "m": 0, "n": 0}},
        relations: [{rows}])"#
    )
}

const TICKS: &str = "step: 0.125";

const EVENTS: &str = "stepping: events, rtol: 1e-9, atol: 1e-9";

#[test]
fn a_delay_that_is_added_knows_what_was_before() {
    for settings in [TICKS, EVENTS] {
        for (argument, after) in [
            ("x, 2", [4.5, 7.0]),
            ("sin(x), 2", [4.5_f64.sin(), 7.0_f64.sin()]),
            ("-0.5 * x, tau", [-2.25, -3.5]),
            ("x, 2 + 0.5 * x", [1.25, 2.5]),
        ] {
            let (_, mut console) = session(&clock(settings, r#""x = integral(1)""#));
            said(
                &mut console,
                &["run to 6", &format!("add m = delay({argument})")],
            );
            for (until, wanted) in ["run to 6.5", "run to 9"].into_iter().zip(after) {
                said(&mut console, &[until]);
                let found = number(&mut console, "m");
                assert!(
                    (found - wanted).abs() < 1e-5 * wanted.abs(),
                    "{settings} {argument}: {found} for {wanted}"
                );
            }
        }
    }
}

#[test]
fn a_delay_that_grows_knows_what_was_before() {
    for settings in [TICKS, EVENTS, "step: 0.125, locate: linear"] {
        let rows = r#""x = integral(1)", "m = delay(x, tau)""#;
        let (_, mut console) = session(&clock(settings, rows));
        said(&mut console, &["run to 8", "set tau = 5", "run to 9"]);
        let found = number(&mut console, "m");
        assert!((found - 4.0).abs() < 1e-9, "{settings}: {found} for 4");
        said(&mut console, &["run to 16", "set tau = 0.5", "run to 18"]);
        let found = number(&mut console, "m");
        assert!((found - 17.5).abs() < 1e-9, "{settings}: {found} for 17.5");
    }
}

#[test]
fn a_delay_that_grows_by_one_tick_reads_one_tick_further_back() {
    let rows = r#""n = delay(x, tau)", "x = integral(1)", "m = delay(x, tau)""#;
    let (_, mut console) = session(&clock(TICKS, rows));
    said(&mut console, &["run to 8", "set tau = 2.125", "step"]);
    let found = ["m", "n"].map(|name| number(&mut console, name));
    assert_eq!(found, [6.0, 5.875]);
}

#[test]
fn other_ticks_and_another_stepping_do_not_shift_a_past() {
    // `n` stands above what it reads: a tick later in ticks of whatever length, and at no time later in events.
    let rows = r#""n = delay(x, tau)", "x = integral(1)", "m = delay(x, tau)""#;
    for (settings, change, ticks) in [
        (TICKS, "set dt = 0.0625", [0.125, 0.0625]),
        (TICKS, "set dt = 0.25", [0.125, 0.25]),
        (TICKS, "set stepping = events", [0.125, 0.0]),
        (EVENTS, "set stepping = tick", [0.0, 0.125]),
    ] {
        let settings = format!(
            "{settings}, {}",
            if settings == EVENTS {
                "step: 0.125"
            } else {
                "rtol: 1e-9"
            }
        );
        let (_, mut console) = session(&clock(&settings, rows));
        said(&mut console, &["run to 8"]);
        for (until, now, tick) in [
            ("run to 8", 8.0, ticks[0]),
            ("run to 8.5", 8.5, ticks[1]),
            ("run to 9", 9.0, ticks[1]),
            ("run to 12", 12.0, ticks[1]),
        ] {
            said(&mut console, &[until]);
            let found = [number(&mut console, "m"), number(&mut console, "n")];
            let wanted = [now - 2.0, now - 2.0 - tick];
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-9,
                    "{change}, {until}: {found} for {wanted}"
                );
            }
            if now == 8.0 {
                said(&mut console, &[change]);
            }
        }
    }
}

/// `x` has the value of the time: a delay reads it a tick later where the row stands above what it reads, and in a
/// simultaneous scan.
#[test]
fn the_first_ticks_behind_a_change_read_what_was_before_it() {
    let above = r#""[c] m = delay(x, tau)", "[v] n = delay(x, 2 + 0 * x)", "[r] x = integral(1)""#;
    let below = r#""[r] x = integral(1)", "[c] m = delay(x, tau)", "[v] n = delay(x, 2 + 0 * x)""#;
    for (rows, change, lags, tick) in [
        (below, "set dt = 0.125", [0.0, 0.0], 0.125),
        (below, "set dt = 1", [0.0, 0.0], 1.0),
        (above, "set dt = 0.125", [0.5, 0.125], 0.125),
        (above, "set dt = 1", [0.5, 1.0], 1.0),
        (below, "set scan = simultaneous", [0.0, 0.5], 0.5),
        (above, "set scan = simultaneous", [0.5, 0.5], 0.5),
        (below, "move r after v", [0.0, 0.5], 0.5),
        (above, "move r before c", [0.5, 0.0], 0.5),
    ] {
        let (_, mut console) = session(&clock("step: 0.5", rows));
        let check = |console: &mut crate::Console, now: f64, lag: f64| {
            let found = ["m", "n"].map(|name| number(console, name));
            assert_eq!(found, [now - 2.0 - lag; 2], "{change} at {now}\n{rows}");
        };
        said(&mut console, &["run to 8"]);
        check(&mut console, 8.0, lags[0]);
        said(&mut console, &[change]);
        for n in 1..=20 {
            said(&mut console, &["step"]);
            check(&mut console, 8.0 + f64::from(n) * tick, lags[1]);
        }
    }
}

#[test]
fn a_past_has_its_jumps_and_begins_where_its_reals_do() {
    let rows = r#""x = integral(1)", "x := 10 when late""#;
    let table = clock(EVENTS, rows).replace(
        "relations",
        r#"ranges: ["beyond: time >= 3"], situations: ["event late: beyond"], relations"#,
    );
    let (_, mut console) = session(&table);
    said(&mut console, &["run to 4", "add m = delay(x, tau)"]);
    for (until, wanted) in [("run to 4.75", 2.75), ("run to 5.25", 10.25)] {
        said(&mut console, &[until]);
        let found = number(&mut console, "m");
        assert!((found - wanted).abs() < 1e-9, "{until}: {found}");
    }
    // What is new has been as it is now.
    said(&mut console, &["real y = 7", "add n = delay(y, tau)"]);
    said(&mut console, &["add y = integral(1)", "run to 6"]);
    assert_eq!(number(&mut console, "n"), 7.0);
}

/// What ticks of a length make of a table is told at the prompt as it is by `situ run`: where the table is loaded, and where
/// the length is set.
#[test]
fn rounded_delays_and_dense_schedules_are_told() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 3), reals: {"x": 0, "d": 0, "n": 0},
        relations: ["x = integral(1)", "d = delay(x, 0.25)", "n := n + 1 when every(0.05)"])"#;
    let (_, mut console) = session(table);
    let told = |text: &str| ["R003", "R024"].map(|code| text.contains(code));
    assert_eq!(told(&said(&mut console, &["check"])), [true; 2]);
    assert_eq!(told(&said(&mut console, &["load table.ron"])), [true; 2]);
    let set =
        |console: &mut crate::Console, step: &str| said(console, &[&format!("set dt = {step}")]);
    assert_eq!(told(&set(&mut console, "0.05")), [false; 2]);
    assert_eq!(told(&set(&mut console, "0.04")), [true, false]);
    said(&mut console, &["set stepping = events"]);
    assert_eq!(told(&said(&mut console, &["check"])), [false; 2]);
}
