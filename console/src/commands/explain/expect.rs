//! Whether a condition holds where the run stands, and if not, why.

use serde_json::json;
use situ_engine::model::WatchLiteral;
use situ_rules::{print, resolve};
use situ_views::columns::observed::Values;
use situ_views::explanation;
use situ_words::say;

use super::failing::Failing;
use crate::command::{Argument, Command, Example, Group};
use crate::names::Asked;
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};

const CONTACT: &[&str] = &["load scenarios/hoop/table.ron", "run until contact & V_pos"];

pub(super) const EXPECT: Command = Command {
    name: "expect",
    short: &[],
    group: Group::Explain,
    usage: "COND",
    takes: &[Argument::Expression],
    examples: &[Example {
        given: CONTACT,
        line: "expect contact & h > 0",
        shows: "contact & h > 0: holds",
    }],
    undoable: false,
    repeats: false,
    run: expect,
};

/// Code of the reports on expectations that are written wrongly.
const WRITTEN_WRONGLY: &str = "X001";

/// True if a table could expect it, as of what a whole run comes to: `count(hit) = 2`.
///
/// # Errors
///
/// It is written as no expectation is, as by a tolerance behind a bound.
fn is_expectation(console: &Console, text: &str) -> Result<bool, CommandError> {
    let version = console.version();
    let (mut model, mut origins) = ((*version.model).clone(), version.origins.clone());
    let mut sources = version.sources.clone();
    let read = resolve::expectation(&mut model, &mut origins, &mut sources, "<line>", text);
    match read {
        Err(reports) if reports.iter().any(|report| report.code == WRITTEN_WRONGLY) => Err(
            CommandError::reports(&reports, &sources, console.look.style),
        ),
        read => Ok(read.is_ok()),
    }
}

fn expect(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let is_expectation = is_expectation(console, args)?;
    let bound = match console.bind(args) {
        Err(_) if is_expectation => {
            return Err(CommandError::new(say!("console-of-a-run", args))
                .with_help(say!("console-of-a-run.help")));
        }
        bound => bound?,
    };
    let model = &bound.model;
    let Asked::Condition(watch) = &bound.asked else {
        return Err(CommandError::new(say!("console-no-condition", args))
            .with_help(say!("console-no-condition.help")));
    };
    let run = &*console.run();
    let values = Values::of(run.model(), model, run.row());
    let fails = |literal: &&WatchLiteral| !values.holds(std::slice::from_ref(*literal));
    let failing: Vec<&WatchLiteral> = watch.iter().filter(fails).collect();
    if failing.is_empty() {
        let data = json!({ "expected": args, "met": true });
        return Ok(CommandOutput::new(
            format!("{}\n", say!("console-expected-holds", args)),
            data,
        ));
    }
    let now = time(run.row().time);
    let mut text = format!("{}\n", say!("console-expected-fails", args, time = now));
    let words = Failing {
        words: print::ModelText::of(model),
        values,
    };
    let mut named = Vec::new();
    for literal in failing {
        match literal {
            WatchLiteral::Boolean(literal) => named.push(*literal),
            WatchLiteral::Comparison(comparison) => text += &words.comparison(comparison),
            WatchLiteral::Any { of, negated } => text += &words.any(of, *negated),
        }
    }
    for literal in named {
        let reason = match literal.negated {
            true => console.past().why_boolean(literal.what),
            false => console.past().why_not(literal.what, progress)?,
        };
        text += &explanation::text(&reason);
    }
    let mut output = CommandOutput::new(text, json!({ "expected": args, "met": false }));
    output.failed = true;
    Ok(output)
}
