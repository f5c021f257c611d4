//! Flows through orifices, whose slope is infinite where they end: where such a flow keeps the balance with
//! another one the state slides along the border between the pressures.

use situ_engine::sim::{EndReason, EventRun, RunFault};
use situ_engine::{Locate, Method};

use crate::events::runs::replay::replays;
use crate::events::{Accuracy, Exact, Judge};
use crate::tables::Table;

/// A cylinder under a load that swings, behind a relief valve.
const RELIEF: &str = r#"(format: 1, name: "relief",
    constants: {
        "beta": 1.2e9, "V": 2e-3, "Q": 4e-4, "A": 2e-3, "cd": 2e-6, "pset": 1e7, "m": 50, "F": 1e4, "d": 200, "amp": 1.2e4, "om": 40,
    },
    reals: {"p": 1e5, "v": 0, "x": 0, "Qr": 0, "load": 0, "n": 0},
    ranges: ["open: p > pset"],
    situations: ["event opens: open"],
    relations: [
        "Qr = cd * sqrt(p - pset) when open",
        "Qr = 0 otherwise",
        "load = F + amp * sin(om * time)",
        "p = integral(beta / V * (Q - A * v - Qr))",
        "v = integral((p * A - load - d * v) / m)",
        "x = integral(v)",
        "n := n + 1 when opens",
    ])"#;

/// The pressures on both sides of an orifice become equal: nothing flows through it any more.
const EQUALISED: &str = r#"(format: 1, name: "equalised",
    constants: {"beta": 1.2e9, "V": 1e-4, "Q": 5e-4, "k": 1e-9, "pset": 1e7, "cd": 2e-7},
    reals: {"p": 1e5, "pc": 1e5, "Qr": 0, "Qo": 0, "n": 0},
    ranges: ["open: p > pset", "forth: p > pc"],
    situations: ["event turns: !forth"],
    relations: [
        "Qr = k * (p - pset) when open",
        "Qr = 0 otherwise",
        "Qo = cd * sqrt(p - pc) when forth",
        "Qo = -cd * sqrt(pc - p) otherwise",
        "p = integral(beta / V * (Q - Qo - Qr))",
        "pc = integral(beta / V * Qo)",
        "n := n + 1 when turns",
    ])"#;

