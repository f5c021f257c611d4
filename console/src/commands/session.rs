//! The session: saving, reading scripts, the list of what was done, help.

use std::path::Path;

use serde_json::json;

use crate::command::{Argument, Command, Example, Group, example_lines};
use crate::files::write;
use crate::mistyped::advised;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink, commands, document, in_a_line, settings};
use situ_views::text::plain;
use situ_views::text::prose::wrapped;
use situ_views::text::visible::visible;
use situ_words::say;

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[SAVE, READ, HISTORY, HELP, QUIT];

const SAVE: Command = Command {
    name: "save",
    short: &[],
    group: Group::Session,
    usage: "[FILE.ron | FILE.situ]",
    takes: &[Argument::File],
    examples: &[
        Example {
            given: &["load scenarios/hoop/table.ron", "drop 3a"],
            line: "save edited.ron",
            shows: "saved",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "run to 1"],
            line: "save session.situ",
            shows: "2 lines",
        },
    ],
    undoable: false,
    repeats: false,
    run: save,
};

fn save(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let document = &version.document;
    let (args, is_urged) = match args.strip_prefix('!') {
        Some(args) => (args.trim(), true),
        None => (args, false),
    };
    let path = match (args, &document.path) {
        ("", Some(path)) => path.clone(),
        ("", None) => {
            return Err(CommandError::new(say!("console-save-needs"))
                .with_help(say!("console-save-needs.help")));
        }
        (args, _) => console.path(args),
    };
    let is_script = match path.extension().and_then(|end| end.to_str()) {
        Some("situ") => true,
        Some("ron") => false,
        _ => {
            return Err(CommandError::new(say!(
                "console-neither-table-nor-script",
                path = path.display().to_string()
            ))
            .with_help(say!("console-neither-table-nor-script.help")));
        }
    };
    let mut read = document.read_from(is_script);
    read.extend(console.reading.iter().map(|script| &**script));
    let claimed = console.files.claim("`save`", &path, &read);
    claimed.map_err(CommandError::new)?;
    if !is_urged {
        console.ask(&path, args.is_empty())?;
    }
    let (text, said) = if is_script {
        let script = console.script();
        let lines = console.done.iter().map(|done| done.line.lines().count());
        let lines = say!("console-n-lines", n = lines.sum::<usize>());
        (
            script,
            say!(
                "console-saved-script",
                path = path.display().to_string(),
                lines
            ),
        )
    } else {
        let text = console.relocated(&path);
        (
            text,
            say!("console-saved", path = path.display().to_string()),
        )
    };
    write(&*console.files, &path, text.as_bytes()).map_err(|error| {
        CommandError::new(say!(
            "console-cannot-write",
            path = path.display().to_string(),
            error = plain(&error)
        ))
    })?;
    if !is_script {
        console.saved.retain(|(saved, _)| *saved != path);
        console.saved.push((path, document::digest(&text)));
    }
    let mut said = CommandOutput::line(said);
    let settings = &version.choices.settings;
    if !is_script && !settings.is_empty() {
        let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
        said.text.push_str(&format!(
            "  {}\n",
            say!("console-settings-not-saved", names = names.join(", "))
        ));
    }
    Ok(said)
}

impl Console {
    /// Asks before the table that was loaded is written over: if that was not said by name and is the first
    /// time, or if the file is not what this session knows. Who is asked says `save` again.
    ///
    /// # Errors
    ///
    /// The question.
    fn ask(&mut self, path: &Path, is_unnamed: bool) -> Result<(), CommandError> {
        let document = &self.version().document;
        if document.path.as_deref() != Some(path)
            || (self.asks && self.asked.as_deref() == Some(path))
        {
            return Ok(());
        }
        let mut known = self.saved.iter().filter(|(saved, _)| saved == path);
        let known = known.next().map(|(_, hash)| &**hash);
        let is_first = known.is_none();
        let known = known.unwrap_or(&document.read_hash);
        let there = self.files.peek(path).map(document::digest);
        let question = match there {
            Ok(there) if there != known => say!(
                "console-save-over-changed",
                path = path.display().to_string()
            ),
            Ok(_) if is_unnamed && is_first => {
                say!("console-save-over", path = path.display().to_string())
            }
            _ => return Ok(()),
        };
        self.asked = Some(path.to_owned());
        let trouble = CommandError::new(question);
        Err(trouble.with_help(match self.asks {
            true => say!("console-save-over.again"),
            false => say!("console-save-over.urged"),
        }))
    }
}

const READ: Command = Command {
    name: "read",
    short: &["source"],
    group: Group::Session,
    usage: "FILE.situ",
    takes: &[Argument::File],
    examples: &[Example {
        given: &[
            "load scenarios/hoop/table.ron",
            "run to 1",
            "save again.situ",
            "load scenarios/rlc/table.ron",
        ],
        line: "read again.situ",
        shows: "t = 1, step 10000",
    }],
    undoable: false,
    repeats: false,
    run: read,
};

/// Most scripts that are read inside one another.
const MOST_READ: usize = 32;

fn read(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return Err(CommandError::new(say!("console-read-needs"))
            .with_help(say!("console-read-needs.help")));
    }
    let path = console.path(args);
    if console.reading.contains(&path) {
        return Err(CommandError::new(say!(
            "console-read-already",
            path = path.display().to_string()
        )));
    }
    if console.reading.len() == MOST_READ {
        return Err(CommandError::new(say!(
            "console-read-too-deep",
            path = path.display().to_string(),
            most = MOST_READ
        )));
    }
    let text = console.files.read(&path).map_err(|error| {
        CommandError::new(say!(
            "console-cannot-read",
            path = path.display().to_string(),
            error = plain(&error)
        ))
    })?;
    console.reading.push(path);
    let mut said = CommandOutput::default();
    let mut replies = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let reply = console.execute(line, progress);
        let line = visible(line.trim());
        said.drawn[0].push_str(&format!("> {line}\n{}", reply.text));
        replies.push(reply.data);
        said.failed |= reply.failed;
        said.quit |= reply.quit;
        said.interrupted |= reply.interrupted;
        if reply.failed || reply.quit || reply.interrupted {
            break;
        }
    }
    console.reading.pop();
    said.data = json!(replies);
    Ok(said)
}

