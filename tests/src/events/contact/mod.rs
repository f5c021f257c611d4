//! Bodies that touch, rest and stick.

mod cradle;
mod rest;
mod stick;
