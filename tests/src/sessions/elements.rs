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

#[test]
fn an_edit_means_the_row_that_is_written() {
    let folder = crate::cli::Folder::with(&[(
        "rod.ron",
        r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    constants: {"N": 3},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 0, "x": 0},
    ranges: ["hot[j]: u[j] > 0.5"],
    relations: [
        "[grow] u[j] = integral(1)",
        "[last] x = u[N]",
    ],
)
"#,
    )]);
    let load = format!("load {}", folder.path("rod.ron").display());
    let mut console = console();
    for (line, row) in [
        ("disable grow[2]", "grow"),
        ("drop relations.grow[2]", "grow"),
        ("replace grow[2]: u[j] = integral(2)", "grow"),
        ("drop hot[2]", "1"),
    ] {
        say(&mut console, &load);
        refused(
            &mut console,
            line,
            &format!("is one element of row `{row}`"),
        );
    }
    say(&mut console, "replace grow: u[j] = integral(2)");
    say(&mut console, "step 10");
    assert!(say(&mut console, "u[3]").contains("u[3] = 2"));
    say(&mut console, "disable grow");
    say(&mut console, "step 1");
    assert!(say(&mut console, "u[3]").contains("u[3] = 2"));
    say(&mut console, "enable grow");
    say(&mut console, "drop hot");
    refused(&mut console, "hot[1]", "hot");
    say(&mut console, "drop grow");
    assert!(!say(&mut console, "rules").contains("integral"));
    // A row of a table that is extended.
    let own = folder.path("own.ron");
    std::fs::write(&own, r#"(format: 1, extends: "rod.ron")"#).unwrap();
    say(&mut console, &format!("load {}", own.display()));
    say(&mut console, "drop grow");
    assert!(!say(&mut console, "rules").contains("integral"));
    say(&mut console, "enable grow");
    assert!(say(&mut console, "rules").contains("integral"));
}

/// A row with several targets is one row, whatever its targets are called.
#[test]
fn an_edit_means_all_targets_of_a_row() {
    let table = r#"(format: 1, clock: (step: 1, stop: 10), reals: {"x": 0, "a": 1, "`b c`": 2},
    relations: [
        "[r1] x = integral(1)",
        "[r2] a, `b c` = `b c`, a",
    ])"#;
    let folder = crate::cli::Folder::with(&[("swap.ron", table)]);
    let load = format!("load {}", folder.path("swap.ron").display());
    let mut console = console();
    for element in ["r2[a]", "r2[b c]"] {
        for line in [
            format!("drop {element}"),
            format!("disable {element}"),
            format!("replace {element}: a = 3"),
        ] {
            say(&mut console, &load);
            refused(&mut console, &line, "is one element of row `r2`");
        }
    }
    let rules = |console: &mut Console| say(console, "rules");
    assert!(say(&mut console, "show rule r2").contains("a = `b c`"));
    say(&mut console, "break rule r2");
    say(&mut console, "move r2 before r1");
    say(&mut console, "add after r2: x = 3");
    let moved = rules(&mut console);
    let at = |text: &str| moved.find(text).unwrap();
    assert!(
        at("a = `b c`") < at("x = 3") && at("x = 3") < at("integral"),
        "{moved}"
    );
    say(&mut console, "replace r2: a, `b c` = 4, 5");
    let replaced = rules(&mut console);
    assert!(
        replaced.contains("a = 4") && replaced.contains("`b c` = 5"),
        "{replaced}"
    );
    say(&mut console, "disable r2");
    assert!(!rules(&mut console).contains("a = 4"));
    say(&mut console, "enable r2");
    assert!(rules(&mut console).contains("a = 4"));
    say(&mut console, "drop r2");
    assert!(!rules(&mut console).contains("a = 4"));
}

#[test]
fn an_element_of_a_grid_is_one_name() {
    let mut console = console();
    say(&mut console, "real g[1 .. 2, 1 .. 2] = 7");
    say(&mut console, "real `a b` = 3");
    assert!(say(&mut console, "g[2,1]").contains("g[2,1] = 7"));
    let both = say(&mut console, "print u[1], g[2, 1], max(g[1,1], u[0])");
    assert!(both.contains("u[1] = 2") && both.contains("= 7"), "{both}");
    say(&mut console, "step 2");
    for line in [
        "plot g[2,1]",
        "plot g[2, 1] `a b`, u[1]",
        "trace g[2,1]",
        "trace `a b`",
    ] {
        say(&mut console, line);
    }
}
