//! The whole way in one call: the text of a table becomes the trajectory of its run.

use std::fmt;

use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Trace, TraceRecorder};

use crate::diag::{Diagnostic, Severity, Style, fault, has_errors, render, setup_error};
use crate::source::SourceMap;
use crate::{Loader, load};

/// Why a table has no trajectory, or not all of it.
///
/// It prints as the program prints it: each finding with the row that it is about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SimulateError {
    /// Mistakes of the table, settings with which it cannot run, or the reason for which the run broke off.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they point into.
    pub sources: SourceMap,
    /// The rows up to where the run broke off; empty if it did not begin.
    pub trace: Box<Trace>,
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(&self.diagnostics, &self.sources, Style::Plain))
    }
}

impl std::error::Error for SimulateError {}

/// Reads a table, runs it as its clock says, and keeps the rows.
///
/// Shapes: `name`: what messages call the table; `text`: its text; `loader` reads what it extends
///         ([`standalone`](crate::standalone) for a table that extends nothing).
///
/// # Errors
///
/// [`SimulateError`]: mistakes of the table, settings that make no run, a run that broke off.
///
/// ```
/// let text = r#"(format: 1, clock: (stepping: events, stop: 1), reals: {"x": 1},
///     relations: ["x = integral(-x)"])"#;
/// let trace = situ_rules::simulate("decay.ron", text, &mut situ_rules::standalone)?;
/// let x = trace.column("x").expect("it is declared");
/// assert!((x[x.len() - 1] - (-1.0_f64).exp()).abs() < 1e-6);
///
/// let text = text.replace("-x", "-y");
/// let error = situ_rules::simulate("decay.ron", &text, &mut situ_rules::standalone).unwrap_err();
/// assert!(error.to_string().contains("`y`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(name: &str, text: &str, loader: &mut dyn Loader) -> Result<Trace, SimulateError> {
    let loaded = load(name, text, loader);
    let refused = |diagnostics: Vec<Diagnostic>, trace: Trace| SimulateError {
        diagnostics,
        sources: loaded.sources.clone(),
        trace: Box::new(trace),
    };
    let model = match &loaded.model {
        Some(model) if !has_errors(&loaded.diagnostics) => model,
        _ => return Err(refused(loaded.diagnostics.clone(), Trace::default())),
    };
    let config = RunConfig::from_clock(&model.clock).map_err(|error| {
        let report = Diagnostic::new("R002", Severity::Error, error.to_string());
        refused(vec![report], Trace::default())
    })?;
    let mut run = Run::new(model.clone(), config, &[]).map_err(|error| {
        let report = setup_error(&error, model, &loaded.origins);
        refused(vec![report], Trace::default())
    })?;
    let mut recorder = TraceRecorder::new(model);
    match run.run(&mut recorder) {
        Ok(_) => Ok(recorder.trace),
        Err(why) => Err(refused(
            vec![fault(&why, model, &loaded.origins)],
            recorder.trace,
        )),
    }
}
