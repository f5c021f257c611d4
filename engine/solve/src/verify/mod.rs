//! Tests of the methods: order conditions, measured orders, references, work counts, allocations.

mod allocation;
mod conditions;
mod convergence;
mod diffusion;
mod events;
mod frozen;
mod multistep;
mod problems;
mod references;
mod stepping;
mod trees;
