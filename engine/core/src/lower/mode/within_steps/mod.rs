//! What the rates do within a step of a method, where the method need not see it: poles, ends of domains, pulses.

pub(crate) mod poles;
pub(crate) mod pulses;
