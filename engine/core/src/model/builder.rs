//! Builds models from Rust, without any text.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::relation_builder::RelationBuilder;
use super::{
    Argument, Assignment, Boolean, Clock, Coefficient, CompareOp, Comparison, Expr, Guard,
    Invariant, Literal, Mark, Model, Quantity, Range, Relation, Schedule, Situation, SituationRow,
    Switch, VerifyError, WatchLiteral, verify,
};
use crate::ids::{
    ConstantId, ExprId, Origin, RangeId, RealId, RelationId, ScheduleId, SituationId, SwitchId,
};
use crate::procedure::ProcedureId;

/// An expression, written with Rust's operators.
///
/// ```
/// use situ_engine::model::{ModelBuilder, Term};
/// let mut table = ModelBuilder::new("spring");
/// let k = table.constant("k", 4.0);
/// let x = table.real("x", 1.0);
/// let energy: Term = Term::from(k) * x * x / 2.0;
/// # let _ = energy;
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// A number.
    Number(f64),
    /// A constant.
    Constant(ConstantId),
    /// A real.
    Real(RealId),
    /// The model's time.
    Time,
    /// `-a`
    Neg(Box<Term>),
    /// `a + b`
    Add(Box<Term>, Box<Term>),
    /// `a - b`
    Sub(Box<Term>, Box<Term>),
    /// `a * b`
    Mul(Box<Term>, Box<Term>),
    /// `a / b`
    Div(Box<Term>, Box<Term>),
    /// A procedure without memory, by name.
    Call(&'static str, Vec<Term>),
}

impl From<f64> for Term {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<ConstantId> for Term {
    fn from(id: ConstantId) -> Self {
        Self::Constant(id)
    }
}

impl From<RealId> for Term {
    fn from(id: RealId) -> Self {
        Self::Real(id)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $variant:ident;)*) => {$(
        impl<T: Into<Term>> std::ops::$trait<T> for Term {
            type Output = Term;
            fn $method(self, other: T) -> Term {
                Term::$variant(Box::new(self), Box::new(other.into()))
            }
        }
    )*};
}
operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
}

impl std::ops::Neg for Term {
    type Output = Term;
    fn neg(self) -> Term {
        Term::Neg(Box::new(self))
    }
}

/// Argument of a relation: a value or a truth value.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// A value.
    Term(Term),
    /// A truth value.
    Literal(Literal),
}

impl<T: Into<Term>> From<T> for Given {
    fn from(term: T) -> Self {
        Self::Term(term.into())
    }
}

impl From<Literal> for Given {
    fn from(literal: Literal) -> Self {
        Self::Literal(literal)
    }
}

macro_rules! literals {
    ($($id:ident $variant:ident;)*) => {$(
        impl From<$id> for Literal {
            fn from(id: $id) -> Self {
                Literal { what: Boolean::$variant(id), negated: false }
            }
        }

        impl std::ops::Not for $id {
            type Output = Literal;
            fn not(self) -> Literal {
                Literal { what: Boolean::$variant(self), negated: true }
            }
        }
    )*};
}
literals! {
    SwitchId Switch;
    RangeId Range;
    SituationId Situation;
    ScheduleId Schedule;
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal {
            negated: !self.negated,
            ..self
        }
    }
}

