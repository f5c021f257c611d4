//! Random tables without mistakes, with a bit of everything that a tick can do.

use std::fmt::Write as _;

use super::choices::Choices;

const CONSTANTS: [&str; 3] = ["K", "c", "tau"];
const REALS: [&str; 5] = ["x", "y", "v", "F", "угол"];
const SWITCHES: [&str; 2] = ["on", "armed"];
const RANGES: [&str; 3] = ["low", "far", "up"];
const NUMBERS: [&str; 10] = [
    "0", "1", "-1", "0.5", "2", "-0.25", "3", "1e3", "0.1", "-7.5",
];

/// Rates without kinks.
const RATES: [&str; 10] = [
    "-1 * x",
    "-9.81",
    "v",
    "F - v",
    "sin(x) - K * v",
    "cos(time)",
    "-c * F",
    "K * time - y",
    "x * v",
    "1",
];

/// The text of a table.
pub(super) fn table(choices: &mut Choices<'_>) -> String {
    let mut text = String::from("(format: 1, clock: (step: 0.125, stop: 8),\nconstants: {");
    for name in CONSTANTS {
        let value = choices.of(&["0.25", "1", "0.5", "2", "0.125", "1.5"]);
        write!(text, "\"{name}\": {value}, ").unwrap();
    }
    text.push_str("},\nreals: {");
    for name in REALS {
        write!(text, "\"{name}\": {}, ", choices.of(&NUMBERS)).unwrap();
    }
    text.push_str("},\nswitches: {");
    for name in SWITCHES {
        write!(text, "\"{name}\": {}, ", choices.of(&["false", "true"])).unwrap();
    }
    text.push_str("},\nranges: [\n");
    for name in RANGES {
        let mut all = comparison(choices);
        if choices.once_in(3) {
            all = format!("{all} & {}", comparison(choices));
        }
        let mark = match choices.below(8) {
            0 => "noevent ",
            1 => "smooth ",
            _ => "",
        };
        writeln!(text, "  \"{mark}{name}: {all}\",").unwrap();
    }
    text.push_str("],\nsituations: [\n");
    let mut booleans: Vec<&str> = SWITCHES.into_iter().chain(RANGES).collect();
    let mut events = Vec::new();
    for name in ["s1", "s2", "e1", "e2"] {
        let event = name.starts_with('e');
        for _ in 0..1 + choices.below(2) {
            let all = condition(choices, &booleans);
            let mark = if event { "event " } else { "" };
            writeln!(text, "  \"{mark}{name}: {all}\",").unwrap();
        }
        booleans.push(name);
        if event {
            events.push(name);
        }
    }
    text.push_str("],\nassignments: [\n");
    for _ in 0..choices.below(4) {
        let all = condition(choices, &booleans);
        let switch = choices.of(&SWITCHES);
        let not = choices.of(&["", "!"]);
        writeln!(text, "  \"when {all}: {not}{switch}\",").unwrap();
    }
    text.push_str("],\nrelations: [\n");
    let mut otherwise = Vec::new();
    for _ in 0..1 + choices.below(9) {
        let row = relation(choices, &booleans, &events, &mut otherwise);
        writeln!(text, "  \"{row}\",").unwrap();
    }
    text.push_str("])\n");
    text
}

/// The text of a table whose reals move by expressions of each other, with events in between.
pub(super) fn motion(choices: &mut Choices<'_>) -> String {
    let mut text = String::from(
        "(format: 1, clock: (stop: 1),\nconstants: {\"K\": 0.25, \"c\": 1.5, \"tau\": 0.5},\nreals: {",
    );
    for name in REALS {
        write!(text, "\"{name}\": {}, ", choices.of(&NUMBERS)).unwrap();
    }
    let (far, over) = (comparison(choices), comparison(choices));
    writeln!(
        text,
        "}},\nranges: [\"far: {far}\", \"over: {over}\"],\nsituations: [\"event e1: over\"],\nrelations: ["
    )
    .unwrap();
    // What follows from others must not read itself.
    let follows = expression(choices, 2).replace('F', "x");
    writeln!(text, "  \"F = {follows}\",").unwrap();
    for name in ["x", "y", "v"] {
        let rate = expression(choices, 3);
        let when = choices.of(&["", "", " when far", " when !far"]);
        writeln!(text, "  \"{name} = integral(0.5 * ({rate})){when}\",").unwrap();
    }
    let value = expression(choices, 2).replace('F', "y");
    writeln!(text, "  \"v := {value} when e1\",\n])").unwrap();
    text
}

