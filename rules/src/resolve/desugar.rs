//! A line's expression becomes columns: procedure, coefficient, arguments, second coefficient.
//!
//! The outermost operation says which procedure a row calls. What is a coefficient is decided by
//! its place and by which names are constants:
//!
//! ```text
//! atom         = a number, `pi`, a constant's name or an element of its family, with signs; never in parentheses
//! f1 * f2      = f1 atom, f2 none:   f2(coef f1)          if f2 calls a procedure whose coefficient scales its result
//!                                    proportional(f1; f2) otherwise
//!                f1 number, f2 constant: proportional(f1; f2)
//!                otherwise:          product(+-1; f1, f2)
//! f1 * f2 * f3 = f1 atom:            product(f1; f2, f3)
//! f1 * .. * fn = otherwise:          product(+-1; f1 * .. * f(n-1), fn)
//! L / R        = L is atom * x:      quotient(atom; x, R)
//!                otherwise:          quotient(+-1; L, R)
//! L + R, L - R = sum(l; x, r; y)     l * x = L, +-r * y = R, where a side is taken apart if it is
//!                                    atom * x with x a constant or no atom
//! a ^ n        = power(1; a, n)
//! -X           = X with its coefficient (of a sum both) negated
//! p(args)      = p(1; args)          memory: the first argument is taken apart as a side of a sum is;
//!                                    a coefficient that is a parameter is the last argument
//! anything else  assignment(1; X)
//! ```
//!
//! A minus at the very start of what becomes the first argument goes to the coefficient. A procedure
//! with memory is taken as a row only if it stands outermost; anywhere else it stays inside an
//! argument, where binding refuses it.
//!
//! Knows which names are constants, not what the other names are.

use std::sync::LazyLock;

use situ_engine::procedure::{CoefRole, ProcedureId};
use smallvec::{SmallVec, smallvec};

use crate::print::Columns;
use crate::source::Span;
use crate::tree::{BinaryOp, Equality, Expr, ExprKind, Name, Relation, Value};

/// A row in columns, its parts still in the tree.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) procedure: Called<'a>,
    pub(super) coef: Coef<'a>,
    pub(super) args: SmallVec<[Arg<'a>; 2]>,
    pub(super) coef2: Coef<'a>,
}

/// The procedure of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Called<'a> {
    /// Follows from the operators of a line.
    Operator(ProcedureId),
    /// Written by name; may not exist.
    Named(&'a str, Span),
}

/// A coefficient: `atom`, or 1 if nothing is written, with a sign in front.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coef<'a> {
    pub(super) negative: bool,
    pub(super) atom: Option<&'a Expr>,
}

/// An argument, possibly without the minus at its very start (which went to the coefficient).
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg<'a> {
    pub(super) expr: &'a Expr,
    pub(super) without_minus: bool,
}

/// The procedures that operators stand for.
pub(super) struct Operators {
    pub(super) assignment: ProcedureId,
    pub(super) proportional: ProcedureId,
    pub(super) sum: ProcedureId,
    pub(super) product: ProcedureId,
    pub(super) quotient: ProcedureId,
    pub(super) power: ProcedureId,
}

pub(super) static OPERATORS: LazyLock<Operators> = LazyLock::new(|| {
    let named = |name| ProcedureId::named(name).expect("the procedures of operators exist");
    Operators {
        assignment: named("assignment"),
        proportional: named("proportional"),
        sum: named("sum"),
        product: named("product"),
        quotient: named("quotient"),
        power: named("power"),
    }
});

