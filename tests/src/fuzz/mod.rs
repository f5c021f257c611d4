//! Random inputs through the whole of situ: nothing panics, whatever the text, and tables without
//! mistakes run as [`crate::ticks::oracle`] does.
//!
//! Every target runs as a test on the same inputs each time. `cargo soak` goes on with others:
//!
//! ```text
//! cargo soak                                     ten minutes
//! SITU_SOAK_MINUTES=120 SITU_SOAK_ROUND=500 cargo soak    two hours, from round 500 on
//! SITU_SOAK_TARGET="event stepping" cargo soak   only this one; several with commas between them
//! SITU_SOAK_INPUTS=100000 cargo soak             until each target had so many inputs, however long that takes
//! SITU_SOAK_LAST=last.ron cargo soak             the input under way is written there: one that does not end is found so
//! ```

mod choices;
mod hybrids;
mod models;
mod properties;
mod targets;
mod texts;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use situ_engine::model::{IntegralRule, Scan};

use crate::tables::Table;

use choices::Choices;
use properties::{
    BEGINNINGS, FOLLOWED, RAN, STEPPED, agrees_with_oracle, pipeline,
    runs_or_tells_in_event_stepping,
};
use targets::{
    BEGUN, BYTES, COURSES, EVENTS, EXPRESSIONS, HYBRIDS, INSTANTS, LANES, LAYOUTS, LINES, MODELS,
    MUTATED, NATIVE, NATIVE_MODES, NATIVE_STEPS, NATIVE_TICKS, RON, SMOOTH_LANES, SMOOTH_RUNS,
    TARGETS, WIDE, WRITTEN,
};

/// The texts of random tables without mistakes, the same for a seed.
pub(crate) fn random_tables(count: usize, seed: u64) -> Vec<String> {
    texts_of(models::table, count, seed)
}

/// The same of what moves and switches.
pub(crate) fn random_hybrids(count: usize, seed: u64) -> Vec<String> {
    texts_of(hybrids::table, count, seed)
}

