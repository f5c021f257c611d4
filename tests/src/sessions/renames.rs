//! Names that are changed in mid-run: the run has the bits that it would have had, and the table says the same.

use std::path::Path;

use serde_json::{Map, Value};
use situ_console::Console;
use situ_rules::edit::rename;

use crate::sessions::random::{Dice, Talk, runs, tables};

/// What a refusal says: the name stands in another table, or the new one would be read as something else.
const REFUSED: [&str; 5] = [
    "it is called after its row",
    "which this table extends",
    "whose table is",
    "would not mean the same",
    "is an element of",
];

/// Gives some names of a run new ones; the pairs.
fn renamed(talk: &mut Talk, dice: &mut Dice) -> Vec<(String, String)> {
    let values = talk.must("vars");
    let names: Vec<String> = values.as_object().unwrap().keys().cloned().collect();
    let mut pairs = Vec::new();
    for number in 0..4 {
        let old = &names[usize::try_from(dice.below(names.len() as u64)).unwrap()];
        if pairs
            .iter()
            .any(|(known, _): &(String, String)| old.contains(&**known))
        {
            continue;
        }
        let new = match number % 2 {
            0 => format!("renamed_{number}"),
            _ => format!("new name {number}"),
        };
        let reply = talk.say(&format!("rename `{old}` `{new}`"));
        if reply.failed {
            let known = REFUSED.iter().any(|why| reply.text.contains(why));
            assert!(known, "{}\n{}", talk.told, reply.text);
            continue;
        }
        let full = match old.rsplit_once('.') {
            Some((machine, _)) => format!("{machine}.{new}"),
            None => new,
        };
        pairs.push((old.clone(), full));
    }
    pairs
}

fn under(values: &Value, pairs: &[(String, String)]) -> Map<String, Value> {
    let mut map = values.as_object().unwrap().clone();
    for (old, new) in pairs {
        for (old, new) in [
            (old.clone(), new.clone()),
            (format!("rate({old})"), format!("rate({new})")),
        ] {
            if let Some(value) = map.remove(&old) {
                map.insert(new, value);
            }
        }
    }
    map
}

fn goes_on(table: &Path, stepping: &'static str, seed: u64) -> usize {
    let mut dice = Dice(seed);
    let (mut talk, mut other) = (Talk::on(table, stepping), Talk::on(table, stepping));
    let before = format!("step {}", dice.below(200));
    talk.say(&before);
    other.say(&before);
    let pairs = renamed(&mut talk, &mut dice);
    let (here, there) = (talk.say("step 300"), other.say("step 300"));
    assert_eq!(here.failed, there.failed, "{}\n{}", talk.told, here.text);
    let (state, expected) = (talk.state(), other.state());
    assert_eq!(state["time"], expected["time"], "{}", talk.told);
    let expected = under(&expected["values"], &pairs);
    assert_eq!(
        state["values"].as_object(),
        Some(&expected),
        "{}",
        talk.told
    );
    pairs.len()
}

#[test]
fn a_run_goes_on_with_the_same_bits_under_other_names() {
    let mut count = 0;
    for table in tables() {
        for stepping in ["tick", "events"] {
            if runs(&table, stepping) {
                count += goes_on(&table, stepping, 7_000 + count as u64);
            }
        }
    }
    assert!(count > 100, "only {count} names could be changed");
}

/// All kinds of names in all kinds of places.
const TABLE: &str = r#"(
    format: 1, name: "k", about: "k and the rest",
    clock: (stop: "2 * k", stepping: events),
    constants: {"k": 2, "N": "k + 1", "c[j]": "j * k"},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": (start: "k", unit: "k"), "out": (start: 0, before: "k * time"), "A": 1, "B": 0, "y": 1},
    lookups: {"f": (x: [0, 1], y: [0, 1], kind: "linear", outside: "hold")},
    ranges: ["[k] high: out > k", (name: "low", all: ["out < -k"])],
    situations: ["event rise: high"],
    relations: [
        "u[j] = integral(k - u[j]) # k pulls",
        "[2 after k2] out = f(y) + k * sum(u[j] for j)", /*off: "out = k + 1", */
        "[k2] y = integral(1 - k * y)",
    ],
    reactions: ["[r] 2A -> B : k"],
    machines: {"door": (start: "open", states: {"open": [], "shut": ["B = integral(k) when door.shut"]},
        transitions: ["open -> shut when high: out := k", "shut -> open when low & door.shut"])},
    expect: ["max(out) < 100 * k"],
    scene: (view: ("-k", 1, 1, -1), rows: ["text: at (k, out), 'k = {k}'"]),
)"#;

