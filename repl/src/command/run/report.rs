//! `--report`: what is taken down of a run for its page, and how that is written.

use situ_engine::model::{Model, Stepping};
use situ_engine::sim;
use situ_engine::trace::{Instant, Row};
use situ_views::columns::Columns;
use situ_views::columns::kept::Kept;
use situ_views::report::{ChangeLog, RunReport};
use situ_views::run::manifest::Manifest;
use situ_views::run::summary::Summary;

use super::ending::End;
use super::{Failure, Outcome, Run};
use crate::command::io::files::{self, quoted};
use crate::command::table::Opened;

/// What is taken down of a run for its report.
#[derive(Clone, Debug)]
pub(super) struct Reported<'m> {
    model: &'m Model,
    kept: Kept,
    changes: ChangeLog<'m>,
    /// True: the run tells its instants.
    pub(super) has_instants: bool,
}

impl Reported<'_> {
    pub(super) fn row(&mut self, row: &Row<'_>) {
        self.kept.push(self.model, row);
        if !self.has_instants {
            self.changes.row(row);
        }
    }

    pub(super) fn instant(&mut self, instant: &Instant) {
        self.changes.instant(instant);
    }
}

impl Run {
    /// What is taken down for a report, if one is wanted.
    pub(super) fn reported<'m>(&self, model: &'m Model, curves: &Columns) -> Option<Reported<'m>> {
        self.report.as_ref()?;
        Some(Reported {
            model,
            kept: Kept::new(curves.clone()),
            changes: ChangeLog::new(model),
            has_instants: model.clock.stepping == Some(Stepping::Events),
        })
    }

    /// Writes the report of a run that has ended.
    pub(super) fn write_report(
        &self,
        reported: Option<Reported<'_>>,
        manifest: Option<&Manifest>,
        summary: &Summary,
        simulation: &sim::Run,
        opened: &Opened,
        end: &End,
    ) -> Outcome {
        let (Some(path), Some(reported), Some(manifest)) = (&self.report, reported, manifest)
        else {
            return Ok(());
        };
        let runs = [self.series(&reported.kept, opened)];
        let figure = self.figure(&runs)?;
        let mut diagnostics = opened.diagnostics.clone();
        diagnostics.extend(end.report(simulation, opened));
        let tables: Vec<_> = opened.tables.iter().map(|table| table.source_id).collect();
        let report = RunReport {
            summary,
            figure: &figure,
            changes: &reported.changes,
            sources: &opened.sources,
            tables: &tables,
            diagnostics: &diagnostics,
            manifest,
        };
        files::write(path, report.html()).map_err(|error| Failure::writing(&quoted(path), &error))
    }
}
