//! Spreadsheets as sheets of cells.

use std::collections::BTreeMap;
use std::io::Cursor;

use calamine::{
    Data as Value, DataRef, Dimensions, Error, Ods, OdsError, Range, Reader, SheetType, Sheets,
    XlsError, XlsbError, Xlsx, XlsxError, open_workbook_auto_from_rs,
};
use situ_words::say;

use super::cells::{Cell, Sheet};
use super::{DataFile, opendocument};

/// Reads all sheets.
pub(super) fn read(file: &DataFile) -> Result<Vec<Sheet>, String> {
    let bytes = Cursor::new(file.bytes.as_slice());
    let mut book = open_workbook_auto_from_rs(bytes).map_err(refused)?;
    let mut marks = match &book {
        Sheets::Ods(_) => {
            opendocument::marks(&file.bytes).ok_or_else(|| say!("lookup-read.no-spreadsheet"))?
        }
        _ => BTreeMap::new(),
    };
    // Sheets of charts hold no cells.
    let all = book.sheets_metadata().iter();
    let of_cells = all.filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let names: Vec<String> = of_cells.map(|sheet| sheet.name.clone()).collect();
    let sheets = names.into_iter().map(|name| {
        let mut sheet = Sheet {
            name: Some(name.clone()),
            ..Sheet::default()
        };
        match &mut book {
            Sheets::Xlsx(book) => read_xlsx(book, &name, &mut sheet)?,
            Sheets::Ods(book) => {
                read_ods(book, &name, &mut sheet)?;
                let marks = marks.remove(&name).unwrap_or_default();
                mark_errors(&marks.errors, &mut sheet);
                mark_merged(marks.merged, &mut sheet);
            }
            Sheets::Xls(book) => {
                fill(&book.worksheet_range(&name).map_err(refused)?, &mut sheet)?;
                mark_merged(
                    book.merge_cells_by_sheet_name(&name).map_err(refused)?,
                    &mut sheet,
                );
            }
            book => {
                let range = book.worksheet_range(&name).map_err(refused)?;
                fill(&range, &mut sheet)?;
            }
        }
        Ok(sheet)
    });
    sheets.collect()
}

/// Why a workbook cannot be read.
fn refused(error: impl Into<Error>) -> String {
    let is_protected = matches!(
        error.into(),
        Error::Xlsx(XlsxError::Password)
            | Error::Xlsb(XlsbError::Password)
            | Error::Xls(XlsError::Password)
            | Error::Ods(OdsError::Password)
    );
    match is_protected {
        true => say!("lookup-read.protected"),
        false => say!("lookup-read.no-spreadsheet"),
    }
}

/// Cell by cell: a sheet whose last cell lies far out must not take the memory of all before it.
fn read_xlsx(book: &mut Xlsx<Cursor<&[u8]>>, name: &str, sheet: &mut Sheet) -> Result<(), String> {
    let merged = book.merge_cells_by_sheet_name(name).map_err(refused)?;
    let mut cells = book.worksheet_cells_reader(name).map_err(refused)?;
    while let Some(found) = cells.next_cell_with_formula().map_err(refused)? {
        let value = match &found.value {
            DataRef::Int(number) => whole(*number),
            DataRef::Float(number) => Cell::Number(*number),
            DataRef::String(text) => Cell::Text(text.clone()),
            DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
            DataRef::Bool(_) => Cell::Truth,
            DataRef::DateTime(_) | DataRef::DateTimeIso(_) | DataRef::DurationIso(_) => Cell::Date,
            DataRef::Error(error) => Cell::Error(error.to_string()),
            DataRef::Empty if found.formula.is_some() => Cell::Formula,
            DataRef::Empty => continue,
        };
        put(sheet, found.pos, value)?;
    }
    mark_merged(merged, sheet);
    Ok(())
}

/// Marks the cells that show an error.
fn mark_errors(errors: &[(Dimensions, String)], sheet: &mut Sheet) {
    for (place, error) in errors {
        for ((_, column), cell) in sheet.cells.range_mut(place.start..=place.end) {
            if (place.start.1..=place.end.1).contains(column) {
                *cell = Cell::Error(error.trim().to_owned());
            }
        }
    }
}

/// Marks the cells of merged areas.
fn mark_merged(areas: Vec<Dimensions>, sheet: &mut Sheet) {
    for area in areas {
        let (top, left) = area.start;
        let all = sheet.cells.range_mut((top, left)..=area.end);
        for ((_, column), cell) in all {
            if (left..=area.end.1).contains(column) {
                *cell = Cell::Merged;
            }
        }
        let rows = top..=area.end.0.min(top.saturating_add(MOST_ROWS_OF_AREA));
        for row in rows {
            for column in left..=area.end.1.min(left.saturating_add(MOST_ROWS_OF_AREA)) {
                sheet.cells.insert((row, column), Cell::Merged);
            }
        }
    }
}

/// So many rows and columns of a merged area are marked; it lies within what is looked at, or ends it.
const MOST_ROWS_OF_AREA: u32 = 999;

fn read_ods(book: &mut Ods<Cursor<&[u8]>>, name: &str, sheet: &mut Sheet) -> Result<(), String> {
    let range = book.worksheet_range(name).map_err(refused)?;
    fill(&range, sheet)?;
    let formulas = book.worksheet_formula(name).map_err(refused)?;
    let (top, left) = formulas.start().unwrap_or_default();
    for (row, column, formula) in formulas.used_cells() {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let place = (
            top.saturating_add(offset(row)),
            left.saturating_add(offset(column)),
        );
        if !formula.is_empty() {
            sheet.cells.entry(place).or_insert(Cell::Formula);
        }
    }
    Ok(())
}

fn fill(range: &Range<Value>, sheet: &mut Sheet) -> Result<(), String> {
    let (top, left) = range.start().unwrap_or_default();
    for (row, column, value) in range.used_cells() {
        let value = match value {
            Value::Int(number) => whole(*number),
            Value::Float(number) => Cell::Number(*number),
            Value::String(text) => Cell::Text(text.clone()),
            Value::Bool(_) => Cell::Truth,
            Value::DateTime(_) | Value::DateTimeIso(_) | Value::DurationIso(_) => Cell::Date,
            Value::Error(error) => Cell::Error(error.to_string()),
            Value::Empty => continue,
        };
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let place = (
            top.saturating_add(offset(row)),
            left.saturating_add(offset(column)),
        );
        put(sheet, place, value)?;
    }
    Ok(())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a cell of a spreadsheet is an `f64`"
)]
fn whole(number: i64) -> Cell {
    Cell::Number(number as f64)
}

fn put(sheet: &mut Sheet, place: (u32, u32), value: Cell) -> Result<(), String> {
    let blank = matches!(&value, Cell::Text(text) if text.trim().is_empty());
    if blank {
        Ok(())
    } else {
        sheet.put(place, value)
    }
}
