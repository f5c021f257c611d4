//! The structure of a Jacobian -> how the linear systems of an implicit method are solved, and the work of each way.

use super::krylov::Krylov;
use super::sparse::Sparse;
use super::{FEW, SOLUTIONS, is_sparse};
use crate::method::Method;
use crate::system::Pattern;

/// A way to solve linear systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinearWay {
    /// LU factors of the whole matrix.
    Dense,
    /// LU factors of its entries, and of those that elimination adds.
    Sparse,
    /// GMRES with incomplete factors.
    Iterated,
}

/// How the linear systems of an implicit method are solved: estimates, in pairs of a multiplication and an addition, of a
/// factorisation with 20 solutions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinearWork {
    /// Unknowns.
    pub unknowns: usize,
    /// Those among them that are algebraic.
    pub algebraic: usize,
    /// Entries of the Jacobian that may differ from zero.
    pub entries: usize,
    /// The way that is taken.
    pub way: LinearWay,
    /// The work with dense factors.
    pub dense: f64,
    /// The work with sparse ones; `None` without a known structure.
    pub sparse: Option<f64>,
    /// The work of iterations; `None` where the method does not iterate.
    pub iterated: Option<f64>,
}

impl LinearWork {
    /// For a system of n unknowns, so many of them algebraic; `None` for an explicit method.
    pub fn of(
        method: Method,
        [n, algebraic]: [usize; 2],
        pattern: Option<&Pattern>,
    ) -> Option<Self> {
        if !method.about().stiff {
            return None;
        }
        let is_bdf = method == Method::Bdf || method == Method::Auto && (n > FEW || algebraic > 0);
        let iterates = is_bdf && algebraic == 0;
        let size = n as f64;
        let dense = size * size * (size / 3.0 + SOLUTIONS);
        let sparse = pattern.and_then(Sparse::work);
        let iterated = pattern.filter(|_| iterates).map(Krylov::work);
        let way = match pattern {
            Some(pattern) if iterates && Krylov::for_less_work(pattern).is_some() => {
                LinearWay::Iterated
            }
            Some(pattern) if is_sparse(n, pattern) => LinearWay::Sparse,
            _ => LinearWay::Dense,
        };
        Some(Self {
            unknowns: n,
            algebraic,
            entries: pattern.map_or(n * n, Pattern::len),
            way,
            dense,
            sparse,
            iterated,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each unknown reads its neighbours in a grid of n by n.
    fn grid(n: usize) -> Pattern {
        let rows: Vec<Vec<usize>> = (0..n * n)
            .map(|at| {
                let (row, column) = (at / n, at % n);
                let mut read = vec![at];
                read.extend((row > 0).then(|| at - n));
                read.extend((row + 1 < n).then(|| at + n));
                read.extend((column > 0).then(|| at - 1));
                read.extend((column + 1 < n).then(|| at + 1));
                read.sort_unstable();
                read
            })
            .collect();
        Pattern::from_rows(&rows)
    }

    #[test]
    fn the_way_that_is_taken_is_the_one_with_the_least_work() {
        for (method, n, way) in [
            (Method::Bdf, 4, LinearWay::Dense),
            (Method::Bdf, 20, LinearWay::Sparse),
            (Method::Bdf, 200, LinearWay::Iterated),
            (Method::Auto, 200, LinearWay::Iterated),
            (Method::Rodas5p, 100, LinearWay::Sparse),
        ] {
            let pattern = grid(n);
            let work = LinearWork::of(method, [n * n, 0], Some(&pattern)).unwrap();
            assert_eq!(work.way, way, "{method:?} {n}: {work:?}");
            let (sparse, dense) = (work.sparse.unwrap(), work.dense);
            match work.way {
                LinearWay::Dense => assert!(n * n <= FEW),
                LinearWay::Sparse => assert!(sparse < dense, "{work:?}"),
                LinearWay::Iterated => assert!(work.iterated.unwrap() < sparse, "{work:?}"),
            }
        }
        assert_eq!(LinearWork::of(Method::Tsit5, [4, 0], None), None);
        let whole = LinearWork::of(Method::Radau, [100, 0], None).unwrap();
        assert_eq!((whole.way, whole.entries), (LinearWay::Dense, 10_000));
    }
}
