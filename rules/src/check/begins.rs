//! Check that a run of a model can begin: its settings make sense, its start values are numbers, its first
//! step has values.
//!
//! Nothing is judged here: it is what a run itself does when it begins.

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::{ConfigError, Run, RunConfig};
use situ_words::say;

use crate::diag::{Diagnostic, InWords, Severity, fault, setup_error};
use crate::source::Origins;

/// The reason for which a run of a model cannot begin as its clock says; it is then an error of the table.
///
/// ```
/// let text = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 0}, relations: ["x = 1 / x"])"#;
/// let loaded = situ_rules::load("one.ron", text, &mut situ_rules::standalone);
/// let model = loaded.model.expect("the table has no mistakes").into();
/// let found = situ_rules::check::begins(&model, &loaded.origins).expect("1 / 0 is no number");
/// assert_eq!(found.message, "`x` becomes infinite in tick 1, at time 0");
/// ```
pub fn begins(model: &Arc<Model>, origins: &Origins) -> Option<Diagnostic> {
    let mut config = match RunConfig::from_clock(&model.clock) {
        Ok(config) => config,
        Err(error) => return Some(config_error(&error)),
    };
    if let RunConfig::Events(config) = &mut config {
        // Nobody reads rows inside the step, and of a family of 10^6 each takes milliseconds; that there are too many of them
        // is found all the same.
        let (stop, most) = (config.stop, config.budget.rows);
        config.every = (config.every).filter(|every| stop / every > most as f64);
    }
    let stop = config.stop();
    let mut run = match Run::new(Arc::clone(model), config, &[]) {
        Ok(run) => run,
        Err(error) => return Some(setup_error(&error, model, origins)),
    };
    let first = run.step(stop);
    first.err().map(|why| fault(&why, model, origins))
}

/// Says what is wrong with the settings of a run.
fn config_error(error: &ConfigError) -> Diagnostic {
    let report = |message: String| Diagnostic::new("R002", Severity::Error, message);
    match error {
        ConfigError::NoStep => report(say!("check-config-error.no-step"))
            .with_help(say!("check-config-error.help-no-step")),
        ConfigError::NoStop => report(say!("check-config-error.no-stop"))
            .with_help(say!("check-config-error.help-no-stop")),
        error => report(error.in_words()).with_help(say!("check-config-error.help-change-clock")),
    }
}
