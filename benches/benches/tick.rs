//! The tick, interpreted and in native code: three small tables against the same loops written by hand, and tables of
//! 10^2 to 10^6 rules.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situ_bench::tables::Bodies;
use situ_bench::workloads::{self, RUN};
use situ_engine::ids::RealId;
use situ_engine::sim::{TickConfig, TickRun};
use situ_jit::{Jit, Options};

fn workloads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tick");
    group.throughput(Throughput::Elements(RUN));
    for workload in workloads::all() {
        let expected = (workload.by_hand)(RUN);
        let near = |value: f64, expected: f64| (value - expected).abs() <= 1e-6 * expected.abs();
        let start = workload.simulation().state().clone();
        for (engine, mut run) in [
            ("interpreter", workload.simulation()),
            ("native", workload.native(false)),
            ("native fast-math", workload.native(true)),
        ] {
            group.bench_function(BenchmarkId::new(workload.name, engine), |bencher| {
                bencher.iter(|| {
                    run.restore(&start);
                    run.advance(RUN).expect("stays finite");
                    assert!(near(run.real(workload.shown[0]), expected[0]));
                });
            });
        }
        group.bench_function(BenchmarkId::new(workload.name, "by hand"), |bencher| {
            bencher.iter(|| assert!(near((workload.by_hand)(RUN)[0], expected[0])));
        });
    }
    group.finish();
}

fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tick");
    for size in [100, 1000, 10_000, 100_000, 1_000_000] {
        let bodies = Bodies::new(size, 1);
        let model = bodies.model();
        let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
        let mut run = TickRun::new(model, config).expect("starts");
        // As many ticks as make a million rules, but not too few for native code.
        let ticks = (1_000_000 / size).max(16) as u64;
        group.throughput(Throughput::Elements(ticks * bodies.n_rules() as u64));
        for engine in ["interpreter", "native"] {
            if engine == "native" {
                let compiled = run.compile_with(&Jit::at_once(Options::default()));
                compiled.expect("this machine is supported");
            }
            group.bench_function(
                BenchmarkId::new(format!("bodies-{size}"), engine),
                |bencher| {
                    bencher.iter(|| {
                        run.advance(ticks).expect("stays finite");
                        assert!(run.real(RealId(0)).abs() < 10.0);
                    });
                },
            );
        }
    }
    group.finish();
}

criterion_group!(benches, workloads, sizes);
criterion_main!(benches);
