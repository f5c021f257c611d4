//! Random tables of what moves and switches, and a comparison of their event-accurate run with ticks that get shorter,
//! with the other methods and with native code.
//!
//! Ticks of length h tend to the event-accurate run as h becomes 0, so its distance from them must shrink, and stay
//! below a multiple of what the ticks still change themselves. Two kinds of tables have no such limit: a range that its
//! own consequence moves (its ticks alternate for ever), and what the event-accurate run refuses by name.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_engine::Method;
use situ_engine::model::{Argument, Clock, Model, Scan, Stepping};
use situ_engine::sim::{
    EventConfig, Finding, Run, RunConfig, RunFault, SetupError, TickConfig, TickRun,
};

use situ_rules::{load, print, resolve, standalone};
use situ_views::model::model_listing::stage_model;

use super::choices::Choices;
use crate::tables::Table;

/// The end of a run, no multiple of any schedule [units of `time`].
const STOP: f64 = 2.0;

const NUMBERS: [&str; 8] = [
    "0.017", "0.5", "-0.52", "0.3", "1", "-0.83", "0.12", "-0.27",
];
const FACTORS: [&str; 8] = ["1", "0.4", "-0.7", "2.94", "-1.6", "0.26", "3.1", "-0.33"];

/// The text of a table.
pub(super) fn table(choices: &mut Choices<'_>) -> String {
    filled(Draft::default(), choices)
}

/// The same with rows that are solved, delays that vary, families, reactions and machines among its parts.
pub(super) fn wide_table(choices: &mut Choices<'_>) -> String {
    let draft = Draft {
        is_wide: true,
        ..Draft::default()
    };
    filled(draft, choices)
}

fn filled(mut table: Draft, choices: &mut Choices<'_>) -> String {
    for name in ["x", "y"] {
        let rate = table.rate(choices);
        let when = table.maybe_when(choices);
        table.row(format!("{name} = integral({rate}){when}"));
        if !when.is_empty() && choices.once_in(2) {
            let rate = table.rate(choices);
            table.row(format!(
                "{name} = integral({rate}){}",
                when.replacen("when ", "when !", 1).replace("!!", "")
            ));
        }
    }
    for _ in 0..1 + choices.below(4) {
        table.feature(choices);
    }
    table.text(choices)
}

/// A table that is being written.
#[derive(Default)]
struct Draft {
    /// Ranges with their conditions.
    ranges: Vec<(String, String)>,
    situations: Vec<String>,
    /// Names of events.
    events: Vec<String>,
    switches: Vec<String>,
    assignments: Vec<String>,
    relations: Vec<String>,
    /// Reals that rows compute, besides x and y.
    levels: Vec<String>,
    /// Reals with their start values, besides the levels, species with theirs, stages, and machines.
    reals: Vec<String>,
    /// Ranges with counters.
    counted: Vec<String>,
    species: Vec<String>,
    stages: Vec<String>,
    machines: Vec<String>,
    /// True if all parts of the language take part.
    is_wide: bool,
    /// Number of loops, and whether a range contradicts itself.
    loops: usize,
    contradicts: bool,
}

impl Draft {
    fn row(&mut self, row: String) {
        self.relations.push(row);
    }

    /// A new real.
    fn level(&mut self) -> String {
        let name = format!("a{}", self.levels.len());
        self.levels.push(name.clone());
        name
    }

