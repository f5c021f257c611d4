//! `--report`: what is taken down of a run for its page, and how that is written.

use situ_engine::model::{Model, Stepping};
use situ_engine::sim::{self, RunConfig};
use situ_engine::trace::{Instant, Row};
use situ_views::columns::kept::Kept;
use situ_views::columns::series::{BooleanColumn, Series};
use situ_views::columns::{Choice, Columns, MOST_LANES, Undrawn};
use situ_views::report::{ChangeLog, RunReport};
use situ_views::run::manifest::Manifest;
use situ_views::run::summary::Summary;
use situ_views::text::number::counted;
use situ_words::say;

use super::ending::End;
use super::{Failure, Outcome, Run};
use crate::command::io::files::{self, quoted};
use crate::command::plot::gaps_in_words;
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
        let curves = match self.chooses_curves() {
            true => curves.clone(),
            false => Columns::drawn_if_switching(model),
        };
        Some(Reported {
            model,
            kept: Kept::new(curves),
            changes: ChangeLog::new(model),
            has_instants: model.clock.stepping == Some(Stepping::Events),
        })
    }

    fn chooses_curves(&self) -> bool {
        self.drawing.curves.is_some() || self.vars.is_some()
    }

    /// The booleans that are drawn unless others are asked for, those that switch first; what is left out, in words.
    fn without_rest(&self, series: &mut Series, model: &Model) -> Vec<String> {
        if self.chooses_curves() {
            return Vec::new();
        }
        let switches = |column: &BooleanColumn| {
            let first = column.values.first();
            column.values.iter().any(|value| Some(value) != first)
        };
        series.booleans.sort_by_key(|column| !switches(column));
        series.booleans.truncate(MOST_LANES);
        let mut left_out = Vec::new();
        let n_drawn = series.reals.len();
        if let Some(Undrawn { n_reals, choice }) = Columns::undrawn(model, n_drawn) {
            let n = counted(n_reals as u64, "real");
            left_out.push(match choice {
                Choice::First => say!("html-curves.undrawn-reals", n_drawn, n),
                Choice::States => say!("html-curves.undrawn-integrated", n_drawn, n),
                Choice::FirstStates => say!("html-curves.undrawn-first-integrated", n_drawn, n),
            });
        }
        let (n_drawn, n) = (series.booleans.len(), Columns::n_drawable_booleans(model));
        if n_drawn < n {
            left_out.push(say!("html-curves.undrawn-booleans", n_drawn, n));
        }
        left_out
    }

    /// Writes the report of a run that has ended.
    pub(super) fn write_report(
        &self,
        reported: Option<Reported<'_>>,
        manifest: Option<&Manifest>,
        summary: &Summary<'_>,
        simulation: &sim::Run,
        opened: &Opened,
        end: &End,
    ) -> Outcome {
        let (Some(path), Some(reported), Some(manifest)) = (&self.report, reported, manifest)
        else {
            return Ok(());
        };
        let mut series = self.series(&reported.kept, opened);
        let mut left_out = self.without_rest(&mut series, &opened.model);
        let rows_apart = match simulation.config() {
            RunConfig::Ticks(config) if config.every > 1 && !config.each_tick => {
                #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
                let every = config.every as f64;
                Some(every * config.step)
            }
            RunConfig::Ticks(_) | RunConfig::Events(_) => None,
        };
        let runs = [series];
        let figure = self.figure(&runs)?;
        let gaps = gaps_in_words(&figure).into_iter();
        left_out.extend(gaps.map(|gap| gap + "."));
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
            left_out: &left_out,
            rows_apart,
        };
        files::write(path, report.html()).map_err(|error| Failure::writing(&quoted(path), &error))
    }
}