/// Runs by `auto` with every way of location, and by other methods with roots; with what they are.
fn all_ways(text: &str, stop: f64) -> impl Iterator<Item = (String, Exact)> {
    let by_way = Locate::ALL.map(|locate| (Method::Auto, locate));
    let others = [
        Method::Tsit5,
        Method::Dop853,
        Method::Rodas5p,
        Method::Taylor,
    ];
    let by_method = others.map(|method| (method, Locate::Root));
    let ways = by_way.into_iter().chain(by_method);
    ways.map(move |(method, locate)| {
        let mut exact = Exact::new(Table::from_text(text), stop, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.locate = locate;
        (format!("{} {locate:?}", method.name()), exact)
    })
}

/// The valve closes where its flow has been in balance with the pump's. The numbers are from a program of fixed
/// steps of the classical Runge-Kutta method (1e-6, 2.5e-7 and 1e-7 s, not longer than a fiftieth of the
/// flow's time constant), in which the pressure stays at `pset` from 1e-3 Pa on until `Q = A v`.
#[test]
fn a_relief_valve_closes() {
    let mut judge = Judge::new(Accuracy::Tight);
    for (what, mut exact) in all_ways(RELIEF, 0.25) {
        let locate = exact.config.locate;
        exact.config.settings.rtol = 1e-9;
        exact.config.atol = 1e-12;
        let run = exact.run();
        let off = match locate {
            Locate::Root | Locate::OneSided => 1e-7,
            // These see events where steps end.
            _ => 2e-3,
        };
        judge.near(&format!("v, {what}"), run.last("v"), 0.019_850_480_7, off);
        judge.near(&format!("x, {what}"), run.last("x"), 0.001_525_247_2, off);
        if locate == Locate::Root {
            assert_eq!(run.last("n"), 2.0, "{what}: it opens twice");
            let closes = run.times(&run.rises("!open"));
            let known = [0.066_367_570_37, 0.223_974_267_89];
            // There the pressure falls like 1e10 (t - t*)^2 Pa, with a tolerance of 1e-2 Pa.
            judge.all_near(&format!("closes, {what}"), &closes, &known, 1e-6);
        }
        let steps = run.stats.method.steps;
        assert!(steps < 3000, "{what}: {steps} steps");
    }
    judge.finish(28);
}

/// Rows that depend on each other in a circle, elsewhere in the table, change nothing in that.
#[test]
fn a_relief_valve_closes_beside_a_circle_of_rows() {
    let circle = RELIEF
        .replace(r#""n": 0}"#, r#""n": 0, "a": 0, "b": 0}"#)
        .replace(
            "relations: [",
            r#"relations: ["a = 0.3 * b + v", "b = 0.2 * sin(a)","#,
        );
    let [alone, beside] = [RELIEF, &circle].map(|text| {
        let run = Exact::new(Table::from_text(text), 0.25, Accuracy::Default).run();
        assert_eq!(run.last("n"), 2.0, "it opens twice");
        assert!(run.stats.method.steps < 1000);
        run
    });
    for name in ["v", "x", "p"] {
        let (known, found) = (alone.last(name), beside.last(name));
        assert!(
            (found - known).abs() < 1e-9 * known.abs(),
            "{name}: {found} {known}"
        );
    }
    let table = Table::from_text(&circle);
    let config = Accuracy::Default.config(0.25);
    let origin = EventRun::new(table.model, config).unwrap();
    replays("relief beside a circle", &origin);
    let mut early = origin.clone();
    early.run_to(0.06635, &mut ()).unwrap();
    replays("relief beside a circle, as it closes", &early);
}

/// While it is nearly closed, too, what flows through the valve is what the pump gives more than the piston takes.
#[test]
fn flows_keep_their_balance_along_a_slide() {
    let Exact { table, config } = Exact::new(Table::from_text(RELIEF), 0.25, Accuracy::Default);
    let begun = EventRun::new(table.model.clone(), config).unwrap();
    let mut run = begun.clone();
    let [v, flow, p] = ["v", "Qr", "p"].map(|name| table.real(name));
    let mut slid = 0;
    while run.time() < 0.25 {
        run.advance(f64::INFINITY, &mut ()).unwrap();
        if run.slides() {
            let more = 4e-4 - 2e-3 * run.real(v);
            assert!((run.real(flow) - more).abs() < 1e-15, "{}", run.time());
            assert!((run.real(p) - 1e7).abs() < 1e-8, "{}", run.time());
            slid += 1;
        }
    }
    assert!(slid > 2, "{slid}");
    let mut early = begun.clone();
    assert_eq!(early.run_to(0.066_355, &mut ()), Ok(EndReason::Stop));
    assert!(
        early.slides(),
        "the first slide lasts from 0.06635 to 0.066367"
    );
    replays("relief", &begun);
    replays("relief, along a slide", &early);
}

#[test]
fn pressures_become_equal() {
    let mut judge = Judge::new(Accuracy::Tight);
    for (what, exact) in all_ways(EQUALISED, 1.0) {
        let run = exact.run();
        for name in ["p", "pc"] {
            judge.near(&format!("{name}, {what}"), run.last(name), 1.05e7, 30.0);
        }
        judge.near(&format!("Qr, {what}"), run.last("Qr"), 5e-4, 3e-8);
        judge.near(&format!("Qo, {what}"), run.last("Qo"), 0.0, 3e-8);
        // A step may go over to the other side by what its tolerance allows, and the next one back.
        assert!(run.last("n") <= 2.0, "{what}: {} turns", run.last("n"));
        let steps = run.stats.method.steps;
        assert!(steps < 4000, "{what}: {steps} steps");
    }
    judge.finish(36);
}

/// An event may carry the pressure over the border beyond which a flow is not defined, also where it slides along it.
#[test]
fn a_jump_ends_a_flow() {
    // The orifice is defined above the border, or below.
    for (range, over, rate, up) in [
        ("open: p > pset", "p - pset", "Q - Qr", 1.0),
        ("open: p < pset", "pset - p", "Qr - Q", -1.0),
    ] {
        // A balance on the border, and one 2.5e5 Pa off it; then 1e6 Pa off it.
        for (q, jump) in [(1e-8, 1e6), (1e-8, -1e6), (1e-3, 1e6), (1e-3, -1e6)] {
            let to = 1e7 + jump;
            let text = format!(
                r#"(format: 1, name: "kicked", constants: {{"Q": {q}, "cd": 2e-6, "pset": 1e7}},
                reals: {{"p": 1e7, "Qr": 0}}, ranges: ["{range}"], situations: ["event kick: every(0.01)"],
                relations: ["Qr = cd * sqrt({over}) when open", "Qr = 0 otherwise", "p = integral(6e11 * ({rate}))",
                    "p := {to} when kick"])"#
            );
            let table = Table::from_text(&text);
            let config = Accuracy::Default.config(0.015);
            let mut run = EventRun::new(table.model.clone(), config).unwrap();
            let [p, flow] = ["p", "Qr"].map(|name| table.real(name));
            let what = format!("{range}, {q}, to {to}");
            assert_eq!(run.run_to(0.009, &mut ()), Ok(EndReason::Stop), "{what}");
            assert_eq!(run.slides(), q < 1e-6, "{what}");
            assert!((run.real(flow) - q).abs() < 1e-4 * q, "{what}");
            assert_eq!(run.run_to(0.010_1, &mut ()), Ok(EndReason::Stop), "{what}");
            assert!(!run.slides(), "{what}");
            let beyond = up * (run.real(p) - 1e7);
            assert!((up * jump - beyond).abs() < 2e5, "{what}: {beyond}");
            let known = 2e-6 * beyond.max(0.0).sqrt();
            assert!((run.real(flow) - known).abs() < 1e-12, "{what}");
        }
    }
}

/// If a flow stops since the pressure has jumped to where it is not defined, an event on its size fires once.
#[test]
fn a_flow_that_a_jump_ends_is_small_once() {
    let text = r#"(format: 1, name: "kicked", constants: {"Q": 1e-3, "cd": 2e-6, "pset": 1e7},
        reals: {"p": 1.1e7, "Qr": 0, "stops": 0, "spills": 0}, ranges: ["open: p > pset", "much: Qr >= 1e-4"],
        situations: ["event kick: every(0.01)", "event spill: much", "event stop: !much"],
        relations: ["Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))",
            "p := 9e6 when kick", "stops := stops + 1 when stop", "spills := spills + 1 when spill"])"#;
    let run = Exact::new(Table::from_text(text), 0.015, Accuracy::Default).run();
    assert_eq!(run.times(&run.rises("!much")), [0.01]);
    assert_eq!([run.last("stops"), run.last("spills")], [1.0, 1.0]);
    // From 1e6 Pa below at 6e8 Pa/s up to the border.
    let spills = run.times(&run.rises("much"));
    assert!((spills[0] - 0.01 - 1.0 / 600.0).abs() < 1e-5, "{spills:?}");
}

