//! The model: what a rule table says, as flat tables with ids instead of names.
//!
//! [`Model`] is the end of reading (text is gone, names are only for people) and the beginning of
//! running: [`crate::lower`] turns it into a tape. It is built by the crate `situ-rules` from text
//! or by [`ModelBuilder`] from Rust. [`verify`] lists what later stages rely on.
//!
//! Values stay in the author's units. The model does not know how it is stepped, only what the
//! author asked for ([`Clock`]).

mod builder;
mod choice;
mod clock;
mod condition;
mod constraint;
mod delay;
mod element;
mod expr;
mod lookup;
mod names;
mod relation_builder;
pub mod scene;
mod scheme;
mod start;
mod structure;
mod verify;

pub use crate::times::Beats;
pub use builder::{BuildError, Given, ModelBuilder, Term};
pub use choice::{IntegralRule, Scan, Stepping, TimeUnit};
pub use clock::{Clock, ClockKind, ClockSetting, ClockValue, WrongKind};
pub use condition::{
    Boolean, CompareOp, Comparison, Conjunction, Literal, Watch, WatchAtom, WatchLiteral,
    watch_holds,
};
pub use constraint::{
    Constraint, DependentUnknowns, Level, MAX_DERIVATIVES, Obstacle, Reach, SingularRates, System,
    Unreached,
};
pub use element::{Indices, MAX_INDEX, element, element_name, whole};
pub use expr::{
    CounterValues, ElementIndex, Expr, Exprs, FamilyExpr, FamilyNode, IndexForm, MAX_COUNTERS,
    Operands,
};
pub use lookup::{Lookup, LookupFile};
pub use names::Named;
pub use relation_builder::RelationBuilder;
pub use scheme::{Scheme, Share, Stage};
pub(crate) use start::StartPlan;
pub use start::{Input, StartError, StartValues};
pub use structure::{Counter, Family, FamilyKind, Inputs, Machine, Part, Structure, Transition};
pub use verify::{VerifyError, verify};

use smallvec::SmallVec;

use crate::ids::{
    ConstantId, ExprId, Origin, RangeId, RealId, RelationId, ScheduleId, SituationId, SwitchId,
};
use crate::procedure::{Effect, ProcedureId};

/// A rule table in executable form.
///
/// Rows of every list stand in written order, because order is meaning (FORMALISM 6).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Model {
    /// Short name of the model.
    pub name: String,
    /// Description of the model, one line.
    pub about: String,
    /// Source of the model (paper, figure).
    pub source: String,
    /// Clock settings that the author wants.
    pub clock: Clock,
    /// Quantities that no rule writes.
    pub constants: Vec<Quantity>,
    /// Quantities that rules write.
    pub reals: Vec<Quantity>,
    /// Functions given by points.
    pub lookups: Vec<Lookup>,
    /// Latched booleans.
    pub switches: Vec<Switch>,
    /// Rules (3), the named ones and those written inside a condition.
    pub ranges: Vec<Range>,
    /// Names defined by rules (1), in the order of their first row.
    pub situations: Vec<Situation>,
    /// Rules (1) as definitions; a name is true when one of its rows holds.
    pub situation_rows: Vec<SituationRow>,
    /// Periodic time events used in conditions.
    pub schedules: Vec<Schedule>,
    /// Rules (1) as actions.
    pub assignments: Vec<Assignment>,
    /// Rules (2).
    pub relations: Vec<Relation>,
    /// Quantities that should stay as they are at the start.
    pub invariants: Vec<Invariant>,
    /// Named sets of parameters.
    pub cases: Vec<Case>,
    /// Constants that decided how many elements and rows there are, with the values that they had: with others it is
    /// another model.
    pub shape: Vec<(ConstantId, f64)>,
    /// Equations of rows that are solved which were differentiated ([`Model::constrain`]).
    pub constraints: Vec<Constraint>,
    /// Rows that solve for rates which enter with a singular matrix.
    pub singular: Vec<SingularRates>,
    /// Which of the relations are stages of reactions.
    pub scheme: Scheme,
    /// How its rows are drawn.
    pub scene: Option<Box<scene::Scene>>,
    /// Its machines and parts.
    pub structure: Structure,
    /// Every expression of the model.
    pub exprs: Exprs,
}

