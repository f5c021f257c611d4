//! Arguments that leave nothing of a procedure.

use super::{Lists, check_table, line};
use crate::check::Budget;

#[test]
fn arguments_that_leave_nothing_are_found() {
    let found = |row: &str| {
        let text = Lists {
            constants: r#""low": 0.5, "high": -0.5, "f": 0, "T": 2"#,
            reals: r#""x": 0, "u": 0.2"#,
            relations: &[row],
            ..Lists::default()
        };
        let found = check_table(&text.text(), Budget::default());
        let found = found.iter().find(|one| one.code == "C045");
        found.map_or(String::new(), line)
    };
    for (row, why) in [
        ("x = sine_wave(0, 5)", "its frequency is 0"),
        ("x = pulse(1, 5)", "its pulses are as long as their period"),
        ("x = 2 * pulse(0, 1)", "its period is not above 0"),
        (
            "x = 1 + pulse(T, T)",
            "its pulses are as long as their period",
        ),
        (
            "x = clamp(u, 0.5, -0.5)",
            "its lower border lies above its upper one",
        ),
        (
            "x = hysteresis(u, low, high)",
            "its lower border lies above its upper one",
        ),
    ] {
        let said = found(row);
        assert!(
            said.starts_with("warning C045: ") && said.ends_with(why),
            "{row}: {said}"
        );
    }
    for row in [
        "x = sine_wave(5, 0)",
        "x = sine_wave(f, 5)",
        "x = pulse(5, 1)",
        "x = pulse(u, 1)",
        "x = clamp(u, high, low)",
        "x = clamp(u, low, x)",
        "x = hysteresis(u, 0.5, 0.5)",
    ] {
        assert_eq!(found(row), "", "{row}");
    }
}
