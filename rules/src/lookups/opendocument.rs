//! What is read of OpenDocument spreadsheets besides the values of cells, by sheet: merged cells, and errors that stand
//! there as the number 0.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor};

use calamine::Dimensions;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

/// Marks of the cells of a sheet.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Areas of merged cells.
    pub(super) merged: Vec<Dimensions>,
    /// Cells that show an error, with its name.
    pub(super) errors: Vec<(Dimensions, String)>,
}

/// The marks of each sheet; `None` if the workbook cannot be read.
pub(super) fn marks(bytes: &[u8]) -> Option<BTreeMap<String, Marks>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let content = archive.by_name("content.xml").ok()?;
    read(Reader::from_reader(BufReader::new(content)))
}

fn read(mut xml: Reader<impl BufRead>) -> Option<BTreeMap<String, Marks>> {
    let mut sheets = BTreeMap::new();
    let mut marks = Marks::default();
    let mut name = None;
    let (mut row, mut column, mut rows) = (0_u32, 0_u32, 1);
    // The cell that is open, if its value is 0, and what it shows.
    let mut zero: Option<(Dimensions, String)> = None;
    let mut buffer = Vec::new();
    loop {
        let event = xml.read_event_into(&mut buffer).ok()?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().0 {
                "table:table" => {
                    name = text(tag, "table:name");
                    row = 0;
                }
                "table:table-row" => {
                    column = 0;
                    rows = number(tag, "table:number-rows-repeated");
                    // A row without cells has no end.
                    if let Event::Empty(_) = event {
                        row = row.saturating_add(rows);
                    }
                }
                "table:table-cell" | "table:covered-table-cell" => {
                    let down = number(tag, "table:number-rows-spanned");
                    let right = number(tag, "table:number-columns-spanned");
                    if down > 1 || right > 1 {
                        let end = (
                            row.saturating_add(down - 1),
                            column.saturating_add(right - 1),
                        );
                        marks.merged.push(Dimensions::new((row, column), end));
                    }
                    let columns = number(tag, "table:number-columns-repeated");
                    let value = text(tag, "office:value").and_then(|text| text.parse::<f64>().ok());
                    zero = value.filter(|value| *value == 0.0).map(|_| {
                        let end = (
                            row.saturating_add(rows - 1),
                            column.saturating_add(columns - 1),
                        );
                        (Dimensions::new((row, column), end), String::new())
                    });
                    column = column.saturating_add(columns);
                }
                _ => {}
            },
            Event::Text(shown) => {
                if let Some((_, text)) = &mut zero {
                    *text += shown;
                }
            }
            Event::End(tag) => match tag.name().0 {
                "table:table-cell" | "table:covered-table-cell" => {
                    marks
                        .errors
                        .extend(zero.take().filter(|(_, shown)| is_error(shown)));
                }
                "table:table-row" => row = row.saturating_add(rows),
                "table:table" => {
                    if let Some(name) = name.take() {
                        sheets.insert(name, std::mem::take(&mut marks));
                    }
                }
                _ => {}
            },
            Event::Eof => return Some(sheets),
            _ => {}
        }
        buffer.clear();
    }
}

/// True of the names that errors have in any language: `#DIV/0!`, `#N/A`, `#NAME?`, `Err:502`.
fn is_error(shown: &str) -> bool {
    let is_number = |digits: &str| digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit());
    match shown.trim().strip_prefix('#') {
        Some(name) => {
            name.starts_with(char::is_uppercase)
                && (name.ends_with(['!', '?']) || name.contains('/'))
        }
        None => shown.trim().split_once(':').is_some_and(|(word, number)| {
            !word.is_empty() && word.chars().all(char::is_alphabetic) && is_number(number)
        }),
    }
}

fn text(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

/// A number of rows or columns: 1 if it is left out.
fn number(tag: &BytesStart<'_>, name: &str) -> u32 {
    let written = text(tag, name).and_then(|text| text.parse().ok());
    written.unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_from_numbers_and_times() {
        for error in [
            "#DIV/0!",
            "#REF!",
            "#N/A",
            "#VALUE!",
            "#NAME?",
            "#Н/Д",
            "#ИМЯ?",
            "Err:502",
            "Ошибка:508",
        ] {
            assert!(is_error(error), "{error}");
        }
        for other in [
            "0", "", "#", "#0", "##", "0:00", "12:000", "Err:", "Total: 0", "#A",
        ] {
            assert!(!is_error(other), "{other}");
        }
    }
}
