//! The settings of a clock, one table: name, help, kind, reading and writing.
//!
//! [`Clock`] holds what an author, a command line or a prompt states about a run; what it leaves out is filled in by
//! [`RunConfig::from_clock`](crate::sim::RunConfig::from_clock), which also judges it. `settings!` below makes the
//! fields of `Clock` and the rows of [`Clock::SETTINGS`] from one list. Parsers, command lines, prompts, records and
//! help go through the rows, so that a new setting is a row here and the code that obeys it.
//!
//! The table stands in the engine and not beside the parser, because `Clock` does: a program that builds models without
//! text has the same names, help and words to offer.

use super::choice::{Choice, IntegralRule, Scan, Stepping, TimeUnit, words};
use super::condition::Watch;
use crate::ids::ExprId;
use situ_solve::{Locate, Method};

/// One setting of a clock.
///
/// ```
/// use situ_engine::model::{Clock, ClockValue};
/// use situ_engine::Method;
///
/// let mut clock = Clock::default();
/// let method = Clock::setting("method").unwrap();
/// assert_eq!(method.about(), "Integration method between events");
/// assert!(method.kind.words().contains(&("dop853", Method::Dop853.about().about)));
/// method.set(&mut clock, ClockValue::Word("dop853"))?;
/// assert_eq!(clock.method, Some(Method::Dop853));
///
/// let wrong = method.set(&mut clock, ClockValue::Number(8.0)).unwrap_err();
/// assert_eq!(wrong.to_string(), "`method` is one of some words");
/// # Ok::<(), situ_engine::model::WrongKind>(())
/// ```
#[derive(Debug)]
pub struct ClockSetting {
    /// Its name in tables.
    pub name: &'static str,
    /// What it can be.
    pub kind: ClockKind,
    /// What stands for its value in a line of help.
    pub placeholder: &'static str,
    /// What a run takes if nothing is said, a few words.
    pub default: &'static str,
    /// The stepping for which it is meant; `None`: for both.
    pub only: Option<Stepping>,
    /// Words of other programs for it.
    pub others: &'static [&'static str],
    doc: &'static str,
    get: fn(&Clock) -> Option<ClockValue>,
    set: fn(&mut Clock, Option<ClockValue>) -> Option<()>,
}

/// Values that a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum ClockKind {
    /// A number above zero.
    Positive,
    /// A number, zero or above.
    NotNegative,
    /// How many there may be: a number above zero, in most cases a whole one.
    Count,
    /// One of these words, each with its meaning.
    Word(fn() -> Vec<(&'static str, &'static str)>),
    /// An expression over the quantities of the model.
    Expression,
    /// A condition over rows of the trajectory.
    Condition,
}

