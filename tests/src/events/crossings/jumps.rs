//! States after values have jumped: counters, staircases, samples.

use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, Finding};
use situ_engine::{Locate, Method};

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

fn run(text: &str, stop: f64) -> History {
    Exact::new(Table::from_text(text), stop, Accuracy::Tight).run()
}

/// A range's changes: times of rising and of falling.
fn changes(run: &History, range: &str) -> [Vec<f64>; 2] {
    let round = |times: Vec<f64>| times.into_iter().map(|t| (t * 1e9).round() / 1e9).collect();
    [range.to_owned(), format!("!{range}")].map(|literal| round(run.times(&run.rises(&literal))))
}

/// At the limit of a counter, the comparison as printed decides.
#[test]
fn counters_reach_their_limits() {
    let run = run(
        r#"(format: 1, name: "counter", reals: {"up": 0, "down": 5},
            ranges: ["three: up >= 3", "over: up > 3", "under: up < 3", "at_most: up <= 3",
                "low: down <= 2", "lower: down < 2"],
            situations: ["event beat: every(1)"],
            relations: ["up := up + 1 when beat", "down := down - 1 when beat"])"#,
        6.5,
    );
    assert_eq!(changes(&run, "three"), [vec![3.0], vec![]]);
    assert_eq!(changes(&run, "over"), [vec![4.0], vec![]]);
    assert_eq!(changes(&run, "under"), [vec![], vec![3.0]]);
    assert_eq!(changes(&run, "at_most"), [vec![], vec![4.0]]);
    assert_eq!(changes(&run, "low"), [vec![3.0], vec![]]);
    assert_eq!(changes(&run, "lower"), [vec![4.0], vec![]]);
}

/// A value that is set onto a border and moves on from there goes to the side of its motion.
#[test]
fn what_is_set_onto_a_border_leaves_it_by_its_motion() {
    let run = run(
        r#"(format: 1, name: "sawtooth", reals: {"x": 0.5, "y": 0.5},
            ranges: ["x_up: x >= 0", "x_over: x > 0", "y_up: y >= 0", "y_over: y > 0"],
            situations: ["event beat: every(1)"],
            relations: ["x := 0 when beat", "y := 0 when beat", "x = integral(1)", "y = integral(-1)"])"#,
        2.5,
    );
    for range in ["x_up", "x_over"] {
        assert_eq!(changes(&run, range).concat(), [0.0; 0], "{range}");
    }
    // Down through 0 at 0.5; set onto it at 1 and 2 and at once below.
    assert_eq!(changes(&run, "y_up"), [vec![], vec![0.5]]);
    assert_eq!(changes(&run, "y_over"), [vec![], vec![0.5]]);
}

#[test]
fn staircases_carry_ranges_with_them() {
    let run = run(
        r#"(format: 1, name: "stairs", reals: {"x": 0, "saw": 0},
            ranges: ["early: floor(time) < 2", "begins: mod(time, 3) < 0.5", "third: saw >= 2"],
            relations: ["x = integral(0.5)", "saw = mod(x, 3)"])"#,
        9.9,
    );
    assert_eq!(changes(&run, "early"), [vec![], vec![2.0]]);
    let begins = [vec![3.0, 6.0, 9.0], vec![0.5, 3.5, 6.5, 9.5]];
    assert_eq!(changes(&run, "begins"), begins);
    assert_eq!(changes(&run, "third"), [vec![4.0], vec![6.0]]);
}

/// A jump that leads onto a border up to rounding, where nothing moves, is on the side of the numbers as they are computed,
/// and the run says so.
#[test]
fn a_jump_onto_a_border_is_where_the_numbers_are() {
    let mut outcomes = std::collections::BTreeSet::new();
    for turn in (0..30).map(|number| 0.03 + 0.0071 * f64::from(number)) {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "back", reals: {{"y": 0.12}},
                ranges: ["low: min(3.1 * y, 0.6) + 0.1 * (3.1 * y) < -0.61", "late: time >= 1.7"],
                situations: ["event beat: every(0.3)", "event turn: beat & late"],
                relations: ["y = integral(-0.2 - {turn}) when !low & !late", "y := {turn} - y when turn"])"#
        ));
        for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
            let clock = Clock {
                stop: Some(2.3),
                method: Some(method),
                ..Clock::default()
            };
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::new(table.model.clone(), config).unwrap();
            run.run_to(2.2, &mut ()).unwrap();
            let y = run.real(table.real("y"));
            let sum = (3.1 * y).min(0.6) + 0.1 * (3.1 * y);
            let low = table.model.boolean("low").unwrap();
            let low = run.row().boolean(&table.model, low);
            let lands = |found: &Finding| matches!(found, Finding::OnBorder { .. });
            if run.findings().iter().any(lands) {
                assert!((sum + 0.61).abs() < 1e-15, "{method:?} {turn}: {sum}");
                assert_eq!(low, sum < -0.61, "{method:?} {turn}: {sum}");
                outcomes.insert(low);
            }
        }
    }
    assert_eq!(outcomes.len(), 2, "{outcomes:?}");
}

