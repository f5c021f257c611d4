//! The merged cells of OpenDocument spreadsheets, by sheet.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor};

use calamine::Dimensions;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

/// The areas of merged cells of each sheet; `None` if the workbook cannot be read.
pub(super) fn areas(bytes: &[u8]) -> Option<BTreeMap<String, Vec<Dimensions>>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let content = archive.by_name("content.xml").ok()?;
    read(Reader::from_reader(BufReader::new(content)))
}

fn read(mut xml: Reader<impl BufRead>) -> Option<BTreeMap<String, Vec<Dimensions>>> {
    let mut sheets = BTreeMap::new();
    let mut areas: Vec<Dimensions> = Vec::new();
    let mut name = None;
    let (mut row, mut column, mut rows) = (0_u32, 0_u32, 1);
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
                        areas.push(Dimensions::new((row, column), end));
                    }
                    column = column.saturating_add(number(tag, "table:number-columns-repeated"));
                }
                _ => {}
            },
            Event::End(tag) => match tag.name().0 {
                "table:table-row" => row = row.saturating_add(rows),
                "table:table" => {
                    if let Some(name) = name.take() {
                        sheets.insert(name, std::mem::take(&mut areas));
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
