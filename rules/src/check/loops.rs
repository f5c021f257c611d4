//! C050: algebraic loops, rows that need each other's result within one tick.
//!
//! Rows are joined to the rows whose values they read: the nearest active writer above, or else the
//! last one below, whose value is a tick old. Integrals and everything else with a memory break a
//! circle, and so does a coefficient that is 0.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Guard, Scan};

use super::budget::OverBudget;
use super::index::{self, Effect};
use super::logic::scope::{Scope, View};
use super::logic::state::State;
use super::{Context, conflicts};
use crate::diag::{Diagnostic, Severity};

const QUESTION: &str = "algebraic loops";
/// So many writers of one real are followed.
const MAX_VERSIONS: usize = 16;
/// So many circles of one group of rows are tried.
const MAX_CIRCLES: usize = 8;
/// So many rows of a circle are named.
const MAX_NAMED: usize = 12;

/// A row whose value another row may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Version {
    pub(super) writer: RelationId,
    /// What is read, by its place among the reads of the reader.
    pub(super) real: RealId,
    /// The writer stands below the reader, so that the value is a tick old.
    pub(super) late: bool,
}

/// The rows whose value of `real` a relation may read, nearest first; rows at events are left out.
/// The second value is false if there are too many.
pub(super) fn versions(
    context: &Context<'_>,
    reader: RelationId,
    real: RealId,
) -> (Vec<Version>, bool) {
    let writers = context.index.writers.of(real.index());
    let split = writers.partition_point(|writer| *writer < reader);
    let above = writers[..split].iter().rev().map(|writer| (*writer, false));
    let below = writers[split..].iter().rev().map(|writer| (*writer, true));
    let mut found = Vec::new();
    for (writer, late) in above.chain(below) {
        // What a row reads of its own target is the row above; the last tick's value makes it a
        // state of its own.
        if late && context.relation(reader).targets.contains(&real) {
            break;
        }
        if found.len() == MAX_VERSIONS {
            return (found, false);
        }
        if !context.is_instant(writer) {
            found.push(Version { writer, real, late });
        }
        if index::is_always(context.relation(writer)) {
            break;
        }
    }
    (found, true)
}

/// Whether a relation computes its value afresh from what it reads.
pub(super) fn is_computed(context: &Context<'_>, id: RelationId) -> bool {
    index::effect(context.relation(id)) == Effect::Assigns && !context.is_instant(id)
}

/// Reports the loops; for each relation the number of the group of rows that need each other, rows
/// that need nobody being a group of their own.
pub(super) fn check(context: &mut Context<'_>) -> Vec<u32> {
    let edges = edges(context);
    let groups = groups(&edges);
    let mut members: Vec<Vec<RelationId>> = Vec::new();
    let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0_u32; n_groups];
    groups.iter().for_each(|group| sizes[*group as usize] += 1);
    let mut place = vec![usize::MAX; n_groups];
    for (row, group) in groups.iter().enumerate() {
        let group = *group as usize;
        if sizes[group] < 2 {
            continue;
        }
        if place[group] == usize::MAX {
            place[group] = members.len();
            members.push(Vec::new());
        }
        members[place[group]].push(RelationId::new(row));
    }
    if context.scan == Scan::Sequential {
        for rows in members {
            report(context, &edges, &groups, &rows);
        }
    }
    groups
}

/// For each relation that is computed afresh the computed rows that it may read.
fn edges(context: &mut Context<'_>) -> index::Lists<Version> {
    let mut pairs = Vec::new();
    let mut cut = vec![false; context.model.reals.len()];
    for reader in (0..context.model.relations.len()).map(RelationId::new) {
        if !is_computed(context, reader) {
            continue;
        }
        for read in context.index.reads.of(reader.index()) {
            if !read.counts {
                continue;
            }
            let (versions, complete) = versions(context, reader, read.of);
            if !complete && !std::mem::replace(&mut cut[read.of.index()], true) {
                context.leave_open(QUESTION, context.real_name(read.of));
            }
            let computed = versions
                .into_iter()
                .filter(|version| is_computed(context, version.writer));
            pairs.extend(computed.map(|version| (reader.index(), version)));
        }
    }
    index::Lists::new(context.model.relations.len(), &pairs)
}

