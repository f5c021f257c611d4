//! Rules of the repository that the compiler does not hold: which crate may name which, documented
//! modules, libraries that keep away from the outside, an ARCHITECTURE.md that names what exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::tables::{entries, root};

/// A crate, the folder it stands in, and the crates of situ that it may name.
pub(crate) const CRATES: &[(&str, &str, &[&str])] = &[
    ("situ-words", "words", &[]),
    ("situ-solve", "engine/solve", &[]),
    ("situ-engine", "engine/core", &["situ-solve"]),
    ("situ-jit", "engine/jit", &["situ-engine", "situ-solve"]),
    ("situ-rules", "rules", &["situ-engine", "situ-words"]),
    ("situ-sweep", "engine/sweep", &["situ-engine"]),
    ("situ-explain", "engine/explain", &["situ-engine"]),
    (
        "situ-views",
        "views",
        &["situ-engine", "situ-explain", "situ-rules", "situ-words"],
    ),
    (
        "situ-console",
        "console",
        &[
            "situ-engine",
            "situ-explain",
            "situ-rules",
            "situ-views",
            "situ-words",
        ],
    ),
    (
        "situ-page",
        "page",
        &["situ-console", "situ-views", "situ-words"],
    ),
    (
        "situ-repl",
        "repl",
        &[
            "situ-console",
            "situ-engine",
            "situ-jit",
            "situ-page",
            "situ-rules",
            "situ-sweep",
            "situ-views",
            "situ-words",
        ],
    ),
    (
        "situ-python",
        "python",
        &[
            "situ-console",
            "situ-engine",
            "situ-explain",
            "situ-repl",
            "situ-rules",
            "situ-sweep",
            "situ-views",
            "situ-words",
        ],
    ),
    ("situ-verify", "tests/verify", &[]),
    (
        "situ-tests",
        "tests",
        &[
            "situ-console",
            "situ-engine",
            "situ-jit",
            "situ-rules",
            "situ-repl",
            "situ-sweep",
            "situ-views",
            "situ-words",
        ],
    ),
    (
        "situ-bench",
        "benches",
        &[
            "situ-console",
            "situ-engine",
            "situ-jit",
            "situ-rules",
            "situ-repl",
            "situ-sweep",
            "situ-views",
        ],
    ),
];

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder, but for what is built or belongs to version control.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            if ["target", ".git", "node_modules"].contains(&&*name) {
                continue;
            }
            if entry.is_dir() {
                folders.push(entry.clone());
            }
            found.push(entry);
        }
    }
    found
}

/// The Rust files of a crate.
pub(crate) fn sources(folder: &str) -> Vec<PathBuf> {
    let mut files = below(&root().join(folder).join("src"));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(!files.is_empty(), "{folder} has no sources");
    files
}

#[test]
fn crates_name_only_those_below_them() {
    for (name, folder, allowed) in CRATES {
        let manifest = text(&root().join(folder).join("Cargo.toml"));
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{folder} is {name}"
        );
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name} has its own lints"
        );
        let mut dependencies = false;
        for line in manifest.lines() {
            if let Some(section) = line.strip_prefix('[') {
                dependencies = section.contains("dependencies");
            }
            let named = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if dependencies && named.starts_with("situ-") {
                assert!(allowed.contains(&named), "{name} depends on {named}");
            }
        }
    }
}

#[test]
fn every_member_is_known_here() {
    let manifest = text(&root().join("Cargo.toml"));
    let line = manifest
        .lines()
        .find(|line| line.starts_with("members"))
        .unwrap();
    let members: BTreeSet<&str> = line.split('"').skip(1).step_by(2).collect();
    let known: BTreeSet<&str> = CRATES.iter().map(|(_, folder, _)| *folder).collect();
    assert_eq!(members, known);
}

#[test]
fn every_module_says_what_it_is() {
    for (_, folder, _) in CRATES {
        for path in sources(folder) {
            let first = text(&path).lines().next().unwrap_or_default().to_owned();
            assert!(
                first.starts_with("//! "),
                "{} has no documentation",
                path.display()
            );
        }
    }
}

