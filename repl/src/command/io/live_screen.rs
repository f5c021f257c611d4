//! A screen of its own in the terminal, on which a picture is drawn again and again.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use situ_views::chart::Screen;
use situ_words::say;

use super::streams::Streams;
use crate::command::Failure;

/// True while the terminal shows the screen.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Another screen than the one that keeps what was printed, without a cursor; and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l";
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";

/// Gives the terminal back what it showed before, if the screen is shown.
pub(in crate::command) fn leave() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let mut out = io::stdout();
        // If that fails nobody sees it.
        let _ = out.write_all(LEAVE).and_then(|()| out.flush());
    }
}

/// The screen; it is left at the end of its life.
#[derive(Debug)]
pub(in crate::command) struct LiveScreen {
    colour: bool,
}

impl LiveScreen {
    /// A screen that shows itself with its first picture.
    ///
    /// # Errors
    ///
    /// Standard output is no terminal.
    pub(in crate::command) fn new(streams: &Streams) -> Result<Self, Failure> {
        if !io::stdout().is_terminal() {
            let wrong = say!("cli-new.live-draws-terminal");
            return Err(Failure::Wrong(wrong));
        }
        let colour = streams.out_has_colour();
        Ok(Self { colour })
    }

    /// Size of the screen as it is now.
    pub(in crate::command) fn size(&self) -> Screen {
        let size = terminal_size::terminal_size_of(io::stdout());
        let (width, height) = size.map_or((80, 24), |(width, height)| (width.0, height.0));
        Screen {
            width,
            height,
            colour: self.colour,
        }
    }

    /// Shows lines from the upper left on, as many as there is room for, in the place of all others.
    pub(in crate::command) fn show(&mut self, text: &str) {
        let mut bytes = Vec::new();
        if !SHOWN.swap(true, Ordering::Relaxed) {
            bytes.extend(ENTER);
        }
        bytes.extend(b"\x1b[H");
        let height = usize::from(self.size().height);
        for (index, line) in text.lines().take(height).enumerate() {
            if index > 0 {
                bytes.extend(b"\r\n");
            }
            bytes.extend(line.as_bytes());
            bytes.extend(b"\x1b[K");
        }
        bytes.extend(b"\x1b[J");
        let mut out = io::stdout().lock();
        // A terminal that is gone ends the program by itself.
        let _ = out.write_all(&bytes).and_then(|()| out.flush());
    }
}

impl Drop for LiveScreen {
    fn drop(&mut self) {
        leave();
    }
}
