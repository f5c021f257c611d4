//! Listings: rows of short texts in columns, for terminals and for Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// A header line, a rule, rows.
const PLAIN: TableStyle = NOTHING.header_separator(LineStyle::none().fill('─').junction('─'));

/// Rows under headings.
#[derive(Clone, Debug)]
pub struct Listing {
    headings: Vec<String>,
    alignments: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// Side of a column at which texts stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A text, of one longer than so many characters its beginning.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl Listing {
    /// An empty listing with these columns.
    pub fn new<S: Into<String>, const N: usize>(columns: [(S, Align); N]) -> Self {
        let columns = columns
            .into_iter()
            .map(|(heading, align)| (heading.into(), align));
        let (headings, alignments) = columns.unzip();
        Self {
            headings,
            alignments,
            rows: Vec::new(),
        }
    }

    /// Adds a row, one text per column.
    pub fn row<const N: usize>(&mut self, texts: [String; N]) {
        debug_assert_eq!(
            N,
            self.headings.len(),
            "a row has the columns of the listing"
        );
        self.rows.push(texts.into());
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For a terminal of a width, or without wrapping. Columns without any text are left out.
    pub fn plain(&self, width: Option<u16>) -> String {
        let used: Vec<usize> = (0..self.headings.len())
            .filter(|column| self.rows.iter().any(|row| !row[*column].is_empty()))
            .collect();
        let mut table = self.table(PLAIN, &used, str::to_owned);
        if let Some(width) = width {
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(width);
        }
        let mut text = String::new();
        for line in table.lines() {
            // The first column has a blank on its left.
            let line = line.strip_prefix([' ', '─']).unwrap_or(&line);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// As a table of a Markdown document.
    pub fn markdown(&self) -> String {
        let all: Vec<usize> = (0..self.headings.len()).collect();
        let mut text = self
            .table(ASCII_MARKDOWN, &all, |text| text.replace('|', "\\|"))
            .to_string();
        text.push('\n');
        text
    }

    fn table(
        &self,
        style: TableStyle,
        columns: &[usize],
        escape: impl Fn(&str) -> String,
    ) -> Table {
        let mut table = Table::new();
        table.force_no_tty().load_style(style);
        table.set_header(
            columns
                .iter()
                .map(|column| escape(&self.headings[*column]))
                .collect::<Vec<_>>(),
        );
        for row in &self.rows {
            table.add_row(
                columns
                    .iter()
                    .map(|column| escape(&row[*column]))
                    .collect::<Vec<_>>(),
            );
        }
        for (place, column) in columns.iter().enumerate() {
            if let (Align::Right, Some(column)) =
                (self.alignments[*column], table.column_mut(place))
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let mut listing = Listing::new([
            ("name", Align::Left),
            ("value", Align::Right),
            ("unit", Align::Left),
            ("about", Align::Left),
        ]);
        listing.row([
            "h".into(),
            "400".into(),
            String::new(),
            "height of the centre above the plane".into(),
        ]);
        listing.row([
            "скорость|x".into(),
            "-1.5".into(),
            String::new(),
            "speed".into(),
        ]);
        listing
    }

    #[test]
    fn plain_text_leaves_empty_columns_out() {
        insta::assert_snapshot!(listing().plain(None));
        insta::assert_snapshot!(listing().plain(Some(40)));
    }

    #[test]
    fn markdown_has_all_columns() {
        insta::assert_snapshot!(listing().markdown());
    }
}
