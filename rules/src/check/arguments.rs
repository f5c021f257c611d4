//! Arguments of procedures that leave nothing of what these are for (C045).

use situ_engine::ids::{ExprId, Origin};
use situ_engine::model::{Argument, Expr, Model};
use situ_engine::procedure::ProcedureId;
use situ_words::{Phrase, phrase, say};

use super::{Context, constant_value, text};
use crate::diag::{Diagnostic, Severity};

pub(super) fn check(context: &mut Context<'_>) {
    let model = context.model;
    for relation in &model.relations {
        let reals: Vec<ExprId> = relation.args.iter().filter_map(real).collect();
        if !relation.procedure.solves() {
            call(context, relation.procedure, &reals, relation.origin);
        }
        for root in reals {
            inside(context, root, relation.origin);
        }
    }
    for range in &model.ranges {
        for comparison in &range.all {
            inside(context, comparison.left, range.origin);
            inside(context, comparison.right, range.origin);
        }
    }
}

fn real(argument: &Argument) -> Option<ExprId> {
    match argument {
        Argument::Real(expr) => Some(*expr),
        Argument::Boolean(_) => None,
    }
}

/// Looks at the calls in an expression.
fn inside(context: &mut Context<'_>, root: ExprId, origin: Origin) {
    let mut calls = Vec::new();
    context.model.exprs.visit(root, |_, node| {
        if let Expr::Call(procedure, args) = node {
            calls.push((*procedure, args.to_vec()));
        }
    });
    for (procedure, args) in calls {
        call(context, procedure, &args, origin);
    }
}

fn call(context: &mut Context<'_>, procedure: ProcedureId, args: &[ExprId], origin: Origin) {
    let model = context.model;
    let value = |at: usize| constant_value(model, context.start, *args.get(at)?);
    let Some(why) = fault(model, procedure.get().name, args, value) else {
        return;
    };
    context.report("C045", |context| {
        let words = args.iter().map(|arg| text::expression(model, *arg));
        let words: Vec<String> = words.collect();
        let name = procedure.get().name;
        let called = format!("{name}({})", words.join(", "));
        let message = say!("check-arguments", called, name, why);
        let report = Diagnostic::new("C045", Severity::Warning, message);
        let help = say!("check-arguments.help", call = procedure.get().call());
        context
            .at(report, origin, say!("check-arguments.label"))
            .with_help(help)
    });
}

/// What is wrong with arguments that have these values.
fn fault(
    model: &Model,
    procedure: &str,
    args: &[ExprId],
    value: impl Fn(usize) -> Option<f64>,
) -> Option<Phrase> {
    // A constant that is 0 may be an oscillation that is turned off.
    let is_written = |at: usize| matches!(model.exprs.get(args[at]), Expr::Number(_));
    match procedure {
        "sine_wave" if value(0)? == 0.0 && is_written(0) => {
            Some(phrase!("check-arguments.no-frequency"))
        }
        "pulse" if value(0)? <= 0.0 => Some(phrase!("check-arguments.no-period")),
        "pulse" if value(1)? >= value(0)? => Some(phrase!("check-arguments.long-pulse")),
        "clamp" | "hysteresis" if value(1)? > value(2)? => {
            Some(phrase!("check-arguments.turned-borders"))
        }
        _ => None,
    }
}
