//! Standard input, output and error as the commands use them: data to stdout, talk to stderr.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use situ_views::chart::Screen;
use situ_views::text::visible::visible;
use situ_words::say;

use super::files::read_to_end;
use crate::command::{Failure, Outcome};

/// Manner in which a command reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::command) enum Manner {
    /// For people.
    #[default]
    Plain,
    /// Errors only.
    Quiet,
    /// All messages stand in the JSON that the command prints.
    Json,
}

/// The standard streams.
#[derive(Debug)]
pub(in crate::command) struct Streams {
    /// Set by commands that can talk in more than one manner.
    pub(in crate::command) manner: Manner,
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
}

impl Streams {
    /// Those of the process. Colours are left out where nobody can see them.
    pub(in crate::command) fn standard() -> Self {
        Self {
            manner: Manner::default(),
            out: AutoStream::auto(io::stdout()),
            err: AutoStream::auto(io::stderr()),
        }
    }

    /// Writes a text to stdout; what would steer a terminal is shown as pictures.
    pub(in crate::command) fn print(&mut self, text: &str) -> Outcome {
        self.print_drawn(&visible(text))
    }

    /// Writes the text of a table to stdout as it is, to be read again; to a terminal as [`Streams::print`] does.
    pub(in crate::command) fn print_table(&mut self, text: &str) -> Outcome {
        match self.out_is_terminal() {
            true => self.print(text),
            false => self.print_bytes(text.as_bytes()),
        }
    }

    /// Writes data to stdout as JSON.
    pub(in crate::command) fn print_data(&mut self, data: &serde_json::Value) -> Outcome {
        self.print(&format!("{data:#}\n"))
    }

    /// Writes to stdout what may have colours of ours, and nothing else that steers a terminal. They are left
    /// out where nobody can see them.
    pub(in crate::command) fn print_drawn(&mut self, text: &str) -> Outcome {
        let written = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
        written.map_err(|error| Failure::writing(&say!("cli-to-standard-output"), &error))
    }

    /// Writes bytes to stdout as they are.
    pub(in crate::command) fn print_bytes(&mut self, bytes: &[u8]) -> Outcome {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        written.map_err(|error| Failure::writing(&say!("cli-to-standard-output"), &error))
    }

    /// Writes a text to stderr, as [`Streams::print`] does to stdout.
    pub(in crate::command) fn talk(&mut self, text: &str) {
        self.talk_drawn(&visible(text));
    }

    /// Writes to stderr what may have colours of ours. If that fails nobody is left to be told.
    pub(in crate::command) fn talk_drawn(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Writes an error message to stderr.
    pub(in crate::command) fn complain(&mut self, message: &str) {
        let message = visible(message);
        self.talk_drawn(&format!(
            "\u{1b}[1;31m{}\u{1b}[0m: {message}\n",
            say!("report-error")
        ));
    }

    /// Writes a note to stderr, for people.
    pub(in crate::command) fn remark(&mut self, message: &str) {
        if self.manner != Manner::Plain {
            return;
        }
        let message = visible(message);
        self.talk_drawn(&format!(
            "\u{1b}[1;32m{}\u{1b}[0m: {message}\n",
            say!("report-note")
        ));
    }

    /// Reads stdin to its end.
    pub(in crate::command) fn read_input(&mut self) -> io::Result<String> {
        read_to_end(io::stdin().lock())
    }

    /// Screen on which a plot is printed.
    pub(in crate::command) fn screen(&self) -> Screen {
        let (width, height) = match terminal_size::terminal_size_of(io::stdout()) {
            Some((width, height)) => (width.0, height.0),
            None => (80, 24),
        };
        Screen {
            width,
            height,
            colour: self.out_has_colour(),
        }
    }

    /// Width to wrap tables at: that of the terminal, if stdout is one.
    pub(in crate::command) fn width(&self) -> Option<u16> {
        self.out_is_terminal().then(|| self.screen().width)
    }

    /// Width to break paragraphs at.
    pub(in crate::command) fn prose_width(&self) -> u16 {
        const LONGEST: u16 = 100;
        self.screen().width.min(LONGEST)
    }

    /// True if colours show on stdout.
    pub(in crate::command) fn out_has_colour(&self) -> bool {
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    }

    /// True if stdout is a terminal, so that somebody may read it while it is written.
    fn out_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// True if progress is to be shown: stderr is a terminal, and messages are wanted.
    pub(in crate::command) fn shows_progress(&self) -> bool {
        self.manner != Manner::Quiet && io::stderr().is_terminal()
    }
}
