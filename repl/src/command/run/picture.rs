//! Picture of a run: what is taken down of it while it goes on, and how that is drawn.

use situ_engine::model::Model;
use situ_engine::sim;
use situ_engine::trace::Row;
use situ_views::chart::{FamilyPicture, FamilyView, Figure, compose};
use situ_views::columns::family::{Family, FamilyRows};
use situ_views::columns::kept::Kept;
use situ_views::columns::series::Series;
use situ_views::columns::{Choice, Columns, Undrawn};
use situ_views::text::number;
use situ_words::say;

use super::{Failure, Outcome, Run, Streams};
use crate::command::family::{WantedFamily, tell_missed};
use crate::command::plot::{draw, tell_gaps};
use crate::command::table::Opened;

/// What is taken down of a run to be drawn.
#[derive(Clone, Debug)]
pub(super) enum Drawn {
    /// Columns over time or over each other.
    Curves(Kept),
    /// The elements of a family, which stand in these columns.
    Family(FamilyView, Columns, Box<FamilyRows>),
}

impl Drawn {
    /// Takes down a row. Of a family at some times no row is needed: see [`rows_at`].
    pub(super) fn push(&mut self, model: &Model, row: &Row<'_>) {
        match self {
            Self::Curves(kept) => kept.push(model, row),
            Self::Family(_, columns, rows) if rows.wanted().is_empty() => {
                rows.push_row(model, columns, row);
            }
            Self::Family(..) => {}
        }
    }

    /// The run at its start, if it has to be done again to stand at times between its rows.
    pub(super) fn aside(&self, run: &sim::Run) -> Option<Box<sim::Run>> {
        match self {
            Self::Family(_, _, rows) if !rows.wanted().is_empty() => Some(Box::new(run.clone())),
            _ => None,
        }
    }
}

/// Takes down the rows of a run at the times that are wanted, up to an end.
fn rows_at(run: &mut sim::Run, end: f64, columns: &Columns, rows: &mut FamilyRows) {
    let model = run.model().clone();
    for at in rows.wanted().to_vec() {
        // What goes wrong in the run went wrong before.
        if at >= run.time() && at <= end && run.run_to(at, &mut ()).is_ok() {
            rows.take_row(&model, columns, &run.row());
        }
    }
}

impl Run {
    /// What is drawn, if anything is.
    ///
    /// Shapes: `curves`, the columns that are drawn if no family is.
    pub(super) fn drawn(&self, model: &Model, curves: &Columns) -> Result<Option<Drawn>, Failure> {
        let family = self.family.wanted()?;
        let wrong = |error: &dyn std::fmt::Display| Failure::Wrong(error.to_string());
        let drawn = match family {
            Some(WantedFamily { view, name, at }) => {
                let family = Family::of_model(model, name);
                let (family, columns) = family.map_err(|error| wrong(&error))?;
                view.check(&family, at).map_err(|error| wrong(&error))?;
                Drawn::Family(view, columns, Box::new(FamilyRows::new(family, at)))
            }
            None => Drawn::Curves(Kept::new(curves.clone())),
        };
        let to_terminal = !(self.no_plot || self.quiet || self.json || self.writes_to_stdout());
        Ok(Some(drawn).filter(|_| to_terminal || self.drawing.plot.is_some()))
    }

    /// Says what is left out of the reals, which are drawn without being asked for.
    pub(super) fn tell_undrawn(&self, drawn: Option<&Drawn>, model: &Model, streams: &mut Streams) {
        let chosen = self.drawing.curves.is_some() || self.vars.is_some();
        let Some(Drawn::Curves(_)) = drawn.filter(|_| !chosen) else {
            return;
        };
        let n_drawn = Columns::drawn(model).reals.len();
        if let Some(Undrawn { n_reals, choice }) = Columns::undrawn(model, n_drawn) {
            let n = number::counted(n_reals as u64, "real");
            streams.remark(&match choice {
                Choice::First => say!("cli-tell-undrawn.drawing-curves-chooses", n_drawn, n),
                Choice::States => say!("cli-tell-undrawn.drawing-integrated", n_drawn, n),
                Choice::FirstStates => {
                    say!("cli-tell-undrawn.drawing-first-integrated", n_drawn, n)
                }
            });
        }
    }

    /// Finds out before the run what could not be drawn after it.
    pub(super) fn check_drawn(&self, drawn: &Drawn, opened: &Opened) -> Outcome {
        match drawn {
            Drawn::Curves(kept) => self.figure(&[self.series(kept, opened)]).map(|_| ()),
            Drawn::Family(..) => Ok(()),
        }
    }

    pub(super) fn series(&self, kept: &Kept, opened: &Opened) -> Series {
        kept.series(&opened.model, &self.settings.label(opened))
    }

    pub(super) fn figure<'r>(&self, runs: &'r [Series]) -> Result<Figure<'r>, Failure> {
        let picks = self
            .drawing
            .curves
            .as_ref()
            .map_or(&[][..], |picks| &picks.0);
        let figure = compose(runs, picks);
        let mut figure = figure.map_err(|error| Failure::Wrong(error.to_string()))?;
        self.drawing.log_axes(&mut figure)?;
        Ok(figure)
    }

    /// Draws what was taken down of a run that has come to an end.
    pub(super) fn draw(
        &self,
        drawn: Drawn,
        aside: Option<Box<sim::Run>>,
        end: f64,
        opened: &Opened,
        streams: &mut Streams,
    ) -> Outcome {
        let (runs, picture);
        let mut figure = match drawn {
            Drawn::Curves(kept) => {
                runs = [self.series(&kept, opened)];
                self.figure(&runs)?
            }
            Drawn::Family(view, columns, mut rows) => {
                match aside {
                    Some(mut run) => rows_at(&mut run, end, &columns, &mut rows),
                    None => rows.finish(),
                }
                tell_missed(&rows, streams);
                picture = FamilyPicture::of(&rows, view);
                picture.figure()
            }
        };
        self.drawing.log_axes(&mut figure)?;
        tell_gaps(&figure, streams);
        figure.title.clone_from(&opened.model.name);
        figure.heading.clone_from(&opened.model.name);
        if self.drawing.plot.is_none() {
            streams.print("\n")?;
        }
        draw(&figure, self.drawing.plot.as_ref(), streams)
    }
}
