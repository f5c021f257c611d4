//! What happens within a step of a method, where the method need not see it: poles of the rates, ends of domains, pulses, and
//! values that rates do not need.

pub(crate) mod poles;
pub(crate) mod pulses;
pub(crate) mod value_edges;

use self::poles::Pole;
use self::pulses::Pulses;
use self::value_edges::ValueEdge;

/// What is looked for in every step of a mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct WithinSteps {
    /// Quotients among the computations that the rates need whose divisors may change their signs.
    pub(crate) poles: Vec<Pole>,
    /// Where the rates may have pulses.
    pub(crate) pulses: Pulses,
    /// Where values that the rates do not need may end.
    pub(crate) value_edges: Vec<ValueEdge>,
}
