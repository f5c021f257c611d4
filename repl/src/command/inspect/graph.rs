//! `situ graph TABLE`: what depends on what, for Graphviz or Mermaid.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_rules::mermaid;
use situ_views::model::{graph, machine_graph};

use crate::command::{Outcome, Streams, table};

/// Print the dependencies of a table as a graph
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ graph table.ron | dot -Tsvg > rules.svg
  situ graph table.ron --of situations --format mermaid")]
pub(in crate::command) struct Graph {
    /// The table; `-` reads standard input
    table: PathBuf,
    /// What is shown
    #[arg(long, value_name = "WHAT", default_value = "rules")]
    of: Subject,
    /// Output format
    #[arg(long, default_value = "dot")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// Which rule reads and writes which real
    Rules,
    /// How reals become ranges, situations and switches, and which rows these activate
    Situations,
    /// Which stage takes and gives which species
    Reactions,
    /// States of machines and the transitions between them
    Machines,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For Graphviz
    Dot,
    /// For Markdown documents
    Mermaid,
}

pub(in crate::command) fn run(command: &Graph, streams: &mut Streams) -> Outcome {
    let opened = table::open(&command.table, streams)?;
    let model = opened.model;
    if let Subject::Machines = command.of {
        let machines = mermaid::diagrams(&opened.tables);
        return streams.print(&match command.format {
            Format::Dot => machine_graph::dot(&model.name, &machines),
            Format::Mermaid => mermaid::draw(&machines),
        });
    }
    let graph = match command.of {
        Subject::Rules => graph::rules(&model),
        Subject::Situations => graph::situations(&model),
        Subject::Reactions | Subject::Machines => graph::reactions(&model),
    };
    streams.print(&match command.format {
        Format::Dot => graph.dot(),
        Format::Mermaid => graph.mermaid(),
    })
}
