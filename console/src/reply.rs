//! Replies of commands.

use serde_json::{Value, json};
use situ_explain::Interrupted;
use situ_rules::diag::{Style, render, to_json};
use situ_rules::{Diagnostic, SourceMap};

use situ_views::text::visible::visible;
use situ_words::say;

/// The answer to a line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reply {
    /// For people; ends with a line break unless it is empty.
    pub text: String,
    /// For programs.
    pub data: Value,
    /// The command could not do what it was asked.
    pub failed: bool,
    /// The session is to end.
    pub quit: bool,
    /// The work was broken off.
    pub interrupted: bool,
}

/// Reply of a command that did its work.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CommandOutput {
    /// For people, in plain characters.
    pub text: String,
    /// Text before and after the text that is drawn already, maybe with colours.
    pub(super) drawn: [String; 2],
    /// For programs.
    pub data: Value,
    /// The lines that do the same again; none if that is the one that was typed.
    pub logged: Vec<String>,
    /// The hash of the texts that were read from files.
    pub(super) loaded: Option<String>,
    /// Something went wrong on the way; what was done up to there stays.
    pub failed: bool,
    /// The session is to end.
    pub quit: bool,
    /// The work was broken off.
    pub interrupted: bool,
}

/// Why a command changed nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandError {
    text: String,
    /// It begins with a message that no report is, before which the word for an error stands.
    headed: bool,
    data: Value,
}

/// The work was stopped.
impl From<Interrupted> for CommandError {
    fn from(interrupted: Interrupted) -> Self {
        Self::new(interrupted.to_string())
    }
}

/// Result of a command.
pub(super) type Outcome = Result<CommandOutput, CommandError>;

impl CommandOutput {
    /// A text, and the same for programs.
    pub(super) fn new(text: impl Into<String>, data: Value) -> Self {
        Self {
            text: text.into(),
            data,
            ..Self::default()
        }
    }

    /// Reply whose text is drawn already, with the same for programs.
    pub(super) fn drawn(text: impl Into<String>, data: Value) -> Self {
        Self {
            drawn: [text.into(), String::new()],
            data,
            ..Self::default()
        }
    }

    /// One line.
    pub(super) fn line(text: impl Into<String>) -> Self {
        let mut text = text.into();
        let data = json!({ "said": text });
        text.push('\n');
        Self::new(text, data)
    }

    /// `has_text`: see [`crate::Look::texts`].
    pub(super) fn reply(self, command: &str, has_text: bool) -> Reply {
        let data = json!({ "command": command, "ok": !self.failed, "result": self.data });
        let [before, after] = self.drawn;
        let text = match has_text || self.failed {
            true => format!("{before}{}{after}", visible(&self.text)),
            false => String::new(),
        };
        Reply {
            text,
            data,
            failed: self.failed,
            quit: self.quit,
            interrupted: self.interrupted,
        }
    }
}

impl CommandError {
    /// One line.
    pub(super) fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            data: json!({ "error": message }),
            text: format!("{}\n", visible(&message)),
            headed: true,
        }
    }

    /// With a line on what to do.
    pub(super) fn with_help(mut self, help: impl AsRef<str>) -> Self {
        let help = help.as_ref();
        self.text.push_str(&format!("  {}\n", visible(help)));
        self.data["help"] = json!(help);
        self
    }

    /// Reports about texts.
    pub(super) fn reports(reports: &[Diagnostic], sources: &SourceMap, style: Style) -> Self {
        Self {
            text: render(reports, sources, style),
            headed: false,
            data: json!({ "error": "reports", "diagnostics": to_json(reports, sources) }),
        }
    }

    /// The reports as JSON; what is no report about a text, as one without a place.
    pub(super) fn diagnostics(self) -> Value {
        match self.data.get("diagnostics") {
            Some(reports) => reports.clone(),
            None => {
                json!([{ "severity": "error", "message": self.data["error"], "labels": [], "help": self.data["help"] }])
            }
        }
    }

    pub(super) fn reply(self, command: Option<&str>, style: Style) -> Reply {
        let word = say!("report-error");
        let head = match style {
            _ if !self.headed => String::new(),
            Style::Coloured => format!("\u{1b}[1;31m{word}\u{1b}[0m: "),
            Style::Plain => format!("{word}: "),
        };
        let mut data = json!({ "command": command, "ok": false });
        if let (Some(data), Value::Object(more)) = (data.as_object_mut(), self.data) {
            data.extend(more);
        }
        Reply {
            text: head + &self.text,
            data,
            failed: true,
            ..Reply::default()
        }
    }
}
