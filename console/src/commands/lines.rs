//! Lines of history: undo and redo of any command, branches.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::command::{Argument, Command, Example, Group};
use crate::history::journey::Journey;
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, Done, ProgressSink, Undone, in_a_line};
use situ_explain::History;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::say;

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[UNDO, REDO, BRANCH, CHECKOUT, COMPARE];

const UNDO: Command = Command {
    name: "undo",
    short: &["u"],
    group: Group::Lines,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1", "drop 3a"],
        line: "undo",
        shows: "undone: drop 3a",
    }],
    undoable: false,
    repeats: false,
    run: undo,
};

fn undo(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let mut text = String::new();
    let mut lines = Vec::new();
    for _ in 0..super::run::count(args, "undo")? {
        let Some(done) = console.done.pop_if(|done| done.before.is_some()) else {
            break;
        };
        let Done {
            line,
            loaded,
            before: Some(before),
        } = done
        else {
            break;
        };
        let after = std::mem::replace(&mut console.state, before);
        text.push_str(&format!(
            "{}\n",
            say!("console-undone", line = in_a_line(&line))
        ));
        lines.push(in_a_line(&line));
        console.undone.push(Undone {
            line,
            loaded,
            after,
        });
    }
    if lines.is_empty() {
        return Err(CommandError::new(say!("console-nothing-to-undo")));
    }
    moved(console, text, lines)
}

const REDO: Command = Command {
    name: "redo",
    short: &[],
    group: Group::Lines,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1", "undo"],
        line: "redo",
        shows: "t = 1, step 10000",
    }],
    undoable: false,
    repeats: false,
    run: redo,
};

fn redo(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let mut text = String::new();
    let mut lines = Vec::new();
    for _ in 0..super::run::count(args, "redo")? {
        let Some(undone) = console.undone.pop() else {
            break;
        };
        let Undone {
            line,
            loaded,
            after,
        } = undone;
        let before = std::mem::replace(&mut console.state, after);
        text.push_str(&format!(
            "{}\n",
            say!("console-done-again", line = in_a_line(&line))
        ));
        lines.push(in_a_line(&line));
        console.done.push(Done {
            line,
            loaded,
            before: Some(before),
        });
    }
    if lines.is_empty() {
        return Err(CommandError::new(say!("console-nothing-to-redo")));
    }
    moved(console, text, lines)
}

fn moved(console: &mut Console, text: String, lines: Vec<String>) -> Outcome {
    let mut said = console.arrived(&Journey::default());
    said.text.insert_str(0, &text);
    said.data["lines"] = json!(lines);
    Ok(said)
}

const BRANCH: Command = Command {
    name: "branch",
    short: &[],
    group: Group::Lines,
    usage: "[NAME]",
    takes: &[Argument::Branch],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 1"],
        line: "branch heavy",
        shows: "branch heavy, from main at t = 1",
    }],
    undoable: true,
    repeats: false,
    run: branch,
};

fn branch(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return branches(console);
    }
    let now = console.state.branch.to_string();
    if args == now || console.state.branches.contains_key(args) {
        return Err(CommandError::new(say!("console-branch-exists", args))
            .with_help(say!("console-branch-exists.help", args)));
    }
    if args.contains(char::is_whitespace) {
        return Err(CommandError::new(say!("console-branch-blanks")));
    }
    let at = console.run().time();
    let history = console.state.history.clone();
    Arc::make_mut(&mut console.state.branches).insert(now.clone(), history);
    console.state.branch = args.into();
    Ok(CommandOutput::new(
        format!(
            "{}\n",
            say!("console-branch-made", args, now, time = time(at))
        ),
        json!({ "branch": args, "from": now, "time": at }),
    ))
}

fn branches(console: &mut Console) -> Outcome {
    let mut all: Vec<(String, History)> = console
        .state
        .branches
        .iter()
        .map(|(name, history)| (name.clone(), history.clone()))
        .collect();
    all.push((
        console.state.branch.to_string(),
        console.state.history.clone(),
    ));
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let mut listing = Listing::new([
        (say!("console-column-branch"), Align::Left),
        (String::new(), Align::Left),
        (say!("console-column-time"), Align::Right),
        (say!("console-column-steps"), Align::Right),
    ]);
    let mut data = Vec::new();
    for (name, history) in all {
        let (segment, step) = history.place();
        let at = console.segments.at(segment, step).time();
        let mark = if *name == *console.state.branch {
            say!("console-here")
        } else {
            String::new()
        };
        listing.row([
            name.clone(),
            mark,
            time(at),
            history.steps_before().to_string(),
        ]);
        data.push(json!({ "branch": name, "time": at, "steps": history.steps_before() }));
    }
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        json!(data),
    ))
}

