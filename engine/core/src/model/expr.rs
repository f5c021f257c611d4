//! Expressions: a flat arena of nodes in which every node stands after its operands.
//!
//! Real-valued only. Procedures with memory do not stand in expressions; the readers refuse them.

use smallvec::SmallVec;

use crate::ids::{ConstantId, ExprId, LookupId, RealId};
use crate::procedure::ProcedureId;

/// A node of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// The value of a constant.
    Constant(ConstantId),
    /// The value of a real as it stands.
    Real(RealId),
    /// The model's time.
    Time,
    /// `-a`
    Neg(ExprId),
    /// `a + b`
    Add(ExprId, ExprId),
    /// `a - b`
    Sub(ExprId, ExprId),
    /// `a * b`
    Mul(ExprId, ExprId),
    /// `a / b`
    Div(ExprId, ExprId),
    /// A procedure without memory, all of its parameters given.
    Call(ProcedureId, Operands),
    /// The value of a lookup, with as many arguments as it has.
    Lookup(LookupId, Operands),
}

/// So many operands stand in the node itself.
const INLINE: usize = 3;

/// Operands in the order in which they are written: a slice in 16 bytes, so that a node of an expression takes 24.
#[derive(Clone)]
pub struct Operands(Kept);

#[derive(Clone)]
enum Kept {
    Few(u8, [ExprId; INLINE]),
    #[expect(
        clippy::box_collection,
        reason = "one word instead of three, for what is rare"
    )]
    Many(Box<Vec<ExprId>>),
}

impl From<&[ExprId]> for Operands {
    fn from(all: &[ExprId]) -> Self {
        let mut few = [ExprId::new(0); INLINE];
        match few.get_mut(..all.len()) {
            Some(room) => {
                room.copy_from_slice(all);
                Self(Kept::Few(all.len() as u8, few))
            }
            None => Self(Kept::Many(Box::new(all.to_vec()))),
        }
    }
}

impl FromIterator<ExprId> for Operands {
    fn from_iter<I: IntoIterator<Item = ExprId>>(all: I) -> Self {
        let all: smallvec::SmallVec<[ExprId; 8]> = all.into_iter().collect();
        Self::from(&*all)
    }
}

impl std::ops::Deref for Operands {
    type Target = [ExprId];

    fn deref(&self) -> &[ExprId] {
        match &self.0 {
            Kept::Few(n, few) => &few[..usize::from(*n)],
            Kept::Many(many) => many,
        }
    }
}

impl PartialEq for Operands {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Operands {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(out)
    }
}

/// Every expression of a model; operands stand before the nodes that use them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
}

impl Exprs {
    /// Adds a node.
    ///
    /// # Panics
    /// If an operand is not in the arena yet.
    pub fn push(&mut self, node: Expr) -> ExprId {
        let id = ExprId::new(self.nodes.len());
        let mut ordered = true;
        for_each_operand(&node, |operand| ordered &= operand < id);
        assert!(ordered, "operands stand before the node that uses them");
        self.nodes.push(node);
        id
    }

    /// The node.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// All nodes, operands before the nodes that use them.
    pub fn iter(&self) -> impl Iterator<Item = &Expr> {
        self.nodes.iter()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True without any node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Calls `visit` for every node of the expression, operands before users (a shared operand is
    /// visited once for each use). Does not recurse, so that no depth overflows the stack.
    pub fn visit(&self, root: ExprId, mut visit: impl FnMut(ExprId, &Expr)) {
        let mut stack: SmallVec<[(ExprId, bool); 16]> = SmallVec::new();
        stack.push((root, false));
        while let Some((id, expanded)) = stack.pop() {
            let node = self.get(id);
            match node {
                _ if expanded => visit(id, node),
                Expr::Number(_) | Expr::Constant(_) | Expr::Real(_) | Expr::Time => visit(id, node),
                Expr::Neg(a) => stack.extend([(id, true), (*a, false)]),
                Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
                    stack.extend([(id, true), (*b, false), (*a, false)]);
                }
                Expr::Call(_, args) | Expr::Lookup(_, args) => {
                    stack.push((id, true));
                    stack.extend(args.iter().rev().map(|operand| (*operand, false)));
                }
            }
        }
    }

    /// Calls `each` for every real in an expression, once for each use.
    pub fn each_real(&self, root: ExprId, mut each: impl FnMut(RealId)) {
        self.visit(root, |_, node| {
            if let Expr::Real(real) = node {
                each(*real);
            }
        });
    }

    /// True if it is linear in reals: each stands in it with a factor that no real changes.
    pub(crate) fn is_linear(&self, root: ExprId) -> bool {
        let mut degrees: SmallVec<[u32; 8]> = SmallVec::new();
        self.visit(root, |_, node| {
            let mut n_operands = 0;
            for_each_operand(node, |_| n_operands += 1);
            let first = degrees.len() - n_operands;
            let operands: SmallVec<[u32; 2]> = degrees.drain(first..).collect();
            let most = operands.iter().copied().max().unwrap_or_default();
            degrees.push(match (node, &operands[..]) {
                (Expr::Real(_), _) => 1,
                (Expr::Mul(..), [left, right]) => left + right,
                (Expr::Div(..), [_, 0]) | (Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_), _) => most,
                _ => 2 * most,
            });
        });
        degrees.pop().is_none_or(|degree| degree <= 1)
    }

