//! Runs our side of the workloads and prints one JSON line per result, in the format of the
//! harness that runs the peers: `ours T`. Workloads that we do not run print nothing.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use situ_bench::timing::in_turns;
use situ_bench::workloads::{self, RUN};

fn main() {
    if std::env::args()
        .nth(1)
        .is_none_or(|workload| workload == "T")
    {
        ticks();
    }
}

fn ticks() {
    for workload in workloads::all() {
        let start = workload.simulation();
        let [interpreter, by_hand] = in_turns(
            15,
            [
                &mut || {
                    let mut run = start.clone();
                    run.advance(RUN).expect("stays finite");
                    std::hint::black_box(run.real(workload.shown[0]));
                },
                &mut || {
                    std::hint::black_box((workload.by_hand)(RUN));
                },
            ],
        );
        for (peer, times, err) in [
            ("situ interpreter", interpreter, workload.error()),
            ("Rust by hand", by_hand, 0.0),
        ] {
            println!(
                "{{\"workload\": \"T\", \"model\": \"{}\", \"peer\": \"{peer}\", \"tol\": null, \
                 \"value\": {:.4}, \"unit\": \"ns/tick\", \"err\": {err:e}, \
                 \"notes\": \"{:.2} of the loop by hand; least {:.2}\"}}",
                workload.name,
                times.median / workloads::RUN_SECONDS_PER_NS,
                times.median / by_hand.median,
                times.min / workloads::RUN_SECONDS_PER_NS,
            );
        }
    }
}
