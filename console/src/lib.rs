//! The console: a line in, a reply out; it knows no terminal.
//!
//! `line -> command -> SessionState -> Reply`. A [`Console`] holds a table being edited
//! (`document`), its run with all of its past (`history`), and what was asked to be watched. All of
//! that is one value, the `SessionState`, which is small and cloned before every command that changes it:
//! a command that fails changes nothing, and `undo` puts the old state back.
//!
//! Nothing here draws prompts, reads keys or looks at a clock.

mod command;
mod commands;
mod completion;
mod document;
mod files;
mod history;
mod line;
mod mistyped;
mod names;
mod place;
mod prompt;
mod reference;
mod reply;
mod row_ids;
mod script;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use situ_engine::model::Named;
use situ_engine::sim::RunFault;
pub use situ_explain::{Equipment, ProgressSink};
use situ_explain::{History, Past, SegmentId, Segments, Stepper};
use situ_rules::diag::{Style, fault};
use situ_words::say;

pub use command::{Argument, Command, Example, Group};
pub use completion::{Part, Vocabulary, is_incomplete};
use document::Version;
pub use files::{Files, MemoryFiles, NewFile, normal, relative, utf8_text};
use history::SessionState;
pub use place::Place;
pub use prompt::{Candidate, Prompt};
pub use reference::reference;
pub use reply::{CommandError, CommandOutput, Reply};
use situ_views::chart::Screen;

/// Layout of replies.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Style of reports: with colours or without.
    pub style: Style,
    /// Width at which tables wrap; `None` does not wrap.
    pub width: Option<u16>,
    /// Screen for plots.
    pub screen: Screen,
    /// Replies of what was done have a text for people, else the data alone.
    pub texts: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            style: Style::Plain,
            width: None,
            screen: Screen {
                width: 80,
                height: 24,
                colour: false,
            },
            texts: true,
        }
    }
}

/// Most states that are kept for `undo`.
const MOST_UNDONE: usize = 10_000;

/// A command that was done.
#[derive(Clone, Debug)]
struct Done {
    /// The line that does it again, or several.
    line: String,
    /// The hash of the texts that it read from files.
    loaded: Option<String>,
    /// World before it; `None` if it was so long ago that it is forgotten.
    before: Option<SessionState>,
}

/// A command that was taken back.
#[derive(Clone, Debug)]
struct Undone {
    /// As of [`Done`].
    line: String,
    loaded: Option<String>,
    /// World after it.
    after: SessionState,
}

/// The commands of the prompt, in the order of the help.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    commands::all()
}

/// A session.
///
/// ```
/// use situ_console::Console;
///
/// let mut console = Console::default();
/// for line in ["real x = 1", "x = integral(-x)", "step 1000"] {
///     assert!(!console.execute(line, &mut ()).failed);
/// }
/// assert_eq!(console.execute("print x > 0.36", &mut ()).text, "x > 0.36: true\n");
/// ```
#[derive(Debug)]
pub struct Console {
    /// Layout of replies; may be changed at any time.
    pub look: Look,
    /// Directory to which paths are relative.
    pub directory: std::path::PathBuf,
    /// Directory that `~` in paths stands for.
    pub home: Option<std::path::PathBuf>,
    /// True if somebody types, who can be asked.
    pub asks: bool,
    files: Arc<dyn Files>,
    state: SessionState,
    segments: Segments<Arc<Version>>,
    done: Vec<Done>,
    undone: Vec<Undone>,
    /// The last line that moved the run, for an empty line.
    last_step: Option<String>,
    /// Files being read by `read`, so that none reads itself.
    reading: Vec<std::path::PathBuf>,
    /// Tables that this session has saved, with the hashes of what it wrote.
    saved: Vec<(std::path::PathBuf, String)>,
    /// The file about which the last line was asked.
    asked: Option<std::path::PathBuf>,
    /// The last number that was shown.
    answer: Option<f64>,
}

/// With files in memory.
impl Default for Console {
    fn default() -> Self {
        Self::new(Arc::new(MemoryFiles::default()))
    }
}

impl Console {
    /// A session with an empty table and these files.
    pub fn new(files: Arc<dyn Files>) -> Self {
        let version = Arc::new(Version::empty(Arc::clone(&files)));
        let mut segments = Segments::default();
        let history = segments
            .begin(
                &version.model,
                &version.config,
                Arc::clone(&version),
                &say!("console-empty-table"),
            )
            .expect("an empty table can be run");
        Self {
            look: Look::default(),
            directory: std::path::PathBuf::new(),
            home: None,
            asks: false,
            files,
            state: SessionState::new(history),
            segments,
            done: Vec::new(),
            undone: Vec::new(),
            last_step: None,
            reading: Vec::new(),
            saved: Vec::new(),
            asked: None,
            answer: None,
        }
    }

    /// Lets runs that begin from here on have an equipment, such as a compiler; results are the same to the bit.
    pub fn equip(&mut self, equipment: Equipment) {
        self.segments.equipment = equipment;
    }

