//! Pages of family N: names and kinds, reported while a table is resolved.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[];
