//! Columns and regions of a lookup become its points; everything that is wrong with one is told with its place.

mod function;

use std::borrow::Cow;

use situ_engine::procedure::lookup::{Kind, Outside, Points};
use situ_words::{phrase, say};

use super::cells::{Cell, Place, Sheet, column_name, region};
use super::{Data, File};
use crate::diag::{Diagnostic, nearest};
use crate::source::{SourceMap, Span, Spanned};
use crate::tree::{Axis, Lookup};

/// So many mistakes of one lookup are told.
const MOST_MISTAKES: usize = 5;

/// What was read of a lookup.
pub(crate) struct Read {
    pub(crate) points: Points,
    pub(crate) kind: Kind,
    pub(crate) outside: Outside,
    pub(crate) file: Option<(String, String)>,
}

/// Reads the points of a lookup; `None` after a report.
pub(crate) fn read(
    lookup: &Lookup,
    sources: &SourceMap,
    data: &Data,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Read> {
    let mut reader = Reader {
        lookup,
        diagnostics,
        n_mistakes: 0,
    };
    let file = match &lookup.file {
        Some(path) => Some(reader.file(path, sources, data)?),
        None => None,
    };
    let sheet = match file {
        Some(file) => Some((file, reader.sheet(file)?)),
        None => None,
    };
    let points = reader.points(sheet)?;
    let kind = lookup.kind.as_ref().map_or(Kind::Linear, |kind| kind.value);
    if let (Points::Map { .. }, Some(written)) = (&points, &lookup.kind)
        && kind != Kind::Linear
    {
        let message = say!("lookup-read", kind = kind.name());
        diagnostics.push(Diagnostic::error("N064", message, written.span));
        return None;
    }
    Some(Read {
        points,
        kind,
        outside: lookup
            .outside
            .as_ref()
            .map_or(Outside::Error, |word| word.value),
        file: file.map(|file| (file.source.name.clone(), file.sha256.clone())),
    })
}

/// Place of a number: in the table, or in a sheet.
#[derive(Clone, Copy)]
enum At {
    Table(Span),
    Cell(Place),
}

/// Numbers with their places, row by row.
struct Numbers {
    values: Vec<f64>,
    places: Vec<At>,
    per_row: usize,
    span: Span,
    /// The sheet of its cells, as it is shown.
    sheet: String,
}

struct Reader<'r> {
    lookup: &'r Lookup,
    diagnostics: &'r mut Vec<Diagnostic>,
    n_mistakes: usize,
}

type Source<'s> = Option<(&'s File, &'s Sheet)>;

