//! Which conditional rows act as data, against a mode for each combination.

use situ_engine::Method;
use situ_engine::model::{Clock, Model, Stepping};
use situ_engine::sim::{EventConfig, EventRun, Finding, RunFault, SetupError};
use situ_rules::diag::findings;

use super::{Numbers, pair, table};
use crate::fuzz::random_hybrids;
use crate::tables::Table;

/// A run to its end. `gated`: whether which rows act is data.
fn ended(model: &Model, clock: &Clock, gated: bool) -> Result<EventRun, RunFault> {
    let mut config = EventConfig::from_clock(&model.clock.overridden_by(clock)).unwrap();
    config.gates_from = if gated { 1 } else { usize::MAX };
    let mut run = match EventRun::new(model.clone(), config) {
        Ok(run) => run,
        Err(SetupError::Fault(fault)) => return Err(*fault),
        Err(error) => panic!("{error:?}"),
    };
    run.run(&mut ())?;
    Ok(run)
}

fn clock(method: Method, rtol: f64) -> Clock {
    Clock {
        stepping: Some(Stepping::Events),
        step: None,
        max_events: Some(20_000.0),
        ..super::by(method, rtol, 1e-3 * rtol)
    }
}

/// The largest distance of two states, beyond 1 relative.
fn distance(a: &EventRun, b: &EventRun) -> f64 {
    let pairs = a.row().reals.iter().zip(b.row().reals);
    let apart = pairs.map(|(a, b)| (a - b).abs() / a.abs().max(1.0));
    apart.fold(0.0, f64::max)
}

/// Counts of what the comparisons have met.
#[derive(Default)]
struct Met {
    ended: usize,
    refused: usize,
    slid: usize,
    fewer_modes: usize,
    undecided: usize,
}

/// True if a run slides on the border of a range that contradicts itself: of several such borders together there is no
/// limit (FORMALISM 10.4), and rounding decides.
fn slides_by_itself(run: &EventRun) -> bool {
    let mut findings = run.findings().iter();
    findings.any(|finding| {
        matches!(
            finding,
            Finding::Sliding {
                by_itself: true,
                ..
            }
        )
    })
}

/// True if a run does not get on: which of these is found first hangs on rounding.
fn is_endless(fault: &RunFault) -> bool {
    matches!(
        fault,
        RunFault::Chattering { .. }
            | RunFault::RuleCycle { .. }
            | RunFault::Endless { .. }
            | RunFault::Zeno { .. }
    )
}

/// Runs a model both ways, which must end alike.
fn compare(text: &str, method: Method, met: &mut Met) {
    let model = Table::from_text(text).model;
    let both = |rtol: f64| {
        let clock = clock(method, rtol);
        [true, false].map(|gated| ended(&model, &clock, gated))
    };
    let [mut gated, mut plain] = both(1e-8);
    // What a motion makes of a small error may be large; smaller tolerances tell.
    let near = |gated: &Result<EventRun, _>, plain: &Result<EventRun, _>| match (gated, plain) {
        (Ok(gated), Ok(plain)) => distance(gated, plain) < 1e-5,
        (Err(_), Err(_)) => true,
        _ => false,
    };
    if !near(&gated, &plain) {
        [gated, plain] = both(1e-11);
    }
    match (gated, plain) {
        (Ok(gated), Ok(plain)) => {
            let apart = distance(&gated, &plain);
            if apart >= 1e-5 && slides_by_itself(&gated) && slides_by_itself(&plain) {
                met.undecided += 1;
                return;
            }
            assert!(
                apart < 1e-5,
                "{apart} apart by {method:?}:\n{:?}\n{:?}\n{text}",
                gated.row().reals,
                plain.row().reals
            );
            let [some, all] = [&gated, &plain].map(|run| run.stats().modes);
            met.fewer_modes += usize::from(some < all);
            met.slid += usize::from(gated.slides());
            met.ended += 1;
        }
        (Err(gated), Err(plain)) => {
            let same = std::mem::discriminant(&gated) == std::mem::discriminant(&plain);
            let endless = is_endless(&gated) && is_endless(&plain);
            assert!(same || endless, "{gated} and {plain}: {text}");
            met.refused += 1;
        }
        // Where instants gather by ever smaller amounts, rounding decides whether they come to an end.
        (Ok(_), Err(fault)) | (Err(fault), Ok(_)) if is_endless(&fault) => met.undecided += 1,
        (gated, plain) => panic!("{:?} and {:?}: {text}", gated.err(), plain.err()),
    }
}

