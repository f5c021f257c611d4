//! Domains of comparisons: a comparison of which one side has no value does not hold, as in a tick, where no comparison
//! with what is not a number does. In an event-accurate run the edges of its domain are borders like its own:
//! `sqrt(x - 1) <= 0.5` becomes `sqrt(x - 1) <= 0.5 & x - 1 >= 0`.

use crate::ids::{ExprId, RangeId, RealId};
use crate::lower::emit::{Emitter, Reader};
use crate::lower::mode::bounds_of;
use crate::model::{Argument, CompareOp, Comparison, Expr, Exprs, Guard, Mark, Model};
use crate::procedure::{Body, ProcedureId};
use crate::tape::{Assembler, Slot};
use situ_solve::interval::Interval;
use smallvec::SmallVec;
use std::sync::Arc;

/// The ranges with domains, each with how many comparisons it was written with; what stands behind these says where
/// they have values. Ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimitedRanges(Vec<(RangeId, usize)>);

impl LimitedRanges {
    /// The number of comparisons with which a range was written, if others say where these have values.
    pub(crate) fn n_written(&self, range: RangeId) -> Option<usize> {
        let at = self.0.binary_search_by_key(&range, |(range, _)| *range);
        at.ok().map(|at| self.0[at].1)
    }

    /// The ranges with domains, each with the number of comparisons with which it was written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (RangeId, usize)> {
        self.0.iter().copied()
    }

    /// True if every comparison has values everywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Adds to each range with borders what says where its comparisons have values. Only a model with such ranges is copied.
pub(crate) fn limit_ranges(model: &mut Arc<Model>, constants: &[f64]) -> LimitedRanges {
    let mut limited = LimitedRanges::default();
    let mut limits = Vec::new();
    for (index, range) in model.ranges.iter().enumerate() {
        if range.mark != Some(Mark::NoEvent) {
            let all = range.all.iter();
            let of: Vec<Limit> = all
                .flat_map(|one| limits_of(model, constants, one))
                .collect();
            if !of.is_empty() {
                limited.0.push((RangeId::new(index), range.all.len()));
                limits.push(of);
            }
        }
    }
    for ((range, _), limits) in limited.0.iter().zip(limits) {
        let model = Arc::make_mut(model);
        for limit in limits {
            let comparison = limit.comparison(&mut model.exprs);
            model.ranges[range.index()].all.push(comparison);
        }
    }
    limited
}

/// The comparisons that say where a comparison has values.
pub(crate) fn domain_of(
    model: &mut Arc<Model>,
    constants: &[f64],
    comparison: &Comparison,
) -> Vec<Comparison> {
    let limits = limits_of(model, constants, comparison).into_iter();
    limits
        .map(|limit| limit.comparison(&mut Arc::make_mut(model).exprs))
        .collect()
}

/// What holds where a comparison has no value: one comparison for each limit of an operand in it. The model takes in the
/// limits.
///
/// Shapes: `constants`: one value per constant of the model.
pub fn without_value(
    model: &mut Model,
    constants: &[f64],
    comparison: &Comparison,
) -> Vec<Comparison> {
    let limits = limits_of(model, constants, comparison).into_iter();
    let beyond = limits.map(|limit| Comparison {
        op: limit.op.opposite(),
        ..limit.comparison(&mut model.exprs)
    });
    beyond.collect()
}

/// A limit of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Limit {
    operand: ExprId,
    /// The exponent, if it is the base of a power whose exponent changes at events only: a whole one has no limit.
    exponent: Option<ExprId>,
    op: CompareOp,
    limit: f64,
}

impl Limit {
    fn comparison(self, exprs: &mut Exprs) -> Comparison {
        let left = match self.exponent {
            Some(exponent) => {
                let args = [self.operand, exponent].into_iter().collect();
                exprs.push(Expr::Call(ProcedureId::power_base(), args))
            }
            None => self.operand,
        };
        Comparison {
            left,
            op: self.op,
            right: exprs.push(Expr::Number(self.limit)),
        }
    }
}

