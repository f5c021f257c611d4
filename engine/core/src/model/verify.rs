//! Invariants of a model on which later stages rely, checked once after it was built.
//!
//! 1. Every id lies in its table; expressions are in the arena before their users (by construction).
//! 2. Names are not empty and unique over constants, reals, switches, named ranges, situations and
//!    invariants; nominal sizes are positive.
//! 3. A range has at least one comparison.
//! 4. A situation has a row, and a row names only situations none of whose rows stands below it.
//! 5. A relation has a target; several only for `assignment`, with one argument each.
//! 6. Relations and calls give every argument of their procedure (defaults filled in), of the kind
//!    its signature says; calls name procedures without memory; a coefficient that has no meaning is 1.
//! 7. Periods are over constants, pasts of reals over constants and the time.
//! 8. Groups of a scene stand above their members; shapes have what they need, in values of the right form.

use std::collections::HashSet;

use super::{
    Argument, Boolean, Coefficient, Comparison, Expr, Guard, Literal, Model, Quantity, Relation,
    Setting, WatchAtom,
};
use crate::ids::{ExprId, RelationId};
use crate::procedure::{CoefRole, ParamKind};

/// A promise that a model breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The invariant that is broken, and by what.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

fn fail<T>(message: impl Into<String>) -> Result<T, VerifyError> {
    Err(VerifyError {
        message: message.into(),
    })
}

/// Checks the promises listed in the module's documentation; the first broken one is reported.
pub fn verify(model: &Model) -> Result<(), VerifyError> {
    expressions(model)?;
    names(model)?;
    for range in &model.ranges {
        if range.all.is_empty() {
            return fail(format!("range `{}` has no comparison", range.name));
        }
        for comparison in &range.all {
            check_comparison(model, comparison)?;
        }
    }
    situations(model)?;
    for schedule in &model.schedules {
        for expr in [schedule.period, schedule.first] {
            check_constant(model, expr, "the period of an event")?;
        }
    }
    for assignment in &model.assignments {
        for literal in &assignment.when {
            check_literal(model, literal)?;
        }
        if assignment
            .set
            .iter()
            .any(|(switch, _)| switch.index() >= model.switches.len())
        {
            return fail(format!(
                "assignment `{}` writes an unknown switch",
                assignment.id
            ));
        }
    }
    for (index, relation) in model.relations.iter().enumerate() {
        check_relation(model, RelationId::new(index), relation)?;
    }
    for case in &model.cases {
        for setting in &case.set {
            check_setting(model, *setting)?;
        }
    }
    let mut checked = Ok(());
    for literal in model.clock.stop_when.iter().flatten() {
        literal.each_atom(&mut |atom| {
            let one = match &atom {
                WatchAtom::Boolean(literal) => check_literal(model, literal),
                WatchAtom::Comparison(comparison) => check_comparison(model, comparison),
            };
            checked = std::mem::replace(&mut checked, Ok(())).and(one);
        });
    }
    checked?;
    super::scene::verify(model)
}

