//! `situ converge TABLE`: runs of one table with ever smaller steps or tolerances.

use clap::Args;
use situ_engine::Steps;
use situ_engine::sim::{EndReason, Run, RunConfig};
use situ_rules::diag::InWords;
use situ_views::comparison::convergence::Convergence;
use situ_views::comparison::observed::Observed;
use situ_words::say;

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
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true, value_parser = whole::<u8>(3..=20))]
    runs: u8,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Converge, streams: &mut Streams) -> Outcome {
    streams.manner = Manner::Quiet;
    let (opened, config) = command.settings.prepare(streams)?;
    streams.manner = Manner::Plain;
    let (setting, factor): (_, f64) = match &config {
        RunConfig::Ticks(_) => ("step", 2.0),
        RunConfig::Events(config) if config.settings.method.about().steps == Steps::Fixed => {
            ("step", 2.0)
        }
        RunConfig::Events(_) => ("rtol", 10.0),
    };
    let rounds_events = matches!(&config, RunConfig::Ticks(config) if !config.is_uneven());
    let mut watch = Watch::begin(streams)?;
    let mut runs = Vec::new();
    for index in 0..command.runs {
        let mut observed = Observed::new(&opened.model, config.stop());
        let (value, config) = finer(config.clone(), factor.powi(i32::from(index)))?;
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
    let convergence = Convergence::of(&opened.model, (setting, factor), rounds_events, &runs);
    let text = if command.json {
        serde_json::to_string_pretty(&convergence).expect("convergence has only texts and numbers")
            + "\n"
    } else {
        convergence.text(streams.width())
    };
    streams.print(&text)
}

/// The settings with a step or tolerance divided by a factor, and its value.
fn finer(config: RunConfig, factor: f64) -> Result<(f64, RunConfig), Failure> {
    Ok(match config {
        RunConfig::Ticks(mut config) => {
            let whole = factor.round();
            config.step /= whole;
            // A power of 2 below 2^20, so that ticks are counted exactly.
            let times = whole as u64;
            (config.ticks, config.every) = (config.ticks * times, config.every * times);
            (config.step, RunConfig::Ticks(config))
        }
        RunConfig::Events(mut config) if config.settings.method.about().steps == Steps::Fixed => {
            let step = config.settings.h0.unwrap_or_default() / factor;
            config.settings.h0 = Some(step);
            (step, RunConfig::Events(config))
        }
        RunConfig::Events(mut config) => {
            config.settings.rtol /= factor;
            config.atol /= factor;
            let checked = config.settings.check(&[config.atol]);
            checked.map_err(|error| {
                Failure::Wrong(say!("converge-too-small", error = error.in_words()))
            })?;
            (config.settings.rtol, RunConfig::Events(config))
        }
    })
}
