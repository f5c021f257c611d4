//! `situ run TABLE`: runs a model, writes its rows, sums it up and draws it.

mod columns;
pub(in crate::command) mod ending;
mod film;
mod live;
mod outputs;
mod picture;
mod recording;
mod report;
pub(in crate::command) mod saving;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use situ_engine::sim::{self, RunConfig};
use situ_engine::trace::Measure;
use situ_rules::diag::{findings, gaps, in_one_line, to_json};
use situ_rules::print::ModelText;
use situ_rules::{Severity, resolve};
use situ_views::columns::csv::Written;
use situ_views::columns::selection::Names;
use situ_views::run::outcome::OutcomeSummary;
use situ_views::run::summary::{Start, Summary};
use situ_words::say;

use self::ending::End;
use self::film::SceneDrawing;
use self::recording::Recording;
use super::family::FamilyDrawing;
use super::inspect::check::Deny;
use super::io::failure::Status;
use super::io::files::{Output, quoted};
use super::io::progress::Watch;
use super::plot::Drawing;
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
  situ run scenarios/cart/table.ron --animate cart.svg
  situ run table.ron --out run.csv --report run.html
  situ run table.ron --stop 1e5 --live
  situ run table.ron --until 'h < R' --measure 'max(h)' --measure 'period(hit)'"
)]
pub(in crate::command) struct Run {
    #[command(flatten)]
    settings: Settings,
    /// Columns to write and draw: constants, reals, booleans and expressions [default: reals and booleans]
    #[arg(long, value_name = "NAMES")]
    vars: Option<Names>,
    /// Write the rows into a CSV file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    family: FamilyDrawing,
    #[command(flatten)]
    scene: Box<SceneDrawing>,
    /// Draw curves and situations in the terminal while the run goes on; Ctrl-C ends it
    #[arg(long, conflicts_with_all = ["quiet", "json", "map", "profile"])]
    live: bool,
    /// Do not draw
    #[arg(long, conflicts_with_all = ["plot", "map", "profile"])]
    no_plot: bool,
    /// Measure a number, e.g. `max(h)`; may be repeated
    #[arg(long, value_name = "MEASURE")]
    measure: Vec<String>,
    /// Write what was run and the hash of its rows into a file, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write a page about the run: curves, events, measures, the table and what was run, in one HTML file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
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
    /// Print nothing but errors, the rows and what is measured
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
    summary: &'a Summary<'a>,
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
    let goes_behind = command.goes_behind(&mut opened)?;
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
    let columns = command.columns(&mut opened, streams)?;
    // A name that nothing has is a mistake even where nothing is drawn.
    let curves = command.curves(&mut opened, streams)?;
    let drawn = command.drawn(&opened.model, &curves)?;
    let shown = command.scene.wanted(&opened.model)?;
    command.check_outputs(drawn.as_ref(), shown.as_ref(), &opened)?;
    let save_every = command
        .save_every
        .map(|time| saving::Pauses::every(time, &config));
    let pauses = save_every.transpose()?;
    let own_stop = Run::replaced_stop(&opened);
    let instead = own_stop.as_ref().map(|_| measures.len());
    measures.extend(own_stop);
    settings::warn(&mut opened, &config, streams);
    if command.quiet && (command.deny.is_some() || command.report.is_some()) {
        settings::look(&mut opened, &config);
    }
    opened.drop_rows();
    let mut simulation = sim::Run::new(opened.model.clone(), config, &measures)
        .map_err(|error| opened.refuse_run(&error, streams))?;
    if let Some(path) = &command.from {
        if goes_behind {
            simulation.ignore_stop_when(instead);
        }
        saving::load(path, &mut simulation, &command.settings, &measured, &opened)?;
    }
    command.settings.plug_in(&mut simulation)?;
    command.tell_left_out(&opened.model, streams);
    command.tell_undrawn(drawn.as_ref(), &opened.model, streams);
    let watch = Watch::begin(streams)?;
    let watch = match command.live {
        true => watch.without_bar(),
        false => watch,
    };
    let label = command.settings.label(&opened);
    let ends = [simulation.time(), simulation.config().stop()];
    let mut recording = Recording {
        model: &opened.model,
        csv: command.csv_writer(&columns, &opened.model)?,
        columns: &columns,
        not_finite: None,
        drawn,
        event_log: command.event_log(&opened.model)?,
        reported: command.reported(&opened.model, &curves),
        watch,
        live: command.live(&opened.model, &curves, label, ends, streams)?,
        failed: None,
        names: [command.out_name(), command.log_name()],
    };
    let aside = recording
        .drawn
        .as_ref()
        .and_then(|drawn| drawn.aside(&simulation));
    let begin = shown.as_ref().map(|_| simulation.clone());
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
    recording.live = None;
    let Recording {
        csv,
        not_finite,
        drawn,
        failed,
        event_log,
        reported,
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
    command.tell_not_finite(not_finite, &columns, &opened.model, streams);
    let failed = matches!(end, End::Fault(_));
    if !failed {
        save(&simulation)?;
    }
    let manifest = written
        .as_ref()
        .map(|written| command.manifest(&simulation, &opened, &columns, &end, written));
    command.record(manifest.as_ref())?;
    let mut remarkable = findings(&simulation.findings(), &opened.model, &opened.origins);
    let asked = measured[..n_shown].iter().map(|text| (&**text, None));
    let readings = asked.chain(resolve::written_measures(&opened.expectations));
    remarkable.extend(gaps(&simulation.gaps(), readings, &opened.model));
    let (warnings, notes): (Vec<_>, Vec<_>) =
        (remarkable.iter()).partition(|report| report.severity >= Severity::Warning);
    opened.diagnostics.extend(remarkable.iter().cloned());
    let notes = notes.into_iter().map(in_one_line).collect();
    let mut summary =
        Summary::of(&simulation, &start, end.word(), &measured[..n_shown]).with_notes(notes);
    if matches!(end, End::Stop | End::Condition) {
        let outcomes = opened
            .outcomes(&simulation.measured()[n_shown..])
            .into_iter();
        let outcomes = outcomes.map(|outcome| OutcomeSummary::of(outcome, summary.time_unit));
        summary.outcomes = outcomes.collect();
    }
    command.write_report(
        reported,
        manifest.as_ref(),
        &summary,
        &simulation,
        &opened,
        &end,
    )?;
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
    if let (Some(shown), Some(begin)) = (shown, begin) {
        shown.draw(&begin, simulation.time())?;
    }
    if streams.manner == Manner::Plain {
        for warning in warnings {
            streams.talk(&(in_one_line(warning) + "\n"));
        }
    }
    if let Some(path) = command.save_state.as_ref().filter(|_| failed) {
        streams.talk(&format!("{}\n", say!("cli-not-saved", name = quoted(path))));
    }
    end.conclude(&simulation, &opened, streams)?;
    command.judge(&opened)
}

impl Run {
    /// A run of which a report is written, and nothing drawn.
    pub(in crate::command) fn reporting(
        settings: Settings,
        report: PathBuf,
        drawing: Drawing,
        measure: Vec<String>,
        quiet: bool,
    ) -> Self {
        Self {
            settings,
            vars: None,
            out: None,
            drawing,
            family: FamilyDrawing::default(),
            scene: Box::default(),
            live: false,
            no_plot: true,
            measure,
            record: None,
            report: Some(report),
            event_log: None,
            grid: false,
            save_state: None,
            save_every: None,
            from: None,
            deny: None,
            quiet,
            json: false,
        }
    }

