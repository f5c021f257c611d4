//! Sides of borders: which turns when a border is reached, and on which the motion goes on after an event.

pub(crate) mod after_reset;
mod bound_departures;
mod corner_departure;
pub(crate) mod crossing;
pub(crate) mod departures;
mod domain_entry;
mod jumps;
mod kept_modes;
mod rest_conditions;
mod resting_margins;
pub(crate) mod side_selection;
pub(crate) mod sliding_entry;
pub(crate) mod twins;
mod weak_blows;
