//! C054: ranges that see a value one microstep late.
//!
//! A microstep is a tick of no length (FORMALISM 10.1): its rows go in written order. A row above the one that makes a
//! value jump still gives what follows from the value before, and a range that looks at it turns in the next microstep
//! only, as in ticks in the next tick. Values that move in time alone do not jump, so that nothing is late there.

use std::collections::{BTreeMap, BTreeSet};

use situ_engine::ids::{RangeId, RealId, RelationId};
use situ_engine::model::{Expr, Guard, Scan};
use situ_words::say;

use super::loops::{Reading, Version};
use super::order::act_together;
use crate::check::Context;
use crate::diag::{Diagnostic, Severity};

/// Reports them, but for reads of which C051 tells that they are a tick late.
pub(in crate::check) fn check(
    context: &mut Context<'_>,
    reading: &Reading,
    told: &BTreeSet<(RelationId, RelationId)>,
) {
    if context.scan == Scan::Simultaneous {
        return;
    }
    let seen = seen_by_ranges(context);
    let jumps = jumping_groups(context, reading);
    let group = |row: RelationId| reading.groups[row.index()] as usize;
    let mut late: BTreeMap<(RelationId, RealId), Vec<RelationId>> = BTreeMap::new();
    for reader in (0..context.model.relations.len()).map(RelationId::new) {
        let targets = context.relation(reader).targets.iter();
        if !context.kind(reader).is_computed()
            || !targets.clone().any(|real| seen.contains_key(real))
        {
            continue;
        }
        let computed = reading.versions.of(reader.index()).iter();
        let computed = computed.filter(|version| {
            version.late
                && context.kind(version.writer).is_computed()
                && group(version.writer) != group(reader)
                && jumps[group(version.writer)]
        });
        let reads = context.index.reads.of(reader.index()).iter();
        let set = reads.filter(|read| read.counts).flat_map(|read| {
            let writers = context.index.writers.of(read.of.index()).iter();
            let below =
                writers.filter(|writer| **writer > reader && context.kind(**writer).instant);
            below.map(|writer| (*writer, read.of))
        });
        for (writer, real) in computed
            .map(|&Version { writer, real, .. }| (writer, real))
            .chain(set)
        {
            if !told.contains(&(reader, writer)) && act_together(context, reader, writer) {
                late.entry((writer, real)).or_default().push(reader);
            }
        }
    }
    for ((writer, real), readers) in late {
        let targets = &context.relation(readers[0]).targets;
        if let Some(range) = targets.iter().find_map(|real| seen.get(real)).copied() {
            context.report("C054", |context| {
                lag(context, real, writer, &readers, range)
            });
        }
    }
}

/// Reals on which a range depends within an instant, each with one that does.
fn seen_by_ranges(context: &Context<'_>) -> BTreeMap<RealId, RangeId> {
    let mut open: Vec<(RealId, RangeId)> = Vec::new();
    for (number, range) in context.model.ranges.iter().enumerate() {
        for comparison in &range.all {
            for side in [comparison.left, comparison.right] {
                context.model.exprs.visit(side, |_, node| {
                    if let Expr::Real(real) = node {
                        open.push((*real, RangeId::new(number)));
                    }
                });
            }
        }
    }
    let mut seen = BTreeMap::new();
    while let Some((real, range)) = open.pop() {
        if seen.contains_key(&real) {
            continue;
        }
        seen.insert(real, range);
        for &row in context.index.writers.of(real.index()) {
            if context.kind(row).is_computed() {
                let reads = context.index.reads.of(row.index()).iter();
                open.extend(reads.map(|read| (read.of, range)));
            }
        }
    }
    seen
}

/// Per group of rows whether what it computes jumps: by its own condition, or since something that it follows from is
/// set at an event. A group stands after those it reads from.
fn jumping_groups(context: &Context<'_>, reading: &Reading) -> Vec<bool> {
    let groups = &reading.groups;
    let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut order: Vec<RelationId> = (0..groups.len()).map(RelationId::new).collect();
    order.sort_by_key(|row| groups[row.index()]);
    let mut jumps = vec![false; n_groups];
    for row in order {
        let is_set = |real: RealId| {
            let mut writers = context.index.writers.of(real.index()).iter();
            writers.any(|writer| context.kind(*writer).instant)
        };
        let mut reads = context.index.reads.of(row.index()).iter();
        let mut versions = reading.versions.of(row.index()).iter();
        let jumps_here = !matches!(context.relation(row).guard, Guard::Always)
            || reads.any(|read| read.counts && is_set(read.of))
            || versions.any(|version| {
                context.kind(version.writer).is_computed()
                    && jumps[groups[version.writer.index()] as usize]
            });
        jumps[groups[row.index()] as usize] |= context.kind(row).is_computed() && jumps_here;
    }
    jumps
}

fn lag(
    context: &Context<'_>,
    real: RealId,
    writer: RelationId,
    readers: &[RelationId],
    range: RangeId,
) -> Diagnostic {
    let range = &context.model.ranges[range.index()];
    let (name, by) = (context.real_name(real), context.row_id(writer));
    let message = say!("check-lag", range = range.name, name);
    let mut diagnostic = Diagnostic::new("C054", Severity::Note, message);
    for (at, reader) in readers.iter().enumerate() {
        let origin = context.relation(*reader).origin;
        diagnostic = match at {
            0 => context.at(diagnostic, origin, say!("check-lag.label", name)),
            _ => context.also(diagnostic, origin, say!("check-reads-too")),
        };
    }
    let origin = context.relation(writer).origin;
    diagnostic = context.also(diagnostic, origin, say!("check-lag.also-makes-jump", name));
    diagnostic = context.also(diagnostic, range.origin, say!("check-lag.also-looks-what"));
    diagnostic.with_help(say!(
        "check-lag.help",
        by,
        readers = context.row_id(readers[0])
    ))
}
