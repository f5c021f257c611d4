//! `situ run TABLE`: runs a model, writes its rows, sums it up and draws it.

mod columns;
pub(in crate::command) mod ending;
pub(in crate::command) mod picture;
mod recording;
pub(in crate::command) mod saving;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use situ_engine::model::Model;
use situ_engine::sim::{self, RunConfig};
use situ_rules::Severity;
use situ_rules::diag::{findings, in_one_line, to_json};
use situ_rules::resolve;
use situ_views::columns::Columns;
use situ_views::columns::csv::{CsvWriter, Written};
use situ_views::columns::selection::Names;
use situ_views::run::event_log::EventLog;
use situ_views::run::manifest::{Manifest, TableHash};
use situ_views::run::summary::{Start, Summary};

use self::ending::End;
use self::picture::Drawn;
use self::recording::Recording;
use super::family::FamilyDrawing;
use super::inspect::check::Deny;
use super::io::failure::Status;
use super::io::files::{self, Output, Writes};
use super::io::progress::Watch;
use super::plot::{Drawing, PictureFile, quoted};
use super::settings::{self, Settings, number};
use super::table::Opened;
use super::{Failure, Manner, Outcome, Streams, measure};

/// Run a table: sum up the run and draw it, write its rows
#[derive(Debug, Args)]
#[command(
    after_help = "Measures: final(x), min(x), max(x), drift(x), at(x, T), first(COND), duration(COND),
count(COND), period(COND), where x is an expression and COND a condition.
In a tick run measures include the first row, where a real that a row computes still has its start value:
measure what it is computed from, min(x2 - x1), or give it that start, \"gap\": (start: \"x2 - x1\").

Examples:
  situ run scenarios/hoop/table.ron
  situ run table.ron --stop 3 --set m=2 --curves h,Vy,contact
  situ run table.ron --case main --out run.csv --plot run.svg
  situ run table.ron --out - --vars h,contact --every 0.01 | head
  situ run rod.ron --map T --plot rod.svg
  situ run table.ron --until 'h < R' --measure 'max(h)' --measure 'period(hit)'"
)]
pub(in crate::command) struct Run {
    #[command(flatten)]
    settings: Settings,
    /// Columns to write and draw: constants, reals and booleans [default: reals and booleans]
    #[arg(long, value_name = "NAMES")]
    vars: Option<Names>,
    /// Write the rows into a CSV file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    family: FamilyDrawing,
    /// Do not draw
    #[arg(long, conflicts_with_all = ["plot", "map", "profile"])]
    no_plot: bool,
    /// Measure a number, e.g. `max(h)`; may be repeated
    #[arg(long, value_name = "MEASURE")]
    measure: Vec<String>,
    /// Write what was run and the hash of its rows into a file, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write what happened at every instant into a CSV file; `-` is standard output
    #[arg(long, value_name = "FILE", help_heading = "Event stepping")]
    event_log: Option<PathBuf>,
    /// Rows on the grid of --every only, not on both sides of every instant
    #[arg(long, help_heading = "Event stepping")]
    grid: bool,
    /// Save the state at the end of the run, for --from
    #[arg(long, value_name = "FILE")]
    save_state: Option<PathBuf>,
    /// Save the state during the run, too, at this interval; the last two states are kept, the older one as
    /// FILE.before [units of time]
    #[arg(long, value_name = "TIME", requires = "save_state", allow_hyphen_values = true, value_parser = number)]
    save_every: Option<f64>,
    /// Continue a saved run of the same table and settings, with the same bits
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// End with status 1 if there are warnings about the table or the run
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Print nothing but errors and the rows
    #[arg(long, short)]
    quiet: bool,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

/// Output of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// Rows written with `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// Findings in the table, and the reason for which the run failed if it did.
    diagnostics: serde_json::Value,
}

