//! Expressions of the elements of a family, kept as one: what differs from element to element follows from the values of
//! the counters.

use smallvec::SmallVec;

use super::{Expr, for_each_operand};
use crate::ids::{ConstantId, ExprId, RealId};

/// Most counters that the expressions of a family may have.
pub const MAX_COUNTERS: usize = 2;

/// Values of the counters, in their order; what is beyond them is 0.
pub type CounterValues = [i32; MAX_COUNTERS];

/// What the expressions of all elements of a family have in common.
///
/// Its nodes stand in the order in which one evaluates them: each behind all that it is made of, the root last.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FamilyExpr {
    nodes: Vec<FamilyNode>,
    /// Per node how many there are in the expression that ends with it.
    sizes: Vec<usize>,
}

/// A node whose value may follow from the counters.
#[derive(Clone, PartialEq, Debug)]
pub enum FamilyNode {
    /// One that is the same for all elements. Operands are places among the nodes.
    Same(Expr),
    /// The value of a counter, or its negative.
    Counter {
        /// Place among the counters.
        place: usize,
        /// True for the negative, which values below 0 do not have: written out, it is `-(-2)`.
        negative: bool,
    },
    /// An element of a family of constants, of which this is the first.
    Constant(ConstantId, ElementIndex),
    /// An element of a family of reals, of which this is the first.
    Real(RealId, ElementIndex),
}

/// The element of a family that belongs to values of the counters.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ElementIndex {
    /// The indices, the last one fastest.
    pub indices: SmallVec<[IndexForm; 2]>,
}

/// An index: the value of a counter, if there is one, and a number.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexForm {
    /// Place of the counter.
    pub counter: Option<usize>,
    /// What is added to it.
    pub by: i64,
    /// Least and greatest value that it may take.
    pub extent: [i64; 2],
    /// Number of elements from one value to the next.
    pub stride: i64,
}

impl FamilyExpr {
    /// Adds a node; gives its place.
    ///
    /// # Panics
    /// If an operand does not stand right before it, or before the other operands.
    pub fn push(&mut self, node: FamilyNode) -> ExprId {
        let place = self.nodes.len();
        let mut size = 1;
        if let FamilyNode::Same(node) = &node {
            let mut operands: SmallVec<[usize; 4]> = SmallVec::new();
            for_each_operand(node, |operand| operands.push(operand.index()));
            for &operand in operands.iter().rev() {
                assert_eq!(operand + size, place, "operands stand before their node");
                size += self.sizes[operand];
            }
        }
        self.nodes.push(node);
        self.sizes.push(size);
        ExprId::new(place)
    }

    /// Number of its nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes.
    pub fn nodes(&self) -> &[FamilyNode] {
        &self.nodes
    }

    /// True if there is an expression for values of the counters.
    pub(super) fn has(&self, at: CounterValues) -> bool {
        self.nodes.iter().all(|node| match node {
            FamilyNode::Same(_) => true,
            FamilyNode::Counter { place, negative } => !negative || at[*place] >= 0,
            FamilyNode::Constant(_, index) | FamilyNode::Real(_, index) => index.at(at).is_some(),
        })
    }

    /// The places of the nodes of the expression that ends with one of them.
    pub(super) fn below(&self, root: usize) -> std::ops::RangeInclusive<usize> {
        root + 1 - self.sizes[root]..=root
    }

    /// The node of an element whose first node has the id `first`.
    pub(super) fn node(&self, place: usize, at: CounterValues, first: ExprId) -> Expr {
        let offset = |index: &ElementIndex| index.at(at).unwrap_or_default();
        match &self.nodes[place] {
            FamilyNode::Same(node) => node.map_operands(|operand| ExprId(first.0 + operand.0)),
            FamilyNode::Counter { place, negative } => {
                let value = f64::from(at[*place]);
                Expr::Number(if *negative { -value } else { value })
            }
            FamilyNode::Constant(of, index) => {
                Expr::Constant(ConstantId::new(of.index() + offset(index)))
            }
            FamilyNode::Real(of, index) => Expr::Real(RealId::new(of.index() + offset(index))),
        }
    }
}

