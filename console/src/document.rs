//! Tables as they are edited: texts, and what they say.
//!
//! [`Document`] is the text of a table with the texts of those it extends; an edit gives another
//! document, by changes of the text (`situ_rules::edit`). [`Version`] is what one says, with the case,
//! the values that were set and the settings: read, resolved and ready to be run, as a file would be.
//!
//! An edit changes the text and reads it anew, so that what is saved is what was run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use situ_engine::model::{Boolean, Clock, Model, Named};
use situ_engine::sim::RunConfig;
use situ_rules::check::{Budget, Watchers, check_with};
use situ_rules::diag::{Style, dense_schedules, rounded_delays};
use situ_rules::print;
use situ_rules::resolve::{Expectation, Lab};
use situ_rules::source::Origins;
use situ_rules::tree::{List, Table};
use situ_rules::{
    DataFile, Diagnostic, Loaded, Loader, SourceMap, TableText, edit, load_as, resolve,
};

use super::files::{Files, normal};
use super::reply::CommandError;
use super::settings::{Choices, config};
use situ_views::columns::csv::hexadecimal;
use situ_views::text::plain;
use situ_words::say;

/// Digits of a hash in a script.
const HASH_DIGITS: usize = 16;

/// The hash of what a file holds.
pub(super) fn digest(content: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// Table with which an empty session begins.
const EMPTY: &str = "(
    format: 1,
    name: \"untitled\",
    clock: (step: 0.001, stop: 10),
)
";

/// A table's text and the texts it builds on.
#[derive(Clone, Debug)]
pub(super) struct Document {
    files: Arc<dyn Files>,
    /// File from which it was read.
    pub(super) path: Option<PathBuf>,
    /// As it is called in reports.
    pub(super) name: String,
    pub(super) text: String,
    /// The hash of the file as it was read.
    pub(super) read_hash: String,
    /// Those that it extends, as they were when it was loaded.
    bases: Vec<TableText>,
    /// Files of its lookups, likewise.
    data: Vec<Arc<DataFile>>,
}

/// A table that can be run.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) document: Arc<Document>,
    /// The hash of all texts and data that a run of it follows from, in hexadecimal digits.
    pub(super) hash: String,
    pub(super) choices: Choices,
    pub(super) sources: SourceMap,
    /// The table and those it extends, base first.
    pub(super) tables: Vec<Table>,
    pub(super) origins: Origins,
    pub(super) model: Arc<Model>,
    /// The exercise, if the table has one.
    pub(super) lab: Option<Lab>,
    /// What the table expects of its runs.
    pub(super) expectations: Vec<Expectation>,
    pub(super) config: RunConfig,
    /// Reports of reading and checking.
    pub(super) findings: Vec<Diagnostic>,
}

impl Document {
    /// Reads a file.
    pub(super) fn open(files: Arc<dyn Files>, path: &Path) -> Result<Self, CommandError> {
        let path = normal(path);
        let text = files.read(&path).map_err(|error| {
            CommandError::new(say!(
                "console-cannot-read",
                path = path.display().to_string(),
                error = plain(&error)
            ))
        })?;
        Ok(Self {
            files,
            name: path.display().to_string(),
            path: Some(path),
            read_hash: digest(&text),
            text,
            bases: Vec::new(),
            data: Vec::new(),
        })
    }

    fn empty(files: Arc<dyn Files>) -> Self {
        Self {
            files,
            path: None,
            name: "untitled".to_owned(),
            text: EMPTY.to_owned(),
            read_hash: String::new(),
            bases: Vec::new(),
            data: Vec::new(),
        }
    }

    /// The files that it was read from: that of the table itself, if it is to be kept, and the others.
    pub(super) fn read_from(&self, with_own: bool) -> Vec<&Path> {
        let own = self.path.as_deref().filter(|_| with_own);
        let others = self.others().map(|(path, _)| path);
        own.into_iter().chain(others).collect()
    }

