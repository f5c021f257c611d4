//! Crossings of comparisons that are only watched and do not have values everywhere: no step ends at an edge of their
//! domains, so that they are looked for between one edge and the next.

use crate::lower::border::BorderId;
use crate::sim::events::detect::crossing_search::{
    Along, Crossed, Crossing, Field, Finder, Looked, held, side_of,
};
use crate::sim::events::detect::departure::Departure;
use situ_solve::roots::{self, Indicator, Query, RootKind};
use smallvec::SmallVec;

/// Crossings nearer to an edge than this many tolerances of their place are there.
const AT_EDGE: f64 = 4.0;

impl Finder {
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
        let edges = found.filter(
            |crossing| matches!(crossing.what, Crossed::Border(border, _) if domain.contains(&border)),
        );
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
