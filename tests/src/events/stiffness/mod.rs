//! Stiff systems, and flows whose slope is infinite where they end.

mod diffusion;
mod grids;
mod orifice;
mod stiff;
mod valves;
