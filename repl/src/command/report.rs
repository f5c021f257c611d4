//! `situ report TABLE -o FILE`: runs a model and writes a page about it.

use std::path::PathBuf;

use clap::Args;
use situ_views::columns::selection::{Names, Picks};

use super::plot::Drawing;
use super::run::{self, Run};
use super::settings::Settings;
use super::{Outcome, Streams};

/// Run a table and write a page about it: one HTML file that needs nothing else
///
/// The page has measures and expectations, curves with a cursor and a zoom, situations and events as a timeline and as
/// a log, the table with what was found in it, and what was run with its hash. Any browser shows it, without a network.
/// `situ run --report FILE` writes the same page beside other outputs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ report scenarios/hoop/table.ron -o hoop.html
  situ report table.ron -o heavy.html --set m=2 --curves h,Vy,contact --measure 'max(h)'")]
pub(in crate::command) struct Report {
    #[command(flatten)]
    settings: Settings,
    /// The file that is written, its name ending in .html
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Columns to draw: `h,Vy` over time, `x:y` for y against x [default: reals and booleans]
    #[arg(long, value_name = "NAMES")]
    curves: Option<Picks>,
    /// Quantities with a logarithmic axis
    #[arg(long, value_name = "NAMES")]
    log_axis: Option<Names>,
    /// Measure a number, e.g. `max(h)`; may be repeated
    #[arg(long, value_name = "MEASURE")]
    measure: Vec<String>,
    /// Print nothing but errors and what is measured
    #[arg(long, short)]
    quiet: bool,
}

pub(in crate::command) fn run(command: &Report, streams: &mut Streams) -> Outcome {
    let Report {
        settings,
        out,
        curves,
        log_axis,
        measure,
        quiet,
    } = command;
    let drawing = Drawing {
        curves: curves.clone(),
        log_axis: log_axis.clone(),
        plot: None,
    };
    let command = Run::reporting(
        settings.clone(),
        out.clone(),
        drawing,
        measure.clone(),
        *quiet,
    );
    run::run(&command, streams)
}
