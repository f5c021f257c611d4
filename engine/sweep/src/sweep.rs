//! A design becomes runs, slice by slice.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use situ_engine::sim::PreparedModel;

use crate::design::Design;
use crate::sizes::Resize;
use crate::slice::{Done, Keep, Slice};

/// Rows that are run together, at first and at most: so many per thread.
/// Threads wait for each other only at the end of a slice, and an interruption loses no more than a slice.
const ROWS_PER_THREAD: [usize; 2] = [64, 4096];

/// Slices that take less time are followed by larger ones.
const SHORT: Duration = Duration::from_millis(100);

/// The rows of trajectories that a slice holds at most, as far as the slice before it tells.
const MOST_KEPT: usize = 200_000;

/// Runs a design from a row on, slice by slice; each result is handed over once, in order. Ends early if
/// `broken` says so, or if `take` breaks off. The number of runs that were handed over. Rows that give families other
/// sizes have models that `resize` makes; without it they are refused.
///
/// Memory: that of one slice, which is at most 4096 runs per thread, whatever the size of the design (where
/// rows are kept, about 200,000 of them, or one run per thread), besides the permutations of a Latin
/// hypercube (8 bytes per run and drawn axis).
pub fn sweep(
    template: &PreparedModel,
    design: &Design,
    from: u64,
    keep: Keep,
    resize: Option<&Resize<'_>>,
    broken: &(dyn Fn() -> bool + Sync),
    take: &mut dyn FnMut(&[Done]) -> ControlFlow<()>,
) -> u64 {
    let mut rows = design.rows(from);
    let threads = rayon::current_num_threads();
    let [mut size, mut most] = ROWS_PER_THREAD.map(|rows| rows * threads);
    if keep == Keep::Rows {
        size = threads;
    }
    let mut first = from;
    loop {
        let begin = Instant::now();
        let rows: Vec<Vec<f64>> = rows.by_ref().take(size).collect();
        let wanted = rows.len();
        let slice = Slice {
            template: template.clone(),
            inputs: design.inputs().to_vec(),
            first,
            rows,
            keep,
        };
        let done = match resize {
            Some(resize) => slice.run_resized(resize, broken),
            None => slice.run(broken),
        };
        let rows_of = |done: &Done| done.trace.as_ref().map_or(0, |trace| trace.time.len());
        if let Some(longest) = done.iter().map(rows_of).max().filter(|rows| *rows > 0) {
            most = (MOST_KEPT / longest).max(threads);
        }
        first += done.len() as u64;
        let over = done.len() < wanted || wanted == 0;
        if (!done.is_empty() && take(&done).is_break()) || over {
            return first - from;
        }
        if begin.elapsed() < SHORT {
            size *= 2;
        }
        size = size.min(most);
    }
}
