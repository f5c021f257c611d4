//! Comparisons become sides of borders.
//!
//! The difference of the two sides of a comparison is brought into the form `quantity - threshold`,
//! the quantity a sum of unknowns whose first has the factor 1. So `V < 0`, `V > 0` and `0 <= 2 * V`
//! are about one quantity, and what they say of each other follows from the order of their
//! thresholds. Constants stand for their values; what is not linear is an unknown of its own.
//! `abs(x)` against a number is taken apart into two sides of `x`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::terms::{Linear, Terms, TermsKey, Unknown, key};
use situ_engine::ids::{ConstantId, ExprId, LookupId};
use situ_engine::model::{CompareOp, Comparison, Expr, Model, StartValues};
use situ_engine::procedure::{self, ProcedureId};
use smallvec::SmallVec;

/// The place of a quantity in [`Borders::quantities`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::check) struct QuantityId(u32);

/// The place of a side in [`Borders::sides`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::check) struct SideId(u32);

/// `quantity < threshold`, or `quantity <= threshold` if inclusive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::check) struct Side {
    /// Quantity that is compared.
    pub(in crate::check) quantity: QuantityId,
    /// With what.
    pub(in crate::check) threshold: f64,
    /// True if the border itself belongs to the side.
    pub(in crate::check) inclusive: bool,
}

/// Meaning of a comparison.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::check) enum Test {
    /// It is over numbers only.
    Known(bool),
    /// It is over constants only: it has this value now, and another one for other constants.
    Parameter(bool),
    /// The listed sides are true or false as stated; all of that negated if so marked.
    Sides {
        /// Sides with their truth.
        all: SmallVec<[(SideId, bool); 2]>,
        /// True if the conjunction is negated.
        negated: bool,
    },
}

/// An expression that is not linear.
#[derive(Clone, Debug)]
struct Opaque {
    expr: ExprId,
    /// The argument, if it is `abs(..)`.
    abs_of: Option<Linear>,
    /// Never negative, whatever its operands are: squares, even powers, roots, exponentials.
    positive: bool,
}

/// A sum of more unknowns than this is treated as one unknown.
const MAX_TERMS: usize = 16;

/// Every comparison of the ranges, in terms of borders.
#[derive(Debug, Default)]
pub(in crate::check) struct Borders {
    quantities: Vec<Terms>,
    sides: Vec<Side>,
    opaque: Vec<Opaque>,
    /// For each range its comparisons.
    pub(in crate::check) ranges: Vec<SmallVec<[Test; 2]>>,
}

impl Borders {
    /// Takes the ranges of a model apart. Without start values constants are unknowns.
    pub(in crate::check) fn new(model: &Model, start: Option<&StartValues>) -> Self {
        let mut reader = Reader {
            model,
            start,
            abs: ProcedureId::named("abs"),
            power: ProcedureId::named("power"),
            positive: ["abs", "sqrt", "exp"].map(ProcedureId::named),
            borders: Borders::default(),
            quantities: HashMap::new(),
            sides: HashMap::new(),
            opaque: HashMap::new(),
            linears: HashMap::new(),
            constants: HashMap::new(),
        };
        for range in &model.ranges {
            let tests = range.all.iter().map(|c| reader.comparison(c)).collect();
            reader.borders.ranges.push(tests);
        }
        reader.borders
    }

    pub(in crate::check) fn side(&self, id: SideId) -> Side {
        self.sides[id.0 as usize]
    }

    pub(in crate::check) fn terms(&self, id: QuantityId) -> &Terms {
        &self.quantities[id.0 as usize]
    }

    /// True if the quantity is never negative.
    pub(in crate::check) fn is_never_negative(&self, id: QuantityId) -> bool {
        match self.terms(id)[..] {
            [(Unknown::Time, _)] => true,
            [(Unknown::Opaque(number), _)] => self.opaque[number as usize].positive,
            _ => false,
        }
    }

    /// The expression that an opaque unknown stands for.
    pub(in crate::check) fn opaque_expr(&self, number: u32) -> ExprId {
        self.opaque[number as usize].expr
    }
}

struct Reader<'a> {
    model: &'a Model,
    start: Option<&'a StartValues>,
    abs: Option<ProcedureId>,
    power: Option<ProcedureId>,
    /// Procedures whose result is never negative.
    positive: [Option<ProcedureId>; 3],
    borders: Borders,
    quantities: HashMap<TermsKey, QuantityId>,
    sides: HashMap<(QuantityId, u64, bool), SideId>,
    /// Opaque unknowns by operation and operands.
    opaque: HashMap<(Operation, SmallVec<[u32; 3]>), u32>,
    /// Linear operands of opaque unknowns, numbered.
    linears: HashMap<(TermsKey, u64), u32>,
    /// Those of them that are numbers.
    constants: HashMap<u32, f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operation {
    Sub,
    Mul,
    Div,
    Call(ProcedureId),
    Lookup(LookupId),
    /// A sum of too many unknowns.
    Sum,
}

