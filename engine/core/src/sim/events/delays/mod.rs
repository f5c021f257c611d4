//! Delays: the history of each delayed value as piecewise polynomials, and the breaking points that jumps in it
//! carry on to later times.
//!
//! Breaking points of constant delays are times known in advance. A delay that varies is watched between two of the
//! times at which what it takes in is not smooth; where the time that it reads reaches one of them, a step ends.

pub(super) mod ahead;
pub(super) mod breaking_points;
pub(super) mod crossing;
pub(super) mod delay_history;
pub(super) mod intake;

/// A place that is read counts as reached within this part of the times that it follows from.
pub(super) const LOCATED: f64 = 64.0 * f64::EPSILON;