/// The columns of a relation in either spelling, for printing. `None` if a part of it could not be read, or if it is
/// one for all elements of a family.
///
/// `is_constant`: whether a name is one of the model's constants.
pub fn columns(relation: &Relation, is_constant: &dyn Fn(&str) -> bool) -> Option<Columns> {
    let (procedure, coef, args, coef2) = match &relation.value {
        Value::Columns {
            procedure,
            coef,
            args,
            coef2,
        } => (
            procedure.value.clone(),
            coef.as_deref().cloned(),
            args.clone(),
            coef2.as_deref().cloned(),
        ),
        Value::Family(_) => return None,
        Value::Solve { equations, bounds } => {
            let residuals = equations.iter().map(Equality::residual);
            let bounds = bounds.iter().flat_map(|bounds| bounds.iter().cloned());
            let procedure = ProcedureId::solve().get().name.to_owned();
            (procedure, None, residuals.chain(bounds).collect(), None)
        }
        Value::Exprs(exprs) => match exprs.as_slice() {
            [expr] => {
                let call = desugar(expr, is_constant);
                let procedure = match call.procedure {
                    Called::Operator(id) => id.get().name,
                    Called::Named(name, _) => name,
                };
                let args = call.args.iter().map(|arg| arg.to_expr()).collect();
                let [coef, coef2] = [call.coef, call.coef2].map(|coef| coef.to_expr(expr.span));
                (procedure.to_owned(), coef, args, coef2)
            }
            several => (
                OPERATORS.assignment.get().name.to_owned(),
                None,
                several.to_vec(),
                None,
            ),
        },
    };
    let readable = args.iter().chain(&coef).chain(&coef2).all(is_readable);
    readable.then(|| Columns {
        targets: relation.targets.clone(),
        once: relation.once,
        procedure,
        coef,
        args,
        coef2,
        guard: relation.guard.clone(),
    })
}

/// Takes the expression of a line apart.
pub(super) fn desugar<'a>(expr: &'a Expr, is_constant: &dyn Fn(&str) -> bool) -> Call<'a> {
    let ops = &*OPERATORS;
    let atoms = Atoms { is_constant };
    match &expr.kind {
        ExprKind::Neg(inner) if !is_number(expr) => match desugar(inner, is_constant).negated() {
            Some(call) => call,
            None => Call::of(
                ops.proportional,
                Coef::MINUS_ONE,
                smallvec![Arg::whole(inner)],
            ),
        },
        ExprKind::Binary(BinaryOp::Mul, left, last) => atoms.product(left, last),
        ExprKind::Binary(BinaryOp::Div, left, right) => {
            let (coef, dividend) = match atoms.two_factors(left) {
                Some((atom, rest)) => (atom, Arg::whole(rest)),
                None => leading_minus(left),
            };
            Call::of(ops.quotient, coef, smallvec![dividend, Arg::whole(right)])
        }
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            let (coef, a1) = atoms.scaled(left);
            let (coef2, a2) = atoms.scaled(right);
            Call {
                coef2,
                ..Call::of(ops.sum, coef, smallvec![a1, a2])
            }
        }
        ExprKind::Binary(BinaryOp::Sub, left, right) => {
            let (coef, a1) = atoms.scaled(left);
            let (coef2, a2) = atoms.scaled(right);
            Call {
                coef2: coef2.negated(),
                ..Call::of(ops.sum, coef, smallvec![a1, a2])
            }
        }
        ExprKind::Binary(BinaryOp::Pow, base, exponent) => Call::of(
            ops.power,
            Coef::default(),
            smallvec![Arg::whole(base), Arg::whole(exponent)],
        ),
        ExprKind::Call(name, args) => atoms.call(name, args),
        _ => Call::of(ops.assignment, Coef::default(), smallvec![Arg::whole(expr)]),
    }
}

/// Test for coefficients.
struct Atoms<'c> {
    is_constant: &'c dyn Fn(&str) -> bool,
}

