//! Findings about rows that read what other rows compute.

pub(super) mod consequence;
pub(super) mod lag;
pub(super) mod loops;
pub(super) mod order;
