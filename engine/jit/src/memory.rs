//! Places in memory: their offsets, and what loads from them and stores to them may take for granted.

use cranelift_codegen::ir::MemFlagsData;

/// Loads and stores are of places that exist and are aligned.
pub(crate) const PLAIN: MemFlagsData = MemFlagsData::trusted();

/// As [`PLAIN`], of places that no operation of the function changes: equal operations on them are done once.
/// Without that a load after a call is another value, and so is all that follows from it: sine and cosine of one
/// angle would not share their reduction, and a tick of a pendulum would take 1.5 times as long.
pub(crate) const FIXED: MemFlagsData = PLAIN.with_readonly().with_can_move();

/// The offset of one of the places of an array of 8 bytes each.
pub(crate) fn word(index: u32) -> i32 {
    i32::try_from(u64::from(index) * 8).expect("tapes of this size are refused")
}

/// The offset of one of the places of an array of bytes.
pub(crate) fn byte(index: u32) -> i32 {
    i32::try_from(index).expect("tapes of this size are refused")
}
