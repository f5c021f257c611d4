//! Kept runs: the columns that will be drawn, taken down while the run goes on, in bounded memory.

use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Row;

use crate::columns::Columns;
use crate::columns::downsample::Downsampler;
use crate::columns::series::{BooleanColumn, RealColumn, Series};

/// Takes down rows and gives a [`Series`] of them.
#[derive(Clone, Debug)]
pub struct Kept {
    columns: Columns,
    rows: Downsampler,
}

impl Kept {
    /// For some columns of a model's run.
    pub fn new(columns: Columns) -> Self {
        let rows = Downsampler::new(1 + columns.len());
        Self { columns, rows }
    }

    /// Takes down a row.
    pub fn push(&mut self, model: &Model, row: &Row<'_>) {
        let truths = self
            .columns
            .truths(model, row)
            .map(|truth| f64::from(u8::from(truth)));
        self.rows.push(
            std::iter::once(row.time)
                .chain(self.columns.numbers(row))
                .chain(truths),
        );
    }

    /// The rows as columns with names, units and descriptions.
    pub fn series(&self, model: &Model, label: &str) -> Series {
        let booleans = &self.columns.booleans;
        let quantities = self.columns.quantities(model);
        let n_numbers = self.columns.len() - booleans.len();
        let mut names = self.columns.names(model).skip(n_numbers);
        Series {
            label: label.to_owned(),
            time: self.rows.column(0).collect(),
            time_unit: model.clock.time_unit().to_owned(),
            reals: quantities
                .enumerate()
                .map(|(index, quantity)| RealColumn {
                    name: quantity.name.clone(),
                    unit: quantity.unit.clone(),
                    about: quantity.about.clone(),
                    values: self.rows.column(1 + index).collect(),
                })
                .collect(),
            booleans: booleans
                .iter()
                .enumerate()
                .map(|(index, what)| BooleanColumn {
                    name: names.next().unwrap_or_default().to_owned(),
                    about: about(model, *what).to_owned(),
                    event: model.is_event(*what),
                    values: self
                        .rows
                        .column(1 + n_numbers + index)
                        .map(|value| value != 0.0)
                        .collect(),
                })
                .collect(),
        }
    }
}

fn about(model: &Model, what: Boolean) -> &str {
    match what {
        Boolean::Switch(id) => &model.switches[id.index()].about,
        Boolean::Range(id) => &model.ranges[id.index()].note,
        Boolean::Situation(id) => {
            let row = model.situation_rows.iter().find(|row| row.situation == id);
            row.map_or("", |row| &row.note)
        }
        Boolean::Schedule(_) | Boolean::Start => "",
    }
}
