//! Comma-separated text as a sheet.

use situ_words::{phrase, say};

use super::DataFile;
use super::cells::{Cell, Sheet};
use crate::encoding::not_utf8;

/// True if a file is text by its name: anything but a spreadsheet.
pub(super) fn is_text(file: &DataFile) -> bool {
    let name = file.name.to_lowercase();
    ![".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Reads it. Fields are parted by commas, or by semicolons or tabs if the first line has no comma.
pub(super) fn read(file: &DataFile) -> Result<Vec<Sheet>, String> {
    let bytes = file
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&file.bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error))?;
    let first = text
        .split(ENDS_OF_LINES)
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let delimiter = [b',', b';', b'\t']
        .into_iter()
        .find(|mark| first.contains(char::from(*mark)));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.unwrap_or(b','))
        .from_reader(bytes);
    let mut sheet = Sheet::default();
    let mut record = csv::StringRecord::new();
    let mut n_rows: u64 = 0;
    let mut rest = text;
    while reader
        .read_record(&mut record)
        .map_err(|error| error.to_string())?
    {
        let begin = text.len() - rest.len();
        n_rows += blank_rows(rest);
        let row = u32::try_from(n_rows).map_err(|_| phrase!("lookup-read.too-long"))?;
        n_rows += 1;
        let end = usize::try_from(reader.position().byte()).ok();
        rest = end.and_then(|end| text.get(end..)).unwrap_or_default();
        // The reader takes the second half of an end of line for a part of the next record.
        let has_half = text[..text.len() - rest.len()].ends_with('\r');
        rest = rest.strip_prefix('\n').filter(|_| has_half).unwrap_or(rest);
        // Only what goes on to the end of the file can lack its end.
        let open = rest
            .is_empty()
            .then(|| open_quote(&text[begin..], delimiter));
        if let Some(open) = open.flatten() {
            let line = lines(&text[..begin + open]);
            return Err(say!("lookup-read.open-quote", line));
        }
        for (column, field) in (0..).zip(&record) {
            let field = field.trim();
            if field.is_empty() {
                continue;
            }
            // A text takes several times what a number does; the first row may hold names that are numbers.
            let below_names = sheet.cells.keys().next().is_some_and(|first| first.0 < row);
            let number = field
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite());
            let cell = match number {
                Some(number) if below_names => Cell::Number(number),
                _ => Cell::Field(field.to_owned()),
            };
            sheet.put((row, column), cell)?;
        }
    }
    Ok(vec![sheet])
}

/// The quote that begins the last field of a record and is not closed.
fn open_quote(record: &str, delimiter: Option<u8>) -> Option<usize> {
    let delimiter = char::from(delimiter.unwrap_or(b','));
    let (mut open, mut begins_field) = (None, true);
    let mut letters = record.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match (letter, open) {
            // A quote within a field stands twice.
            ('"', Some(_)) if letters.next_if(|(_, next)| *next == '"').is_none() => open = None,
            ('"', None) if begins_field => open = Some(at),
            _ => {}
        }
        begins_field = letter == delimiter || ENDS_OF_LINES.contains(&letter);
    }
    open
}

/// The number of the line that a text ends in.
fn lines(text: &str) -> usize {
    1 + text.replace("\r\n", "\n").matches(ENDS_OF_LINES).count()
}

const ENDS_OF_LINES: [char; 2] = ['\r', '\n'];

/// Lines without anything before the next record: rows of a spreadsheet, which the reader of records passes over.
fn blank_rows(text: &str) -> u64 {
    let mut rest = text;
    let mut n_rows = 0;
    while let Some(next) = ["\r\n", "\r", "\n"]
        .iter()
        .find_map(|end| rest.strip_prefix(end))
    {
        (rest, n_rows) = (next, n_rows + 1);
    }
    n_rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_that_are_not_closed_are_found() {
        for (record, open) in [
            ("\"a \"\"b\"\" c\",1\n", None),
            ("5\",6\n", None),
            ("\"a\"b\",1\n", None),
            ("\"a,\n\",1", None),
            ("1,\"2\n3,4\n", Some(2)),
            ("\"a\",\"", Some(4)),
            ("\"a\"\"", Some(0)),
        ] {
            assert_eq!(open_quote(record, Some(b',')), open, "{record}");
        }
        assert_eq!(lines("a\r\nb\rc\nd"), 4);
    }
}