impl Reader<'_> {
    fn comparison(&mut self, comparison: &Comparison) -> Test {
        let (left, right) = (self.linear(comparison.left), self.linear(comparison.right));
        if left.terms.is_empty() && right.terms.is_empty() {
            let holds = comparison.op.holds(left.constant, right.constant);
            let parameter =
                self.names_constant(comparison.left) || self.names_constant(comparison.right);
            return if parameter {
                Test::Parameter(holds)
            } else {
                Test::Known(holds)
            };
        }
        let mut difference = left.plus(&right.clone().map(|x| -x));
        if difference.terms.is_empty() {
            return Test::Known(comparison.op.holds(difference.constant, 0.0));
        }
        if !difference.is_finite() {
            let operands = [self.operand(&left), self.operand(&right)];
            let unknown = self.opaque(Operation::Sub, &operands, comparison.left, None);
            difference = Linear::unknown(unknown);
        }
        self.against_zero(&difference, comparison.op)
    }

    /// `difference op 0` for a difference with at least one term.
    fn against_zero(&mut self, difference: &Linear, op: CompareOp) -> Test {
        let (first, lead) = difference.terms[0];
        let threshold = -difference.constant / lead;
        let terms: Terms = difference
            .terms
            .iter()
            .map(|&(unknown, factor)| (unknown, factor / lead))
            .collect();
        let op = if lead < 0.0 { op.mirrored() } else { op };
        if let ([_], Unknown::Opaque(number)) = (&terms[..], first)
            && let Some(inner) = self.borders.opaque[number as usize].abs_of.clone()
        {
            return self.absolute(&inner, threshold, op);
        }
        let quantity = self.quantity(terms);
        let (side, truth) = self.one_side(quantity, threshold, op);
        Test::Sides {
            all: SmallVec::from_elem((side, truth), 1),
            negated: false,
        }
    }

    /// `abs(inner) op threshold`.
    fn absolute(&mut self, inner: &Linear, threshold: f64, op: CompareOp) -> Test {
        let (inside, negated) = match op {
            CompareOp::Less | CompareOp::LessEqual => (op, false),
            CompareOp::GreaterEqual => (CompareOp::Less, true),
            CompareOp::Greater => (CompareOp::LessEqual, true),
        };
        if !inside.holds(0.0, threshold) {
            return Test::Known(negated);
        }
        let above = inner.plus(&Linear::number(-threshold));
        let below = inner.plus(&Linear::number(threshold));
        let mut all = SmallVec::new();
        for (difference, op) in [(above, inside), (below, inside.mirrored())] {
            if let Test::Sides { all: sides, .. } = self.against_zero(&difference, op) {
                all.extend(sides);
            }
        }
        Test::Sides { all, negated }
    }

    fn one_side(&mut self, quantity: QuantityId, threshold: f64, op: CompareOp) -> (SideId, bool) {
        let (inclusive, truth) = match op {
            CompareOp::Less => (false, true),
            CompareOp::LessEqual => (true, true),
            CompareOp::Greater => (true, false),
            CompareOp::GreaterEqual => (false, false),
        };
        // -0 and 0 are one border.
        let threshold = threshold + 0.0;
        let sides = &mut self.borders.sides;
        let side = *self
            .sides
            .entry((quantity, threshold.to_bits(), inclusive))
            .or_insert_with(|| {
                sides.push(Side {
                    quantity,
                    threshold,
                    inclusive,
                });
                SideId(number(sides.len() - 1))
            });
        (side, truth)
    }

    fn quantity(&mut self, terms: Terms) -> QuantityId {
        let quantities = &mut self.borders.quantities;
        *self.quantities.entry(key(&terms)).or_insert_with(|| {
            quantities.push(terms);
            QuantityId(number(quantities.len() - 1))
        })
    }

    fn names_constant(&self, root: ExprId) -> bool {
        let mut found = false;
        self.model
            .exprs
            .visit(root, |_, node| found |= matches!(node, Expr::Constant(_)));
        found
    }

    fn linear(&mut self, root: ExprId) -> Linear {
        // The common cases, without a stack.
        match self.model.exprs.get(root) {
            Expr::Number(value) => return Linear::number(value),
            Expr::Real(id) => return Linear::unknown(Unknown::Real(id)),
            Expr::Constant(id) => return self.constant(id),
            _ => {}
        }
        let model = self.model;
        let mut operands: Vec<Linear> = Vec::new();
        model.exprs.visit(root, |id, node| {
            let mut pop = || operands.pop().expect("operands stand before their user");
            let linear = match node {
                Expr::Number(value) => Linear::number(*value),
                Expr::Constant(id) => self.constant(*id),
                Expr::Real(id) => Linear::unknown(Unknown::Real(*id)),
                Expr::Time => Linear::unknown(Unknown::Time),
                Expr::Neg(_) => pop().map(|x| -x),
                Expr::Add(..) => {
                    let (b, a) = (pop(), pop());
                    self.bounded(a.plus(&b), id)
                }
                Expr::Sub(..) => {
                    let (b, a) = (pop(), pop());
                    self.bounded(a.plus(&b.map(|x| -x)), id)
                }
                Expr::Mul(..) => {
                    let (b, a) = (pop(), pop());
                    self.product(a, b, id)
                }
                Expr::Div(..) => {
                    let (b, a) = (pop(), pop());
                    if b.terms.is_empty() && b.constant != 0.0 {
                        a.map(|x| x / b.constant)
                    } else {
                        let operands = [self.operand(&a), self.operand(&b)];
                        Linear::unknown(self.opaque(Operation::Div, &operands, id, None))
                    }
                }
                Expr::Lookup(lookup, args) => {
                    let args = operands.split_off(operands.len() - args.len());
                    let args: Vec<_> = args.iter().map(|arg| self.operand(arg)).collect();
                    Linear::unknown(self.opaque(Operation::Lookup(*lookup), &args, id, None))
                }
                Expr::Call(procedure, args) => {
                    let args = operands.split_off(operands.len() - args.len());
                    self.call(*procedure, args, id)
                }
            };
            operands.push(linear);
        });
        operands.pop().expect("an expression has a root")
    }

    fn constant(&self, id: ConstantId) -> Linear {
        match self.start.map(|start| start.constants[id.index()]) {
            Some(value) if value.is_finite() => Linear::number(value),
            _ => Linear::unknown(Unknown::Constant(id)),
        }
    }

    fn bounded(&mut self, sum: Linear, expr: ExprId) -> Linear {
        if sum.terms.len() <= MAX_TERMS {
            return sum;
        }
        let operands = [self.operand(&sum)];
        Linear::unknown(self.opaque(Operation::Sum, &operands, expr, None))
    }

    fn product(&mut self, a: Linear, b: Linear, expr: ExprId) -> Linear {
        let (factor, scaled) = match (a.terms.is_empty(), b.terms.is_empty()) {
            (true, _) => (a.constant, b),
            (_, true) => (b.constant, a),
            (false, false) => {
                let mut operands = [self.operand(&a), self.operand(&b)];
                operands.sort_unstable();
                return Linear::unknown(self.opaque(Operation::Mul, &operands, expr, None));
            }
        };
        let mut product = scaled.map(|x| factor * x);
        product.terms.retain(|(_, factor)| *factor != 0.0);
        product
    }

    fn call(&mut self, procedure: ProcedureId, args: Vec<Linear>, expr: ExprId) -> Linear {
        if args.iter().all(|arg| arg.terms.is_empty()) && !procedure.reads_time() {
            let values: Vec<f64> = args.iter().map(|arg| arg.constant).collect();
            return Linear::number(procedure::value(procedure, &values, 0.0));
        }
        let operands: SmallVec<[u32; 3]> = args.iter().map(|arg| self.operand(arg)).collect();
        let abs_of = match (&args[..], Some(procedure) == self.abs) {
            ([inner], true) if inner.is_finite() => Some(inner.clone()),
            _ => None,
        };
        Linear::unknown(self.opaque(Operation::Call(procedure), &operands, expr, abs_of))
    }

    fn operand(&mut self, linear: &Linear) -> u32 {
        let next = number(self.linears.len());
        let key = (key(&linear.terms), linear.constant.to_bits());
        let number = *self.linears.entry(key).or_insert(next);
        if linear.terms.is_empty() {
            self.constants.insert(number, linear.constant);
        }
        number
    }

    fn opaque(
        &mut self,
        operation: Operation,
        operands: &[u32],
        expr: ExprId,
        abs_of: Option<Linear>,
    ) -> Unknown {
        let positive = match (operation, operands) {
            (Operation::Mul, [a, b]) => a == b,
            (Operation::Call(procedure), _) => {
                self.positive.contains(&Some(procedure))
                    || (self.power == Some(procedure) && self.is_even(operands))
            }
            _ => false,
        };
        let known = &mut self.borders.opaque;
        let number = match self.opaque.entry((operation, operands.into())) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                known.push(Opaque {
                    expr,
                    abs_of,
                    positive,
                });
                *entry.insert(number(known.len() - 1))
            }
        };
        Unknown::Opaque(number)
    }

    /// True if the second operand, the exponent of a power, is an even number.
    fn is_even(&self, operands: &[u32]) -> bool {
        let exponent = operands
            .get(1)
            .and_then(|number| self.constants.get(number));
        exponent.is_some_and(|exponent| exponent % 2.0 == 0.0)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a table has fewer than 2^32 rows")
}
