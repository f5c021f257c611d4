//! `situ lab TABLE`: the exercise of a table, and the log of predicted and obtained numbers.

use std::path::PathBuf;

use clap::Args;
use situ_engine::sim::RunConfig;
use situ_rules::diag::InWords;
use situ_views::lab::{Exercise, LabWatch, log, log_csv, log_text};
use situ_words::say;

use crate::command::io::files::{self, Writes, quoted};
use crate::command::run::ending::End;
use crate::command::settings::{Settings, number};
use crate::command::table::Opened;
use crate::command::{Failure, Outcome, Streams};

/// Do the exercise of a table: predict numbers, run it, compare
///
/// Without --predict the exercise is shown: what may be set, what is to be predicted, the questions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ lab scenarios/stand/table.ron
  situ lab scenarios/stand/table.ron --predict 'x[1]=1.01' --predict 'x[2]=2.2' --out log.csv
  situ lab scenarios/stand/table.ron --set theta=0.8 --events --predict 'x[1]=1.01' --lang ru")]
pub(in crate::command) struct Lab {
    #[command(flatten)]
    settings: Settings,
    /// A prediction, `x[1]=1.01`; may be repeated
    #[arg(long, value_name = "NAME=NUMBER", value_parser = prediction)]
    predict: Vec<(String, f64)>,
    /// Write the log into a CSV file
    #[arg(long, value_name = "FILE", requires = "predict")]
    out: Option<PathBuf>,
    /// Print as JSON, in both languages
    #[arg(long)]
    json: bool,
}

fn prediction(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text
        .rsplit_once('=')
        .ok_or_else(|| say!("cli-lab.name-number"))?;
    let value = number(value.trim())?;
    let value = value.is_finite().then_some(value);
    let value = value.ok_or_else(|| say!("cli-number.number-needed-like"))?;
    Ok((name.trim().to_owned(), value))
}

pub(in crate::command) fn run(command: &Lab, streams: &mut Streams) -> Outcome {
    let (opened, config) = command.settings.prepare(streams)?;
    let Some(lab) = &opened.lab else {
        return Err(Failure::Wrong(say!("cli-no-exercise")));
    };
    let start = opened.model.start_values();
    let start = start.map_err(|error| Failure::Wrong(error.in_words()))?;
    let exercise = Exercise::of(lab, &opened.model, &start);
    if command.predict.is_empty() {
        return match command.json {
            true => streams.print(&json(&exercise)),
            false => streams.print(&exercise.text(streams.width())),
        };
    }
    for (name, _) in &command.predict {
        if !exercise.predict.iter().any(|field| field.name == *name) {
            let known = exercise.predict.iter().map(|field| field.name.as_str());
            let near = situ_rules::diag::nearest(name, known.clone());
            let help = match near {
                Some(near) => say!("report-did-you-mean", near),
                None => say!("cli-lab.asks", names = known.collect::<Vec<_>>().join(", ")),
            };
            return Err(Failure::Wrong(say!("cli-lab.not-asked", name, help)));
        }
    }
    if let Some(path) = &command.out {
        let mut claims = opened.claims();
        claims.writes("--out", path)?;
        Writes::Csv.check("--out", path)?;
    }
    let obtained = obtained(command, &opened, &config, streams)?;
    let predicted = |name: &str| {
        let known = command
            .predict
            .iter()
            .rev()
            .find(|(known, _)| known == name);
        known.map(|(_, value)| *value)
    };
    let rows = log(lab, &obtained, predicted);
    if let Some(path) = &command.out {
        let written = files::write(path, log_csv(&rows));
        written.map_err(|error| Failure::writing(&quoted(path), &error))?;
    }
    match command.json {
        true => streams.print(&json(&rows)),
        false => streams.print(&log_text(&rows, streams.width())),
    }
}

/// Runs the table: the numbers that are to be predicted.
fn obtained(
    command: &Lab,
    opened: &Opened,
    config: &RunConfig,
    streams: &mut Streams,
) -> Result<Vec<Option<f64>>, Failure> {
    let Some(lab) = &opened.lab else {
        return Ok(Vec::new());
    };
    let measures: Vec<_> = lab.measures().cloned().collect();
    let mut watch = LabWatch::new(lab, &opened.model, config);
    let run = watch.run(&measures);
    let mut run = run.map_err(|error| opened.refuse_run(&error, streams))?;
    command.settings.plug_in(&mut run)?;
    let end = End::of(run.run(&mut watch));
    end.conclude(&run, opened, streams)?;
    Ok(watch.obtained(&run.measured()))
}

fn json(data: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(data);
    text.expect("an exercise has only texts and numbers") + "\n"
}
