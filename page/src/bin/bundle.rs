//! Makes the front end: `web/` by npm, the compiler of TypeScript and esbuild into `dist/`, which the server takes in.

#![expect(clippy::print_stderr, reason = "it tells what it runs")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Oldest Node that what npm brings runs on.
const OLDEST: u32 = 20;

fn main() -> ExitCode {
    let begun = Instant::now();
    match bundle() {
        Ok(bytes) => {
            let seconds = begun.elapsed().as_secs_f64();
            eprintln!("page/dist: {} kB, in {seconds:.1} s", bytes / 1000);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("the page was not made: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Makes `dist/`; its bytes.
fn bundle() -> Result<u64, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (web, dist) = (root.join("web"), root.join("dist"));
    node()?;
    let lock = web.join("package-lock.json");
    let installed = web.join("node_modules/.package-lock.json");
    let time = |path: &Path| path.metadata().and_then(|there| there.modified()).ok();
    if time(&installed).is_none_or(|installed| time(&lock) > Some(installed)) {
        npm(&web, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    }
    npm(&web, &["run", "--silent", "types"])?;
    let failed = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(&dist).map_err(failed)?;
    for file in std::fs::read_dir(&dist).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if !path.ends_with(".gitignore") {
            std::fs::remove_file(path).map_err(failed)?;
        }
    }
    npm(&web, &["run", "--silent", "bundle"])?;
    for name in ["index.html", "icon.svg"] {
        std::fs::copy(web.join(name), dist.join(name)).map_err(failed)?;
    }
    let mut bytes = 0;
    for file in std::fs::read_dir(&dist).map_err(failed)? {
        bytes += file.and_then(|file| file.metadata()).map_err(failed)?.len();
    }
    Ok(bytes)
}

/// Sees to it that there is a Node that is not too old.
fn node() -> Result<(), String> {
    let said = Command::new("node").arg("--version").output();
    let said = said.map_err(|error| format!("node cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let major = said.trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= OLDEST => Ok(()),
        _ => Err(format!(
            "it needs Node {OLDEST} or newer, not `{}`",
            said.trim()
        )),
    }
}

fn npm(web: &Path, words: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let status = Command::new(program).args(words).current_dir(web).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`npm {}` ended with {status}", words.join(" "))),
        Err(error) => Err(format!("npm cannot be run: {error}")),
    }
}
