//! Expressions of elements, bound once for their family: what all elements have in common is looked up and taken apart
//! for the first one only.
//!
//! ```text
//! Pattern --[`Writer`]--> FamilyExpr, values of the counters --> expression of the model
//! ```
//!
//! What the nodes are, and in which order they stand, is what the expression of the element gives when it is
//! written out. Where something is wrong in a pattern, or unusual, each element is written out, and reported on.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use situ_engine::ids::{ConstantId, ExprId, RealId};
use situ_engine::model::{
    self, Argument, Coefficient, CounterValues, ElementIndex, FamilyExpr, FamilyNode, IndexForm,
};
use situ_engine::procedure::{CoefRole, ParamKind, ProcedureId};
use smallvec::SmallVec;

use super::{Binder, BoundCall};
use crate::resolve::desugar::{Arg, Called, Coef, desugar};
use crate::resolve::symbol::{Known, Symbol};
use crate::tree::{BinaryOp, Counted, Expr, ExprKind, IndexItem, Name, Pattern};

/// What patterns became; none for those whose elements have to be written out.
#[derive(Default)]
pub(super) struct FamilyExprs {
    exprs: FxHashMap<(*const Pattern, Known), Option<Arc<FamilyExpr>>>,
    calls: FxHashMap<*const Pattern, Option<Rc<FamilyCall>>>,
}

/// A row's procedure with coefficients and arguments for each element.
struct FamilyCall {
    procedure: ProcedureId,
    coef: Factor,
    args: SmallVec<[Arc<FamilyExpr>; 2]>,
    coef2: Factor,
}

/// A coefficient.
enum Factor {
    /// One that is the same for all elements.
    Same(Coefficient),
    /// An element of a family of constants, of which this is the first, or its negative.
    Element {
        first: ConstantId,
        index: ElementIndex,
        negative: bool,
    },
}

