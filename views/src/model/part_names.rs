//! Which names and rows belong to which part.

use std::collections::HashSet;

use situ_engine::model::Model;

/// The outermost parts of a model by the names of what belongs to them.
pub(super) struct Outermost<'m> {
    parts: HashSet<&'m str>,
}

impl<'m> Outermost<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let parts = model.structure.parts.iter();
        Self {
            parts: parts.map(|part| &*part.name).collect(),
        }
    }

    /// The part to which a name or the id of a row belongs, and the rest of the name.
    pub(super) fn split<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let mut ends = name.match_indices('.').map(|(at, _)| at);
        let end = ends.find(|at| self.parts.contains(&name[..*at]))?;
        Some((&name[..end], &name[end + 1..]))
    }

    pub(super) fn is_outermost(&self, part: &str) -> bool {
        self.split(part).is_none()
    }
}
