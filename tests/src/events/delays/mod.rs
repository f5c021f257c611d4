//! Delays in exact time.

mod constant;
mod pasts;
mod read_back;
mod varying;
