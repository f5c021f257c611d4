//! `situ new NAME`: a small table to start from.

use situ_words::say;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::command::io::files::{Output, Writes, for_shell, quoted};
use crate::command::{Failure, Outcome, Streams};

/// Write a small table that runs, to start from
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ new tank            # writes tank.ron: a tank, as its name says
  situ new models/tank.ron
  situ new lamp --template circuit
  situ run tank.ron")]
pub(in crate::command) struct New {
    /// Name of the model or of its file
    name: PathBuf,
    /// Kind of model to start from [default: the one that the name of the file holds, or else ball]
    #[arg(long, value_enum)]
    template: Option<FirstTable>,
}

/// A table to start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FirstTable {
    /// A ball that bounces: events and jumps
    Ball,
    /// A tank with a pump, a float switch and an overflow: switches, and what runs must come to
    Tank,
    /// A heated house through a day: switches that hold their value
    Thermostat,
    /// A rod of cells: a family, with a row for all of them
    Chain,
    /// A coil and a lamp: an electric circuit with a measured part
    Circuit,
    /// Hydrogen iodide: stages of reactions, with what they conserve
    Reaction,
    /// A heater: a machine with states and transitions
    Machine,
    /// Two tanks: a table of parts, and the table that they have, in a second file
    Parts,
}

impl FirstTable {
    fn text(self) -> &'static str {
        match self {
            Self::Ball => include_str!("templates/ball.ron"),
            Self::Chain => include_str!("templates/chain.ron"),
            Self::Circuit => include_str!("templates/circuit.ron"),
            Self::Machine => include_str!("templates/machine.ron"),
            Self::Parts => include_str!("templates/parts.ron"),
            Self::Reaction => include_str!("templates/reaction.ron"),
            Self::Tank => include_str!("templates/tank.ron"),
            Self::Thermostat => include_str!("templates/thermostat.ron"),
        }
    }

    /// A second table that stands beside the first one: the end of its name, and its text.
    fn beside(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Parts => Some(("_tank.ron", include_str!("templates/parts_tank.ron"))),
            _ => None,
        }
    }

    /// The one whose name the name of a model holds: `my_tank`.
    fn of_name(name: &str) -> Self {
        let name = name.to_lowercase();
        let holds = |table: &&Self| {
            let value = table.to_possible_value();
            value.is_some_and(|value| name.contains(value.get_name()))
        };
        Self::value_variants()
            .iter()
            .find(holds)
            .copied()
            .unwrap_or(Self::Ball)
    }
}

pub(in crate::command) fn run(command: &New, streams: &mut Streams) -> Outcome {
    let mut path = command.name.clone();
    if path.extension().is_none() {
        path.set_extension("ron");
    }
    let Some(name) = path.file_stem() else {
        return Err(Failure::Wrong(say!(
            "cli-names-no-file",
            name = quoted(&command.name)
        )));
    };
    let stem = name.to_string_lossy();
    let template = command
        .template
        .unwrap_or_else(|| FirstTable::of_name(&stem));
    let mut tables = vec![(path.clone(), template.text())];
    if let Some((end, text)) = template.beside() {
        tables.push((path.with_file_name(format!("{stem}{end}")), text));
    }
    for (path, _) in &tables {
        Writes::Rules.check("situ new", path)?;
    }
    let name = stem.replace(['"', '\\'], "_");
    for (path, text) in &tables {
        write(path, &text.replace("NAME", &name))?;
    }
    let names: Vec<String> = tables.iter().map(|(path, _)| quoted(path)).collect();
    let wrote = say!(
        "cli-wrote",
        names = names.join(&say!("cli-and")),
        path = for_shell(&path)
    );
    streams.talk(&format!("{wrote}\n"));
    Ok(())
}

/// Writes a table that does not exist yet.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = Output::create(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.commit_new()
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Wrong(say!("cli-exists-already", path = quoted(path))),
        _ => Failure::writing(&quoted(path), &error),
    })
}
