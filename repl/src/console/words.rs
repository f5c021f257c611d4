//! Small texts: times, the prompt, what completion offers.

use situ_engine::trace::Row;

use super::names::standing;
use super::{Console, history::History};
use situ_views::text::number::rounded;

/// What a prompt shows.
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
    /// Whether one stands in the past.
    pub past: bool,
    /// The branch, if it is not the first one.
    pub branch: Option<String>,
}

/// One way to complete a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What stands in place of the word.
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
            f.write_str(" (past)")?;
        }
        f.write_str("> ")
    }
}

impl Console {
    /// What the prompt shows now.
    pub fn prompt(&mut self) -> Prompt {
        let history = self.world.history.clone();
        let branch = (&*self.world.branch != "main").then(|| self.world.branch.to_string());
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

/// A time for people: up to twelve digits, so that ticks do not show their rounding.
pub(super) fn time(value: f64) -> String {
    let text = format!("{value:.12}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if value != 0.0 && (value.abs() < 1e-6 || text.len() > 20) {
        return rounded(value);
    }
    if text.is_empty() || text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// `t = 0.5, tick 5000: contact, braking`
pub(super) fn status(
    history: &History,
    model: &situ_engine::model::Model,
    row: &Row<'_>,
) -> String {
    let mut text = format!("t = {}, step {}", time(row.time), history.steps_before());
    let standing = standing(model, row);
    if !standing.is_empty() {
        text.push_str(": ");
        text.push_str(&standing.join(", "));
    }
    if history.in_the_past() {
        text.push_str(" (past)");
    }
    text
}

/// A name as it is written in rules.
pub(super) fn spelt(name: &str) -> String {
    situ_rules::print::name(super::names::bare(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_do_not_show_rounding() {
        for (value, expected) in [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1.0, "1"),
            (100.0, "100"),
            (0.0001 * 3.0, "0.0003"),
            (2.5e-9, "2.5e-9"),
            (12_345.678, "12345.678"),
        ] {
            assert_eq!(time(value), expected);
        }
    }
}