/// A constant or a real.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// Its name, unique among all names of the model.
    pub name: String,
    /// Start value (the value, for a constant), over constants and the start values of reals.
    pub start: ExprId,
    /// True if it starts in the equilibrium, of which `start` is the guess; of a real only.
    pub steady: bool,
    /// Its value at times before the start, over constants and `time`; of a real only.
    pub before: Option<ExprId>,
    /// Unit, a label for output.
    pub unit: String,
    /// Description, one line.
    pub about: String,
    /// True if it stands in the output when the user does not choose columns.
    pub output: bool,
    /// A size that is usual for it [its unit], positive: event-accurate runs multiply the absolute
    /// tolerance by it. `None`: 1.
    pub nominal: Option<f64>,
    /// Least and greatest start value between which one tries it out; no run reads it.
    pub range: Option<[f64; 2]>,
    /// True of an auxiliary variable, a rate or a count that stands in the table as a part of other rows: a scan has it done
    /// where they read it, also one that has the others read what stood before the tick.
    pub auxiliary: bool,
    /// True of what is only read off a run: a tick finds it on the row that it has given, behind all other rows.
    pub observed: bool,
    /// Place in the source.
    pub origin: Origin,
}

/// A latched boolean.
#[derive(Clone, PartialEq, Debug)]
pub struct Switch {
    /// Its name.
    pub name: String,
    /// Value at the start.
    pub start: bool,
    /// Description, one line.
    pub about: String,
    /// Place in the source.
    pub origin: Origin,
}

/// Rule (3): a boolean that is true while all its comparisons hold.
///
/// A comparison written inside a condition is a range without a name, done with the other ranges: otherwise the same
/// comparison would mean two things in one tick.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// The row's id; empty for a range written inside a condition.
    pub id: String,
    /// Its name; for a range written inside a condition the text of the comparison.
    pub name: String,
    /// True if it was written inside a condition and has no name of its own.
    pub anonymous: bool,
    /// The comparisons, at least one.
    pub all: SmallVec<[Comparison; 2]>,
    /// Treatment of its borders in event-accurate runs, if not the usual one.
    pub mark: Option<Mark>,
    /// The author's remark.
    pub note: String,
    /// Place in the source.
    pub origin: Origin,
}

/// Treatment of the borders of a range in an event-accurate run; a tick run ignores it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// It has none: the comparisons are read by value at the ends of steps and at instants. Where
    /// they change inside a step is not searched for.
    NoEvent,
    /// All that depends on the range is smooth across its borders: crossings are located, but integration does
    /// not restart there.
    Smooth,
}

impl Mark {
    /// All of them.
    pub const ALL: [Mark; 2] = [Mark::NoEvent, Mark::Smooth];

    /// As it is written in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoEvent => "noevent",
            Self::Smooth => "smooth",
        }
    }
}

/// A quantity that should keep its value; a run reports how far it drifts.
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// Its name, unique among all names of the model.
    pub name: String,
    /// Quantity that should not change, computed on the rows of the trajectory.
    pub value: ExprId,
    /// Place in the source.
    pub origin: Origin,
}

/// A name defined by rules (1).
#[derive(Clone, PartialEq, Debug)]
pub struct Situation {
    /// Its name.
    pub name: String,
    /// True: an event, true for one tick when a conjunction of a row arises. False: a level.
    pub event: bool,
    /// True if its rows are scanned behind the assignments: for conditions of relations, which read switches as these have
    /// left them.
    pub behind: bool,
    /// True of what stands for one of several conditions in a row that is only read off a run.
    pub observed: bool,
    /// Place in the source of its first occurrence.
    pub origin: Origin,
}

/// One row that makes a situation true.
#[derive(Clone, PartialEq, Debug)]
pub struct SituationRow {
    /// The row's id.
    pub id: String,
    /// The name it defines.
    pub situation: SituationId,
    /// Its conjunction.
    pub all: Conjunction,
    /// The author's remark.
    pub note: String,
    /// Place in the source.
    pub origin: Origin,
}

