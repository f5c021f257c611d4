//! Single runs: what they did, what happened at their events, where their time went, how they can be done again.

pub mod covered;
pub mod event_log;
pub mod manifest;
pub mod outcome;
pub mod profile;
pub mod steps;
pub mod summary;
