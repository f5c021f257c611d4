//! A session: a console on a thread of its own, which does one message after the other.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::json;
use situ_console::{Console, ProgressSink};
use situ_words::{Phrase, phrase, say};
use tokio::sync::mpsc::Sender;

use crate::files::Rooted;
use crate::message::{self, Request, What};
use crate::{Limits, NewConsole};

/// Between two messages on how far the work is.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// What a socket sends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outgoing {
    /// A message.
    Text(String),
    /// The session is over: a code and a reason to close with.
    End(u16, Phrase),
}

/// A message with the socket that waits for its answer.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) request: Request,
    pub(crate) answer: Sender<Outgoing>,
}

/// Hands messages to a session; it ends when the last of these is gone.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) jobs: SyncSender<Job>,
    /// That the line at work is to be broken off.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Session {
    /// Begins a session with the files below a folder.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub(crate) fn begin(
        files: Rooted,
        new_console: NewConsole,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let (jobs, waiting) = sync_channel(limits.queue);
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("session".to_owned());
        thread.spawn(move || work(&waiting, &files, &new_console, &heard, limits))?;
        Ok(Self { jobs, stop })
    }
}

fn work(
    waiting: &Receiver<Job>,
    files: &Rooted,
    new_console: &NewConsole,
    stop: &AtomicBool,
    limits: Limits,
) {
    let mut console = new_console(Arc::new(files.clone()));
    while let Ok(Job { request, answer }) = waiting.recv() {
        let id = request.id;
        let mut watch = Watch {
            id,
            stop,
            answer: &answer,
            begun: Instant::now(),
            told: Instant::now(),
            budget: limits.budget,
        };
        let done = catch_unwind(AssertUnwindSafe(|| {
            answered(&mut console, files, request, &mut watch)
        }));
        let Ok(text) = done else {
            // What it left behind may be anything.
            let _ = answer.blocking_send(Outgoing::End(1011, phrase!("page-session-failed")));
            return;
        };
        let text = match text {
            None => {
                let _ = answer.blocking_send(Outgoing::End(1000, phrase!("page-session-ended")));
                return;
            }
            Some(text) if text.len() > limits.frame => {
                message::error(id, &say!("page-answer-too-long"))
            }
            Some(text) => text,
        };
        // Nobody may be left to read it.
        let _ = answer.blocking_send(Outgoing::Text(text));
    }
}

/// The answer to a message; `None` ends the session.
fn answered(
    console: &mut Console,
    files: &Rooted,
    Request { id, what, shows }: Request,
    watch: &mut Watch<'_>,
) -> Option<String> {
    Some(match what {
        What::Lines(lines) => {
            let mut replies = Vec::new();
            watch.stop.store(false, Ordering::Relaxed);
            let all = lines.iter().map(|line| (line, true));
            let all = all.chain(shows.iter().map(|line| (line, false)));
            for (line, has_text) in all.filter(|(line, _)| !line.trim().is_empty()) {
                watch.begun = Instant::now();
                console.look.texts = has_text;
                let reply = console.execute(line, watch);
                if reply.quit {
                    return None;
                }
                let is_last = reply.failed || reply.interrupted;
                replies.push(reply);
                if is_last {
                    break;
                }
            }
            message::replies(id, &replies, &console.place())
        }
        What::Complete(line) => {
            let (begin, found) = console.vocabulary().complete(&line, line.len());
            let begin = line
                .get(..begin)
                .map_or(0, |head| head.encode_utf16().count());
            let found = found.iter().map(|one| json!([one.text, one.about]));
            let found: Vec<_> = found.collect();
            message::answer(id, json!({ "begin": begin, "found": found }))
        }
        What::Examine(text) => message::answer(id, console.examine(&text)),
        What::Tables(_) => message::answer(id, json!(files.tables())),
        What::Disk(_) => message::answer(id, json!({ "stale": console.is_stale() })),
        // It has been heard already, where it does not wait for the line at work.
        What::Stop(_) => message::answer(id, json!(true)),
    })
}

/// Tells a page how far a line is, and breaks it off if it is told to or has taken too long.
struct Watch<'w> {
    id: u64,
    stop: &'w AtomicBool,
    answer: &'w Sender<Outgoing>,
    begun: Instant,
    told: Instant,
    budget: Duration,
}

impl ProgressSink for Watch<'_> {
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) || self.begun.elapsed() > self.budget {
            return ControlFlow::Break(());
        }
        if self.told.elapsed() > TOLD_EVERY {
            self.told = Instant::now();
            let text = message::progress(self.id, done, all);
            // A page that is behind does without it.
            let _ = self.answer.try_send(Outgoing::Text(text));
        }
        ControlFlow::Continue(())
    }
}
