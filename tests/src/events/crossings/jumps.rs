//! States after values have jumped: counters, staircases, samples.

use situ_engine::Locate;

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