/// What bounds of functions may exceed their values by: `acos` is nowhere negative.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Reals and the time, whatever they are.
struct Anything;

impl Reader for Anything {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        Slot::new(id.index())
    }

    fn time(&mut self, asm: &mut Assembler) -> Slot {
        asm.time()
    }
}

/// Bounds of an expression's values.
fn bounds(model: &Model, constants: &[f64], expr: ExprId) -> Interval {
    let constants_at = model.reals.len();
    let mut emitter = Emitter {
        model,
        asm: Assembler::with_fixed(constants_at, constants.len()),
        constants_at,
    };
    let slot = emitter.expr(expr, &mut Anything);
    let tape = emitter.asm.finish();
    bounds_of(&tape, &tape.ops, (constants, constants_at))[slot.index()].0[0]
}

/// True if an expression changes at events only: so do all that write what it reads. `within`: reals that are looked
/// into.
fn is_held(model: &Model, expr: ExprId, within: &mut Vec<RealId>) -> bool {
    let mut is_still = true;
    let mut reals: SmallVec<[RealId; 2]> = SmallVec::new();
    model.exprs.visit(expr, |_, node| {
        is_still &= !node.reads_time();
        if let Expr::Real(real) = node {
            reals.push(*real);
        }
    });
    is_still
        && reals.into_iter().all(|real| {
            if within.contains(&real) {
                return false;
            }
            within.push(real);
            let mut writers = model.writers(real).map(|id| &model.relations[id.index()]);
            let is_held = writers.all(|row| {
                let at_events = matches!(&row.guard, Guard::When(all) if model.names_event(all));
                let has_value = matches!(row.procedure.get().body, Body::Value(_));
                at_events
                    || has_value
                        && !row.procedure.reads_time()
                        && row.args.iter().all(|arg| match arg {
                            Argument::Real(arg) => is_held(model, *arg, within),
                            Argument::Boolean(_) => true,
                        })
            });
            within.pop();
            is_held
        })
}

/// The limits of all operands in a comparison that move and have some; those of inner operands come first.
fn limits_of(model: &Model, constants: &[f64], comparison: &Comparison) -> SmallVec<[Limit; 1]> {
    let exprs = &model.exprs;
    let mut limits = SmallVec::new();
    for side in [comparison.left, comparison.right] {
        exprs.visit(side, |_, node| {
            let Expr::Call(procedure, args) = node else {
                return;
            };
            // A whole power has values everywhere.
            let exponent = (procedure.get().name == "power").then(|| args[1]);
            let is_whole = |exponent: &ExprId| {
                exprs.is_constant(*exponent)
                    && model.value_at(*exponent, &[], constants, 0.0).fract() == 0.0
            };
            if exponent.as_ref().is_some_and(is_whole) {
                return;
            }
            let is_held = |exponent: &ExprId| {
                !exprs.is_constant(*exponent) && is_held(model, *exponent, &mut Vec::new())
            };
            let exponent = exponent.filter(is_held);
            for (&operand, param) in args.iter().zip(procedure.get().params) {
                if exprs.is_constant(operand) {
                    continue;
                }
                let [least, largest] = param.domain;
                if !(least.is_finite() || largest.is_finite()) {
                    continue;
                }
                // What never leaves its domain needs no limit: `max(x, 0)`.
                let values = bounds(model, constants, operand);
                let both = [
                    (CompareOp::GreaterEqual, least, values.lo() - least),
                    (CompareOp::LessEqual, largest, largest - values.hi()),
                ];
                let both = both.into_iter().filter(|(_, limit, room)| {
                    limit.is_finite() && *room < -ROUNDING * limit.abs().max(1.0)
                });
                for (op, limit, _) in both {
                    let limit = Limit {
                        operand,
                        exponent,
                        op,
                        limit,
                    };
                    if !limits.contains(&limit) {
                        limits.push(limit);
                    }
                }
            }
        });
    }
    limits
}
