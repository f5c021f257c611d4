//! Cells of a sheet.

use std::collections::BTreeMap;

use situ_words::say;

/// Content of a cell.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Cell {
    Number(f64),
    /// Text of a spreadsheet.
    Text(String),
    /// A field of a text file, which may be a number.
    Field(String),
    Truth,
    Date,
    Error(String),
    /// A formula of which the program that wrote the file stored no value.
    Formula,
    /// Part of cells that were merged.
    Merged,
}

/// Row and column, counted from 0.
pub(super) type Place = (u32, u32);

/// The cells of a sheet that are not blank.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sheet {
    /// Its name; text files have none.
    pub(super) name: Option<String>,
    pub(super) cells: BTreeMap<Place, Cell>,
}

/// So many cells are read of a sheet at most.
const MOST_CELLS: usize = 10_000_000;

impl Sheet {
    /// Puts a value into a cell.
    pub(super) fn put(&mut self, place: Place, value: Cell) -> Result<(), String> {
        if self.cells.len() >= MOST_CELLS {
            return Err(say!("lookup-put.more-than-cells", MOST_CELLS));
        }
        self.cells.insert(place, value);
        Ok(())
    }

    /// The first row that is not blank, with its cells.
    pub(super) fn header(&self) -> Option<(u32, Vec<(u32, &Cell)>)> {
        let &(first, _) = self.cells.keys().next()?;
        let row = self.cells.range((first, 0)..=(first, u32::MAX));
        Some((
            first,
            row.map(|(&(_, column), cell)| (column, cell)).collect(),
        ))
    }

    /// The last row in which one of some columns is not blank.
    pub(super) fn last_row(&self, columns: &[u32]) -> Option<u32> {
        let mut filled = self.cells.keys().rev();
        filled
            .find(|(_, column)| columns.contains(column))
            .map(|(row, _)| *row)
    }
}

/// The name of a column: A, B, .., Z, AA, ..
pub(super) fn column_name(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// A place by its name, such as `B17`.
fn place(name: &str) -> Option<Place> {
    let digits = name.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, row) = name.split_at(digits);
    let row: u32 = row.parse().ok().filter(|row| *row > 0)?;
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    let mut column = 0;
    for letter in letters.bytes() {
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        column = column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    }
    Some((row - 1, column - 1))
}

/// The cells of a region by its name, such as `B2:AF42`: the first and the last.
pub(super) fn region(name: &str) -> Option<[Place; 2]> {
    let (first, last) = name.split_once(':')?;
    let corners = [place(first.trim())?, place(last.trim())?];
    let [(top, left), (bottom, right)] = corners;
    (top <= bottom && left <= right).then_some(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_of_spreadsheets() {
        for (column, name) in [(0, "A"), (25, "Z"), (26, "AA"), (31, "AF"), (16383, "XFD")] {
            assert_eq!(column_name(column), name);
            assert_eq!(place(&format!("{name}7")), Some((6, column)));
        }
        assert_eq!(region("B2:af42"), Some([(1, 1), (41, 31)]));
        for bad in [
            "B2",
            "B2:A1",
            "2:3",
            "B0:C1",
            "torque",
            "a:b",
            "AAAAA1:AAAAA2",
        ] {
            assert_eq!(region(bad), None, "{bad}");
        }
    }
}
