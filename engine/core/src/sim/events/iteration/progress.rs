//! What an event iteration is about: lists of what is still to be gone through, and what has turned or jumped at this time.

use crate::ids::{RealId, ScheduleId};
use crate::lower::border::{BorderId, Side};
use crate::lower::scan::Scan;
use crate::model::Model;
use crate::sim::events::iteration::row_programs::Replaced;
use crate::sim::events::iteration::worklist::Worklist;
use crate::sim::events::state::discrete_state::DiscreteState;
use smallvec::SmallVec;

/// Work left in the present event iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingRows {
    pub(crate) ranges: Worklist,
    pub(super) situation_rows: Worklist,
    pub(super) assignments: Worklist,
    pub(super) rows: Worklist,
    /// Borders whose margins have changed.
    pub(super) borders: Worklist,
    /// How many of all these were gone through so far.
    pub(crate) gone_through: u64,
}

impl PendingRows {
    pub(super) fn new(model: &Model, scan: &Scan) -> Self {
        Self {
            ranges: Worklist::new(model.ranges.len()),
            situation_rows: Worklist::new(model.situation_rows.len()),
            assignments: Worklist::new(model.assignments.len()),
            rows: Worklist::new(scan.rows.len()),
            borders: Worklist::default(),
            gone_through: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        let Self {
            ranges,
            situation_rows,
            assignments,
            rows,
            borders,
            gone_through: _,
        } = self;
        for list in [ranges, situation_rows, assignments, rows, borders] {
            list.clear();
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            ranges,
            situation_rows,
            assignments,
            rows,
            borders,
            gone_through: _,
        } = self;
        let mut lists = [ranges, situation_rows, assignments, rows, borders].into_iter();
        lists.all(Worklist::is_empty)
    }
}

/// The event iteration under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iteration {
    /// Events that fire, and schedules that are due, in the present microstep.
    pub(crate) fired: Vec<usize>,
    pub(super) due: Vec<ScheduleId>,
    /// True if a boolean that decides which rows between events are active has changed, or a branch of a kink.
    pub(super) reshaped: bool,
    /// True if reals have changed since the algebraic values were settled.
    pub(super) unsettled: bool,
    /// True if a border of a hysteresis has been crossed.
    pub(super) may_latch: bool,
    /// True if comparisons have other views of their borders since the algebraic values were settled.
    pub(crate) seen_anew: bool,
    /// True if a staircase has changed its step at this instant, a kink its branch, or a hysteresis has latched.
    pub(crate) stepped: bool,
    /// True if something has changed since the last side selection.
    pub(super) undecided: bool,
    /// True if anything has changed at this instant.
    pub(crate) changed: bool,
    /// Number of sides that side selection has changed.
    pub(super) rounds: usize,
    pub(crate) borders: InvolvedBorders,
    /// True if a blow on what rests has been undone.
    pub(super) absorbed: bool,
    /// Borders that margins jump across, along which slides begin whose shares are not known yet.
    pub(super) slides_through: SmallVec<[BorderId; 2]>,
    /// Microsteps of this instant.
    pub(super) microsteps: u32,
    /// True while a microstep may interrupt it, and if one has.
    pub(super) interruptible: bool,
    pub(super) interrupted: bool,
    /// State at an earlier microstep.
    pub(super) earlier: Option<Box<(DiscreteState, Vec<f64>)>>,
    /// True if a microstep has been done: booleans that held in it only are false again.
    pub(super) over: bool,
    pub(super) scan: ScanUnderWay,
    /// Reals before what follows from others was settled.
    pub(super) before: Vec<f64>,
}

/// The borders that have to do with the present instant, each set until the next instant begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct InvolvedBorders {
    /// Borders on which the state lay when the instant began, with their z.
    pub(super) begun_on: SmallVec<[(BorderId, f64); 4]>,
    /// Borders that the motion is about to cross, with their z before delays have their right limits.
    pub(super) arrived: SmallVec<[(BorderId, f64); 4]>,
    /// Borders that the motion has crossed.
    pub(super) crossed: SmallVec<[BorderId; 4]>,
    /// Of these the ones that the dense output crosses at another rate than the motion.
    pub(super) stiff: SmallVec<[BorderId; 2]>,
    /// Of these the ones with margins that do not move any more, but go on to.
    pub(super) stopped: SmallVec<[BorderId; 2]>,
    /// Borders that margins jump across, along which the state has slid up to this instant.
    pub(super) left: SmallVec<[BorderId; 4]>,
    /// Borders along which the state has slid up to this instant.
    pub(super) slid: SmallVec<[BorderId; 2]>,
    /// Borders whose side has changed since an event row acted.
    pub(super) turned: SmallVec<[BorderId; 4]>,
    /// Borders on which the state has come to lie by a jump up to rounding, and the side on which the computed margin is.
    landed: Vec<(BorderId, Side)>,
}

