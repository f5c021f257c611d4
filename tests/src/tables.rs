//! Tables from disk, ready to run: what the other modules start from.

use std::path::{Path, PathBuf};

use situ_engine::ids::{ExprId, RealId};
use situ_engine::model::{Clock, IntegralRule, Model, Watch};
use situ_engine::sim::{TickConfig, TickRun};
use situ_engine::trace::{Measure, Trace, TraceRecorder};
use situ_rules::diag::{Style, render};
use situ_rules::layout::format;
use situ_rules::print::Spelling;
use situ_rules::source::Origins;
use situ_rules::tree::{Form, Relation};
use situ_rules::{DataFile, Diagnostic, Loaded, Loader, SourceMap, TableText, load, resolve};

/// The folder that holds `scenarios/` and `tests/`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate stands in the root")
}

/// The entries of a folder in the order of their names.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut entries: Vec<PathBuf> = read.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// The files of a folder that end so, in the order of their names.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = entries(folder);
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files
}

/// The name of a file without folder and extension.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// The folders of `scenarios/`.
pub(crate) fn scenario_folders() -> Vec<PathBuf> {
    let mut folders = entries(&root().join("scenarios"));
    folders.retain(|path| path.is_dir());
    folders
}

/// Reads a table and all that it extends; names are shown relative to the root.
pub(crate) fn read(path: &Path) -> Loaded {
    let name = shown(path);
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    load(&name, &text, &mut FromDisk)
}

/// A loader of files beside the table that names them.
pub(crate) struct FromDisk;

impl Loader for FromDisk {
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String> {
        from_disk(path, from)
    }

    fn data(&mut self, path: &str, from: &str) -> Result<DataFile, String> {
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        let name = folder.join(path).display().to_string();
        let bytes = std::fs::read(root().join(&name));
        let bytes = bytes.map_err(|_| "no such file".to_owned())?;
        Ok(DataFile { name, bytes })
    }
}

/// A loader of tables beside the one that names them.
pub(crate) fn from_disk(path: &str, from: &str) -> Result<TableText, String> {
    let from = root().join(from);
    let path = from.parent().expect("a file stands in a folder").join(path);
    let path = path.canonicalize().map_err(|_| "no such file".to_owned())?;
    let text = std::fs::read_to_string(&path).map_err(|error| error.kind().to_string())?;
    let name = shown(&path);
    Ok(TableText { name, text })
}

pub(crate) fn shown(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.to_str().unwrap().to_owned()
}

/// A model with the texts it comes from.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) model: Model,
    pub(crate) origins: Origins,
    pub(crate) sources: SourceMap,
}

impl Table {
    /// A table that stands in a file and has no mistakes.
    pub(crate) fn at(path: impl AsRef<Path>) -> Self {
        Self::of(read(&root().join("scenarios").join(path)))
    }

    /// A table without mistakes.
    pub(crate) fn from_text(text: &str) -> Self {
        Self::of(load("table.ron", text, &mut situ_rules::standalone))
    }

    /// The same as if it stood in a folder, so that it can name the files there.
    pub(crate) fn in_folder(folder: &str, text: &str) -> Self {
        Self::of(load(&format!("{folder}/table.ron"), text, &mut FromDisk))
    }

    /// A millisecond, or the table's own tick where it is shorter: longer ones would be unstable.
    pub(crate) fn short_step(&self) -> f64 {
        self.model.clock.step.unwrap_or(1e-3).min(1e-3)
    }

