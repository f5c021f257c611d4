//! Saved states that somebody has changed are refused or run on; nothing panics.

use situ_engine::model::{Clock, Stepping};
use situ_engine::sim::{Run, RunConfig, SavedRun, StateError};

use crate::sessions::random::Dice;
use crate::tables::Table;

/// Changed states of each table in a test run.
const CHANGED: u64 = 150;

/// The same under `cargo soak`.
const SOAK: u64 = 20_000;

/// Tables with a bit of everything that a state remembers.
fn tables() -> Vec<Table> {
    let memory = r#"(format: 1, clock: (step: 0.01, stop: 3),
        reals: {"x": 0, "late": 0, "d": 0, "n": 0, "T": 0, "h": 1, "v": 0, "latch": 0},
        switches: {"on": false},
        ranges: ["up: x > 1", "floor: h <= 0"],
        situations: ["event beat: every(0.25)", "event hit: floor", "high: up & on"],
        assignments: ["when up: on"],
        relations: ["x = integral(1)", "late = delay(x, 0.27)", "d = derivative(late)",
            "n = counter(up)", "T = timer(on)", "v := -0.8 * v when hit", "v = integral(-9.81)",
            "h = integral(v)", "latch = hysteresis(x, 0.4, 0.6)", "n := n + 1 when beat"])"#;
    let mut tables = vec![Table::from_text(memory)];
    tables.extend(
        ["hoop", "sliding_pair", "thermostat", "pendulum_rod"]
            .map(|name| Table::at(format!("{name}/table.ron"))),
    );
    tables
}

/// Runs of a table in every stepping: ticks, ticks that are cut at events, events.
fn runs(table: &Table) -> Vec<Run> {
    let clocks = [
        Clock {
            stepping: Some(Stepping::Tick),
            ..Clock::default()
        },
        Clock {
            stepping: Some(Stepping::Tick),
            locate: Some(situ_engine::Locate::Quadratic),
            ..Clock::default()
        },
        Clock {
            stepping: Some(Stepping::Events),
            ..Clock::default()
        },
    ];
    let run = |clock: &Clock| {
        let mut clock = table.model.clock.overridden_by(clock);
        clock.stop = Some(clock.stop.unwrap().min(3.0));
        let config = RunConfig::from_clock(&clock).unwrap();
        Run::new(table.model.clone(), config, &[]).unwrap()
    };
    clocks.iter().map(run).collect()
}

/// Changes a place or two of a text: numbers, truth values, members of lists.
fn changed(text: &str, dice: &mut Dice) -> String {
    const NUMBERS: [&str; 12] = [
        "0",
        "1",
        "-1",
        "7",
        "1e300",
        "-1e-300",
        "NaN",
        "inf",
        "-inf",
        "0.5",
        "18446744073709551615",
        "4294967295",
    ];
    let mut text = text.to_owned();
    for _ in 0..1 + dice.below(2) {
        let at = usize::try_from(dice.below(text.len() as u64)).unwrap();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let begin = text[..at]
            .rfind(|c| !is_part(c))
            .map_or(0, |place| place + 1);
        let end = text[at..]
            .find(|c| !is_part(c))
            .map_or(text.len(), |place| at + place);
        let token = &text[begin..end.max(begin)];
        let other = match (dice.below(6), token) {
            (_, "true") => "false".to_owned(),
            (_, "false") => "true".to_owned(),
            (0, _) => String::new(),
            (1, token) => format!("{token},{token}"),
            _ => NUMBERS[usize::try_from(dice.below(12)).unwrap()].to_owned(),
        };
        let end = end.max(begin);
        // A member that goes takes its comma along.
        let end = if other.is_empty() && text[end..].starts_with(',') {
            end + 1
        } else {
            end
        };
        text.replace_range(begin..end, &other);
    }
    text
}

/// Number of the changed states that were read, and of these the number that were taken.
fn try_changed(times: u64, seed: u64) -> (u64, u64) {
    let (mut read, mut taken) = (0, 0);
    for table in tables() {
        for begun in runs(&table) {
            let mut dice = Dice(seed);
            let mut run = begun.clone();
            run.run_to(0.3 + 2.0 * dice.share(), &mut ()).unwrap();
            let text = ron::to_string(&run.saved()).unwrap();
            let mut again = begun.clone();
            again.load(&ron::from_str(&text).unwrap()).unwrap();
            assert_eq!(again.state(), run.state());
            for _ in 0..times {
                let Ok(saved) = ron::from_str::<SavedRun>(&changed(&text, &mut dice)) else {
                    continue;
                };
                read += 1;
                let mut other = begun.clone();
                if other.load(&saved).is_ok() {
                    taken += 1;
                    // What is taken can be run; that it may fail with a report is another matter.
                    let _ = other.step(other.time() + 0.01);
                }
            }
        }
    }
    (read, taken)
}

#[test]
fn changed_states_do_not_panic() {
    let (read, taken) = try_changed(CHANGED, 5);
    assert!(read > CHANGED && taken < read, "{taken} of {read}");
}

#[test]
#[ignore = "for cargo soak"]
fn soak_changed_states() {
    for seed in 0..8 {
        let (read, taken) = try_changed(SOAK / 8, seed);
        println!("seed {seed}: {taken} of {read} changed states were taken");
    }
}

#[test]
fn a_state_of_the_other_stepping_is_refused() {
    for table in tables() {
        let all = runs(&table);
        for (index, run) in all.iter().enumerate() {
            let mut other = all[(index + 1) % 3].clone();
            // Ticks of another kind may have states of the same shape; of the other stepping none has.
            if index > 0 {
                assert_eq!(other.load(&run.saved()), Err(StateError::Stepping));
                assert_eq!(other.restore(&run.state()), Err(StateError::Stepping));
            }
        }
    }
}

/// Models and runs of an embedder can go to other threads.
#[test]
fn models_and_runs_go_to_other_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<situ_engine::model::Model>();
    is_shared::<situ_engine::sim::Run>();
    is_shared::<situ_engine::sim::RunState>();
    is_shared::<situ_engine::sim::RunFault>();
    is_shared::<situ_engine::sim::PreparedModel>();
    is_shared::<situ_engine::trace::Trace>();
    is_shared::<situ_rules::Loaded>();
    is_shared::<situ_rules::SimulateError>();
}
