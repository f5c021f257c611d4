//! `situ emit STAGE TABLE`: a stage between text and trajectory, as text.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_engine::lower::{self, Probes, TickOptions};
use situ_rules::Diagnostic;
use situ_rules::diag::has_errors;
use situ_views::model::{model_listing, tree};

use crate::command::{Outcome, Streams, table};

/// Print a stage between text and run: the tree, the model or the tape
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ emit model table.ron
  situ emit tape table.ron")]
pub(in crate::command) struct Emit {
    /// The stage
    stage: Stage,
    /// The table; `-` reads standard input
    table: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stage {
    /// What was read of each file, one node a line with its place; names are not looked up
    Tree,
    /// The flat tables that names were resolved into
    Model,
    /// The operations of a tick
    Tape,
}

pub(in crate::command) fn run(command: &Emit, streams: &mut Streams) -> Outcome {
    if let Stage::Tree = command.stage {
        let loaded = table::read(&command.table, streams)?;
        for table in &loaded.tables {
            streams.print(&tree::text(table, &loaded.sources))?;
        }
        // Names are looked up later.
        let of_reading = |report: &Diagnostic| report.code.starts_with('P');
        let mistakes: Vec<Diagnostic> = loaded.diagnostics.into_iter().filter(of_reading).collect();
        return match has_errors(&mistakes) {
            true => Err(table::refuse(&mistakes, &loaded.sources, streams)),
            false => Ok(()),
        };
    }
    let model = table::open(&command.table, streams)?.model;
    let text = match command.stage {
        Stage::Tree | Stage::Model => model_listing::stage_model(&model),
        Stage::Tape => {
            let options = TickOptions {
                scan: model.clock.scan.unwrap_or_default(),
                integral: model.clock.integral.unwrap_or_default(),
                ..TickOptions::default()
            };
            model_listing::stage_tape(&model, &lower::tick(&model, &options, &Probes::default()))
        }
    };
    streams.print(&text)
}
