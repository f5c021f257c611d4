//! `situ show TABLE`: the model as it was understood.

use std::path::{Path, PathBuf};

use clap::Args;
use situ_console::relative;
use situ_rules::resolve::flat;
use situ_rules::tree::Table;
use situ_rules::{Choices, SourceMap, begin_with, chosen, print};
use situ_views::model::{model_json, model_listing};
use situ_words::say;

use crate::command::{Outcome, Streams, settings, table};

/// Show a table as the program understands it: quantities, rules with their ids
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ show table.ron
  situ show table.ron --expand --set N=4
  situ show table.ron --markdown >> README.md")]
pub(in crate::command) struct Show {
    /// The table; `-` reads standard input
    table: PathBuf,
    /// Print the relations as a Markdown table with the columns of the paper's editor
    #[arg(long)]
    markdown: bool,
    /// Print the model as JSON
    #[arg(long, conflicts_with_all = ["markdown", "expand"])]
    json: bool,
    /// Print the table with its base, families, parts, machines and reactions written out as one
    #[arg(long, conflicts_with = "markdown")]
    expand: bool,
    /// Change a constant or start value, `N=800`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "expand")]
    set: Vec<String>,
    /// Use one of the table's cases
    #[arg(long, value_name = "NAME", requires = "expand")]
    case: Option<String>,
}

pub(in crate::command) fn run(command: &Show, streams: &mut Streams) -> Outcome {
    let choices = Choices {
        case: command.case.clone(),
        set: command.set.clone(),
    };
    let mut opened = table::open(&command.table, streams)?;
    if command.expand {
        let (_, wrong) = settings::choose(&choices, &mut opened, streams)?;
        if !wrong.is_empty() {
            return Err(table::refuse(&wrong, &opened.sources, streams));
        }
        let chosen = chosen(&opened.tables, &mut opened.sources, &choices);
        return match flat(chosen.as_ref().unwrap_or(&opened.tables)) {
            Some(mut flat) => {
                begin_with(&mut flat.table, &mut opened.sources, &choices);
                relocate(&mut flat.table, &command.table, &opened.sources);
                for name in &flat.left_out {
                    streams.remark(&say!("cli-case-left-out", name));
                }
                streams.print_table(&print::table(&flat.table))
            }
            None => {
                let own = opened.tables.last().map(|table| table.source_id);
                let text = own.map_or("", |own| opened.sources.get(own).text.as_str());
                streams.remark(&say!("cli-nothing-to-expand"));
                streams.print_table(text)
            }
        };
    }
    if command.markdown {
        return streams.print(&model_listing::markdown(&opened.model));
    }
    let names = opened
        .tables
        .iter()
        .map(|table| opened.sources.get(table.source_id).name.as_str());
    let chain: Vec<&str> = names.collect();
    if command.json {
        return streams.print_data(&model_json::model(&opened.model, &chain));
    }
    streams.print(&model_listing::text(&opened.model, &chain, streams.width()))
}

/// Writes the paths in a table as they read beside a file: those of lookups stand as the tables say that have them, which
/// may lie in other folders.
fn relocate(flat: &mut Table, own: &Path, sources: &SourceMap) {
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
    let to = folder(own);
    let lookups = flat.lookups.iter_mut();
    for file in lookups.filter_map(|lookup| lookup.file.as_mut()) {
        let from = &sources.get(file.span.source).name;
        if folder(Path::new(from)) != to && !Path::new(&file.value).is_absolute() {
            let path = relative(&table::beside(&file.value, from), &to);
            file.value = path.display().to_string();
        }
    }
}
