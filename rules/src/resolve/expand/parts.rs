//! Parts of reductions: quantities and rows that they need, and that nobody has written.

use situ_engine::model::element;

use super::Expander;
use super::elements::always;
use super::families::{Env, Kind};
use super::reduce::negated;
use crate::print;
use crate::source::{Span, Spanned};
use crate::tree::{
    Condition, Expr, ExprKind, Form, Guard, Literal, LiteralKind, Name, Quantity, ReductionKind,
    Relation, Row, Situation, Value,
};

impl<'a> Expander<'a> {
    /// One literal for a conjunction that is a part of a condition over elements.
    pub(super) fn single(
        &mut self,
        mut literals: Vec<Literal>,
        over: ReductionKind,
        span: Span,
    ) -> Literal {
        match literals.len() {
            0 => always(true, span),
            1 => literals.swap_remove(0),
            _ => {
                let printed = Condition {
                    span,
                    literals: literals.clone(),
                };
                let behind = self.is_behind(over, &literals);
                let name = self.part_name(print::condition(&printed), &Env::new(), behind);
                self.define(&name, vec![literals], span, behind);
                Literal {
                    span,
                    negated: false,
                    kind: LiteralKind::Name(name),
                }
            }
        }
    }

    /// The name of a part: what it is, with the counters around it; one that is scanned behind the assignments may be there
    /// beside one that is not.
    pub(super) fn part_name(&self, text: String, env: &Env<'a>, behind: bool) -> String {
        let mut text = text.replace('`', "'");
        if !env.is_empty() {
            let counters = env.iter().map(|(name, value)| format!("{name} = {value}"));
            text = format!("{text} at {}", counters.collect::<Vec<_>>().join(", "));
        }
        match behind {
            true => format!("{text} behind assignments"),
            false => text,
        }
    }

    /// True if what `all` is made of has to be scanned behind the assignments: in a row, `all` reads switches as these
    /// have left them.
    pub(super) fn is_behind(&self, over: ReductionKind, literals: &[Literal]) -> bool {
        over == ReductionKind::All && self.reads_switches(literals)
    }

    /// True in a row if some of the literals read switches there.
    pub(super) fn reads_switches(&self, literals: &[Literal]) -> bool {
        literals.iter().any(|literal| match &literal.kind {
            LiteralKind::Name(name) => {
                let base = element(name).map_or(name.as_str(), |(base, _)| base);
                self.switches.contains(base) || self.parts.behind.contains(name)
            }
            _ => false,
        })
    }

    /// Defines a situation that holds while one of the conjunctions does, unless it is defined.
    pub(super) fn define(&mut self, name: &str, rows: Vec<Vec<Literal>>, span: Span, behind: bool) {
        if !self.parts.known.insert(name.to_owned()) {
            return;
        }
        if behind {
            self.parts.behind.insert(name.to_owned());
        }
        let event = rows.iter().flatten().any(|literal| self.is_event(literal));
        for (at, literals) in rows.into_iter().enumerate() {
            let id = Spanned::new(format!("{}[{}]", name.replace(' ', ""), at + 1), span);
            let body = Situation {
                name: Name::new(name.to_owned(), span),
                event,
                behind,
                all: Condition { span, literals },
            };
            let row = part(id, body, span);
            self.parts.situations.push(Row {
                form: if behind { Form::Columns } else { row.form },
                ..row
            });
        }
    }

    pub(super) fn is_event(&self, literal: &Literal) -> bool {
        if literal.negated {
            return false;
        }
        match &literal.kind {
            LiteralKind::Name(name) => {
                let base = element(name).map_or(name.as_str(), |(base, _)| base);
                let family = self.families.get(base);
                let part = self.parts.situations.iter().rev();
                let mut part = part.filter(|row| row.body.name.value == *name);
                self.events.contains(name.as_str())
                    || family.is_some_and(|family| family.kind == Kind::Event)
                    || part.next().is_some_and(|row| row.body.event)
            }
            LiteralKind::Start | LiteralKind::Every(_) => true,
            _ => false,
        }
    }

    /// A real that is 1 while all literals hold, and else 0.
    pub(super) fn as_number(&mut self, all: Vec<Literal>, span: Span) -> Expr {
        let printed = whole(all, span);
        let text = format!("number({})", print::condition(&printed).replace('`', "'"));
        let value = |value| Expr {
            span,
            kind: ExprKind::Number(value),
        };
        let (mut name, mut number) = (text.clone(), 1);
        while !self.parts.counts.contains(&name) {
            if self.parts.known.insert(name.clone()) {
                self.parts.counts.insert(name.clone());
                self.add_part(&name, value(1.0), printed.clone(), 0.0);
            } else {
                number += 1;
                name = format!("{text} ({number})");
            }
        }
        Expr {
            span,
            kind: ExprKind::Name(name),
        }
    }

    /// A real that is a value while all literals hold, and else another number.
    pub(super) fn while_holds(
        &mut self,
        value: Expr,
        all: Vec<Literal>,
        absent: f64,
        span: Span,
    ) -> Expr {
        let printed = whole(all, span);
        let value_text = print::expression(&value);
        let text = format!("{value_text} when {}", print::condition(&printed));
        let text = text.replace('`', "'");
        // What it reads may be written between two rows that need it.
        let mut name = text.clone();
        let mut number = 1;
        while !self.parts.known.insert(name.clone()) {
            number += 1;
            name = format!("{text} ({number})");
        }
        self.add_part(&name, value, printed, absent);
        Expr {
            span,
            kind: ExprKind::Name(name),
        }
    }

    /// The condition stands in the row itself, so that it holds of what the row finds, as that of any row.
    fn add_part(&mut self, name: &str, value: Expr, condition: Condition, absent: f64) {
        let span = condition.span;
        let number = |value: f64| {
            let size = Expr {
                span,
                kind: ExprKind::Number(value.abs()),
            };
            match value < 0.0 {
                true => Expr {
                    span,
                    kind: ExprKind::Neg(Box::new(size)),
                },
                false => size,
            }
        };
        self.parts.reals.push(Quantity {
            name: Name::new(name.to_owned(), span),
            span,
            start: Some(number(absent)),
            before: None,
            unit: None,
            about: None,
            output: Some(Spanned::new(false, span)),
            nominal: None,
            range: None,
            auxiliary: true,
            elements: None,
        });
        let otherwise = match condition.literals.as_slice() {
            [literal] if !matches!(literal.kind, LiteralKind::Comparison(_)) => {
                Guard::When(whole(vec![negated(literal.clone())], span))
            }
            _ => Guard::Otherwise(span),
        };
        for (suffix, value, guard) in [
            ("+", value, Guard::When(condition)),
            ("-", number(absent), otherwise),
        ] {
            let id = Spanned::new(format!("{}{suffix}", name.replace(' ', "")), span);
            let body = Relation {
                targets: vec![Name::new(name.to_owned(), span)],
                once: false,
                once_span: span,
                value: Value::Exprs(vec![value]),
                guard,
            };
            self.parts.relations.push(part(id, body, span));
        }
    }
}

/// All literals as a condition; that of none always holds.
fn whole(mut literals: Vec<Literal>, span: Span) -> Condition {
    if literals.is_empty() {
        literals.push(always(true, span));
    }
    Condition { span, literals }
}

fn part<T>(id: Spanned<String>, body: T, span: Span) -> Row<T> {
    Row {
        form: Form::Line,
        span,
        id: Some(id),
        place: None,
        note: None,
        each: None,
        body,
    }
}
