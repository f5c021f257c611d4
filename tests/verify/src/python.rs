//! Tests of the package for Python: the module that cargo has built is put into the package, and pytest runs.
//!
//! What they need is installed into an environment of its own below `target`, once. Where there is no Python, or
//! nowhere to install from, it is said what was left out.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests import; what is missing of the rest is passed over by them.
const NEEDED: &[&str] = &["numpy", "pytest", "pyarrow", "distributed", "mypy"];

/// Oldest version that the module is built for.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Runs the tests; what was done or left out.
pub(crate) fn test() -> Result<String, String> {
    let interpreter = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_there = Command::new(&interpreter).args(["-c", OLDEST]).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return Ok(format!(
            "left out, as {interpreter} is no Python from 3.11 on"
        ));
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let environment = target.join("python");
    let python = match cfg!(windows) {
        true => environment.join("Scripts").join("python.exe"),
        false => environment.join("bin").join("python"),
    };
    if !has(&python) {
        let made = run(Command::new(&interpreter)
            .args(["-m", "venv"])
            .arg(&environment));
        let install = ["-m", "pip", "install", "--quiet"];
        let installed = made.and_then(|()| run(Command::new(&python).args(install).args(NEEDED)));
        if let Err(why) = installed {
            return Ok(format!(
                "left out, as {} cannot be installed: {why}",
                NEEDED.join(", ")
            ));
        }
    }
    let module = target
        .join("debug")
        .join(format!("{DLL_PREFIX}_situ{DLL_SUFFIX}"));
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let package = Path::new("python/situ").join(format!("_situ.{ending}"));
    std::fs::copy(&module, &package).map_err(|error| format!("{}: {error}", module.display()))?;
    let sources = std::env::current_dir()
        .map_err(|error| error.to_string())?
        .join("python");
    run(Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg("python/tests")
        .env("PYTHONPATH", sources))?;
    Ok("passed".to_owned())
}

/// True if an environment has all that the tests need.
fn has(python: &Path) -> bool {
    let import = format!("import {}", NEEDED.join(", "));
    let imported = Command::new(python).args(["-c", &import]).output();
    imported.is_ok_and(|output| output.status.success())
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