/// The text of a table in which nothing happens.
pub(super) fn smooth(choices: &mut Choices<'_>) -> String {
    let mut text = String::from(
        "(format: 1, clock: (stop: 3),\nconstants: {\"K\": 0.25, \"c\": 1.5},\nreals: {",
    );
    for name in REALS {
        write!(text, "\"{name}\": {}, ", choices.of(&NUMBERS)).unwrap();
    }
    let follows = choices.of(&["x * x", "sin(x)", "x - v", "1 * угол", "1 / (x - c)"]);
    writeln!(text, "}},\nrelations: [\n  \"F = {follows}\",").unwrap();
    for name in ["x", "y", "v"] {
        let (first, second) = (choices.of(&RATES), choices.of(&RATES));
        writeln!(text, "  \"{name} = integral({first} + c * ({second}))\",").unwrap();
    }
    text.push_str("])\n");
    text
}

/// The text of a table whose reals move freely between borders that are affine, most of the time.
pub(super) fn flights(choices: &mut Choices<'_>) -> String {
    let mut text = String::from(
        "(format: 1, clock: (stop: 3),\nconstants: {\"K\": 0.25, \"c\": 1.5, \"tau\": 0.5},\nreals: {",
    );
    for name in REALS {
        write!(text, "\"{name}\": {}, ", choices.of(&NUMBERS)).unwrap();
    }
    text.push_str("},\nswitches: {\"on\": false, \"armed\": true},\nranges: [\n");
    for name in RANGES {
        let op = choices.of(&["<", "<=", ">", ">="]);
        let left = match choices.below(8) {
            0 => "x * y",
            1 => "F",
            2 => "time - c",
            3 => "x + 2 * v",
            4 => "y - tau * time",
            _ => choices.of(&["x", "y", "v"]),
        };
        let right = choices.of(&["0", "0.5", "K", "-c", "угол", "1e-3"]);
        writeln!(text, "  \"{name}: {left} {op} {right}\",").unwrap();
    }
    let situations = [
        ("event e1", literals(choices, &RANGES)),
        ("s1", literals(choices, &["low", "far", "on"])),
        (
            "event e2",
            choices
                .of(&["every(0.5)", "up", "far & !on", "every(K, 0.1)"])
                .to_owned(),
        ),
    ];
    text.push_str("],\nsituations: [\n");
    for (name, all) in situations {
        writeln!(text, "  \"{name}: {all}\",").unwrap();
    }
    text.push_str("],\nassignments: [\n");
    for switch in ["on", "!on", "armed", "!armed"] {
        if choices.once_in(2) {
            let all = choices.of(&["low", "!far", "up & s1", "e1", "e2", "far"]);
            writeln!(text, "  \"when {all}: {switch}\",").unwrap();
        }
    }
    text.push_str("],\nrelations: [\n");
    let jump = choices.of(&[
        "v := -0.5 * v",
        "v := -1 * v",
        "x, v := 1, -v",
        "y := y + 0.5",
        "угол := x",
    ]);
    writeln!(text, "  \"{jump} when e1\",").unwrap();
    if choices.once_in(2) {
        let jump = choices.of(&["y := 0", "v := v + K", "угол := угол + 1"]);
        writeln!(text, "  \"{jump} when e2\",").unwrap();
    }
    let follows = choices.of(&[
        "x * x",
        "sin(x)",
        "x - v",
        "1 * угол",
        "sqrt(abs(y))",
        "1 / (x - c)",
    ]);
    writeln!(text, "  \"F = {follows}\",").unwrap();
    for name in ["x", "y", "v"] {
        let when = choices.of(&[
            "",
            "",
            "",
            " when s1",
            " when !s1",
            " when on",
            " when armed",
        ]);
        writeln!(
            text,
            "  \"{name} = integral({}){when}\",",
            choices.of(&RATES)
        )
        .unwrap();
        if choices.once_in(3) {
            let when = choices.of(&["low", "!low", "s1", "on"]);
            writeln!(
                text,
                "  \"{name} = integral({}) when {when}\",",
                choices.of(&RATES)
            )
            .unwrap();
        }
    }
    text.push_str("])\n");
    text
}

