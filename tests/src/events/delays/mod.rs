//! Delays in exact time.

mod constant;
mod past_limits;
mod pasts;
mod read_back;
mod varying;
