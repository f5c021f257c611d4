//! Families at the prompt: what is declared, and which row an edit means.

use situ_console::Console;

use crate::tables::root;

fn console() -> Console {
    let mut console = situ_repl::console(None).unwrap();
    console.directory = root().to_owned();
    for line in ["constant N = 3", "real u[0 .. N] = 2 [m] # a rod"] {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
    }
    console
}

/// Says a line that is accepted.
#[track_caller]
fn say(console: &mut Console, line: &str) -> String {
    let reply = console.execute(line, &mut ());
    assert!(!reply.failed, "{line}\n{}", reply.text);
    reply.text
}

/// Says a line that is refused.
#[track_caller]
fn refused(console: &mut Console, line: &str, why: &str) {
    let reply = console.execute(line, &mut ());
    assert!(
        reply.failed && reply.text.contains(why),
        "{line}\n{}",
        reply.text
    );
}

#[test]
fn a_name_with_a_range_declares_a_family() {
    let mut console = console();
    assert!(say(&mut console, "u[2]").contains("u[2] = 2 m"));
    say(&mut console, "real u[0..N] = 5");
    assert!(
        say(&mut console, "u[2]").contains("u[2] = 5 m"),
        "declared anew"
    );
    say(&mut console, "constant c[1 .. 3] = 4");
    assert!(say(&mut console, "c[3]").contains("c[3] = 4"));
    say(&mut console, "switch on[1 .. 3] = true");
    assert!(say(&mut console, "on[1]").contains("true"));
    say(&mut console, "real w[1 .. 2]");
    assert!(say(&mut console, "w[2]").contains("w[2] = 0"));
    say(&mut console, "real g = 9.81[m/s^2]");
    assert!(say(&mut console, "g").contains("g = 9.81 m/s^2"));
    refused(&mut console, "switch s[j] = true", "j");
    refused(&mut console, "why u", "`u` is a family");
}
