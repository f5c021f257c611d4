//! Forward: steps, events, times, conditions.

use crate::command::{Argument, Command, Example, Group};
use crate::history::journey::{Goal, Journey};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_words::say;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[STEP, NEXT, RUN, FINISH, RESET];

const STEP: Command = Command {
    name: "step",
    short: &["s"],
    group: Group::Run,
    usage: "[N]",
    takes: &[Argument::Number],
    examples: &[
        Example {
            given: HOOP,
            line: "step",
            shows: "t = 0.0001, step 1: free_fall",
        },
        Example {
            given: HOOP,
            line: "step 1000",
            shows: "t = 0.1, step 1000: V_neg, free_fall",
        },
    ],
    undoable: true,
    repeats: true,
    run: step,
};

fn step(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let steps = count(args, "step")?;
    let journey = console.navigate(&Goal::Steps(steps), progress)?;
    Ok(console.arrived(&journey))
}

/// How often a command is to do its work; once if nothing is said.
pub(super) fn count(args: &str, command: &str) -> Result<u64, CommandError> {
    if args.is_empty() {
        return Ok(1);
    }
    match args.replace('_', "").parse::<u64>() {
        Ok(0) => Err(CommandError::new(say!("console-zero-steps", command))
            .with_help(say!("console-zero-steps.help", command))),
        Ok(number) => Ok(number),
        Err(_) => Err(CommandError::new(say!("console-no-count", command, args))
            .with_help(say!("console-no-count.help", command))),
    }
}

const NEXT: Command = Command {
    name: "next",
    short: &["n"],
    group: Group::Run,
    usage: "[N]",
    takes: &[Argument::Number],
    examples: &[Example {
        given: HOOP,
        line: "next 2",
        shows: "contact, V_neg, braking",
    }],
    undoable: true,
    repeats: true,
    run: next,
};

fn next(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let events = count(args, "next")?;
    let end = console.version().stop();
    let mut last = console.navigate(&Goal::Steps(0), progress)?;
    for _ in 0..events {
        let steps = last.steps;
        let goal = Goal::EventBefore(end);
        let mut journey = console.navigate(&goal, progress)?;
        journey.steps += steps;
        let arrived = journey.arrived && journey.why.is_none();
        last = last.followed_by(journey);
        if !arrived {
            break;
        }
    }
    let mut said = console.arrived(&last);
    note_stop(&mut said, &last);
    Ok(said)
}

/// Says why a journey to the table's stop has not moved.
fn note_stop(said: &mut CommandOutput, journey: &Journey) {
    if journey.arrived && journey.steps == 0 && journey.why.is_none() {
        said.text
            .push_str(&format!("  {}\n", say!("console-this-is-the-stop")));
    }
}

const RUN: Command = Command {
    name: "run",
    short: &["r", "continue"],
    group: Group::Run,
    usage: "[for T | to T | until COND]",
    takes: &[
        Argument::Words(&["for", "to", "until"]),
        Argument::Expression,
    ],
    examples: &[
        Example {
            given: HOOP,
            line: "run until contact",
            shows: "t = 0.8686",
        },
        Example {
            given: HOOP,
            line: "run until h > 1000",
            shows: "the condition never became true",
        },
        Example {
            given: HOOP,
            line: "run to 1",
            shows: "t = 1, step 10000",
        },
        Example {
            given: HOOP,
            line: "run",
            shows: "t = 8, step 80000",
        },
    ],
    undoable: true,
    repeats: true,
    run,
};

fn run(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let rest = rest.trim();
    let goal = match word {
        "" => Goal::End,
        "until" if !rest.is_empty() => Goal::Condition(rest.to_owned()),
        "to" if !rest.is_empty() => {
            let at = console.number(rest)?;
            let now = console.run().time();
            if at < now {
                return Err(CommandError::new(say!("console-run-to-past", rest))
                    .with_help(say!("console-run-to-past.help", rest)));
            }
            Goal::Time(at)
        }
        "for" if !rest.is_empty() => {
            let span = console.number(rest)?;
            if span < 0.0 {
                return Err(CommandError::new(say!("console-run-forward"))
                    .with_help(say!("console-run-forward.help")));
            }
            Goal::Time(console.run().time() + span)
        }
        "for" | "to" | "until" => {
            return Err(CommandError::new(say!("console-run-needs-more", word))
                .with_help(say!("console-run-needs-more.help")));
        }
        _ => {
            return Err(CommandError::new(say!("console-run-not-understood", args))
                .with_help(say!("console-run-not-understood.help")));
        }
    };
    let journey = console.navigate(&goal, progress)?;
    let mut said = console.arrived(&journey);
    if matches!(goal, Goal::End) {
        note_stop(&mut said, &journey);
    }
    Ok(said)
}

const FINISH: Command = Command {
    name: "finish",
    short: &[],
    group: Group::Run,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "break contact"],
        line: "finish",
        shows: "t = 8, step 80000",
    }],
    undoable: true,
    repeats: false,
    run: finish,
};

fn finish(console: &mut Console, _: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let stops = std::mem::take(&mut console.state.stops);
    let journey = console.navigate(&Goal::End, progress)?;
    console.state.stops = stops;
    let mut said = console.arrived(&journey);
    note_stop(&mut said, &journey);
    if !said.logged.is_empty() {
        let passed = console.state.stops.iter().filter(|stop| stop.enabled);
        let turned = |word| {
            passed
                .clone()
                .map(move |stop| format!("stops {word} {}", stop.number))
        };
        said.logged.splice(0..0, turned("off"));
        said.logged.extend(turned("on"));
    }
    Ok(said)
}

const RESET: Command = Command {
    name: "reset",
    short: &[],
    group: Group::Run,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1"],
        line: "reset",
        shows: "t = 0, step 0",
    }],
    undoable: true,
    repeats: false,
    run: reset,
};

fn reset(console: &mut Console, _: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    console.begin(version, "reset")?;
    let journey = console.navigate(&Goal::Steps(0), progress)?;
    Ok(console.arrived(&journey))
}