    /// A real that is known.
    fn real(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            _ => match choices.below(self.levels.len() + 1) {
                0 => "x".to_owned(),
                index => self.levels[index - 1].clone(),
            },
        }
    }

    /// A rate that stays bounded.
    fn rate(&mut self, choices: &mut Choices<'_>) -> String {
        let (a, b) = (choices.of(&FACTORS), choices.of(&FACTORS));
        let other = choices.of(&["x", "y"]);
        match choices.below(7) {
            0 => "1".to_owned(),
            1 => format!("{a} * sin({b} * {other} + {} * time)", choices.of(&FACTORS)),
            2 => format!("{a} * cos({b} * time)"),
            3 => format!("-{other}"),
            4 => format!("{a} - {other}"),
            5 => format!("{a} * cos(3 * time) - 0.5 * {other}"),
            _ => format!("0.4 * cos({})", self.kinked(choices, 1)),
        }
    }

    /// An expression with kinks and jumps of what is known.
    fn kinked(&mut self, choices: &mut Choices<'_>, depth: usize) -> String {
        if depth == 0 {
            let real = self.real(choices);
            return match choices.below(3) {
                0 => real,
                1 => format!("({} * {real})", choices.of(&FACTORS)),
                _ => format!("({real} - {})", choices.of(&NUMBERS).replace('-', "")),
            };
        }
        let a = self.kinked(choices, depth - 1);
        let n = choices.of(&NUMBERS);
        match choices.below(11) {
            0 => format!("abs({a})"),
            1 => format!("min({a}, {})", self.kinked(choices, depth - 1)),
            2 => format!("max({a}, {n})"),
            3 => format!("clamp({a}, -0.5, 0.49)"),
            4 => format!("sign({a} - 0.0117)"),
            5 => format!("floor(2 * {a} + 0.17)"),
            6 => format!("mod({a} + 0.113, 0.73)"),
            7 => format!("min({a}, 0.6) + 0.1 * {a}"),
            8 => format!("sin({a} + 2 * time)"),
            9 => format!("({a} * {a} - {n})"),
            _ => format!("max({a}, -3 * {a})"),
        }
    }

    /// A range, new or known.
    fn range(&mut self, choices: &mut Choices<'_>) -> String {
        let known = choices.below(self.ranges.len() + 2);
        if known >= 2 {
            return self.ranges[known - 2].0.clone();
        }
        let name = format!("p{}", self.ranges.len());
        let depth = choices.below(2);
        let left = self.kinked(choices, depth);
        let op = choices.of(&[">", "<", ">=", "<="]);
        let right = choices.of(&["0.31", "-0.23", "0.07", "0.8", "-0.61", "1.03"]);
        let condition = match choices.below(6) {
            5 => format!("time >= {}", choices.of(&["0.7", "1", "1.3"])),
            _ => format!("{left} {op} {right}"),
        };
        self.ranges.push((name.clone(), condition));
        name
    }

    /// A boolean or its negation.
    fn literal(&mut self, choices: &mut Choices<'_>) -> String {
        let not = choices.of(&["", "!"]);
        match choices.below(4) {
            3 if !self.switches.is_empty() => {
                format!("{not}{}", self.switches[choices.below(self.switches.len())])
            }
            _ => format!("{not}{}", self.range(choices)),
        }
    }

    fn maybe_when(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => String::new(),
            1 => format!(" when {}", self.literal(choices)),
            _ => format!(
                " when {} & {}",
                self.literal(choices),
                self.literal(choices)
            ),
        }
    }

    /// An event, new or known.
    fn event(&mut self, choices: &mut Choices<'_>) -> String {
        let known = choices.below(self.events.len() + 3);
        if known >= 3 {
            return self.events[known - 3].clone();
        }
        let condition = match choices.below(6) {
            0 => format!("every({})", choices.of(&["0.3", "0.13", "0.7", "0.45"])),
            1 => format!("{} & {}", self.literal(choices), self.literal(choices)),
            2 if !self.events.is_empty() => {
                let event = self.events[choices.below(self.events.len())].clone();
                format!("{event} & {}", self.literal(choices))
            }
            _ => self.literal(choices),
        };
        let name = format!("e{}", self.events.len());
        self.situations.push(format!("event {name}: {condition}"));
        self.events.push(name.clone());
        name
    }

    /// One more thing that the table does.
    fn feature(&mut self, choices: &mut Choices<'_>) {
        if self.is_wide && choices.below(2) == 0 {
            return self.part(choices);
        }
        match choices.below(13) {
            // Nested kinks.
            0 => {
                let value = self.kinked(choices, 2);
                let when = self.maybe_when(choices);
                let level = self.level();
                self.row(format!("{level} = {value}{when}"));
            }
            // A loop through kinks, whose slope is below 1.
            1 if !self.contradicts => {
                self.loops += 1;
                let real = self.real(choices);
                let level = self.level();
                let (a, w) = (choices.of(&FACTORS), choices.of(&FACTORS));
                let row = match choices.below(6) {
                    0 => format!("{real} - 0.5 * abs({level})"),
                    1 => format!("{real} - 0.5 * max({level}, 0)"),
                    2 => format!(
                        "clamp(0.4 * {real} + 0.67 * sin(0.4 * {level} + {w} * time), -0.5, 0.49)"
                    ),
                    3 => format!("0.3 * min({level}, {real}) + {a} * cos({w} * time)"),
                    4 => format!(
                        "{real} - 0.4 * clamp({level}, -0.2, 0.3) + 0.2 * abs({level} - 0.1)"
                    ),
                    _ => format!("({real} - 0.3 * {level} * abs({level})) / 1.2"),
                };
                self.row(format!("{level} = {row}"));
            }
            // A delay.
            2 => {
                let real = self.real(choices);
                let level = self.level();
                let tau = choices.of(&["0.27", "0.53", "0.13"]);
                self.row(format!("{level} = delay({real}, {tau})"));
            }
            // A fast slaved state.
            3 => {
                let real = self.real(choices);
                let level = self.level();
                let rate = choices.of(&["20", "60", "7"]);
                self.row(format!("{level} = integral({rate} * ({real} - {level}))"));
            }
            // A smoothing.
            4 => {
                let real = self.real(choices);
                let level = self.level();
                self.row(format!(
                    "{level} = smoothing({real}, {})",
                    choices.of(&["0.1", "0.4"])
                ));
            }
            // A row that moves its own condition. (Along a slide there the branches of a loop are those of where it began.)
            5 if self.loops == 0 => {
                self.contradicts = true;
                let real = self.real(choices);
                let level = self.level();
                let range = format!("p{}", self.ranges.len());
                let by = choices.of(&["0.37", "0.053", "-0.43"]);
                self.ranges.push((
                    range.clone(),
                    format!("{level} > {}", choices.of(&["0.3337", "-0.1113"])),
                ));
                self.row(format!("{level} = {real} when !{range}"));
                self.row(format!("{level} = {real} + {by} when {range}"));
            }
            // A jump.
            6 | 7 => {
                let event = self.event(choices);
                let jump = match choices.below(6) {
                    0 => "x := 0.1 - 0.5 * x".to_owned(),
                    1 => "y := y + 0.5".to_owned(),
                    2 => "x := 0.0437".to_owned(),
                    3 => "x, y := y, x".to_owned(),
                    4 => "y := 0.07 - y".to_owned(),
                    _ => {
                        let real = self.real(choices);
                        let level = self.level();
                        format!("{level} := {level} + {real}")
                    }
                };
                self.row(format!("{jump} when {event}"));
            }
            // A switch.
            8 | 9 => {
                let name = format!("s{}", self.switches.len());
                let (on, off) = (self.cause(choices), self.cause(choices));
                self.switches.push(name.clone());
                self.assignments.push(format!("when {on}: {name}"));
                self.assignments.push(format!("when {off}: !{name}"));
                let level = self.level();
                self.row(format!("{level} = integral(1) when {name}"));
            }
            // A count.
            10 => {
                let event = self.event(choices);
                let level = self.level();
                self.row(format!("{level} = counter({event})"));
            }
            // A hysteresis.
            11 => {
                let value = self.kinked(choices, 1);
                let level = self.level();
                self.row(format!("{level} = hysteresis({value}, -0.2, 0.28)"));
            }
            // A value that is held.
            _ => {
                let real = self.real(choices);
                let when = self.literal(choices);
                let level = self.level();
                self.row(format!("{level} = {real} when {when}"));
            }
        }
    }

    /// A part of the language that stands for ordinary rows, or a row that is solved, or a delay that varies.
    fn part(&mut self, choices: &mut Choices<'_>) {
        let real = self.real(choices);
        match choices.below(8) {
            // One solution always: the slopes are positive. (Along a slide of a contradiction as loops above.)
            0 | 1 if !self.contradicts => {
                self.loops += 1;
                let level = self.level();
                let when = self.maybe_when(choices);
                let row = match choices.below(6) {
                    0 => format!("solve {level}: {level} + 0.4 * sin({level}) = {real}"),
                    1 => format!("solve {level} from -9 to 9: {level} + {level}^3 = {real}"),
                    2 => format!("solve {level}: {level} + 0.5 * abs({level}) = {real}"),
                    3 => format!("solve {level}: {level} = 0.3 * cos({level}) + {real}"),
                    4 => format!("solve {level}: 2 * {level} + max({level}, {real}) = 0.4"),
                    _ => {
                        let other = self.level();
                        format!(
                            "solve {level}, {other}: {level} + 0.3 * {other} = {real}, {other} - 0.4 * sin({level}) = y"
                        )
                    }
                };
                self.row(format!("{row}{when}"));
            }
            2 => {
                let level = self.level();
                let row = match choices.below(3) {
                    0 => format!("rate({level}) + 0.3 * sin(rate({level})) = {real} - {level}"),
                    1 => format!("rate({level}) + 0.5 * abs(rate({level})) = {real}"),
                    _ => format!("2 * rate({level}) + {level} = {real}"),
                };
                self.row(format!("solve rate({level}): {row}"));
            }
            3 => {
                let level = self.level();
                let tau = choices.of(&[
                    "0.2 + 0.1 * sin(time)",
                    "0.3 * time",
                    "0.15 + 0.05 * sin(2 * x)",
                    "max(0.3, time - 0.4)",
                    "0.1 + 0.1 * abs(y)",
                ]);
                self.row(format!("{level} = delay({real}, {tau})"));
            }
            4 | 5 => self.family(choices, &real),
            6 => self.scheme(choices),
            _ => self.machine(choices, &real),
        }
    }

    /// A chain of three with ranges of its own, once in a table.
    fn family(&mut self, choices: &mut Choices<'_>, real: &str) {
        if self.reals.iter().any(|known| known.starts_with("\"f[")) {
            return;
        }
        self.reals.push("\"f[0 .. N + 1]\": 0.1".to_owned());
        self.reals.push("\"g[j]\": 0".to_owned());
        let limit = choices.of(&["0.31", "-0.23", "0.07"]);
        self.counted.push(format!("hot[j]: f[j] > {limit}"));
        // One of them may be named in any condition.
        self.ranges.push(("hot[2]".to_owned(), String::new()));
        self.row(format!("f[0] = {real}"));
        self.row("f[N + 1] = f[N]".to_owned());
        let rate = choices.of(&[
            "4 * (f[j - 1] - f[j])",
            "3 * (f[j - 1] - 2 * f[j] + f[j + 1])",
            "sin(f[j - 1]) - 0.5 * f[j]",
            "2 * f[j - 1] - abs(f[j])",
        ]);
        self.row(format!("f[j] = integral({rate})"));
        let row = match choices.below(5) {
            0 => "g[j] = integral(1) when hot[j]",
            1 => "g[j] = f[j] when hot[j]",
            2 => "g[j] = max(f[j], f[j - 1])",
            3 => "g[j] = integral(f[j]) when !hot[j]",
            _ => {
                self.situations.push("event up[j]: hot[j]".to_owned());
                "g[j] := g[j] + 1 when up[j]"
            }
        };
        self.row(row.to_owned());
        let level = self.level();
        let sum = choices.of(&[
            "sum(g[j] for j)",
            "mean(f[j] for j)",
            "max(f[j] for j)",
            "number(hot[j] for j)",
            "sum(f[j] for j when hot[j])",
        ]);
        self.row(format!("{level} = {sum}"));
    }

    /// Two stages and a source, once in a table.
    fn scheme(&mut self, choices: &mut Choices<'_>) {
        if !self.species.is_empty() {
            return;
        }
        self.species = ["\"A\": 1", "\"B\": 0.2", "\"C\": 0"]
            .map(str::to_owned)
            .into();
        let when = self.maybe_when(choices);
        self.stages.push("A + B -> C : 1.3".to_owned());
        self.stages.push(match choices.below(4) {
            0 => format!("C -> 2 B : 0.7{when}"),
            1 => format!("C <-> A : 0.7, 0.3{when}"),
            2 => format!("C -> B at C / (0.5 + C){when}"),
            _ => format!("2 A -> C : 0.4{when}"),
        });
        self.stages
            .push(format!("-> A : {}", choices.of(&["0.5", "1.1"])));
        let level = self.level();
        let row = choices.of(&["A - C", "flux(1)", "max(A, B)", "integral(C)"]);
        self.row(format!("{level} = {row}"));
    }

    /// A machine of two or three states that a real drives.
    fn machine(&mut self, choices: &mut Choices<'_>, real: &str) {
        let name = format!("m{}", self.machines.len());
        let level = self.level();
        let (up, down) = (
            choices.of(&["0.31", "0.07"]),
            choices.of(&["-0.23", "0.01"]),
        );
        let write = choices.of(&[
            "",
            ": x := 0.0437",
            ": y := y + 0.5",
            ": x := 0.1 - 0.5 * x",
        ]);
        let and = match choices.below(3) {
            0 => format!(" & {}", self.literal(choices)),
            _ => String::new(),
        };
        let third = choices.once_in(2);
        let states = if third { ", \"last\": []" } else { "" };
        let to_third = if third {
            ", \"on -> last when time >= 1.3\""
        } else {
            ""
        };
        self.machines.push(format!(
            "\"{name}\": (states: {{\"off\": [\"{level} = integral(-0.4)\"], \"on\": [\"{level} = integral({real})\"]{states}}}, \
             transitions: [\"off -> on when {real} > {up}{and}{write}\", \"on -> off when {real} < {down}\"{to_third}])"
        ));
    }

    /// Cause that sets a switch.
    fn cause(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => self.literal(choices),
            1 => self.event(choices),
            _ => format!("{} & {}", self.literal(choices), self.literal(choices)),
        }
    }

    fn text(mut self, choices: &mut Choices<'_>) -> String {
        // What held on the way is seen at the end.
        let seen = self
            .levels
            .last()
            .cloned()
            .unwrap_or_else(|| "x".to_owned());
        self.row(format!("w = integral({seen})"));
        if let Some((range, _)) = self.ranges.first() {
            let row = format!("u = integral(1) when {range}");
            self.row(row);
        }
        let n = self.relations.len();
        for index in 0..n.saturating_sub(1) {
            if choices.once_in(3) {
                self.relations.swap(index, index + 1);
            }
        }
        let mut text = String::from("(format: 1, clock: (stop: 2), reals: {");
        let start = [choices.of(&NUMBERS), choices.of(&NUMBERS)];
        write!(
            text,
            "\"x\": {}, \"y\": {}, \"w\": 0, \"u\": 0",
            start[0], start[1]
        )
        .unwrap();
        for level in &self.levels {
            write!(text, ", \"{level}\": 0").unwrap();
        }
        for real in &self.reals {
            write!(text, ", {real}").unwrap();
        }
        if !self.reals.is_empty() {
            text.push_str("},\nconstants: {\"N\": 3}, counters: {\"j\": \"1 .. N\"");
        }
        text.push_str("},\nswitches: {");
        for (index, switch) in self.switches.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(
                text,
                "{comma}\"{switch}\": {}",
                choices.of(&["false", "true"])
            )
            .unwrap();
        }
        text.push_str("},\nranges: [\n");
        for range in &self.counted {
            writeln!(text, "  \"{range}\",").unwrap();
        }
        let written = self.ranges.iter();
        for (name, condition) in written.filter(|(_, condition)| !condition.is_empty()) {
            writeln!(text, "  \"{name}: {condition}\",").unwrap();
        }
        for (list, rows) in [
            ("situations", &self.situations),
            ("assignments", &self.assignments),
            ("relations", &self.relations),
        ] {
            writeln!(text, "],\n{list}: [").unwrap();
            for row in rows {
                writeln!(text, "  \"{row}\",").unwrap();
            }
        }
        text.push(']');
        if !self.species.is_empty() {
            let (species, stages) = (self.species.join(", "), self.stages.join("\", \""));
            write!(text, ",\nspecies: {{{species}}}, reactions: [\"{stages}\"]").unwrap();
        }
        if !self.machines.is_empty() {
            write!(text, ",\nmachines: {{{}}}", self.machines.join(",\n  ")).unwrap();
        }
        text.push_str(")\n");
        text
    }
}

