//! Whether a table has something to write out.

use crate::tree::{
    Attribute, Clock, ClockEntry, Condition, Expectation, Expr, ExprKind, Guard, Literal,
    LiteralKind, Over, Row, Scene, SettingValue, Shape, Table,
};

/// True if it has parts, if names have indices that are no numbers, or if something is taken over elements, but for texts
/// about its runs, which are written out when they are bound.
pub(super) fn has_families(table: &Table) -> bool {
    let quantities = table.constants.iter().chain(&table.reals);
    let mut quantities = quantities.map(|one| {
        let mut values = one.start.iter().chain(one.before.as_deref());
        one.name.index.is_some() || values.any(expression)
    });
    let clock = |clock: &Clock| {
        clock.settings.iter().any(|(_, entry)| match entry {
            ClockEntry::Expression(expr) => expression(expr),
            ClockEntry::Condition(_) | ClockEntry::Number(_) | ClockEntry::Word(_) => false,
        })
    };
    !table.counters.is_empty()
        || !table.parts.is_empty()
        || quantities.any(|found| found)
        || table.switches.iter().any(|one| one.name.index.is_some())
        || table.ranges.iter().any(|row| {
            let mut sides = row.body.all.iter().flat_map(|one| [&one.left, &one.right]);
            counts(row) || row.body.name.index.is_some() || sides.any(expression)
        })
        || table
            .situations
            .iter()
            .any(|row| counts(row) || row.body.name.index.is_some() || condition(&row.body.all))
        || table.assignments.iter().any(|row| {
            let mut set = row.body.set.iter();
            counts(row) || condition(&row.body.when) || set.any(|(name, _)| name.index.is_some())
        })
        || table.relations.iter().any(|row| {
            let body = &row.body;
            counts(row)
                || body.targets.iter().any(|name| name.index.is_some())
                || match &body.guard {
                    Guard::When(all) => condition(all),
                    Guard::Each(all) => all.iter().any(condition),
                    Guard::Always | Guard::Otherwise(_) => false,
                }
                || body.value.exprs().into_iter().any(expression)
        })
        || table.scheme.reactions.iter().any(|row| {
            let body = &row.body;
            let mut terms = body.left.iter().chain(&body.right);
            counts(row)
                || terms.any(|term| term.species.index.is_some())
                || body.law.values().iter().any(expression)
                || matches!(&body.guard, Guard::When(all) if condition(all))
        })
        || table.invariants.iter().any(|one| expression(&one.value))
        || table.scene.as_ref().is_some_and(scene)
        || table.clock.as_ref().is_some_and(clock)
        || table.cases.iter().any(|case| {
            case.clock.as_ref().is_some_and(clock)
                || case.set.iter().any(|setting| {
                    setting.name.index.is_some()
                        || matches!(&setting.value, SettingValue::Expr(value) if expression(value))
                })
        })
}

pub(super) fn expectation(one: &Expectation) -> bool {
    one.exprs().into_iter().any(expression) || one.condition().is_some_and(condition)
}

fn scene(scene: &Scene) -> bool {
    let mut sides = scene.view.iter().flatten();
    let shape = |row: &Row<Shape>| {
        let body = &row.body;
        let mut names = body.name.iter().chain(&body.group);
        let attribute = |one: &Attribute| {
            let counts = |(expr, over): &(&Expr, &[Over])| !over.is_empty() || expression(expr);
            one.exprs().iter().any(counts) || one.when.as_ref().is_some_and(condition)
        };
        counts(row)
            || names.any(|name| name.index.is_some())
            || body.attributes.iter().any(attribute)
    };
    sides.any(expression) || scene.rows.iter().any(shape)
}

fn counts<T>(row: &Row<T>) -> bool {
    row.each.is_some()
}

pub(in crate::resolve) fn condition(condition: &Condition) -> bool {
    condition.literals.iter().any(literal)
}

fn literal(literal: &Literal) -> bool {
    match &literal.kind {
        LiteralKind::Element(_) | LiteralKind::Reduction(_) => true,
        LiteralKind::Every(args) => args.iter().any(expression),
        LiteralKind::Comparison(comparison) => {
            expression(&comparison.left) || expression(&comparison.right)
        }
        LiteralKind::Name(_) | LiteralKind::Start | LiteralKind::Error => false,
    }
}

pub(super) fn expression(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Element(_) | ExprKind::Reduction(_) => true,
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => expression(inner),
        ExprKind::Binary(_, left, right) => expression(left) || expression(right),
        ExprKind::Call(_, args) => args.iter().any(expression),
        ExprKind::Boolean(inner) => literal(inner),
        ExprKind::Number(_)
        | ExprKind::Counted(_)
        | ExprKind::Terms(_)
        | ExprKind::Name(_)
        | ExprKind::Time
        | ExprKind::Pi
        | ExprKind::Error => false,
    }
}
