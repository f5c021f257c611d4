//! Conditions that never hold (C020) or always hold (C021).
//!
//! A finding is made where it comes from: a row is not reported if one of the names in its
//! condition is reported itself.

use situ_engine::ids::{Origin, RangeId, RealId, RelationId, SituationId};
use situ_engine::model::{Boolean, Guard, Literal};
use situ_words::{Phrase, phrase, say};

use super::logic::atoms::View;
use super::logic::conditions::Truth;
use super::logic::scope::Scope;
use super::{Context, activity, text};
use crate::diag::{Diagnostic, Severity};
use crate::print;

const QUESTION: Phrase = phrase!("check-unreachable.question");
/// An `otherwise` row of a real with more rows than this is not analysed.
const MAX_WRITERS: usize = 64;

pub(super) fn check(context: &mut Context<'_>) {
    for what in &context.conditions.undecided {
        let model = context.model;
        context.leave_open(QUESTION, || model.boolean_name(*what));
    }
    ranges(context);
    situations(context);
    let model = context.model;
    for assignment in &model.assignments {
        let subject = || say!("check-unreachable.assignment", id = assignment.id);
        row(
            context,
            &assignment.when,
            assignment.origin,
            &subject,
            "acts",
        );
    }
    for id in (0..model.relations.len()).map(RelationId::new) {
        let relation = context.relation(id);
        match &relation.guard {
            Guard::Always => {}
            Guard::When(literals) => {
                if !context.conditions.plainly_varies(literals) {
                    let name = context.row_id(id);
                    let subject = || say!("check-unreachable.row", id = name);
                    row(context, literals, relation.origin, &subject, "acts");
                }
            }
            Guard::Otherwise => otherwise(context, id),
        }
    }
}

fn ranges(context: &mut Context<'_>) {
    let model = context.model;
    for (number, range) in model.ranges.iter().enumerate() {
        // What is taken over no elements holds or not without a comparison that someone wrote.
        let place = context.origins.get(range.origin);
        if place.is_some_and(|place| place.start == place.end) {
            continue;
        }
        let truth = context
            .conditions
            .truth(Boolean::Range(RangeId::new(number)));
        let said = || {
            let all = range.all.iter();
            let all = all.map(|comparison| text::comparison(model, comparison));
            all.collect::<Vec<String>>().join(" & ")
        };
        let what = if range.anonymous {
            phrase!("check-ranges.what-comparison")
        } else {
            phrase!("check-ranges.what-range")
        };
        let name = &range.name;
        match truth {
            Truth::Varies => {}
            Truth::Never => {
                context.report("C020", |context| {
                    let message = say!("check-ranges.can-never", what, name);
                    let mut diagnostic = Diagnostic::new("C020", Severity::Warning, message);
                    diagnostic = context.at(diagnostic, range.origin, say!("check-never-holds"));
                    diagnostic = diagnostic.with_note(say!("check-ranges.note", said = said()));
                    with_constants(context, diagnostic, number)
                });
            }
            Truth::Always => {
                context.report("C021", |context| {
                    let message = say!("check-ranges.always-holds", what, name);
                    let mut diagnostic = Diagnostic::new("C021", Severity::Note, message);
                    diagnostic = context.at(diagnostic, range.origin, say!("check-always-holds"));
                    with_constants(context, diagnostic, number)
                });
            }
        }
    }
}

/// Says which values of constants the finding rests on.
fn with_constants(context: &Context<'_>, diagnostic: Diagnostic, range: usize) -> Diagnostic {
    let model = context.model;
    let Some(start) = context.start else {
        return diagnostic;
    };
    let mut named = Vec::new();
    for comparison in &model.ranges[range].all {
        for side in [comparison.left, comparison.right] {
            model.exprs.visit(side, |_, node| {
                if let situ_engine::model::Expr::Constant(id) = node
                    && !named.contains(id)
                {
                    named.push(*id);
                }
            });
        }
    }
    if named.is_empty() {
        return diagnostic;
    }
    let values: Vec<String> = named
        .iter()
        .map(|id| {
            let value = print::number(start.constants[id.index()]);
            format!("{} = {value}", model.constants[id.index()].name)
        })
        .collect();
    diagnostic.with_note(say!(
        "check-with-constants.note",
        values = values.join(", ")
    ))
}