/// Outcomes of the tables so far: see [`compare`].
pub(super) static SAME: AtomicU64 = AtomicU64::new(0);
/// Those without a limit: see [`compare`].
pub(super) static NO_LIMIT: AtomicU64 = AtomicU64::new(0);
/// Those whose event-accurate run ended with a diagnosis.
pub(super) static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Ending of a run.
struct Ending {
    reals: Vec<f64>,
    /// True if a slide ended because nothing moved any more: which truth ticks end with there, on the border, is
    /// chance.
    rests: bool,
    /// True if it slides along the border of a range that contradicts itself.
    by_itself: bool,
}

fn clock(method: Method, rtol: f64) -> Clock {
    Clock {
        stop: Some(STOP),
        stepping: Some(Stepping::Events),
        method: Some(method),
        rtol: Some(rtol),
        every: Some(STOP),
        // An event that leads back onto its border fires without end.
        max_events: Some(20_000.0),
        ..Clock::default()
    }
}

fn begun(model: &Arc<Model>, clock: &Clock) -> Result<Run, RunFault> {
    let config = RunConfig::from_clock(clock).expect("its clock makes a run");
    match Run::new(model.clone(), config, &[]) {
        Ok(run) => Ok(run),
        Err(SetupError::Fault(fault)) => Err(*fault),
        Err(error) => panic!("{error:?}"),
    }
}

