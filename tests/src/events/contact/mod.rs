//! Bodies that touch, rest and stick.

mod accumulation;
mod blows;
mod cradle;
mod rest;
mod stacked;
mod stick;