impl Binder<'_> {
    /// The expression of an element; `None` if it has to be written out.
    pub(super) fn counted(&mut self, counted: &Counted, known: Known) -> Option<ExprId> {
        let pattern = counted.pattern();
        let key = (std::ptr::from_ref(pattern), known);
        let found = match self.families.exprs.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = Writer::new(self, pattern, known).whole(pattern.expr());
                let found = found.map(Arc::new);
                self.families.exprs.insert(key, found.clone());
                found
            }
        };
        self.model.exprs.push_element(&found?, counted.at())
    }

    /// The call of a row of an element; `None` if it has to be written out.
    pub(super) fn counted_call(&mut self, counted: &Counted) -> Option<BoundCall> {
        let pattern = counted.pattern();
        let key = std::ptr::from_ref(pattern);
        let found = match self.families.calls.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = self.family_call(pattern).map(Rc::new);
                self.families.calls.insert(key, found.clone());
                found
            }
        };
        let (found, at) = (found?, counted.at());
        let coef = found.coef.at(at)?;
        let coef2 = found.coef2.at(at)?;
        let args = found.args.iter();
        let args: Option<SmallVec<[Argument; 2]>> = args
            .map(|arg| Some(Argument::Real(self.model.exprs.push_element(arg, at)?)))
            .collect();
        Some(BoundCall {
            procedure: found.procedure,
            coef,
            args: args?,
            coef2,
        })
    }

    /// The reals that a name with counters stands for: the first of their family, and which of them.
    pub(in crate::resolve) fn reals(
        &self,
        name: &Name,
        counters: &[String],
    ) -> Option<(RealId, ElementIndex)> {
        match Writer::over(self, counters, Known::Running).element(name)? {
            FamilyNode::Real(first, index) => Some((first, index)),
            _ => None,
        }
    }

    fn family_call(&self, pattern: &Pattern) -> Option<FamilyCall> {
        let is_constant = |name: &str| {
            let family = self.scope.family(name);
            match family {
                Some((first, _)) => matches!(first, Symbol::Constant(_)),
                None => self.scope.is_constant(name),
            }
        };
        let call = desugar(pattern.expr(), &is_constant);
        let procedure = match call.procedure {
            Called::Operator(id) => id,
            Called::Named(name, _) if self.lookup(name).is_some() => return None,
            Called::Named(name, _) => ProcedureId::named(name)?,
        };
        let description = procedure.get();
        let n_args = call.args.len();
        if n_args < description.required() || n_args > description.params.len() {
            return None;
        }
        let coef = self.family_factor(&call.coef, pattern)?;
        let is_one = |factor: &Factor| matches!(factor, Factor::Same(Coefficient::ONE));
        let is_told = match description.coef {
            CoefRole::Parameter(_) => call.coef.atom.is_none(),
            CoefRole::Unused => !is_one(&coef),
            _ => false,
        };
        let is_second_told = call.coef2.atom.is_some() && description.coef != CoefRole::ScalesBoth;
        if is_told || is_second_told {
            return None;
        }
        let coef2 = self.family_factor(&call.coef2, pattern)?;
        let args = description.params.iter().enumerate().map(|(index, param)| {
            if param.kind != ParamKind::Real {
                return None;
            }
            match call.args.get(index) {
                Some(arg) => Writer::new(self, pattern, Known::Running).arg(arg),
                None => {
                    let mut number = FamilyExpr::default();
                    number.push(FamilyNode::Same(model::Expr::Number(param.default?)));
                    Some(number)
                }
            }
        });
        let args: SmallVec<[FamilyExpr; 2]> = args.collect::<Option<_>>()?;
        // A counter is a number when a row is taken apart, with brackets around it if it is negative.
        let has_counter = |arg: &FamilyExpr| {
            let mut nodes = arg.nodes().iter();
            nodes.any(|node| matches!(node, FamilyNode::Counter { .. }))
        };
        let counts = args.iter().any(has_counter);
        (!counts).then_some(FamilyCall {
            procedure,
            coef,
            args: args.into_iter().map(Arc::new).collect(),
            coef2,
        })
    }

    fn family_factor(&self, coef: &Coef<'_>, pattern: &Pattern) -> Option<Factor> {
        let mut negative = coef.negative;
        let number = |value: f64, negative: bool| {
            Factor::Same(Coefficient::Number(if negative { -value } else { value }))
        };
        let Some(mut atom) = coef.atom else {
            return Some(number(1.0, negative));
        };
        while let ExprKind::Neg(inner) = &atom.kind {
            negative = !negative;
            atom = inner;
        }
        Some(match &atom.kind {
            ExprKind::Number(value) => number(*value, negative),
            ExprKind::Pi => number(std::f64::consts::PI, negative),
            ExprKind::Name(name) => match self.scope.get(name)?.symbol {
                Symbol::Constant(id) => Factor::Same(Coefficient::Constant { id, negative }),
                _ => return None,
            },
            ExprKind::Element(name) => {
                match Writer::new(self, pattern, Known::Running).element(name)? {
                    FamilyNode::Constant(first, index) => Factor::Element {
                        first,
                        index,
                        negative,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

impl Factor {
    fn at(&self, at: CounterValues) -> Option<Coefficient> {
        match self {
            Self::Same(coef) => Some(*coef),
            Self::Element {
                first,
                index,
                negative,
            } => Some(Coefficient::Constant {
                id: ConstantId::new(first.index() + index.at(at)?),
                negative: *negative,
            }),
        }
    }
}

/// Binds a pattern, or a part of it, for all elements. Every method gives `None` where it cannot say what the binder would
/// do with one of them.
struct Writer<'w, 's> {
    binder: &'w Binder<'s>,
    counters: &'w [String],
    known: Known,
    written: FamilyExpr,
}

impl<'w, 's> Writer<'w, 's> {
    fn new(binder: &'w Binder<'s>, pattern: &'w Pattern, known: Known) -> Self {
        Self::over(binder, pattern.counters(), known)
    }

    fn over(binder: &'w Binder<'s>, counters: &'w [String], known: Known) -> Self {
        Self {
            binder,
            counters,
            known,
            written: FamilyExpr::default(),
        }
    }

    fn whole(mut self, expr: &Expr) -> Option<FamilyExpr> {
        let is_plain = matches!(self.known, Known::Running | Known::AtStart);
        self.expr(expr).filter(|_| is_plain)?;
        Some(self.written)
    }

    fn arg(mut self, arg: &Arg<'_>) -> Option<FamilyExpr> {
        match arg.without_minus {
            true => self.without_leading_minus(arg.expr)?,
            false => self.expr(arg.expr)?,
        };
        Some(self.written)
    }

    fn without_leading_minus(&mut self, expr: &Expr) -> Option<ExprId> {
        match &expr.kind {
            ExprKind::Neg(inner) => self.expr(inner),
            ExprKind::Binary(op, left, right) => {
                let left = self.without_leading_minus(left)?;
                let right = self.expr(right)?;
                Some(self.same(super::binary(*op, left, right)))
            }
            _ => self.expr(expr),
        }
    }

    /// Adds the nodes of an expression; gives the place of its root.
    fn expr(&mut self, expr: &Expr) -> Option<ExprId> {
        let node = match &expr.kind {
            ExprKind::Number(value) => model::Expr::Number(*value),
            ExprKind::Pi => model::Expr::Number(std::f64::consts::PI),
            ExprKind::Time if self.known.is_timed() => model::Expr::Time,
            ExprKind::Name(name) => match self.counter(name) {
                Some(place) => {
                    return Some(self.written.push(FamilyNode::Counter {
                        place,
                        negative: false,
                    }));
                }
                None => match self.binder.scope.get(name)?.symbol {
                    Symbol::Constant(id) => model::Expr::Constant(id),
                    Symbol::Real(id) => model::Expr::Real(id),
                    _ => return None,
                },
            },
            ExprKind::Element(name) => {
                let element = self.element(name)?;
                return Some(self.written.push(element));
            }
            ExprKind::Paren(inner) => return self.expr(inner),
            ExprKind::Neg(inner) => match &inner.kind {
                ExprKind::Number(value) => model::Expr::Number(-value),
                ExprKind::Name(name) if let Some(place) = self.counter(name) => {
                    return Some(self.written.push(FamilyNode::Counter {
                        place,
                        negative: true,
                    }));
                }
                _ => model::Expr::Neg(self.expr(inner)?),
            },
            ExprKind::Binary(op, left, right) => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                super::binary(*op, left, right)
            }
            ExprKind::Call(name, args) => self.call(name, args)?,
            ExprKind::Time
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Boolean(_)
            | ExprKind::Reduction(_)
            | ExprKind::Error => return None,
        };
        Some(self.same(node))
    }

    /// A procedure without memory.
    fn call(&mut self, name: &Name, args: &[Expr]) -> Option<model::Expr> {
        let id = ProcedureId::named(&name.value)?;
        let procedure = id.get();
        let n_args = args.len();
        if self.binder.lookup(&name.value).is_some()
            || name.value == "rate"
            || procedure.has_memory()
            || (id.reads_time() && !self.known.is_timed())
            || n_args < procedure.required()
            || n_args > procedure.params.len()
        {
            return None;
        }
        let mut operands: SmallVec<[ExprId; 3]> = SmallVec::new();
        for arg in args {
            operands.push(self.expr(arg)?);
        }
        for param in &procedure.params[n_args..] {
            operands.push(self.same(model::Expr::Number(param.default?)));
        }
        Some(model::Expr::Call(id, operands[..].into()))
    }

    fn element(&self, name: &Name) -> Option<FamilyNode> {
        let written = name.index.as_deref()?;
        let (first, block) = self.binder.scope.family(&written.base)?;
        if written.items.len() != block.len() {
            return None;
        }
        let mut indices: SmallVec<[IndexForm; 2]> = SmallVec::new();
        for (item, extent) in written.items.iter().zip(block) {
            let IndexItem::At(at) = item else { return None };
            let (counter, by) = match &at.kind {
                ExprKind::Number(by) => (None, by),
                ExprKind::Binary(BinaryOp::Add, counter, by) => match (&counter.kind, &by.kind) {
                    (ExprKind::Name(name), ExprKind::Number(by)) => (Some(self.counter(name)?), by),
                    _ => return None,
                },
                _ => return None,
            };
            indices.push(IndexForm {
                counter,
                by: *by as i64,
                extent: [extent.from, extent.to],
                stride: 1,
            });
        }
        let mut stride = 1;
        for (index, extent) in indices.iter_mut().zip(block).rev() {
            index.stride = stride;
            stride *= i64::try_from(extent.len()).ok()?;
        }
        let indices = ElementIndex { indices };
        match first {
            Symbol::Constant(first) => Some(FamilyNode::Constant(first, indices)),
            Symbol::Real(first) => Some(FamilyNode::Real(first, indices)),
            _ => None,
        }
    }

    fn counter(&self, name: &str) -> Option<usize> {
        self.counters.iter().position(|known| known == name)
    }

    fn same(&mut self, node: model::Expr) -> ExprId {
        self.written.push(FamilyNode::Same(node))
    }
}
