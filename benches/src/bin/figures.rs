//! Measures what the README states about speed and prints it as Markdown: `cargo figures`.
//!
//! `cargo figures ticks` measures one of the parts: `ticks`, `sizes`, `text`, `models`, `start`, `row`,
//! `rewinding`, `families`.
//!
//! Stages and ticks are measured in processor time, the cold start of the program `situ`, which this
//! builds, in time on the wall.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use situ_bench::crowds;
use situ_bench::event_runs::{self, Engine};
use situ_bench::models;
use situ_bench::tables::{Bodies, Spelling};
use situ_bench::timing::{Times, in_turns, summary, timed};
use situ_bench::workloads::{self, RUN};
use situ_engine::ids::RealId;
use situ_engine::lower;
use situ_engine::sim::{EventConfig, EventRun, TickConfig, TickRun};
use situ_jit::{Jit, Options};
use situ_rules::check::{Budget, check};
use situ_rules::standalone;

fn main() {
    let parts: [(&str, fn()); 8] = [
        ("ticks", ticks),
        ("sizes", sizes),
        ("text", text_to_first_tick),
        ("models", schemes_and_parts),
        ("start", cold_start),
        ("row", first_row),
        ("rewinding", rewinding),
        ("families", families),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part();
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn nanoseconds(seconds: f64, count: u64) -> f64 {
    seconds * 1e9 / count as f64
}

fn ticks() {
    println!("Nanoseconds per tick, least (median) of 31 runs of {RUN} ticks, in turns:\n");
    println!("| | rules | interpreter | native | native, fast-math | Rust by hand | compiled in |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for workload in workloads::all() {
        let mut runs = [
            workload.simulation(),
            workload.native(false),
            workload.native(true),
        ];
        let start = runs[0].state().clone();
        let again = |run: &mut TickRun| {
            run.restore(&start);
            run.advance(RUN).expect("stays finite");
            std::hint::black_box(run.real(workload.shown[0]));
        };
        let [interpreter, native, fast_math] = &mut runs;
        let times = in_turns(
            31,
            [
                &mut || again(interpreter),
                &mut || again(native),
                &mut || again(fast_math),
                &mut || {
                    std::hint::black_box((workload.by_hand)(RUN));
                },
            ],
        );
        let cell = |times: Times| {
            let [min, median] = [times.min, times.median].map(|time| nanoseconds(time, RUN));
            format!("{min:.1} ({median:.1})")
        };
        let compiled = (0..9)
            .map(|_| timed(|| workload.native(false)).0)
            .fold(f64::MAX, f64::min);
        println!(
            "| {} | {} | {} | {:.1} ms |",
            workload.name,
            workload.model.relations.len(),
            times.map(cell).join(" | "),
            compiled * 1e3,
        );
    }
}

/// The stages, with the name of the column.
const STAGES: [&str; 7] = [
    "lines to model",
    "columns to model",
    "check",
    "model to tape",
    "one tick",
    "tape to native code",
    "one native tick",
];

fn sizes() {
    println!("\nNanoseconds per rule, the least of several runs:\n");
    println!("| rules | {} |", STAGES.join(" | "));
    println!("|{}", " --- |".repeat(STAGES.len() + 1));
    let mut extremes = [(f64::MAX, 0.0_f64); STAGES.len()];
    for size in [100, 1000, 10_000, 100_000, 1_000_000] {
        let times = stages(&Bodies::new(size, 1));
        for ((least, most), time) in extremes.iter_mut().zip(times) {
            *least = least.min(time);
            *most = most.max(time);
        }
        let cells = times.map(|time| format!("{time:.*}", usize::from(time < 10.0)));
        println!("| {size} | {} |", cells.join(" | "));
    }
    let ratios = extremes.map(|(least, most)| format!("{:.1}", most / least));
    println!("| most / least | {} |", ratios.join(" | "));
}

/// Time of each stage [ns per rule].
fn stages(bodies: &Bodies) -> [f64; STAGES.len()] {
    let n_rules = bodies.n_rules() as u64;
    let rounds = usize::try_from(300_000 / n_rules)
        .expect("small")
        .clamp(3, 300);
    let per_rule = |run: &mut dyn FnMut()| {
        let least = (0..rounds)
            .map(|_| timed(&mut *run).0)
            .fold(f64::MAX, f64::min);
        nanoseconds(least, n_rules)
    };
    let text = bodies.text(Spelling::Lines);
    let loaded = |text: &str| {
        per_rule(&mut || {
            std::hint::black_box(situ_rules::load("bodies.ron", text, &mut standalone));
        })
    };
    let from_lines = loaded(&text);
    let from_columns = loaded(&bodies.text(Spelling::Columns));
    let result = situ_rules::load("bodies.ron", &text, &mut standalone);
    let (model, origins) = (
        result.model.expect("the table has no mistakes"),
        result.origins,
    );
    let checked = per_rule(&mut || {
        std::hint::black_box(check(&model, &origins, Budget::default()));
    });
    let lowered = per_rule(&mut || {
        let (options, probes) = (lower::TickOptions::default(), lower::Probes::default());
        std::hint::black_box(lower::tick(&model, &options, &probes));
    });
    let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
    let mut run = TickRun::new(model, config).expect("starts");
    let ticks = (2_000_000 / n_rules).max(20);
    let tick = |run: &mut TickRun| {
        run.advance(ticks).expect("stays finite");
        let least = (0..9)
            .map(|_| timed(|| run.advance(ticks).expect("stays finite")).0)
            .fold(f64::MAX, f64::min);
        nanoseconds(least, ticks * n_rules)
    };
    let interpreted = tick(&mut run);
    let job = run.tick_job();
    let compile =
        || situ_jit::compile(&job, &Options::default()).expect("the machine is supported");
    let compiled = (0..rounds.min(9))
        .map(|_| timed(compile).0)
        .fold(f64::MAX, f64::min);
    run.compile_with(&Jit::at_once(Options::default()))
        .expect("the machine is supported");
    let native = tick(&mut run);
    let compiled = nanoseconds(compiled, n_rules);
    [
        from_lines,
        from_columns,
        checked,
        lowered,
        interpreted,
        compiled,
        native,
    ]
}

fn text_to_first_tick() {
    let bodies = Bodies::new(100_000, 1);
    for (spelling, name) in [(Spelling::Lines, "lines"), (Spelling::Columns, "columns")] {
        let text = bodies.text(spelling);
        let least = (0..5)
            .map(|_| {
                timed(|| {
                    let loaded = situ_rules::load("bodies.ron", &text, &mut standalone);
                    let model = loaded.model.expect("the table has no mistakes");
                    let found = check(&model, &loaded.origins, Budget::BRIEF);
                    let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
                    let mut run = TickRun::new(model, config).expect("starts");
                    run.advance(1).expect("stays finite");
                    (run, found)
                })
                .0
            })
            .fold(f64::MAX, f64::min);
        println!(
            "\n{} rules as {name} ({:.0} MB), from text to first tick, checked: {least:.2} s",
            bodies.n_rules(),
            text.len() as f64 / 1e6,
        );
    }
}

/// Parts and reactions: from text to the first step, the check, and POLLU beside its equations.
fn schemes_and_parts() {
    let least = |run: &mut dyn FnMut()| (0..7).map(|_| timed(&mut *run).0).fold(f64::MAX, f64::min);
    let parts = models::parts(10_000);
    let from_text = least(&mut || {
        let model = models::load(&parts)
            .model
            .expect("the table has no mistakes");
        let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
        let mut run = TickRun::new(model, config).expect("starts");
        run.advance(1).expect("stays finite");
        std::hint::black_box(run);
    });
    println!("\n10,000 parts of one table, from text to first step: {from_text:.2} s");
    for (what, text) in [
        ("none conserved", models::random_reactions(10_000, 5000)),
        ("149 laws", models::exchanges(10_000, [50, 100])),
    ] {
        let checked = least(&mut || {
            let loaded = models::load(&text);
            let model = loaded.model.expect("the table has no mistakes");
            std::hint::black_box(check(&model, &loaded.origins, Budget::BRIEF));
        });
        println!(
            "\n10,000 reactions among 5000 species, {what}: from text through laws and check {checked:.2} s"
        );
    }
    pollu();
}

/// A run of POLLU as reactions and as equations, in turns, with all modes made.
fn pollu() {
    let config = EventConfig::from_clock;
    for engine in [Engine::Interpreter, Engine::Native] {
        let mut runs = [models::POLLU, models::POLLU_EQUATIONS].map(|text| {
            let model = models::load(text).model.expect("the table has no mistakes");
            let config = config(&model.clock).expect("a stop is given");
            let mut run = EventRun::new(model, config).expect("starts");
            if engine == Engine::Native {
                run.compile_with(Arc::new(Jit::at_once(Options::default())));
            }
            let start = run.state();
            event_runs::rerun(&mut run, &start);
            for (name, value) in models::POLLU_AT_60 {
                let mut reals = run.model().reals.iter();
                let at = reals.position(|real| real.name == name).expect("declared");
                let found = run.real(RealId::new(at));
                assert!((found / value - 1.0).abs() < 1e-4, "{name}: {found}");
            }
            (run, start)
        });
        let [(scheme, scheme_start), (rows, rows_start)] = &mut runs;
        let [scheme, rows] = in_turns(
            101,
            [&mut || event_runs::rerun(scheme, scheme_start), &mut || {
                event_runs::rerun(rows, rows_start)
            }],
        );
        println!(
            "\nPOLLU, {engine:?}: {:.0} us as 25 reactions, {:.0} us as equations, ratio {:.2} ({:.2} of the medians)",
            scheme.min * 1e6,
            rows.min * 1e6,
            scheme.min / rows.min,
            scheme.median / rows.median,
        );
    }
}

/// The repository.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("this crate stands in the repository")
}

/// Builds the program `situ`, and says where it is.
fn program() -> PathBuf {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "situ-repl"])
        .current_dir(root())
        .status();
    assert!(built.is_ok_and(|built| built.success()), "`situ` is built");
    let own = std::env::current_exe().expect("this program has a path");
    own.with_file_name("situ")
}

