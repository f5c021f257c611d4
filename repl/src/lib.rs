//! The program `situ` as a library: its command line and its prompt.
//!
//! Whatever touches the disk or the terminal is in this crate and nowhere else.

pub mod command;
pub mod engine;

use std::sync::Arc;

use engine::{EngineArg, EngineArgs, EngineError, supported};
use situ_console::{Console, Equipment};

/// A session with the files of the disk, whose runs have an engine.
///
/// # Errors
///
/// There is no native code, and it was asked for.
///
/// ```
/// let mut console = situ_repl::console(None)?;
/// for line in ["real x = 1", "x = integral(-x)", "step 1000"] {
///     assert!(!console.execute(line, &mut ()).failed);
/// }
/// assert_eq!(console.execute("print x > 0.36", &mut ()).text, "x > 0.36: true\n");
/// # Ok::<(), situ_repl::engine::EngineError>(())
/// ```
pub fn console(engine: Option<EngineArg>) -> Result<Console, EngineError> {
    if engine == Some(EngineArg::Native) {
        supported()?;
    }
    let engine = EngineArgs::only(engine);
    let mut console = Console::new(Arc::new(command::io::files::Disk));
    console.equip(Equipment::new(move |run| {
        // Whether there is native code at all has been asked; what has none is interpreted.
        let _ = engine.plug_in(run);
    }));
    Ok(console)
}

/// Message on a part that the program has been built without: `what`, by leaving out a feature.
#[cfg(not(all(feature = "parquet", feature = "png", feature = "native")))]
fn without(what: &str, feature: &str) -> String {
    format!(
        "this program has been built without {what}; `cargo install --path repl --features {feature}` builds one that has it"
    )
}
