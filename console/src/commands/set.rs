//! Values and settings in mid-run.

use std::sync::Arc;

use situ_engine::ids::SwitchId;
use situ_engine::model::{Boolean, ClockSetting, Model};
use situ_rules::diag::nearest;

use crate::command::{Argument, Command, Example, Group};
use crate::names::{Named, bare, find, named, spelt};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::settings::{Choices, choose, elsewhere, setting, settings};
use crate::{Console, ProgressSink};
use situ_rules::print::{number, rewritten};
use situ_words::say;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[SET];

const SET: Command = Command {
    name: "set",
    short: &[],
    group: Group::Change,
    usage: "NAME = VALUE",
    takes: &[Argument::Name, Argument::Setting, Argument::Value],
    examples: &[
        Example {
            given: &["load scenarios/hoop/table.ron", "set R = 40"],
            line: "def",
            shows: "def = -360 cm",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "run to 0.5"],
            line: "set Vy = 0",
            shows: "t = 0.5",
        },
        Example {
            given: HOOP,
            line: "set dt = 0.001",
            shows: "dt = 0.001",
        },
    ],
    undoable: true,
    repeats: false,
    run: set,
};

fn set(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let Some((name, value)) = args.split_once('=') else {
        return Err(
            CommandError::new(say!("console-set-needs")).with_help(say!("console-set-needs.help"))
        );
    };
    let (name, value) = (name.trim(), value.trim());
    let version = console.version();
    let what = match find(&version.model, name) {
        Some(what) => what,
        None => {
            if let Some(setting) = setting(name) {
                return set_clock(console, (name, setting), value, progress);
            }
            if let Some(trouble) = elsewhere(name) {
                return Err(trouble);
            }
            let near = nearest(name, settings().map(|(name, _)| name));
            return Err(match near {
                Some(near) => CommandError::new(say!("console-nothing-named", name))
                    .with_help(say!("console-meant-set-near", near, value)),
                None => named(&version.model, name).expect_err("it was not found"),
            });
        }
    };
    let cause = format!("set {} = {value}", spelt(name));
    let mut choices = version.choices.clone();
    match what {
        Named::Boolean(Boolean::Switch(_)) if value != "true" && value != "false" => {
            return Err(CommandError::new(say!("console-switch-value", value)));
        }
        Named::Boolean(Boolean::Switch(_)) | Named::Constant(_) | Named::Real(_) => {}
        Named::Boolean(_) => {
            return Err(
                CommandError::new(say!("console-follows", name = bare(name)))
                    .with_help(say!("console-follows.help", name)),
            );
        }
    }
    let at_start = console.state.history.at_the_start();
    if at_start || matches!(what, Named::Constant(_)) {
        // In mid-run the present value alone is meant: what it is computed from may change, the constant does not.
        let value = match at_start {
            true => value.to_owned(),
            false => number(console.number(value)?),
        };
        let others = other_states(&version.model, what).map(|(_, state)| state);
        let others: Vec<&str> = others.collect();
        choices
            .settings
            .retain(|(known, _)| known != bare(name) && !others.contains(&known.as_str()));
        choices.settings.push((bare(name).to_owned(), value));
        let chosen = version.chosen(choices, console.look.style)?;
        return Ok(warned(
            console.revise(chosen, &cause, progress)?,
            &version.model,
            what,
        ));
    }
    console.end_instant()?;
    let mut carried = console.run().carried();
    match what {
        Named::Real(id) => {
            let value = console.number(value)?;
            carried.reals[id.index()].1 = value;
        }
        Named::Boolean(Boolean::Switch(id)) => {
            let (switches, value) = (&mut carried.switches, value == "true");
            let mut others = other_states(&version.model, what).peekable();
            if !value && others.peek().is_some() && switches[id.index()].1 {
                return Err(
                    CommandError::new(say!("console-leaves-state", name = bare(name)))
                        .with_help(say!("console-leaves-state.help")),
                );
            }
            switches[id.index()].1 = value;
            for (other, _) in others.filter(|_| value) {
                switches[other.index()].1 = false;
            }
        }
        _ => {}
    }
    let history = console.state.history.clone();
    let changed = console
        .segments
        .change(
            &history,
            (&version.model, &version.config),
            &carried,
            Arc::clone(&version),
            &cause,
        )
        .map_err(|error| console.setup_trouble(&error, &version))?;
    console.go(changed);
    let said = console.after_change(&history, String::new(), progress)?;
    Ok(warned(said, &version.model, what))
}

/// The other states of the machine of which a switch is a state.
fn other_states(model: &Model, what: Named) -> impl Iterator<Item = (SwitchId, &str)> {
    let state = match what {
        Named::Boolean(Boolean::Switch(id)) => Some(id),
        _ => None,
    };
    let others = state
        .into_iter()
        .flat_map(|state| model.other_states(state));
    others.map(|other| (other, model.switches[other.index()].name.as_str()))
}

/// Says which rows are going to undo what was set.
fn warned(mut said: CommandOutput, model: &Model, what: Named) -> CommandOutput {
    if let Named::Real(id) = what {
        let lines = rewritten(model, id);
        said.text
            .extend(lines.iter().map(|line| format!("{line}\n")));
    }
    said
}

/// Changes the clock of the run; the table's own stays.
fn set_clock(
    console: &mut Console,
    (name, setting): (&str, &'static ClockSetting),
    value: &str,
    progress: &mut dyn ProgressSink,
) -> Outcome {
    let version = console.version();
    let mut choices: Choices = version.choices.clone();
    choose(console, (name, setting), value, &mut choices)?;
    let version = version.chosen(choices, console.look.style)?;
    let mut said = console.revise(version, &format!("set {name} = {value}"), progress)?;
    said.text.insert_str(0, &format!("{name} = {value}\n"));
    Ok(said)
}
