//! Workloads of the benchmarks, and their timing.
//!
//! - [`workloads`]: the tick workloads T1 to T3 as models and as loops written by hand
//! - [`crossings`]: many ranges, of which one turns at a time
//! - [`crowds`]: families of any size in ticks
//! - [`ensembles`]: sweeps of adaptive runs
//! - [`hybrid`]: the event-accurate workloads H1 to H5
//! - [`stiff`]: the stiff workloads
//! - [`implicit`]: equations that are solved, and delays
//! - [`event_runs`]: runs in exact time and how long they take
//! - [`tables`]: tables of any size
//! - [`models`]: large models of parts and of reactions, and POLLU
//! - [`lines`]: the harness' result lines, read back
//!
//! `cargo bench -p situ-bench` measures the stages and the tick with criterion;
//! `cargo run --release -p situ-bench --bin figures` prints the tables of the README;
//! `ours` speaks the line format of the harness that runs other programs on the same workloads.

pub mod crossings;
pub mod crowds;
pub mod ensembles;
pub mod event_runs;
pub mod hybrid;
pub mod implicit;
pub mod lines;
pub mod models;
pub mod stiff;
pub mod tables;
pub mod timing;
pub mod workloads;
