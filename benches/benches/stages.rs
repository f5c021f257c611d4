//! From text to tape, stage by stage, for tables of 10^2 to 10^6 rules.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situ_bench::tables::{Bodies, Spelling};
use situ_engine::lower;
use situ_engine::sim::{TickConfig, TickRun};
use situ_rules::check::{Budget, check};
use situ_rules::{Severity, SourceMap, parse, resolve, standalone};

const SIZES: [usize; 5] = [100, 1000, 10_000, 100_000, 1_000_000];

fn stages(criterion: &mut Criterion) {
    for size in SIZES {
        let bodies = Bodies::new(size, 1);
        let n_rules = bodies.n_rules();
        let case = format!("bodies-{size}");
        let mut bench = |stage: &str, variant: &str, run: &mut dyn FnMut()| {
            let mut group = criterion.benchmark_group(stage);
            group.throughput(Throughput::Elements(n_rules as u64));
            if size >= 100_000 {
                group.sample_size(10);
            }
            group.bench_function(BenchmarkId::new(&case, variant), |bencher| {
                bencher.iter(&mut *run);
            });
            group.finish();
        };
        for (spelling, variant) in [(Spelling::Lines, "lines"), (Spelling::Columns, "columns")] {
            let mut sources = SourceMap::default();
            let source = sources.add("bodies.ron", bodies.text(spelling));
            bench("parse", variant, &mut || {
                let (table, mistakes) = parse::table(&sources, source);
                let table = table.expect("the text is a table");
                assert!(mistakes.is_empty());
                assert_eq!(rows(&table), n_rules);
            });
        }
        let mut sources = SourceMap::default();
        let source = sources.add("bodies.ron", bodies.text(Spelling::Lines));
        let tables = [parse::table(&sources, source)
            .0
            .expect("the text is a table")];
        bench("resolve", "lines", &mut || {
            let resolved = resolve::resolve(&tables, &sources, &situ_rules::Data::default());
            let model = resolved.model.expect("names are declared");
            assert_eq!(model.relations.len(), tables[0].relations.len());
        });
        let text = bodies.text(Spelling::Lines);
        let loaded = situ_rules::load("bodies.ron", &text, &mut standalone);
        let model = loaded.model.expect("the table has no mistakes");
        bench("check", "every row", &mut || {
            let found = check(&model, &loaded.origins, Budget::default());
            assert!(
                found
                    .iter()
                    .all(|finding| finding.severity != Severity::Error)
            );
            black_box(found);
        });
        let options = lower::TickOptions::default();
        bench("lower", "tick", &mut || {
            let program = lower::tick(&model, &options, &lower::Probes::default());
            assert!(program.tape.ops.len() >= n_rules);
        });
        let model = Arc::new(model);
        let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
        bench("start", "first tick", &mut || {
            let mut run = TickRun::new(Arc::clone(&model), config.clone()).expect("starts");
            run.advance(1).expect("stays finite");
            assert_eq!(run.tick(), 1);
        });
    }
}

fn rows(table: &situ_rules::tree::Table) -> usize {
    table.ranges.len() + table.situations.len() + table.assignments.len() + table.relations.len()
}

criterion_group!(benches, stages);
criterion_main!(benches);
