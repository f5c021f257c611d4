//! Setup of runs: a table and options become a model that is ready to be run, many times and from other start values.
//!
//! The options are those of `situ run`, by the same names and with the same meaning.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use situ_engine::ids::{ConstantId, RealId, SwitchId};
use situ_engine::model::{Clock, ClockKind, ClockValue, Input, Model, element};
use situ_engine::sim::{ConfigError, PreparedModel, RunConfig};
use situ_engine::trace::Measure;
use situ_repl::engine::{EngineArg, EngineArgs};
use situ_rules::diag::{Severity, has_errors, meant, nearest, setup_error};
use situ_rules::resolve::{self, MeasureError};
use situ_rules::source::Origins;
use situ_rules::{Choices, Diagnostic, Loaded, SourceMap, chosen, print};
use situ_views::columns::{Columns, Unreadable};

use crate::error::{Refusal, Reports};

/// What is to be run and how, besides numbers that are set.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    /// A case of the table.
    pub(crate) case: Option<String>,
    /// Names and the expressions that they are set to.
    pub(crate) set: Vec<(String, String)>,
    /// Settings of the clock by name: numbers and texts.
    pub(crate) clock: BTreeMap<String, Value>,
    /// Measures.
    pub(crate) measure: Vec<String>,
    /// Columns, if not all.
    pub(crate) vars: Option<Vec<String>>,
    /// Rows on the grid only.
    pub(crate) grid: bool,
    /// Engine.
    pub(crate) engine: Option<String>,
    /// Native code with other last digits.
    pub(crate) fast_math: bool,
    /// A sweep: nobody sees rows, and what the output has is measured if nothing else is.
    pub(crate) sweep: bool,
    /// A sweep in which families have several sizes: of elements only what is asked for is measured.
    #[serde(skip)]
    pub(crate) sizes_vary: bool,
}

/// A model ready to be run.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) model: Arc<Model>,
    pub(crate) origins: Origins,
    pub(crate) sources: SourceMap,
    pub(crate) template: PreparedModel,
    pub(crate) columns: Columns,
    /// Texts of the measures.
    pub(crate) measured: Vec<String>,
    /// What values can be given to.
    pub(crate) inputs: HashMap<String, Input>,
}

/// Options being applied to a table.
struct Applying {
    model: Model,
    origins: Origins,
    sources: SourceMap,
    wrong: Vec<Diagnostic>,
}

impl Applying {
    /// The table with families of the size that is asked for.
    fn of_size(table: &Loaded, options: &Options) -> Result<Self, Refusal> {
        let set = options.set.iter();
        let set = set.map(|(name, value)| format!("{} = {value}", print::name(name)));
        let choices = Choices {
            case: options.case.clone(),
            set: set.collect(),
        };
        let mut sources = table.sources.clone();
        let (model, origins) = match chosen(&table.tables, &mut sources, &choices) {
            Some(tables) => {
                let resolved = resolve::resolve(&tables, &sources, &table.data);
                let wrong = || Refusal::Table(Reports::new(&resolved.diagnostics, &sources));
                (resolved.model.ok_or_else(wrong)?, resolved.origins)
            }
            None => {
                let wrong = || Refusal::Value("the table has mistakes".to_owned());
                (
                    table.model.clone().ok_or_else(wrong)?,
                    table.origins.clone(),
                )
            }
        };
        Ok(Self {
            model,
            origins,
            sources,
            wrong: Vec::new(),
        })
    }

    fn judged(&mut self) -> Result<(), Refusal> {
        match std::mem::take(&mut self.wrong) {
            wrong if wrong.is_empty() => Ok(()),
            wrong => Err(Refusal::Table(Reports::new(&wrong, &self.sources))),
        }
    }

    fn case(&mut self, name: &str) -> Result<(), Refusal> {
        let cases = &self.model.cases;
        let found = cases.iter().position(|case| case.name == name);
        let known = || cases.iter().map(|case| &*case.name);
        let found = found.ok_or_else(|| unknown("the table has no case", name, known()))?;
        self.model.apply_case(found);
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        input(&self.model, name)?;
        let text = format!("{} = {value}", print::name(name));
        let (model, origins, sources) = (&mut self.model, &mut self.origins, &mut self.sources);
        match resolve::setting(model, origins, sources, "<set>", &text) {
            Ok(setting) => self.model.apply(&[setting]),
            Err(reports) => self.wrong.extend(reports),
        }
        Ok(())
    }

