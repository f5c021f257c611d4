//! `--live`: curves and situations of a run, drawn in the terminal while it goes on.

use std::time::{Duration, Instant};

use situ_engine::model::Model;
use situ_engine::trace::Row;
use situ_views::chart::{Extent, Screen, terminal};
use situ_views::columns::Columns;
use situ_views::columns::kept::Kept;
use situ_views::columns::series::Series;
use situ_views::text::number;
use situ_words::say;

use super::{Failure, Run};
use crate::command::io::live_screen::LiveScreen;
use crate::command::io::progress::Pace;
use crate::command::io::streams::Streams;

/// A run shorter than this shows nothing but its end.
const AFTER: Duration = Duration::from_millis(300);
/// Pictures follow each other no faster than this, and take no more than a part of the time.
const BETWEEN: Duration = Duration::from_millis(150);
const SHARE: u32 = 10;

/// A run in the making as a picture.
#[derive(Debug)]
pub(super) struct Live<'a> {
    command: &'a Run,
    model: &'a Model,
    label: String,
    kept: Kept,
    /// Times that the picture shows.
    time: Extent,
    screen: LiveScreen,
    pace: Pace,
    /// When a picture may be drawn again.
    next: Instant,
}

impl Live<'_> {
    /// Takes down a row.
    pub(super) fn row(&mut self, row: &Row<'_>) {
        self.kept.push(self.model, row);
    }

    /// Draws what there is, if it is time.
    pub(super) fn poll(&mut self) {
        let Some(now) = self.pace.look() else { return };
        if now < self.next {
            return;
        }
        let runs = [self.kept.series(self.model, &self.label)];
        let size = self.screen.size();
        if let Some(text) = self.picture(&runs, size) {
            self.screen.show(&text);
        }
        self.next = Instant::now() + BETWEEN.max(SHARE * now.elapsed());
    }

    /// The head line and the figure.
    fn picture(&self, runs: &[Series], screen: Screen) -> Option<String> {
        let [run] = runs else { return None };
        let now = *run.time.last()?;
        let head = head(self.model, run, now, &self.time);
        let mut figure = self.command.figure(runs).ok()?;
        figure.time = self.time;
        for panel in figure.panels.iter_mut().filter(|panel| panel.over_time) {
            panel.x.extent = self.time;
        }
        let height = screen.height.saturating_sub(1);
        let width = usize::from(screen.width);
        let head: String = head.chars().take(width).collect();
        let drawn = terminal(&figure, Screen { height, ..screen });
        Some(format!("{head}\n{drawn}"))
    }
}

/// `hoop: t = 3.2 of 8 (40 %), braking, contact`
fn head(model: &Model, run: &Series, now: f64, time: &Extent) -> String {
    let held = run.booleans.iter().filter(|boolean| !boolean.event);
    let held = held.filter(|boolean| boolean.values.last() == Some(&true));
    let held: String = held.map(|boolean| format!(", {}", boolean.name)).collect();
    let (at, end) = (
        number::time(now),
        number::in_unit(number::time(time.high), &run.time_unit),
    );
    let done = 100.0 * time.position(now).clamp(0.0, 1.0);
    let name = match &*model.name {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let place = say!("cli-live", at, end, done = format!("{done:.0}"));
    situ_views::text::visible::visible(&format!("{name}{place}{held}")).into_owned()
}

impl Run {
    /// Picture of the run while it goes on, if it is wanted.
    pub(super) fn live<'a>(
        &'a self,
        model: &'a Model,
        curves: &Columns,
        label: String,
        [begin, stop]: [f64; 2],
        streams: &Streams,
    ) -> Result<Option<Live<'a>>, Failure> {
        if !self.live {
            return Ok(None);
        }
        Ok(Some(Live {
            command: self,
            model,
            label,
            kept: Kept::new(curves.clone()),
            time: Extent::between(begin, stop),
            screen: LiveScreen::new(streams)?,
            pace: Pace::default(),
            next: Instant::now() + AFTER,
        }))
    }
}
