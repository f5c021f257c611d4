//! Runs our side of the workloads and prints one JSON line per result, in the format of the
//! harness that runs the peers: `run.py T H S E --ours target/release/ours` calls `ours T`, `ours H`, `ours S` and `ours E`.
//! `ours D` is the side of `benches/rivals`; `ours D MODEL` one of its models, and the plates of diodes only so.
//! Workloads that we do not run print nothing.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::fmt::Write;

use situ_bench::ensembles;
use situ_bench::event_runs::{self, Engine};
use situ_bench::hybrid::{self, METHODS, TOLERANCES};
use situ_bench::implicit;
use situ_bench::stiff::{self, Stiff};
use situ_bench::timing::{in_turns, timed};
use situ_bench::workloads::{self, LANES, RUN};
use situ_engine::Method;
use situ_engine::sim::{State, TickRun};

/// Why writing to a text cannot fail.
const STRING: &str = "strings take everything";

fn main() {
    let asked = std::env::args().nth(1);
    let wanted = |workload| asked.as_deref().is_none_or(|asked| asked == workload);
    if wanted("T") {
        ticks();
        sweeps_of_ticks();
    }
    if wanted("H") {
        hybrids();
    }
    if wanted("S") {
        for workload in stiff::all() {
            smooth("S", &workload, &stiff::METHODS);
        }
    }
    if wanted("D") {
        equations_and_delays(std::env::args().nth(2).as_deref());
    }
    if wanted("E") {
        sweeps_of_steps();
    }
}

fn sweeps_of_steps() {
    let threads = rayon::current_num_threads();
    for ensemble in ensembles::all() {
        for runs in [10_000, 100_000] {
            for tolerance in ensembles::TOLERANCES {
                for method in ensembles::METHODS {
                    let slice = ensemble.slice(runs, method, tolerance);
                    let err = ensemble.error(&slice.run(&|| false));
                    let mut wall = f64::INFINITY;
                    let [times] = in_turns(
                        5,
                        [&mut || {
                            let begin = std::time::Instant::now();
                            std::hint::black_box(slice.run(&|| false));
                            wall = wall.min(begin.elapsed().as_secs_f64());
                        }],
                    );
                    println!(
                        "{{\"workload\": \"E\", \"model\": \"{} x{runs}\", \"peer\": \"situ sweep {}\", \"tol\": {tolerance:e}, \
                         \"value\": {:.4}, \"unit\": \"us CPU/run\", \"err\": {err:e}, \
                         \"notes\": \"{threads} threads, least {:.4}, least wall {wall:.3} s\"}}",
                        ensemble.name,
                        method.name(),
                        times.median / f64::from(runs) * 1e6,
                        times.min / f64::from(runs) * 1e6,
                    );
                }
            }
        }
    }
}

fn hybrids() {
    for workload in hybrid::all() {
        for (method, tolerance) in METHODS.iter().flat_map(|&m| TOLERANCES.map(|tol| (m, tol))) {
            let config = workload.config(method, tolerance);
            let outcome = workload.outcome(&config);
            let [found, exact] = outcome.events;
            let mut notes = match outcome.follows {
                Some(follows) => format!(
                    "{found} bounces of {exact}; follows the exact ones for {follows} bounces; err is energy drift"
                ),
                None if found == exact => format!("{found} events"),
                None => format!("{found} events, exact {exact}"),
            };
            let (steps, rates) = (outcome.steps, outcome.rates);
            write!(notes, "; {steps} steps {rates} rhs; modes made before").expect(STRING);
            for (engine, called) in Engine::ALL {
                // Where rates are a matrix there is no native code.
                let Some(times) = event_runs::time(&workload.model, &config, engine, 9) else {
                    continue;
                };
                let first = event_runs::cold(&workload.model, &config, engine) * 1e6;
                let name = method.name();
                println!(
                    "{{\"workload\": \"H\", \"model\": \"{}\", \"peer\": \"{called} {name}\", \"tol\": {tolerance:e}, \
                     \"value\": {:.5e}, \"unit\": \"s\", \"err\": {:e}, \"notes\": \"{notes}, with making them {first:.0} us\"}}",
                    workload.name, times.median, outcome.error,
                );
            }
        }
    }
}

fn equations_and_delays(asked: Option<&str>) {
    for name in implicit::NAMES {
        // A plate takes minutes.
        if asked.map_or(!name.starts_with("DIODES"), |asked| asked == name) {
            let (workload, methods) = implicit::named(name);
            smooth("D", &workload, methods);
        }
    }
    for row in implicit::rows() {
        if asked.is_none_or(|asked| asked == row.name) {
            solved_row(&row);
        }
    }
}

