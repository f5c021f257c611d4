//! The spanned tree: what stands in a table, row by row, in either spelling, nothing resolved.
//!
//! Text becomes a [`Table`] in [`crate::parse`]; [`crate::resolve`] turns it into a model;
//! [`crate::print`] writes it back. Names are strings as written (in NFC), numbers are already
//! `f64`. Each row remembers whether it was written in columns or as one line ([`Form`]).

mod elements;
mod equation;
mod expectation;
mod expression;
mod family;
mod lab;
mod list;
mod lookup;
mod machine;
mod observed;
mod part;
mod scene;
mod scheme;

use situ_engine::model::{self, ClockSetting, CompareOp, Mark};

use crate::source::{SourceId, Span, Spanned};

pub(crate) use elements::{Combine, counter_values, is_within_block, number, reduced};
pub use elements::{Counted, Elements, FamilyRow, Pattern, Terms};
pub use equation::{Equality, rate_name, real_of_rate};
pub use expectation::{
    AT, Expectation, Expected, Measure, MeasureOfCondition, MeasureOfValue, MeasuredValue, measures,
};
pub use expression::{BinaryOp, Condition, Expr, ExprKind, Literal, LiteralKind};
pub(crate) use family::{
    Block, Extent, each_element, element_name, next_element, open_brackets, open_name, place_in,
    size,
};
pub use family::{Counter, Each, Index, IndexItem, Name, Over, Reduction, ReductionKind};
pub use lab::{Lab, LabField, LabInput, Predicted, Words};
pub use list::{AnyRow, List};
pub use lookup::{Axis, Lookup};
pub use machine::{Machine, State, Transition};
pub(crate) use observed::{Observed, Rewrite};
pub use part::{Part, with_parts};
pub use scene::{Attribute, AttributeValue, Paint, Point, Scene, Shape, TextPart};
pub use scheme::{Amount, RateLaw, Reaction, Scheme, SpeciesFormula, Term};

/// A whole file.
#[derive(Clone, Debug)]
pub struct Table {
    /// The text it was read from.
    pub source_id: SourceId,
    /// The whole table, from its opening to its closing parenthesis.
    pub span: Span,
    /// Version of the format.
    pub format: Option<Spanned<f64>>,
    /// Name of the model.
    pub name: Option<Spanned<String>>,
    /// One line about it.
    pub about: Option<Spanned<String>>,
    /// Its source.
    pub source: Option<Spanned<String>>,
    /// Clock settings that the author wants.
    pub clock: Option<Clock>,
    /// Path of the table it extends, relative to its own.
    pub extends: Option<Spanned<String>>,
    /// Ids of rows of the base that rows of this table with the same id replace.
    pub replace: Vec<Spanned<String>>,
    /// Ids of rows of the base that are left out.
    pub drop: Vec<Spanned<String>>,
    /// Quantities that no rule writes.
    pub constants: Vec<Quantity>,
    /// Names that stand for whole numbers.
    pub counters: Vec<Counter>,
    /// Names of the reals and switches that the table reads and no row of it writes; they stand among those too.
    pub inputs: Vec<Name>,
    /// Quantities that rules write.
    pub reals: Vec<Quantity>,
    /// Functions given by points.
    pub lookups: Vec<Lookup>,
    /// Latched booleans.
    pub switches: Vec<Switch>,
    /// Tables within this one.
    pub parts: Vec<Part>,
    /// Rules (3).
    pub ranges: Vec<Row<Range>>,
    /// Rules (1) as definitions.
    pub situations: Vec<Row<Situation>>,
    /// Rules (1) as actions.
    pub assignments: Vec<Row<Assignment>>,
    /// Rules (2).
    pub relations: Vec<Row<Relation>>,
    /// Reactions, and what is known of their species.
    pub scheme: Scheme,
    /// Machines: states and transitions.
    pub machines: Vec<Machine>,
    /// Quantities that should stay as they are at the start.
    pub invariants: Vec<Invariant>,
    /// What runs are checked for.
    pub expect: Vec<Expectation>,
    /// Named sets of parameters.
    pub cases: Vec<Case>,
    /// How rows of the trajectory are drawn.
    pub scene: Option<Scene>,
    /// An exercise.
    pub lab: Option<Lab>,
    /// Rows and entries that could not be read and stand nowhere above; already reported. A name that
    /// occurs in one of them may be declared there.
    pub unread: Vec<Span>,
}

