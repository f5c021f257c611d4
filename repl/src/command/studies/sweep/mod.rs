//! `situ sweep TABLE`: many runs of one table with other values.

mod growing;
mod identity;
mod lines;
mod output;
mod over;
mod parameters;
mod results_file;
#[cfg(feature = "parquet")]
mod sheet;
mod sizes;
mod told;
#[cfg(feature = "parquet")]
mod trajectories;
#[cfg(not(feature = "parquet"))]
#[path = "no_trajectories.rs"]
mod trajectories;
mod words;

pub use identity::{Identity, Swept};
pub use output::{Results, columns, varied};
pub use results_file::ResultsFile;

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_engine::model::element;
use situ_engine::sim::{PreparedModel, RunConfig};
use situ_engine::trace::Measure;
use situ_rules::{print, resolve};
use situ_sweep::{Axis, Design, Done, Keep, Sampling, sweep};

use self::output::Table;
use self::sizes::Sizes;
use self::told::Failures;
use self::trajectories::Trajectories;
use crate::command::io::failure::Status;
use crate::command::io::files::Writes;
use crate::command::io::progress::{Watch, interrupted};
use crate::command::plot::{PictureFile, draw};
use crate::command::settings::{Settings, whole};
use crate::command::table::{self, Opened, is_stdin};
use crate::command::{Failure, Manner, Outcome, Streams, measure, settings};
use situ_views::chart::ensemble::{Ensemble, Measured, Varied};
use situ_views::columns::cells::Column;
use situ_words::say;

/// Run a table many times with different values and write a table of measures
///
/// Listed values are combined with each other, the last one varying fastest; sampled values are the same for each
/// combination. Results do not depend on the number of cores.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ sweep table.ron --over 'K=1..5/9' --measure 'max(h)' --out k.csv
  situ sweep table.ron --over 'K=1,2,5' --over 'm=0.5..2/16' --events
  situ sweep table.ron --over 'K~normal(3,0.1)' --over 'm~uniform(1,2)' --runs 1000 --sample sobol
  situ sweep table.ron --parameters values.csv --out results.csv --resume

Exit status: 1 if a run failed. Its line says why in the column `fault`, and the other runs are done all the same.")]
pub(in crate::command) struct Sweep {
    #[command(flatten)]
    settings: Settings,
    /// What varies: `NAME=from..to/points`, `NAME=value,value`, or `NAME~distribution(..)` with uniform, normal, lognormal or triangular; of a switch true and false; may be repeated
    #[arg(long, value_name = "NAME..", required_unless_present = "parameters")]
    over: Vec<String>,
    /// What varies, as a CSV file: a column per constant, start value or switch, a line per run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["over", "runs", "sample"])]
    parameters: Option<PathBuf>,
    /// How often values are sampled from distributions
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=u64::MAX))]
    runs: Option<u64>,
    /// How values are sampled from distributions
    #[arg(long, value_name = "WAY", default_value = "latin")]
    sample: Way,
    /// Seed of the sampling
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        value_parser = whole::<u64>(0..=u64::MAX)
    )]
    seed: u64,
    /// Measure a value of each run, as `situ run --measure`; may be repeated [default: the final value of every real in the output]
    #[arg(long, value_name = "MEASURE")]
    measure: Vec<String>,
    /// Where the table of results goes: a CSV file, or Parquet if its name ends in .parquet; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Write all rows of all runs, too, as a Parquet file; `every` in the clock thins them out
    #[arg(long, value_name = "FILE")]
    trajectories: Option<PathBuf>,
    /// Draw the measures into a file, .svg or .png: curves over one value, a map over two, histograms where values are sampled from distributions [default: the terminal, if the table goes to a file]
    #[arg(long, value_name = "FILE", value_parser = PictureFile::parse)]
    plot: Option<PictureFile>,
    /// Draw nothing
    #[arg(long, conflicts_with = "plot")]
    no_plot: bool,
    /// Continue an interrupted sweep in its file
    #[arg(long, requires = "out")]
    resume: bool,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    threads: Option<u16>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    /// Print the results as JSON; if the table goes to a file, without its rows
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Way {
    /// Independently
    Random,
    /// Latin hypercube: every part of every axis is met once
    Latin,
    /// Sobol sequence, shifted at random
    Sobol,
}

