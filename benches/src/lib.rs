//! What the benchmarks run: the tick workloads T1 to T3 as models and as loops written by hand.

pub mod tables;
pub mod workloads;

/// Processor time that this process has used, in seconds. Unlike time on the wall it does not count what
/// other programs do on the same machine.
pub fn cpu_time() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "a few hours of seconds")]
    let seconds = time.tv_sec as f64;
    #[expect(clippy::cast_precision_loss, reason = "fewer than 10^9")]
    let nanoseconds = time.tv_nsec as f64;
    seconds + nanoseconds * 1e-9
}
