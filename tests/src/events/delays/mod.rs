//! Delays in exact time.

mod constant;
mod cost;
mod past_limits;
mod pasts;
mod read_back;
mod varying;
