//! The help of the command line in the language of the reader.
//!
//! The texts of the program are English; the catalogue has them in all languages, under `usage-COMMAND` with an attribute
//! for each option, or under `usage-any` if several commands have it.

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use situ_words::{Language, prose, say};

use super::STYLES;

/// The command line with its help in the language of the reader.
pub(super) fn told(mut command: Command) -> Command {
    if Language::present() == Language::English {
        return command;
    }
    // What all commands have, such as `--help`, is put in first.
    command.build();
    in_language(command)
}

fn in_language(mut command: Command) -> Command {
    let name = command.get_name().to_owned();
    let style = STYLES.get_usage();
    let usage = format!("{style}{}{style:#}", say!("usage-any.usage"));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{usage} {{usage}}\n\n{{all-args}}{{after-help}}"
    );
    let after = after_help(&command, &name);
    let calls = usage_of(&mut command);
    let about = prose(&format!("usage-{name}"));
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    command
        .long_about(None::<&str>)
        .override_usage(calls)
        .after_help(after)
        .help_template(template)
        .subcommand_help_heading(say!("usage-any.commands"))
        .mut_args(|arg| {
            let heading = heading(&arg);
            let text = of_argument(&name, &arg);
            let arg = arg.help_heading(heading);
            match text {
                Some(text) => with_values(arg, &text),
                None => arg,
            }
        })
        .mut_subcommands(in_language)
}

/// The ways to call a command, in which clap's own words stand in the language of the reader.
fn usage_of(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let (options, command) = (say!("usage-any.any-options"), say!("usage-any.any-command"));
    usage
        .replace("[OPTIONS]", &options)
        .replace("[COMMAND]", &command)
}

/// The help of an argument: its text, the values that it may have, and the one that it has by itself. At length each
/// value has a line that says what it means.
fn with_values(arg: Arg, text: &str) -> Arg {
    // A flag has the values true and false, which nobody types.
    let takes_values = arg.get_action().takes_values();
    let values = match takes_values {
        true => arg.get_possible_values(),
        false => Vec::new(),
    };
    let shown = takes_values && !arg.is_hide_default_value_set();
    let default = arg.get_default_values().first().filter(|_| shown);
    let default = default.map_or_else(String::new, |value| {
        let value = value.to_string_lossy();
        format!(" {}", say!("usage-any.by-default", value))
    });
    if values.is_empty() || arg.is_hide_possible_values_set() {
        let text = format!("{text}{default}");
        return arg
            .help(text)
            .long_help(None::<&str>)
            .hide_default_value(true);
    }
    let name = arg.get_id().to_string();
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let short = say!("usage-any.values", names = names.join(", "));
    let lines = values.iter().map(|value| {
        let meaning = meaning(&name, value).map(|meaning| format!(": {meaning}"));
        format!("\n- {}{}", value.get_name(), meaning.unwrap_or_default())
    });
    let lines: String = lines.collect();
    let long = format!("{text}{default}\n\n{}{lines}", say!("usage-any.all-values"));
    arg.help(format!("{text} {short}{default}"))
        .long_help(long)
        .hide_default_value(true)
        .hide_possible_values(true)
}

/// What a value of an argument means. Units of time say it by their names.
fn meaning(argument: &str, value: &PossibleValue) -> Option<String> {
    let english = value.get_help()?;
    match argument {
        "unit" => None,
        _ => Some(prose(&value_id(argument, value)).unwrap_or_else(|| english.to_string())),
    }
}

/// The name of the entry that says what a value means.
fn value_id(argument: &str, value: &PossibleValue) -> String {
    format!("value-{argument}.{}", value.get_name())
}

/// The text of an argument: the command's own, or that of all commands.
fn of_argument(command: &str, arg: &Arg) -> Option<String> {
    let id = arg.get_id();
    let own = prose(&format!("usage-{command}.{id}"));
    own.or_else(|| prose(&format!("usage-any.{id}")))
}

fn heading(arg: &Arg) -> String {
    match arg.get_help_heading() {
        Some("Event stepping") => say!("usage-any.event-stepping"),
        Some("Scene") => say!("usage-any.scene"),
        Some(other) => other.to_owned(),
        None if arg.is_positional() => say!("usage-any.arguments"),
        None => say!("usage-any.options"),
    }
}

