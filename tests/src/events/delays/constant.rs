//! Delays in exact time: method of steps, a delayed relay, Hutchinson's equation.

use situ_engine::{Method, Steps};

use crate::events::{Accuracy, Exact, Judge, at_both, known, list, number};
use crate::tables::Table;

fn table(text: &str, stop: f64, accuracy: Accuracy) -> Exact {
    Exact::new(Table::from_text(text), stop, accuracy).every(0.5)
}

/// x' = -x(t - 1): a polynomial between whole times, with a jump in a derivative of higher order at
/// each.
#[test]
fn linear() {
    at_both(|accuracy| {
        let known = &known("delay")["linear"];
        let run = table(
            r#"(format: 1, name: "linear", reals: {"past": 1, "x": 1},
                relations: ["past = delay(x, 1)", "x = integral(-past)"])"#,
            12.0,
            accuracy,
        )
        .run();
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let t = number(&sample["t"]);
            let x = run.at_row(run.row_at(t), "x");
            judge.near(
                &format!("x({t})"),
                x,
                number(&sample["x"]),
                number(&known["tolerance"]),
            );
        }
        judge.finish(24);
    });
}

/// x' = -sign x(t - 1/2): the switch comes half a second after the crossing.
#[test]
fn relay() {
    at_both(|accuracy| {
        let known = &known("delay")["relay"];
        let run = table(
            r#"(format: 1, name: "relay", reals: {"past": 1, "x": 1},
                ranges: ["was_up: past >= 0", "up: x >= 0"],
                relations: ["past = delay(x, 0.5)", "x = integral(-1) when was_up",
                    "x = integral(1) when !was_up"])"#,
            9.0,
            accuracy,
        )
        .run();
        let tolerance = number(&known["tolerance"]);
        let mut crossings = [run.rises("up"), run.rises("!up")].concat();
        let mut switches = [run.rises("was_up"), run.rises("!was_up")].concat();
        crossings.sort_unstable();
        switches.sort_unstable();
        let mut judge = Judge::new(accuracy);
        for (index, known) in list(&known["switches"]).iter().enumerate() {
            let crossing = run.trace.time[crossings[index]];
            let row = switches[index];
            judge.near(
                "crossing",
                crossing,
                number(&known["zero_crossing"]),
                tolerance,
            );
            judge.near(
                "switch",
                run.trace.time[row],
                number(&known["switch"]),
                tolerance,
            );
            judge.near(
                "x",
                run.at_row(row, "x"),
                number(&known["x_at_switch"]),
                tolerance,
            );
        }
        judge.finish(24);
    });
}

/// x' = r x (1 - x(t - 1)).
#[test]
fn hutchinson() {
    at_both(|accuracy| {
        let known = &known("delay")["hutchinson"];
        let run = table(
            r#"(format: 1, name: "hutchinson", constants: {"r": 1.5}, reals: {"past": 0.5, "x": 0.5},
                relations: ["past = delay(x, 1)", "x = integral(r * x * (1 - past))"])"#,
            20.0,
            accuracy,
        )
        .run();
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let t = number(&sample["t"]);
            let x = run.at_row(run.row_at(t), "x");
            judge.near(
                &format!("x({t})"),
                x,
                number(&sample["x"]),
                number(&known["tolerance"]),
            );
        }
        judge.finish(40);
    });
}

/// Times at which something may have happened.
fn instants(text: &str, stop: f64) -> Vec<f64> {
    let run = Exact::new(Table::from_text(text), stop, Accuracy::Default).run();
    let pairs = run.trace.time.windows(2);
    pairs
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect()
}

/// Of x' = -x(t - 1) each whole time has a kink in one derivative more, until no method sees it.
#[test]
fn kinks_come_back_smoother_and_end() {
    let found = instants(
        r#"(format: 1, name: "kinks", reals: {"past": 1, "x": 1},
            relations: ["past = delay(x, 1)", "x = integral(-past)"])"#,
        20.5,
    );
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

/// Without an integral on the way a jump comes back as a jump, for ever.
#[test]
fn jumps_come_back_as_jumps() {
    let table = Table::from_text(
        r#"(format: 1, name: "neutral", reals: {"past": 1, "x": 1, "y": 0},
            relations: ["past = delay(0.5 * x, 1)", "x = 2 - past", "y = integral(x)"])"#,
    );
    let run = Exact::new(table, 30.0, Accuracy::Default).every(0.5).run();
    let mut x = 1.5;
    for second in 0..30_u32 {
        let row = run.row_at(f64::from(second) + 0.5);
        assert_eq!(run.at_row(row, "x"), x, "{second}");
        x = 2.0 - 0.5 * x;
    }
}