impl Reader<'_> {
    fn report(&mut self, code: &'static str, message: String, span: Span) -> &mut Diagnostic {
        self.diagnostics
            .push(Diagnostic::error(code, message, span));
        self.diagnostics.last_mut().expect("it was pushed")
    }

    fn name(&self) -> &str {
        &self.lookup.name.value
    }

    fn file<'d>(
        &mut self,
        path: &Spanned<String>,
        sources: &SourceMap,
        data: &'d Data,
    ) -> Option<&'d File> {
        let from = &sources.get(path.span.source).name;
        let why = match data.get(&path.value, from) {
            Some(Ok(file)) => return Some(file),
            Some(Err(why)) => why.clone(),
            None => say!("lookup-file.why"),
        };
        let message = say!("lookup-file", names = self.name(), why);
        self.report("N062", message, path.span);
        None
    }

    fn sheet<'d>(&mut self, file: &'d File) -> Option<&'d Sheet> {
        let Some(wanted) = &self.lookup.sheet else {
            if let [sheet] = &file.sheets[..] {
                return Some(sheet);
            }
            let names = listed(file.sheets.iter().filter_map(|sheet| sheet.name.as_deref()));
            let message = say!("lookup-sheet", file = file.source.name, names);
            let span = self
                .lookup
                .file
                .as_ref()
                .map_or(self.lookup.span, |path| path.span);
            self.report("N062", message, span).help = Some(say!("lookup-sheet.say-sheet"));
            return None;
        };
        let mut sheets = file.sheets.iter();
        let found = sheets.find(|sheet| sheet.name.as_ref() == Some(&wanted.value));
        if found.is_none() {
            let names: Vec<&str> = (file.sheets.iter())
                .filter_map(|sheet| sheet.name.as_deref())
                .collect();
            let message = match names[..] {
                [] => say!("lookup-sheet.text-no", file = file.source.name),
                _ => say!(
                    "lookup-sheet.no-sheet",
                    file = file.source.name,
                    wanted = wanted.value
                ),
            };
            let help = match nearest(&wanted.value, names.iter().copied()) {
                Some(near) => say!("report-did-you-mean", near),
                None if names.is_empty() => say!("lookup-sheet.help-leave-sheet"),
                None => say!(
                    "lookup-sheet.help-it-has",
                    into_iter = listed(names.into_iter())
                ),
            };
            self.report("N062", message, wanted.span).help = Some(help);
        }
        found
    }

    fn points(&mut self, sheet: Source<'_>) -> Option<Points> {
        let lookup = self.lookup;
        match (&lookup.x, &lookup.y, &lookup.z) {
            (Some(x), Some(y), None) => {
                let [x, y] = self.columns([x, y], sheet)?;
                self.curve(&x, &y)
            }
            (Some(x), Some(y), Some(z)) => match self.is_matrix(z) {
                true => {
                    let [x, y, z] = [x, y, z].map(|axis| self.region_or_list(axis, sheet));
                    let (x, y, z) = (x?, y?, z?);
                    self.matrix(&x, &y, z)
                }
                false => {
                    let [x, y, z] = self.columns([x, y, z], sheet)?;
                    self.long_form(&x, &y, &z)
                }
            },
            (None, None, Some(z)) if self.is_matrix(z) => {
                let all = self.region_with_edges(z, sheet)?;
                let [x, y, z] = all;
                self.matrix(&x, &y, z)
            }
            _ => {
                let message = say!("lookup-points", lookup = lookup.name.value);
                let help = phrase!("lookup-points.give-x-y");
                self.report("N064", message, lookup.span).help = Some(help.into());
                None
            }
        }
    }

    /// True if z is a matrix: a list of lists, or a region that no column has as its name.
    fn is_matrix(&self, z: &Axis) -> bool {
        match z {
            Axis::Numbers { rows, .. } => rows.is_some(),
            Axis::Column(name) => region(&name.value).is_some_and(|[a, b]| a.1 < b.1 && a.0 < b.0),
        }
    }

    /// Columns of equal length.
    fn columns<const N: usize>(
        &mut self,
        axes: [&Axis; N],
        sheet: Source<'_>,
    ) -> Option<[Numbers; N]> {
        let mut named: Vec<(usize, u32)> = Vec::new();
        let mut first = 0;
        for (at, axis) in axes.iter().enumerate() {
            if let (Axis::Column(name), Some((file, sheet))) = (axis, sheet)
                && region(&name.value).is_none()
            {
                let (header, column) = self.column(name, file, sheet)?;
                (first, named) = (header + 1, [named, vec![(at, column)]].concat());
            }
        }
        if let Some((file, sheet)) = sheet
            && let Some((at, _)) = named.first()
            && self.has_unnamed_fields(file, sheet, axes[*at].span())
        {
            return None;
        }
        let columns: Vec<u32> = named.iter().map(|(_, column)| *column).collect();
        let last = sheet.and_then(|(_, sheet)| sheet.last_row(&columns));
        let read = axes.map(|axis| match (axis, sheet) {
            (Axis::Column(name), Some((file, sheet))) if region(&name.value).is_none() => {
                let at = axes.iter().position(|other| std::ptr::eq(*other, axis));
                let (_, column) = named.iter().find(|(number, _)| Some(*number) == at)?;
                let rows = first..last.map_or(first, |last| last + 1);
                let places: Vec<Place> = rows.map(|row| (row, *column)).collect();
                self.cells(file, sheet, places, 1, name.span)
            }
            _ => self.region_or_list(axis, sheet),
        });
        let read: Vec<Numbers> = read.into_iter().collect::<Option<_>>()?;
        let lengths: Vec<usize> = read.iter().map(|numbers| numbers.values.len()).collect();
        if let Some(at) = lengths.iter().position(|length| *length != lengths[0]) {
            let message = say!(
                "lookup-columns",
                names = self.name(),
                lengths = lengths[0],
                at = lengths[at]
            );
            self.report("N060", message, read[at].span).help =
                Some(say!("lookup-columns.each-point-each"));
            return None;
        }
        read.try_into().ok()
    }

    /// True, after a report, if rows of a text file go on behind the last name of the first row: most often numbers
    /// with a decimal comma. A spreadsheet may have remarks there.
    fn has_unnamed_fields(&mut self, file: &File, sheet: &Sheet, span: Span) -> bool {
        let Some((row, header)) = sheet.header().filter(|_| sheet.name.is_none()) else {
            return false;
        };
        let n_names = header.last().map_or(0, |(column, _)| column + 1);
        let below = sheet.cells.range((row + 1, 0)..);
        let mut beyond = below.filter(|((_, column), _)| *column >= n_names);
        let mut told = None;
        while let Some((&(row, column), _)) = beyond.next()
            && self.n_mistakes < MOST_MISTAKES
        {
            if told.replace(row) == Some(row) {
                continue;
            }
            self.n_mistakes += 1;
            let place = cell(&shown(file, sheet), (row, column));
            let message = say!("lookup-unnamed-fields", place);
            self.report("N061", message, span).help = Some(say!("lookup-unnamed-fields.help"));
        }
        told.is_some()
    }

    /// The header's row and the column of a name.
    fn column(&mut self, name: &Spanned<String>, file: &File, sheet: &Sheet) -> Option<(u32, u32)> {
        let wanted = name.value.trim();
        let Some((row, header)) = sheet.header() else {
            let message = say!("lookup-column", sheet = shown(file, sheet));
            self.report("N062", message, name.span);
            return None;
        };
        let is_text = |cell: &Cell| matches!(cell, Cell::Text(_) | Cell::Field(_));
        let titles = header.iter().filter_map(|(column, cell)| match cell {
            Cell::Text(text) | Cell::Field(text) => Some((*column, Cow::from(text.trim()))),
            // A year, for example.
            Cell::Number(number) => Some((*column, Cow::from(number.to_string()))),
            _ => None,
        });
        let titles: Vec<(u32, Cow<'_, str>)> = titles.collect();
        let found: Vec<u32> = (titles.iter())
            .filter(|(_, title)| *title == wanted)
            .map(|(column, _)| *column)
            .collect();
        match found[..] {
            [column] => Some((row, column)),
            [] => {
                let message = say!(
                    "lookup-column.no-column",
                    sheet = shown(file, sheet),
                    wanted
                );
                let names = titles.iter().map(|(_, title)| &**title);
                let help = match nearest(wanted, names.clone()) {
                    Some(near) => say!("report-did-you-mean", near),
                    None if !header.iter().any(|(_, cell)| is_text(cell)) => {
                        say!("lookup-column.help-first-row")
                    }
                    None => say!("lookup-column.help-it-has", listed = listed(names)),
                };
                self.report("N062", message, name.span).help = Some(help);
                None
            }
            [first, second, ..] => {
                let [first, second] = [first, second].map(column_name);
                let message = say!(
                    "lookup-column.two-columns",
                    sheet = shown(file, sheet),
                    wanted,
                    first,
                    second
                );
                self.report("N062", message, name.span).help =
                    Some(say!("lookup-column.give-region-such"));
                None
            }
        }
    }

    /// The numbers of a region, or those that are written in place.
    fn region_or_list(&mut self, axis: &Axis, sheet: Source<'_>) -> Option<Numbers> {
        let name = match axis {
            Axis::Numbers { values, rows, span } => {
                return Some(Numbers {
                    values: values.iter().map(|number| number.value).collect(),
                    places: values.iter().map(|number| At::Table(number.span)).collect(),
                    per_row: rows.unwrap_or(1),
                    span: *span,
                    sheet: String::new(),
                });
            }
            Axis::Column(name) => name,
        };
        let Some((file, sheet)) = sheet else {
            let message = say!("lookup-region-or-list", name = name.value);
            self.report("N064", message, name.span).help =
                Some(say!("lookup-region-or-list.add-file-give"));
            return None;
        };
        let Some([first, last]) = region(&name.value) else {
            let message = say!("lookup-region-or-list.no-region", name = name.value);
            self.report("N062", message, name.span).help =
                Some(say!("lookup-region-or-list.write-like-b"));
            return None;
        };
        let rows = first.0..=last.0;
        let n_cells = u64::from(last.0 - first.0 + 1) * u64::from(last.1 - first.1 + 1);
        if n_cells > MOST_CELLS {
            let message = say!(
                "lookup-region-or-list.region-cells",
                name = name.value,
                n_cells
            );
            self.report("N062", message, name.span);
            return None;
        }
        let places = rows.flat_map(|row| (first.1..=last.1).map(move |column| (row, column)));
        let per_row = (last.1 - first.1 + 1) as usize;
        self.cells(file, sheet, places.collect(), per_row, name.span)
    }

    /// A region whose first column and first row are the arguments.
    fn region_with_edges(&mut self, z: &Axis, sheet: Source<'_>) -> Option<[Numbers; 3]> {
        let (Axis::Column(name), Some((file, sheet))) = (z, sheet) else {
            let message = say!("lookup-region-with-edges", names = self.name());
            self.report("N064", message, z.span());
            return None;
        };
        let [(top, left), (bottom, right)] = region(&name.value)?;
        let column: Vec<Place> = (top + 1..=bottom).map(|row| (row, left)).collect();
        let row: Vec<Place> = (left + 1..=right).map(|column| (top, column)).collect();
        let inner = column
            .iter()
            .flat_map(|(row, _)| (left + 1..=right).map(|at| (*row, at)));
        let (inner, per_row) = (inner.collect(), row.len());
        Some([
            self.cells(file, sheet, column, 1, name.span)?,
            self.cells(file, sheet, row, 1, name.span)?,
            self.cells(file, sheet, inner, per_row, name.span)?,
        ])
    }

    /// The numbers in cells.
    fn cells(
        &mut self,
        file: &File,
        sheet: &Sheet,
        places: Vec<Place>,
        per_row: usize,
        span: Span,
    ) -> Option<Numbers> {
        let mut values = Vec::with_capacity(places.len());
        for &place in &places {
            match number(sheet.cells.get(&place)) {
                Ok(number) => values.push(number),
                Err(what) => {
                    self.n_mistakes += 1;
                    if self.n_mistakes <= MOST_MISTAKES {
                        let message = format!("{}: {what}", cell(&shown(file, sheet), place));
                        self.report("N061", message, span);
                    }
                }
            }
        }
        (values.len() == places.len()).then(|| Numbers {
            values,
            places: places.into_iter().map(At::Cell).collect(),
            per_row,
            span,
            sheet: shown(file, sheet),
        })
    }
}