/// The fields of a table in the order in which they are written.
pub const FIELDS: [&str; 28] = [
    "format",
    "name",
    "about",
    "source",
    "clock",
    "extends",
    "replace",
    "drop",
    "constants",
    "counters",
    "inputs",
    "reals",
    "species",
    "lookups",
    "switches",
    "parts",
    "ranges",
    "situations",
    "assignments",
    "relations",
    "reactions",
    "formulas",
    "machines",
    "invariants",
    "expect",
    "cases",
    "scene",
    "lab",
];

/// The fields of a clock in the order in which they are written: where the run begins, and the settings that the engine
/// knows.
pub const CLOCK_FIELDS: [&str; 1 + model::Clock::SETTINGS.len()] = {
    let mut names = ["start"; 1 + model::Clock::SETTINGS.len()];
    let mut index = 1;
    while index < names.len() {
        names[index] = model::Clock::SETTINGS[index - 1].name;
        index += 1;
    }
    names
};

/// Values of the fields [`CLOCK_FIELDS`].
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The whole value.
    pub span: Option<Span>,
    /// Start of the run.
    pub start: Option<Spanned<Start>>,
    /// The settings that are written, in the order of [`CLOCK_FIELDS`].
    pub settings: Vec<(&'static ClockSetting, ClockEntry)>,
}

/// The value of a clock's setting.
#[derive(Clone, Debug)]
pub enum ClockEntry {
    /// A number.
    Number(Spanned<f64>),
    /// One of the setting's words.
    Word(Spanned<&'static str>),
    /// An expression.
    Expression(Expr),
    /// A condition.
    Condition(Condition),
}

/// Start of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// At the start values.
    Given,
    /// In the equilibrium near them; nothing does that yet.
    Steady,
}

impl Start {
    /// All of them.
    pub const ALL: [Start; 2] = [Start::Given, Start::Steady];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Steady => "steady",
        }
    }
}

/// `name: number | "expression" | (start, before, unit, about, output, nominal, range)`.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// Start value; a number is an [`Expr`] too. `None` if the long form leaves it out.
    pub start: Option<Expr>,
    /// Its past, over `time`; of reals only.
    pub before: Option<Box<Expr>>,
    /// Unit.
    pub unit: Option<Box<Spanned<String>>>,
    /// Its description.
    pub about: Option<Box<Spanned<String>>>,
    /// True if it stands in the output.
    pub output: Option<Spanned<bool>>,
    /// A size that is usual for it; of reals only.
    pub nominal: Option<Box<Spanned<f64>>>,
    /// Least and greatest start value between which one tries it out.
    pub range: Option<Box<Spanned<[f64; 2]>>>,
    /// True of an auxiliary variable: a rate or a count that rows have in them. A table declares it where it was written
    /// out.
    pub auxiliary: bool,
    /// The elements, of a family in a table that is written out.
    pub elements: Option<Box<Elements>>,
}

impl Quantity {
    /// A quantity of which no more is said than its start.
    pub(crate) fn new(name: Name, span: Span, start: Option<Expr>) -> Self {
        Self {
            name,
            span,
            start,
            before: None,
            unit: None,
            about: None,
            output: None,
            nominal: None,
            range: None,
            auxiliary: false,
            elements: None,
        }
    }
}

/// `name: number | "expression"`.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// Quantity that should not change.
    pub value: Expr,
}

/// `name: bool | (start, about)`.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// Value at the start; false if left out.
    pub start: Option<Spanned<bool>>,
    /// Its description.
    pub about: Option<Spanned<String>>,
}

/// Form in which a row was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `(id: "1", real: "P", ...)`
    Columns,
    /// `"[1] P = -m * g"`
    Line,
}