const HISTORY: Command = Command {
    name: "history",
    short: &[],
    group: Group::Session,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "step 5"],
        line: "history",
        shows: "step 5",
    }],
    undoable: false,
    repeats: false,
    run: history,
};

fn history(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let wanted = if args.is_empty() {
        20
    } else {
        super::run::count(args, "history")?
    };
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let first = console.done.len().saturating_sub(wanted);
    let lines: Vec<String> = console.done[first..]
        .iter()
        .map(|done| in_a_line(&done.line))
        .collect();
    if lines.is_empty() {
        return Ok(CommandOutput::line(say!("console-nothing-changed-yet")));
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        text.push_str(&format!("{:>4}  {line}\n", first + index + 1));
    }
    let undone: Vec<String> = console
        .undone
        .iter()
        .rev()
        .map(|undone| in_a_line(&undone.line))
        .collect();
    for line in &undone {
        text.push_str(&format!("      {}\n", say!("console-undone", line)));
    }
    Ok(CommandOutput::new(
        text,
        json!({ "done": lines, "undone": undone }),
    ))
}

const HELP: Command = Command {
    name: "help",
    short: &["?"],
    group: Group::Session,
    usage: "[COMMAND | all]",
    takes: &[Argument::Command],
    examples: &[
        Example {
            given: &[],
            line: "help",
            shows: "why [not] NAME [at T]",
        },
        Example {
            given: &[],
            line: "help back",
            shows: "Nothing has to be switched on before",
        },
    ],
    undoable: false,
    repeats: false,
    run: help,
};

fn help(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let width = console.look.width.unwrap_or(100);
    if args.is_empty() || args == "all" {
        let text = match args {
            "" => overview(width),
            _ => {
                let pages: Vec<String> = commands::all().map(|one| page(one, width)).collect();
                pages.join("\n")
            }
        };
        return Ok(CommandOutput::new(
            text,
            json!({ "commands": commands::all().map(|one| one.name).collect::<Vec<_>>() }),
        ));
    }
    let command = commands::named(args).map_err(|_| {
        let names: Vec<&str> = commands::all().map(|command| command.name).collect();
        let trouble = CommandError::new(say!("console-no-command", word = args));
        advised(trouble, args, &names, &say!("console-no-command.help"))
    })?;
    Ok(CommandOutput::new(
        page(command, width),
        json!({ "command": command.name, "about": command.about() }),
    ))
}

/// All commands by group.
fn overview(width: u16) -> String {
    let mut text = String::new();
    let widest = commands::all()
        .map(|one| one.name.len() + one.usage.len() + 1)
        .filter(|one| *one < 34)
        .max();
    let widest = widest.unwrap_or(0);
    for group in Group::ALL {
        text.push_str(&format!("{}\n", group.name()));
        for command in commands::all().filter(|command| command.group == group) {
            let call = format!("{} {}", command.name, command.usage);
            let call = call.trim_end();
            let gap = format!("  {call:<widest$}  ");
            text.push_str(&indented(&gap, &command.about(), width));
        }
    }
    format!("{text}\n{}\n", say!("console-help-end"))
}

/// A text behind a first column, broken into lines that stand below each other.
fn indented(first: &str, text: &str, width: u16) -> String {
    let indent = first.chars().count();
    let room = usize::from(width).saturating_sub(indent).max(24);
    let wrapped = wrapped(text, u16::try_from(room).unwrap_or(u16::MAX));
    let mut lines = wrapped.lines();
    let mut all = format!("{first}{}\n", lines.next().unwrap_or_default());
    for line in lines {
        all.push_str(&format!("{:indent$}{line}\n", ""));
    }
    all
}

/// One command.
pub(crate) fn page(command: &Command, width: u16) -> String {
    let mut text = format!("{} {}\n", command.name, command.usage);
    text = format!(
        "{}\n\n{}",
        text.trim_end(),
        wrapped(&format!("{}.", command.about()), width)
    );
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let help = command.help();
    if !help.is_empty() {
        text.push_str(&wrapped(&help, width));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if command.takes.contains(&Argument::Setting) {
        text.push_str(&format!("\n{}\n", say!("console-help-settings")));
        let described = settings::described();
        let widest = described.iter().map(|(name, _)| name.len()).max();
        let widest = widest.unwrap_or(0);
        for (name, about) in described {
            text.push_str(&indented(&format!("  {name:<widest$}  "), &about, width));
        }
    }
    if !command.short.is_empty() {
        text.push_str(&format!(
            "{}\n",
            say!("console-help-also", names = command.short.join(", "))
        ));
    }
    text.push_str(&format!("\n{}\n", say!("console-help-examples")));
    // The table at hand stays loaded.
    let loads = |line: &&str| command.name != "load" && line.starts_with("load ");
    for line in example_lines(command.examples).filter(|line| !loads(line)) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

const QUIT: Command = Command {
    name: "quit",
    short: &["q", "exit"],
    group: Group::Session,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &[],
        line: "quit",
        shows: "",
    }],
    undoable: false,
    repeats: false,
    run: |_, _, _| {
        Ok(CommandOutput {
            quit: true,
            ..CommandOutput::default()
        })
    },
};