/// What a jump that comes out of a delay makes of a margin is no crossing on the way there: the margin goes from one value
/// beyond its border to another, and its event does not fire again.
#[test]
fn a_jump_out_of_a_delay_is_no_crossing_before_it() {
    let table = Table::from_text(
        r#"(format: 1, name: "echo", reals: {"x": -0.52, "y": 1, "past": 1, "n": 0},
            ranges: ["flat: floor(2 * y + 0.17) <= 1.03", "high: past >= 0.87"], situations: ["event low: !high"],
            relations: ["y = integral(0.9 * time - 0.6)", "x = integral(-y) when !flat", "y := 0.07 - y when low",
                "n := n + 1 when low", "past = delay(y, 0.53)"])"#,
    );
    // y = 1 - 0.6 t + 0.45 t^2 comes to 0.87 here, and is read so much later.
    let jump = (0.6 - 0.126_f64.sqrt()) / 0.9 + 0.53;
    let parabola = |t: f64| 1.0 - 0.6 * t + 0.45 * t * t;
    let y = 0.07 - parabola(jump) + parabola(1.5) - parabola(jump);
    for method in Method::ALL
        .into_iter()
        .filter(|method| method.about().steps == Steps::Adaptive)
    {
        let run = Exact::new(table.clone(), 1.5, Accuracy::Default)
            .method(method)
            .run();
        let end = run.row_at(1.5);
        assert_eq!(run.at_row(end, "n"), 1.0, "{}", method.name());
        let found = run.at_row(end, "y");
        assert!((found - y).abs() < 1e-4, "{}: {found}", method.name());
    }
}

/// A break of a signal that does not reach a delay does not come out of it.
#[test]
fn breaks_go_where_the_rows_lead() {
    let text = r#"(format: 1, name: "chain", reals: {"x": 0, "late": 0, "later": 0, "y": 0, "last": 0, "free": 0, "old": 0},
        relations: ["x := x + 1 when every(10, 2)", "late = delay(x, 1)", "later = delay(2 * late, 0.5)",
            "y = integral(later)", "last = delay(y, 0.25)", "free = integral(-free)", "old = delay(free, 3)"])"#;
    let found = instants(text, 30.0);
    // At an event the arguments of the delays that can know of it may have been bent: out of `y` it comes after 0.25, out
    // of `later` after 0.5 and then out of `y`; the jump itself comes out of `late`, `later` and `y`. Of `free` only the
    // start does.
    let after = [0.25, 0.5, 0.75, 1.0, 1.5, 1.75];
    let mut expected = vec![2.0, 3.0, 12.0, 22.0];
    for event in [0.0, 2.0, 12.0, 22.0] {
        expected.extend(after.map(|after| event + after));
    }
    expected.sort_by(f64::total_cmp);
    expected.dedup();
    assert_eq!(found, expected);
}

/// A delay is read along a border that moves, onto which each step is put back: what comes out of it is known, whatever the
/// method keeps of earlier steps.
#[test]
fn a_delay_beside_a_slide_on_a_border_that_moves() {
    let table = Table::from_text(
        r#"(format: 1, name: "beside", reals: {"x": 0, "late": 0, "sum": 0, "y": (start: 1, before: "1"), "past": 1},
            ranges: ["high: x > 0.1 * sin(3 * time)"],
            relations: ["x = integral(-1) when high", "x = integral(1) when !high", "late = delay(time, 0.5)",
                "sum = integral(late)", "past = delay(y, 0.5)", "y = integral(-past)"])"#,
    );
    // On [0, 1] two steps of the method of steps: 1 - t, then 1 - t + (t - 1/2)^2 / 2.
    for method in Method::ALL
        .into_iter()
        .filter(|method| method.about().steps == Steps::Adaptive)
    {
        let run = Exact::new(table.clone(), 6.0, Accuracy::Default)
            .method(method)
            .every(0.5)
            .run();
        let name = method.name();
        assert!((run.last("sum") - 15.125).abs() < 1e-3, "{name}");
        assert!((run.at(1.0, "y") - 0.125).abs() < 1e-5, "{name}");
        assert!((run.last("y") + 6.18867e-5).abs() < 1e-5, "{name}");
    }
}

/// Steps are as long as the shortest delay, and reach what comes out of the longer one but for rounding.
#[test]
fn two_delays_of_one_jump() {
    let lengths = [
        (5.0, 0.3, 0.1),
        (1.0, 0.3, 0.1),
        (1.02, 0.68, 0.34),
        (1.3, 0.2, 0.1),
    ];
    for (period, long, short) in lengths {
        let text = format!(
            r#"(format: 1, name: "two", reals: {{"x": 0, "y": 0, "g": 0, "w": 0, "n": 0}},
            ranges: ["up: y > 1"],
            relations: ["x = integral(-0.1)", "x := 3 when every({period})", "y = delay(x, {long})",
                "g = delay(x, {short})", "w = integral(1) when up", "n = counter(up)"])"#,
        );
        for method in [Method::Tsit5, Method::Radau, Method::Dop853] {
            let run = table(&text, 8.0, Accuracy::Default).method(method).run();
            let since = 8.0 - (period + long);
            let off = (run.last("w") - since).abs();
            assert!(off < 1e-9, "{period} {long} {short} {method:?}: {off}");
            assert_eq!(run.last("n"), 1.0, "{period} {long} {short} {method:?}");
        }
    }
}
