//! What delays take in during a step that is being tried, for delays shorter than the step: a step is tried again
//! with what it gave the last time, until that stays the same.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::sim::past::line::Piece;

/// Polynomials of the last trial, for each delay those of the parts of the step, and what trials have read.
/// They follow from the step and are not saved: two of them count as equal.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) pieces: Vec<Vec<Piece>>,
    /// True if something beyond what is committed has been read.
    was_read: AtomicBool,
    /// True if what is committed has been read far beyond a mark.
    was_read_far: AtomicBool,
}

impl Clone for Ahead {
    fn clone(&self) -> Self {
        let copy = |flag: &AtomicBool| AtomicBool::new(flag.load(Ordering::Relaxed));
        Self {
            pieces: self.pieces.clone(),
            was_read: copy(&self.was_read),
            was_read_far: copy(&self.was_read_far),
        }
    }
}

impl PartialEq for Ahead {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Ahead {
    /// The polynomial of a delay, if a step has been tried; notes that it is read.
    pub(super) fn read(&self, delay: usize, at: f64) -> Option<&Piece> {
        self.was_read.store(true, Ordering::Relaxed);
        piece_at(self.pieces.get(delay)?, at)
    }

    pub(super) fn was_read(&self) -> bool {
        self.was_read.load(Ordering::Relaxed)
    }

    /// Notes that a polynomial is read far beyond a mark.
    pub(super) fn read_far(&self) {
        self.was_read_far.store(true, Ordering::Relaxed);
    }

    pub(super) fn was_read_far(&self) -> bool {
        self.was_read_far.load(Ordering::Relaxed)
    }

    /// Takes over what a trial gave.
    pub(super) fn set(&mut self, pieces: Vec<Vec<Piece>>) {
        self.pieces = pieces;
        *self.was_read.get_mut() = false;
    }
}

/// The one of some pieces in which a time lies, or which is nearest.
pub(super) fn piece_at(pieces: &[Piece], at: f64) -> Option<&Piece> {
    let index = pieces.partition_point(|piece| piece.end <= at);
    pieces.get(index).or(pieces.last())
}