/// The steps of staircases are whole numbers: where one comes to a limit that is whole, rounding has no part in it.
#[test]
fn a_step_that_comes_to_its_limit_is_not_rounded() {
    for range in [
        "floor(time) >= 3",
        "2 * floor(time) > 6",
        "floor(time) + floor(x) <= 6",
        "floor(time) >= n",
    ] {
        let text = format!(
            r#"(format: 1, reals: {{"x": 0, "n": 2}}, ranges: ["reached: {range}"],
                relations: ["x = integral(1)", "n := n + 1 when every(2.5)"])"#
        );
        let table = Table::from_text(&text);
        let clock = Clock {
            stop: Some(6.3),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        run.run_to(6.3, &mut ()).unwrap();
        let lands = |found: &&Finding| matches!(found, Finding::OnBorder { .. });
        assert_eq!(run.findings().iter().find(lands), None, "{range}");
    }
}

/// A kink behind which a bound stands still, with a state at rest on it, is no jump onto a border: 3 cos(t) passes 1.
#[test]
fn a_bound_that_comes_to_rest_is_no_jump() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"x": 0, "u": 0, "p": 2},
            relations: ["x = 3 * cos(time)", "u = x - min(x, 1)", "p = integral(0)", "p = min(p, u + 0.5)"])"#,
    );
    let clock = Clock {
        stop: Some(6.0),
        ..Clock::default()
    };
    let config = EventConfig::from_clock(&clock).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run_to(6.0, &mut ()).unwrap();
    assert_eq!(run.findings(), []);
    assert!((run.real(table.real("p")) - 0.5).abs() < 1e-6);
}

/// A jump that leads behind an end of a step by rounding is on the step of the number: no range holds for a microstep.
#[test]
fn a_jump_behind_the_end_of_a_step_turns_no_range() {
    let run = run(
        r#"(format: 1, name: "swap", reals: {"x": 0.017, "y": 0.017, "n": 0},
            ranges: ["late: time >= 1.3", "far: 2.94 * x <= -0.61", "near: mod((x - 1) + 0.113, 0.73) <= 0.31"],
            situations: ["event off: !near"],
            relations: ["x = integral(2.94 * cos(2.94 * time)) when !late",
                "y = integral(0.4 * cos(sign((x - 0.27) - 0.0117))) when !late & far",
                "x, y := y, x when off", "n := n + 1 when off"])"#,
        2.0,
    );
    // At 1.238 x leaves the range where the modulus jumps, and is given what it was at 0.972, where that jumps too.
    let off = run.times(&run.rises("off"));
    assert_eq!(off.len(), 6, "{off:?}");
    assert!((off[5] - 1.238_121_4).abs() < 1e-6, "{off:?}");
}

/// What a row computes of values that a jump has exchanged lies off the border that was reached: the motion there, in a mode
/// that lasts no time, says nothing of it. Ticks of 2^-16 fire once as well, and end 2e-5 from this.
#[test]
fn a_border_is_not_left_by_a_motion_away_from_it() {
    let run = run(
        r#"(format: 1, name: "exchange", reals: {"x": -0.52, "y": 1, "a": -0.52},
            ranges: ["under: x < 0.0117", "down: y < 0.83", "low: sin(a + 2 * time) < 0.31"],
            situations: ["event up: !low"],
            relations: ["x = integral(cos(3 * time) - 0.5 * x) when under", "a = x when !down",
                "y = integral(cos(3 * time) - 0.5 * y) when !down", "x, y := y, x when up"])"#,
        2.0,
    );
    let up = run.times(&run.rises("up"));
    assert!(
        up.len() == 1 && (up[0] - 0.271_634_161).abs() < 1e-9,
        "{up:?}"
    );
}

/// Over `risen` y jumps as well, and until that has turned x would go back: no tick sees x do so.
#[test]
fn a_border_is_left_by_the_motion_that_follows_all_jumps() {
    let run = run(
        r#"(format: 1, name: "both", reals: {"x": -0.52, "y": 0.017},
            ranges: ["risen: 0.4 * y > 0.07", "near: -1.6 * x < 0.31"],
            situations: ["event hit: near"],
            relations: ["x = integral(-0.7 * sin(x - 1.6 * time)) when risen",
                "x = integral(0.4 * cos(max(3.1 * y, 0.12))) when !risen", "y := y + 0.5 when hit"])"#,
        2.0,
    );
    let hit = run.times(&run.rises("hit"));
    assert!(
        hit.len() == 1 && (hit[0] - 0.821_532_942_547_907).abs() < 1e-9,
        "{hit:?}"
    );
}

