//! Lowering: a model becomes a tape.

pub(crate) mod affine;
pub(crate) mod border;
pub(crate) mod coupling;
pub(crate) mod domains;
mod emit;
pub(crate) mod flow;
pub(crate) mod history;
mod implicit;
mod jacobian;
pub(crate) mod mode;
pub(crate) mod projection;
pub(crate) mod row;
pub(crate) mod scan;
pub(crate) mod subsystems;
pub mod tick;

pub use domains::without_value;
pub(crate) use tick::{Asked, Asker, beside_time};
pub use tick::{ClockSlots, ProbeSlots, Probes, Program, TickOptions, tick};