/// From the start of the program to its plot, in time on the wall.
fn cold_start() {
    let program = program();
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let begin = Instant::now();
            let ended = Command::new(&program)
                .args(["run", "scenarios/hoop/table.ron"])
                .current_dir(root())
                .stderr(Stdio::null())
                .output()
                .expect("the program can be started");
            let took = begin.elapsed().as_secs_f64();
            assert!(ended.status.success());
            let text = String::from_utf8_lossy(&ended.stdout);
            assert!(text.contains("free_fall"), "it draws the situations");
            took
        })
        .collect();
    let Times { min, median } = summary(&mut times);
    println!(
        "\n`situ run scenarios/hoop/table.ron`, from start to plot: least {min:.3} s, median {median:.3} s"
    );
}

/// From the start of the program to the first row after the start, in time on the wall.
fn first_row() {
    let program = program();
    println!(
        "\nFrom the start of the program to its first row after the start, least and median:\n"
    );
    for options in [
        &["--engine", "interpreter"] as &[&str],
        &["--engine", "native"],
        &["--events", "--engine", "interpreter"],
        &["--events", "--engine", "native"],
    ] {
        let mut times: Vec<f64> = (0..21)
            .map(|_| time_to_first_row(&program, options))
            .collect();
        let Times { min, median } = summary(&mut times);
        println!(
            "- `situ run scenarios/cart/table.ron --out - {}`: {:.1} ms, {:.1} ms",
            options.join(" "),
            min * 1e3,
            median * 1e3
        );
    }
}

