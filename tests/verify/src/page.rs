//! Tests of the page: its bundle is made by npm, and Node drives a Chromium through it.
//!
//! What npm brings is installed below `page/web`, once. Where there is no Node, no Chromium or nowhere to install from,
//! it is said what was left out.

use std::path::PathBuf;
use std::process::Command;

/// The program with the page and the one that makes its bundle; an example, so that all below is built as for tests.
const BUILD: &str = "build --workspace --quiet --bin bundle --bin situ-for-tests --example peers --features situ-repl/page";

/// Oldest Node that the tests run on.
const OLDEST: &str = "process.exit(Number(process.versions.node.split('.')[0]) < 20 ? 1 : 0)";

/// Where a Chromium may be, besides the variable `CHROMIUM`.
const BROWSERS: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];

/// Runs the tests; what was done or left out.
pub(crate) fn test(cargo: &str) -> Result<String, String> {
    let is_there = Command::new("node").args(["-e", OLDEST]).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return Ok("left out, as there is no Node from 20 on".to_owned());
    }
    let asked = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let mut browsers = asked.into_iter().chain(BROWSERS.iter().map(PathBuf::from));
    let browser = browsers.find(|path| path.exists());
    let modules = [
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
    ];
    let installed = run(Command::new("npm").args(modules).current_dir("page/web"));
    if let Err(why) = installed {
        return Ok(format!("left out, as npm brings nothing: {why}"));
    }
    run(Command::new(cargo).args(BUILD.split(' ')))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let debug = target.join("debug");
    run(&mut Command::new(debug.join("bundle")))?;
    let Some(browser) = browser else {
        return Ok("the bundle is made; tests are left out, as there is no Chromium".to_owned());
    };
    let mut tests = Command::new("node");
    tests
        .args(["--test", "page/web/tests/page.test.mjs"])
        .env("CHROMIUM", browser)
        .env("SITU", debug.join("situ-for-tests"));
    // A browser on a busy machine can miss its time: what fails is tried once more.
    run(&mut tests).or_else(|_| run(&mut tests))?;
    Ok("passed".to_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
