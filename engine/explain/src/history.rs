//! Histories: lines of segments and the place on them at which one stands.
//!
//! A [`History`] is a row of segments, each with the number of its steps. Because a segment replays to the same bits,
//! histories share them: branches and what `undo` keeps are lists of numbers.

use std::sync::Arc;

/// Names a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId(pub(crate) u64);

/// A place in a segment: after so many steps, or inside the last of them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct At {
    /// Steps, of which the last need not be whole.
    pub step: u64,
    /// The place inside the last step.
    pub cut: Option<Cut>,
}

/// A place inside a step.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Cut {
    /// At a time before its end [units of `time`].
    Time(f64),
    /// Behind a microstep of the instant at its end, from 1 on.
    Microstep(u32),
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let key = |at: &Self| (at.step, at.cut.is_none(), at.cut);
        key(self).partial_cmp(&key(other))
    }
}

impl At {
    /// After so many whole steps.
    pub fn step(step: u64) -> Self {
        Self { step, cut: None }
    }

    /// Whole steps up to here.
    pub fn whole(self) -> u64 {
        self.step - u64::from(self.cut.is_some())
    }

    /// The number of the microstep behind which the place lies.
    pub fn microstep(self) -> Option<u32> {
        match self.cut {
            Some(Cut::Microstep(number)) => Some(number),
            _ => None,
        }
    }

    /// The place from which a run goes on: an instant is done again from the beginning of its step, so that the step
    /// shows all of it.
    pub(crate) fn outset(self) -> Self {
        match self.microstep() {
            Some(_) => Self::step(self.whole()),
            None => self,
        }
    }

    /// So many steps on; the first may be the rest of one.
    pub fn forward(self, steps: u64) -> Self {
        if steps == 0 {
            self
        } else {
            Self::step(self.whole() + steps)
        }
    }
}

/// A segment and how far it was run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Piece {
    /// The segment.
    pub segment: SegmentId,
    /// The place up to which it was run.
    pub end: At,
}

/// A line of history and the place on it.
#[derive(Clone, Debug)]
pub struct History {
    pieces: Arc<Vec<Piece>>,
    /// The piece in which the session stands.
    piece: usize,
    at: At,
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        (self.piece, self.at) == (other.piece, other.at)
            && (Arc::ptr_eq(&self.pieces, &other.pieces) || self.pieces == other.pieces)
    }
}

impl History {
    pub(crate) fn beginning(segment: SegmentId) -> Self {
        let end = At::default();
        Self {
            pieces: Arc::new(vec![Piece { segment, end }]),
            piece: 0,
            at: end,
        }
    }

    /// The segment in which one stands.
    pub fn segment(&self) -> SegmentId {
        self.pieces[self.piece].segment
    }

    /// Present place: the segment and the place in it.
    pub fn place(&self) -> (SegmentId, At) {
        (self.segment(), self.at)
    }

    /// The segments, oldest first.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Index of the piece in which one stands.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// True if something of the future is known.
    pub fn in_the_past(&self) -> bool {
        self.piece + 1 < self.pieces.len() || self.at < self.pieces[self.piece].end
    }

    /// True if the present place is the very beginning.
    pub fn at_the_start(&self) -> bool {
        self.piece == 0 && self.at.step == 0
    }

    /// Steps that were done in all up to here; one that is not whole counts.
    pub fn steps_before(&self) -> u64 {
        let before = &self.pieces[..self.piece];
        before.iter().map(|piece| piece.end.step).sum::<u64>() + self.at.step
    }

    /// Steps in all.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.end.step).sum()
    }

    /// End of the known part of this piece, unless it is the last one, which may grow.
    pub fn known_end(&self) -> Option<At> {
        let is_last = self.piece + 1 == self.pieces.len();
        (!is_last).then(|| self.pieces[self.piece].end)
    }

    /// The same line, seen from so many steps after its beginning; at a change, from after it.
    pub fn at_step(&self, steps: u64) -> Self {
        let mut left = steps;
        let mut piece = 0;
        while piece + 1 < self.pieces.len() && left >= self.pieces[piece].end.step {
            left -= self.pieces[piece].end.step;
            piece += 1;
        }
        let end = self.pieces[piece].end;
        Self {
            pieces: Arc::clone(&self.pieces),
            piece,
            at: if left >= end.step {
                end
            } else {
                At::step(left)
            },
        }
    }

    /// The same line, seen from a place in one of its pieces.
    pub fn at_place(&self, piece: usize, at: At) -> Self {
        let mut seen = Self {
            pieces: Arc::clone(&self.pieces),
            piece,
            at,
        };
        seen.pass_changes();
        seen
    }

    /// Moves on in the piece; the last one grows if it has to.
    pub fn forward_to(&mut self, at: At) {
        self.at = at;
        if at > self.pieces[self.piece].end {
            Arc::make_mut(&mut self.pieces)[self.piece].end = at;
        }
        self.pass_changes();
    }

    /// The end of a piece is the beginning of the next.
    fn pass_changes(&mut self) {
        while self.piece + 1 < self.pieces.len() && self.at >= self.pieces[self.piece].end {
            self.piece += 1;
            self.at = At::default();
        }
    }

    /// The place one step on in this piece, as far as it is known.
    pub fn next(&self) -> (SegmentId, At) {
        let end = self.pieces[self.piece].end;
        let next = self.at.forward(1);
        let at = if next > end { end } else { next };
        (self.segment(), at)
    }

    /// One step on through what is known.
    pub fn forward(&mut self) {
        self.forward_to(self.next().1);
    }

    /// History after a change here: the future is left.
    pub(crate) fn with_change(&self, segment: SegmentId) -> Self {
        let mut pieces = self.pieces[..=self.piece].to_vec();
        pieces[self.piece].end = self.at;
        let end = At::default();
        pieces.push(Piece { segment, end });
        Self {
            piece: pieces.len() - 1,
            pieces: Arc::new(pieces),
            at: end,
        }
    }
}