/// A size that is held is looked at for itself, not for what it was the size of.
#[test]
fn sizes_that_are_held_say_nothing_of_what_goes_on() {
    let table = |end: &str, v: &str| {
        let text = r#"(format: 1, name: "held", reals: {"v": 1, "a": 0},
            ranges: ["late: time >= 0.5", "early: time < END", "again: time >= 2.5", "any: a > 0", "none: a <= 0",
                "far: a > 0.2"],
            situations: ["open: late & early", "open: again"],
            relations: ["v = WAY", "a = abs(v) when open"])"#;
        run(&text.replace("END", end).replace("WAY", v), 3.0)
    };
    // v passes 0 while its size is computed.
    let open = table("1.5", "integral(-1)");
    assert_eq!(changes(&open, "any"), [vec![0.5], vec![]]);
    assert_eq!(changes(&open, "none"), [vec![], vec![0.5]]);
    assert_eq!(changes(&open, "far"), [vec![0.5, 1.2], vec![0.8]]);
    // v passes 0 while 0.25 is held.
    let held = table("0.75", "integral(-1)");
    assert_eq!(changes(&held, "any"), [vec![0.5], vec![]]);
    assert_eq!(changes(&held, "none"), [vec![], vec![0.5]]);
    assert_eq!(changes(&held, "far"), [vec![0.5], vec![]]);
    // It is 0, exactly, when it begins to be held.
    let zero = table("1", "1 - time");
    assert_eq!(changes(&zero, "any"), [vec![0.5, 2.5], vec![1.0]]);
    assert_eq!(changes(&zero, "none"), [vec![1.0], vec![0.5, 2.5]]);
    assert_eq!(changes(&zero, "far"), [vec![0.5, 2.5], vec![0.8]]);
}

/// A slide ends where the law that held the state on its border is no longer in force.
#[test]
fn a_slide_ends_with_the_kink_that_made_it() {
    let run = run(
        r#"(format: 1, name: "stick", reals: {"v": 1, "F": 0, "s": 0}, ranges: ["touch: time < 2"],
            relations: ["s = sign(v) when touch", "F = -2 * s when touch", "F = 0.5 otherwise", "v = integral(F)"])"#,
        3.0,
    );
    assert!((run.last("v") - 0.5).abs() < 1e-12, "{}", run.last("v"));
}

/// A jump over a kink and back up on its other branch passes nothing that lies behind the kink: neither a
/// comparison with the kink in it, nor one with a real that has it, nor kinks within each other.
#[test]
fn what_lies_behind_a_kink_is_not_passed_by_a_jump_over_it() {
    for (margin, row) in [
        ("abs(goal - 3)", "d = 1"),
        ("d", "d = abs(goal - 3)"),
        ("max(goal - 3, 3 - goal)", "d = 1"),
        ("abs(abs(goal - 4.5) - 1.5)", "d = 1"),
        ("abs(e - 1.5)", "e = abs(goal - 4.5)"),
    ] {
        let run = run(
            &format!(
                r#"(format: 1, name: "lift", reals: {{"goal": 0, "n": 0, "d": 3, "e": 4.5, "x": 0}},
                    ranges: ["there: {margin} < 0.1"],
                    situations: ["event go: every(10, 2)", "event arrive: there"],
                    relations: ["goal := 9 when go", "{row}", "n := n + 1 when arrive", "x = integral(goal)"])"#
            ),
            4.0,
        );
        let never: [Vec<f64>; 2] = Default::default();
        assert_eq!(changes(&run, "there"), never, "{margin}");
        assert_eq!(run.at(4.0, "n"), 0.0, "{margin}");
        assert!((run.at(4.0, "x") - 18.0).abs() < 1e-9, "{margin}");
    }
}

/// A state that an event carries off the border along which it slides comes back by its motion.
#[test]
fn a_jump_ends_a_slide() {
    for (jump, way) in [
        ("x := 0.5", -1.0),
        ("x := -0.5", 1.0),
        ("b := 0.5", 1.0),
        ("b := -0.5", -1.0),
    ] {
        let text = r#"(format: 1, name: "kicked", reals: {"x": 1, "b": 0, "u": 0}, ranges: ["over: x > b"],
            situations: ["event kick: every(2)"],
            relations: ["u = -1 when over", "u = 1 otherwise", "x = integral(u)", "JUMP when kick"])"#;
        let table = Table::from_text(&text.replace("JUMP", jump));
        // Without location it does not slide.
        for locate in Locate::ALL.into_iter().filter(|it| *it != Locate::None) {
            let mut exact = Exact::new(table.clone(), 3.75, Accuracy::Tight).every(0.25);
            exact.config.locate = locate;
            let run = exact.run();
            for (time, known) in [(1.75, 0.0), (2.25, -0.25 * way), (2.75, 0.0), (3.75, 0.0)] {
                let row = run.trace.time.iter().rposition(|&t| t <= time);
                let [x, b] = ["x", "b"].map(|name| run.at_row(row.unwrap(), name));
                let what = format!("{jump} {locate:?} at {time}");
                assert!((x - b - known).abs() < 1e-9, "{what}: {x} {b} {known}");
            }
        }
    }
}
