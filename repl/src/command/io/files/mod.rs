//! Files of the user: read whole or not at all, written whole or not at all, never one for the other.
//!
//! Everything that writes goes through here: [`Claims`] holds what a command is to write against what it
//! reads, before anything is done; a [`Output`] grows beside its target and takes its name when it stands
//! on the disk; a [`Lock`] keeps two programs from growing the same one. [`read_text`] looks at a file
//! before it reads it.

mod claims;
mod disk;
mod endings;
mod lock;
mod output;
mod reading;

pub(in crate::command) use claims::followed;
pub(crate) use claims::{ClaimError, Claims};
pub(crate) use disk::Disk;
pub(in crate::command) use endings::Writes;
pub(in crate::command) use lock::{Lock, LockError};
pub(crate) use output::{Output, write};
pub(in crate::command) use output::{beside, left_beside, sync_folder};
pub(in crate::command) use reading::{MaxSize, limit_tables, read_to_end};
pub(crate) use reading::{read_bytes, read_text};

/// A path as a word of a command line: between quotes if a shell would take it for something else.
pub(in crate::command) fn for_shell(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,%@".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A path between backticks.
pub(in crate::command) fn quoted(path: &std::path::Path) -> String {
    format!("`{}`", path.display())
}
