//! Terms of a reduction, in the order in which all reductions are computed.
//!
//! A sum adds element i of each block of 64 to i + 32, then + 16, 8, 4, 2, 1; the sums of the blocks are added in the
//! same way. A block of terms that differ in the values of counters only is kept as these, and written out where it is
//! read.

use super::Counted;
use crate::source::Span;
use crate::tree::{BinaryOp, Expr, ExprKind, Name};

/// Elements that are combined first.
const BLOCK: usize = 64;

/// True if the term at a place of so many is combined within a block before it meets others: nobody can see a
/// coefficient in it.
pub(crate) fn is_within_block(place: usize, n: usize) -> bool {
    let is_alone = n % BLOCK == 1 && place + 1 == n;
    n > BLOCK && !is_alone
}

/// How two terms become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combine {
    /// `a + b`
    Sum,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

impl Combine {
    /// Two terms as one.
    pub(crate) fn pair(self, left: Expr, right: Expr, span: Span) -> Expr {
        let call = |name: &str, args| {
            let name = Name::new(name.to_owned(), span);
            ExprKind::Call(Box::new(name), args)
        };
        let kind = match self {
            Self::Sum => ExprKind::Binary(BinaryOp::Add, Box::new(left), Box::new(right)),
            Self::Min => call("min", vec![left, right]),
            Self::Max => call("max", vec![left, right]),
        };
        Expr { span, kind }
    }
}

/// A block of terms.
#[derive(Clone, Debug)]
pub struct Terms {
    combine: Combine,
    terms: Vec<Counted>,
}

impl Terms {
    /// The block as an expression over its terms.
    pub fn combined(&self, span: Span) -> Expr {
        let terms = self.terms.iter().map(|term| Expr {
            span,
            kind: ExprKind::Counted(term.clone()),
        });
        let combined = in_blocks(terms.collect(), &|a, b| self.combine.pair(a, b, span));
        combined.expect("a block has terms")
    }
}

/// The terms as one expression; `None` if there are none. Blocks of expressions of elements stay blocks if there are several.
pub(crate) fn reduced(terms: Vec<Expr>, combine: Combine, span: Span) -> Option<Expr> {
    let pair = |a, b| combine.pair(a, b, span);
    let mut terms = terms;
    if terms.len() > BLOCK {
        let mut blocks = Vec::with_capacity(terms.len().div_ceil(BLOCK));
        let mut rest = terms.into_iter().peekable();
        while rest.peek().is_some() {
            let block: Vec<Expr> = rest.by_ref().take(BLOCK).collect();
            blocks.extend(match counted(&block) {
                Some(terms) if terms.len() > 1 => Some(Expr {
                    span,
                    kind: ExprKind::Terms(Box::new(Terms { combine, terms })),
                }),
                _ => in_blocks(block, &pair),
            });
        }
        terms = blocks;
    }
    in_blocks(terms, &pair)
}

/// The expressions of elements, if all of them are such.
fn counted(block: &[Expr]) -> Option<Vec<Counted>> {
    let terms = block.iter().map(|term| match &term.kind {
        ExprKind::Counted(counted) => Some(counted.clone()),
        _ => None,
    });
    terms.collect()
}

/// The elements combined in pairs, block by block.
pub(crate) fn in_blocks<T>(items: Vec<T>, combine: &impl Fn(T, T) -> T) -> Option<T> {
    let mut items = items;
    while items.len() > 1 {
        let mut sums = Vec::with_capacity(items.len().div_ceil(BLOCK));
        let mut rest = items.into_iter().peekable();
        while rest.peek().is_some() {
            let mut block: Vec<T> = rest.by_ref().take(BLOCK).collect();
            let mut half = BLOCK / 2;
            while half > 0 {
                let upper = block.split_off(half.min(block.len()));
                let n_pairs = upper.len();
                let lower = block;
                let mut upper = upper.into_iter();
                block = Vec::with_capacity(lower.len());
                for (at, item) in lower.into_iter().enumerate() {
                    block.push(match upper.next() {
                        Some(other) if at < n_pairs => combine(item, other),
                        _ => item,
                    });
                }
                half /= 2;
            }
            sums.extend(block);
        }
        items = sums;
    }
    items.pop()
}

#[cfg(test)]
mod tests {
    use super::in_blocks;

    fn check(n: usize, expected: &str) {
        let items = (1..=n).map(|at| at.to_string()).collect();
        let sum = in_blocks(items, &|a, b| format!("({a}+{b})"));
        assert_eq!(sum.unwrap_or_default(), expected, "{n}");
    }

    #[test]
    fn elements_are_added_in_blocks() {
        check(0, "");
        check(1, "1");
        check(2, "(1+2)");
        check(3, "((1+3)+2)");
        check(4, "((1+3)+(2+4))");
        check(5, "(((1+5)+3)+(2+4))");
        let sum = |from: usize, to: usize| {
            let items = (from..=to).map(|at| at.to_string()).collect();
            in_blocks(items, &|a, b| format!("({a}+{b})")).unwrap_or_default()
        };
        check(65, &format!("({}+65)", sum(1, 64)));
        check(
            130,
            &format!("(({}+{})+{})", sum(1, 64), sum(129, 130), sum(65, 128)),
        );
    }
}
