//! Bodies that touch, rest and stick.

mod accumulation;
mod cradle;
mod rest;
mod stacked;
mod stick;
