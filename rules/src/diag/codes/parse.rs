//! Pages of family P: what the reader of the text reports.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[];