pub(in crate::command) fn run(command: &Sweep, streams: &mut Streams) -> Outcome {
    streams.manner = match (command.quiet, command.json) {
        (true, _) => Manner::Quiet,
        (_, true) => Manner::Json,
        _ => Manner::Plain,
    };
    let opened = table::open_as(
        &command.settings.table,
        &command.settings.choices(),
        streams,
    )?;
    command.claim(&opened)?;
    let read = opened.clone();
    let as_written = std::sync::Arc::clone(&opened.model);
    let (mut opened, config) = command.settings.prepare_opened(opened, streams)?;
    let config = match command.trajectories {
        Some(_) => config,
        None => thinned(config),
    };
    let (names, design) = command.design(&mut opened, streams)?;
    let varied_size = sizes::varied_size(&names, &design, &opened.model);
    if let (Some(name), Some(_)) = (varied_size, &command.trajectories) {
        return Err(sizes::no_trajectories(name));
    }
    let (texts, measures) = command.measures(varied_size.is_some(), &mut opened, streams)?;
    settings::warn(&mut opened, &config, streams);
    let model = opened.model.clone();
    let swept = Swept {
        table: &as_written,
        model: &model,
        config: &config,
        fast_math: command.settings.engine.fast_math,
    };
    let identity = Identity::of_measures(swept, &texts);
    let rows_identity = Identity::of_rows(swept);
    let mut template = PreparedModel::new(opened.model.clone(), config, &measures)
        .map_err(|error| opened.refuse_run(&error, streams))?;
    let engine = command.settings.engine;
    engine.plug_into(&mut template)?;
    let inputs = names.iter().zip(design.inputs());
    let varied: Vec<_> = inputs
        .map(|(name, input)| varied(name, *input, &opened.model))
        .collect();
    let columns = columns(&varied, &texts, opened.model.clock.time_unit());
    let results = Results {
        columns: &columns,
        n_measures: texts.len(),
        model: &opened.model,
        origins: &opened.origins,
        identity: &identity,
    };
    let file = (!is_stdin(&command.out)).then_some(command.out.as_path());
    if command.resume && file.is_none() {
        return Err(Failure::Wrong(say!("cli-resume-needs")));
    }
    let (resume, all) = (command.resume, design.len());
    let trajectories = command.trajectories.as_ref();
    let trajectories = trajectories
        .map(|path| Trajectories::open(path, resume, &opened.model, &rows_identity, all));
    let mut trajectories = trajectories.transpose()?;
    let keep = match trajectories {
        Some(_) => Keep::Rows,
        None => Keep::Measures,
    };
    let is_silent = command.quiet || command.json || command.no_plot;
    let draws = command.plot.is_some() || file.is_some() && !is_silent;
    let mut ensemble = draws.then(|| Ensemble {
        varied: varied.iter().map(as_drawn).collect(),
        measured: columns[1 + varied.len()..][..texts.len()]
            .iter()
            .map(measured)
            .collect(),
        drawn: command.runs.is_some(),
    });
    let mut failures = Failures::default();
    let mut rows = (command.json && file.is_none()).then(Vec::new);
    let (mut table, begun) = match file {
        Some(path) => Table::open(path, resume, &results, &design, &mut |line| {
            failures.note_line(line, &results);
            if let Some(ensemble) = &mut ensemble {
                note_line(ensemble, line);
            }
        })?,
        None if command.json => (Table::Whole, 0),
        None => (Table::standard(&results)?, 0),
    };
    // Rows that are missing come out again; what stands in the table is not written twice.
    let has_rows = trajectories.as_ref().map_or(u64::MAX, Trajectories::runs);
    let from = begun.min(has_rows);
    let mut watch = Watch::begin(streams)?;
    let mut written = Ok(());
    let most = usize::try_from(design.len()).unwrap_or(usize::MAX);
    let threads = (command.threads).map_or(0, |threads| usize::from(threads).min(most));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Run(say!("sweep-no-threads", error = error.to_string())))?;
    let (results, out) = (&results, &mut table);
    let sizes = Sizes {
        read: &read,
        settings: &command.settings,
        names: &names,
        inputs: design.inputs(),
        measures: &texts,
    };
    let resize = |row: &[f64]| sizes.of(row);
    let ran = pool.install(|| {
        let broken = &interrupted;
        sweep(
            &template,
            &design,
            from,
            keep,
            Some(&resize),
            broken,
            &mut |done| {
                let new = &done[done.partition_point(|done| done.row < begun)..];
                new.iter().for_each(|done| failures.note(done, results));
                written = out.add(new.iter().map(|done| results.cells(done)));
                if let Some(ensemble) = &mut ensemble {
                    new.iter().for_each(|done| note(ensemble, done));
                }
                if let Some(rows) = &mut rows {
                    rows.extend(new.iter().map(|done| told::row(results, done)));
                }
                if let (Ok(()), Some(trajectories)) = (&written, &mut trajectories) {
                    written = trajectories.add(done);
                }
                let last = done.last().map_or(0, |done| done.row + 1);
                watch.at(last, design.len());
                match written {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            },
        )
    });
    watch.end();
    written?;
    let (reached, ran) = (from + ran, (from + ran).saturating_sub(begun));
    let is_whole = reached >= design.len();
    let is_named = table.finish(is_whole)?;
    trajectories.map_or(Ok(true), |rows| rows.finish(is_whole))?;
    if failures.count == 0 {
        streams.remark(&match begun {
            0 => say!("cli-ran", ran),
            begun => say!("cli-ran-more", ran, all = begun + ran),
        });
    }
    if let Some(ensemble) = ensemble {
        let picture = ensemble.picture(&opened.model.name);
        if picture.is_empty() {
            if command.plot.is_some() {
                streams.remark(&say!("cli-nothing-drawn"));
            }
        } else {
            let [few, surplus] = ensemble.left_out();
            for name in few {
                streams.remark(&say!("cli-measure-not-drawn.few", name));
            }
            for name in surplus {
                streams.remark(&say!("cli-measure-not-drawn.surplus", name));
            }
            draw(&picture.figure(), command.plot.as_ref(), streams)?;
        }
    }
    if !is_whole {
        let (n, all) = (reached.max(begun), design.len());
        streams.remark(&match (file, is_named) {
            (None, _) => say!("sweep-interrupted", n, all),
            (Some(_), true) => say!("sweep-interrupted.resume", n, all),
            (Some(path), false) => {
                say!("sweep-interrupted.unchanged", n, all, path = path.display())
            }
        });
    }
    if command.json {
        let (runs, failed) = ([design.len(), begun + ran], failures.count);
        streams.print_data(&told::data(results, runs, failed, rows, &opened))?;
    }
    failures.conclude(begun + ran, streams);
    match (is_whole, failures.count) {
        (false, _) => Err(Failure::Interrupted),
        (true, 0) => Ok(()),
        (true, _) => Err(Failure::Said(Status::Failed)),
    }
}

