//! Pages of family C: findings of the check.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[];