/// A row of `relations`. `otherwise`: the reals that have a row with `otherwise`.
fn relation(
    choices: &mut Choices<'_>,
    booleans: &[&str],
    events: &[&str],
    otherwise: &mut Vec<&'static str>,
) -> String {
    let target = choices.of(&REALS);
    if choices.once_in(8) {
        let other =
            REALS[(REALS.iter().position(|real| *real == target).unwrap() + 1) % REALS.len()];
        let event = choices.of(&[
            events[0],
            events[1],
            "start",
            "every(0.5)",
            "every(tau, 0.25)",
        ]);
        let values = [expression(choices, 2), expression(choices, 2)];
        return format!(
            "{target}, {other} := {}, {} when {event}",
            values[0], values[1]
        );
    }
    let memory = choices.once_in(2);
    let value = if memory {
        with_memory(choices, booleans)
    } else {
        expression(choices, 3)
    };
    match choices.below(4) {
        0 | 1 => format!("{target} = {value}"),
        2 if !memory && choices.once_in(2) => {
            let (event, sign) = (choices.of(events), choices.of(&["=", ":="]));
            format!("{target} {sign} {value} when {event}")
        }
        3 if !otherwise.contains(&target) && choices.once_in(3) => {
            otherwise.push(target);
            let all = level(choices, booleans, events);
            format!(
                "{target} = {value} when {all}\",\n  \"{target} = {} otherwise",
                choices.of(&NUMBERS)
            )
        }
        _ => {
            let all = if memory {
                level(choices, booleans, events)
            } else {
                condition(choices, booleans)
            };
            format!("{target} = {value} when {all}")
        }
    }
}

fn with_memory(choices: &mut Choices<'_>, booleans: &[&str]) -> String {
    let value = expression(choices, 2);
    let coefficient = choices.of(&["", "2 * ", "K * ", "-c * ", "-"]);
    let what = choices.of(booleans);
    match choices.below(8) {
        0 | 1 => format!("integral({coefficient}({value}))"),
        2 => format!("derivative({coefficient}({value}))"),
        3 => format!("smoothing({value}, {})", choices.of(&["tau", "0.5", "K"])),
        4 => format!(
            "delay({coefficient}({value}), {})",
            choices.of(&["tau", "0", "1", "0.375"])
        ),
        5 => format!("sample_and_hold({value}, {what})"),
        6 => format!("{}({what})", choices.of(&["counter", "timer"])),
        _ => format!(
            "hysteresis({value}, {}, {})",
            choices.of(&NUMBERS),
            choices.of(&NUMBERS)
        ),
    }
}

/// A condition that holds for more than an instant.
fn level(choices: &mut Choices<'_>, booleans: &[&str], events: &[&str]) -> String {
    let mut levels = booleans.to_vec();
    levels.retain(|name| !events.contains(name));
    literals(choices, &levels)
}

fn condition(choices: &mut Choices<'_>, booleans: &[&str]) -> String {
    match choices.below(8) {
        7 => format!("start & {}", literals(choices, booleans)),
        6 => format!(
            "{} & {}",
            choices.of(&["every(0.25)", "every(tau, 1)"]),
            literals(choices, booleans)
        ),
        _ => literals(choices, booleans),
    }
}

fn literals(choices: &mut Choices<'_>, booleans: &[&str]) -> String {
    let literals = (0..1 + choices.below(3)).map(|_| match choices.below(4) {
        0 => comparison(choices),
        1 => format!("!{}", choices.of(booleans)),
        _ => choices.of(booleans).to_owned(),
    });
    literals.collect::<Vec<_>>().join(" & ")
}

fn comparison(choices: &mut Choices<'_>) -> String {
    let op = choices.of(&["<", "<=", ">", ">="]);
    format!("{} {op} {}", expression(choices, 1), expression(choices, 1))
}

/// An expression over reals, constants, time and procedures without memory.
pub(super) fn expression(choices: &mut Choices<'_>, depth: usize) -> String {
    if depth == 0 || choices.once_in(3) {
        return match choices.below(4) {
            0 => choices.of(&REALS).to_owned(),
            1 => choices.of(&NUMBERS).to_owned(),
            2 => choices.of(&CONSTANTS).to_owned(),
            _ => choices.of(&["time", "pi", "x", "v"]).to_owned(),
        };
    }
    let below = depth - 1;
    let (a, b) = (expression(choices, below), expression(choices, below));
    match choices.below(12) {
        0 | 1 => format!("{a} + {b}"),
        2 => format!("{a} - {b}"),
        3 | 4 => format!("{a} * {b}"),
        5 => format!("{a} / ({b})"),
        6 => format!("-{a}"),
        7 => format!("({a} + {b}) * ({a} - {b})"),
        8 => format!(
            "{}({a})",
            choices.of(&["sin", "cosd", "abs", "sign", "floor", "sqrt", "atan"])
        ),
        9 => format!(
            "{}({a}, {b})",
            choices.of(&["min", "max", "mod", "atan2", "sum", "power"])
        ),
        10 => format!("({a})^{}", choices.of(&["2", "3", "0.5", "-1"])),
        _ => format!("clamp({a}, -1, {b})"),
    }
}