    /// A table of `scenarios/` with one more range.
    pub(crate) fn with_range(path: &str, range: &str) -> Self {
        let text =
            format!(r#"(format: 1, extends: "{path}", name: "with_range", ranges: ["{range}"])"#);
        Self::of(load("scenarios/with_range.ron", &text, &mut FromDisk))
    }

    pub(crate) fn of(loaded: Loaded) -> Self {
        let Loaded {
            model,
            origins,
            sources,
            diagnostics,
            ..
        } = loaded;
        let Some(model) = model else {
            panic!("{}", render(&diagnostics, &sources, Style::Plain));
        };
        Self {
            model,
            origins,
            sources,
        }
    }

    /// Applies a case by name.
    pub(crate) fn case(mut self, name: &str) -> Self {
        let mut cases = self.model.cases.iter();
        let index = cases.position(|case| case.name == name);
        self.model
            .apply_case(index.unwrap_or_else(|| panic!("no case {name}")));
        self
    }

    /// Changes a value, as `--set NAME=VALUE` does.
    pub(crate) fn set(mut self, text: &str) -> Self {
        let setting = self.bind(|model, origins, sources| {
            resolve::setting(model, origins, sources, "<--set>", text)
        });
        self.model.apply(&[setting]);
        self
    }

    /// Overrides the clock.
    pub(crate) fn clock(mut self, clock: Clock) -> Self {
        self.model.clock = self.model.clock.overridden_by(&clock);
        self
    }

    /// A run of so many ticks.
    pub(crate) fn ticks(self, step: f64, ticks: u64, every: u64, integral: IntegralRule) -> Run {
        let mut config = TickConfig::from_clock(&Clock {
            integral: Some(integral),
            step: Some(step),
            stop: Some(step),
            ..self.model.clock.clone()
        })
        .unwrap_or_else(|_| panic!("{}: a clock that makes no run", self.model.name));
        config.ticks = ticks;
        config.every = every;
        Run {
            table: self,
            config,
        }
    }

    /// A run as the table asks for.
    pub(crate) fn into_run(self) -> Run {
        let config = TickConfig::from_clock(&self.model.clock).unwrap();
        Run {
            table: self,
            config,
        }
    }

    /// A condition over rows of the trajectory.
    pub(crate) fn watch(&mut self, text: &str) -> Watch {
        self.bind(|model, origins, sources| {
            resolve::condition(model, origins, sources, "<condition>", text)
        })
    }

    /// An expression over the quantities.
    pub(crate) fn expr(&mut self, text: &str) -> ExprId {
        self.bind(|model, origins, sources| {
            resolve::expression(model, origins, sources, "<expression>", text)
        })
    }

    fn bind<T>(
        &mut self,
        bind: impl FnOnce(&mut Model, &mut Origins, &mut SourceMap) -> Result<T, Vec<Diagnostic>>,
    ) -> T {
        let bound = bind(&mut self.model, &mut self.origins, &mut self.sources);
        bound
            .unwrap_or_else(|mistakes| panic!("{}", render(&mistakes, &self.sources, Style::Plain)))
    }

    /// A real by name.
    pub(crate) fn real(&self, name: &str) -> RealId {
        let mut reals = self.model.reals.iter();
        let index = reals.position(|real| real.name == name);
        RealId::new(index.unwrap_or_else(|| panic!("no real {name}")))
    }
}

/// A table with the settings of a run.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) table: Table,
    pub(crate) config: TickConfig,
}

impl Run {
    /// A simulation at its start.
    pub(crate) fn simulation(&self) -> TickRun {
        self.measured(&[])
    }

    /// A simulation at its start that takes measures.
    pub(crate) fn measured(&self, measures: &[Measure]) -> TickRun {
        let (model, config) = (self.table.model.clone(), self.config.clone());
        TickRun::with_measures(model, config, measures).unwrap()
    }

    /// The trajectory.
    pub(crate) fn trace(&self) -> Trace {
        let mut recorder = TraceRecorder::new(&self.table.model);
        self.simulation().run(&mut recorder).unwrap();
        recorder.trace
    }

    /// The results of measures over the whole run.
    pub(crate) fn measure<const N: usize>(&self, measures: [Measure; N]) -> [f64; N] {
        let mut simulation = self.measured(&measures);
        simulation.run(&mut ()).unwrap();
        let results = simulation.measured();
        std::array::from_fn(|index| {
            results[index].unwrap_or_else(|| panic!("no value for {:?}", measures[index]))
        })
    }
}

/// True if a model has rows that are solved: these are not compiled, and the second tick run does not know them.
pub(crate) fn solves(model: &Model) -> bool {
    model.relations.iter().any(|row| row.procedure.solves())
}

/// A table laid out; if asked for, with all rows in one spelling.
pub(crate) fn laid_out(name: &str, text: &str, form: Option<Form>) -> String {
    let loaded = load(name, text, &mut FromDisk);
    let table = loaded.tables.last().expect("it can be read");
    let constants = resolve::constants(&loaded.tables);
    let is_constant = |name: &str| constants.contains(name);
    let columns = |relation: &Relation| resolve::columns(relation, &is_constant);
    let to = form.map(|form| Spelling {
        form,
        columns: &columns,
        is_constant: &is_constant,
    });
    format(&loaded.sources, table.source_id, to.as_ref()).expect("it has no mistakes")
}

/// The column of a trace that belongs to a name, as numbers; booleans are 0 and 1.
pub(crate) fn column(model: &Model, trace: &Trace, name: &str) -> Option<Vec<f64>> {
    if let Some(index) = model.reals.iter().position(|real| real.name == name) {
        return Some(trace.reals[index].clone());
    }
    let mut switches = model.switches.iter().map(|switch| &switch.name);
    let mut ranges = model.ranges.iter().map(|range| &range.name);
    let mut situations = model.situations.iter().map(|situation| &situation.name);
    let values = if let Some(index) = switches.position(|found| found == name) {
        &trace.switches[index]
    } else if let Some(index) = ranges.position(|found| found == name) {
        &trace.ranges[index]
    } else {
        &trace.situations[situations.position(|found| found == name)?]
    };
    Some(values.iter().map(|&value| f64::from(value)).collect())
}

/// A named boolean, with `!` before it its negation, at each row of a trace.
pub(crate) fn literal(model: &Model, trace: &Trace, literal: &str) -> Vec<bool> {
    let name = literal.trim_start_matches('!');
    let values = column(model, trace, name).unwrap_or_else(|| panic!("no boolean {name}"));
    let holds = !literal.starts_with('!');
    let values = values.into_iter();
    values.map(|value| (value != 0.0) == holds).collect()
}
