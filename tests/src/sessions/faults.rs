//! Going back in runs that fail or spend a budget, and runs that go on after a change that is none of theirs.

use std::sync::Arc;

use situ_console::{Console, MemoryFiles, Reply};

/// A session with a table in a file.
fn session(table: &str) -> Console {
    let files = MemoryFiles::default();
    files.put("table.ron", table);
    let mut console = Console::new(Arc::new(files));
    assert!(!say(&mut console, "load table.ron").failed);
    console
}

fn say(console: &mut Console, line: &str) -> Reply {
    console.execute(line, &mut ())
}

/// What a session answers, all of it without a fault.
fn answers(console: &mut Console, lines: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    for line in lines {
        let reply = say(console, line);
        assert!(!reply.failed, "{line}: {}", reply.text);
        answers.push(reply.text);
    }
    answers
}

const BEATS: &str = r#"(format: 1, clock: (stepping: events, stop: 6, MORE rtol: 1e-9, step: 0.01),
    constants: {"k": 1}, reals: {"x": 1, "v": 0, "y": 0},
    ranges: ["L: time >= 2", "M: time < 4", "low: x < 0.2"], situations: ["event e: low", "event b: every(1.5)"],
    relations: ["v = integral(-k*x)", "v = integral(-0.5*v) when L", "x = integral(v)", "x := x + 0.1 when b",
        "v := -v when e", "[y] y = x*v when M"])"#;

#[test]
fn steps_that_are_done_again_spend_no_budget() {
    let mut console = session(&BEATS.replace("MORE", "max_steps: 25,"));
    for _ in 0..9 {
        answers(&mut console, &["goto start", "finish", "coverage"]);
    }
    assert_eq!(console.time(), 6.0);
}
