//! Names that play no part: never used (C040), never written (C041), latched for good (C042),
//! conditions that no rule reads (C043).

use std::collections::HashSet;

use situ_engine::ids::{Origin, RealId, SwitchId};
use situ_engine::model::{Model, Setting};
use situ_words::say;

use super::Context;
use crate::diag::{Diagnostic, Severity};

pub(super) fn check(context: &mut Context<'_>) {
    constants(context);
    lookups(context);
    reals(context);
    switches(context);
    conditions(context);
}

fn constants(context: &mut Context<'_>) {
    let model = context.model;
    let constants = model.constants.iter().enumerate();
    for ((number, constant), used) in constants.zip(&context.index.constant_used) {
        // What decides how many elements there are stands in no row.
        let shapes = || model.shape.iter().any(|(id, _)| id.index() == number);
        if !used && !shapes() {
            unused(context, "constant", &constant.name, constant.origin);
        }
    }
}

fn lookups(context: &mut Context<'_>) {
    let model = context.model;
    for (lookup, used) in model.lookups.iter().zip(&context.index.lookup_used) {
        if !used {
            unused(context, "lookup", &lookup.name, lookup.origin);
        }
    }
}

fn reals(context: &mut Context<'_>) {
    let model = context.model;
    let structure = &model.structure;
    let parts = structure.parts.iter().map(|part| &part.inputs);
    let inputs = parts.chain([&structure.inputs]);
    let inputs: HashSet<RealId> = inputs.flat_map(|inputs| inputs.reals.clone()).collect();
    for (number, real) in model.reals.iter().enumerate() {
        let is_written = !context.index.writers.of(number).is_empty();
        let is_used = context.index.real_used[number];
        let id = RealId::new(number);
        // Which inputs of a part nothing reads, the check of its own table tells.
        let is_own = structure.inputs.reals.contains(&id);
        if is_written || inputs.contains(&id) && (is_used || !is_own) {
            continue;
        }
        if !is_used {
            unused(context, "real", &real.name, real.origin);
            continue;
        }
        context.report("C041", |context| {
            let name = &real.name;
            let message = say!("check-reals", name);
            let diagnostic = Diagnostic::new("C041", Severity::Warning, message);
            context
                .at(diagnostic, real.origin, say!("check-reals.label"))
                .with_help(say!("check-reals.help", name))
        });
    }
}

fn switches(context: &mut Context<'_>) {
    let model = context.model;
    for (number, switch) in model.switches.iter().enumerate() {
        let name = &switch.name;
        let rows = context.index.assignments.of(number);
        let used = context.index.switch_used[number];
        let Some(&(first, value)) = rows.first() else {
            if !used {
                unused(context, "switch", name, switch.origin);
            }
            continue;
        };
        let same = rows.iter().all(|row| row.1 == value);
        let starts = |start: bool| starts_with(model, SwitchId::new(number), start);
        let first = &model.assignments[first];
        let (done, undone) = if value {
            ("set", "cleared")
        } else {
            ("cleared", "set")
        };
        if same && !starts(!value) {
            context.report("C042", |context| {
                let message = say!("check-switches", name, value, done);
                let diagnostic = Diagnostic::new("C042", Severity::Warning, message);
                let diagnostic = context.at(
                    diagnostic,
                    first.origin,
                    say!("check-switches.label-changes-nothing"),
                );
                context.also(
                    diagnostic,
                    switch.origin,
                    say!("check-switches.also-starts", value),
                )
            });
        } else if same && !model.is_state(SwitchId::new(number)) {
            context.report("C042", |context| {
                let message = say!("check-switches.but-never", name, done, undone);
                let diagnostic = Diagnostic::new("C042", Severity::Note, message);
                let label = say!("check-switches.label-good-here", done);
                let diagnostic = context.at(diagnostic, first.origin, label);
                context.also(
                    diagnostic,
                    switch.origin,
                    say!("check-switches.also-switch"),
                )
            });
        } else if !used && !model.is_state(SwitchId::new(number)) {
            unread(context, "switch", name, switch.origin);
        }
    }
}

/// True if the switch starts with the value, in the table or in a case.
fn starts_with(model: &Model, switch: SwitchId, value: bool) -> bool {
    let cases = model.cases.iter().flat_map(|case| &case.set);
    model.switches[switch.index()].start == value
        || cases.into_iter().any(|setting| match setting {
            Setting::Switch(id, start) => *id == switch && *start == value,
            _ => false,
        })
}

fn conditions(context: &mut Context<'_>) {
    let model = context.model;
    let parts = model.structure.parts.iter().map(|part| &*part.name);
    let parts: HashSet<&str> = parts.collect();
    // A part has conditions for whoever reads them; the check of its own table tells which nobody does.
    let of_part = |name: &str| {
        let mut ends = name.match_indices('.').map(|(at, _)| &name[..at]);
        !parts.is_empty() && ends.any(|prefix| parts.contains(prefix))
    };
    for (number, range) in model.ranges.iter().enumerate() {
        if !range.anonymous
            && context.index.range_uses.of(number).is_empty()
            && !of_part(&range.name)
        {
            unread(context, "range", &range.name, range.origin);
        }
    }
    for (situation, used) in model.situations.iter().zip(&context.index.situation_used) {
        if !used && !of_part(&situation.name) {
            let kind = if situation.event {
                "event"
            } else {
                "situation"
            };
            unread(context, kind, &situation.name, situation.origin);
        }
    }
}

fn unread(context: &mut Context<'_>, kind: &str, name: &str, origin: Origin) {
    context.report("C043", |context| {
        let message = say!("check-unread", kind, name);
        let diagnostic = Diagnostic::new("C043", Severity::Note, message);
        context.at(diagnostic, origin, say!("check-unread.label"))
    });
}

fn unused(context: &mut Context<'_>, kind: &str, name: &str, origin: Origin) {
    context.report("C040", |context| {
        let message = say!("check-unused", kind, name);
        let diagnostic = Diagnostic::new("C040", Severity::Warning, message);
        context.at(diagnostic, origin, say!("check-unused.label"))
    });
}
