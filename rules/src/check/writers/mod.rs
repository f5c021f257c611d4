//! Findings about the rows that write one real.

pub(super) mod accumulate;
pub(super) mod conflicts;
pub(super) mod shadowed;
pub(super) mod stale;
