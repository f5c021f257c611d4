//! A table that is written out -> the same one with all of its names behind the name of a part.

use std::collections::HashSet;

use super::flat::Flat;
use crate::source::Spanned;
use crate::tree::{
    Amount, Assignment, Comparison, Condition, Equality, Expr, ExprKind, Guard, Invariant, Literal,
    LiteralKind, Lookup, Machine, Name, Part, Quantity, Range, RateLaw, Reaction, Relation, Row,
    Scheme, Situation, Start, State, Switch, Table, Term, Transition, Value, rate_name,
    real_of_rate,
};

/// The names of a table as they are outside of the part.
pub(super) struct Renamer<'t> {
    part: &'t str,
    lookups: HashSet<&'t str>,
    /// True if the table has a name like the word that asks for an equilibrium, and means that by it.
    names_steady: bool,
}

impl<'t> Renamer<'t> {
    pub(super) fn new(part: &'t str, flat: &'t Flat) -> Self {
        let lookups = flat.table.lookups.iter();
        let lookups: HashSet<&str> = lookups.map(|lookup| &*lookup.name.value).collect();
        let steady = Start::Steady.name();
        let mut names = flat.names();
        Self {
            part,
            names_steady: lookups.contains(steady) || names.any(|(name, _)| name == steady),
            lookups,
        }
    }

    pub(super) fn table(&self, table: &Table) -> Table {
        Table {
            constants: self.all(&table.constants, Self::quantity),
            reals: self.all(&table.reals, Self::quantity),
            inputs: self.all(&table.inputs, Self::name),
            lookups: self.all(&table.lookups, |own, lookup| Lookup {
                name: own.name(&lookup.name),
                ..lookup.clone()
            }),
            switches: self.all(&table.switches, |own, switch| Switch {
                name: own.name(&switch.name),
                ..switch.clone()
            }),
            parts: self.all(&table.parts, |own, part| Part {
                name: own.name(&part.name),
                ..part.clone()
            }),
            ranges: self.rows(&table.ranges, Self::range),
            situations: self.rows(&table.situations, Self::situation),
            assignments: self.rows(&table.assignments, Self::assignment),
            relations: self.rows(&table.relations, Self::relation),
            scheme: Scheme {
                reactions: self.rows(&table.scheme.reactions, Self::reaction),
                formulas: None,
            },
            machines: self.all(&table.machines, Self::machine),
            invariants: self.all(&table.invariants, |own, one| Invariant {
                name: own.name(&one.name),
                span: one.span,
                value: own.expr(&one.value),
            }),
            ..Table::empty(table)
        }
    }

    fn all<T>(&self, written: &[T], renamed: impl Fn(&Self, &T) -> T) -> Vec<T> {
        written.iter().map(|one| renamed(self, one)).collect()
    }

    /// The name as it is outside.
    pub(super) fn text(&self, name: &str) -> String {
        match real_of_rate(name) {
            Some(real) => rate_name(&self.text(real)),
            None => format!("{}.{name}", self.part),
        }
    }

    fn name(&self, name: &Name) -> Name {
        Name::new(self.text(&name.value), name.span)
    }

    fn rows<T>(&self, rows: &[Row<T>], body: impl Fn(&Self, &T) -> T) -> Vec<Row<T>> {
        let renamed = |row: &Row<T>| Row {
            form: row.form,
            span: row.span,
            id: row.id.as_ref().map(|id| Spanned::new(self.id(id), id.span)),
            place: None,
            note: row.note.clone(),
            each: None,
            body: body(self, &row.body),
        };
        rows.iter().map(renamed).collect()
    }

    /// The id of a row of the part, which holds no blanks, whatever the part is called.
    fn id(&self, id: &Spanned<String>) -> String {
        let part = self.part.replace(char::is_whitespace, "-");
        format!("{part}.{}", id.value)
    }

    fn quantity(&self, quantity: &Quantity) -> Quantity {
        Quantity {
            name: self.name(&quantity.name),
            span: quantity.span,
            start: quantity.start.as_ref().map(|start| self.start(start)),
            before: (quantity.before.as_ref()).map(|before| Box::new(self.expr(before))),
            unit: quantity.unit.clone(),
            about: quantity.about.clone(),
            output: quantity.output.clone(),
            nominal: quantity.nominal.clone(),
            range: quantity.range.clone(),
            auxiliary: quantity.auxiliary,
            elements: None,
        }
    }

    /// A start value. One that asks for an equilibrium becomes a call, which means the same whatever the names outside.
    fn start(&self, start: &Expr) -> Expr {
        let span = start.span;
        match &start.kind {
            ExprKind::Counted(counted) => self.start(&counted.written_out()),
            ExprKind::Name(name) if name == Start::Steady.name() && !self.names_steady => Expr {
                span,
                kind: ExprKind::Call(Box::new(Name::new(name.clone(), span)), Vec::new()),
            },
            _ => self.expr(start),
        }
    }

    fn range(&self, range: &Range) -> Range {
        Range {
            name: self.name(&range.name),
            all: self.all(&range.all, Self::comparison),
            mark: range.mark.clone(),
        }
    }

    fn situation(&self, situation: &Situation) -> Situation {
        Situation {
            name: self.name(&situation.name),
            event: situation.event,
            behind: situation.behind,
            all: self.condition(&situation.all),
        }
    }

