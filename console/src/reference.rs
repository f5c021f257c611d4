//! The reference of all commands as Markdown, made from the list.

use super::command::{Argument, Group, example_lines};
use super::commands;
use super::settings;

/// A page that describes every command.
pub fn reference() -> String {
    let mut text = String::from(
        "# The prompt: all commands\n\n\
         Made from the list of commands by `situ repl --reference`; a test holds it against the program.\n\n\
         Any prefix that fits one command will do. A rule adds itself, a name prints itself, an empty line does the last step again.\n\
         Lines that begin with `#` are remarks.\n",
    );
    for group in Group::ALL {
        text.push_str(&format!("\n## {}\n", capitalised(&group.name())));
        for command in commands::all().filter(|command| command.group == group) {
            let usage = format!("{} {}", command.name, command.usage);
            text.push_str(&format!(
                "\n### `{}`\n\n{}.",
                usage.trim_end(),
                command.about()
            ));
            let help = command.help();
            if !help.is_empty() {
                text.push_str(&format!(" {help}"));
            }
            if !command.short.is_empty() {
                let short: Vec<String> =
                    command.short.iter().map(|one| format!("`{one}`")).collect();
                text.push_str(&format!(" Also {}.", short.join(", ")));
            }
            if command.takes.contains(&Argument::Setting) {
                text.push_str("\n\nSettings:\n");
                for (name, about) in settings::described() {
                    text.push_str(&format!("\n- `{name}`: {about}"));
                }
            }
            text.push_str("\n\n```text\n");
            for line in example_lines(command.examples) {
                text.push_str(&format!("{line}\n"));
            }
            text.push_str("```\n");
        }
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