pub(in crate::command) fn run(command: &Run, streams: &mut Streams) -> Outcome {
    command.check_stdout()?;
    streams.manner = match (command.quiet, command.json) {
        (true, _) => Manner::Quiet,
        (_, true) => Manner::Json,
        _ => Manner::Plain,
    };
    let (mut opened, mut config) = command.settings.prepare(streams)?;
    command.event_options(&mut config)?;
    let mut measures = measure::read(&command.measure, &mut opened, streams)?;
    let mut measured = command.measure.clone();
    for (text, measure) in resolve::invariant_measures(&opened.model) {
        measured.push(text);
        measures.push(measure);
    }
    let n_shown = measured.len();
    for expectation in &opened.expectations {
        for measure in expectation.measures() {
            measured.push(expectation.text.clone());
            measures.push(measure);
        }
    }
    let columns = command.columns(&opened.model)?;
    let drawn = command.drawn(&opened.model)?;
    command.check_outputs(drawn.as_ref(), &opened)?;
    let save_every = command
        .save_every
        .map(|time| saving::Pauses::every(time, &config));
    let pauses = save_every.transpose()?;
    settings::warn(&mut opened, &config, streams);
    if command.quiet && command.deny.is_some() {
        settings::look(&mut opened, &config);
    }
    opened.drop_rows();
    let mut simulation = sim::Run::new(opened.model.clone(), config, &measures)
        .map_err(|error| opened.refuse_run(&error, streams))?;
    if let Some(path) = &command.from {
        saving::load(path, &mut simulation, &command.settings, &measured, &opened)?;
    }
    command.settings.plug_in(&mut simulation)?;
    command.tell_left_out(&opened.model, streams);
    let mut recording = Recording {
        model: &opened.model,
        csv: command.csv_writer(&columns, &opened.model)?,
        columns: &columns,
        drawn,
        event_log: command.event_log(&opened.model)?,
        watch: Watch::begin(streams)?,
        failed: None,
        names: [command.out_name(), command.log_name()],
    };
    let aside = recording
        .drawn
        .as_ref()
        .and_then(|drawn| drawn.aside(&simulation));
    let start = Start::of(&simulation);
    let save = |run: &sim::Run| {
        let Some(path) = &command.save_state else {
            return Ok(());
        };
        saving::save(
            path,
            run,
            &command.settings,
            &measured,
            &opened,
            pauses.is_some(),
        )
    };
    let result = match &pauses {
        None => Ok(simulation.run(&mut recording)),
        Some(pauses) => pauses.run(&mut simulation, &mut recording, &save),
    };
    recording.watch.end();
    let Recording {
        csv,
        drawn,
        failed,
        event_log,
        ..
    } = recording;
    let end = match failed {
        Some(failure) => End::Output(failure),
        None => match result {
            Ok(result) => End::of(result),
            Err(failure) => End::Output(failure),
        },
    };
    if let Some(log) = event_log {
        let written = log.finish().and_then(Output::commit);
        written.map_err(|error| Failure::writing(&command.log_name(), &error))?;
    }
    let written = csv.map(|csv| command.finish(csv, &end)).transpose()?;
    save(&simulation)?;
    command.record(&simulation, &opened, &columns, &end, written.as_ref())?;
    let remarkable = findings(&simulation.findings(), &opened.model, &opened.origins);
    let (warnings, notes): (Vec<_>, Vec<_>) =
        (remarkable.iter()).partition(|report| report.severity >= Severity::Warning);
    opened.diagnostics.extend(remarkable.iter().cloned());
    let notes = notes.into_iter().map(in_one_line).collect();
    let mut summary =
        Summary::of(&simulation, &start, end.word(), &measured[..n_shown]).with_notes(notes);
    if matches!(end, End::Stop | End::Condition) {
        let outcomes = opened.outcomes(&simulation.measured()[n_shown..]);
        summary.outcomes = outcomes.into_iter().map(Into::into).collect();
    }
    command.tell(
        &summary,
        &simulation,
        &opened,
        &end,
        written.as_ref(),
        streams,
    )?;
    if let Some(drawn) = drawn {
        command.draw(drawn, aside, simulation.time(), &opened, streams)?;
    }
    if streams.manner == Manner::Plain {
        for warning in warnings {
            streams.talk(&(in_one_line(warning) + "\n"));
        }
    }
    end.conclude(&simulation, &opened, streams)?;
    command.judge(&opened)
}

