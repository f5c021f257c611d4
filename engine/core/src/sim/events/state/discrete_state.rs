//! The discrete state of an event-accurate run: the sides of borders, and the booleans that follow from them.

use crate::bits::Bits;
use crate::lower::border::{Borders, RangeViews, Side, View, truth};
use crate::lower::scan::Scan;
use crate::model::{Assignment, Boolean, Literal, Mark, Model};
use serde::{Deserialize, Serialize};
use situ_solve::slices::copy;

/// All booleans, and what they remember.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DiscreteState {
    /// Side of each border.
    pub(crate) sides: Vec<Side>,
    /// True if the state is on the border, up to rounding.
    pub(crate) flags: Bits,
    pub(crate) switches: Bits,
    pub(crate) ranges: Bits,
    /// Levels, and events that fire in this microstep.
    pub(crate) situations: Bits,
    /// Schedules due in this microstep.
    pub(crate) due: Bits,
    /// First microstep of the run.
    pub(crate) start: bool,
    /// Latched values of hysteresis rows.
    pub(crate) relays: Vec<f64>,
    /// Per situation row whether its conjunction held in the last microstep.
    held: Bits,
    /// Per event row of the flow, for counters: whether what they count held.
    pub(crate) counted: Bits,
}

impl Clone for DiscreteState {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory that it has.
    fn clone_from(&mut self, other: &Self) {
        copy(&mut self.sides, &other.sides);
        self.flags.clone_from(&other.flags);
        self.switches.clone_from(&other.switches);
        self.ranges.clone_from(&other.ranges);
        self.situations.clone_from(&other.situations);
        self.due.clone_from(&other.due);
        self.start = other.start;
        copy(&mut self.relays, &other.relays);
        self.held.clone_from(&other.held);
        self.counted.clone_from(&other.counted);
    }
}

impl DiscreteState {
    /// Shapes: `relays`: the start value of every hysteresis row's target.
    pub(super) fn new(model: &Model, relays: Vec<f64>, n_events: usize) -> Self {
        Self {
            sides: Vec::new(),
            flags: Bits::default(),
            switches: model.switches.iter().map(|switch| switch.start).collect(),
            ranges: Bits::new(model.ranges.len()),
            situations: Bits::new(model.situations.len()),
            due: Bits::new(model.schedules.len()),
            start: false,
            relays,
            held: Bits::new(model.situation_rows.len()),
            counted: Bits::new(n_events),
        }
    }

    /// About how much memory it takes (in bytes).
    pub(super) fn bytes(&self) -> usize {
        let borders = self.sides.len() + self.flags.len();
        let names = self.switches.len() + self.ranges.len() + self.situations.len();
        let remembered = self.due.len() + self.relays.len() + self.held.len() + self.counted.len();
        size_of::<Self>() + borders + names + remembered
    }

    /// Number of rows of situations that are remembered.
    pub(super) fn n_held(&self) -> usize {
        self.held.len()
    }

    /// True if a literal holds.
    #[inline]
    pub(crate) fn holds(&self, literal: Literal) -> bool {
        self.is(literal.what) != literal.negated
    }

    /// True if a boolean is true.
    #[inline]
    pub(crate) fn is(&self, what: Boolean) -> bool {
        match what {
            Boolean::Switch(id) => self.switches.get(id.index()),
            Boolean::Range(id) => self.ranges.get(id.index()),
            Boolean::Situation(id) => self.situations.get(id.index()),
            Boolean::Schedule(id) => self.due.get(id.index()),
            Boolean::Start => self.start,
        }
    }

    /// True if the conjunction of a situation's row held in the last microstep, by its position.
    pub(crate) fn held(&self, row: usize) -> bool {
        self.held.get(row)
    }

    /// Notes whether the conjunction of a situation's row holds; whether that is new.
    #[inline]
    pub(crate) fn set_held(&mut self, row: usize, holds: bool) -> bool {
        let changes = self.held.get(row) != holds;
        if changes {
            self.held.set(row, holds);
        }
        changes
    }

    /// True if a conjunction holds.
    #[inline]
    pub(crate) fn all_hold(&self, all: &[Literal]) -> bool {
        all.iter().all(|&literal| self.holds(literal))
    }

