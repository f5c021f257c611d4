//! `situ new NAME`: a small table to start from.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;

use crate::command::io::files::{Output, Writes};
use crate::command::plot::quoted;
use crate::command::{Failure, Outcome, Streams};

/// Write a small table that runs, to start from
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ new tank            # writes tank.ron
  situ new models/tank.ron
  situ run tank.ron")]
pub(in crate::command) struct New {
    /// Name of the model or of its file
    name: PathBuf,
}

const TEMPLATE: &str = include_str!("new.ron");

pub(in crate::command) fn run(command: &New, streams: &mut Streams) -> Outcome {
    let mut path = command.name.clone();
    if path.extension().is_none() {
        path.set_extension("ron");
    }
    let Some(name) = path.file_stem() else {
        return Err(Failure::Wrong(format!(
            "{} names no file",
            quoted(&command.name)
        )));
    };
    Writes::Rules.check("situ new", &path)?;
    let name = name.to_string_lossy().replace(['"', '\\'], "_");
    let text = TEMPLATE.replace("NAME", &name);
    let written = Output::create(&path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.commit_new()
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Wrong(format!("{} exists already", quoted(&path))),
        _ => Failure::writing(&quoted(&path), &error),
    })?;
    streams.talk(&format!(
        "wrote {}; run it with `situ run {}`\n",
        quoted(&path),
        path.display()
    ));
    Ok(())
}