/// Why a model could not be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// No procedure has this name.
    UnknownProcedure(String),
    /// The parts do not fit together.
    Invalid(VerifyError),
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownProcedure(name) => write!(f, "no procedure is named `{name}`"),
            Self::Invalid(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

/// A model being built; rows are added in the order in which they are scanned.
///
/// ```
/// use situ_engine::model::{CompareOp, ModelBuilder, Term};
///
/// let mut table = ModelBuilder::new("ball");
/// let g = table.constant("g", 9.81);
/// let v = table.real("v", 0.0);
/// let h = table.real("h", 5.0);
/// let down = table.range("down", [(v.into(), CompareOp::Less, 0.0.into())]);
/// let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
/// let hit = table.event("hit", [floor.into(), down.into()]);
/// table.relation(v, "integral", [-Term::from(g)]);
/// table.relation(h, "integral", [v]);
/// table.relation(v, "proportional", [v]).coef(-0.8).when([hit.into()]).once();
/// let model = table.build()?;
/// assert_eq!(model.relations.len(), 3);
/// # Ok::<(), situ_engine::model::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    model: Model,
    situations: HashMap<String, SituationId>,
    unknown: Option<String>,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: &str) -> Self {
        let model = Model {
            name: name.to_owned(),
            ..Model::default()
        };
        Self {
            model,
            ..Self::default()
        }
    }

    /// Sets how the model is run.
    pub fn clock(&mut self, clock: Clock) {
        self.model.clock = clock;
    }

    /// Adds a constant with its value.
    pub fn constant(&mut self, name: &str, value: impl Into<Term>) -> ConstantId {
        let quantity = self.quantity(name, value.into(), false);
        self.model.constants.push(quantity);
        ConstantId::new(self.model.constants.len() - 1)
    }

    /// Adds a real with its start value.
    pub fn real(&mut self, name: &str, start: impl Into<Term>) -> RealId {
        let quantity = self.quantity(name, start.into(), true);
        self.model.reals.push(quantity);
        RealId::new(self.model.reals.len() - 1)
    }

    /// Adds a switch with its start value.
    pub fn switch(&mut self, name: &str, start: bool) -> SwitchId {
        self.model.switches.push(Switch {
            name: name.to_owned(),
            start,
            about: String::new(),
            origin: Origin::NONE,
        });
        SwitchId::new(self.model.switches.len() - 1)
    }

    /// Adds a range: all comparisons must hold.
    pub fn range(
        &mut self,
        name: &str,
        all: impl IntoIterator<Item = (Term, CompareOp, Term)>,
    ) -> RangeId {
        let all = all
            .into_iter()
            .map(|(left, op, right)| Comparison {
                left: self.expr(left),
                op,
                right: self.expr(right),
            })
            .collect();
        self.model.ranges.push(Range {
            id: (self.model.ranges.len() + 1).to_string(),
            name: name.to_owned(),
            anonymous: false,
            all,
            mark: None,
            note: String::new(),
            origin: Origin::NONE,
        });
        RangeId::new(self.model.ranges.len() - 1)
    }

    /// Says how event-accurate runs treat the borders of a range.
    pub fn mark(&mut self, range: RangeId, mark: Mark) {
        self.model.ranges[range.index()].mark = Some(mark);
    }

    /// Says which size is usual for a real (in its unit).
    pub fn nominal(&mut self, real: RealId, size: f64) {
        self.model.reals[real.index()].nominal = Some(size);
    }

    /// Says what a real was before the start, over constants and [`Term::Time`].
    pub fn before(&mut self, real: RealId, past: impl Into<Term>) {
        let past = self.expr(past.into());
        self.model.reals[real.index()].before = Some(past);
    }

    /// Adds a quantity that should keep its value.
    pub fn invariant(&mut self, name: &str, value: impl Into<Term>) {
        let value = self.expr(value.into());
        self.model.invariants.push(Invariant {
            name: name.to_owned(),
            value,
            origin: Origin::NONE,
        });
    }

    /// Adds a row that makes a level situation true; the same name again adds another row.
    pub fn situation(&mut self, name: &str, all: impl IntoIterator<Item = Literal>) -> SituationId {
        self.situation_row(name, false, all.into_iter().collect())
    }

    /// Adds a row that fires an event; the same name again adds another row.
    pub fn event(&mut self, name: &str, all: impl IntoIterator<Item = Literal>) -> SituationId {
        self.situation_row(name, true, all.into_iter().collect())
    }

    /// Adds a periodic time event for use in conditions, first at `period`.
    pub fn every(&mut self, period: impl Into<Term>) -> ScheduleId {
        let period = self.expr(period.into());
        self.model.schedules.push(Schedule {
            period,
            first: period,
            origin: Origin::NONE,
        });
        ScheduleId::new(self.model.schedules.len() - 1)
    }

    /// Adds an assignment of switches.
    pub fn assign(
        &mut self,
        when: impl IntoIterator<Item = Literal>,
        set: impl IntoIterator<Item = (SwitchId, bool)>,
    ) {
        self.model.assignments.push(Assignment {
            id: (self.model.assignments.len() + 1).to_string(),
            when: when.into_iter().collect(),
            set: set.into_iter().collect(),
            note: String::new(),
            origin: Origin::NONE,
        });
    }

    /// Ends runs of the model where all these hold.
    pub fn stop_when(&mut self, all: impl IntoIterator<Item = Literal>) {
        let watch = all.into_iter().map(WatchLiteral::Boolean).collect();
        self.model.clock.stop_when = Some(watch);
    }

    /// Adds a relation; it is always active and has coefficient 1 until the result says otherwise.
    pub fn relation<G: Into<Given>>(
        &mut self,
        target: RealId,
        procedure: &str,
        args: impl IntoIterator<Item = G>,
    ) -> RelationBuilder<'_> {
        let id = ProcedureId::named(procedure);
        if id.is_none() {
            self.unknown.get_or_insert_with(|| procedure.to_owned());
        }
        let procedure = id.unwrap_or_else(ProcedureId::assignment);
        let mut args: SmallVec<[Argument; 2]> = args
            .into_iter()
            .map(|given| match given.into() {
                Given::Term(term) => Argument::Real(self.expr(term)),
                Given::Literal(literal) => Argument::Boolean(literal),
            })
            .collect();
        for param in procedure.get().params.iter().skip(args.len()) {
            if let Some(value) = param.default {
                args.push(Argument::Real(self.model.exprs.push(Expr::Number(value))));
            }
        }
        self.model.relations.push(Relation {
            id: (self.model.relations.len() + 1).to_string(),
            targets: SmallVec::from_elem(target, 1),
            procedure,
            coef: Coefficient::ONE,
            args,
            coef2: Coefficient::ONE,
            guard: Guard::Always,
            once: false,
            grouped: false,
            note: String::new(),
            origin: Origin::NONE,
        });
        RelationBuilder {
            relation: RelationId::new(self.model.relations.len() - 1),
            model: &mut self.model,
        }
    }

    /// The finished model.
    ///
    /// # Errors
    ///
    /// An unknown procedure, or parts that do not fit together ([`verify`]).
    pub fn build(self) -> Result<Model, BuildError> {
        if let Some(name) = self.unknown {
            return Err(BuildError::UnknownProcedure(name));
        }
        verify(&self.model).map_err(BuildError::Invalid)?;
        Ok(self.model)
    }

    fn quantity(&mut self, name: &str, start: Term, output: bool) -> Quantity {
        Quantity {
            name: name.to_owned(),
            start: self.expr(start),
            steady: false,
            before: None,
            unit: String::new(),
            about: String::new(),
            output,
            nominal: None,
            range: None,
            auxiliary: false,
            observed: false,
            origin: Origin::NONE,
        }
    }

    fn situation_row(&mut self, name: &str, event: bool, all: super::Conjunction) -> SituationId {
        let situations = &mut self.model.situations;
        let situation = match self.situations.get(name) {
            Some(&known) => known,
            None => {
                situations.push(Situation {
                    name: name.to_owned(),
                    event,
                    behind: false,
                    observed: false,
                    origin: Origin::NONE,
                });
                let new = SituationId::new(situations.len() - 1);
                self.situations.insert(name.to_owned(), new);
                new
            }
        };
        self.model.situation_rows.push(SituationRow {
            id: (self.model.situation_rows.len() + 1).to_string(),
            situation,
            all,
            note: String::new(),
            origin: Origin::NONE,
        });
        situation
    }

    /// Adds an expression, for a measure.
    pub fn expr(&mut self, term: impl Into<Term>) -> ExprId {
        let node = match term.into() {
            Term::Number(value) => Expr::Number(value),
            Term::Constant(id) => Expr::Constant(id),
            Term::Real(id) => Expr::Real(id),
            Term::Time => Expr::Time,
            Term::Neg(a) => Expr::Neg(self.expr(*a)),
            Term::Add(a, b) => Expr::Add(self.expr(*a), self.expr(*b)),
            Term::Sub(a, b) => Expr::Sub(self.expr(*a), self.expr(*b)),
            Term::Mul(a, b) => Expr::Mul(self.expr(*a), self.expr(*b)),
            Term::Div(a, b) => Expr::Div(self.expr(*a), self.expr(*b)),
            Term::Call(name, args) => {
                let args = args.into_iter().map(|arg| self.expr(arg)).collect();
                match ProcedureId::named(name) {
                    Some(procedure) => Expr::Call(procedure, args),
                    None => {
                        self.unknown.get_or_insert_with(|| name.to_owned());
                        Expr::Number(f64::NAN)
                    }
                }
            }
        };
        self.model.exprs.push(node)
    }
}
