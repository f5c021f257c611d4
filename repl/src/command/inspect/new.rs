//! `situ new NAME`: a small table to start from.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::command::io::files::{Output, Writes};
use crate::command::plot::quoted;
use crate::command::{Failure, Outcome, Streams};

/// Write a small table that runs, to start from
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ new tank            # writes tank.ron
  situ new models/tank.ron
  situ new lamp --template circuit
  situ run tank.ron")]
pub(in crate::command) struct New {
    /// Name of the model or of its file
    name: PathBuf,
    /// Kind of model to start from
    #[arg(long, value_enum, default_value_t)]
    template: FirstTable,
}

/// A table to start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum FirstTable {
    /// A ball that bounces: events and jumps
    #[default]
    Ball,
    /// A rod of cells: a family, with a row for all of them
    Chain,
    /// A coil and a lamp: an electric circuit with a measured part
    Circuit,
    /// An enzyme: stages of reactions
    Reaction,
    /// A thermostat: a machine with states and transitions
    Machine,
}

impl FirstTable {
    fn text(self) -> &'static str {
        match self {
            Self::Ball => include_str!("templates/ball.ron"),
            Self::Chain => include_str!("templates/chain.ron"),
            Self::Circuit => include_str!("templates/circuit.ron"),
            Self::Machine => include_str!("templates/machine.ron"),
            Self::Reaction => include_str!("templates/reaction.ron"),
        }
    }
}

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
    let text = command.template.text().replace("NAME", &name);
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
