//! Timing by processor time, several things in turns.

/// Processor time that this process has used (in seconds). Unlike time on the wall it does not count what
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

/// The processor time that something takes (in seconds), and its result.
pub fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let begin = cpu_time();
    let result = run();
    (cpu_time() - begin, result)
}

/// Time that something took, over several runs (in seconds).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// The shortest run.
    pub min: f64,
    /// The median.
    pub median: f64,
}

/// Runs all of these in turns, once to warm up and then `rounds` times: what slows the machine down
/// for a while slows all of them down.
pub fn in_turns<const N: usize>(rounds: usize, mut runs: [&mut dyn FnMut(); N]) -> [Times; N] {
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for run in &mut runs {
        run();
    }
    for _ in 0..rounds.max(1) {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            times.push(timed(&mut *run).0);
        }
    }
    times.map(|mut times| summary(&mut times))
}

/// Least and median of some times; sorts them.
///
/// # Panics
/// If there are none.
pub fn summary(times: &mut [f64]) -> Times {
    times.sort_by(f64::total_cmp);
    Times {
        min: times[0],
        median: times[times.len() / 2],
    }
}
