//! The prompt in a terminal: line editing, completion, hints, colours, history.
//!
//! A thin layer over rustyline; what words and parts of lines mean comes from the console's
//! [`Vocabulary`].

use std::borrow::Cow;
use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::config::BellStyle;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ColorMode, CompletionType, Config, Context, Editor, EventHandler, Helper, KeyCode,
    KeyEvent, Modifiers,
};
use situ_views::text::visible::visible;

use super::Session;
use crate::command::{Failure, Outcome, Streams};
use situ_console::{Part, Prompt, Vocabulary, is_incomplete};
use situ_words::say;

/// Lines that are kept from session to session.
const MOST_LINES: usize = 10_000;

/// File in which lines are kept, if `SITU_HISTORY` does not say it.
const HISTORY: &str = "situ/history";

/// Letters of a candidate's description.
const MOST_ABOUT: usize = 48;

/// Reads lines until the end.
pub(super) fn run(session: &mut Session, no_history: bool, streams: &mut Streams) -> Outcome {
    let coloured = streams.out_has_colour();
    let config = Config::builder()
        .auto_add_history(true)
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .bell_style(BellStyle::None)
        .color_mode(if coloured {
            ColorMode::Enabled
        } else {
            ColorMode::Disabled
        })
        .max_history_size(MOST_LINES)
        .map_err(|error| failure(&error))?
        .build();
    let mut editor: Editor<Typing, DefaultHistory> =
        Editor::with_config(config).map_err(|error| failure(&error))?;
    // A line that has been begun goes back to those that begin so.
    for (key, command) in [
        (KeyCode::Up, Cmd::HistorySearchBackward),
        (KeyCode::Down, Cmd::HistorySearchForward),
    ] {
        let key = KeyEvent(key, Modifiers::NONE);
        editor.bind_sequence(key, EventHandler::Simple(command));
    }
    let history = if no_history { None } else { history_file() };
    if let Some(file) = &history {
        // The first session has no file yet.
        let _ = editor.load_history(file);
    }
    streams.print(&format!("{}\n", say!("cli-greeting")))?;
    loop {
        session.look(streams);
        editor.set_helper(Some(Typing {
            vocabulary: session.console.vocabulary(),
            hinter: HistoryHinter::new(),
            coloured,
        }));
        let prompt = session.console.prompt();
        let plain = visible(&prompt.to_string()).into_owned();
        let shown = coloured_prompt(&prompt);
        let shown = if coloured { shown } else { plain.clone() };
        match editor.readline(&(plain, shown)) {
            Ok(text) => {
                for line in lines(&text) {
                    if session.answer(&line, streams)?.quit {
                        return keep(&mut editor, history);
                    }
                }
            }
            // Ctrl-C drops the line.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return keep(&mut editor, history),
            Err(error) => return Err(failure(&error)),
        }
    }
}

fn failure(error: &ReadlineError) -> Failure {
    Failure::Run(say!("cli-terminal.unusable", error = error.to_string()))
}

/// Typed or pasted text, as lines that are complete.
fn lines(text: &str) -> Vec<String> {
    if text.trim().is_empty() {
        return vec![String::new()];
    }
    let mut lines: Vec<String> = Vec::new();
    let mut open = String::new();
    for part in text.lines() {
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(part.trim());
        if !is_incomplete(&open) {
            lines.push(std::mem::take(&mut open));
        } else if let Some(continued) = open.strip_suffix('\\') {
            open = continued.trim_end().to_owned();
        }
    }
    lines.extend((!open.is_empty()).then_some(open));
    lines
}

fn keep(editor: &mut Editor<Typing, DefaultHistory>, history: Option<PathBuf>) -> Outcome {
    if let Some(file) = history {
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        editor.save_history(&file).map_err(|error| {
            Failure::Run(say!("cli-terminal.history", error = error.to_string()))
        })?;
    }
    Ok(())
}

/// `SITU_HISTORY`, or the state folder of the user.
fn history_file() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(file) = named("SITU_HISTORY") {
        return Some(file.into());
    }
    let state = named("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
    Some(state?.join(HISTORY))
}

fn coloured_prompt(prompt: &Prompt) -> String {
    let plain = prompt.to_string();
    let head = visible(plain.strip_prefix(&prompt.model).unwrap_or(&plain));
    let colour = if prompt.past { "33" } else { "32" };
    format!(
        "\u{1b}[1;{colour}m{}\u{1b}[0m{head}",
        visible(&prompt.model)
    )
}

/// Help while typing.
struct Typing {
    vocabulary: Vocabulary,
    hinter: HistoryHinter,
    coloured: bool,
}

impl Helper for Typing {}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, candidates) = self.vocabulary.complete(line, position);
        let widest = candidates.iter().map(|one| one.text.chars().count()).max();
        let widest = widest.unwrap_or(0);
        let pairs = candidates.into_iter().map(|one| {
            let about: String = one.about.chars().take(MOST_ABOUT).collect();
            let display = format!("{:<widest$}  {about}", one.text);
            Pair {
                display: visible(display.trim_end()).into_owned(),
                replacement: one.text,
            }
        });
        Ok((start, pairs.collect()))
    }
}

impl Hinter for Typing {
    type Hint = String;

    fn hint(&self, line: &str, position: usize, context: &Context<'_>) -> Option<String> {
        // Without colours a hint would look like what was typed.
        self.coloured
            .then(|| self.hinter.hint(line, position, context))
            .flatten()
    }
}

impl Highlighter for Typing {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if !self.coloured {
            return Cow::Borrowed(line);
        }
        let mut shown = String::with_capacity(line.len() + 32);
        let mut done = 0;
        for (range, part) in self.vocabulary.parts(line) {
            let style = match part {
                Part::Command => "1;36",
                Part::Keyword => "35",
                Part::Name => "32",
                Part::Number => "33",
                Part::Remark => "2",
                Part::Wrong => "4;31",
            };
            shown.push_str(&line[done..range.start]);
            shown.push_str(&format!("\u{1b}[{style}m{}\u{1b}[0m", &line[range.clone()]));
            done = range.end;
        }
        shown.push_str(&line[done..]);
        Cow::Owned(shown)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.coloured {
            Cow::Owned(format!("\u{1b}[2m{hint}\u{1b}[0m"))
        } else {
            Cow::Borrowed(hint)
        }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Borrowed(prompt)
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.coloured
    }
}

impl Validator for Typing {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let last = context.input();
        Ok(if is_incomplete(last) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_lines_are_lines_and_open_ones_go_on() {
        for (text, expected) in [
            ("", vec![""]),
            ("step", vec!["step"]),
            ("step\nrun to 1\n", vec!["step", "run to 1"]),
            ("Fel = K *\n  def\nstep", vec!["Fel = K * def", "step"]),
            ("print \\\nh", vec!["print h"]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }
}
