//! Temperatures on scales whose zero is not the absolute one, where something is proportional to them: `n * R * T / V` with
//! `T` in degrees Celsius.
//!
//! A term of a sum is left alone, since another term may hold the zero: `R0 * (1 + alpha * T)`; what is divided by a
//! temperature is not. A difference of temperatures is the same on every scale with steps of that size; a temperature beside
//! one, `Th / (Th - Tc)`, is not.

use situ_engine::ids::ExprId;
use situ_engine::model::{Coefficient, Expr, Relation};

use super::agreement::Mismatch;
use super::monomial::{Atom, Monomial};
use super::rows::{Row, Rows};
use super::temperature::{Offset, Scale, arguments};
use super::unit::read;
use super::watched::Watched;
use smallvec::{SmallVec, smallvec};

/// A factor of a product, and the power in which it is multiplied.
type Factor = (Of, f64);

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    /// A quantity by its number.
    Quantity(usize),
    /// A difference, in a power of the Kelvin.
    Difference(f64),
}

/// An expression that is still to be looked at, and whether a whole value is proportional to it.
#[derive(Clone, Copy)]
struct Part {
    expr: ExprId,
    proportional: bool,
}

/// How a product reads a temperature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// What stands beside it takes the Kelvin away: the temperature has to be absolute.
    Absolute,
    /// The product is in degrees of another size than what it is to agree with.
    Degrees,
}

