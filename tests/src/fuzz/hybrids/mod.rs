//! Random tables of what moves and switches, and a comparison of their event-accurate run with ticks that get shorter,
//! with the other methods and with native code.
//!
//! Ticks of length h tend to the event-accurate run as h becomes 0, so its distance from them must shrink, and stay
//! below a multiple of what the ticks still change themselves. Two kinds of tables have no such limit: a range that its
//! own consequence moves (its ticks alternate for ever), and what the event-accurate run refuses by name.

mod draft;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_engine::Method;
use situ_engine::model::{Argument, Clock, Model, Scan, Stepping};
use situ_engine::sim::{
    EventConfig, Finding, Run, RunConfig, RunFault, SetupError, TickConfig, TickRun,
};
use situ_rules::{load, print, resolve, standalone};
use situ_views::model::model_listing::stage_model;

use crate::tables::Table;

pub(super) use draft::{table, wide_table};

/// The end of a run, no multiple of any schedule [units of `time`].
const STOP: f64 = 2.0;

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
    /// True if a jump leads onto a border, and rounding decides on which side it goes on: ticks come down beside it.
    by_rounding: bool,
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
        by_rounding: (findings.iter()).any(|found| matches!(found, Finding::OnBorder { .. })),
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
    if let Some(resolve::Flat { table: flat, .. }) = resolve::flat(&loaded.tables) {
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
                    || run.by_rounding
                    || settles_late(text, &run.reals)
                    || is_skewed(&model, &run.reals)
                    || is_coincidence(text, &model, |reals| tends_to(&model, reals).is_ok())) =>
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
            let is_near = |reals: &[f64]| distance(reals, &other) < 1e-4;
            assert!(
                off < 1e-4 || is_coincidence(text, &model, is_near),
                "{method:?} ends {off} from auto:\n{other:?}\n{run:?}"
            );
        }
    }
    if text.len().is_multiple_of(8) {
        let config = EventConfig::from_clock(&clock(Method::Auto, 1e-7)).expect("it makes a run");
        crate::events::runs::native::agrees_to_the_end(&model, &config);
    }
    SAME.fetch_add(1, Ordering::Relaxed);
}

/// What rows compute starts with what they compute: before it is another value, on which ranges may act. A delay begins with
/// the start of what it reads, so that one changes the other.
fn begins_as_computed(mut table: Table) -> Model {
    const ROUNDS: usize = 4;
    let mut before = Vec::new();
    for _ in 0..ROUNDS {
        let Ok(run) = begun(&Arc::new(table.model.clone()), &clock(Method::Auto, 1e-7)) else {
            break;
        };
        let names = table.model.reals.iter().map(|real| real.name.as_str());
        let levels = names
            .zip(run.row().reals)
            .filter(|(name, _)| name.starts_with('a'));
        let settings: Vec<String> = levels
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        if settings == before {
            break;
        }
        for setting in &settings {
            table = table.set(setting);
        }
        before = settings;
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

/// True if what a run comes to from starts, at a stop or by jumps that are a millionth off is right: two things happen
/// in one instant only as numbers have it (a border is reached at a beat, a delay reads the beat at the stop, what was copied
/// at a border is put back onto it, a margin touches zero), and as ticks are late by a part of a tick, and methods err, they
/// do not see that.
fn is_coincidence(text: &str, model: &Model, is_right: impl Fn(&[f64]) -> bool) -> bool {
    const OFF: f64 = 1e-6;
    let clock = clock(Method::Auto, 1e-7);
    let Ok(run) = begun(&Arc::new(model.clone()), &clock) else {
        return false;
    };
    let starts = run.row().reals.to_vec();
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let stops = [-1.0, 1.0].map(|later| ([0.0, 0.0], later, text.to_owned()));
    let shifted_starts = signs.map(|signs| (signs, 0.0, text.to_owned()));
    let jumps = signs.map(|signs| {
        (
            [0.0, 0.0],
            0.0,
            with_jumps_off(text, signs.map(|s| OFF * s)),
        )
    });
    let shifts = shifted_starts.into_iter().chain(stops).chain(jumps);
    shifts.into_iter().any(|([x, y], later, text)| {
        let mut table = Table::from_text(&text);
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
        shifted.is_ok_and(|run| is_right(&run.reals))
    })
}

/// A table whose rows `x, y := ..` put x and y elsewhere, by so much.
fn with_jumps_off(text: &str, [x, y]: [f64; 2]) -> String {
    let shifted = |line: &str| {
        let row = line.trim().strip_prefix('"')?.strip_suffix("\",")?;
        let (targets, rest) = row.split_once(" := ")?;
        let (values, when) = rest.split_once(" when ")?;
        let targets: Vec<&str> = targets.split(", ").collect();
        let values = match targets.len() {
            1 => vec![values],
            _ => values.split(", ").collect(),
        };
        let shifted = targets
            .iter()
            .zip(&values)
            .map(|(target, value)| match *target {
                "x" => format!("({value}) + {x:?}"),
                "y" => format!("({value}) + {y:?}"),
                _ => (*value).to_owned(),
            });
        let shifted: Vec<String> = shifted.collect();
        (targets.len() == values.len()).then(|| {
            let (targets, shifted) = (targets.join(", "), shifted.join(", "));
            format!("  \"{targets} := {shifted} when {when}\",")
        })
    };
    let lines = text
        .lines()
        .map(|line| shifted(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
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
