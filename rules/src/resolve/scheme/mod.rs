//! Stages of reactions become rows: a real and a row for each rate, a row for each species.
//!
//! ```text
//! [4] H + C2H6 -> H2 + C2H5 : k4     flux(4) = k4 * H * C2H6
//!                                    H = integral(flux(3) - flux(4))
//! ```
//!
//! They make a table of their own that joins the others behind all relations. As rates stand above the rows of the
//! species, which read nothing else, a tick computes all rates from the values that stand, and then moves all species.
//! A stage that goes both ways is two, the second one with an `r` behind its id; one with a condition has a second row,
//! which makes its rate zero otherwise. What no stage changes is read, not integrated.

mod balance;
mod formula;

use std::collections::HashSet;

use indexmap::IndexMap;
use situ_engine::ids::RealId;
use situ_engine::model::Coefficient;
use situ_engine::procedure::ProcedureId;

use super::merged::Merged;
use super::names::Scope;
use super::symbol::Symbol;
use crate::diag::Diagnostic;
use crate::lex::FLUX;
use crate::print;
use crate::source::{Span, Spanned};
use crate::tree::{
    Amount, AnyRow, BinaryOp, Expr, ExprKind, Form, Guard, Name, Quantity, RateLaw, Reaction,
    Relation, Row, Scheme, Table, Term, Value,
};

/// So many stages are summed in one row; more need further reals for parts of the sum.
const MAX_TERMS: usize = 200;

/// The rows of all stages.
pub(super) struct Stages<'a> {
    /// A table of them.
    pub(super) table: Table,
    /// What they mean, one entry per direction.
    pub(super) stages: Vec<Stage<'a>>,
    /// Ids of the rows that integrate species.
    pub(super) sums: Vec<String>,
}

/// One direction of a stage.
pub(super) struct Stage<'a> {
    pub(super) id: String,
    /// The row that stands in the table.
    pub(super) row: &'a Row<Reaction>,
    /// It is the way back.
    pub(super) back: bool,
    pub(super) left: &'a [Term],
    pub(super) right: &'a [Term],
}

/// Names of the rates of rows with ids, ways back included.
pub(super) fn rates(rows: &[Row<Reaction>]) -> impl Iterator<Item = String> + '_ {
    rows.iter().flat_map(|row| {
        let id = row.id.as_ref().map(|id| id.value.as_str());
        let back = id
            .filter(|_| row.body.reversible)
            .map(|id| rate(&format!("{id}r")));
        id.map(rate).into_iter().chain(back)
    })
}

/// Name of the rate of a stage.
fn rate(id: &str) -> String {
    // Of a part its name stands in front: `left.flux(4)`.
    let begins_name = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let (part, id) = match id.rfind('.') {
        Some(at) if begins_name(id) => id.split_at(at + 1),
        _ => ("", id),
    };
    // Of an element the indices stand behind: `flux(9)[3]`.
    let (id, indices) = match id.find('[') {
        Some(at) => id.split_at(at),
        None => (id, ""),
    };
    let back = if indices.ends_with('r') { "r" } else { "" };
    format!("{part}{FLUX}{id}{back}){}", indices.trim_end_matches('r'))
}

impl Stage<'_> {
    /// Name of its rate.
    pub(super) fn flux(&self) -> String {
        rate(&self.id)
    }

    /// Id of the row that makes its rate zero.
    pub(super) fn off_id(&self) -> String {
        format!("{}-off", self.flux())
    }

    /// As the author wrote it, without id and note.
    pub(super) fn text(&self) -> String {
        let plain = Row {
            form: Form::Line,
            id: None,
            place: None,
            each: None,
            note: None,
            ..self.row.clone()
        };
        print::row(&AnyRow::Reaction(plain))
    }
}

/// Makes rows of the stages of merged tables; `None` if there are none.
pub(super) fn expand<'a>(
    merged: &Merged<'a>,
    origin: &Table,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Stages<'a>> {
    if merged.scheme.reactions.is_empty() {
        return None;
    }
    let mut stages = Vec::new();
    let mut ids: HashSet<&str> = HashSet::new();
    for entry in &merged.scheme.reactions {
        // An id that stands twice is reported.
        if !ids.insert(&entry.id) {
            continue;
        }
        let body = &entry.row.body;
        let stage = |id: String, back: bool| {
            let (left, right) = match back {
                false => (&body.left, &body.right),
                true => (&body.right, &body.left),
            };
            Stage {
                id,
                row: entry.row,
                back,
                left,
                right,
            }
        };
        stages.push(stage(entry.id.to_string(), false));
        if body.reversible {
            stages.push(stage(format!("{}r", entry.id), true));
        }
    }
    balance::check(merged, diagnostics);
    let mut rows = Rows {
        table: Table::empty(origin),
    };
    for stage in &stages {
        rows.rate(stage);
    }
    let sums = rows.species(&stages);
    Some(Stages {
        table: rows.table,
        stages,
        sums,
    })
}

struct Rows {
    table: Table,
}

