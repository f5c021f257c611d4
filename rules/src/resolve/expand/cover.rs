//! Which elements rows write, found from the ends of their ranges: no element is counted.

use smallvec::SmallVec;

use super::families::{Block, Extent, Family, next_element, size};

/// So many pieces or elements are looked at; beyond them nothing is said.
const MAX_PIECES: usize = 10_000;

/// The elements that a row writes: a block, in which some indices follow from others, as those of `c[j, j + 1]` do.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Elements {
    pub(super) block: Block,
    /// An index, an earlier one from which it follows, and how much is added to that.
    pub(super) ties: Vec<(usize, usize, i64)>,
}

impl Elements {
    /// Those of two that are in both; `None` if there are none.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        let block = common(&self.block, &other.block)?;
        let ties = [&self.ties[..], &other.ties].concat();
        Self { block, ties }.tightened()
    }

    /// The same with ends that agree; `None` if nothing is left.
    fn tightened(mut self) -> Option<Self> {
        for _ in 0..=self.block.len() {
            for &(at, of, by) in &self.ties {
                let (own, other) = (self.block[at], self.block[of].shifted(by));
                let both = Extent {
                    from: own.from.max(other.from),
                    to: own.to.min(other.to),
                };
                (self.block[at], self.block[of]) = (both, both.shifted(-by));
            }
        }
        let exists = self.block.iter().all(|extent| !extent.is_empty());
        exists.then_some(self)
    }

    /// How many there are.
    pub(super) fn size(&self) -> u64 {
        let follows = |at: &usize| self.ties.iter().any(|(other, ..)| other == at);
        let free = (0..self.block.len()).filter(|at| !follows(at));
        free.map(|at| self.block[at].len())
            .fold(1, u64::saturating_mul)
    }

    fn has(&self, indices: &[i64]) -> bool {
        let inside = |(extent, at): (&Extent, &i64)| extent.from <= *at && *at <= extent.to;
        self.block.iter().zip(indices).all(inside)
            && (self.ties.iter()).all(|&(at, of, by)| indices[at] == indices[of] + by)
    }
}

/// The first elements of a block that no row writes, and how many there are in all, at least; `None` if there is none, or it
/// is not known where.
pub(super) fn unwritten(whole: &Block, rows: &[&Elements]) -> Option<(Block, u64)> {
    let (mut tied, mut blocks) = (Vec::new(), Vec::new());
    for &row in rows {
        match row.ties.is_empty() {
            true => blocks.push(row.block.clone()),
            // Rows under several conditions write the same diagonal.
            false if !tied.contains(&row) => tied.push(row),
            false => {}
        }
    }
    let pieces = rest(whole, &blocks);
    let n_pieces = pieces.iter().map(size).fold(0, u64::saturating_add);
    let first = pieces.first()?;
    if tied.is_empty() {
        return Some((first.clone(), n_pieces));
    }
    let pieces = pieces.into_iter().map(|block| Elements {
        block,
        ties: Vec::new(),
    });
    let pieces: Vec<Elements> = pieces.collect();
    let written = tied.iter().flat_map(|row| {
        let within = pieces.iter().filter_map(|piece| row.common(piece));
        within.map(|both| both.size())
    });
    // Where diagonals overlap in part they are fewer.
    let n = n_pieces.saturating_sub(written.fold(0, u64::saturating_add));
    let mut looked_at = 0;
    for Elements { block, .. } in &pieces {
        let mut indices: SmallVec<[i64; 2]> = block.iter().map(|extent| extent.from).collect();
        loop {
            if tied.iter().all(|row| !row.has(&indices)) {
                let element = indices.iter().map(|at| Extent::one(*at));
                return Some((element.collect(), n.max(1)));
            }
            looked_at += 1;
            if looked_at > MAX_PIECES {
                return None;
            }
            if !next_element(block, &mut indices) {
                break;
            }
        }
    }
    None
}

/// What of a block none of the others has, in disjoint pieces.
fn rest(block: &Block, others: &[Block]) -> Vec<Block> {
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
fn common(a: &Block, b: &Block) -> Option<Block> {
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
        let sizes: u64 = pieces.iter().map(size).sum();
        assert_eq!(sizes, 12);
        assert_eq!(rest(&block(&[(1, 0)]), &[]), Vec::<Block>::new());
    }

    #[test]
    fn diagonals_are_no_blocks() {
        let diagonal = |ends: &[(i64, i64)], by: i64| Elements {
            block: block(ends),
            ties: vec![(1, 0, by)],
        };
        let plain = |ends: &[(i64, i64)]| Elements {
            block: block(ends),
            ties: Vec::new(),
        };
        let grid = block(&[(1, 3), (1, 3)]);
        let on = diagonal(&[(1, 3), (1, 3)], 0);
        let below = diagonal(&[(2, 3), (1, 2)], -1);
        assert_eq!(on.common(&below), None);
        assert_eq!(on.common(&plain(&[(1, 2), (2, 3)])).unwrap().size(), 1);
        assert_eq!(on.size() + below.size(), 5);
        let first = block(&[(1, 1), (2, 2)]);
        assert_eq!(unwritten(&grid, &[&on, &below]), Some((first, 4)));
        let above = plain(&[(1, 1), (2, 3)]);
        let first = block(&[(2, 2), (3, 3)]);
        assert_eq!(unwritten(&grid, &[&on, &below, &above]), Some((first, 2)));
        let corner = [plain(&[(2, 2), (3, 3)]), plain(&[(3, 3), (1, 1)])];
        let all = [&on, &below, &above, &corner[0], &corner[1]];
        assert_eq!(unwritten(&grid, &all), None);
        assert_eq!(unwritten(&grid, &[&on, &on]).unwrap().1, 6);
        let part = diagonal(&[(2, 3), (2, 3)], 0);
        let first = block(&[(1, 1), (2, 2)]);
        let small = block(&[(1, 2), (1, 2)]);
        assert_eq!(unwritten(&small, &[&on, &part]), Some((first, 1)));
        let large = block(&[(1, 1_000_000), (1, 1_000_000)]);
        let long = diagonal(&[(1, 1_000_000), (1, 1_000_000)], 0);
        let found = unwritten(&large, &[&long]);
        assert_eq!(found.unwrap().1, 1_000_000 * 999_999);
    }
}
