//! Rows that stand for others, and procedures, against exact solutions.

mod lookups;
mod machines;
mod procedures;
mod schemes;