/// A periodic time event: true at `first + k * period`, k = 0, 1, ...
#[derive(Clone, PartialEq, Debug)]
pub struct Schedule {
    /// Time between two events [units of `time`], over constants; positive.
    pub period: ExprId,
    /// Time of the first event [units of `time`], over constants; the period if not given.
    pub first: ExprId,
    /// Place in the source.
    pub origin: Origin,
}

/// Rule (1) as an action: where `when` holds, the switches take the stated values.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The row's id.
    pub id: String,
    /// Its condition.
    pub when: Conjunction,
    /// The switches it writes.
    pub set: SmallVec<[(SwitchId, bool); 2]>,
    /// The author's remark.
    pub note: String,
    /// Place in the source.
    pub origin: Origin,
}

/// Rule (2): in a situation, a procedure drives a real.
#[derive(Clone, PartialEq, Debug)]
pub struct Relation {
    /// The row's id.
    pub id: String,
    /// Reals it writes: one, or several under `v1, v2 := e1, e2` (procedure `assignment`, one
    /// argument each, all evaluated before the first is stored).
    pub targets: SmallVec<[RealId; 1]>,
    /// Procedure.
    pub procedure: ProcedureId,
    /// Coefficient of the procedure (`c`).
    pub coef: Coefficient,
    /// Arguments, as the procedure's signature says.
    pub args: SmallVec<[Argument; 2]>,
    /// Coefficient of the second argument (`d`), read by `sum` only.
    pub coef2: Coefficient,
    /// When the row is active.
    pub guard: Guard,
    /// Written `:=`: done once, at an event.
    /// With one target the row keeps its procedure, so that both spellings say the same.
    pub once: bool,
    /// Belongs to a group with the row above it: all rows of the group read what stands when the
    /// first one begins, `u1, u2 = e1, e2`.
    pub grouped: bool,
    /// The author's remark.
    pub note: String,
    /// Place in the source.
    pub origin: Origin,
}

/// A number or a constant with a sign.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coefficient {
    /// A number.
    Number(f64),
    /// A constant, or its negative.
    Constant {
        /// Its id.
        id: ConstantId,
        /// True for `-name`.
        negative: bool,
    },
}

impl Coefficient {
    /// The coefficient that changes nothing.
    pub const ONE: Coefficient = Coefficient::Number(1.0);
}

/// An argument of a relation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Argument {
    /// A value, computed at the place of the row.
    Real(ExprId),
    /// A truth value.
    Boolean(Literal),
}

/// When a relation is active.
#[derive(Clone, PartialEq, Debug)]
pub enum Guard {
    /// Always (the paper's EverTrue).
    Always,
    /// While (or, under an event, when) the conjunction holds.
    When(Conjunction),
    /// While no other row of the same real that has a `when` holds.
    Otherwise,
}

/// In which order what happens at one time is done. A run in reverse order tells whether the order
/// matters where the model does not mean one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Rows as they are written; all borders that are crossed together change sides at once.
    #[default]
    Written,
    /// Assignments and rows of events from the last to the first; borders that are crossed together,
    /// and schedules that are due together, one after the other, the last first. In a tick rows of
    /// events change places only with their neighbours, so that all other rows read what they read.
    Reversed,
}

/// A named set of parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Description, one line.
    pub about: String,
    /// The values it changes.
    pub set: Vec<Setting>,
    /// The clock settings it changes.
    pub clock: Clock,
    /// Place in the source.
    pub origin: Origin,
}

/// One value changed by a case, by `--set` or by a sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Setting {
    /// A constant's value.
    Constant(ConstantId, ExprId),
    /// A real's start value.
    Real(RealId, ExprId),
    /// A switch's start value.
    Switch(SwitchId, bool),
}

impl Model {
    /// Per relation the first one of its group; of a row without a group the row itself.
    pub(crate) fn group_begins(&self) -> Vec<usize> {
        let mut begin = 0;
        let rows = self.relations.iter().enumerate();
        rows.map(|(index, row)| {
            if !row.grouped {
                begin = index;
            }
            begin
        })
        .collect()
    }

