//! Machines: published numbers, their rows written out to the last bit, and their pictures.

use std::fmt::Write as _;

use situ_engine::Method;
use situ_engine::model::IntegralRule;
use situ_rules::{mermaid, print, resolve};

use crate::events::{Accuracy, Exact, Judge, at_both, entries, known, list, number};
use crate::tables::{Table, literal};

const PENDULUM: &str = r#"(format: 1,
    constants: {"g": 9.81, "l": 1, "ang_max": 0.5, "ground": -3},
    reals: {"ang": -1.2, "om": 0, "px": 0, "py": 0, "vx": 0, "vy": 0},
    machines: {"pendulum": (start: "swings", states: {
        "swings": ["om = integral(-g / l * sin(ang))", "ang = integral(om)"],
        "flies":  ["vx = integral(0)", "vy = integral(-g)", "px = integral(vx)", "py = integral(vy)"],
        "lies": [],
    }, transitions: [
        "[break] swings -> flies when ang >= ang_max: px := l*sin(ang); py := -l*cos(ang); vx := l*om*cos(ang); vy := l*om*sin(ang)",
        "[ground] flies -> lies when py <= ground",
    ])})"#;

#[test]
fn a_pendulum_breaks() {
    at_both(|accuracy| {
        let known = known("pendulum_break");
        let mut judge = Judge::new(accuracy);
        let run = Exact::new(Table::from_text(PENDULUM), 1.6, accuracy).run();
        let tolerance = number(&known["tolerance"]["abs"]);
        let breaks = run.fired("pendulum.break");
        let grounds = run.fired("pendulum.ground");
        assert_eq!((breaks.len(), grounds.len()), (1, 1));
        let times = (run.times(&breaks)[0], run.times(&grounds)[0]);
        judge.near("break", times.0, number(&known["break_time"]), tolerance);
        judge.near("ground", times.1, number(&known["ground"]["t"]), tolerance);
        let (state, ground) = (&known["state_after_break"], &known["ground"]);
        for (real, name) in [("px", "x"), ("py", "y"), ("vx", "vx"), ("vy", "vy")] {
            let after = run.at_row(breaks[0], real);
            judge.near(
                &format!("{real} after"),
                after,
                number(&state[name]),
                tolerance,
            );
            let end = run.at_row(grounds[0], real);
            judge.near(
                &format!("{real} on the ground"),
                end,
                number(&ground[name]),
                tolerance,
            );
        }
        judge.finish(10);
    });
}

/// Two balls that stick: two states, as the reference has them.
fn balls(parameters: &serde_json::Value) -> String {
    let of = |name: &str| number(&parameters[name]);
    let signed = parameters["guard"]
        .as_str()
        .is_some_and(|guard| guard.contains("signed"));
    let apart = match signed {
        true => "pull > s",
        false => "abs(pull) > s",
    };
    let pull = match signed {
        true => "k2 * (p2 - x2) - k1 * (p1 - x1)",
        false => "k1 * (p1 - x1) - k2 * (p2 - x2)",
    };
    format!(
        r#"(format: 1,
        constants: {{"k1": {}, "k2": {}, "m1": {}, "m2": {}, "p1": {}, "p2": {}, "decay": {}, "s0": {}}},
        reals: {{"x1": {}, "x2": {}, "v1": {}, "v2": {}, "s": 0, "pull": 0}},
        relations: ["pull = {pull}", "x1 = integral(v1)", "x2 = integral(v2)"],
        machines: {{"balls": (states: {{
            "separate": ["v1 = integral(k1 * (p1 - x1) / m1)", "v2 = integral(k2 * (p2 - x2) / m2)"],
            "together": [
                "v1 = integral((k1 * (p1 - x1) + k2 * (p2 - x2)) / (m1 + m2))",
                "v2 = integral((k1 * (p1 - x1) + k2 * (p2 - x2)) / (m1 + m2))",
                "s = integral(-decay * s)",
            ],
        }}, transitions: [
            "[collision] separate -> together when x1 >= x2 & v1 > v2: v1 := (m1 * v1 + m2 * v2) / (m1 + m2); v2 := (m1 * v1 + m2 * v2) / (m1 + m2); s := s0",
            "[separation] together -> separate when {apart}",
        ])}})"#,
        of("k1"),
        of("k2"),
        of("m1"),
        of("m2"),
        of("p1"),
        of("p2"),
        of("decay"),
        of("s0"),
        of("x1"),
        of("x2"),
        of("v1"),
        of("v2"),
    )
}

