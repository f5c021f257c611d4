//! Rows and instants of a run on their way to all that is written.

use std::ops::ControlFlow;

use situ_engine::model::Model;
use situ_engine::trace::{Instant, Recorder, Row};
use situ_views::columns::Columns;
use situ_views::columns::csv::CsvWriter;
use situ_views::run::event_log::EventLog;

use super::live::Live;
use super::picture::Drawn;
use super::report::Reported;
use crate::command::Failure;
use crate::command::io::files::Output;
use crate::command::io::progress::Watch;

/// Takes the rows of a run to where they are wanted.
pub(super) struct Recording<'a> {
    pub(super) model: &'a Model,
    pub(super) csv: Option<CsvWriter<Output>>,
    pub(super) columns: &'a Columns,
    /// The first number in the rows that is infinite or NaN: its place among the columns, and the time.
    pub(super) not_finite: Option<(usize, f64)>,
    pub(super) drawn: Option<Drawn>,
    pub(super) event_log: Option<EventLog<'a, Output>>,
    pub(super) reported: Option<Reported<'a>>,
    pub(super) watch: Watch,
    pub(super) live: Option<Live<'a>>,
    pub(super) failed: Option<Failure>,
    /// Names of the files to which rows and events are written, for messages.
    pub(super) names: [String; 2],
}

impl Recorder for Recording<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        if let Some(drawn) = &mut self.drawn {
            drawn.push(self.model, row);
        }
        if let Some(reported) = &mut self.reported {
            reported.row(row);
        }
        if let Some(live) = &mut self.live {
            live.row(row);
        }
        if let Some(csv) = &mut self.csv {
            let truths = self.columns.truths(self.model, row);
            let numbers = self.columns.numbers(row).enumerate();
            let numbers = numbers.map(|(column, number)| {
                if !number.is_finite() {
                    self.not_finite.get_or_insert((column, row.time));
                }
                number
            });
            if let Err(error) = csv.row(row.time, numbers, truths) {
                self.failed = Some(Failure::writing(&self.names[0], &error));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        if let Some(live) = &mut self.live {
            live.poll();
        }
        self.watch.poll(done, all)
    }

    fn wants_instants(&self) -> bool {
        let reported = self.reported.as_ref();
        self.event_log.is_some() || reported.is_some_and(|reported| reported.has_instants)
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        if let Some(reported) = &mut self.reported {
            reported.instant(instant);
        }
        let Some(log) = &mut self.event_log else {
            return ControlFlow::Continue(());
        };
        if let Err(error) = log.instant(instant) {
            self.failed = Some(Failure::writing(&self.names[1], &error));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
