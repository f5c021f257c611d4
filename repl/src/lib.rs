//! The program `situ` as a library: its command line and its prompt.
//!
//! Whatever touches the disk or the terminal is in this crate and nowhere else.

pub mod command;
pub mod engine;

/// Results of sweeps, as `situ sweep --out` writes them, for those who run the rows of a sweep themselves.
pub mod results {
    pub use crate::command::{Identity, Results, ResultsFile, Swept, columns, varied};
}

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use command::io::files::read_text;
use engine::{EngineArg, EngineArgs, EngineError, supported};
use situ_console::{Console, Equipment, Files, normal};
use situ_rules::Loaded;

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
    console_over(disk(), engine)
}

/// The files of the disk, as sessions take them.
pub fn disk() -> Arc<dyn Files> {
    Arc::new(command::io::files::Disk)
}

/// A session with these files, whose runs have an engine.
///
/// # Errors
///
/// As [`console`].
pub fn console_over(
    files: Arc<dyn Files>,
    engine: Option<EngineArg>,
) -> Result<Console, EngineError> {
    if engine == Some(EngineArg::Native) {
        supported()?;
    }
    let engine = EngineArgs::only(engine);
    let mut console = Console::new(files);
    console.equip(Equipment::new(move |run| {
        // Whether there is native code at all has been asked; what has none is interpreted.
        let _ = engine.plug_in(run);
    }));
    Ok(console)
}

/// Reads the table of a file and those that it extends, as every command does; its mistakes stand in the result.
///
/// # Errors
///
/// The file cannot be read, is too long, or is no text.
pub fn load(path: &Path) -> io::Result<Loaded> {
    let path = normal(path);
    let text = read_text(&path)?;
    Ok(loads(&path.display().to_string(), &text))
}

/// Reads a text as the table of a file of that name, and the files that it extends.
pub fn loads(name: &str, text: &str) -> Loaded {
    command::table::with_bases(name, text)
}

/// The path of a file that a table names, seen from where the program runs; `from`: the name of that table.
pub fn beside(path: &str, from: &str) -> PathBuf {
    command::table::beside(path, from)
}

/// Message on a part that the program has been built without, by leaving out a feature.
#[cfg(not(all(feature = "parquet", feature = "png", feature = "native")))]
fn without(feature: &str) -> String {
    situ_words::say!("cli-built-without", feature)
}