fn texts_of(make: fn(&mut Choices<'_>) -> String, count: usize, seed: u64) -> Vec<String> {
    let mut dice = crate::sessions::random::Dice(seed);
    let mut table = || {
        let list: Vec<u16> = (0..160)
            .map(|_| u16::try_from(dice.below(1 << 16)).unwrap())
            .collect();
        make(&mut Choices::new(&list))
    };
    (0..count).map(|_| table()).collect()
}

/// Something that must hold for every input.
struct Target {
    name: &'static str,
    /// Inputs of a test run.
    cases: u32,
    /// Most choices that make an input.
    length: usize,
    make: fn(&mut Choices<'_>) -> String,
    check: fn(&str),
}

impl Target {
    /// Runs it on the inputs of a round; a failing one is made as simple as it can be.
    fn run(&self, round: u32) {
        let config = Config {
            cases: self.cases,
            failure_persistence: None,
            max_shrink_time: 60_000,
            ..Config::default()
        };
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let choices = vec(any::<u16>(), 0..=self.length);
        let texts = choices.prop_map(|list| (self.make)(&mut Choices::new(&list)));
        let last = std::env::var_os("SITU_SOAK_LAST");
        let result = TestRunner::new_with_rng(config, rng).run(&texts, |text| {
            if let Some(path) = &last {
                std::fs::write(path, &text).unwrap();
            }
            (self.check)(&text);
            Ok(())
        });
        match result {
            Ok(()) => {}
            Err(TestError::Fail(why, text)) => {
                panic!(
                    "{} in round {round}: {why}\n{text}\nas bytes: {text:?}",
                    self.name
                )
            }
            Err(error) => panic!("{} in round {round}: {error}", self.name),
        }
    }
}

/// Nesting of hundreds of thousands of levels is refused, in time and without overflowing the stack.
#[test]
fn deep_nesting_is_refused() {
    const DEEP: usize = 300_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let row = |expression: String| {
        format!("(format: 1, reals: {{\"x\": 0}}, relations: [\"x = {expression}\"])")
    };
    let texts = [
        nested("(", "", ")"),
        nested("[", "", "]"),
        nested("[", "", ""),
        nested("/*", "", "*/"),
        format!("(format: 1, relations: {})", nested("[", "", "]")),
        format!("(format: 1, clock: {})", nested("(step: ", "1", ")")),
        row(nested("(", "1", ")")),
        row(nested("-", "1", "")),
        row(nested("abs(", "1", ")")),
        row(nested("x^", "1", "")),
        row(nested("1+", "1", "")),
        row(nested("x ", "", "")),
        row(format!("1 when {}", nested("!", "x", ""))),
        row(format!("1 when {}", nested("x < ", "x", ""))),
    ];
    for text in texts {
        let loaded = pipeline(&text);
        assert!(loaded.model.is_none(), "{}", &text[..80]);
        assert!(
            loaded.diagnostics.len() < 200,
            "{}",
            loaded.diagnostics.len()
        );
    }
}

#[test]
fn both_spellings_of_random_tables_run_alike() {
    LAYOUTS.run(0);
}

#[test]
fn mutated_tables_say_the_same_laid_out() {
    WRITTEN.run(0);
}

#[test]
fn mutated_tables_that_are_checked_can_begin() {
    BEGUN.run(0);
    let begun = BEGINNINGS.load(Ordering::Relaxed);
    assert!(begun > BEGUN.cases / 50, "only {begun} tables began");
}

#[test]
fn random_bytes() {
    BYTES.run(0);
}

#[test]
fn random_ron() {
    RON.run(0);
}

#[test]
fn mutated_tables() {
    MUTATED.run(0);
    let ran = RAN.load(Ordering::Relaxed);
    assert!(ran > MUTATED.cases / 20, "only {ran} tables ran");
}

#[test]
fn random_tables_in_event_stepping() {
    EVENTS.run(0);
    let stepped = STEPPED.load(Ordering::Relaxed);
    assert!(stepped > EVENTS.cases / 20, "only {stepped} tables ran");
}

/// Tables that random tests in event stepping have found.
#[test]
fn tables_that_were_found_in_event_stepping() {
    let texts = [
        // The value of угол at the start is not finite and turns off the row that gives it.
        r#"(format: 1, reals: {"x": 0, "угол": 3},
            relations: ["угол = derivative(-1 * (time)^0.5) when угол > x"])"#,
        // Rows write x in turn while a range that is read by value looks at it.
        r#"(format: 1, reals: {"x": 3, "v": -0.25}, ranges: ["noevent up: x * 0.25 < v"],
            relations: ["x = pi", "x = x + x", "x = x + x"])"#,
    ];
    for text in texts {
        runs_or_tells_in_event_stepping(text);
    }
}

#[test]
fn random_lines() {
    LINES.run(0);
}

#[test]
fn random_models_run_as_the_oracle_does() {
    MODELS.run(0);
    let followed = FOLLOWED.load(Ordering::Relaxed);
    assert!(followed > MODELS.cases, "only {followed} runs were long");
}

#[test]
fn random_models_have_the_same_bits_in_native_code() {
    NATIVE.run(0);
    let ticks = NATIVE_TICKS.load(Ordering::Relaxed);
    assert!(ticks > 10_000, "only {ticks} ticks in native code");
}

#[test]
fn random_models_have_the_same_bits_in_lanes() {
    LANES.run(0);
    let [over, failed] = crate::engines::lanes::compared();
    assert!(
        over > 5000 && failed > 100,
        "{over} runs over, {failed} failed"
    );
}

#[test]
fn random_smooth_models_have_the_same_bits_in_lanes() {
    SMOOTH_LANES.run(0);
    let runs = SMOOTH_RUNS.load(Ordering::Relaxed);
    assert!(runs > 2000, "only {runs} runs in lanes");
}