    /// The files that it builds on, with what they held: tables that it extends, data of its lookups.
    pub(super) fn others(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        let bases = self.bases.iter();
        let bases = bases.map(|base| (Path::new(&base.name), base.text.as_bytes()));
        let data = self.data.iter();
        let data = data.map(|file| (Path::new(&file.name), &*file.bytes));
        bases.chain(data)
    }

    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let bases = self.bases.iter().map(|base| base.text.as_bytes());
        let data = self.data.iter().map(|file| &*file.bytes);
        for content in bases.chain([self.text.as_bytes()]).chain(data) {
            hash.update(content.len().to_le_bytes());
            hash.update(content);
        }
        let mut digits = hexadecimal(&hash.finalize());
        digits.truncate(HASH_DIGITS);
        digits
    }

    /// The document with another text.
    pub(super) fn with_text(&self, text: String) -> Self {
        Self {
            text,
            ..self.clone()
        }
    }

    /// What it says, and the document with the files that it was read from.
    fn load(self, choices: &Choices) -> (Loaded, Self) {
        let mut loader = Beside {
            document: &self,
            bases: Vec::new(),
            data: Vec::new(),
        };
        let set = choices.settings.iter();
        let chosen = situ_rules::Choices {
            case: choices.case.clone(),
            set: set
                .map(|(name, value)| format!("{} = {value}", print::name(name)))
                .collect(),
        };
        let loaded = load_as(&self.name, &self.text, &mut loader, &chosen);
        let Beside { bases, data, .. } = loader;
        (
            loaded,
            Self {
                bases,
                data,
                ..self
            },
        )
    }
}

/// The files that a document names, relative to it; those read before are not read again.
struct Beside<'d> {
    document: &'d Document,
    bases: Vec<TableText>,
    data: Vec<Arc<DataFile>>,
}

fn beside(path: &str, from: &str) -> PathBuf {
    let directory = Path::new(from).parent().unwrap_or(Path::new(""));
    normal(&directory.join(path))
}

impl Loader for Beside<'_> {
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String> {
        let path = beside(path, from);
        let name = path.display().to_string();
        let mut known = self.document.bases.iter();
        let base = match known.find(|base| base.name == name) {
            Some(base) => base.clone(),
            None => TableText {
                text: (self.document.files.read(&path)).map_err(|error| plain(&error))?,
                name,
            },
        };
        self.bases.push(base.clone());
        Ok(base)
    }

    fn data(&mut self, path: &str, from: &str) -> Result<DataFile, String> {
        let path = beside(path, from);
        let name = path.display().to_string();
        let mut known = self.document.data.iter();
        let file = match known.find(|file| file.name == name) {
            Some(file) => Arc::clone(file),
            None => Arc::new(DataFile {
                bytes: (self.document.files.read_bytes(&path)).map_err(|error| plain(&error))?,
                name,
            }),
        };
        self.data.push(Arc::clone(&file));
        Ok((*file).clone())
    }
}

impl Version {
    /// Document with which a session begins.
    pub(super) fn empty(files: Arc<dyn Files>) -> Self {
        Self::of(Document::empty(files), Choices::default(), Style::Plain)
            .expect("an empty table can be run")
    }

