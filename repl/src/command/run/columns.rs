//! Columns of a run: what is written, and what is left out.

use situ_engine::model::Model;
use situ_views::columns::selection::Names;
use situ_views::columns::{Columns, MOST_ELEMENTS, large_families};
use situ_words::say;

use super::{Failure, Manner, Run, Streams};

impl Run {
    /// Columns of the rows.
    pub(super) fn columns(&self, model: &Model) -> Result<Columns, Failure> {
        let Some(Names(names)) = &self.vars else {
            return Ok(Columns::standard(model));
        };
        Columns::named(model, names.iter().map(String::as_str))
            .map_err(|error| Failure::Wrong(error.to_string()))
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
}