/// The value of a setting.
#[derive(Clone, PartialEq, Debug)]
pub enum ClockValue {
    /// Of the kinds `Positive`, `NotNegative` and `Count`.
    Number(f64),
    /// One of the setting's words.
    Word(&'static str),
    /// An expression of the model.
    Expression(ExprId),
    /// A condition of the model.
    Condition(Watch),
}

/// A value of another kind than the setting's, or a word that it does not know.
#[derive(Clone, Copy, Debug)]
pub struct WrongKind {
    /// The setting.
    pub setting: &'static ClockSetting,
}

impl std::fmt::Display for WrongKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}` is {}",
            self.setting.name,
            self.setting.kind.about()
        )
    }
}

impl std::error::Error for WrongKind {}

impl ClockKind {
    /// Its kind, with its article.
    pub fn about(self) -> &'static str {
        match self {
            Self::Positive | Self::Count => "a number above zero",
            Self::NotNegative => "a number not below zero",
            Self::Word(_) => "one of some words",
            Self::Expression => "an expression",
            Self::Condition => "a condition",
        }
    }

    /// The words of a setting that is one, each with its meaning; else none.
    pub fn words(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Word(words) => words(),
            _ => Vec::new(),
        }
    }

    /// Whether it is a number and this one is large enough.
    pub fn allows(self, number: f64) -> bool {
        match self {
            Self::Positive | Self::Count => number > 0.0,
            Self::NotNegative => number >= 0.0,
            Self::Word(_) | Self::Expression | Self::Condition => false,
        }
    }
}

impl ClockSetting {
    /// What it is, one line without a full stop.
    pub fn about(&self) -> &'static str {
        self.doc.trim().trim_end_matches('.')
    }

    /// Its value in a clock, if the clock states one.
    pub fn get(&self, clock: &Clock) -> Option<ClockValue> {
        (self.get)(clock)
    }

    /// States a value in a clock. Whether a run can use the number is for
    /// [`RunConfig::from_clock`](crate::sim::RunConfig::from_clock) to say.
    ///
    /// # Errors
    ///
    /// The value is of another kind, or a word that the setting does not know; the clock stays as it was.
    pub fn set(&'static self, clock: &mut Clock, value: ClockValue) -> Result<(), WrongKind> {
        (self.set)(clock, Some(value)).ok_or(WrongKind { setting: self })
    }

    /// Takes its value out of a clock.
    pub fn clear(&self, clock: &mut Clock) {
        (self.set)(clock, None);
    }
}

impl Clock {
    /// The setting of that name.
    pub fn setting(name: &str) -> Option<&'static ClockSetting> {
        Self::SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Symbol of the unit of the time; empty if none is stated.
    pub fn time_unit(&self) -> &'static str {
        self.unit.map_or("", TimeUnit::name)
    }

    /// The settings that are stated, with their values, in the order of [`Clock::SETTINGS`].
    pub fn stated(&self) -> impl Iterator<Item = (&'static ClockSetting, ClockValue)> {
        let all = Self::SETTINGS.iter();
        all.filter_map(|setting| Some((setting, setting.get(self)?)))
    }
}

/// The type of a field of [`Clock`].
trait ClockField: Sized {
    /// As a value.
    fn to_value(&self) -> ClockValue;
    /// From a value, if it is of the right kind.
    fn from_value(value: ClockValue) -> Option<Self>;
}

impl ClockField for f64 {
    fn to_value(&self) -> ClockValue {
        ClockValue::Number(*self)
    }

    fn from_value(value: ClockValue) -> Option<Self> {
        match value {
            ClockValue::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl ClockField for ExprId {
    fn to_value(&self) -> ClockValue {
        ClockValue::Expression(*self)
    }

    fn from_value(value: ClockValue) -> Option<Self> {
        match value {
            ClockValue::Expression(expr) => Some(expr),
            _ => None,
        }
    }
}

impl ClockField for Watch {
    fn to_value(&self) -> ClockValue {
        ClockValue::Condition(self.clone())
    }

    fn from_value(value: ClockValue) -> Option<Self> {
        match value {
            ClockValue::Condition(watch) => Some(watch),
            _ => None,
        }
    }
}

impl<T: Choice> ClockField for T {
    fn to_value(&self) -> ClockValue {
        ClockValue::Word(self.row().0)
    }

    fn from_value(value: ClockValue) -> Option<Self> {
        let mut all = T::all().iter();
        match value {
            ClockValue::Word(word) => all.find(|choice| choice.row().0 == word).copied(),
            _ => None,
        }
    }
}

/// Declares [`Clock`] and its table. A row is a field with its help; what it leaves out is empty.
macro_rules! settings {
    ($(
        #[doc = $doc:literal]
        $name:ident: $type:ty { kind: $kind:expr, placeholder: $placeholder:literal, $($key:ident: $value:expr,)* }
    )*) => {
        /// Clock settings that the author wants; those that are `None` are left to the program.
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct Clock {
            $(#[doc = $doc] pub $name: Option<$type>,)*
        }

        impl Clock {
            /// All settings, in the order in which tables are written.
            pub const SETTINGS: &'static [ClockSetting] = &[$(
                ClockSetting {
                    kind: $kind,
                    placeholder: $placeholder,
                    $($key: $value,)*
                    ..ClockSetting::row(
                        stringify!($name),
                        $doc,
                        |clock| clock.$name.as_ref().map(ClockField::to_value),
                        |clock, value| {
                            clock.$name = match value {
                                Some(value) => Some(ClockField::from_value(value)?),
                                None => None,
                            };
                            Some(())
                        },
                    )
                },
            )*];

            /// This clock with everything that `over` states replaced.
            pub fn overridden_by(&self, over: &Clock) -> Clock {
                Clock {
                    $($name: over.$name.clone().or_else(|| self.$name.clone()),)*
                }
            }
        }
    };
}

impl ClockSetting {
    /// A row of the table with all that may be left out empty.
    const fn row(
        name: &'static str,
        doc: &'static str,
        get: fn(&Clock) -> Option<ClockValue>,
        set: fn(&mut Clock, Option<ClockValue>) -> Option<()>,
    ) -> Self {
        Self {
            name,
            kind: ClockKind::Positive,
            placeholder: "",
            default: "",
            only: None,
            others: &[],
            doc,
            get,
            set,
        }
    }
}

settings! {
    /// Length of a tick, and of a step of a method with fixed steps [units of time].
    step: f64 {
        kind: ClockKind::Positive,
        placeholder: "DT",
        default: "none; ticks need it",
        others: &["dt"],
    }
    /// End of the run [units of time].
    stop: f64 {
        kind: ClockKind::Positive,
        placeholder: "T",
        default: "none; a run needs it",
        others: &["end"],
    }
    /// Distance of output rows [units of time]; in ticks a multiple of the step.
    every: f64 {
        kind: ClockKind::Positive,
        placeholder: "DT",
        default: "a row per tick; 1000 rows of a run with events",
        others: &["output"],
    }
    /// Unit of the time, in which all times of the table are.
    unit: TimeUnit {
        kind: ClockKind::Word(words::<TimeUnit>),
        placeholder: "UNIT",
        default: "none; rates say it",
        others: &["time_unit", "units"],
    }
    /// How the table is run.
    stepping: Stepping {
        kind: ClockKind::Word(words::<Stepping>),
        placeholder: "STEPPING",
        default: "tick",
    }
    /// Which values the rows of a tick see.
    scan: Scan {
        kind: ClockKind::Word(words::<Scan>),
        placeholder: "ORDER",
        default: "sequential",
        only: Some(Stepping::Tick),
    }
    /// Formula of the procedure `integral` in a tick.
    integral: IntegralRule {
        kind: ClockKind::Word(words::<IntegralRule>),
        placeholder: "FORMULA",
        default: "rectangle",
        only: Some(Stepping::Tick),
    }
    /// Integration method between events.
    method: Method {
        kind: ClockKind::Word(words::<Method>),
        placeholder: "NAME",
        default: "auto",
        only: Some(Stepping::Events),
    }
    /// Relative tolerance of a step.
    rtol: f64 {
        kind: ClockKind::Positive,
        placeholder: "NUMBER",
        default: "1e-6",
        only: Some(Stepping::Events),
        others: &["tolerance"],
    }
    /// Absolute tolerance of a step, in the unit of each real.
    atol: f64 {
        kind: ClockKind::NotNegative,
        placeholder: "NUMBER",
        default: "rtol / 1000",
        only: Some(Stepping::Events),
    }
    /// First step, and the step of a method with fixed steps [units of time].
    h0: f64 {
        kind: ClockKind::Positive,
        placeholder: "DT",
        default: "chosen by the method",
        only: Some(Stepping::Events),
    }
    /// Shortest step [units of time].
    hmin: f64 {
        kind: ClockKind::NotNegative,
        placeholder: "DT",
        default: "0",
        only: Some(Stepping::Events),
    }
    /// Longest step [units of time].
    hmax: f64 {
        kind: ClockKind::Positive,
        placeholder: "DT",
        default: "none",
        only: Some(Stepping::Events),
    }
    /// Most event instants; a run that has more ends with an error.
    max_events: f64 {
        kind: ClockKind::Count,
        placeholder: "N",
        default: "1e7",
        only: Some(Stepping::Events),
    }
    /// Most ticks or steps; a run that needs more ends with an error.
    max_steps: f64 {
        kind: ClockKind::Count,
        placeholder: "N",
        default: "1e9",
    }
    /// Most rows; a run that has more ends with an error.
    max_rows: f64 {
        kind: ClockKind::Count,
        placeholder: "N",
        default: "1e10",
    }
    /// How an event is located in a step or a tick.
    locate: Locate {
        kind: ClockKind::Word(words::<Locate>),
        placeholder: "WAY",
        default: "ticks `none`, events `root`",
    }
    /// Length of each tick, or step of a method with fixed steps, read where it begins, e.g. `min(h, 1) * 0.01`.
    step_formula: ExprId {
        kind: ClockKind::Expression,
        placeholder: "EXPR",
        default: "none",
    }
    /// The run ends after the first row in which this holds, e.g. `h < R & Vy > 0`.
    stop_when: Watch {
        kind: ClockKind::Condition,
        placeholder: "COND",
        default: "none",
        others: &["until"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ExprId;

    /// A value that the setting can have.
    fn some_value(setting: &ClockSetting) -> ClockValue {
        match setting.kind {
            ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count => {
                ClockValue::Number(2.0)
            }
            ClockKind::Word(words) => ClockValue::Word(words()[0].0),
            ClockKind::Expression => ClockValue::Expression(ExprId::new(0)),
            ClockKind::Condition => ClockValue::Condition(Watch::new()),
        }
    }

    #[test]
    fn every_setting_is_read_and_written() {
        let mut full = Clock::default();
        for setting in Clock::SETTINGS {
            let value = some_value(setting);
            let mut clock = Clock::default();
            setting.set(&mut clock, value.clone()).unwrap();
            assert_eq!(setting.get(&clock), Some(value.clone()));
            assert_eq!(clock.stated().count(), 1, "{}", setting.name);
            assert_eq!(Clock::default().overridden_by(&clock), clock);
            assert_eq!(clock.overridden_by(&Clock::default()), clock);
            setting.set(&mut full, value).unwrap();
            setting.clear(&mut clock);
            assert_eq!(clock, Clock::default());
        }
        assert_eq!(full.stated().count(), Clock::SETTINGS.len());
    }

    #[test]
    fn what_is_of_another_kind_changes_nothing() {
        let method = Clock::setting("method").unwrap();
        let mut clock = Clock::default();
        method.set(&mut clock, ClockValue::Word("rk4")).unwrap();
        for wrong in [ClockValue::Word("rk5"), ClockValue::Number(1.0)] {
            assert!(method.set(&mut clock, wrong).is_err());
            assert_eq!(clock.method, Some(Method::Rk4));
        }
    }

    #[test]
    fn defaults_are_words_that_are_known() {
        for setting in Clock::SETTINGS {
            let words = setting.kind.words();
            let known = words.iter().any(|(word, _)| *word == setting.default);
            let says_more = ["locate", "unit"].contains(&setting.name);
            assert!(words.is_empty() || known || says_more);
            assert!(!setting.default.is_empty(), "{}", setting.name);
            let about = setting.about();
            assert!(!about.is_empty() && !about.ends_with('.'));
        }
    }
}