    fn assignment(&self, assignment: &Assignment) -> Assignment {
        let set = assignment.set.iter();
        Assignment {
            when: self.condition(&assignment.when),
            set: set.map(|(name, to)| (self.name(name), *to)).collect(),
        }
    }

    fn relation(&self, relation: &Relation) -> Relation {
        Relation {
            targets: self.all(&relation.targets, Self::name),
            once: relation.once,
            once_span: relation.once_span,
            value: match &relation.value {
                Value::Exprs(values) => Value::Exprs(self.all(values, Self::expr)),
                Value::Columns {
                    procedure,
                    coef,
                    args,
                    coef2,
                } => Value::Columns {
                    procedure: Spanned::new(self.called(&procedure.value), procedure.span),
                    coef: coef.as_ref().map(|coef| Box::new(self.expr(coef))),
                    args: self.all(args, Self::expr),
                    coef2: coef2.as_ref().map(|coef| Box::new(self.expr(coef))),
                },
                // Elements have been written out.
                Value::Family(row) => Value::Family(row.clone()),
                Value::Solve { equations, bounds } => Value::Solve {
                    equations: self.all(equations, |own, one| Equality {
                        left: own.expr(&one.left),
                        right: own.expr(&one.right),
                    }),
                    bounds: bounds
                        .as_ref()
                        .map(|bounds| Box::new(bounds.each_ref().map(|bound| self.expr(bound)))),
                },
            },
            guard: self.guard(&relation.guard),
        }
    }

    fn guard(&self, guard: &Guard) -> Guard {
        match guard {
            Guard::Always => Guard::Always,
            Guard::When(all) => Guard::When(self.condition(all)),
            Guard::Each(all) => Guard::Each(self.all(all, Self::condition)),
            Guard::Otherwise(span) => Guard::Otherwise(*span),
        }
    }

    fn reaction(&self, reaction: &Reaction) -> Reaction {
        let terms = |own: &Self, term: &Term| Term {
            amount: match &term.amount {
                Amount::Constant(name) => Amount::Constant(own.name(name)),
                amount => amount.clone(),
            },
            species: own.name(&term.species),
        };
        Reaction {
            left: self.all(&reaction.left, terms),
            right: self.all(&reaction.right, terms),
            reversible: reaction.reversible,
            equation: reaction.equation,
            law: match &reaction.law {
                RateLaw::MassAction(values) => RateLaw::MassAction(self.all(values, Self::expr)),
                RateLaw::Rate(values) => RateLaw::Rate(self.all(values, Self::expr)),
            },
            guard: self.guard(&reaction.guard),
        }
    }

    /// A machine whose states and transitions have been written out; they keep their names within it.
    fn machine(&self, machine: &Machine) -> Machine {
        let states = machine.states.iter().map(|state| State {
            name: state.name.clone(),
            rows: Vec::new(),
        });
        let transitions = machine.transitions.iter().map(|row| Row {
            body: Transition {
                set: Vec::new(),
                ..row.body.clone()
            },
            ..row.clone()
        });
        Machine {
            name: self.name(&machine.name),
            span: machine.span,
            start: machine.start.clone(),
            states: states.collect(),
            transitions: transitions.collect(),
        }
    }

    fn called(&self, procedure: &str) -> String {
        match self.lookups.contains(procedure) {
            true => self.text(procedure),
            false => procedure.to_owned(),
        }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Name(name) => ExprKind::Name(self.text(name)),
            ExprKind::Paren(inner) => ExprKind::Paren(Box::new(self.expr(inner))),
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(self.expr(inner))),
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::Call(name, args) => {
                let name = Name::new(self.called(&name.value), name.span);
                ExprKind::Call(Box::new(name), self.all(args, Self::expr))
            }
            ExprKind::Boolean(literal) => ExprKind::Boolean(Box::new(self.literal(literal))),
            ExprKind::Counted(counted) => return self.expr(&counted.written_out()),
            ExprKind::Terms(terms) => return self.expr(&terms.combined(expr.span)),
            // Elements and reductions have been written out.
            ExprKind::Number(_)
            | ExprKind::Element(_)
            | ExprKind::Reduction(_)
            | ExprKind::Time
            | ExprKind::Pi
            | ExprKind::Error => expr.kind.clone(),
        };
        Expr {
            span: expr.span,
            kind,
        }
    }

    fn condition(&self, condition: &Condition) -> Condition {
        Condition {
            span: condition.span,
            literals: self.all(&condition.literals, Self::literal),
        }
    }

    fn literal(&self, literal: &Literal) -> Literal {
        let kind = match &literal.kind {
            LiteralKind::Name(name) => LiteralKind::Name(self.text(name)),
            LiteralKind::Every(args) => LiteralKind::Every(self.all(args, Self::expr)),
            LiteralKind::Comparison(comparison) => {
                LiteralKind::Comparison(Box::new(self.comparison(comparison)))
            }
            LiteralKind::Element(_)
            | LiteralKind::Reduction(_)
            | LiteralKind::Start
            | LiteralKind::Error => literal.kind.clone(),
        };
        Literal {
            span: literal.span,
            negated: literal.negated,
            kind,
        }
    }

    fn comparison(&self, comparison: &Comparison) -> Comparison {
        Comparison {
            span: comparison.span,
            left: self.expr(&comparison.left),
            op: comparison.op,
            right: self.expr(&comparison.right),
        }
    }
}