fn by_events(model: &Arc<Model>, method: Method, rtol: f64) -> Result<Ending, RunFault> {
    ending(model, &clock(method, rtol))
}

fn ending(model: &Arc<Model>, clock: &Clock) -> Result<Ending, RunFault> {
    let mut run = begun(model, clock)?;
    run.run(&mut ())?;
    let findings = run.findings();
    let slides = findings.iter().filter_map(|found| match found {
        Finding::Sliding {
            by_itself, rests, ..
        } => Some((*by_itself, rests.is_some())),
        _ => None,
    });
    Ok(Ending {
        reals: held(model, run.row().reals),
        rests: slides.clone().any(|(_, rests)| rests),
        by_itself: slides.clone().any(|(by_itself, _)| by_itself),
    })
}

/// The reals after ticks of length 2^-exponent; `None` if a value is not finite.
fn by_ticks(model: &Model, exponent: i32) -> Option<Vec<f64>> {
    by_ticks_of(model, (-f64::from(exponent)).exp2())
}

/// The reals after ticks of this length [units of `time`].
fn by_ticks_of(model: &Model, step: f64) -> Option<Vec<f64>> {
    let clock = Clock {
        stop: Some(STOP),
        step: Some(step),
        every: Some(STOP),
        scan: model.clock.scan,
        ..Clock::default()
    };
    let config = TickConfig::from_clock(&clock).expect("its clock makes a run");
    let mut run = TickRun::new(model.clone(), config).expect("it can be set up");
    run.run(&mut ()).ok()?;
    Some(held(model, run.row().reals))
}