fn situations(context: &mut Context<'_>) {
    let model = context.model;
    for id in (0..model.situations.len()).map(SituationId::new) {
        let situation = &model.situations[id.index()];
        let rows = context.conditions.rows.of(id.index());
        let kind = if situation.event {
            "event"
        } else {
            "situation"
        };
        let known = |row: &usize, truth: Truth| {
            let all = &model.situation_rows[*row].all;
            explained(context, all, truth)
        };
        match context.conditions.truth(Boolean::Situation(id)) {
            Truth::Never if rows.iter().all(|row| known(row, Truth::Never)) => {}
            Truth::Never => {
                let verb = if situation.event { "happen" } else { "hold" };
                let cores: Vec<String> = rows
                    .iter()
                    .filter_map(|&row| contradiction(context, &model.situation_rows[row].all))
                    .collect();
                context.report("C020", |context| {
                    let message = say!("check-situations", kind, situation = situation.name, verb);
                    let mut diagnostic = Diagnostic::new("C020", Severity::Warning, message);
                    diagnostic =
                        context.at(diagnostic, situation.origin, say!("check-never-holds"));
                    cores.into_iter().fold(diagnostic, Diagnostic::with_note)
                });
            }
            Truth::Always if rows.iter().any(|row| known(row, Truth::Always)) => {}
            Truth::Always => {
                context.report("C021", |context| {
                    let message = say!(
                        "check-situations.always-holds",
                        kind,
                        situation = situation.name
                    );
                    let diagnostic = Diagnostic::new("C021", Severity::Note, message);
                    context.at(diagnostic, situation.origin, say!("check-always-holds"))
                });
            }
            Truth::Varies if rows.len() > 1 => {
                for &number in rows {
                    let definition = &model.situation_rows[number];
                    let subject = || {
                        say!(
                            "check-situations.row",
                            id = definition.id,
                            kind,
                            situation = situation.name
                        )
                    };
                    row(
                        context,
                        &definition.all,
                        definition.origin,
                        &subject,
                        "holds",
                    );
                }
            }
            Truth::Varies => {}
        }
    }
}

/// True if the truth of the conjunction is already that of one of its names (never) or of all
/// of them (always).
fn explained(context: &Context<'_>, all: &[Literal], truth: Truth) -> bool {
    let mut truths = all
        .iter()
        .map(|literal| context.conditions.truth_of(*literal));
    match truth {
        Truth::Never => truths.any(|truth| truth == Truth::Never),
        Truth::Always => truths.all(|truth| truth == Truth::Always),
        Truth::Varies => false,
    }
}