/// What stands below the options: remarks in the language of the reader, and the examples.
fn after_help(command: &Command, name: &str) -> String {
    let english = command.get_after_help().map(ToString::to_string);
    let examples = english.as_deref().and_then(examples);
    let examples = examples.map(|lines| format!("{}\n{lines}", say!("usage-any.examples")));
    let remarks = prose(&format!("usage-{name}.after"));
    let parts: Vec<String> = remarks.into_iter().chain(examples).collect();
    parts.join("\n\n")
}

/// The lines of the examples in what stands below the options.
fn examples(after: &str) -> Option<&str> {
    let (_, lines) = after.split_once("Examples:\n")?;
    lines.split("\n\n").next()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::command::CommandLine;

    /// Compares the English texts of a command and its arguments with the catalogue.
    fn check(command: &Command, named: &mut BTreeSet<String>, wrong: &mut Vec<String>) {
        let name = command.get_name();
        let mut compare = |ids: [String; 2], text: String| {
            let found = ids.into_iter().find_map(|id| Some((prose(&id)?, id)));
            match found {
                Some((told, id)) if told == text => _ = named.insert(id),
                Some((told, id)) => wrong.push(format!("{id}: {told:?}, not {text:?}")),
                None => wrong.push(format!("{name}: {text:?} has no entry")),
            }
        };
        let about = command.get_about().map(ToString::to_string);
        compare(
            [format!("usage-{name}"), String::new()],
            about.unwrap_or_default(),
        );
        for arg in command.get_arguments() {
            let id = arg.get_id();
            // What clap says of it depends on the command.
            if id == "help" {
                continue;
            }
            let ids = [format!("usage-{name}.{id}"), format!("usage-any.{id}")];
            let help = arg.get_help().map(ToString::to_string);
            compare(ids, help.unwrap_or_default());
            if id == "unit" || !arg.get_action().takes_values() {
                continue;
            }
            for value in arg.get_possible_values() {
                if let Some(help) = value.get_help() {
                    let id = value_id(id.as_str(), &value);
                    compare([id, String::new()], help.to_string());
                }
            }
        }
        let after = command.get_after_help().map(ToString::to_string);
        if let Some(after) = after {
            let examples = examples(&after).map(|lines| format!("Examples:\n{lines}"));
            let remarks = after.replace(&examples.unwrap_or_default(), "");
            let remarks = remarks.split_whitespace().collect::<Vec<_>>().join(" ");
            if !remarks.is_empty() {
                compare([format!("usage-{name}.after"), String::new()], remarks);
            }
        }
        let children = command.get_subcommands();
        let children = children.filter(|child| child.get_name() != "help" || name == "situ");
        children.for_each(|child| match child.get_name() {
            "help" => _ = named.insert("usage-help".to_owned()),
            _ => check(child, named, wrong),
        });
    }

    #[test]
    fn the_catalogue_has_the_texts_of_the_command_line() {
        let mut command = CommandLine::command();
        command.build();
        let (mut named, mut wrong) = (BTreeSet::new(), Vec::new());
        named.insert("usage-any.help".to_owned());
        check(&command, &mut named, &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let headings = 12;
        let areas = ["usage", "value"];
        let texts = areas.map(|area| situ_words::sources(area, Language::English));
        let entries = texts.iter().flat_map(|texts| texts.iter());
        let entries = entries.flat_map(|text| text.lines());
        let entries = entries.filter(|line| {
            let line = line.strip_prefix("    .").unwrap_or(line);
            let word = line.split(' ').next().unwrap_or_default();
            !word.is_empty()
                && line[word.len()..].starts_with(" =")
                && line != "usage-any ="
                && !line.starts_with("value-")
        });
        assert_eq!(
            entries.count(),
            named.len() + headings,
            "no entry is left over"
        );
    }

    #[test]
    fn help_in_russian_has_no_english_headings() {
        let help = Language::Russian.within(|| {
            let mut command = told(CommandLine::command());
            let run = command.find_subcommand_mut("run").unwrap();
            run.render_long_help().to_string()
        });
        assert!(help.starts_with("Выполнить таблицу"), "{help}");
        for heading in [
            "Использование:",
            "Аргументы:",
            "Ключи:",
            "Режим событий:",
            "Примеры:",
        ] {
            assert!(help.contains(heading), "{heading}\n{help}");
        }
        for heading in [
            "Usage:",
            "Options:",
            "OPTIONS",
            "Arguments:",
            "Examples:",
            "Possible values",
            "possible values",
            "default:",
        ] {
            assert!(!help.contains(heading), "{heading}\n{help}");
        }
    }
}
