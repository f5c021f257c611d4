//! Delays: the history of each delayed value as piecewise polynomials, and the breaking points that jumps in it
//! carry on to later times.

pub(super) mod breaking_points;
pub(super) mod delay_history;
