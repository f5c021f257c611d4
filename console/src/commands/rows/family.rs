//! A family at the prompt: its elements in short, and the rows that write and read it, as they are written.

use std::collections::HashSet;

use serde_json::json;
use situ_engine::model::{Model, element, element_name};
use situ_engine::trace::Row;
use situ_views::columns::Columns;
use situ_views::columns::family::{ElementKind, Family};
use situ_views::text::number::rounded;
use situ_words::say;

use super::uses::{reads, writes};
use crate::Console;
use crate::document::Version;
use crate::names::Named;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::row_ids::RowRef;

/// Shows a family.
///
/// # Errors
///
/// There is no family of this name.
pub(super) fn show(console: &mut Console, name: &str) -> Outcome {
    let version = console.version();
    let model = &*version.model;
    let found = Family::of_model(model, name);
    let (family, columns) = found.map_err(|error| CommandError::new(error.to_string()))?;
    let mut text = in_short(model, &family, &columns, &console.run().row());
    text.push('\n');
    let is_element = |what: Named| is_of(model, name, what);
    let mut section = |head: String, test: &dyn Fn(RowRef) -> bool| {
        let rows = as_written(&version, test);
        if !rows.is_empty() {
            text.push_str(&format!("{head}\n"));
            rows.iter()
                .for_each(|row| text.push_str(&format!("  {row}\n")));
        }
        rows
    };
    let written = section(say!("console-written-by"), &|row| {
        writes(model, row, &is_element)
    });
    let read = section(say!("console-read-by"), &|row| {
        reads(model, row, &is_element)
    });
    let data = json!({
        "name": name,
        "elements": family.indices.len(),
        "written_by": written,
        "read_by": read,
    });
    Ok(CommandOutput::new(text, data))
}

/// True of an element of a family.
fn is_of(model: &Model, family: &str, what: Named) -> bool {
    let is_element = |name: &str| element(name).is_some_and(|(base, _)| base == family);
    match what {
        Named::Constant(id) => is_element(&model.constants[id.index()].name),
        Named::Real(id) => is_element(&model.reals[id.index()].name),
        Named::Boolean(what) => is_element(&model.boolean_name(what)),
    }
}

/// Its elements, and what they are now.
fn in_short(model: &Model, family: &Family, columns: &Columns, row: &Row<'_>) -> String {
    let n = family.indices.len();
    let element = |place: usize| element_name(&family.name, &family.indices[place]);
    let (first, last) = (element(0), element(n - 1));
    if family.kind != ElementKind::Real {
        let held = columns.truths(model, row).filter(|held| *held).count();
        return say!("console-family.truths", first, last, n, held);
    }
    let values: Vec<f64> = columns.numbers(row).collect();
    let places = || values.iter().copied().enumerate();
    let least = places().min_by(|(_, a), (_, b)| a.total_cmp(b));
    let most = places().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (Some((low, least)), Some((high, most))) = (least, most) else {
        return String::new();
    };
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 elements")]
    let mean = values.iter().sum::<f64>() / n as f64;
    say!(
        "console-family",
        first,
        last,
        n,
        least = rounded(least),
        low = element(low),
        most = rounded(most),
        high = element(high),
        mean = rounded(mean)
    )
}

/// Rows that pass a test, each once as it is written.
fn as_written(version: &Version, test: &dyn Fn(RowRef) -> bool) -> Vec<String> {
    let mut seen = HashSet::new();
    let spans = version.rows().filter_map(|row| {
        let span = version.row_span(row)?;
        (!seen.contains(&span) && test(row) && seen.insert(span)).then_some(span)
    });
    let spans: Vec<_> = spans.collect();
    let texts = spans.into_iter().map(|span| version.sources.text(span));
    texts.map(str::to_owned).collect()
}
