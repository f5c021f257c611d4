//! Modes: for each set of active rows and branches of kinks the right-hand side, its margins and their derivatives.
//!
//! A mode is made when it is entered first and kept. In tables with many conditional rows, modes that differ by these
//! are variants of one ([`variants`]). The evaluation of a mode knows reals and sides, no event.

pub(super) mod cache;
pub(super) mod evaluation;
pub(super) mod kink_branches;
pub(super) mod kinked_loops;
pub(super) mod mode_entry;
pub(super) mod shared_modes;
pub(super) mod supposed_sides;
pub(super) mod unbranched_values;
mod variants;
