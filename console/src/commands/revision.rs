//! Revisions: another version of the table takes over the run, or the run begins again with it.

use std::sync::Arc;

use situ_engine::sim::NamedState;
use situ_rules::diag::{fault, to_json};
use situ_words::say;

use crate::document::Version;
use crate::history::journey::{Goal, Journey};
use crate::reply::{CommandError, Outcome};
use crate::{Console, ProgressSink};

/// Words with which the cause of a declaration begins.
const DECLARATIONS: [&str; 4] = ["real ", "constant ", "switch ", "invariant "];

/// The report on names that nothing uses.
const UNUSED: &str = "C040";

impl Console {
    /// Goes on with another version of the table from the present state; at the start, begins
    /// again with it. What is new in its reports is shown.
    pub(crate) fn revise(
        &mut self,
        version: Version,
        cause: &str,
        progress: &mut dyn ProgressSink,
    ) -> Outcome {
        self.end_instant()?;
        let mut news = version.news(&self.version());
        if DECLARATIONS.iter().any(|word| cause.starts_with(word)) {
            // What has just been declared cannot be used yet.
            news.retain(|report| report.code != UNUSED);
        }
        let text = self.rendered(&news, &version);
        let version = Arc::new(version);
        let carried = self.run().carried();
        let mut said = self.proceed(Arc::clone(&version), &carried, cause, progress)?;
        said.drawn[0].insert_str(0, &text);
        said.data["findings"] = to_json(&news, &version.sources);
        Ok(said)
    }

    /// Goes on with a version that differs from the present one in names only; nothing in its reports is new.
    pub(crate) fn revise_names(
        &mut self,
        version: Version,
        cause: &str,
        progress: &mut dyn ProgressSink,
    ) -> Outcome {
        self.end_instant()?;
        let carried = self.run().carried_under(&version.model);
        self.proceed(Arc::new(version), &carried, cause, progress)
    }

    /// Goes to the end of an instant inside which a run has stopped. A change is made there: a run that goes on as from a
    /// start would never do the rest.
    ///
    /// # Errors
    ///
    /// The rest of the instant fails.
    pub(crate) fn end_instant(&mut self) -> Result<(), CommandError> {
        let (segment, at) = self.state.history.place();
        if at.microstep().is_none() {
            return Ok(());
        }
        let (end, outcome) = self.segments.advance((segment, at), 1);
        outcome.map_err(|why| {
            let version = self.version();
            let report = fault(&why, &version.model, &version.origins);
            CommandError::reports(&[report], &version.sources, self.look.style)
        })?;
        self.state.history.forward_to(end);
        Ok(())
    }

    fn proceed(
        &mut self,
        version: Arc<Version>,
        carried: &NamedState,
        cause: &str,
        progress: &mut dyn ProgressSink,
    ) -> Outcome {
        let history = self.state.history.clone();
        let config = (&version.model, &version.config);
        if history.at_the_start() {
            self.begin(version, cause)?;
        } else if let Some(continued) =
            self.segments
                .continued(&history, config, Arc::clone(&version), cause)
        {
            self.go(continued);
        } else {
            let changed = self
                .segments
                .change(
                    &history,
                    (&version.model, &version.config),
                    carried,
                    Arc::clone(&version),
                    cause,
                )
                .map_err(|error| self.setup_trouble(&error, &version))?;
            self.go(changed);
        }
        self.after_change(&history, String::new(), progress)
    }

    /// Begins a history of its own.
    pub(crate) fn begin(&mut self, version: Arc<Version>, cause: &str) -> Result<(), CommandError> {
        let history = self
            .segments
            .begin(&version.model, &version.config, Arc::clone(&version), cause)
            .map_err(|error| self.setup_trouble(&error, &version))?;
        self.go(history);
        Ok(())
    }

    pub(crate) fn setup_trouble(
        &self,
        error: &situ_engine::sim::SetupError,
        version: &Version,
    ) -> CommandError {
        let report = situ_rules::diag::setup_error(error, &version.model, &version.origins);
        CommandError::reports(&[report], &version.sources, self.look.style)
    }

    /// Reply after a change.
    pub(crate) fn after_change(
        &mut self,
        before: &situ_explain::History,
        mut text: String,
        progress: &mut dyn ProgressSink,
    ) -> Outcome {
        if before.in_the_past() {
            text.push_str(&format!("  {}\n", say!("console-new-future")));
        }
        let journey: Journey = self.navigate(&Goal::Steps(0), progress)?;
        let mut said = self.arrived(&journey);
        said.text.insert_str(0, &text);
        Ok(said)
    }
}
