//! Events that are seen at the ends of steps only (`locate: none`), in models that would slide or stick: the state
//! goes over the border once a step, as in ticks, and nothing breaks off.

use situ_engine::sim::{EventConfig, RunFault};
use situ_engine::{Locate, Method};

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

/// Two integrators, on a line that leads to 0 along which a relay of two switches keeps them.
const RELAY: &str = r#"(format: 1, name: "relay", clock: (stepping: events, stop: 5),
    reals: {"x": 1, "v": 0, "s": 1, "u": 0}, switches: {"back": false},
    assignments: ["when s > 0: back", "when s <= 0: !back"],
    relations: ["s = x + 0.5 * v", "u = -2 when back", "u = 2 otherwise", "v = integral(u)", "x = integral(v)"])"#;

/// A carriage with dry friction and a force that is at times too weak to move it.
const CARRIAGE: &str = r#"(format: 1, name: "carriage", clock: (stepping: events, stop: 5),
    reals: {"x": 0.5, "v": 3, "F": 0, "n": 0}, situations: [EVENTS],
    relations: ["F = 4 * sin(5 * time) - 3 * sign(v)", "v = integral(F)", "x = integral(v)", ROWS])"#;

/// A satellite with two thrusters, each switched at two borders.
const SATELLITE: &str = r#"(format: 1, name: "satellite", clock: (stepping: events, stop: 150),
    reals: {"ang": 0.3, "om": -0.3, "s": 0, "torque": 0}, switches: {"neg": false, "pos": false},
    assignments: ["when s > 0.1: neg", "when s < 0.05: !neg", "when s < -0.1: pos", "when s > -0.05: !pos"],
    relations: ["s = ang + 2 * om", "torque = -0.5 when neg & !pos", "torque = 0.5 when pos & !neg",
        "torque = 0 otherwise", "om = integral(0.1 * torque)", "ang = integral(om)"])"#;

/// The same in a light wind, with what the thrusters are told computed by no row.
const WINDY: &str = r#"(format: 1, name: "windy", clock: (stepping: events, stop: 150),
    reals: {"ang": 0.3, "om": 0.02, "s": 0.3, "torque": 0, "fuel": 0}, switches: {"neg": false, "pos": false},
    assignments: ["when s > 0.1: neg", "when s < 0.05: !neg", "when s < -0.1: pos", "when s > -0.05: !pos"],
    relations: ["s = ang + 2 * om", "torque = -0.5 when neg & !pos", "torque = 0.5 when pos & !neg",
        "torque = 0 otherwise", "om = integral(0.1 * (torque + 0.01))", "ang = integral(om)", "fuel = integral(abs(torque))"])"#;

/// A relay before an amplifier that saturates: both change their branches where x changes its sign.
const SATURATED: &str = r#"(format: 1, name: "saturated", clock: (stepping: events, stop: 5),
    reals: {"x": 1, "y": 0, "u": 0, "w": 0, "n": 0}, situations: [EVENTS],
    relations: ["u = -2 * sign(x)", "w = clamp(10 * u, -5, 5)", "x = integral(w + 0.4 * sin(time))",
        "y = integral(w - y)", ROWS])"#;

fn history(text: &str, step: f64) -> History {
    let mut exact = Exact::new(Table::from_text(text), 5.0, Accuracy::Default).every(step);
    exact.config = EventConfig {
        locate: Locate::None,
        ..exact.config
    };
    exact.config.settings.method = Method::Rk4;
    exact.config.settings.h0 = Some(step);
    exact.run()
}

#[test]
fn a_relay_turns_once_a_step() {
    for step in [0.01, 0.002] {
        let history = history(RELAY, step);
        let turns = history.rises("back").len() + history.rises("!back").len();
        let steps = 5.0 / step;
        // From about 0.85 on it slides; the relay needs a step or two each way.
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let turns = turns as f64;
        assert!(
            (0.2..0.9).contains(&(turns / steps)),
            "{turns} in {steps} steps"
        );
        // On the line x falls as exp(-2 t).
        let (x, s) = (history.column("x"), history.column("s"));
        let times = history.trace.time.iter().enumerate();
        for (index, &t) in times.filter(|(_, t)| **t > 1.0) {
            assert!(s[index].abs() < 4.0 * step, "{t}: {}", s[index]);
            let exact = 0.381_966 * (-2.0 * (t - 0.854_102)).exp();
            assert!((x[index] - exact).abs() < 4.0 * step, "{t}: {}", x[index]);
        }
    }
}