#[test]
fn a_name_is_changed_wherever_it_stands() {
    insta::assert_snapshot!(rename(TABLE, "k", "rate").unwrap(), @r#"
(
    format: 1, name: "k", about: "k and the rest",
    clock: (stop: "2 * rate", stepping: events),
    constants: {"rate": 2, "N": "rate + 1", "c[j]": "j * rate"},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": (start: "rate", unit: "k"), "out": (start: 0, before: "rate * time"), "A": 1, "B": 0, "y": 1},
    lookups: {"f": (x: [0, 1], y: [0, 1], kind: "linear", outside: "hold")},
    ranges: ["[k] high: out > rate", (name: "low", all: ["out < -rate"])],
    situations: ["event rise: high"],
    relations: [
        "u[j] = integral(rate - u[j]) # k pulls",
        "[2 after k2] out = f(y) + rate * sum(u[j] for j)", /*off: "out = rate + 1", */
        "[k2] y = integral(1 - rate * y)",
    ],
    reactions: ["[r] 2A -> B : rate"],
    machines: {"door": (start: "open", states: {"open": [], "shut": ["B = integral(rate) when door.shut"]},
        transitions: ["open -> shut when high: out := rate", "shut -> open when low & door.shut"])},
    expect: ["max(out) < 100 * rate"],
    scene: (view: ("-rate", 1, 1, -1), rows: ["text: at (rate, out), 'k = {rate}'"]),
)
"#);
    let text = rename(TABLE, "door.shut", "door.closed").unwrap();
    let text = rename(&text, "A", "C2 H6").unwrap();
    let text = rename(&text, "j", "i").unwrap();
    let text = rename(&text, "f", "law").unwrap();
    let text = rename(&text, "high", "above").unwrap();
    insta::assert_snapshot!(text, @r#"
    (
        format: 1, name: "k", about: "k and the rest",
        clock: (stop: "2 * k", stepping: events),
        constants: {"k": 2, "N": "k + 1", "c[i]": "i * k"},
        counters: {"i": "1 .. N"},
        reals: {"u[i]": (start: "k", unit: "k"), "out": (start: 0, before: "k * time"), "`C2 H6`": 1, "B": 0, "y": 1},
        lookups: {"law": (x: [0, 1], y: [0, 1], kind: "linear", outside: "hold")},
        ranges: ["[k] above: out > k", (name: "low", all: ["out < -k"])],
        situations: ["event rise: above"],
        relations: [
            "u[i] = integral(k - u[i]) # k pulls",
            "[2 after k2] out = law(y) + k * sum(u[i] for i)", /*off: "out = k + 1", */
            "[k2] y = integral(1 - k * y)",
        ],
        reactions: ["[r] 2 `C2 H6` -> B : k"],
        machines: {"door": (start: "open", states: {"open": [], "closed": ["B = integral(k) when door.closed"]},
            transitions: ["open -> closed when above: out := k", "closed -> open when low & door.closed"])},
        expect: ["max(out) < 100 * k"],
        scene: (view: ("-k", 1, 1, -1), rows: ["text: at (k, out), 'k = {k}'"]),
    )
    "#);
}

fn said(lines: &[&str]) -> String {
    let mut console = Console::default();
    for line in &lines[..lines.len() - 1] {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
    }
    console.execute(lines[lines.len() - 1], &mut ()).text
}

#[test]
fn what_cannot_be_renamed_is_said() {
    let given = ["real x = 1", "constant k = 2", "x = integral(-k * x)"];
    let said = |line| said(&[&given[..], &[line]].concat());
    let all = [
        said("rename"),
        said("rename x"),
        said("rename x k"),
        said("rename z y"),
        said("rename x a b"),
        said("rename x time"),
        said("rename x x"),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    error: `rename` needs a name and the one it gets
      say `rename P force`

    error: `rename` needs a name and the one it gets
      say `rename P force`

    error: something is called `k` already

    error: the model has no `z`
      `vars` lists all names

    error: `rename` needs a name and the one it gets
      say `rename P force`

    error: something is called `time` already

    error: something is called `x` already
    "#);
}

#[test]
fn stops_and_what_was_set_get_the_new_name() {
    let given = [
        "real x = 1",
        "constant k = 2",
        "x = integral(-k * x)",
        "set k = 3",
        "break x < 0.5",
        "watch x",
        "display 2 * x",
        "rename x `the level`",
        "rename k speed",
    ];
    let said = |lines: &[&str]| said(&[&given[..], lines].concat());
    let all = [
        said(&["stops"]),
        said(&["vars"]),
        said(&["rules"]),
        said(&["step 3"]),
        said(&["undo", "undo", "vars"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    number   stops on
    ────────────────────────────
         1   `the level` < 0.5
         2   change `the level`

    name          is         value
    ───────────────────────────────
    speed         constant       3
    `the level`   real           1

    relations
      [1] `the level` = integral(-speed * `the level`)

    t = 0.001, step 1
      stopped: watch 2: change `the level`
      `the level` = 0.997
      2 * `the level` = 1.994

    name   is         value
    ────────────────────────
    k      constant       3
    x      real           1
    "#);
}

#[test]
fn a_counter_gets_another_name() {
    let files = situ_console::MemoryFiles::default();
    files.put(
        "row.ron",
        r#"(format: 1, clock: (step: 0.1, stop: 1), counters: {"j": "1 .. 3"}, reals: {"u[j]": "j", "s": 0},
        relations: ["u[j] = integral(-u[j]) for j in 2 .. 3", "s = sum(u[j] for j)"])"#,
    );
    let mut console = Console::new(std::sync::Arc::new(files.clone()));
    for line in ["load row.ron", "run to 0.5", "rename j at", "save at.ron"] {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
    }
    let text = files.get("at.ron").unwrap();
    for part in [
        r#"{"at": "1 .. 3"}"#,
        r#""u[at]": "at""#,
        "u[at] = integral(-u[at]) for at in 2 .. 3",
        "sum(u[at] for at)",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
