//! `situ converge TABLE`: runs of one table with ever smaller steps or tolerances.

use clap::Args;
use situ_engine::sim::{EndReason, Run};
use situ_views::comparison::convergence::{Convergence, Refinement};
use situ_views::comparison::observed::Observed;

use crate::command::io::progress::Watch;
use crate::command::run::ending::End;
use crate::command::settings::{Settings, whole};
use crate::command::{Failure, Manner, Outcome, Streams};

/// Halve the step or divide the tolerance by 10 repeatedly, and tell how fast the results converge
///
/// The step is that of the ticks or of a method with fixed steps; the tolerance `rtol` that of all other methods,
/// with `atol` in proportion. Values between the two times of an event that two runs have are not compared.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ converge table.ron
  situ converge table.ron --events --rtol 1e-4 --runs 6
  situ converge table.ron --events --method rk4 --step 0.01")]
pub(in crate::command) struct Converge {
    #[command(flatten)]
    settings: Settings,
    /// Number of runs
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u8>(3..=20))]
    runs: u8,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Converge, streams: &mut Streams) -> Outcome {
    streams.manner = Manner::Quiet;
    let (opened, config) = command.settings.prepare(streams)?;
    streams.manner = Manner::Plain;
    let refinement = Refinement::of(&config);
    let mut watch = Watch::begin(streams)?;
    let mut runs = Vec::new();
    for index in 0..command.runs {
        let mut observed = Observed::new(&opened.model, config.stop());
        let (value, config) = (refinement.config(&config, index)).map_err(Failure::Wrong)?;
        let config = config.with_rows(observed.distance());
        let mut run = Run::new(opened.model.clone(), config, &[])
            .map_err(|error| opened.refuse_run(&error, streams))?;
        command.settings.plug_in(&mut run)?;
        let ended = run.run(&mut observed.recorder(&opened.model, &mut watch));
        match ended {
            Ok(EndReason::Recorder) => return Err(Failure::Interrupted),
            Ok(_) => {}
            Err(_) => {
                watch.end();
                return End::of(ended).conclude(&run, &opened, streams);
            }
        }
        runs.push((value, observed));
    }
    watch.end();
    let convergence = Convergence::of(&opened.model, &refinement, &runs);
    let text = if command.json {
        serde_json::to_string_pretty(&convergence).expect("convergence has only texts and numbers")
            + "\n"
    } else {
        convergence.text(streams.width())
    };
    streams.print(&text)
}
