//! Conditions: literals, comparisons and schedules become those of the model.

use situ_engine::ids::{RangeId, ScheduleId, SituationId};
use situ_engine::model::{
    self, Boolean, Comparison, Conjunction, Literal, Schedule, Watch, WatchLiteral,
};
use smallvec::smallvec;

use super::Binder;
use crate::print;
use crate::resolve::report;
use crate::resolve::symbol::{Known, Symbol, Use};
use crate::source::Span;
use crate::tree::{self, LiteralKind};

impl Binder<'_> {
    /// A conjunction; literals that cannot be bound are left out.
    pub(in crate::resolve) fn conjunction(&mut self, condition: &tree::Condition) -> Conjunction {
        self.wants_some(&condition.literals);
        condition
            .literals
            .iter()
            .filter_map(|literal| self.literal(literal))
            .collect()
    }

    /// One literal of a condition of the model.
    pub(in crate::resolve) fn literal(&mut self, literal: &tree::Literal) -> Option<Literal> {
        let what = match &literal.kind {
            LiteralKind::Comparison(comparison) => Boolean::Range(self.anonymous_range(comparison)),
            _ => self.named_literal(literal)?,
        };
        Some(Literal {
            what,
            negated: literal.negated,
        })
    }

    /// A condition over rows of the trajectory.
    pub(in crate::resolve) fn watch(&mut self, condition: &tree::Condition) -> Watch {
        self.wants_some(&condition.literals);
        let literals = condition.literals.iter();
        literals
            .filter_map(|literal| match &literal.kind {
                LiteralKind::Comparison(comparison) => {
                    Some(WatchLiteral::Comparison(self.comparison(comparison)))
                }
                LiteralKind::Name(name) if self.alternatives.contains_key(name) => {
                    let of = self.alternatives[name].clone();
                    Some(WatchLiteral::Any {
                        of: of.iter().map(|condition| self.watch(condition)).collect(),
                        negated: literal.negated,
                    })
                }
                _ => {
                    let what = self.named_literal(literal)?;
                    Some(WatchLiteral::Boolean(Literal {
                        what,
                        negated: literal.negated,
                    }))
                }
            })
            .collect()
    }

    fn named_literal(&mut self, literal: &tree::Literal) -> Option<Boolean> {
        match &literal.kind {
            LiteralKind::Name(name) => self.boolean(name, literal.span),
            LiteralKind::Start => Some(Boolean::Start),
            LiteralKind::Every(args) => self.schedule(args, literal.span),
            LiteralKind::Element(_) | LiteralKind::Reduction(_) => {
                self.diagnostics.push(report::not_written_out(literal.span));
                self.unread()
            }
            LiteralKind::Comparison(_) | LiteralKind::Error => self.unread(),
        }
    }

    pub(super) fn boolean(&mut self, name: &str, span: Span) -> Option<Boolean> {
        if let Some(of) = self.alternatives.get(name) {
            return Some(self.situation_of(name, of.clone(), span));
        }
        let Some(declared) = self.scope.get(name) else {
            self.unknown.add(name, span, Use::Condition);
            return None;
        };
        match declared.symbol {
            Symbol::Switch(id) => Some(Boolean::Switch(id)),
            Symbol::Range(id) => Some(Boolean::Range(id)),
            Symbol::Situation(id) => Some(Boolean::Situation(id)),
            Symbol::Constant(_) | Symbol::Real(_) | Symbol::Lookup(_) => {
                self.diagnostics
                    .push(report::quantity_for_condition(span, name, declared));
                None
            }
            Symbol::Invariant => {
                self.diagnostics
                    .push(report::invariant_used(span, name, declared));
                None
            }
            Symbol::Unusable => self.unread(),
        }
    }

    /// A situation that stands for one of several conditions in a row of the model.
    fn situation_of(&mut self, text: &str, of: Vec<tree::Condition>, span: Span) -> Boolean {
        // That of a row of the table is as a tick finds it.
        let (mut name, mut number) = (text.to_owned(), 1);
        loop {
            let mut known = self.model.situations.iter();
            let Some(known) = known.position(|situation| situation.name == name) else {
                break;
            };
            if self.model.situations[known].observed {
                return Boolean::Situation(SituationId::new(known));
            }
            number += 1;
            name = format!("{text} ({number})");
        }
        let rows: Vec<Conjunction> = of.iter().map(|all| self.conjunction(all)).collect();
        let id = SituationId::new(self.model.situations.len());
        let origin = self.origins.add(span);
        let is_event = |all: &Conjunction| self.model.names_event(all);
        let event = !rows.is_empty() && rows.iter().all(is_event);
        self.model.situations.push(model::Situation {
            name: name.clone(),
            event,
            behind: false,
            observed: true,
            origin,
        });
        for (number, all) in rows.into_iter().enumerate() {
            self.model.situation_rows.push(model::SituationRow {
                id: format!("{}[{}]", name.replace(' ', ""), number + 1),
                situation: id,
                all,
                note: String::new(),
                origin,
            });
        }
        Boolean::Situation(id)
    }

    pub(in crate::resolve) fn comparison(&mut self, comparison: &tree::Comparison) -> Comparison {
        Comparison {
            left: self.expr(&comparison.left, Known::Running),
            op: comparison.op,
            right: self.expr(&comparison.right, Known::Running),
        }
    }

    /// The range of a comparison inside a condition; equal comparisons share one, unless there is a
    /// mistake in it to be reported in each place.
    fn anonymous_range(&mut self, comparison: &tree::Comparison) -> RangeId {
        let name = print::comparison(comparison);
        if let Some(&known) = self.comparisons.get(&name) {
            return known;
        }
        let n_missing = self.n_missing;
        let bound = self.comparison(comparison);
        let id = RangeId::new(self.model.ranges.len());
        let origin = self.origins.add(comparison.span);
        self.model.ranges.push(model::Range {
            id: String::new(),
            name: name.clone(),
            anonymous: true,
            all: smallvec![bound],
            mark: None,
            note: String::new(),
            origin,
        });
        if n_missing == self.n_missing {
            self.comparisons.insert(name, id);
        }
        id
    }

    /// `every(period)` or `every(period, first)`.
    pub(super) fn schedule(&mut self, args: &[tree::Expr], span: Span) -> Option<Boolean> {
        let (period, first) = match args {
            [period] => (period, period),
            [period, first] => (period, first),
            _ => {
                self.diagnostics
                    .push(report::schedule_arguments(span, args.len()));
                // Another instant stands for it.
                return Some(Boolean::Start);
            }
        };
        let key = format!(
            "{}, {}",
            print::expression(period),
            print::expression(first)
        );
        if let Some(&known) = self.schedules.get(&key) {
            return Some(Boolean::Schedule(known));
        }
        let n_missing = self.n_missing;
        let period_id = self.expr(period, Known::Before);
        let first = match args.len() {
            1 => period_id,
            _ => self.expr(first, Known::Before),
        };
        if let model::Expr::Number(value) = self.model.exprs.get(period_id)
            && value <= 0.0
        {
            self.diagnostics.push(report::no_period(period.span, value));
        }
        let id = ScheduleId::new(self.model.schedules.len());
        let origin = self.origins.add(span);
        self.model.schedules.push(Schedule {
            period: period_id,
            first,
            origin,
        });
        if n_missing == self.n_missing {
            self.schedules.insert(key, id);
        }
        Some(Boolean::Schedule(id))
    }
}
