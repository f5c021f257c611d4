//! `--engine`: who does the ticks or steps of a run, the interpreter or native code. What is asked for on the command
//! line or at the prompt becomes a compiler that the run is given; whether and when it pays to compile that one decides.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use situ_engine::sim::compiled::{CompileError, Compiler};
use situ_engine::sim::{PreparedModel, Run, RunConfig};
use situ_rules::diag::InWords;
use situ_words::say;

/// How ticks and steps are computed: interpreted, or as native code.
///
/// In a sweep `auto` means lanes where there are any; `interpreter` and `native` do one run after the other.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct EngineArgs {
    /// Interpreted or native code; the results are the same to the last bit [default: auto]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<EngineArg>,
    /// Native code that divides and rounds faster: last digits of ticks change
    #[arg(long)]
    pub fast_math: bool,
}

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineArg {
    /// Interpreted at first; long runs switch to native code when it is ready, sweeps run in lanes
    Auto,
    /// No native code, and no lanes
    Interpreter,
    /// Native code from the beginning, one run after the other
    Native,
}

/// Why a run has not the engine that was asked for, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The request does not fit together, or does not fit the run.
    Wrong(String),
    /// The program has been built without native code.
    #[cfg(not(feature = "native"))]
    Without(String),
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Wrong(message) => f.write_str(message),
            #[cfg(not(feature = "native"))]
            Self::Without(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EngineError {}

impl EngineError {
    fn wrong(error: impl ToString) -> Self {
        Self::Wrong(error.to_string())
    }
}

impl From<CompileError> for EngineError {
    fn from(error: CompileError) -> Self {
        Self::wrong(error.in_words())
    }
}

/// Result of a check of the engine against a run.
type Outcome = Result<(), EngineError>;

impl EngineArgs {
    /// Sees to it that the run has the engine asked for.
    ///
    /// # Errors
    ///
    /// There is no native code for the run, and it was asked for.
    pub fn plug_in(self, run: &mut Run) -> Outcome {
        let engine = self.checked(&run.config())?;
        if let Some(compiler) = self.compiler(engine) {
            run.compile_with(compiler)?;
        }
        Ok(())
    }

    /// Sees to it that the runs of a sweep have the engine asked for.
    ///
    /// # Errors
    ///
    /// There is no native code for them, and it was asked for.
    pub fn plug_into(self, template: &mut PreparedModel) -> Outcome {
        let engine = self.checked(template.config())?;
        if engine != EngineArg::Auto {
            template.one_by_one();
        }
        if let Some(compiler) = self.compiler(engine) {
            template.compile_with(compiler)?;
        }
        Ok(())
    }

    /// An engine with the bits of the interpreter.
    pub(crate) fn only(engine: Option<EngineArg>) -> Self {
        Self {
            engine,
            fast_math: false,
        }
    }

    /// What compiles for an engine.
    #[cfg(feature = "native")]
    fn compiler(self, engine: EngineArg) -> Option<Arc<dyn Compiler>> {
        let options = situ_jit::Options {
            fast_math: self.fast_math,
            ..situ_jit::Options::default()
        };
        Some(Arc::new(match engine {
            EngineArg::Interpreter => return None,
            EngineArg::Auto => situ_jit::Jit::in_background(),
            EngineArg::Native => situ_jit::Jit::at_once(options),
        }))
    }

    /// What compiles for an engine: nothing, in a program without native code.
    #[cfg(not(feature = "native"))]
    fn compiler(self, _: EngineArg) -> Option<Arc<dyn Compiler>> {
        None
    }

    /// The engine, if what was asked for fits together and to the run.
    fn checked(self, config: &RunConfig) -> Result<EngineArg, EngineError> {
        let engine = match self.engine {
            // What the last digits are must not depend on when the code is ready.
            None | Some(EngineArg::Auto) if self.fast_math => EngineArg::Native,
            engine => engine.unwrap_or(EngineArg::Auto),
        };
        if self.fast_math && engine == EngineArg::Interpreter {
            let wrong = say!("cli-checked.fast-math-belongs");
            return Err(EngineError::wrong(wrong));
        }
        if self.fast_math && matches!(config, RunConfig::Events(_)) {
            let wrong = say!("cli-checked.fast-math-belongs-2");
            return Err(EngineError::wrong(wrong));
        }
        if engine == EngineArg::Native {
            if matches!(config, RunConfig::Ticks(config) if config.is_uneven()) {
                let wrong = say!("cli-checked.ticks-changing-length");
                return Err(EngineError::wrong(wrong));
            }
            supported()?;
        }
        Ok(engine)
    }
}

/// Checks that there is native code on this machine.
///
/// # Errors
///
/// There is none.
#[cfg(feature = "native")]
pub(crate) fn supported() -> Outcome {
    situ_jit::supported().map_err(EngineError::wrong)
}

/// Whether there is native code in this program.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "native"))]
pub(crate) fn supported() -> Outcome {
    let said = crate::without("native");
    Err(EngineError::Without(said))
}