fn time_to_first_row(program: &Path, options: &[&str]) -> f64 {
    let begin = Instant::now();
    let mut run = Command::new(program)
        .args(["run", "scenarios/cart/table.ron", "--out", "-"])
        .args(options)
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let output = run.stdout.take().expect("its output goes here");
    let is_row =
        |line: &String| line.split(',').next().and_then(|time| time.parse().ok()) > Some(0.0);
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let row = lines.find(is_row);
    let took = begin.elapsed().as_secs_f64();
    assert!(row.is_some(), "it writes rows");
    drop(lines);
    // It may have ended by itself, or because nobody reads on.
    drop(run.kill());
    run.wait().expect("it was started");
    took
}

/// The prompt goes to random instants of a million ticks of the cart.
fn rewinding() {
    let mut console = situ_repl::console(None).expect("the interpreter is always there");
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}: {}", reply.text);
    };
    say("load scenarios/cart/table.ron");
    let (ran, ()) = timed(|| say("step 1000000"));
    let mut place = 1_u64;
    let mut times: Vec<f64> = (0..1000)
        .map(|_| {
            // A full period of a linear congruence modulo 10^6.
            place = (place * 3_141_421 + 271_829) % 1_000_000;
            let back = format!("back {}", 1 + place);
            let (time, ()) = timed(|| say(&back));
            say("goto end");
            time
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "\nThe prompt: {ran:.2} s for a million ticks of the cart; to any instant of them (1000 at random) in {:.0} us at most, {:.1} us in the median.",
        times[times.len() - 1] * 1e6,
        times[times.len() / 2] * 1e6,
    );
}

/// Ticks of families, interpreted, beside a loop by hand in the same run.
fn families() {
    println!(
        "\nNanoseconds per element and tick, the least of some runs, and bytes per element:\n"
    );
    println!(
        "| | elements | interpreter | Rust by hand | ratio | from text to first tick | bytes |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for crowd in crowds::ALL {
        for n in [1000, 100_000, 1_000_000] {
            let before = resident();
            let (text, mut run) = timed(|| {
                let loaded = models::load(&(crowd.table)(n));
                let model = loaded.model.expect("the table has no mistakes");
                let config = TickConfig::from_clock(&model.clock).expect("a clock is given");
                let mut run = TickRun::new(model, config).expect("starts");
                run.advance(1).expect("stays finite");
                run
            });
            let bytes = (resident() - before) / n as f64;
            let mut values = (crowd.start)(n);
            let mut room = values.clone();
            (crowd.tick)(&mut values, &mut room);
            let ticks = (20_000_000 / n as u64).clamp(20, 2000);
            let [interpreter, by_hand] = in_turns(
                9,
                [
                    &mut || run.advance(ticks).expect("stays finite"),
                    &mut || (0..ticks).for_each(|_| (crowd.tick)(&mut values, &mut room)),
                ],
            );
            let first = run
                .model()
                .real(crowd.shown)
                .expect("the table declares it");
            let reals = &run.row().reals[first.index()..];
            let begin = values.len() - n.min(values.len()) - usize::from(values.len() > n);
            assert_eq!(reals[..n], values[begin..begin + n], "{}", crowd.name);
            let [own, other] =
                [interpreter, by_hand].map(|times| nanoseconds(times.min, ticks * n as u64));
            println!(
                "| {} | {n} | {own:.2} | {other:.2} | {:.1} | {text:.2} s | {bytes:.0} |",
                crowd.name,
                own / other,
            );
        }
    }
}

/// Memory of this process in bytes.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(f64::NAN) * 4096.0
}
