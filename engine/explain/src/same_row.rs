//! Rows and booleans that are the same in two versions of a model: ids of quantities differ, names do not.

use situ_engine::ids::{ExprId, RangeId, ScheduleId, SituationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, Coefficient, CompareOp, Conjunction, Expr, Guard, Literal, Model,
};

use crate::reason::RowRef;

/// A part of what a row says; in one order, so that rows say the same if their parts are the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part<'m> {
    Name(&'m str),
    Bits(u64),
    Compared(CompareOp),
    Is(&'static str),
}

/// Whether a row of one model is a row of another.
pub(crate) type SameRow = fn((&Model, RowRef), (&Model, RowRef)) -> bool;

/// Whether a row of one model says the same as a row of another, its id included.
pub(crate) fn same_row((a, row_a): (&Model, RowRef), (b, row_b): (&Model, RowRef)) -> bool {
    if std::ptr::eq(a, b) {
        return row_a == row_b;
    }
    id(a, row_a) == id(b, row_b) && says_the_same((a, row_a), (b, row_b))
}

/// Whether a row of one model says the same as a row of another, whatever their ids: those of rows without one count the
/// rows above.
pub(crate) fn says_the_same((a, row_a): (&Model, RowRef), (b, row_b): (&Model, RowRef)) -> bool {
    parts(a, row_a) == parts(b, row_b)
}

/// What a row says.
pub(crate) fn parts(model: &Model, row: RowRef) -> Vec<Part<'_>> {
    Says::of(model, row).parts
}

/// What a boolean of one model is in another: what has its name there, or says the same if it has none.
pub(crate) fn same_boolean((a, what): (&Model, Boolean), b: &Model) -> Option<Boolean> {
    fn says(model: &Model, what: Boolean) -> Vec<Part<'_>> {
        let parts = Vec::new();
        let mut says = Says { model, parts };
        says.literal(Literal {
            what,
            negated: false,
        });
        says.parts
    }
    if std::ptr::eq(a, b) {
        return Some(what);
    }
    let meant = says(a, what);
    let find = |count: usize, of: fn(usize) -> Boolean| {
        let mut all = (0..count).map(of);
        all.find(|other| says(b, *other) == meant)
    };
    match what {
        Boolean::Switch(_) => find(b.switches.len(), |id| Boolean::Switch(SwitchId::new(id))),
        Boolean::Range(_) => find(b.ranges.len(), |id| Boolean::Range(RangeId::new(id))),
        Boolean::Situation(_) => find(b.situations.len(), |id| {
            Boolean::Situation(SituationId::new(id))
        }),
        Boolean::Schedule(_) => find(b.schedules.len(), |id| {
            Boolean::Schedule(ScheduleId::new(id))
        }),
        Boolean::Start => Some(what),
    }
}

/// The id of a row.
pub(crate) fn id(model: &Model, row: RowRef) -> &str {
    match row {
        RowRef::Assignment(index) => &model.assignments[index].id,
        RowRef::Relation(id) => &model.relations[id.index()].id,
    }
}

struct Says<'m> {
    model: &'m Model,
    parts: Vec<Part<'m>>,
}

impl<'m> Says<'m> {
    fn of(model: &'m Model, row: RowRef) -> Self {
        let parts = Vec::new();
        let mut says = Self { model, parts };
        match row {
            RowRef::Assignment(index) => {
                let row = &model.assignments[index];
                says.parts.push(Part::Is("assignment"));
                says.conjunction(&row.when);
                for (switch, value) in &row.set {
                    says.name(&model.switches[switch.index()].name);
                    says.bits(u64::from(*value));
                }
            }
            RowRef::Relation(id) => {
                let row = &model.relations[id.index()];
                says.bits(u64::from(row.once));
                says.name(row.procedure.get().name);
                for target in &row.targets {
                    says.name(&model.reals[target.index()].name);
                }
                for coefficient in [row.coef, row.coef2] {
                    says.coefficient(coefficient);
                }
                for argument in &row.args {
                    match argument {
                        Argument::Real(expr) => says.expression(*expr),
                        Argument::Boolean(literal) => says.literal(*literal),
                    }
                }
                match &row.guard {
                    Guard::Always => says.parts.push(Part::Is("always")),
                    Guard::When(all) => says.conjunction(all),
                    Guard::Otherwise => says.parts.push(Part::Is("otherwise")),
                }
            }
        }
        says
    }

    fn name(&mut self, name: &'m str) {
        self.parts.push(Part::Name(name));
    }

    fn bits(&mut self, bits: u64) {
        self.parts.push(Part::Bits(bits));
    }

    fn coefficient(&mut self, coefficient: Coefficient) {
        match coefficient {
            Coefficient::Number(number) => self.bits(number.to_bits()),
            Coefficient::Constant { id, negative } => {
                self.name(&self.model.constants[id.index()].name);
                self.bits(u64::from(negative));
            }
        }
    }

    fn conjunction(&mut self, all: &Conjunction) {
        self.bits(all.len() as u64);
        all.iter().for_each(|literal| self.literal(*literal));
    }

    fn literal(&mut self, literal: Literal) {
        let model = self.model;
        self.bits(u64::from(literal.negated));
        match literal.what {
            Boolean::Switch(id) => self.name(&model.switches[id.index()].name),
            Boolean::Situation(id) => self.name(&model.situations[id.index()].name),
            Boolean::Range(id) => self.range(id),
            Boolean::Schedule(id) => {
                let schedule = &model.schedules[id.index()];
                self.parts.push(Part::Is("every"));
                self.expression(schedule.period);
                self.expression(schedule.first);
            }
            Boolean::Start => self.parts.push(Part::Is("start")),
        }
    }

    fn range(&mut self, id: RangeId) {
        let range = &self.model.ranges[id.index()];
        if !range.anonymous {
            return self.name(&range.name);
        }
        for comparison in &range.all {
            self.expression(comparison.left);
            self.parts.push(Part::Compared(comparison.op));
            self.expression(comparison.right);
        }
    }

    /// In the order of a stack machine, which tells any two expressions apart.
    fn expression(&mut self, root: ExprId) {
        let model = self.model;
        model.exprs.visit(root, |_, node| {
            self.parts.push(match node {
                Expr::Number(number) => Part::Bits(number.to_bits()),
                Expr::Constant(id) => Part::Name(&model.constants[id.index()].name),
                Expr::Real(id) => Part::Name(&model.reals[id.index()].name),
                Expr::Time => Part::Is("time"),
                Expr::Neg(_) => Part::Is("neg"),
                Expr::Add(..) => Part::Is("add"),
                Expr::Sub(..) => Part::Is("sub"),
                Expr::Mul(..) => Part::Is("mul"),
                Expr::Div(..) => Part::Is("div"),
                Expr::Call(procedure, _) => Part::Is(procedure.get().name),
                Expr::Lookup(id, _) => Part::Name(&model.lookups[id.index()].name),
            });
        });
    }
}
