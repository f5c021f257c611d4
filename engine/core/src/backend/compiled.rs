//! The seam for compiled code: operations without any decision, compiled elsewhere from a [`BasicBlockJob`]: a whole
//! step of an integration method in one mode, or what is computed in it of values, derivatives and bounds. A run has it
//! compiled when it turns out to be much used.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::tape::Tape;

/// Straight operations on an array of slots, to be compiled.
#[derive(Clone, Debug)]
pub struct BasicBlockJob {
    /// Operations on reals, and numbers, which no operation writes.
    pub tape: Arc<Tape>,
    /// Its parts: ops that are done in one go.
    pub parts: Vec<Range<usize>>,
    /// Slots that are read when a part is over. Others need not be written, unless another part reads
    /// them.
    pub kept: Vec<u32>,
}

/// Compiled operations.
pub trait BasicBlockCode: Debug + Send + Sync {
    /// Does the operations of a part, with the bits of the op table, NaN counting as one value.
    ///
    /// Shapes: `slots`: those of the tape, at least up to the last one that the part reads or that is
    ///         kept of it; numbers need no place there.
    fn run(&self, part: usize, slots: &mut [f64]);
}
