//! Which elements rows write, found from the ends of their ranges: no element is counted.

use smallvec::SmallVec;

use super::families::{Block, Extent, Family};

/// So many pieces are looked at; beyond them nothing is said.
const MAX_PIECES: usize = 10_000;

/// What of a block none of the others has, in disjoint pieces.
pub(super) fn rest(block: &Block, others: &[Block]) -> Vec<Block> {
    let mut pieces = vec![block.clone()];
    pieces.retain(|piece| piece.iter().all(|extent| !extent.is_empty()));
    for other in others {
        pieces = pieces
            .iter()
            .flat_map(|piece| without(piece, other))
            .collect();
        if pieces.len() > MAX_PIECES {
            return Vec::new();
        }
    }
    pieces
}

/// An element of a block that none of the others has.
fn missing(block: &Block, others: &[Block]) -> Option<SmallVec<[i64; 2]>> {
    let pieces = rest(block, others);
    let first = pieces.first()?;
    // The one that is farthest out says most: what lies above a range, its first.
    Some(first.iter().map(|extent| extent.from).collect())
}

/// An element of a block that a family lacks.
pub(super) fn lacks(family: &Family, block: &Block) -> Option<SmallVec<[i64; 2]>> {
    missing(block, &family.blocks)
}

/// What two blocks have in common.
pub(super) fn common(a: &Block, b: &Block) -> Option<Block> {
    let both = a.iter().zip(b).map(|(a, b)| Extent {
        from: a.from.max(b.from),
        to: a.to.min(b.to),
    });
    let both: Block = both.collect();
    both.iter().all(|extent| !extent.is_empty()).then_some(both)
}

/// A block without another, in disjoint pieces.
fn without(block: &Block, other: &Block) -> Vec<Block> {
    let Some(both) = common(block, other) else {
        return vec![block.clone()];
    };
    let mut pieces = Vec::new();
    let mut left = block.clone();
    for (at, shared) in both.iter().enumerate() {
        let whole = left[at];
        for extent in [
            Extent {
                from: whole.from,
                to: shared.from - 1,
            },
            Extent {
                from: shared.to + 1,
                to: whole.to,
            },
        ] {
            if !extent.is_empty() {
                let mut piece = left.clone();
                piece[at] = extent;
                pieces.push(piece);
            }
        }
        left[at] = *shared;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(ends: &[(i64, i64)]) -> Block {
        let extents = ends.iter().map(|&(from, to)| Extent { from, to });
        extents.collect()
    }

    #[test]
    fn the_rest_of_a_block_is_what_no_other_has() {
        let whole = block(&[(0, 201)]);
        let rows = [block(&[(1, 200)]), block(&[(201, 201)])];
        assert_eq!(rest(&whole, &rows), [block(&[(0, 0)])]);
        assert_eq!(missing(&whole, &rows).as_deref(), Some(&[0][..]));
        assert_eq!(missing(&whole, &[block(&[(-5, 1_000_000_000_000)])]), None);
        let grid = block(&[(1, 4), (1, 4)]);
        let pieces = rest(&grid, &[block(&[(2, 3), (2, 3)])]);
        let sizes: u64 = pieces.iter().map(super::super::families::size).sum();
        assert_eq!(sizes, 12);
        assert_eq!(rest(&block(&[(1, 0)]), &[]), Vec::<Block>::new());
    }
}
