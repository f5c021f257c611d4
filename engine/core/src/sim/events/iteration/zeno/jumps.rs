//! An instant that is remembered -> its jumps, each with the border that brought it about.
//!
//! Borders that are reached at one time need not have to do with each other: two balls that fall side by side have a jump
//! each, and a kink that turns as they land has none. A row that acts belongs to the first border of the instant on which
//! its conditions depend; a real that changes, to that of the first row that writes it.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::ids::{RangeId, RealId, RelationId, SwitchId};
use crate::lower::border::{BorderId, Side};
use crate::lower::scan::{Reader, ScanKind};
use crate::model::Boolean;
use crate::sim::events::iteration::zeno::RecentInstant;
use crate::sim::events::motion::BorderViews;
use crate::sim::events::state::plan::Plan;

/// A jump away from a border.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Jump {
    pub(super) border: BorderId,
    pub(crate) side: Side,
    /// Reals with what is added to them.
    pub(super) by: SmallVec<[(RealId, f64); 4]>,
    /// The event rows that add it, in order.
    pub(crate) rows: SmallVec<[RelationId; 4]>,
}

impl Jump {
    /// The largest of its parts.
    pub(super) fn size(&self) -> f64 {
        let parts = self.by.iter().map(|(_, part)| part.abs());
        parts.fold(0.0, f64::max)
    }
}

/// Adds the jumps of an instant, in the order of its borders.
pub(super) fn add_jumps(
    seen: &RecentInstant,
    plan: &Plan,
    views: &BorderViews,
    jumps: &mut Vec<Jump>,
) {
    if seen.jump.is_empty() {
        return;
    }
    // All that happens at the only border is its own.
    if let [border] = seen.borders[..] {
        jumps.push(Jump {
            border,
            side: seen.sides.first().copied().unwrap_or_default(),
            by: SmallVec::from_slice(&seen.jump),
            rows: SmallVec::from_slice(&seen.rows),
        });
        return;
    }
    let depending: Vec<Vec<RelationId>> = (seen.borders.iter())
        .map(|border| rows_that_depend(*border, plan, views))
        .collect();
    let first = depending.iter().position(|rows| !rows.is_empty());
    let owner = |row: &RelationId| {
        let own = depending.iter().position(|rows| rows.contains(row));
        own.or(first).unwrap_or_default()
    };
    let writes =
        |row: &&RelationId, real: RealId| plan.model.relations[row.index()].targets.contains(&real);
    let owner_of = |real: RealId| {
        let mut rows = seen.rows.iter();
        let row = rows.find(|row| writes(row, real));
        row.map_or(first.unwrap_or_default(), owner)
    };
    let jump = |(at, border): (usize, &BorderId)| {
        let parts = seen.jump.iter().copied();
        let rows = seen.rows.iter().copied();
        Jump {
            border: *border,
            side: seen.sides.get(at).copied().unwrap_or_default(),
            by: parts.filter(|&(real, _)| owner_of(real) == at).collect(),
            rows: rows.filter(|row| owner(row) == at).collect(),
        }
    };
    let all = seen.borders.iter().enumerate().map(jump);
    jumps.extend(all.filter(|jump| !jump.by.is_empty()));
}

/// The rows that act at events whose conditions depend on a border, through ranges, situations and switches.
pub(crate) fn rows_that_depend(
    border: BorderId,
    plan: &Plan,
    views: &BorderViews,
) -> Vec<RelationId> {
    let ranges = views.ranges_by_border.get(border.index());
    let ranges = ranges.into_iter().flatten().map(|&range| range as usize);
    let mut open: Vec<Boolean> = ranges
        .map(|range| Boolean::Range(RangeId::new(range)))
        .collect();
    let mut seen: SmallVec<[Boolean; 8]> = SmallVec::new();
    let mut rows = Vec::new();
    while let Some(what) = open.pop() {
        if seen.contains(&what) {
            continue;
        }
        seen.push(what);
        for reader in &plan.scan.of(what).all {
            match *reader {
                Reader::SituationRow(at) => {
                    let row = &plan.model.situation_rows[at as usize];
                    open.push(Boolean::Situation(row.situation));
                }
                Reader::Assignment(at) => {
                    let set = &plan.model.assignments[at as usize].set;
                    open.extend(set.iter().map(|&(switch, _)| Boolean::Switch(switch)));
                }
                Reader::Row(at) => {
                    let row = &plan.scan.rows[at as usize];
                    if matches!(row.kind, ScanKind::Event(_)) {
                        rows.push(row.relation);
                    }
                }
            }
        }
    }
    rows
}

/// The borders on which these event rows depend, through ranges, situations and switches: the reverse of
/// [`rows_that_depend`].
pub(crate) fn borders_behind(
    rows: impl Iterator<Item = RelationId>,
    plan: &Plan,
    views: &BorderViews,
) -> SmallVec<[BorderId; 4]> {
    let events = &plan.flow.events;
    let mut open: SmallVec<[Boolean; 8]> = SmallVec::new();
    for row in rows {
        // Event rows stand in the order of their relations.
        if let Ok(at) = events.binary_search_by_key(&row, |event| event.relation) {
            let literals = events[at].when.iter().chain(&events[at].counts);
            open.extend(literals.map(|literal| literal.what));
        }
    }
    let mut seen: SmallVec<[Boolean; 8]> = SmallVec::new();
    let mut borders = SmallVec::new();
    while let Some(what) = open.pop() {
        if seen.contains(&what) {
            continue;
        }
        seen.push(what);
        match what {
            Boolean::Range(range) => {
                borders.extend(views.ranges[range.index()].iter().map(|view| view.border));
            }
            Boolean::Situation(id) => {
                let rows = plan.scan.rows_of[id.index()].iter();
                let rows = rows.map(|&row| &plan.model.situation_rows[row as usize]);
                open.extend(rows.flat_map(|row| &row.all).map(|literal| literal.what));
            }
            Boolean::Switch(id) => {
                let sets = |switch: &(SwitchId, bool)| switch.0 == id;
                let assignments = plan.model.assignments.iter();
                let assignments = assignments.filter(|assignment| assignment.set.iter().any(sets));
                let literals = assignments.flat_map(|assignment| &assignment.when);
                open.extend(literals.map(|literal| literal.what));
            }
            Boolean::Schedule(_) | Boolean::Start => {}
        }
    }
    borders
}
