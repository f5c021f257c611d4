//! C064: constraints, which are solved after they have been differentiated.

use situ_engine::model::Constraint;
use situ_words::{Phrase, phrase, say};

use super::Context;
use crate::diag::{Diagnostic, Severity};
use crate::print::ModelText;

/// Longer equations are not printed.
const MOST_CHARACTERS: usize = 400;

/// Tells how often each was differentiated, and what is solved.
pub(super) fn check(context: &mut Context<'_>) {
    let model = context.model;
    let words = ModelText::of(model);
    let of_a_row = model.constraints.chunk_by(|a, b| a.relation == b.relation);
    for constraints in of_a_row {
        let relation = constraints[0].relation;
        let row = context.row_id(relation);
        let kept = |one: &Constraint| format!("`{}`", words.equation(one.kept(model)));
        let solved = |one: &Constraint| {
            let solved = one.solved(model).map(|residual| words.equation(residual));
            solved.filter(|text| text.chars().count() <= MOST_CHARACTERS)
        };
        let (message, label) = match constraints {
            [one] => (
                say!(
                    "check-constraints.row-constraint-differentiated",
                    row,
                    one = times(one)
                ),
                say!("check-constraints.keeps", one = kept(one)),
            ),
            all => (
                say!(
                    "check-constraints.row-keeps-constraints",
                    row,
                    n = all.len()
                ),
                say!("check-constraints.differentiated-before-they"),
            ),
        };
        let mut report = Diagnostic::new("C064", Severity::Note, message);
        for one in constraints {
            if constraints.len() > 1 {
                report = report.with_note(say!(
                    "check-constraints.note-differentiated",
                    one = kept(one),
                    one_2 = times(one)
                ));
            }
            if let Some(solved) = solved(one) {
                report = report.with_note(say!("check-constraints.note-solved", solved));
            }
        }
        let row = &model.relations[relation.index()];
        let names = row.targets.iter();
        let names = names.map(|real| format!("`{}`", model.reals[real.index()].name));
        let names = names.collect::<Vec<_>>().join(", ");
        report = report.with_help(say!("check-constraints.help", names));
        let origin = row.origin;
        context.report("C064", |context| context.at(report, origin, label));
    }
}

/// How often a constraint was differentiated, in words.
fn times(constraint: &Constraint) -> Phrase {
    match constraint.levels.len() {
        1 => phrase!("check-times.once"),
        2 => phrase!("check-times.twice"),
        3 => phrase!("check-times.three-times"),
        _ => phrase!("check-times.four-times"),
    }
}