/// A row of one of the four lists.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// Its spelling.
    pub form: Form,
    /// The whole row (for a line: what is inside the quotes).
    pub span: Span,
    /// Its id; its number in the list if left out.
    pub id: Option<Spanned<String>>,
    /// Place in the base's list, if this table extends one; at the end if left out.
    pub place: Option<Box<Place>>,
    /// Remark: the `note` column or the text after `#`.
    pub note: Option<Spanned<String>>,
    /// How it counts: `for j in 2 .. N`, `one after another`.
    pub each: Option<Box<Each>>,
    /// Its content.
    pub body: T,
}

/// Place of a row in a list: `after: "3"` in columns, `[3a after 3]` in a line.
#[derive(Clone, Debug)]
pub struct Place {
    /// The side.
    pub side: Side,
    /// Id of the row next to it.
    pub id: Spanned<String>,
}

/// Before or after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Right after the row named.
    After,
    /// Right before the row named.
    Before,
}

/// Rule (3).
#[derive(Clone, Debug)]
pub struct Range {
    /// Its name.
    pub name: Name,
    /// Its comparisons.
    pub all: Vec<Comparison>,
    /// Treatment of its borders in event-accurate runs.
    pub mark: Option<Spanned<Mark>>,
}

/// `left op right`.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All of it.
    pub span: Span,
    /// Left side.
    pub left: Expr,
    /// Operator.
    pub op: CompareOp,
    /// Right side.
    pub right: Expr,
}

/// Rule (1) as a definition.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Its name.
    pub name: Name,
    /// True for an event.
    pub event: bool,
    /// True if it is scanned behind the assignments: it stands for a part of a condition of relations.
    pub behind: bool,
    /// Its conjunction.
    pub all: Condition,
}

/// Rule (1) as an action.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Its condition.
    pub when: Condition,
    /// Switches with the values they take.
    pub set: Vec<(Name, bool)>,
}

/// Rule (2).
#[derive(Clone, Debug)]
pub struct Relation {
    /// Reals it writes; more than one under `v1, v2 := e1, e2`.
    pub targets: Vec<Name>,
    /// `:=` in a line, `once: true` in columns.
    pub once: bool,
    /// Place of `=` or `:=`; of the row in columns.
    pub once_span: Span,
    /// The right side.
    pub value: Value,
    /// When it is active.
    pub guard: Guard,
}

/// The right side of a relation.
#[derive(Clone, Debug)]
pub enum Value {
    /// A line's expressions, one per target; the outermost operation says which procedure it is,
    /// once it is known which names are constants.
    Exprs(Vec<Expr>),
    /// Columns.
    Columns {
        /// Procedure by name.
        procedure: Spanned<String>,
        /// Coefficient: a number or a constant, with a sign.
        coef: Option<Box<Expr>>,
        /// Arguments.
        args: Vec<Expr>,
        /// Coefficient of the second argument.
        coef2: Option<Box<Expr>>,
    },
    /// A line's expression for all elements of a family, in a table that is written out.
    Family(Box<FamilyRow>),
    /// `solve x: left = right`, in either spelling: the targets are found from what holds.
    Solve {
        /// As many as there are targets.
        equations: Vec<Equality>,
        /// Lower and upper bound of the only target.
        bounds: Option<Box<[Expr; 2]>>,
    },
}

/// When a relation is active.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Nothing said.
    Always,
    /// `when cond`.
    When(Condition),
    /// `when cond, cond ..`: of each target its own.
    Each(Vec<Condition>),
    /// `otherwise`, with its place.
    Otherwise(Span),
}

/// `"name": (set: {..}, clock: (..), about)`.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// True if the table is read for another choice: it may then have other elements than the case sets.
    pub aside: bool,
    /// The values it changes.
    pub set: Vec<Setting>,
    /// The clock settings it changes.
    pub clock: Option<Clock>,
    /// Its description.
    pub about: Option<Spanned<String>>,
}

/// `"NAME": value` of a case, or `NAME=VALUE` of `--set`.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Quantity that is changed.
    pub name: Name,
    /// Its new start value.
    pub value: SettingValue,
}

/// A new start value.
#[derive(Clone, Debug)]
pub enum SettingValue {
    /// Of a switch.
    Bool(Spanned<bool>),
    /// Of a constant or real.
    Expr(Expr),
}
