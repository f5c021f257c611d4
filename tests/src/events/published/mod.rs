//! Published examples, and what the semantics say in closed form.

mod hard;
mod isma;
mod micro;
mod paper;
pub(crate) mod stand;
mod travin;
