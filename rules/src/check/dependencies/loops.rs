//! C050: algebraic loops, rows that need each other's result within one tick.
//!
//! Rows are joined to the rows whose values they read: the nearest active writer above, or else the
//! last one below, whose value is a tick old. Integrals and everything else with a memory break a
//! circle, and so does a coefficient that is 0.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Guard, Scan};
use situ_words::{Phrase, phrase, say};

use crate::check::budget::OverBudget;
use crate::check::logic::atoms::View;
use crate::check::logic::state::State;
use crate::check::{Context, activity, index};
use crate::diag::{Diagnostic, Severity};

const QUESTION: Phrase = phrase!("check-loops.question");
/// So many writers of one real are followed.
const MAX_VERSIONS: usize = 16;
/// So many circles of one group of rows are tried.
const MAX_CIRCLES: usize = 8;
/// So many rows of a circle are named.
const MAX_NAMED: usize = 12;

/// A row whose value another row may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::check) struct Version {
    pub(in crate::check) writer: RelationId,
    /// The real that is read, by its place among the reads of the reader.
    pub(in crate::check) real: RealId,
    /// The writer stands below the reader, so that the value is a tick old.
    pub(in crate::check) late: bool,
}

/// Who reads whom.
#[derive(Debug)]
pub(in crate::check) struct Reading {
    /// For each relation that is computed afresh the rows whose values it may read, real by real.
    pub(in crate::check) versions: index::Lists<Version>,
    /// For each relation the number of the group of rows that need each other; rows that need
    /// nobody are a group of their own. A group stands after those it reads from.
    pub(in crate::check) groups: Vec<u32>,
}

/// Calls `visit` for the rows whose value of `real` a relation may read, nearest first; rows at
/// events are left out. False if there are too many.
fn for_each_version(
    context: &Context<'_>,
    reader: RelationId,
    real: RealId,
    mut visit: impl FnMut(Version),
) -> bool {
    let writers = context.index.writers.of(real.index());
    let split = writers.partition_point(|writer| *writer < reader);
    let above = writers[..split].iter().rev().map(|writer| (*writer, false));
    let below = writers[split..].iter().rev().map(|writer| (*writer, true));
    for (place, (writer, late)) in above.chain(below).enumerate() {
        // What a row reads of its own target is the row above; the last tick's value makes it a
        // state of its own.
        if late && context.relation(reader).targets.contains(&real) {
            break;
        }
        if place == MAX_VERSIONS {
            return false;
        }
        let kind = context.kind(writer);
        if !kind.instant {
            visit(Version { writer, real, late });
        }
        if kind.always {
            break;
        }
    }
    true
}

/// Reports the loops; for later checks, who reads whom.
pub(in crate::check) fn check(context: &mut Context<'_>) -> Reading {
    let versions = versions(context);
    let groups = groups(context, &versions);
    let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0_u32; n_groups];
    groups.iter().for_each(|group| sizes[*group as usize] += 1);
    let mut members: std::collections::BTreeMap<u32, Vec<RelationId>> =
        std::collections::BTreeMap::new();
    for (row, &group) in groups.iter().enumerate() {
        if sizes[group as usize] > 1 {
            members.entry(group).or_default().push(RelationId::new(row));
        }
    }
    let reading = Reading { versions, groups };
    if context.scan == Scan::Sequential {
        for rows in members.values() {
            report(context, &reading, rows);
        }
    }
    reading
}

fn versions(context: &mut Context<'_>) -> index::Lists<Version> {
    let mut lists = index::Lists::empty();
    let mut cut = vec![false; context.model.reals.len()];
    let mut list = Vec::new();
    for reader in (0..context.model.relations.len()).map(RelationId::new) {
        list.clear();
        let index = context.index;
        let computed = context.kind(reader).is_computed();
        let reads = index.reads.of(reader.index()).iter();
        for read in reads.filter(|read| computed && read.counts) {
            let complete = for_each_version(context, reader, read.of, |version| list.push(version));
            if !complete && !std::mem::replace(&mut cut[read.of.index()], true) {
                let model = context.model;
                context.leave_open(QUESTION, || model.reals[read.of.index()].name.clone());
            }
        }
        lists.push(list.iter().copied());
    }
    lists
}

