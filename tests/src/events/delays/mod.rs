//! Delays in exact time.

mod constant;
mod cost;
mod past_limits;
mod pasts;
pub(super) mod read_back;
mod touches;
mod varying;