/// Groups of rows that reach each other (Tarjan 1972, without recursion). Groups are numbered so
/// that a row's group is not below the groups it reads from.
fn groups(edges: &index::Lists<Version>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = edges.len();
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
            if let Some(version) = edges.of(row).get(edge) {
                call.1 += 1;
                let to = version.writer.index();
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
fn report(
    context: &mut Context<'_>,
    edges: &index::Lists<Version>,
    groups: &[u32],
    rows: &[RelationId],
) {
    let mut tried: Vec<Vec<RelationId>> = Vec::new();
    let step = rows.len().div_ceil(MAX_CIRCLES);
    for &from in rows.iter().step_by(step) {
        let Some(circle) = shortest_circle(edges, groups, from) else {
            continue;
        };
        let mut members: Vec<RelationId> = circle.iter().map(|(row, _)| *row).collect();
        members.sort_unstable();
        if tried.contains(&members) {
            continue;
        }
        tried.push(members);
        let name = || {
            context
                .real_name(context.relation(from).targets[0])
                .to_owned()
        };
        let name = name();
        let state = context.ask(QUESTION, || name, |context| acts(context, &circle));
        if let Some(Some(state)) = state {
            let diagnostic = algebraic_loop(context, &circle, &state);
            context.report(diagnostic);
            return;
        }
    }
}

/// The rows along a circle, each with what it reads of the next; found breadth first.
fn shortest_circle(
    edges: &index::Lists<Version>,
    groups: &[u32],
    from: RelationId,
) -> Option<Vec<(RelationId, Version)>> {
    let group = groups[from.index()];
    let mut reached: std::collections::HashMap<RelationId, (RelationId, Version)> =
        std::collections::HashMap::new();
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(row) = open.pop_front() {
        for version in edges.of(row.index()) {
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
    let mut rows: Vec<RelationId> = Vec::new();
    // For each step the rows that would be read instead.
    let mut nearer: Vec<Vec<RelationId>> = Vec::new();
    for (reader, version) in circle {
        let (all, _) = versions(context, *reader, version.real);
        let before = all
            .iter()
            .take_while(|other| other.writer != version.writer)
            .map(|other| other.writer);
        nearer.push(before.collect());
        rows.push(*reader);
    }
    let mut all = rows.clone();
    all.extend(nearer.iter().flatten());
    let guards = conflicts::guards(context, &all);
    let booleans = context.booleans(&all);
    let mut scope = Scope::new(
        context.conditions,
        View::Settled,
        booleans,
        &mut context.work,
    )?;
    let active = conflicts::active(&mut scope, &guards)?;
    let mut together = scope.no_event()?;
    let (acting, instead) = active.split_at(rows.len());
    for row in acting {
        together = scope.and(&together, row)?;
    }
    for row in instead {
        together = scope.and_not(&together, row)?;
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
    let message = format!("algebraic loop: {}", names.join(" -> "));
    let mut diagnostic = Diagnostic::new("C050", Severity::Warning, message);
    let late = flow.iter().find(|(_, version)| version.late);
    if let Some((reader, version)) = late {
        let read = context.real_name(version.real);
        diagnostic = context.at(
            diagnostic,
            context.relation(*reader).origin,
            format!("reads `{read}` of the tick before"),
        );
        diagnostic = context.also(
            diagnostic,
            context.relation(version.writer).origin,
            format!("computes `{read}`"),
        );
        diagnostic = diagnostic.with_note(format!(
            "a tick run goes round once a tick: row `{}` reads `{read}` before row `{}` writes it",
            context.row_id(*reader),
            context.row_id(version.writer)
        ));
    }
    let conditional = flow
        .iter()
        .any(|(row, _)| context.relation(*row).guard != Guard::Always);
    if conditional {
        diagnostic = diagnostic.with_note(format!(
            "for example with {}",
            state.describe(context.model)
        ));
    }
    diagnostic.with_help(
        "solve the rows for one of them by hand, or see that a smaller step does not change the result",
    )
}
