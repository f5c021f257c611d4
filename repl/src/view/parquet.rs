//! Tables of typed columns as Parquet, row by row in bounded memory.
//!
//! The file says of each column what it is: the entry `situ` of its metadata is a JSON text
//! `{"program", "table", "columns": [{"name", "kind", "unit", "about"}]}`.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::json;

/// Rows that are written together.
const GROUP: usize = 1 << 16;

/// The metadata entry that describes the columns.
pub const ABOUT: &str = "situ";

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Whole numbers.
    Integers,
    /// Numbers, NaN and infinities among them; a cell may be empty.
    Reals,
    /// True or false.
    Truths,
    /// Texts; a cell may be empty.
    Texts,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub holds: Holds,
    /// What it is to the model, one word: `constant`, `real`, `measure` and so on.
    pub kind: &'static str,
    /// Its unit; may be empty.
    pub unit: String,
    /// What it is, one line; may be empty.
    pub about: String,
}

/// One value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Of [`Holds::Integers`].
    Integer(i64),
    /// Of [`Holds::Reals`].
    Real(Option<f64>),
    /// Of [`Holds::Truths`].
    Truth(bool),
    /// Of [`Holds::Texts`].
    Text(Option<String>),
}

/// The cells of one column that are not written yet; of those that may be empty, which are there.
enum Cells {
    Integers(Vec<i64>),
    Reals(Vec<f64>, Vec<i16>),
    Truths(Vec<bool>),
    Texts(Vec<ByteArray>, Vec<i16>),
}

impl Cells {
    fn of(holds: Holds) -> Self {
        match holds {
            Holds::Integers => Self::Integers(Vec::new()),
            Holds::Reals => Self::Reals(Vec::new(), Vec::new()),
            Holds::Truths => Self::Truths(Vec::new()),
            Holds::Texts => Self::Texts(Vec::new(), Vec::new()),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Self::Integers(all), Cell::Integer(value)) => all.push(value),
            (Self::Reals(all, there), Cell::Real(value)) => {
                there.push(i16::from(value.is_some()));
                all.extend(value);
            }
            (Self::Truths(all), Cell::Truth(value)) => all.push(value),
            (Self::Texts(all, there), Cell::Text(value)) => {
                there.push(i16::from(value.is_some()));
                all.extend(value.map(|text| ByteArray::from(text.into_bytes())));
            }
            (_, cell) => unreachable!("{cell:?} is no cell of this column"),
        }
    }

    /// Writes them all and forgets them.
    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        match (self, writer) {
            (Self::Integers(all), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(all, None, None)?;
                all.clear();
            }
            (Self::Reals(all, there), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(all, Some(there), None)?;
                all.clear();
                there.clear();
            }
            (Self::Truths(all), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(all, None, None)?;
                all.clear();
            }
            (Self::Texts(all, there), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(all, Some(there), None)?;
                all.clear();
                there.clear();
            }
            _ => unreachable!("the schema has been made from the same columns"),
        }
        Ok(())
    }
}

/// A file that is being written.
pub struct Sheet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    cells: Vec<Cells>,
    /// Rows that are not written yet.
    waiting: usize,
}

