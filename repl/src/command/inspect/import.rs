//! `situ import FILE`: a table of machines from a Mermaid state diagram.

use std::path::PathBuf;

use clap::Args;
use situ_rules::mermaid;
use situ_words::say;

use crate::command::io::files::quoted;
use crate::command::{Failure, Outcome, Streams, table};

/// Make a table of a Mermaid state diagram: its states and transitions as a machine
#[derive(Debug, Args)]
#[command(
    after_help = "Labels of transitions read `condition: x := value; y := value`, lines of states are rows.

Examples:
  situ import door.mmd > door.ron
  situ graph door.ron --of machines --format mermaid"
)]
pub(in crate::command) struct Import {
    /// The diagram; `-` reads standard input
    diagram: PathBuf,
}

pub(in crate::command) fn run(command: &Import, streams: &mut Streams) -> Outcome {
    let (_, text) = table::text(&command.diagram, streams)?;
    let diagrams = mermaid::read(&text).map_err(|(line, why)| {
        let place = quoted(&command.diagram);
        Failure::Wrong(say!("cli-at-line", place, line, why))
    })?;
    let stem = command.diagram.file_stem();
    let name = stem.map_or_else(
        || "machine".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    let name = if name == "-" {
        "machine"
    } else {
        name.as_str()
    };
    streams.print_table(&mermaid::table(name, &diagrams))
}