    /// The real of this name, if the model has one.
    pub fn real(&self, name: &str) -> Option<RealId> {
        let found = self.reals.iter().position(|real| real.name == name);
        found.map(RealId::new)
    }

    /// The constant of this name, if the model has one.
    pub fn constant(&self, name: &str) -> Option<ConstantId> {
        let found = self.constants.iter().position(|row| row.name == name);
        found.map(ConstantId::new)
    }

    /// The switch, range or situation of this name, if the model has one.
    pub fn boolean(&self, name: &str) -> Option<Boolean> {
        let switch = self.switches.iter().position(|row| row.name == name);
        let range = self.ranges.iter().position(|row| row.name == name);
        let situation = self.situations.iter().position(|row| row.name == name);
        let switch = switch.map(|index| Boolean::Switch(SwitchId::new(index)));
        let range = range.map(|index| Boolean::Range(RangeId::new(index)));
        let situation = situation.map(|index| Boolean::Situation(SituationId::new(index)));
        switch.or(range).or(situation)
    }

    /// Applies settings in order: the start expressions of the named quantities are replaced, so
    /// that everything computed from them follows. A machine of which one state is set true begins in that one.
    pub fn apply(&mut self, settings: &[Setting]) {
        for setting in settings {
            match *setting {
                Setting::Constant(id, value) => self.constants[id.index()].start = value,
                Setting::Real(id, value) => {
                    let real = &mut self.reals[id.index()];
                    (real.start, real.steady) = (value, false);
                }
                Setting::Switch(id, value) => self.begin(id, value, settings),
            }
        }
    }

    /// Applies the case: its settings and its clock.
    pub fn apply_case(&mut self, case: usize) {
        let Case { set, clock, .. } = self.cases[case].clone();
        self.apply(&set);
        self.clock = self.clock.overridden_by(&clock);
    }

    /// The name of a boolean, as the author wrote it.
    pub fn boolean_name(&self, what: Boolean) -> String {
        match what {
            Boolean::Switch(id) => self.switches[id.index()].name.clone(),
            Boolean::Range(id) => self.ranges[id.index()].name.clone(),
            Boolean::Situation(id) => self.situations[id.index()].name.clone(),
            Boolean::Schedule(id) => self.schedule_text(id),
            Boolean::Start => "start".to_owned(),
        }
    }

    /// A schedule as it is written in a condition.
    fn schedule_text(&self, id: ScheduleId) -> String {
        let Schedule { period, first, .. } = self.schedules[id.index()];
        if first == period {
            format!("every({})", self.expr_text(period))
        } else {
            format!(
                "every({}, {})",
                self.expr_text(period),
                self.expr_text(first)
            )
        }
    }

    /// The relations between events that give a real another value whatever it has, in written order: what is set from
    /// outside does not last.
    pub fn rewriters(&self, real: RealId) -> impl Iterator<Item = RelationId> {
        self.writers(real).filter(move |id| {
            let relation = &self.relations[id.index()];
            let writes_anew = relation.procedure.get().effect() == Effect::Assigns;
            let at_event = match &relation.guard {
                Guard::When(all) => all
                    .iter()
                    .any(|literal| !literal.negated && self.is_event(literal.what)),
                Guard::Always | Guard::Otherwise => false,
            };
            let mut reads_itself = false;
            for argument in &relation.args {
                if let Argument::Real(expr) = argument {
                    self.exprs
                        .visit(*expr, |_, node| reads_itself |= *node == Expr::Real(real));
                }
            }
            // What a row is solved for stands in its equations, and is found whatever it was.
            let is_found = relation.procedure.solves();
            writes_anew && !at_event && (is_found || !reads_itself)
        })
    }

    /// The relations that write a real, in written order.
    pub fn writers(&self, real: RealId) -> impl Iterator<Item = RelationId> {
        self.relations
            .iter()
            .enumerate()
            .filter(move |(_, relation)| relation.targets.contains(&real))
            .map(|(index, _)| RelationId::new(index))
    }
}
