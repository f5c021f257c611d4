//! The borders to which a motion is bound: those along which the state slides, and those on which it rests.

use crate::lower::border::BorderId;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::motion::singular_sliding::SingularSliding;
use serde::{Deserialize, Serialize};

/// Borders to which the motion is bound.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ActiveConstraints {
    /// The borders along which the state slides.
    pub(crate) slides: Vec<BorderId>,
    /// Those of them whose margins jump across them.
    pub(crate) through: Vec<BorderId>,
    /// Points off some of them at which the fields beside them are evaluated, and not on the border. What moves these
    /// borders moves none of the others.
    #[serde(default)]
    pub(crate) lifts: Vec<SingularSliding>,
    /// The shares of their upper sides, where the motion began or was committed last.
    pub(crate) lambda: Vec<f64>,
    /// Contact reactions that keep the state on the borders on which it rests.
    pub(crate) rest: Vec<ContactReaction>,
}

impl ActiveConstraints {
    pub(crate) fn is_free(&self) -> bool {
        self.slides.is_empty() && self.rest.is_empty()
    }

    /// True if the margin of a border along which the state slides jumps across it.
    pub(crate) fn is_through(&self, border: BorderId) -> bool {
        self.through.contains(&border)
    }

    /// The state does not slide along a border any more; the shares of the others are to be found anew.
    pub(crate) fn end_slide(&mut self, border: BorderId) {
        self.slides.retain(|other| *other != border);
        self.through.retain(|other| *other != border);
        self.lambda.clear();
    }

    /// True if the fields beside a border along which the state slides are evaluated off it.
    pub(crate) fn is_lifted(&self, border: BorderId) -> bool {
        self.lifts.iter().any(|lift| lift.border == border)
    }

    /// All borders to which the motion is bound.
    pub(crate) fn borders(&self) -> impl Iterator<Item = BorderId> {
        let rest = self.rest.iter().map(|push| push.border);
        self.slides.iter().copied().chain(rest)
    }
}
