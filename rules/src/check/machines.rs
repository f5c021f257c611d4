//! Transitions of one state that can fire together: the first written does.

use situ_engine::ids::SwitchId;
use situ_engine::model::{Boolean, Literal, Machine, Model, Transition};
use situ_words::{Phrase, phrase, say};

use super::Context;
use super::logic::atoms::View;
use super::logic::scope::Scope;
use crate::diag::Diagnostic;

const QUESTION: Phrase = phrase!("check-machines.question");

pub(super) fn check(context: &mut Context<'_>) {
    let model = context.model;
    for machine in &model.structure.machines {
        for (at, later) in machine.transitions.iter().enumerate() {
            let mut earlier = machine.transitions[..at].iter();
            let clash = earlier.find(|one| one.from == later.from && together(context, one, later));
            if let Some(first) = clash {
                report(context, machine, first, later);
            }
        }
    }
}

/// The state in which a machine is behind the transition that a condition names; `None` if it names none.
pub(super) fn state_behind(model: &Model, all: &[Literal]) -> Option<SwitchId> {
    let machines = model.structure.machines.iter();
    let mut transitions =
        machines.flat_map(|machine| machine.transitions.iter().map(move |one| (machine, one)));
    let (machine, fired) = transitions.find(|(_, one)| all.contains(&fires(one)))?;
    let assignments = model.assignments.iter();
    let mut set = assignments
        .filter(|row| row.when[..] == [fires(fired)])
        .flat_map(|row| &row.set);
    let entered = set.find(|(switch, value)| *value && machine.states.contains(switch));
    // A transition from a state to itself sets none.
    Some(entered.map_or(fired.from, |(state, _)| *state))
}

fn fires(transition: &Transition) -> Literal {
    Literal {
        what: Boolean::Situation(transition.event),
        negated: false,
    }
}

/// The condition of a transition, without the events of others, which wait for each other.
fn condition(model: &Model, transition: &Transition) -> Vec<Literal> {
    let row = model
        .situation_rows
        .iter()
        .find(|row| row.situation == transition.event);
    let all = row.map_or(&[][..], |row| row.all.as_slice());
    let is_event = |literal: &&Literal| !(literal.negated && model.is_event(literal.what));
    all.iter().filter(is_event).copied().collect()
}

fn together(context: &mut Context<'_>, one: &Transition, other: &Transition) -> bool {
    let model = context.model;
    let (first, second) = (condition(model, one), condition(model, other));
    // What is true for an instant meets nothing else but by chance.
    if first
        .iter()
        .chain(&second)
        .any(|literal| model.is_event(literal.what))
    {
        return false;
    }
    let about = || one.id.clone();
    let found = context.ask(QUESTION, about, |context| {
        let booleans = first.iter().chain(&second).map(|literal| literal.what);
        let booleans: Vec<Boolean> = booleans.collect();
        let mut scope = Scope::new(
            context.conditions,
            View::Settled,
            booleans,
            &mut context.work,
        )?;
        let (first, second) = (scope.before(&first)?, scope.before(&second)?);
        let both = scope.and(&first, &second)?;
        Ok(scope.state(&both)?.is_some())
    });
    found == Some(true)
}

fn report(context: &mut Context<'_>, machine: &Machine, first: &Transition, later: &Transition) {
    let message = say!(
        "check-machines",
        id = first.id,
        id_2 = later.id,
        machine = machine.name
    );
    let places = [first, later].map(|one| context.origins.get(one.origin));
    context.report("M006", |_| {
        let mut report = Diagnostic::new("M006", crate::diag::Severity::Warning, message);
        if let [Some(first), Some(later)] = places {
            report = report
                .at(later, "")
                .also(first, say!("check-machines.also"));
        }
        report.with_help(say!("check-machines.help"))
    });
}