#[test]
fn a_carriage_sticks_but_for_a_step() {
    let exact = Table::from_text(&CARRIAGE.replace("EVENTS", "").replace("ROWS", ""));
    let exact = Exact::new(exact, 5.0, Accuracy::Tight).run();
    for step in [0.002, 0.0005] {
        // A count of its starts, which a slide would have to drive without end.
        let counts = CARRIAGE.replace("EVENTS", r#""event starts: v > 0""#);
        let counts = counts.replace("ROWS", r#""n := n + 1 when starts""#);
        let history = history(&counts, step);
        let error = (history.last("x") - exact.last("x")).abs();
        assert!(error < 10.0 * step, "{step}: {error}");
        // While it sticks it starts again and again.
        assert!(history.last("n") > 0.1 / step, "{}", history.last("n"));
    }
}

/// Steps as long as the tolerance allows go over several of these borders at once, and back.
#[test]
fn thrusters_are_never_told_to_burn_and_not_to() {
    for table in [SATELLITE, WINDY] {
        for locate in Locate::ALL {
            for method in [Method::Auto, Method::Tsit5, Method::Dop853, Method::Rodas5p] {
                for rtol in [1e-4, 1e-6, 1e-9] {
                    let mut exact = Exact::new(Table::from_text(table), 150.0, Accuracy::Default);
                    exact.config.locate = locate;
                    exact.config.settings.method = method;
                    exact.config.settings.rtol = rtol;
                    let history = exact.run();
                    if matches!(locate, Locate::Root | Locate::OneSided) {
                        // It drifts to and fro between the outer borders.
                        let settled = history.last("s").abs();
                        assert!(settled < 0.2, "{locate:?} {method:?} {rtol}: {settled}");
                    }
                }
            }
        }
    }
}

/// Behind the sign the amplifier is on the other branch, too: x slides along 0, where w keeps the balance.
#[test]
fn a_relay_before_an_amplifier_that_saturates_slides() {
    let table = SATURATED.replace("EVENTS", "").replace("ROWS", "");
    // x = 1 - 5 t + 0.4 (1 - cos t) is 0 here; y' = -5 - y before, y' = -0.4 sin t - y behind.
    let begins = 0.201_620_532_725_058_8_f64;
    let forced = |t: f64| -0.2 * (t.sin() - t.cos());
    let first = -5.0 * (1.0 - (-begins).exp()) - forced(begins);
    let exact = forced(5.0) + first * (begins - 5.0).exp();
    for method in [Method::Auto, Method::Dop853, Method::Rodas5p] {
        for locate in [Locate::Root, Locate::OneSided, Locate::Linear] {
            let mut run = Exact::new(Table::from_text(&table), 5.0, Accuracy::Default);
            run.config.locate = locate;
            run.config.settings.method = method;
            let history = run.run();
            let what = format!("{} {locate:?}", method.name());
            let off = if locate == Locate::Linear { 1e-3 } else { 1e-5 };
            let error = (history.last("y") - exact).abs();
            assert!(error < off, "{what}: {error}");
            let (w, u) = (history.last("w"), history.last("u"));
            let needed = -0.4 * 5.0_f64.sin();
            assert!((w - needed).abs() < 1e-6, "{what}: {w} {needed}");
            // Both are mixed with the same shares.
            assert!((u - 0.4 * w).abs() < 1e-9, "{what}: {u} {w}");
        }
    }
}

/// Events on such a border are seen once a step without location; with it the run says that they have no end.
#[test]
fn a_relay_that_counts_turns_once_an_instant() {
    let events = r#""event flip: x > 0", "event flop: x < 0""#;
    let rows = r#""n := n + 1 when flip", "n := n + 1 when flop""#;
    let table = SATURATED.replace("EVENTS", events).replace("ROWS", rows);
    let counted = history(&table, 0.01);
    let n = counted.column("n");
    let most = n.windows(2).map(|pair| pair[1] - pair[0]);
    assert_eq!(most.fold(0.0, f64::max), 1.0);
    assert!(counted.last("n") > 100.0, "{}", counted.last("n"));
    for locate in [
        Locate::Root,
        Locate::OneSided,
        Locate::Linear,
        Locate::Quadratic,
    ] {
        let mut run = Exact::new(Table::from_text(&table), 5.0, Accuracy::Default);
        run.config.locate = locate;
        let (_, fault) = run.outcome();
        let chatters = matches!(fault, Some(RunFault::Chattering { .. }));
        assert!(chatters, "{locate:?}: {fault:?}");
    }
}
