//! C051: rows that read a value above the row that computes it, where that gives the value of the
//! tick before.
//!
//! Not every such read is old: a value computed at the end of a tick from states that have not
//! moved since is as good as new, and tables are full of those. So for every computed row the first
//! place is found at which something it depends on, directly or over other computed rows, moves
//! within a tick; a read above the row is late if it stands below that place. Integrals are left
//! out: reading the last tick's rate is what explicit Euler is.

use std::collections::{BTreeMap, BTreeSet};

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Expr, Relation, Scan};
use situ_engine::procedure::Effect;
use situ_words::say;

use super::loops::{Reading, Version};
use crate::check::{Context, index};
use crate::diag::{Diagnostic, Severity};

/// So many literals of two conditions are compared.
const MAX_COMPARED: usize = 16;
/// Nothing that a row depends on moves.
const NEVER: usize = usize::MAX;

/// Reports late reads, and returns them: readers with the rows that compute what they read.
pub(in crate::check) fn check(
    context: &mut Context<'_>,
    reading: &Reading,
) -> BTreeSet<(RelationId, RelationId)> {
    if context.scan == Scan::Simultaneous {
        return BTreeSet::new();
    }
    let moves = first_moves(context, reading);
    let group = |row: RelationId| reading.groups[row.index()];
    // Late reads by real, in the order of the rows that compute it.
    let mut late: BTreeMap<(RelationId, RealId), Vec<RelationId>> = BTreeMap::new();
    for reader in (0..context.model.relations.len()).map(RelationId::new) {
        let versions = reading.versions.of(reader.index());
        for all in versions.chunk_by(|a, b| a.real == b.real) {
            let &[
                Version {
                    writer,
                    real,
                    late: true,
                },
            ] = all
            else {
                continue;
            };
            let old = context.kind(writer).is_computed()
                && group(writer) != group(reader)
                && moves[group(writer) as usize] <= reader.index()
                && act_together(context, reader, writer);
            if old {
                late.entry((writer, real)).or_default().push(reader);
            }
        }
    }
    let mut told = BTreeSet::new();
    for ((writer, real), readers) in late {
        told.extend(readers.iter().map(|reader| (*reader, writer)));
        context.report("C051", |context| late_read(context, real, writer, &readers));
    }
    told
}

/// For each group of rows the first place in a tick at which something it depends on moves: 0 for
/// `time`, one more than the number of the row that writes a state.
fn first_moves(context: &Context<'_>, reading: &Reading) -> Vec<usize> {
    let groups = &reading.groups;
    let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut order: Vec<u32> = vec![0; groups.len()];
    let mut next = vec![0_usize; n_groups + 1];
    groups
        .iter()
        .for_each(|group| next[*group as usize + 1] += 1);
    for group in 0..n_groups {
        next[group + 1] += next[group];
    }
    for (row, group) in (0..).zip(groups) {
        order[next[*group as usize]] = row;
        next[*group as usize] += 1;
    }
    let mut moves = vec![NEVER; n_groups];
    for row in order.into_iter().map(RelationId) {
        if !context.kind(row).is_computed() {
            continue;
        }
        let mut first = if reads_time(context, context.relation(row)) {
            0
        } else {
            NEVER
        };
        for version in reading.versions.of(row.index()) {
            let kind = context.kind(version.writer);
            first = first.min(if kind.is_computed() {
                moves[groups[version.writer.index()] as usize]
            } else if kind.effect == Effect::Updates {
                version.writer.index() + 1
            } else {
                NEVER
            });
        }
        let group = groups[row.index()] as usize;
        moves[group] = moves[group].min(first);
    }
    moves
}

fn reads_time(context: &Context<'_>, relation: &Relation) -> bool {
    let mut found = relation.procedure.reads_time();
    for argument in &relation.args {
        if let Argument::Real(expr) = argument {
            let visit = |_, node: &Expr| found |= node.reads_time();
            context.model.exprs.visit(*expr, visit);
        }
    }
    found
}

/// False if it is plain that the two rows never act in the same tick: then what is read is what the
/// other left behind, and not late.
pub(super) fn act_together(context: &Context<'_>, reader: RelationId, writer: RelationId) -> bool {
    let all = |id| index::condition(context.relation(id));
    match (all(reader), all(writer)) {
        (Some(one), Some(other)) => {
            let other = &other[..other.len().min(MAX_COMPARED)];
            let opposite = |literal: &situ_engine::model::Literal| other.contains(&!*literal);
            one.len() > MAX_COMPARED || !one.iter().any(opposite)
        }
        _ => true,
    }
}

fn late_read(
    context: &Context<'_>,
    real: RealId,
    writer: RelationId,
    readers: &[RelationId],
) -> Diagnostic {
    let real = context.real_name(real);
    let by = context.row_id(writer);
    let verb = if readers.len() == 1 { "reads" } else { "read" };
    let message = say!(
        "check-late-read",
        readers = context.rows(readers),
        verb,
        real,
        by
    );
    let mut diagnostic = Diagnostic::new("C051", Severity::Note, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(readers[0]).origin,
        say!("check-late-read.label", real),
    );
    diagnostic = context.also(
        diagnostic,
        context.relation(writer).origin,
        say!("check-late-read.also-computes", real),
    );
    for reader in &readers[1..] {
        let origin = context.relation(*reader).origin;
        diagnostic = context.also(diagnostic, origin, say!("check-reads-too"));
    }
    diagnostic = diagnostic.with_note(say!("check-late-read.note"));
    let between = readers[0].index() + 1..writer.index();
    let free = context.index.reads.of(writer.index()).iter().all(|read| {
        let writers = context.index.writers.of(read.of.index());
        !writers.iter().any(|row| between.contains(&row.index()))
    });
    if free {
        diagnostic.with_help(say!(
            "check-late-read.help-if-tick",
            by,
            readers = context.row_id(readers[0])
        ))
    } else {
        diagnostic.with_help(say!(
            "check-late-read.help-if-tick-2",
            real,
            readers = context.row_id(readers[0])
        ))
    }
}