impl ElementIndex {
    /// Number of the element, counted from the first one; `None` if the family does not have it.
    pub fn at(&self, at: CounterValues) -> Option<usize> {
        let mut offset = 0;
        for index in &self.indices {
            let value = index.counter.map_or(0, |place| i64::from(at[place])) + index.by;
            let [from, to] = index.extent;
            if value < from || value > to {
                return None;
            }
            offset += (value - from) * index.stride;
        }
        usize::try_from(offset).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Exprs, ModelBuilder};

    /// `x[counter + by]` of a family with so many elements, the first one `x[1]`.
    fn element(counter: usize, by: i64, n: i64) -> ElementIndex {
        let form = IndexForm {
            counter: Some(counter),
            by,
            extent: [1, n],
            stride: 1,
        };
        ElementIndex {
            indices: smallvec::smallvec![form],
        }
    }

    /// `x[j + by] * 2 - j`
    fn doubled(by: i64) -> Arc<FamilyExpr> {
        let mut family = FamilyExpr::default();
        let x = family.push(FamilyNode::Real(RealId::new(0), element(0, by, 5)));
        let two = family.push(FamilyNode::Same(Expr::Number(2.0)));
        let product = family.push(FamilyNode::Same(Expr::Mul(x, two)));
        let j = family.push(FamilyNode::Counter {
            place: 0,
            negative: false,
        });
        family.push(FamilyNode::Same(Expr::Sub(product, j)));
        Arc::new(family)
    }

    /// `-j`
    fn negative() -> Arc<FamilyExpr> {
        let mut family = FamilyExpr::default();
        family.push(FamilyNode::Counter {
            place: 0,
            negative: true,
        });
        Arc::new(family)
    }

    #[test]
    fn expressions_of_elements_are_found_again_among_others() {
        let mut model = ModelBuilder::new("five elements");
        for name in ["x[1]", "x[2]", "x[3]", "x[4]", "x[5]"] {
            model.real(name, 0.0);
        }
        let mut model = model.build().expect("a model");
        let (ahead, negative) = (doubled(1), negative());
        let mut wanted: Vec<(ExprId, String)> = Vec::new();
        let mut push = |exprs: &mut Exprs, family, j: i32, text: String| {
            let id = exprs.push_element(family, [j, 0]).expect("an element");
            wanted.push((id, text));
        };
        let exprs = &mut model.exprs;
        // In turns, one family alone, and something else in between.
        for j in 1..=4 {
            push(exprs, &ahead, j, format!("x[{}] * 2 - {j}", j + 1));
            push(exprs, &negative, j, format!("-{j}"));
        }
        for j in 2..=3 {
            push(exprs, &ahead, j, format!("x[{}] * 2 - {j}", j + 1));
        }
        let other = exprs.push(Expr::Time);
        push(exprs, &negative, 7, "-7".to_owned());
        let sum = exprs.push(Expr::Add(other, wanted[0].0));
        for (id, text) in &wanted {
            assert_eq!(model.expr_text(*id), *text);
        }
        assert_eq!(model.expr_text(sum), "time + (x[2] * 2 - 1)");
        let Expr::Sub(product, j) = model.exprs.get(wanted[2].0) else {
            panic!("the root of an element is its last node");
        };
        assert_eq!(model.expr_text(product), "x[3] * 2");
        assert_eq!(model.exprs.get(j), Expr::Number(2.0));
        assert!(wanted.iter().all(|(id, _)| model.exprs.has(*id)));
    }

    #[test]
    fn a_family_has_no_expression_of_elements_that_are_not_there() {
        let mut exprs = Exprs::default();
        let ahead = doubled(1);
        assert_eq!(exprs.push_element(&ahead, [5, 0]), None, "x[6]");
        assert_eq!(exprs.push_element(&negative(), [-1, 0]), None, "-(-1)");
        assert!(exprs.push_element(&ahead, [0, 0]).is_some());
    }
}