    /// Does what a line says.
    pub fn execute(&mut self, line: &str, progress: &mut dyn ProgressSink) -> Reply {
        let mut line = line.trim().to_owned();
        if line.is_empty() {
            match &self.last_step {
                Some(last) => line.clone_from(last),
                None => return Reply::default(),
            }
        }
        if line.starts_with('#') || line.starts_with("//") {
            return Reply::default();
        }
        let answered = self.with_answer(&line);
        let understood = match self.understand(&answered) {
            Ok((command, _)) if !command.takes_numbers() => self.understand(&line),
            other => {
                line = answered;
                other
            }
        };
        let (command, args) = match understood {
            Ok(found) => found,
            Err(trouble) => return trouble.reply(None, self.look.style),
        };
        let before = self.state.clone();
        let asked = self.asked.clone();
        self.segments.take_failure();
        let outcome = (command.run)(self, &args, progress);
        let outcome = match self.segments.take_failure() {
            None => outcome,
            Some((segment, why)) => Err(self.past_failed(segment, &why)),
        };
        let reply = match outcome {
            Ok(said) => {
                let changed = command.undoable && !self.state.same_as(&before);
                if changed {
                    let again = match said.logged.is_empty() {
                        true => said_again(&line),
                        false => said.logged.join("\n"),
                    };
                    self.note(again, said.loaded.clone(), before);
                }
                if command.repeats {
                    self.last_step = Some(line);
                }
                said.reply(command.name, self.look.texts)
            }
            Err(trouble) => {
                self.state = before;
                trouble.reply(Some(command.name), self.look.style)
            }
        };
        if self.asked == asked {
            // It was about the line before.
            self.asked = None;
        }
        self.collect_garbage();
        reply
    }

    /// Error of a command that read what was run before, which failed when it was done again.
    fn past_failed(&self, segment: SegmentId, why: &RunFault) -> CommandError {
        let version = self.segments.label(segment);
        let report = fault(why, &version.model, &version.origins);
        let report = report.with_note(say!("console-past-failed"));
        CommandError::reports(&[report], &version.sources, self.look.style)
    }

    /// A line in which `_` is the last number that was shown, but not in strings, names in backticks and remarks.
    fn with_answer(&self, line: &str) -> String {
        let answer = self.answer.filter(|_| line.contains('_'));
        let is_name = || names::find(&self.version().model, "_").is_some();
        let Some(answer) = answer.filter(|_| !is_name()) else {
            return line.to_owned();
        };
        let text = match answer < 0.0 {
            true => format!("({answer})"),
            false => answer.to_string(),
        };
        let is_part = |c: char| c.is_alphanumeric() || "_./\\".contains(c);
        let mut replaced = String::with_capacity(line.len());
        let mut quote = None;
        let mut before = None;
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            let after = rest.peek().copied();
            let is_word = |side: Option<char>| side.is_some_and(is_part);
            match quote {
                None if c == '_' && !is_word(before) && !is_word(after) => replaced.push_str(&text),
                _ => replaced.push(c),
            }
            quote = match quote {
                Some(end) if end == c && before != Some('\\') => None,
                None if matches!(c, '"' | '`' | '#') => Some(c),
                inside => inside,
            };
            before = Some(c);
        }
        replaced
    }

    /// The time at which the session stands [units of `time`].
    pub fn time(&mut self) -> f64 {
        self.run().time()
    }

    /// The time at which the table's run stops, if it says so [units of `time`].
    pub fn stop(&self) -> Option<f64> {
        self.version().stop()
    }

    /// The present value of a quantity or a boolean: a number, or a truth value; an event is true if it fired in
    /// the last step. `None` if the table has no such name.
    pub fn value(&mut self, name: &str) -> Option<serde_json::Value> {
        let version = self.version();
        let row = self.run().row();
        Some(match version.model.find(name)? {
            Named::Real(id) => commands::look::number(row.real(id)),
            Named::Constant(id) => commands::look::number(row.constants[id.index()]),
            Named::Boolean(what) => row.boolean(&version.model, what).into(),
        })
    }

    /// Keeps what `undo` goes back to.
    fn note(&mut self, line: String, loaded: Option<String>, before: SessionState) {
        self.undone.clear();
        self.done.push(Done {
            line,
            loaded,
            before: Some(before),
        });
        if let Some(old) = self.done.len().checked_sub(MOST_UNDONE + 1) {
            self.done[old].before = None;
        }
    }

    /// Forgets pieces of trajectories that nothing leads back to.
    fn collect_garbage(&mut self) {
        if !self.segments.wants_collection() {
            return;
        }
        let states = self.done.iter().filter_map(|done| done.before.as_ref());
        let undone = self.undone.iter().map(|undone| &undone.after);
        let all = states.chain(undone).chain([&self.state]);
        let used = all.flat_map(SessionState::segments).collect();
        self.segments.keep(&used);
    }

    /// The version of the table at the present place.
    fn version(&self) -> Arc<Version> {
        Arc::clone(self.segments.label(self.state.history.segment()))
    }

    /// The version by whose names a place of the line is known at the present one.
    fn version_seen(&self, place: &History) -> Arc<Version> {
        let pieces = (place.piece(), self.state.history.piece());
        let version = self.segments.label(place.segment());
        let model = self.segments.named(place, pieces);
        match Arc::ptr_eq(&model, &version.model) {
            true => Arc::clone(version),
            false => Arc::new(Version {
                model,
                ..Version::clone(version)
            }),
        }
    }

    /// The run as it stands.
    fn run(&mut self) -> &mut Stepper {
        let (segment, at) = self.state.history.place();
        self.segments.at(segment, at)
    }

    /// What can be asked of the past, as it is seen from the present place.
    fn past(&mut self) -> Past<'_, Arc<Version>> {
        Past::new(&mut self.segments, &self.state.history)
    }

    /// A state with another history.
    fn go(&mut self, history: History) {
        self.state.history = history;
    }
}

/// The lines of a command that was done, in one for people.
fn in_a_line(lines: &str) -> String {
    lines.replace('\n', "; ")
}

/// A line that means the same when it stands in a script: rules that would be taken for something
/// else there cannot occur.
fn said_again(line: &str) -> String {
    line.replace('\n', " ")
}
