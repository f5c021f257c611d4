//! What the benchmarks run: the tick workloads T1 to T3 as models and as loops written by hand.

pub mod workloads;