impl Rows<'_> {
    /// Tells of a temperature that has to be absolute in the row that is looked at.
    pub(super) fn absolute(&mut self) {
        if self.is_told() || self.offsets.0.is_empty() {
            return;
        }
        if let Some([absolute, number]) = self.beside_absolute() {
            let scale = self.offsets.0[&number].scale;
            let [left, right] = [absolute, number].map(|number| {
                let name = format!("`{}`", self.quantity(number).name);
                (name, self.units[number].clone())
            });
            self.disagree(left, right, Mismatch::Zero(Scale::Kelvin, scale), None);
        } else if let Some(number) = self.offset_in_product(self.row, Use::Absolute) {
            let name = format!("`{}`", self.quantity(number).name);
            let none = (String::new(), Monomial::default());
            let left = (name, self.units[number].clone());
            self.disagree(left, none, Mismatch::Offset(number), None);
        }
    }

    /// An absolute temperature and one with another zero: the second is subtracted from the first, or is stored as the first
    /// less one in Kelvin. A temperature less a difference in Kelvin is a temperature, the other way round it is nothing.
    fn beside_absolute(&self) -> Option<[usize; 2]> {
        let number_of = |expr: ExprId| self.number_of(&self.model.exprs.get(expr));
        let mut roots = Vec::new();
        match self.rows[self.row] {
            Row::Start(quantity) => roots.push(self.quantity(quantity).start),
            Row::Range(range) => {
                let all = &self.model.ranges[range].all;
                roots.extend(all.iter().flat_map(|one| [one.left, one.right]));
            }
            Row::Relation(relation) => {
                roots.extend(arguments(relation));
                if let (true, [left, right], [target]) = (
                    is_plain_difference(relation),
                    &roots[..],
                    &relation.targets[..],
                ) && let (Some(left), Some(right)) = (number_of(*left), number_of(*right))
                {
                    let target = self.model.constants.len() + target.index();
                    if self.is_absolute_less_offset(left, right) {
                        return Some([left, right]);
                    }
                    if self.is_absolute_less_offset(right, left) && self.is_kelvin(target) {
                        return Some([target, left]);
                    }
                }
            }
            Row::Watched(Watched::Invariant(invariant)) => roots.push(invariant.value),
            Row::Watched(_) | Row::Schedule(_) => {}
        }
        let mut found = None;
        for root in roots {
            self.model.exprs.visit(root, |_, node| {
                if let Expr::Sub(left, right) = node
                    && let (Some(left), Some(right)) = (number_of(*left), number_of(*right))
                    && self.is_absolute_less_offset(left, right)
                {
                    found = found.or(Some([left, right]));
                }
            });
        }
        found
    }

    fn is_kelvin(&self, number: usize) -> bool {
        Scale::of(&self.quantity(number).unit) == Some(Scale::Kelvin)
    }

    /// True if the first quantity is an absolute temperature, and the second one with another zero.
    fn is_absolute_less_offset(&self, absolute: usize, other: usize) -> bool {
        let offset = self.offsets.0.get(&other);
        self.is_kelvin(absolute) && offset.is_some_and(|offset| !offset.is_difference)
    }

    /// The sides of a difference to which a value is proportional as to the temperatures themselves: powers are, and a
    /// temperature from which one in Kelvin is subtracted; of a difference of temperatures there are none.
    fn proportional_sides(&self, [left, right]: [ExprId; 2]) -> SmallVec<[ExprId; 2]> {
        let side = |expr: ExprId| self.model.exprs.get(expr);
        let is_power = |expr: ExprId| match side(expr) {
            Expr::Call(procedure, _) => procedure.get().name == "power",
            _ => false,
        };
        match [left, right].map(|expr| self.number_of(&side(expr))) {
            [Some(offset), Some(other)]
                if self.offsets.0.contains_key(&offset) && self.kelvins_stated(other) == 1.0 =>
            {
                smallvec![left]
            }
            _ if is_power(left) && is_power(right) => smallvec![left, right],
            _ => SmallVec::new(),
        }
    }

    /// What a mismatch is due to: no factor makes degrees Fahrenheit in a product right.
    pub(super) fn due_to(&self, mismatch: Mismatch) -> Mismatch {
        let Mismatch::Scale(scale) = mismatch else {
            return mismatch;
        };
        let degrees = scale.ln() / 1.8_f64.ln();
        let offset = match (degrees - degrees.round()).abs() < 1e-9 {
            true => self.offset_in_product(self.row, Use::Degrees),
            false => None,
        };
        offset.map_or(mismatch, Mismatch::Offset)
    }

    /// The number of a temperature with such a zero to which a value in a row is proportional.
    fn offset_in_product(&self, row: usize, wanted: Use) -> Option<usize> {
        if self.offsets.0.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let mut products: Vec<(Vec<Factor>, bool)> = Vec::new();
        match self.rows[row] {
            Row::Start(quantity) => parts.push(whole(self.quantity(quantity).start)),
            Row::Range(range) => {
                let all = &self.model.ranges[range].all;
                parts.extend(
                    all.iter()
                        .flat_map(|one| [whole(one.left), whole(one.right)]),
                );
            }
            Row::Relation(relation) => self.of_relation(relation, &mut parts, &mut products),
            Row::Watched(Watched::Invariant(invariant)) => parts.push(whole(invariant.value)),
            Row::Watched(_) | Row::Schedule(_) => {}
        }
        while let Some(part) = parts.pop() {
            let factors = self.factors(part, 1.0, &mut parts);
            products.push((factors, part.proportional));
        }
        let mut products = products.iter();
        products.find_map(|(factors, proportional)| self.judge(factors, *proportional, wanted))
    }

    /// The products that the row of a relation is by its procedure, and the expressions within.
    fn of_relation(
        &self,
        relation: &Relation,
        parts: &mut Vec<Part>,
        products: &mut Vec<(Vec<Factor>, bool)>,
    ) {
        let args: Vec<ExprId> = arguments(relation).collect();
        let name = relation.procedure.get().name;
        let powers: &[f64] = match name {
            "product" => &[1.0, 1.0],
            "quotient" => &[1.0, -1.0],
            "sqrt" => &[0.5],
            "assignment" | "proportional" | "integral" | "smoothing" | "delay" => &[1.0],
            // The value is one of them.
            "min" | "max" | "clamp" | "abs" => &[1.0, 1.0, 1.0],
            "power" => {
                let exponent = args.get(1).map(|expr| self.model.exprs.get(*expr));
                match exponent {
                    Some(Expr::Number(power)) => &[power],
                    _ => &[],
                }
            }
            _ => &[],
        };
        let is_alone = relation.targets.len() == 1 && !relation.procedure.solves();
        if !is_alone || powers.is_empty() {
            let proportional = is_several(relation);
            parts.extend(args.iter().map(|&expr| Part { expr, proportional }));
            return;
        }
        let mut factors = coefficient(relation.coef);
        for (&expr, &power) in args.iter().zip(powers) {
            factors.extend(self.factors(whole(expr), power, parts));
        }
        products.push((factors, true));
    }

    /// The quantities that an expression is a product of; what else stands in it is to be looked at.
    fn factors(&self, part: Part, power: f64, parts: &mut Vec<Part>) -> Vec<Factor> {
        let exprs = &self.model.exprs;
        let mut factors = Vec::new();
        let mut stack = vec![(part.expr, power)];
        while let Some((expr, power)) = stack.pop() {
            let mut others = |all: &[ExprId], proportional: bool| {
                parts.extend(all.iter().map(|&expr| Part { expr, proportional }));
            };
            match &exprs.get(expr) {
                Expr::Number(_) | Expr::Time => {}
                node @ (Expr::Constant(_) | Expr::Real(_)) => {
                    factors.extend(
                        self.number_of(node)
                            .map(|number| (Of::Quantity(number), power)),
                    );
                }
                Expr::Neg(one) => stack.push((*one, power)),
                Expr::Mul(left, right) => stack.extend([(*left, power), (*right, power)]),
                Expr::Div(left, right) => stack.extend([(*left, power), (*right, -power)]),
                Expr::Add(left, right) => others(&[*left, *right], false),
                Expr::Sub(left, right) => {
                    let sides = self.proportional_sides([*left, *right]);
                    if !sides.is_empty() {
                        stack.extend(sides.into_iter().rev().map(|side| (side, power)));
                        continue;
                    }
                    others(&[*left, *right], false);
                    // A number beside a temperature is its zero: `243.12 + T`.
                    let is_number = |side: &ExprId| match exprs.get(*side) {
                        Expr::Neg(one) => matches!(exprs.get(one), Expr::Number(_)),
                        side => matches!(side, Expr::Number(_)),
                    };
                    if ![left, right].into_iter().any(is_number) {
                        factors.push((Of::Difference(self.kelvins_of(expr)), power));
                    }
                }
                Expr::Lookup(_, operands) => others(operands, false),
                Expr::Call(procedure, operands) => match (procedure.get().name, &**operands) {
                    ("sqrt", [one]) => stack.push((*one, 0.5 * power)),
                    ("power", [base, exponent]) => match exprs.get(*exponent) {
                        Expr::Number(exponent) => stack.push((*base, exponent * power)),
                        _ => others(operands, false),
                    },
                    // The value is one of them.
                    ("min" | "max" | "clamp" | "abs", _) => {
                        stack.extend(operands.iter().map(|&one| (one, power)));
                    }
                    _ => others(operands, false),
                },
            }
        }
        factors
    }

    /// The temperature among the factors of a product that is to be told of.
    fn judge(&self, factors: &[Factor], proportional: bool, wanted: Use) -> Option<usize> {
        let told = |&(factor, power): &Factor| {
            let Of::Quantity(number) = factor else {
                return None;
            };
            let offset = self.offsets.0.get(&number);
            let offset = offset.filter(|one| !one.is_difference)?;
            let mut others = factors.iter().filter(|other| other.0 != factor);
            let is_told = match wanted {
                Use::Degrees => offset.scale == Scale::Fahrenheit && others.next().is_some(),
                Use::Absolute => {
                    (proportional || power < 0.0)
                        && others.any(|&(other, by)| self.kelvins(other) * by * power < 0.0)
                }
            };
            is_told.then_some(number)
        };
        factors.iter().find_map(told)
    }

    /// The power of the Kelvin in what is multiplied. A temperature beside another, `T2 / T1`, counts unless rows compute
    /// it as a difference.
    fn kelvins(&self, factor: Of) -> f64 {
        match factor {
            Of::Difference(kelvins) => kelvins,
            Of::Quantity(number) => match self.offsets.0.get(&number) {
                Some(Offset { is_difference, .. }) => f64::from(u8::from(!is_difference)),
                None => self.kelvins_stated(number),
            },
        }
    }

    /// The power of the Kelvin in a difference: that of its first term that has a unit.
    fn kelvins_of(&self, root: ExprId) -> f64 {
        let mut stack: Vec<Option<f64>> = Vec::new();
        self.model.exprs.visit(root, |_, node| {
            let mut pop = || stack.pop().flatten();
            let power = match node {
                Expr::Number(_) | Expr::Time => None,
                Expr::Constant(_) | Expr::Real(_) => self
                    .number_of(node)
                    .filter(|&number| !self.quantity(number).unit.is_empty())
                    .map(|number| match self.offsets.0.contains_key(&number) {
                        true => 1.0,
                        false => self.kelvins_stated(number),
                    }),
                Expr::Neg(_) => pop(),
                Expr::Add(..) | Expr::Sub(..) => {
                    let (right, left) = (pop(), pop());
                    left.or(right)
                }
                Expr::Mul(..) | Expr::Div(..) => {
                    let sign = if matches!(node, Expr::Mul(..)) {
                        1.0
                    } else {
                        -1.0
                    };
                    let (right, left) = (pop(), pop());
                    match (left, right) {
                        (None, None) => None,
                        _ => Some(left.unwrap_or(0.0) + sign * right.unwrap_or(0.0)),
                    }
                }
                // Their arguments are in their units; of other functions nothing is said.
                Expr::Call(procedure, operands) => {
                    let first = operands.iter().fold(None, |_, _| pop());
                    match procedure.get().name {
                        "min" | "max" | "clamp" | "abs" => first,
                        _ => None,
                    }
                }
                Expr::Lookup(_, operands) => operands.iter().fold(None, |_, _| pop()).and(None),
            };
            stack.push(power);
        });
        stack.pop().flatten().unwrap_or(0.0)
    }

    /// The number of the quantity that an expression is.
    fn number_of(&self, node: &Expr) -> Option<usize> {
        match node {
            Expr::Constant(constant) => Some(constant.index()),
            Expr::Real(real) => Some(self.model.constants.len() + real.index()),
            _ => None,
        }
    }

    /// The power of the Kelvin in the unit of a quantity, as it is stated: one in degrees of another scale says itself what
    /// it is to be multiplied by.
    fn kelvins_stated(&self, number: usize) -> f64 {
        let unit = &self.quantity(number).unit;
        if ["°", "℃", "deg"].iter().any(|degree| unit.contains(degree)) {
            return 0.0;
        }
        let unit = read(unit).map_or_else(Monomial::default, |read| read.unit);
        let power = unit.powers.get(&Atom::Base("K"));
        power.copied().unwrap_or(0.0)
    }
}

/// An expression that is a value as a whole.
fn whole(expr: ExprId) -> Part {
    Part {
        expr,
        proportional: true,
    }
}

/// True of a row that is one argument less another.
fn is_plain_difference(relation: &Relation) -> bool {
    let [one, other] = [Coefficient::Number(1.0), Coefficient::Number(-1.0)];
    relation.procedure.get().name == "sum" && relation.coef == one && relation.coef2 == other
}

/// True of a row that gives several targets a value each.
fn is_several(relation: &Relation) -> bool {
    relation.targets.len() > 1 && !relation.procedure.solves()
}

fn coefficient(coefficient: Coefficient) -> Vec<Factor> {
    match coefficient {
        Coefficient::Number(_) => Vec::new(),
        Coefficient::Constant { id, .. } => vec![(Of::Quantity(id.index()), 1.0)],
    }
}