/// Ticks of a table with one row that is solved.
fn solved_row(row: &implicit::SolvedRow) {
    let runs = [
        ("situ interpreter", Some(row.interpreted())),
        ("situ native", row.native()),
    ];
    for (peer, run) in runs {
        let Some(mut run) = run else {
            continue;
        };
        let [times] = in_turns(
            15,
            [&mut || {
                run.advance(RUN).expect("stays finite");
            }],
        );
        println!(
            "{{\"workload\": \"D\", \"model\": \"{}\", \"peer\": \"{peer}\", \"tol\": null, \"value\": {:.4}, \
             \"unit\": \"ns/tick\", \"err\": null, \"notes\": \"a tick of two rows, one of them solved; least {:.4}\"}}",
            row.name,
            times.median / workloads::RUN_SECONDS_PER_NS,
            times.min / workloads::RUN_SECONDS_PER_NS,
        );
    }
}

/// Runs without events by all methods that suit them.
fn smooth(letter: &str, workload: &Stiff, methods: &[Method]) {
    for (method, tolerance) in methods
        .iter()
        .flat_map(|&m| stiff::TOLERANCES.map(|tol| (m, tol)))
    {
        if !workload.takes(method, tolerance) {
            continue;
        }
        let config = workload.config(method, tolerance);
        let Some(outcome) = workload.outcome(&config) else {
            println!(
                "# {} {} {tolerance:e}: no result",
                workload.name,
                method.name()
            );
            continue;
        };
        for (engine, called) in Engine::ALL {
            let first = event_runs::cold(&workload.model, &config, engine);
            let rounds = if first > 1.0 { 1 } else { 5 };
            let Some(times) = event_runs::time(&workload.model, &config, engine, rounds) else {
                continue;
            };
            let mut notes = format!(
                "{} steps {} rhs; modes made before, with making them {:.0} us",
                outcome.steps,
                outcome.rates,
                first * 1e6,
            );
            if letter == "D" {
                let (start, _) = timed(|| event_runs::start(&workload.model, &config, engine));
                let (text, _) = timed(|| event_runs::cold(&workload.read(), &config, engine));
                write!(
                    notes,
                    "; {} factorisations, start {:.0} us, from text to result {:.0} us",
                    outcome.factorisations,
                    start * 1e6,
                    text * 1e6,
                )
                .expect(STRING);
            }
            println!(
                "{{\"workload\": \"{letter}\", \"model\": \"{}\", \"peer\": \"{called} {}\", \"tol\": {tolerance:e}, \
                 \"value\": {:.5e}, \"unit\": \"s\", \"err\": {:e}, \"notes\": \"{notes}\"}}",
                workload.name,
                method.name(),
                times.median,
                outcome.error,
            );
        }
    }
}

fn sweeps_of_ticks() {
    let core = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let core = core.expect("a thread can be made");
    for workload in workloads::all() {
        let checked = workload.sweep(LANES, 2000);
        let ends = core.install(|| checked.run(&|| false));
        let expected = (workload.by_hand)(2000);
        let difference = |(value, expected): (&Option<f64>, f64)| {
            ((value.unwrap_or(f64::NAN) - expected) / expected).abs()
        };
        let err = ends[0].measured.iter().zip(expected).map(difference);
        let err = err.fold(0.0, f64::max);
        let slice = workload.sweep(LANES, RUN);
        let [times] = in_turns(
            15,
            [&mut || {
                std::hint::black_box(core.install(|| slice.run(&|| false)));
            }],
        );
        let per_run = 1.0 / (f64::from(LANES) * workloads::RUN_SECONDS_PER_NS);
        println!(
            "{{\"workload\": \"T\", \"model\": \"{}\", \"peer\": \"situ sweep, {LANES} lanes\", \"tol\": null, \
             \"value\": {:.4}, \"unit\": \"ns/tick\", \"err\": {err:e}, \
             \"notes\": \"per instance, all of a sweep but its output; least {:.4}\"}}",
            workload.name,
            times.median * per_run,
            times.min * per_run,
        );
    }
}

fn ticks() {
    for workload in workloads::all() {
        let mut runs = [
            workload.simulation(),
            workload.native(false),
            workload.native(true),
        ];
        let errors = runs.clone().map(|run| workload.error(run));
        let again = |run: &mut TickRun, start: &State| {
            run.restore(start);
            run.advance(RUN).expect("stays finite");
            std::hint::black_box(run.real(workload.shown[0]));
        };
        let start = runs[0].state().clone();
        let [interpreter, native, fast_math] = &mut runs;
        let times = in_turns(
            15,
            [
                &mut || again(interpreter, &start),
                &mut || again(native, &start),
                &mut || again(fast_math, &start),
                &mut || {
                    std::hint::black_box((workload.by_hand)(RUN));
                },
            ],
        );
        let peers = ["situ interpreter", "situ native", "situ native fast-math"];
        let by_hand = times[3];
        let peers = peers.into_iter().zip(errors).chain([("Rust by hand", 0.0)]);
        for ((peer, err), times) in peers.zip(times) {
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
