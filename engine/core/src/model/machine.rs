//! Machines: which switches and events of a model are states and transitions, for all that speaks in their words.

use crate::ids::{Origin, SituationId, SwitchId};

/// A machine. The rows of the model say the same: nothing here is needed to run it.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its states, of which one is true at a time.
    pub states: Vec<SwitchId>,
    /// Its transitions, in written order.
    pub transitions: Vec<Transition>,
}

/// A transition of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// Its id.
    pub id: String,
    /// The state that it leaves.
    pub from: SwitchId,
    /// The event as which it fires.
    pub event: SituationId,
    /// Place in the source.
    pub origin: Origin,
}
