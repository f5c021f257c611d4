//! Columns of a run: what is written, and what is left out.

use situ_engine::model::Model;
use situ_views::columns::selection::{Names, Pick};
use situ_views::columns::{Columns, MOST_ELEMENTS, Unreadable, large_families};
use situ_views::text::number::time;
use situ_words::say;

use super::{Failure, Manner, Opened, Run, Streams};
use crate::command::table;

impl Run {
    /// Columns of the rows.
    pub(super) fn columns(
        &self,
        opened: &mut Opened,
        streams: &mut Streams,
    ) -> Result<Columns, Failure> {
        let Some(Names(names)) = &self.vars else {
            return Ok(Columns::standard(&opened.model));
        };
        // The time is always the first column.
        let names = (names.iter()).filter(|name| names.len() == 1 || *name != "time");
        asked("<--vars>", names.map(String::as_str), opened, streams)
    }

    /// Columns that are drawn as curves.
    pub(super) fn curves(
        &self,
        opened: &mut Opened,
        streams: &mut Streams,
    ) -> Result<Columns, Failure> {
        match &self.drawing.curves {
            None if self.vars.is_some() => self.columns(opened, streams),
            None => Ok(Columns::drawn(&opened.model)),
            Some(picks) => {
                let names = picks.0.iter().flat_map(Pick::columns);
                asked("<--curves>", names, opened, streams)
            }
        }
    }

    /// Says which families have too many elements to stand in the rows that are written.
    pub(super) fn tell_left_out(&self, model: &Model, streams: &mut Streams) {
        if self.vars.is_some() || self.out.is_none() || streams.manner != Manner::Plain {
            return;
        }
        let large: Vec<String> = large_families(model)
            .map(|(family, size)| format!("`{family}` ({size})"))
            .collect();
        if let Some((first, _)) = large_families(model).next() {
            streams.remark(&say!(
                "cli-tell-left-out.families-more-than",
                MOST_ELEMENTS,
                large = large.join(", "),
                first
            ));
        }
    }

    /// Says which of the numbers that were written is the first that is infinite or NaN, and when: no real is, but an
    /// expression may be.
    pub(super) fn tell_not_finite(
        &self,
        first: Option<(usize, f64)>,
        columns: &Columns,
        model: &Model,
        streams: &mut Streams,
    ) {
        if let (Some((column, at)), Some(_)) = (first, &self.out) {
            let name = columns.names(model).nth(column).unwrap_or_default();
            streams.remark(&say!("cli-tell-not-finite", name, time = time(at)));
        }
    }
}

/// Columns by name, and expressions.
fn asked<'n>(
    shown_as: &str,
    names: impl IntoIterator<Item = &'n str>,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Columns, Failure> {
    let Opened {
        model,
        origins,
        sources,
        ..
    } = &mut *opened;
    Columns::asked(model, origins, sources, shown_as, names).map_err(|error| match error {
        Unreadable::NoColumn(error) => Failure::Wrong(error.to_string()),
        Unreadable::Wrong(reports) => table::refuse(&reports, sources, streams),
    })
}
