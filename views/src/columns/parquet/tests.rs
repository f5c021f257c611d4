//! Tests of tables written, broken off and read back.

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
    let mut sheet = sheet();
    fill(&mut sheet);
    sheet.finish().unwrap()
}

fn sheet() -> Sheet<File> {
    let source = Source {
        table: "hoop",
        sweep: "one",
    };
    Sheet::new(tempfile::tempfile().unwrap(), source, &columns()).unwrap()
}

/// Wherever a file was broken off, the rows up to the last end before that place are there.
#[test]
fn a_file_that_was_broken_off_keeps_what_was_noted() {
    let mut sheet = sheet();
    let mut ends = vec![(0, 0)];
    let mut row = 0;
    for rows in [1, 100, 7, 3000, 1] {
        for _ in 0..rows {
            sheet.row(cells(row)).unwrap();
            row += 1;
        }
        assert!(!sheet.has_news());
        sheet.note().unwrap();
        sheet.note().unwrap();
        let end = sheet.writer.inner().metadata().unwrap().len();
        ends.push((end, row));
    }
    sheet.row(cells(row)).unwrap();
    let mut whole = Vec::new();
    let mut file = sheet.finish().unwrap();
    file.rewind().unwrap();
    file.read_to_end(&mut whole).unwrap();
    ends.push((whole.len() as u64, row + 1));
    let cuts = (0..whole.len() as u64).step_by(97);
    let near = ends
        .iter()
        .flat_map(|(end, _)| [end.saturating_sub(1), *end, end + 1]);
    for cut in cuts.chain(near.filter(|cut| *cut <= whole.len() as u64)) {
        let mut broken = tempfile::tempfile().unwrap();
        broken.write_all(&whole[..cut as usize]).unwrap();
        let noted = ends.iter().rev().find(|(end, _)| *end <= cut).unwrap().1;
        assert_eq!(recover(&mut broken).unwrap(), noted > 0, "cut at {cut}");
        if noted == 0 {
            assert_eq!(broken.metadata().unwrap().len(), cut);
            continue;
        }
        let reader = SerializedFileReader::new(broken).unwrap();
        assert_eq!(sweep_of(reader.metadata()).unwrap(), "one");
        let mut read = 0;
        for record in reader.get_row_iter(None).unwrap() {
            let record = record.unwrap();
            let fields: Vec<_> = record.get_column_iter().collect();
            assert!(same(&fields, read), "cut at {cut}, row {read}");
            read += 1;
        }
        assert_eq!(read, noted, "cut at {cut}");
    }
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
