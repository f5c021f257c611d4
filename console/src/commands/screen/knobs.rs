//! What can be turned, and runs done anew with it.

use std::sync::Arc;

use serde_json::{Value, json};
use situ_engine::model::{Boolean, Clock, ClockKind, ClockValue, Expr, Model, Quantity};
use situ_engine::procedure::Motion;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::say;

use crate::command::{Argument, Command, Example, Group};
use crate::commands::look::{number, split_commas};
use crate::document::Version;
use crate::history::journey::Goal;
use crate::names::{Named, bare, find, named};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::settings::{Choices, choose, setting};
use crate::{Console, ProgressSink};

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// Most quantities that are listed: those of a long family are too many to be turned one by one.
const MOST: usize = 80;

/// The commands of this file, in the order of the help.
pub(in crate::commands) const COMMANDS: &[Command] = &[KNOBS, RERUN];

const KNOBS: Command = Command {
    name: "knobs",
    short: &[],
    group: Group::Change,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: HOOP,
        line: "knobs",
        shows: "mass",
    }],
    undoable: false,
    repeats: false,
    run: knobs,
};

/// A number that can be turned.
struct Knob<'m> {
    quantity: &'m Quantity,
    is_constant: bool,
    value: f64,
    least: f64,
    most: f64,
}

fn knobs(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let model = &version.model;
    let mut listing = Listing::new([
        (say!("console-column-name"), Align::Left),
        (say!("console-column-value"), Align::Right),
        (say!("console-column-from"), Align::Right),
        (say!("console-column-to"), Align::Right),
        (say!("console-column-unit"), Align::Left),
        (say!("console-column-about"), Align::Left),
    ]);
    let mut numbers = Vec::new();
    for knob in turnable(model) {
        let of = knob.quantity;
        listing.row([
            situ_rules::print::name(&of.name),
            rounded(knob.value),
            rounded(knob.least),
            rounded(knob.most),
            of.unit.clone(),
            of.about.clone(),
        ]);
        numbers.push(json!({
            "name": of.name,
            "kind": if knob.is_constant { "constant" } else { "start" },
            "value": number(knob.value),
            "range": [number(knob.least), number(knob.most)],
            "guessed": of.range.is_none(),
            "unit": of.unit,
            "about": of.about,
        }));
    }
    let switches = model.switches.iter().map(|switch| {
        listing.row([
            situ_rules::print::name(&switch.name),
            switch.start.to_string(),
            String::new(),
            String::new(),
            String::new(),
            switch.about.clone(),
        ]);
        json!({ "name": switch.name, "value": switch.start, "about": switch.about })
    });
    let switches: Vec<Value> = switches.collect();
    let cases = model.cases.iter();
    let cases: Vec<Value> = cases
        .map(|case| json!({ "name": case.name, "about": case.about }))
        .collect();
    let data = json!({
        "numbers": numbers,
        "switches": switches,
        "cases": cases,
        "case": version.choices.case,
        "settings": settings(&version),
    });
    if listing.is_empty() {
        return Ok(CommandOutput::new(
            format!("{}\n", say!("console-no-knobs")),
            data,
        ));
    }
    Ok(CommandOutput::new(listing.plain(console.look.width), data))
}

/// Constants, and reals that are integrated, which start with a number of their own; what follows from others is left
/// to them.
fn turnable(model: &Model) -> impl Iterator<Item = Knob<'_>> {
    let constants = model.constants.iter().map(|one| (one, true));
    let mut is_integrated = vec![false; model.reals.len()];
    for relation in &model.relations {
        let moves = relation.procedure.get().motion() == Motion::Integrated;
        for real in relation.targets.iter().filter(|_| moves) {
            is_integrated[real.index()] = true;
        }
    }
    let reals = model.reals.iter().zip(is_integrated);
    let reals = reals.filter_map(|(one, is_integrated)| is_integrated.then_some((one, false)));
    let all = constants
        .chain(reals)
        .filter_map(|(quantity, is_constant)| {
            let value = written_number(model, quantity)?;
            let [least, most] = quantity.range.unwrap_or(match value {
                0.0 => [-1.0, 1.0],
                value => [value.min(0.0) * 2.0, value.max(0.0) * 2.0],
            });
            Some(Knob {
                quantity,
                is_constant,
                value,
                least,
                most,
            })
        });
    all.take(MOST)
}

