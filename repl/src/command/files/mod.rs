//! Files of the user: read whole or not at all, written whole or not at all, never one for the other.
//!
//! Everything that writes goes through here: [`Claims`] holds what a command is to write against what it
//! reads, before anything is done; a [`Output`] grows beside its target and takes its name when it stands
//! on the disk; a [`Lock`] keeps two programs from growing the same one. [`read_text`] looks at a file
//! before it reads it.

mod claims;
mod endings;
mod lock;
mod output;
mod reading;

pub(super) use claims::followed;
pub(crate) use claims::{ClaimError, Claims};
pub(super) use endings::Writes;
pub(super) use lock::{Lock, LockError};
pub(crate) use output::{Output, write};
pub(super) use output::{beside, left_beside, sync_folder};
pub(crate) use reading::read_text;
pub(super) use reading::read_to_end;
pub(super) use reading::{MaxSize, limit_tables};