impl Atoms<'_> {
    /// A chain of at least two factors: all but the last in `left`.
    fn product<'a>(&self, left: &'a Expr, last: &'a Expr) -> Call<'a> {
        let ops = &*OPERATORS;
        let as_product =
            |coef, first: Arg<'a>| Call::of(ops.product, coef, smallvec![first, Arg::whole(last)]);
        if let ExprKind::Binary(BinaryOp::Mul, first, second) = &left.kind
            && !matches!(first.kind, ExprKind::Binary(BinaryOp::Mul, ..))
            && let Some(coef) = self.atom(first)
        {
            return as_product(coef, Arg::whole(second));
        }
        let two_factors = !matches!(left.kind, ExprKind::Binary(BinaryOp::Mul, ..));
        if two_factors && let Some(coef) = self.atom(left) {
            match &last.kind {
                _ if self.atom(last).is_none() => return self.scaled_result(coef, last),
                _ if is_number(left) && !is_number(last) => {
                    return Call::of(ops.proportional, coef, smallvec![Arg::whole(last)]);
                }
                _ => {}
            }
        }
        let (coef, first) = leading_minus(left);
        as_product(coef, first)
    }

    /// `coef * factor`: the procedure that the factor calls, if the coefficient can be its own.
    fn scaled_result<'a>(&self, coef: Coef<'a>, factor: &'a Expr) -> Call<'a> {
        if let ExprKind::Call(..) | ExprKind::Binary(BinaryOp::Pow, ..) = &factor.kind {
            let call = desugar(factor, self.is_constant);
            if call.procedure.id().is_some_and(takes_scale) {
                return Call { coef, ..call };
            }
        }
        Call::of(OPERATORS.proportional, coef, smallvec![Arg::whole(factor)])
    }

    fn call<'a>(&self, name: &'a Name, args: &'a [Expr]) -> Call<'a> {
        let procedure = Called::Named(&name.value, name.span);
        let mut whole: SmallVec<[Arg<'a>; 2]> = args.iter().map(Arg::whole).collect();
        let mut coef = Coef::default();
        if let Some(known) = procedure.id().map(ProcedureId::get) {
            match known.coef {
                CoefRole::Parameter(_) if args.len() > known.params.len() => {
                    coef.atom = whole.pop().map(|last| last.expr);
                }
                CoefRole::ScalesFirst if known.has_memory() => {
                    if let Some(first) = args.first() {
                        (coef, whole[0]) = self.scaled(first);
                    }
                }
                _ => {}
            }
        }
        Call {
            procedure,
            coef,
            args: whole,
            coef2: Coef::default(),
        }
    }

    /// A side of a sum: its coefficient and what is left.
    fn scaled<'a>(&self, side: &'a Expr) -> (Coef<'a>, Arg<'a>) {
        if let ExprKind::Neg(inner) = &side.kind {
            let (coef, rest) = self.scaled(inner);
            return (coef.negated(), rest);
        }
        match self.two_factors(side) {
            Some((coef, rest)) if self.atom(rest).is_none() || !is_number(rest) => {
                (coef, Arg::whole(rest))
            }
            _ => leading_minus(side),
        }
    }

    /// `atom * rest`, exactly two factors.
    fn two_factors<'a>(&self, expr: &'a Expr) -> Option<(Coef<'a>, &'a Expr)> {
        match &expr.kind {
            ExprKind::Neg(inner) => {
                let (coef, rest) = self.two_factors(inner)?;
                Some((coef.negated(), rest))
            }
            ExprKind::Binary(BinaryOp::Mul, first, rest) => Some((self.atom(first)?, rest)),
            _ => None,
        }
    }

    /// The expression as a coefficient.
    fn atom<'a>(&self, expr: &'a Expr) -> Option<Coef<'a>> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Pi => Some(Coef {
                negative: false,
                atom: Some(expr),
            }),
            ExprKind::Name(name) if (self.is_constant)(name) => Some(Coef {
                negative: false,
                atom: Some(expr),
            }),
            ExprKind::Element(name) if (self.is_constant)(name.base()) => Some(Coef {
                negative: false,
                atom: Some(expr),
            }),
            ExprKind::Neg(inner) => self.atom(inner).map(Coef::negated),
            _ => None,
        }
    }
}

