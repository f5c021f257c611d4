//! Assignments that set one switch to opposite values in the same tick.
//!
//! Warning C003: nothing but the written order decides, or the lower one undoes what the upper one
//! has just done because it reads the new value. Note C002: the order decides, and plausibly so.

use std::collections::HashMap;

use situ_engine::ids::SwitchId;
use situ_engine::model::{Assignment, Boolean, Literal, Scan};
use situ_words::{Phrase, phrase, say};

use super::Context;
use super::budget::OverBudget;
use super::logic::atoms::View;
use super::logic::scope::Scope;
use super::logic::state::State;
use crate::diag::{Diagnostic, Severity};

/// A switch with more assignments than this is not analysed pair by pair.
const MAX_ROWS: usize = 48;
const QUESTION: Phrase = phrase!("check-assignments.question");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// The lower one reads what the upper one wrote, and takes it back.
    Undone,
    /// Only the order decides.
    Clash,
    /// The order decides, the lower one being the special case.
    Ordered,
}

pub(super) fn check(context: &mut Context<'_>) {
    repeated(context);
    let model = context.model;
    for switch in (0..context.model.switches.len()).map(SwitchId::new) {
        let rows = context.index.assignments.of(switch.index());
        let both = rows.iter().any(|row| row.1) && rows.iter().any(|row| !row.1);
        if !both {
            continue;
        }
        let name = || model.switches[switch.index()].name.clone();
        if rows.len() > MAX_ROWS {
            context.leave_open(QUESTION, name);
            continue;
        }
        let mut reported = Vec::new();
        for (at, &(first, one)) in rows.iter().enumerate() {
            for &(second, other) in &rows[at + 1..] {
                if one == other || first == second {
                    continue;
                }
                let found = context.ask(QUESTION, name, |context| pair(context, first, second));
                if let Some(Some((verdict, state))) = found {
                    reported.push((verdict, first, second, state));
                }
            }
        }
        // One report a switch: the worst.
        let rank = |verdict: Verdict| match verdict {
            Verdict::Undone => 0,
            Verdict::Clash => 1,
            Verdict::Ordered => 2,
        };
        reported.sort_by_key(|(verdict, ..)| rank(*verdict));
        if let Some((verdict, first, second, state)) = reported.first() {
            let code = match verdict {
                Verdict::Undone | Verdict::Clash => "C003",
                Verdict::Ordered => "C002",
            };
            context.report(code, |context| {
                contradiction(context, switch, *verdict, (*first, *second), state)
            });
        }
    }
}

/// Contradiction in some tick between two assignments, the second below the first, if there is one.
fn pair(
    context: &mut Context<'_>,
    first: usize,
    second: usize,
) -> Result<Option<(Verdict, State)>, OverBudget> {
    let assignments = &context.model.assignments;
    let (first, second) = (&assignments[first], &assignments[second]);
    let Some((then, depends)) = after(context.scan, first, second) else {
        return Ok(None);
    };
    let conditions = context.conditions;
    let instants = (
        conditions.is_instant(&first.when),
        conditions.is_instant(&then),
    );
    // That independent events coincide is worth no word.
    if instants == (true, true) && !conditions.related(&first.when, &then) {
        return Ok(None);
    }
    let booleans = first.when.iter().chain(&then).map(|literal| literal.what);
    let mut scope = Scope::new(conditions, View::Settled, booleans, &mut context.work)?;
    let (one, other) = (scope.after(&first.when)?, scope.after(&then)?);
    let both = scope.and(&one, &other)?;
    let Some(state) = scope.state(&both)? else {
        return Ok(None);
    };
    let special = scope.and_not(&other, &one)?;
    let special = scope.state(&special)?.is_none();
    let always = scope.and_not(&one, &other)?;
    let always = scope.state(&always)?.is_none();
    let verdict = if depends {
        // Going on from what the upper one did, if need be at once, is what phases do.
        if !always {
            return Ok(None);
        }
        Verdict::Undone
    } else if special || instants.0 || instants.1 || state.on_border {
        Verdict::Ordered
    } else {
        Verdict::Clash
    };
    Ok(Some((verdict, state)))
}

/// The condition of the second assignment once the first was executed, without what that settles,
/// and whether it settles anything; `None` if the second is not executed then.
fn after(scan: Scan, first: &Assignment, second: &Assignment) -> Option<(Vec<Literal>, bool)> {
    let mut left = Vec::with_capacity(second.when.len());
    let mut depends = false;
    for literal in &second.when {
        let written = first.set.iter().rev().find(|(switch, _)| {
            scan == Scan::Sequential && literal.what == Boolean::Switch(*switch)
        });
        match written {
            Some((_, value)) if *value == literal.negated => return None,
            Some(_) => depends = true,
            None => left.push(*literal),
        }
    }
    Some((left, depends))
}

fn contradiction(
    context: &Context<'_>,
    switch: SwitchId,
    verdict: Verdict,
    (first, second): (usize, usize),
    state: &State,
) -> Diagnostic {
    let name = &context.model.switches[switch.index()].name;
    let assignments = &context.model.assignments;
    let (first, second) = (&assignments[first], &assignments[second]);
    let (code, severity, message) = match verdict {
        Verdict::Undone => (
            "C003",
            Severity::Warning,
            say!(
                "check-contradiction.assignment-undoes-tick",
                id = second.id,
                name,
                id_2 = first.id
            ),
        ),
        Verdict::Clash => (
            "C003",
            Severity::Warning,
            say!(
                "check-contradiction.assignments-can-set",
                id = first.id,
                id_2 = second.id,
                name
            ),
        ),
        Verdict::Ordered => (
            "C002",
            Severity::Note,
            say!(
                "check-contradiction.assignments-write-tick",
                id = first.id,
                id_2 = second.id,
                name
            ),
        ),
    };
    let mut diagnostic = Diagnostic::new(code, severity, message);
    diagnostic = context.at(diagnostic, second.origin, say!("check-contradiction.label"));
    diagnostic = context.also(diagnostic, first.origin, say!("check-contradiction.also"));
    diagnostic = context.shown(diagnostic, state);
    match verdict {
        Verdict::Undone => diagnostic.with_help(say!("check-contradiction.help-assignments-see")),
        Verdict::Clash => diagnostic.with_help(say!("check-contradiction.help-let-conditions")),
        Verdict::Ordered => diagnostic,
    }
}

/// Assignments that stand there twice (C031).
fn repeated(context: &mut Context<'_>) {
    type Key = (Vec<(Boolean, bool)>, Vec<(SwitchId, bool)>);
    let mut known: HashMap<Key, usize> = HashMap::new();
    for (number, assignment) in context.model.assignments.iter().enumerate() {
        let mut when: Vec<(Boolean, bool)> = assignment
            .when
            .iter()
            .map(|literal| (literal.what, literal.negated))
            .collect();
        when.sort_unstable();
        when.dedup();
        let first = *known
            .entry((when, assignment.set.to_vec()))
            .or_insert(number);
        if first != number {
            let first = &context.model.assignments[first];
            context.report("C031", |context| {
                let message = say!("check-repeated", id = assignment.id, id_2 = first.id);
                let mut diagnostic = Diagnostic::new("C031", Severity::Note, message);
                diagnostic = context.at(diagnostic, assignment.origin, say!("check-repeats"));
                context.also(diagnostic, first.origin, say!("check-here-already"))
            });
        }
    }
}
