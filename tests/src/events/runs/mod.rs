//! The same events under every method and engine, and from every state that was kept.

pub(crate) mod courses;
mod limit;
mod methods;
pub(crate) mod native;
pub(crate) mod replay;
mod series;