impl InvolvedBorders {
    pub(super) fn clear(&mut self) {
        let Self {
            begun_on,
            arrived,
            crossed,
            stiff,
            stopped,
            left,
            slid,
            turned,
            landed,
        } = self;
        begun_on.clear();
        arrived.clear();
        landed.clear();
        for list in [stiff, stopped, slid] {
            list.clear();
        }
        for list in [crossed, left, turned] {
            list.clear();
        }
    }

    /// The margin of a border does not move any more; the motion leads on across it.
    pub(super) fn stop_on(&mut self, border: BorderId) {
        if self.crossed.contains(&border) && !self.stopped.contains(&border) {
            self.stopped.push(border);
        }
    }

    /// The z of a border that is crossed, before delays have their right limits, if it reads them.
    pub(super) fn arrived_with(&self, border: BorderId) -> Option<f64> {
        let own = self.arrived.iter().find(|(other, _)| *other == border);
        own.map(|(_, z)| *z)
    }

    /// A jump has brought the state onto a border up to rounding, beside which its margin was computed.
    pub(crate) fn land(&mut self, border: BorderId, side: Side) {
        self.leave(border);
        self.landed.push((border, side));
    }

    /// A border counts as one that no jump has led to.
    pub(crate) fn leave(&mut self, border: BorderId) {
        self.landed.retain(|(other, _)| *other != border);
    }

    /// A jump has brought the state off a border: if it comes back to it, a jump has led there.
    pub(super) fn jump_off(&mut self, border: BorderId) {
        self.leave(border);
        self.begun_on.retain(|(other, _)| *other != border);
    }

    /// On which side of a border that a jump has led to the margin was computed.
    pub(super) fn landed_on(&self, border: BorderId) -> Option<Side> {
        let own = self.landed.iter().find(|(other, _)| *other == border);
        own.map(|(_, side)| *side)
    }
}

/// Rows that are gone through in a microstep, and what they have written.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanUnderWay {
    /// Rows of the present scan, in order.
    pub(super) rows: Vec<u32>,
    pub(super) stack: Vec<u32>,
    /// What rows of the present scan have written that others write in turn with them.
    pub(super) chained: Vec<Chained>,
    /// What rows of the present group have written, as it was before.
    pub(super) replaced: Replaced,
}

/// A write of a real that several rows write in turn: what it was before, and the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chained {
    pub(super) real: RealId,
    pub(super) before: f64,
    pub(super) at: usize,
}

impl Iteration {
    /// True if the margin of a border on which the state lay when the instant began has not moved, up to its sign.
    pub(crate) fn stays_begun(&self, border: BorderId, margin: f64) -> bool {
        let mut begun = self.borders.begun_on.iter();
        begun.any(|(other, z)| *other == border && z.abs() == margin.abs())
    }

    /// The borders on which the state lay when the instant began.
    pub(crate) fn borders_begun_on(&self) -> impl Iterator<Item = BorderId> {
        self.borders.begun_on.iter().map(|(border, _)| *border)
    }

    /// True if the state has slid along a border up to this instant, and its margin jumps across it.
    pub(crate) fn has_left(&self, border: BorderId) -> bool {
        self.borders.left.contains(&border)
    }

    /// True if a border has been crossed at this instant and its margin, which is given, is as it was then.
    pub(super) fn was_crossed(&self, border: BorderId, margin: f64) -> bool {
        self.borders.crossed.contains(&border) && self.stays_begun(border, margin)
    }

    /// True if a border has been crossed at this instant, has turned, or was landed on.
    pub(crate) fn has_met(&self, border: BorderId) -> bool {
        let InvolvedBorders {
            crossed, turned, ..
        } = &self.borders;
        let landed = self.borders.landed_on(border).is_some();
        landed || crossed.contains(&border) || turned.contains(&border)
    }

    /// The borders that the motion has crossed.
    pub(crate) fn crossed(&self) -> SmallVec<[BorderId; 4]> {
        self.borders.crossed.clone()
    }
}
