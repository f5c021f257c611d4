//! States of runs that cannot be continued -> the reason in words.

use situ_engine::model::Model;
use situ_engine::sim::{StateDefect, StateError};
use situ_words::say;

use super::fault;
use super::settings::InWords;
use crate::source::Origins;

/// Why a run does not go on from a state.
pub fn state_error(error: &StateError, model: &Model, origins: &Origins) -> String {
    match error {
        StateError::Stepping => say!("state-other-stepping"),
        StateError::Foreign(defect) => say!("state-foreign", what = defect.in_words()),
        StateError::Fault(found) => fault(found, model, origins).message,
    }
}

impl InWords for StateDefect {
    fn in_words(&self) -> String {
        match self {
            Self::Reals => say!("state-defect.reals"),
            Self::Values => say!("state-defect.values"),
            Self::Booleans => say!("state-defect.booleans"),
            Self::Delays => say!("state-defect.delays"),
            Self::Schedules => say!("state-defect.schedules"),
            Self::Events => say!("state-defect.events"),
            Self::Sides => say!("state-defect.sides"),
            Self::Staircases => say!("state-defect.staircases"),
            Self::TickBefore => say!("state-defect.tick-before"),
            Self::Range => say!("state-defect.range"),
            Self::Breaks => say!("state-defect.breaks"),
            Self::Times => say!("state-defect.times"),
            Self::NextStep => say!("state-defect.next-step"),
            Self::LastRows => say!("state-defect.last-rows"),
            Self::Slides => say!("state-defect.slides"),
            Self::Rests => say!("state-defect.rests"),
            Self::Leaves => say!("state-defect.leaves"),
            Self::Movers => say!("state-defect.movers"),
            Self::Instants => say!("state-defect.instants"),
            Self::Ticks => say!("state-defect.ticks"),
            Self::NotFinite => say!("state-defect.not-finite"),
            Self::Settings => say!("state-defect.settings"),
            Self::Beats => say!("state-defect.beats"),
            Self::DelayLength => say!("state-defect.delay-length"),
            Self::PastNotFinite => say!("state-defect.past-not-finite"),
            Self::Past => say!("state-defect.past"),
            Self::TickKind => say!("state-defect.tick-kind"),
            Self::Step => say!("state-defect.step"),
            Self::Count => say!("state-defect.count"),
            Self::Borders => say!("state-defect.borders"),
            Self::BorderRow => say!("state-defect.border-row"),
            Self::Motion => say!("state-defect.motion"),
            Self::Microstep => say!("state-defect.microstep"),
        }
    }
}
