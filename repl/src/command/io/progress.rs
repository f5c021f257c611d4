//! Progress and interruption of long work: a bar on stderr after a second, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use situ_console::ProgressSink;
use situ_engine::trace::{Recorder, Row};
use situ_words::say;

use super::live_screen;
use crate::command::{Failure, Streams};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Watches a run: shows how far it is, and breaks it off at Ctrl-C. A second Ctrl-C ends the
/// program at once.
#[derive(Debug)]
pub(in crate::command) struct Watch {
    progress: Progress,
}

impl Watch {
    /// Begins now; once in the life of the program.
    ///
    /// # Errors
    ///
    /// The system does not let us catch Ctrl-C.
    pub(in crate::command) fn begin(streams: &Streams) -> Result<Self, Failure> {
        let handler = || {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                live_screen::leave();
                std::process::exit(130);
            }
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::Run(say!("cli-ctrl-c", error = error.to_string())))?;
        Ok(Self {
            progress: Progress::begin(streams),
        })
    }

    /// The same without a bar, for work that shows itself.
    pub(in crate::command) fn without_bar(mut self) -> Self {
        self.progress.visible = false;
        self
    }

    /// So much is done of all.
    pub(in crate::command) fn at(&mut self, done: u64, all: u64) {
        self.progress.at(done, all);
    }

    /// Takes the bar away.
    pub(in crate::command) fn end(&mut self) {
        self.progress.end();
    }
}

/// True if Ctrl-C was pressed since a [`Watch`] began.
pub(in crate::command) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

impl Recorder for Watch {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.progress.at(done, all);
        if interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl ProgressSink for Watch {
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        Recorder::poll(self, done, all)
    }
}

/// Looks at the clock, of which there are some thousand in a second, however often it is asked for.
#[derive(Debug, Default)]
pub(in crate::command) struct Pace {
    /// When the clock was last looked at.
    looked: Option<Instant>,
    /// Calls between two looks at the clock, and those left until the next.
    pause: u32,
    left: u32,
}

impl Pace {
    /// The time, if the clock is looked at.
    pub(in crate::command) fn look(&mut self) -> Option<Instant> {
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        let now = Instant::now();
        let before = self.looked.replace(now);
        let is_fast = before.is_some_and(|before| now - before < Duration::from_millis(1));
        self.pause = match is_fast {
            true => (2 * self.pause + 1).min(1 << 12),
            false => self.pause / 2,
        };
        self.left = self.pause;
        Some(now)
    }
}

/// A bar that shows itself when work takes long.
#[derive(Debug)]
pub(in crate::command) struct Progress {
    begun: Instant,
    /// When the bar was last drawn.
    drawn: Instant,
    pace: Pace,
    bar: Option<ProgressBar>,
    visible: bool,
}

const AFTER: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(100);

impl Progress {
    /// Nothing is shown unless stderr is a terminal.
    pub(in crate::command) fn begin(streams: &Streams) -> Self {
        let now = Instant::now();
        let visible = streams.shows_progress();
        Self {
            begun: now,
            drawn: now,
            pace: Pace::default(),
            bar: None,
            visible,
        }
    }

    /// So much is done of all. May be called as often as one likes.
    pub(in crate::command) fn at(&mut self, done: u64, all: u64) {
        if !self.visible {
            return;
        }
        let Some(now) = self.pace.look() else { return };
        if now - self.begun >= AFTER && now - self.drawn >= BETWEEN {
            self.drawn = now;
            self.bar.get_or_insert_with(|| bar(all)).set_position(done);
        }
    }

    /// Takes the bar away.
    pub(in crate::command) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Work that was broken off leaves no bar behind.
impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn bar(all: u64) -> ProgressBar {
    let left = say!("cli-left", eta = "{eta}");
    let style = ProgressStyle::with_template(&format!("{{wide_bar}} {{percent:>3}} %, {left}"))
        .expect("the template is valid");
    ProgressBar::new(all).with_style(style)
}
