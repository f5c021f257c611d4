//! Rows that are solved, where no solution was found or where a constraint does not hold, become reports.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Boolean, DependentUnknowns, Expr, Literal, Model, Relation};
use situ_engine::procedure::{Motion, ProcedureId};
use situ_words::{Phrase, phrase, say};

use super::numbers::{self, number};
use super::{Diagnostic, Severity};
use crate::print::ModelText;
use crate::source::Origins;

/// Of more unknowns than this, as of a family, only the first are named.
const MOST_NAMED: usize = 8;
const FIRST_NAMED: usize = 3;

/// Says which rows have no solution at a time.
///
/// `singular`, `at_bounds`: as in [`RunFault::Loop`](situ_engine::sim::RunFault::Loop).
pub(super) fn unsolved(
    model: &Model,
    origins: &Origins,
    time: f64,
    rows: &[RelationId],
    (singular, at_bounds): (bool, Option<[f64; 2]>),
) -> Diagnostic {
    let all = || rows.iter().map(|row| &model.relations[row.index()]);
    let targets = all()
        .filter(|row| row.procedure.solves())
        .flat_map(|row| &row.targets);
    let mut names: Vec<String> = targets
        .map(|real| format!("`{}`", model.reals[real.index()].name))
        .collect();
    if names.len() > MOST_NAMED {
        let rest = names.split_off(FIRST_NAMED).len();
        names.push(say!("run-unsolved.rest", rest));
    }
    let what = match singular {
        true => phrase!("run-no-single-solution"),
        false => phrase!("run-no-solution-was"),
    };
    let at = numbers::time(model, time);
    let message = say!("run-unsolved", names = names.join(", "), what, at);
    let mut report = Diagnostic::new("R012", Severity::Error, message);
    for (number, row) in all().enumerate() {
        if let Some(span) = origins.get(row.origin) {
            let label = match row.procedure.solves() {
                true => say!("run-unsolved.label-must-hold"),
                false => say!("run-unsolved.label-loop"),
            };
            report = match number {
                0 => report.at(span, label),
                _ => report.also(span, label),
            };
        }
    }
    let mut dependent = rows.iter().filter_map(|&row| {
        let mut model = model.clone();
        let found = model.dependent_rates(row)?;
        Some((model, row, found))
    });
    if let Some((model, row, found)) = dependent.next() {
        return rates_not_told_apart(report, &model, row, &found);
    }
    let mut extended = model.clone();
    if let Some(found) = extended.dependent_unknowns(rows) {
        return not_told_apart(report, &extended, rows, &found);
    }
    if let Some(turning) = rows
        .iter()
        .find_map(|row| unknown_in_abs(model, &model.relations[row.index()]))
        .filter(|_| time > 0.0)
    {
        let name = &model.reals[turning.index()].name;
        return report.with_help(say!("run-unsolved.write-root", name));
    }
    if let Some([low, high]) = at_bounds {
        let shown = |off: f64| number(shortened(off));
        report = report.with_note(match low.abs() <= high.abs() {
            true => say!(
                "run-unsolved.note-lower",
                off = shown(low),
                other = shown(high)
            ),
            false => say!(
                "run-unsolved.note-upper",
                off = shown(high),
                other = shown(low)
            ),
        });
    }
    let bounded = all().any(|row| row.bounds().is_some());
    report.with_help(match (bounded, singular) {
        (true, true) => phrase!("run-unsolved.several-between-bounds"),
        (true, false) => phrase!("run-unsolved.between-bounds-sign"),
        (false, _) if time > 0.0 => phrase!("run-unsolved.solution-ends"),
        (false, _) => phrase!("run-unsolved.give-another-start"),
    })
}

/// An unknown of a row whose size stands in its equations: where it passes 0 these may give it an infinite slope.
fn unknown_in_abs(model: &Model, row: &Relation) -> Option<RealId> {
    if !row.procedure.solves() {
        return None;
    }
    let abs = ProcedureId::named("abs");
    let mut found = None;
    for argument in &row.args {
        let Argument::Real(root) = argument else {
            continue;
        };
        model.exprs.visit(*root, |_, node| {
            if let Expr::Call(procedure, arguments) = node
                && Some(*procedure) == abs
                && let Some(Expr::Real(real)) =
                    arguments.iter().next().map(|one| model.exprs.get(*one))
                && row.targets.contains(&real)
            {
                found = Some(real);
            }
        });
    }
    found
}