impl Run {
    /// Only one thing can go to standard output; the summary makes way.
    fn check_stdout(&self) -> Outcome {
        let writers = [
            ("--json", self.json),
            ("--out -", self.rows_to_stdout()),
            ("--event-log -", self.logs_to_stdout()),
        ];
        let names: Vec<&str> = (writers
            .iter()
            .filter(|(_, writes)| *writes)
            .map(|(name, _)| *name))
        .collect();
        match names[..] {
            [] | [_] => Ok(()),
            _ => Err(Failure::Wrong(format!(
                "{} both write to standard output",
                names.join(" and ")
            ))),
        }
    }

    /// Outcome by the findings: a failure if they are denied.
    fn judge(&self, opened: &Opened) -> Outcome {
        let worst = opened.diagnostics.iter().map(|found| found.severity).max();
        match (self.deny, worst) {
            (Some(Deny::Warnings), Some(Severity::Warning | Severity::Error)) => {
                Err(Failure::Said(Status::Failed))
            }
            _ => Ok(()),
        }
    }

    fn writes_to_stdout(&self) -> bool {
        self.rows_to_stdout() || self.logs_to_stdout()
    }

    fn rows_to_stdout(&self) -> bool {
        self.out.as_deref() == Some(Path::new("-"))
    }

    /// Options that only event stepping has.
    fn event_options(&self, config: &mut RunConfig) -> Outcome {
        match config {
            RunConfig::Events(config) => config.grid_only = self.grid,
            RunConfig::Ticks(_) if self.event_log.is_some() || self.grid => {
                let option = if self.grid { "--grid" } else { "--event-log" };
                return Err(Failure::Wrong(format!(
                    "{option} belongs to event stepping; add --events"
                )));
            }
            RunConfig::Ticks(_) => {}
        }
        Ok(())
    }