fn compare_random(hybrids: usize, families: u64, seed: u64) {
    let mut met = Met::default();
    for (number, text) in random_hybrids(hybrids, seed).iter().enumerate() {
        let methods = [
            Method::Auto,
            Method::Dop853,
            Method::Rodas5p,
            Method::Taylor,
        ];
        compare(text, methods[number % methods.len()], &mut met);
    }
    for seed in 0..families {
        let mut numbers = Numbers(seed);
        let n = i64::try_from(numbers.below(12)).unwrap();
        let [family, _] = pair(&mut numbers, n);
        compare(&family, Method::Tsit5, &mut met);
    }
    assert!(met.ended > hybrids / 2, "{} end", met.ended);
    assert!(met.fewer_modes > hybrids / 8, "{} gain", met.fewer_modes);
    assert!(met.slid > 0 && met.refused > 0);
    assert!(met.undecided <= hybrids / 500, "{} differ", met.undecided);
}

#[test]
fn rows_with_gates_do_what_modes_do() {
    compare_random(300, 60, 25);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_rows_with_gates_do_what_modes_do() {
    compare_random(20_000, 2_000, 2_500);
}

/// Values that are not defined where their row does not act, rates that are no matrix, values that are kept.
#[test]
fn what_a_gate_shuts_out_need_not_be_defined() {
    let text = "(
        format: 1, clock: (stop: 3, stepping: events),
        counters: {\"i\": \"1 .. 8\"},
        reals: {\"x[i]\": \"0.1 * i - 0.35\", \"y[i]\": 0, \"z[i]\": 2, \"s\": 0},
        ranges: [\"up[i]: x[i] > 0.02 * i\", \"far[i]: y[i] > 0.5\"],
        relations: [
            \"x[i] = integral(0.4 * cos(i + time))\",
            \"y[i] = ln(x[i]) + 1 / x[i] when up[i]\",
            \"y[i] = x[i] / 0 * 0 + ln(-1) when far[i] & !far[i]\",
            \"z[i] = integral(sin(ln(x[i])) - z[i]) when up[i]\",
            \"z[i] = integral(0.3) when !far[i]\",
            \"s = integral(sum(y[i] for i))\",
        ],
    )";
    let mut met = Met::default();
    for method in [Method::Auto, Method::Dop853, Method::Rodas5p, Method::Radau] {
        compare(text, method, &mut met);
    }
    assert_eq!([met.ended, met.fewer_modes], [4, 4]);
    // Compiled, too.
    let model = Table::from_text(text).model;
    for method in [Method::Tsit5, Method::Rodas5p] {
        let mut config =
            EventConfig::from_clock(&model.clock.overridden_by(&clock(method, 1e-6))).unwrap();
        config.gates_from = 1;
        assert!(crate::events::runs::native::agrees_to_the_end(&model, &config) > 0);
    }
}

/// Values of conditional rows that jump off the border on which they have stood, or onto it.
#[test]
fn values_leave_the_borders_on_which_they_stand() {
    let text = |ranges: &str, value: &str| {
        format!(
            r#"(format: 1, clock: (stepping: events, stop: 4), constants: {{"N": 3}}, counters: {{"j": "1 .. N"}},
                reals: {{"v[j]": 0, "y[j]": 0, "a[j]": 0, "b": 0}}, switches: {{"on[j]": false}},
                ranges: ["p[j]: time >= j", {ranges}], situations: ["some: number(on[j] for j) > 1"],
                assignments: ["when p[j]: on[j]"],
                relations: ["v[j] = {value} when p[j]", "v[j] = 0 otherwise", "y[j] = integral(1) when on[j]",
                    "a[j] = integral(1) when r[j]", "b = integral(1) when some"])"#
        )
    };
    let cases = [
        (r#""r[j]: v[j] > 0""#, "1", [3.0, 2.0, 1.0]),
        (r#""r[j]: v[j] >= 0""#, "-1", [1.0, 2.0, 3.0]),
        (r#""r[j]: v[j] > 0""#, "time - j", [3.0, 2.0, 1.0]),
        (r#""r[j]: v[j] + 5 > 5""#, "2", [3.0, 2.0, 1.0]),
        (r#""r[j]: number(on[k] for k) > j""#, "0", [2.0, 1.0, 0.0]),
    ];
    for (ranges, value, held) in cases {
        let text =
            text(ranges, value).replace(r#""j": "1 .. N""#, r#""j": "1 .. N", "k": "1 .. N""#);
        let table = Table::from_text(&text);
        for method in [Method::Auto, Method::Dop853, Method::Rodas5p, Method::Bdf] {
            for gated in [true, false] {
                let run = ended(&table.model, &clock(method, 1e-8), gated).unwrap();
                let found = |name: &str| run.real(table.real(name));
                for (j, exact) in held.iter().enumerate() {
                    let a = found(&format!("a[{}]", j + 1));
                    assert!(
                        (a - exact).abs() < 1e-7,
                        "{a} by {method:?}, {gated}: {text}"
                    );
                }
                assert!(
                    (found("b") - 2.0).abs() < 1e-7,
                    "{method:?}, {gated}: {text}"
                );
            }
        }
    }
}

/// Each element slides on a border of its own while others switch.
#[test]
fn single_elements_slide() {
    let text = "(
        format: 1, clock: (stop: 2, stepping: events),
        counters: {\"i\": \"1 .. 5\"},
        reals: {\"x[i]\": \"0.2 * i - 0.5\", \"v[i]\": 0, \"w[i]\": 0},
        ranges: [\"up[i]: x[i] > 0\"],
        relations: [
            \"v[i] = -1 - 0.1 * x[i] when up[i]\",
            \"v[i] = 1 + 0.1 * i when !up[i]\",
            \"x[i] = integral(v[i])\",
            \"w[i] = integral(i) when up[i]\",
        ],
    )";
    let mut met = Met::default();
    for method in [Method::Auto, Method::Dop853, Method::Rodas5p] {
        compare(text, method, &mut met);
    }
    assert_eq!([met.ended, met.slid], [3, 3]);
    let model = Table::from_text(text).model;
    let run = ended(&model, &clock(Method::Auto, 1e-9), true).unwrap();
    assert_eq!(run.stats().modes, 1);
    for i in 1..=5_u8 {
        // The rates around the border are -1 and 1 + 0.1 i; the upper one has the share that makes of them 0.
        let i = f64::from(i);
        let start = 0.2 * i - 0.5;
        let (from, counted) = match start > 0.0 {
            // x + 10 falls off as exp(-t / 10).
            true => (
                10.0 * ((start + 10.0) / 10.0).ln(),
                10.0 * ((start + 10.0) / 10.0).ln(),
            ),
            false => (-start / (1.0 + 0.1 * i), 0.0),
        };
        let share = (1.0 + 0.1 * i) / (2.0 + 0.1 * i);
        let exact = i * (counted + (2.0 - from) * share);
        let table = Table::from_text(text);
        let found = run.real(table.real(&format!("w[{i}]")));
        assert!(
            (found - exact).abs() < 1e-8,
            "w[{i}] is {found}, not {exact}"
        );
    }
}

/// A note on a slide along many borders names those that it has met last.
#[test]
fn notes_on_slides_of_many_are_short() {
    let table = Table::from_text(
        r#"(format: 1, clock: (stepping: events, stop: 3), counters: {"j": "1 .. 9"}, reals: {"v[j]": "0.2 * j"},
            relations: ["v[j] = integral(-sign(v[j]))"])"#,
    );
    let run = ended(&table.model, &table.model.clock, false).unwrap();
    let told = findings(run.findings(), &table.model, &table.origins);
    let last = &told.last().unwrap().message;
    assert!(
        last.contains("`1[8]`, `1[9]` and 3 more from time 1.8 on"),
        "{last}"
    );
    assert!(!last.contains("`1[3]`"), "{last}");
}

/// A rod with a thermostat in each cell has one mode, however many combinations of heaters it meets.
#[test]
fn a_crowd_has_one_mode() {
    let table = table("thermostat_row", &["N=40"], None);
    let clock = clock(Method::Auto, 1e-9);
    let run = ended(&table.model, &clock, true).unwrap();
    assert_eq!(run.stats().modes, 1);
    assert!(run.stats().instants > 100);
    let default = EventConfig::from_clock(&table.model.clock.overridden_by(&clock)).unwrap();
    let mut same = EventRun::new(table.model.clone(), default).unwrap();
    same.run(&mut ()).unwrap();
    assert_eq!(same.row().reals, run.row().reals, "so many rows have gates");
    let plain = ended(&table.model, &clock, false).unwrap();
    assert!(plain.stats().modes > 50);
    assert!(distance(&run, &plain) < 1e-8);
}

/// States that saturate, each by a row of its own that acts always or at times.
fn saturating(numbers: &mut Numbers) -> String {
    let mut rows = Vec::new();
    let pick = |numbers: &mut Numbers, some: &[&str]| {
        some[usize::try_from(numbers.below(some.len() as u64)).unwrap()].to_owned()
    };
    let conditions = [
        "",
        "",
        " when a[j]",
        " when b",
        " when !b",
        " when a[j] & b",
    ];
    let rates = [
        "2 - y[j]",
        "3.1 * s[j]",
        "s[j] - 0.4 * abs(y[j] - 0.3)",
        "1.5 - max(x, y[j])",
        "sign(s[j]) - 0.2",
        "-1",
        "2 * cos(3 * time) + 0.1 * j",
    ];
    for _ in 0..1 + numbers.below(2) {
        let rate = pick(numbers, &rates);
        rows.push(format!(
            "y[j] = integral({rate}){}",
            pick(numbers, &conditions)
        ));
    }
    let bounds = [
        "min(y[j], 0.8)",
        "max(y[j], 0)",
        "clamp(y[j], 0.1, x)",
        "clamp(y[j], 0, 0.7)",
        "min(y[j], x)",
        "max(y[j], 0.2 * x - 0.1)",
    ];
    for _ in 0..1 + numbers.below(2) {
        let bound = pick(numbers, &bounds);
        rows.push(format!("y[j] = {bound}{}", pick(numbers, &conditions)));
    }
    if numbers.below(2) == 0 {
        let to = pick(numbers, &["0.4", "y[j] - 0.3", "1.2", "0"]);
        rows.push(format!("y[j] := {to} when hit[j]"));
    }
    let start = pick(numbers, &["0.1 * j", "0.4", "0"]);
    let level = pick(numbers, &["0.8", "0.47", "x", "0.7"]);
    let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    format!(
        r#"(format: 1, clock: (stepping: events, stop: 3), counters: {{"j": "1 .. 3"}},
            reals: {{"x": 0.9, "s[j]": 0, "y[j]": "{start}", "n": 0}},
            ranges: ["a[j]: s[j] > 0", "b: sin(2 * time) > -0.3", "full[j]: y[j] >= {level}"],
            situations: ["event hit[j]: full[j]"],
            relations: ["x = integral(0.2 * sin(5 * time))", "s[j] = sin(4 * time + 1.3 * j)", {},
                "n := n + 1 when any(hit[j] for j)"])"#,
        rows.join(", ")
    )
}

fn compare_saturating(tables: u64) {
    let mut met = Met::default();
    for seed in 0..tables {
        let text = saturating(&mut Numbers(seed));
        let methods = [Method::Auto, Method::Dop853, Method::Rodas5p];
        compare(&text, methods[usize::try_from(seed % 3).unwrap()], &mut met);
    }
    let tables = usize::try_from(tables).unwrap();
    assert!(met.ended > tables / 2, "{} end", met.ended);
    assert!(met.fewer_modes > tables / 2, "{} gain", met.fewer_modes);
    assert!(met.undecided <= 1 + tables / 50, "{} differ", met.undecided);
}

#[test]
fn bounds_with_gates_do_what_modes_do() {
    compare_saturating(150);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_bounds_with_gates_do_what_modes_do() {
    compare_saturating(10_000);
}

/// States that saturate, and kinks in their rates, are in one mode whichever of them rest and on whichever branch they are.
#[test]
fn a_crowd_on_bounds_has_one_mode() {
    let text = r#"(format: 1, clock: (stepping: events, stop: 2), constants: {"N": 40}, counters: {"j": "1 .. N"},
        reals: {"s[j]": 0, "y[j]": "0.5 * j / N", "z[j]": "j / N"}, ranges: ["a[j]: s[j] > 0"],
        relations: ["s[j] = sin(4 * time + 6 * j / N)", "y[j] = integral(2) when a[j]", "y[j] = min(y[j], 1) when a[j]",
            "y[j] = integral(-1) when !a[j]", "y[j] = max(y[j], 0.2)", "z[j] = integral(-abs(s[j] - z[j]) - sign(z[j]))"])"#;
    let table = Table::from_text(text);
    let config = EventConfig::from_clock(&table.model.clock).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!(run.stats().modes, 1);
    let plain = ended(&table.model, &table.model.clock, false).unwrap();
    assert!(plain.stats().modes > 100);
    assert!(distance(&run, &plain) < 1e-5);
}

/// A run that is put back to where it was goes on as it did, and so does one that never was elsewhere.
#[test]
fn a_crowd_goes_on_from_what_was_kept() {
    let table = table("thermostat_row", &["N=40"], None);
    let clock = clock(Method::Auto, 1e-9);
    let config = EventConfig::from_clock(&table.model.clock.overridden_by(&clock)).unwrap();
    let begun = EventRun::new(table.model.clone(), config).unwrap();
    let mut run = begun.clone();
    run.run_to(0.7, &mut ()).unwrap();
    let kept = run.state();
    run.run_to(2.0, &mut ()).unwrap();
    let end = run.row().reals.to_vec();
    for mut other in [run, begun] {
        other.restore(&kept).unwrap();
        other.run_to(2.0, &mut ()).unwrap();
        assert_eq!(other.row().reals, end);
    }
}

/// A value that nothing writes stays to the last bit while others slide, whose shares make 1 up to rounding.
#[test]
fn a_value_is_kept_while_others_slide() {
    let table = Table::from_text(
        r#"(format: 1, clock: (stepping: events, stop: 2), counters: {"j": "1 .. 32"},
            reals: {"z[j]": "0.1 * j", "q": 7}, ranges: ["pos[j]: z[j] > 0", "early: time < 0.3"],
            relations: ["q = 1 when early", "z[j] = integral(cos(2 * time))", "z[j] = integral(-2) when pos[j]"])"#,
    );
    let q = table.model.real("q").unwrap().index();
    for method in [Method::Auto, Method::Dop853, Method::Radau] {
        let run = ended(&table.model, &clock(method, 1e-7), true).unwrap();
        assert_eq!(run.row().reals[q], 1.0, "{method:?}");
    }
}