/// Says in which combinations rates enter a row, and what would tell them apart.
fn rates_not_told_apart(
    report: Diagnostic,
    model: &Model,
    row: RelationId,
    found: &DependentUnknowns,
) -> Diagnostic {
    let words = ModelText::of(model);
    let relation = &model.relations[row.index()];
    let names: Vec<String> = (relation.targets.iter())
        .map(|real| model.reals[real.index()].name.clone())
        .collect();
    let enter: Vec<String> = (found.enter.iter())
        .map(|weights| format!("`{}`", weighted(weights, &names)))
        .collect();
    let equations: Vec<String> = (1..=names.len())
        .map(|at| say!("run-not-told-apart.equation", at))
        .collect();
    let report = report.with_note(say!(
        "run-not-told-apart.note-rates-enter",
        enter = enter.join(" and ")
    ));
    let Some(sum) = found.sum else {
        return report;
    };
    let report = report.with_note(say!(
        "run-not-told-apart.note-no-rate",
        equations = weighted(&found.weights, &equations),
        sum = words.equation(sum)
    ));
    let last = found.weights.iter().rposition(|&weight| weight != 0.0);
    match (found.derivative, last) {
        (Some(derivative), Some(last)) => report.with_help(say!(
            "run-not-told-apart.help-write-derivative",
            last = last + 1,
            derivative = words.equation(derivative)
        )),
        _ => report.with_help(say!("run-not-told-apart.help-find-these")),
    }
}

/// Says in which combinations unknowns enter rows, and what is left of their equations without them.
fn not_told_apart(
    report: Diagnostic,
    model: &Model,
    rows: &[RelationId],
    found: &DependentUnknowns,
) -> Diagnostic {
    let row = |row: &RelationId| &model.relations[row.index()];
    let rows: Vec<&Relation> = rows.iter().map(row).collect();
    let names: Vec<String> = (rows.iter())
        .flat_map(|row| &row.targets)
        .map(|real| model.reals[real.index()].name.clone())
        .collect();
    let equation = |row: &Relation, at: usize| match (rows.len(), row.targets.len()) {
        (1, _) => say!("run-not-told-apart.equation", at),
        (_, 1) => say!("run-not-told-apart.row", id = row.id),
        _ => say!("run-not-told-apart.equation-of-row", at, id = row.id),
    };
    let equations: Vec<String> = (rows.iter())
        .flat_map(|row| (1..=row.targets.len()).map(move |at| equation(row, at)))
        .collect();
    let enter: Vec<String> = (found.enter.iter())
        .map(|weights| format!("`{}`", weighted(weights, &names)))
        .collect();
    let report = match enter.is_empty() {
        true => report,
        false => report.with_note(say!(
            "run-not-told-apart.note-unknowns-enter",
            enter = enter.join(", ")
        )),
    };
    let equations = weighted(&found.weights, &equations);
    let report = report.with_note(match found.sum {
        None => say!("run-not-told-apart.note-follows", equations),
        Some(sum) => say!(
            "run-not-told-apart.note-no-unknown",
            equations,
            sum = ModelText::of(model).equation(sum)
        ),
    });
    report.with_help(say!("run-not-told-apart.help-other-equation"))
}