/// The values of reals, without those of stages under a condition and of what is computed from these: along a slide
/// ticks have them or not from tick to tick, and what they add up to stands in the species.
fn held(model: &Model, reals: &[f64]) -> Vec<f64> {
    let stages = model.scheme.stages.iter();
    let stages = stages.filter(|stage| stage.off.is_some());
    let mut without: Vec<&str> = stages
        .map(|stage| &*model.reals[stage.rate.index()].name)
        .collect();
    for row in &model.relations {
        let reads = row.args.iter().any(|argument| match argument {
            Argument::Real(expr) => {
                let text = model.expr_text(*expr);
                without.iter().any(|name| text.contains(name))
            }
            Argument::Boolean(_) => false,
        });
        if reads && row.procedure.get().name != "integral" {
            without.extend(
                row.targets
                    .iter()
                    .map(|real| &*model.reals[real.index()].name),
            );
        }
    }
    let named = model.reals.iter().zip(reals);
    named
        .map(|(real, &value)| match without.contains(&&*real.name) {
            true => 0.0,
            false => value,
        })
        .collect()
}

/// The largest distance of two states, beyond 1 relative.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(a, b)| (a - b).abs() / a.abs().max(1.0))
        .fold(0.0, f64::max)
}

/// Ticks so long, in powers of 2, are compared first; then finer ones, where these do not agree.
const FIRST: i32 = 9;
const LADDERS: i32 = 4;