    /// True if the conjunction of a situation's row holds at its place in the scan: a situation that further
    /// rows may still make true is what the rows above have made of it.
    #[inline]
    pub(crate) fn row_holds(&self, model: &Model, scan: &Scan, row: usize) -> bool {
        let mut literals = model.situation_rows[row].all.iter();
        literals.all(|&literal| match literal.what {
            Boolean::Situation(id) => {
                let rows = &scan.rows_of[id.index()];
                let is_complete = rows.last().is_none_or(|&last| (last as usize) < row);
                let holds = if is_complete || model.situations[id.index()].event {
                    self.situations.get(id.index())
                } else {
                    let above = rows.iter().map(|&other| other as usize);
                    above
                        .take_while(|&other| other < row)
                        .any(|other| self.held.get(other))
                };
                holds != literal.negated
            }
            _ => self.holds(literal),
        })
    }

    /// True if any row of a level holds.
    #[inline]
    pub(crate) fn any_row_held(&self, rows: &[u32]) -> bool {
        rows.iter().any(|&row| self.held.get(row as usize))
    }

    /// True if a range that has borders holds, by the sides of its comparisons.
    #[inline]
    pub(crate) fn range_by_sides(&self, model: &Model, views: &[View], range: usize) -> bool {
        let comparisons = model.ranges[range].all.iter().zip(views);
        comparisons.into_iter().all(|(comparison, view)| {
            truth(comparison.op, view.side(self.sides[view.border.index()]))
        })
    }

    /// Ranges follow their comparisons' sides, those without borders stay as they are. `views`: per
    /// range the views of its comparisons.
    pub(crate) fn scan_ranges(&mut self, model: &Model, views: &[RangeViews]) {
        for (index, range) in model.ranges.iter().enumerate() {
            if range.mark != Some(Mark::NoEvent) {
                let holds = self.range_by_sides(model, &views[index], index);
                self.ranges.set(index, holds);
            }
        }
    }

    /// Ranges follow the values of their comparisons, as long as there are no sides.
    pub(crate) fn ranges_by_value(
        &mut self,
        model: &Model,
        reals: &[f64],
        constants: &[f64],
        t: f64,
    ) {
        let value = |expr| model.value_at(expr, reals, constants, t);
        for (index, range) in model.ranges.iter().enumerate() {
            let holds = range.all.iter().all(|comparison| {
                let margin = value(comparison.left) - value(comparison.right);
                truth(comparison.op, Side::of(margin))
            });
            self.ranges.set(index, holds);
        }
    }

    /// Levels follow their rows; no event fires, but how the conjunctions of their rows stand is noted.
    pub(crate) fn settle_situations(&mut self, model: &Model, scan: &Scan) {
        self.situations.clear();
        for (index, row) in model.situation_rows.iter().enumerate() {
            let holds = self.row_holds(model, scan, index);
            self.held.set(index, holds);
            let situation = row.situation.index();
            if holds && !model.situations[situation].event {
                self.situations.set(situation, true);
            }
        }
    }

    /// Levels follow their rows; events stand.
    pub(crate) fn settle_levels(&mut self, model: &Model, scan: &Scan) {
        let is_level = |situation: usize| !model.situations[situation].event;
        let levels = (0..model.situations.len()).filter(|situation| is_level(*situation));
        levels.for_each(|situation| self.situations.set(situation, false));
        for (index, row) in model.situation_rows.iter().enumerate() {
            let situation = row.situation.index();
            if is_level(situation) {
                let holds = self.row_holds(model, scan, index);
                self.held.set(index, holds);
                if holds {
                    self.situations.set(situation, true);
                }
            }
        }
    }

    /// Executes an assignment, if its condition holds.
    pub(crate) fn execute(&mut self, assignment: &Assignment) {
        if self.all_hold(&assignment.when) {
            for &(switch, value) in &assignment.set {
                self.switches.set(switch.index(), value);
            }
        }
    }

    /// Makes room for borders met since; they start unknown.
    pub(crate) fn grow(&mut self, borders: &Borders) {
        self.sides.resize(borders.len(), Side::Plus);
        self.flags.resize(borders.len());
    }
}