#[test]
fn two_balls_stick_and_part() {
    at_both(|accuracy| {
        let known = known("sticky_balls");
        let mut judge = Judge::new(accuracy);
        let mut n_compared = 0;
        for (case, known) in entries(&known["cases"]) {
            let run = Exact::new(
                Table::from_text(&balls(&known["parameters"])),
                50.0,
                accuracy,
            )
            .run();
            let tolerance = number(&known["tolerance"]["t_abs"]);
            for kind in ["collision", "separation"] {
                let events = list(&known["events"])
                    .iter()
                    .filter(|event| event["kind"] == kind);
                let times: Vec<f64> = events.map(|event| number(&event["t"])).collect();
                let found = run.times(&run.fired(&format!("balls.{kind}")));
                assert!(found.len() >= times.len(), "{case} {kind}: {found:?}");
                for (found, time) in found.iter().zip(&times) {
                    judge.near(
                        &format!("{case} {kind} at {time}"),
                        *found,
                        *time,
                        tolerance,
                    );
                    n_compared += 1;
                }
            }
        }
        judge.finish(n_compared);
    });
}

/// Numbers that repeat.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A random machine over two reals, and the same as rows that do not name it.
fn random(seed: u64) -> (String, String) {
    let mut dice = Dice(seed);
    for _ in 0..8 {
        dice.below(2);
    }
    let n_states = 1 + dice.below(4);
    let start = dice.below(n_states);
    let value = |dice: &mut Dice| dice.below(41) as f64 / 20.0 - 1.0;
    let mut states = String::new();
    let mut rows = String::new();
    for state in 0..n_states {
        let rates = [value(&mut dice), value(&mut dice)];
        let own = [
            format!("x = integral({} - 0.3 * y)", rates[0]),
            format!("y = integral({} * x)", rates[1]),
        ];
        write!(states, r#""s{state}": ["{}", "{}"], "#, own[0], own[1]).unwrap();
        for row in own {
            write!(rows, r#""{row} when in{state}", "#).unwrap();
        }
    }
    let (mut transitions, mut events, mut sets, mut jumps) =
        (String::new(), String::new(), String::new(), String::new());
    let mut written: Vec<(u64, u64)> = Vec::new();
    for index in 0..1 + dice.below(5) {
        let (from, to) = (dice.below(n_states), dice.below(n_states));
        let sign = if dice.below(2) == 0 { ">" } else { "<=" };
        let name = if dice.below(2) == 0 { "x" } else { "y" };
        let condition = format!("{name} {sign} {}", value(&mut dice));
        let jump = dice.below(2) == 0;
        let values = [value(&mut dice), value(&mut dice)];
        let set = if jump {
            format!(": x := {} + y; y := {} - x", values[0], values[1])
        } else {
            String::new()
        };
        write!(transitions, r#""s{from} -> s{to} when {condition}{set}", "#).unwrap();
        let mut others = String::new();
        for (earlier, _) in written.iter().filter(|(_, state)| *state == from) {
            write!(others, " & !t{earlier}").unwrap();
        }
        for start in ["", " & start"] {
            write!(
                events,
                r#""event t{index}: in{from} & {condition}{others}{start}", "#
            )
            .unwrap();
        }
        if from != to {
            write!(sets, r#""when t{index}: !in{from}, in{to}", "#).unwrap();
        }
        if jump {
            write!(
                jumps,
                r#""x, y := {} + y, {} - x when t{index}", "#,
                values[0], values[1]
            )
            .unwrap();
        }
        written.push((index, from));
    }
    let mut switches = String::new();
    for state in 0..n_states {
        write!(switches, r#""in{state}": {}, "#, state == start).unwrap();
    }
    let reals = r#"reals: {"x": 0.3, "y": -0.2}"#;
    (
        format!(
            r#"(format: 1, {reals}, machines: {{"m": (start: "s{start}", states: {{{states}}}, transitions: [{transitions}])}})"#
        ),
        format!(
            r#"(format: 1, {reals}, switches: {{{switches}}}, situations: [{events}], assignments: [{sets}], relations: [{jumps}{rows}])"#
        ),
    )
}

fn same_bits(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (machine, rows) = random(seed);
        let ticks = [&machine, &rows].map(|text| {
            Table::from_text(text)
                .ticks(0.01, 300, 1, IntegralRule::Rectangle)
                .trace()
        });
        let all =
            |trace: &situ_engine::trace::Trace| format!("{:?} {:?}", trace.reals, trace.switches);
        assert_eq!(all(&ticks[0]), all(&ticks[1]), "{machine}\n{rows}");
        let runs = [&machine, &rows].map(|text| {
            let mut exact = Exact::new(Table::from_text(text), 3.0, Accuracy::Default);
            exact.config.settings.method = Method::Tsit5;
            // Some go to and fro a million times in a second of the model.
            exact.config.budget.events = 100_000;
            let (history, fault) = exact.outcome();
            let trace = &history.trace;
            format!(
                "{:?} {:?} {:?} {}",
                trace.time,
                trace.reals,
                trace.switches,
                fault.is_some()
            )
        });
        assert_eq!(runs[0], runs[1], "{machine}\n{rows}");
    }
}

#[test]
fn machines_are_their_rows() {
    same_bits(0..150);
}

#[test]
#[ignore = "long; done by cargo soak"]
fn soak() {
    super::soak_seeds(|seed| random(seed).0, |seed| same_bits(seed..seed + 1));
}

fn diagrams(text: &str) -> Vec<mermaid::Diagram> {
    let loaded = situ_rules::load("m.ron", text, &mut situ_rules::standalone);
    assert!(loaded.model.is_some(), "{text}: {:?}", loaded.diagnostics);
    mermaid::diagrams(&loaded.tables)
}

#[test]
fn what_is_drawn_comes_back_the_same() {
    let texts = (0..60)
        .map(|seed| random(seed).0)
        .chain([PENDULUM.to_owned()]);
    for text in texts {
        let drawn = diagrams(&text);
        let picture = mermaid::draw(&drawn);
        let read = mermaid::read(&picture).unwrap_or_else(|why| panic!("{why:?}\n{picture}"));
        assert_eq!(read, drawn, "{picture}");
        let table = mermaid::table("again", &read);
        assert_eq!(diagrams(&table), drawn, "{table}");
    }
}

#[test]
fn diagrams_of_others_are_read() {
    let text = "stateDiagram-v2\n    direction LR\n    [*] --> Closed\n    Closed --> Open : push > 1\n    \
                state \"ajar, for long\" as Open\n    Open --> Closed: push < -1: n := n + 1\n    Open : n = integral(1)\n";
    let read = mermaid::read(text).unwrap();
    assert_eq!(
        mermaid::read(&format!("\u{feff}{text}")).as_ref(),
        Ok(&read)
    );
    assert_eq!(read[0].start.as_deref(), Some("Closed"));
    assert_eq!(read[0].states[1].0, "ajar, for long");
    let table = mermaid::table("door", &read);
    assert_eq!(diagrams(&table)[0].transitions.len(), 2, "{table}");
    for (wrong, line) in [
        ("flowchart LR\n", 1),
        ("stateDiagram-v2\n  a --> b\n", 2),
        ("stateDiagram-v2\n  a --> [*] : x > 1\n", 2),
        ("stateDiagram-v2\n  state f <<fork>>\n", 2),
        ("stateDiagram-v2\n  [*] --> a : x > 1\n", 2),
        ("stateDiagram-v2\n  state m {\n  a --> b : x > 1\n", 3),
        ("stateDiagram-v2\n  }\n", 2),
        (
            "stateDiagram-v2\n  [*] --> W\n  state W {\n    a --> b : x > 2\n  }\n  W --> Off : x > 1\n",
            3,
        ),
        ("", 1),
    ] {
        assert_eq!(mermaid::read(wrong).unwrap_err().0, line, "{wrong}");
    }
}

/// Names that stand as conditions are declared as well, but for states and transitions.
#[test]
fn conditions_of_diagrams_are_declared() {
    let text = "stateDiagram-v2\n    [*] --> off\n    off --> on : pressed & x > 2\n    \
                on --> off : !pressed & overheated & d.on: n := n + 1\n    on : x = integral(k) when hot\n    \
                off : x = integral(-k * x) when x > least & !hot\n    on : m = counter(ticking)\n";
    let table = mermaid::table("d", &mermaid::read(text).unwrap());
    let loaded = situ_rules::load("m.ron", &table, &mut situ_rules::standalone);
    assert!(loaded.model.is_some(), "{table}: {:?}", loaded.diagnostics);
    let names = |of: &[situ_rules::tree::Switch]| {
        let names = of.iter().map(|one| one.name.value.clone());
        names.collect::<Vec<_>>()
    };
    let switches = names(&loaded.tables[0].switches);
    assert_eq!(
        switches,
        ["hot", "ticking", "pressed", "overheated"],
        "{table}"
    );
}

/// The keys of states are those of the whole diagram: a condition that is one of another machine is that state. How states
/// are drawn is passed over.
#[test]
fn states_of_other_machines_are_conditions() {
    let text = "stateDiagram-v2\n    state heater {\n        [*] --> off\n        off --> on:::big : T < 19 & wide\n        \
                on --> off : T > 21\n    }\n    state door {\n        [*] --> shut\n        shut --> wide : every(2)\n        \
                wide:::big --> shut : every(3)\n    }\n";
    let table = mermaid::table("d", &mermaid::read(text).unwrap());
    let mut table =
        Table::from_text(&table.replace("format: 1,", "format: 1, clock: (step: 0.5, stop: 10),"));
    assert_eq!(table.model.switches.len(), 4);
    table = table.set("T=10");
    let run = table.into_run();
    let on = literal(&run.table.model, &run.trace(), "heater.on");
    assert!(!on[0] && on[on.len() - 1], "{on:?}");
}

/// A row of a state has its clauses, as a relation has.
#[test]
fn rows_of_states_have_their_clauses() {
    let text = r#"(format: 1, clock: (step: 0.5, stop: 2), counters: {"j": "1 .. 3"}, reals: {"u[j]": 0, "v[j]": 0, "p[0 .. 3]": 1},
        machines: {"m": (states: {"a": ["u[j] = integral(1) for j in 2 .. 3", "p[j] = p[j - 1] + 1 one after another",
            (real: "v[j]", procedure: "assignment", args: ["j"], for: "j in 1 .. 2")], "b": []}, transitions: ["a -> b when time >= 100"])})"#;
    let trace = Table::from_text(text).into_run().trace();
    let end = |name: &str| *trace.column(name).unwrap().last().unwrap();
    assert_eq!(["u[1]", "u[2]", "u[3]"].map(end), [0.0, 2.0, 2.0]);
    assert_eq!(["p[1]", "p[2]", "p[3]"].map(end), [2.0, 3.0, 4.0]);
    assert_eq!(["v[1]", "v[2]", "v[3]"].map(end), [1.0, 2.0, 0.0]);
}

#[test]
fn the_table_written_out_runs_alike() {
    let loaded = situ_rules::load("m.ron", PENDULUM, &mut situ_rules::standalone);
    let flat = resolve::flat(&loaded.tables).unwrap().table;
    let texts = [PENDULUM.to_owned(), print::table(&flat)];
    let traces = texts.map(|text| {
        let table = Table::from_text(&text);
        format!(
            "{:?}",
            table
                .ticks(0.001, 1600, 10, IntegralRule::Rectangle)
                .trace()
                .reals
        )
    });
    assert_eq!(traces[0], traces[1]);
}

/// What a table with machines expects of its runs is not lost when they are written out.
#[test]
fn expectations_stay_with_machines() {
    let text = PENDULUM.replace(
        "machines:",
        "expect: [\"final(px) = 0.5 +- 9\"],\n    machines:",
    );
    let loaded = situ_rules::load("m.ron", &text, &mut situ_rules::standalone);
    assert!(loaded.model.is_some(), "{:?}", loaded.diagnostics);
    assert_eq!(loaded.expectations.len(), 1);
}
