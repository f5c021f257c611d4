//! Tables named on the command line: read, resolved, with what was found put on stderr.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use situ_console::normal;
use situ_engine::model::{Model, Watch};
use situ_engine::sim::SetupError;
use situ_rules::check::{Budget, LEFT_OPEN, Watchers, check_with};
use situ_rules::diag::{Style, render, setup_error, to_json};
use situ_rules::resolve::{Expectation, Lab};
use situ_rules::source::Origins;
use situ_rules::tree::{Table, with_parts};
use situ_rules::{
    Choices, Data, DataFile, Diagnostic, Loaded, Loader, Severity, SourceMap, TableText, chosen,
    load, load_as, resolve,
};

use super::io::failure::Status;
use super::io::files::{Claims, quoted, read_bytes, read_text};
use super::{Failure, Manner, Outcome, Streams};
use situ_views::text::plain;
use situ_words::say;

/// Name of standard input in messages, and the argument that stands for it.
const STDIN: &str = "<stdin>";
const DASH: &str = "-";

/// A table that could be read.
#[derive(Clone, Debug)]
pub(in crate::command) struct Opened {
    /// All texts.
    pub(in crate::command) sources: SourceMap,
    /// The table and those it extends, base first.
    pub(in crate::command) tables: Vec<Table>,
    /// Model of the table; shared with its runs.
    pub(in crate::command) model: Arc<Model>,
    /// Places of its rows.
    pub(in crate::command) origins: Origins,
    /// Its own `stop_when`, in whose place an option may stand.
    pub(in crate::command) own_stop: Option<Watch>,
    /// What its runs are checked for.
    pub(in crate::command) expectations: Vec<Expectation>,
    /// Its exercise.
    pub(in crate::command) lab: Option<Lab>,
    /// The files of their lookups.
    data: Data,
    /// The settings that gave its families their size.
    sized_by: Choices,
    /// Reports from reading the table, errors excepted.
    pub(in crate::command) diagnostics: Vec<Diagnostic>,
}

/// Reads a table and all that it extends. `-` is standard input.
///
/// # Errors
///
/// A file cannot be read, or has errors; they have then been shown.
pub(in crate::command) fn open(path: &Path, streams: &mut Streams) -> Result<Opened, Failure> {
    open_as(path, &Choices::default(), streams)
}

/// The same for settings that are going to be applied, see [`read_as`].
///
/// # Errors
///
/// As [`open`].
pub(in crate::command) fn open_as(
    path: &Path,
    choices: &Choices,
    streams: &mut Streams,
) -> Result<Opened, Failure> {
    let opened = Opened::of(read_as(path, choices, streams)?);
    opened.map_err(|loaded| refuse(&loaded.diagnostics, &loaded.sources, streams))
}

/// True if a path means standard input.
pub(in crate::command) fn is_stdin(path: &Path) -> bool {
    path == Path::new(DASH)
}

/// Reads a table and all that it extends, errors or not.
pub(in crate::command) fn read(path: &Path, streams: &mut Streams) -> Result<Loaded, Failure> {
    read_as(path, &Choices::default(), streams)
}

/// The same for settings that are going to be applied, with families of the size that they give them.
pub(in crate::command) fn read_as(
    path: &Path,
    choices: &Choices,
    streams: &mut Streams,
) -> Result<Loaded, Failure> {
    let (name, text) = text(path, streams)?;
    Ok(load_as(&name, &text, &mut Beside, choices))
}

/// Reads a text and the files that it names, errors or not.
///
/// Shapes: `name`: the path of its file, or what stands for it in messages.
pub(crate) fn with_bases(name: &str, text: &str) -> Loaded {
    load(name, text, &mut Beside)
}

/// The files that tables name, relative to them.
struct Beside;

/// A path as a table names it, seen from where the program runs.
pub(crate) fn beside(path: &str, from: &str) -> PathBuf {
    let directory = if from == STDIN {
        Path::new("")
    } else {
        Path::new(from).parent().unwrap_or(Path::new(""))
    };
    normal(&directory.join(path))
}

impl Loader for Beside {
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String> {
        let path = beside(path, from);
        let text = read_text(&path).map_err(|error| plain(&error))?;
        Ok(TableText {
            name: path.display().to_string(),
            text,
        })
    }

    fn data(&mut self, path: &str, from: &str) -> Result<DataFile, String> {
        let path = beside(path, from);
        let bytes = read_bytes(&path).map_err(|error| plain(&error))?;
        Ok(DataFile {
            name: path.display().to_string(),
            bytes,
        })
    }
}

/// The text of a file or of standard input, with its name in messages.
pub(in crate::command) fn text(
    path: &Path,
    streams: &mut Streams,
) -> Result<(String, String), Failure> {
    if is_stdin(path) {
        let text = streams
            .read_input()
            .map_err(|error| Failure::reading(&say!("cli-standard-input"), &error))?;
        return Ok((STDIN.to_owned(), text));
    }
    let given = path;
    let path = normal(path);
    // Of `.` nothing is left.
    let path = if path.as_os_str().is_empty() {
        given.to_owned()
    } else {
        path
    };
    let text = read_text(&path).map_err(|error| Failure::reading(&quoted(&path), &error))?;
    Ok((path.display().to_string(), text))
}

