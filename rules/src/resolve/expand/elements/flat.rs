//! Tables written out for people to read.

use super::super::{Expander, has_families, written_out};
use crate::resolve::{extends, machines, scheme};
use crate::tree::Table;

/// A table written out.
#[derive(Debug)]
pub struct Flat {
    /// The table.
    pub table: Table,
    /// Its cases that have another number of elements: they are not in it.
    pub left_out: Vec<String>,
}

/// The table as it is written out, for people to read; `None` if it has neither a base, families, parts,
/// machines nor reactions, or mistakes.
pub fn flat(tables: &[Table]) -> Option<Flat> {
    let with_machines = machines::expand(tables, &mut Vec::new());
    let has_machines = with_machines.is_some();
    let tables = with_machines.as_deref().unwrap_or(tables);
    let merged = extends::merge(tables, &mut Vec::new());
    let mut expander = Expander {
        for_people: true,
        ..Expander::default()
    };
    let expanded = match has_families(tables) {
        true => {
            written_out(expander, tables, &merged, &mut Vec::new())
                .ok()?
                .0
        }
        false if merged.scheme.reactions.is_empty() && !has_machines && tables.len() == 1 => {
            return None;
        }
        false => expander.write_out(tables, &merged),
    };
    let mut clocks = expanded.clocks;
    let mut table = expanded.table;
    table.clock = clocks.pop();
    // What a later clock does not say, an earlier one does.
    for earlier in clocks.into_iter().rev() {
        let clock = table.clock.get_or_insert_default();
        let known: Vec<&str> = clock
            .settings
            .iter()
            .map(|(setting, _)| setting.name)
            .collect();
        let more = earlier.settings.into_iter();
        let more: Vec<_> = more
            .filter(|(setting, _)| !known.contains(&setting.name))
            .collect();
        clock.settings.extend(more);
        clock.start = clock.start.take().or(earlier.start);
    }
    let stages = {
        let merged = extends::merge(std::slice::from_ref(&table), &mut Vec::new());
        let stages = scheme::expand(&merged, &table, &mut Vec::new());
        stages.map(|stages| stages.table)
    };
    if let Some(rows) = stages {
        table.reals.extend(rows.reals);
        table.relations.extend(rows.relations);
        table.scheme = crate::tree::Scheme::default();
    }
    Some(Flat {
        table,
        left_out: expanded.left_out,
    })
}
