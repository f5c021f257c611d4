//! Expressions -> expressions: derivatives, and expressions with others in the place of their reals.
//!
//! Works on nodes of the arena, each once, operands before their users. What is 0 is no node, and sums and products with
//! 0 and 1 are not written, so that an equation that was differentiated can be read.

use std::f64::consts::TAU;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Obstacle;
use super::terms::{call, difference, negative, number, product, quotient, scaled, sum};
use crate::ids::{ExprId, RealId};
use crate::model::expr::{Expr, Exprs, for_each_operand};

const RADIANS: f64 = std::f64::consts::PI / 180.0;

/// The nodes of an expression, each once, operands before their users.
fn nodes(exprs: &Exprs, root: ExprId) -> Vec<ExprId> {
    let mut found = vec![root];
    let mut seen: rustc_hash::FxHashSet<ExprId> = [root].into_iter().collect();
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        next += 1;
        for_each_operand(&exprs.get(id), |operand| {
            if seen.insert(operand) {
                found.push(operand);
            }
        });
    }
    found.sort_unstable_by_key(|id| Exprs::order(*id));
    found
}

/// The reals in an expression, ascending.
pub(super) fn reals(exprs: &Exprs, root: ExprId) -> Vec<RealId> {
    let all = nodes(exprs, root).into_iter();
    let mut reals: Vec<RealId> = all
        .filter_map(|id| match exprs.get(id) {
            Expr::Real(real) => Some(real),
            _ => None,
        })
        .collect();
    reals.sort_unstable();
    reals.dedup();
    reals
}

/// Number of nodes of an expression, written out: what is used twice counts twice.
pub(super) fn size(exprs: &Exprs, root: ExprId) -> u64 {
    let mut sizes: FxHashMap<ExprId, u64> = FxHashMap::default();
    for id in nodes(exprs, root) {
        let mut size = 1_u64;
        for_each_operand(&exprs.get(id), |operand| {
            size = size.saturating_add(sizes[&operand]);
        });
        sizes.insert(id, size);
    }
    sizes[&root]
}

/// The expression with others in the place of some of its reals.
pub(super) fn substitute(
    exprs: &mut Exprs,
    root: ExprId,
    replacement: impl Fn(RealId) -> Option<ExprId>,
) -> ExprId {
    let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in nodes(exprs, root) {
        let node = exprs.get(id);
        let at = |operand: &ExprId| new[operand];
        let replaced = match &node {
            Expr::Real(real) => replacement(*real).unwrap_or(id),
            Expr::Number(_) | Expr::Constant(_) | Expr::Time => id,
            Expr::Neg(a) => pushed(exprs, id, Expr::Neg(at(a))),
            Expr::Add(a, b) => pushed(exprs, id, Expr::Add(at(a), at(b))),
            Expr::Sub(a, b) => pushed(exprs, id, Expr::Sub(at(a), at(b))),
            Expr::Mul(a, b) => pushed(exprs, id, Expr::Mul(at(a), at(b))),
            Expr::Div(a, b) => pushed(exprs, id, Expr::Div(at(a), at(b))),
            Expr::Call(procedure, args) => {
                let args = args.iter().map(at).collect();
                pushed(exprs, id, Expr::Call(*procedure, args))
            }
            Expr::Lookup(lookup, args) => {
                let args = args.iter().map(at).collect();
                pushed(exprs, id, Expr::Lookup(*lookup, args))
            }
        };
        new.insert(id, replaced);
    }
    new[&root]
}

/// The node, which is an old one if nothing in it has changed.
fn pushed(exprs: &mut Exprs, old: ExprId, node: Expr) -> ExprId {
    match exprs.get(old) == node {
        true => old,
        false => exprs.push(node),
    }
}