/// A minus at the very start of a product goes to the coefficient.
fn leading_minus(expr: &Expr) -> (Coef<'_>, Arg<'_>) {
    let without_minus = starts_with_minus(expr);
    (
        Coef {
            negative: without_minus,
            atom: None,
        },
        Arg {
            expr,
            without_minus,
        },
    )
}

fn starts_with_minus(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Neg(_) => true,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, left, _) => starts_with_minus(left),
        _ => false,
    }
}

/// A number or `pi`, with any signs.
pub(super) fn is_number(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Pi => true,
        ExprKind::Neg(inner) => is_number(inner),
        _ => false,
    }
}

fn is_readable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Error => false,
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => is_readable(inner),
        ExprKind::Binary(_, left, right) => is_readable(left) && is_readable(right),
        ExprKind::Call(_, args) => args.iter().all(is_readable),
        ExprKind::Number(_)
        | ExprKind::Name(_)
        | ExprKind::Element(_)
        | ExprKind::Reduction(_)
        | ExprKind::Time
        | ExprKind::Pi
        | ExprKind::Counted(_)
        | ExprKind::Terms(_)
        | ExprKind::Boolean(_) => true,
    }
}

fn takes_scale(procedure: ProcedureId) -> bool {
    let procedure = procedure.get();
    !procedure.has_memory() && procedure.coef == CoefRole::ScalesResult
}

impl Called<'_> {
    /// The procedure, if there is one of that name.
    pub(super) fn id(self) -> Option<ProcedureId> {
        match self {
            Self::Operator(id) => Some(id),
            Self::Named(name, _) => ProcedureId::named(name),
        }
    }
}

impl<'a> Call<'a> {
    fn of(procedure: ProcedureId, coef: Coef<'a>, args: SmallVec<[Arg<'a>; 2]>) -> Self {
        Self {
            procedure: Called::Operator(procedure),
            coef,
            args,
            coef2: Coef::default(),
        }
    }

    /// The row that gives the negative value; `None` if no coefficient of it does that.
    fn negated(self) -> Option<Self> {
        let procedure = self.procedure.id()?.get();
        if procedure.has_memory() {
            return None;
        }
        match procedure.coef {
            CoefRole::ScalesFirst | CoefRole::ScalesResult => Some(Self {
                coef: self.coef.negated(),
                ..self
            }),
            CoefRole::ScalesBoth => Some(Self {
                coef: self.coef.negated(),
                coef2: self.coef2.negated(),
                ..self
            }),
            CoefRole::Parameter(_) | CoefRole::Unused => None,
        }
    }
}

impl Coef<'_> {
    const MINUS_ONE: Coef<'static> = Coef {
        negative: true,
        atom: None,
    };

    fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    /// As it is written in a column; `span`: the place of the line it comes from.
    fn to_expr(self, span: Span) -> Option<Expr> {
        let unsigned = match self.atom {
            Some(atom) => atom.clone(),
            None if self.negative => Expr {
                span,
                kind: ExprKind::Number(1.0),
            },
            None => return None,
        };
        Some(match self.negative {
            true => Expr {
                span,
                kind: ExprKind::Neg(Box::new(unsigned)),
            },
            false => unsigned,
        })
    }
}

impl<'a> Arg<'a> {
    pub(super) fn whole(expr: &'a Expr) -> Self {
        Self {
            expr,
            without_minus: false,
        }
    }

    fn to_expr(self) -> Expr {
        let mut expr = self.expr.clone();
        if self.without_minus {
            remove_leading_minus(&mut expr);
        }
        expr
    }
}

fn remove_leading_minus(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Neg(inner) => {
            let inner = std::mem::replace(&mut inner.kind, ExprKind::Error);
            expr.kind = inner;
        }
        ExprKind::Binary(_, left, _) => remove_leading_minus(left),
        _ => {}
    }
}
