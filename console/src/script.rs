//! Files as the console names them, and the session as a script.

use std::path::{Path, PathBuf};

use super::Console;
use super::files::relative;

/// Commands that bring a session to its initial state.
const ALONE: [&str; 2] = ["delete all", "display off"];

/// Prefix of the hash of the texts that a line of a script reads.
const HASH: &str = "sha256:";

/// The arguments of a line of a script, and the hash of the texts that it is to read.
pub(super) fn with_hash(args: &str) -> (&str, Option<&str>) {
    match args.rsplit_once(HASH) {
        Some((rest, hash)) if rest.is_empty() || rest.ends_with(' ') => (rest.trim(), Some(hash)),
        _ => (args, None),
    }
}

impl Console {
    /// The path that a text names: relative to the directory of the session, without quotes.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        let text = text.trim();
        let quoted = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let path = quoted.unwrap_or(text);
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.directory.join(path),
        }
    }

    /// The lines that lead to the present state from an empty session.
    pub(super) fn script(&self) -> String {
        let mut text = String::from("# situ repl: `read` does these lines again\n");
        // Stops and displays of the session that reads it would cut runs short and say more.
        let begun = self.done.iter().zip(ALONE);
        if begun.filter(|(done, line)| done.line == *line).count() < ALONE.len() {
            text.extend(ALONE.map(|line| format!("{line}\n")));
        }
        for done in &self.done {
            text.push_str(&done.line);
            if let Some(hash) = &done.loaded {
                text.push_str(&format!(" {HASH}{hash}"));
            }
            text.push('\n');
        }
        text
    }

    /// The text of the table with the paths in it as they must read beside another file.
    pub(super) fn relocated(&self, to: &Path) -> String {
        let version = self.version();
        let text = &version.document.text;
        let (Some(own), Some(from)) = (version.tables.last(), &version.document.path) else {
            return text.clone();
        };
        let old = from.parent().unwrap_or(Path::new(""));
        let new = to.parent().unwrap_or(Path::new(""));
        if old == new {
            return text.clone();
        }
        let parts = own.parts.iter().filter_map(|part| part.file.as_ref());
        let lookups = own.lookups.iter().filter_map(|lookup| lookup.file.as_ref());
        let mut paths: Vec<_> = own.extends.iter().chain(parts).chain(lookups).collect();
        paths.retain(|path| !Path::new(&path.value).is_absolute());
        paths.sort_by_key(|path| std::cmp::Reverse(path.span.start));
        let mut text = text.clone();
        for path in paths {
            let moved = relative(&old.join(&path.value), new);
            let moved = situ_rules::print::string(&moved.display().to_string());
            text.replace_range(path.span.range(), &moved);
        }
        text
    }
}
