//! `situ fmt TABLE`: lays a table out, and can turn one spelling of its rows into the other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use situ_engine::model::element;
use situ_rules::SourceId;
use situ_rules::diag::has_errors;
use situ_rules::layout::format;
use situ_rules::print::Spelling;
use situ_rules::resolve::{self, columns, constants};
use situ_rules::tree::{Form, Relation};
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::io::files::{self, quoted};
use crate::command::{Failure, Outcome, Streams, table};

/// Format tables, one row per line; comments and meaning are kept
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ fmt table.ron
  situ fmt scenarios/*/table.ron --check
  situ fmt table.ron --lines
  situ fmt - < table.ron")]
pub(in crate::command) struct Fmt {
    /// The tables, rewritten in place; `-` formats standard input to standard output
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// Change nothing; end with status 1 if something would change
    #[arg(long)]
    check: bool,
    /// Write all rows in columns
    #[arg(long, conflicts_with = "lines")]
    rows: bool,
    /// Write all rows as lines
    #[arg(long)]
    lines: bool,
    /// Print as JSON which tables change
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Fmt, streams: &mut Streams) -> Outcome {
    let mut changed = Vec::new();
    let mut worst = Ok(());
    for path in &command.tables {
        match command.one(path, streams) {
            Ok(true) => changed.push(path),
            Ok(false) => {}
            // The other tables are laid out all the same.
            Err(Failure::Said(status)) => worst = Err(Failure::Said(status)),
            Err(failure) => return Err(failure),
        }
    }
    if command.json {
        let tables = command.tables.iter();
        let tables: Vec<_> = tables
            .map(|path| json!({ "table": path.to_string_lossy(), "changes": changed.contains(&path) }))
            .collect();
        streams.print_data(&json!({ "tables": tables, "written": !command.check }))?;
    }
    if command.check && !changed.is_empty() {
        for path in changed {
            if !command.json {
                streams.talk(&format!(
                    "{}\n",
                    say!("cli-not-formatted", path = quoted(path))
                ));
            }
        }
        return worst.and(Err(Failure::Said(Status::Failed)));
    }
    worst
}

impl Fmt {
    /// Lays out one table; the result is whether that changes it.
    fn one(&self, path: &Path, streams: &mut Streams) -> Result<bool, Failure> {
        let loaded = table::read(path, streams)?;
        if (self.rows || self.lines) && has_errors(&loaded.diagnostics) {
            return Err(table::refuse(&loaded.diagnostics, &loaded.sources, streams));
        }
        // The table itself was read first.
        let source = SourceId(0);
        let names: HashSet<&str> = constants(&loaded.tables);
        let is_constant = |name: &str| names.contains(name);
        let open = resolve::open_names(&loaded.tables);
        // A part's constants have a point in their names.
        let is_open = |name: &str| {
            let base = element(name).map_or(name, |(base, _)| base);
            base.contains('.') || open.contains(base)
        };
        // A row that would say something else in columns stays a line.
        let columns = |relation: &Relation| {
            let has = resolve::has_columns(relation, &is_constant, &is_open);
            columns(relation, &is_constant).filter(|_| has)
        };
        let spelling = |form| Spelling {
            form,
            columns: &columns,
            is_constant: &is_constant,
        };
        let to = match (self.rows, self.lines) {
            (true, _) => Some(spelling(Form::Columns)),
            (_, true) => Some(spelling(Form::Line)),
            _ => None,
        };
        let text = &loaded.sources.get(source).text;
        let laid_out = format(&loaded.sources, source, to.as_ref())
            .map_err(|reports| table::refuse(&reports, &loaded.sources, streams))?;
        let changes = laid_out != *text;
        if changes && !loaded.again(&laid_out).says_the_same(&loaded) {
            return Err(Failure::Wrong(say!(
                "cli-cannot-format",
                path = quoted(path)
            )));
        }
        if table::is_stdin(path) && !self.check && !self.json {
            streams.print_table(&laid_out)?;
        } else if changes && !self.check {
            files::write(path, &laid_out)
                .map_err(|error| Failure::writing(&quoted(path), &error))?;
        }
        Ok(changes)
    }
}