    fn event_log<'m>(&self, model: &'m Model) -> Result<Option<EventLog<'m, Output>>, Failure> {
        let Some(path) = &self.event_log else {
            return Ok(None);
        };
        let opened = if self.logs_to_stdout() {
            Output::standard()
        } else {
            Output::create(path)
        };
        let log = opened.and_then(|file| EventLog::new(model, file));
        log.map(Some)
            .map_err(|error| Failure::writing(&self.log_name(), &error))
    }

    fn logs_to_stdout(&self) -> bool {
        self.event_log.as_deref() == Some(Path::new("-"))
    }

    fn log_name(&self) -> String {
        match &self.event_log {
            Some(path) if !self.logs_to_stdout() => quoted(path),
            _ => "to standard output".to_owned(),
        }
    }

    /// Finds out before the run what could not be drawn or written after it.
    fn check_outputs(&self, drawn: Option<&Drawn>, opened: &Opened) -> Outcome {
        if let Some(drawn) = drawn {
            self.check_drawn(drawn, opened)?;
        }
        let mut claims = opened.claims();
        if let Some(path) = &self.from {
            claims.reads(path);
        }
        let older = self.save_every.and(self.save_state.as_deref());
        let older = older.map(saving::older);
        let picture = self.drawing.plot.as_ref().map(PictureFile::path);
        let rows = self.out.as_deref().filter(|_| !self.rows_to_stdout());
        let log = self.event_log.as_deref();
        let log = log.filter(|_| !self.logs_to_stdout());
        let files = [
            ("--out", rows, Some(Writes::Csv)),
            ("--event-log", log, Some(Writes::Csv)),
            ("--plot", picture, None),
            ("--record", self.record.as_deref(), Some(Writes::Json)),
            (
                "--save-state",
                self.save_state.as_deref(),
                Some(Writes::State),
            ),
            ("--save-every", older.as_deref(), None),
        ];
        for (option, file, writes) in files {
            let Some(file) = file else { continue };
            claims.writes(option, file)?;
            writes.map_or(Ok(()), |writes| writes.check(option, file))?;
        }
        let picture = self.drawing.plot.as_ref();
        picture.map_or(Ok(()), PictureFile::check)
    }

    /// Writer of rows: to a file, to standard output, or, if only their hash is wanted, nowhere.
    fn csv_writer(
        &self,
        columns: &Columns,
        model: &Model,
    ) -> Result<Option<CsvWriter<Output>>, Failure> {
        let sink = match &self.out {
            None if self.record.is_none() => return Ok(None),
            None => Ok(Output::Nowhere),
            Some(_) if self.rows_to_stdout() => Output::standard(),
            Some(path) => Output::create(path),
        };
        let sink = sink.map_err(|error| Failure::writing(&self.out_name(), &error))?;
        Ok(Some(CsvWriter::new(sink, columns.names(model))))
    }

    /// Hands on the last rows and puts their file in its place. Rows that could not be written to their end
    /// take no other file's place.
    fn finish(&self, csv: CsvWriter<Output>, end: &End) -> Result<Written, Failure> {
        match end {
            End::Output(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            End::Output(_) => {
                let (written, file) = csv.abandon();
                // Why the rows end is said in any case.
                let _ = file.commit_new();
                return Ok(written);
            }
            _ => {}
        }
        let closed = csv.close();
        let written = closed.and_then(|(written, file)| file.commit().map(|()| written));
        written.map_err(|error| Failure::writing(&self.out_name(), &error))
    }

    fn out_name(&self) -> String {
        match &self.out {
            Some(path) if !self.rows_to_stdout() => quoted(path),
            _ => "to standard output".to_owned(),
        }
    }

    fn record(
        &self,
        simulation: &sim::Run,
        opened: &Opened,
        columns: &Columns,
        end: &End,
        written: Option<&Written>,
    ) -> Outcome {
        let (Some(path), Some(written)) = (&self.record, written) else {
            return Ok(());
        };
        let sources = opened
            .tables
            .iter()
            .map(|table| opened.sources.get(table.source_id));
        let tables = sources
            .map(|source| TableHash::of(&source.name, &source.text))
            .collect();
        let names = columns.names(&opened.model).map(str::to_owned).collect();
        let manifest = Manifest::of(
            simulation,
            tables,
            self.settings.options(),
            self.settings.engine.fast_math,
            end.word(),
            names,
            written.clone(),
        );
        let text =
            serde_json::to_string_pretty(&manifest).expect("a manifest has only texts and numbers");
        files::write(path, text + "\n").map_err(|error| Failure::writing(&quoted(path), &error))
    }

    fn tell(
        &self,
        summary: &Summary,
        simulation: &sim::Run,
        opened: &Opened,
        end: &End,
        written: Option<&Written>,
        streams: &mut Streams,
    ) -> Outcome {
        let rows = written
            .filter(|_| self.out.is_some())
            .map(|written| written.rows);
        if self.json {
            let mut found = opened.diagnostics.clone();
            found.extend(end.report(simulation, opened));
            let diagnostics = to_json(&found, &opened.sources);
            let report = Report {
                summary,
                rows,
                diagnostics,
            };
            let text = serde_json::to_string_pretty(&report)
                .expect("a summary has only texts and numbers");
            return streams.print(&(text + "\n"));
        }
        if self.quiet {
            return Ok(());
        }
        if self.writes_to_stdout() {
            streams.talk(&summary.text(None));
            return Ok(());
        }
        streams.print(&summary.text(streams.width()))
    }
}
