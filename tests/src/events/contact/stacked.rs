//! A ball on a ball on the floor: bounces gather on the floor between two blows of the upper ball, and in the end both lie.
//! Laws of impact with and without the direction of the speed in their condition.

use situ_engine::Method;
use situ_engine::sim::{EventConfig, EventRun};

use crate::tables::Table;

fn stacked(e: f64, upper: f64, [floor, ball]: [&str; 2]) -> Table {
    Table::from_text(&format!(
        r#"(format: 1, name: "stacked", clock: (stepping: events, stop: 4),
            constants: {{"g": 9.81, "e": {e}, "m1": 1, "m2": {upper}}},
            reals: {{"x1": 1, "v1": 0, "x2": 1.5, "v2": 0}},
            situations: ["event f: x1 <= 0{floor}", "event h: x2 - x1 <= 0{ball}"],
            relations: [
                "v1 := -e * v1 when f",
                "v1, v2 := (m1 * v1 + m2 * v2 - e * m2 * (v1 - v2)) / (m1 + m2), (m1 * v1 + m2 * v2 + e * m1 * (v1 - v2)) / (m1 + m2) when h",
                "v1 = integral(-g)", "v2 = integral(-g)", "x1 = integral(v1)", "x2 = integral(v2)",
            ])"#
    ))
}

fn ends(table: Table, method: Method) -> [f64; 4] {
    let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
    config.settings.method = method;
    let mut run = EventRun::new(table.model, config).unwrap();
    run.run(&mut ()).unwrap();
    let reals = run.row().reals;
    [reals[0], reals[1], reals[2], reals[3]]
}

/// Blows that are too weak to count are undone where a ball lies; the one that strikes it comes to rest as well.
#[test]
fn both_balls_lie_in_the_end() {
    let laws = [
        [" & v1 < 0", " & v2 < v1 & !f"],
        [" & v1 < 0", " & v2 < v1"],
        ["", " & !f"],
    ];
    for law in laws {
        for e in [0.3, 0.5, 0.6, 0.7, 0.8] {
            for upper in [0.5, 1.0, 2.0] {
                let ends = ends(stacked(e, upper, law), Method::Auto);
                let lie = ends.iter().all(|value| value.abs() < 1e-5);
                assert!(lie, "{law:?} e = {e}, m2 = {upper}: {ends:?}");
            }
        }
    }
}

/// A ball that lies and is pushed up with hardly any speed comes back to rest: its bounces are too short to be told.
#[test]
fn a_ball_thrown_up_with_hardly_any_speed_lies_again() {
    for speed in [1e-9, 1e-10, 1e-11, 1e-12] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "nudged", clock: (stepping: events, stop: 1.9), reals: {{"x": 0, "v": 0}},
                situations: ["event f: x <= 0 & v < 0"],
                relations: ["v := -0.6 * v when f", "v := {speed} when every(1)",
                    "v = integral(-9.81) when time >= 1", "x = integral(v)"])"#
        ));
        let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
        config.settings.method = Method::Tsit5;
        let mut run = EventRun::new(table.model, config).unwrap();
        run.run(&mut ()).unwrap();
        let x = run.row().reals[0];
        assert!(x.abs() < 1e-9, "{speed}: {x}");
    }
}