impl Rows {
    fn real(&mut self, name: &str, start: Option<Expr>, span: Span) {
        self.table.reals.push(Quantity {
            name: Name::new(name.to_owned(), span),
            span,
            start,
            before: None,
            unit: None,
            about: None,
            output: Some(Spanned::new(false, span)),
            nominal: None,
            range: None,
            auxiliary: true,
            elements: None,
        });
    }

    fn row(&mut self, id: String, of: &Row<Reaction>, target: Name, value: Expr, guard: Guard) {
        let span = of.span;
        self.table.relations.push(Row {
            form: Form::Line,
            span,
            id: Some(Spanned::new(id, span)),
            place: None,
            each: None,
            note: of.note.clone(),
            body: Relation {
                targets: vec![target],
                once: false,
                once_span: of.body.equation,
                value: Value::Exprs(vec![value]),
                guard,
            },
        });
    }

    /// `flux(4) = k4 * H * C2H6`
    fn rate(&mut self, stage: &Stage<'_>) {
        let body = &stage.row.body;
        let span = body.equation;
        let flux = stage.flux();
        // A stage with another number of values is reported.
        let value = body.law.values().get(usize::from(stage.back));
        let error = Expr {
            span,
            kind: ExprKind::Error,
        };
        let value = value.cloned().unwrap_or(error);
        let value = match body.law {
            RateLaw::Rate(_) => value,
            RateLaw::MassAction(_) => {
                let factor = match value.kind {
                    ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => Expr {
                        span: value.span,
                        kind: ExprKind::Paren(Box::new(value)),
                    },
                    _ => value,
                };
                stage.left.iter().fold(factor, |product, term| {
                    binary(BinaryOp::Mul, product, power(term))
                })
            }
        };
        let target = Name::new(flux.clone(), span);
        let guard = match &body.guard {
            // Reported when the line was read.
            Guard::Otherwise(_) => Guard::Always,
            guard => guard.clone(),
        };
        let conditional = !matches!(guard, Guard::Always);
        let start = (!conditional && known_at_start(&value)).then(|| value.clone());
        self.real(&flux, start, span);
        self.row(flux, stage.row, target.clone(), value, guard);
        if conditional {
            let zero = Expr {
                span,
                kind: ExprKind::Number(0.0),
            };
            let otherwise = Guard::Otherwise(span);
            self.row(stage.off_id(), stage.row, target, zero, otherwise);
        }
    }

