//! Small texts: times, the prompt, what completion offers.

use situ_engine::trace::Row;

use super::names::standing;
use situ_explain::History;
use situ_words::say;

use super::Console;
pub(super) use situ_views::text::number::{in_unit, time};

/// Contents of a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompt {
    /// Name of the model.
    pub model: String,
    /// The time.
    pub time: String,
    /// Steps done.
    pub steps: u64,
    /// Situations, ranges and switches that hold.
    pub standing: Vec<String>,
    /// True if the present place is in the past.
    pub past: bool,
    /// The branch, if it is not the first one.
    pub branch: Option<String>,
}

/// One way to complete a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Text that replaces the word.
    pub text: String,
    /// A word on what it is.
    pub about: String,
}

/// Names of situations shown in a prompt before they are counted.
const MOST_STANDING: usize = 4;

impl std::fmt::Display for Prompt {
    /// `hoop t=0.5 #5000 contact, braking> `; in the past `hoop t=0.5 #5000 (past)> `.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.model)?;
        if let Some(branch) = &self.branch {
            write!(f, "@{branch}")?;
        }
        write!(f, " t={} #{}", self.time, self.steps)?;
        if !self.standing.is_empty() {
            let shown = self.standing.len().min(MOST_STANDING);
            write!(f, " {}", self.standing[..shown].join(","))?;
            if self.standing.len() > shown {
                write!(f, ",+{}", self.standing.len() - shown)?;
            }
        }
        if self.past {
            write!(f, " ({})", say!("console-past"))?;
        }
        f.write_str("> ")
    }
}

impl Console {
    /// Contents of the prompt at present.
    pub fn prompt(&mut self) -> Prompt {
        let history = self.state.history.clone();
        let branch = (&*self.state.branch != "main").then(|| self.state.branch.to_string());
        let run = self.run();
        let (model, row) = (run.model(), run.row());
        Prompt {
            model: model.name.clone(),
            time: time(row.time),
            steps: history.steps_before(),
            standing: standing(model, &row)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            past: history.in_the_past(),
            branch,
        }
    }
}

/// `t = 0.5, tick 5000: contact, braking`
pub(super) fn status(
    history: &History,
    model: &situ_engine::model::Model,
    row: &Row<'_>,
) -> String {
    let now = in_unit(time(row.time), model.clock.time_unit());
    let mut text = say!("console-status", now, steps = history.steps_before());
    let standing = standing(model, row);
    if !standing.is_empty() {
        text.push_str(": ");
        text.push_str(&standing.join(", "));
    }
    if history.in_the_past() {
        text.push_str(&format!(" ({})", say!("console-past")));
    }
    text
}