#[test]
fn random_models_have_the_same_bits_in_native_steps() {
    NATIVE_STEPS.run(0);
    let modes = NATIVE_MODES.load(Ordering::Relaxed);
    assert!(modes > 20, "only {modes} modes in native code");
}

#[test]
fn random_models_come_to_the_same_with_and_without_a_log() {
    COURSES.run(0);
    let instants = INSTANTS.load(Ordering::Relaxed);
    assert!(instants > 200, "only {instants} instants");
}

#[test]
fn event_accurate_runs_are_the_limit_of_ticks() {
    HYBRIDS.run(0);
    let [same, no_limit, refused] = [&hybrids::SAME, &hybrids::NO_LIMIT, &hybrids::REFUSED]
        .map(|count| count.load(Ordering::Relaxed));
    println!("{same} tables alike, {no_limit} without a limit, {refused} refused");
    assert!(
        same > u64::from(HYBRIDS.cases) * 3 / 4,
        "only {same} tables"
    );
}

#[test]
fn tables_of_all_parts_are_the_limit_of_ticks() {
    WIDE.run(0);
}

/// The same with other tables for each state of the project: a commit always sees the same ones.
#[test]
fn event_accurate_runs_of_this_commit_are_the_limit_of_ticks() {
    let mut git = std::process::Command::new("git");
    git.args(["rev-parse", "HEAD^{tree}"])
        .current_dir(crate::tables::root());
    let Some(tree) = git
        .output()
        .ok()
        .and_then(|said| String::from_utf8(said.stdout).ok())
    else {
        println!("no commit");
        return;
    };
    if let Some(Ok(seed)) = tree.get(..8).map(|digits| u32::from_str_radix(digits, 16)) {
        println!("SITU_SOAK_ROUND={seed}");
        HYBRIDS.run(seed);
        WIDE.run(seed);
    }
}

#[test]
fn lines_compute_what_their_expression_says() {
    EXPRESSIONS.run(0);
}

/// The scenarios as well: the oracle is held by tables that somebody meant.
#[test]
fn scenarios_run_as_the_oracle_does() {
    for folder in crate::tables::scenario_folders() {
        for path in crate::tables::files(&folder, "ron") {
            let mut model = Table::at(path).model;
            if crate::tables::solves(&model) {
                continue;
            }
            model.clock.step = Some(0.01);
            for scan in [Scan::Sequential, Scan::Simultaneous] {
                for integral in [IntegralRule::Rectangle, IntegralRule::Trapezoid] {
                    agrees_with_oracle(&model, scan, integral);
                }
            }
        }
    }
}

/// Until the minutes are over; or, if so many inputs are wanted, until each target had them.
#[test]
#[ignore = "the long run: cargo soak"]
fn soak() {
    let variable = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    let minutes = variable("SITU_SOAK_MINUTES").unwrap_or(10);
    let first = variable("SITU_SOAK_ROUND").unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(60 * u64::from(minutes));
    let inputs = variable("SITU_SOAK_INPUTS");
    let only = std::env::var("SITU_SOAK_TARGET").ok();
    let names: Option<Vec<&str>> = only.as_ref().map(|only| only.split(',').collect());
    let wanted = |target: &&Target| {
        names
            .as_ref()
            .is_none_or(|names| names.contains(&target.name))
    };
    let mut targets: Vec<(&Target, u32)> = TARGETS.iter().filter(wanted).map(|t| (t, 0)).collect();
    let n_names = names.as_ref().map_or(1, Vec::len);
    assert!(targets.len() >= n_names, "not all are targets: {only:?}");
    for round in first.. {
        for (target, done) in &mut targets {
            if inputs.is_none_or(|inputs| *done < inputs) {
                target.run(round);
                *done += target.cases;
            }
        }
        let all: u32 = targets.iter().map(|(_, done)| done).sum();
        println!("round {round}: {all} inputs so far, nothing found");
        let is_over = match inputs {
            Some(inputs) => targets.iter().all(|(_, done)| *done >= inputs),
            None => Instant::now() > end,
        };
        if is_over {
            break;
        }
    }
}
