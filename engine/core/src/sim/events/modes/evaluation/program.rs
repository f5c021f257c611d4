//! The computations of a mode as they are run: pieces, interpreted or compiled, on any kind of number.
//!
//! This is the one place where a mode is evaluated: rates, values, margins, derivatives and columns of
//! the Jacobian are the same pieces on other numbers.

use crate::backend::block::{Block, KINDS, Kind, Slots};
use crate::backend::interpreter::Room;
use crate::backend::value::{Jet, run};
use crate::lower::mode::Segment;
use crate::sim::events::modes::evaluation::algebraic::AlgebraicComponents;
use crate::sim::events::modes::evaluation::algebraic_loops::{
    LoopValue, ValueFault, enclose, newton,
};
use crate::sim::events::modes::evaluation::guess::LoopFactors;
use crate::sim::events::modes::evaluation::loop_matrix::{LoopProblem, Workspace, factors_of};
use situ_solve::interval::Interval;

/// Fewer operations are not looked through for spans.
const MANY: usize = 256;

/// Runs before it is looked through.
const ROLLED_AFTER: u32 = 32;

/// A list of computations, in order.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pieces: Vec<Piece>,
    /// Number of times it was run, by kind of number.
    uses: [u32; KINDS],
    /// For which kinds of number it was asked for code.
    asked: [bool; KINDS],
    /// Room for spans.
    room: Room,
}

/// A piece of it.
#[derive(Clone, Debug)]
enum Piece {
    Ops(Block),
    Loop(LoopProblem),
}

impl Piece {
    fn block(&self) -> &Block {
        match self {
            Self::Ops(block) => block,
            Self::Loop(circle) => &circle.block,
        }
    }

    fn block_mut(&mut self) -> &mut Block {
        match self {
            Self::Ops(block) => block,
            Self::Loop(circle) => &mut circle.block,
        }
    }
}

impl Program {
    pub(super) fn of(segments: &[Segment], algebraic: &AlgebraicComponents) -> Self {
        let piece = |segment: &Segment| match segment {
            Segment::Ops(ops) => Piece::Ops(Block::new(ops)),
            Segment::Loop(inner) => Piece::Loop(LoopProblem::of(inner, algebraic.first_of(inner))),
        };
        Self {
            pieces: segments.iter().map(piece).collect(),
            uses: [0; KINDS],
            asked: [false; KINDS],
            room: Room::default(),
        }
    }

    /// Does what is repeated from element to element of families in blocks, where much is.
    pub(super) fn roll(&mut self, slots: &impl Slots) {
        for piece in &mut self.pieces {
            if let Piece::Ops(block) = piece
                && block.ops.len() >= MANY
                && let Some(room) = block.roll(slots)
            {
                self.room.grow(room);
            }
        }
    }

    /// True once, if it is long and has been run so often on plain reals that it pays to look for spans: a mode that is left
    /// soon has not the time.
    #[inline]
    pub(super) fn is_worth_rolling(&self) -> bool {
        self.uses[Kind::Reals as usize] == ROLLED_AFTER
            && self.blocks().any(|block| block.ops.len() >= MANY)
    }

    /// Runs it on plain reals, loops by Newton's method unless their unknowns are given.
    ///
    /// Shapes: `guess`: one value per real, from which the unknowns are sought.
    #[inline]
    pub(super) fn solve(
        &mut self,
        slots: &mut [f64],
        guess: &[f64],
        work: &mut Workspace,
    ) -> Result<(), ValueFault> {
        self.note(Kind::Reals);
        for piece in &self.pieces {
            match piece {
                Piece::Ops(block) => block.run_rolled(slots, &mut self.room),
                Piece::Loop(circle) => match circle.given(work) {
                    Some(first) => circle.take_given(slots, work, first),
                    None => newton(circle, slots, guess, work)?,
                },
            }
        }
        Ok(())
    }

    /// Runs it on plain reals; unknowns of loops are where they are guessed.
    ///
    /// Shapes: as in [`Self::solve`].
    pub(super) fn run_at_guess(&self, slots: &mut [f64], guess: &[f64]) {
        for piece in &self.pieces {
            if let Piece::Loop(circle) = piece {
                circle.inner.put_guess(slots, guess);
            }
            piece.block().run_reals(slots);
        }
    }

    /// Adds the signed roots that loops solve for to the guess of the reals, which are those of the slots.
    ///
    /// Shapes: as in [`Self::solve`].
    pub(super) fn guess_signed_roots(&self, slots: &mut [f64], guess: &mut Vec<f64>) {
        for piece in &self.pieces {
            if let Piece::Loop(LoopProblem { inner, .. }) = piece {
                inner.put_guess(slots, guess);
                let roots = inner.roots.iter().map(|&(at, _)| inner.unknowns[at].0);
                guess.extend(roots.map(|slot| slots[slot.index()]));
            }
            piece.block().run_reals(slots);
        }
    }