    /// True if it is over numbers and constants, and no source.
    pub fn is_constant(&self, root: ExprId) -> bool {
        let mut constant = true;
        self.visit(root, |_, node| {
            constant &= !matches!(node, Expr::Real(_)) && !node.reads_time();
        });
        constant
    }
}

impl Expr {
    /// True if its value changes with the model's time, besides its operands.
    pub fn reads_time(&self) -> bool {
        match self {
            Self::Time => true,
            Self::Call(procedure, _) => procedure.reads_time(),
            _ => false,
        }
    }

    /// The node with other operands.
    pub fn map_operands(&self, map: impl Fn(ExprId) -> ExprId) -> Self {
        match self {
            Self::Number(_) | Self::Constant(_) | Self::Real(_) | Self::Time => self.clone(),
            Self::Neg(a) => Self::Neg(map(*a)),
            Self::Add(a, b) => Self::Add(map(*a), map(*b)),
            Self::Sub(a, b) => Self::Sub(map(*a), map(*b)),
            Self::Mul(a, b) => Self::Mul(map(*a), map(*b)),
            Self::Div(a, b) => Self::Div(map(*a), map(*b)),
            Self::Call(procedure, args) => {
                Self::Call(*procedure, args.iter().map(|arg| map(*arg)).collect())
            }
            Self::Lookup(lookup, args) => {
                Self::Lookup(*lookup, args.iter().map(|arg| map(*arg)).collect())
            }
        }
    }
}

/// Calls `each` for the operands of one node, left to right.
pub(crate) fn for_each_operand(node: &Expr, mut each: impl FnMut(ExprId)) {
    match node {
        Expr::Number(_) | Expr::Constant(_) | Expr::Real(_) | Expr::Time => {}
        Expr::Neg(a) => each(*a),
        Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
            each(*a);
            each(*b);
        }
        Expr::Call(_, args) | Expr::Lookup(_, args) => args.iter().copied().for_each(each),
    }
}

impl super::Model {
    /// The expression in the spelling of tables, with as few parentheses as its meaning allows.
    pub fn expr_text(&self, root: ExprId) -> String {
        /// Binding strength of what stands in a text: sums, products, signs, everything else.
        const SUM: u8 = 0;
        const PRODUCT: u8 = 1;
        const SIGN: u8 = 2;
        const ATOM: u8 = 3;
        let mut texts: Vec<(String, u8)> = Vec::new();
        let wrap = |(text, strength): (String, u8), least: u8| {
            if strength < least {
                format!("({text})")
            } else {
                text
            }
        };
        self.exprs.visit(root, |_, node| {
            let mut pop = || texts.pop().expect("operands stand before their user");
            let text = match node {
                Expr::Number(value) if *value < 0.0 => (format!("{value}"), SIGN),
                Expr::Number(value) => (format!("{value}"), ATOM),
                Expr::Constant(id) => (self.constants[id.index()].name.clone(), ATOM),
                Expr::Real(id) => (self.reals[id.index()].name.clone(), ATOM),
                Expr::Time => ("time".to_owned(), ATOM),
                Expr::Neg(_) => (format!("-{}", wrap(pop(), ATOM)), SIGN),
                Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) | Expr::Div(..) => {
                    let (right, left) = (pop(), pop());
                    let (symbol, strength) = match node {
                        Expr::Add(..) => ("+", SUM),
                        Expr::Sub(..) => ("-", SUM),
                        Expr::Mul(..) => ("*", PRODUCT),
                        _ => ("/", PRODUCT),
                    };
                    let (left, right) = (wrap(left, strength), wrap(right, strength + 1));
                    (format!("{left} {symbol} {right}"), strength)
                }
                Expr::Call(_, args) | Expr::Lookup(_, args) => {
                    let name = match node {
                        Expr::Lookup(id, _) => &self.lookups[id.index()].name,
                        Expr::Call(procedure, _) => procedure.get().name,
                        _ => unreachable!("the arm says which"),
                    };
                    let first = texts.len() - args.len();
                    let args: Vec<String> = texts.drain(first..).map(|(text, _)| text).collect();
                    (format!("{name}({})", args.join(", ")), ATOM)
                }
            };
            texts.push(text);
        });
        texts.pop().expect("an expression has a root").0
    }
}