impl<W: Write + Send> Sheet<W> {
    /// A table without rows; `table`: what it comes from.
    ///
    /// Errors: the file cannot be written.
    pub fn new(sink: W, table: &str, columns: &[Column]) -> Result<Self> {
        let fields = columns.iter().map(field).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("situ")
            .with_fields(fields)
            .build()?;
        let about = KeyValue::new(ABOUT.to_owned(), about(table, columns));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("situ {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(vec![about]))
            .build();
        Ok(Self {
            writer: SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties))?,
            cells: columns
                .iter()
                .map(|column| Cells::of(column.holds))
                .collect(),
            waiting: 0,
        })
    }

    /// Adds all rows of another file with the same columns, as they are.
    ///
    /// Errors: one of the files cannot be read or written.
    pub fn append(&mut self, file: &impl ChunkReader, metadata: &ParquetMetaData) -> Result<()> {
        for group in metadata.row_groups() {
            let rows = u64::try_from(group.num_rows()).unwrap_or_default();
            let mut writer = self.writer.next_row_group()?;
            for column in group.columns() {
                let bytes = u64::try_from(column.compressed_size()).unwrap_or_default();
                let closed = parquet::column::writer::ColumnCloseResult {
                    bytes_written: bytes,
                    rows_written: rows,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                writer.append_column(file, closed)?;
            }
            writer.close()?;
        }
        Ok(())
    }

    /// Adds a row: a cell per column.
    ///
    /// Errors: the file cannot be written.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<()> {
        for (column, cell) in self.cells.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.waiting += 1;
        match self.waiting >= GROUP {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        if self.waiting == 0 {
            return Ok(());
        }
        self.waiting = 0;
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.cells.iter_mut();
        while let Some(mut column) = group.next_column()? {
            let cells = columns.next().ok_or_else(|| {
                ParquetError::General("the schema has more columns than the table".to_owned())
            })?;
            cells.write(column.untyped())?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// Writes what is left and closes the file.
    ///
    /// Errors: the file cannot be written.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        self.writer.into_inner()
    }
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let (physical, logical, repetition) = match column.holds {
        Holds::Integers => (Physical::INT64, None, Repetition::REQUIRED),
        Holds::Reals => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Holds::Truths => (Physical::BOOLEAN, None, Repetition::REQUIRED),
        Holds::Texts => (
            Physical::BYTE_ARRAY,
            Some(LogicalType::String),
            Repetition::OPTIONAL,
        ),
    };
    let field = Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()?;
    Ok(Arc::new(field))
}

fn about(table: &str, columns: &[Column]) -> String {
    let columns: Vec<_> = columns
        .iter()
        .map(|column| {
            json!({
                "name": column.name,
                "kind": column.kind,
                "unit": column.unit,
                "about": column.about,
            })
        })
        .collect();
    let program = format!("situ {}", env!("CARGO_PKG_VERSION"));
    json!({ "program": program, "table": table, "columns": columns }).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    fn columns() -> Vec<Column> {
        let column = |name: &str, holds, unit: &str| Column {
            name: name.to_owned(),
            holds,
            kind: "measure",
            unit: unit.to_owned(),
            about: String::new(),
        };
        vec![
            column("run", Holds::Integers, ""),
            column("скорость", Holds::Reals, "cm/s"),
            column("on", Holds::Truths, ""),
            column("fault", Holds::Texts, ""),
        ]
    }

    fn cells(row: usize) -> [Cell; 4] {
        let value = match row % 5 {
            0 => None,
            1 => Some(f64::NAN),
            2 => Some(f64::NEG_INFINITY),
            _ => Some(row as f64 / 7.0),
        };
        [
            Cell::Integer(row as i64),
            Cell::Real(value),
            Cell::Truth(row.is_multiple_of(3)),
            Cell::Text((row % 100 == 7).then(|| format!("R{row:03}: ж"))),
        ]
    }

    fn same(read: &[(&String, &Field)], row: usize) -> bool {
        let cells = cells(row);
        let one = |field: &Field, cell: &Cell| match (field, cell) {
            (Field::Long(a), Cell::Integer(b)) => a == b,
            (Field::Double(a), Cell::Real(Some(b))) => a.to_bits() == b.to_bits(),
            (Field::Bool(a), Cell::Truth(b)) => a == b,
            (Field::Str(a), Cell::Text(Some(b))) => a == b,
            (Field::Null, Cell::Real(None) | Cell::Text(None)) => true,
            _ => false,
        };
        read.len() == 4
            && read
                .iter()
                .zip(&cells)
                .all(|((_, field), cell)| one(field, cell))
    }

    fn file(fill: impl FnOnce(&mut Sheet<File>)) -> File {
        let mut sheet = Sheet::new(tempfile::tempfile().unwrap(), "hoop", &columns()).unwrap();
        fill(&mut sheet);
        sheet.finish().unwrap()
    }

    /// More rows than a group has, read by the library's own reader; and the file behind another.
    #[test]
    fn what_is_written_reads_back_to_the_same_bits() {
        const ROWS: usize = GROUP + 1000;
        let first = file(|sheet| (0..ROWS).for_each(|row| sheet.row(cells(row)).unwrap()));
        let reader = SerializedFileReader::new(first.try_clone().unwrap()).unwrap();
        let metadata = reader.metadata().clone();
        let about = metadata.file_metadata().key_value_metadata().unwrap();
        let about = about.iter().find(|entry| entry.key == ABOUT).unwrap();
        let about: serde_json::Value = serde_json::from_str(about.value.as_ref().unwrap()).unwrap();
        assert_eq!(about["table"], "hoop");
        assert_eq!(about["columns"][1]["name"], "скорость");
        assert_eq!(about["columns"][1]["unit"], "cm/s");
        assert_eq!(metadata.num_row_groups(), 2);

        let longer = file(|sheet| {
            sheet.append(&first, &metadata).unwrap();
            sheet.row(cells(ROWS)).unwrap();
        });
        for (file, rows) in [(first, ROWS), (longer, ROWS + 1)] {
            let reader = SerializedFileReader::new(file).unwrap();
            let mut read = 0;
            for (row, record) in reader.get_row_iter(None).unwrap().enumerate() {
                let record = record.unwrap();
                let fields: Vec<_> = record.get_column_iter().collect();
                assert!(same(&fields, row), "{row}: {fields:?}");
                read += 1;
            }
            assert_eq!(read, rows);
        }
    }
}
