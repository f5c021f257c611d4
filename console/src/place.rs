//! Where a session stands: what a screen shows beside every reply.

use std::path::Path;

use crate::document::digest;
use crate::{Console, in_a_line};

/// Where a session stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Name of the model.
    pub model: String,
    /// Case that is applied.
    pub case: Option<String>,
    /// File from which the table was read.
    pub file: Option<String>,
    /// Hash of the texts of the table and its data.
    pub text: String,
    /// The time [units of `time`].
    pub time: f64,
    /// Steps done.
    pub steps: u64,
    /// The known line of history: the times of its beginning and of its end [units of `time`].
    pub known: (f64, f64),
    /// Time at which the table's run stops, if it says so [units of `time`].
    pub stop: Option<f64>,
    /// True if something of the future is known.
    pub past: bool,
    /// Name of the branch.
    pub branch: String,
    /// Names of the other branches.
    pub branches: Vec<String>,
    /// Number of lines that `undo` can take back.
    pub done: usize,
    /// The line that `undo` takes back.
    pub undo: Option<String>,
    /// The line that `redo` does again.
    pub redo: Option<String>,
}

impl Console {
    /// Where the session stands at present.
    pub fn place(&mut self) -> Place {
        let version = self.version();
        let history = self.state.history.clone();
        let (segment, end) = history.at_step(history.length()).place();
        let end = self.segments.at(segment, end).time();
        let undo = self.done.last().filter(|done| done.before.is_some());
        Place {
            model: version.model.name.clone(),
            case: version.choices.case.clone(),
            file: (version.document.path.as_ref()).map(|path| path.display().to_string()),
            text: version.hash.clone(),
            known: (self.segments.start_time(history.pieces()[0].segment), end),
            stop: version.stop(),
            past: history.in_the_past(),
            steps: history.steps_before(),
            branch: self.state.branch.to_string(),
            branches: self.state.branches.keys().cloned().collect(),
            done: self.done.len(),
            undo: undo.map(|done| in_a_line(&done.line)),
            redo: self.undone.last().map(|undone| in_a_line(&undone.line)),
            time: self.run().time(),
        }
    }

    /// True if a file of the table is no longer what this session has read or saved.
    pub fn is_stale(&self) -> bool {
        let document = &self.version().document;
        let Some(path) = &document.path else {
            return false;
        };
        let saved = self.saved.iter().find(|(saved, _)| saved == path);
        let known = saved.map_or(&document.read_hash, |(_, hash)| hash);
        let is_other = |path: &Path, is_known: &dyn Fn(Vec<u8>) -> bool| {
            let there = self.files.peek(path);
            there.map_or(true, |there| !is_known(there))
        };
        let mut others = document.others();
        is_other(path, &|there| digest(there) == *known)
            || others.any(|(path, known)| is_other(path, &|there| there == known))
    }
}
