//! Nodes of expressions that are the same become one: `u[2]` stands once in `u[1] * u[2] + u[2] * u[3]`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use situ_engine::ids::ExprId;
use situ_engine::model::{Expr, Exprs};

/// So many nodes are looked through: those of one row and its neighbours, in room that does not grow with the model. (Elements
/// of families are kept as one.)
const RECENT: usize = 1 << 10;

/// Nodes that were added last, each at a place that follows from what it is.
pub(super) struct Recent(Vec<Option<ExprId>>);

impl Default for Recent {
    fn default() -> Self {
        Self(vec![None; RECENT])
    }
}

impl Recent {
    /// The node among those added last, or the one that this adds.
    pub(super) fn push(&mut self, exprs: &mut Exprs, node: Expr) -> ExprId {
        let place = &mut self.0[place(&node)];
        match *place {
            Some(known) if is_same(&exprs.get(known), &node) => known,
            _ => *place.insert(exprs.push(node)),
        }
    }
}

/// True if two nodes give the same bits.
fn is_same(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        (Expr::Number(one), Expr::Number(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}

fn place(node: &Expr) -> usize {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(node).hash(&mut hasher);
    match node {
        // Small whole numbers differ in the upper bits only, which this hash does not carry down.
        Expr::Number(value) => value.to_bits().swap_bytes().hash(&mut hasher),
        Expr::Constant(id) => id.hash(&mut hasher),
        Expr::Real(id) => id.hash(&mut hasher),
        Expr::Time => {}
        Expr::Neg(a) => a.hash(&mut hasher),
        Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
            (a, b).hash(&mut hasher);
        }
        Expr::Call(procedure, args) => (procedure, &args[..]).hash(&mut hasher),
        Expr::Lookup(lookup, args) => (lookup, &args[..]).hash(&mut hasher),
    }
    hasher.finish() as usize % RECENT
}
