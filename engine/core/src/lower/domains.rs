//! Domains of comparisons: a comparison of which one side has no value does not hold, as in a tick, where no comparison
//! with what is not a number does. In an event-accurate run the edges of its domain are borders like its own:
//! `sqrt(x - 1) <= 0.5` becomes `sqrt(x - 1) <= 0.5 & x - 1 >= 0`.

use crate::ids::{ExprId, RangeId};
use crate::model::{CompareOp, Comparison, Expr, Exprs, Mark, Model};
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
    op: CompareOp,
    limit: f64,
}

impl Limit {
    fn comparison(self, exprs: &mut Exprs) -> Comparison {
        Comparison {
            left: self.operand,
            op: self.op,
            right: exprs.push(Expr::Number(self.limit)),
        }
    }
}

/// The limits of all operands in a comparison that move and have some.
fn limits_of(model: &Model, constants: &[f64], comparison: &Comparison) -> SmallVec<[Limit; 1]> {
    let exprs = &model.exprs;
    let mut limits = SmallVec::new();
    for side in [comparison.left, comparison.right] {
        exprs.visit(side, |_, node| {
            let Expr::Call(procedure, args) = node else {
                return;
            };
            // A whole power has values everywhere.
            let is_whole = |exponent: &ExprId| {
                exprs.is_constant(*exponent)
                    && (model.value_at(*exponent, &[], constants, 0.0)).fract() == 0.0
            };
            if procedure.get().name == "power" && args.get(1).is_some_and(is_whole) {
                return;
            }
            for (&operand, param) in args.iter().zip(procedure.get().params) {
                if exprs.is_constant(operand) {
                    continue;
                }
                let [least, largest] = param.domain;
                let both = [
                    (CompareOp::GreaterEqual, least),
                    (CompareOp::LessEqual, largest),
                ];
                for (op, limit) in both.into_iter().filter(|(_, limit)| limit.is_finite()) {
                    let limit = Limit { operand, op, limit };
                    if !limits.contains(&limit) {
                        limits.push(limit);
                    }
                }
            }
        });
    }
    limits
}
