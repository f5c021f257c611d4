//! A table, all that it extends and all of its parts, from text to model.

mod again;

use std::collections::HashMap;
use std::sync::Arc;

use situ_engine::model::Model;
use situ_words::say;

use crate::check::Watchers;
use crate::diag::{Diagnostic, has_errors, limit};
use crate::lookups::{Data, DataFile};
use crate::parse;
use crate::resolve::{self, report, resolve};
use crate::source::{Origins, SourceId, SourceMap, Spanned};
use crate::tree::{Name, Quantity, Setting, SettingValue, Table};

/// Most tables that may extend one another.
pub const MAX_TABLES: usize = 64;

/// Most tables that may stand in one another as parts.
const MAX_DEPTH: usize = 16;

/// Gives the texts of the tables that a table extends or has as parts. Closures of the same shape are loaders.
pub trait Loader {
    /// The text of a table.
    ///
    /// Shapes: `path`, as it is written after `extends` or `file`, relative to the table `from`; `from`, the name
    /// of that table (of the first one, the name given to [`load`]).
    /// Result: equal tables have equal names, so that tables which extend each other are recognised.
    ///
    /// # Errors
    ///
    /// Why there is no such table, a few words that follow a colon.
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String>;

    /// The content of a file with the points of a lookup.
    ///
    /// Shapes: as [`Self::load`].
    ///
    /// # Errors
    ///
    /// Why there is no such file, a few words that follow a colon.
    fn data(&mut self, path: &str, from: &str) -> Result<DataFile, String> {
        let _ = path;
        Err(say!("base-cannot-read", from))
    }
}

/// The text of a table with the name under which it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableText {
    /// As it is shown in reports; paths in it are relative to this.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl<F> Loader for F
where
    F: FnMut(&str, &str) -> Result<TableText, String>,
{
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String> {
        self(path, from)
    }
}

/// A loader for tables that stand alone: every `extends` is refused.
///
/// # Errors
///
/// Always.
pub fn standalone(_path: &str, from: &str) -> Result<TableText, String> {
    Err(say!("base-cannot-extend", from))
}

/// Settings under which a table is read: those of them that change constants decide how many elements its families
/// have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// One of the table's cases.
    pub case: Option<String>,
    /// Settings `NAME=VALUE`, which come after those of the case.
    pub set: Vec<String>,
}

/// Result of loading a table.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// All texts that were read.
    pub sources: SourceMap,
    /// The tables, base first; those that could be read.
    pub tables: Vec<Table>,
    /// The files of their lookups.
    pub data: Data,
    /// The model; `None` if there are errors.
    pub model: Option<Model>,
    /// The places of the model's rows.
    pub origins: Origins,
    /// What its runs are checked for; those of the table itself, not of what it extends.
    pub expectations: Vec<resolve::Expectation>,
    /// Its exercise, or that of the nearest table that it extends.
    pub lab: Option<resolve::Lab>,
    /// All that was found, in the order of the places.
    pub diagnostics: Vec<Diagnostic>,
    /// The settings that gave its families their size.
    pub choices: Choices,
    /// The other tables, as they were asked for.
    read: Vec<Asked>,
}

/// A table that another one names.
#[derive(Clone, Debug)]
struct Asked {
    path: String,
    from: String,
    source: SourceId,
}

impl Loaded {
    /// What it says of its runs.
    pub fn watchers(&self) -> Watchers<'_> {
        Watchers {
            expectations: &self.expectations,
            lab: self.lab.as_ref(),
            ..Watchers::default()
        }
    }
}

/// Reads a table and all that it extends.
///
/// ```
/// let text = r#"(format: 1, constants: {"g": 9.81}, reals: {"v": 0, "h": 100},
///     relations: ["v = integral(-g)", "h = integral(v)"])"#;
/// let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
/// assert!(loaded.diagnostics.is_empty());
/// assert_eq!(loaded.model.unwrap().relations.len(), 2);
/// ```
pub fn load(name: &str, text: &str, loader: &mut dyn Loader) -> Loaded {
    load_as(name, text, loader, &Choices::default())
}

/// Reads a table with families of the size that settings give them.
///
/// The settings themselves are applied to the model, as always: what is wrong with them is reported then.
///
/// ```
/// use situ_rules::{Choices, load_as, standalone};
///
/// let text = r#"(format: 1, constants: {"N": 3}, counters: {"j": "1 .. N"}, reals: {"u[j]": 1},
///     relations: ["u[j] = integral(-u[j])"])"#;
/// let choices = Choices { set: vec!["N=800".to_owned()], ..Choices::default() };
/// let loaded = load_as("decay.ron", text, &mut standalone, &choices);
/// assert_eq!(loaded.model.unwrap().reals.len(), 800);
/// ```
pub fn load_as(name: &str, text: &str, loader: &mut dyn Loader, choices: &Choices) -> Loaded {
    load_over(Data::default(), name, text, loader, choices)
}