/// The derivative of an expression; `None` if it is 0.
///
/// `input`: the derivative of a real, or of the time.
///
/// # Errors
///
/// Those of `input`; [`Obstacle::Kink`] where a procedure has no derivative everywhere.
pub(super) fn derivative(
    exprs: &mut Exprs,
    root: ExprId,
    name_of: impl Fn(&Expr) -> String,
    mut input: impl FnMut(&mut Exprs, &Expr) -> Result<Option<ExprId>, Obstacle>,
) -> Result<Option<ExprId>, Obstacle> {
    let mut known: FxHashMap<ExprId, Option<ExprId>> = FxHashMap::default();
    for id in nodes(exprs, root) {
        let node = exprs.get(id);
        let of = |operand: &ExprId| known[operand];
        let slope = match &node {
            Expr::Number(_) | Expr::Constant(_) => None,
            Expr::Real(_) | Expr::Time => input(exprs, &node)?,
            Expr::Neg(a) => of(a).map(|da| negative(exprs, da)),
            Expr::Add(a, b) => sum(exprs, of(a), of(b)),
            Expr::Sub(a, b) => difference(exprs, of(a), of(b)),
            Expr::Mul(a, b) => {
                let left = of(a).map(|da| product(exprs, da, *b));
                let right = of(b).map(|db| product(exprs, *a, db));
                sum(exprs, left, right)
            }
            Expr::Div(a, b) => {
                let right = of(b).map(|db| product(exprs, id, db));
                let rise = difference(exprs, of(a), right);
                rise.map(|rise| quotient(exprs, rise, *b))
            }
            Expr::Call(_, args) | Expr::Lookup(_, args) => {
                let slopes: SmallVec<[Option<ExprId>; 3]> = args.iter().map(of).collect();
                let time = match node.reads_time() {
                    true => input(exprs, &Expr::Time)?,
                    false => None,
                };
                if slopes.iter().all(Option::is_none) && time.is_none() {
                    None
                } else {
                    let name = match &node {
                        Expr::Call(procedure, _) => procedure.get().name,
                        _ => "",
                    };
                    let of_call = match time {
                        Some(time) => of_source(exprs, name, args, &slopes, time),
                        None => of_procedure(exprs, name, id, args, &slopes),
                    };
                    match of_call {
                        Some(slope) => slope,
                        None => return Err(Obstacle::Kink(name_of(&node))),
                    }
                }
            }
        };
        known.insert(id, slope);
    }
    Ok(known[&root])
}

/// The derivative of a call; `None` if the procedure has none everywhere.
fn of_procedure(
    exprs: &mut Exprs,
    name: &str,
    out: ExprId,
    args: &[ExprId],
    slopes: &[Option<ExprId>],
) -> Option<Option<ExprId>> {
    let a = *args.first()?;
    let da = *slopes.first()?;
    // Derivative by the argument, times the derivative of the argument.
    let times = |exprs: &mut Exprs, steepness: ExprId, da: ExprId| product(exprs, steepness, da);
    Some(match name {
        "power" => {
            let (n, dn) = (args[1], slopes[1]);
            let base = da.map(|da| {
                let steepness = match exprs.get(n) {
                    Expr::Number(1.0) => return da,
                    Expr::Number(2.0) => scaled(exprs, 2.0, a),
                    Expr::Number(power) => {
                        let less = number(exprs, power - 1.0);
                        let lower = call(exprs, "power", &[a, less]);
                        scaled(exprs, power, lower)
                    }
                    _ => {
                        let one = number(exprs, 1.0);
                        let less = exprs.push(Expr::Sub(n, one));
                        let lower = call(exprs, "power", &[a, less]);
                        product(exprs, n, lower)
                    }
                };
                times(exprs, steepness, da)
            });
            let exponent = dn.map(|dn| {
                let log = call(exprs, "ln", &[a]);
                let steepness = product(exprs, out, log);
                times(exprs, steepness, dn)
            });
            sum(exprs, base, exponent)
        }
        "sqrt" => {
            let twice = scaled(exprs, 2.0, out);
            da.map(|da| quotient(exprs, da, twice))
        }
        "exp" => da.map(|da| times(exprs, out, da)),
        "ln" => da.map(|da| quotient(exprs, da, a)),
        "sin" | "sind" => {
            let other = call(exprs, if name == "sin" { "cos" } else { "cosd" }, &[a]);
            let steepness = scaled(exprs, if name == "sin" { 1.0 } else { RADIANS }, other);
            da.map(|da| times(exprs, steepness, da))
        }
        "cos" | "cosd" => {
            let other = call(exprs, if name == "cos" { "sin" } else { "sind" }, &[a]);
            let steepness = scaled(exprs, if name == "cos" { 1.0 } else { RADIANS }, other);
            da.map(|da| {
                let fall = times(exprs, steepness, da);
                negative(exprs, fall)
            })
        }
        "tan" | "tand" => {
            let square = one_with_square(exprs, out, Expr::Add);
            let steepness = scaled(exprs, if name == "tan" { 1.0 } else { RADIANS }, square);
            da.map(|da| times(exprs, steepness, da))
        }
        "asin" | "acos" | "asind" | "acosd" => {
            let square = one_with_square(exprs, a, Expr::Sub);
            let root = call(exprs, "sqrt", &[square]);
            let below = scaled(exprs, unit_of(name), root);
            da.map(|da| {
                let slope = quotient(exprs, da, below);
                match name.starts_with("acos") {
                    true => negative(exprs, slope),
                    false => slope,
                }
            })
        }
        "atan" | "atand" => {
            let square = one_with_square(exprs, a, Expr::Add);
            let below = scaled(exprs, unit_of(name), square);
            da.map(|da| quotient(exprs, da, below))
        }
        "atan2" | "atan2d" => {
            let (b, db) = (args[1], slopes[1]);
            let left = da.map(|da| product(exprs, b, da));
            let right = db.map(|db| product(exprs, a, db));
            let turn = difference(exprs, left, right);
            let squares = [a, b].map(|side| {
                let two = number(exprs, 2.0);
                call(exprs, "power", &[side, two])
            });
            let square = exprs.push(Expr::Add(squares[0], squares[1]));
            let below = scaled(exprs, unit_of(name), square);
            turn.map(|turn| quotient(exprs, turn, below))
        }
        _ => return None,
    })
}