/// A run with as few rows as there can be: nobody sees them.
fn thinned(mut config: RunConfig) -> RunConfig {
    match &mut config {
        RunConfig::Ticks(config) => config.every = config.ticks,
        RunConfig::Events(config) => config.every = None,
    }
    config
}

fn as_drawn(column: &Column) -> Varied {
    Varied {
        name: column.name.clone(),
        unit: column.unit.clone(),
        values: Vec::new(),
    }
}

fn measured(column: &Column) -> Measured {
    Measured {
        name: column.name.clone(),
        unit: column.unit.clone(),
        values: Vec::new(),
    }
}

/// Adds a run to what is drawn.
fn note(ensemble: &mut Ensemble, done: &Done) {
    for (varied, value) in ensemble.varied.iter_mut().zip(&done.values) {
        varied.values.push(*value);
    }
    for (index, measured) in ensemble.measured.iter_mut().enumerate() {
        let value = done.measured.get(index).copied().flatten();
        measured.values.push(value.unwrap_or(f64::NAN));
    }
}

/// Adds a run of an earlier sweep, as CSV has it, to what is drawn.
fn note_line(ensemble: &mut Ensemble, line: &[String]) {
    let numbers = line
        .iter()
        .skip(1)
        .map(|field| field.parse().unwrap_or(f64::NAN));
    let varied = ensemble.varied.iter_mut().map(|one| &mut one.values);
    let measured = ensemble.measured.iter_mut().map(|one| &mut one.values);
    for (values, number) in varied.chain(measured).zip(numbers) {
        values.push(number);
    }
}

