//! The table of a part, written out by itself.

use std::borrow::Cow;

use super::super::families::{Family, Kind};
use super::super::{Expander, written_out};
use crate::resolve::extends::merge;
use crate::resolve::{machines, scheme};
use crate::source::Span;
use crate::tree::{Expr, ExprKind, Setting, SettingValue, Table};

/// A table that is written out, and what rows around it may count over.
pub(super) struct Flat {
    /// Without clock, cases and expectations: these are of the outer table.
    pub(super) table: Table,
    /// Inputs of the parts in [`Table::parts`].
    pub(super) part_inputs: Vec<Vec<String>>,
    /// The constants that decided its shape, with the values that they had.
    pub(super) shape: Vec<(String, f64)>,
    pub(super) families: Vec<(String, Family)>,
}

impl Flat {
    pub(super) fn n_rows(&self) -> u64 {
        let table = &self.table;
        let quantities = table.constants.len() + table.reals.len() + table.switches.len();
        let conditions = table.ranges.len() + table.situations.len() + table.assignments.len();
        let rows = table.relations.iter().map(|row| row.body.targets.len());
        let rows = rows.sum::<usize>() + table.scheme.reactions.len();
        (quantities + conditions + rows) as u64
    }

    /// The names that are no elements of a family.
    pub(super) fn names(&self) -> impl Iterator<Item = (Cow<'_, str>, Kind)> {
        let table = &self.table;
        let constants = table
            .constants
            .iter()
            .map(|one| (&one.name, Kind::Constant));
        let reals = table.reals.iter().map(|one| (&one.name, Kind::Real));
        let switches = table.switches.iter().map(|one| (&one.name, Kind::Switch));
        let ranges = table.ranges.iter().map(|row| (&row.body.name, Kind::Range));
        let situations = table.situations.iter().map(|row| match row.body.event {
            true => (&row.body.name, Kind::Event),
            false => (&row.body.name, Kind::Situation),
        });
        let all = constants.chain(reals).chain(switches).chain(ranges);
        let mut before = "";
        let named = all.chain(situations).filter_map(move |(name, kind)| {
            let name = name.value.as_str();
            // Rows of one situation mostly stand next to each other.
            let new = !name.contains('[') && std::mem::replace(&mut before, name) != name;
            new.then_some((Cow::Borrowed(name), kind))
        });
        let rates = scheme::rates(&table.scheme.reactions);
        let rates = rates.filter(|name| !name.contains('['));
        named.chain(rates.map(|name| (Cow::Owned(name), Kind::Real)))
    }
}

/// Writes a part's table out with one of its cases, and with other numbers for constants; `None` if it has mistakes.
pub(super) fn flatten(
    tables: &[Table],
    case: Option<&str>,
    numbers: &[(String, f64)],
) -> Option<Flat> {
    let mut reported = Vec::new();
    let with_machines = machines::expand(tables, &mut reported);
    let all = with_machines.as_deref().unwrap_or(tables);
    let mut merged = merge(all, &mut reported);
    let case = case.and_then(|name| merged.cases.iter().find(|case| case.name.value == name));
    let case = case.copied();
    let span = tables.last()?.span;
    let values: Vec<Expr> = numbers
        .iter()
        .map(|(_, value)| number(*value, span))
        .collect();
    for constant in &mut merged.constants {
        let name = &constant.name.value;
        let set = case.into_iter().flat_map(|case| &case.set).rev();
        let mut set = set.filter(|setting| setting.name.value == *name);
        if let Some(Setting {
            value: SettingValue::Expr(value),
            ..
        }) = set.next()
        {
            constant.start = Some(value);
        }
        if let Some(at) = numbers.iter().rposition(|(known, _)| known == name) {
            constant.start = Some(&values[at]);
        }
    }
    let expander = Expander {
        numbers: numbers.to_vec(),
        ..Expander::default()
    };
    let (expanded, families) = written_out(expander, all, &merged, &mut reported).ok()?;
    let mut table = expanded.table;
    table
        .machines
        .extend(machines::machines(tables).into_iter().cloned());
    let cases = std::mem::take(&mut table.cases);
    if let Some(case) = cases
        .iter()
        .find(|one| Some(&one.name.value) == case.map(|case| &case.name.value))
    {
        for setting in &case.set {
            // What is no such value has been reported.
            _ = settle(&mut table, &setting.name.value, &setting.value);
        }
    }
    table.expect = Vec::new();
    Some(Flat {
        table,
        part_inputs: expanded.part_inputs,
        shape: expanded.shape,
        families,
    })
}

/// Why a value cannot be given from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsettled {
    /// There is no constant, real or switch of that name.
    Unknown,
    /// A number is needed.
    WantsNumber,
    /// A truth value is needed.
    WantsTruth,
}

/// Gives a constant, a real or a switch another start. A machine of which a state is set true begins in that one.
pub(crate) fn settle(table: &mut Table, name: &str, value: &SettingValue) -> Result<(), Unsettled> {
    let mut quantities = table.constants.iter_mut().chain(&mut table.reals);
    if let Some(quantity) = quantities.find(|one| one.name.value == name) {
        let SettingValue::Expr(value) = value else {
            return Err(Unsettled::WantsNumber);
        };
        quantity.start = Some(value.clone());
        return Ok(());
    }
    let mut switches = table.switches.iter_mut();
    let switch = switches.find(|one| one.name.value == name);
    let switch = switch.ok_or(Unsettled::Unknown)?;
    let SettingValue::Bool(value) = value else {
        return Err(Unsettled::WantsTruth);
    };
    switch.start = Some(value.clone());
    if value.value {
        let mut machines = table.machines.iter();
        let machine =
            machines.find(|machine| machines::states_of(machine).any(|state| state == name));
        let others: Vec<String> = machine.into_iter().flat_map(machines::states_of).collect();
        for switch in &mut table.switches {
            let other = switch.name.value != name && others.contains(&switch.name.value);
            if let Some(start) = switch.start.as_mut().filter(|_| other) {
                start.value = false;
            }
        }
    }
    Ok(())
}

fn number(value: f64, span: Span) -> Expr {
    let expr = |kind| Expr { span, kind };
    match value < 0.0 {
        true => expr(ExprKind::Neg(Box::new(expr(ExprKind::Number(-value))))),
        false => expr(ExprKind::Number(value)),
    }
}
