//! `situ show TABLE`: the model as it was understood.

use std::path::PathBuf;

use clap::Args;
use situ_views::model::model_listing;

use crate::command::{Outcome, Streams, table};

/// Show a table as the program understands it: quantities, rules with their ids
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ show table.ron
  situ show table.ron --markdown >> README.md")]
pub(in crate::command) struct Show {
    /// The table; `-` reads standard input
    table: PathBuf,
    /// Print the relations as a Markdown table with the columns of the paper's editor
    #[arg(long)]
    markdown: bool,
}

pub(in crate::command) fn run(command: &Show, streams: &mut Streams) -> Outcome {
    let opened = table::open(&command.table, streams)?;
    if command.markdown {
        return streams.print(&model_listing::markdown(&opened.model));
    }
    let names = opened
        .tables
        .iter()
        .map(|table| opened.sources.get(table.source_id).name.as_str());
    let chain: Vec<&str> = names.collect();
    streams.print(&model_listing::text(&opened.model, &chain, streams.width()))
}