/// A balance ends where an event turns what flows in, or lets in so much that the pressure rises.
#[test]
fn an_event_ends_a_balance() {
    // 30 Pa below after 5 ms; above where the orifice lets out as much.
    for (q, known, off) in [(-1e-8, 1e7 - 30.0, 0.1), (1e-3, 1.025e7, 2e3)] {
        let text = format!(
            r#"(format: 1, name: "turned", constants: {{"cd": 2e-6, "pset": 1e7}},
            reals: {{"p": 1e7, "Q": 1e-8, "Qr": 0}}, ranges: ["open: p > pset"], situations: ["event turn: every(0.01)"],
            relations: ["Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))",
                "Q := {q} when turn"])"#
        );
        let table = Table::from_text(&text);
        let config = Accuracy::Default.config(0.015);
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        assert_eq!(run.run_to(0.009, &mut ()), Ok(EndReason::Stop), "{q}");
        assert!(run.slides(), "{q}");
        assert_eq!(run.run_to(0.015, &mut ()), Ok(EndReason::Stop), "{q}");
        assert!(!run.slides(), "{q}");
        let p = run.real(table.real("p"));
        assert!((p - known).abs() < off, "{q}: {p}");
        // What flows right behind the event is what the pressure there lets out, not the balance beyond its end.
        let history = Exact::new(table, 0.015, Accuracy::Default).run();
        let turned = history.fired("turn")[0];
        let over = (history.at_row(turned, "p") - 1e7).max(0.0);
        let flow = history.at_row(turned, "Qr");
        assert!((flow - 2e-6 * over.sqrt()).abs() < 1e-12, "{q}: {flow}");
        assert!(flow < 1e-5, "{q}: {flow}");
    }
}

/// Off a balance, too, an event puts the pressure where it says, to the last bit.
#[test]
fn a_jump_off_a_balance_lands_where_it_says() {
    for to in [1.1e7, 9e6] {
        let text = format!(
            r#"(format: 1, name: "set", constants: {{"Q": 1e-8, "cd": 2e-6, "pset": 1e7}},
            reals: {{"p": 1e7, "Qr": 0}}, ranges: ["open: p > pset"], situations: ["event kick: every(0.01)"],
            relations: ["Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))",
                "p := {to} when kick"])"#
        );
        let run = Exact::new(Table::from_text(&text), 0.015, Accuracy::Default).run();
        let [kicked] = run.fired("kick")[..] else {
            panic!("it is kicked once");
        };
        assert_eq!(run.at_row(kicked, "p"), to);
        let flow = 2e-6 * (to - 1e7_f64).max(0.0).sqrt();
        assert!((run.at_row(kicked, "Qr") - flow).abs() < 1e-15, "{to}");
    }
}

