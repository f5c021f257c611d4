//! Where rows of counts stand: what a row reads of `number(..)` is done before it.
//!
//! All rows that name the same condition share one count, whoever names it first: a range, or a row that is scanned
//! behind others. No condition turns while relations are scanned, so that one row in front of all readers serves them.

use std::collections::{HashMap, HashSet};

use crate::resolve::expand::index::each_name;
use crate::tree::{Expr, Guard, LiteralKind, Relation, Row, Value};

/// Moves rows that count in front of the first row that reads them; those that no row reads stand last.
pub(super) fn before_readers(
    rows: Vec<Row<Relation>>,
    counts: &HashSet<String>,
) -> Vec<Row<Relation>> {
    if counts.is_empty() {
        return rows;
    }
    let mut all = Vec::with_capacity(rows.len());
    let (made, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| {
        let mut targets = row.body.targets.iter();
        targets.all(|target| counts.contains(&target.value))
    });
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut waiting: Vec<Vec<Row<Relation>>> = Vec::new();
    for row in made {
        let name = row.body.targets.first().map(|target| target.value.clone());
        let place = *places
            .entry(name.unwrap_or_default())
            .or_insert(waiting.len());
        match waiting.get_mut(place) {
            Some(rows) => rows.push(row),
            None => waiting.push(vec![row]),
        }
    }
    for row in others {
        each_value(&row.body, &mut |value| {
            each_name(value, &mut |name| {
                if let Some(place) = places.remove(name) {
                    all.append(&mut waiting[place]);
                }
            });
        });
        all.push(row);
    }
    all.extend(waiting.into_iter().flatten());
    all
}

/// Calls `each` with every expression of a row.
fn each_value(row: &Relation, each: &mut impl FnMut(&Expr)) {
    let guards = match &row.guard {
        Guard::When(all) => std::slice::from_ref(all),
        Guard::Each(all) => all,
        Guard::Always | Guard::Otherwise(_) => &[],
    };
    for literal in guards.iter().flat_map(|all| &all.literals) {
        if let LiteralKind::Comparison(comparison) = &literal.kind {
            each(&comparison.left);
            each(&comparison.right);
        }
    }
    match &row.value {
        Value::Exprs(values) => values.iter().for_each(each),
        Value::Solve { equations, bounds } => {
            for equation in equations {
                each(&equation.left);
                each(&equation.right);
            }
            bounds
                .iter()
                .flat_map(|bounds| bounds.iter())
                .for_each(each);
        }
        // Elements have been written out.
        Value::Family(_) => {}
        Value::Columns {
            coef, args, coef2, ..
        } => {
            let coefs = coef.iter().chain(coef2).map(|coef| &**coef);
            coefs.chain(args).for_each(each);
        }
    }
}