/// The start value, if it is a number and not computed.
fn written_number(model: &Model, quantity: &Quantity) -> Option<f64> {
    match model.exprs.get(quantity.start) {
        Expr::Number(value) => Some(value),
        Expr::Neg(inner) => match model.exprs.get(inner) {
            Expr::Number(value) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// Settings of the run that are numbers or words, with what is stated of them.
fn settings(version: &Version) -> Vec<Value> {
    let clock = &version.model.clock;
    let all = Clock::SETTINGS
        .iter()
        .filter(|one| setting(one.name).is_some());
    let shown = all.filter_map(|setting| {
        let words: Vec<&str> = match setting.kind {
            ClockKind::Word(words) => words().iter().map(|(word, _)| *word).collect(),
            ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count => Vec::new(),
            ClockKind::Expression | ClockKind::Condition => return None,
        };
        let value = match setting.get(clock) {
            Some(ClockValue::Number(value)) => number(value),
            Some(ClockValue::Word(word)) => json!(word),
            _ => Value::Null,
        };
        Some(json!({
            "name": setting.name,
            "about": setting.about(),
            "value": value,
            "default": setting.default,
            "words": words,
        }))
    });
    shown.collect()
}

const RERUN: Command = Command {
    name: "rerun",
    short: &[],
    group: Group::Run,
    usage: "[NAME = VALUE, ..]",
    takes: &[Argument::Name, Argument::Setting, Argument::Value],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 0.5"],
        line: "rerun m = 2, step = 0.001",
        shows: "t = 0.5, step 500",
    }],
    undoable: true,
    repeats: false,
    run: rerun,
};

fn rerun(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let mut choices = version.choices.clone();
    for part in split_commas(args)
        .into_iter()
        .filter(|part| !part.is_empty())
    {
        let Some((name, value)) = part.split_once('=') else {
            return Err(CommandError::new(say!("console-sets-nothing", part))
                .with_help(say!("console-sets-nothing.help")));
        };
        turn(console, &version, (name.trim(), value.trim()), &mut choices)?;
    }
    let version = Arc::new(version.chosen(choices, console.look.style)?);
    let history = &console.state.history;
    let (segment, end) = history.at_step(history.length()).place();
    let end = console.segments.at(segment, end).time();
    console.begin(version, &format!("rerun {args}"))?;
    let journey = console.navigate(&Goal::Time(end), progress)?;
    let mut said = console.arrived(&journey);
    if journey.failed || journey.interrupted {
        // At the start, `rerun` goes nowhere.
        let begun = ["reset".to_owned(), format!("rerun {args}")];
        said.logged.splice(0..0, begun);
    }
    Ok(said)
}

/// Gives a name or a setting another value at the start.
fn turn(
    console: &mut Console,
    version: &Version,
    (name, value): (&str, &str),
    choices: &mut Choices,
) -> Result<(), CommandError> {
    match find(&version.model, name) {
        Some(Named::Boolean(Boolean::Switch(_)) | Named::Constant(_) | Named::Real(_)) => {
            choices.settings.retain(|(known, _)| known != bare(name));
            choices
                .settings
                .push((bare(name).to_owned(), value.to_owned()));
            Ok(())
        }
        Some(Named::Boolean(_)) => Err(CommandError::new(say!(
            "console-follows",
            name = bare(name)
        ))),
        None => match setting(name) {
            Some(setting) => choose(console, (name, setting), value, choices),
            None => Err(named(&version.model, name).expect_err("it was not found")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::session;

    #[test]
    fn a_run_done_anew_is_the_run_with_other_values() {
        let (_, mut console) = session();
        let (_, mut other) = session();
        for line in ["load scenarios/hoop/table.ron", "run to 1.2"] {
            console.execute(line, &mut ());
        }
        let reply = console.execute("rerun m = 2, Vy = -3", &mut ());
        assert!(!reply.failed, "{}", reply.text);
        for line in [
            "load scenarios/hoop/table.ron",
            "set m = 2",
            "set Vy = -3",
            "run to 1.2",
        ] {
            other.execute(line, &mut ());
        }
        for name in ["h", "Vy", "P"] {
            assert_eq!(console.value(name), other.value(name), "{name}");
        }
        console.execute("undo", &mut ());
        assert_eq!(console.value("m"), Some(json!(1.0)));
        for wrong in [
            "rerun q = 1",
            "rerun m",
            "rerun contact = true",
            "rerun m = x",
        ] {
            assert!(console.execute(wrong, &mut ()).failed, "{wrong}");
        }
    }

    #[test]
    fn knobs_are_numbers_that_nothing_computes() {
        let (_, mut console) = session();
        console.execute("load scenarios/stand/table.ron", &mut ());
        let reply = console.execute("knobs", &mut ());
        let result = &reply.data["result"];
        let names = result["numbers"].as_array().unwrap().iter();
        let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
        assert!(
            names.contains(&"theta") && names.contains(&"H"),
            "{names:?}"
        );
        assert!(
            !names.contains(&"speed") && !names.contains(&"n"),
            "{names:?}"
        );
        let mut settings = result["settings"].as_array().unwrap().iter();
        let locate = settings.find(|one| one["name"] == "locate").unwrap();
        assert_eq!(locate["words"].as_array().unwrap().len(), 5, "{locate}");
        assert_eq!(result["cases"].as_array().unwrap().len(), 4);
    }
}