const CHECKOUT: Command = Command {
    name: "checkout",
    short: &["co"],
    group: Group::Lines,
    usage: "NAME",
    takes: &[Argument::Branch],
    examples: &[Example {
        given: &[
            "load scenarios/hoop/table.ron",
            "run to 1",
            "branch b",
            "run to 2",
        ],
        line: "checkout main",
        shows: "t = 1, step 10000",
    }],
    undoable: true,
    repeats: false,
    run: checkout,
};

fn checkout(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args == &*console.state.branch {
        return Err(CommandError::new(say!("console-this-is-branch", args)));
    }
    let branches = Arc::make_mut(&mut console.state.branches);
    let Some(history) = branches.remove(args) else {
        return Err(CommandError::new(say!("console-no-branch", name = args))
            .with_help(say!("console-no-branch.help")));
    };
    let left = std::mem::replace(&mut console.state.history, history);
    branches.insert(console.state.branch.to_string(), left);
    console.state.branch = args.into();
    Ok(console.arrived(&Journey::default()))
}

const COMPARE: Command = Command {
    name: "compare",
    short: &[],
    group: Group::Lines,
    usage: "A [B]",
    takes: &[Argument::Branch],
    examples: &[Example {
        given: &[
            "load scenarios/hoop/table.ron",
            "run to 0.5",
            "branch b",
            "set m = 2",
            "run to 1",
            "checkout main",
            "run to 1",
        ],
        line: "compare main b",
        shows: "greatest",
    }],
    undoable: false,
    repeats: false,
    run: compare,
};

fn compare(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let words: Vec<&str> = args.split_whitespace().collect();
    let here = console.state.branch.to_string();
    let (first, second) = match words[..] {
        [first] => (first, here.as_str()),
        [first, second] => (first, second),
        _ => {
            return Err(CommandError::new(say!("console-compare-needs"))
                .with_help(say!("console-compare-needs.help")));
        }
    };
    let history = |name: &str| {
        if name == here {
            return Ok(console.state.history.clone());
        }
        console.state.branches.get(name).cloned().ok_or_else(|| {
            CommandError::new(say!("console-no-branch", name))
                .with_help(say!("console-no-branch.help"))
        })
    };
    let (a, b) = (history(first)?, history(second)?);
    let compared = console.segments.compared(&a, &b, progress)?;
    let mut listing = Listing::new([
        (say!("console-column-real"), Align::Left),
        (say!("console-column-at-the-end-a"), Align::Right),
        ("B".to_owned(), Align::Right),
        (say!("console-column-greatest-distance"), Align::Right),
        (say!("console-column-at-t"), Align::Right),
        (say!("console-column-unit"), Align::Left),
    ]);
    let mut data = serde_json::Map::new();
    for row in &compared.rows {
        listing.row([
            situ_rules::print::name(&row.name),
            rounded(row.ends.0),
            rounded(row.ends.1),
            rounded(row.greatest),
            if row.greatest > 0.0 {
                time(row.at)
            } else {
                String::new()
            },
            row.unit.clone(),
        ]);
        data.insert(
            row.name.clone(),
            json!({ "a": row.ends.0, "b": row.ends.1, "greatest": row.greatest, "at": row.at }),
        );
    }
    let mut text = format!(
        "{}\n",
        say!("console-compared", first, second, end = time(compared.end))
    );
    text.push_str(&listing.plain(console.look.width));
    match compared.parts {
        Some(at) => text.push_str(&format!("{}\n", say!("console-they-part", time = time(at)))),
        None => text.push_str(&format!("{}\n", say!("console-they-are-equal"))),
    }
    Ok(CommandOutput::new(
        text,
        json!({ "end": compared.end, "part": compared.parts, "reals": Value::Object(data) }),
    ))
}