/// Groups of computed rows that reach each other (Tarjan 1972, without recursion), in the order in
/// which they are finished: after those they read from.
fn groups(context: &Context<'_>, versions: &index::Lists<Version>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = versions.len();
    let (mut number, mut low) = (vec![NONE; n], vec![0_u32; n]);
    let mut group = vec![NONE; n];
    let (mut next, mut n_groups) = (0_u32, 0_u32);
    let mut stack: Vec<usize> = Vec::new();
    let mut calls: Vec<(usize, usize)> = Vec::new();
    for root in 0..n {
        if number[root] != NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some(call) = calls.last_mut() {
            let (row, edge) = *call;
            if edge == 0 {
                (number[row], low[row]) = (next, next);
                next += 1;
                stack.push(row);
            }
            if let Some(version) = versions.of(row).get(edge) {
                call.1 += 1;
                let to = version.writer.index();
                if !context.kind(version.writer).is_computed() {
                    continue;
                }
                if number[to] == NONE {
                    calls.push((to, 0));
                } else if group[to] == NONE {
                    low[row] = low[row].min(number[to]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[row]);
            }
            if low[row] == number[row] {
                while let Some(member) = stack.pop() {
                    group[member] = n_groups;
                    if member == row {
                        break;
                    }
                }
                n_groups += 1;
            }
        }
    }
    group
}

/// Reports one circle through the rows of a group that can act together, if there is one.
fn report(context: &mut Context<'_>, reading: &Reading, rows: &[RelationId]) {
    let mut tried: Vec<Vec<RelationId>> = Vec::new();
    let step = rows.len().div_ceil(MAX_CIRCLES);
    for &from in rows.iter().step_by(step) {
        let Some(circle) = shortest_circle(reading, from) else {
            continue;
        };
        let mut members: Vec<RelationId> = circle.iter().map(|(row, _)| *row).collect();
        members.sort_unstable();
        if tried.contains(&members) {
            continue;
        }
        tried.push(members);
        let model = context.model;
        let target = context.relation(from).targets[0];
        let name = || model.reals[target.index()].name.clone();
        let state = context.ask(QUESTION, name, |context| acts(context, &circle));
        if let Some(Some(state)) = state {
            context.report("C050", |context| algebraic_loop(context, &circle, &state));
            return;
        }
    }
}

/// The rows along a circle, each with what it reads of the next; found breadth first.
fn shortest_circle(reading: &Reading, from: RelationId) -> Option<Vec<(RelationId, Version)>> {
    let groups = &reading.groups;
    let group = groups[from.index()];
    let mut reached: std::collections::HashMap<RelationId, (RelationId, Version)> =
        std::collections::HashMap::new();
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(row) = open.pop_front() {
        for version in reading.versions.of(row.index()) {
            let to = version.writer;
            if groups[to.index()] != group || reached.contains_key(&to) {
                continue;
            }
            reached.insert(to, (row, *version));
            if to == from {
                let mut circle = Vec::new();
                let mut at = from;
                loop {
                    let (reader, version) = reached[&at];
                    circle.push((reader, version));
                    at = reader;
                    if at == from {
                        circle.reverse();
                        return Some(circle);
                    }
                }
            }
            open.push_back(to);
        }
    }
    None
}

/// A state in which all rows of the circle act and read each other.
fn acts(
    context: &mut Context<'_>,
    circle: &[(RelationId, Version)],
) -> Result<Option<State>, OverBudget> {
    // For each step the row that acts and, if it has a condition, the rows that must not.
    let mut rows: Vec<(RelationId, bool)> = Vec::new();
    for (reader, version) in circle {
        rows.push((*reader, true));
        let mut found = false;
        for_each_version(context, *reader, version.real, |other| {
            found |= other.writer == version.writer;
            if !found {
                rows.push((other.writer, false));
            }
        });
    }
    rows.retain(|(row, acts)| !(*acts && context.kind(*row).always));
    let ids: Vec<RelationId> = rows.iter().map(|(row, _)| *row).collect();
    let (mut scope, active) = activity::scope(context, View::Settled, &ids)?;
    let mut together = scope.no_event()?;
    for ((_, acts), active) in rows.iter().zip(&active) {
        together = if *acts {
            scope.and(&together, active)?
        } else {
            scope.and_not(&together, active)?
        };
    }
    scope.state(&together)
}

fn algebraic_loop(
    context: &Context<'_>,
    circle: &[(RelationId, Version)],
    state: &State,
) -> Diagnostic {
    // Along the flow of values, beginning with the row that stands first.
    let first = (0..circle.len())
        .min_by_key(|at| circle[*at].0)
        .unwrap_or_default();
    let mut flow: Vec<(RelationId, Version)> = circle.to_vec();
    flow.rotate_left(first);
    flow[1..].reverse();
    let target = |row: RelationId| context.real_name(context.relation(row).targets[0]);
    let mut names: Vec<&str> = flow.iter().map(|(row, _)| target(*row)).collect();
    if names.len() > MAX_NAMED {
        names.splice(MAX_NAMED - 1..names.len() - 1, ["..."]);
    }
    names.push(target(flow[0].0));
    let message = say!("check-algebraic-loop", names = names.join(" -> "));
    let mut diagnostic = Diagnostic::new("C050", Severity::Warning, message);
    let late = flow.iter().find(|(_, version)| version.late);
    if let Some((reader, version)) = late {
        let read = context.real_name(version.real);
        diagnostic = context.at(
            diagnostic,
            context.relation(*reader).origin,
            say!("check-algebraic-loop.label", read),
        );
        diagnostic = context.also(
            diagnostic,
            context.relation(version.writer).origin,
            say!("check-algebraic-loop.also", read),
        );
        diagnostic = diagnostic.with_note(say!(
            "check-algebraic-loop.note",
            reader = context.row_id(*reader),
            read,
            writer = context.row_id(version.writer)
        ));
    }
    let conditional = flow
        .iter()
        .any(|(row, _)| context.relation(*row).guard != Guard::Always);
    if conditional {
        diagnostic = context.shown(diagnostic, state);
    }
    diagnostic.with_help(say!("check-algebraic-loop.help"))
}