/// So many cells a region may have.
const MOST_CELLS: u64 = 10_000_000;

/// A number in a cell, or what stands there instead.
fn number(cell: Option<&Cell>) -> Result<f64, String> {
    let finite = |number: f64, written: &dyn std::fmt::Display| {
        let number = Some(number).filter(|number| number.is_finite());
        number.ok_or_else(|| say!("lookup-number.not-finite", written = written.to_string()))
    };
    match cell {
        None => Err(say!("lookup-number.blank")),
        Some(Cell::Number(value)) => finite(*value, value),
        Some(Cell::Field(text)) => match text.parse::<f64>() {
            Ok(value) => finite(value, text),
            Err(_) if text.replace(',', ".").parse::<f64>().is_ok() => {
                Err(say!("lookup-number.comma-numbers-have", text))
            }
            Err(_) => Err(say!("lookup-number.no-number", text)),
        },
        Some(Cell::Text(text)) => Err(say!("lookup-number.text-no-number", text)),
        Some(Cell::Truth) => Err(say!("lookup-number.truth-value-no")),
        Some(Cell::Date) => Err(say!("lookup-number.date-time-no")),
        Some(Cell::Error(error)) => Err(say!("lookup-number.holds-error", error)),
        Some(Cell::Formula) => Err(say!("lookup-number.formula-no-stored")),
        Some(Cell::Merged) => Err(say!("lookup-number.part-merged-cells")),
    }
}

fn shown(file: &File, sheet: &Sheet) -> String {
    match &sheet.name {
        Some(name) => say!("lookup-shown.sheet", name, file = file.source.name),
        None => format!("`{}`", file.source.name),
    }
}

fn cell(sheet: &str, (row, column): Place) -> String {
    say!(
        "lookup-cell.cell-row-column",
        sheet,
        column = column_name(column),
        row = row + 1,
        number = column + 1
    )
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
