//! Rows that a text needs: they become rows of the model, behind all of its own.

use situ_engine::ids::{ExprId, RealId};
use situ_engine::model::{self, Guard, Relation};
use smallvec::smallvec;

use crate::resolve::binder::{Binder, BoundCall};
use crate::resolve::expand::Parts;
use crate::resolve::symbol::Known;
use crate::source::Span;
use crate::tree::{self, Expr, ExprKind, Value};

/// Adds the rows of a text; its names are known already.
pub(super) fn add(binder: &mut Binder<'_>, parts: &Parts) -> Option<()> {
    for row in &parts.situations {
        let of = (binder.alternatives).entry(row.body.name.value.clone());
        of.or_default().push(row.body.all.clone());
    }
    for real in &parts.reals {
        let start = binder.expr(real.start.as_ref()?, Known::AtStart);
        add_real(binder, &real.name.value, start, real.span);
    }
    for row in &parts.relations {
        let (body, id) = (&row.body, row.id.as_ref()?);
        let Value::Exprs(values) = &body.value else {
            return None;
        };
        let target = binder.target(body.targets.first()?).ok()?;
        let guard = match &body.guard {
            tree::Guard::When(all) => Guard::When(binder.conjunction(all)),
            tree::Guard::Otherwise(_) => Guard::Otherwise,
            tree::Guard::Always | tree::Guard::Each(_) => Guard::Always,
        };
        let call = value(binder, values.first()?)?;
        add_row(binder, &id.value, target, call, guard, row.span);
    }
    Some(())
}

/// Makes an expression a real of the model, named by its text.
pub(super) fn column(binder: &mut Binder<'_>, text: &str, tree: &Expr) -> Option<RealId> {
    let call = value(binder, tree)?;
    let start = binder.push(model::Expr::Number(0.0));
    let target = add_real(binder, text, start, tree.span);
    add_row(binder, text, target, call, Guard::Always, tree.span);
    Some(target)
}

/// The call that gives an expression as it is: between parentheses nothing of it becomes a coefficient.
fn value(binder: &mut Binder<'_>, tree: &Expr) -> Option<BoundCall> {
    binder.line(&Expr {
        span: tree.span,
        kind: ExprKind::Paren(Box::new(tree.clone())),
    })
}

fn add_real(binder: &mut Binder<'_>, name: &str, start: ExprId, span: Span) -> RealId {
    let id = RealId::new(binder.model.reals.len());
    let origin = binder.origins.add(span);
    binder.model.reals.push(model::Quantity {
        name: name.to_owned(),
        start,
        steady: false,
        before: None,
        unit: String::new(),
        about: String::new(),
        output: false,
        nominal: None,
        range: None,
        auxiliary: false,
        observed: true,
        origin,
    });
    id
}

fn add_row(
    binder: &mut Binder<'_>,
    id: &str,
    target: RealId,
    call: BoundCall,
    guard: Guard,
    span: Span,
) {
    let origin = binder.origins.add(span);
    binder.model.relations.push(Relation {
        id: id.to_owned(),
        targets: smallvec![target],
        procedure: call.procedure,
        coef: call.coef,
        args: call.args,
        coef2: call.coef2,
        guard,
        once: false,
        grouped: false,
        note: String::new(),
        origin,
    });
}
