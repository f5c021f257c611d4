//! Borders that are touched, left slowly, crossed by a hair or jumped across.

mod chatter;
mod jumps;
mod leaving;
mod losses;
mod poles;
mod roots;
mod touch;
