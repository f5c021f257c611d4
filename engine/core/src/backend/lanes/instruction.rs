//! One instruction of lanes: an op of the tape made ready, or several.

use crate::tape::Code;

/// Operation of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// An op of the tape. [`Code::SkipUnless`] enters a conditional part.
    Op(Code),
    /// The sine of slot a goes to slot `out`, its cosine to slot b.
    SineAndCosine,
    /// Several ops: the links from b to c, beginning with slot a.
    Chain,
    /// A conditional part ends.
    Leave,
}

/// The guard of an instruction that is always done.
pub(super) const ALWAYS: u32 = u32::MAX;

/// An op made ready. What its numbers index depends on what it does, as for an [`Op`]; a conditional part
/// names in `out` the instruction behind its end, and has a number, in `b`, for what it keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) does: Action,
    /// The test under which it is done, if it is all of a conditional part.
    pub(super) guard: u32,
    pub(super) out: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
}

pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a tape has fewer than 2^31 ops")
}
