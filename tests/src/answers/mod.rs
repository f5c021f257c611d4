//! What is asked of a run, against a second evaluation: why, measures, counts.

mod ends;
mod measures;
mod profile;
mod reasons;
mod reasons_in_events;
mod truths;