/// `a - 2 * b`, without what has the weight 0.
fn weighted(weights: &[f64], names: &[String]) -> String {
    let mut text = String::new();
    for (&weight, name) in weights
        .iter()
        .zip(names)
        .filter(|(weight, _)| **weight != 0.0)
    {
        let sign = match (text.is_empty(), weight < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += sign;
        if (weight.abs() - 1.0).abs() > 1e-9 {
            text += &format!("{} * ", number(shortened(weight.abs())));
        }
        text += name;
    }
    text
}

/// Says that there is nothing to start in.
///
/// `real`: what stays farthest from rest, with its value and rate where the search ended; `turned`: what is true in one
/// mode and false where that mode rests.
pub(super) fn no_equilibrium(
    model: &Model,
    origins: &Origins,
    real: Option<RealId>,
    [value, rate]: [f64; 2],
    turned: &[Boolean],
) -> Diagnostic {
    let words = ModelText::of(model);
    let mut report = Diagnostic::new("R015", Severity::Error, say!("run-no-equilibrium"));
    if let Some(real) = real {
        let quantity = &model.reals[real.index()];
        let [at, moves] = [value, rate].map(|number_of| number(shortened(number_of)));
        if moves != "0" {
            report.message += &say!(
                "run-no-equilibrium.rate-still",
                quantity = quantity.name,
                moves
            );
        }
        if let Some(span) = origins.get(quantity.origin) {
            let label = match value.abs() < AWAY {
                true => say!("run-no-equilibrium.label-farthest-rest", at),
                false => say!("run-no-equilibrium.label-farthest-rest-2"),
            };
            report = report.at(span, label);
        }
        let integrates = |row: &RelationId| {
            let procedure = model.relations[row.index()].procedure;
            procedure.get().motion() == Motion::Integrated
        };
        for row in model.writers(real).filter(integrates).take(MAX_ROWS) {
            if let Some(span) = origins.get(model.relations[row.index()].origin) {
                report = report.also(span, say!("run-no-equilibrium.also"));
            }
        }
    }
    // Situations follow from the ranges.
    let turns = turned
        .iter()
        .filter(|what| !matches!(what, Boolean::Situation(_)));
    let turns = turns.map(|&what| {
        let literal = words.literal(Literal {
            what,
            negated: false,
        });
        format!("`{literal}`")
    });
    let turns: Vec<String> = turns.collect();
    if !turns.is_empty() {
        let all = turns.join(", ");
        return report
            .with_note(say!("run-no-equilibrium.note", all))
            .with_help(say!("run-no-equilibrium.help-give-start"));
    }
    report.with_help(say!("run-no-equilibrium.help-give-guess"))
}

/// A value beyond this is one that runs away.
const AWAY: f64 = 1e9;

/// So many rows that move a real are shown.
const MAX_ROWS: usize = 4;

/// Names of the derivatives of an equation.
const ORDERS: [Phrase; 3] = [
    phrase!("run-orders.derivative"),
    phrase!("run-orders.second-derivative"),
    phrase!("run-orders.third-derivative"),
];

/// Says which constraints do not hold at a time.
///
/// `residuals`: rows and equations, with what each of them and its derivatives are off by; `moves`: values that would
/// satisfy them.
pub(super) fn off_constraint<'a>(
    model: &Model,
    origins: &Origins,
    time: f64,
    residuals: impl Iterator<Item = (RelationId, usize, &'a [f64])>,
    moves: &[(RealId, f64)],
) -> Diagnostic {
    let words = ModelText::of(model);
    let at = numbers::time(model, time);
    let mut report = Diagnostic::new("R014", Severity::Error, String::new());
    let mut rows: Vec<RelationId> = Vec::new();
    for (row, equation, residuals) in residuals {
        let Some(constraint) = model.constraint(row, equation) else {
            continue;
        };
        let off = residuals.iter().enumerate().map(|(order, residual)| {
            let what = match order {
                0 => format!("`{}`", words.equation(constraint.kept(model))),
                _ => ORDERS[order.clamp(1, ORDERS.len()) - 1].into(),
            };
            say!(
                "run-off-constraint.off",
                what,
                residual = number(shortened(*residual))
            )
        });
        report = report.with_note(off.collect::<Vec<_>>().join(", "));
        if !rows.contains(&row) {
            rows.push(row);
            if let Some(span) = origins.get(model.relations[row.index()].origin) {
                report = match rows.len() {
                    1 => report.at(span, say!("run-off-constraint.label")),
                    _ => report.also(span, say!("run-off-constraint.also")),
                };
            }
        }
    }
    let ids: Vec<String> = (rows.iter())
        .map(|row| format!("`{}`", model.relations[row.index()].id))
        .collect();
    report.message = match ids.as_slice() {
        [id] => say!("run-off-constraint.state-off-constraint", id, at),
        ids => say!(
            "run-off-constraint.state-off-constraints",
            ids = ids.join(", "),
            at
        ),
    };
    if !moves.is_empty() {
        let values = moves.iter().map(|(real, value)| {
            format!(
                "`{}` = {}",
                model.reals[real.index()].name,
                number(shortened(*value))
            )
        });
        report = report.with_note(say!(
            "run-off-constraint.note",
            x = values.collect::<Vec<_>>().join(", ")
        ));
    }
    report.with_help(match time == 0.0 {
        true => phrase!("run-off-constraint.let-start-values"),
        false => {
            phrase!("run-off-constraint.event-changes-state")
        }
    })
}

/// A number with as many digits as matter to a reader.
fn shortened(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}
