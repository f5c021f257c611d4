//! Outputs of a run: the files that it writes, compared before it begins and put in their places at its end.

use std::path::Path;

use situ_engine::model::Model;
use situ_engine::sim;
use situ_rules::tree::with_parts;
use situ_views::columns::Columns;
use situ_views::columns::csv::{CsvWriter, Written};
use situ_views::run::event_log::EventLog;
use situ_views::run::manifest::{Manifest, TableHash};
use situ_words::say;

use super::ending::End;
use super::film::WantedScene;
use super::picture::Drawn;
use super::{Failure, Outcome, Run, saving};
use crate::command::io::files::{self, Output, Writes, quoted};
use crate::command::plot::PictureFile;
use crate::command::table::Opened;

impl Run {
    /// Only one thing can go to standard output; the summary makes way.
    pub(super) fn check_stdout(&self) -> Outcome {
        let writers = [
            ("--json", self.json),
            ("--live", self.live),
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
            _ => Err(Failure::Wrong(say!(
                "cli-check-stdout.both-write-standard",
                names = names.join(&say!("cli-and"))
            ))),
        }
    }

    pub(super) fn writes_to_stdout(&self) -> bool {
        self.rows_to_stdout() || self.logs_to_stdout()
    }

    pub(super) fn rows_to_stdout(&self) -> bool {
        self.out.as_deref() == Some(Path::new("-"))
    }

    pub(super) fn event_log<'m>(
        &self,
        model: &'m Model,
    ) -> Result<Option<EventLog<'m, Output>>, Failure> {
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

    pub(super) fn logs_to_stdout(&self) -> bool {
        self.event_log.as_deref() == Some(Path::new("-"))
    }

    pub(super) fn log_name(&self) -> String {
        match &self.event_log {
            Some(path) if !self.logs_to_stdout() => quoted(path),
            _ => say!("cli-standard-output"),
        }
    }

    /// Finds out before the run what could not be drawn or written after it.
    pub(super) fn check_outputs(
        &self,
        drawn: Option<&Drawn>,
        shown: Option<&WantedScene<'_>>,
        opened: &Opened,
    ) -> Outcome {
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
            ("--report", self.report.as_deref(), Some(Writes::Html)),
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
        shown.map_or(Ok(()), |shown| shown.claim(&mut claims))?;
        let picture = self.drawing.plot.as_ref();
        picture.map_or(Ok(()), PictureFile::check)
    }

    /// Writer of rows: to a file, to standard output, or, if only their hash is wanted, nowhere.
    pub(super) fn csv_writer(
        &self,
        columns: &Columns,
        model: &Model,
    ) -> Result<Option<CsvWriter<Output>>, Failure> {
        let sink = match &self.out {
            None if self.record.is_none() && self.report.is_none() => return Ok(None),
            None => Ok(Output::Nowhere),
            Some(_) if self.rows_to_stdout() => Output::standard(),
            Some(path) => Output::create(path),
        };
        let sink = sink.map_err(|error| Failure::writing(&self.out_name(), &error))?;
        Ok(Some(CsvWriter::new(sink, columns.names(model))))
    }

    /// Hands on the last rows and puts their file in its place. Rows that could not be written to their end
    /// take no other file's place.
    pub(super) fn finish(&self, csv: CsvWriter<Output>, end: &End) -> Result<Written, Failure> {
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

    pub(super) fn out_name(&self) -> String {
        match &self.out {
            Some(path) if !self.rows_to_stdout() => quoted(path),
            _ => say!("cli-standard-output"),
        }
    }

    pub(super) fn record(&self, manifest: Option<&Manifest>) -> Outcome {
        let (Some(path), Some(manifest)) = (&self.record, manifest) else {
            return Ok(());
        };
        let text =
            serde_json::to_string_pretty(manifest).expect("a manifest has only texts and numbers");
        files::write(path, text + "\n").map_err(|error| Failure::writing(&quoted(path), &error))
    }

    /// What was run, and what came out.
    pub(super) fn manifest(
        &self,
        simulation: &sim::Run,
        opened: &Opened,
        columns: &Columns,
        end: &End,
        written: &Written,
    ) -> Manifest {
        let tables = with_parts(&opened.tables).into_iter();
        let sources = tables.map(|table| opened.sources.get(table.source_id));
        let tables = sources
            .map(|source| TableHash::of(&source.name, &source.text))
            .collect();
        let names = columns.names(&opened.model).map(str::to_owned).collect();
        Manifest::of(
            simulation,
            tables,
            self.settings.options(),
            self.settings.engine.fast_math,
            end.word(),
            names,
            written.clone(),
        )
    }
}