impl Sweep {
    /// Sees to it that nothing is written over what is read, or twice.
    fn claim(&self, opened: &Opened) -> Outcome {
        let mut claims = opened.claims();
        if let Some(values) = &self.parameters {
            claims.reads(values);
        }
        let files = [
            ("--out", Some(&*self.out).filter(|path| !is_stdin(path))),
            ("--trajectories", self.trajectories.as_deref()),
            ("--plot", self.plot.as_ref().map(PictureFile::path)),
        ];
        for (option, file) in files {
            file.map_or(Ok(()), |file| claims.writes(option, file))?;
        }
        Writes::CsvOrParquet.check("--out", &self.out)?;
        self.plot.as_ref().map_or(Ok(()), PictureFile::check)
    }

    /// Inputs that vary, by name, and their design.
    fn design(
        &self,
        opened: &mut Opened,
        streams: &mut Streams,
    ) -> Result<(Vec<String>, Design), Failure> {
        if let Some(path) = &self.parameters {
            return parameters::parameters(path, opened, streams);
        }
        let mut names: Vec<String> = Vec::new();
        let mut axes: Vec<Axis> = Vec::new();
        for text in &self.over {
            let (name, axis) = over::read(text, opened, streams)?;
            if names.contains(&name) {
                return Err(twice(&name));
            }
            names.push(name);
            axes.push(axis);
        }
        let (runs, seed) = (self.runs, self.seed);
        let sampling = match (runs, self.sample) {
            (None, _) => Sampling::None,
            (Some(runs), Way::Random) => Sampling::Random { runs, seed },
            (Some(runs), Way::Latin) => Sampling::LatinHypercube { runs, seed },
            (Some(runs), Way::Sobol) => Sampling::Sobol { runs, seed },
        };
        let design = Design::new(axes, sampling).map_err(|error| refused(&error, &names))?;
        Ok((names, design))
    }

    /// Measures, as texts and bound to the model; of elements, which other sizes need not have, only those that are asked for
    /// where sizes vary.
    fn measures(
        &self,
        sizes_vary: bool,
        opened: &mut Opened,
        streams: &mut Streams,
    ) -> Result<(Vec<String>, Vec<Measure>), Failure> {
        let mut texts = self.measure.clone();
        if texts.is_empty() {
            let is_common = |name: &str| !sizes_vary || element(name).is_none();
            let shown = opened.model.reals.iter();
            let shown = shown.filter(|real| real.output && is_common(&real.name));
            texts.extend(shown.map(|real| format!("final({})", print::name(&real.name))));
        }
        let mut measures = measure::read(&texts, opened, streams)?;
        for (text, measure) in resolve::invariant_measures(&opened.model) {
            if sizes_vary && text.contains('[') {
                continue;
            }
            texts.push(text);
            measures.push(measure);
        }
        Ok((texts, measures))
    }
}

fn twice(name: &str) -> Failure {
    Failure::Wrong(say!("cli-varies-twice", name))
}

/// The error of a design, with the name of the axis.
fn refused(error: &situ_sweep::DesignError, names: &[String]) -> Failure {
    use situ_sweep::DesignError;
    Failure::Wrong(match error {
        DesignError::NoValues(axis) => say!("sweep-no-values", name = &names[*axis]),
        DesignError::NoDistribution(axis) => {
            say!("sweep-no-distribution.meaning", name = &names[*axis])
        }
        DesignError::NotSampled => say!("cli-not-sampled"),
        DesignError::NothingDrawn => say!("cli-nothing-sampled"),
        other => words::of_design(other),
    })
}