    fn clock(&mut self, given: &BTreeMap<String, Value>) -> Result<(), Refusal> {
        let mut clock = Clock::default();
        for (name, value) in given {
            let setting = Clock::setting(name).ok_or_else(|| {
                let known = Clock::SETTINGS.iter().map(|setting| setting.name);
                unknown("there is no setting", name, known)
            })?;
            let refused = |value: &Value| {
                let about = setting.kind.about();
                Refusal::Value(format!("`{name}` is {about}, not {value}"))
            };
            let value = match (setting.kind, value) {
                (ClockKind::Expression | ClockKind::Condition, value) => {
                    let text = match value {
                        Value::String(text) => text.clone(),
                        Value::Number(number) => number.to_string(),
                        _ => return Err(refused(value)),
                    };
                    let shown_as = match name.as_str() {
                        "stop_when" => "<until>".to_owned(),
                        name => format!("<{name}>"),
                    };
                    let (model, origins) = (&mut self.model, &mut self.origins);
                    let sources = &mut self.sources;
                    let read =
                        resolve::clock_formula(model, origins, sources, &shown_as, setting, &text);
                    match read {
                        Ok(value) => value,
                        Err(reports) => {
                            self.wrong.extend(reports);
                            continue;
                        }
                    }
                }
                (ClockKind::Word(words), Value::String(word)) => {
                    let words: Vec<&str> = words().into_iter().map(|(word, _)| word).collect();
                    match words.iter().find(|known| *known == word) {
                        Some(word) => ClockValue::Word(word),
                        None => {
                            let near = meant(word, &words);
                            let hint = hint(near, words.iter().copied());
                            return Err(Refusal::Value(format!(
                                "`{name}` is not `{word}`; {hint}"
                            )));
                        }
                    }
                }
                (kind, Value::Number(number)) => {
                    let number = number.as_f64().unwrap_or(f64::NAN);
                    match kind.allows(number) {
                        true => ClockValue::Number(number),
                        false => return Err(refused(value)),
                    }
                }
                (_, value) => return Err(refused(value)),
            };
            (setting.set(&mut clock, value)).map_err(|error| Refusal::Value(error.to_string()))?;
        }
        self.model.clock = self.model.clock.overridden_by(&clock);
        Ok(())
    }

    fn measures(&mut self, options: &Options) -> Result<(Vec<String>, Vec<Measure>), Refusal> {
        let mut texts = options.measure.clone();
        if texts.is_empty() && options.sweep {
            let is_common = |name: &str| !options.sizes_vary || element(name).is_none();
            let shown = self.model.reals.iter();
            let shown = shown.filter(|real| real.output && is_common(&real.name));
            texts.extend(shown.map(|real| format!("final({})", print::name(&real.name))));
        }
        let mut measures = Vec::new();
        for text in &texts {
            let (model, origins, sources) = (&mut self.model, &mut self.origins, &mut self.sources);
            match resolve::measure(model, origins, sources, "<measure>", text) {
                Ok(measure) => measures.push(measure),
                Err(MeasureError::Inside(reports)) => self.wrong.extend(reports),
                Err(error) => return Err(Refusal::Value(error.to_string())),
            }
        }
        for (text, measure) in resolve::invariant_measures(&self.model) {
            if options.sizes_vary && text.contains('[') {
                continue;
            }
            texts.push(text);
            measures.push(measure);
        }
        Ok((texts, measures))
    }
}

impl Ready {
    /// Applies options to a table without errors.
    ///
    /// # Errors
    ///
    /// What is wrong with an option, or with the table that comes of them.
    pub(crate) fn new(table: &Loaded, options: &Options) -> Result<Self, Refusal> {
        let mut it = Applying::of_size(table, options)?;
        if let Some(case) = &options.case {
            it.case(case)?;
        }
        for (name, value) in &options.set {
            it.set(name, value)?;
        }
        it.clock(&options.clock)?;
        it.judged()?;
        let (measured, measures) = it.measures(options)?;
        it.judged()?;
        let config = config(&it.model.clock, options)?;
        let Applying {
            model,
            origins,
            mut sources,
            ..
        } = it;
        let model = Arc::new(model);
        let columns = match &options.vars {
            None => Columns::standard(&model),
            Some(names) => {
                let names = names.iter().map(|name| bare(name));
                // The time is always the first column.
                let names = names.filter(|name| *name != "time");
                Columns::asked(&model, &origins, &mut sources, "<vars>", names).map_err(
                    |error| match error {
                        Unreadable::NoColumn(error) => Refusal::Name(error.to_string()),
                        Unreadable::Wrong(found) => Refusal::Table(Reports::new(&found, &sources)),
                    },
                )?
            }
        };
        let template = PreparedModel::new(Arc::clone(&model), config, &measures);
        let mut template = template.map_err(|error| {
            let report = setup_error(&error, &model, &origins);
            Refusal::Run(Reports::new(&[report], &sources))
        })?;
        let engine = engine(options)?;
        (engine.plug_into(&mut template)).map_err(|error| Refusal::Value(error.to_string()))?;
        Ok(Self {
            inputs: inputs(&model),
            model,
            origins,
            sources,
            template,
            columns,
            measured,
        })
    }

