//! Everything that must pass before a change lands, in one command: `cargo verify`.
//!
//! Runs one cargo command after the other and stops at the first that fails.

#![expect(clippy::print_stdout, reason = "it tells what it runs")]

use std::process::{Command, ExitCode};
use std::time::Instant;

/// One command.
struct Step {
    name: &'static str,
    /// Arguments of cargo.
    arguments: &'static [&'static str],
    /// Environment variables to set.
    variables: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step {
        name: "formatting",
        arguments: &["fmt", "--all", "--check"],
        variables: &[],
    },
    Step {
        name: "lints",
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        variables: &[],
    },
    Step {
        name: "the program",
        arguments: &["build", "--package", "situ-repl"],
        variables: &[],
    },
    Step {
        name: "tests",
        arguments: &["test", "--workspace", "--quiet"],
        variables: &[],
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--quiet"],
        variables: &[("RUSTDOCFLAGS", "--deny warnings")],
    },
];

fn main() -> ExitCode {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let begin = Instant::now();
    for Step {
        name,
        arguments,
        variables,
    } in STEPS
    {
        println!("== {name}: cargo {}", arguments.join(" "));
        let start = Instant::now();
        let mut command = Command::new(&cargo);
        command.args(*arguments);
        command.envs(variables.iter().copied());
        match command.status() {
            Ok(status) if status.success() => {
                println!(
                    "== {name}: passed in {:.0} s",
                    start.elapsed().as_secs_f64()
                );
            }
            Ok(_) => {
                println!("== {name}: FAILED");
                return ExitCode::FAILURE;
            }
            Err(error) => {
                println!("== {name}: cargo cannot be run: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("== all passed in {:.0} s", begin.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
