//! Everything that must pass before a change lands, in one command: `cargo verify`.
//!
//! Runs one cargo command after the other and stops at the first that fails. At the end it says how long each
//! took, and which tests took longest.

#![expect(clippy::print_stdout, reason = "it tells what it runs")]

mod page;
mod python;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// One command.
struct Step {
    name: &'static str,
    /// Arguments of cargo.
    arguments: &'static str,
    /// Environment variables to set.
    variables: &'static [(&'static str, &'static str)],
}

const fn step(name: &'static str, arguments: &'static str) -> Step {
    Step {
        name,
        arguments,
        variables: &[],
    }
}

const STEPS: &[Step] = &[
    step("formatting", "fmt --all --check"),
    step(
        "lints",
        "clippy --workspace --all-targets -- --deny warnings",
    ),
    // Of the whole workspace, so that what is built of others differs little from the lints before.
    step(
        "no feature",
        "clippy --workspace --lib --bins --examples --no-default-features -- --deny warnings",
    ),
    step(
        "feature native",
        "clippy --workspace --lib --bins --examples --no-default-features --features situ-repl/native -- --deny warnings",
    ),
    step(
        "feature parquet",
        "clippy --workspace --lib --bins --examples --no-default-features --features situ-repl/parquet -- --deny warnings",
    ),
    step(
        "features png, page",
        "clippy --workspace --lib --bins --examples --no-default-features --features situ-repl/png,situ-repl/page -- --deny warnings",
    ),
    // Only nightly tells how long a test takes, unless it is told otherwise (`runner`).
    step(
        "tests",
        "test --workspace --bins --tests --examples -- -Zunstable-options --report-time",
    ),
    step("tests of examples", "test --workspace --doc --quiet"),
    // With the tests, so that everything below it is built already.
    step(
        "module for Python",
        "build --workspace --lib --tests --quiet",
    ),
    Step {
        variables: &[("RUSTDOCFLAGS", "--deny warnings")],
        ..step("documentation", "doc --workspace --no-deps --quiet")
    },
];

/// So many tests are named.
const SLOWEST: usize = 10;

/// A test with its seconds.
type Timed = (f64, String);

fn main() -> ExitCode {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let begin = Instant::now();
    let mut seconds = Vec::new();
    let mut tests: Vec<Timed> = Vec::new();
    for step in STEPS {
        println!("== {}: cargo {}", step.name, step.arguments);
        let start = Instant::now();
        let passed = match run(&cargo, step, &mut tests) {
            Ok(passed) => passed,
            Err(error) => {
                println!("== {}: cargo cannot be run: {error}", step.name);
                return ExitCode::FAILURE;
            }
        };
        if !passed {
            println!("== {}: FAILED", step.name);
            return ExitCode::FAILURE;
        }
        let took = start.elapsed().as_secs_f64();
        println!("== {}: passed in {took:.0} s", step.name);
        seconds.push((took, step.name));
    }
    let start = Instant::now();
    match python::test() {
        Ok(said) => println!("== package for Python: {said}"),
        Err(why) => {
            println!("== package for Python: FAILED, {why}");
            return ExitCode::FAILURE;
        }
    }
    seconds.push((start.elapsed().as_secs_f64(), "package for Python"));
    let start = Instant::now();
    match page::test(&cargo) {
        Ok(said) => println!("== page: {said}"),
        Err(why) => {
            println!("== page: FAILED, {why}");
            return ExitCode::FAILURE;
        }
    }
    seconds.push((start.elapsed().as_secs_f64(), "page"));
    println!("== seconds of each step");
    for (took, name) in seconds {
        println!("{took:>8.0}  {name}");
    }
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("== seconds of the slowest tests, of {}", tests.len());
    for (took, name) in tests.iter().take(SLOWEST) {
        println!("{took:>8.1}  {name}");
    }
    println!("== all passed in {:.0} s", begin.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Runs a step: whether it passed. Its tests are added with their seconds, and what it prints is handed on but
/// for tests that passed.
fn run(cargo: &str, step: &Step, tests: &mut Vec<Timed>) -> std::io::Result<bool> {
    let mut command = Command::new(cargo);
    command.args(step.arguments.split(' '));
    command.envs(step.variables.iter().copied());
    command.envs(runner());
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            match timed(&line) {
                Some(test) => tests.push(test),
                None if !line.ends_with("... ignored") => println!("{line}"),
                None => {}
            }
        }
    }
    Ok(child.wait()?.success())
}

/// Runner that lets the tests of a stable compiler say how long they took, without building anything another way.
fn runner() -> Option<(String, &'static str)> {
    if !cfg!(unix) {
        return None;
    }
    let said = Command::new("rustc").arg("-vV").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "))?;
    let host = host.to_uppercase().replace('-', "_");
    Some((
        format!("CARGO_TARGET_{host}_RUNNER"),
        "env RUSTC_BOOTSTRAP=1",
    ))
}

/// `test name ... ok <1.234s>`
fn timed(line: &str) -> Option<Timed> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ok <")?;
    let seconds = rest.strip_suffix("s>")?.parse().ok()?;
    Some((seconds, name.to_owned()))
}