    /// Reads, resolves and checks a document. Values that were set go with their names: what the table does not have any more
    /// is set no more.
    ///
    /// # Errors
    ///
    /// Whatever a file would be refused for.
    pub(super) fn of(
        document: Document,
        mut choices: Choices,
        style: Style,
    ) -> Result<Self, CommandError> {
        let (loaded, document) = document.load(&choices);
        let Loaded {
            mut sources,
            tables,
            model,
            mut origins,
            lab,
            expectations,
            diagnostics,
            ..
        } = loaded;
        let Some(mut model) = model else {
            return Err(CommandError::reports(&diagnostics, &sources, style));
        };
        if let Some(name) = &choices.case {
            let case = model.cases.iter().position(|case| case.name == *name);
            let case = case.ok_or_else(|| no_case(name, &model))?;
            model.apply_case(case);
        }
        let takes_value = |name: &str| match model.find(name) {
            Some(Named::Boolean(what)) => matches!(what, Boolean::Switch(_)),
            found => found.is_some(),
        };
        choices.settings.retain(|(name, _)| takes_value(name));
        let mut wrong = Vec::new();
        for (name, value) in &choices.settings {
            let text = format!("{} = {value}", print::name(name));
            match resolve::setting(&mut model, &mut origins, &mut sources, "<set>", &text) {
                Ok(setting) => model.apply(&[setting]),
                Err(reports) => wrong.extend(reports),
            }
        }
        let mut over = choices.clock.clone();
        for (name, text) in &choices.formulas {
            let Some(setting) = Clock::setting(name) else {
                continue;
            };
            let shown_as = format!("<set {name}>");
            match resolve::clock_formula(
                &mut model,
                &mut origins,
                &mut sources,
                &shown_as,
                setting,
                text,
            ) {
                Ok(value) => setting
                    .set(&mut over, value)
                    .expect("a formula is read as its setting's kind"),
                Err(reports) => wrong.extend(reports),
            }
        }
        if !wrong.is_empty() {
            return Err(CommandError::reports(&wrong, &sources, style));
        }
        model.clock = model.clock.overridden_by(&over);
        let config = config(&model.clock)?;
        let mut findings = diagnostics;
        findings.extend(check_with(
            &model,
            &origins,
            Watchers {
                expectations: &expectations,
                lab: lab.as_ref(),
                ..Watchers::default()
            },
            Budget::default(),
        ));
        if let RunConfig::Ticks(ticks) = &config
            && !ticks.is_uneven()
        {
            findings.extend(rounded_delays(&model, &origins, ticks.step));
            findings.extend(dense_schedules(&model, &origins, ticks.step));
        }
        Ok(Self {
            hash: document.hash(),
            document: Arc::new(document),
            choices,
            sources,
            tables,
            origins,
            model: Arc::new(model),
            lab,
            expectations,
            config,
            findings,
        })
    }

    /// The same choices over another text.
    pub(super) fn edited(&self, text: String, style: Style) -> Result<Self, CommandError> {
        Self::of(self.document.with_text(text), self.choices.clone(), style)
    }

    /// The same text with other choices.
    pub(super) fn chosen(&self, choices: Choices, style: Style) -> Result<Self, CommandError> {
        Self::of((*self.document).clone(), choices, style)
    }

    /// End of the run, if the table states one [units of `time`].
    pub(super) fn stop(&self) -> Option<f64> {
        self.model.clock.stop
    }

    /// Reports of this version that another has not.
    pub(super) fn news(&self, before: &Version) -> Vec<Diagnostic> {
        let known = |report: &&Diagnostic| {
            !before
                .findings
                .iter()
                .any(|old| old.code == report.code && old.message == report.message)
        };
        self.findings.iter().filter(known).cloned().collect()
    }

    /// Rows of the edited table that are set aside, with their lists.
    pub(super) fn aside(&self) -> Vec<(List, edit::SetAside)> {
        let lists = List::ALL.into_iter();
        let rows = lists.flat_map(|list| {
            let rows = edit::rows_aside(&self.document.text, list.name()).unwrap_or_default();
            rows.into_iter().map(move |row| (list, row))
        });
        rows.collect()
    }
}

fn no_case(name: &str, model: &Model) -> CommandError {
    let names: Vec<&str> = model.cases.iter().map(|case| &*case.name).collect();
    let trouble = CommandError::new(say!("console-no-case", name));
    match situ_rules::diag::nearest(name, names.iter().copied()) {
        Some(near) => trouble.with_help(say!("report-did-you-mean", near)),
        None if names.is_empty() => trouble,
        None => trouble.with_help(say!("console-there-are", names = names.join(", "))),
    }
}
