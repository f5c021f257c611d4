//! A table and all that it extends, from text to model.

use situ_engine::model::Model;

use crate::diag::{Diagnostic, Severity, has_errors, limit};
use crate::lookups::{Data, DataFile};
use crate::parse;
use crate::resolve::{self, report, resolve};
use crate::source::{Origins, SourceMap};
use crate::tree::{Setting, SettingValue, Table};

/// Most tables that may extend one another.
pub const MAX_TABLES: usize = 64;

/// Gives the texts of the tables that a table extends. Closures of the same shape are loaders.
pub trait Loader {
    /// The text of a table.
    ///
    /// Shapes: `path`, as it is written after `extends`, relative to the table `from`; `from`, the name
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
        Err(format!("{from} cannot read other files"))
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
    Err(format!("{from} cannot extend another table"))
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
    /// All that was found, in the order of the places.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Reads the table with another text, over the same tables that it extends.
    pub fn again(&self, text: &str) -> Self {
        let mut texts = self.sources.iter();
        let name = texts.next().map_or("", |source| &source.name);
        // They were read in the order in which they extend each other.
        let mut bases = |_: &str, _: &str| match texts.next() {
            Some(base) => Ok(TableText {
                name: base.name.clone(),
                text: base.text.clone(),
            }),
            None => Err("it was not read".to_owned()),
        };
        load_over(
            self.data.clone(),
            name,
            text,
            &mut bases,
            &Choices::default(),
        )
    }

    /// True if another table says the same: it has the same model or, if it has none, the same kinds of mistakes.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let kinds = |loaded: &Self| {
            let errors = loaded.diagnostics.iter();
            let errors = errors.filter(|found| found.severity == Severity::Error);
            let mut kinds: Vec<&str> = errors.map(|error| error.code).collect();
            kinds.sort_unstable();
            kinds
        };
        match (&self.model, &other.model) {
            (None, None) => kinds(self) == kinds(other),
            (a, b) => a == b,
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
        ..Loaded::default()
    };
    let mut chain = vec![name.to_owned()];
    let mut next = loaded.sources.add(name, text);
    let mut complete = true;
    loop {
        let (table, mistakes) = parse::table(&loaded.sources, next);
        loaded.diagnostics.extend(mistakes);
        let Some(table) = table else {
            complete = false;
            break;
        };
        let extends = table.extends.clone();
        loaded.tables.push(table);
        let Some(path) = extends else { break };
        let from = chain
            .last()
            .expect("the chain begins with the table itself");
        match loader.load(&path.value, from) {
            Err(why) => {
                loaded.diagnostics.push(report::no_base_file(&path, &why));
                complete = false;
                break;
            }
            Ok(base) if chain.contains(&base.name) => {
                loaded
                    .diagnostics
                    .push(report::extends_itself(&path, &base.name));
                complete = false;
                break;
            }
            Ok(_) if chain.len() == MAX_TABLES => {
                loaded
                    .diagnostics
                    .push(report::too_many_bases(&path, MAX_TABLES));
                complete = false;
                break;
            }
            Ok(base) => {
                next = loaded.sources.add(&base.name, base.text);
                chain.push(base.name);
            }
        }
    }
    loaded.tables.reverse();
    // Without the whole chain every name of the missing part would be reported as unknown.
    if complete {
        for table in &loaded.tables {
            let from = &loaded.sources.get(table.source_id).name;
            for path in table
                .lookups
                .iter()
                .filter_map(|lookup| lookup.file.as_ref())
            {
                let data = &mut loaded.data;
                data.add(&path.value, from, || loader.data(&path.value, from));
            }
        }
        let sized = chosen(&loaded.tables, &mut loaded.sources, choices);
        let tables = sized.as_ref().unwrap_or(&loaded.tables);
        let resolved = resolve(tables, &loaded.sources, &loaded.data);
        loaded.diagnostics.extend(resolved.diagnostics);
        loaded.origins = resolved.origins;
        loaded.expectations = resolved.expectations;
        loaded.model = resolved.model.filter(|_| !has_errors(&loaded.diagnostics));
    }
    resolve::sort(&mut loaded.diagnostics);
    limit(&mut loaded.diagnostics);
    loaded
}

/// The tables with the constants of some settings, if they have families and there are settings.
pub fn chosen(tables: &[Table], sources: &mut SourceMap, choices: &Choices) -> Option<Vec<Table>> {
    if *choices == Choices::default() || !resolve::has_families(tables) {
        return None;
    }
    let mut tables = tables.to_vec();
    let mut settings: Vec<Setting> = Vec::new();
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
        }
    }
    Some(tables)
}