    /// What a value can be given to, by its name.
    ///
    /// # Errors
    ///
    /// There is no such name, or it is not given but follows from others.
    pub(crate) fn input(&self, name: &str) -> Result<Input, Refusal> {
        match self.inputs.get(name) {
            Some(input) => Ok(*input),
            None => input(&self.model, name),
        }
    }
}

/// The table as it is written, with families of the size that is asked for.
///
/// # Errors
///
/// What is wrong with the table then.
pub(crate) fn sized(table: &Loaded, options: &Options) -> Result<Model, Refusal> {
    Ok(Applying::of_size(table, options)?.model)
}

/// A name without the backticks around it.
fn bare(name: &str) -> &str {
    let inner = name
        .strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(name)
}

/// The table of texts, the first and then those that it extends; its errors as a refusal.
pub(crate) fn loaded(loaded: &Loaded) -> Result<(), Refusal> {
    match loaded.model.is_none() || has_errors(&loaded.diagnostics) {
        true => Err(Refusal::Table(Reports::new(
            &loaded.diagnostics,
            &loaded.sources,
        ))),
        false => Ok(()),
    }
}

fn config(clock: &Clock, options: &Options) -> Result<RunConfig, Refusal> {
    let config = RunConfig::from_clock(clock).map_err(|error| {
        Refusal::Value(match error {
            ConfigError::NoStep => "the table has no `step`; give one with step=".to_owned(),
            ConfigError::NoStop => "the table has no `stop`; give one with stop=".to_owned(),
            error => error.to_string(),
        })
    });
    let mut config = config?;
    match &mut config {
        RunConfig::Events(config) => {
            config.grid_only = options.grid;
            if options.sweep {
                config.every = None;
            }
        }
        RunConfig::Ticks(_) if options.grid => {
            let wrong = "grid= belongs to event stepping; add events=True";
            return Err(Refusal::Value(wrong.to_owned()));
        }
        RunConfig::Ticks(config) if options.sweep => config.every = config.ticks,
        RunConfig::Ticks(_) => {}
    }
    Ok(config)
}

/// Engine that is asked for.
pub(crate) fn engine(options: &Options) -> Result<EngineArgs, Refusal> {
    const ENGINES: [&str; 3] = ["auto", "interpreter", "native"];
    let engine = match options.engine.as_deref() {
        None => None,
        Some("auto") => Some(EngineArg::Auto),
        Some("interpreter") => Some(EngineArg::Interpreter),
        Some("native") => Some(EngineArg::Native),
        Some(other) => {
            let hint = hint(nearest(other, ENGINES), ENGINES);
            return Err(Refusal::Value(format!("`engine` is not `{other}`; {hint}")));
        }
    };
    Ok(EngineArgs {
        engine,
        fast_math: options.fast_math,
    })
}

fn inputs(model: &Model) -> HashMap<String, Input> {
    let constants = model.constants.iter().enumerate();
    let constants =
        constants.map(|(index, one)| (&one.name, Input::Constant(ConstantId::new(index))));
    let reals = model.reals.iter().enumerate();
    let reals = reals.map(|(index, one)| (&one.name, Input::Real(RealId::new(index))));
    let switches = model.switches.iter().enumerate();
    let switches = switches.map(|(index, one)| (&one.name, Input::Switch(SwitchId::new(index))));
    let all = constants.chain(reals).chain(switches);
    all.map(|(name, input)| (name.clone(), input)).collect()
}

fn input(model: &Model, name: &str) -> Result<Input, Refusal> {
    let inputs = inputs(model);
    if let Some(input) = inputs.get(name) {
        return Ok(*input);
    }
    if model.boolean(name).is_some() {
        return Err(Refusal::Value(format!(
            "`{name}` follows from other values: constants, start values and switches can be set"
        )));
    }
    let constants = model.constants.iter().map(|one| &*one.name);
    let reals = model.reals.iter().map(|one| &*one.name);
    let switches = model.switches.iter().map(|one| &*one.name);
    let known = constants.chain(reals).chain(switches);
    Err(unknown(
        "the table has no constant, real or switch",
        name,
        known,
    ))
}

/// A name that is not known, with one that is near, or all.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Refusal {
    let near = nearest(name, known.clone());
    Refusal::Name(format!("{what} `{name}`; {}", hint(near, known)))
}

fn hint<'a>(near: Option<&str>, known: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    if let Some(near) = near {
        return format!("did you mean `{near}`?");
    }
    let names: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "there is none".to_owned(),
        1..=MOST => format!("there is {}", names.join(", ")),
        _ => format!("there are {} others", names.len()),
    }
}

/// True if a severity is worth telling without being asked.
pub(crate) fn is_loud(found: &Diagnostic) -> bool {
    found.severity >= Severity::Warning
}
