//! The words of the house: names that the field does not know were given up, and stay away.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::house::tidy::{CRATES, sources, text};
use crate::tables::root;

/// A type, trait, function or module that was given up, and the word of the field that stands for it.
const GIVEN_UP: &[(&str, &str)] = &[
    ("Blur", "NoiseFloor"),
    ("Bounded", "RunningError"),
    ("Carried", "NamedState"),
    ("Circle", "LoopProblem"),
    ("Deeds", "StepEffects"),
    ("Do", "Action"),
    ("Earlier", "MicrostepSnapshot"),
    ("Echoes", "BreakingPoints"),
    ("Ended", "EndReason"),
    ("Engine", "MethodImpl"),
    ("Fence", "DomainGuard"),
    ("Formula", "OneStepMethod"),
    ("Hybrid", "EventRun"),
    ("Law", "StepController"),
    ("Lean", "DepartureSign"),
    ("Owner", "BorderSource"),
    ("Push", "ContactReaction"),
    ("Quiet", "Deadband"),
    ("Ray", "NormalForm"),
    ("Recorded", "TracedValue"),
    ("Saved", "SavedRun"),
    ("Shop", "SharedModes"),
    ("Simulation", "TickRun"),
    ("Slide", "Sliding"),
    ("Stand", "SideAfterReset"),
    ("StraightCode", "BasicBlockCode"),
    ("StraightJob", "BasicBlockJob"),
    ("Stretch", "TickBatch"),
    ("Supervisor", "ProgressSink"),
    ("Taken", "Participants"),
    ("Template", "PreparedModel"),
    ("Trail", "DelayBuffer"),
    ("Trouble", "CommandError"),
    ("Twice", "DualJet"),
    ("Unread", "UnparsedRows"),
    ("Wide", "LaneVec"),
    ("World", "SessionState"),
    ("angles", "sincos"),
    ("bonds", "contact_intervals"),
    ("carry", "transfer"),
    ("condense", "downsample"),
    ("deeds", "step_effects"),
    ("fall_due", "fire_schedule"),
    ("floats", "singular_sliding"),
    ("gather", "zeno_limit"),
    ("go_on_along", "advance_to_step_end"),
    ("happen", "run_event"),
    ("hush", "suppress"),
    ("hybrid", "events"),
    ("lean", "departure_sign"),
    ("let_go", "release_constraint"),
    ("lift", "singular_sliding"),
    ("look_alikes", "confusables"),
    ("quiet", "deadband"),
    ("shop", "shared_modes"),
    ("slopes", "margin_derivatives"),
    ("summit", "extremum"),
    ("travel", "navigation"),
    ("turning", "contact_direction"),
    ("typing", "completion"),
    ("uneven", "tick/located"),
    ("watching", "monitors"),
];

/// What defines a name.
const KEYWORDS: &[&str] = &["struct", "enum", "trait", "type", "fn", "mod"];

/// The code of a library or program: tests and benches may call their own things as they like.
pub(crate) fn house() -> impl Iterator<Item = PathBuf> {
    let crates = CRATES
        .iter()
        .filter(|(name, ..)| !["situ-tests", "situ-bench", "situ-verify"].contains(name));
    let files = crates.flat_map(|(_, folder, _)| sources(folder));
    files.filter(|path| !path.iter().any(|part| part == "tests") && !path.ends_with("tests.rs"))
}

/// A path as one writes it in the repository.
pub(crate) fn shown(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.display().to_string()
}

/// The name that a line defines, if it does.
pub(crate) fn defined(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words = words.by_ref().filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| {
        let before = [
            "pub", "crate", "super", "in", "self", "const", "unsafe", "async",
        ];
        before.contains(word)
    });
    let keyword = words.next()?;
    let name = words.next()?;
    KEYWORDS.contains(&keyword).then_some(name)
}

#[test]
fn names_that_were_given_up_stay_away() {
    let given_up: BTreeMap<&str, &str> = GIVEN_UP.iter().copied().collect();
    let mut found = Vec::new();
    for path in house() {
        let text = text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        for line in code.unwrap_or_default().lines() {
            let name = defined(line);
            if let Some((name, word)) = name.and_then(|name| given_up.get_key_value(name)) {
                found.push(format!("{}: `{name}` is `{word}`", shown(&path)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