/// Reports a row whose condition never or always holds. `verb`: what it does then.
fn row(
    context: &mut Context<'_>,
    all: &[Literal],
    origin: Origin,
    subject: &dyn Fn() -> String,
    verb: &str,
) {
    // Names that always hold are reported themselves and change nothing.
    let open: Vec<Literal> = all
        .iter()
        .copied()
        .filter(|literal| context.conditions.truth_of(*literal) != Truth::Always)
        .collect();
    let never = explained(context, &open, Truth::Never);
    if never || open.is_empty() || context.conditions.plainly_varies(&open) {
        return;
    }
    let truth = context.ask(
        QUESTION,
        || subject().replace('`', ""),
        |context| {
            let booleans = open.iter().map(|literal| literal.what);
            let mut scope =
                Scope::new(context.conditions, View::Loose, booleans, &mut context.work)?;
            let holds = scope.after(&open)?;
            Ok(if !scope.is_possible(&holds)? {
                Truth::Never
            } else if !scope.can_fail(&holds)? {
                Truth::Always
            } else {
                Truth::Varies
            })
        },
    );
    match truth {
        Some(Truth::Never) => {
            let core = contradiction(context, &open);
            context.report("C020", |context| {
                let message = say!("check-row", subject = subject(), verb);
                let mut diagnostic = Diagnostic::new("C020", Severity::Warning, message);
                diagnostic =
                    context.at(diagnostic, origin, say!("check-row.label-condition-never"));
                core.into_iter().fold(diagnostic, Diagnostic::with_note)
            });
        }
        Some(Truth::Always) => {
            context.report("C021", |context| {
                let message = say!("check-row.condition-always", subject = subject());
                let diagnostic = Diagnostic::new("C021", Severity::Note, message);
                context
                    .at(diagnostic, origin, say!("check-row.label-always"))
                    .with_help(say!("check-row.help"))
            });
        }
        Some(Truth::Varies) | None => {}
    }
}

/// The fewest literals of a conjunction that exclude each other, in words.
fn contradiction(context: &mut Context<'_>, all: &[Literal]) -> Option<String> {
    const LONG: usize = 16;
    if all.len() > LONG {
        return None;
    }
    context.work.begin();
    let booleans = all.iter().map(|literal| literal.what);
    let mut scope =
        Scope::new(context.conditions, View::Loose, booleans, &mut context.work).ok()?;
    let mut core: Vec<Literal> = all.to_vec();
    let mut at = 0;
    while at < core.len() {
        let mut without = core.clone();
        without.remove(at);
        let holds = scope.after(&without).ok()?;
        if scope.is_possible(&holds).ok()? {
            at += 1;
        } else {
            core = without;
        }
    }
    let names: Vec<String> = core
        .iter()
        .map(|literal| {
            let not = if literal.negated { "!" } else { "" };
            format!("{not}{}", context.model.boolean_name(literal.what))
        })
        .collect();
    match names.len() {
        0 => None,
        1 => Some(say!(
            "check-contradiction.never-holds",
            text = text::names(&names)
        )),
        _ => Some(say!(
            "check-contradiction.exclude-each-other",
            text = text::names(&names)
        )),
    }
}

/// Reports an `otherwise` row if the other rows of its real leave no room for it.
fn otherwise(context: &mut Context<'_>, id: RelationId) {
    let relation = context.relation(id);
    let real: RealId = relation.targets[0];
    let model = context.model;
    let subject = || say!("check-otherwise.row", id = model.relations[id.index()].id);
    let writers = context.index.writers.of(real.index());
    if writers.len() > MAX_WRITERS {
        context.leave_open(QUESTION, subject);
        return;
    }
    let others: Vec<(RelationId, &[Literal])> = writers
        .iter()
        .filter_map(|other| match &model.relations[other.index()].guard {
            Guard::When(all) => Some((*other, &all[..])),
            Guard::Always | Guard::Otherwise => None,
        })
        .collect();
    let shares = |one: usize| {
        let mut below = others[one + 1..].iter();
        below.any(|other| context.conditions.related(others[one].1, other.1))
    };
    if !(0..others.len()).any(shares) {
        return;
    }
    let covered = context.ask(QUESTION, subject, |context| {
        let (mut scope, active) = activity::scope(context, View::Loose, &[id])?;
        Ok(!scope.is_possible(&active[0])?)
    });
    if covered == Some(true) {
        context.report("C020", |context| {
            let message = say!(
                "check-otherwise",
                id = context.row_id(id),
                real = context.real_name(real)
            );
            let mut diagnostic = Diagnostic::new("C020", Severity::Warning, message);
            diagnostic = context.at(diagnostic, relation.origin, say!("check-otherwise.label"));
            for (other, _) in others {
                diagnostic = context.also(diagnostic, context.relation(other).origin, "");
            }
            diagnostic
        });
    }
}
