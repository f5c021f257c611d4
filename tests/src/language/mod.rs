//! The language: what tables say, and what is said of mistakes in them.

mod faults;
mod findings;
mod flat_parts;
mod lookups;
mod machine_states;
mod parts;
mod procedures;
mod stages;
