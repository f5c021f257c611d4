//! `situ graph TABLE`: what depends on what, for Graphviz or Mermaid.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_rules::mermaid;
use situ_views::model::{graph, machine_graph, part_graph};

use crate::command::{Outcome, Streams, table};

/// Print the dependencies of a table as a graph
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ graph table.ron | dot -Tsvg > rules.svg
  situ graph table.ron --of situations --format mermaid
  situ graph table.ron --json")]
pub(in crate::command) struct Graph {
    /// The table; `-` reads standard input
    table: PathBuf,
    /// What is shown
    #[arg(long, value_name = "WHAT", default_value = "rules")]
    of: Subject,
    /// Output format
    #[arg(long, default_value = "dot")]
    format: Format,
    /// Print nodes and edges as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// Which rule reads and writes which real
    Rules,
    /// How reals become ranges, situations and switches, and which rows these activate
    Situations,
    /// Which stage takes and gives which species
    Reactions,
    /// Which rows are solved together, in which order
    Systems,
    /// States of machines and the transitions between them
    Machines,
    /// Parts as boxes, and what goes from one to another
    Parts,
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
    let graph = match command.of {
        Subject::Rules => graph::rules(&model),
        Subject::Situations => graph::situations(&model),
        Subject::Systems => graph::systems(&model),
        Subject::Reactions => graph::reactions(&model),
        Subject::Machines => {
            let mut machines = mermaid::diagrams(&opened.tables);
            machines.iter_mut().for_each(|one| one.begin_as(&model));
            if command.json {
                return streams.print_data(&machine_graph::json(&model.name, &machines));
            }
            return streams.print(&match command.format {
                Format::Dot => machine_graph::dot(&model.name, &machines),
                Format::Mermaid => mermaid::draw(&machines),
            });
        }
        Subject::Parts => {
            if command.json {
                return streams.print_data(&part_graph::json(&model));
            }
            return streams.print(&match command.format {
                Format::Dot => part_graph::dot(&model),
                Format::Mermaid => part_graph::mermaid(&model),
            });
        }
    };
    if command.json {
        return streams.print_data(&graph.json());
    }
    streams.print(&match command.format {
        Format::Dot => graph.dot(),
        Format::Mermaid => graph.mermaid(),
    })
}