/// The derivative of a source along a motion; `None` if the procedure has none everywhere.
///
/// `time`: the derivative of the time. That of a ramp jumps where the ramp begins, which is an instant; what jumps itself
/// has none: it would be put back onto where it leads before the instant is there.
fn of_source(
    exprs: &mut Exprs,
    name: &str,
    args: &[ExprId],
    slopes: &[Option<ExprId>],
    time: ExprId,
) -> Option<Option<ExprId>> {
    match (name, args, slopes) {
        ("sine_wave", [frequency, phase], [faster, shift]) => {
            let now = exprs.push(Expr::Time);
            let turns = product(exprs, *frequency, now);
            let turns = scaled(exprs, TAU, turns);
            let angle = exprs.push(Expr::Add(turns, *phase));
            let steepness = call(exprs, "cos", &[angle]);
            let by_time = product(exprs, *frequency, time);
            let by_frequency = faster.map(|faster| product(exprs, faster, now));
            let turning = sum(exprs, Some(by_time), by_frequency);
            let turning = turning.map(|turning| scaled(exprs, TAU, turning));
            let way = sum(exprs, turning, *shift);
            Some(way.map(|way| product(exprs, steepness, way)))
        }
        ("ramp", [from], [later]) => {
            let grows = call(exprs, "step", &[*from]);
            let way = difference(exprs, Some(time), *later);
            Some(way.map(|way| product(exprs, grows, way)))
        }
        _ => None,
    }
}

/// What a radian is in the unit of an angle that a procedure gives, as a divisor.
fn unit_of(procedure: &str) -> f64 {
    match procedure.ends_with('d') {
        true => RADIANS,
        false => 1.0,
    }
}

/// `1 + x^2` or `1 - x^2`.
fn one_with_square(exprs: &mut Exprs, x: ExprId, how: fn(ExprId, ExprId) -> Expr) -> ExprId {
    let two = number(exprs, 2.0);
    let square = call(exprs, "power", &[x, two]);
    let one = number(exprs, 1.0);
    exprs.push(how(one, square))
}