/// If the pressure jumps to the other side of an orifice as much flows back: nothing is said of the flow's size
/// before the row that gives it there is in force.
#[test]
fn a_flow_that_a_jump_turns_stays_as_large() {
    let text = r#"(format: 1, name: "turned", constants: {"cd": 2e-6, "pset": 1e7},
        reals: {"p": 1.1e7, "Qr": 0, "stops": 0, "spills": 0}, ranges: ["open: p > pset", "much: Qr > 1e-4"],
        situations: ["event kick: every(0.01)", "event spill: much", "event stop: !much"],
        relations: ["Qr = cd * sqrt(p - pset) when open", "Qr = cd * sqrt(pset - p) otherwise",
            "p = integral(-1e6)", "p := 9e6 when kick", "stops := stops + 1 when stop", "spills := spills + 1 when spill"])"#;
    let run = Exact::new(Table::from_text(text), 0.015, Accuracy::Default).run();
    assert_eq!([run.last("stops"), run.last("spills")], [0.0, 0.0]);
    assert_eq!(run.times(&run.rises("!much")), [0.0; 0]);
    let flow = 2e-6 * (1e6_f64 + 5e3).sqrt();
    assert!((run.last("Qr") - flow).abs() < 1e-9);
}

/// A flow that no row gives where the pressure jumps to keeps its last value.
#[test]
fn a_flow_that_ends_without_a_row_is_held() {
    let text = r#"(format: 1, name: "held", constants: {"Q": 1e-3, "cd": 2e-6, "pset": 1e7},
        reals: {"p": 1.1e7, "Qr": 0}, ranges: ["open: p > pset"], situations: ["event kick: every(0.01)"],
        relations: ["Qr = cd * sqrt(p - pset) when open", "p = integral(6e11 * (Q - Qr))", "p := 9e6 when kick"])"#;
    let run = Exact::new(Table::from_text(text), 0.015, Accuracy::Default).run();
    let [kicked] = run.fired("kick")[..] else {
        panic!("it is kicked once");
    };
    let before = 2e-6 * (run.at_row(kicked - 1, "p") - 1e7).sqrt();
    assert!((before - 1e-3).abs() < 1e-5, "near its balance: {before}");
    assert!((run.last("Qr") - before).abs() < 1e-15);
    let known = 9e6 + 6e11 * (1e-3 - before) * 0.005;
    assert!((run.last("p") - known).abs() < 1.0);
}

/// A chamber is filled through an orifice from one whose pressure comes to rest: the flow's argument falls below any
/// tolerance, and with it grows the slope of its root.
const FILLED: &str = r#"(format: 1, name: "filled", reals: {"a": 5, "b": 0, "q": 0},
    relations: ["q = sign(a - b) * sqrt(abs(a - b))", "a = integral(100 * (10 - a))", "b = integral(100 * q)"])"#;

/// Where the rows of a run lie changes nothing in it, and each of them has values.
#[test]
fn rows_beside_an_orifice_have_values() {
    // 2 q q' = 500 exp(-100 t) - 100 q, by the classical Runge-Kutta method.
    let slope = |t: f64, q: f64| 250.0 * f64::exp(-100.0 * t) / q - 50.0;
    let (mut q, h) = (5.0_f64.sqrt(), 1e-6);
    for step in 0..72_000_u32 {
        let t = h * f64::from(step);
        let first = slope(t, q);
        let second = slope(t + 0.5 * h, q + 0.5 * h * first);
        let third = slope(t + 0.5 * h, q + 0.5 * h * second);
        let last = slope(t + h, q + h * third);
        q += h / 6.0 * (first + 2.0 * (second + third) + last);
    }
    for method in [Method::Auto, Method::Rodas5p, Method::Mk21, Method::Radau] {
        let exact = Exact::new(Table::from_text(FILLED), 1.0, Accuracy::Default).method(method);
        let ends = exact.clone().run();
        let rows = exact.every(0.004).run();
        let what = method.name();
        for name in ["a", "b", "q"] {
            assert_eq!(
                ends.last(name).to_bits(),
                rows.last(name).to_bits(),
                "{what}: {name}"
            );
        }
        // The pressures are near 10, of which this is half the tolerance.
        let found = rows.at(0.072, "q");
        assert!((found * found - q * q).abs() < 5e-6, "{what}: {found} {q}");
    }
}

