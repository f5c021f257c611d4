//! Messages: what a page asks and what it is answered, as JSON.
//!
//! `{"id": 1, "lines": ["set m = 2", "run"]}` is answered with `{"id": 1, "replies": [..], "place": {..}}`, a reply for
//! each line that was done; the first that fails is the last. `"shows": [..]` are lines that follow and are answered as data
//! alone.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use situ_console::{Place, Reply};

/// A message of a page.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct Request {
    /// Number by which the page knows the answer.
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) what: What,
    /// Lines to be done behind the others whose replies are read as data, not as text.
    #[serde(default)]
    pub(crate) shows: Vec<String>,
}

/// What is asked.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum What {
    /// Lines of the prompt, to be done in order.
    Lines(Vec<String>),
    /// How a line goes on.
    Complete(String),
    /// What is wrong with a text, if it stood in the place of the table's.
    Examine(String),
    /// The tables of the folder.
    Tables(bool),
    /// Whether the file of the table is as it was read.
    Disk(bool),
    /// That the work on what was asked before is broken off.
    Stop(bool),
}

/// Reply of a line, as a page gets it.
#[derive(Debug, Serialize)]
struct Answer<'r> {
    text: &'r str,
    data: &'r Value,
    failed: bool,
    interrupted: bool,
}

/// The message with which a server begins.
pub(crate) fn hello(session: &str, is_resumed: bool, folder: &str, table: Option<&str>) -> String {
    let said = json!({
        "session": session, "resumed": is_resumed, "folder": folder, "table": table,
        "version": env!("CARGO_PKG_VERSION"),
    });
    json!({ "hello": said }).to_string()
}

/// The message on how far the work on a line is.
pub(crate) fn progress(id: u64, done: u64, all: u64) -> String {
    json!({ "id": id, "progress": [done, all] }).to_string()
}

/// The answer to lines.
pub(crate) fn replies(id: u64, replies: &[Reply], place: &Place) -> String {
    let answers = replies.iter().map(|reply| Answer {
        text: &reply.text,
        data: &reply.data,
        failed: reply.failed,
        interrupted: reply.interrupted,
    });
    let answers: Vec<Answer<'_>> = answers.collect();
    json!({ "id": id, "replies": answers, "place": place_of(place) }).to_string()
}

/// Any other answer.
pub(crate) fn answer(id: u64, value: Value) -> String {
    json!({ "id": id, "answer": value }).to_string()
}

/// That a message could not be answered.
pub(crate) fn error(id: u64, text: &str) -> String {
    json!({ "id": id, "error": text }).to_string()
}

fn place_of(place: &Place) -> Value {
    json!({
        "model": place.model, "case": place.case, "file": place.file, "text": place.text, "time": place.time,
        "steps": place.steps, "known": [place.known.0, place.known.1], "stop": place.stop, "past": place.past,
        "branch": place.branch, "branches": place.branches, "done": place.done, "undo": place.undo, "redo": place.redo,
    })
}
