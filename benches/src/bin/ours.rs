//! Runs our side of the workloads and prints one JSON line per result, in the format of the
//! harness that runs the peers: `ours T`.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use situ_bench::{cpu_time, workloads};
use situ_engine::sim::{RunConfig, Simulation};

/// Ticks of one run; a new run begins from the start values, so that nothing decays.
const TICKS: u64 = 100_000;

fn main() {
    for workload in workloads::all() {
        let config = RunConfig::from_clock(&workload.model.clock).expect("a clock is given");
        let mut check = Simulation::new(workload.model.clone(), config.clone()).expect("starts");
        check.advance(2000).expect("stays finite");
        let expected = (workload.by_hand)(2000);
        let error = workload
            .shown
            .iter()
            .zip(expected)
            .fold(0.0_f64, |worst, (&real, value)| {
                worst.max(((check.real(real) - value) / value).abs())
            });
        let start = Simulation::new(workload.model.clone(), config).expect("starts");
        let interpreter = nanoseconds_per_tick(|| {
            let mut run = start.clone();
            run.advance(TICKS).expect("stays finite");
            std::hint::black_box(run.real(workload.shown[0]));
        });
        let by_hand = nanoseconds_per_tick(|| {
            std::hint::black_box((workload.by_hand)(TICKS));
        });
        for (peer, value, err) in [
            ("situ interpreter", interpreter, error),
            ("Rust by hand", by_hand, 0.0),
        ] {
            println!(
                "{{\"workload\": \"T\", \"model\": \"{}\", \"peer\": \"{peer}\", \"tol\": null, \
                 \"value\": {value:.4}, \"unit\": \"ns/tick\", \"err\": {err:e}, \"notes\": \"{}\"}}",
                workload.name,
                format_args!("{:.2} of the loop by hand", value / by_hand),
            );
        }
    }
}

/// Median of seven timings of ten runs each.
fn nanoseconds_per_tick(mut run: impl FnMut()) -> f64 {
    run();
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let begin = cpu_time();
            for _ in 0..10 {
                run();
            }
            (cpu_time() - begin) / 10.0 * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let ticks = TICKS as f64;
    times[times.len() / 2] / ticks
}
