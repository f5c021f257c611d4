//! A path of a decision diagram becomes a state with numbers in it.

use std::collections::BTreeSet;

use biodivine_lib_bdd::BddPartialValuation;
use situ_engine::model::{Boolean, Expr, Model};
use smallvec::SmallVec;

use situ_words::say;

use super::atoms::Atom;
use super::borders::QuantityId;
use super::linear::{self, Inequality, Solution};
use super::scope::Scope;
use super::terms::Unknown;
use super::witness::Witness;
use crate::check::budget::OverBudget;
use crate::check::text;
use crate::print;

/// A state of a model, as far as one question is about it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::check) struct State {
    /// Values, in the order of their mention.
    pub(in crate::check) values: Vec<(Value, f64)>,
    /// Switches and events with their truth.
    pub(in crate::check) booleans: Vec<(Boolean, bool)>,
    /// True if every such state has a quantity exactly on a border.
    pub(in crate::check) on_border: bool,
}

/// Item that has a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::check) enum Value {
    Unknown(Unknown),
    /// An expression that is not linear.
    Expr(situ_engine::ids::ExprId),
}

impl State {
    /// `h = 29, Vy = 0, on, not stuck`; empty if any state will do.
    pub(in crate::check) fn describe(&self, model: &Model) -> String {
        let values = self.values.iter().map(|(value, number)| {
            let name = match value {
                Value::Unknown(Unknown::Real(id)) => model.reals[id.index()].name.clone(),
                Value::Unknown(Unknown::Constant(id)) => model.constants[id.index()].name.clone(),
                Value::Unknown(Unknown::Time | Unknown::Opaque(_)) => "time".to_owned(),
                Value::Expr(expr) => text::expression(model, *expr),
            };
            format!("{name} = {}", print::number(*number))
        });
        let booleans = self.booleans.iter().map(|&(what, truth)| {
            let name = text::boolean(model, what);
            match truth {
                true => name,
                false => say!("check-not", name),
            }
        });
        values.chain(booleans).collect::<Vec<String>>().join(", ")
    }
}

/// Why there are no numbers for a path.
pub(super) enum NoNumbers {
    /// These of its sides contradict each other, or no state was found that has them all.
    Contradiction(BddPartialValuation),
    /// There are too many of them to tell.
    TooMany,
}

/// Numbers and truths for a path.
pub(super) fn find(
    scope: &mut Scope<'_, '_>,
    path: &BddPartialValuation,
) -> Result<State, NoNumbers> {
    let mut groups = groups(scope, path);
    for group in &mut groups {
        let wanted: Vec<f64> = group
            .unknowns
            .iter()
            .map(|&(_, unknown)| start_value(scope, unknown))
            .collect();
        let inequalities = group.sides.iter().map(|side| side.inequality.clone());
        group.numbers = match linear::solve(inequalities.collect(), &wanted) {
            Solution::Numbers(numbers) => numbers,
            Solution::TooMany => return Err(NoNumbers::TooMany),
            Solution::None => {
                let clause = clause(scope, group.sides.iter());
                return Err(NoNumbers::Contradiction(clause));
            }
        };
    }
    have_a_state(scope, &mut groups)?;
    let mut values: Vec<(usize, Value, f64)> = Vec::new();
    for group in &groups {
        for (&(at, unknown), &number) in group.unknowns.iter().zip(&group.numbers) {
            let value = match unknown {
                Unknown::Opaque(number) => {
                    Value::Expr(scope.conditions.borders.opaque_expr(number))
                }
                other => Value::Unknown(other),
            };
            values.push((at, value, number));
        }
    }
    values.sort_by_key(|(at, ..)| *at);
    let booleans = scope.atoms.iter().filter_map(|&atom| {
        let what = match atom {
            Atom::Switch(id) | Atom::SwitchAfter(id) => Boolean::Switch(id),
            Atom::Event(id) => Boolean::Situation(id),
            Atom::Schedule(id) => Boolean::Schedule(id),
            Atom::Start => Boolean::Start,
            Atom::Side(_) | Atom::Parameter(..) => return None,
        };
        let truth = scope.value(path, atom)?;
        // That no event fires is the normal case and not worth a word.
        let silent = !truth && !matches!(what, Boolean::Switch(_));
        (!silent).then_some((what, truth))
    });
    Ok(State {
        values: values
            .into_iter()
            .map(|(_, value, number)| (value, number))
            .collect(),
        booleans: booleans.collect(),
        on_border: false,
    })
}

/// The truths of some sides.
fn clause<'s>(
    scope: &Scope<'_, '_>,
    sides: impl Iterator<Item = &'s PathSide>,
) -> BddPartialValuation {
    let mut clause = BddPartialValuation::empty();
    for side in sides {
        if let Some(variable) = scope.variable(side.atom) {
            clause.set_value(variable, side.truth);
        }
    }
    clause
}

