//! The help of the command line in the language of the reader.
//!
//! The texts of the program are English; the catalogue has them in all languages, under `usage-COMMAND` with an attribute
//! for each option, or under `usage-any` if several commands have it.

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

fn in_language(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let style = STYLES.get_usage();
    let usage = format!("{style}{}{style:#}", say!("usage-any.usage"));
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{usage} {{usage}}\n\n{{all-args}}{{after-help}}"
    );
    let after = after_help(&command, &name);
    let about = prose(&format!("usage-{name}"));
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    command
        .long_about(None::<&str>)
        .after_help(after)
        .help_template(template)
        .subcommand_help_heading(say!("usage-any.commands"))
        .mut_args(|arg| {
            let heading = heading(&arg);
            let text = of_argument(&name, &arg);
            let arg = arg.help_heading(heading);
            match text {
                Some(text) => arg.help(text).long_help(None::<&str>),
                None => arg,
            }
        })
        .mut_subcommands(in_language)
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
        let headings = 7;
        let texts = situ_words::sources("usage", Language::English);
        let entries = texts.iter().flat_map(|text| text.lines());
        let entries = entries.filter(|line| {
            let line = line.strip_prefix("    .").unwrap_or(line);
            let word = line.split(' ').next().unwrap_or_default();
            !word.is_empty() && line[word.len()..].starts_with(" =") && line != "usage-any ="
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
        for heading in ["Usage:", "Options:", "Arguments:", "Examples:"] {
            assert!(!help.contains(heading), "{heading}\n{help}");
        }
    }
}