    /// Takes the unknowns of loops, where they are, for the guess.
    ///
    /// Shapes: as in [`Self::solve`].
    pub(super) fn take_solutions(&self, slots: &[f64], guess: &mut [f64]) {
        for circle in self.circles() {
            for (slot, real) in &circle.inner.unknowns {
                if let Some(guess) = guess.get_mut(real.index()) {
                    *guess = slots[slot.index()];
                }
            }
        }
    }

    /// Runs it on plain reals; it has no loops.
    #[inline]
    pub(super) fn run_plain(&mut self, slots: &mut [f64]) {
        self.note(Kind::Reals);
        for piece in &self.pieces {
            piece.block().run_rolled(slots, &mut self.room);
        }
    }

    /// Runs it on plain reals, and factors the matrices of large loops where their unknowns are guessed.
    ///
    /// Shapes: as in [`Self::solve`].
    pub(super) fn factor_at_guess(
        &self,
        slots: &mut [f64],
        guess: &[f64],
        work: &mut Workspace,
    ) -> Result<Vec<LoopFactors>, ValueFault> {
        let mut found = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Ops(block) => block.run_reals(slots),
                Piece::Loop(circle) if circle.is_large() => {
                    circle.inner.put_guess(slots, guess);
                    circle.block.run_reals(slots);
                    found.extend(factors_of(circle, slots, work));
                }
                Piece::Loop(circle) => newton(circle, slots, guess, work)?,
            }
        }
        Ok(found)
    }

    /// Runs it on another kind of number.
    ///
    /// Shapes: `slots`: the plain reals, loops solved.
    pub(super) fn pass<V: LoopValue>(
        &mut self,
        slots: &[f64],
        numbers: &mut [V],
        work: &mut Workspace,
    ) -> Result<(), ValueFault> {
        if let Some(kind) = V::KIND {
            self.note(kind);
        }
        for piece in &self.pieces {
            match piece {
                Piece::Ops(block) => block.run(numbers, &mut work.words),
                Piece::Loop(circle) => V::follow(circle, slots, work, numbers)?,
            }
        }
        Ok(())
    }

    /// Bounds of everything over a piece of a step, after it was run on plain reals at the middle.
    pub(super) fn enclose(
        &self,
        slots: &[f64],
        boxes: &mut [Jet<3, Interval>],
        work: &mut Workspace,
    ) {
        for piece in &self.pieces {
            match piece {
                Piece::Ops(block) => run(&block.ops, boxes),
                Piece::Loop(circle) => enclose(circle, slots, work, boxes),
            }
        }
    }

    fn note(&mut self, kind: Kind) {
        let uses = &mut self.uses[kind as usize];
        *uses = uses.saturating_add(1);
    }

    /// Its loops.
    pub(super) fn circles(&self) -> impl Iterator<Item = &LoopProblem> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Ops(_) => None,
            Piece::Loop(circle) => Some(circle),
        })
    }

    /// The blocks that were run so often on a kind of number that they are to be compiled for it, with
    /// their numbers. Each is named once.
    pub(super) fn due(&mut self, pays_after: u64) -> Vec<(usize, Kind)> {
        let mut due = Vec::new();
        for kind in Kind::ALL {
            let uses = u64::from(self.uses[kind as usize]);
            if self.asked[kind as usize] || uses < pays_after.max(1) {
                continue;
            }
            self.asked[kind as usize] = true;
            for (number, piece) in self.pieces.iter_mut().enumerate() {
                // Whatever is carried through a loop, its unknowns are found by these two.
                let always = match piece {
                    Piece::Ops(_) => &[][..],
                    Piece::Loop(_) => &[Kind::Reals, Kind::Dual],
                };
                for &kind in always.iter().chain([&kind]) {
                    let needs_code = kind != Kind::Reals || !piece.block().is_rolled();
                    if needs_code && piece.block_mut().ask(kind) {
                        due.push((number, kind));
                    }
                }
            }
        }
        due
    }

    /// A block by its number.
    pub(super) fn block(&self, number: usize) -> &Block {
        self.pieces[number].block()
    }

    /// A block by its number, to be changed.
    pub(super) fn block_mut(&mut self, number: usize) -> &mut Block {
        self.pieces[number].block_mut()
    }

    pub(super) fn n_ops(&self) -> usize {
        self.blocks().map(|block| block.ops.len()).sum()
    }

    /// All blocks, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.pieces.iter().map(Piece::block)
    }
}

/// Inputs for which something has been computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    /// Their values, and the number of changes up to when they were noted; empty if there are none.
    values: Vec<f64>,
    changes: u64,
}

impl Noted {
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// True if these inputs are those that were noted; notes them if not. They are compared only after a change.
    pub(super) fn renew(&mut self, changes: u64, inputs: impl Iterator<Item = f64>) -> bool {
        let mut same = !self.values.is_empty();
        if same && self.changes == changes {
            return true;
        }
        self.changes = changes;
        for (at, value) in inputs.enumerate() {
            match self.values.get_mut(at) {
                Some(before) => {
                    same &= before.to_bits() == value.to_bits();
                    *before = value;
                }
                None => {
                    same = false;
                    self.values.push(value);
                }
            }
        }
        same
    }
}