/// Actions that a library must not take, with what would do so. The lints of the workspace forbid printing.
const OUTSIDE: &[(&str, &[&str])] = &[
    (
        "reads files",
        &[
            "fs::read",
            "fs::write",
            "File::",
            "OpenOptions",
            "include_str!",
            "include_bytes!",
        ],
    ),
    ("reads the environment", &["std::env"]),
    ("reads a clock", &["Instant::now", "SystemTime"]),
    (
        "starts processes or threads",
        &["std::process", "std::thread"],
    ),
    ("uses the network", &["std::net"]),
    (
        "uses standard streams",
        &["stdin()", "stdout()", "stderr()", "println!", "print!("],
    ),
];

#[test]
fn libraries_keep_away_from_the_outside() {
    for folder in [
        "words",
        "engine/solve",
        "engine/core",
        "engine/explain",
        "rules",
        "views",
        "console",
    ] {
        let is_test = |path: &PathBuf| {
            let mut parts = path.iter();
            path.ends_with("tests.rs")
                || path.ends_with("properties.rs")
                || parts.any(|part| part == "tests" || part == "properties")
        };
        for path in sources(folder).into_iter().filter(|path| !is_test(path)) {
            let text = text(&path);
            let code = text
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default();
            for (number, line) in code.lines().enumerate() {
                // The style and the script of a page and the catalogue are a part of the program.
                let is_of_page = [".css\")", ".js\")", ".ftl\")"]
                    .iter()
                    .any(|end| line.contains(end));
                if line.trim_start().starts_with("//") || is_of_page {
                    continue;
                }
                for (deed, words) in OUTSIDE {
                    let does = words.iter().any(|word| line.contains(word));
                    assert!(!does, "{}:{} {deed}", path.display(), number + 1);
                }
            }
        }
    }
}

/// The texts between backticks outside of code blocks.
fn quoted(markdown: &str) -> Vec<String> {
    let mut quoted = Vec::new();
    let mut in_block = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            quoted.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    quoted
}

fn is_identifier(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// True if it reads like the name of a type: `Model`, `RunConfig`.
fn is_type(word: &str) -> bool {
    let begins_large = word.starts_with(|c: char| c.is_ascii_uppercase());
    is_identifier(word) && begins_large && word.contains(|c: char| c.is_ascii_lowercase())
}

#[test]
fn architecture_names_what_exists() {
    let paths: Vec<String> = below(root())
        .iter()
        .map(|path| {
            path.strip_prefix(root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let code: String = CRATES
        .iter()
        .flat_map(|(_, folder, _)| sources(folder))
        .map(|path| text(&path))
        .collect();
    let defines = |keyword: &str, name: &str| {
        let after = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let needle = format!("{keyword} {name}");
        code.match_indices(&needle)
            .any(|(at, _)| after(&code[at + needle.len()..]))
    };
    let mut n_paths = 0;
    let mut n_types = 0;
    for name in quoted(&text(&root().join("ARCHITECTURE.md"))) {
        let has_extension = [".rs", ".ron", ".py", ".toml", ".md"]
            .iter()
            .any(|end| name.ends_with(end));
        let is_path = !name.contains(' ') && (has_extension || name.ends_with('/'));
        if is_path {
            n_paths += 1;
            let suffix = format!("/{}", name.trim_end_matches('/'));
            let exists = |path: &String| format!("/{path}").ends_with(&suffix);
            assert!(
                paths.iter().any(exists),
                "ARCHITECTURE.md names the path {name}"
            );
            continue;
        }
        let (owner, member) = name.split_once("::").unwrap_or((&name, ""));
        if is_type(owner) {
            n_types += 1;
            // A type that a macro defines shows by what is implemented for it.
            let kinds = ["struct", "enum", "trait", "type", "impl"];
            let known = kinds.iter().any(|kind| defines(kind, owner));
            assert!(known, "ARCHITECTURE.md names the type {owner}");
        }
        if is_identifier(member) {
            let known = ["fn", "const"].iter().any(|kind| defines(kind, member));
            assert!(known, "ARCHITECTURE.md names {name}");
        }
    }
    assert!(
        n_paths > 20 && n_types > 20,
        "{n_paths} paths, {n_types} types"
    );
}
