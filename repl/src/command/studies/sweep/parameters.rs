//! `--parameters`: the rows of a file of values, bound to the model.

use std::path::Path;

use situ_engine::model::Input;
use situ_rules::source::Span;
use situ_sweep::Design;
use situ_words::say;

use super::{over, twice, words};
use crate::command::io::files::read_text;
use crate::command::table::Opened;
use crate::command::{Failure, Streams};

/// The rows of a CSV file of values.
pub(super) fn parameters(
    path: &Path,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<(Vec<String>, Design), Failure> {
    let name = path.display().to_string();
    let text = read_text(path).map_err(|error| Failure::reading(&name, &error))?;
    if let Some(line) = unclosed_quote(&text) {
        let what = say!("ron-unclosed-quote");
        return Err(Failure::Wrong(format!("{name}:{line}: {what}")));
    }
    let text = without_blanks_at_quotes(&text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| {
        let line = line_of(error.position(), &text);
        let what = match error.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => {
                let [n, wanted] = [len, expected_len].map(|n| usize::try_from(*n).unwrap_or(0));
                say!("sweep-uneven-line", n, wanted)
            }
            _ => error.to_string(),
        };
        Failure::Wrong(format!("{name}:{line}: {what}"))
    };
    let mut header = csv::StringRecord::new();
    reader.read_record(&mut header).map_err(unreadable)?;
    let end = usize::try_from(reader.position().byte()).unwrap_or(text.len());
    let columns = read_header(&header, &name, &text[..end], opened, streams)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let values = record.iter().zip(&columns).map(|(field, column)| {
            parameter(field, column).map_err(|what| {
                let line = line_of(record.position(), &text);
                Failure::Wrong(format!("{name}:{line}: {what}"))
            })
        });
        rows.push(values.collect::<Result<_, _>>()?);
    }
    if rows.is_empty() {
        return Err(Failure::Wrong(say!("sweep-no-lines", name)));
    }
    let (names, inputs) = columns.into_iter().unzip();
    let design = Design::table(inputs, rows);
    Ok((
        names,
        design.map_err(|error| Failure::Wrong(words::of_design(&error)))?,
    ))
}

/// The line on which a record begins. The reader's own place of it lies before the ends of lines in front of it: the second
/// character of one, and lines without anything.
fn line_of(place: Option<&csv::Position>, text: &str) -> usize {
    let place = place.map_or(0, csv::Position::byte);
    let (before, rest) = text.split_at(usize::try_from(place).unwrap_or(0));
    let ends = &rest[..rest.len() - rest.trim_start_matches(['\r', '\n']).len()];
    1 + before.matches('\n').count() + ends.matches('\n').count()
}

/// The line of a quote that opens a field and is not closed; the reader takes it as closed at the end of the text.
fn unclosed_quote(text: &str) -> Option<usize> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // A quote that is written twice stands for itself.
            '"' if opened.is_some() => opened = chars.next_if_eq(&'"').and(opened),
            '"' if begins => opened = Some(line),
            _ => {}
        }
        // Blanks in front of a field are none of it.
        begins = opened.is_none() && (matches!(c, ',' | '\n' | '\r') || begins && is_blank(c));
        line += usize::from(c == '\n');
    }
    opened
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// The text without the blanks around fields in quotes, which would make the quotes a part of the field.
fn without_blanks_at_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let trimmed = |plain: &mut String| plain.truncate(plain.trim_end_matches(is_blank).len());
    // Inside of quotes; only blanks behind a comma; only blanks behind a field in quotes.
    let (mut opened, mut begins, mut closed) = (false, true, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if opened {
            plain.push(c);
            if c == '"' {
                match chars.next_if_eq(&'"') {
                    Some(twice) => plain.push(twice),
                    None => (opened, closed) = (false, true),
                }
            }
            continue;
        }
        let separates = matches!(c, ',' | '\n' | '\r');
        if closed && separates || begins && c == '"' {
            trimmed(&mut plain);
        }
        opened = begins && c == '"';
        begins = separates || begins && is_blank(c);
        closed &= is_blank(c);
        plain.push(c);
    }
    if closed {
        trimmed(&mut plain);
    }
    plain
}

/// The columns of a CSV file of values, by its first line, which ends the text.
fn read_header(
    header: &csv::StringRecord,
    file: &str,
    text: &str,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Vec<(String, Input)>, Failure> {
    let source = opened.sources.add(file, text);
    let mut columns: Vec<(String, Input)> = Vec::new();
    let mut end = 0;
    for name in header {
        let name = name.trim_start_matches('\u{feff}');
        if columns.iter().any(|(other, _)| other == name) {
            return Err(twice(name));
        }
        // Between two names there are only commas, quotes and white space.
        let begin = end + text[end..].find(name).unwrap_or(0);
        end = text.len().min(begin + name.len());
        let span = Span::new(source, begin, end);
        columns.push((name.to_owned(), over::input(name, span, opened, streams)?));
    }
    Ok(columns)
}

/// A value of a column, or what is wrong with it.
fn parameter(field: &str, (name, input): &(String, Input)) -> Result<f64, String> {
    situ_sweep::value(name, *input, field).map_err(|error| words::of_over(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_quotes_are_none_of_a_field() {
        let text = " \"D\" , \"u[1]\"\t,x\r\n1, 2,\"a \"\" , b\"\n";
        let expected = "\"D\",\"u[1]\",x\r\n1, 2,\"a \"\" , b\"\n";
        assert_eq!(without_blanks_at_quotes(text), expected);
        for plain in ["a,b\n1,2\n", "a\" ,b\n", ""] {
            assert_eq!(without_blanks_at_quotes(plain), plain);
        }
        assert_eq!(unclosed_quote("x, \"y\n1,2\n"), Some(1));
    }
}