/// Gives groups with expressions that are not linear, and those whose unknowns stand in these, numbers of a state in which
/// the expressions have their values.
fn have_a_state(scope: &mut Scope<'_, '_>, groups: &mut [Group]) -> Result<(), NoNumbers> {
    let conditions = scope.conditions;
    let (model, borders) = (conditions.model, &conditions.borders);
    let mut leaves: BTreeSet<Unknown> = BTreeSet::new();
    for (_, unknown) in groups.iter().flat_map(|group| &group.unknowns) {
        let Unknown::Opaque(number) = *unknown else {
            continue;
        };
        leaves.insert(*unknown);
        model.exprs.visit(borders.opaque_expr(number), |_, node| {
            leaves.extend(match *node {
                Expr::Real(id) => Some(Unknown::Real(id)),
                Expr::Constant(id) => Some(Unknown::Constant(id)),
                Expr::Time => Some(Unknown::Time),
                _ => None,
            });
        });
    }
    let is_bound = |group: &&mut Group| {
        let mut unknowns = group.unknowns.iter();
        unknowns.any(|(_, unknown)| leaves.contains(unknown))
    };
    let mut bound: Vec<&mut Group> = groups.iter_mut().filter(is_bound).collect();
    if bound.is_empty() {
        return Ok(());
    }
    let sides = bound.iter().flat_map(|group| &group.sides);
    let asked = sides.clone().filter_map(|side| match side.atom {
        Atom::Side(id) => Some((borders.side(id), side.truth)),
        _ => None,
    });
    let solved: Vec<(Unknown, f64)> = (bound.iter())
        .flat_map(|group| group.unknowns.iter().zip(&group.numbers))
        .map(|(&(_, unknown), &number)| (unknown, number))
        .collect();
    let mut witness = Witness::new(conditions, asked.collect(), &solved);
    match witness.find(scope.work) {
        Err(OverBudget) => Err(NoNumbers::TooMany),
        Ok(false) => Err(NoNumbers::Contradiction(clause(scope, sides))),
        Ok(true) => {
            for group in &mut bound {
                let unknowns = group.unknowns.iter();
                group.numbers = unknowns.map(|&(_, it)| witness.value(it)).collect();
            }
            Ok(())
        }
    }
}

fn start_value(scope: &Scope<'_, '_>, unknown: Unknown) -> f64 {
    match (unknown, scope.conditions.start) {
        (Unknown::Real(id), Some(start)) => start.reals[id.index()],
        _ => 0.0,
    }
}

/// Sides that share unknowns, directly or over others.
#[derive(Default)]
struct Group {
    /// Unknowns with the place of their first mention.
    unknowns: Vec<(usize, Unknown)>,
    quantities: Vec<QuantityId>,
    sides: Vec<PathSide>,
    /// A number for each of the unknowns, once they have been found.
    numbers: Vec<f64>,
}

/// A side as the path has it.
struct PathSide {
    atom: Atom,
    truth: bool,
    /// Over the unknowns of its group.
    inequality: Inequality,
}

fn groups(scope: &Scope<'_, '_>, path: &BddPartialValuation) -> Vec<Group> {
    let borders = &scope.conditions.borders;
    let mut groups: Vec<Group> = Vec::new();
    for (at, &atom) in scope.atoms.iter().enumerate() {
        let (Atom::Side(id), Some(_)) = (atom, scope.value(path, atom)) else {
            continue;
        };
        let quantity = borders.side(id).quantity;
        let terms = borders.terms(quantity);
        let touches = |group: &Group| {
            let shares = |(unknown, _): &(Unknown, f64)| {
                group.unknowns.iter().any(|(_, known)| known == unknown)
            };
            terms.iter().any(shares)
        };
        let (touched, mut apart): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| touches(group));
        let mut merged = Group::default();
        for group in touched {
            merged.unknowns.extend(group.unknowns);
            merged.quantities.extend(group.quantities);
        }
        for &(unknown, _) in terms {
            if !merged.unknowns.iter().any(|(_, known)| *known == unknown) {
                merged.unknowns.push((at, unknown));
            }
        }
        if !merged.quantities.contains(&quantity) {
            merged.quantities.push(quantity);
        }
        apart.push(merged);
        groups = apart;
    }
    for group in &mut groups {
        group.unknowns.sort_by_key(|(at, _)| *at);
        for &atom in &scope.atoms {
            let (Atom::Side(id), Some(truth)) = (atom, scope.value(path, atom)) else {
                continue;
            };
            let side = borders.side(id);
            if !group.quantities.contains(&side.quantity) {
                continue;
            }
            let sign = if truth { 1.0 } else { -1.0 };
            let terms: SmallVec<[(usize, f64); 2]> = borders
                .terms(side.quantity)
                .iter()
                .filter_map(|(unknown, factor)| {
                    let place = group
                        .unknowns
                        .iter()
                        .position(|(_, known)| known == unknown)?;
                    Some((place, sign * factor))
                })
                .collect();
            group.sides.push(PathSide {
                atom,
                truth,
                inequality: Inequality {
                    terms,
                    bound: sign * side.threshold,
                    strict: side.inclusive != truth,
                },
            });
        }
    }
    groups
}
