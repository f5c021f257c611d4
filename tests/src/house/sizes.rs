//! Sizes: files, folders and structs that a reader can keep in mind. Tests are not counted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::house::tidy::text;
use crate::house::vocabulary::{defined, house, shown};
use crate::tables::root;

/// Lines of a file that can be read in one go.
const MOST_LINES: usize = 500;
/// Fields of a struct that can be kept in mind.
const MOST_FIELDS: usize = 20;
/// Files of a folder.
const MOST_FILES: usize = 15;

/// What is larger, and why (ARCHITECTURE.md repeats it).
const LARGER: &[&str] = &["Frame", "Mode", "Model", "Table"];

/// A file without its tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
}

/// Structs of a file with the number of their fields.
fn structs(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    for line in text.lines() {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let code = line.trim_start();
        open = match open.take() {
            Some((name, outer, n)) if indent == outer && code.starts_with('}') => {
                found.push((name, n));
                None
            }
            Some((name, outer, n)) => {
                let is_inner = indent.len() == outer.len() + 4;
                let is_field = is_inner && !code.starts_with(['/', '#', '}', ')', '>']);
                Some((name, outer, n + usize::from(is_field)))
            }
            None if code.ends_with('{') && code.contains("struct ") => {
                defined(code).map(|name| (name.to_owned(), indent, 0))
            }
            None => None,
        };
    }
    found
}

#[test]
fn files_folders_and_structs_can_be_read() {
    let mut found = Vec::new();
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in house() {
        let text = text(&path);
        let n_lines = code(&text).lines().count();
        if n_lines > MOST_LINES {
            found.push((shown(&path), format!("{n_lines} lines")));
        }
        for (name, n) in structs(code(&text))
            .into_iter()
            .filter(|(_, n)| *n > MOST_FIELDS)
        {
            found.push((name, format!("{n} fields, in {}", shown(&path))));
        }
        let folder = path.parent().unwrap_or(root()).to_owned();
        *folders.entry(folder).or_default() += 1;
    }
    let full = folders.iter().filter(|(_, n)| **n > MOST_FILES);
    found.extend(full.map(|(folder, n)| (shown(folder), format!("{n} files"))));
    let (known, new): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(name, _)| LARGER.contains(&name.as_str()));
    let lines: Vec<String> = new
        .iter()
        .map(|(name, what)| format!("{name}: {what}"))
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
    assert_eq!(
        known.len(),
        LARGER.len(),
        "an exception that is none any more"
    );
}
