//! Runs one workload many times, for a profiler: `probe H3 dop853 1e-8 1000 [native]`.

use std::sync::Arc;

use situ_bench::hybrid;
use situ_engine::solve::Method;
use situ_jit::StepsAtOnce;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().unwrap_or_default();
    let (name, method, tolerance, times) = (next(), next(), next(), next());
    let is_native = next() == "native";
    let workloads = hybrid::all();
    let workload = workloads.iter().find(|w| w.name == name).expect("H1 to H5");
    let method = Method::by_name(&method).expect("a method");
    let config = workload.config(method, tolerance.parse().expect("a number"));
    let mut run = workload.start(config);
    if is_native {
        run.plug_in(Arc::new(StepsAtOnce));
    }
    let start = run.state();
    for _ in 0..times.parse().expect("a number") {
        hybrid::rerun(&mut run, &start);
    }
}
