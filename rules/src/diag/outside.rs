//! Reports of arguments outside of a lookup.

use situ_engine::ids::{ConstantId, ExprId, LookupId, RangeId, RealId, RelationId};
use situ_engine::model::{Argument, Expr, Model};
use situ_engine::procedure::lookup::Outside;
use situ_words::say;

use super::numbers::{number, rounded, time as shown};
use super::{Diagnostic, Severity};
use crate::source::Origins;

/// The expressions of a row or a range.
fn exprs(model: &Model, relation: Option<RelationId>, range: Option<RangeId>) -> Vec<ExprId> {
    let args = relation.map(|id| &model.relations[id.index()].args);
    let args = args.into_iter().flatten().filter_map(|arg| match arg {
        Argument::Real(expr) => Some(*expr),
        Argument::Boolean(_) => None,
    });
    let all = range.map(|id| &model.ranges[id.index()].all);
    let sides = all.into_iter().flatten();
    args.chain(sides.flat_map(|comparison| [comparison.left, comparison.right]))
        .collect()
}

/// The calls of lookups in an expression, with the arguments.
fn calls(model: &Model, root: ExprId) -> Vec<(LookupId, Vec<ExprId>)> {
    let mut calls = Vec::new();
    model.exprs.visit(root, |_, node| {
        if let Expr::Lookup(id, args) = node {
            calls.push((*id, args.to_vec()));
        }
    });
    calls
}

/// The report on a motion that has come to the end of a lookup and goes on.
pub(super) fn at_end(
    model: &Model,
    origins: &Origins,
    time: f64,
    (relation, range): (Option<RelationId>, Option<RangeId>),
    argument: f64,
    ends: [f64; 2],
) -> Diagnostic {
    let calls = exprs(model, relation, range).into_iter();
    let mut calls = calls.flat_map(|root| calls_of(model, root));
    let found = calls.find(|&(id, axis)| axis_ends(model, id, axis) == ends);
    let row = relation.map(|id| model.relations[id.index()].origin);
    let row = row.or(range.map(|id| model.ranges[id.index()].origin));
    // What a measure asks for, or the condition of a stop, stands in no row.
    let found = found.map(|(id, _)| id).or_else(|| with_ends(model, ends));
    let name = found.map_or_else(
        || say!("run-at-end.lookup"),
        |id| model.lookups[id.index()].name.clone(),
    );
    report(&name, &shown(model, time), argument, ends, origins, row)
}

fn calls_of(model: &Model, root: ExprId) -> Vec<(LookupId, usize)> {
    let calls = calls(model, root).into_iter();
    calls
        .flat_map(|(id, args)| (0..args.len()).map(move |axis| (id, axis)))
        .collect()
}

/// A lookup without values beyond these ends.
fn with_ends(model: &Model, ends: [f64; 2]) -> Option<LookupId> {
    let mut ids = (0..model.lookups.len()).map(LookupId::new);
    ids.find(|&id| {
        let interpolation = &model.lookups[id.index()].interpolation;
        let mut axes = 0..interpolation.n_args();
        interpolation.outside() == Outside::Error
            && axes.any(|axis| axis_ends(model, id, axis) == ends)
    })
}

fn axis_ends(model: &Model, id: LookupId, axis: usize) -> [f64; 2] {
    let interpolation = &model.lookups[id.index()].interpolation;
    let axis = interpolation.points().axes()[axis];
    [axis[0], axis[axis.len() - 1]]
}

/// The report on a row that gave NaN, if a lookup in it has no value where it is asked.
pub(super) fn in_row(
    model: &Model,
    origins: &Origins,
    (time, relation): (f64, RelationId),
    read: &[(RealId, f64)],
    read_constants: &[(ConstantId, f64)],
) -> Option<Diagnostic> {
    let mut reals = vec![f64::NAN; model.reals.len()];
    let mut constants = vec![f64::NAN; model.constants.len()];
    for (id, value) in read {
        reals[id.index()] = *value;
    }
    for (id, value) in read_constants {
        constants[id.index()] = *value;
    }
    for root in exprs(model, Some(relation), None) {
        for (id, args) in calls(model, root) {
            let lookup = &model.lookups[id.index()];
            if lookup.interpolation.outside() != Outside::Error {
                continue;
            }
            for (axis, arg) in args.into_iter().enumerate() {
                let value = model.value_at(arg, &reals, &constants, time);
                if value.is_finite() && lookup.interpolation.is_outside(axis, value) {
                    let ends = axis_ends(model, id, axis);
                    let row = model.relations[relation.index()].origin;
                    return Some(report(
                        &lookup.name,
                        &shown(model, time),
                        value,
                        ends,
                        origins,
                        Some(row),
                    ));
                }
            }
        }
    }
    None
}

fn report(
    name: &str,
    time: &str,
    argument: f64,
    [low, high]: [f64; 2],
    origins: &Origins,
    row: Option<situ_engine::ids::Origin>,
) -> Diagnostic {
    let [low, high, at] = [low, high, rounded(argument)].map(number);
    let message = say!("run-outside", name, low, high, time);
    let report = Diagnostic::new("R040", Severity::Error, message);
    let report = match row.and_then(|row| origins.get(row)) {
        Some(span) => report.at(span, say!("run-outside.label", at)),
        None => report.with_note(say!("run-outside.note", at)),
    };
    report.with_help(say!("run-outside.help"))
}
