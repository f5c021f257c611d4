//! Runs one workload many times, for a profiler: `probe H3 dop853 1e-8 1000 [native]`; so many runs of an ensemble in
//! lanes on one core: `probe RLC auto 1e-6 1000000`; a sweep of ticks so many times: `probe T1 - - 40`; or a hundred
//! instants of a table with so many ranges: `probe thresholds auto 1e-6 2000`, `probe quantities auto 1e-6 2000`.

use std::sync::Arc;

use situ_bench::workloads::{self, LANES, RUN};
use situ_bench::{crossings, ensembles, event_runs, hybrid};
use situ_engine::Method;
use situ_jit::{Jit, Options};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().unwrap_or_default();
    let (name, method, tolerance, times) = (next(), next(), next(), next());
    let is_native = next() == "native";
    let times = times.parse().expect("a number");
    let core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let core = core.expect("a thread can be made");
    if let Some(workload) = workloads::all().iter().find(|w| w.name == name) {
        let runs = workload.sweep(LANES, RUN);
        for _ in 0..times {
            core.install(|| runs.run(&|| false));
        }
        return;
    }
    let method = Method::by_name(&method).expect("a method");
    let tolerance = tolerance.parse().expect("a number");
    if let Some(ensemble) = ensembles::all().iter().find(|e| e.name == name) {
        let runs = ensemble.slice(times, method, tolerance);
        core.install(|| runs.run(&|| false));
        return;
    }
    if let Some(kind) = crossings::Kind::by_name(&name) {
        let mut run = kind.start(times, method, tolerance);
        run.run(&mut ()).expect("runs");
        return;
    }
    let workloads = hybrid::all();
    let workload = workloads.iter().find(|w| w.name == name);
    let workload = workload.expect("H1 to H5, T1 to T3, an ensemble, thresholds or quantities");
    let mut run = workload.start(workload.config(method, tolerance));
    if is_native {
        run.compile_with(Arc::new(Jit::at_once(Options::default())));
    }
    let start = run.state();
    for _ in 0..times {
        event_runs::rerun(&mut run, &start);
    }
}