/// The same, with files of lookups that have been read.
fn load_over(
    data: Data,
    name: &str,
    text: &str,
    loader: &mut dyn Loader,
    choices: &Choices,
) -> Loaded {
    let mut loaded = Loaded {
        data,
        choices: choices.clone(),
        ..Loaded::default()
    };
    let own = loaded.sources.add(name, text);
    let mut reading = Reading {
        loaded: &mut loaded,
        loader,
        inside: Vec::new(),
        depth: 0,
        known: HashMap::new(),
    };
    let (tables, complete) = match reading.chain(own) {
        Ok(tables) => (tables, true),
        Err(tables) => (tables, false),
    };
    loaded.tables = tables;
    // Without all tables every name of a missing one would be reported as unknown.
    if complete {
        let sized = chosen(&loaded.tables, &mut loaded.sources, choices);
        let tables = sized.as_ref().unwrap_or(&loaded.tables);
        let resolved = resolve(tables, &loaded.sources, &loaded.data);
        loaded.diagnostics.extend(resolved.diagnostics);
        loaded.origins = resolved.origins;
        loaded.expectations = resolved.expectations;
        loaded.lab = resolved.lab;
        loaded.model = resolved.model.filter(|_| !has_errors(&loaded.diagnostics));
    }
    resolve::drop_consequences(&mut loaded.diagnostics, &loaded.sources);
    resolve::sort(&mut loaded.diagnostics);
    limit(&mut loaded.diagnostics);
    loaded
}

/// The source of a part, and its tables.
type Known = (SourceId, Option<Arc<Vec<Table>>>);

/// Tables while they are read.
struct Reading<'l> {
    loaded: &'l mut Loaded,
    loader: &'l mut dyn Loader,
    /// Names of the tables that are being read, each within the one before it.
    inside: Vec<String>,
    /// So many parts stand around the table.
    depth: usize,
    /// Parts that have been read, by the name of their table; without tables if those are not complete.
    known: HashMap<String, Known>,
}

impl Reading<'_> {
    /// A table with all that it extends, base first, and their parts.
    ///
    /// # Errors
    ///
    /// The tables that could be read; why others could not is reported.
    fn chain(&mut self, own: SourceId) -> Result<Vec<Table>, Vec<Table>> {
        let (mut tables, mut next) = (Vec::new(), own);
        let n_before = self.inside.len();
        let mut complete = true;
        loop {
            let name = self.loaded.sources.get(next).name.clone();
            self.inside.push(name);
            let (table, mistakes) = parse::table(&self.loaded.sources, next);
            self.loaded.diagnostics.extend(mistakes);
            let Some(table) = table else {
                complete = false;
                break;
            };
            let extends = table.extends.clone();
            tables.push(table);
            let Some(path) = extends else { break };
            let n_tables = self.inside.len() - n_before;
            match self.base(&path, n_tables) {
                Some(base) => next = base,
                None => {
                    complete = false;
                    break;
                }
            }
        }
        tables.reverse();
        for table in &mut tables {
            complete &= self.parts(table);
            self.data(table);
        }
        self.inside.truncate(n_before);
        if complete { Ok(tables) } else { Err(tables) }
    }

    /// The table that the last one extends; `None` after a report.
    fn base(&mut self, path: &Spanned<String>, n_tables: usize) -> Option<SourceId> {
        let from = self.inside.last()?.clone();
        let report = match self.loader.load(&path.value, &from) {
            Err(why) => report::no_base_file(path, &why),
            Ok(base) if self.inside.contains(&base.name) => {
                report::extends_itself(path, &base.name)
            }
            Ok(_) if n_tables >= MAX_TABLES => report::too_many_bases(path, MAX_TABLES),
            Ok(base) => return Some(self.add(&path.value, &from, base)),
        };
        self.loaded.diagnostics.push(report);
        None
    }

    fn add(&mut self, path: &str, from: &str, table: TableText) -> SourceId {
        let source = self.loaded.sources.add(&table.name, table.text);
        self.loaded.read.push(Asked {
            path: path.to_owned(),
            from: from.to_owned(),
            source,
        });
        source
    }

    /// Reads the tables of the parts; false if they are not complete.
    fn parts(&mut self, table: &mut Table) -> bool {
        let from = self.loaded.sources.get(table.source_id).name.clone();
        let mut complete = true;
        let mut by_path: HashMap<String, Option<Arc<Vec<Table>>>> = HashMap::new();
        for part in &mut table.parts {
            let Some(path) = &part.file else { continue };
            if path.value.is_empty() && has_errors(&self.loaded.diagnostics) {
                complete = false;
                continue;
            }
            let found = match by_path.get(&path.value) {
                Some(found) => found.clone(),
                None => {
                    let found = self.part(path, &from);
                    by_path.insert(path.value.clone(), found.clone());
                    found
                }
            };
            complete &= found.is_some();
            part.tables = found.unwrap_or_default();
        }
        complete
    }

    /// The tables of a part; `None` after a report.
    fn part(&mut self, path: &Spanned<String>, from: &str) -> Option<Arc<Vec<Table>>> {
        let report = match self.loader.load(&path.value, from) {
            Err(why) => report::no_part_file(path, &why),
            Ok(table) if self.inside.contains(&table.name) => {
                report::contains_itself(path, &table.name)
            }
            Ok(_) if self.depth == MAX_DEPTH => report::parts_too_deep(path, MAX_DEPTH),
            Ok(table) => {
                if let Some((source, known)) = self.known.get(&table.name) {
                    self.loaded.read.push(Asked {
                        path: path.value.clone(),
                        from: from.to_owned(),
                        source: *source,
                    });
                    return known.clone();
                }
                let name = table.name.clone();
                let source = self.add(&path.value, from, table);
                self.depth += 1;
                let tables = self.chain(source).ok().map(Arc::new);
                self.depth -= 1;
                self.known.insert(name, (source, tables.clone()));
                return tables;
            }
        };
        self.loaded.diagnostics.push(report);
        None
    }

    /// Reads the files of lookups.
    fn data(&mut self, table: &Table) {
        let Loaded { sources, data, .. } = &mut *self.loaded;
        let from = &sources.get(table.source_id).name;
        let lookups = table.lookups.iter();
        for path in lookups.filter_map(|lookup| lookup.file.as_ref()) {
            let loader = &mut self.loader;
            data.add(&path.value, from, || loader.data(&path.value, from));
        }
    }
}