/// The expression where some reals are 0; `None` if it is 0 then.
pub(super) fn without(exprs: &mut Exprs, root: ExprId, zero: &[RealId]) -> Option<ExprId> {
    let mut new: FxHashMap<ExprId, Option<ExprId>> = FxHashMap::default();
    for id in nodes(exprs, root) {
        let node = exprs.get(id);
        let of = |operand: &ExprId| new[operand];
        let kept = match &node {
            Expr::Real(real) => (!zero.contains(real)).then_some(id),
            Expr::Number(_) | Expr::Constant(_) | Expr::Time => Some(id),
            Expr::Neg(a) => of(a).map(|a| negative(exprs, a)),
            Expr::Add(a, b) => sum(exprs, of(a), of(b)),
            Expr::Sub(a, b) => difference(exprs, of(a), of(b)),
            Expr::Mul(a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => Some(product(exprs, a, b)),
                _ => None,
            },
            Expr::Div(a, b) => {
                let below = of(b);
                of(a).map(|a| {
                    let below = below.unwrap_or_else(|| number(exprs, 0.0));
                    quotient(exprs, a, below)
                })
            }
            Expr::Call(_, args) | Expr::Lookup(_, args) => {
                let kept: SmallVec<[Option<ExprId>; 3]> = args.iter().map(of).collect();
                let kept = kept
                    .into_iter()
                    .map(|arg| arg.unwrap_or_else(|| number(exprs, 0.0)))
                    .collect();
                Some(match &node {
                    Expr::Call(procedure, _) => pushed(exprs, id, Expr::Call(*procedure, kept)),
                    Expr::Lookup(lookup, _) => pushed(exprs, id, Expr::Lookup(*lookup, kept)),
                    _ => id,
                })
            }
        };
        new.insert(id, kept);
    }
    new[&root]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Model, Quantity};

    /// The derivative of `f(x)` at x against differences, f being a call with one argument, or with `x, 2 - x`.
    #[test]
    fn derivatives_are_those_of_differences() {
        let names = [
            "sqrt", "exp", "ln", "sin", "cos", "tan", "asin", "acos", "atan", "sind", "cosd",
            "tand", "asind", "acosd", "atand", "atan2", "atan2d", "power",
        ];
        for name in names {
            let mut model = Model::default();
            let start = number(&mut model.exprs, 0.0);
            model.reals.push(Quantity {
                name: "x".into(),
                start,
                steady: false,
                before: None,
                unit: String::new(),
                about: String::new(),
                output: true,
                nominal: None,
                range: None,
                auxiliary: false,
                observed: false,
                origin: crate::ids::Origin(0),
            });
            let exprs = &mut model.exprs;
            let x = exprs.push(Expr::Real(RealId::new(0)));
            let two = number(exprs, 2.0);
            let other = exprs.push(Expr::Sub(two, x));
            let procedure = crate::procedure::ProcedureId::named(name).unwrap();
            let args = &[x, other][..procedure.get().params.len()];
            let value = call(exprs, name, args);
            let slope = derivative(
                exprs,
                value,
                |_| String::new(),
                |exprs, _| Ok(Some(number(exprs, 1.0))),
            );
            let slope = slope.unwrap().unwrap();
            let at = |model: &Model, expr, x: f64| model.value_at(expr, &[x], &[], 0.0);
            let (place, step) = (0.37, 1e-5);
            let rise = at(&model, value, place + step) - at(&model, value, place - step);
            let found = at(&model, slope, place);
            let near = rise / (2.0 * step);
            assert!(
                (found - near).abs() < 1e-7 * near.abs().max(1.0),
                "{name}: {found}, {near}"
            );
        }
    }

    #[test]
    fn what_is_zero_is_not_written() {
        let mut exprs = Exprs::default();
        let [x, l] = [0, 1].map(|at| exprs.push(Expr::Real(RealId::new(at))));
        let two = number(&mut exprs, 2.0);
        let squares = [x, l].map(|side| call(&mut exprs, "power", &[side, two]));
        let all = exprs.push(Expr::Sub(squares[0], squares[1]));
        let slope = derivative(
            &mut exprs,
            all,
            |_| String::new(),
            |exprs, node| Ok((*node == Expr::Real(RealId::new(0))).then(|| number(exprs, 1.0))),
        );
        let expected = Expr::Mul(two, x);
        let slope = slope.unwrap().unwrap();
        let Expr::Mul(factor, real) = exprs.get(slope) else {
            panic!("{:?}", exprs.get(slope));
        };
        assert!(
            matches!(exprs.get(factor), Expr::Number(2.0)),
            "{expected:?}"
        );
        assert_eq!(real, x);
        assert_eq!(size(&exprs, slope), 3);
    }

    #[test]
    fn a_kink_is_named() {
        let mut exprs = Exprs::default();
        let x = exprs.push(Expr::Real(RealId::new(0)));
        let kink = call(&mut exprs, "abs", &[x]);
        let name = |node: &Expr| match node {
            Expr::Call(procedure, _) => procedure.get().name.to_owned(),
            _ => String::new(),
        };
        let found = derivative(&mut exprs, kink, name, |exprs, _| {
            Ok(Some(number(exprs, 1.0)))
        });
        assert_eq!(found, Err(Obstacle::Kink("abs".to_owned())));
    }
}
