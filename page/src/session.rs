//! A session: a console on a thread of its own, which does one message after the other.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
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

/// Stack of a session's thread, as large as that on which the prompt reads the same lines [bytes].
const STACK: usize = 8 << 20;

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
    /// Its number among those of the session, from 1.
    number: u64,
    request: Request,
    answer: Sender<Outgoing>,
}

/// Hands messages to a session; it ends when the last of these is gone.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    jobs: SyncSender<Job>,
    /// Number of the last message.
    sent: Arc<AtomicU64>,
    /// Messages up to that number are to be broken off.
    stopped: Arc<AtomicU64>,
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
        let stopped = Arc::<AtomicU64>::default();
        let heard = Arc::clone(&stopped);
        let thread = std::thread::Builder::new().name("session".to_owned());
        let thread = thread.stack_size(STACK);
        thread.spawn(move || work(&waiting, &files, &new_console, &heard, limits))?;
        Ok(Self {
            jobs,
            sent: Arc::default(),
            stopped,
        })
    }

    /// Hands a message on; one that says so stops those before it.
    ///
    /// # Errors
    ///
    /// Too many wait, or the session is over.
    pub(crate) fn send(
        &self,
        request: Request,
        answer: Sender<Outgoing>,
    ) -> Result<(), TrySendError<Job>> {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        if matches!(request.what, What::Stop(_)) {
            self.stopped.fetch_max(number, Ordering::Relaxed);
        }
        let job = Job {
            number,
            request,
            answer,
        };
        self.jobs.try_send(job)
    }

    /// Breaks off whatever it works on, now and later.
    pub(crate) fn end(&self) {
        self.stopped.store(u64::MAX, Ordering::Relaxed);
    }
}

fn work(
    waiting: &Receiver<Job>,
    files: &Rooted,
    new_console: &NewConsole,
    stopped: &AtomicU64,
    limits: Limits,
) {
    let mut console = new_console(Arc::new(files.clone()));
    while let Ok(job) = waiting.recv() {
        let Job {
            number,
            request,
            answer,
        } = job;
        let id = request.id;
        let mut watch = Watch {
            id,
            number,
            stopped,
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
    number: u64,
    stopped: &'w AtomicU64,
    answer: &'w Sender<Outgoing>,
    begun: Instant,
    told: Instant,
    budget: Duration,
}

impl ProgressSink for Watch<'_> {
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        let is_stopped = self.number <= self.stopped.load(Ordering::Relaxed);
        if is_stopped || self.begun.elapsed() > self.budget {
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