/// The tables with the constants of some settings, if they have families and there are settings.
pub fn chosen(tables: &[Table], sources: &mut SourceMap, choices: &Choices) -> Option<Vec<Table>> {
    if *choices == Choices::default() || !resolve::has_families(tables) {
        return None;
    }
    let mut tables = tables.to_vec();
    let mut settings: Vec<Setting> = Vec::new();
    for case in tables.iter_mut().flat_map(|table| &mut table.cases) {
        case.aside = choices.case.as_ref() != Some(&case.name.value);
    }
    if let Some(name) = &choices.case {
        let mut cases = tables.iter().rev().flat_map(|table| &table.cases);
        let case = cases.find(|case| case.name.value == *name);
        settings.extend(case.into_iter().flat_map(|case| case.set.clone()));
    }
    for text in &choices.set {
        let id = sources.add("<--set>", text);
        let (setting, mistakes) = parse::setting(sources, sources.span(id));
        settings.extend(setting.filter(|_| !has_errors(&mistakes)));
    }
    for setting in settings {
        let SettingValue::Expr(value) = setting.value else {
            continue;
        };
        let mut constants = tables
            .iter_mut()
            .rev()
            .flat_map(|table| &mut table.constants);
        let written = constants.find(|constant| constant.name.value == setting.name.value);
        if let Some(written) = written {
            written.start = Some(value);
            continue;
        }
        // An element of a family gets an entry of its own: networks decide which elements are read.
        let base = situ_engine::model::element(&setting.name.value).map(|(base, _)| base);
        let is_family = |table: &Table| {
            let mut constants = table.constants.iter();
            constants
                .any(|constant| constant.name.index.is_some() && Some(constant.name.base()) == base)
        };
        if tables.iter().any(is_family)
            && let Some(own) = tables.last_mut()
        {
            let (span, start) = (setting.name.span, Some(value));
            own.constants.push(Quantity::new(setting.name, span, start));
            continue;
        }
        let mut parts = tables.iter_mut().rev().flat_map(|table| &mut table.parts);
        let inside = parts.find_map(|part| {
            let name = setting.name.value.strip_prefix(&part.name.value)?;
            let name = name.strip_prefix('.')?.to_owned();
            Some((part, Name::new(name, setting.name.span)))
        });
        if let Some((part, name)) = inside {
            let value = SettingValue::Expr(value);
            part.set.push(Setting { name, value });
        }
    }
    Some(tables)
}

/// Gives constants, reals and switches of a table that is written out the values that they begin with.
pub fn begin_with(table: &mut Table, sources: &mut SourceMap, choices: &Choices) {
    let case = choices.case.as_ref();
    let mut cases = table.cases.iter();
    let case = case.and_then(|name| cases.find(|case| case.name.value == *name));
    let mut settings: Vec<Setting> = case.map_or_else(Vec::new, |case| case.set.clone());
    for text in &choices.set {
        let id = sources.add("<--set>", text);
        let (setting, mistakes) = parse::setting(sources, sources.span(id));
        settings.extend(setting.filter(|_| !has_errors(&mistakes)));
    }
    for setting in settings {
        // What the table does not have is reported where it is set.
        _ = resolve::settle(table, &setting.name.value, &setting.value);
    }
}