/// Two tanks that know nothing of each other run dry one after the other.
#[test]
fn tanks_run_dry_beside_each_other() {
    // What flows in keeps nothing, or takes more than nothing.
    for (drawn, known) in [(0.0, 0.0), (1.0, -0.0025)] {
        let text = format!(
            r#"(format: 1, name: "dry", reals: {{"c": 3, "d": 5, "r": 0, "s": 0}}, relations: [
                "r = sign(c) * sqrt(abs(c))", "c = integral(-20 * r)",
                "s = sign(d) * sqrt(abs(d))", "d = integral(-20 * s - {drawn})"])"#
        );
        let methods = [
            Method::Auto,
            Method::Tsit5,
            Method::Dop853,
            Method::Rodas5p,
            Method::Radau,
            Method::Taylor,
        ];
        for method in methods {
            let exact = Exact::new(Table::from_text(&text), 1.0, Accuracy::Default).method(method);
            let run = exact.every(0.05).run();
            let what = format!("{drawn}, {}", method.name());
            // c = (sqrt(3) - 10 t)^2 up to where it is empty.
            for time in [0.05, 0.1, 0.15] {
                let root = 3.0_f64.sqrt() - 10.0 * time;
                let found = run.at(time, "c");
                assert!(
                    (found - root * root).abs() < 1e-4,
                    "{what}: c({time}) = {found}"
                );
            }
            for (name, known) in [("c", 0.0), ("d", known), ("s", 20.0 * known)] {
                let found = run.last(name);
                assert!((found - known).abs() < 1e-6, "{what}: {name} = {found}");
            }
        }
    }
}

/// Two chambers behind wide orifices, which know nothing of each other: each has the pressure of the room before it, so
/// that both states slide, and the flows follow from the balances. `a' = k (u - a)` with `k = 20 / 1.1`, `u = 2 + sin(t)`.
#[test]
fn two_balances_are_kept_beside_each_other() {
    let text = r#"(format: 1, name: "chambers", reals: {"a": 1, "b": 0, "q": 0, "c": 3, "d": 0, "r": 0, "u": 0}, relations: [
        "u = 2 + sin(time)",
        "q = 1000 * sign(a - b) * sqrt(abs(a - b))", "a = integral(20 * (u - a) - q)", "b = integral(10 * q)",
        "r = 1000 * sign(c - d) * sqrt(abs(c - d))", "c = integral(7 * (u - c) - r)", "d = integral(10 * r)"])"#;
    for method in [Method::Auto, Method::Rodas5p, Method::Bdf] {
        let exact = Exact::new(Table::from_text(text), 4.0, Accuracy::Default).method(method);
        let origin = EventRun::new(exact.table.model.clone(), exact.config.clone()).unwrap();
        let run = exact.run();
        let mut judge = Judge::new(Accuracy::Tight);
        for (names, k) in [(["a", "b", "q"], 20.0 / 1.1), (["c", "d", "r"], 7.0 / 1.1)] {
            let (sin, cos) = 4.0_f64.sin_cos();
            let pressure = 2.0 + (k * k * sin - k * cos) / (k * k + 1.0);
            let rate = (k * k * cos + k * sin) / (k * k + 1.0);
            for (name, known) in names.into_iter().zip([pressure, pressure, rate / 10.0]) {
                judge.near(
                    &format!("{name}, {}", method.name()),
                    run.last(name),
                    known,
                    2e-5,
                );
            }
        }
        judge.finish(6);
        replays(&format!("chambers, {}", method.name()), &origin);
        let mut late = origin;
        late.run_to(3.0, &mut ()).unwrap();
        assert!(late.slides());
        replays(
            &format!("chambers along their slides, {}", method.name()),
            &late,
        );
    }
}

/// A balance that no slide keeps, since another row bends the flow, ends the run; its flow is no NaN for that.
#[test]
fn a_flow_that_is_bent_has_values() {
    let text = r#"(format: 1, name: "bent", reals: {"a": 5, "b": 0, "q": 0}, relations: [
        "q = 10 * sign(a - b) * sqrt(abs(a - b))", "a = integral(100 * (10 - a) - max(q, 0))", "b = integral(10 * q)"])"#;
    let exact = Exact::new(Table::from_text(text), 4.0, Accuracy::Default);
    let (history, fault) = exact.every(0.05).outcome();
    let is_about_values = matches!(fault, Some(RunFault::NotFinite { .. }));
    assert!(!is_about_values, "{fault:?}");
    // On the balance 100 (10 - a) = 11 q, and 10 - a falls like exp(-1000 t / 11).
    let off = 10.0 - history.at(0.15, "a");
    let known = off * (-0.05 * 1000.0 / 11.0_f64).exp();
    assert!((10.0 - history.at(0.2, "a") - known).abs() < 1e-6);
}
