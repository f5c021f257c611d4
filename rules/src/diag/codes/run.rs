//! Pages of family R: a run that failed or took a remarkable turn.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[];
