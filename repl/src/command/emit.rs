//! `situ emit STAGE TABLE`: a stage between text and trajectory, as text.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_engine::lower::{self, Probes, TickOptions};

use super::{Outcome, Streams, table};
use crate::view::shown;

/// Print a stage between text and run: the tree, the model or the tape
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ emit model table.ron
  situ emit tape table.ron")]
pub(super) struct Emit {
    /// The stage
    stage: Stage,
    /// The table; `-` reads standard input
    table: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stage {
    /// What was read, with places, names not looked up
    Tree,
    /// The flat tables that names were resolved into
    Model,
    /// The operations of a tick
    Tape,
}

pub(super) fn run(command: &Emit, streams: &mut Streams) -> Outcome {
    if let Stage::Tree = command.stage {
        let loaded = table::read(&command.table, streams)?;
        let Some(tree) = loaded.tables.last() else {
            return Err(table::refuse(&loaded.diagnostics, &loaded.sources, streams));
        };
        return streams.print(&format!("{tree:#?}\n"));
    }
    let model = table::open(&command.table, streams)?.model;
    let text = match command.stage {
        Stage::Tree | Stage::Model => shown::stage_model(&model),
        Stage::Tape => {
            let options = TickOptions {
                scan: model.clock.scan.unwrap_or_default(),
                integral: model.clock.integral.unwrap_or_default(),
            };
            shown::stage_tape(&model, &lower::tick(&model, &options, &Probes::default()))
        }
    };
    streams.print(&text)
}
