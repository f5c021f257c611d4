//! The console: a line in, a reply out; it knows no terminal.
//!
//! `line -> command (list) -> World -> Reply`. A [`Console`] holds a table being edited
//! (`document`), its run with all of its past (`history`), and what was asked to be watched. All of
//! that is one value, the `World`, which is small and cloned before every command that changes it:
//! a command that fails changes nothing, and `undo` puts the old world back.
//!
//! Nothing here draws prompts, reads keys or looks at a clock.

mod commands;
mod document;
mod explain;
mod history;
mod list;
mod names;
mod reference;
mod reply;
mod script;
mod settings;
mod stepper;
mod stops;
#[cfg(test)]
mod tests;
mod travel;
mod typing;
mod words;

use std::ops::ControlFlow;
use std::sync::Arc;

use situ_rules::diag::Style;

use crate::engine::{EngineArg, EngineArgs, EngineError, supported};
use document::Version;
use history::{History, Store, World};
pub use list::{Argument, Command, Example, Group};
pub use reference::reference;
pub use reply::{Reply, Said, Trouble};
use situ_views::chart::Screen;
pub use typing::{Part, Vocabulary, is_incomplete};
pub use words::{Candidate, Prompt};

/// Looks at long work now and then.
pub trait Supervisor {
    /// So much of all is done (`all` is 0 if that is not known); [`ControlFlow::Break`] stops the work
    /// at the next tick.
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()>;
}

/// Lets everything run to its end.
impl Supervisor for () {
    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How replies look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Whether reports are coloured.
    pub style: Style,
    /// Width at which tables wrap; `None` does not wrap.
    pub width: Option<u16>,
    /// Where plots are drawn.
    pub screen: Screen,
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
        }
    }
}

/// Most worlds that are kept for `undo`.
const MOST_UNDONE: usize = 10_000;

/// A command that was done.
#[derive(Clone, Debug)]
struct Done {
    /// The line that does it again.
    line: String,
    /// The hash of the texts that it read from files.
    loaded: Option<String>,
    /// What was before; `None` if it was so long ago that it is forgotten.
    before: Option<World>,
}

/// A command that was taken back.
#[derive(Clone, Debug)]
struct Undone {
    /// As of [`Done`].
    line: String,
    loaded: Option<String>,
    /// What was after it.
    after: World,
}

/// A session.
///
/// ```
/// use situ_repl::console::Console;
///
/// let mut console = Console::default();
/// for line in ["real x = 1", "x = integral(-x)", "step 1000"] {
///     assert!(!console.execute(line, &mut ()).failed);
/// }
/// assert_eq!(console.execute("print x > 0.36", &mut ()).text, "x > 0.36: true\n");
/// ```
#[derive(Debug)]
pub struct Console {
    /// How replies look; may be changed at any time.
    pub look: Look,
    /// What paths are relative to.
    pub directory: std::path::PathBuf,
    /// What `~` in paths stands for.
    pub home: Option<std::path::PathBuf>,
    /// Whether somebody types, who can be asked.
    pub asks: bool,
    world: World,
    store: Store,
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
}

impl Default for Console {
    fn default() -> Self {
        let version = Arc::new(Version::empty());
        let mut store = Store::default();
        let history = store
            .begin(&version, "an empty table")
            .expect("an empty table can be run");
        Self {
            look: Look::default(),
            directory: std::path::PathBuf::new(),
            home: None,
            asks: false,
            world: World::new(history),
            store,
            done: Vec::new(),
            undone: Vec::new(),
            last_step: None,
            reading: Vec::new(),
            saved: Vec::new(),
            asked: None,
        }
    }
}

impl Console {
    /// Lets runs that begin from here on have an engine; results are the same to the bit.
    ///
    /// Errors: there is no native code, and it was asked for; in words.
    pub fn set_engine(&mut self, engine: Option<EngineArg>) -> Result<(), EngineError> {
        if engine == Some(EngineArg::Native) {
            supported()?;
        }
        self.store.engine = EngineArgs::only(engine);
        Ok(())
    }

    /// Does what a line says.
    pub fn execute(&mut self, line: &str, supervisor: &mut dyn Supervisor) -> Reply {
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
        let (command, args) = match self.understand(&line) {
            Ok(found) => found,
            Err(trouble) => return trouble.reply(None),
        };
        let before = self.world.clone();
        let asked = self.asked.clone();
        let outcome = (command.run)(self, &args, supervisor);
        let reply = match outcome {
            Ok(said) => {
                let changed = command.undoable && !self.world.same_as(&before);
                if changed {
                    let line = said.logged.clone().unwrap_or_else(|| said_again(&line));
                    self.note(line, said.loaded.clone(), before);
                }
                if command.repeats {
                    self.last_step = Some(line);
                }
                said.reply(command.name)
            }
            Err(trouble) => {
                self.world = before;
                trouble.reply(Some(command.name))
            }
        };
        if self.asked == asked {
            // It was about the line before.
            self.asked = None;
        }
        self.collect_garbage();
        reply
    }

    /// Keeps what `undo` goes back to.
    fn note(&mut self, line: String, loaded: Option<String>, before: World) {
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
        if !self.store.wants_collection() {
            return;
        }
        let worlds = self.done.iter().filter_map(|done| done.before.as_ref());
        let undone = self.undone.iter().map(|undone| &undone.after);
        let all = worlds.chain(undone).chain([&self.world]);
        let used = all.flat_map(World::segments).collect();
        self.store.keep(&used);
    }

    /// The version of the table at the present place.
    fn version(&self) -> Arc<Version> {
        self.store.version(self.world.history.segment())
    }

    /// The run as it stands.
    fn run(&mut self) -> &mut stepper::Stepper {
        let (segment, at) = self.world.history.place();
        self.store.at(segment, at)
    }

    /// A world with another history.
    fn go(&mut self, history: History) {
        self.world.history = history;
    }
}

/// A line that means the same when it stands in a script: rules that would be taken for something
/// else there cannot occur.
fn said_again(line: &str) -> String {
    line.replace('\n', " ")
}
