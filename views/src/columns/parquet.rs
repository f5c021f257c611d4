//! Tables of typed columns as Parquet, row by row in bounded memory.
//!
//! The file says of each column what it is: the entry `situ` of its metadata is a JSON text
//! `{"program", "table", "sweep", "columns": [{"name", "kind", "unit", "about"}]}`.
//!
//! A file of Parquet can be read when it is closed: its end says where everything stands. In one that grows, ends
//! stand between the rows, too ([`Sheet::note`]), each of what came since the one before; readers pass over
//! them. From these a file that was broken off is closed later ([`recover`]).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};
use serde_json::json;

use crate::columns::cells::{Cell, Column, Holds};

/// The version of the format that the library's own ends name.
const VERSION: i32 = 1;

/// Mark at both ends of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Rows that are written together.
const GROUP: usize = 1 << 16;

/// The metadata entry that describes the columns.
pub const ABOUT: &str = "situ";

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
    /// Groups of rows behind which there is an end.
    noted: usize,
    schema: SchemaDescPtr,
    about: KeyValue,
}

/// Source of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'a> {
    /// The name of the table.
    pub table: &'a str,
    /// Identity that its runs have in common; a sweep that goes on compares it.
    pub sweep: &'a str,
}

impl<W: Write + Send> Sheet<W> {
    /// A table without rows.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn new(sink: W, source: Source<'_>, columns: &[Column]) -> Result<Self> {
        let fields = columns.iter().map(field).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("situ")
            .with_fields(fields)
            .build()?;
        let about = KeyValue::new(ABOUT.to_owned(), about(source, columns));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("situ {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(vec![about.clone()]))
            .build();
        let schema = Arc::new(schema);
        Ok(Self {
            schema: Arc::new(SchemaDescriptor::new(Arc::clone(&schema))),
            writer: SerializedFileWriter::new(sink, schema, Arc::new(properties))?,
            noted: 0,
            about,
            cells: columns
                .iter()
                .map(|column| Cells::of(column.holds))
                .collect(),
            waiting: 0,
        })
    }

    /// Adds all rows of another file with the same columns, as they are.
    ///
    /// # Errors
    ///
    /// One of the files cannot be read or written.
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
    /// # Errors
    ///
    /// The file cannot be written.
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

    /// True if rows have been written behind which there is no end yet.
    pub fn has_news(&self) -> bool {
        self.noted < self.writer.flushed_row_groups().len()
    }

    /// Hands on all rows and an end behind them, so that [`recover`] finds them whatever happens later.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn note(&mut self) -> Result<()> {
        self.flush()?;
        let groups = self.writer.flushed_row_groups()[self.noted..].to_vec();
        if groups.is_empty() {
            return Ok(());
        }
        self.noted += groups.len();
        let about = Some(vec![self.about.clone()]);
        let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
        let file = FileMetaData::new(VERSION, rows, None, about, Arc::clone(&self.schema), None);
        let mut end = Vec::new();
        ParquetMetaDataWriter::new(&mut end, &ParquetMetaData::new(file, groups)).finish()?;
        self.writer.write_all(&end)?;
        self.writer.flush()?;
        Ok(())
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
    /// # Errors
    ///
    /// The file cannot be written.
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

/// Closes a file that was broken off, behind the last rows after which there is an end ([`Sheet::note`]).
///
/// Result: whether there are such rows; else the file stays as it is.
///
/// # Errors
///
/// The file cannot be read or written.
pub fn recover(file: &mut File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let mut behind = length;
    while let Some(end) = last_magic(file, behind)? {
        if let Some(metadata) = noted_until(file, end)? {
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
            let written = ParquetMetaDataWriter::new(&mut *file, &metadata).finish();
            written.map_err(io::Error::other)?;
            file.sync_all()?;
            return Ok(true);
        }
        behind = end - 1;
    }
    Ok(false)
}

/// The end of the last of the file's marks that ends at a place or before it.
fn last_magic(file: &mut File, behind: u64) -> io::Result<Option<u64>> {
    /// Bytes that are looked at together.
    const PIECE: u64 = 1 << 16;
    let mut to = behind;
    while to >= MAGIC.len() as u64 {
        let from = to.saturating_sub(PIECE);
        let mut piece = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(to - from).read_to_end(&mut piece)?;
        let found = piece.windows(MAGIC.len()).rposition(|bytes| bytes == MAGIC);
        if let Some(at) = found {
            return Ok(Some(from + (at + MAGIC.len()) as u64));
        }
        if from == 0 {
            return Ok(None);
        }
        to = from + MAGIC.len() as u64 - 1;
    }
    Ok(None)
}

/// All rows before an end, if each end leads to the one before it and the first one to the beginning of the
/// file.
fn noted_until(file: &mut File, end: u64) -> io::Result<Option<ParquetMetaData>> {
    let mut groups: Vec<RowGroupMetaData> = Vec::new();
    let mut last: Option<FileMetaData> = None;
    let mut end = end;
    loop {
        let Some(metadata) = noted_at(file, end)? else {
            return Ok(None);
        };
        let starts = metadata.row_groups().iter().flat_map(|group| {
            let columns = group.columns().iter();
            columns.map(|column| {
                let dictionary = column.dictionary_page_offset();
                dictionary.unwrap_or_else(|| column.data_page_offset())
            })
        });
        let start = starts.min().and_then(|start| u64::try_from(start).ok());
        let Some(start) = start.filter(|start| *start < end) else {
            return Ok(None);
        };
        groups.splice(..0, metadata.row_groups().iter().cloned());
        let file_metadata = last.get_or_insert_with(|| metadata.file_metadata().clone());
        if start == MAGIC.len() as u64 {
            let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
            let all = FileMetaData::new(
                VERSION,
                rows,
                Some(format!("situ {}", env!("CARGO_PKG_VERSION"))),
                file_metadata.key_value_metadata().cloned(),
                file_metadata.schema_descr_ptr(),
                None,
            );
            return Ok(Some(ParquetMetaData::new(all, groups)));
        }
        end = start;
    }
}

/// Metadata of an end, if there is one at a place.
fn noted_at(file: &mut File, end: u64) -> io::Result<Option<ParquetMetaData>> {
    const TAIL: u64 = 8;
    let Some(at) = end.checked_sub(TAIL) else {
        return Ok(None);
    };
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let Some(from) = at.checked_sub(length).filter(|_| magic == *MAGIC) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(ParquetMetaDataReader::decode_metadata(&bytes).ok())
}

/// Identity of the sweep that a file comes from.
pub fn sweep_of(metadata: &ParquetMetaData) -> Option<String> {
    let entries = metadata.file_metadata().key_value_metadata()?;
    let about = entries.iter().find(|entry| entry.key == ABOUT)?;
    let about: serde_json::Value = serde_json::from_str(about.value.as_ref()?).ok()?;
    about["sweep"].as_str().map(str::to_owned)
}

fn about(source: Source<'_>, columns: &[Column]) -> String {
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
    let Source { table, sweep } = source;
    json!({ "program": program, "table": table, "sweep": sweep, "columns": columns }).to_string()
}

#[cfg(test)]
mod tests;