/// The same of a table with families, reactions and machines, and that what `show --expand` prints is the same model.
pub(super) fn compare_wide(text: &str) {
    let loaded = load("table.ron", text, &mut standalone);
    if let Some(flat) = resolve::flat(&loaded.tables) {
        let rows = |model: &Model| {
            // What follows from the scheme of reactions is not written out.
            let text = stage_model(model);
            let lines = text.lines().filter(|line| !line.starts_with("invariant "));
            lines.map(str::to_owned).collect::<Vec<String>>()
        };
        let printed = print::table(&flat);
        let model = rows(&loaded.model.expect("it has no mistakes"));
        let again = rows(&Table::from_text(&printed).model);
        assert_eq!(model, again, "flat it is another:\n{printed}");
    }
    compare(text);
}

/// Compares the event-accurate run with ticks of three lengths and with the other methods.
pub(super) fn compare(text: &str) {
    let model = Arc::new(begins_as_computed(Table::from_text(text)));
    let run = match by_events(&model, Method::Auto, 1e-7) {
        Ok(run) => run,
        Err(fault) => {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            let diagnosed = matches!(
                fault,
                RunFault::Chattering { .. }
                    | RunFault::RuleCycle { .. }
                    | RunFault::Endless { .. }
                    | RunFault::Zeno { .. }
            );
            assert!(
                diagnosed || settles(&model).is_none(),
                "{fault}, but ticks settle"
            );
            return;
        }
    };
    if let Err(why) = tends_to(&model, &run.reals) {
        match why {
            Some(why)
                if !(run.by_itself
                    || run.rests
                    || settles_late(text, &run.reals)
                    || is_skewed(&model, &run.reals)
                    || is_coincidence(text, &model)) =>
            {
                panic!("{why}")
            }
            _ => {
                NO_LIMIT.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
    }
    for method in [
        Method::Tsit5,
        Method::Dop853,
        Method::Rodas5p,
        Method::Taylor,
    ] {
        let both = |rtol: f64| {
            let other = by_events(&model, method, rtol);
            let other = other.unwrap_or_else(|fault| panic!("{method:?}: {fault}; auto ends"));
            let run = by_events(&model, Method::Auto, rtol).expect("it has ended before");
            (distance(&run.reals, &other.reals), run.reals, other.reals)
        };
        // What a motion makes of a small error may be large; smaller tolerances tell.
        let (off, ..) = both(1e-7);
        if off > 1e-4 {
            let (off, run, other) = both(1e-10);
            assert!(
                off < 1e-4,
                "{method:?} ends {off} from auto:\n{other:?}\n{run:?}"
            );
        }
    }
    if text.len().is_multiple_of(8) {
        let config = EventConfig::from_clock(&clock(Method::Auto, 1e-7)).expect("it makes a run");
        crate::events::native::agrees_to_the_end(&model, &config);
    }
    SAME.fetch_add(1, Ordering::Relaxed);
}

/// What rows compute starts with what they compute: before it is another value, on which ranges may act.
fn begins_as_computed(mut table: Table) -> Model {
    if let Ok(run) = begun(&Arc::new(table.model.clone()), &clock(Method::Auto, 1e-7)) {
        let names = table.model.reals.iter().map(|real| real.name.clone());
        let settings = names.zip(run.row().reals.to_vec());
        let levels: Vec<_> = settings.filter(|(name, _)| name.starts_with('a')).collect();
        for (name, value) in levels {
            table = table.set(&format!("{name}={value:?}"));
        }
    }
    table.model
}

/// True if ticks miss an ending only because a row that reads its own target takes some of them to settle after a jump,
/// and a range sees how it goes beyond its goal meanwhile: with the row solved in each tick they tend to it.
fn settles_late(text: &str, reals: &[f64]) -> bool {
    let mut any = false;
    let lines = text.lines().map(|line| {
        let row = line.trim_start().strip_prefix('"');
        let (target, value) = row.and_then(|row| row.split_once(" = "))?;
        let mut words = value.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let first = words.next();
        let has_memory = ["integral", "smoothing", "hysteresis", "delay", "counter"];
        let is_loop = target.starts_with('a') && !first.is_some_and(|it| has_memory.contains(&it));
        (is_loop && (first == Some(target) || words.any(|word| word == target))).then(|| {
            any = true;
            format!("\"solve {target}: {target} = {value}")
        })
    });
    let lines: Vec<String> = lines
        .zip(text.lines())
        .map(|(solved, line)| solved.unwrap_or_else(|| line.to_owned()))
        .collect();
    any && tends_to(
        &begins_as_computed(Table::from_text(&lines.join("\n"))),
        reals,
    )
    .is_ok()
}

/// True if ticks miss an ending only because their rows read what stands above them: a jump that leads onto a border
/// (`x, y := y, x` where x is y) comes down beside it, as far as one row is ahead of the other.
fn is_skewed(model: &Model, reals: &[f64]) -> bool {
    let mut model = model.clone();
    model.clock.scan = Some(Scan::Simultaneous);
    tends_to(&model, reals).is_ok()
}

/// True if ticks tend to what the run comes to from starts, or at a stop, a millionth off: two things happen in one instant
/// only as numbers have it (a border is reached at a beat, a delay reads the beat at the stop), and as ticks fire a beat
/// late by a part of a tick, they never see that.
fn is_coincidence(text: &str, model: &Model) -> bool {
    const OFF: f64 = 1e-6;
    let clock = clock(Method::Auto, 1e-7);
    let Ok(run) = begun(&Arc::new(model.clone()), &clock) else {
        return false;
    };
    let starts = run.row().reals.to_vec();
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let stops = [-1.0, 1.0].map(|later| ([0.0, 0.0], later));
    let shifts = signs.map(|signs| (signs, 0.0)).into_iter().chain(stops);
    shifts.into_iter().any(|([x, y], later)| {
        let mut table = Table::from_text(text);
        for (real, start) in model.reals.iter().zip(&starts) {
            let shift = match real.name.as_str() {
                "x" => OFF * x,
                "y" => OFF * y,
                _ => continue,
            };
            table = table.set(&format!("{}={:?}", real.name, start + shift));
        }
        let clock = Clock {
            stop: Some(STOP + OFF * later),
            ..clock.clone()
        };
        let shifted = ending(&Arc::new(begins_as_computed(table)), &clock);
        shifted.is_ok_and(|run| tends_to(model, &run.reals).is_ok())
    })
}

/// Checks that ticks tend to an ending; if not, by how much they miss it, or nothing if they tend to no state.
fn tends_to(model: &Model, reals: &[f64]) -> Result<(), Option<String>> {
    let mut why = None;
    for ladder in 0..LADDERS {
        let lengths = [0, 1, 2].map(|index| FIRST + 2 * ladder + index);
        let ticks: Option<Vec<_>> = lengths.iter().map(|&k| by_ticks(model, k)).collect();
        let Some(ticks) = ticks else { return Err(None) };
        let still = distance(&ticks[1], &ticks[2]).max(distance(&ticks[0], &ticks[1]) / 2.0);
        let off = distance(&ticks[2], reals);
        if off <= 3.0 * still + 1e-5 && still < 0.05 {
            return Ok(());
        }
        if ladder == LADDERS - 1 {
            why = (still < 1e-3 && off > 0.02).then(|| {
                format!(
                    "ticks of 2^-{} end {off} away, which change by {still}:\n{reals:?}\n{:?}",
                    lengths[2], ticks[2]
                )
            });
        }
    }
    Err(why)
}

/// The state that ticks tend to, if they do.
fn settles(model: &Model) -> Option<Vec<f64>> {
    let ticks: Option<Vec<_>> = [11, 12, 13, 14]
        .iter()
        .map(|&k| by_ticks(model, k))
        .collect();
    let ticks = ticks?;
    let steps: Vec<f64> = ticks
        .windows(2)
        .map(|pair| distance(&pair[0], &pair[1]))
        .collect();
    (steps[2] < 1e-3 && steps[1] < 2e-3 && steps[0] < 4e-3).then(|| ticks[3].clone())
}
