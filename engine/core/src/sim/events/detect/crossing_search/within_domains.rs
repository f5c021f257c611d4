//! Crossings of comparisons that do not have values everywhere, before an edge of their domain at which a step ends. No step
//! ends at those of comparisons that are only watched: they are looked for between one edge and the next.

use crate::lower::border::BorderId;
use crate::sim::events::detect::crossing_search::{
    Along, Crossed, Crossing, Field, Finder, Looked, Which, held, side_of,
};
use crate::sim::events::detect::departure::Departure;
use situ_solve::roots::{self, Indicator, Query, RootKind};
use smallvec::SmallVec;

/// Crossings nearer to an edge than this many tolerances of their place are there.
const AT_EDGE: f64 = 4.0;

/// A border whose margin does not have values everywhere.
#[derive(Clone, Debug)]
pub(in crate::sim::events::detect) struct LimitedBorder {
    pub(in crate::sim::events::detect) border: BorderId,
    /// The borders of its domain.
    pub(in crate::sim::events::detect) domain: SmallVec<[BorderId; 2]>,
}

impl Finder {
    /// Finds the first crossing of a margin before an edge of its domain, which has been found before.
    pub(super) fn before_edge(
        &mut self,
        field: &mut Field<'_>,
        number: usize,
        domain: &[BorderId],
    ) {
        let margin = Looked::at(&field.modes.at(field.motion.mode).mode.margins[number]);
        let found = self.found.iter();
        let edges = found.filter(|crossing| is_on(crossing, domain));
        let whole = field.to;
        let edge = edges.fold(whole, |first, edge| first.min(edge.before));
        field.to = edge;
        let departure = field.departures.of(margin.border);
        if !self.bounded(field, margin, departure, Which::First) {
            self.opaque.push(number);
        } else if field.to == edge {
            field.to = whole;
        }
    }

    /// Finds the crossings of a margin in its domain, whose edges have been found before. What crosses at an edge comes
    /// before the edge: the comparison holds or not as soon as it has a value.
    pub(super) fn within_domain(
        &mut self,
        field: &mut Field<'_>,
        margin: Looked,
        departure: Departure,
        domain: &[BorderId],
    ) {
        let found = self.found.iter();
        let edges = found.filter(|crossing| is_on(crossing, domain));
        let mut edges: SmallVec<[Crossing; 4]> = edges.copied().collect();
        edges.sort_by(|a, b| a.theta.total_cmp(&b.theta));
        let begun = held(departure, margin.upright);
        let (mut side, zeros) = begun.unwrap_or((roots::Side::Minus, 0));
        let mut along = Along {
            evaluator: field.modes.get(field.motion.mode),
            past: field.past,
            margin,
            dense: field.dense,
            y: &mut self.y,
        };
        let mut from = 0.0;
        for number in 0..=edges.len() {
            let (to, next) = match edges.get(number) {
                Some(edge) => (edge.before, edge.theta),
                None => (field.last, field.last),
            };
            if from < to && !along.value(0.5 * (from + to)).is_nan() {
                let zeros = if number == 0 { zeros } else { 0 };
                let query = Query {
                    from,
                    to,
                    zeros,
                    leaves: zeros > 0,
                    ..Query::whole(field.dense, side)
                };
                let edge = from + AT_EDGE * query.tolerance;
                for root in self.roots.all_of(&mut along, &query) {
                    let RootKind::Crossing(to_side) = root.kind else {
                        continue;
                    };
                    side = to_side;
                    let what = Crossed::Border(margin.border, side_of(side, margin.upright));
                    let (before, theta) = (root.lo, root.hi);
                    match number > 0 && theta <= edge {
                        true => self.found.insert(
                            0,
                            Crossing {
                                theta: from,
                                before: from,
                                what,
                            },
                        ),
                        false => self.found.push(Crossing {
                            theta,
                            before,
                            what,
                        }),
                    }
                }
            }
            from = next;
        }
    }
}

/// True for a crossing of one of these borders.
fn is_on(crossing: &Crossing, borders: &[BorderId]) -> bool {
    matches!(crossing.what, Crossed::Border(border, _) if borders.contains(&border))
}