/// The files that tables were read from.
pub(in crate::command) fn claims(tables: &[Table], sources: &SourceMap) -> Claims {
    let mut claims = Claims::default();
    for table in with_parts(tables) {
        match &*sources.get(table.source_id).name {
            STDIN => claims.reads_standard_input(),
            name => claims.reads(Path::new(name)),
        }
        let from = &*sources.get(table.source_id).name;
        for path in table
            .lookups
            .iter()
            .filter_map(|lookup| lookup.file.as_ref())
        {
            claims.reads(&beside(&path.value, from));
        }
    }
    claims
}

/// Shows warnings and errors on stderr, and what was not checked, as the manner of the command
/// allows.
pub(in crate::command) fn show(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    streams: &mut Streams,
) {
    let least = match streams.manner {
        Manner::Plain => Severity::Warning,
        Manner::Quiet => Severity::Error,
        Manner::Json => return,
    };
    let loud = |report: &&Diagnostic| {
        report.severity >= least || (report.code == LEFT_OPEN && streams.manner == Manner::Plain)
    };
    let shown: Vec<Diagnostic> = diagnostics.iter().filter(loud).cloned().collect();
    if !shown.is_empty() {
        streams.talk_drawn(&render(&shown, sources, Style::Coloured));
    }
}

/// Shows what is wrong with a table or an option.
pub(in crate::command) fn refuse(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    streams: &mut Streams,
) -> Failure {
    let status = Status::of(diagnostics);
    if streams.manner == Manner::Json {
        let refused = json!({ "ended": "refused", "diagnostics": to_json(diagnostics, sources) });
        return match streams.print(&format!("{refused:#}\n")) {
            Ok(()) => Failure::Said(status),
            Err(failure) => failure,
        };
    }
    show(diagnostics, sources, streams);
    Failure::Said(status)
}

/// Prints reports as JSON.
pub(in crate::command) fn print_json(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    streams: &mut Streams,
) -> Outcome {
    streams.print(&format!("{:#}\n", to_json(diagnostics, sources)))
}

impl Opened {
    /// A table as it was read; what was read, if that has errors.
    pub(in crate::command) fn of(mut loaded: Loaded) -> Result<Self, Box<Loaded>> {
        let Some(model) = loaded.model.take() else {
            return Err(Box::new(loaded));
        };
        Ok(Self {
            sources: loaded.sources,
            tables: loaded.tables,
            own_stop: model.clock.stop_when.clone(),
            model: Arc::new(model),
            origins: loaded.origins,
            expectations: loaded.expectations,
            lab: loaded.lab,
            data: loaded.data,
            sized_by: loaded.choices,
            diagnostics: loaded.diagnostics,
        })
    }

    /// Frees the rows as they were read: a large table takes more room as a tree than its run does.
    pub(in crate::command) fn drop_rows(&mut self) {
        for table in &mut self.tables {
            table.ranges = Vec::new();
            table.situations = Vec::new();
            table.assignments = Vec::new();
            table.relations = Vec::new();
        }
    }

    /// Gives families the size that settings ask for: the table is resolved anew. The settings are not applied.
    ///
    /// # Errors
    ///
    /// With that size the table has errors; they have then been shown.
    pub(in crate::command) fn reshape(
        &mut self,
        choices: &Choices,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let resized = self.resize(choices);
        resized.map_err(|reports| refuse(&reports, &self.sources, streams))
    }

    /// The same, with nothing shown.
    ///
    /// # Errors
    ///
    /// What is wrong with the table in that size, with what is only suspicious.
    pub(in crate::command) fn resize(&mut self, choices: &Choices) -> Result<(), Vec<Diagnostic>> {
        if self.sized_by == *choices {
            return Ok(());
        }
        let Some(tables) = chosen(&self.tables, &mut self.sources, choices) else {
            return Ok(());
        };
        let resolved = resolve::resolve(&tables, &self.sources, &self.data);
        let Some(model) = resolved.model else {
            return Err(resolved.diagnostics);
        };
        self.model = Arc::new(model);
        self.origins = resolved.origins;
        self.expectations = resolved.expectations;
        self.lab = resolved.lab;
        self.diagnostics = resolved.diagnostics;
        self.sized_by = choices.clone();
        Ok(())
    }

    /// What came of the expectations in a run that measured them.
    pub(in crate::command) fn outcomes(&self, measured: &[Option<f64>]) -> Vec<resolve::Outcome> {
        resolve::outcomes(&self.expectations, &self.model, measured)
    }

    /// The files that were read, against which outputs are held.
    pub(in crate::command) fn claims(&self) -> Claims {
        claims(&self.tables, &self.sources)
    }

    /// Findings of a check of the model as it stands.
    pub(in crate::command) fn check(&self, budget: Budget) -> Vec<Diagnostic> {
        let watchers = Watchers {
            expectations: &self.expectations,
            lab: self.lab.as_ref(),
            ..Watchers::default()
        };
        check_with(&self.model, &self.origins, watchers, budget)
    }

    /// Findings of a brief check before a run.
    pub(in crate::command) fn look(&self) -> Vec<Diagnostic> {
        let mut found = self.check(Budget::BRIEF);
        for note in found.iter_mut().filter(|found| found.code == LEFT_OPEN) {
            note.help = Some(say!("cli-table.situ-check-takes"));
        }
        found
    }

    /// Shows why a run cannot start.
    pub(in crate::command) fn refuse_run(
        &self,
        error: &SetupError,
        streams: &mut Streams,
    ) -> Failure {
        let report = setup_error(error, &self.model, &self.origins);
        refuse(&[report], &self.sources, streams)
    }
}
