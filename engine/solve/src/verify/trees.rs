//! Rooted trees: one order condition each (Hairer, Nørsett, Wanner, II.2).

use std::collections::BTreeSet;

/// A rooted tree: the subtrees at its root, sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Tree(Vec<Tree>);

/// All trees of one order.
pub(super) fn of_order(order: usize) -> Vec<Tree> {
    let mut by_order: Vec<Vec<Tree>> = vec![vec![], vec![Tree::default()]];
    for n in 2..=order {
        // A tree of order n is one of order n - m with a subtree of order m grafted on its root.
        let mut trees = BTreeSet::new();
        for m in 1..n {
            for base in &by_order[n - m] {
                for graft in &by_order[m] {
                    let mut tree = base.clone();
                    tree.0.push(graft.clone());
                    tree.0.sort();
                    trees.insert(tree);
                }
            }
        }
        by_order.push(trees.into_iter().collect());
    }
    by_order.swap_remove(order)
}

impl Tree {
    pub(super) fn order(&self) -> usize {
        1 + self.0.iter().map(Tree::order).sum::<usize>()
    }

    /// The density: the weight of the tree in the exact solution is its reciprocal.
    pub(super) fn density(&self) -> f64 {
        self.order() as f64 * self.0.iter().map(Tree::density).product::<f64>()
    }

    /// The elementary weight of every stage of a method. A vertex with one child is weighted with
    /// `beta`, one with more with `alpha`: these are the same for Runge-Kutta methods, and for
    /// Rosenbrock methods beta contains the coefficients of the Jacobian (Hairer and Wanner, IV.7).
    pub(super) fn stages(&self, alpha: &[Vec<f64>], beta: &[Vec<f64>]) -> Vec<f64> {
        let matrix = if self.0.len() == 1 { beta } else { alpha };
        let mut product = vec![1.0; alpha.len()];
        for child in &self.0 {
            let child = child.stages(alpha, beta);
            for (product, row) in product.iter_mut().zip(matrix) {
                *product *= row.iter().zip(&child).map(|(a, c)| a * c).sum::<f64>();
            }
        }
        product
    }
}

#[test]
fn there_are_as_many_trees_as_cayley_counted() {
    let counts: Vec<usize> = (1..=8).map(|order| of_order(order).len()).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
}
