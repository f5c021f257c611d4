//! Crossings at which a margin jumps over its border, at a pole (`1 / x > 2`) or otherwise (`atan(1 / x) > 0`): it does not
//! come to 0 there, so that its rates do not tell on which side it goes on.

use crate::lower::border::BorderId;
use crate::sim::events::detect::crossing_search::{Along, Crossed, Field, Finder, Looked};
use situ_solve::roots::{AHEAD, Indicator, Query, falls, has_grown};

/// A margin that is not so many times as large as rounding may make it can be one that comes to 0.
const ABOVE_ROUNDING: f64 = 16.0;

impl Finder {
    /// True if the crossing found last is a jump of this margin; notes it.
    pub(super) fn jumps(&mut self, field: &mut Field<'_>, margin: Looked) -> bool {
        let jumps = self.has_jumped(field, margin);
        if jumps {
            self.jumps.push(margin.border);
        }
        jumps
    }

    /// A jump of a margin that is only watched, where the step is going to be cut: in the mode beyond it may be none.
    pub(super) fn leave_jump_at_end(&mut self, field: &mut Field<'_>, margin: Looked) {
        let near = AHEAD[0] * Query::tolerance_of(field.dense);
        let theta = self.found.last().map(|crossing| crossing.theta);
        let is_at_end = theta.is_some_and(|theta| (theta - field.last).abs() <= near);
        if is_at_end && field.last < 1.0 && self.has_jumped(field, margin) {
            self.found.pop();
        }
    }

    fn has_jumped(&mut self, field: &mut Field<'_>, margin: Looked) -> bool {
        let Some(crossing) = self.found.last().copied() else {
            return false;
        };
        if !matches!(crossing.what, Crossed::Border(border, _) if border == margin.border) {
            return false;
        }
        let mut along = Along {
            evaluator: field.modes.get(field.motion.mode),
            past: field.past,
            margin,
            dense: field.dense,
            y: &mut self.y,
        };
        let width = Query::tolerance_of(field.dense).max(crossing.theta - crossing.before);
        let mut beside = |from: f64, way: f64| AHEAD.map(|many| along.value(from + way * many));
        let before = beside(crossing.before, -width);
        let behind = beside(crossing.theta, width);
        let changes = |near: f64| behind.iter().all(|far| near * far < 0.0);
        if has_grown(before) || has_grown(behind) || !before.into_iter().all(changes) {
            return false;
        }
        // No rounding lets it fall on both sides.
        if [before, behind].into_iter().all(falls) {
            return true;
        }
        let [_, beside] = before;
        let at = crossing.before - width * AHEAD[1];
        let (dense, t) = (field.dense, field.dense.time(at));
        self.y.resize(dense.dim(), 0.0);
        dense.eval(at, &mut self.y);
        let evaluator = field.modes.get(field.motion.mode);
        let blur = evaluator.blur(margin.border, field.past, (t, &self.y), 0.0);
        blur.is_some_and(|blur| beside.abs() > ABOVE_ROUNDING * blur)
    }

    /// True if a margin jumps over its border where its first crossing was found.
    pub(in crate::sim::events::detect) fn is_jump(&self, border: BorderId) -> bool {
        self.jumps.contains(&border)
    }
}
