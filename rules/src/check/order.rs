//! C051: rows that read a value above the row that computes it, where that gives the value of the
//! tick before.
//!
//! Not every such read is old: a value computed at the end of a tick from states that have not
//! moved since is as good as new, and tables are full of those. So for every computed row the first
//! place is found at which something it depends on, directly or over other computed rows, moves
//! within a tick; a read above the row is late if it stands below that place. Integrals are left
//! out: reading the last tick's rate is what explicit Euler is.

use situ_engine::ids::RelationId;
use situ_engine::model::{Argument, Expr, Relation, Scan};
use situ_engine::procedure::ALL;

use super::Context;
use super::index::{self, Effect};
use super::loops::{self, Version};
use crate::diag::{Diagnostic, Severity};

/// Nothing that a row depends on moves.
const NEVER: usize = usize::MAX;

/// Reports late reads; `groups` as [`loops::check`] returns them.
pub(super) fn check(context: &mut Context<'_>, groups: &[u32]) {
    if context.scan == Scan::Simultaneous {
        return;
    }
    let moves = first_moves(context, groups);
    // Late reads by real, in the order of the rows that compute it.
    let mut late: std::collections::BTreeMap<(RelationId, u32), Vec<RelationId>> =
        std::collections::BTreeMap::new();
    for reader in (0..context.model.relations.len()).map(RelationId::new) {
        if !loops::is_computed(context, reader) {
            continue;
        }
        for read in context.index.reads.of(reader.index()) {
            if !read.counts {
                continue;
            }
            let (versions, _) = loops::versions(context, reader, read.of);
            let [
                Version {
                    writer, late: true, ..
                },
            ] = versions[..]
            else {
                continue;
            };
            let old = loops::is_computed(context, writer)
                && groups[writer.index()] != groups[reader.index()]
                && moves[groups[writer.index()] as usize] <= reader.index()
                && act_together(context, reader, writer);
            if old {
                late.entry((writer, read.of.0)).or_default().push(reader);
            }
        }
    }
    for ((writer, real), readers) in late {
        let real = situ_engine::ids::RealId(real);
        let diagnostic = late_read(context, context.real_name(real), writer, &readers);
        context.report(diagnostic);
    }
}

/// For each group of rows the first place in a tick at which something it depends on moves: 0 for
/// `time`, one more than the number of the row that writes a state.
fn first_moves(context: &Context<'_>, groups: &[u32]) -> Vec<usize> {
    let sources: Vec<bool> = ALL.iter().map(|procedure| procedure.reads_time()).collect();
    let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
    // The rows in the order of their groups: a group stands after those it reads from.
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|row| groups[*row]);
    let mut moves = vec![NEVER; n_groups];
    for row in order {
        let id = RelationId::new(row);
        if !loops::is_computed(context, id) {
            continue;
        }
        let mut first = if reads_time(context, context.relation(id), &sources) {
            0
        } else {
            NEVER
        };
        for read in context.index.reads.of(row) {
            if !read.counts {
                continue;
            }
            for version in loops::versions(context, id, read.of).0 {
                first = first.min(if loops::is_computed(context, version.writer) {
                    moves[groups[version.writer.index()] as usize]
                } else if index::effect(context.relation(version.writer)) == Effect::Updates {
                    version.writer.index() + 1
                } else {
                    NEVER
                });
            }
        }
        let group = groups[row] as usize;
        moves[group] = moves[group].min(first);
    }
    moves
}

fn reads_time(context: &Context<'_>, relation: &Relation, sources: &[bool]) -> bool {
    let is_source = |procedure: situ_engine::procedure::ProcedureId| sources[procedure.index()];
    let mut found = is_source(relation.procedure);
    for argument in &relation.args {
        if let Argument::Real(expr) = argument {
            context.model.exprs.visit(*expr, |_, node| match node {
                Expr::Time => found = true,
                Expr::Call(procedure, _) => found |= is_source(*procedure),
                _ => {}
            });
        }
    }
    found
}

/// False if it is plain that the two rows never act in the same tick: then what is read is what the
/// other left behind, and not late.
fn act_together(context: &Context<'_>, reader: RelationId, writer: RelationId) -> bool {
    let all = |id| index::condition(context.relation(id));
    match (all(reader), all(writer)) {
        (Some(one), Some(other)) => {
            let opposite = |literal: &situ_engine::model::Literal| other.contains(&!*literal);
            one.is_empty() || other.is_empty() || !one.iter().any(opposite)
        }
        _ => true,
    }
}

fn late_read(
    context: &Context<'_>,
    real: &str,
    writer: RelationId,
    readers: &[RelationId],
) -> Diagnostic {
    let by = context.row_id(writer);
    let verb = if readers.len() == 1 { "reads" } else { "read" };
    let message = format!(
        "{} {verb} `{real}` above row `{by}`, which computes it",
        context.rows(readers)
    );
    let mut diagnostic = Diagnostic::new("C051", Severity::Note, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(readers[0]).origin,
        format!("reads `{real}` of the tick before"),
    );
    diagnostic = context.also(
        diagnostic,
        context.relation(writer).origin,
        format!("computes `{real}`"),
    );
    for reader in &readers[1..] {
        let origin = context.relation(*reader).origin;
        diagnostic = context.also(diagnostic, origin, "reads it too");
    }
    diagnostic = diagnostic.with_note("what it is computed from has changed in between");
    let between = readers[0].index() + 1..writer.index();
    let free = context.index.reads.of(writer.index()).iter().all(|read| {
        let writers = context.index.writers.of(read.of.index());
        !writers.iter().any(|row| between.contains(&row.index()))
    });
    if free {
        diagnostic.with_help(format!(
            "if this tick's value is meant, place row `{by}` above row `{}`",
            context.row_id(readers[0])
        ))
    } else {
        diagnostic.with_help(format!(
            "if this tick's value is meant, place the rows that compute `{real}` above row `{}`",
            context.row_id(readers[0])
        ))
    }
}