    /// The table's `stop_when`, where another condition stands in its place. It is measured, so that states of runs with
    /// this condition or that one have the same comparisons.
    fn replaced_stop(opened: &Opened) -> Option<Measure> {
        let words = ModelText::of(&opened.model);
        let now = opened.model.clock.stop_when.as_ref()?;
        let own = opened.own_stop.as_ref();
        let own = own.filter(|own| words.watch(own) != words.watch(now));
        own.cloned().map(Measure::First)
    }

    /// True if a run goes on behind the `--until` of a saved one, without one of its own. The model then has the
    /// condition of the saved run, on whose comparisons the state depends.
    fn goes_behind(&self, opened: &mut Opened) -> Result<bool, Failure> {
        let Some(path) = self
            .from
            .as_ref()
            .filter(|_| opened.model.clock.stop_when == opened.own_stop)
        else {
            return Ok(false);
        };
        let Some(condition) = saving::stop_when(path)? else {
            return Ok(false);
        };
        let words = ModelText::of(&opened.model);
        let own = opened.own_stop.as_ref().map(|own| words.watch(own));
        if own.as_ref() == Some(&condition) {
            return Ok(false);
        }
        let Opened {
            model,
            origins,
            sources,
            ..
        } = opened;
        let model = Arc::make_mut(model);
        let bound = resolve::condition(model, origins, sources, "<--until>", &condition);
        // Of another table, which is told when the state is read.
        let Ok(watch) = bound else {
            return Ok(false);
        };
        model.clock.stop_when = Some(watch);
        Ok(true)
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

    /// Options that only event stepping has.
    fn event_options(&self, config: &mut RunConfig) -> Outcome {
        match config {
            RunConfig::Events(config) => config.grid_only = self.grid,
            RunConfig::Ticks(_) if self.event_log.is_some() || self.grid => {
                let option = if self.grid { "--grid" } else { "--event-log" };
                return Err(Failure::Wrong(say!("cli-needs-events", option)));
            }
            RunConfig::Ticks(_) => {}
        }
        Ok(())
    }

    fn tell(
        &self,
        summary: &Summary<'_>,
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
            let measured = summary.measured(self.measure.len());
            return match self.writes_to_stdout() {
                true => {
                    streams.talk(&measured);
                    Ok(())
                }
                false => streams.print(&measured),
            };
        }
        if self.writes_to_stdout() {
            streams.talk(&summary.text(None));
            return Ok(());
        }
        streams.print(&summary.text(streams.width()))
    }
}
