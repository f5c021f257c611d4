//! `situ repl [TABLE]` and `situ` alone: the prompt, and sessions without one.
//!
//! A terminal gets a prompt (`terminal`); commands after `-e` or on standard input are done one
//! after the other. What is said and done is the work of `situ_console`.

mod terminal;

use std::io::{self, BufRead, IsTerminal};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use situ_rules::diag::Style;
use situ_words::say;

use super::io::failure::Status;
use super::io::progress::Progress;
use super::{Failure, Outcome, Streams};
use crate::engine::EngineArg;
use situ_console::{Console, Look, ProgressSink, Reply, reference};

/// Step a table at a prompt: go forward and back, ask why, change rules during the run
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Without -e, if standard input is not a terminal, its lines are commands. Exit status: 0, \
or that of the first command that failed: 1 a run, 2 anything else.

Examples:
  situ repl scenarios/hoop/table.ron
  situ repl table.ron -e 'run until contact' -e 'why braking'
  situ repl table.ron --strict < session.situ"
)]
pub(super) struct Repl {
    /// The table to load
    table: Option<PathBuf>,
    /// Run a command and exit; may be repeated
    #[arg(short = 'e', long = "execute", value_name = "COMMAND")]
    execute: Vec<String>,
    /// Answer each command with one line of JSON
    #[arg(long)]
    json: bool,
    /// End at the first command that fails
    #[arg(long)]
    strict: bool,
    /// Show the prompt and each command before its answer, as in a terminal
    #[arg(long, conflicts_with = "json")]
    echo: bool,
    /// Interpreted or native code; the results are the same to the last bit [default: auto]
    #[arg(long, value_name = "NAME")]
    engine: Option<EngineArg>,
    /// Neither read nor write the history of lines
    #[arg(long)]
    no_history: bool,
    /// Print the reference of all commands
    #[arg(long, hide = true)]
    reference: bool,
}

pub(super) fn run(command: &Repl, streams: &mut Streams) -> Outcome {
    if command.reference {
        return streams.print(&reference());
    }
    catch_interrupts()?;
    let mut console = crate::console(command.engine)?;
    console.home = std::env::home_dir();
    let mut session = Session {
        console,
        json: command.json,
        strict: command.strict,
        echo: command.echo,
        status: None,
    };
    session.look(streams);
    if let Some(table) = &command.table {
        let reply = session.answer(&format!("load \"{}\"", table.display()), streams)?;
        if reply.failed {
            return Err(Failure::Said(Status::Wrong));
        }
    }
    if !command.execute.is_empty() {
        for line in &command.execute {
            if session.answer(line, streams)?.quit || session.is_over() {
                break;
            }
        }
        return session.end();
    }
    if io::stdin().is_terminal() && !command.json {
        AT_PROMPT.store(true, Ordering::Relaxed);
        session.console.asks = true;
        return terminal::run(&mut session, command.no_history, streams);
    }
    let mut line = String::new();
    loop {
        line.clear();
        let read = io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Failure::reading(&say!("cli-standard-input"), &error))? == 0 {
            break;
        }
        // An empty line repeats the last step where somebody types; a script has blank lines.
        if line.trim().is_empty() {
            continue;
        }
        if session.answer(&line, streams)?.quit || session.is_over() {
            break;
        }
    }
    session.end()
}

/// A console whose answers go to the standard streams.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) console: Console,
    json: bool,
    strict: bool,
    echo: bool,
    /// The status of the first command that failed.
    status: Option<Status>,
}

impl Session {
    /// Lets answers look as the terminal can show them.
    pub(super) fn look(&mut self, streams: &Streams) {
        self.console.look = Look {
            style: if streams.out_has_colour() {
                Style::Coloured
            } else {
                Style::Plain
            },
            width: streams.width(),
            screen: streams.screen(),
            texts: true,
        };
    }

    /// Does a line and says what comes of it: answers on stdout, errors on stderr.
    pub(super) fn answer(&mut self, line: &str, streams: &mut Streams) -> Result<Reply, Failure> {
        INTERRUPTED.store(false, Ordering::Relaxed);
        if self.echo {
            let prompt = self.console.prompt();
            streams.print(&format!("{prompt}{}\n", line.trim()))?;
        }
        let mut watch = Watch {
            progress: Progress::begin(streams),
        };
        let reply = self.console.execute(line, &mut watch);
        watch.progress.end();
        if reply.failed && self.status.is_none() {
            let moved = reply.data.get("result").is_some();
            self.status = Some(if moved { Status::Failed } else { Status::Wrong });
        }
        if self.json {
            if !reply.data.is_null() {
                streams.print(&format!("{}\n", reply.data))?;
            }
        } else if reply.failed {
            streams.talk_drawn(&reply.text);
        } else {
            streams.print_drawn(&reply.text)?;
        }
        if reply.interrupted && !io::stdin().is_terminal() {
            return Err(Failure::Interrupted);
        }
        Ok(reply)
    }

    fn is_over(&self) -> bool {
        self.strict && self.status.is_some()
    }

    fn end(&self) -> Outcome {
        match self.status {
            None => Ok(()),
            Some(status) => Err(Failure::Said(status)),
        }
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Somebody types: Ctrl-C never ends the session.
static AT_PROMPT: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C stops the command that is being done. Without a prompt a second one, before it
/// has stopped, ends the program.
fn catch_interrupts() -> Outcome {
    let handler = || {
        let again = INTERRUPTED.swap(true, Ordering::Relaxed);
        if again && !AT_PROMPT.load(Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Run(say!("cli-ctrl-c", error = error.to_string())))
}

/// Shows how far a command is, and stops it at Ctrl-C.
struct Watch {
    progress: Progress,
}

impl ProgressSink for Watch {
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.progress.at(done, all);
        if INTERRUPTED.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
