//! The limit of rounds: its time, the reals there, and the jumps that lead to it.

use serde::{Deserialize, Serialize};

use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::model::Model;
use crate::sim::events::iteration::zeno::jumps::Jump;

/// The reals that rounds may change: those that move, and those that only events write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changing<'a> {
    /// Ascending.
    pub(super) states: &'a [RealId],
    pub(super) model: &'a Model,
}

impl Changing<'_> {
    /// True if a real moves.
    pub(super) fn is_state(&self, real: RealId) -> bool {
        self.states.binary_search(&real).is_ok()
    }
}

/// Limit of instants that accumulate (Zeno).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Limit {
    /// When.
    pub(crate) time: f64,
    /// The state then: reals with their values.
    pub(crate) reals: Vec<(RealId, f64)>,
    /// The instants of one round that jump: their border, the side taken, the jump.
    pub(super) jumps: Vec<Jump>,
    /// All borders of a round.
    #[serde(default)]
    pub(super) borders: Vec<BorderId>,
    /// True if rounding, or errors of the method, hide the time that is left.
    pub(super) blurred: bool,
    /// True if a state that does not jump bends away from a straight line before it, by what shows.
    #[serde(default)]
    pub(super) bends: bool,
    /// For how long what jumps has moved on in the values there beyond the time at which they are taken [units of `time`].
    #[serde(default)]
    pub(super) ahead: f64,
    /// True if it is supposed from less than rounds would have to tell: taken only where the state can rest.
    #[serde(default)]
    pub(super) supposed: bool,
    /// True if the last instants are still so far apart that more of them can be told from each other.
    #[serde(default)]
    pub(super) is_resolved: bool,
}

impl Limit {
    /// The same where rounding hides the flights that are left: it hides nothing of what moves beside them and bends.
    pub(super) fn of_hidden_flights(self, now: f64, changing: Changing<'_>) -> Self {
        let is_hidden = self.blurred && !self.supposed && !self.jumps.is_empty();
        match is_hidden && self.bends {
            true => Self {
                ahead: self.time - now,
                ..self.taken_at(now, changing)
            },
            false => self,
        }
    }

    /// The same at another time: what moves goes on from where it is; what jumps, and what only events write, has come to the
    /// end of its jumps.
    pub(super) fn taken_at(self, time: f64, changing: Changing<'_>) -> Self {
        let jumps = |real| {
            let mut by = self.jumps.iter().flat_map(|jump| &jump.by);
            by.any(|(other, _)| *other == real)
        };
        let reals = self.reals.iter().copied();
        let reals = reals.filter(|&(real, _)| !changing.is_state(real) || jumps(real));
        Self {
            reals: reals.collect(),
            time,
            blurred: true,
            is_resolved: false,
            ..self
        }
    }

    /// Jumps that are the last ones: the state is at their limit.
    pub(super) fn now(time: f64, jumps: Vec<Jump>) -> Self {
        Self {
            time,
            reals: Vec::new(),
            borders: jumps.iter().map(|jump| jump.border).collect(),
            jumps,
            blurred: true,
            bends: false,
            ahead: 0.0,
            supposed: true,
            is_resolved: false,
        }
    }

    /// Of the jumps from one border the larger one tells the direction better: less of it is rounding.
    pub(super) fn keep_larger(&mut self, earlier: &[Jump]) {
        for jump in &mut self.jumps {
            let same = |other: &&Jump| other.border == jump.border && other.side == jump.side;
            if let Some(other) = earlier.iter().find(same)
                && other.size() > jump.size()
            {
                jump.by.clone_from(&other.by);
            }
        }
    }
}