    /// `H = integral(flux(3) - flux(4))`; gives the ids of these rows.
    fn species(&mut self, stages: &[Stage<'_>]) -> Vec<String> {
        let mut changes: IndexMap<&str, Vec<(Net, &Stage<'_>, Span)>> = IndexMap::new();
        for stage in stages {
            let mut nets: IndexMap<&str, (Net, Span)> = IndexMap::new();
            for (terms, sign) in [(stage.left, -1.0), (stage.right, 1.0)] {
                for term in terms {
                    let (net, _) = nets
                        .entry(&term.species.value)
                        .or_insert_with(|| (Net::default(), term.species.span));
                    net.add(&term.amount, sign);
                }
            }
            for (name, (net, span)) in nets {
                if !net.is_zero() {
                    changes.entry(name).or_default().push((net, stage, span));
                }
            }
        }
        let mut ids = Vec::new();
        for (name, changes) in changes {
            let (_, first, span) = &changes[0];
            let (row, span) = (first.row, *span);
            let mut sum: Option<Expr> = None;
            for (index, (net, stage, _)) in changes.iter().enumerate() {
                if index > 0 && index % MAX_TERMS == 0 {
                    let part = format!("stages({name})-{}", index / MAX_TERMS);
                    let target = Name::new(part.clone(), span);
                    self.real(&part, None, span);
                    let value = sum.take().unwrap_or_else(|| name_node(&part, span));
                    self.row(part.clone(), row, target, value, Guard::Always);
                    sum = Some(name_node(&part, span));
                }
                let flux = name_node(&stage.flux(), span);
                sum = Some(net.joined(sum, flux, span));
            }
            let integral = Name::new("integral".to_owned(), span);
            let value = Expr {
                span,
                kind: ExprKind::Call(Box::new(integral), sum.into_iter().collect()),
            };
            let words: Vec<&str> = name
                .split(|c: char| c.is_whitespace() || "[]".contains(c))
                .collect();
            let id = format!("stages({})", words.join("_"));
            let target = Name::new(name.to_owned(), span);
            self.row(id.clone(), row, target, value, Guard::Always);
            ids.push(id);
        }
        ids
    }
}

/// By how much a stage changes a species.
#[derive(Clone, Default)]
struct Net {
    number: f64,
    /// Constants with their signs.
    constants: Vec<(String, f64)>,
}

impl Net {
    fn add(&mut self, amount: &Amount, sign: f64) {
        match amount {
            Amount::One => self.number += sign,
            Amount::Number(number) => self.number += sign * number.value,
            Amount::Constant(name) => {
                let known = self.constants.iter_mut().find(|one| one.0 == name.value);
                match known {
                    Some((_, times)) => *times += sign,
                    None => self.constants.push((name.value.clone(), sign)),
                }
                self.constants.retain(|(_, times)| *times != 0.0);
            }
        }
    }

    fn is_zero(&self) -> bool {
        self.number == 0.0 && self.constants.is_empty()
    }

    /// `sum + 2 * flux`
    fn joined(&self, sum: Option<Expr>, flux: Expr, span: Span) -> Expr {
        let (negative, coefficient) = self.coefficient(span);
        match (sum, negative) {
            (None, false) => scaled(coefficient, flux),
            (None, true) => match coefficient {
                None => negated(flux),
                Some(coefficient) => scaled(Some(negated(coefficient)), flux),
            },
            (Some(sum), false) => binary(BinaryOp::Add, sum, scaled(coefficient, flux)),
            (Some(sum), true) => binary(BinaryOp::Sub, sum, scaled(coefficient, flux)),
        }
    }

    /// The sign, and what stands behind it; nothing for 1.
    fn coefficient(&self, span: Span) -> (bool, Option<Expr>) {
        let number = |value: f64| Expr {
            span,
            kind: ExprKind::Number(value),
        };
        let times = |name: &str, times: f64| match times.abs() {
            1.0 => name_node(name, span),
            times => binary(BinaryOp::Mul, number(times), name_node(name, span)),
        };
        match self.constants.as_slice() {
            [] => {
                let size = self.number.abs();
                (self.number < 0.0, (size != 1.0).then(|| number(size)))
            }
            [(name, one)] if self.number == 0.0 => (*one < 0.0, Some(times(name, *one))),
            several => {
                let mut sum = number(self.number);
                for (name, by) in several {
                    let op = if *by < 0.0 {
                        BinaryOp::Sub
                    } else {
                        BinaryOp::Add
                    };
                    sum = binary(op, sum, times(name, *by));
                }
                let kind = ExprKind::Paren(Box::new(sum));
                (false, Some(Expr { span, kind }))
            }
        }
    }
}

/// `C2H5^2`
fn power(term: &Term) -> Expr {
    let span = term.species.span;
    let species = name_node(&term.species.value, span);
    let exponent = match &term.amount {
        Amount::One => return species,
        Amount::Number(number) if number.value == 1.0 => return species,
        Amount::Number(number) => Expr {
            span: number.span,
            kind: ExprKind::Number(number.value),
        },
        Amount::Constant(name) => name_node(&name.value, name.span),
    };
    binary(BinaryOp::Pow, species, exponent)
}

/// True if a rate can be told from start values; the time, and sources with it, have none before the run.
fn known_at_start(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Pi => true,
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => known_at_start(inner),
        ExprKind::Binary(_, left, right) => known_at_start(left) && known_at_start(right),
        ExprKind::Call(name, args) => {
            let procedure = ProcedureId::named(&name.value);
            procedure.is_none_or(|procedure| !procedure.reads_time())
                && args.iter().all(known_at_start)
        }
        _ => false,
    }
}

fn name_node(name: &str, span: Span) -> Expr {
    Expr {
        span,
        kind: ExprKind::Name(name.to_owned()),
    }
}

fn negated(inner: Expr) -> Expr {
    Expr {
        span: inner.span,
        kind: ExprKind::Neg(Box::new(inner)),
    }
}

fn scaled(coefficient: Option<Expr>, value: Expr) -> Expr {
    match coefficient {
        None => value,
        Some(coefficient) => binary(BinaryOp::Mul, coefficient, value),
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr {
        span: left.span,
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
    }
}

impl Table {
    /// A table without rows that stands at the place of another one.
    pub(super) fn empty(origin: &Table) -> Self {
        Self {
            source_id: origin.source_id,
            span: origin.span,
            format: None,
            name: None,
            about: None,
            source: None,
            clock: None,
            extends: None,
            replace: Vec::new(),
            drop: Vec::new(),
            constants: Vec::new(),
            counters: Vec::new(),
            inputs: Vec::new(),
            reals: Vec::new(),
            lookups: Vec::new(),
            switches: Vec::new(),
            parts: Vec::new(),
            ranges: Vec::new(),
            situations: Vec::new(),
            assignments: Vec::new(),
            relations: Vec::new(),
            scheme: Scheme::default(),
            machines: Vec::new(),
            invariants: Vec::new(),
            expect: Vec::new(),
            cases: Vec::new(),
            scene: None,
            lab: None,
            unread: Vec::new(),
        }
    }
}

/// Species with their numbers, as the model has them; nothing for names that are no reals.
pub(super) fn side(terms: &[Term], scope: &Scope<'_>) -> Vec<(Coefficient, RealId)> {
    let bound = terms.iter().filter_map(|term| {
        let Symbol::Real(real) = scope.get(&term.species.value)?.symbol else {
            return None;
        };
        let amount = match &term.amount {
            Amount::One => Coefficient::ONE,
            Amount::Number(number) => Coefficient::Number(number.value),
            Amount::Constant(name) => match scope.get(&name.value)?.symbol {
                Symbol::Constant(id) => Coefficient::Constant {
                    id,
                    negative: false,
                },
                _ => return None,
            },
        };
        Some((amount, real))
    });
    bound.collect()
}
