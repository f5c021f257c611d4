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
use situ_engine::model::{Clock, Model, Stepping};
use situ_engine::sim::{
    EventConfig, Finding, Run, RunConfig, RunFault, SetupError, TickConfig, TickRun,
};

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
    let mut table = Draft::default();
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
        for (name, condition) in &self.ranges {
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
        text.push_str("])\n");
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
    /// True if it slides: which truth ticks end with where the motion then stops, on the border, is chance.
    slides: bool,
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

fn begun(model: &Arc<Model>, method: Method, rtol: f64) -> Result<Run, RunFault> {
    let config = RunConfig::from_clock(&clock(method, rtol)).expect("its clock makes a run");
    match Run::new(model.clone(), config, &[]) {
        Ok(run) => Ok(run),
        Err(SetupError::Fault(fault)) => Err(*fault),
        Err(error) => panic!("{error:?}"),
    }
}

fn by_events(model: &Arc<Model>, method: Method, rtol: f64) -> Result<Ending, RunFault> {
    let mut run = begun(model, method, rtol)?;
    run.run(&mut ())?;
    let findings = run.findings();
    let mut slides = findings.iter().filter_map(|found| match found {
        Finding::Sliding { by_itself, .. } => Some(*by_itself),
        _ => None,
    });
    Ok(Ending {
        reals: run.row().reals.to_vec(),
        slides: slides.clone().next().is_some(),
        by_itself: slides.any(|by_itself| by_itself),
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
        ..Clock::default()
    };
    let config = TickConfig::from_clock(&clock).expect("its clock makes a run");
    let mut run = TickRun::new(model.clone(), config).expect("it can be set up");
    run.run(&mut ()).ok()?;
    Some(run.row().reals.to_vec())
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

/// Compares the event-accurate run with ticks of three lengths and with the other methods.
pub(super) fn compare(text: &str) {
    let mut table = Table::from_text(text);
    // What rows compute starts with what they compute: before it is another value, on which ranges may act.
    if let Ok(run) = begun(&Arc::new(table.model.clone()), Method::Auto, 1e-7) {
        let names = table.model.reals.iter().map(|real| real.name.clone());
        let settings = names.zip(run.row().reals.to_vec());
        let levels: Vec<_> = settings.filter(|(name, _)| name.starts_with('a')).collect();
        for (name, value) in levels {
            table = table.set(&format!("{name}={value:?}"));
        }
    }
    let model = Arc::new(table.model);
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
            Some(why) if !(run.by_itself || run.slides && ends_by_chance(&model)) => {
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

/// True if the length of ticks decides by chance how they end: where a slide stops because nothing moves any more,
/// they stay on one side of its border or on the other.
fn ends_by_chance(model: &Model) -> bool {
    let lengths = [10_007, 20_011, 30_011, 40_009, 50_021, 60_013].map(|n| STOP / f64::from(n));
    let ends: Vec<_> = lengths
        .iter()
        .filter_map(|&step| by_ticks_of(model, step))
        .collect();
    ends.iter().any(|end| distance(end, &ends[0]) > 0.01)
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