fn expressions(model: &Model) -> Result<(), VerifyError> {
    for node in model.exprs.iter() {
        match node {
            Expr::Constant(id) if id.index() >= model.constants.len() => {
                return fail("an expression names an unknown constant");
            }
            Expr::Real(id) if id.index() >= model.reals.len() => {
                return fail("an expression names an unknown real");
            }
            Expr::Call(procedure, args) => {
                let procedure = procedure.get();
                if procedure.has_memory() {
                    return fail(format!("`{}` stands inside an expression", procedure.name));
                }
                if args.len() != procedure.params.len() {
                    return fail(format!("a call of `{}` lacks arguments", procedure.name));
                }
            }
            Expr::Lookup(id, args) => {
                let Some(lookup) = model.lookups.get(id.index()) else {
                    return fail("an expression names an unknown lookup");
                };
                if args.len() != lookup.interpolation.n_args() {
                    return fail(format!("a call of `{}` lacks arguments", lookup.name));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn names(model: &Model) -> Result<(), VerifyError> {
    let n_names = model.constants.len()
        + model.reals.len()
        + model.lookups.len()
        + model.switches.len()
        + model.ranges.len()
        + model.situations.len()
        + model.invariants.len();
    let mut seen = HashSet::with_capacity(n_names);
    let quantities = model
        .constants
        .iter()
        .chain(&model.reals)
        .map(|quantity| &quantity.name);
    let switches = model.switches.iter().map(|switch| &switch.name);
    let ranges = model
        .ranges
        .iter()
        .filter(|range| !range.anonymous)
        .map(|range| &range.name);
    let situations = model.situations.iter().map(|situation| &situation.name);
    let invariants = model.invariants.iter().map(|invariant| &invariant.name);
    let lookups = model.lookups.iter().map(|lookup| &lookup.name);
    let names = quantities.chain(lookups).chain(switches).chain(ranges);
    for name in names.chain(situations).chain(invariants) {
        if name.is_empty() {
            return fail("a name is empty");
        }
        if !seen.insert(name) {
            return fail(format!("the name `{name}` is used twice"));
        }
    }
    for quantity in model.constants.iter().chain(&model.reals) {
        check_expr(model, quantity.start)?;
        if let Some(before) = quantity.before {
            check_past(model, before, quantity)?;
        }
        if quantity.steady && quantity.before.is_some() {
            return fail(format!("`{}` rests, and has another past", quantity.name));
        }
        if quantity
            .nominal
            .is_some_and(|size| !(size > 0.0 && size.is_finite()))
        {
            return fail(format!(
                "the nominal size of `{}` is not positive",
                quantity.name
            ));
        }
    }
    for invariant in &model.invariants {
        check_expr(model, invariant.value)?;
    }
    Ok(())
}

fn situations(model: &Model) -> Result<(), VerifyError> {
    let mut rows_left = vec![0_usize; model.situations.len()];
    for row in &model.situation_rows {
        match rows_left.get_mut(row.situation.index()) {
            Some(count) => *count += 1,
            None => return fail(format!("situation row `{}` defines nothing", row.id)),
        }
    }
    if let Some(index) = rows_left.iter().position(|&count| count == 0) {
        return fail(format!(
            "situation `{}` has no row",
            model.situations[index].name
        ));
    }
    for row in &model.situation_rows {
        for literal in &row.all {
            check_literal(model, literal)?;
            if let Boolean::Situation(named) = literal.what
                && rows_left[named.index()] > 0
            {
                return fail(format!(
                    "situation `{}` is read above its last row",
                    model.situations[named.index()].name
                ));
            }
        }
        rows_left[row.situation.index()] -= 1;
    }
    Ok(())
}

fn check_relation(model: &Model, id: RelationId, relation: &Relation) -> Result<(), VerifyError> {
    let name = if relation.id.is_empty() {
        id.0.to_string()
    } else {
        relation.id.clone()
    };
    let procedure = relation.procedure.get();
    if relation.targets.is_empty() {
        return fail(format!("relation `{name}` has no target"));
    }
    if relation
        .targets
        .iter()
        .any(|target| target.index() >= model.reals.len())
    {
        return fail(format!("relation `{name}` writes an unknown real"));
    }
    let several = relation.targets.len() > 1;
    let solves = relation.procedure.solves();
    if several && !solves && procedure.name != "assignment" {
        return fail(format!("relation `{name}` writes several reals"));
    }
    let expected = match solves {
        true if !several && relation.args.len() == 3 => 3,
        true => relation.targets.len(),
        false if several => relation.targets.len(),
        false => procedure.params.len(),
    };
    if relation.args.len() != expected {
        return fail(format!(
            "relation `{name}` gives {} arguments, not {expected}",
            relation.args.len()
        ));
    }
    for (position, arg) in relation.args.iter().enumerate() {
        let kind = if several || solves {
            ParamKind::Real
        } else {
            procedure.params[position].kind
        };
        match (arg, kind) {
            (Argument::Real(expr), ParamKind::Real) => check_expr(model, *expr)?,
            (Argument::Boolean(literal), ParamKind::Boolean) => check_literal(model, literal)?,
            _ => {
                return fail(format!(
                    "relation `{name}` gives an argument of the wrong kind"
                ));
            }
        }
    }
    for coefficient in [relation.coef, relation.coef2] {
        if let Coefficient::Constant { id, .. } = coefficient
            && id.index() >= model.constants.len()
        {
            return fail(format!(
                "relation `{name}` has an unknown constant as coefficient"
            ));
        }
    }
    if procedure.coef == CoefRole::Unused && relation.coef != Coefficient::ONE {
        return fail(format!(
            "`{}` of relation `{name}` takes no coefficient",
            procedure.name
        ));
    }
    if procedure.coef != CoefRole::ScalesBoth && relation.coef2 != Coefficient::ONE {
        return fail(format!(
            "`{}` of relation `{name}` takes no second coefficient",
            procedure.name
        ));
    }
    if let Guard::When(literals) = &relation.guard {
        for literal in literals {
            check_literal(model, literal)?;
        }
    }
    Ok(())
}

fn check_setting(model: &Model, setting: Setting) -> Result<(), VerifyError> {
    let known = match setting {
        Setting::Constant(id, value) => {
            check_expr(model, value)?;
            id.index() < model.constants.len()
        }
        Setting::Real(id, value) => {
            check_expr(model, value)?;
            id.index() < model.reals.len()
        }
        Setting::Switch(id, _) => id.index() < model.switches.len(),
    };
    if known {
        Ok(())
    } else {
        fail("a case sets an unknown quantity")
    }
}

fn check_comparison(model: &Model, comparison: &Comparison) -> Result<(), VerifyError> {
    check_expr(model, comparison.left)?;
    check_expr(model, comparison.right)
}

fn check_literal(model: &Model, literal: &Literal) -> Result<(), VerifyError> {
    let known = match literal.what {
        Boolean::Switch(id) => id.index() < model.switches.len(),
        Boolean::Range(id) => id.index() < model.ranges.len(),
        Boolean::Situation(id) => id.index() < model.situations.len(),
        Boolean::Schedule(id) => id.index() < model.schedules.len(),
        Boolean::Start => true,
    };
    if known {
        Ok(())
    } else {
        fail("a condition names an unknown boolean")
    }
}

fn check_expr(model: &Model, expr: ExprId) -> Result<(), VerifyError> {
    if model.exprs.has(expr) {
        Ok(())
    } else {
        fail("an expression is missing")
    }
}

fn check_past(model: &Model, before: ExprId, of: &Quantity) -> Result<(), VerifyError> {
    check_expr(model, before)?;
    let mut reads = false;
    model
        .exprs
        .visit(before, |_, node| reads |= matches!(node, Expr::Real(_)));
    if reads {
        fail(format!("the past of `{}` reads a real", of.name))
    } else {
        Ok(())
    }
}

fn check_constant(model: &Model, expr: ExprId, what: &str) -> Result<(), VerifyError> {
    check_expr(model, expr)?;
    if model.exprs.is_constant(expr) {
        Ok(())
    } else {
        fail(format!("{what} is not over constants"))
    }
}
